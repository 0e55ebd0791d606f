"""Cross-validation of estimators, with significance tests for their differences.

The splitters and scores are scikit-learn's. Scores of different folds are not independent, because the folds share
most training individuals. The paired t test is therefore corrected as in C. Nadeau and Y. Bengio, "Inference for the
Generalization Error" (Machine Learning 52, 2003): the variance of the mean difference is (1/k + n_test/n_train) times
that of the k differences, not 1/k times. Classifiers are also compared by McNemar's test: of the individuals that
only one of them predicts correctly, does either have significantly more than half?
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.metrics import get_scorer
from sklearn.utils import _safe_indexing

from structtree.arrays import Floats
from structtree.data.labels import Unlabelled, drop_unlabelled, label_array
from structtree.data.readers.individuals import population_of, recognised
from structtree.errors import DataError, UsageError
from structtree.evaluation.folds import Fold, splits_of
from structtree.evaluation.score import (
    Predicted,
    Scores,
    answers_of,
    constant_answers,
    gather_scores,
    main_metric,
    score_answers,
)
from structtree.interrupts import stoppable
from structtree.models.ensemble import EnsemblePredictor
from structtree.models.predictor import Predictor
from structtree.models.tree import Caveat, Leaf
from structtree.models.tree_predictor import TreePredictor
from structtree.progress import Status, report_status, status_listener
from structtree.reprs import names_text, number_text, short_repr
from structtree.search.clock import Clock
from structtree.search.kernels.compiling import now

__all__ = [
    "Comparison",
    "CrossValidation",
    "FoldDone",
    "HeldOut",
    "McNemarTest",
    "TTest",
    "compare",
    "compare_hits",
    "corrected_t_test",
    "cross_validate",
    "mcnemar_test",
]

MakeEstimator = Callable[[], Any]

FEWEST_FOLDS = 2
"""Minimum number of folds of a cross-validation that Ctrl-C or the time limit ends early."""

USUAL_REPEATS = 3
"""Default number of repeats of random folds."""


class FoldDone(NamedTuple):
    """Progress of a cross-validation: the estimator, the number of completed and total fits, and the last score."""

    name: str
    done: int
    total: int
    score: float

    @property
    def status(self) -> Status:
        """The progress as a status line."""
        return Status("cross-validation", self.done, self.total, (f"{self.name or 'score'} {self.score:.3f}",))


class HeldOut(NamedTuple):
    """Test rows of a fold, with their predictions and those of the baseline."""

    rows: NDArray[np.int64]
    answers: Predicted
    baseline: Predicted


class TTest(NamedTuple):
    """Mean difference of paired scores, its t statistic, and the two-sided p-value."""

    difference: float
    t: float
    p: float


class McNemarTest(NamedTuple):
    """Numbers of individuals that only the one or only the other classifier predicts correctly, and the p-value."""

    only: int
    only_other: int
    p: float


@dataclass(frozen=True, slots=True, eq=False)
class CrossValidation:
    """Scores and costs of a cross-validation.

    Parameters
    ----------
    scores : array
        One for each fold of each repeat.
    leaves : array
        Number of leaves of each tree; for a forest, the mean.
    evaluated : int
        Number of predicates evaluated for the branches of all trees.
    caveats : tuple of Caveat
        Branches of all trees whose test may not be the best.
    seconds : float
        Total time.
    test_ratio : float
        Number of test individuals per training individual.
    held_out : tuple of HeldOut
        Predictions for the test individuals of each fold.
    """

    scores: Floats
    leaves: NDArray[np.int64] | Floats
    evaluated: int
    caveats: tuple[Caveat, ...]
    seconds: float
    test_ratio: float
    held_out: tuple[HeldOut, ...]

    @property
    def unproved(self) -> int:
        """Number of branches, in all trees, whose test was not proved optimal."""
        return len(self.caveats)

    def __repr__(self) -> str:
        spread = f" ± {self.sd:.4f}" if len(self.scores) > 1 else ""
        folds, leaves = number_text(self.scores, "fold"), f"{self.leaves_mean:.3g} leaves on average"
        return short_repr(self, f"mean score {self.mean:.4f}{spread} over {folds}", leaves, f"{self.seconds:.3g} s")

    @property
    def mean(self) -> float:
        """The mean score."""
        return float(self.scores.mean())

    @property
    def sd(self) -> float:
        """The standard deviation of the scores."""
        return float(self.scores.std(ddof=1))

    @property
    def leaves_mean(self) -> float:
        """The mean number of leaves."""
        return float(self.leaves.mean())

    def scores_by_fold(self, metrics: Sequence[str] | None = None) -> list[Scores]:
        """Return the scores of each fold; metrics as in `structtree.evaluate`."""
        return [score_answers(one.answers, one.baseline, metrics) for one in self.held_out]

    def evaluate(self, metrics: Sequence[str] | None = None) -> Scores:
        """Return the mean scores over the folds, with standard deviations and the baseline.

        Parameters
        ----------
        metrics : sequence of str, optional
            As in `structtree.evaluate`.
        """
        return gather_scores(self.scores_by_fold(metrics))

    def is_right(self) -> dict[int, bool]:
        """Return, for each row that was held out, whether its class was predicted correctly the first time."""
        found: dict[int, bool] = {}
        for fold in self.held_out:
            right = fold.answers.actual == fold.answers.predicted
            for row, value in zip(fold.rows.tolist(), right.tolist(), strict=True):
                found.setdefault(row, value)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Cross-validations of several estimators on the same folds, each compared with the first.

    Parameters
    ----------
    results : dict from name to CrossValidation
    tests : dict from name to TTest
        Test of each result after the first against the first.
    mcnemar : dict from name to McNemarTest
        The same by McNemar's test, on the first held-out prediction of each individual; empty for numbers.
    """

    results: Mapping[str, CrossValidation]
    tests: Mapping[str, TTest]
    mcnemar: Mapping[str, McNemarTest]

    def __repr__(self) -> str:
        return short_repr(self, names_text(f"{name} {result.mean:.4f}" for name, result in self.results.items()))


