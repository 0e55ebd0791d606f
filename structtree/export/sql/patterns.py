"""Export of patterns as SQL views, one for each, with the keys of its individuals."""

from __future__ import annotations

from structtree.errors import UsageError
from structtree.export.sql.subgroups import selection_views
from structtree.lang.pretty import pretty
from structtree.rules.patterns import Patterns

__all__ = ["patterns_sql"]


def patterns_sql(found: Patterns, dialect: str | None = None) -> str:
    """Return the patterns as SQL views over the tables that the individuals come from.

    Parameters
    ----------
    found : Patterns
    dialect : {"sqlite", "duckdb"}, optional
        By default that of the database.

    Raises
    ------
    UsageError
        If the results are rules, the individuals do not come from tables, or a predicate cannot be written in SQL.

    Examples
    --------
    >>> import sqlite3
    >>> from structtree import Population, patterns
    >>> shop = sqlite3.connect(":memory:")
    >>> _ = shop.executescript('''
    ...     CREATE TABLE customer(id INTEGER PRIMARY KEY, town TEXT);
    ...     INSERT INTO customer VALUES (1, 'Bern'), (2, 'Oslo'), (3, 'Oslo');
    ... ''')
    >>> found = patterns(Population.from_database(shop, individual="customer"), support=2)
    >>> _ = shop.executescript(patterns_sql(found))
    >>> shop.execute("SELECT id FROM pattern_1").fetchall()
    [(2,), (3,)]
    """
    if found.options.rules:
        raise UsageError("SQL views select the individuals of patterns; association rules have none")
    views = [
        (f"pattern_{place}", f"Pattern {place}: {pretty(each.predicate)}", each.predicate)
        for place, each in enumerate(found, 1)
    ]
    heading = f"Patterns of structtree with at least {found.least} individuals."
    return selection_views(heading, views, found.population, found.grammar, dialect)
