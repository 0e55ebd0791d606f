"""Export of models as SQL views over the tables of the training database.

The view ``prediction`` has the key of each individual, its leaf, the prediction, and the probability of each class;
one view per leaf has the keys of its individuals. The views need only the database. An ensemble or a rule set has a
single view, without leaves (`structtree.export.sql.ensembles`, `structtree.export.sql.rule_sets`).

The leaf is a CASE expression, in which the no sides of tests follow each other and the yes sides are nested. A tree
that nests too many is descended in stages, each of which joins the nodes that the last one reached.

Law: SQLite and DuckDB reach the leaf that the model reaches, however deep (`tests/export/test_sql.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from structtree.data.readers.databases.sqlite_files import sql_name
from structtree.data.readers.databases.storage import Engine
from structtree.errors import UsageError
from structtree.evaluation.score import class_name
from structtree.export.leaves import leaf_answers, one_line, refuse_fractional, yes_first
from structtree.export.sql.ensembles import ensemble_view
from structtree.export.sql.rule_sets import rule_set_view
from structtree.export.sql.selections import SqlSelections, answer_literal, engine_of
from structtree.export.sql.tests import SqlRow
from structtree.export.sql.values import both, number_literal
from structtree.lang.background import Background
from structtree.lang.pretty import pretty
from structtree.models.ensemble import EnsemblePredictor
from structtree.models.leaves import probabilities
from structtree.models.model import Model, fitted
from structtree.models.rule_set import RuleSetPredictor
from structtree.models.tree import Leaf

__all__ = ["export_sql"]

MOST_NESTED = 8
"""Maximum number of CASE expressions inside each other; about 25 overflow the parser of SQLite."""


def export_sql(model: Any, dialect: str | None = None) -> str:
    """Return a model as SQL views over the tables of the training database.

    Parameters
    ----------
    model : Model or fitted estimator
    dialect : {"sqlite", "duckdb"}, optional
        SQL dialect; by default that of the training database. For other databases, files and frames it is SQLite,
        with tables of the same names.

    Raises
    ------
    UsageError
        If the model was not learned from tables, or a test cannot be written in SQL.

    Examples
    --------
    >>> import sqlite3
    >>> from structtree import Population, fit
    >>> shop = sqlite3.connect(":memory:")
    >>> _ = shop.executescript('''
    ...     CREATE TABLE customer(id INTEGER PRIMARY KEY, town TEXT);
    ...     CREATE TABLE "order"(customer_id INTEGER REFERENCES customer, total REAL);
    ...     INSERT INTO customer VALUES (1, 'Bern'), (2, 'Oslo'), (3, 'Oslo');
    ...     INSERT INTO "order" VALUES (2, 9.5), (2, 20.0), (1, 3.0), (3, 7.0);
    ... ''')
    >>> customers = Population.from_database(shop, individual="customer")
    >>> model = fit(customers, ["bad", "good", "good"], "refine customer { top -> exists order (top) } "
    ...             "refine order { top -> total >= * }")
    >>> _ = shop.executescript(export_sql(model))
    >>> shop.execute("SELECT id, prediction FROM prediction").fetchall()
    [(1, 'bad'), (2, 'good'), (3, 'good')]
    """
    found = fitted(model).model
    write = _writer_for(found)
    layout = found.layout
    if layout is None:
        what = found.target or "the target"
        raise UsageError(f"the model of {what} does not record the tables it was learned from; fit it again on them")
    return write(found, engine_of(layout, dialect))


def _writer_for(model: Model) -> Callable[[Model, Engine], str]:
    """Return the function that writes the views of a model of this kind."""
    match model.predictor:
        case EnsemblePredictor():
            return ensemble_view
        case RuleSetPredictor():
            return rule_set_view
    refuse_fractional(model.tree, "SQL views")
    return _tree_views


def _tree_views(model: Model, engine: Engine) -> str:
    """Return the views of a tree."""
    return _Views(model, engine).text()


class _Views:
    """Writer of the SQL views of a model."""

    def __init__(self, model: Model, engine: Engine) -> None:
        assert model.layout is not None
        self.model, self.layout, self.tree = model, model.layout, model.tree
        background = model.background or Background(model.tree.schema)
        self.selections = SqlSelections(model.tree.schema, model.layout, engine, background)
        self.tests, self.key = self.selections.tests, self.selections.key
        self.answers = leaf_answers(model)

    def text(self) -> str:
        """Return all SQL statements as text."""
        target, individual = one_line(self.model.target or "the target"), one_line(self.layout.individual)
        heading = f"-- Predictions of structtree for {target} of {individual}."
        return "\n\n".join([heading, *self._leaves(), self._prediction()]) + "\n"

    def _leaves(self) -> Iterator[str]:
        for leaf in self.tree.leaves:
            steps = [(step.test, step.answer) for step in self.tree.path(leaf)]
            comments = [f"  {'' if answer else 'not '}{one_line(pretty(test))}" for test, answer in steps]
            heading = f"Leaf {leaf}: {one_line(self._prediction_text(leaf))}"
            yield self.selections.view(f"leaf_{leaf}", [heading, *comments], steps)

    def _prediction(self) -> str:
        row = self.tests.individual()
        selection = self.tests.selection(row)
        keys = self.selections.columns(row)
        names = [sql_name(column) for column in self.key] or ["row_id"]
        *earlier, inner = self._stages(row, keys, selection)
        values = [self._by_leaf("prediction", [self._label(leaf) for leaf in self.tree.leaves])]
        if self.tree.classes:
            shares = probabilities(self.tree, self.model.decision)
            for place, label in enumerate(self.tree.classes):
                each = [number_literal(float(shares[leaf, place])) for leaf in self.tree.leaves]
                values.append(self._by_leaf(f"p_{class_name(label)}", each))
        outer = ",\n    ".join([f"{', '.join(names)}, leaf", *values])
        head = f"CREATE VIEW {self.selections.name('prediction')} AS\n{self.tests.beginning(earlier)}SELECT {outer}"
        return f"{head}\nFROM (\n{inner}\n);"

    def _stages(self, row: SqlRow, keys: list[str], selection: list[str]) -> list[str]:
        """Return queries for the node that an individual reaches, each a few levels below the last; then the leaf.

        All but the last are common table expressions. A tree that is not deep needs a single query.
        """
        ids = self.tests.identity(row)
        names = [f"i{place}" for place in range(len(ids))]
        where, joined, stages = f"\n    WHERE {both(selection)}" if selection else "", "", list[str]()
        reached, unfinished = self._case(0, row, 2)
        while unfinished:
            name = self.selections.name(f"reached_{len(stages)}")
            shown = ", ".join(f"{each} AS {alias}" for each, alias in zip(ids, names, strict=True))
            query = f"    SELECT {shown}, {reached} AS node\n    FROM {self.tests.source(row)}{joined}{where}"
            stages.append(f"{name} AS MATERIALIZED (\n{query}\n)")
            same = both(f"{each} = {name}.{alias}" for each, alias in zip(ids, names, strict=True))
            joined, where = f" JOIN {name} ON {same}", ""
            below = [(node, *self._case(node, row, 3)) for node in unfinished]
            cases = "".join(f"\n        WHEN {node} THEN {case}" for node, case, _ in below)
            reached = f"CASE {name}.node{cases}\n        ELSE {name}.node END"
            unfinished = [node for *_, later in below for node in later]
        query = f"    SELECT {', '.join(keys)}, {reached} AS leaf\n    FROM {self.tests.source(row)}{joined}{where}"
        return [*stages, query]

    def _by_leaf(self, name: str, values: list[str]) -> str:
        cases = " ".join(f"WHEN {leaf} THEN {value}" for leaf, value in zip(self.tree.leaves, values, strict=True))
        return f"CASE leaf {cases} END AS {sql_name(name)}"

    def _case(self, node: int, row: SqlRow, depth: int, nested: int = 0) -> tuple[str, list[int]]:
        """Return the expression for the node that an individual reaches from a node, and those that are no leaves."""
        if isinstance(self.tree.nodes[node], Leaf):
            return str(node), []
        if nested == MOST_NESTED:
            return str(node), [node]
        pad, cases, unfinished = "    " * depth, "", list[int]()
        while not isinstance(self.tree.nodes[node], Leaf):
            *first, last = yes_first(self.tree, node)
            for edge in first:
                reached, later = self._case(edge.child, row, depth + 1, nested + 1)
                cases += f"\n{pad}WHEN {self.selections.condition(edge.test, row)} THEN {reached}"
                unfinished += later
            node = last.child
        return f"CASE{cases}\n{pad}ELSE {node} END", unfinished

    def _prediction_text(self, leaf: int) -> str:
        answer = self.answers[leaf]
        return class_name(answer) if self.tree.classes else f"{answer:.6g}"

    def _label(self, leaf: int) -> str:
        return answer_literal(self.answers[leaf])