def cross_validate(
    make_estimator: MakeEstimator,
    individuals: Any,
    target: ArrayLike,
    *,
    folds: Any = 10,
    repeats: int | None = None,
    seed: int = 0,
    scoring: str | None = None,
    progress: Callable[[FoldDone], None] | None = None,
    time_limit: float | None = None,
    unlabelled: Unlabelled = "leave out",
) -> CrossValidation:
    """Cross-validate an estimator, repeating random folds.

    Parameters
    ----------
    make_estimator : function
        Returns a new estimator of this package, or a compatible one.
    individuals : Population, or any other input of the estimator
    target : array
    folds : int, splitter, array of groups, or iterable of pairs
        Number of random, stratified folds; a splitter like scikit-learn's, such as
        `structtree.evaluation.folds.TimeFolds`; the group of each individual, to keep groups in one fold; or pairs of
        training and test rows.
    repeats : int, optional
        Number of times that random folds are drawn, 3 by default. Other folds are not repeated.
    seed : int
        Seed for random folds.
    scoring : str, optional
        scikit-learn scorer for ``scores``; by default accuracy for classes, R² for numbers.
    progress : function, optional
        Called after each fold. After two or more folds, Ctrl-C ends the cross-validation and keeps them.
    time_limit : float, optional
        Seconds for all fits; each gets a share of the remaining time. When the time is over, folds after the second
        are skipped.
    unlabelled : {"leave out", "refuse"}
        Whether individuals with a missing label (None, NaN and similar) are skipped with a warning or rejected with
        an error.

    Examples
    --------
    >>> from structtree import StructuralTreeClassifier, load_dataset
    >>> lenses = load_dataset("lenses")
    >>> found = cross_validate(StructuralTreeClassifier, lenses.population, lenses.target, folds=4, repeats=1)
    >>> len(found.scores), 0.6 <= found.mean <= 1.0
    (4, True)
    >>> found.evaluate(["roc_auc"]).baseline
    {'roc_auc': 0.5}
    """
    options = _Options(folds, repeats, seed, scoring, progress, time_limit)
    return _all_folds({"": make_estimator}, *_labelled(individuals, target, unlabelled), options)[""]


def compare(
    estimators: Mapping[str, MakeEstimator],
    individuals: Any,
    target: ArrayLike,
    *,
    folds: Any = 10,
    repeats: int | None = None,
    seed: int = 0,
    scoring: str | None = None,
    progress: Callable[[FoldDone], None] | None = None,
    time_limit: float | None = None,
    unlabelled: Unlabelled = "leave out",
) -> Comparison:
    """Cross-validate several estimators on the same folds, and test each against the first.

    Parameters
    ----------
    estimators : dict from name to function
        Functions that return a new estimator.
    individuals, target, folds, repeats, seed, scoring, progress, time_limit, unlabelled
        As in `cross_validate`; the time limit applies to all estimators together.

    Examples
    --------
    >>> from structtree import StructuralTreeClassifier, load_dataset
    >>> lenses = load_dataset("lenses")
    >>> makers = {c: lambda c=c: StructuralTreeClassifier(criterion=c) for c in ("acc*", "gini")}
    >>> found = compare(makers, lenses.population, lenses.target, folds=3, repeats=2)
    >>> list(found.results), list(found.tests), 0 <= found.tests["gini"].p <= 1
    (['acc*', 'gini'], ['gini'], True)
    >>> 0 <= found.mcnemar["gini"].p <= 1
    True
    """
    if len(estimators) < 2:
        raise UsageError(f"expected two or more estimators to compare; got {list(estimators)}")
    options = _Options(folds, repeats, seed, scoring, progress, time_limit)
    results = _all_folds(estimators, *_labelled(individuals, target, unlabelled), options)
    first, *others = results
    base = results[first]
    return Comparison(
        results,
        {name: corrected_t_test(results[name].scores, base.scores, base.test_ratio) for name in others},
        {name: compare_hits(results[name], base) for name in others if base.held_out[0].answers.classes},
    )


