"""Every way to divide the individuals of a node of a plain table by one question, and the best of them.

A question is what one rewrite of the grammar offers: all thresholds of a number, the values of a nominal attribute
one at a time or all at once, or a single test. All divisions of a node are judged together, in plain numpy; what the
compiled sweeps of `structtree.search.kernels.flat` cannot do is done here: many sides, individuals in parts, and
divisions that know only some of the individuals.

Law: where nothing is missing and all divisions have two sides, the best one is that of the sweeps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structtree.data.columns import Population
from structtree.data.schema import RecordType
from structtree.lang.syntax import Compare, Predicate
from structtree.learn.evidence import Evidence
from structtree.learn.table import Asked, FlatTest, without_mirrors
from structtree.learn.tree import MissingRule, heaviest
from structtree.learn.unknown import possibly, surely
from structtree.search.criteria import TOLERANCE, Criterion
from structtree.search.divisions import division_losses, information_gains
from structtree.search.kernels.flat import AT_LEAST
from structtree.space.evaluate import holds
from structtree.space.values import midpoints

__all__ = ["Crowd", "Division", "Manner", "Question", "best_division", "questions_of"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Manner(NamedTuple):
    """How nodes are divided.

    Parameters
    ----------
    multiway : bool
        Whether a nominal attribute divides by all its values at once.
    missing : {"false", "majority", "fractional"}
        By the first, those who lack a value are on the no side, or in a switch on the heaviest one; by the others
        they are unknown to the division.
    average_gain : bool
        Whether only the questions with at least average information gain are in the choice.
    least : int
        How many individuals at least two of the sides must have.
    """

    multiway: bool = False
    missing: MissingRule = "false"
    average_gain: bool = False
    least: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """What a rewrite asks, with the values that it asks about.

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


@dataclass(frozen=True, slots=True, eq=False)
class Crowd:
    """The individuals at a node, in parts, and their targets.

    Parameters
    ----------
    rows : array of int
        Which individuals.
    parts : array of float
        How much of each is here.
    evidence : Evidence
        Of all individuals.
    """

    rows: Ints
    parts: Floats
    evidence: Evidence
    #: What each adds to its side: its weight in its class; or weight, and weight times centred target and its square.
    adds: Floats = field(init=False)

    def __post_init__(self) -> None:
        target, weights = self.evidence.target[self.rows], self.evidence.weights[self.rows] * self.parts
        if self.evidence.classes:
            adds = np.zeros((len(self.rows), len(self.evidence.classes)))
            adds[np.arange(len(self.rows)), target] = weights
        else:
            centred = target - np.average(target, weights=weights)
            adds = np.stack([weights, weights * centred, weights * centred**2], axis=1)
        object.__setattr__(self, "adds", adds)

    @property
    def size(self) -> float:
        """How many individuals all parts are together."""
        return float(self.parts.sum())

    @property
    def total(self) -> Floats:
        """What all of them add up to."""
        return np.asarray(self.adds.sum(axis=0))

    def weights(self, sides: Floats) -> Floats:
        """The weight of each of some sides."""
        return np.asarray(sides.sum(axis=-1)) if self.evidence.classes else sides[..., 0]

    def rest(self, whole: Floats, part: Floats) -> Floats:
        """What is left of a whole; no dust of rounding where there is nothing left of a class."""
        left = whole - part
        return np.where(left > TOLERANCE * whole, left, 0.0) if self.evidence.classes else left


@dataclass(frozen=True, slots=True, eq=False)
class Division:
    """A way to divide a node.

    Parameters
    ----------
    test : Predicate or None
        None if it is a switch.
    attribute, values : str and tuple of str
        Of a switch.
    places : array of int
        For each of the crowd which side it is on; -1 for unknown.
    n_sides : int
    loss : array
        Both components.
    tried : int
        How many divisions this is the best of.
    """

    test: Predicate | None
    attribute: str
    values: tuple[str, ...]
    places: Ints
    n_sides: int
    loss: Floats
    tried: int


def questions_of(asked: Asked, population: Population, record: RecordType, manner: Manner) -> tuple[Question, ...]:
    """What may be asked of a plain table.

    Parameters
    ----------
    asked : Asked
        From `structtree.learn.table.flat_tests`.
    record : RecordType
        The individuals, with the categories that are known.
    manner : Manner

    Examples
    --------
    >>> from structtree.lang.grammar import Grammar
    >>> from structtree.learn.table import flat_tests
    >>> data = Population.from_records([{"size": 1, "kind": "a"}, {"size": 2, "kind": "b"}])
    >>> asked = flat_tests(Grammar.from_schema(data.schema).check(data.schema))
    >>> found = questions_of(asked, data, data.schema.type("Individual"), Manner(multiway=True))
    >>> [(question.test.attribute, question.is_switch) for question in found]
    [('kind', True), ('size', False)]
    """
    with_gaps: set[str] = set()
    if manner.missing == "false":
        names = {test.attribute for test in asked.tests if test.attribute is not None}
        with_gaps = {name for name in names if population.column(name).missing.any()}
    tests = without_mirrors(asked.tests, with_gaps)
    return tuple(_question(test, population, record, manner) for test in tests)


