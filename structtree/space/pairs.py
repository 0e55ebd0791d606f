"""Conditions and expressions over pairs of rows: the owner of a derived link and a linked row.

Pairs are stored as two arrays of row numbers. Conditions on the linked row alone are evaluated once per row and
looked up. Only conditions that mention the owner (``my``, ``me``) are evaluated for each pair; a link inside such a
condition expands each pair into one pair per linked row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from operator import add, mul, sub
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
from structtree.lang.walk import inner_type, mentions_owner
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
"""Maximum number of pairs that a link inside a condition expands to at a time."""

_FIRST, _LAST = -62_135_596_800.0, 253_402_300_799.0
"""The first and last time that can be printed, in seconds since 1970."""


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of an owner row and a linked row."""

    owners: NDArray[np.int64]
    rows: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, which: Any) -> Pairs:
        """Return some of the pairs, selected by a mask, indices or a slice."""
        return Pairs(self.owners[which], self.rows[which])

    def behind(self, adjacency: Adjacency) -> Pairs:
        """Follow a link: return the pairs of each owner with the rows that its linked rows lead to."""
        owners = np.repeat(self.owners, adjacency.n_of(self.rows))
        return Pairs(owners, adjacency.targets[adjacency.places(self.rows)].astype(np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class PairsOnData:
    """Evaluation of conditions and expressions over pairs, with a cache of results per row.

    Parameters
    ----------
    population : Population
    owner : str
        The type of the owner rows.
    """

    population: Population
    owner: str
    known: Known = field(default_factory=dict)
    columns: dict[tuple[str, syn.ValuePath], Column] = field(default_factory=dict)

    def where(self, condition: syn.Predicate, type_name: str, pairs: Pairs) -> Mask:
        """Return a mask of the pairs whose linked row, of the given type, satisfies a condition."""
        if not mentions_owner(condition):
            return rows_where(condition, self.population, type_name, self.known)[pairs.rows]
        match condition:
            case syn.Me():
                return np.asarray(pairs.rows == pairs.owners)
            case syn.CompareMine(path, op, mine):
                one = self._column(type_name, path).take(pairs.rows)
                return compare_columns(one, self._column(self.owner, mine).take(pairs.owners), op)
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
            case _ if isinstance(condition, syn.Atomic):
                raise AssertionError("expected a condition that mentions the owner")
            case _ as never:
                assert_never(never)

    def values(self, expression: syn.Expression, type_name: str, pairs: Pairs) -> Column:
        """Return the value of an expression for each pair; `type_name` is the type of the linked rows."""

        def operand(value: syn.Operand) -> Column:
            if value.mine:
                return self._column(self.owner, value.path).take(pairs.owners)
            return self._column(type_name, value.path).take(pairs.rows)

        return computed_column(expression, operand, len(pairs))

    def _column(self, type_name: str, path: syn.ValuePath) -> Column:
        found = self.columns.get((type_name, path))
        if found is None:
            found = self.columns[type_name, path] = own_column(path, self.population, type_name)
        return found

    def _all_of(self, parts: tuple[syn.Predicate, ...], type_name: str, pairs: Pairs) -> Mask:
        """Return a mask of the pairs that satisfy all parts; cheap parts are evaluated first."""
        result = np.zeros(len(pairs), dtype=np.bool_)
        left = np.arange(len(pairs))
        for part in sorted(parts, key=_cost):
            left = left[self.where(part, type_name, pairs.take(left))]
        result[left] = True
        return result

    def _n_true(self, form: syn.LinkForm, inner: syn.Predicate, type_name: str, pairs: Pairs) -> NDArray[np.int64]:
        """Count, for each pair, the rows that a link of its linked row leads to and that satisfy a predicate."""
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
        """Return the value of an aggregate for each pair."""
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
        """Return the adjacency of the link in a predicate, and the type of its targets."""
        target = inner_type(form, type_name, self.population.schema)
        assert target is not None
        if isinstance(form, syn.ListStep):
            return runs_of(form, self.population, type_name).adjacency, target
        return self.population.tables[type_name].links[form.link], target


def _cost(part: syn.Predicate) -> int:
    """Rank the cost of a condition: 0 if it does not mention the owner, 1 for a comparison, 2 for links."""
    if not mentions_owner(part):
        return 0
    return 1 if isinstance(part, syn.OwnerTest) or part == syn.Not(syn.Me()) else 2


# ---- expressions ----------------------------------------------------------------------------------------


def row_values(expression: syn.Expression, population: Population, type_name: str) -> Column:
    """Return the value of an expression for each row of a type.

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
    with np.errstate(all="ignore"):  # undefined results are missing values
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
        case syn.Smarts():
            raise AssertionError("is computed for all atoms at once, in structtree.space.background")
        case syn.Arithmetic(left, op, right):
            return _combined(*_computed(left, operand), op, *_computed(right, operand))
        case _ as never:
            assert_never(never)


def _combined(left: Kind, one: Any, op: str, right: Kind, other: Any) -> tuple[Kind, Any]:
    kind = arithmetic_kind(left, op, right)
    assert kind is not None, "the expression was checked"
    if op == "/":
        return kind, np.where(other == 0, np.nan, one / other)
    combine = {"+": add, "-": sub, "*": mul}[op]
    if "time" in (left, right, kind):
        one, other = (value * DAY if of != "time" else value for of, value in ((left, one), (right, other)))
        return kind, combine(one, other) / (1.0 if kind == "time" else DAY)
    return kind, combine(one, other)