def compare_hits(one: CrossValidation, other: CrossValidation) -> McNemarTest:
    """Compare two classifiers by `mcnemar_test`.

    Repeated folds predict an individual several times. These predictions depend on each other, so only the first one
    of each individual counts.

    Parameters
    ----------
    one, other : CrossValidation
        Results on the same folds.
    """
    right, others = one.is_right(), other.is_right()
    return mcnemar_test([right[row] for row in others], list(others.values()))


def mcnemar_test(is_right: ArrayLike, others: ArrayLike) -> McNemarTest:
    """Test whether one of two classifiers is right more often than the other, on the same individuals.

    Individuals that both or neither predict correctly tell nothing about the difference. If the classifiers are
    equally good, each is expected to be right for half of the others; the p-value is that of the exact, two-sided
    binomial test.

    Parameters
    ----------
    is_right, others : arrays of bool
        Whether each classifier is right, individual by individual.

    Examples
    --------
    >>> mcnemar_test([True] * 8 + [False] * 2, [False] * 8 + [True, False])
    McNemarTest(only=8, only_other=1, p=0.0390625)
    """
    from scipy.special import bdtr  # type: ignore[import-untyped]  # scipy has no types

    right, other = np.asarray(is_right, dtype=np.bool_), np.asarray(others, dtype=np.bool_)
    if right.shape != other.shape:
        raise UsageError(f"McNemar's test compares the same individuals; got {len(right)} and {len(other)}")
    only, only_other = int((right & ~other).sum()), int((other & ~right).sum())
    p = 2 * float(bdtr(min(only, only_other), only + only_other, 0.5)) if only + only_other else 1.0
    return McNemarTest(only, only_other, min(1.0, p))


def corrected_t_test(scores: ArrayLike, others: ArrayLike, test_ratio: float) -> TTest:
    """Test whether paired scores on the same folds differ, with the correction of Nadeau and Bengio.

    Parameters
    ----------
    scores, others : arrays
        Scores of two estimators, fold by fold.
    test_ratio : float
        Number of test individuals per training individual: 1/9 for ten folds.

    Examples
    --------
    >>> found = corrected_t_test([0.9, 0.8, 0.9, 1.0], [0.8, 0.7, 0.9, 0.8], 1 / 3)
    >>> round(found.difference, 3), round(found.t, 3), round(found.p, 3)
    (0.1, 1.604, 0.207)
    """
    from scipy.special import stdtr

    differences = np.asarray(scores, dtype=np.float64) - np.asarray(others, dtype=np.float64)
    k, mean = len(differences), float(differences.mean())
    if k < 2:
        raise UsageError(f"a t test needs two or more scores of each estimator; got {k}")
    error = sqrt((1 / k + test_ratio) * float(differences.var(ddof=1)))
    if error <= 1e-12 * (abs(mean) or 1.0):
        return TTest(mean, inf if mean > 0 else -inf if mean < 0 else 0.0, 0.0 if mean else 1.0)
    return TTest(mean, mean / error, float(2 * stdtr(k - 1, -abs(mean / error))))


# ---- folds ----------------------------------------------------------------------------------------------


class _Options(NamedTuple):
    folds: Any
    repeats: int | None
    seed: int
    scoring: str | None
    progress: Callable[[FoldDone], None] | None
    time_limit: float | None


class _Fit(NamedTuple):
    """Results of fitting one estimator on one fold."""

    score: float
    leaves: float
    evaluated: int
    caveats: tuple[Caveat, ...]
    seconds: float
    test_ratio: float
    held_out: HeldOut


class _Data(NamedTuple):
    """Individuals, their target, and its classes if there are any."""

    population: Any
    target: NDArray[Any]
    classes: list[Any] | None


