"""Boosting over structured data as scikit-learn estimators.

Individuals are read as by the trees of `structtree.estimators`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Floats
from structtree.estimators import INPUT, Classifies, PredictsNumbers, with_parameters
from structtree.forests import StructuralEnsemble
from structtree.models.boosting import BoostingPredictor
from structtree.models.settings import Boosting, tree_options
from structtree.options import options_of

if TYPE_CHECKING:
    from structtree.learn.parameters import BoostingClassifierParameters, BoostingRegressorParameters
else:  # a stub shows type checkers the generated ``__init__``
    BoostingClassifierParameters = BoostingRegressorParameters = object

__all__ = ["StructuralBoostingClassifier", "StructuralBoostingRegressor"]

BOOSTING_LEARNING = (*options_of(Boosting), *tree_options("boosting"))
BOOSTING_PARAMETERS = (*INPUT, *BOOSTING_LEARNING)


class _StructuralBoosting(StructuralEnsemble):
    """Base class of the classifier and the regressor."""

    kind = "boosting"
    learning = BOOSTING_LEARNING

    @property
    def boosting_(self) -> BoostingPredictor:
        """The fitted sum of trees."""
        found: BoostingPredictor = self._predictor
        return found

    @property
    def n_iter_(self) -> int:
        """Number of rounds."""
        return self.boosting_.n_rounds

    @property
    def train_losses_(self) -> Floats:
        """Mean loss of the training individuals after each round, also after those that were not kept."""
        return np.array(self._losses.training)

    @property
    def held_out_losses_(self) -> Floats:
        """Mean loss of the held-out individuals after each round; empty without any."""
        return np.array(self._losses.held_out)

    @property
    def _losses(self) -> Any:
        assert self._predictor is not None  # fitted
        model: Any = self.model_
        return model.losses

    def _staged(self, X: Any) -> Iterator[Floats]:
        """Yield what the sum predicts after each round."""
        boosted = self.boosting_
        for margins in boosted.staged_margins(boosted.leaves(self._population(X))):
            yield boosted.from_margins(margins)


@with_parameters(BOOSTING_PARAMETERS, classes=True)
class StructuralBoostingClassifier(Classifies, _StructuralBoosting, BoostingClassifierParameters):
    """Boosted sum of small trees for structured individuals, with tests from a grammar.

    See `structtree.Boosting`, `structtree.Growth` and `structtree.Decision` for details of the parameters.

    Attributes
    ----------
    classes_ : array
    model_ : Model
        Fitted model, for `structtree.save_model`.
    boosting_ : BoostingPredictor
    n_iter_ : int
        Number of rounds.
    train_losses_, held_out_losses_ : array
        Mean log loss after each round of the training individuals and of those that were held out.
    stopped_by_ : {"time", "interrupt"} or None
        Reason why boosting ended early.
    n_features_in_, feature_names_in_
        As in scikit-learn, for arrays and DataFrames.

    Examples
    --------
    >>> from structtree import load_dataset
    >>> monks = load_dataset("monks-1")
    >>> boosted = StructuralBoostingClassifier(max_iter=50).fit(monks.population, monks.target)
    >>> boosted.n_iter_, boosted.score(monks.population, monks.target) > 0.95
    (50, True)
    """

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the predicted class of each individual after each round."""
        boosted = self.boosting_
        for chances in self._staged(X):
            yield np.asarray(self.classes_[boosted.answers(chances)])

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Yield the class probabilities of each individual after each round."""
        yield from self._staged(X)


@with_parameters(BOOSTING_PARAMETERS, classes=False)
class StructuralBoostingRegressor(PredictsNumbers, _StructuralBoosting, BoostingRegressorParameters):
    """Boosted sum of small regression trees for structured individuals, with tests from a grammar.

    See `structtree.Boosting` and `structtree.Growth` for details of the parameters.

    Attributes
    ----------
    model_, boosting_, n_iter_, stopped_by_, n_features_in_, feature_names_in_
        As in `StructuralBoostingClassifier`.
    train_losses_, held_out_losses_ : array
        Mean loss after each round; half of the squared error by default.

    Examples
    --------
    >>> boxes = [{"items": [{"kg": k} for k in range(n)]} for n in range(1, 21)]
    >>> boosted = StructuralBoostingRegressor(max_iter=100).fit(boxes, [float(n) for n in range(1, 21)])
    >>> bool(9 < boosted.predict(boxes[9:10])[0] < 11)
    True
    """

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """Yield the predicted value of each individual after each round."""
        yield from self._staged(X)
