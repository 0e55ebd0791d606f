"""Predicates and populations in Prolog, so that SWI-Prolog can say what is true.

A second meaning of the language, written from its definitions and with nothing of the evaluators. A population
becomes ground facts: ``'Car.wheels'(Row, Value)`` where there is a value, ``'Train.cars'(Row, Position, Target)`` for
links, and ``'Car'(Row)`` for the rows. What a grammar defines and computes becomes rules, made from its declarations:
the pairs of a derived link are terms ``pair(Asker, Row)``. A predicate becomes a goal about one row. Questions are
answered in one run of ``swipl``, each for all rows of its type.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import NamedTuple, assert_never

import pytest

from structtree.data.columns import Column, Population
from structtree.data.schema import FAR_ROW, NUMERIC, Attribute, Kind, RecordType, Schema
from structtree.lang.background import ComputedAttribute, ComputedLink, Repeated, Walk
from structtree.lang.check import CheckedGrammar
from structtree.lang.syntax import (
    Absolute,
    Aggregate,
    All,
    Among,
    And,
    Arithmetic,
    Compare,
    CompareMine,
    CompareOwn,
    Count,
    Distinct,
    Exists,
    Expression,
    Flag,
    Follow,
    ListStep,
    Me,
    Missing,
    Named,
    Negative,
    No,
    Not,
    Operand,
    Or,
    Parameter,
    Predicate,
    Scalar,
    Top,
    Within,
)
from structtree.learn.tree import Branch, Tree

Test = Callable[[str, Attribute], str]
Step = Follow | Exists | ListStep

_NUMBERS = {"=": "=:=", "!=": "=\\=", ">=": ">=", "<=": "=<"}
_TEXTS = {"=": "==", "!=": "\\=="}


@dataclass(frozen=True, slots=True)
class Question:
    """Which rows of a type does a predicate hold for?"""

    type: str
    predicate: Predicate


# ---- running Prolog -------------------------------------------------------------------------------------


def swipl() -> str:
    """The program; a test that needs it is skipped where there is none."""
    found = shutil.which("swipl")
    if found is None:
        pytest.skip("there is no swipl; it is in the Debian package swi-prolog-nox (apt-get install swi-prolog-nox)")
    return found


def answers(
    population: Population, questions: Sequence[Question], grammar: CheckedGrammar, folder: Path
) -> list[list[int]]:
    """The rows that each question holds for, as Prolog says; the population has nothing that the grammar computes."""
    translation = Translation(grammar.schema)
    goals = [(question.type, translation.goal(question.predicate, question.type, "X")) for question in questions]
    return rows_satisfying(population, goals, folder, rules(grammar))


def rows_satisfying(
    population: Population, goals: Sequence[tuple[str, str]], folder: Path, more: Iterable[str] = ()
) -> list[list[int]]:
    """The rows of a type for which a goal about ``X`` succeeds, for each type and goal."""
    clauses = (f"holds({i}, X) :- {goal}." for i, (_, goal) in enumerate(goals))
    types = (f"asked({i}, {atom(name)})." for i, (name, _) in enumerate(goals))
    program = folder / "questions.pl"
    program.write_text("\n".join([_HEAD, *facts(population), *more, *types, *clauses, ""]), encoding="utf-8")
    command = [swipl(), "-q", "-f", "none", "-g", "main", "-t", "halt", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[:2000]
    return [[int(row) for row in re.findall(r"\d+", line)] for line in done.stdout.splitlines()]


_HEAD = """:- encoding(utf8).
:- style_check(-singleton).
:- use_module(library(aggregate)).
:- use_module(library(lists)).
:- use_module(library(date)).

main :- forall(asked(Question, Type), answer(Question, Type)).
answer(Question, Type) :-
    Row =.. [Type, X],
    findall(X, (Row, once(holds(Question, X))), Rows),
    writeln(Rows).

part(Part, Moment, Number) :-
    Seconds is float(Moment), stamp_date_time(Seconds, date(Year, Month, Day, Hour, _, _, _, _, _), 'UTC'),
    day_of_the_week(date(Year, Month, Day), FromOne), Weekday is FromOne - 1,
    memberchk(Part-Whole, [weekday-Weekday, day-Day, month-Month, year-Year, hour-Hour]), Number is float(Whole).

