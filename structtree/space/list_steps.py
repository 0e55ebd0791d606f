"""List steps: the elements that ``first``, ``last``, ``next``, ``previous`` and ``later`` lead to.

In the concatenation of all lists of a type, every step leads from a row to a run of consecutive elements. Witnesses
use these runs row by row, evaluation uses sums over runs, and the search uses them as an adjacency.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from structtree.data.population import Adjacency, Population, run_places
from structtree.lang import syntax as syn

__all__ = ["Runs", "runs_of"]

_Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """The run of list elements that a step leads to, for each row of a type.

    Parameters
    ----------
    elements : array of int
        The rows of all lists, concatenated.
    begin : array of int
        The start of each row's list in `elements`.
    start, stop : array of int
        The run of each row, from start (included) to stop (excluded); empty if the step has no target.
    links : tuple of (int, str)
        The start of the lists of each link, and the name of the link.
    """

    elements: NDArray[np.int32]
    begin: _Places
    start: _Places
    stop: _Places
    links: tuple[tuple[int, str], ...]

    @property
    def adjacency(self) -> Adjacency:
        """The runs as a link from each row to the list elements in its run."""
        lengths = self.stop - self.start
        return Adjacency.from_lengths(lengths, self.elements[run_places(self.start, lengths)])

    def any_true(self, true: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return a mask of the rows whose run has an element for which the given mask is true."""
        running = np.concatenate(([0], np.cumsum(true[self.elements])))
        return np.asarray(running[self.stop] > running[self.start])


def runs_of(step: syn.ListStep, population: Population, type_name: str) -> Runs:
    """Return the runs that a step leads to from the rows of a type.

    Examples
    --------
    >>> trains = Population.from_records([{"cars": [{"wheels": 2}, {"wheels": 3}]}, {"cars": [{"wheels": 4}]}])
    >>> runs_of(syn.ListStep("last", syn.TOP, "cars"), trains, "Individual").adjacency.targets.tolist()
    [1, 2]
    >>> runs_of(syn.ListStep("next", syn.TOP), trains, trains.schema.names[1]).adjacency.lengths.tolist()
    [1, 0, 0]
    """
    if step.link is not None:
        lists = population.tables[type_name].links[step.link]
        begin, end = lists.offsets[:-1], lists.offsets[1:]
        start = begin if step.step == "first" else np.maximum(end - 1, begin)
        return Runs(lists.targets, begin, start, np.minimum(start + 1, end), ((0, step.link),))
    return _between_neighbours(step, population, type_name)


def _between_neighbours(step: syn.ListStep, population: Population, type_name: str) -> Runs:
    """Return the runs that a step leads to from each list element; a row is in at most one list."""
    n_rows = population.tables[type_name].n_rows
    begin, end = np.zeros((2, n_rows), dtype=np.int64)
    place = np.full(n_rows, -1)
    elements, links, n_before = [np.zeros(0, dtype=np.int32)], [], 0
    for name, lists in _lists_of(population, type_name):
        targets = lists.targets
        begin[targets] = n_before + np.repeat(lists.offsets[:-1], lists.lengths)
        end[targets] = n_before + np.repeat(lists.offsets[1:], lists.lengths)
        place[targets] = n_before + np.arange(len(targets))
        links.append((n_before, name))
        elements.append(targets)
        n_before += len(targets)
    start = np.maximum(place - 1, begin) if step.step == "previous" else place + 1
    stop = {"previous": place, "next": np.minimum(place + 2, end)}.get(step.step, end)
    return Runs(np.concatenate(elements), begin, start, np.maximum(start, stop), tuple(links))


def _lists_of(population: Population, type_name: str) -> list[tuple[str, Adjacency]]:
    """Return the lists of rows of a type, each with the name of its link."""
    return [
        (link.name, population.tables[record.name].links[link.name])
        for record in population.schema.types
        for link in record.links
        if link.kind == "list" and link.target == type_name
    ]
