"""The values that a source offers on given data: thresholds, categories, intervals, counts.

The rules a person can predict. ``a >= *`` has a threshold between any two neighbouring values: for whole numbers
the greater of the two (``<=``: the smaller), for reals the midpoint, rounded to the fewest decimals that keep it
in the middle half of the gap; for dates and times the first of a year, a month, a day and so on there.
``bins(k)`` are k intervals of equal width between the least and the greatest finite
value, the last closed, and the outer ones with the infinite values beside them; ``quantiles(k)`` are
intervals of about equally many rows; with ``>=`` and ``<=`` both offer their inner edges, for whole numbers the next
whole number that says the same. ``a in *`` offers every set
of values, the small ones first. ``count ... >= *`` offers 1 up to the greatest number of rows that the link leads to.
Only rows that an individual of the population can reach are asked.
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
    """From low, included, up to high, which is included when closed."""

    low: float
    high: float
    closed: bool = False


class Subsets(Sequence[tuple[str, ...]]):
    """All sets of some words but the empty one, small ones first and then by alphabet; none of them is kept.

    Parameters
    ----------
    words : iterable of str
    skipped : iterable of int
        Places, in the list of all sets, of those that are left out.

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
        """Number of sets, however large."""
        return int(2 ** len(self.words) - 1 - len(self.skipped))

    def __len__(self) -> int:
        return min(self.n, sys.maxsize)  # no Python sequence may say more

    def __getitem__(self, place: int) -> tuple[str, ...]:  # type: ignore[override]  # there are no slices of it
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
        """The place of a set of words, if it is here."""
        place = self.place_among_all(chosen)
        if place is None:
            return None
        before = bisect_left(self.skipped, place)
        return None if place in self.skipped[before : before + 1] else place - before

    def place_among_all(self, chosen: Sequence[object]) -> int | None:
        """The place of a set of words in the list that skips none."""
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
        """The same sets but for some, by their places in the list that skips none."""
        return Subsets(self.words, {*self.skipped, *places})


def cuts(source: syn.ValueSource, values: _Floats, kind: Kind, op: str) -> _Floats:
    """The thresholds that a source offers for ``>=`` or ``<=``, sorted and without repeats.

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
    """The intervals that a source offers; together they cover all values, and no two overlap.

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
    """The values that a source offers for ``=`` and ``!=``, given those that the data has."""
    return tuple(dict.fromkeys(source.values)) if isinstance(source, syn.Listed | syn.Range) else offered


def counts(source: syn.ValueSource, most: int) -> tuple[int, ...]:
    """The numbers that a source offers for a count, when at most so many rows are there to count."""
    if isinstance(source, syn.Listed | syn.Range):
        return tuple(sorted({int(v) for v in source.values}))
    return tuple(range(1, most + 1))


def midpoints(low: _Floats, high: _Floats, kind: Kind, op: str) -> _Floats:
    """A threshold between each two values: of whole numbers one of them, else a short number near the middle.

    Examples
    --------
    >>> midpoints(np.array([0.1]), np.array([0.5]), "real", ">=").tolist()
    [0.3]
    """
    if kind in ("int", "ordered"):
        return high if op == ">=" else low
    if kind in ("date", "time"):
        return between(low, high, kind, op)
    # Infinite numbers are as good as the greatest ones, and half the gap between any two of those is a number.
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
    # Two neighbouring floats have no number between them: then the greater (for <=: the smaller) is the threshold.
    stuck = (result <= low) if op == ">=" else (result >= high)
    return np.where(stuck, high if op == ">=" else low, result)


def _edges(present: _Floats, k: int) -> _Floats:
    """The edges of k intervals that hold all values, of equal width between the finite ones."""
    finite = present[np.isfinite(present)]
    if not len(finite):
        return present
    # Halved: the greatest numbers may be too far apart for their distance to be a number.
    low, high = finite[0] / 2, finite[-1] / 2
    edges = 2 * np.clip(low + (high - low) * (np.arange(k + 1) / k), low, high)
    edges[0], edges[-1] = present[0], present[-1]
    return np.asarray(edges)


def _rounded(thresholds: _Floats, kind: Kind, op: str) -> _Floats:
    """Edges of bins as thresholds: of whole numbers, days and ranks the next one, of times whole seconds if long."""
    match kind:
        case "int" | "date" | "ordered":
            return np.asarray(np.ceil(thresholds) if op == ">=" else np.floor(thresholds))
        case "time":
            is_long = len(thresholds) < 2 or thresholds[1] - thresholds[0] >= 60
            return np.round(thresholds) if is_long else np.round(thresholds * 1e6) / 1e6
        case _:
            return thresholds


def _quantile_cuts(values: _Floats, k: int, kind: Kind, op: str) -> _Floats:
    """Thresholds after about each k-th part of the rows, each between two neighbouring values."""
    ranked = np.sort(values[~np.isnan(values)])
    if len(ranked) < 2:
        return ranked[:0]
    places = np.round(np.arange(1, k) * len(ranked) / k).astype(np.int64)
    above = np.searchsorted(ranked, ranked[np.clip(places, 0, len(ranked) - 1)], side="left")
    above = np.unique(above[above > 0])
    return np.unique(midpoints(ranked[above - 1], ranked[above], kind, op))
