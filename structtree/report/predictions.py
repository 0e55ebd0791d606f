"""The predictions of a model for all individuals of some data as a table, beside the truth where it is known."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structtree.data.columns import Population
from structtree.data.opening import Opened
from structtree.learn.model import Model
from structtree.learn.predict import predicted_spreads
from structtree.learn.score import Predicted, Scores, class_name, constant_answers, main_metric, score_answers
from structtree.reprs import number_text, short_repr

__all__ = ["Predictions", "predictions", "truth", "whole"]


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """Predictions of a model.

    Parameters
    ----------
    target : str or None
        What is predicted.
    said : array
        A class or a number for each individual.
    probabilities : array or None
        Of the classes, as (individuals, classes); None for numbers.
    classes : tuple of str
        The names of the classes, in that order.
    spread : array or None
        For numbers: the standard deviation of those seen in training at the leaf.
    actual : list or None
        What the data itself has, None where it has nothing; None if it does not have the target.
    answers : Predicted or None
        Predictions beside the truth, where that is known.
    """

    target: str | None
    said: NDArray[Any]
    probabilities: NDArray[np.float64] | None
    classes: tuple[str, ...]
    spread: NDArray[np.float64] | None
    actual: list[Any] | None
    answers: Predicted | None

    def evaluate(self, metrics: Sequence[str] | None = None) -> Scores | None:
        """Return how right the model is, as of `structtree.evaluate`; None if the truth is not known."""
        if self.answers is None:
            return None
        return score_answers(self.answers, constant_answers(self.answers), metrics)

    def __repr__(self) -> str:
        found = None if self.answers is None else self.evaluate([main_metric(self.answers.task)])
        score = "" if found is None else str(found)
        return short_repr(self, f"{self.target or 'target'} of {number_text(self.said, 'individual')}", score)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one plain JSON value for each individual."""
        return [self._record(row) for row in range(len(self.said))]

    def to_csv(self) -> str:
        """Return a table with a header: the row, the prediction, what goes with it, and the truth if it is known."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        beside = [f"p({name})" for name in self.classes] if self.spread is None else ["spread"]
        writer.writerow(["row", "prediction", *beside, *(["actual"] if self.actual is not None else [])])
        for record in self.to_dicts():
            numbers = record["probabilities"].values() if self.spread is None else [record["spread"]]
            said = [record["row"], record["prediction"], *(f"{number:.6g}" for number in numbers)]
            writer.writerow([*said, *([record["actual"]] if "actual" in record else [])])
        return text.getvalue()

    def _record(self, row: int) -> dict[str, Any]:
        record: dict[str, Any] = {"row": row, "prediction": self.said[row : row + 1].tolist()[0]}
        if self.probabilities is not None:
            record["probabilities"] = dict(zip(self.classes, self.probabilities[row].tolist(), strict=True))
        if self.spread is not None:
            record["spread"] = float(self.spread[row])
        if self.actual is not None:
            record["actual"] = self.actual[row]
        return record


def predictions(model: Model, data: Opened) -> Predictions:
    """Return what a model says of the individuals of opened data.

    Parameters
    ----------
    model : Model
    data : Opened
        With what the model was trained to ask about; the target may be among it.

    Examples
    --------
    >>> from structtree import Grammar, fit, open_data
    >>> trains = open_data("trains")
    >>> model = fit(trains.population, trains.target, Grammar.load("trains"), target_name="direction")
    >>> found = predictions(model, trains)
    >>> found.to_csv().splitlines()[:2]
    ['row,prediction,p(east),p(west),actual', '0,east,1,0,east']
    >>> print(found.evaluate())
    accuracy 1.000 (20 of 20)
    """
    population = whole(data)
    prepared = model.prepared(population)
    said, is_classes = model.predict(prepared), model.tree.task == "classes"
    actual = truth(population, model.target)
    probabilities = model.predict_proba(prepared) if is_classes else None
    return Predictions(
        model.target,
        said,
        probabilities,
        tuple(map(class_name, model.tree.classes)),
        None if is_classes else predicted_spreads(model.tree, prepared),
        actual,
        _answers(model, said, probabilities, actual or []),
    )


def _answers(
    model: Model, said: NDArray[Any], probabilities: NDArray[np.float64] | None, actual: list[Any]
) -> Predicted | None:
    """The predictions for those whose target is known, beside it; None if there are none."""
    known = [i for i, value in enumerate(actual) if value is not None]
    if not known:
        return None
    truth = [actual[i] for i in known]
    if probabilities is None:
        return Predicted.of_numbers(truth, said[known])
    return Predicted.of_classes(truth, said[known], model.tree.classes, probabilities[known])


def whole(data: Opened) -> Population:
    """Return the individuals with their target as an attribute, which a model for something else may ask about."""
    if data.target is None or data.target_name is None:
        return data.population
    return data.population.with_target(data.target_name, data.target)


def truth(population: Population, target: str | None) -> list[Any] | None:
    """Return the values of the target, None where there is none; None if the individuals do not have it."""
    record = population.schema.type(population.schema.individual)
    if target is None or record.attribute(target) is None:
        return None
    column = population.column(target)
    return [column.value(i) for i in range(len(column))]
