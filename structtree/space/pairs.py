"""Conditions and expressions over pairs of rows: one that asks, and one that it has met.

Pairs are two arrays of row numbers. What a condition says of the far row alone is evaluated once for each row, as
everywhere, and looked up; only what speaks of the row that asks (``my``, ``me``) is evaluated pair by pair, and a
link in it multiplies the pairs by the rows that it leads to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Mask
from structtree.data.dates import DAY
from structtree.data.population import Adjacency, Column, Population
from structtree.data.schema import Kind
from structtree.lang import syntax as syn
from structtree.lang.aggregates import computed_attribute
from structtree.lang.background import arithmetic_kind
from structtree.lang.walk import asks_about_asker, inner_type
from structtree.space.aggregates import LinkedRows, aggregate
from structtree.space.evaluate import (
    Known,
    compare_columns,
    compare_numbers,
    compare_with,
    different_targets,
    own_column,
    rows_where,
)
from structtree.space.list_steps import runs_of

__all__ = ["Pairs", "PairsOnData", "row_values"]

MAX_EXPANDED = 1 << 22
"""How many pairs a link inside a condition may make at a time."""

_FIRST, _LAST = -62_135_596_800.0, 253_402_300_799.0
"""The seconds of the first and of the last moment that can be written."""


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Rows that ask, and the row that each has met."""

    askers: NDArray[np.int64]
    rows: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, which: Any) -> Pairs:
        """The chosen pairs."""
        return Pairs(self.askers[which], self.rows[which])

    def behind(self, adjacency: Adjacency) -> Pairs:
        """The same askers with all rows that a link of each far row leads to."""
        askers = np.repeat(self.askers, adjacency.n_of(self.rows))
        return Pairs(askers, adjacency.targets[adjacency.places(self.rows)].astype(np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class PairsOnData:
    """Evaluates what is said of pairs whose rows ask from one type, on one population; answers are kept.

    Parameters
    ----------
    population : Population
    asker : str
        The type of the rows that ask.
    """

    population: Population
    asker: str
    known: Known = field(default_factory=dict)
    columns: dict[tuple[str, syn.ValuePath], Column] = field(default_factory=dict)

    def where(self, condition: syn.Predicate, type_name: str, pairs: Pairs) -> Mask:
        """Return a mask of the pairs whose far row, of the type given, satisfies a condition."""
        if not asks_about_asker(condition):
            return rows_where(condition, self.population, type_name, self.known)[pairs.rows]
        match condition:
            case syn.Me():
                return np.asarray(pairs.rows == pairs.askers)
            case syn.CompareMine(path, op, mine):
                one = self._column(type_name, path).take(pairs.rows)
                return compare_columns(one, self._column(self.asker, mine).take(pairs.askers), op)
            case syn.And(parts):
                return self._all_of(parts, type_name, pairs)
            case syn.Or(parts):
                return np.asarray(np.logical_or.reduce([self.where(part, type_name, pairs) for part in parts]))
            case syn.Not(inner):
                return ~self.where(inner, type_name, pairs)
            case syn.Follow(_, inner) | syn.Exists(_, inner) | syn.ListStep(_, inner):
                return np.asarray(self._n_true(condition, inner, type_name, pairs) > 0)
            case syn.All(_, inner):
                return np.asarray(self._n_true(condition, syn.Not(inner), type_name, pairs) == 0)
            case syn.No(_, inner):
                return np.asarray(self._n_true(condition, inner, type_name, pairs) == 0)
            case syn.Count(_, inner, op, n):
                return compare_numbers(self._n_true(condition, inner, type_name, pairs), op, n)
            case syn.Distinct(_, inners):
                return self._distinct(condition, inners, type_name, pairs)
            case syn.Aggregate(op=op, value=value):
                return compare_with(self._aggregate(condition, type_name, pairs), op, value)
            case syn.Top() | syn.CompareOwn() | syn.Missing() | syn.Named():
                raise AssertionError("these say nothing of the row that asks")
            case _ if isinstance(condition, syn.AttributeTest):
                raise AssertionError("these say nothing of the row that asks")
            case _ as never:
                assert_never(never)

    def values(self, expression: syn.Expression, type_name: str, pairs: Pairs) -> Column:
        """Return what an expression computes for each pair whose far row is of the type given."""

        def operand(value: syn.Operand) -> Column:
            if value.mine:
                return self._column(self.asker, value.path).take(pairs.askers)
            return self._column(type_name, value.path).take(pairs.rows)

        return computed_column(expression, operand, len(pairs))

    def _column(self, type_name: str, path: syn.ValuePath) -> Column:
        found = self.columns.get((type_name, path))
        if found is None:
            found = self.columns[type_name, path] = own_column(path, self.population, type_name)
        return found

    def _all_of(self, parts: tuple[syn.Predicate, ...], type_name: str, pairs: Pairs) -> Mask:
        """Ask the cheap questions first, and the others only of the pairs that are left."""
        result = np.zeros(len(pairs), dtype=np.bool_)
        left = np.arange(len(pairs))
        for part in sorted(parts, key=_cost):
            left = left[self.where(part, type_name, pairs.take(left))]
        result[left] = True
        return result

    def _n_true(self, form: syn.LinkForm, inner: syn.Predicate, type_name: str, pairs: Pairs) -> NDArray[np.int64]:
        """For each pair, how many rows behind a link of its far row satisfy a predicate; some pairs at a time."""
        adjacency, target = self._behind(form, type_name)
        counts = np.zeros(len(pairs), dtype=np.int64)
        ends = np.cumsum(adjacency.n_of(pairs.rows))
        start = 0
        while start < len(pairs):
            before = int(ends[start - 1]) if start else 0
            stop = max(start + 1, int(np.searchsorted(ends, before + MAX_EXPANDED, side="right")))
            some = pairs.take(slice(start, stop))
            owners = np.repeat(np.arange(len(some)), adjacency.n_of(some.rows))
            true = self.where(inner, target, some.behind(adjacency))
            counts[start:stop] = np.bincount(owners[true], minlength=len(some))
            start = stop
        return counts

    def _distinct(self, form: syn.Distinct, inners: tuple[syn.Predicate, ...], type_name: str, pairs: Pairs) -> Mask:
        adjacency, target = self._behind(form, type_name)
        own, behind = Adjacency.in_order(adjacency.n_of(pairs.rows)), pairs.behind(adjacency)
        return different_targets(own, [self.where(inner, target, behind) for inner in inners])

    def _aggregate(self, test: syn.Aggregate, type_name: str, pairs: Pairs) -> Column:
        """What an aggregate over the rows that satisfy something compares, for each pair."""
        adjacency, target = self._behind(test, type_name)
        behind, columns = pairs.behind(adjacency), self.population.tables[target].columns
        rows = LinkedRows(
            Adjacency.in_order(adjacency.n_of(pairs.rows)),
            None if test.inner is None else self.where(test.inner, target, behind),
            None if test.attribute is None else columns[test.attribute].take(behind.rows),
            None if test.order is None else columns[test.order].take(behind.rows),
        )
        return aggregate(test.function, rows, computed_attribute(test, self.population.schema.type(target)))

    def _behind(self, form: syn.LinkForm | syn.Aggregate, type_name: str) -> tuple[Adjacency, str]:
        """Where a form looks, and the type of the rows there."""
        target = inner_type(form, type_name, self.population.schema)
        assert target is not None
        if isinstance(form, syn.ListStep):
            return runs_of(form, self.population, type_name).adjacency, target
        return self.population.tables[type_name].links[form.link], target


def _cost(part: syn.Predicate) -> int:
    """What is known for each row comes first, then comparisons, then what looks behind links."""
    if not asks_about_asker(part):
        return 0
    return (
        1
        if isinstance(part, syn.Me | syn.CompareMine)
        or (isinstance(part, syn.Not) and isinstance(part.inner, syn.Me))
        else 2
    )


# ---- expressions ----------------------------------------------------------------------------------------


def row_values(expression: syn.Expression, population: Population, type_name: str) -> Column:
    """Return what an expression computes for each row of a type.

    Examples
    --------
    >>> from structtree.lang.parse import parse_grammar
    >>> boxes = Population.from_records([{"a": 2, "b": 5}, {"a": 1}])
    >>> (twice,) = parse_grammar("attribute x: Individual = abs(a - b) / 2").computed
    >>> row_values(twice.expression, boxes, "Individual").values.tolist()
    [1.5, nan]
    """

    def operand(value: syn.Operand) -> Column:
        return own_column(value.path, population, type_name)

    return computed_column(expression, operand, population.tables[type_name].n_rows)


def computed_column(expression: syn.Expression, operand: Callable[[syn.Operand], Column], n: int) -> Column:
    """Return the values of an expression, given the columns of its operands."""
    with np.errstate(all="ignore"):  # what is no number is a missing value
        kind, values = _computed(expression, operand)
        found = np.array(np.broadcast_to(values, n), dtype=np.float64)
        if kind == "int":
            found[~np.isfinite(found)] = np.nan
        elif kind in ("date", "time"):
            seconds = found * DAY if kind == "date" else found
            found[~((seconds >= _FIRST) & (seconds <= _LAST))] = np.nan
    return Column(kind, found)


def _computed(
    expression: syn.Expression, operand: Callable[[syn.Operand], Column]
) -> tuple[Kind, NDArray[np.float64] | np.float64]:
    match expression:
        case int():
            return "int", np.float64(expression)
        case float():
            return "real", np.float64(expression)
        case syn.Operand():
            column = operand(expression)
            return column.kind, column.values
        case syn.Negative(inner):
            kind, values = _computed(inner, operand)
            return kind, -values
        case syn.Absolute(inner):
            kind, values = _computed(inner, operand)
            return kind, np.abs(values)
        case syn.Arithmetic(left, op, right):
            return _combined(*_computed(left, operand), op, *_computed(right, operand))
        case _ as never:
            assert_never(never)


def _combined(left: Kind, one: Any, op: str, right: Kind, other: Any) -> tuple[Kind, Any]:
    kind = arithmetic_kind(left, op, right)
    assert kind is not None, "the expression was checked"
    moments = ("date", "time")
    if left in moments or right in moments:
        if left == "date" and (right == "date" or kind == "date"):
            return kind, one - other if op == "-" else one + other
        if kind == "date":
            return kind, one + other
        one, other = (value * DAY if of != "time" else value for of, value in ((left, one), (right, other)))
        return kind, (one - other if op == "-" else one + other) / (1.0 if kind == "time" else DAY)
    match op:
        case "+":
            return kind, one + other
        case "-":
            return kind, one - other
        case "*":
            return kind, one * other
        case _:
            return kind, np.where(other == 0, np.nan, one / other)
