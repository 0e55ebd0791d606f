"""Contributions of the tests of an ensemble to its predictions: exact Shapley values, also by attribute and link."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from structtree.arrays import Floats
from structtree.errors import UsageError
from structtree.lang import syntax as syn
from structtree.models.ensemble import EnsemblePredictor
from structtree.models.importance import mentioned, without_number
from structtree.models.model import fitted
from structtree.reprs import number_text, short_repr

__all__ = ["Contributions", "contributions", "shared_by_feature"]

_V = TypeVar("_V", float, Floats)


@dataclass(frozen=True, slots=True, eq=False)
class Contributions:
    """Contributions of tests, which add up to the margins together with the expected ones.

    The margins of a forest are its probabilities, or its numbers.

    Parameters
    ----------
    tests : tuple of Predicate
        Tests with all their numbers together, which are written as ``*``.
    expected : (k,) array
        Mean margins in training: one per class, or a single one.
    values : (individuals, tests, k) array
    """

    tests: tuple[syn.Predicate, ...]
    expected: Floats
    values: Floats

    def __repr__(self) -> str:
        n, tests, _ = self.values.shape
        return short_repr(self, number_text(n, "individual"), number_text(tests, "test"))

    @property
    def margins(self) -> Floats:
        """Margins of the individuals, as (individuals, k)."""
        return np.asarray(self.expected + self.values.sum(axis=1))

    def by_feature(self) -> dict[str, Floats]:
        """Return the contributions of each attribute or link, as (individuals, k), the largest first.

        The attributes and links that a test mentions share its contribution equally, so that the results add up to
        the margins, too.
        """
        return shared_by_feature(zip(self.tests, np.moveaxis(self.values, 1, 0), strict=True))


def shared_by_feature(pairs: Iterable[tuple[syn.Predicate, _V]]) -> dict[str, _V]:
    """Return the sum of the values of tests for each attribute or link, the largest first.

    The attributes and links that a test mentions share its value equally; ``''`` has those of tests without any.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> tests = parse_predicate("exists cars (long and wheels >= 3)"), parse_predicate("exists cars (long)")
    >>> shared_by_feature(zip(tests, (0.5, -1.0)))
    {'cars.long': -0.75, 'cars.wheels': 0.25}
    """
    found = dict[str, Any]()
    for test, value in pairs:
        paths = mentioned(test) or ("",)
        for path in paths:
            found[path] = found.get(path, 0.0) + value / len(paths)
    return dict(sorted(found.items(), key=lambda item: (-float(np.abs(item[1]).sum()), item[0])))


def contributions(model: Any, individuals: Any) -> Contributions:
    """Return how much each test of an ensemble moves its predictions (TreeSHAP).

    The contribution of a test is its Shapley value: the mean change of the margins when its answers become known,
    over all orders in which the answers of the tests may become known. Without an answer, a tree predicts the mean
    over both branches, weighted by their training weights. Tests that differ only in a number are one.

    Parameters
    ----------
    model : Model or fitted estimator
        With an ensemble.
    individuals : individuals in any form that the model accepts

    Examples
    --------
    >>> from structtree import StructuralForestClassifier, load_dataset
    >>> trains = load_dataset("trains")
    >>> forest = StructuralForestClassifier("trains", n_estimators=50).fit(trains.population, trains.target)
    >>> found = contributions(forest, trains.population)
    >>> np.allclose(found.margins, forest.predict_proba(trains.population))
    True
    >>> next(iter(found.by_feature()))
    'cars.load'
    """
    known = fitted(model)
    forest = known.model.predictor
    if not isinstance(forest, EnsemblePredictor):
        raise UsageError(
            f"contributions are for ensembles; got a model with a {forest.kind}, of which explain shows the path"
        )
    tests = tuple(without_number(tests[0]) for tests in forest.ladders)
    return Contributions(tests, forest.expected, forest.contributions(known.prepared(individuals)))
