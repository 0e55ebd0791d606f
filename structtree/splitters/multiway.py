"""All multiway and binary splits of a table node, and the best of them.

A rewrite of the grammar offers all thresholds of a number, the values of a nominal attribute one at a time, in sets,
or all at once, or a single test. What the compiled sweeps of `structtree.search.kernels.tables` cannot do is done
here: many sides, individuals in parts, and divisions that know only some of the individuals. It is plain numpy, but
all columns of one form are counted together, and all divisions of a node judged together.

Law: where nothing is missing and all divisions have two sides, the best one is that of the sweeps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Codes, Floats, Ints
from structtree.data.population import Population
from structtree.data.schema import RecordType
from structtree.lang import syntax as syn
from structtree.models.routing.unknown import one_of, possibly, surely
from structtree.models.settings import Growth
from structtree.models.tree import heaviest
from structtree.search.clock import Clock
from structtree.search.divisions import division_losses, information_gains
from structtree.search.kernels.grouping import FEW_VALUES, lies_in_a_plane, value_orders
from structtree.search.kernels.tables import AT_LEAST, AT_MOST, EQUAL, MULTIWAY, SUBSET
from structtree.space.evaluate import holds
from structtree.space.values import midpoints
from structtree.splitters.attribute_tests import FlatTest, ListedTests
from structtree.splitters.splitter import SideValues
from structtree.splitters.table import ListedColumns, Tuning, columns_for, source_column
from structtree.tasks.criteria import TOLERANCE, Criterion, better
from structtree.tasks.statistics import group_sums
from structtree.tasks.target import Target

__all__ = ["Choice", "Division", "NodeSample", "best_division", "columns_to_divide"]


SWEPT = 4_000_000
"""Maximum number of values that are summed at once, to limit memory."""


# ---- the columns ----------------------------------------------------------------------------------------------


def columns_to_divide(
    listed: ListedTests, population: Population, record: RecordType, growth: Growth, tuning: Tuning | None = None
) -> ListedColumns:
    """Make columns for the multiway and fractional splits of a plain table.

    Nominal attributes have the form ``MULTIWAY`` where each value is a branch. Where unknown individuals are divided
    or follow the majority, the code of a single test is 1 if it surely fails, and -1 if it is unknown.

    Parameters
    ----------
    listed : ListedTests
        From `structtree.splitters.attribute_tests.flat_tests`.
    record : RecordType
        The individuals, with the categories that are known.
    growth : Growth

    Examples
    --------
    >>> from structtree.lang.grammar import Grammar
    >>> from structtree.splitters.attribute_tests import flat_tests
    >>> data = Population.from_records([{"size": 1, "kind": "a"}, {"size": 2, "kind": "b"}])
    >>> listed = flat_tests(Grammar.from_schema(data.schema).check(data.schema))
    >>> found = columns_to_divide(listed, data, data.schema.type("Individual"), Growth(nominal="multiway"))
    >>> [(test.attribute, test.form == MULTIWAY) for test in found.members.tests]
    [('kind', True), ('size', False)]
    """
    tests = tuple(_with_branches(test) for test in listed.tests) if growth.nominal == "multiway" else listed.tests
    is_false = growth.missing == "false"
    answer = None if is_false else partial(_three_valued, population, record)
    given = (listed._replace(tests=tests), population, Clock(), tuning or Tuning())
    return columns_for(*given, answer=answer, mirrors=is_false)


def _with_branches(test: FlatTest) -> FlatTest:
    return replace(test, form=MULTIWAY) if test.kind == "nominal" and test.form == EQUAL else test


def _three_valued(population: Population, record: RecordType, test: syn.Predicate) -> Codes:
    true, may_be = holds(surely(test, record), population), holds(possibly(test, record), population)
    return np.where(true, 0, np.where(may_be, -1, 1)).astype(np.int32)


# ---- the individuals of a node --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class NodeSample:
    """The individuals at a node, with their fractions and targets.

    Parameters
    ----------
    rows : array of int
        Which individuals.
    parts : array of float
        How much of each is here.
    target : Target
        Of all individuals.
    """

    rows: Ints
    parts: Floats
    target: Target
    #: What each adds to its side: its weight in its class; or weight, and weight times centred target and its square.
    adds: Floats = field(init=False)
    #: What all of them add up to.
    total: Floats = field(init=False)

    def __post_init__(self) -> None:
        target, weights = self.target.values[self.rows], self.target.weights[self.rows] * self.parts
        adds = self.target.task.matrix(target, weights)
        object.__setattr__(self, "adds", adds)
        object.__setattr__(self, "total", adds.sum(axis=0))

    def weights(self, sides: Floats) -> Floats:
        """Return the weight of each branch."""
        return np.asarray(self.target.criterion.weight(sides))

    def rest(self, whole: Floats, part: Floats) -> Floats:
        """Return the difference, with exact zeros for empty classes."""
        left = whole - part
        return np.where(left > np.minimum(TOLERANCE * whole, 0.5), left, 0.0) if self.target.classes else left


# ---- the best division ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Division:
    """Split of a node.

    Parameters
    ----------
    test : Predicate or SideValues
        The latter for a multiway split.
    places : array of int
        Index of the branch of each individual; -1 if unknown.
    n_sides : int
    loss : array
        Both components.
    tried : int
        Number of splits that were compared.
    """

    test: syn.Predicate | SideValues
    places: Ints
    n_sides: int
    loss: Floats = field(default_factory=lambda: np.full(2, np.inf))
    tried: int = 0


class Choice(NamedTuple):
    """The best split of a node that was found, and whether it is proved optimal.

    Parameters
    ----------
    division : Division or None
        None where no test divides the node.
    proved : bool
        Of many sets of values only some are tried; see `structtree.search.kernels.grouping`.
    """

    division: Division | None
    proved: bool


def best_division(columns: ListedColumns, sample: NodeSample, criterion: Criterion, growth: Growth) -> Choice:
    """Return the best split of a node; ties go to the first.

    Examples
    --------
    >>> from structtree.lang.grammar import Grammar
    >>> from structtree.tasks.target import target_for
    >>> from structtree.splitters.attribute_tests import flat_tests
    >>> data = Population.from_records([{"kind": "a"}, {"kind": "b"}, {"kind": "c"}, {"kind": None}])
    >>> listed = flat_tests(Grammar.from_schema(data.schema).check(data.schema))
    >>> sample = NodeSample(np.arange(4), np.ones(4), target_for(["x", "y", "x", "x"], 4, "entropy"))
    >>> growth = Growth(nominal="multiway", missing="fractional")
    >>> columns = columns_to_divide(listed, data, data.schema.type("Individual"), growth)
    >>> division = best_division(columns, sample, sample.target.criterion, growth).division
    >>> division.test.values, division.places.tolist()
    (('a', 'b', 'c'), [0, 1, 2, -1])
    """
    cells = _cells(columns, sample)
    sets = {found.test: found for found in _by_sets(columns, cells, sample, growth)}
    by_sets = [found.candidates for found in sets.values()]
    candidates = _together(
        [*_by_thresholds(columns, sample, growth), _by_values(columns, cells, sample, growth), *by_sets]
    )
    enough = candidates.sizes >= growth.min_samples_leaf - TOLERANCE
    large = np.bincount(candidates.division[enough], minlength=candidates.n) >= 2
    losses = division_losses(criterion, candidates.sides, candidates.division, candidates.n, sample.total)
    in_choice, merits = np.flatnonzero(large), losses
    if growth.average_gain_filter and len(in_choice):
        gains = information_gains(candidates.sides, candidates.division, candidates.n, sample.total)
        in_choice = _of_average_gain(gains, candidates.tests, in_choice)
        merits = np.stack([-gains, np.zeros(candidates.n)], axis=1)
    slack = criterion.slack(sample.total)
    proved = all(_is_proved(found, merits, candidates.tests, large, slack) for found in sets.values())
    if not len(in_choice):
        return Choice(None, proved)
    best = in_choice[_first_least(losses[in_choice], candidates.tests[in_choice], slack)]
    test, key = int(candidates.tests[best]), candidates.keys[best]
    division = _division(columns, test, key, sets.get(test), sample)
    division = replace(division, loss=losses[best], tried=int(large.sum()))
    if growth.missing == "false":
        division.places[division.places < 0] = _default_place(division, sample)
    return Choice(division, proved)


def _first_least(losses: Floats, tests: Ints, slack: float) -> int:
    tied = np.flatnonzero(losses[:, 0] <= losses[:, 0].min() + slack)
    tied = tied[losses[tied, 1] <= losses[tied, 1].min() + slack]
    return int(tied[np.argmin(tests[tied])])


def _of_average_gain(gains: Floats, tests: Ints, in_choice: Ints) -> Ints:
    """Return the split with the largest gain for each test, if that gain is at least average."""
    best = []
    for test in np.unique(tests[in_choice]):
        own = in_choice[tests[in_choice] == test]
        best.append(own[np.argmax(gains[own] >= gains[own].max() - TOLERANCE)])
    useful = np.array([division for division in best if gains[division] > TOLERANCE], dtype=np.int64)
    return useful[gains[useful] >= gains[useful].mean() - TOLERANCE] if len(useful) else useful


def _default_place(division: Division, sample: NodeSample) -> int:
    """Return the branch that individuals without a value follow when ``missing`` is ``"false"``."""
    if not isinstance(division.test, SideValues):
        return 1
    known = division.places >= 0
    weights = np.bincount(division.places[known], sample.weights(sample.adds)[known], division.n_sides)
    return heaviest((weights / weights.sum()).tolist())


# ---- all divisions --------------------------------------------------------------------------------------------


class _Candidates(NamedTuple):
    """Candidate splits: the sums and sizes of their branches, and the test and the key of each split.

    That is for a threshold the values next to it, for one value of many its code, and for a set its number.
    """

    sides: Floats
    sizes: Floats
    division: Ints
    n: int
    tests: Ints
    keys: Ints


def _together(candidates: list[_Candidates]) -> _Candidates:
    firsts = np.cumsum([0, *(each.n for each in candidates)])
    return _Candidates(
        np.concatenate([each.sides for each in candidates]),
        np.concatenate([each.sizes for each in candidates]),
        np.concatenate([each.division + first for each, first in zip(candidates, firsts, strict=False)]),
        int(firsts[-1]),
        np.concatenate([each.tests for each in candidates]),
        np.concatenate([each.keys for each in candidates]),
    )


def _of_two(yes: Floats, no: Floats, n_yes: Floats, n_no: Floats, tests: Ints, keys: Ints) -> _Candidates:
    """Create candidates with two branches each."""
    places = np.arange(len(yes))
    sides, sizes = np.concatenate([yes, no]), np.concatenate([n_yes, n_no])
    return _Candidates(sides, sizes, np.concatenate([places, places]), len(yes), tests, keys)


def _by_thresholds(columns: ListedColumns, sample: NodeSample, growth: Growth) -> Iterator[_Candidates]:
    """Yield candidates for all thresholds of all numeric columns, in batches of columns."""
    numeric = np.flatnonzero(columns.tests[:, 1] <= AT_MOST)
    step = max(1, SWEPT // max(1, sample.adds.size))
    for first in range(0, len(numeric), step):
        yield _swept(columns, numeric[first : first + step], sample, growth)


def _swept(columns: ListedColumns, tests: Ints, sample: NodeSample, growth: Growth) -> _Candidates:
    """Return candidates for all thresholds of some tests, computed from cumulative sums."""
    ranks = columns.values[np.ix_(columns.tests[tests, 0], sample.rows)]
    order = np.argsort(ranks.view(np.uint32), axis=1, kind="stable")  # missing ones come last
    ascending = np.take_along_axis(ranks, order, axis=1)
    sums, sizes = np.cumsum(sample.adds[order], axis=1), np.cumsum(sample.parts[order], axis=1)
    column, place = np.nonzero(ascending[:, 1:] > ascending[:, :-1])
    last = np.maximum(len(sample.rows) - (ranks < 0).sum(axis=1) - 1, 0)[column]
    below, n_below = sums[column, place], sizes[column, place]
    known, n_known = sums[column, last], sizes[column, last]
    is_above = (columns.tests[tests, 1] == AT_LEAST)[column]
    yes = np.where(is_above[:, None], sample.rest(known, below), below)
    n_yes = np.where(is_above, n_known - n_below, n_below)
    whole, n_whole = (sample.total, sample.parts.sum()) if growth.missing == "false" else (known, n_known)
    keys = np.stack([ascending[column, place], ascending[column, place + 1]], axis=1)
    return _of_two(yes, sample.rest(whole, yes), n_yes, n_whole - n_yes, tests[column], keys)


class _Cells(NamedTuple):
    """Values that occur at a node, for each test, with the sums over the individuals that have them."""

    test: Ints
    code: Ints
    sides: Floats
    sizes: Floats

    def some(self, which: NDArray[np.bool_]) -> _Cells:
        """Return a subset of the cells."""
        return _Cells(self.test[which], self.code[which], self.sides[which], self.sizes[which])


def _by_values(columns: ListedColumns, cells: _Cells, sample: NodeSample, growth: Growth) -> _Candidates:
    """Return candidates for all values of nominal attributes, and for all single tests."""
    spots, forms = columns.tests.T
    n = len(forms)
    cells = cells.some(forms[cells.test] != SUBSET)
    known = np.zeros((n, sample.adds.shape[1]))
    np.add.at(known, cells.test, cells.sides)
    n_known = np.bincount(cells.test, cells.sizes, n).astype(np.float64)
    whole, n_whole = known, n_known
    if growth.missing == "false":
        whole, n_whole = np.broadcast_to(sample.total, known.shape), np.full(n, sample.parts.sum())
    one = cells.some((forms[cells.test] == EQUAL) & (cells.code < columns.sizes[spots[cells.test]]))
    no, n_no = sample.rest(whole[one.test], one.sides), n_whole[one.test] - one.sizes
    keys = np.stack([one.code, one.code], axis=1)
    of_two = _of_two(one.sides, no, one.sizes, n_no, one.test, keys)
    lacking, n_lacking = sample.rest(whole, known), n_whole - n_known
    branching = cells.some(forms[cells.test] == MULTIWAY)
    return _together([of_two, _multiway(branching, sample, lacking, n_lacking)])


def _cells(columns: ListedColumns, sample: NodeSample) -> _Cells:
    coded = np.flatnonzero(columns.tests[:, 1] > AT_MOST)
    spots = columns.tests[coded, 0]
    codes = columns.values[np.ix_(spots, sample.rows)]
    # A single test has one member, but also a code for those who surely fail.
    firsts = np.concatenate(([0], np.cumsum(np.maximum(2, columns.sizes[spots]))))
    column, who = np.nonzero(codes >= 0)
    cell = firsts[column] + codes[column, who]
    n = int(firsts[-1])
    counts = np.bincount(cell, minlength=n)
    present = np.flatnonzero(counts)
    sides = group_sums(sample.adds[who], cell, n)[present]
    column = np.searchsorted(firsts, present, side="right") - 1
    sizes = np.bincount(cell, sample.parts[who], n)[present]
    return _Cells(coded[column], present - firsts[column], sides, sizes.astype(np.float64))


def _multiway(cells: _Cells, sample: NodeSample, lacking: Floats, n_lacking: Floats) -> _Candidates:
    """Return one multiway split per attribute; individuals without a value follow the heaviest branch."""
    tests, division = np.unique(cells.test, return_inverse=True)
    for test in tests[n_lacking[tests] > 0]:
        own = np.flatnonzero(cells.test == test)
        weights = sample.weights(cells.sides[own])
        usual = own[heaviest((weights / weights.sum()).tolist())]
        cells.sides[usual] += lacking[test]
        cells.sizes[usual] += n_lacking[test]
    n = len(tests)
    return _Candidates(cells.sides, cells.sizes, division, n, tests, np.zeros((n, 2), dtype=np.int64))


# ---- sets of values -------------------------------------------------------------------------------------------


class _Sets(NamedTuple):
    """Candidate splits by sets of values: the codes that occur, and which of them are in each set.

    They are `enough` if the best of all sets is known to be among them, unless it leaves too few on a side, and `all`
    if they are all there are.
    """

    candidates: _Candidates
    test: int
    present: Ints
    inside: NDArray[np.bool_]
    enough: bool
    all: bool

    def codes(self, i: int) -> Ints:
        """Return the codes of the values in one of the sets."""
        return np.asarray(self.present[self.inside[i]])


def _by_sets(columns: ListedColumns, cells: _Cells, sample: NodeSample, growth: Growth) -> Iterator[_Sets]:
    for test in np.flatnonzero(columns.tests[:, 1] == SUBSET).tolist():
        own = cells.some(cells.test == test)
        if len(own.code):
            yield _sets_of(test, own, sample, growth)


def _sets_of(test: int, cells: _Cells, sample: NodeSample, growth: Growth) -> _Sets:
    """Return the candidate sets of values of one attribute, shorter sets first."""
    classes, few = bool(sample.target.classes), len(cells.code) <= FEW_VALUES
    counts = np.ascontiguousarray(cells.sides if classes else cells.sides[:, :2])
    lacking = float(sample.parts.sum() - cells.sizes.sum())
    gaps = growth.missing == "false" and lacking > TOLERANCE
    tight = min(cells.sizes.min(), lacking if gaps else np.inf) < growth.min_samples_leaf - TOLERANCE
    in_plane = bool(lies_in_a_plane(counts, classes))
    listed = few and (tight or not in_plane)
    inside = _every_set(len(counts), gaps) if listed else _ends_of_orders(value_orders(counts, classes), gaps)
    if not gaps:
        inside = _shorter(inside)
    inside = inside[np.argsort(inside.sum(axis=1), kind="stable")]
    yes, n_yes = inside @ cells.sides, inside @ cells.sizes
    no_gaps = (cells.sides.sum(axis=0), cells.sizes.sum())
    whole, n_whole = (sample.total, sample.parts.sum()) if growth.missing == "false" else no_gaps
    keys = np.stack([np.arange(len(yes)), np.zeros(len(yes), dtype=np.int64)], axis=1)
    tests = np.full(len(yes), test)
    candidates = _of_two(yes, sample.rest(whole, yes), n_yes, n_whole - n_yes, tests, keys)
    return _Sets(candidates, test, cells.code, inside, in_plane or listed, listed)


def _every_set(n: int, gaps: bool) -> NDArray[np.bool_]:
    """Return all sets of n values; without missing values only one of each set and its complement."""
    numbers = np.arange(1, 2 ** (n if gaps else n - 1))
    return np.asarray((numbers[:, None] >> np.arange(n)) & 1 == 1)


def _ends_of_orders(orders: Ints, gaps: bool) -> NDArray[np.bool_]:
    """Return the prefixes of some orders of values as sets, and with missing values also the suffixes."""
    n = orders.shape[1]
    beginnings = np.tri(n, dtype=np.bool_)[: n if gaps else n - 1]
    if gaps:
        orders = np.concatenate([orders, orders[:, ::-1]])
    inside = np.zeros((len(orders), len(beginnings), n), dtype=np.bool_)
    for i, order in enumerate(orders):
        inside[i][:, order] = beginnings
    return inside.reshape(-1, n)


def _shorter(inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the smaller of each set and its complement; ties go to the one with the first value."""
    n_inside, n = inside.sum(axis=1), inside.shape[1]
    turned = (2 * n_inside > n) | ((2 * n_inside == n) & ~inside[:, 0])
    return np.asarray(inside ^ turned[:, None])