% Aggregates: of rows with their order, their place and their value; units are those in a day, of order and value.

share(Rows, All, Share) :- length(Rows, N), length(All, M), M > 0, Share is N / M.
values(Rows, Values) :- findall(Value, member(row(_, _, Value), Rows), Values).
distinct(Rows, _, N) :- values(Rows, Values), sort(Values, Different), length(Different, N).
sum(Rows, _, Sum) :- values(Rows, Values), sum_list(Values, Sum).
mean(Rows, Units, Mean) :- Rows = [_|_], sum(Rows, Units, Sum), length(Rows, N), Mean is Sum / N.
min(Rows, _, Least) :- values(Rows, Values), min_list(Values, Least).
max(Rows, _, Greatest) :- values(Rows, Values), max_list(Values, Greatest).
range(Rows, units(_, Unit), Range) :- min(Rows, _, Least), max(Rows, _, Greatest), Range is (Greatest - Least) / Unit.
deviation(Rows, Units, Deviation) :-
    length(Rows, N), N >= 2, mean(Rows, Units, Mean),
    aggregate_all(sum((Value - Mean)**2), member(row(_, _, Value), Rows), Squares),
    Deviation is sqrt(Squares / (N - 1)).
latest(Rows, _, Value) :- sort(0, @=<, Rows, Sorted), last(Sorted, row(_, _, Value)).
earliest(Rows, _, Value) :- sort(0, @=<, Rows, [row(_, _, Value)|_]).
trend(Rows, units(Unit, _), Slope) :-
    length(Rows, N), memberchk(row(One, _, _), Rows), once((member(row(Other, _, _), Rows), Other =\\= One)),
    aggregate_all(sum(X), member(row(X, _, _), Rows), Xs), aggregate_all(sum(Y), member(row(_, _, Y), Rows), Ys),
    MeanX is Xs / N, MeanY is Ys / N,
    aggregate_all(sum((X - MeanX) * (Y - MeanY)), member(row(X, _, Y), Rows), Products),
    aggregate_all(sum((X - MeanX)**2), member(row(X, _, _), Rows), Squares),
    Slope is Products / Squares * Unit.
