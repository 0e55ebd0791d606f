"""Prolog goals for models learned from facts, with the predicates of these facts.

The signatures of the predicates, which the model stores, determine the origin of each member
(`structtree.data.readers.facts.tables`). A record is the constant that names it, so ``wheels >= 3`` becomes
``wheels(Car, N), N >= 3.0``. A fact with a record of its own is represented by its term; if it is read in both
directions, an additional argument distinguishes its two rows. An individual that is an example with several arguments
is represented by such a term too, even if there is no such fact.

Tests that depend on the order of the facts, or on the set of individuals, are refused: Prolog has neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from structtree.data.readers.facts.signatures import FactJoin, FactStep, MemberOrigin, PrologPredicate, Signature
from structtree.data.readers.facts.tables import FactTypes
from structtree.data.schema import Attribute, Schema
from structtree.errors import UsageError, option_text
from structtree.export.prolog.goals import (
    RowVocabulary,
    TermFound,
    conjunction_of,
    constant_term,
    either_of,
    plain_atom,
)
from structtree.lang import syntax as syn
from structtree.lang.background import Computation, ComputedLink, Repeated, Walk
from structtree.lang.walk import subpredicates

__all__ = ["FACT_HELPERS", "FactVocabulary", "check_expressible"]

FACT_HELPERS = """% Categories are compared as strings, and lists are flattened.
structtree_text(Value, Text) :-
    number(Value), !,
    ( Value =:= truncate(Value) -> Shown is truncate(Value) ; Shown = Value ), format(atom(Text), '~w', [Shown]).
