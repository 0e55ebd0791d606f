"""Every way to divide the individuals of a node of a plain table by one question, and the best of them.

A question is what one rewrite of the grammar offers: all thresholds of a number, the values of a nominal attribute
one at a time, in sets, or all at once, or a single test. What the compiled sweeps of
`structtree.search.kernels.tables` cannot do is done here: many sides, individuals in parts, and divisions that know
only some of the individuals. It is plain numpy, but all questions of a sort are counted together, and all divisions
of a node judged together.

Law: where nothing is missing and all divisions have two sides, the best one is that of the sweeps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Floats, Ints
from structtree.data.population import Population
from structtree.data.schema import RecordType
from structtree.lang import syntax as syn
from structtree.models.settings import Growth
from structtree.models.tree import MissingRule, heaviest
from structtree.models.unknown import one_of, possibly, surely
from structtree.search.divisions import division_losses, information_gains
from structtree.search.kernels.grouping import FEW_VALUES, lies_in_a_plane, value_orders
from structtree.search.kernels.tables import AT_LEAST, EQUAL, SUBSET
from structtree.space.evaluate import holds
from structtree.space.values import midpoints
from structtree.splitters.attribute_tests import FlatTest, ListedTests
from structtree.splitters.splitter import SideValues
from structtree.splitters.table import without_mirrors
from structtree.tasks.criteria import TOLERANCE, Criterion, better
from structtree.tasks.target import Target

__all__ = ["Choice", "Division", "NodeSample", "Question", "Questions", "best_division", "questions_of"]


SWEPT = 4_000_000
"""Numbers that are added up at a time, to keep the memory for a large node in bounds."""


# ---- what is asked --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """Question of a rewrite, with the values that it is about.

    Parameters
    ----------
    test : FlatTest
    values : array
        By individual: numbers, NaN for unknown, or codes, -1 for unknown. The codes of a single test are 0 for yes
        and 1 for no.
    categories : tuple of str
        What the codes of a nominal attribute stand for.
    is_switch : bool
        Whether all values are sides.
    """

    test: FlatTest
    values: NDArray[Any]
    categories: tuple[str, ...] = ()
    is_switch: bool = False

    @property
    def is_about_numbers(self) -> bool:
        """Return whether it has thresholds."""
        return self.values.dtype.kind == "f"


@dataclass(frozen=True, slots=True, eq=False)
class Questions:
    """All that is asked, in the order of the grammar, and the values of all questions of a sort as one array."""

    all: tuple[Question, ...]
    #: Which of them are about numbers, and the numbers, as (questions, individuals).
    numeric: Ints = field(init=False)
    numbers: Floats = field(init=False)
    #: Which of them are about codes, the codes, and where those of each begin when all are counted through.
    coded: Ints = field(init=False)
    codes: Ints = field(init=False)
    firsts: Ints = field(init=False)
    #: Which of these are switches, which are about sets of values, and which are single tests.
    switching: NDArray[np.bool_] = field(init=False)
    grouping: NDArray[np.bool_] = field(init=False)
    single: NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        numeric = [i for i, question in enumerate(self.all) if question.is_about_numbers]
        coded = [i for i, question in enumerate(self.all) if not question.is_about_numbers]
        n = len(self.all[0].values) if self.all else 0
        sizes = [max(2, len(self.all[i].categories)) for i in coded]
        for name, value in (
            ("numeric", np.array(numeric, dtype=np.int64)),
            ("numbers", np.array([self.all[i].values for i in numeric]).reshape(len(numeric), n)),
            ("coded", np.array(coded, dtype=np.int64)),
            ("codes", np.array([self.all[i].values for i in coded], dtype=np.int64).reshape(len(coded), n)),
            ("firsts", np.cumsum([0, *sizes])),
            ("switching", np.array([self.all[i].is_switch for i in coded], dtype=np.bool_)),
            ("grouping", np.array([self.all[i].test.form == SUBSET for i in coded], dtype=np.bool_)),
            ("single", np.array([self.all[i].test.attribute is None for i in coded], dtype=np.bool_)),
        ):
            object.__setattr__(self, name, value)


def questions_of(listed: ListedTests, population: Population, record: RecordType, growth: Growth) -> Questions:
    """Questions that a grammar has for a plain table.

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
    >>> found = questions_of(listed, data, data.schema.type("Individual"), Growth(nominal="multiway"))
    >>> [(question.test.attribute, question.is_switch) for question in found.all]
    [('kind', True), ('size', False)]
    """
    with_gaps: set[str] = set()
    if growth.missing == "false":
        names = {test.attribute for test in listed.tests if test.attribute is not None}
        with_gaps = {name for name in names if population.column(name).missing.any()}
    tests = without_mirrors(listed.tests, with_gaps)
    return Questions(tuple(_question(test, population, record, growth) for test in tests))


def _question(test: FlatTest, population: Population, record: RecordType, growth: Growth) -> Question:
    if test.attribute is None:
        return Question(test, _single_codes(test.right, population, record, growth.missing))
    column = population.column(test.attribute)
    is_switch = growth.nominal == "multiway" and test.kind == "nominal" and test.form == EQUAL
    return Question(test, column.values, column.categories, is_switch)


def _single_codes(test: syn.Predicate, population: Population, record: RecordType, missing: MissingRule) -> Ints:
    if missing == "false":
        return np.where(holds(test, population), 0, 1)
    true, may_be = holds(surely(test, record), population), holds(possibly(test, record), population)
    return np.where(true, 0, np.where(may_be, -1, 1))


# ---- the individuals of a node --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class NodeSample:
    """The individuals at a node, in parts, and their targets.

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
        if self.target.classes:
            adds = np.zeros((len(self.rows), len(self.target.classes)))
            adds[np.arange(len(self.rows)), target] = weights
        else:
            centred = target - np.average(target, weights=weights)
            adds = np.stack([weights, weights * centred, weights * centred**2], axis=1)
        object.__setattr__(self, "adds", adds)
        object.__setattr__(self, "total", adds.sum(axis=0))

    def weights(self, sides: Floats) -> Floats:
        """The weight of each of some sides."""
        return np.asarray(sides.sum(axis=-1)) if self.target.classes else sides[..., 0]

    def rest(self, whole: Floats, part: Floats) -> Floats:
        """Return what is left of a whole, exactly 0 where nothing is left of a class."""
        left = whole - part
        return np.where(left > np.minimum(TOLERANCE * whole, 0.5), left, 0.0) if self.target.classes else left