"""


# ---- facts ----------------------------------------------------------------------------------------------


def facts(population: Population) -> Iterator[str]:
    """Everything that a population says, as ground facts."""
    for record in population.schema.types:
        table = population.tables[record.name]
        yield f":- dynamic {atom(record.name)}/1."
        yield from (f"{atom(record.name)}({row})." for row in range(table.n_rows))
        for attribute in record.attributes:
            yield from _values(_member(record.name, attribute.name), table.columns[attribute.name])
        for link in record.links:
            name = _member(record.name, link.name)
            yield f":- dynamic {name}/3."
            for row in range(table.n_rows):
                targets = table.links[link.name].of(row).tolist()
                yield from (f"{name}({row}, {place}, {target})." for place, target in enumerate(targets))


def _values(name: str, column: Column) -> Iterator[str]:
    """The values that are there: flags and categories as atoms, all else as numbers (ordered categories as ranks)."""
    yield f":- dynamic {name}/2."
    for row in range(len(column)):
        value = column.value(row)
        if value is None:
            continue
        match column.kind:
            case "nominal":
                yield f"{name}({row}, {atom(str(value))})."
            case "bool":
                yield f"{name}({row}, {'true' if value else 'false'})."
            case _:
                yield f"{name}({row}, {number(column.values[row])})."


def atom(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"'{escaped}'"


def constant(value: Scalar) -> str:
    """A value that stands in a predicate; a parameter is a variable."""
    if isinstance(value, Parameter):
        return f"Parameter_{value.encode().hex()}"
    return atom(value) if isinstance(value, str) else number(value)


def number(value: float) -> str:
    text = repr(float(value))
    return f"({text})" if text.startswith("-") else text


def _member(type_name: str, member: str) -> str:
    return atom(f"{type_name}.{member}")


@dataclass(frozen=True, slots=True)
class ValueAt:
    """Goals that find a value, the variable that then has it, and its attribute."""

    goals: tuple[str, ...]
    variable: str
    attribute: Attribute


def _seconds(value: ValueAt) -> str:
    """A number, or a moment in seconds."""
    return f"{value.variable}*86400" if value.attribute.kind == "date" else value.variable


# ---- goals ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Translation:
    """Predicates on rows of the types of a schema, as goals; every variable has a name of its own."""

    schema: Schema
    asker: tuple[str, str] | None = None
    """In the declaration of a derived link, the type of the row that asks, and its variable."""
    _numbers: Iterator[int] = field(default_factory=count)

    def variable(self) -> str:
        """A variable that is not used anywhere else."""
        return f"V{next(self._numbers)}"

    def goal(self, predicate: Predicate, type_name: str, row: str) -> str:
        """A goal that succeeds if the predicate holds for a row; it binds nothing."""

        def within(parts: Sequence[Predicate], glue: str) -> str:
            return "(" + glue.join(self.goal(part, type_name, row) for part in parts) + ")"

        match predicate:
            case Top():
                return "true"
            case Flag(attribute, positive):
                return f"{_member(type_name, attribute)}({row}, {'true' if positive else 'false'})"
            case Compare(attribute, op, value):
                assert isinstance(value, Scalar)
                return self._compared(type_name, row, attribute, lambda v, a: _comparison(v, op, value, a))
            case Among(attribute, values):
                return self._compared(
                    type_name, row, attribute, lambda v, a: _either(_comparison(v, "=", value, a) for value in values)
                )
            case Within(attribute, low, high, closed):
                end = "=<" if closed else "<"
                return self._compared(
                    type_name, row, attribute, lambda v, _: f"{v} >= {number(low)}, {v} {end} {number(high)}"
                )
            case CompareOwn(path, op, other):
                return self._two(self.value_at(path, type_name, row), op, self.value_at(other, type_name, row))
            case CompareMine(path, op, mine):
                assert self.asker is not None
                return self._two(self.value_at(path, type_name, row), op, self.value_at(mine, *self.asker))
            case Me():
                assert self.asker is not None
                return f"{row} == {self.asker[1]}"
            case Missing(member):
                spare = ", _" if self.schema.type(type_name).attribute_or_part(member) else ", _, _"
                return f"\\+ {_member(type_name, member)}({row}{spare})"
            case Named(name, _, arguments):
                return f"once({_call(name, row, arguments)})"
            case Follow(_, inner) | Exists(_, inner) | ListStep(_, inner):
                target = self.variable()
                there = self.goal(inner, self.type_behind(predicate, type_name), target)
                return f"once(({self.step(predicate, type_name, row, target)}, {there}))"
            case All(link, inner):
                target = self.variable()
                there = self.goal(inner, self._target(type_name, link), target)
                return f"forall({_member(type_name, link)}({row}, _, {target}), {there})"
            case No(link, inner):
                return f"\\+ ({self._behind(link, inner, type_name, row, self.variable())})"
            case Count(link, inner, op, n):
                target, rows, size = (self.variable() for _ in range(3))
                found = self._behind(link, inner, type_name, row, target)
                counted = f"aggregate_all(set({target}), ({found}), {rows}), length({rows}, {size})"
                return f"({counted}, {size} {_NUMBERS[op]} {constant(n)})"
            case Aggregate():
                return self._aggregate(predicate, type_name, row)
            case Distinct(link, inners):
                return f"once(({', '.join(self._different(link, inners, type_name, row))}))"
            case And(parts):
                return within(parts, ", ")
            case Or(parts):
                return within(parts, " ; ")
            case Not(inner):
                return f"\\+ ({self.goal(inner, type_name, row)})"
            case _ as never:
                assert_never(never)

    def _compared(self, type_name: str, row: str, name: str, test: Test) -> str:
        """Some value of the row, and what is asked of it; there is none where it is missing."""
        attribute = self.schema.type(type_name).attribute_or_part(name)
        assert attribute is not None
        value = self.variable()
        return f"({_member(type_name, name)}({row}, {value}), {test(value, attribute)})"

    def _two(self, one: ValueAt, op: str, other: ValueAt) -> str:
        """A comparison of two values that may be found; categories are the same if their text is."""
        goals, kinds = [*one.goals, *other.goals], {one.attribute.kind, other.attribute.kind}
        if op in _TEXTS and kinds & {"nominal", "ordered", "bool"}:
            texts = [self._text_of(side.variable, side.attribute, goals) for side in (one, other)]
            goals.append(f"{texts[0]} {_TEXTS[op]} {texts[1]}")
        else:
            goals.append(f"{_seconds(one)} {_NUMBERS[op]} {_seconds(other)}")
        return f"once(({', '.join(goals)}))"

    def _text_of(self, value: str, attribute: Attribute, goals: list[str]) -> str:
        """A variable with the text of a category; that of an ordered one is looked up by its rank."""
        if attribute.kind != "ordered":
            return value
        text, rank = self.variable(), self.variable()
        names = ", ".join(map(atom, attribute.values))
        goals.append(f"({rank} is integer({value}), nth0({rank}, [{names}], {text}))")
        return text

    def value_at(self, path: Sequence[str], type_name: str, row: str) -> ValueAt:
        """The value at the end of a path from a row."""
        *references, name = path
        goals = []
        for link in references:
            target = self.variable()
            goals.append(f"{_member(type_name, link)}({row}, _, {target})")
            type_name, row = self._target(type_name, link), target
        attribute = self.schema.type(type_name).attribute_or_part(name)
        assert attribute is not None
        value = self.variable()
        return ValueAt((*goals, f"{_member(type_name, name)}({row}, {value})"), value, attribute)

    def _behind(self, link: str, inner: Predicate, type_name: str, row: str, target: str) -> str:
        """A conjunction that finds the rows behind a link of which a predicate holds, one after the other."""
        there = self.goal(inner, self._target(type_name, link), target)
        return f"({_member(type_name, link)}({row}, _, {target}), {there})"

    def _different(self, link: str, inners: Sequence[Predicate], type_name: str, row: str) -> Iterator[str]:
        """Rows for all predicates, each another one."""
        chosen: list[str] = []
        for inner in inners:
            target = self.variable()
            yield f"{_member(type_name, link)}({row}, _, {target})"
            yield from (f"{target} \\== {other}" for other in chosen)
            yield self.goal(inner, self._target(type_name, link), target)
            chosen.append(target)

    def step(self, predicate: Step, type_name: str, row: str, target: str) -> str:
        """A goal that finds the rows one step from a row, whatever is asked of them, one after the other."""
        if isinstance(predicate, Follow | Exists):
            return f"{_member(type_name, predicate.link)}({row}, _, {target})"
        if predicate.link is None:
            return _either(self._neighbours(name, predicate.step, row, target) for name in self._lists(type_name))
        name, place, other = _member(type_name, predicate.link), self.variable(), self.variable()
        last = f"\\+ ({name}({row}, {other}, _), {other} > {place})"
        return f"{name}({row}, {place}, {target}), {last if predicate.step == 'last' else f'{place} =:= 0'}"

    def type_behind(self, predicate: Step, type_name: str) -> str:
        """The type of the rows that a step leads to."""
        return type_name if predicate.link is None else self._target(type_name, predicate.link)

    def _neighbours(self, name: str, step: str, row: str, target: str) -> str:
        owner, place, other = (self.variable() for _ in range(3))
        where = {"next": f"{other} =:= {place} + 1", "previous": f"{other} =:= {place} - 1"}
        far = where.get(step, f"{other} > {place}")
        return f"{name}({owner}, {place}, {row}), {name}({owner}, {other}, {target}), {far}"

    def _lists(self, type_name: str) -> Iterator[str]:
        """All lists that a row of a type may be an element of."""
        for record in self.schema.types:
            for link in record.links:
                if link.kind == "list" and link.target == type_name:
                    yield _member(record.name, link.name)

    def _aggregate(self, test: Aggregate, type_name: str, row: str) -> str:
        """What is computed from the rows behind a link, each as its place there, its order and its value."""
        target, rows, result = (self.variable() for _ in range(3))
        far = self._target(type_name, test.link)
        condition = "true" if test.inner is None else f"once({self.goal(test.inner, far, target)})"
        if test.attribute is None:
            every = self.variable()
            link = f"{_member(type_name, test.link)}({row}, _, {target})"
            found = f"findall({target}, {link}, {every}), findall({target}, ({link}, {condition}), {rows})"
            return f"({found}, share({rows}, {every}, {result}), {result} {_NUMBERS[test.op]} {constant(test.value)})"
        place, order, value = (self.variable() for _ in range(3))
        attribute, by = (self.schema.type(far).attribute_or_part(name or "") for name in (test.attribute, test.order))
        assert attribute is not None
        goals = [f"{_member(type_name, test.link)}({row}, {place}, {target})", condition]
        goals.append(f"{_member(far, attribute.name)}({target}, {value})")
        goals.append(f"{order} = {place}" if by is None else f"{_member(far, by.name)}({target}, {order})")
        found = f"findall(row({order}, {place}, {value}), ({', '.join(goals)}), {rows})"
        units = f"units({_unit(by)}, {_unit(attribute)})"
        return f"({found}, {test.function}({rows}, {units}, {result}), {self._of_aggregate(result, test, attribute)})"

    def _of_aggregate(self, result: str, test: Aggregate, attribute: Attribute) -> str:
        assert isinstance(test.value, Scalar)
        if test.function in ("latest", "earliest"):
            return _comparison(result, test.op, test.value, attribute)
        return f"{result} {_NUMBERS[test.op]} {constant(test.value)}"

    def _target(self, type_name: str, name: str) -> str:
        link = self.schema.type(type_name).link(name)
        assert link is not None
        return link.target


def _unit(attribute: Attribute | None) -> str:
    """How many of the units in which an attribute is kept are a day, if it has to do with days; otherwise 1."""
    return "86400.0" if attribute is not None and attribute.kind == "time" else "1.0"


def _comparison(variable: str, op: str, value: Scalar, attribute: Attribute) -> str:
    return f"{variable} {(_NUMBERS if attribute.kind in NUMERIC else _TEXTS)[op]} {constant(value)}"


def _either(goals: Iterator[str]) -> str:
    return f"({' ; '.join(goals) or 'fail'})"


# ---- what a grammar computes ----------------------------------------------------------------------------


def rules(grammar: CheckedGrammar) -> Iterator[str]:
    """Definitions, computed attributes and derived links as clauses, from their declarations."""
    translation = Translation(grammar.schema)
    for definition in grammar.definitions.values():
        head = _call(definition.name, "X", map(Parameter, definition.parameters))
        yield f"{head} :- {translation.goal(definition.body, definition.type, 'X')}."
    for record in grammar.schema.types:
        yield from _part_rules(record)
    for step in grammar.background.steps:
        if isinstance(step, ComputedAttribute):
            yield _attribute_rule(step, translation, step.type, "X", "X")
        else:
            yield from _link_rules(step, grammar.schema)


def _part_rules(record: RecordType) -> Iterator[str]:
    """The parts of all dates and times of a type, by Prolog's own calendar; the weekday is a rank from Monday on."""
    for attribute in record.attributes:
        if attribute.kind in ("date", "time"):
            moment = "D * 86400" if attribute.kind == "date" else "D"
            for part in ("weekday", "day", "month", "year", *(["hour"] if attribute.kind == "time" else [])):
                name = _member(record.name, f"{attribute.name}.{part}")
                yield f"{name}(X, V) :- {_member(record.name, attribute.name)}(X, D), part({part}, {moment}, V)."


