"""Criteria: the score of a split, and a bound on the scores of its refinements.

A refinement only removes individuals from the yes branch, so its counts lie in the box below the current counts, and
every criterion here is quasi-concave on that box. The minimum is therefore at a corner, where each class stays or
leaves as a whole: the bound is the loss itself with other arguments. For regression the corner is a prefix or suffix
of the yes branch sorted by target.

Criteria compute *losses*, to be minimised: those of m candidates are an (m, 2) array whose rows are compared
lexicographically. The second component is 0 unless a criterion breaks ties. The formulas are compiled
(`structtree.tasks.losses`); the proofs are in ``docs/bounds.md``, also for the bounds of acc+, entropy, Gini,
square-root Gini, gain ratio and twoing. The bound for accuracy is that of Bowers, Giraud-Carrier and Lloyd (2000);
acc* and the bound for numbers follow Ng and Lloyd, "Predicate Selection for Structural Decision Trees" (2005).

A custom criterion is a subclass of `Criterion` in plain numpy; it is accepted wherever the name of a criterion is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from structtree.arrays import TOLERANCE, Floats, Mask
from structtree.errors import UnknownNameError, UsageError, require
from structtree.tasks import losses as kernel

__all__ = [
    "CRITERIA",
    "TOLERANCE",
    "Criterion",
    "RandomSplit",
    "better",
    "cannot_beat",
    "criterion",
    "random_split_of",
    "tried",
]

NO_TABLE = np.zeros(0)
NOT_COMPILED = -1
"""Kind of a criterion that is not compiled."""

TRIALS, REFINEMENTS = 200, 20
"""Number of random splits, and of refinements of each, that a bound is tested on."""

PLAUSIBLE = 1e-6
"""Relative difference up to which counts are equal, because of rounding."""


class Criterion:
    """Loss to minimise, with an optional bound; see :func:`criterion` for the built-in criteria.

    A custom criterion is a subclass with a `name` and an `impurity` or a `loss`. A `bound` lets the search prune;
    without one the search is exhaustive. The bound is tested on random refinements before it is used.

    Attributes
    ----------
    name : str
    task : str
        The name of the task, which determines the statistics: the weight of each class for ``"classes"``; weight, sum
        and sum of squares of centred labels for ``"numbers"``; for another task its own sums, the weight first.
    least : float
        Lower bound of all losses.
    kind : int
        Number of the compiled formula; not for custom criteria.
    is_one_sided : bool
        Whether only the yes branch needs the minimum number of individuals, as for rules.

    Examples
    --------
    >>> class Tsallis(Criterion):
    ...     name = "tsallis"
    ...
    ...     def impurity(self, sides):
    ...         weights = sides.sum(axis=1, keepdims=True)
    ...         return weights[:, 0] - (sides**3).sum(axis=1) / np.maximum(weights[:, 0] ** 2, 1)
    >>> Tsallis().loss([[2, 0], [1, 1]], [2, 2]).tolist()
    [[0.0, 0.0], [0.75, 0.0]]
    """

    name: str
    task: str = "classes"
    least: float = 0.0
    kind: int = NOT_COMPILED
    is_one_sided: bool = False

    def __repr__(self) -> str:
        return f"Criterion(name={self.name!r}, task={self.task!r})"

    @property
    def reads(self) -> _Reads:
        """Description of the statistics that the criterion uses."""
        return _READS.get(self.task, _ANY_SUMS)

    @property
    def is_compiled(self) -> bool:
        """True if the criterion is compiled."""
        return self.kind != NOT_COMPILED

    @property
    def is_multiway(self) -> bool:
        """True if the criterion applies to splits with more than two branches."""
        return type(self).impurity is not Criterion.impurity

    @property
    def has_bound(self) -> bool:
        """True if the criterion has a bound that is tighter than the smallest possible loss."""
        return type(self).bound is not Criterion.bound

    def impurity(self, sides: Floats) -> Floats:
        """Return the weight times the impurity of each branch, as (m,), or (m, 2) with a component for ties."""
        raise NotImplementedError

    def loss(self, yes: ArrayLike, total: ArrayLike) -> Floats:
        """Return the losses of m candidates, as (m,) or (m, 2): by default the mean impurity of both branches.

        Parameters
        ----------
        yes : (m, c) or (m, 3)
            Statistics of their yes branches.
        total : (c,) or (3,)
            Statistics of the node.
        """
        some, whole = self.sides(yes, total)
        return two_components(self.impurity(some) + self.impurity(whole - some)) / (self.weight(whole) or 1.0)

    def bound(self, yes: ArrayLike, total: ArrayLike) -> Floats:
        """Return a lexicographic lower bound on the losses of all refinements, in the form of `loss`."""
        return np.tile([self.least, -np.inf], (len(np.atleast_2d(yes)), 1))

    def label_bound(self, counts: Floats, values: Floats, total: Floats) -> Floats | None:
        """Return a bound that needs the weight of every distinct label, or None if the criterion has only `bound`.

        Parameters
        ----------
        counts : (m, n)
            The weight of each label in the yes branches.
        values : (n,)
            The labels, ascending and centred.
        total : (3,)
        """
        return None

    @property
    def guide(self) -> Criterion | None:
        """A criterion that guides a heuristic search better, because refinements change it gradually."""
        return None

    def sides(self, yes: ArrayLike, total: ArrayLike) -> tuple[Floats, Floats]:
        """Return the yes branches and the node as arrays, after checking that they fit the criterion.

        Examples
        --------
        >>> criterion("mse").sides([[3, 1]], [5, 5])
        Traceback (most recent call last):
            ...
        structtree.errors.UsageError: criterion 'mse' needs weight, sum and sum of squares of a node; got [5.0, 5.0]
        """
        some, whole = np.atleast_2d(np.asarray(yes, dtype=np.float64)), np.asarray(total, dtype=np.float64)
        _check_sides(self, some, whole)
        return some, whole

    def score(self, loss: float) -> float:
        """Convert the first component of the loss to a score, or a score to the loss."""
        return loss

    def weight(self, side: Floats) -> Any:
        """Return the total weight of a branch, or of each of several branches."""
        return self.reads.weight(side)

    def room(self, score: float) -> float:
        """Return the largest possible decrease of the loss of a split with this score.

        Examples
        --------
        >>> criterion("acc*").room(0.75), criterion("gini").room(0.1), criterion("gain-ratio").room(0.6)
        (0.25, 0.1, 0.4)
        """
        return max(0.0, self.score(score) - self.least)

    def unsplit(self, total: ArrayLike) -> Floats:
        """Return the loss without a split, as (2,): the impurity of the node itself.

        Examples
        --------
        >>> criterion("entropy").unsplit([1, 1]).tolist()
        [1.0, 0.0]
        """
        whole = np.asarray(total, dtype=np.float64)
        return np.asarray(two_components(self.loss(np.zeros((1, len(whole))), whole))[0])

    def slack(self, total: ArrayLike) -> float:
        """Return the tolerance for rounding errors in a loss; for regression in units of the variance.

        It is larger for gain ratio and square-root Gini if sums of weights are rounded.

        Examples
        --------
        >>> criterion("gini").slack([5, 5]) == TOLERANCE
        True
        """
        if self.reads.are_shares:
            return float(kernel.class_slack(self.kind, np.asarray(total, dtype=np.float64)))
        return TOLERANCE * self.unit(total)

    def unit(self, total: ArrayLike) -> float:
        """Return the scale of losses at a node: 1 if they are fractions of its weight, else the loss of the node."""
        return 1.0 if self.reads.are_shares else abs(float(self.unsplit(total)[0]))


class _Compiled(Criterion):
    """Built-in criterion with a compiled formula."""

    def __init__(self, name: str, kind: int, least: float = 0.0) -> None:
        self.name, self.kind, self.least = name, kind, least
        self.task = "numbers" if kind == kernel.MSE else "classes"

    @property
    def is_multiway(self) -> bool:
        """True for all criteria except twoing."""
        return self.kind != kernel.TWOING

    def impurity(self, sides: Floats) -> Floats:
        if self.kind == kernel.MSE and sides.shape[1:] != (3,):
            raise UsageError(
                "criterion 'mse' needs the weight, sum and sum of squares of each branch; "
                f"got an array of shape {sides.shape}"
            )
        if self.kind == kernel.ACCURACY_STAR:
            both = (kernel.side_impurities(kind, sides) for kind in (kernel.ACCURACY, kernel.ENTROPY))
            return np.stack(list(both), axis=1)
        return np.asarray(kernel.side_impurities(self.kind, sides))

    def loss(self, yes: ArrayLike, total: ArrayLike) -> Floats:
        some, whole = self.sides(yes, total)
        if self.kind == kernel.MSE:
            return np.asarray(kernel.moment_losses(some, whole)[0])
        return np.asarray(kernel.class_losses(self.kind, some, whole, NO_TABLE))

    def bound(self, yes: ArrayLike, total: ArrayLike) -> Floats:
        some, whole = self.sides(yes, total)
        if self.kind == kernel.MSE:
            return np.asarray(kernel.moment_losses(some, whole)[1])
        return np.asarray(kernel.assess_classes(self.kind, some, whole, NO_TABLE, np.inf, TOLERANCE)[1])

    @property
    def guide(self) -> Criterion | None:
        """The entropy for accuracy and gain ratio, which most refinements do not change."""
        return CRITERIA["entropy"] if self.kind in (kernel.ACCURACY, kernel.GAIN_RATIO) else None

    def score(self, loss: float) -> float:
        if self.kind in (kernel.ACCURACY, kernel.ACCURACY_STAR):
            return 1.0 - loss
        return 0.0 - loss if self.least < 0 else loss

    def __reduce__(self) -> tuple[Any, ...]:
        return criterion, (self.name,)


#: All criteria by name, the default for classes first.
CRITERIA: Mapping[str, Criterion] = MappingProxyType(
    {
        found.name: found
        for found in (
            _Compiled("acc*", kernel.ACCURACY_STAR),
            _Compiled("acc+", kernel.ACCURACY_PLUS),
            _Compiled("accuracy", kernel.ACCURACY),
            _Compiled("entropy", kernel.ENTROPY),
            _Compiled("gini", kernel.GINI),
            _Compiled("sqrt-gini", kernel.SQRT_GINI),
            _Compiled("gain-ratio", kernel.GAIN_RATIO, -1.0),
            _Compiled("twoing", kernel.TWOING, -0.25),
            _Compiled("mse", kernel.MSE),
        )
    }
)


def criterion(given: str | Criterion) -> Criterion:
    """Return a criterion by name; a custom criterion is returned after its bound has been tested.

    Examples
    --------
    >>> criterion("acc*")
    Criterion(name='acc*', task='classes')
    >>> criterion("entropi")
    Traceback (most recent call last):
        ...
    structtree.errors.UnknownNameError: unknown criterion 'entropi' (did you mean 'entropy'?)
    """
    require(given, str | Criterion, "criterion", "a name or a Criterion")
    if isinstance(given, str):
        if given not in CRITERIA:
            raise UnknownNameError("criterion", given, CRITERIA)
        given = CRITERIA[given]
    # A criterion for another task is tested once the task is known.
    return given if given.is_compiled or not given.reads.can_draw else tried(given, given.reads.random_split)


def better(a: ArrayLike, b: ArrayLike, slack: float = TOLERANCE) -> Mask:
    """Return whether loss a is lower than loss b by more than the slack; the second component breaks ties.

    Examples
    --------
    >>> better([[0.2, 0.9], [0.3, 0.5], [0.3, 0.7]], [0.3, 0.6]).tolist()
    [True, True, False]
    """
    one, other = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    first_a, first_b = one[..., 0], other[..., 0]
    ahead, behind = first_a < first_b - slack, first_a > first_b + slack
    return np.asarray(ahead | (~behind & (one[..., 1] < other[..., 1] - slack)))


def cannot_beat(bound: ArrayLike, best: ArrayLike, slack: float = TOLERANCE) -> Mask:
    """Return whether the best loss beats the bound, so that no refinement can be better or tie.

    Refinements that may still tie are kept, because ties go to the shorter predicate. A search that ignores ties can
    use ``~better(bound, best)`` instead.

    Examples
    --------
    >>> cannot_beat([[0.3, 0.7], [0.3, 0.6], [0.2, 0.9]], [0.3, 0.6]).tolist()
    [True, False, False]
    """
    return better(best, bound, slack)


def two_components(losses: ArrayLike) -> Floats:
    """Return losses as an array of shape (m, 2); a missing second component is 0."""
    found = np.asarray(losses, dtype=np.float64)
    return found if found.ndim == 2 else np.stack([found, np.zeros_like(found)], axis=1)


def _check_sides(own: Criterion, some: Floats, whole: Floats) -> None:
    """Reject invalid statistics, such as class counts for a criterion that needs moments."""
    reads = own.reads
    if whole.ndim != 1 or reads.width not in (None, len(whole)):
        raise UsageError(f"criterion {own.name!r} needs {reads.words} of a node; got {whole.tolist()}")
    if some.shape[1:] != whole.shape:
        raise UsageError(
            f"criterion {own.name!r} needs {reads.words} of each branch; got {some.tolist()} of {whole.tolist()}"
        )
    for sides in (whole[None, :], some):
        impossible = reads.impossible(sides, whole)
        if impossible.any():
            side = sides[int(np.argmax(impossible))].tolist()
            raise UsageError(
                f"criterion {own.name!r} needs {reads.words}; {side} is impossible in a node {whole.tolist()}"
            )


# ---- statistics ------------------------------------------------------------------------


class RandomSplit(NamedTuple):
    """Statistics of a random node, of its yes branch, and of refinements of that branch."""

    total: Floats
    yes: Floats
    refined: Floats


class _Reads:
    """Statistics that a criterion uses: sums over the individuals of a branch, the weight first."""

    words = "sums over the individuals"
    width: int | None = None
    #: Whether losses are fractions of the weight, so that they do not depend on the unit of the target.
    are_shares = False
    #: Whether random splits can be generated without a task.
    can_draw = False

    def weight(self, side: Floats) -> Any:
        """Return the total weight of a branch, or of each of several branches."""
        return side[..., 0]

    def impossible(self, sides: Floats, whole: Floats) -> Mask:
        """Return, for each branch, whether its sums are impossible for individuals of the node, up to rounding."""
        return np.zeros(len(sides), dtype=np.bool_)

    def random_split(self, rng: np.random.Generator) -> RandomSplit:
        """Return a random split for testing a criterion."""
        raise NotImplementedError


class _ClassWeights(_Reads):
    words = "the weight of each class"
    are_shares = can_draw = True

    def weight(self, side: Floats) -> Any:
        return side.sum(axis=-1)

    def impossible(self, sides: Floats, whole: Floats) -> Mask:
        slack = PLAUSIBLE * (1.0 + np.abs(whole))
        return np.asarray(((sides < -slack) | (sides > whole + slack)).any(axis=1))

    def random_split(self, rng: np.random.Generator) -> RandomSplit:
        total = rng.integers(0, 12, rng.integers(2, 5)).astype(np.float64)
        total[0] += not total.any()
        yes = np.floor(rng.random(len(total)) * (total + 1))
        some = np.floor(rng.random((REFINEMENTS, len(total))) * (yes + 1))
        return RandomSplit(total, yes[None, :], np.concatenate([some, rng.integers(0, 2, some.shape) * yes]))


class _Powers(_Reads):
    words = "weight, sum and sum of squares"
    width = 3
    can_draw = True

    def impossible(self, sides: Floats, whole: Floats) -> Mask:
        slack = PLAUSIBLE * (1.0 + np.abs(whole))
        weights, sums, squares = sides.T
        outside = (weights < -slack[0]) | (weights > whole[0] + slack[0]) | (squares < -slack[2])
        return np.asarray(outside | (sums**2 > weights * squares + slack[0] * (1.0 + np.abs(whole[2]))))

    def random_split(self, rng: np.random.Generator) -> RandomSplit:
        y = rng.integers(0, 9, rng.integers(2, 8)).astype(np.float64)
        y -= y.mean()
        return random_split_of(np.stack([np.ones_like(y), y, y * y], axis=1), rng)


def random_split_of(rows: Floats, rng: np.random.Generator) -> RandomSplit:
    """Return a random split of individuals with these statistics, and refinements of its yes branch."""
    inside = rng.random(len(rows)) < 0.7
    refined = inside & (rng.random((REFINEMENTS, len(rows))) < 0.6)
    return RandomSplit(rows.sum(axis=0), inside[None, :] @ rows, refined @ rows)


_READS: Mapping[str, _Reads] = MappingProxyType({"classes": _ClassWeights(), "numbers": _Powers()})
_ANY_SUMS = _Reads()


# ---- custom criteria ------------------------------------------------------------------------------------------


@lru_cache(maxsize=100)
def tried(own: Criterion, draw: Callable[[np.random.Generator], RandomSplit]) -> Criterion:
    """Return a custom criterion after testing its bound on random refinements.

    Parameters
    ----------
    draw : function
        Generates a random split with refinements.
    """
    rng = np.random.default_rng(0)
    for _ in range(TRIALS):
        total, yes, refined = draw(rng)
        losses, bound = two_components(own.loss(refined, total)), two_components(own.bound(yes, total))
        if losses.shape != (len(refined), 2) or bound.shape != (1, 2) or np.isnan(losses).any():
            raise UsageError(
                f"criterion {own.name!r} must return one or two numbers per candidate; for the yes branches "
                f"{refined.tolist()} of {total.tolist()} it returned {np.asarray(own.loss(refined, total)).tolist()}"
            )
        slack = own.slack(total)
        beaten = better(losses, bound, slack) | (losses[:, 0] < own.least - slack)
        if beaten.any():
            i = int(np.argmax(beaten))
            promised = f"bound {bound[0].tolist()}" if own.has_bound else f"least loss {own.least:g}"
            raise UsageError(
                f"the {promised} of criterion {own.name!r} is wrong: in a node {total.tolist()} the yes branch "
                f"{yes[0].tolist()} has the refinement {refined[i].tolist()} with loss {losses[i].tolist()}"
            )
    return own
