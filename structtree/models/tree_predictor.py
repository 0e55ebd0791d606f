"""Tree predictor: predictions of the leaves, decision paths as evidence, and the JSON form.

With the rule ``"fractional"`` for missing values, an individual may be in several leaves. Its probabilities and its
mean are then weighted averages over these leaves, and its class minimises the expected cost.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Floats
from structtree.data.json_parts import JsonPart
from structtree.data.population import Population
from structtree.data.schema import Schema
from structtree.lang import syntax as syn
from structtree.models.conform import NeededMembers, needed_members
from structtree.models.files.test_reader import TestReader
from structtree.models.files.trees import decision_from_json, tree_from_json, tree_to_json
from structtree.models.leaves import means, probabilities, spreads
from structtree.models.predictor import Evidence, PathStep, Predictor, register_predictor
from structtree.models.routing.subsets import holds_among, places_among
from structtree.models.routing.unknown import possibly, surely
from structtree.models.settings import MAJORITY, Decision
from structtree.models.tree import Branch, Leaf, MultiwayBranch, Tree
from structtree.reprs import short_repr
from structtree.space.evaluate import Known
from structtree.tasks.task import Task

__all__ = ["TreePredictor"]


@register_predictor
@dataclass(frozen=True, eq=False)
class TreePredictor(Predictor):
    """Predictor with a single tree.

    Parameters
    ----------
    tree : Tree
    decision : Decision
        Decision options of the leaves.

    Examples
    --------
    >>> from structtree.data.schema import RecordType
    >>> from structtree.models.tree import ClassCounts
    >>> schema = Schema((RecordType("Car"),), "Car")
    >>> tree = Tree((Leaf(ClassCounts(4, (1.0, 3.0))),), schema, ("no", "yes"))
    >>> TreePredictor(tree).predict(Population.from_records([{"wheels": 2}])).tolist()
    [1]
    """

    kind: ClassVar[str] = "tree"

    tree: Tree
    decision: Decision = MAJORITY

    def __repr__(self) -> str:
        return short_repr(self, str(self)[1:-1])

    def __str__(self) -> str:
        return repr(self.tree)

    @property
    def schema(self) -> Schema:  # type: ignore[override]  # which never changes
        """Schema of the individuals in training."""
        return self.tree.schema

    @property
    def classes(self) -> tuple[Any, ...]:  # type: ignore[override]
        """The classes; empty for regression."""
        return self.tree.classes

    @property
    def task(self) -> Task:
        """Task of the tree."""
        return self.tree.task

    @property
    def tests(self) -> tuple[syn.Predicate, ...]:
        """Tests of the branches."""
        return self.tree.tests

    @property
    def mentioned(self) -> NeededMembers:
        """Attributes and links that the tests mention, found without creating the nodes of a compiled tree."""
        tree = self.tree
        if tree.descent is None:
            return needed_members(tree.tests, tree.schema)
        record = tree.schema.type(tree.schema.individual)
        return {record.name: frozenset(map(record.given_name, tree.descent.attributes))}

    def predict(self, population: Population) -> NDArray[Any]:
        """Return the index of the predicted class, or the predicted number, of each individual."""
        tree, decision = self.tree, self.decision
        if tree.missing != "fractional":
            return np.asarray(tree.task.answers(tree, decision)[tree.apply(population)])
        return tree.task.mixed(tree, decision, *tree.distribution(population), len(population))

    def predict_proba(self, population: Population) -> Floats:
        """Return the probability of each class for each individual."""
        return self._over_leaves(population, probabilities(self.tree, self.decision))

    def predict_spread(self, population: Population) -> Floats | None:
        """Return the standard deviation of the training labels in the leaf of each individual; None if unknown."""
        if not self.task.has_spread:
            return None
        if self.tree.missing != "fractional":
            return self._over_leaves(population, spreads(self.tree))
        mean, variance = means(self.tree), spreads(self.tree) ** 2
        moments = self._over_leaves(population, np.stack([mean, variance + mean**2], axis=1))
        return np.asarray(np.sqrt(np.maximum(moments[:, 1] - moments[:, 0] ** 2, 0.0)))

    def _over_leaves(self, population: Population, of_node: Floats) -> Floats:
        """Return the value of each individual's leaf, or the weighted mean if an individual is in several leaves."""
        if self.tree.missing != "fractional":
            return np.asarray(of_node[self.tree.apply(population)])
        found, mean = self.tree.distribution(population), np.zeros((len(population), *of_node.shape[1:]))
        np.add.at(mean, found.rows, (of_node[found.leaves].T * found.weights).T)
        return mean

    def explain(self, alone: Population, known: Known | None = None) -> Evidence:
        """Return the path of one individual; with several leaves, the path to the leaf with its largest fraction."""
        tree = self.tree
        leaf = int(tree.apply(alone, known)[0])
        nodes = [*(step.branch for step in tree.path(leaf)), leaf]
        stats = tree.nodes[leaf].stats
        counts = tuple(zip(tree.classes, tree.task.distribution(stats), strict=True))
        n_leaves = len(tree.distribution(alone).leaves) if tree.missing == "fractional" else 1
        return Evidence(tuple(self._steps(nodes, alone)), leaf, n_leaves, stats.n, counts)

    def _steps(self, nodes: list[int], alone: Population) -> Iterator[PathStep]:
        for index, child in pairwise(nodes):
            node = self.tree.nodes[index]
            assert not isinstance(node, Leaf)
            place, unknown = node.children.index(child), self._is_unknown(node, alone)
            share = node.shares[place] if unknown and self.tree.missing == "fractional" else None
            if isinstance(node, MultiwayBranch):
                yield PathStep(index, node.attribute, node.values[place], unknown, share)
            else:
                yield PathStep(index, node.test, place == 0, unknown, share)

    def _is_unknown(self, node: Branch | MultiwayBranch, alone: Population) -> bool:
        """Return whether the tested value is missing or unseen, and the tree has a rule for such values."""
        record, first = self.tree.schema.type(self.tree.schema.individual), np.arange(1)
        if isinstance(node, MultiwayBranch):
            return bool(places_among(node.attribute, node.values, alone, first)[0] < 0)
        if self.tree.missing == "false":
            return False
        may_hold, holds = (holds_among(test(node.test, record), alone, first) for test in (possibly, surely))
        return bool(may_hold[0] and not holds[0])

    def to_json(self) -> dict[str, Any]:
        """Return the decision options and the tree as plain JSON values."""
        return {"decision": asdict(self.decision), **tree_to_json(self.tree)}

    @classmethod
    def from_json(cls, part: JsonPart, reader: TestReader) -> Self:
        """Return a predictor from the JSON values of `to_json`."""
        tree = tree_from_json(part, reader)
        return cls(tree, decision_from_json(part.member("decision"), len(tree.classes)))
