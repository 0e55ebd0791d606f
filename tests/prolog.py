"""Predicates and populations in Prolog, so that SWI-Prolog can say what is true.

A second meaning of the language, written from its definitions and with nothing of the evaluators. A population
becomes ground facts: ``'Car.wheels'(Row, Value)`` where there is a value, ``'Train.cars'(Row, Position, Target)`` for
links, and ``'Car'(Row)`` for the rows. A predicate becomes a goal about one row. Questions are answered in one run of
``swipl``, each for all rows of its type.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import assert_never

import pytest

from structtree.data.columns import Column, Population
from structtree.data.schema import NUMERIC, Attribute, Schema
from structtree.lang.syntax import (
    Aggregate,
    All,
    Among,
    And,
    Compare,
    CompareOwn,
    Count,
    Distinct,
    Exists,
    Flag,
    Follow,
    ListStep,
    Missing,
    Named,
    No,
    Not,
    Or,
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


def answers(population: Population, questions: Sequence[Question], folder: Path) -> list[list[int]]:
    """The rows that each question holds for, as Prolog says."""
    translation = Translation(population.schema)
    goals = [(question.type, translation.goal(question.predicate, question.type, "X")) for question in questions]
    return rows_satisfying(population, goals, folder)


def rows_satisfying(population: Population, goals: Sequence[tuple[str, str]], folder: Path) -> list[list[int]]:
    """The rows of a type for which a goal about ``X`` succeeds, for each type and goal."""
    clauses = (f"holds({i}, X) :- {goal}." for i, (_, goal) in enumerate(goals))
    types = (f"asked({i}, {atom(name)})." for i, (name, _) in enumerate(goals))
    program = folder / "questions.pl"
    program.write_text("\n".join([_HEAD, *facts(population), *types, *clauses, ""]), encoding="utf-8")
    command = [swipl(), "-q", "-f", "none", "-g", "main", "-t", "halt", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[:2000]
    return [[int(row) for row in re.findall(r"\d+", line)] for line in done.stdout.splitlines()]


_HEAD = """:- encoding(utf8).
:- style_check(-singleton).
:- use_module(library(aggregate)).
:- use_module(library(lists)).

main :- forall(asked(Question, Type), answer(Question, Type)).
answer(Question, Type) :-
    Row =.. [Type, X],
    findall(X, (Row, once(holds(Question, X))), Rows),
    writeln(Rows).
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


def number(value: Scalar) -> str:
    text = repr(float(value))
    return f"({text})" if text.startswith("-") else text


def _member(type_name: str, member: str) -> str:
    return atom(f"{type_name}.{member}")


# ---- goals ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Translation:
    """Predicates on rows of the types of a schema, as goals; every variable has a name of its own."""

    schema: Schema
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
            case CompareOwn():
                return self._own(predicate, type_name, row)
            case Missing(member):
                spare = ", _" if self.schema.type(type_name).attribute(member) else ", _, _"
                return f"\\+ {_member(type_name, member)}({row}{spare})"
            case Named(_, body):
                assert body is not None
                return self.goal(body, type_name, row)
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
                return f"({counted}, {size} {_NUMBERS[op]} {n})"
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
        attribute = self.schema.type(type_name).attribute(name)
        assert attribute is not None
        value = self.variable()
        return f"({_member(type_name, name)}({row}, {value}), {test(value, attribute)})"

    def _own(self, test: CompareOwn, type_name: str, row: str) -> str:
        sides = [self._value_at(path, type_name, row) for path in test.sides]
        (found, one, kind), (other_found, other, other_kind) = sides
        goals = [*found, *other_found]
        in_order = test.op in (">=", "<=")
        if not in_order and {kind.kind, other_kind.kind} & {"nominal", "ordered"}:
            # Categories are the same if their text is.
            texts = [self._text_of(value, of, goals) for value, of in ((one, kind), (other, other_kind))]
            return f"once(({', '.join([*goals, f'{texts[0]} {_TEXTS[test.op]} {texts[1]}'])}))"
        if kind.kind == "bool":
            return f"once(({', '.join([*goals, f'{one} {_TEXTS[test.op]} {other}'])}))"
        moments = [f"{v}*86400" if of.kind == "date" else v for v, of in ((one, kind), (other, other_kind))]
        return f"once(({', '.join([*goals, f'{moments[0]} {_NUMBERS[test.op]} {moments[1]}'])}))"

    def _text_of(self, value: str, attribute: Attribute, goals: list[str]) -> str:
        """A variable with the text of a category; that of an ordered one is looked up by its rank."""
        if attribute.kind == "nominal":
            return value
        text, rank = self.variable(), self.variable()
        names = ", ".join(map(atom, attribute.values))
        goals.append(f"({rank} is integer({value}), nth0({rank}, [{names}], {text}))")
        return text

    def _value_at(self, path: Sequence[str], type_name: str, row: str) -> tuple[list[str], str, Attribute]:
        """Goals that find the value at the end of a path, the variable that has it, and its attribute."""
        *references, name = path
        goals = []
        for link in references:
            target = self.variable()
            goals.append(f"{_member(type_name, link)}({row}, _, {target})")
            type_name, row = self._target(type_name, link), target
        attribute = self.schema.type(type_name).attribute(name)
        assert attribute is not None
        value = self.variable()
        return [*goals, f"{_member(type_name, name)}({row}, {value})"], value, attribute

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
        target, value, values, total, size, result = (self.variable() for _ in range(6))
        there = _member(self._target(type_name, test.link), test.attribute)
        found = f"{_member(type_name, test.link)}({row}, _, {target}), {there}({target}, {value})"
        some = f"{values} = [_|_]"
        way = {
            "sum": f"sum_list({values}, {result})",
            "mean": f"{some}, sum_list({values}, {total}), length({values}, {size}), {result} is {total} / {size}",
            "min": f"{some}, min_list({values}, {result})",
            "max": f"{some}, max_list({values}, {result})",
        }[test.function]
        assert isinstance(test.value, float | int)
        compared = f"{result} {_NUMBERS[test.op]} {number(test.value)}"
        return f"(findall({value}, ({found}), {values}), {way}, {compared})"

    def _target(self, type_name: str, name: str) -> str:
        link = self.schema.type(type_name).link(name)
        assert link is not None
        return link.target


def _comparison(variable: str, op: str, value: Scalar, attribute: Attribute) -> str:
    if attribute.kind in NUMERIC:
        assert not isinstance(value, str)
        return f"{variable} {_NUMBERS[op]} {number(value)}"
    return f"{variable} {_TEXTS[op]} {atom(str(value))}"


def _either(goals: Iterator[str]) -> str:
    return f"({' ; '.join(goals) or 'fail'})"


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
    literals: tuple[str, ...] = ()
    gone_on: int = 0

    def add(self, test: Predicate) -> None:
        """Add what a test asks beyond what is asked already."""
        self.literals = (*self.literals, *self._new_literals(self.root, test))

    @property
    def goal(self) -> str:
        """The conjunction, about the row of the root."""
        return ", ".join(self.literals) or "true"

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