def _question(test: FlatTest, population: Population, record: RecordType, manner: Manner) -> Question:
    if test.attribute is None:
        return Question(test, _single_codes(test.right, population, record, manner.missing))
    column = population.column(test.attribute)
    return Question(test, column.values, column.categories, manner.multiway and test.kind == "nominal")


def _single_codes(test: Predicate, population: Population, record: RecordType, missing: MissingRule) -> Ints:
    if missing == "false":
        return np.where(holds(test, population), 0, 1)
    true, may_be = holds(surely(test, record), population), holds(possibly(test, record), population)
    return np.where(true, 0, np.where(may_be, -1, 1))


def best_division(
    questions: Sequence[Question], crowd: Crowd, criterion: Criterion, manner: Manner
) -> Division | None:
    """The best way to divide a node; of equals the first. None where no question divides it.

    Examples
    --------
    >>> from structtree.lang.grammar import Grammar
    >>> from structtree.learn.evidence import evidence_for
    >>> from structtree.learn.table import flat_tests
    >>> data = Population.from_records([{"kind": "a"}, {"kind": "b"}, {"kind": "c"}, {"kind": None}])
    >>> asked = flat_tests(Grammar.from_schema(data.schema).check(data.schema))
    >>> crowd = Crowd(np.arange(4), np.ones(4), evidence_for(["x", "y", "x", "x"], 4, "entropy"))
    >>> manner = Manner(multiway=True, missing="fractional")
    >>> questions = questions_of(asked, data, data.schema.type("Individual"), manner)
    >>> division = best_division(questions, crowd, crowd.evidence.criterion, manner)
    >>> division.values, division.places.tolist()
    (('a', 'b', 'c'), [0, 1, 2, -1])
    """
    offers = [_offer(question, crowd, manner) for question in questions]
    found = _Offer.together(offers)
    large = np.bincount(found.division[found.sizes >= manner.least - TOLERANCE], minlength=found.n) >= 2
    if not large.any():
        return None
    total = crowd.total
    losses = division_losses(criterion, found.sides, found.division, found.n, total)
    asked_by = np.repeat(np.arange(len(offers)), [offer.n for offer in offers])
    in_choice = np.flatnonzero(large)
    if manner.average_gain:
        gains = information_gains(found.sides, found.division, found.n, total)
        in_choice = _of_average_gain(gains, asked_by, in_choice)
    if not len(in_choice):
        return None
    best = int(in_choice[_first_least(losses[in_choice], criterion.slack(total))])
    division = _division(questions[asked_by[best]], found.keys[best], crowd, losses[best], int(large.sum()))
    if manner.missing == "false":
        division.places[division.places < 0] = _default_place(division, crowd)
    return division


def _default_place(division: Division, crowd: Crowd) -> int:
    """The side of those who lack a value, where that is decided beforehand."""
    if division.test is not None:
        return 1
    known = division.places >= 0
    weights = np.bincount(division.places[known], crowd.weights(crowd.adds)[known], division.n_sides)
    return heaviest((weights / weights.sum()).tolist())


def _first_least(losses: Floats, slack: float) -> int:
    tied = np.flatnonzero(losses[:, 0] <= losses[:, 0].min() + slack)
    return int(tied[np.argmax(losses[tied, 1] <= losses[tied, 1].min() + slack)])


def _of_average_gain(gains: Floats, asked_by: Ints, in_choice: Ints) -> Ints:
    """Of each question the division that gains most, if it gains as much as these do on average, or more."""
    best = []
    for question in np.unique(asked_by[in_choice]):
        own = in_choice[asked_by[in_choice] == question]
        best.append(own[np.argmax(gains[own] >= gains[own].max() - TOLERANCE)])
    useful = np.array([division for division in best if gains[division] > TOLERANCE], dtype=np.int64)
    return useful[gains[useful] >= gains[useful].mean() - TOLERANCE] if len(useful) else useful


# ---- what a question offers -----------------------------------------------------------------------------------


class _Offer(NamedTuple):
    """Divisions: what their sides add up to, and how many individuals they have; and what is special about each.

    That is for a threshold the values next to it, and for one value of many its code.
    """

    sides: Floats
    sizes: Floats
    division: Ints
    n: int
    keys: Floats

    @classmethod
    def together(cls, offers: Sequence[_Offer]) -> _Offer:
        """All of them as one."""
        firsts = np.cumsum([0, *(offer.n for offer in offers)])
        return cls(
            np.concatenate([offer.sides for offer in offers]),
            np.concatenate([offer.sizes for offer in offers]),
            np.concatenate([offer.division + first for offer, first in zip(offers, firsts, strict=False)]),
            int(firsts[-1]),
            np.concatenate([offer.keys for offer in offers]),
        )

    @classmethod
    def of_two(cls, yes: Floats, no: Floats, n_yes: Floats, n_no: Floats, keys: Floats) -> _Offer:
        """Divisions of two sides each."""
        n = len(yes)
        return cls(np.concatenate([yes, no]), np.concatenate([n_yes, n_no]), np.tile(np.arange(n), 2), n, keys)


