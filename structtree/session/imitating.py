"""Held-out scores of a tree that imitates an ensemble, beside those of a plain tree of the same size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structtree.arrays import Floats
from structtree.data.population import Population
from structtree.evaluation.validate import CrossValidation, MakeEstimator, compare
from structtree.lang.grammar import Grammar
from structtree.learn.distilling import FOR_ENSEMBLE, DistilledModel, agreement, distil
from structtree.models.model import fitted
from structtree.search.kernels.compiling import now

__all__ = ["DistilledEstimator", "Imitation", "compare_imitation"]

SECONDS_FOR_TREE = 1.0
"""Minimum time for the tree in a fold."""


class Imitation(NamedTuple):
    """Cross-validations of a tree that imitates an ensemble, and of a plain tree with the same options for its size.

    Parameters
    ----------
    distilled, plain : CrossValidation
    fidelity : float
        Mean over the folds of the agreement with the ensemble on held-out individuals; see
        `structtree.learn.distilling.agreement`.
    """

    distilled: CrossValidation
    plain: CrossValidation
    fidelity: float


class DistilledEstimator:
    """Estimator that fits an ensemble and a tree that imitates it, for cross-validation.

    Parameters
    ----------
    ensemble : estimator
    leaves : int
        Maximum number of leaves.
    grammar : Grammar
        The grammar of the tree.
    """

    model_: DistilledModel

    def __init__(self, ensemble: Any, leaves: int, grammar: Grammar) -> None:
        self.ensemble, self.leaves, self.grammar = ensemble, leaves, grammar

    def __sklearn_tags__(self) -> Any:
        return self.ensemble.__sklearn_tags__()

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters of the ensemble."""
        found: dict[str, Any] = self.ensemble.get_params(deep=deep)
        return found

    def set_params(self, **params: Any) -> Self:
        """Set parameters of the ensemble; the time limit is that of both fits."""
        self.ensemble.set_params(**params)
        return self

    def fit(self, individuals: Population, labels: ArrayLike) -> Self:
        """Fit the ensemble and the tree."""
        limit, started = self.ensemble.get_params().get("time_limit"), now()
        if limit is not None:
            self.ensemble.set_params(time_limit=FOR_ENSEMBLE * limit)
        self.ensemble.fit(individuals, labels)
        left = None if limit is None else max(SECONDS_FOR_TREE, limit - (now() - started))
        self.model_ = distil(self.ensemble, individuals, self.leaves, grammar=self.grammar, time_limit=left)
        if self.model_.classes:
            self.classes_ = np.array(self.model_.classes)
        return self

    def predict(self, individuals: Population) -> NDArray[Any]:
        """Return the predictions of the tree."""
        return self.model_.predict(individuals, fitted(self.ensemble).functions)

    def predict_proba(self, individuals: Population) -> Floats:
        """Return the class probabilities of the tree."""
        return self.model_.predict_proba(individuals, fitted(self.ensemble).functions)

    def fidelity(self, individuals: Population) -> float:
        """Return the agreement of the tree with its ensemble."""
        return agreement(
            self.ensemble.predict(individuals), self.predict(individuals), is_classes=bool(self.model_.classes)
        )


def compare_imitation(
    make_ensemble: MakeEstimator,
    make_plain: Callable[[], Any],
    leaves: int,
    grammar: Grammar,
    population: Population,
    labels: NDArray[Any],
    **options: Any,
) -> Imitation:
    """Cross-validate a tree that imitates an ensemble, and a plain tree, on the same folds.

    Parameters
    ----------
    make_ensemble, make_plain : function
        Return new estimators of an ensemble, and of a tree of the same size.
    leaves : int
    grammar : Grammar
        The grammar of the tree.
    population : Population
    labels : array
    **options
        As in `structtree.compare`.
    """
    made = list[DistilledEstimator]()

    def make() -> DistilledEstimator:
        made.append(DistilledEstimator(make_ensemble(), leaves, grammar))
        return made[-1]

    results = compare({"distilled": make, "plain": make_plain}, population, labels, **options).results
    done = [each for each in made if hasattr(each, "model_")]
    tests = [each.rows for each in results["distilled"].held_out]
    agreed = [each.fidelity(population.take(rows)) for each, rows in zip(done, tests, strict=False)]
    return Imitation(results["distilled"], results["plain"], float(np.mean(agreed)))
