"""Values that value sources such as ``*`` and ``bins(k)`` produce on given data: thresholds, sets, intervals, counts.

``a >= *`` has a threshold between any two neighbouring values: for integers, the larger one (``<=``: the smaller
one); for reals, the midpoint, rounded to the fewest decimals that keep it in the middle half of the gap; for dates
and times, the start of a year, month, day and so on in the gap. ``bins(k)`` stands for k intervals of equal width
between the smallest and the largest finite value; the last one is closed, and the outer ones include infinite values.
``quantiles(k)`` stands for intervals with about the same number of rows. With ``>=`` and ``<=``, the inner edges of
the intervals are the thresholds; for integers they are rounded to equivalent integers. ``a in *`` stands for every
set of values, small sets first. ``count ... >= *`` stands for 1 up to the largest number of rows behind the link.
Only rows that can be reached from individuals are considered.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from structtree.data.dates import between
from structtree.data.schema import Kind
from structtree.lang import syntax as syn

__all__ = ["Interval", "Subsets", "counts", "cuts", "intervals", "midpoints", "scalars"]

_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval from low (included) to high (included if closed)."""

    low: float
    high: float
    closed: bool = False


class Subsets(Sequence[tuple[str, ...]]):
    """All non-empty sets of the given words, sorted by size and then alphabetically, and generated on demand.

    Parameters
    ----------
    words : iterable of str
    skipped : iterable of int
        The indices of the excluded sets in the list of all sets.

    Examples
    --------
    >>> sets = Subsets("ab")
    >>> len(sets), list(sets), sets.index(("a", "b"))
    (3, [('a',), ('b',), ('a', 'b')], 2)
    >>> list(Subsets("ab", skipped=[0, 1]))
    [('a', 'b')]
    """

    __slots__ = ("skipped", "words")

    def __init__(self, words: Iterable[str], skipped: Iterable[int] = ()) -> None:
        self.words = tuple(sorted(words))
        self.skipped = tuple(sorted(skipped))

    @property
    def n(self) -> int:
        """Number of sets, even if it is too large for ``len``."""
        return int(2 ** len(self.words) - 1 - len(self.skipped))

    def __len__(self) -> int:
        return min(self.n, sys.maxsize)  # the largest length that Python allows

    def __getitem__(self, place: int) -> tuple[str, ...]:  # type: ignore[override]  # no slices
        if not 0 <= place < self.n:
            raise IndexError(place)
        for skipped in self.skipped:
            place += skipped <= place
        size = 1
        while place >= comb(len(self.words), size):
            place -= comb(len(self.words), size)
            size += 1
        return tuple(self._of_size(size, place))

    def _of_size(self, size: int, place: int) -> Iterable[str]:
        n = len(self.words)
        for i, word in enumerate(self.words):
            with_it = comb(n - i - 1, size - 1) if size else 0
            if size and place < with_it:
                yield word
                size -= 1
            else:
                place -= with_it

    def find(self, chosen: Sequence[object]) -> int | None:
        """Return the index of a set of words, or None if it is not included."""
        place = self.place_among_all(chosen)
        if place is None:
            return None
        before = bisect_left(self.skipped, place)
        return None if place in self.skipped[before : before + 1] else place - before

    def place_among_all(self, chosen: Sequence[object]) -> int | None:
        """Return the index of a set of words among all sets, excluded or not; None if there is no such set."""
        wanted, n = set(chosen), len(self.words)
        if not wanted or not wanted <= set(self.words):
            return None
        place, left = sum(comb(n, size) for size in range(1, len(wanted))), len(wanted)
        for i, word in enumerate(self.words):
            if word in wanted:
                left -= 1
            elif left:
                place += comb(n - i - 1, left - 1)
        return place

    def without(self, places: Iterable[int]) -> Subsets:
        """Return the sets with some excluded, given their indices among all sets."""
        return Subsets(self.words, {*self.skipped, *places})


def cuts(source: syn.ValueSource, values: _Floats, kind: Kind, op: str) -> _Floats:
    """Return the sorted distinct thresholds of a source for ``>=`` or ``<=``.

    Examples
    --------
    >>> cuts(syn.Star(), np.array([2.0, 3.0, 3.0, 7.0]), "int", ">=").tolist()
    [3.0, 7.0]
    >>> cuts(syn.Star(), np.array([2.0, 3.0, 3.0, 7.0]), "real", ">=").tolist()
    [2.5, 5.0]
    """
    present = np.unique(values[~np.isnan(values)])
    match source:
        case syn.Star():
            return midpoints(present[:-1], present[1:], kind, op)
        case syn.Bins(k):
            return np.unique(_rounded(_edges(present, k)[1:-1], kind, op))
        case syn.Quantiles(k):
            return _quantile_cuts(values, k, kind, op)
        case syn.Listed() | syn.Range():
            return np.unique(np.array([float(v) for v in source.values]))


