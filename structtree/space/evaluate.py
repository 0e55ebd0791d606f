"""Vectorised evaluation of predicates.

The value of a predicate on a type is a boolean array over the rows of the type. A predicate behind a link is
evaluated on the target type; a cumulative sum then counts the true rows behind each row. Law: `holds` equals the
row-by-row definition of truth in ``tests/space/truth.py``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from operator import eq, ge, le, ne
from typing import Any, NamedTuple, assert_never

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Mask
from structtree.data.dates import DAY
from structtree.data.population import Adjacency, Column, Population, bool_column
from structtree.data.readers.individuals import population_of
from structtree.data.readers.molecules.patterns import atom_types, matching_atoms, problem_of_pattern
from structtree.errors import GrammarError, UnknownNameError
from structtree.lang import syntax as syn
from structtree.lang.aggregates import computed_attribute
from structtree.space.aggregates import LinkedRows, aggregate
from structtree.space.list_steps import runs_of

__all__ = [
    "Referenced",
    "aggregate_column",
    "compare_columns",
    "compare_numbers",
    "compare_with",
    "count_behind",
    "different_targets",
    "holds",
    "own_column",
    "referenced",
    "rows_where",
]

MOST_KEPT_ROWS = 20_000
"""Maximum number of rows for which aggregates are kept with the population, to limit memory."""

Known = dict[tuple[str, syn.Predicate], Mask]
_OPERATORS: dict[str, Any] = {"=": eq, "!=": ne, ">=": ge, "<=": le}


def holds(predicate: syn.Predicate, individuals: Any) -> Mask:
    """Return a mask of the individuals that satisfy a predicate.

    Parameters
    ----------
    predicate : Predicate
        A ground, checked predicate on the individual type.
    individuals : Population, or individuals in another form (see `structtree.data.readers.individuals`)

    Returns
    -------
    array of bool, one per individual

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> trains = Population.from_records([{"cars": [{"wheels": 2}, {"wheels": 3}]}, {"cars": []}])
    >>> holds(parse_predicate("exists cars (wheels >= 3)"), trains).tolist()
    [True, False]
    """
    syn.require_predicate(predicate)
    population = population_of(individuals)
    return rows_where(predicate, population, population.schema.individual)[population.individuals]


def rows_where(predicate: syn.Predicate, population: Population, type_name: str, known: Known | None = None) -> Mask:
    """Return a mask of the rows of a type that satisfy a predicate.

    Parameters
    ----------
    known : dict, optional
        Cache of masks by type and predicate, managed by the caller.
    """
    if known is None:
        return _evaluate(predicate, population, type_name, None)
    key = (type_name, predicate)
    try:
        return known[key]
    except KeyError:
        found = known[key] = _evaluate(predicate, population, type_name, known)
        return found


def _evaluate(predicate: syn.Predicate, population: Population, type_name: str, known: Known | None) -> Mask:
    table = population.tables[type_name]

    def column(name: str) -> Column:
        return own_column((name,), population, type_name)

    def here(parts: tuple[syn.Predicate, ...]) -> list[Mask]:
        return [rows_where(part, population, type_name, known) for part in parts]

    def behind(link: str, inner: syn.Predicate) -> NDArray[np.int64]:
        target = _target(population, type_name, link)
        return _n_true(table.links[link], rows_where(inner, population, target, known))

    match predicate:
        case syn.Top():
            return np.ones(table.n_rows, dtype=np.bool_)
        case syn.Flag(attribute, positive):
            return np.asarray(column(attribute).values == int(positive))
        case syn.Compare(attribute, op, value):
            return compare_with(column(attribute), op, value)
        case syn.CompareOwn(path, op, other):
            one = own_column(path, population, type_name)
            return compare_columns(one, own_column(other, population, type_name), op)
        case syn.Among(attribute, values):
            return _among(column(attribute), values)
        case syn.Within(attribute, low, high, closed):
            found = column(attribute).values
            return np.asarray((found >= low) & ((found <= high) if closed else (found < high)))
        case syn.Missing(member):
            if member in table.links:
                return np.asarray(table.links[member].lengths == 0)
            return column(member).missing
        case syn.Named(_, body):
            assert body is not None
            return rows_where(body, population, type_name, known)
        case syn.Follow(link, inner) | syn.Exists(link, inner):
            return np.asarray(behind(link, inner) > 0)
        case syn.ListStep(_, inner, step_link):
            at = type_name if step_link is None else _target(population, type_name, step_link)
            runs = runs_of(predicate, population, type_name)
            return runs.any_true(rows_where(inner, population, at, known))
        case syn.All(link, inner):
            return np.asarray(behind(link, inner) == table.links[link].lengths)
        case syn.No(link, inner):
            return np.asarray(behind(link, inner) == 0)
        case syn.Count(link, inner, op, n):
            return compare_numbers(behind(link, inner), op, n)
        case syn.Aggregate(op=op, value=value):
            return compare_with(aggregate_column(predicate, population, type_name, known), op, value)
        case syn.Distinct(link, inners):
            target_type = _target(population, type_name, link)
            return different_targets(
                table.links[link], [rows_where(i, population, target_type, known) for i in inners]
            )
        case syn.And(parts):
            return np.asarray(np.logical_and.reduce(here(parts)))
        case syn.Or(parts):
            return np.asarray(np.logical_or.reduce(here(parts)))
        case syn.Not(inner):
            return ~rows_where(inner, population, type_name, known)
        case syn.CompareMine() | syn.Me():
            raise AssertionError("only derived links have an owner; see structtree.space.pairs")
        case _ as never:
            assert_never(never)


def aggregate_column(
    test: syn.Aggregate, population: Population, type_name: str, known: Known | None = None
) -> Column:
    """Return the values of an aggregate for every row of a type.

    A search needs them for thresholds, columns and chains, with ``>=`` and ``<=``; those of few rows are kept.
    """
    if test.inner is not None or population.tables[type_name].n_rows > MOST_KEPT_ROWS:
        return _aggregated(test, population, type_name, known)
    key = (type_name, test.function, test.link, test.attribute, test.order)
    found = population._aggregates.get(key)
    if found is None:
        found = population._aggregates[key] = _aggregated(test, population, type_name, known)
    return found


def _aggregated(test: syn.Aggregate, population: Population, type_name: str, known: Known | None) -> Column:
    name = _target(population, type_name, test.link)
    rows = LinkedRows(
        population.tables[type_name].links[test.link],
        None if test.inner is None else rows_where(test.inner, population, name, known),
        None if test.attribute is None else _column(test.attribute, population, name),
        None if test.order is None else _column(test.order, population, name),
    )
    return aggregate(test.function, rows, computed_attribute(test, population.schema.type(name)))


def count_behind(
    test: syn.Count, population: Population, type_name: str, known: Known | None = None
) -> NDArray[np.int64]:
    """Return the number that a ``count`` predicate compares, for every row of a type."""
    inner = rows_where(test.inner, population, _target(population, type_name, test.link), known)
    return _n_true(population.tables[type_name].links[test.link], inner)


class Referenced(NamedTuple):
    """Rows at the end of a path of references.

    Parameters
    ----------
    type : str
        Their type.
    rows : array of int, optional
        The row that each row reaches, -1 if a reference is missing; None without references.
    followed : sequence of str
        The references, without an attribute at the end.
    """

    type: str
    rows: NDArray[np.int64] | None
    followed: Sequence[str]

    def of_rows(self, column: Column) -> Column:
        """Return for each row at the beginning the value of the row at the end, missing if a reference is."""
        if self.rows is None:
            return column
        absent = np.array(np.nan if column.values.dtype.kind == "f" else -1, dtype=column.values.dtype)
        return replace(column, values=np.append(column.values, absent)[self.rows])


def referenced(references: Sequence[str], population: Population, type_name: str) -> Referenced:
    """Return the rows at the end of a path of references, for every row of a type; it may end at an attribute."""
    rows = None
    for place, link in enumerate(references):
        if link in population.tables[type_name].columns and place == len(references) - 1:
            return Referenced(type_name, rows, references[:place])
        target = _target(population, type_name, link)
        following = population.tables[type_name].links[link].first_targets
        rows, type_name = following[:-1] if rows is None else following[rows], target
    return Referenced(type_name, rows, references)


def own_column(path: syn.ValuePath, population: Population, type_name: str) -> Column:
    """Return the value at the end of a path of references for every row of a type; missing if a reference is.

    The last two names of the path may be a date and a date part.
    """
    *references, name = path
    end = referenced(references, population, type_name)
    if len(end.followed) < len(references):
        name = f"{references[-1]}.{name}"
    return end.of_rows(_column(name, population, end.type))


def _column(name: str, population: Population, type_name: str) -> Column:
    column = population.tables[type_name].column(name)
    if column is None and isinstance(name, syn.SmartsName):
        column = _pattern_column(name.pattern, population, type_name)
    if column is None:
        raise UnknownNameError(f"attribute of {type_name}", name, population.tables[type_name].columns)
    return column


def _pattern_column(pattern: str, population: Population, type_name: str) -> Column | None:
    """Return the atoms that match a SMARTS pattern, for data without the background knowledge of a grammar."""
    types = atom_types(population.schema)
    if types is None or types.atom != type_name:
        return None
    if problem := problem_of_pattern(pattern):
        raise GrammarError(problem)
    return bool_column(matching_atoms(population, [pattern])[pattern])


def _target(population: Population, type_name: str, link: str) -> str:
    declared = population.schema.type(type_name).link(link)
    if declared is None:
        raise UnknownNameError(f"link of {type_name}", link, population.tables[type_name].links)
    return declared.target


def compare_with(column: Column, op: str, value: Any) -> Mask:
    """Return a mask of the values of a column that satisfy a comparison; False for missing values."""
    if column.kind != "nominal":
        # Every comparison with NaN is false, except for !=.
        return np.asarray(_OPERATORS[op](column.values, value) & ~column.missing)
    return np.asarray(_OPERATORS[op](column.values, column.code(value)) & (column.values >= 0))


def compare_numbers(numbers: NDArray[np.int64], op: str, n: Any) -> Mask:
    """Return a mask of the numbers that satisfy a comparison."""
    return np.asarray(_OPERATORS[op](numbers, n))


def compare_columns(one: Column, other: Column, op: str) -> Mask:
    """Return a mask of the rows where two columns satisfy a comparison; categories are compared by name."""
    values, others = one.values, other.values
    if one.categories or other.categories:
        if op in ("=", "!="):
            codes = {name: code for code, name in enumerate(one.categories)}
            of_other = np.array([codes.setdefault(name, len(codes)) for name in other.categories] or [0])
            others = of_other[np.where(other.missing, 0, others).astype(np.int64)]
    elif one.kind != other.kind and {one.kind, other.kind} == {"date", "time"}:
        values, others = (column.values * DAY if column.kind == "date" else column.values for column in (one, other))
    return np.asarray(_OPERATORS[op](values, others) & ~one.missing & ~other.missing)


def _among(column: Column, values: tuple[Any, ...]) -> Mask:
    wanted = [column.code(v) for v in values] if column.kind == "nominal" else list(values)
    return np.isin(column.values, wanted)


def _n_true(adjacency: Adjacency, true: Mask) -> NDArray[np.int64]:
    """Return the number of targets of each row for which the mask is true."""
    running = np.zeros(len(adjacency.targets) + 1, dtype=np.int64)
    np.cumsum(true[adjacency.targets], out=running[1:])
    return np.asarray(running[adjacency.offsets[1:]] - running[adjacency.offsets[:-1]])


def different_targets(adjacency: Adjacency, masks: list[Mask]) -> Mask:
    """Return a mask of the rows for which each predicate can be satisfied by a different target.

    Counts decide most rows. Each predicate needs a target, and together the predicates need as many targets as there
    are predicates. If the predicates, sorted by count, have at least 1, 2, 3, ... targets, each of them gets its own.
    """
    n = len(masks)
    counts = np.sort([_n_true(adjacency, mask) for mask in masks], axis=0)
    result = np.asarray((counts[0] > 0) & (_n_true(adjacency, np.logical_or.reduce(masks)) >= n))
    unclear = np.flatnonzero(result & (counts < np.arange(1, n + 1)[:, None]).any(axis=0))
    if len(unclear):
        result[unclear] = _can_be_matched(adjacency, masks, unclear)
    return result


def _can_be_matched(adjacency: Adjacency, masks: list[Mask], rows: NDArray[np.int64]) -> Mask:
    """Return a mask of the rows for which a bipartite matching finds a different target for each predicate."""
    from scipy.sparse import csr_matrix  # type: ignore[import-untyped]  # scipy has no types
    from scipy.sparse.csgraph import maximum_bipartite_matching  # type: ignore[import-untyped]

    owners, places = np.repeat(np.arange(len(rows)), adjacency.n_of(rows)), adjacency.places(rows)
    predicates, chosen = np.nonzero([mask[adjacency.targets[places]] for mask in masks])
    edges = (np.ones(len(chosen), dtype=np.bool_), (owners[chosen] * len(masks) + predicates, chosen))
    graph = csr_matrix(edges, shape=(len(rows) * len(masks), len(places)))
    partners = maximum_bipartite_matching(graph, perm_type="column")
    return np.asarray((partners >= 0).reshape(len(rows), len(masks)).all(axis=1))
