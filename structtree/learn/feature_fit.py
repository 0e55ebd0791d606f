"""Selection of features: relevant columns, each little correlated with those selected before it.

The columns are those of a forest (`structtree.learn.forest_fit`). The relevance of a column is the multiple
correlation of its best test with the target: the square root of the share of the variance that the split explains,
where the variance of classes is that of their indicators, so that it is the gain of Gini's criterion. The redundancy
of a column is its mean absolute correlation with the selected columns. Both are correlations, so that the next column
is the one with the greatest difference, as in the method of minimum redundancy and maximum relevance (Ding and Peng,
2005). Columns that nearly equal a selected one are skipped.

Law: with all columns, the relevance is that of plain counting, and the order that of a plain loop
(`tests/learn/test_features.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from structtree.arrays import Floats, Ints, Mask
from structtree.interrupts import interruptible
from structtree.lang import syntax as syn
from structtree.learn.forest_fit import column_notes, prepared_columns
from structtree.learn.growing import in_plain_units
from structtree.learn.learning_set import LearningSet
from structtree.models.conform import optional_members
from structtree.models.features import FeatureSet, SelectedFeature
from structtree.models.settings import Forest
from structtree.models.tree import Branch, Found, Leaf, Tree
from structtree.progress import report_status
from structtree.search.clock import Clock
from structtree.search.kernels import tables as kernel
from structtree.space.evaluate import rows_where
from structtree.splitters.attribute_tests import FlatTest
from structtree.splitters.binned import BinnedColumns
from structtree.tasks.target import Target, room, undivided

__all__ = ["select_features"]

COMPARED_PER_FEATURE = 20
"""Number of the most relevant columns that are compared with the selected ones, times the number to select."""

CORRELATED_ON = 5_000
"""Maximum number of individuals on which correlations are computed."""

NEARLY_EQUAL = 0.99
"""Absolute correlation with a selected column from which a column is skipped."""


def select_features(data: LearningSet, k: int, forest: Forest, clock: Clock, seed: int = 0) -> FeatureSet:
    """Select up to k features; fewer if fewer columns differ from each other and divide the individuals.

    Parameters
    ----------
    data : LearningSet
    k : int
    forest : Forest
        Its limits for columns apply.
    clock : Clock
    seed : int
        For the individuals on which correlations are computed, if there are many.
    """
    features, notes, n_columns = tuple[SelectedFeature, ...](), tuple[str, ...](), 0
    with interruptible(clock.stop):
        columns = prepared_columns(data, forest, clock)
        notes, n_columns = tuple(column_notes(columns, forest)), len(columns.binned.columns)
        candidates = _candidates(columns.binned, data.target)
        features = tuple(_selected(candidates, columns.binned, data.target, k, np.random.default_rng(seed)))
    clock.stop.handled = True
    chosen = FeatureSet(
        features,
        data.population.schema,
        tuple(_stumps(features, data)),
        n_columns,
        notes,
        tuple(data.grammar.functions.values()),
        background=data.grammar.background if data.grammar.background.steps else None,
        layout=data.layout,
    )
    return replace(chosen, optional=optional_members(data.population, chosen.needed))


def _stumps(features: Sequence[SelectedFeature], data: LearningSet) -> Iterator[Tree]:
    """Yield for each feature the tree with its predicate as the only test."""
    target, known = data.target, dict[tuple[str, syn.Predicate], Mask]()
    schema, rows = data.population.schema, data.population.individuals
    every = target.stats(np.arange(len(target.values)))
    base = undivided(target.criterion, every) if features else 0.0
    for each in features:
        passed = rows_where(each.predicate, data.population, schema.individual, known)[rows]
        yes, no = (target.stats(np.flatnonzero(which)) for which in (passed, ~passed))
        gain = each.relevance**2 * base
        found = Found(target.criterion.name, target.criterion.score(base - gain), gain, False, 0.0, 1, 0.0)
        leaves = Leaf(yes, room(target.criterion, yes)), Leaf(no, room(target.criterion, no))
        nodes = (Branch(each.predicate, 1, 2, every, found), *leaves)
        tree = Tree(nodes, schema, target.classes, lightest=target.lightest, task=target.task)
        yield in_plain_units(tree, target.units)


# ---- candidates ------------------------------------------------------------------------------------------------


class _Candidate(NamedTuple):
    """Column that may be selected.

    Parameters
    ----------
    test : int
        Its test among the binned columns.
    low, high : int
        The codes on both sides of the best threshold, or the code of the value.
    relevance : float
    is_number : bool
    """

    test: int
    low: int
    high: int
    relevance: float
    is_number: bool

    def codes(self, columns: BinnedColumns, rows: Ints) -> Floats:
        """Return the values of some individuals: bins of a number, NaN if missing, or truth values."""
        codes = columns.codes(self.test)[rows]
        if self.is_number:
            return np.where(codes < 0, np.nan, codes)
        return _holds(codes, int(columns.columns.tests[self.test, 1]), self.low).astype(np.float64)


def _holds(codes: Ints, form: int, low: int) -> Mask:
    """Return who satisfies a member of a test."""
    if form == kernel.AT_LEAST:
        return codes > low
    return codes == low if form == kernel.EQUAL else (codes >= 0) & (codes <= low)


def _candidates(columns: BinnedColumns, target: Target) -> list[_Candidate]:
    """Return the best member of each column of numbers or nested tests, and every value of a column of values."""
    labels, weights = _centred(target), target.weights
    variance = float((weights[:, None] * labels**2).sum())
    found, numbers = list[_Candidate](), dict[int, int]()
    for t in range(columns.n_tests if variance else 0):
        if t % 1_000 == 0:
            report_status("comparing columns", t, columns.n_tests)
        column, form = columns.columns.tests[t].tolist()
        is_number = numeric_test(columns.test(t)) is not None
        sums = _Sums.of(columns.codes(t), labels, weights)
        members = sums.members(form)
        gains = sums.gains(members, form) / variance
        chosen = np.flatnonzero(gains > 0)
        for place in chosen if form == kernel.EQUAL else chosen[gains[chosen].argsort(kind="stable")[-1:]]:
            low, high = members[place].tolist()
            each = _Candidate(t, low, high, min(1.0, float(np.sqrt(gains[place]))), is_number)
            if not is_number or column not in numbers:
                numbers |= {column: len(found)} if is_number else {}
                found.append(each)
            elif each.relevance > found[numbers[column]].relevance:  # both <= and >= are tests of a column with gaps
                found[numbers[column]] = each
    return found


def _centred(target: Target) -> Floats:
    """Return the labels as columns with a mean of 0: indicators of the classes, or numbers."""
    if target.classes:
        values = (target.values[:, None] == np.arange(len(target.classes))).astype(np.float64)
    else:
        values = np.asarray(target.values, dtype=np.float64).reshape(len(target.values), -1)
    return np.asarray(values - np.average(values, axis=0, weights=target.weights))


class _Sums(NamedTuple):
    """Weights and sums of labels by code; those of missing values come first.

    Parameters
    ----------
    weights : (codes + 1,) array
    labels : (codes + 1, k) array
    """

    weights: Floats
    labels: Floats

    @classmethod
    def of(cls, codes: Ints, labels: Floats, weights: Floats) -> _Sums:
        """Sum over the individuals."""
        places = codes.astype(np.int64) + 1
        each = [np.bincount(places, weights * column) for column in labels.T]
        return cls(np.bincount(places, weights).astype(np.float64), np.stack(each, axis=1))

    def members(self, form: int) -> Ints:
        """Return the lower and the upper code of each member; twice the value of a test of values."""
        present = np.flatnonzero(self.weights[1:])
        if form == kernel.EQUAL:
            return np.stack([present, present], axis=1)
        return np.stack([present[:-1], present[1:]], axis=1)

    def gains(self, members: Ints, form: int) -> Floats:
        """Return the variance that each member explains."""
        low, whole = members[:, 0] + 1, self.weights.sum()
        if form == kernel.EQUAL:
            weights, labels = self.weights[low], self.labels[low]
        else:
            below, sums = np.cumsum(self.weights[1:])[low - 1], np.cumsum(self.labels[1:], axis=0)[low - 1]
            is_upper = form == kernel.AT_MOST
            weights = below if is_upper else self.weights[1:].sum() - below
            labels = sums if is_upper else self.labels[1:].sum(axis=0) - sums
        others = whole - weights
        with np.errstate(divide="ignore", invalid="ignore"):
            gains = (labels**2).sum(axis=1) * (1 / weights + 1 / others)
        return np.where((weights > 0) & (others > 0), gains, 0.0)


def numeric_test(test: FlatTest) -> syn.Predicate | None:
    """Return a predicate that compares the number of a column; None for a column without one.

    Examples
    --------
    >>> wheels = FlatTest(syn.Compare("wheels", ">=", syn.Star()), kernel.AT_LEAST, "wheels", "int")
    >>> numeric_test(wheels)
    Compare(attribute='wheels', op='>=', value=0)
    >>> numeric_test(FlatTest(syn.Flag("long"), kernel.EQUAL))
    """
    if test.form not in (kernel.AT_LEAST, kernel.AT_MOST):
        return None
    if not test.steps:
        return test.at(0.0) if test.kind in ("int", "real", "date", "time", "ordered") else None
    first = test.steps[0]
    if len(test.steps) < 2 or not isinstance(first, syn.Count) or first.op != ">=":
        return None
    same = (isinstance(step, syn.Count) and replace(step, n=first.n) == first for step in test.steps)
    return first if all(same) else None


# ---- selection -------------------------------------------------------------------------------------------------


def _selected(
    candidates: Sequence[_Candidate], columns: BinnedColumns, target: Target, k: int, rng: np.random.Generator
) -> Iterator[SelectedFeature]:
    """Yield up to k candidates as features, each the best next one."""
    relevance = np.array([each.relevance for each in candidates])
    best = np.argsort(-relevance, kind="stable")[: COMPARED_PER_FEATURE * k]
    candidates, relevance = [candidates[place] for place in best.tolist()], relevance[best]
    rows = np.arange(len(target.weights))
    if len(rows) > CORRELATED_ON:
        rows = np.sort(rng.choice(rows, CORRELATED_ON, replace=False))
    values = _standardised(candidates, columns, rows, target.weights[rows])
    total, is_left = np.zeros(len(candidates)), np.ones(len(candidates), dtype=np.bool_)
    for n in range(k):
        if not is_left.any():
            return
        redundancy = total / max(1, n)
        place = int(np.where(is_left, relevance - redundancy, -np.inf).argmax())
        yield _feature(candidates[place], columns, float(redundancy[place]))
        correlations = np.abs(values @ values[place])
        total += correlations
        is_left &= correlations < NEARLY_EQUAL
        is_left[place] = False


def _standardised(candidates: Sequence[_Candidate], columns: BinnedColumns, rows: Ints, weights: Floats) -> Any:
    """Return the candidates as rows of length 1 about their mean, weighted; missing numbers are the mean."""
    found = np.zeros((len(candidates), len(rows)), dtype=np.float32)
    share = weights / weights.sum()
    for place, each in enumerate(candidates):
        values = each.codes(columns, rows)
        known = ~np.isnan(values)
        if known.any():
            values = np.where(known, values - np.average(values[known], weights=share[known]), 0.0) * np.sqrt(share)
            length = np.linalg.norm(values)
            found[place] = values / length if length > 0 else 0.0
    return found


def _feature(candidate: _Candidate, columns: BinnedColumns, redundancy: float) -> SelectedFeature:
    t, test = candidate.test, columns.test(candidate.test)
    chosen = float(columns.chosen(t, np.array([candidate.low]), np.array([candidate.high]))[0])
    if candidate.is_number and not test.steps:
        found = test.at(chosen)
    else:
        found = columns.predicate(t, chosen)
    return SelectedFeature(found, candidate.is_number, candidate.relevance, redundancy)
