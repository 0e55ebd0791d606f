"""Compiled routing of individuals down a tree whose tests are all plain comparisons of attributes.

The columns of an array are read in place; other columns are copied side by side, in batches of rows.
Law: the leaves are the same as those found by evaluating each test separately.
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

INDIVIDUALS_PER_BATCH = 16_384
"""Number of individuals per batch: few enough for their values to fit into the processor cache."""

Compared = str | float | tuple[str, ...]


class Descent(NamedTuple):
    """Tree of plain comparisons, compiled for routing.

    Parameters
    ----------
    attributes : tuple of str
        The attributes that are compared.
    nodes : array
        Nodes in the format of the kernel; ``place`` is an index into the attributes.
    equal : dict from place to dict from node to value, or to a tuple of values
        The values that equality and membership tests compare with.
    """

    attributes: tuple[str, ...]
    nodes: NDArray[Any]
    equal: dict[int, dict[int, Compared]]

    @property
    def grouped(self) -> list[int]:
        """Indices of the attributes that are tested for membership in a set of categories."""
        return [place for place, values in self.equal.items() if any(isinstance(v, tuple) for v in values.values())]


class CompiledTest(NamedTuple):
    """Plain comparison, as an interval of numbers or a set of categories; the interval of a category is NaN."""

    attribute: str
    low: float
    high: float
    equal: Compared | None = None


def held(test: syn.Predicate) -> CompiledTest | None:
    """Compile a plain comparison to the interval of values that satisfy it; return None for other tests.

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
    """Compile a tree whose tests are all plain comparisons; return None for other trees.

    Parameters
    ----------
    tests : one for each node
        None in a leaf.
    sides : one for each node
        Indices of the yes and the no child.

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


def leaves_by(
    descent: Descent, population: Population, piece: int = INDIVIDUALS_PER_BATCH
) -> NDArray[np.int64] | None:
    """Return the leaf of each individual; None if the population lacks an attribute or has another kind."""
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
    if len(edges) < 6:  # not worth starting threads
        for first, last in pairwise(edges):
            action(first, last)
        return
    with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as threads:
        list(threads.map(action, edges[:-1], edges[1:]))


def _with_codes(descent: Descent, columns: Sequence[Column]) -> NDArray[Any]:
    """Replace the categories in the nodes by their codes in the data, or by NaN if the data lacks them."""
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
                _add_runs(node, _runs(code_of[each] for each in value if each in code_of), nodes, more)
    return np.concatenate([nodes, np.array(more, dtype=NODE)])


def _add_runs(node: int, runs: list[tuple[float, float]], nodes: NDArray[Any], more: list[tuple[Any, ...]]) -> None:
    """Test the first run of codes in the node itself, and the other runs in additional nodes."""
    _, _, place, no, yes, _ = nodes[node].tolist()
    for low, high in runs[:0:-1]:
        more.append((low, high, place, no, yes, 0))
        no = len(nodes) + len(more) - 1
    nodes["low"][node], nodes["high"][node] = runs[0] if runs else (nan, nan)
    nodes["no"][node] = no


def _runs(codes: Iterable[int]) -> list[tuple[float, float]]:
    """Return the first and last code of each run of consecutive codes.

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
    """Values of several columns: the position of each column, and a function that returns a range of rows."""

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
        cells.flags.writeable = False  # read-only like cells in place, so that one compiled version serves both
        return cells

    return _Cells(np.arange(len(columns), dtype=np.int32), of)


def _in_place(columns: Sequence[NDArray[Any]]) -> _Cells | None:
    """Return the columns as a view of the memory that they share; None if they are not stored together."""
    first = min(columns, key=_address)
    (step,) = first.strides
    offsets = [_address(values) - _address(first) for values in columns]
    if max(offsets) >= abs(step) or any(offset % 8 for offset in offsets):
        return None
    if any(v.dtype != np.float64 or v.strides != (step,) or not v.flags.aligned for v in columns):
        return None
    # Only the columns themselves are read, whatever lies between them in memory.
    cells = as_strided(first, (len(first), max(offsets) // 8 + 1), (step, 8), writeable=False)
    return _Cells(np.array(offsets, dtype=np.int32) // 8, lambda first, last: cells[first:last])


def _address(values: NDArray[Any]) -> int:
    return int(values.__array_interface__["data"][0])
