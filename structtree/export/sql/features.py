"""Export of features as SQL: expressions over the tables of the training database, and a view with all of them."""

from __future__ import annotations

from structtree.data.readers.databases.sqlite_files import sql_name
from structtree.errors import UsageError
from structtree.export.leaves import one_line
from structtree.export.sql.selections import SqlSelections, engine_of
from structtree.export.sql.tests import SqlRow
from structtree.export.sql.values import both
from structtree.lang.background import Background
from structtree.models.features import FeatureSet, SelectedFeature

__all__ = ["feature_sql", "features_sql"]


def features_sql(found: FeatureSet, dialect: str | None = None) -> str:
    """Return the view ``features`` with the key of each individual and one column per feature.

    Parameters
    ----------
    found : FeatureSet
    dialect : {"sqlite", "duckdb"}, optional
        By default that of the training database.

    Raises
    ------
    UsageError
        If the individuals do not come from tables, or a feature cannot be written in SQL.

    Examples
    --------
    >>> import sqlite3
    >>> from structtree import Population, StructuralFeatures
    >>> shop = sqlite3.connect(":memory:")
    >>> _ = shop.executescript('''
    ...     CREATE TABLE customer(id INTEGER PRIMARY KEY, town TEXT);
    ...     CREATE TABLE "order"(customer_id INTEGER REFERENCES customer, total REAL);
    ...     INSERT INTO customer VALUES (1, 'Bern'), (2, 'Oslo'), (3, 'Oslo');
    ...     INSERT INTO "order" VALUES (2, 9.5), (2, 20.0), (1, 3.0), (3, 7.0);
    ... ''')
    >>> customers = Population.from_database(shop, individual="customer")
    >>> features = StructuralFeatures("refine customer { top -> max order.total >= * }", k=1)
    >>> found = features.fit(customers, ["bad", "good", "good"]).selection_
    >>> _ = shop.executescript(features_sql(found))
    >>> shop.execute("SELECT * FROM features").fetchall()
    [(1, 3.0), (2, 20.0), (3, 7.0)]
    """
    selections = _selections(found, dialect)
    row = selections.tests.individual()
    columns = [f"{_expression(each, selections, row)} AS {sql_name(each.name)}" for each in found.features]
    selection = selections.tests.selection(row)
    shown = ",\n    ".join([*selections.columns(row), *columns])
    return (
        "\n".join(
            [
                f"-- Features selected by structtree for {one_line(selections.layout.individual)}.",
                f"CREATE VIEW {selections.name('features')} AS",
                f"{selections.tests.beginning()}SELECT {shown}",
                f"FROM {selections.tests.source(row)}" + (f"\nWHERE {both(selection)};" if selection else ";"),
            ]
        )
        + "\n"
    )


def feature_sql(found: FeatureSet, place: int, dialect: str | None = None) -> str:
    """Return a query for the values of one feature, with the key of each individual; see `features_sql`.

    Parameters
    ----------
    found : FeatureSet
    place : int
        Place of the feature, counted from 0.
    dialect : {"sqlite", "duckdb"}, optional
    """
    selections = _selections(found, dialect)
    row = selections.tests.individual()
    value = _expression(found.features[place], selections, row)
    selection = selections.tests.selection(row)
    keys, source = ", ".join(selections.columns(row)), selections.tests.source(row)
    where = f" WHERE {both(selection)}" if selection else ""
    return f"{selections.tests.beginning()}SELECT {keys}, {value} AS value FROM {source}{where}"


def _selections(found: FeatureSet, dialect: str | None) -> SqlSelections:
    if found.layout is None:
        raise UsageError("SQL needs individuals from the tables of a database")
    background = found.background or Background(found.schema)
    return SqlSelections(found.schema, found.layout, engine_of(found.layout, dialect), background)


def _expression(feature: SelectedFeature, selections: SqlSelections, row: SqlRow) -> str:
    """Return a number, or 0 or 1, for a row of the individuals."""
    if feature.is_number:
        return selections.number(feature.predicate, row)
    return f"CASE WHEN {selections.condition(feature.predicate, row)} THEN 1 ELSE 0 END"
