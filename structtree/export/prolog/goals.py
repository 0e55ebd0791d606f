"""Predicates as goals of Prolog: the meaning of every form of the language, written a second time.

A row is a term, and a predicate about it is a goal that succeeds if the predicate holds; it binds nothing that other
goals use. What members of rows are called in Prolog is left to a `RowVocabulary`: by default a value is
``'Car.wheels'(Row, Value)``, and there is no such fact where it is missing; a link is ``'Train.cars'(Row, Place,
Target)``. `structtree.export.prolog.facts` has a vocabulary that speaks of the predicates of other facts.

Nothing of the evaluators is used here: `structtree.space.evaluate` and SWI-Prolog on these goals must agree, and the
tests compare them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple, assert_never

from structtree.arrays import EXACT
from structtree.data.readers.facts.prolog import numeral_text, quoted_atom
from structtree.data.schema import NUMERIC, Attribute, Schema
from structtree.lang import syntax as syn

__all__ = [
    "GoalWriter",
    "RowVocabulary",
    "StepForm",
    "TermFound",
    "ValueAt",
    "conjunction_of",
    "constant_term",
    "definition_call",
    "either_of",
    "member_atom",
    "number_term",
    "plain_atom",
]

StepForm = syn.Follow | syn.Exists | syn.ListStep
_ValueGoal = Callable[[str, Attribute], str]

_NUMBERS = {"=": "=:=", "!=": "=\\=", ">=": ">=", "<=": "=<"}
_TEXTS = {"=": "==", "!=": "\\=="}
_WORD = re.compile(r"[a-z][a-zA-Z0-9_]*")


# ---- terms -----------------------------------------------------------------------------------------------


def plain_atom(text: str) -> str:
    """Return a text as an atom, quoted unless it is a plain word, so that no text can be anything else.

    Examples
    --------
    >>> print(plain_atom("east"), plain_atom("East"), plain_atom("it's"), plain_atom("a), halt. %"))
    east 'East' 'it\\'s' 'a), halt. %'
    """
    return text if _WORD.fullmatch(text) else quoted_atom(text)


def number_term(value: float) -> str:
    """Return a number as it is written in a goal.

    Examples
    --------
    >>> number_term(2), number_term(-0.5), number_term(float("inf"))
    ('2.0', '(-0.5)', '1.0Inf')
    """
    text = numeral_text(float(value))
    return f"({text})" if text.startswith("-") else text


def constant_term(value: syn.Scalar) -> str:
    """Return a value that stands in a predicate; a parameter of a definition is a variable."""
    if isinstance(value, syn.Parameter):
        return f"Parameter_{value.encode().hex()}"
    return plain_atom(value) if isinstance(value, str) else number_term(value)


def member_atom(type_name: str, member: str) -> str:
    """Return the name of a member of a type as an atom.

    Examples
    --------
    >>> member_atom("Car", "wheels")
    "'Car.wheels'"
    """
    return plain_atom(f"{type_name}.{member}")


def definition_call(name: str, row: str, arguments: Iterable[syn.Scalar]) -> str:
    """Return the goal that a row satisfies a definition."""
    return f"{plain_atom(f'define {name}')}({', '.join([row, *map(constant_term, arguments)])})"


class TermFound(NamedTuple):
    """A goal that finds something, ``true`` if nothing needs to be found, and the term that it is then."""

    goal: str
    term: str


# ---- vocabularies ----------------------------------------------------------------------------------------


@dataclass(slots=True)
class RowVocabulary:
    """Names of members in Prolog: one predicate for each member, about rows that are numbers."""

    _numbers: Iterator[int] = field(default_factory=count, init=False)

    def restart(self) -> None:
        """Begin another clause, whose variables may be called as those of others."""
        self._numbers = count()

    def variable(self, hint: str = "V") -> str:
        """Return a variable that is not used elsewhere in the clause."""
        plain = re.sub(r"[^a-zA-Z0-9]", "", hint).rstrip("0123456789")  # lest A1 and 0 be A and 10
        word = plain[:1].upper() + plain[1:] if plain[:1].isalpha() else "V"
        return f"{word}{next(self._numbers)}"

    def new_row(self, type_name: str) -> str:
        """Return a term for any row of a type."""
        return self.variable(type_name)

    def is_row(self, type_name: str, row: str) -> str:
        """Return the goal that something is a row of a type."""
        return f"{plain_atom(type_name)}({row})"

    def flag(self, type_name: str, name: str, row: str, positive: bool) -> str:
        """Return the goal that a flag is true, or that it is false."""
        return f"{member_atom(type_name, name)}({row}, {'true' if positive else 'false'})"

    def value(self, type_name: str, name: str, row: str) -> TermFound:
        """Return how the value of a row is found; the goal fails where it is missing."""
        value = self.variable(name)
        return TermFound(f"{member_atom(type_name, name)}({row}, {value})", value)

    def rounded(self, value: str, attribute: Attribute) -> TermFound:
        """Return how a number is found as a floating-point number, as ours are; rows have no others."""
        return TermFound("true", value)

    def has_text(self, type_name: str, name: str, row: str, text: str) -> str:
        """Return the goal that a category of a row is one text."""
        return f"{member_atom(type_name, name)}({row}, {constant_term(text)})"

    def text(self, value: str) -> TermFound:
        """Return how the text of a category is found."""
        return TermFound("true", value)

    def lacks(self, type_name: str, name: str, row: str) -> str:
        """Return the goal that a value is missing."""
        return f"\\+ {member_atom(type_name, name)}({row}, _)"

    def link(self, type_name: str, name: str, row: str, place: str, target: str) -> str:
        """Return the goal that a link leads to a row, and at which place."""
        return f"{member_atom(type_name, name)}({row}, {place}, {target})"

    def behind(self, type_name: str, name: str, row: str, far: str, place: str = "_") -> TermFound:
        """Return how the rows behind a link are found, one after the other, and the type that they are of."""
        target = self.variable(far)
        return TermFound(self.link(type_name, name, row, place, target), target)


@dataclass(frozen=True, slots=True)
class ValueAt:
    """Goals that find a value, the term that is then the value, and its attribute."""

    goals: tuple[str, ...]
    term: str
    attribute: Attribute


# ---- goals -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GoalWriter:
    """Predicates on rows of the types of a schema, as goals.

    Parameters
    ----------
    schema : Schema
    vocabulary : RowVocabulary
    asker : pair of str, optional
        In the declaration of a derived link, the type of the row that asks, and its variable.

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
    asker: tuple[str, str] | None = None

    def goal(self, predicate: syn.Predicate, type_name: str, row: str) -> str:
        """Return a goal that succeeds if the predicate holds for a row."""
        return conjunction_of(self.goals(predicate, type_name, row))

    def goals(self, predicate: syn.Predicate, type_name: str, row: str) -> Iterator[str]:
        """Yield goals that all succeed if the predicate holds for a row."""
        words = self.vocabulary
        match predicate:
            case syn.Top():
                pass
            case syn.Flag(attribute, positive):
                yield words.flag(type_name, attribute, row, positive)
            case syn.Compare(attribute, "=", str() as value) if self._kind(type_name, attribute) == "nominal":
                yield words.has_text(type_name, attribute, row, value)
            case syn.Compare(attribute, op, value):
                assert isinstance(value, syn.Scalar)
                yield from self._compared(type_name, row, attribute, lambda v, a: self._comparison(v, op, value, a))
            case syn.Among(attribute, values):
                yield from self._compared(
                    type_name,
                    row,
                    attribute,
                    lambda v, a: either_of(self._comparison(v, "=", value, a) for value in values),
                )
            case syn.Within(attribute, low, high, closed):
                end = "=<" if closed else "<"
                bounds = f"{{0}} >= {number_term(low)}, {{0}} {end} {number_term(high)}"
                yield from self._compared(
                    type_name, row, attribute, lambda v, a: self._within(v, a, low, high, bounds)
                )
            case syn.CompareOwn(path, op, other):
                yield self._two(self.value_at(path, type_name, row), op, self.value_at(other, type_name, row))
            case syn.CompareMine(path, op, mine):
                assert self.asker is not None
                yield self._two(self.value_at(path, type_name, row), op, self.value_at(mine, *self.asker))
            case syn.Me():
                assert self.asker is not None
                yield f"{row} == {self.asker[1]}"
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

    def _compared(self, type_name: str, row: str, name: str, test: _ValueGoal) -> Iterator[str]:
        """Yield some value of the row, and what is asked of it; there is none where it is missing."""
        found = self.vocabulary.value(type_name, name, row)
        yield found.goal
        yield test(found.term, self._attribute(type_name, name))

    def _comparison(self, term: str, op: str, value: syn.Scalar, attribute: Attribute) -> str:
        if attribute.kind in NUMERIC:
            found = self._number(term, attribute, value)
            return conjunction_of([found.goal, f"{found.term} {_NUMBERS[op]} {constant_term(value)}"])
        text = self.vocabulary.text(term)
        return conjunction_of([text.goal, f"{text.term} {_TEXTS[op]} {constant_term(value)}"])

    def _number(self, term: str, attribute: Attribute, *constants: syn.Scalar) -> TermFound:
        """Return how a number is found that compares with constants as ours does: as it is with those below 2**53."""
        is_plain = all(not isinstance(each, str) and abs(float(each)) < EXACT for each in constants)
        return TermFound("true", term) if is_plain else self.vocabulary.rounded(term, attribute)

    def _within(self, term: str, attribute: Attribute, low: syn.Scalar, high: syn.Scalar, bounds: str) -> str:
        found = self._number(term, attribute, low, high)
        return conjunction_of([found.goal, bounds.format(found.term)])

    def _two(self, one: ValueAt, op: str, other: ValueAt) -> str:
        """Return a comparison of two values that may be found; categories are the same if their text is."""
        goals, kinds = [*one.goals, *other.goals], {one.attribute.kind, other.attribute.kind}
        if op in _TEXTS and kinds & {"nominal", "ordered", "bool"}:
            texts = [self._text_of(side.term, side.attribute) for side in (one, other)]
            goals += [text.goal for text in texts]
            goals.append(f"{texts[0].term} {_TEXTS[op]} {texts[1].term}")
        else:
            numbers = [self.vocabulary.rounded(side.term, side.attribute) for side in (one, other)]
            goals += [number.goal for number in numbers]
            sides = [
                _seconds(number.term, side.attribute) for number, side in zip(numbers, (one, other), strict=True)
            ]
            goals.append(f"{sides[0]} {_NUMBERS[op]} {sides[1]}")
        return f"once(({conjunction_of(goals)}))"

    def _text_of(self, value: str, attribute: Attribute) -> TermFound:
        """Return the text of a category; that of an ordered one is looked up by its rank."""
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
        """Return how the rows behind a link of which a predicate holds are found, one after the other."""
        far = self._target(type_name, link)
        found = self.vocabulary.behind(type_name, link, row, far)
        return TermFound(conjunction_of([found.goal, *self.goals(inner, far, found.term)]), found.term)

    def _count(self, found: TermFound, op: str, n: syn.Scalar) -> str:
        rows, size = self.vocabulary.variable("rows"), self.vocabulary.variable("count")
        counted = f"aggregate_all(set({found.term}), ({found.goal}), {rows}), length({rows}, {size})"
        return f"({counted}, {size} {_NUMBERS[op]} {constant_term(n)})"

    def _different(self, link: str, inners: Sequence[syn.Predicate], type_name: str, row: str) -> Iterator[str]:
        """Yield rows for all predicates, each another one."""
        far, chosen = self._target(type_name, link), list[str]()
        for inner in inners:
            found = self.vocabulary.behind(type_name, link, row, far)
            yield found.goal
            yield from (f"{found.term} \\== {other}" for other in chosen)
            yield self.goal(inner, far, found.term)
            chosen.append(found.term)

    def reached(self, predicate: StepForm, type_name: str, row: str) -> TermFound:
        """Return how the rows one step from a row are found, whatever is asked of them, one after the other."""
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
        """Return the type of the rows that a step leads to."""
        return type_name if predicate.link is None else self._target(type_name, predicate.link)

    def _neighbours(self, owner: tuple[str, str], step: str, row: str, target: str) -> str:
        who, place, other = (self.vocabulary.variable(hint) for hint in ("owner", "place", "place"))
        where = {"next": f"{other} =:= {place} + 1", "previous": f"{other} =:= {place} - 1"}
        far = where.get(step, f"{other} > {place}")
        here, there = (self.vocabulary.link(*owner, who, *each) for each in ((place, row), (other, target)))
        return f"({here}, {there}, {far})"

    def _lists(self, type_name: str) -> Iterator[tuple[str, str]]:
        """Yield all lists that a row of a type may be an element of, each with its owner's type."""
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
        """Yield what is computed from the rows behind a link, each as its place there, its order and its value."""
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
            assert isinstance(test.value, syn.Scalar)
            yield f"{result} {_NUMBERS[test.op]} {constant_term(test.value)}"
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
        yield self._of_aggregate(result, test, attribute)

    def _of_aggregate(self, result: str, test: syn.Aggregate, attribute: Attribute) -> str:
        assert isinstance(test.value, syn.Scalar)
        if test.function in ("latest", "earliest"):
            return self._comparison(result, test.op, test.value, attribute)
        return f"{result} {_NUMBERS[test.op]} {constant_term(test.value)}"


def conjunction_of(goals: Iterable[str]) -> str:
    """Return goals as one goal; those that always succeed are left out."""
    return ", ".join(goal for goal in goals if goal != "true") or "true"


def either_of(goals: Iterable[str]) -> str:
    """Return the goal that one of some goals succeeds."""
    return f"({' ; '.join(goals) or 'fail'})"


def _seconds(term: str, attribute: Attribute) -> str:
    """Return a number, or a moment in seconds."""
    return f"{term}*86400" if attribute.kind == "date" else term


def _unit(attribute: Attribute | None) -> str:
    """Return how many of the units in which an attribute is kept are a day; 1 if it has nothing to do with days."""
    return "86400.0" if attribute is not None and attribute.kind == "time" else "1.0"