# ---- the best division ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Division:
    """A way to divide a node.

    Parameters
    ----------
    test : Predicate or SideValues
        The latter if it is a switch.
    places : array of int
        For each of the sample which side it is on; -1 for unknown.
    n_sides : int
    loss : array
        Both components.
    tried : int
        How many divisions this is the best of.
    """

    test: syn.Predicate | SideValues
    places: Ints
    n_sides: int
    loss: Floats = field(default_factory=lambda: np.full(2, np.inf))
    tried: int = 0


class Choice(NamedTuple):
    """The best division of a node that was found, and whether it is known that there is no better one.

    Parameters
    ----------
    division : Division or None
        None where no question divides the node.
    proved : bool
        Of many sets of values only some are tried; see `structtree.search.kernels.grouping`.
    """

    division: Division | None
    proved: bool


def best_division(questions: Questions, sample: NodeSample, criterion: Criterion, growth: Growth) -> Choice:
    """The best way to divide a node; of equals the first.

    Examples
    --------
    >>> from structtree.lang.grammar import Grammar
    >>> from structtree.tasks.target import target_for
    >>> from structtree.splitters.attribute_tests import flat_tests
    >>> data = Population.from_records([{"kind": "a"}, {"kind": "b"}, {"kind": "c"}, {"kind": None}])
    >>> listed = flat_tests(Grammar.from_schema(data.schema).check(data.schema))
    >>> sample = NodeSample(np.arange(4), np.ones(4), target_for(["x", "y", "x", "x"], 4, "entropy"))
    >>> growth = Growth(nominal="multiway", missing="fractional")
    >>> questions = questions_of(listed, data, data.schema.type("Individual"), growth)
    >>> division = best_division(questions, sample, sample.target.criterion, growth).division
    >>> division.test.values, division.places.tolist()
    (('a', 'b', 'c'), [0, 1, 2, -1])
    """
    cells = _cells(questions, sample)
    sets = {found.asked_by: found for found in _by_sets(questions, cells, sample, growth)}
    by_sets = [found.offers for found in sets.values()]
    offers = _together(
        [*_by_thresholds(questions, sample, growth), _by_values(questions, cells, sample, growth), *by_sets]
    )
    large = np.bincount(offers.division[offers.sizes >= growth.min_samples_leaf - TOLERANCE], minlength=offers.n) >= 2
    losses = division_losses(criterion, offers.sides, offers.division, offers.n, sample.total)
    in_choice, merits = np.flatnonzero(large), losses
    if growth.average_gain_filter and len(in_choice):
        gains = information_gains(offers.sides, offers.division, offers.n, sample.total)
        in_choice = _of_average_gain(gains, offers.asked_by, in_choice)
        merits = np.stack([-gains, np.zeros(offers.n)], axis=1)
    slack = criterion.slack(sample.total)
    proved = all(_is_proved(found, merits, offers.asked_by, large, slack) for found in sets.values())
    if not len(in_choice):
        return Choice(None, proved)
    best = in_choice[_first_least(losses[in_choice], offers.asked_by[in_choice], slack)]
    asked_by, key = int(offers.asked_by[best]), offers.keys[best]
    division = _division(questions.all[asked_by], key, sets.get(asked_by), sample)
    division = replace(division, loss=losses[best], tried=int(large.sum()))
    if growth.missing == "false":
        division.places[division.places < 0] = _default_place(division, sample)
    return Choice(division, proved)