def _call(name: str, row: str, arguments: Iterable[Scalar]) -> str:
    """The definition of that name, as a goal about a row."""
    return f"{atom(f'define {name}')}({', '.join([row, *map(constant, arguments)])})"


def _attribute_rule(step: ComputedAttribute, translation: Translation, type_name: str, row: str, head: str) -> str:
    """A value that is there if all that it is computed from is."""
    value = Computation(translation, type_name, row)
    text = value.of(step.expression)
    member = _member(step.type, step.attribute.name)
    return f"{member}({head}, V) :- {', '.join([*value.goals, f'V is float({text.text})'])}."


def _link_rules(step: ComputedLink, schema: Schema) -> Iterator[str]:
    """The rows that a walk leads to, each once, if the condition holds; or one pair for each of them."""
    link, name = _member(step.type, step.link.name), atom(f"walk {step.type}.{step.link.name}")
    translation = Translation(schema, asker=(step.type, "X"))
    found = f"{atom(step.type)}(X), {name}(X, Y), {translation.goal(step.where, step.far, 'Y')}"
    yield from _walk_rules(name, step.walk)
    yield f":- table {link}/3."
    if not step.declared.has_pairs:
        yield f"{link}(X, Y, Y) :- {found}."  # in the order of the rows, so that a row is its place
        return
    yield from _pair_rules(step, schema)
    if step.order is None:
        yield f"{link}(X, Y, pair(X, Y)) :- {found}."
        return
    key = f"{_member(step.link.target, step.order.attribute)}(pair(X, Y), K)"
    by = f"({key} -> S is {'-K' if step.order.descending else 'K'}, Key = key(0, S, Y) ; Key = key(1, 0, Y))"
    listed = atom(f"sorted {step.type}.{step.link.name}")
    yield f":- table {listed}/2."
    found = f"findall(Key-Y, ({found}, {by}), Keyed)"
    yield f"{listed}(X, Rows) :- {found}, keysort(Keyed, Sorted), pairs_values(Sorted, Rows)."
    yield f"{link}(X, Place, pair(X, Y)) :- {atom(step.type)}(X), {listed}(X, Rows), nth0(Place, Rows, Y)."


