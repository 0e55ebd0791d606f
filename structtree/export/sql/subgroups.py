"""Export of subgroups as SQL views, one for each, with the keys of its individuals."""

from __future__ import annotations

from collections.abc import Iterable

from structtree.data.layouts import SourceLayout, layout_behind
from structtree.data.population import Population
from structtree.errors import UsageError
from structtree.export.leaves import one_line
from structtree.export.sql.selections import SqlSelections, engine_of
from structtree.lang import syntax as syn
from structtree.lang.grammar import Grammar
from structtree.lang.pretty import pretty
from structtree.rules.subgroups import Subgroups

__all__ = ["selection_views", "subgroups_sql", "tables_behind"]


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
    heading = f"Subgroups of structtree for {found.target or 'the target'}, by {found.measure.name}."
    views = []
    for place, each in enumerate(found, 1):
        about = "" if each.label is None else f", {found.target or 'target'} {each.label}"
        views.append((f"subgroup_{place}", f"Subgroup {place}{about}: {pretty(each.predicate)}", each.predicate))
    return selection_views(heading, views, found.population, found.grammar, dialect)


def selection_views(
    heading: str,
    views: Iterable[tuple[str, str, syn.Predicate]],
    population: Population,
    grammar: Grammar,
    dialect: str | None = None,
) -> str:
    """Return SQL views of the individuals that satisfy predicates, each with its name and a comment."""
    layout = tables_behind(population)
    background = grammar.check(population.schema).background
    selections = SqlSelections(population.schema, layout, engine_of(layout, dialect), background)
    texts = [selections.view(name, [one_line(about)], [(predicate, True)]) for name, about, predicate in views]
    return "\n\n".join([f"-- {one_line(heading)}", *texts]) + "\n"


def tables_behind(population: Population) -> SourceLayout:
    """Return the tables that individuals come from; raise `UsageError` without any."""
    layout = layout_behind(population)
    if layout is None:
        raise UsageError("SQL views need individuals from the tables of a database")
    return layout
