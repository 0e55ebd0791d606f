"""Predictions of a tree: that of the individual's leaf, or a mixture if the individual is in several leaves.

Individuals are in several leaves only if missing values are handled by the rule ``"fractional"``. Probabilities and
means are then weighted averages over the leaves, and the class minimises the expected cost under these probabilities.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Floats
from structtree.data.population import Population
from structtree.models.leaves import means, probabilities, spreads
from structtree.models.settings import MAJORITY, Decision
from structtree.models.tree import Distribution, Tree

__all__ = [
    "predicted_answers",
    "predicted_classes",
    "predicted_means",
    "predicted_probabilities",
    "predicted_spreads",
]


def predicted_probabilities(tree: Tree, population: Population, decision: Decision = MAJORITY) -> Floats:
    """Return the probability of each class for each individual, as (individuals, classes).

    Examples
    --------
    >>> from structtree.data.schema import Attribute, RecordType, Schema
    >>> from structtree.lang.parse import parse_predicate
    >>> from structtree.models.tree import Branch, ClassCounts, Found, Leaf
    >>> schema = Schema((RecordType("Car", (Attribute("doors", "int"),)),), "Car")
    >>> seen, found = ClassCounts(4, (3.0, 1.0)), Found("gini", 0.0, 0.4, True, 0.0, 1, 0.0)
    >>> branch = Branch(parse_predicate("doors >= 3"), 1, 2, seen, found, shares=(0.25, 0.75))
    >>> leaves = Leaf(ClassCounts(1, (0.0, 1.0))), Leaf(ClassCounts(3, (3.0, 0.0)))
    >>> tree = Tree((branch, *leaves), schema, ("slow", "fast"), "fractional")
    >>> predicted_probabilities(tree, Population.from_records([{"doors": 5}, {"doors": None}], schema)).tolist()
    [[0.0, 1.0], [0.75, 0.25]]
    """
    return _mixed(tree, population, probabilities(tree, decision))


def predicted_classes(tree: Tree, population: Population, decision: Decision = MAJORITY) -> NDArray[np.int64]:
    """Return the index of the class with the lowest expected cost for each individual; ties go to the first.

    Examples
    --------
    >>> from structtree.data.schema import Attribute, RecordType, Schema
    >>> from structtree.models.tree import ClassCounts, Leaf
    >>> schema = Schema((RecordType("Car", (Attribute("doors", "int"),)),), "Car")
    >>> tree = Tree((Leaf(ClassCounts(4, (3.0, 1.0))),), schema, ("slow", "fast"))
    >>> predicted_classes(tree, Population.from_records([{"doors": 5}], schema)).tolist()
    [0]
    """
    return predicted_answers(tree, population, decision)


def predicted_answers(tree: Tree, population: Population, decision: Decision = MAJORITY) -> NDArray[Any]:
    """Return the prediction for each individual: a number, or the index of a class."""
    if tree.missing != "fractional":
        return np.asarray(tree.task.answers(tree, decision)[tree.apply(population)])
    found = tree.distribution(population)
    return tree.task.mixed(tree, decision, found.rows, found.leaves, found.weights, len(population))


def predicted_means(tree: Tree, population: Population) -> Floats:
    """Return the predicted number of each individual.

    Examples
    --------
    >>> from structtree.data.schema import Attribute, RecordType, Schema
    >>> from structtree.models.tree import Leaf, Moments
    >>> schema = Schema((RecordType("Car", (Attribute("doors", "int"),)),), "Car")
    >>> tree = Tree((Leaf(Moments(2, 2.0, 1.5, 0.25)),), schema)
    >>> cars = Population.from_records([{"doors": 5}], schema)
    >>> predicted_means(tree, cars).tolist(), predicted_spreads(tree, cars).tolist()
    ([1.5], [0.5])
    """
    return predicted_answers(tree, population)


def predicted_spreads(tree: Tree, population: Population) -> Floats:
    """Return the standard deviation of the training targets in the leaf of each individual."""
    if tree.missing != "fractional":
        return _mixed(tree, population, spreads(tree))
    found, middle = tree.distribution(population), means(tree)
    mean, square = (_added(found, each, len(population)) for each in (middle, spreads(tree) ** 2 + middle**2))
    return np.asarray(np.sqrt(np.maximum(square - mean**2, 0.0)))


def _mixed(tree: Tree, population: Population, of_node: Floats) -> Floats:
    """Return the value of each individual's leaf, or the weighted sum over its leaves."""
    if tree.missing != "fractional":
        return np.asarray(of_node[tree.apply(population)])
    return _added(tree.distribution(population), of_node, len(population))


def _added(found: Distribution, of_node: Floats, n: int) -> Floats:
    """Return the weighted sum over the leaves of each of n individuals."""
    added = np.zeros((n, *of_node.shape[1:]))
    np.add.at(added, found.rows, (of_node[found.leaves].T * found.weights).T)
    return added
