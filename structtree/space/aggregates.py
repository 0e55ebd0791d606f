"""Aggregates of linked rows, such as sums and means, computed for all owners at once.

Rows without a value are ignored. Sums are accumulated in the order of the link, so that rounding is reproducible.
Deviations and slopes are computed from scaled differences from the mean, which preserves precision for large numbers
that are close together. Law: the results equal the plain definitions in ``tests/space/truth.py``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import assert_never

import numpy as np

from structtree.arrays import Floats, Ints, Mask
from structtree.data.dates import DAY
from structtree.data.population import Adjacency, Column
from structtree.data.schema import Attribute
from structtree.lang import syntax as syn

__all__ = ["LinkedRows", "aggregate"]


@dataclass(frozen=True, slots=True)
class LinkedRows:
    """The input of an aggregate: the linked rows of each owner.

    Parameters
    ----------
    adjacency : Adjacency
    true : array of bool or None
        Mask of the target rows that satisfy the condition; None for all.
    column : Column or None
        The aggregated values of the target rows; None to count rows.
    order : Column or None
        The values that order the target rows; None for the order of the link.
    """

    adjacency: Adjacency
    true: Mask | None
    column: Column | None
    order: Column | None


def aggregate(function: syn.AggregateFunction, rows: LinkedRows, made: Attribute) -> Column:
    """Return the aggregate for every owner of the link, missing where it is undefined.

    Parameters
    ----------
    function : str
    rows : LinkedRows
    made : Attribute
        The kind and categories of the result; see `structtree.lang.aggregates.computed_attribute`.

    Examples
    --------
    >>> rows = LinkedRows(Adjacency.in_order([2, 0]), None, Column("real", np.array([1.0, 4.0])), None)
    >>> aggregate("range", rows, Attribute("amount", "real")).values.tolist()
    [3.0, nan]
    """
    match function:
        case "share":
            return Column(made.kind, _share(rows))
        case "latest" | "earliest":
            return _outermost(function, rows, made)
        case "distinct":
            return Column(made.kind, _n_distinct(rows))
        case "sum" | "mean" | "min" | "max" | "range" | "deviation" | "trend":
            return Column(made.kind, _of_values(function, rows))
        case _ as never:
            assert_never(never)


# ---- values behind a link -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Values:
    """The values to aggregate, grouped by owner, and the owner of each value."""

    n_rows: int
    owners: Ints
    values: Floats

    @property
    def counts(self) -> Ints:
        """The number of values of each owner."""
        return np.bincount(self.owners, minlength=self.n_rows)

    def sums(self, values: Floats) -> Floats:
        """Return the sum of the values of each owner."""
        # bincount adds sequentially, with the rounding of the reference implementation.
        return np.bincount(self.owners, weights=values, minlength=self.n_rows).astype(np.float64)

    def means(self, values: Floats) -> Floats:
        """Return the mean of the values of each owner, without overflow of the sums."""
        counts = np.maximum(self.counts, 1)
        totals = self.sums(values)
        if not np.isinf(totals).any():
            return np.asarray(totals / counts)
        return np.where(np.isinf(totals), self.sums(values / counts[self.owners]), totals / counts)

    def extremes(self, values: Floats, reduce: np.ufunc) -> Floats:
        """Return the minimum or maximum of the values of each owner; NaN for owners without values."""
        result = np.full(self.n_rows, np.nan)
        if len(values):
            starts = np.flatnonzero(np.r_[True, self.owners[1:] != self.owners[:-1]])
            result[self.owners[starts]] = reduce.reduceat(values, starts)
        return result

    def scaled(self, values: Floats) -> tuple[Floats, Floats]:
        """Return the differences from the mean, scaled by the largest of each owner, and these scales."""
        away = values - self.means(values)[self.owners]
        away = away - self.means(away)[self.owners]  # corrects the rounding error of the mean
        scale = self.extremes(np.abs(away), np.maximum)
        scale = np.where(scale == 0, 1.0, scale)
        return away / scale[self.owners], scale


def _places(rows: LinkedRows) -> Ints:
    """Return the indices of the linked rows that satisfy the condition and have both a value and an order value."""
    targets = rows.adjacency.targets
    counted = np.ones(len(targets), dtype=np.bool_) if rows.true is None else rows.true[targets]
    for column in (rows.column, rows.order):
        if column is not None:
            counted = counted & ~column.missing[targets]
    return np.flatnonzero(counted)


def _order(rows: LinkedRows, places: Ints) -> Floats:
    """Return the values that order the linked rows: days for dates and times, else the position in the list."""
    if rows.order is None:
        return (places - rows.adjacency.offsets[rows.adjacency.owners[places]]).astype(np.float64)
    found: Floats = rows.order.values[rows.adjacency.targets[places]]
    return found / DAY if rows.order.kind == "time" else found


# ---- the functions --------------------------------------------------------------------------------------------


def _share(rows: LinkedRows) -> Floats:
    lengths, owners = rows.adjacency.lengths, rows.adjacency.owners[_places(rows)]
    counts = np.bincount(owners, minlength=len(lengths))
    return np.asarray(np.divide(counts, lengths, out=np.full(len(lengths), np.nan), where=lengths > 0))


def _n_distinct(rows: LinkedRows) -> Floats:
    assert rows.column is not None
    places = _places(rows)
    different, codes = np.unique(rows.column.values[rows.adjacency.targets[places]], return_inverse=True)
    pairs = np.unique(rows.adjacency.owners[places] * max(1, len(different)) + codes)
    return np.bincount(pairs // max(1, len(different)), minlength=len(rows.adjacency)).astype(np.float64)


def _outermost(function: syn.AggregateFunction, rows: LinkedRows, made: Attribute) -> Column:
    """Return the value of the last or first linked row; ties are broken by the order of the link."""
    assert rows.column is not None
    places = _places(rows)
    owners = rows.adjacency.owners[places]
    ranked = places[np.lexsort((places, _order(rows, places), owners))]
    last = np.cumsum(np.bincount(owners, minlength=len(rows.adjacency)))
    first = np.r_[0, last[:-1]].astype(np.int64)
    has_one = last > first
    absent = -1 if rows.column.values.dtype.kind != "f" else np.nan
    values = np.full(len(rows.adjacency), absent, dtype=np.int32 if made.kind == "nominal" else np.float64)
    chosen = ranked[(last - 1 if function == "latest" else first)[has_one]]
    values[has_one] = rows.column.values[rows.adjacency.targets[chosen]]
    categories = rows.column.categories if rows.column.kind != "bool" else made.values
    return replace(rows.column, kind=made.kind, values=values, categories=categories)


def _of_values(function: str, rows: LinkedRows) -> Floats:
    """Return an aggregate of numbers; NaN if there are too few values, or if infinite values make it undefined."""
    assert rows.column is not None
    places = _places(rows)
    values = rows.column.values[rows.adjacency.targets[places]]
    of = _Values(len(rows.adjacency), rows.adjacency.owners[places], values)
    with np.errstate(invalid="ignore", over="ignore"):
        match function:
            case "sum":
                return of.sums(of.values)
            case "mean":
                return np.where(of.counts > 0, of.means(of.values), np.nan)
            case "min":
                return of.extremes(of.values, np.minimum)
            case "max":
                return of.extremes(of.values, np.maximum)
            case "range":
                return _ranges(of, of.values) / (DAY if rows.column.kind == "time" else 1.0)
            case "deviation":
                return _deviations(of)
            case _:
                return _slopes(of, _order(rows, places))


def _ranges(of: _Values, values: Floats) -> Floats:
    return of.extremes(values, np.maximum) - of.extremes(values, np.minimum)


def _deviations(of: _Values) -> Floats:
    """Return the sample standard deviations, computed in two passes: the means, then the squared differences."""
    parts, scale = of.scaled(of.values)
    counts = of.counts
    squares = of.sums(parts * parts)
    result = scale * np.sqrt(squares / np.maximum(counts - 1, 1))
    result[_ranges(of, of.values) == 0] = 0.0  # despite the rounding of the mean of equal numbers
    return np.where(counts > 1, result, np.nan)


def _slopes(of: _Values, order: Floats) -> Floats:
    """Return the slopes of the least-squares lines of the values over their order."""
    across, width = of.scaled(order)
    up, height = of.scaled(of.values)
    products, squares = of.sums(across * up), of.sums(across * across)
    slopes = products / np.where(squares == 0, np.nan, squares) * (height / width)
    slopes[_ranges(of, of.values) == 0] = 0.0
    return np.where(_ranges(of, order) > 0, slopes, np.nan)