def _first_least(losses: Floats, asked_by: Ints, slack: float) -> int:
    tied = np.flatnonzero(losses[:, 0] <= losses[:, 0].min() + slack)
    tied = tied[losses[tied, 1] <= losses[tied, 1].min() + slack]
    return int(tied[np.argmin(asked_by[tied])])


def _of_average_gain(gains: Floats, asked_by: Ints, in_choice: Ints) -> Ints:
    """Best division of each question by gain, of those that gain at least as much as these do on average."""
    best = []
    for question in np.unique(asked_by[in_choice]):
        own = in_choice[asked_by[in_choice] == question]
        best.append(own[np.argmax(gains[own] >= gains[own].max() - TOLERANCE)])
    useful = np.array([division for division in best if gains[division] > TOLERANCE], dtype=np.int64)
    return useful[gains[useful] >= gains[useful].mean() - TOLERANCE] if len(useful) else useful


def _default_place(division: Division, sample: NodeSample) -> int:
    """The side of those who lack a value, where that is decided beforehand."""
    if not isinstance(division.test, SideValues):
        return 1
    known = division.places >= 0
    weights = np.bincount(division.places[known], sample.weights(sample.adds)[known], division.n_sides)
    return heaviest((weights / weights.sum()).tolist())


# ---- all divisions --------------------------------------------------------------------------------------------


class _Offers(NamedTuple):
    """Divisions: what their sides add up to, and how many individuals they have; who asks, and what exactly.

    That is for a threshold the values next to it, for one value of many its code, and for a set its number.
    """

    sides: Floats
    sizes: Floats
    division: Ints
    n: int
    asked_by: Ints
    keys: Floats


def _together(offers: list[_Offers]) -> _Offers:
    firsts = np.cumsum([0, *(offer.n for offer in offers)])
    return _Offers(
        np.concatenate([offer.sides for offer in offers]),
        np.concatenate([offer.sizes for offer in offers]),
        np.concatenate([offer.division + first for offer, first in zip(offers, firsts, strict=False)]),
        int(firsts[-1]),
        np.concatenate([offer.asked_by for offer in offers]),
        np.concatenate([offer.keys for offer in offers]),
    )


def _of_two(yes: Floats, no: Floats, n_yes: Floats, n_no: Floats, asked_by: Ints, keys: Floats) -> _Offers:
    """Divisions of two sides each."""
    places = np.arange(len(yes))
    sides, sizes = np.concatenate([yes, no]), np.concatenate([n_yes, n_no])
    return _Offers(sides, sizes, np.concatenate([places, places]), len(yes), asked_by, keys)


