"""Translation of predicates to Prolog goals: an independent definition of every form of the language.

A row is a term, and a predicate becomes a goal that succeeds if the row satisfies it, without binding variables of
other goals. A `RowVocabulary` names attributes and links: by default a value is ``'Car.wheels'(Row, Value)``, with no
fact if it is missing, and a link is ``'Train.cars'(Row, Place, Target)``. `structtree.export.prolog.facts` has a
vocabulary for the predicates of the training facts.

The tests check that SWI-Prolog on these goals agrees with `structtree.space.evaluate`, with which they share no code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple, assert_never

from structtree.arrays import EXACT
from structtree.data.readers.facts.prolog import numeral_text, quoted_atom
from structtree.data.schema import NUMERIC, Attribute, Schema
from structtree.export.leaves import one_line
from structtree.lang import syntax as syn
from structtree.lang.pretty import pretty
from structtree.space.terms import conjuncts

__all__ = [
    "GoalWriter",
    "RowVocabulary",
    "StepForm",
    "TermFound",
    "ValueAt",
    "clause_for",
    "conjunction_of",
    "constant_term",
    "definition_call",
    "either_of",
    "label_term",
    "member_atom",
    "number_term",
    "plain_atom",
]

StepForm = syn.Follow | syn.Exists | syn.ListStep

_NUMBERS = {"=": "=:=", "!=": "=\\=", ">=": ">=", "<=": "=<", "<": "<"}
_TEXTS = {"=": "==", "!=": "\\=="}
_WORD = re.compile(r"[a-z][a-zA-Z0-9_]*")


# ---- terms -----------------------------------------------------------------------------------------------


def plain_atom(text: str) -> str:
    """Return a string as an atom, quoted unless it is a plain word.

    Examples
    --------
    >>> print(plain_atom("east"), plain_atom("East"), plain_atom("it's"), plain_atom("a), halt. %"))
    east 'East' 'it\\'s' 'a), halt. %'
    """
    return text if _WORD.fullmatch(text) else quoted_atom(text)


def number_term(value: float) -> str:
    """Return a number as a Prolog float.

    Examples
    --------
    >>> number_term(2), number_term(-0.5), number_term(float("inf"))
    ('2.0', '(-0.5)', '1.0Inf')
    """
    text = numeral_text(float(value))
    return f"({text})" if text.startswith("-") else text


def constant_term(value: syn.Scalar) -> str:
    """Return a constant of a predicate as a term; a parameter of a definition becomes a variable."""
    if isinstance(value, syn.Parameter):
        return f"Parameter_{value.encode().hex()}"
    return plain_atom(value) if isinstance(value, str) else number_term(value)


def label_term(label: Any) -> str:
    """Return a class label as a Prolog term: an atom for a string or boolean, otherwise a number."""
    plain = label.item() if hasattr(label, "item") else label
    match plain:
        case bool():
            return str(plain).lower()
        case int():
            return str(plain)
        case float():
            return number_term(plain)
        case _:
            return plain_atom(str(plain))


def member_atom(type_name: str, member: str) -> str:
    """Return the atom that names a member of a type.

    Examples
    --------
    >>> member_atom("Car", "wheels")
    "'Car.wheels'"
    """
    return plain_atom(f"{type_name}.{member}")


def definition_call(name: str, row: str, arguments: Iterable[syn.Scalar]) -> str:
    """Return the goal that calls a definition for a row."""
    return f"{plain_atom(f'define {name}')}({', '.join([row, *map(constant_term, arguments)])})"


class TermFound(NamedTuple):
    """Term, and the goal that binds it; the goal is ``true`` if the term needs no binding."""

    goal: str
    term: str


# ---- vocabularies ----------------------------------------------------------------------------------------


@dataclass(slots=True)
class RowVocabulary:
    """Translator of attributes and links to goals with one predicate per member and row numbers as arguments."""

    _numbers: Iterator[int] = field(default_factory=count, init=False)

    def restart(self) -> None:
        """Begin a new clause, in which variable names can be reused."""
        self._numbers = count()

    def variable(self, name: str = "V") -> str:
        """Return a variable that is not used elsewhere in the clause."""
        plain = re.sub(r"[^a-zA-Z0-9]", "", name).rstrip("0123456789")  # A1 and 0 would clash with A and 10
        word = plain[:1].upper() + plain[1:] if plain[:1].isalpha() else "V"
        return f"{word}{next(self._numbers)}"

    def new_row(self, type_name: str) -> str:
        """Return a term that matches any row of a type."""
        return self.variable(type_name)

    def is_row(self, type_name: str, row: str) -> str:
        """Return the goal that checks whether a term is a row of a type."""
        return f"{plain_atom(type_name)}({row})"

    def flag(self, type_name: str, name: str, row: str, positive: bool) -> str:
        """Return the goal that checks whether a bool attribute is true, or false if not `positive`."""
        return f"{member_atom(type_name, name)}({row}, {'true' if positive else 'false'})"

    def value(self, type_name: str, name: str, row: str) -> TermFound:
        """Return the value of an attribute; the goal fails if it is missing."""
        value = self.variable(name)
        return TermFound(f"{member_atom(type_name, name)}({row}, {value})", value)

    def rounded(self, value: str, attribute: Attribute) -> TermFound:
        """Return a number as a float; row facts contain only floats."""
        return TermFound("true", value)

    def has_text(self, type_name: str, name: str, row: str, text: str) -> str:
        """Return the goal that compares a nominal attribute with a string."""
        return f"{member_atom(type_name, name)}({row}, {constant_term(text)})"

    def text(self, value: str) -> TermFound:
        """Return a category as a string."""
        return TermFound("true", value)

    def lacks(self, type_name: str, name: str, row: str) -> str:
        """Return the goal that checks whether a value is missing."""
        return f"\\+ {member_atom(type_name, name)}({row}, _)"

    def link(self, type_name: str, name: str, row: str, place: str, target: str) -> str:
        """Return the goal that relates a row to the rows behind a link and their positions."""
        return f"{member_atom(type_name, name)}({row}, {place}, {target})"

    def behind(self, type_name: str, name: str, row: str, far: str, place: str = "_") -> TermFound:
        """Return the rows behind a link, enumerated by backtracking.

        `far` is the type of these rows.
        """
        target = self.variable(far)
        return TermFound(self.link(type_name, name, row, place, target), target)


@dataclass(frozen=True, slots=True)
class ValueAt:
    """Attribute value in Prolog: the goals that bind it, its term, and its attribute."""

    goals: tuple[str, ...]
    term: str
    attribute: Attribute


# ---- goals -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GoalWriter:
    """Translator of predicates to goals.

    Parameters
    ----------
    schema : Schema
    vocabulary : RowVocabulary
    owner : pair of str, optional
        In the condition of a derived link: the type of the link's owner, and its variable.

    Examples
    --------
    >>> from structtree.data.schema import Link, RecordType
    >>> from structtree.lang.parse import parse_predicate
    >>> car = RecordType("Car", (Attribute("wheels", "int"), Attribute("shape", "nominal")))
    >>> schema = Schema((RecordType("Train", (), (Link("cars", "list", "Car"),)), car), "Train")
    >>> test = parse_predicate("exists cars (wheels >= 3 and shape = oval)")
    >>> GoalWriter(schema).goal(test, "Train", "X")
    "once(('Train.cars'(X, _, Car0), 'Car.wheels'(Car0, Wheels1), Wheels1 >= 3.0, 'Car.shape'(Car0, oval)))"
    """

    schema: Schema
    vocabulary: RowVocabulary = field(default_factory=RowVocabulary)
    owner: tuple[str, str] | None = None

    def goal(self, predicate: syn.Predicate, type_name: str, row: str) -> str:
        """Return a goal that succeeds if a row satisfies the predicate."""
        return conjunction_of(self.goals(predicate, type_name, row))

    def goals(self, predicate: syn.Predicate, type_name: str, row: str) -> Iterator[str]:
        """Yield goals that together succeed if a row satisfies the predicate."""
        words = self.vocabulary
        match predicate:
            case syn.Top():
                pass
            case syn.Flag(attribute, positive):
                yield words.flag(type_name, attribute, row, positive)
            case syn.Compare(attribute, "=", str() as value) if self._kind(type_name, attribute) == "nominal":
                yield words.has_text(type_name, attribute, row, value)
            case syn.Compare() | syn.Among() | syn.Within():
                found = words.value(type_name, predicate.attribute, row)
                yield found.goal
                yield self._value_test(predicate, found.term, self._attribute(type_name, predicate.attribute))
            case syn.CompareOwn(path, op, other):
                yield self._two(self.value_at(path, type_name, row), op, self.value_at(other, type_name, row))
            case syn.CompareMine(path, op, mine):
                assert self.owner is not None
                yield self._two(self.value_at(path, type_name, row), op, self.value_at(mine, *self.owner))
            case syn.Me():
                assert self.owner is not None
                yield f"{row} == {self.owner[1]}"
            case syn.Missing(member):
                yield self._missing(type_name, member, row)
            case syn.Named(name, _, arguments):
                scalars = (each for each in arguments if isinstance(each, syn.Scalar))
                yield f"once({definition_call(name, row, scalars)})"
            case syn.Follow(_, inner) | syn.Exists(_, inner) | syn.ListStep(_, inner):
                far = self.type_behind(predicate, type_name)
                found = self.reached(predicate, type_name, row)
                yield f"once(({conjunction_of([found.goal, *self.goals(inner, far, found.term)])}))"
            case syn.All(link, inner):
                far = self._target(type_name, link)
                found = words.behind(type_name, link, row, far)
                yield f"forall(({found.goal}), ({self.goal(inner, far, found.term)}))"
            case syn.No(link, inner):
                yield f"\\+ ({self._holding(link, inner, type_name, row).goal})"
            case syn.Count(link, inner, op, n):
                assert isinstance(n, syn.Scalar)
                yield self._count(self._holding(link, inner, type_name, row), op, n)
            case syn.Aggregate():
                yield from self._aggregate(predicate, type_name, row)
            case syn.Distinct(link, inners):
                yield f"once(({', '.join(self._different(link, inners, type_name, row))}))"
            case syn.And(parts):
                for part in parts:
                    yield from self.goals(part, type_name, row)
            case syn.Or(parts):
                yield either_of(f"({self.goal(part, type_name, row)})" for part in parts)
            case syn.Not(inner):
                yield f"\\+ ({self.goal(inner, type_name, row)})"
            case _ as never:
                assert_never(never)

    # ---- values ----------------------------------------------------------------------------------------------

    def _attribute(self, type_name: str, name: str) -> Attribute:
        attribute = self.schema.type(type_name).attribute_or_part(name)
        assert attribute is not None
        return attribute

    def _kind(self, type_name: str, name: str) -> str:
        return self._attribute(type_name, name).kind

    def _value_test(self, test: syn.Compare | syn.Among | syn.Within, term: str, attribute: Attribute) -> str:
        """Return the goal that compares an attribute with constants."""
        match test:
            case syn.Compare(_, op, value):
                assert isinstance(value, syn.Scalar)
                return self._comparison(term, op, value, attribute)
            case syn.Among(_, values):
                return either_of(self._comparison(term, "=", value, attribute) for value in values)
            case syn.Within(_, low, high, closed):
                ends = ((">=", low), ("<=" if closed else "<", high))
                return conjunction_of(self._comparison(term, op, end, attribute) for op, end in ends)

    def _comparison(self, term: str, op: str, value: syn.Scalar, attribute: Attribute) -> str:
        if attribute.kind in NUMERIC:
            # rounding to a float cannot change the comparison with a constant below 2**53
            is_plain = not isinstance(value, str) and abs(float(value)) < EXACT
            found = TermFound("true", term) if is_plain else self.vocabulary.rounded(term, attribute)
            return conjunction_of([found.goal, f"{found.term} {_NUMBERS[op]} {constant_term(value)}"])
        text = self.vocabulary.text(term)
        return conjunction_of([text.goal, f"{text.term} {_TEXTS[op]} {constant_term(value)}"])

    def _two(self, one: ValueAt, op: str, other: ValueAt) -> str:
        """Return the goal that compares two values: categories by name, all others as numbers."""
        kinds = {one.attribute.kind, other.attribute.kind}
        if op in _TEXTS and kinds & {"nominal", "ordered", "bool"}:
            found, sign = [self._text_of(each.term, each.attribute) for each in (one, other)], _TEXTS[op]
        else:
            found, sign = [self._seconds(each.term, each.attribute) for each in (one, other)], _NUMBERS[op]
        comparison = f"{found[0].term} {sign} {found[1].term}"
        return f"once(({conjunction_of([*one.goals, *other.goals, *(each.goal for each in found), comparison])}))"

    def _seconds(self, value: str, attribute: Attribute) -> TermFound:
        """Return a number as a float, with dates in seconds."""
        number = self.vocabulary.rounded(value, attribute)
        return TermFound(number.goal, f"{number.term}*86400") if attribute.kind == "date" else number

    def _text_of(self, value: str, attribute: Attribute) -> TermFound:
        """Return the name of a category; ordered categories are looked up by their rank."""
        if attribute.kind != "ordered":
            return self.vocabulary.text(value)
        text, rank = self.vocabulary.variable("text"), self.vocabulary.variable("rank")
        names = ", ".join(map(plain_atom, attribute.values))
        return TermFound(f"({rank} is integer({value}), nth0({rank}, [{names}], {text}))", text)

    def value_at(self, path: Sequence[str], type_name: str, row: str) -> ValueAt:
        """Return the value at the end of a path from a row."""
        *references, name = path
        goals = []
        for link in references:
            far = self._target(type_name, link)
            found = self.vocabulary.behind(type_name, link, row, far)
            goals.append(found.goal)
            type_name, row = far, found.term
        found = self.vocabulary.value(type_name, name, row)
        return ValueAt((*goals, found.goal), found.term, self._attribute(type_name, name))

    def _missing(self, type_name: str, member: str, row: str) -> str:
        if self.schema.type(type_name).attribute_or_part(member):
            return self.vocabulary.lacks(type_name, member, row)
        return f"\\+ ({self.vocabulary.behind(type_name, member, row, self._target(type_name, member)).goal})"

    # ---- links -----------------------------------------------------------------------------------------------

    def _holding(self, link: str, inner: syn.Predicate, type_name: str, row: str) -> TermFound:
        """Return the rows behind a link that satisfy a predicate, enumerated by backtracking."""
        far = self._target(type_name, link)
        found = self.vocabulary.behind(type_name, link, row, far)
        return TermFound(conjunction_of([found.goal, *self.goals(inner, far, found.term)]), found.term)

    def _count(self, found: TermFound, op: str, n: syn.Scalar) -> str:
        rows, size = self.vocabulary.variable("rows"), self.vocabulary.variable("count")
        counted = f"aggregate_all(set({found.term}), ({found.goal}), {rows}), length({rows}, {size})"
        return f"({counted}, {size} {_NUMBERS[op]} {constant_term(n)})"

    def _different(self, link: str, inners: Sequence[syn.Predicate], type_name: str, row: str) -> Iterator[str]:
        """Yield the goals that find distinct rows, one for each predicate."""
        far, chosen = self._target(type_name, link), list[str]()
        for inner in inners:
            found = self.vocabulary.behind(type_name, link, row, far)
            yield found.goal
            yield from (f"{found.term} \\== {other}" for other in chosen)
            yield self.goal(inner, far, found.term)
            chosen.append(found.term)

    def reached(self, predicate: StepForm, type_name: str, row: str) -> TermFound:
        """Return all rows one step from a row, enumerated by backtracking."""
        far = self.type_behind(predicate, type_name)
        if isinstance(predicate, syn.Follow | syn.Exists):
            return self.vocabulary.behind(type_name, predicate.link, row, far)
        if predicate.link is None:
            target = self.vocabulary.variable(far)
            lists = self._lists(type_name)
            return TermFound(either_of(self._neighbours(one, predicate.step, row, target) for one in lists), target)
        place = self.vocabulary.variable("place")
        found = self.vocabulary.behind(type_name, predicate.link, row, far, place)
        if predicate.step == "first":
            return TermFound(f"{found.goal}, {place} =:= 0", found.term)
        other = self.vocabulary.variable("place")
        later = self.vocabulary.behind(type_name, predicate.link, row, far, other).goal
        return TermFound(f"{found.goal}, \\+ ({later}, {other} > {place})", found.term)

    def type_behind(self, predicate: StepForm, type_name: str) -> str:
        """Return the type of the rows one step away."""
        return type_name if predicate.link is None else self._target(type_name, predicate.link)

    def _neighbours(self, owner: tuple[str, str], step: str, row: str, target: str) -> str:
        who, place, other = map(self.vocabulary.variable, ("owner", "place", "place"))
        where = {"next": f"{other} =:= {place} + 1", "previous": f"{other} =:= {place} - 1"}
        far = where.get(step, f"{other} > {place}")
        here, there = (self.vocabulary.link(*owner, who, *each) for each in ((place, row), (other, target)))
        return f"({here}, {there}, {far})"

    def _lists(self, type_name: str) -> Iterator[tuple[str, str]]:
        """Yield the owner type and the name of each list that can contain rows of a type."""
        for record in self.schema.types:
            for link in record.links:
                if link.kind == "list" and link.target == type_name:
                    yield record.name, link.name

    def _target(self, type_name: str, name: str) -> str:
        link = self.schema.type(type_name).link(name)
        assert link is not None
        return link.target

    # ---- aggregates ------------------------------------------------------------------------------------------

    def _aggregate(self, test: syn.Aggregate, type_name: str, row: str) -> Iterator[str]:
        """Yield the goals that compute an aggregate over (position, order, value) triples and compare it."""
        words = self.vocabulary
        far = self._target(type_name, test.link)
        rows, result = words.variable("rows"), words.variable(test.function)
        if test.attribute is None:
            every = words.variable("all")
            link = words.behind(type_name, test.link, row, far)
            held = self._holding(test.link, syn.Top() if test.inner is None else test.inner, type_name, row)
            yield f"aggregate_all(set({link.term}), ({link.goal}), {every})"
            yield f"aggregate_all(set({held.term}), ({held.goal}), {rows})"
            yield f"structtree_share({rows}, {every}, {result})"
            yield self._compared_aggregate(result, test, None)
            return
        place = words.variable("place")
        found = words.behind(type_name, test.link, row, far, place)
        goals = [found.goal] + ([] if test.inner is None else list(self.goals(test.inner, far, found.term)))
        value = words.value(far, test.attribute, found.term)
        attribute, by = self._attribute(far, test.attribute), None
        order = TermFound("true", place)
        if test.order is not None:
            order, by = words.value(far, test.order, found.term), self._attribute(far, test.order)
        number = words.rounded(value.term, attribute)
        rank = TermFound("true", order.term) if by is None else words.rounded(order.term, by)
        one = f"row({place}, {rank.term}, {number.term}, {found.term})"
        every = words.variable("all")
        goals += [value.goal, order.goal, number.goal, rank.goal]
        yield f"findall({one}, ({conjunction_of(goals)}), {every})"
        yield f"structtree_rows({every}, {rows})"
        yield f"structtree_{test.function}({rows}, units({_unit(by)}, {_unit(attribute)}), {result})"
        yield self._compared_aggregate(result, test, attribute)

    def _compared_aggregate(self, result: str, test: syn.Aggregate, attribute: Attribute | None) -> str:
        assert isinstance(test.value, syn.Scalar)
        if attribute is not None and test.function in ("latest", "earliest"):
            return self._comparison(result, test.op, test.value, attribute)
        return f"{result} {_NUMBERS[test.op]} {constant_term(test.value)}"


def conjunction_of(goals: Iterable[str]) -> str:
    """Return the conjunction of goals, without those that always succeed."""
    return ", ".join(goal for goal in goals if goal != "true") or "true"


def either_of(goals: Iterable[str]) -> str:
    """Return the disjunction of goals."""
    return f"({' ; '.join(goals) or 'fail'})"


def _unit(attribute: Attribute | None) -> str:
    """Return the number of stored units per day: 86,400 for times, 1 for all other attributes."""
    return "86400.0" if attribute is not None and attribute.kind == "time" else "1.0"


def clause_for(head: str, test: syn.Predicate, writer: GoalWriter, row: str) -> Iterator[str]:
    """Yield the lines of a clause that holds if an individual satisfies a test, one line for each conjunct."""
    parts = conjuncts(test) or (test,)
    yield f"{head} :-"
    for last, part in enumerate(parts, 1 - len(parts)):
        goal = writer.goal(part, writer.schema.individual, row)
        yield f"    {goal}{',' if last else '.'}  % {one_line(pretty(part))}"
