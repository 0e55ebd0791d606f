"""Scores of a forest out of bag: each training individual is predicted by the trees that did not see it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from numpy.typing import NDArray

from structtree.evaluation.score import Predicted, Scores, constant_answers, score_answers
from structtree.learn.forest_fit import held_out_predictions
from structtree.models.model import Model

__all__ = ["OutOfBag", "out_of_bag"]


class OutOfBag(NamedTuple):
    """Predictions of a forest out of bag, and those of the baseline.

    Parameters
    ----------
    answers, baseline : Predicted
    """

    answers: Predicted
    baseline: Predicted

    def evaluate(self, metrics: Sequence[str] | None = None) -> Scores:
        """Return the scores and those of the baseline; metrics as in `structtree.evaluate`."""
        return score_answers(self.answers, self.baseline, metrics)


def out_of_bag(model: Model, labels: NDArray[Any]) -> OutOfBag | None:
    """Return the predictions of a forest out of bag; None for other models, and if every tree saw everybody.

    Parameters
    ----------
    model : Model
        As it was fitted; a loaded model has no such predictions.
    labels : array
        Labels that it was fitted to.

    Examples
    --------
    >>> from structtree import fit, load_dataset
    >>> trains = load_dataset("trains")
    >>> forest = fit(trains.population, trains.target, "trains", model="forest", n_estimators=50)
    >>> out_of_bag(forest, trains.target).evaluate(["accuracy"]).n
    20
    """
    found = held_out_predictions(model)
    if found is None:
        return None
    predicted = model.task.labels(found.predicted)
    answers = (
        Predicted.of_classes(labels[found.rows], predicted, model.classes, found.probabilities)
        if model.task.predicts_classes
        else Predicted.of_numbers(labels[found.rows], predicted, model.task)
    )
    return OutOfBag(answers, constant_answers(answers))