def _pair_rules(step: ComputedLink, schema: Schema) -> Iterator[str]:
    """What is said of pairs: their own attributes, and all that is said of the rows that they have met."""
    pairs, translation = schema.type(step.link.target), Translation(schema, asker=(step.type, "X"))
    yield f"{atom(pairs.name)}(Pair) :- {_member(step.type, step.link.name)}(_, _, Pair)."
    own = {each.attribute.name for each in step.attributes}
    yield from (_attribute_rule(each, translation, step.far, "Y", "pair(X, Y)") for each in step.attributes)
    for attribute in pairs.attributes:
        if attribute.name not in own:
            far = f"{_member(step.far, attribute.name)}(Y, V)"
            yield f"{_member(pairs.name, attribute.name)}(pair(_, Y), V) :- {far}."
    for link in pairs.links:
        far = "Place = 0, Y = Z" if link.name == FAR_ROW else f"{_member(step.far, link.name)}(Y, Place, Z)"
        yield f"{_member(pairs.name, link.name)}(pair(_, Y), Place, Z) :- {far}."


def _walk_rules(name: str, walk: Walk) -> Iterator[str]:
    """A tabled predicate of two rows for a walk, and one for each walk that is repeated in it."""
    goals = []
    for i, hop in enumerate(walk):
        here, there = f"V{i}", f"V{i + 1}"
        if isinstance(hop, Repeated):
            inner, several = (atom(f"{word} {i} in {name}") for word in ("once", "several"))
            yield from _walk_rules(inner, hop.walk)
            yield f":- table {several}/2."
            yield f"{several}(X, Y) :- {inner}(X, Y)."
            yield f"{several}(X, Y) :- {several}(X, Z), {inner}(Z, Y)."
            goals.append(f"{several}({here}, {there})")
        else:
            one, other = (there, here) if hop.backwards else (here, there)
            goals.append(f"{_member(hop.owner, hop.link)}({one}, _, {other})")
    yield f":- table {name}/2."
    yield f"{name}(V0, V{len(walk)}) :- {', '.join(goals)}."