structtree_text(Value, Text) :- string(Value), !, atom_string(Text, Value).
structtree_text(Value, Value).
structtree_items(List, Items) :- flatten(List, Flat), list_to_set(Flat, Items)."""
"""Predicates that goals about facts call."""

_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][-+]?\d+)?")
_NOT_A_FACT = (
    f" cannot be expressed by facts alone; export the model with its data ({option_text('data')}), "
    "which is then written as facts"
)


@dataclass(slots=True)
class FactVocabulary(RowVocabulary):
    """Translator of attributes and links to goals with the predicates of facts.

    Parameters
    ----------
    types : FactTypes
        Origin of each member.
    signatures : mapping from predicate to Signature
    individual : str
        Type of the individuals.
    taken : frozenset of PrologPredicate
        Predicates of the program itself; facts with these names are qualified with ``user:``.
    """

    types: FactTypes
    signatures: Mapping[PrologPredicate, Signature]
    individual: str
    taken: frozenset[PrologPredicate] = frozenset()
    used: set[PrologPredicate] = field(default_factory=set, init=False)
    """Predicates of the facts that goals use."""
    _terms: dict[str, tuple[str, ...]] = field(default_factory=dict, init=False)

    def restart(self) -> None:
        """Begin a new clause, in which variable names can be reused."""
        RowVocabulary.restart(self)
        self._terms.clear()

    # ---- rows ------------------------------------------------------------------------------------------------

    @property
    def owned(self) -> Mapping[str, PrologPredicate]:
        """The predicate of each type whose records are facts."""
        return {name: predicate for predicate, name in self.types.own.items()}

    def new_row(self, type_name: str, given: Mapping[int, str] | None = None) -> str:
        """Return a term that matches any row of a type: a variable, or a fact with some arguments given."""
        predicate = self.owned.get(type_name)
        if predicate is None:
            return self.variable(type_name)
        signature, known = self.signatures[predicate], given or {}
        arguments = [
            known.get(place) or self.variable(argument.name) for place, argument in enumerate(signature.arguments)
        ]
        if _is_double(signature):
            arguments.append(self.variable("way"))
        term = f"{self._own_name(signature)}({', '.join(arguments)})"
        self._terms[term] = tuple(arguments)
        return term

    def _own_name(self, signature: Signature) -> str:
        return plain_atom(f"{signature.name} both ways" if _is_double(signature) else signature.name)

    def _opened(self, type_name: str, row: str) -> tuple[str, tuple[str, ...]]:
        """Return the goal that binds the arguments of a row stored as a fact, and these arguments."""
        if row in self._terms:
            return "true", self._terms[row]
        term = self.new_row(type_name)
        goals = [f"{row} = {term}"]
        if type_name != self.individual:
            goals.append(self._is_fact(type_name, term))
        return ", ".join(goals), self._terms[term]

    def _is_fact(self, type_name: str, term: str) -> str:
        predicate = self.owned[type_name]
        self.used.add(predicate)
        is_ours = predicate not in self.taken or _is_double(self.signatures[predicate])
        return term if is_ours else f"user:{term}"

    def _fact(self, predicate: PrologPredicate, arguments: Mapping[int, str]) -> str:
        """Return a goal that matches facts with some arguments given."""
        self.used.add(predicate)
        texts = ", ".join(arguments.get(place, "_") for place in range(predicate.arity))
        return f"{'user:' if predicate in self.taken else ''}{plain_atom(predicate.name)}({texts})"

    def is_row(self, type_name: str, row: str) -> str:
        """Return the goal that checks whether a term is a row of a type."""
        return f"{plain_atom(f'is {type_name}')}({row})"

    # ---- values ----------------------------------------------------------------------------------------------

    def flag(self, type_name: str, name: str, row: str, positive: bool) -> str:
        """Return the goal that checks a bool attribute, which is true if the fact exists."""
        holds = self._holds(type_name, name, row)
        if holds is None:
            return RowVocabulary.flag(self, type_name, name, row, positive)
        return holds if positive else f"\\+ ({holds})"

    def _holds(self, type_name: str, name: str, row: str) -> str | None:
        """Return the goal that checks whether a bool attribute is true; None if it is not a bool member."""
        origin, join = self.types.origins.get((type_name, name)), self.types.joins.get((type_name, name))
        if join is not None and self.types.population.schema.type(type_name).attribute(name) is not None:
            return f"once(({self._joined(join, type_name, row).goal}))"
        if origin is None or origin.end is not None or origin.predicate.arity != 1:
            return None
        return self._fact(origin.predicate, {0: row})

    def value(self, type_name: str, name: str, row: str) -> TermFound:
        """Return the value of an attribute; the goal fails if it is missing."""
        holds, origin = self._holds(type_name, name, row), self.types.origins.get((type_name, name))
        if holds is not None:
            value = self.variable(name)
            return TermFound(f"({holds} -> {value} = true ; {value} = false)", value)
        if origin is None:
            return self._without_origin(type_name, name, row)
        assert origin.end is not None
        if origin.start is None:
            goal, arguments = self._opened(type_name, row)
            return TermFound(goal, arguments[origin.end])
        value = self.variable(name)
        return TermFound(self._fact(origin.predicate, {origin.start: row, origin.end: value}), value)

    def _without_origin(self, type_name: str, name: str, row: str) -> TermFound:
        """Return a value that does not come from a fact: a name, a list element, or a computed value."""
        if self.is_element(type_name):
            value = self.variable(name)
            return TermFound(f"{row} = item(_, _, {value})", value)
        if self.is_name(type_name, name):
            return TermFound("true", row)
        return RowVocabulary.value(self, type_name, name, row)

    def is_name(self, type_name: str, name: str) -> bool:
        """Return whether an attribute contains the names of records."""
        schema = self.types.population.schema
        known = schema.type(type_name).attribute(name) if type_name in schema else None
        return name == "name" and known is not None and (type_name, name) not in self.types.origins

    def is_element(self, type_name: str) -> bool:
        """Return whether the rows of a type are plain values in lists."""
        places = (argument for signature in self.signatures.values() for argument in signature.arguments)
        records = {argument.name for argument in places if argument.is_type}
        return type_name in self.types.rows and type_name not in records and type_name not in self.owned

    def rounded(self, value: str, attribute: Attribute) -> TermFound:
        """Return a number as a float, since facts may contain integers beyond 2**53."""
        if attribute.kind not in ("int", "real"):
            return TermFound("true", value)
        number = self.variable(attribute.name)
        return TermFound(f"{number} is float({value})", number)

    def has_text(self, type_name: str, name: str, row: str, text: str) -> str:
        """Return the goal that compares a nominal attribute with a string; numbers are compared as strings."""
        origin = self.types.origins.get((type_name, name))
        is_plain = not isinstance(text, syn.Parameter) and not _NUMBER.fullmatch(text)
        if is_plain and origin is not None and origin.start is not None and origin.end is not None:
            return self._fact(origin.predicate, {origin.start: row, origin.end: plain_atom(text)})
        found = self.value(type_name, name, row)
        if is_plain:
            return conjunction_of([found.goal, f"{found.term} = {constant_term(text)}"])
        return conjunction_of([found.goal, f"structtree_text({found.term}, {constant_term(text)})"])

    def text(self, value: str) -> TermFound:
        """Return a category as a string."""
        text = self.variable("text")
        return TermFound(f"structtree_text({value}, {text})", text)

    def lacks(self, type_name: str, name: str, row: str) -> str:
        """Return the goal that checks whether a value is missing; bool attributes are never missing."""
        return f"\\+ ({self.value(type_name, name, row).goal})"

    # ---- links -----------------------------------------------------------------------------------------------

    def link(self, type_name: str, name: str, row: str, place: str, target: str) -> str:
        """Return the goal that relates a row to the rows behind a link and their positions."""
        origin = self.types.origins.get((type_name, name))
        if origin is None and (type_name, name) not in self.types.joins:
            return RowVocabulary.link(self, type_name, name, row, place, target)
        found = self._found(type_name, name, row, place)
        return conjunction_of([found.goal, f"{target} = {found.term}"])

    def behind(self, type_name: str, name: str, row: str, far: str, place: str = "_") -> TermFound:
        """Return the rows behind a link, enumerated by backtracking."""
        if (type_name, name) not in {**self.types.origins, **self.types.joins}:
            return RowVocabulary.behind(self, type_name, name, row, far, place)
        return self._found(type_name, name, row, place)

    def _found(self, type_name: str, name: str, row: str, place: str) -> TermFound:
        join = self.types.joins.get((type_name, name))
        if join is not None:
            return _at(place, self._joined(join, type_name, row))
        origin = self.types.origins[type_name, name]
        signature = self.signatures[origin.predicate]
        if origin.end is None:
            assert origin.start is not None
            owner = self.types.own[origin.predicate]
            term = self.new_row(owner, {origin.start: row})
            return _at(place, TermFound(self._is_fact(owner, term), term))
        if signature.arguments[origin.end].is_list:
            return self._listed(origin, type_name, row, place)
        if origin.start is None:
            goal, arguments = self._opened(type_name, row)
            return _at(place, TermFound(goal, arguments[origin.end]))
        step = FactStep(origin.predicate, origin.start, origin.end, _is_symmetric(signature))
        return _at(place, self._stepped(step, row))

    def _stepped(self, step: FactStep, row: str) -> TermFound:
        """Return the records one step from a row."""
        target = self.variable(self.signatures[step.predicate].arguments[step.end].name)
        goals = [self._fact(step.predicate, {step.start: row, step.end: target})]
        if step.both_ways:
            goals.append(self._fact(step.predicate, {step.end: row, step.start: target}))
        return TermFound(either_of(goals) if step.both_ways else goals[0], target)

    def _listed(self, origin: MemberOrigin, type_name: str, row: str, place: str) -> TermFound:
        """Return the elements of a list; a plain value becomes a term with its owner and position."""
        assert origin.end is not None
        argument = self.signatures[origin.predicate].arguments[origin.end]
        at = self.variable("place") if place == "_" else place
        if origin.start is None:
            goal, arguments = self._opened(type_name, row)
            whole = arguments[origin.end]
        else:
            whole = self.variable("list")
            goal = self._fact(origin.predicate, {origin.start: row, origin.end: whole})
        items, value = self.variable("items"), self.variable(argument.name)
        if argument.is_type:
            found = f"structtree_items({whole}, {items}), nth0({at}, {items}, {value})"
            return TermFound(conjunction_of([goal, found]), value)
        found = f"flatten({whole}, {items}), nth0({at}, {items}, {value})"
        return TermFound(conjunction_of([goal, found]), f"item({row}, {at}, {value})")

    def _joined(self, join: FactJoin, type_name: str, row: str) -> TermFound:
        """Return the fact or record that connects two arguments of an example."""
        goal, arguments = self._opened(type_name, row)
        one, other = (arguments[end] for end in join.ends)
        if join.between is not None:
            owner = self.types.own[join.between.predicate]
            term = self.new_row(owner, {join.between.start: one, join.between.end: other})
            return TermFound(conjunction_of([goal, self._is_fact(owner, term)]), term)
        goals = [goal]
        for step in join.first:
            found = self._stepped(step, one)
            goals.append(found.goal)
            one = found.term
        for step in join.second:
            found = self._stepped(step, other)
            goals.append(found.goal)
            other = found.term
        return TermFound(conjunction_of([*goals, f"{one} == {other}"]), one)

    # ---- clauses ---------------------------------------------------------------------------------------------

    def clauses(self, owners: Iterable[str]) -> Iterator[str]:
        """Yield clauses for the rows of types with derived links, and for facts that are read in both directions."""
        for type_name in dict.fromkeys(owners):
            yield from self._row_clauses(type_name)
        for predicate in sorted(self.used):
            if _is_double(self.signatures[predicate]):
                yield from self._double_clauses(self.signatures[predicate])

    def _double_clauses(self, signature: Signature) -> Iterator[str]:
        names = [argument.name if argument.is_type else "" for argument in signature.arguments]
        first, second = next(
            (i, j) for i, one in enumerate(names) for j, other in enumerate(names) if i < j and one and one == other
        )
        own = [f"A{place}" for place in range(len(names))]
        back = list(own)
        back[first], back[second] = own[second], own[first]
        for arguments, way in ((own, "forth"), (back, "back")):
            fact = self._fact(signature.predicate, dict(enumerate(arguments)))
            yield f"{self._own_name(signature)}({', '.join([*own, way])}) :- {fact}."

    def _row_clauses(self, type_name: str) -> Iterator[str]:
        """Yield the clauses that enumerate the rows of a type."""
        name = f"is {type_name}"
        if type_name in self.owned:
            self.restart()
            term = self.new_row(type_name)
            goal = "true" if type_name == self.individual else self._is_fact(type_name, term)
            yield f"{plain_atom(name)}({term}) :- {goal}."
        for predicate, signature in self.signatures.items():
            for place in signature.types:
                if signature.arguments[place].name == type_name:
                    yield f"{plain_atom(name)}(X) :- {self._fact(predicate, {place: 'X'})}."


def _is_double(signature: Signature) -> bool:
    """Return whether each fact is a record and is read in both directions."""
    return signature.direction == "both ways" and len(signature.arguments) > 2 and signature.key is None


def _is_symmetric(signature: Signature) -> bool:
    """Return whether a predicate is a binary relation that is read in both directions."""
    return signature.direction == "both ways" and len(signature.arguments) == 2 and signature.key is None


def _at(place: str, found: TermFound) -> TermFound:
    """Add a position, which is always 0, to a member of a set."""
    return found if place == "_" else TermFound(conjunction_of([found.goal, f"{place} = 0"]), found.term)


# ---- tests that facts cannot express ---------------------------------------------------------------------


def check_expressible(
    vocabulary: FactVocabulary,
    schema: Schema,
    needed: Mapping[str, Iterable[str]],
    steps: Iterable[Computation],
    tests: Iterable[syn.Predicate],
) -> None:
    """Raise a UsageError if facts alone cannot express the tests of a model.

    Parameters
    ----------
    vocabulary : FactVocabulary
    schema : Schema
        Schema of the model.
    needed : mapping from type to members
        Members that the tests use.
    steps : iterable of Computation
    tests : iterable of Predicate
    """
    for type_name, members in needed.items():
        for name in sorted(members):
            _check_member(vocabulary, schema, type_name, name)
    for step in steps:
        if isinstance(step, ComputedLink) and (step.link.kind == "list" or _goes_back(step.walk)):
            raise UsageError(f"the derived link {step.link.name!r} of {step.type}{_NOT_A_FACT}")
    for test in tests:
        for part, type_name in subpredicates(test, schema.individual, schema, definitions=True):
            if isinstance(part, syn.Aggregate) and part.function in ("latest", "earliest") and part.order is not None:
                raise UsageError(f"the {part.function} row of {type_name}.{part.link}{_NOT_A_FACT}")


def _check_member(vocabulary: FactVocabulary, schema: Schema, type_name: str, name: str) -> None:
    if name == "$list":
        return
    types, attribute = vocabulary.types, schema.type(type_name).attribute(name)
    is_known = (type_name, name) in types.origins or (type_name, name) in types.joins
    is_known |= vocabulary.is_name(type_name, name) or vocabulary.is_element(type_name)
    if not is_known:
        raise UsageError(f"{type_name}.{name}{_NOT_A_FACT}")
    if attribute is None:
        return
    is_flag = vocabulary._holds(type_name, name, "X") is not None
    if attribute.kind not in ("int", "real", "nominal") and not (attribute.kind == "bool" and is_flag):
        raise UsageError(f"the kind {attribute.kind} of {type_name}.{name}{_NOT_A_FACT}")


def _goes_back(walk: Walk) -> bool:
    return any(_goes_back(hop.walk) if isinstance(hop, Repeated) else hop.backwards for hop in walk)