def _offer(question: Question, crowd: Crowd, manner: Manner) -> _Offer:
    values = question.values[crowd.rows]
    known = ~np.isnan(values) if values.dtype.kind == "f" else values >= 0
    lacking, n_lacking = np.zeros(crowd.adds.shape[1]), 0.0
    if manner.missing == "false":
        lacking, n_lacking = crowd.adds[~known].sum(axis=0), float(crowd.parts[~known].sum())
    if values.dtype.kind == "f":
        return _thresholds(question, crowd, values, known, lacking, n_lacking)
    return _values(question, crowd, values, known, lacking, n_lacking)


def _thresholds(
    question: Question, crowd: Crowd, values: Floats, known: NDArray[np.bool_], lacking: Floats, n_lacking: float
) -> _Offer:
    """All thresholds from the least up; those who lack a value are on the no side if they are on any."""
    rows = np.flatnonzero(known)
    order = rows[np.argsort(values[rows], kind="stable")]
    ascending = values[order]
    cuts = np.flatnonzero(ascending[1:] > ascending[:-1])
    sums, sizes = np.cumsum(crowd.adds[order], axis=0), np.cumsum(crowd.parts[order])
    whole, size = (sums[-1], sizes[-1]) if len(order) else (sums.sum(axis=0), 0.0)
    below, above = sums[cuts], crowd.rest(whole, sums[cuts])
    n_below, n_above = sizes[cuts], size - sizes[cuts]
    keys = np.stack([ascending[cuts], ascending[cuts + 1]], axis=1)
    if question.test.form == AT_LEAST:
        return _Offer.of_two(above, below + lacking, n_above, n_below + n_lacking, keys)
    return _Offer.of_two(below, above + lacking, n_below, n_above + n_lacking, keys)


def _values(
    question: Question, crowd: Crowd, codes: Ints, known: NDArray[np.bool_], lacking: Floats, n_lacking: float
) -> _Offer:
    """All values at once, one at a time, or a single test."""
    present, places = np.unique(codes[known], return_inverse=True)
    adds = crowd.adds[known].T
    sides = np.stack([np.bincount(places, column, len(present)) for column in adds], axis=1).astype(np.float64)
    sizes = np.bincount(places, crowd.parts[known], len(present)).astype(np.float64)
    if question.is_switch:
        if len(present):
            usual = heaviest((crowd.weights(sides) / crowd.weights(sides).sum()).tolist())
            sides[usual] += lacking
            sizes[usual] += n_lacking
        return _Offer(sides, sizes, np.zeros(len(present), dtype=np.int64), 1, np.zeros((1, 2)))
    keys = np.stack([present, present], axis=1).astype(np.float64)
    rest = crowd.rest(sides.sum(axis=0), sides) + lacking
    offer = _Offer.of_two(sides, rest, sizes, sizes.sum() - sizes + n_lacking, keys)
    return offer if question.test.attribute is not None else _only_yes(offer)


def _only_yes(offer: _Offer) -> _Offer:
    """Of a single test the division by yes, without the same one by no."""
    if not len(offer.keys) or offer.keys[0, 0] != 0:
        return _Offer(offer.sides[:0], offer.sizes[:0], offer.division[:0], 0, offer.keys[:0])
    first = offer.division == 0
    return _Offer(offer.sides[first], offer.sizes[first], offer.division[first], 1, offer.keys[:1])


# ---- the division that was chosen -----------------------------------------------------------------------------


def _division(question: Question, key: Floats, crowd: Crowd, loss: Floats, tried: int) -> Division:
    values, test = question.values[crowd.rows], question.test
    if question.is_switch:
        present = np.unique(values[values >= 0])
        places = np.where(values < 0, -1, np.searchsorted(present, values))
        names = tuple(question.categories[code] for code in present)
        return Division(None, str(test.attribute), names, places, len(names), loss, tried)
    if test.attribute is None:
        return Division(test.right, "", (), values.astype(np.int64), 2, loss, tried)
    assert isinstance(test.right, Compare)
    if test.kind == "nominal":
        places = np.where(values < 0, -1, np.where(values == key[0], 0, 1))
        found = Compare(test.attribute, "=", question.categories[int(key[0])])
        return Division(found, "", (), places, 2, loss, tried)
    assert test.kind is not None
    (cut,) = midpoints(key[:1], key[1:], test.kind, test.right.op).tolist()
    is_yes = values >= cut if test.form == AT_LEAST else values <= cut
    places = np.where(np.isnan(values), -1, np.where(is_yes, 0, 1))
    whole = test.kind == "int" and cut.is_integer()
    found = Compare(test.attribute, test.right.op, int(cut) if whole else cut)
    return Division(found, "", (), places, 2, loss, tried)
