"""Export of subgroups as SQL views, one for each, with the keys of its individuals."""

from __future__ import annotations

from structtree.data.layouts import SourceLayout, layout_behind
from structtree.data.population import Population
from structtree.errors import UsageError
from structtree.export.leaves import one_line
from structtree.export.sql.views import SqlSelections, engine_of
from structtree.lang.pretty import pretty
from structtree.rules.subgroups import Subgroups

__all__ = ["subgroups_sql", "tables_behind"]


def subgroups_sql(found: Subgroups, dialect: str | None = None) -> str:
    """Return the subgroups as SQL views over the tables that the individuals come from.

    Parameters
    ----------
    found : Subgroups
    dialect : {"sqlite", "duckdb"}, optional
        By default that of the database.

    Raises
    ------
    UsageError
        If the individuals do not come from tables, or a predicate cannot be written in SQL.

    Examples
    --------
    >>> import sqlite3
    >>> from structtree import Population, subgroups
    >>> shop = sqlite3.connect(":memory:")
    >>> _ = shop.executescript('''
    ...     CREATE TABLE customer(id INTEGER PRIMARY KEY, town TEXT);
    ...     INSERT INTO customer VALUES (1, 'Bern'), (2, 'Oslo'), (3, 'Oslo');
    ... ''')
    >>> customers = Population.from_database(shop, individual="customer")
    >>> found = subgroups(customers, ["bad", "good", "good"], label="good", held_out=0, min_support=2)
    >>> _ = shop.executescript(subgroups_sql(found))
    >>> shop.execute("SELECT id FROM subgroup_1").fetchall()
    [(2,), (3,)]
    """
    layout = tables_behind(found.population)
    background = found.grammar.check(found.population.schema).background
    selections = SqlSelections(found.population.schema, layout, engine_of(layout, dialect), background)
    views = []
    for place, each in enumerate(found, 1):
        about = "" if each.label is None else f", {found.target or 'target'} {each.label}"
        comments = [one_line(f"Subgroup {place}{about}: {pretty(each.predicate)}")]
        views.append(selections.view(f"subgroup_{place}", comments, [(each.predicate, True)]))
    heading = f"-- Subgroups of structtree for {one_line(found.target or 'the target')}, by {found.measure.name}."
    return "\n\n".join([heading, *views]) + "\n"


def tables_behind(population: Population) -> SourceLayout:
    """Return the tables that individuals come from; raise `UsageError` without any."""
    layout = layout_behind(population)
    if layout is None:
        raise UsageError("SQL views need individuals from the tables of a database")
    return layout