def _is_proved(found: _Sets, merits: Floats, tests: Ints, large: NDArray[np.bool_], slack: float) -> bool:
    """Return whether the best set with enough individuals in both branches is among those that were tried."""
    if found.all or not found.enough:
        return found.all
    own = tests == found.test
    least, feasible = _least(merits[own]), _least(merits[own & large])
    return not bool(better(least, feasible, slack))


def _least(losses: Floats) -> Floats:
    if not len(losses):
        return np.array([np.inf, np.inf])
    return np.asarray(losses[np.lexsort((losses[:, 1], losses[:, 0]))[0]])


# ---- the division that was chosen -----------------------------------------------------------------------------


def _division(columns: ListedColumns, t: int, key: Ints, sets: _Sets | None, sample: NodeSample) -> Division:
    """Return the split that a test and a key identify: by a threshold, a value or a set of values."""
    values = columns.values[columns.tests[t, 0], sample.rows]
    test, source = columns.members.tests[t], source_column(columns, t)
    if source is None:
        return Division(test.right, values.astype(np.int64), 2)
    if test.form == MULTIWAY:
        present = np.unique(values[values >= 0])
        places = np.where(values < 0, -1, np.searchsorted(present, values))
        names = tuple(source.categories[code] for code in present)
        return Division(SideValues(str(test.attribute), names), places, len(names))
    assert test.attribute is not None
    if test.kind == "nominal":
        codes = [int(key[0])] if sets is None else sets.codes(int(key[0])).tolist()
        found = one_of(test.attribute, (source.categories[code] for code in codes))
        is_yes = np.isin(values, codes)
    else:
        assert test.kind is not None and isinstance(test.right, syn.Compare)
        # The last row below the threshold and the first one above it, as in sorted order.
        rows = [np.flatnonzero(values == key[0])[-1:], np.flatnonzero(values == key[1])[:1]]
        low, high = (source.values[sample.rows[row]] for row in rows)
        found = test.at(float(midpoints(low, high, test.kind, test.right.op)[0]))
        is_yes = values >= key[1] if test.form == AT_LEAST else values <= key[0]
    return Division(found, np.where(values < 0, -1, np.where(is_yes, 0, 1)), 2)
