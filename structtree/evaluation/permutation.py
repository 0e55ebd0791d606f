"""Permutation importances: how much a score falls if some tests are answered for another individual."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from structtree.data.population import Population
from structtree.errors import DataError, UsageError
from structtree.evaluation.score import Predicted, constant_answers, main_metric, score_answers
from structtree.models.ensemble import EnsemblePredictor
from structtree.models.importance import mentioned
from structtree.models.ladders import ladder_ranks
from structtree.models.model import Model

__all__ = ["permutation_importances"]


def permutation_importances(
    model: Model, population: Population, target: ArrayLike, *, n_repeats: int = 5, seed: int = 0
) -> Mapping[str, float]:
    """Return the mean decrease of the main score for each attribute or link, in descending order.

    All tests that mention the attributes of a path, such as ``atoms.bonds.to.element``, are answered for another
    random individual at the same time; a test that mentions several paths belongs to each.

    Parameters
    ----------
    model : Model
        With an ensemble.
    population : Population
        Individuals, preferably not those of training, prepared for the model; see `Model.prepared`.
    target : array
        Their labels.
    n_repeats : int
        Number of permutations of each path.
    seed : int

    Examples
    --------
    >>> from structtree import fit
    >>> rng = np.random.default_rng(0)
    >>> data = Population.from_array(rng.normal(size=(200, 2)), ["x", "noise"])
    >>> labels = data.column("x").values > 0
    >>> forest = fit(data, labels, model="forest", n_estimators=20)
    >>> list(permutation_importances(forest, data, labels))
    ['x', 'noise']
    """
    forest = model.predictor
    if not isinstance(forest, EnsemblePredictor):
        raise UsageError(f"permutation importances are for forests; got a model with a {forest.kind}")
    labels, rng = np.asarray(target), np.random.default_rng(seed)
    if labels.shape != (len(population),):
        raise DataError(f"expected {len(population)} labels, one for each individual; got shape {labels.shape}")
    ranks = ladder_ranks(forest.ladders, population)

    def score(some: Any) -> float:
        combined = forest.combined(forest.leaves_of(some))
        predicted = model.task.labels(forest.answers(combined))
        if not model.task.predicts_classes:
            answers = Predicted.of_numbers(labels, predicted, model.task)
        else:
            answers = Predicted.of_classes(labels, predicted, model.classes, combined)
        main = main_metric(answers.task)
        return score_answers(answers, constant_answers(answers), [main])[main]

    ladders: dict[str, list[int]] = {}
    for place, tests in enumerate(forest.ladders):
        for path in mentioned(tests[0]):
            ladders.setdefault(path, []).append(place)
    whole, falls = score(ranks), dict[str, float]()
    for path, places in ladders.items():
        scores = []
        for _ in range(n_repeats):
            permuted = ranks.copy()
            permuted[:, places] = ranks[rng.permutation(len(ranks))][:, places]
            scores.append(score(permuted))
        falls[path] = whole - float(np.mean(scores))
    return dict(sorted(falls.items(), key=lambda item: -item[1]))
