"""Questions that SWI-Prolog answers, so that it can say what is true.

The goals, rules and facts are those that `structtree.export.prolog.clauses` exports: a second meaning of the
language, made from its definitions and with nothing of the evaluators. Questions are answered in one run of
``swipl``, each for all rows of its type.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from structtree.data.population import Population
from structtree.data.schema import Schema
from structtree.export.prolog.clauses import PROLOG_HELPERS, PROLOG_IMPORTS, row_facts
from structtree.export.prolog.goals import GoalWriter, RowVocabulary, StepForm, plain_atom
from structtree.export.prolog.rules import background_clauses
from structtree.lang import syntax as syn
from structtree.lang.check import CheckedGrammar
from structtree.models.tree import Branch, Tree


@dataclass(frozen=True, slots=True)
class Question:
    """Which rows of a type does a predicate hold for?"""

    type: str
    predicate: syn.Predicate


# ---- running Prolog -------------------------------------------------------------------------------------


def swipl() -> str:
    """The program; a test that needs it is skipped where there is none."""
    found = shutil.which("swipl")
    if found is None:
        pytest.skip("there is no swipl; it is in the Debian package swi-prolog-nox (apt-get install swi-prolog-nox)")
    return found


def printed(goal: str, *programs: Path) -> list[str]:
    """The lines that a goal prints after loading some programs, about which Prolog has nothing to say."""
    command = [swipl(), "-q", "-f", "none", "-g", goal, "-t", "halt", *map(str, programs)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[:2000]
    return done.stdout.splitlines()


def answers(
    population: Population, questions: Sequence[Question], grammar: CheckedGrammar, folder: Path
) -> list[list[int]]:
    """The rows that each question holds for, as Prolog says; the population has nothing that the grammar computes."""
    writer = GoalWriter(grammar.schema)
    goals = [(question.type, writer.goal(question.predicate, question.type, "X")) for question in questions]
    return rows_satisfying(population, goals, folder, rules(grammar))


def rules(grammar: CheckedGrammar) -> Iterator[str]:
    """Definitions, computed attributes and derived links as clauses."""
    return background_clauses(grammar.schema, grammar.definitions.values(), grammar.background.steps, RowVocabulary())


def rows_satisfying(
    population: Population, goals: Sequence[tuple[str, str]], folder: Path, more: Iterable[str] = ()
) -> list[list[int]]:
    """The rows of a type for which a goal about ``X`` succeeds, for each type and goal."""
    clauses = (f"holds({i}, X) :- {goal}." for i, (_, goal) in enumerate(goals))
    types = (f"asked({i}, {plain_atom(name)})." for i, (name, _) in enumerate(goals))
    head = [_HEAD, PROLOG_IMPORTS, PROLOG_HELPERS]
    program = folder / "questions.pl"
    program.write_text("\n".join([*head, *row_facts(population), *more, *types, *clauses, ""]), encoding="utf-8")
    return [[int(row) for row in re.findall(r"\d+", line)] for line in printed("main", program)]


_HEAD = """:- encoding(utf8).
:- style_check(-singleton).

main :- forall(asked(Question, Type), answer(Question, Type)).
answer(Question, Type) :-
    Row =.. [Type, X],
    findall(X, (Row, once(holds(Question, X))), Rows),
    writeln(Rows).
"""


# ---- associated queries ---------------------------------------------------------------------------------


@dataclass(slots=True)
class KnownRow:
    """A row that a query has found: its variable, and what has been asked of it so far, with the rows found there."""

    type: str
    variable: str
    asked: list[tuple[syn.Predicate, KnownRow | None]] = field(default_factory=list)


@dataclass(slots=True)
class AssociatedQuery:
    """The query of a node as Tilde has it: a conjunction in which tests go on about the rows that others found."""

    writer: GoalWriter
    root: KnownRow
    components: dict[int, list[str]] = field(default_factory=dict)
    """Literals that share rows other than that of the root, by the place of the first of them there."""
    gone_on: int = 0

    def add(self, test: syn.Predicate) -> None:
        """Add what a test asks beyond what is asked already."""
        for part in _conjuncts(test):
            literals = list(self._new_literals(self.root, part))
            place = [asked for asked, _ in self.root.asked].index(part)
            self.components.setdefault(place, []).extend(literals)

    @property
    def goal(self) -> str:
        """The conjunction, about the row of the root; what shares no other row is not asked again."""
        return ", ".join(f"once(({', '.join(literals)}))" for literals in self.components.values()) or "true"

    def _new_literals(self, row: KnownRow, test: syn.Predicate) -> Iterator[str]:
        for part in _conjuncts(test):
            if isinstance(part, StepForm):
                place = next((i for i, known in enumerate(row.asked) if _goes_on(known, part)), len(row.asked))
                if place == len(row.asked):
                    found_there = self.writer.reached(part, row.type, row.variable)
                    yield found_there.goal
                    row.asked.append((part, KnownRow(self.writer.type_behind(part, row.type), found_there.term)))
                else:
                    self.gone_on += 1
                found = row.asked[place][1]
                assert found is not None
                row.asked[place] = (part, found)
                yield from self._new_literals(found, part.inner)
            elif all(part != known for known, _ in row.asked):
                yield self.writer.goal(part, row.type, row.variable)
                row.asked.append((part, None))


def _conjuncts(predicate: syn.Predicate) -> tuple[syn.Predicate, ...]:
    match predicate:
        case syn.And(parts):
            return parts
        case syn.Top():
            return ()
        case _:
            return (predicate,)


def _goes_on(known: tuple[syn.Predicate, KnownRow | None], part: syn.Predicate) -> bool:
    """Tell whether a literal asks everything that another one asks, of the rows that it found."""
    literal, row = known
    if row is None:
        return literal == part
    assert isinstance(literal, StepForm)
    if not isinstance(part, StepForm) or replace(part, inner=literal.inner) != literal:
        return False
    return all(any(_goes_on(asked, inner) for inner in _conjuncts(part.inner)) for asked in row.asked)


def leaf_queries(tree: Tree, schema: Schema) -> dict[int, AssociatedQuery]:
    """The associated query of each leaf, those of yes sides first: an individual is in the first that succeeds.

    This is the decision list that Blockeel and De Raedt (1998) make of a first-order logical decision tree.
    """
    queries = {}

    def visit(node: int, tests: tuple[syn.Predicate, ...]) -> None:
        here = tree.nodes[node]
        if isinstance(here, Branch):
            visit(here.yes, (*tests, here.test))
            visit(here.no, tests)
            return
        query = AssociatedQuery(GoalWriter(schema), KnownRow(schema.individual, "X"))
        for test in tests:
            query.add(test)
        queries[node] = query

    visit(0, ())
    return queries