def intervals(source: syn.Bins | syn.Quantiles, values: _Floats, kind: Kind) -> tuple[Interval, ...]:
    """Return the intervals of a source, which are disjoint and cover all values.

    Examples
    --------
    >>> intervals(syn.Bins(2), np.array([0.0, 1.0, 4.0]), "real")
    (Interval(low=0.0, high=2.0, closed=False), Interval(low=2.0, high=4.0, closed=True))
    """
    present = np.unique(values[~np.isnan(values)])
    if not len(present):
        return ()
    if isinstance(source, syn.Bins):
        edges = _edges(present, source.k)
        edges = np.unique(edges if kind == "int" else np.r_[edges[0], _rounded(edges[1:-1], kind, ">="), edges[-1]])
    else:
        edges = np.unique(np.r_[present[0], _quantile_cuts(values, source.k, kind, ">="), present[-1]])
    if len(edges) == 1:
        return (Interval(float(edges[0]), float(edges[0]), closed=True),)
    last = len(edges) - 2
    return tuple(Interval(float(edges[i]), float(edges[i + 1]), i == last) for i in range(last + 1))


def scalars(source: syn.ValueSource, offered: tuple[syn.Scalar, ...]) -> tuple[syn.Scalar, ...]:
    """Return the values of a source for ``=`` and ``!=``, given the values of the data."""
    return tuple(dict.fromkeys(source.values)) if isinstance(source, syn.Listed | syn.Range) else offered


def counts(source: syn.ValueSource, most: int) -> tuple[int, ...]:
    """Return the numbers that a source produces for a ``count``, given the maximum number of rows."""
    if isinstance(source, syn.Listed | syn.Range):
        return tuple(sorted({int(v) for v in source.values}))
    return tuple(range(1, most + 1))


def midpoints(low: _Floats, high: _Floats, kind: Kind, op: str) -> _Floats:
    """Return a threshold between each pair of values: for integers, one of the two; else a short number between.

    Examples
    --------
    >>> midpoints(np.array([0.1]), np.array([0.5]), "real", ">=").tolist()
    [0.3]
    """
    if kind in ("int", "ordered"):
        return high if op == ">=" else low
    if kind in ("date", "time"):
        return between(low, high, kind, op)
    # Infinite values are treated as the largest finite ones, and half the gap between any two of those is finite.
    most = np.finfo(np.float64).max
    finite_low, finite_high = np.clip(low, -most, most), np.clip(high, -most, most)
    half = finite_high / 2 - finite_low / 2
    middle = finite_low + half
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        decimals = np.clip(np.ceil(-np.log10(half)), -307, 300)
        scale = 10.0**decimals
        rounded = np.round(middle * scale) / scale
        good = np.isfinite(rounded) & (np.abs(rounded - middle) <= half / 2) & (rounded > low) & (rounded < high)
    result = np.where(good, rounded, middle)
    # Between two adjacent floats there is no other: the larger one (for <=, the smaller one) is the threshold.
    stuck = (result <= low) if op == ">=" else (result >= high)
    return np.where(stuck, high if op == ">=" else low, result)


def _edges(present: _Floats, k: int) -> _Floats:
    """Return the edges of k intervals that cover all values, with equal width between the finite ones."""
    finite = present[np.isfinite(present)]
    if not len(finite):
        return present
    # Halved, because the distance between the extremes may overflow.
    low, high = finite[0] / 2, finite[-1] / 2
    edges = 2 * np.clip(low + (high - low) * (np.arange(k + 1) / k), low, high)
    edges[0], edges[-1] = present[0], present[-1]
    return np.asarray(edges)


def _rounded(thresholds: _Floats, kind: Kind, op: str) -> _Floats:
    """Round bin edges to thresholds: integers for integers, days and ranks; whole seconds for times in wide bins."""
    match kind:
        case "int" | "date" | "ordered":
            return np.asarray(np.ceil(thresholds) if op == ">=" else np.floor(thresholds))
        case "time":
            is_long = len(thresholds) < 2 or thresholds[1] - thresholds[0] >= 60
            return np.round(thresholds) if is_long else np.round(thresholds * 1e6) / 1e6
        case _:
            return thresholds


def _quantile_cuts(values: _Floats, k: int, kind: Kind, op: str) -> _Floats:
    """Return at most k - 1 thresholds between neighbouring values, with about equally many rows between them."""
    ranked = np.sort(values[~np.isnan(values)])
    if len(ranked) < 2:
        return ranked[:0]
    places = np.round(np.arange(1, k) * len(ranked) / k).astype(np.int64)
    above = np.searchsorted(ranked, ranked[np.clip(places, 0, len(ranked) - 1)], side="left")
    above = np.unique(above[above > 0])
    return np.unique(midpoints(ranked[above - 1], ranked[above], kind, op))