class Term(NamedTuple):
    """An arithmetic term, and the kind of its value: a date is a number of days, a time one of seconds."""

    text: str
    kind: Kind


@dataclass(slots=True)
class Computation:
    """An expression about a row as an arithmetic term, with the goals that must succeed before it is computed."""

    translation: Translation
    type: str
    row: str
    goals: list[str] = field(default_factory=list)

    def of(self, expression: Expression) -> Term:
        """The term of a part of the expression."""
        match expression:
            case int() | float():
                return Term(number(expression), "int" if isinstance(expression, int) else "real")
            case Operand(path, mine):
                asker = self.translation.asker
                type_name, row = asker if mine and asker is not None else (self.type, self.row)
                found = self.translation.value_at(path, type_name, row)
                self.goals += found.goals
                return Term(found.variable, found.attribute.kind)
            case Negative(inner):
                text, kind = self.of(inner)
                return Term(f"(-{text})", kind)
            case Absolute(inner):
                text, kind = self.of(inner)
                return Term(f"abs({text})", kind)
            case Arithmetic(left, op, right):
                return self._combined(self.of(left), op, self.of(right))
            case _ as never:
                assert_never(never)

    def _combined(self, one: Term, op: str, other: Term) -> Term:
        """A sum, difference, product or quotient; moments differ by days, and there is no quotient by 0."""
        plain, kinds = f"({one.text} {op} {other.text})", {one.kind, other.kind}
        if not kinds & {"date", "time"}:
            if op == "/":
                self.goals.append(f"{other.text} =\\= 0")
            return Term(plain, "int" if kinds == {"int"} and op != "/" else "real")
        if kinds == {"date"}:
            return Term(plain, "int")
        if kinds == {"date", "int"}:
            return Term(plain, "date")
        in_seconds = (term.text if term.kind == "time" else f"({term.text} * 86400.0)" for term in (one, other))
        seconds = f"({f' {op} '.join(in_seconds)})"
        return Term(f"({seconds} / 86400.0)", "real") if kinds <= {"date", "time"} else Term(seconds, "time")


