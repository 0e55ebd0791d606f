"""Individuals of a table go down a tree in compiled code, where all tests are plain comparisons.

The columns of an array are read where they are, without a copy; others are put side by side, some rows at a time.

Law: the leaves are those that asking every test by itself leads to.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from math import inf, nan
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from structtree.arrays import Floats
from structtree.data.population import Column, Population
from structtree.lang import syntax as syn
from structtree.search.kernels.descending import NODE, descend

__all__ = ["CompiledTest", "Descent", "descent_of", "held", "leaves_by"]

GOING_AT_A_TIME = 16_384
"""So many individuals go down a tree at a time: few enough for their values to stay near the processor."""

Compared = str | float | tuple[str, ...]


class Descent(NamedTuple):
    """A tree of plain comparisons.

    Parameters
    ----------
    attributes : tuple of str
        What is asked about.
    nodes : array
        As the kernel has them; their places are among the attributes.
    equal : dict from place to dict from node to value, or to a tuple of values
        Which nodes ask whether an attribute has one value, or one of several, and which.
    """

    attributes: tuple[str, ...]
    nodes: NDArray[Any]
    equal: dict[int, dict[int, Compared]]

    @property
    def grouped(self) -> list[int]:
        """The attributes that are asked about by sets of categories."""
        return [place for place, asked in self.equal.items() if any(isinstance(a, tuple) for a in asked.values())]


class CompiledTest(NamedTuple):
    """Between which values of an attribute a plain comparison holds, or for which; NaN for a category."""

    attribute: str
    low: float
    high: float
    equal: Compared | None = None


def held(test: syn.Predicate) -> CompiledTest | None:
    """Return the interval of values for which a test holds, if it is a plain comparison.

    Examples
    --------
    >>> held(syn.Compare("size", ">=", 3))
    CompiledTest(attribute='size', low=3.0, high=inf, equal=None)
    """
    match test:
        case syn.Flag(attribute, positive):
            return CompiledTest(attribute, float(positive), float(positive))
        case syn.Compare(attribute, "=", str() as value):
            return CompiledTest(attribute, nan, nan, value)
        case syn.Among(attribute, values) if all(isinstance(value, str) for value in values):
            return CompiledTest(attribute, nan, nan, tuple(map(str, values)))
        case syn.Compare(attribute, "=", int() | float() as value):
            return CompiledTest(attribute, float(value), float(value), value)
        case syn.Compare(attribute, ">=" | "<=" as op, int() | float() as value):
            return CompiledTest(attribute, -inf if op == "<=" else float(value), inf if op == ">=" else float(value))
        case _:
            return None


def descent_of(tests: Sequence[syn.Predicate | None], sides: Sequence[tuple[int, int]]) -> Descent | None:
    """A tree for the kernel, if all its tests are plain comparisons.

    Parameters
    ----------
    tests : one for each node
        None in a leaf.
    sides : one for each node
        Where yes and no lead.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> descent = descent_of([parse_predicate("size >= 3"), None, None], [(1, 2), (-1, -1), (-1, -1)])
    >>> data = Population.from_records([{"size": 1}, {"size": 5}])
    >>> leaves_by(descent, data).tolist()
    [2, 1]
    """
    place_of: dict[str, int] = {}
    equal: dict[int, dict[int, Compared]] = {}
    nodes: list[tuple[float, float, int, int, int, int]] = []
    for node, (test, (yes, no)) in enumerate(zip(tests, sides, strict=True)):
        if test is None:
            nodes.append((nan, nan, 0, node, node, 0))
            continue
        found = held(test)
        if found is None:
            return None
        place = place_of.setdefault(found.attribute, len(place_of))
        if found.equal is not None:
            equal.setdefault(place, {})[node] = found.equal
        nodes.append((found.low, found.high, place, no, yes, 0))
    return Descent(tuple(place_of), np.array(nodes, dtype=NODE), equal)


def leaves_by(descent: Descent, population: Population, piece: int = GOING_AT_A_TIME) -> NDArray[np.int64] | None:
    """The leaf of each individual; None where the data lacks an attribute, or has numbers for categories."""
    table = population.tables[population.schema.individual]
    columns = [column for name in descent.attributes if (column := table.column(name)) is not None]
    if len(columns) < len(descent.attributes):
        return None
    if any(columns[place].kind != "nominal" for place in descent.grouped):
        return None
    leaves = np.zeros(len(population), dtype=np.int64)
    if columns and len(leaves):
        nodes = _with_codes(descent, columns)
        cells = _cells_of([column.values for column in columns], population.individuals)
        nodes["place"] = cells.places[nodes["place"]]

        def some(first: int, last: int) -> None:
            descend(cells.of(first, last), nodes, leaves[first:last])

        _in_pieces(some, len(leaves), piece)
    return leaves


def _in_pieces(action: Callable[[int, int], None], n: int, piece: int) -> None:
    edges = [*range(0, n, piece), n]
    if len(edges) < 6:  # threads take a while to start
        for first, last in pairwise(edges):
            action(first, last)
        return
    with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as threads:
        list(threads.map(action, edges[:-1], edges[1:]))


def _with_codes(descent: Descent, columns: Sequence[Column]) -> NDArray[Any]:
    """The nodes, with codes for categories; one that the data does not have is like none of its own."""
    nodes, more = descent.nodes.copy(), list[tuple[Any, ...]]()
    for place, values in descent.equal.items():
        if columns[place].kind != "nominal":
            continue
        code_of = {category: code for code, category in enumerate(columns[place].categories)}
        single = [node for node, value in values.items() if not isinstance(value, tuple)]
        codes = [code_of.get(str(values[node]), nan) for node in single]
        nodes["low"][single] = nodes["high"][single] = codes
        for node, value in values.items():
            if isinstance(value, tuple):
                _ask_for_runs(node, _runs(code_of[each] for each in value if each in code_of), nodes, more)
    return np.concatenate([nodes, np.array(more, dtype=NODE)])


def _ask_for_runs(
    node: int, runs: list[tuple[float, float]], nodes: NDArray[Any], more: list[tuple[Any, ...]]
) -> None:
    """Test those who are not in the first run of codes for the next one, by a node that stands behind all others."""
    _, _, place, no, yes, _ = nodes[node].tolist()
    for low, high in runs[:0:-1]:
        more.append((low, high, place, no, yes, 0))
        no = len(nodes) + len(more) - 1
    nodes["low"][node], nodes["high"][node] = runs[0] if runs else (nan, nan)
    nodes["no"][node] = no


def _runs(codes: Iterable[int]) -> list[tuple[float, float]]:
    """The first and last of codes that follow each other.

    Examples
    --------
    >>> _runs([4, 1, 2])
    [(1, 2), (4, 4)]
    """
    runs: list[tuple[float, float]] = []
    for code in sorted(codes):
        if runs and runs[-1][1] == code - 1:
            runs[-1] = (runs[-1][0], code)
        else:
            runs.append((code, code))
    return runs


# ---- columns side by side -------------------------------------------------------------------------------


class _Cells(NamedTuple):
    """Columns side by side: at which places they are, and the rows from one individual to another."""

    places: NDArray[np.int32]
    of: Callable[[int, int], Floats]


def _cells_of(columns: Sequence[NDArray[Any]], rows: NDArray[np.int64]) -> _Cells:
    start, n = int(rows[0]), len(rows)
    if rows[-1] - start != n - 1 or not (np.diff(rows) == 1).all():
        return _copied(columns, lambda first, last: rows[first:last])
    run = [values[start : start + n] for values in columns]
    return _in_place(run) or _copied(run, slice)


def _copied(columns: Sequence[NDArray[Any]], which: Callable[[int, int], Any]) -> _Cells:
    def of(first: int, last: int) -> Floats:
        cells = np.empty((last - first, len(columns)))
        for place, values in enumerate(columns):
            cells[:, place] = values[which(first, last)]
        cells.flags.writeable = False  # as those that are in place, so that one compiled version is for both
        return cells

    return _Cells(np.arange(len(columns), dtype=np.int32), of)


def _in_place(columns: Sequence[NDArray[Any]]) -> _Cells | None:
    """The columns as parts of the same rows of memory, if that is what they are."""
    first = min(columns, key=_address)
    (step,) = first.strides
    offsets = [_address(values) - _address(first) for values in columns]
    if max(offsets) >= abs(step) or any(offset % 8 for offset in offsets):
        return None
    if any(v.dtype != np.float64 or v.strides != (step,) or not v.flags.aligned for v in columns):
        return None
    # Of each row only the columns themselves are looked at, whatever stands between them.
    cells = as_strided(first, (len(first), max(offsets) // 8 + 1), (step, 8), writeable=False)
    return _Cells(np.array(offsets, dtype=np.int32) // 8, lambda first, last: cells[first:last])


def _address(values: NDArray[Any]) -> int:
    return int(values.__array_interface__["data"][0])
