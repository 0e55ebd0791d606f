"""Forests over structured data as scikit-learn estimators.

Individuals are read as by the trees of `structtree.estimators`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from structtree.arrays import Codes, Floats
from structtree.data.labels import KnownLabels
from structtree.errors import UsageError
from structtree.estimators import INPUT, Classifies, PredictsNumbers, StructuralEstimator, with_parameters
from structtree.evaluation.out_of_bag import out_of_bag
from structtree.evaluation.permutation import permutation_importances
from structtree.evaluation.score import main_metric
from structtree.learn.forests import GrownForest
from structtree.models.ensemble import ForestPredictor
from structtree.models.model import Model
from structtree.models.neighbours import leaf_quantiles, shared_leaves
from structtree.models.settings import Forest, tree_options
from structtree.options import option, options_of

if TYPE_CHECKING:
    from structtree.learn.parameters import ForestClassifierParameters, ForestRegressorParameters
else:  # a stub shows type checkers the generated ``__init__``
    ForestClassifierParameters = ForestRegressorParameters = object

__all__ = ["StructuralEnsemble", "StructuralForestClassifier", "StructuralForestRegressor"]


@dataclass(frozen=True, slots=True)
class _Repeating:
    """Parameters of forests that other functions do not have."""

    warm_start: bool = option(
        False, "Whether another fit to the same data keeps the trees of the last one and only adds further trees."
    )


FOREST_LEARNING = (*options_of(Forest), *tree_options("forest"))
FOREST_PARAMETERS = (*INPUT, *options_of(_Repeating), *FOREST_LEARNING)


class StructuralEnsemble(StructuralEstimator):
    """Base class of estimators with many trees."""

    @property
    def _predictor(self) -> Any:
        check_is_fitted(self)
        model: Model = self.model_
        return model.predictor

    def apply(self, X: Any) -> Codes:
        """Return the leaf of each individual in each tree, as (individuals, trees)."""
        found: Codes = self._predictor.leaves(self._population(X))
        return found

    def permutation_importances(
        self, X: Any, y: ArrayLike, n_repeats: int = 5, random_state: int = 0
    ) -> Mapping[str, float]:
        """Return how much the score falls if the tests of an attribute are answered for another individual.

        See `structtree.evaluation.permutation.permutation_importances`.
        """
        check_is_fitted(self)
        return permutation_importances(self.model_, self._population(X), y, n_repeats=n_repeats, seed=random_state)


class _StructuralForest(StructuralEnsemble):
    """Base class of the classifier and the regressor."""

    kind = "forest"
    learning = FOREST_LEARNING

    def _fit(self, X: Any, known: KnownLabels, labels: NDArray[Any], *more: Any) -> Self:
        """Fit the forest, and keep the predictions out of bag for all individuals."""
        super()._fit(X, known, labels, *more)
        model: Any = self.model_
        assert model.out_of_bag is not None
        self._labels, self._out_of_bag = labels, model.out_of_bag
        if known.kept is not None:
            self._out_of_bag = np.full((known.n, *model.out_of_bag.shape[1:]), np.nan)
            self._out_of_bag[known.kept] = model.out_of_bag
        return self

    def _further(self) -> dict[str, Any]:
        model = getattr(self, "model_", None) if self.warm_start else None
        return {"so_far": None if model is None else model.grown}

    @property
    def forest_(self) -> ForestPredictor:
        """The fitted forest."""
        found: ForestPredictor = self._predictor
        return found

    @property
    def n_trees_(self) -> int:
        """Number of trees; fewer than ``n_estimators`` if the time limit or Ctrl-C ended the fit."""
        return len(self.forest_.trees)

    def _held_out(self) -> Floats:
        """Return the predictions out of bag; raise an error if no tree left anybody out."""
        check_is_fitted(self)
        found: Floats = self._out_of_bag
        if np.isnan(found).all():
            raise AttributeError("every tree saw all individuals; use bootstrap=True or max_samples below 1")
        return found

    @property
    def oob_score_(self) -> float:
        """Accuracy, or R², of the predictions out of bag."""
        self._held_out()
        found = out_of_bag(self.model_, self._labels)
        assert found is not None
        return next(iter(found.evaluate([main_metric(found.answers.task)]).values.values()))

    def proximities(self, X: Any, others: Any | None = None) -> Floats:
        """Return the fraction of trees in which two individuals share a leaf.

        Parameters
        ----------
        X : individuals in any form that `predict` takes
        others : individuals, optional
            The same individuals by default.

        Returns
        -------
        array of shape (individuals, others)
        """
        leaves = self.apply(X)
        return shared_leaves(leaves, leaves if others is None else self.apply(others))


@with_parameters(FOREST_PARAMETERS, classes=True)
class StructuralForestClassifier(Classifies, _StructuralForest, ForestClassifierParameters):
    """Forest of decision trees for structured individuals, with tests from a grammar.

    See `structtree.Forest`, `structtree.Growth` and `structtree.Decision` for details of the parameters.

    Attributes
    ----------
    classes_ : array
    model_ : Model
        Fitted model, for `structtree.save_model`.
    forest_ : ForestPredictor
    n_trees_ : int
    oob_score_ : float
        Accuracy of the predictions out of bag.
    oob_decision_function_ : array of shape (individuals, classes)
        Class probabilities from the trees that did not see an individual; NaN if all trees saw it.
    stopped_by_ : {"time", "interrupt"} or None
        Reason why growth ended early.
    n_features_in_, feature_names_in_
        As in scikit-learn, for arrays and DataFrames.

    Examples
    --------
    >>> from structtree import load_dataset
    >>> mutag = load_dataset("trains")
    >>> forest = StructuralForestClassifier("trains", n_estimators=50).fit(mutag.population, mutag.target)
    >>> forest.n_trees_, forest.oob_score_ > 0.6
    (50, True)
    """

    @property
    def oob_decision_function_(self) -> Floats:
        """Class probabilities from the trees that did not see an individual."""
        return self._held_out()


@with_parameters(FOREST_PARAMETERS, classes=False)
class StructuralForestRegressor(PredictsNumbers, _StructuralForest, ForestRegressorParameters):
    """Forest of regression trees for structured individuals, with tests from a grammar.

    See `structtree.Forest` and `structtree.Growth` for details of the parameters.

    Attributes
    ----------
    oob_score_ : float
        R² of the predictions out of bag.
    oob_prediction_ : array
        Mean of the trees that did not see an individual; NaN if all trees saw it.
    model_, forest_, n_trees_, stopped_by_, n_features_in_, feature_names_in_
        As in `StructuralForestClassifier`.

    Examples
    --------
    >>> boxes = [{"items": [{"kg": k} for k in range(n)]} for n in range(1, 21)]
    >>> forest = StructuralForestRegressor(n_estimators=50).fit(boxes, [float(n) for n in range(1, 21)])
    >>> low, high = forest.predict_quantiles(boxes[9:10], [0.1, 0.9])[0]
    >>> bool(low <= 10.0 <= high)
    True
    """

    @property
    def oob_prediction_(self) -> Floats:
        """Mean of the trees that did not see an individual."""
        return self._held_out()

    def predict_quantiles(self, X: Any, quantiles: Sequence[float] = (0.1, 0.5, 0.9)) -> Floats:
        """Return quantiles of the labels of the training individuals that share leaves with each individual.

        Parameters
        ----------
        X : individuals in any form that `predict` takes
        quantiles : sequence of numbers from 0 to 1

        Returns
        -------
        array of shape (individuals, quantiles)
        """
        wanted, leaves = np.asarray(quantiles, dtype=np.float64), self.apply(X)
        if wanted.ndim != 1 or not ((wanted >= 0) & (wanted <= 1)).all():
            raise UsageError(f"quantiles must be a sequence of numbers from 0 to 1; got {quantiles!r}")
        model: Any = self.model_
        grown: GrownForest | None = model.grown
        assert grown is not None
        target, units = grown.target, grown.target.units
        labels = units.zero + units.unit * target.values
        return leaf_quantiles(leaves, grown.leaves(), labels, target.weights, wanted)