def _labelled(individuals: Any, target: ArrayLike, unlabelled: Unlabelled) -> tuple[Any, NDArray[Any]]:
    """Return the labelled individuals and their labels; molecules are parsed once, not once per fold."""
    labels = label_array(target)
    given = recognised(individuals)
    if given.form == "molecules" and given.smiles is None:
        individuals = population_of(individuals)
    if len(labels) != len(individuals):
        raise DataError(f"expected {len(individuals)} labels, one for each individual; got {len(labels)}")
    known = drop_unlabelled(labels, unlabelled, stacklevel=3)
    return individuals if known.kept is None else _safe_indexing(individuals, known.kept), known.labels


def _all_folds(
    estimators: Mapping[str, MakeEstimator], population: Any, target: NDArray[Any], options: _Options
) -> dict[str, CrossValidation]:
    """Fit all estimators fold by fold, so that their results remain comparable after an interruption."""
    done, is_classes = 0, all(is_classifier(make()) for make in estimators.values())
    usual = USUAL_REPEATS if isinstance(options.folds, int) else 1
    repeats = usual if options.repeats is None else options.repeats
    splits = splits_of(options.folds, target, is_classes=is_classes, repeats=repeats, seed=options.seed)
    data = _Data(population, target, np.unique(target).tolist() if is_classes else None)
    total = len(splits) * len(estimators)
    fits: list[dict[str, _Fit]] = []
    with stoppable() as stop:
        clock = Clock(options.time_limit, stop)
        try:
            for fold in splits:
                if len(fits) >= FEWEST_FOLDS and clock.over() is not None:
                    break  # a tree without time to grow is not representative
                here = {}
                for name, make in estimators.items():
                    estimator = _with_share_of_time(make(), clock, total - done)
                    with status_listener(None):
                        here[name] = _fit(estimator, data, fold, options.scoring)
                    done += 1
                    report_status("cross-validation", done, total, *_mean_scores([*fits, here]))
                    if options.progress is not None:
                        options.progress(FoldDone(name, done, total, here[name].score))
                fits.append(here)
        except (KeyboardInterrupt, SystemError):
            # An interrupted compilation may raise SystemError.
            if len(fits) < FEWEST_FOLDS or not stop.pressed or stop.presses > 1:
                raise
            stop.handled = True
    return {name: _gathered([here[name] for here in fits]) for name in estimators}


def _mean_scores(fits: Sequence[Mapping[str, _Fit]]) -> list[str]:
    """Return the mean score of each estimator so far, as text."""
    scores = {name: [here[name].score for here in fits if name in here] for name in fits[0]}
    return [f"{name or 'mean'} {np.mean(found):.3f}" for name, found in scores.items()]


def _with_share_of_time(estimator: Any, clock: Clock, n_left: int) -> Any:
    if clock.seconds is None:
        return estimator
    share = max(clock.left(), 1e-3) / n_left
    own = estimator.get_params().get("time_limit")
    return estimator.set_params(time_limit=share if own is None else min(own, share))


def _fit(estimator: Any, data: _Data, fold: Fold, scoring: str | None) -> _Fit:
    started, training = now(), data.target[fold.train]
    estimator.fit(_safe_indexing(data.population, fold.train), training)
    if estimator.model_.outcome.stopped_by == "interrupt":
        raise KeyboardInterrupt  # growing returns the tree so far, which is not useful here
    test, labels = _safe_indexing(data.population, fold.test), data.target[fold.test]
    answers = answers_of(estimator, test, labels, data.classes)
    baseline = constant_answers(
        answers, training if data.classes is None else np.searchsorted(data.classes, training)
    )
    if scoring is not None:
        score = float(get_scorer(scoring)(estimator, test, labels))
    else:
        main = main_metric(answers.task)
        score = score_answers(answers, baseline, [main])[main]
    return _Fit(
        score,
        *_costs(estimator.model_.predictor),
        now() - started,
        len(fold.test) / len(fold.train),
        HeldOut(fold.test, answers, baseline),
    )


def _costs(predictor: Predictor) -> tuple[float, int, tuple[Caveat, ...]]:
    """Return the number of leaves, per tree; and for a tree the evaluated predicates and the unproved branches."""
    if isinstance(predictor, EnsemblePredictor):
        return len(predictor.trees.figures) / len(predictor.trees), 0, ()
    assert isinstance(predictor, TreePredictor)
    tree = predictor.tree
    evaluated = sum(node.found.evaluated for node in tree.nodes if not isinstance(node, Leaf))
    return len(tree.leaves), evaluated, tuple(c for c in tree.caveats if tree.nodes[c.node].children)


def _gathered(fits: Sequence[_Fit]) -> CrossValidation:
    scores, leaves, evaluated, caveats, seconds, ratios, held_out = zip(*fits, strict=True)
    sums = (sum(evaluated), tuple(caveat for some in caveats for caveat in some), sum(seconds))
    return CrossValidation(np.array(scores), np.array(leaves), *sums, float(np.mean(ratios)), held_out)