def _by_thresholds(questions: Questions, sample: NodeSample, growth: Growth) -> Iterator[_Offers]:
    """All thresholds of all numbers, some columns at a time."""
    step = max(1, SWEPT // max(1, sample.adds.size))
    for first in range(0, len(questions.numeric), step):
        some = slice(first, first + step)
        yield _swept(questions, questions.numeric[some], questions.numbers[some, sample.rows], sample, growth)


def _swept(questions: Questions, asking: Ints, values: Floats, sample: NodeSample, growth: Growth) -> _Offers:
    """The thresholds of some columns, from the least up; what is added up is the side below."""
    order = np.argsort(values, axis=1, kind="stable")  # NaN comes last
    ascending = np.take_along_axis(values, order, axis=1)
    sums, sizes = np.cumsum(sample.adds[order], axis=1), np.cumsum(sample.parts[order], axis=1)
    column, place = np.nonzero(ascending[:, 1:] > ascending[:, :-1])
    last = np.maximum(len(sample.rows) - np.isnan(values).sum(axis=1) - 1, 0)[column]
    below, n_below = sums[column, place], sizes[column, place]
    known, n_known = sums[column, last], sizes[column, last]
    is_above = np.array([questions.all[i].test.form == AT_LEAST for i in asking])[column]
    yes = np.where(is_above[:, None], sample.rest(known, below), below)
    n_yes = np.where(is_above, n_known - n_below, n_below)
    whole, n_whole = (sample.total, sample.parts.sum()) if growth.missing == "false" else (known, n_known)
    keys = np.stack([ascending[column, place], ascending[column, place + 1]], axis=1)
    return _of_two(yes, sample.rest(whole, yes), n_yes, n_whole - n_yes, asking[column], keys)


class _Cells(NamedTuple):
    """The values that occur at a node, question by question: which, and what those who have them add up to."""

    column: Ints
    code: Ints
    sides: Floats
    sizes: Floats

    def some(self, which: NDArray[np.bool_]) -> _Cells:
        """Some of them."""
        return _Cells(self.column[which], self.code[which], self.sides[which], self.sizes[which])


def _by_values(questions: Questions, cells: _Cells, sample: NodeSample, growth: Growth) -> _Offers:
    """All values of all nominal attributes, and all single tests."""
    n = len(questions.coded)
    cells = cells.some(~questions.grouping[cells.column])
    known = np.zeros((n, sample.adds.shape[1]))
    np.add.at(known, cells.column, cells.sides)
    n_known = np.bincount(cells.column, cells.sizes, n).astype(np.float64)
    whole, n_whole = known, n_known
    if growth.missing == "false":
        whole, n_whole = np.broadcast_to(sample.total, known.shape), np.full(n, sample.parts.sum())
    one = cells.some(~questions.switching[cells.column] & ~(questions.single[cells.column] & (cells.code == 1)))
    no, n_no = sample.rest(whole[one.column], one.sides), n_whole[one.column] - one.sizes
    keys = np.stack([one.code, one.code], axis=1).astype(np.float64)
    of_two = _of_two(one.sides, no, one.sizes, n_no, questions.coded[one.column], keys)
    lacking, n_lacking = sample.rest(whole, known), n_whole - n_known
    switched = cells.some(questions.switching[cells.column])
    return _together([of_two, _switches(questions, switched, sample, lacking, n_lacking)])


def _cells(questions: Questions, sample: NodeSample) -> _Cells:
    codes = questions.codes[:, sample.rows]
    asking, who = np.nonzero(codes >= 0)
    cell = questions.firsts[asking] + codes[asking, who]
    n = int(questions.firsts[-1])
    counts = np.bincount(cell, minlength=n)
    present = np.flatnonzero(counts)
    sides = np.stack([np.bincount(cell, column[who], n)[present] for column in sample.adds.T], axis=1)
    column = np.searchsorted(questions.firsts, present, side="right") - 1
    sizes = np.bincount(cell, sample.parts[who], n)[present]
    return _Cells(column, present - questions.firsts[column], sides.astype(np.float64), sizes.astype(np.float64))


def _switches(questions: Questions, cells: _Cells, sample: NodeSample, lacking: Floats, n_lacking: Floats) -> _Offers:
    """One division for each attribute; who lacks a value is on the heaviest side."""
    columns, division = np.unique(cells.column, return_inverse=True)
    for column in columns[n_lacking[columns] > 0]:
        own = np.flatnonzero(cells.column == column)
        weights = sample.weights(cells.sides[own])
        usual = own[heaviest((weights / weights.sum()).tolist())]
        cells.sides[usual] += lacking[column]
        cells.sizes[usual] += n_lacking[column]
    n = len(columns)
    return _Offers(cells.sides, cells.sizes, division, n, questions.coded[columns], np.zeros((n, 2)))


# ---- sets of values -------------------------------------------------------------------------------------------


class _Sets(NamedTuple):
    """Divisions by sets of the values that occur: the codes of these, and which of them are in each set.

    They are `enough` if the best of all sets is known to be among them, unless it leaves too few on a side, and `all`
    if they are all there are.
    """

    offers: _Offers
    asked_by: int
    present: Ints
    inside: NDArray[np.bool_]
    enough: bool
    all: bool

    def codes(self, i: int) -> Ints:
        """The values in one of them."""
        return np.asarray(self.present[self.inside[i]])


def _by_sets(questions: Questions, cells: _Cells, sample: NodeSample, growth: Growth) -> Iterator[_Sets]:
    for column in np.flatnonzero(questions.grouping):
        own = cells.some(cells.column == column)
        if len(own.code):
            yield _sets_of(int(questions.coded[column]), own, sample, growth)


def _sets_of(asked_by: int, cells: _Cells, sample: NodeSample, growth: Growth) -> _Sets:
    """The sets of values that are worth a look, those that are shorter to read first."""
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
    keys = np.stack([np.arange(len(yes), dtype=np.float64), np.zeros(len(yes))], axis=1)
    asking = np.full(len(yes), asked_by)
    offers = _of_two(yes, sample.rest(whole, yes), n_yes, n_whole - n_yes, asking, keys)
    return _Sets(offers, asked_by, cells.code, inside, in_plane or listed, listed)


def _every_set(n: int, gaps: bool) -> NDArray[np.bool_]:
    """All sets of n values; without gaps of a set and the others only one."""
    numbers = np.arange(1, 2 ** (n if gaps else n - 1))
    return np.asarray((numbers[:, None] >> np.arange(n)) & 1 == 1)


def _ends_of_orders(orders: Ints, gaps: bool) -> NDArray[np.bool_]:
    """The beginnings of some orders and, as those who have no value are on the no side, the ends."""
    n = orders.shape[1]
    beginnings = np.tri(n, dtype=np.bool_)[: n if gaps else n - 1]
    if gaps:
        orders = np.concatenate([orders, orders[:, ::-1]])
    inside = np.zeros((len(orders), len(beginnings), n), dtype=np.bool_)
    for i, order in enumerate(orders):
        inside[i][:, order] = beginnings
    return inside.reshape(-1, n)


def _shorter(inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the smaller of each set and its complement, or the one with the first value if both have as many."""
    n_inside, n = inside.sum(axis=1), inside.shape[1]
    turned = (2 * n_inside > n) | ((2 * n_inside == n) & ~inside[:, 0])
    return np.asarray(inside ^ turned[:, None])


def _is_proved(found: _Sets, merits: Floats, asked_by: Ints, large: NDArray[np.bool_], slack: float) -> bool:
    """Return whether the best set that leaves enough on both sides is known to be among those that were tried."""
    if found.all or not found.enough:
        return found.all
    own = asked_by == found.asked_by
    least, feasible = _least(merits[own]), _least(merits[own & large])
    return not bool(better(least, feasible, slack))


def _least(losses: Floats) -> Floats:
    if not len(losses):
        return np.array([np.inf, np.inf])
    return np.asarray(losses[np.lexsort((losses[:, 1], losses[:, 0]))[0]])


# ---- the division that was chosen -----------------------------------------------------------------------------


def _division(question: Question, key: Floats, sets: _Sets | None, sample: NodeSample) -> Division:
    """The division by a threshold between the values of the key, by the value it names, or by one of the sets."""
    values, test = question.values[sample.rows], question.test
    if question.is_switch:
        present = np.unique(values[values >= 0])
        places = np.where(values < 0, -1, np.searchsorted(present, values))
        names = tuple(question.categories[code] for code in present)
        return Division(SideValues(str(test.attribute), names), places, len(names))
    if test.attribute is None:
        return Division(test.right, values.astype(np.int64), 2)
    if test.kind == "nominal":
        codes = [int(key[0])] if sets is None else sets.codes(int(key[0])).tolist()
        found = one_of(test.attribute, (question.categories[code] for code in codes))
        unknown, is_yes = values < 0, np.isin(values, codes)
    else:
        assert test.kind is not None and isinstance(test.right, syn.Compare)
        found = test.at(float(midpoints(key[:1], key[1:], test.kind, test.right.op)[0]))
        unknown, is_yes = np.isnan(values), values >= key[1] if test.form == AT_LEAST else values <= key[0]
    return Division(found, np.where(unknown, -1, np.where(is_yes, 0, 1)), 2)
