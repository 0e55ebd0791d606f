"""Export of ensembles as one SQL view over the tables of the training database.

The view evaluates each test once per individual, as columns of common table expressions: the number that all tests of
a ladder compare, or whether a single test holds. Each tree is then one CASE over these columns, and their sum gives
the margins. A tree is written as a list of its leaves in reading order, each with the tests on its path whose answer
is yes: the branches that are left by no need no condition, since their yes side comes first. So expressions are flat;
nested ones of a deep tree overflow the parser of SQLite.

SQLite may lack exp(), so the view of a boosted sum decides by the margins, and only DuckDB gets what needs exp().

Law: SQLite and DuckDB predict what the ensemble predicts (`tests/export/test_sql_ensembles.py`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from structtree.arrays import TOLERANCE, Codes
from structtree.data.readers.databases.sqlite_files import sql_name
from structtree.data.readers.databases.storage import Engine
from structtree.errors import UsageError
from structtree.evaluation.score import class_name
from structtree.export.leaves import one_line
from structtree.export.sql.selections import SqlSelections, answer_literal
from structtree.export.sql.tests import SUM_SLACK
from structtree.export.sql.values import both, number_literal
from structtree.lang import syntax as syn
from structtree.lang.background import Background
from structtree.lang.walk import peel
from structtree.models.boosting import BoostingPredictor
from structtree.models.ensemble import EnsemblePredictor, EnsembleTrees, ForestPredictor
from structtree.models.importance import without_number
from structtree.models.model import Model
from structtree.models.settings import Decision
from structtree.remarks import option_text
from structtree.tasks.gradients import GREATEST_EXPONENT, PoissonLoss

__all__ = ["SingleView", "ensemble_view", "sum_of"]

MOST_IN_TABLE = 1_000
"""Maximum number of columns of a common table expression; SQLite allows 2,000."""

MOST_SUBQUERIES = 16
"""Maximum number of subqueries of a common table expression in DuckDB, whose time grows faster than their number."""

SUMMED_TOGETHER = 100
"""Number of terms of a sum in parentheses; SQLite and DuckDB limit the depth of expressions to 1,000."""


def ensemble_view(model: Model, engine: Engine) -> str:
    """Return the view ``prediction`` of an ensemble that was learned from tables.

    Parameters
    ----------
    model : Model
    engine : {"sqlite", "duckdb"}
    """
    match model.predictor:
        case ForestPredictor() as forest:
            return _ForestView(model, engine, forest).text()
        case BoostingPredictor() as boosted:
            return _BoostingView(model, engine, boosted).text()
        case other:
            raise UsageError(f"the SQL export of ensembles is for forests and boosting, not for {other.kind}")


class SingleView(ABC):
    """Writer of one SQL view that evaluates all tests once and makes predictions of them.

    Parameters
    ----------
    model : Model
    engine : {"sqlite", "duckdb"}
    ladders : sequence of sequences of Predicate
        The tests; those of a ladder compare the same number.
    classes : sequence
        The classes; empty for numbers.
    decision : Decision
        Only its costs are used.
    """

    def __init__(
        self,
        model: Model,
        engine: Engine,
        ladders: Sequence[Sequence[syn.Predicate]],
        classes: Sequence[Any],
        decision: Decision,
    ) -> None:
        assert model.layout is not None
        self.model, self.engine = model, engine
        self.ladders, self.classes, self.costs = ladders, classes, decision.costs
        background = model.background or Background(model.schema)
        self.selections = SqlSelections(model.schema, model.layout, engine, background)
        self.tests, self.key = self.selections.tests, self.selections.key
        self.row = self.tests.individual()

    @abstractmethod
    def margins(self, conditions: Sequence[Sequence[str]]) -> Iterator[str]:
        """Yield the numbers from which `answers` follow.

        Parameters
        ----------
        conditions : sequence of sequences of str
            Condition on the results of the tests, for each test of each ladder.
        """

    def answers(self) -> Iterator[str]:
        """Yield the columns of the prediction and of the probabilities.

        The margins are the predicted number, or the probabilities of all classes but the last, or of the only one.
        """
        classes = self.classes
        if not classes:
            yield "m0 AS prediction"
            return
        first = [f"m{place}" for place in range(max(1, len(classes) - 1))]
        chances = first if len(classes) == 1 else [*first, f"(1 - {' - '.join(first)})"]
        yield f"{self.predicted(chances)} AS prediction"
        yield from self.by_class("p", chances)

    def chances(self) -> list[str]:
        """Return the probabilities of the classes as functions of the margins, if a further query computes them."""
        return []

    def comments(self) -> Iterator[str]:
        """Yield what the columns of the view are."""
        yield from ()

    def text(self) -> str:
        """Return the SQL statement as text."""
        assert self.model.layout is not None
        target, individual = one_line(self.model.target or "the target"), one_line(self.model.layout.individual)
        heading = f"-- Predictions of structtree for {target} of {individual}: {self.model.predictor}."
        heading = "\n".join([heading, *(f"-- {one_line(comment)}." for comment in self.comments())])
        columns, conditions = self._columns()
        tables = list(self._tables(columns))
        names = [sql_name(column) for column in self.key] or ["row_id"]
        margins = [f"{sql} AS m{place}" for place, sql in enumerate(self.margins(conditions))]
        ids = ", ".join(f"i{place}" for place in range(len(self.tests.identity(self.row))))
        joined = " ".join(
            ["test_results_0", *(f"JOIN test_results_{n} USING ({ids})" for n in range(1, len(tables)))]
        )
        summed = f"SELECT {', '.join([*names, *margins])} FROM {joined}"
        tables.append(f"margins AS MATERIALIZED (\n{summed}\n)")
        last = "margins"
        if chances := [f"{sql} AS c{place}" for place, sql in enumerate(self.chances())]:
            last = "chances"
            tables.append(f"chances AS (\nSELECT *, {', '.join(chances)} FROM margins\n)")
        outer = ",\n    ".join([", ".join(names), *self.answers()])
        view = f"CREATE VIEW {self.selections.name('prediction')} AS\n{self.tests.beginning(tables)}SELECT {outer}"
        return f"{heading}\n\n{view}\nFROM {last};\n"

    # ---- tests

    def _columns(self) -> tuple[list[str], list[list[str]]]:
        """Return the expressions of the columns, and the condition on them of each test of each ladder."""
        row, columns, conditions = self.row, list[str](), list[list[str]]()
        for ladder in self.ladders:
            limits = _limits(ladder)
            if limits is not None:
                name = f"t{len(columns)}"
                columns.append(f"{self.selections.number(ladder[0], row)} AS {name}")
                conditions.append([f"{name} {op} {number_literal(limit)}" for op, limit in limits])
                continue
            conditions.append([f"t{len(columns) + step} = 1" for step in range(len(ladder))])
            for test in ladder:
                condition = self.selections.condition(test, row)
                columns.append(f"CASE WHEN {condition} THEN 1 ELSE 0 END AS t{len(columns)}")
        return columns, conditions

    def _tables(self, columns: Sequence[str]) -> Iterator[str]:
        """Yield common table expressions with some of the columns each, and the identity of the individual."""
        row, selection = self.row, self.tests.selection(self.row)
        where = f"\nWHERE {both(selection)}" if selection else ""
        ids = [f"{each} AS i{place}" for place, each in enumerate(self.tests.identity(row))]
        most = MOST_SUBQUERIES if self.engine == "duckdb" else MOST_IN_TABLE
        for n, some in enumerate(_grouped(columns, most)):
            keys = self.selections.columns(row) if n == 0 else []
            shown = ",\n  ".join([*keys, *ids, *some])
            source = self.tests.source(row)
            yield f"test_results_{n} AS MATERIALIZED (\nSELECT {shown}\nFROM {source}{where}\n)"

    # ---- answers

    def predicted(self, chances: Sequence[str]) -> str:
        """Return the expression for the class with the least expected cost; the first of equal ones.

        Without costs it is the class of the greatest probability, or margin.
        """
        labels = list(map(answer_literal, self.classes))
        if len(chances) == 1:
            return labels[0]
        losses = [f"-({chance})" for chance in chances]
        if self.costs is not None:
            weighted = np.asarray(self.costs, dtype=np.float64).T
            losses = [
                " + ".join(f"{number_literal(cost)} * {chance}" for cost, chance in zip(own, chances, strict=True))
                for own in weighted
            ]
        least = f"{'MIN' if self.engine == 'sqlite' else 'LEAST'}({', '.join(losses)})"
        *others, last = labels
        cases = " ".join(
            f"WHEN {loss} <= {least} + {number_literal(TOLERANCE)} THEN {label}"
            for loss, label in zip(losses, others, strict=False)
        )
        return f"CASE {cases} ELSE {last} END"

    def by_class(self, prefix: str, values: Sequence[str]) -> Iterator[str]:
        """Yield a column for each class."""
        for value, label in zip(values, self.classes, strict=True):
            yield f"{value} AS {sql_name(f'{prefix}_{class_name(label)}')}"


class _EnsembleView(SingleView):
    """Writer of the SQL view of an ensemble."""

    def __init__(self, model: Model, engine: Engine, ensemble: EnsemblePredictor) -> None:
        super().__init__(model, engine, ensemble.ladders, ensemble.classes, ensemble.decision)
        self.ensemble = ensemble

    @property
    def n_margins(self) -> int:
        """Number of margins that the view computes."""
        return len(self.ensemble.intercept)

    def margins(self, conditions: Sequence[Sequence[str]]) -> Iterator[str]:
        """Yield the sum of the intercept and the trees for each margin."""
        outputs, trees, intercept = self.ensemble.outputs, self.ensemble.trees, self.ensemble.intercept
        tests = [
            conditions[ladder][step] if ladder >= 0 else ""
            for ladder, step in zip(trees.ladders.tolist(), trees.steps.tolist(), strict=True)
        ]
        paths = [_yes_paths(trees.ladders, trees.no, first, last) for first, last in _spans(trees)]
        for place in range(self.n_margins):
            adding = [tree for tree in paths if outputs[[leaf for leaf, _ in tree], place].any()]
            cases = [
                _case([(both(tests[node] for node in path), outputs[leaf, place]) for leaf, path in tree])
                for tree in adding
            ]
            first = [number_literal(float(intercept[place]))] if intercept[place] or not cases else []
            yield sum_of([*first, *cases])


class _ForestView(_EnsembleView):
    """Writer of the SQL view of a forest, whose margins are probabilities or the mean."""

    @property
    def n_margins(self) -> int:
        """The last probability follows from the others."""
        return max(1, super().n_margins - 1)


class _BoostingView(_EnsembleView):
    """Writer of the SQL view of a boosted sum."""

    def __init__(self, model: Model, engine: Engine, boosted: BoostingPredictor) -> None:
        super().__init__(model, engine, boosted)
        self.loss, self.has_exp = boosted.loss, engine == "duckdb"
        if self.costs is not None and len(self.classes) > 2 and not self.has_exp:
            raise UsageError(
                "costs of three classes or more need exp(), which SQLite may lack; write the view for DuckDB with "
                f"{option_text('dialect', 'duckdb')}, or fit the model without costs"
            )

    def comments(self) -> Iterator[str]:
        """Yield what the margins are, and what SQLite cannot compute."""
        if len(self.classes) == 2:
            yield f"The margin is the {self.ensemble.margin_name(1)}"
        elif self.classes:
            yield "The margins are scores; the probabilities are proportional to their exponentials"
        elif self._is_logarithm:
            yield f"The margin is the {self.loss.margin_name}"
        if not self.has_exp and (self.classes or self._is_logarithm):
            missing = "probabilities" if self.classes else "the prediction"
            yield f"SQLite may lack exp(), which {missing} would need"

    @property
    def _is_logarithm(self) -> bool:
        return isinstance(self.loss, PoissonLoss)

    def chances(self) -> list[str]:
        """Return the inverse of the sum of the odds of all classes against each."""
        if not (self.has_exp and self.classes):
            return []
        scores = ["0e0", "m0"] if len(self.classes) == 2 else self._scores
        return [f"1 / ({' + '.join(_exp(f'{other} - {own}') for other in scores)})" for own in scores]

    @property
    def _scores(self) -> list[str]:
        return [f"m{place}" for place in range(self.n_margins)]

    def answers(self) -> Iterator[str]:
        """Yield the columns of the prediction, of the margins, and where there is exp() of the probabilities."""
        classes = self.classes
        chances = [f"c{place}" for place in range(len(classes))]
        if len(classes) == 2:
            first, second = map(answer_literal, classes)
            condition = _first_class(self.costs or ((0.0, 1.0), (1.0, 0.0)))
            yield f"CASE WHEN {condition} THEN {first} ELSE {second} END AS prediction"
            yield "m0 AS margin"
        elif classes:
            yield f"{self.predicted(self._scores if self.costs is None else chances)} AS prediction"
            yield from self.by_class("margin", self._scores)
        elif not self._is_logarithm:
            yield "m0 AS prediction"
        else:
            if self.has_exp:
                yield f"{_exp('m0')} AS prediction"
            yield "m0 AS margin"
        if classes and self.has_exp:
            yield from self.by_class("p", chances)


def _exp(exponent: str) -> str:
    return f"exp(LEAST({exponent}, {number_literal(GREATEST_EXPONENT)}))"


def _first_class(costs: Sequence[Sequence[float]]) -> str:
    """Return the condition on the log odds of the second of two classes under which the first is predicted.

    Examples
    --------
    >>> _first_class([[0, 1], [4, 0]])[:12]
    'm0 <= -1.386'
    >>> _first_class([[0, 1], [0, 1]])
    'TRUE'
    """
    (a, b), (c, d) = costs
    # The first class costs this more than the second if the first one is right, and if the second one is.
    start, end = a - b, c - d
    if max(start, end) <= TOLERANCE:
        return "TRUE"
    if min(start, end) >= TOLERANCE:
        return "FALSE"
    odds = (TOLERANCE - start) / (end - TOLERANCE)
    return f"m0 {'<=' if end > start else '>='} {number_literal(float(np.log(odds)))}"


def _grouped(columns: Sequence[str], most_subqueries: int) -> list[list[str]]:
    """Return columns in groups of limited size.

    Examples
    --------
    >>> _grouped(["a", "(SELECT b)", "(SELECT c)", "d"], 1)
    [['a', '(SELECT b)'], ['(SELECT c)', 'd']]
    """
    groups, left = list[list[str]]([[]]), most_subqueries
    for column in columns:
        n = column.count("(SELECT")
        if groups[-1] and (n > left or len(groups[-1]) >= MOST_IN_TABLE):
            groups.append([])
            left = most_subqueries
        groups[-1].append(column)
        left -= n
    return groups


def _limits(ladder: Sequence[syn.Predicate]) -> list[tuple[str, float]] | None:
    """Return how tests compare the same number, as operators and limits; None for a single test, or others.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> _limits([parse_predicate("count cars (long) >= 1"), parse_predicate("count cars (long) >= 2")])
    [('>=', 1.0), ('>=', 2.0)]
    """
    form = without_number(ladder[0])
    if len(ladder) < 2 or form == ladder[0] or any(without_number(test) != form for test in ladder[1:]):
        return None
    found = [_limit(peel(test)[1]) for test in ladder]
    return None if None in found else [each for each in found if each is not None]


def _limit(test: syn.Predicate) -> tuple[str, float] | None:
    match test:
        case syn.Count(op=op, n=int() as limit) | syn.Compare(op=op, value=int() | float() as limit):
            return op, float(limit)
        case syn.Aggregate(function="deviation"):  # SQLite may lack square roots
            return None
        case syn.Aggregate(function=function, op=op, value=int() | float() as limit):
            slack = SUM_SLACK * abs(limit) if function in ("sum", "mean", "trend") else 0.0
            return op, limit - slack if op == ">=" else limit + slack
        case _:
            return None


def _spans(trees: EnsembleTrees) -> Iterator[tuple[int, int]]:
    """Yield the first and the last node of each tree."""
    return pairwise([*trees.roots.tolist(), len(trees.ladders)])


def _yes_paths(ladders: Codes, no: Codes, first: int, last: int) -> list[tuple[int, list[int]]]:
    """Return the leaves of a tree in reading order, each with the branches on its path that it leaves by yes."""
    found, yes_of = list[tuple[int, list[int]]](), dict[int, list[int]]({first: []})
    for node in range(first, last):
        path = yes_of.pop(node)
        if ladders[node] < 0:
            found.append((int(no[node]), path))
        else:
            yes_of[node + 1], yes_of[int(no[node])] = [*path, node], path
    return found


def _case(leaves: Sequence[tuple[str, float]]) -> str:
    """Return the output of the first leaf whose condition holds."""
    *others, (_, last) = leaves
    if not others:
        return number_literal(last)
    cases = " ".join(f"WHEN {condition} THEN {number_literal(output)}" for condition, output in others)
    return f"CASE {cases} ELSE {number_literal(last)} END"


def sum_of(terms: Iterable[str]) -> str:
    """Return a sum whose expression is not deep."""
    found = list(terms)
    while len(found) > 1:
        groups = [found[first : first + SUMMED_TOGETHER] for first in range(0, len(found), SUMMED_TOGETHER)]
        found = [f"({' + '.join(group)})" for group in groups]
    return found[0]