# ---- associated queries ---------------------------------------------------------------------------------


@dataclass(slots=True)
class KnownRow:
    """A row that a query has found: its variable, and what has been asked of it so far, with the rows found there."""

    type: str
    variable: str
    asked: list[tuple[Predicate, KnownRow | None]] = field(default_factory=list)


@dataclass(slots=True)
class AssociatedQuery:
    """The query of a node as Tilde has it: a conjunction in which tests go on about the rows that others found."""

    translation: Translation
    root: KnownRow
    components: dict[int, list[str]] = field(default_factory=dict)
    """Literals that share rows other than that of the root, by the place of the first of them there."""
    gone_on: int = 0

    def add(self, test: Predicate) -> None:
        """Add what a test asks beyond what is asked already."""
        for part in _conjuncts(test):
            literals = list(self._new_literals(self.root, part))
            place = [asked for asked, _ in self.root.asked].index(part)
            self.components.setdefault(place, []).extend(literals)

    @property
    def goal(self) -> str:
        """The conjunction, about the row of the root; what shares no other row is not asked again."""
        return ", ".join(f"once(({', '.join(literals)}))" for literals in self.components.values()) or "true"

    def _new_literals(self, row: KnownRow, test: Predicate) -> Iterator[str]:
        for part in _conjuncts(test):
            if isinstance(part, Step):
                place = next((i for i, known in enumerate(row.asked) if _goes_on(known, part)), len(row.asked))
                if place == len(row.asked):
                    target = self.translation.variable()
                    yield self.translation.step(part, row.type, row.variable, target)
                    row.asked.append((part, KnownRow(self.translation.type_behind(part, row.type), target)))
                else:
                    self.gone_on += 1
                found = row.asked[place][1]
                assert found is not None
                row.asked[place] = (part, found)
                yield from self._new_literals(found, part.inner)
            elif all(part != known for known, _ in row.asked):
                yield self.translation.goal(part, row.type, row.variable)
                row.asked.append((part, None))


def _conjuncts(predicate: Predicate) -> tuple[Predicate, ...]:
    match predicate:
        case And(parts):
            return parts
        case Top():
            return ()
        case _:
            return (predicate,)


def _goes_on(known: tuple[Predicate, KnownRow | None], part: Predicate) -> bool:
    """Tell whether a literal asks everything that another one asks, of the rows that it found."""
    literal, row = known
    if row is None:
        return literal == part
    assert isinstance(literal, Step)
    if not isinstance(part, Step) or replace(part, inner=literal.inner) != literal:
        return False
    return all(any(_goes_on(asked, inner) for inner in _conjuncts(part.inner)) for asked in row.asked)


def leaf_queries(tree: Tree, schema: Schema) -> dict[int, AssociatedQuery]:
    """The associated query of each leaf, those of yes sides first: an individual is in the first that succeeds.

    This is the decision list that Blockeel and De Raedt (1998) make of a first-order logical decision tree.
    """
    queries = {}

    def visit(node: int, tests: tuple[Predicate, ...]) -> None:
        here = tree.nodes[node]
        if isinstance(here, Branch):
            visit(here.yes, (*tests, here.test))
            visit(here.no, tests)
            return
        query = AssociatedQuery(Translation(schema), KnownRow(schema.individual, "X"))
        for test in tests:
            query.add(test)
        queries[node] = query

    visit(0, ())
    return queries
