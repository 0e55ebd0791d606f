"""Ensembles from grown trees: distinct tests become ladders, and the trees arrays that refer to them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from structtree.arrays import Floats, Ints
from structtree.lang import syntax as syn
from structtree.models.ensemble import EnsembleTrees
from structtree.models.ladders import Thresholds
from structtree.search.kernels import tables as kernel
from structtree.search.kernels.descending import no_children
from structtree.splitters.binned import BinnedColumns, BinnedTree
from structtree.tasks.statistics import PLAIN, Units
from structtree.tasks.task import Task

__all__ = ["Assembled", "assembled", "leaf_figures"]

LONGEST_LADDER = 60_000
"""Maximum number of tests of a ladder, whose ranks are 16-bit integers."""


@dataclass(frozen=True, slots=True, eq=False)
class Assembled:
    """Trees whose tests are ladders.

    Parameters
    ----------
    trees : EnsembleTrees
    ladders : tuple of sequence of Predicate
    gains : tuple of array
        The total gain of each test of each ladder.
    """

    trees: EnsembleTrees
    ladders: tuple[Sequence[syn.Predicate], ...]
    gains: tuple[Floats, ...]


class _Rungs(NamedTuple):
    """Members of a test, the most general first, and the place of each node on them."""

    test: int
    chosen: Floats
    nodes: Ints
    steps: Ints


def assembled(columns: BinnedColumns, grown: Sequence[BinnedTree], figures: Sequence[Floats]) -> Assembled:
    """Combine grown trees into an ensemble.

    Parameters
    ----------
    columns : BinnedColumns
    grown : sequence of BinnedTree
    figures : sequence of (leaves, k) array
        What the leaves of each tree store, in reading order; see `leaf_figures`.
    """
    tests, low, high, gain = (
        np.concatenate(parts) for parts in zip(*(tree[:3] + tree[4:5] for tree in grown), strict=True)
    )
    ladder_of, step_of = np.full(len(tests), -1, dtype=np.int32), np.zeros(len(tests), dtype=np.int32)
    ladders, gains = list[Sequence[syn.Predicate]](), list[Floats]()
    for rungs in _all_rungs(columns, tests, low, high):
        for one in _separate(rungs, columns):
            ladder_of[one.nodes], step_of[one.nodes] = len(ladders), one.steps
            gains.append(np.bincount(one.steps, gain[one.nodes], len(one.chosen)).astype(np.float64))
            ladders.append(_ladder(one, columns))
    trees, first = [], 0
    for tree, leaves in zip(grown, figures, strict=True):
        nodes = slice(first, first + len(tree.tests))
        no = no_children(ladder_of[nodes])
        trees.append(EnsembleTrees(ladder_of[nodes], step_of[nodes], no, np.zeros(1, dtype=np.int32), leaves))
        first = nodes.stop
    return Assembled(EnsembleTrees.joined(trees), tuple(ladders), tuple(gains))


def _all_rungs(columns: BinnedColumns, tests: Ints, low: Ints, high: Ints) -> list[_Rungs]:
    """Return the different members of each test that the nodes use."""
    order = np.argsort(tests, kind="stable")
    edges = np.searchsorted(tests[order], np.arange(columns.n_tests + 1)).tolist()
    found = []
    for t, (first, last) in enumerate(itertools.pairwise(edges)):
        nodes = order[first:last]
        if len(nodes):
            chosen, steps = np.unique(columns.chosen(t, low[nodes], high[nodes]), return_inverse=True)
            if columns.columns.tests[t, 1] == kernel.AT_MOST:  # the largest is the most general
                chosen, steps = chosen[::-1], len(chosen) - 1 - steps
            found.append(_Rungs(t, chosen, nodes, steps))
    return found


def _separate(rungs: _Rungs, columns: BinnedColumns) -> list[_Rungs]:
    """Return each value of a test of categories alone, since these tests are not nested; ladders have a limit."""
    most = 1 if columns.columns.tests[rungs.test, 1] == kernel.EQUAL else LONGEST_LADDER
    if len(rungs.chosen) <= most:
        return [rungs]
    order = np.argsort(rungs.steps, kind="stable")
    edges = np.searchsorted(rungs.steps[order], np.arange(0, len(rungs.chosen) + most, most)).tolist()
    return [
        _Rungs(rungs.test, rungs.chosen[first : first + most], nodes, rungs.steps[nodes_at] - first)
        for first, (low, high) in zip(range(0, len(rungs.chosen), most), itertools.pairwise(edges), strict=True)
        for nodes_at in [order[low:high]]
        for nodes in [rungs.nodes[nodes_at]]
    ]


def _ladder(rungs: _Rungs, columns: BinnedColumns) -> Sequence[syn.Predicate]:
    test = columns.test(rungs.test)
    if test.kind in ("int", "real") and test.form != kernel.EQUAL:
        values: list[Any] = [syn.written(value, test.kind) for value in rungs.chosen.tolist()]
        return Thresholds(test.of(values[0]), tuple(values))
    return tuple(columns.predicate(rungs.test, value) for value in rungs.chosen.tolist())


def leaf_figures(tree: BinnedTree, task: Task, units: Units = PLAIN) -> Floats:
    """Return what the leaves of a tree store, in the original units: class weights, or weight, mean and variance."""
    stats = tree.stats[tree.tests < 0]
    if task.predicts_classes:
        return stats * units.weight
    weight, mean, deviation = stats.T
    variance = deviation / weight
    return np.stack([weight * units.weight, units.zero + units.unit * mean, variance * units.unit**2], axis=1)
