"""Ensembles: predictors of many trees whose tests are shared ladders (`structtree.models.ladders`).

The trees are arrays, compiled code routes individuals through all of them, and each individual is ranked once on each
ladder. Every ensemble is a sum: its margins are an intercept plus the outputs of one leaf per tree, and predictions
follow from the margins. `ForestPredictor` averages what the trees predict; `structtree.models.boosting` adds their
values.

Law: the leaf of an individual in a tree is that found by evaluating the tests on its path.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Codes, Floats, Ints
from structtree.data.json_parts import JsonPart
from structtree.data.population import Population
from structtree.data.schema import Schema
from structtree.errors import UnknownNameError
from structtree.lang import syntax as syn
from structtree.models.conform import NeededMembers, needed_members
from structtree.models.files.test_reader import TestReader
from structtree.models.files.trees import decision_from_json
from structtree.models.ladders import ladder_from_json, ladder_ranks, ladder_to_json
from structtree.models.predictor import Evidence, Margin, PathStep, Predictor, answers_from, register_predictor
from structtree.models.settings import MAJORITY, Decision
from structtree.models.shapley import ShapleyTrees
from structtree.models.tree import Branch, Found, Leaf, Node, Tree
from structtree.reprs import number_text, short_repr
from structtree.search.kernels.descending import find_leaves, no_children
from structtree.space.evaluate import Known
from structtree.tasks.registry import as_task
from structtree.tasks.task import Task

__all__ = ["EnsemblePredictor", "EnsembleTrees", "ForestPredictor", "leaf_values"]

ROUTED_TOGETHER = 2_048
"""Number of individuals that a thread routes at a time."""

RANKS = 200_000_000
"""Maximum number of ranks that are kept at a time; more individuals are ranked in several parts."""


MOST_EXPLAINED = 8
"""Maximum number of tests in the explanation of a prediction."""


class EnsembleTrees(NamedTuple):
    """Trees as arrays, one after the other; the nodes of each are in reading order.

    Parameters
    ----------
    ladders : (nodes,) int32
        The ladder that a node asks about; -1 in a leaf.
    steps : (nodes,) int32
        An individual takes the yes branch, which is the next node, if its rank is greater.
    no : (nodes,) int32
        The no child; in a leaf its row in `figures`.
    roots : (trees,) int32
    figures : (leaves, k) float64
        What each leaf stores, as the task defines it: class weights, or weight, mean and variance.
    """

    ladders: Codes
    steps: Codes
    no: Codes
    roots: Codes
    figures: Floats

    def __len__(self) -> int:
        return len(self.roots)

    def tree(self, place: int) -> EnsembleTrees:
        """Return an ensemble with a single one of the trees."""
        first, last = self._span(place)
        ladders = self.ladders[first:last]
        leaves = self.no[first:last][ladders < 0]
        no = np.where(ladders < 0, self.no[first:last] - leaves[0], self.no[first:last] - first).astype(np.int32)
        figures = self.figures[leaves[0] : leaves[-1] + 1]
        return EnsembleTrees(ladders, self.steps[first:last], no, np.zeros(1, dtype=np.int32), figures)

    def _span(self, place: int) -> tuple[int, int]:
        last = self.roots[place + 1] if place + 1 < len(self.roots) else len(self.ladders)
        return int(self.roots[place]), int(last)

    @staticmethod
    def joined(trees: Sequence[EnsembleTrees]) -> EnsembleTrees:
        """Return all trees of several ensembles over the same ladders."""
        nodes = np.concatenate(([0], np.cumsum([len(each.ladders) for each in trees])))
        leaves = np.concatenate(([0], np.cumsum([len(each.figures) for each in trees])))
        parts = list(zip(trees, nodes[:-1].tolist(), leaves[:-1].tolist(), strict=True))
        no = [np.where(each.ladders < 0, each.no + leaf, each.no + node) for each, node, leaf in parts]
        return EnsembleTrees(
            np.concatenate([each.ladders for each in trees]),
            np.concatenate([each.steps for each in trees]),
            np.concatenate(no).astype(np.int32),
            np.concatenate([each.roots + node for each, node, _ in parts]).astype(np.int32),
            np.concatenate([each.figures for each in trees]),
        )


@dataclass(frozen=True, eq=False)
class EnsemblePredictor(Predictor):
    """Base class of predictors with many trees; a subclass has a `kind` and combines the leaves.

    Parameters
    ----------
    trees : EnsembleTrees
    ladders : tuple of sequence of Predicate
        Nested tests, the most general first.
    gains : tuple of array
        The total gain of each test of each ladder over all trees.
    schema : Schema
        Schema of the individuals in training.
    label_task : Task
    decision : Decision
        Costs of errors.
    """

    trees: EnsembleTrees
    ladders: tuple[Sequence[syn.Predicate], ...]
    gains: tuple[Floats, ...]
    schema: Schema
    label_task: Task
    decision: Decision = MAJORITY

    def __repr__(self) -> str:
        return short_repr(self, str(self))

    def __str__(self) -> str:
        return f"{self.kind} of {number_text(len(self.trees), 'tree')} with {number_text(self.n_tests, 'test')}"

    @property
    def classes(self) -> tuple[Any, ...]:  # type: ignore[override]
        """The classes; empty for regression."""
        return self.task.classes

    @property
    def task(self) -> Task:
        """Task of the ensemble."""
        return self.label_task

    @property
    def n_tests(self) -> int:
        """Number of different tests."""
        return sum(map(len, self.ladders))

    @property
    def tests(self) -> tuple[syn.Predicate, ...]:
        """All different tests."""
        return tuple(test for tests in self.ladders for test in tests)

    @cached_property
    def mentioned(self) -> NeededMembers:
        """Attributes and links that the tests mention."""
        return needed_members((test for tests in self.ladders for test in _unlike(tests)), self.schema)

    # ---- prediction -------------------------------------------------------------------------------------

    def leaves(self, population: Population, n_jobs: int = 1) -> Codes:
        """Return the leaf of each individual in each tree, as a row of ``trees.figures``."""
        n = len(population)
        size = max(1, RANKS // max(1, len(self.ladders)))
        found = np.empty((n, len(self.trees)), dtype=np.int32)
        for first in range(0, n, size):
            some = population if size >= n else population.take(np.arange(first, min(first + size, n)))
            found[first : first + size] = self.leaves_of(ladder_ranks(self.ladders, some), n_jobs)
        return found

    def leaves_of(self, ranks: NDArray[np.uint16], n_jobs: int = 1) -> Codes:
        """Return the leaves of individuals with these ranks on the ladders; see `structtree.models.ladders`."""
        edges, found = range(0, len(ranks), ROUTED_TOGETHER), np.empty((len(ranks), len(self.trees)), dtype=np.int32)

        def some(first: int) -> None:
            part = slice(first, first + ROUTED_TOGETHER)
            trees = self.trees
            find_leaves(ranks[part], trees.ladders, trees.steps, trees.no, trees.roots, found[part])

        if n_jobs == 1 or len(edges) < 2:
            for first in edges:
                some(first)
            return found
        with ThreadPoolExecutor(n_jobs) as threads:
            list(threads.map(some, edges))
        return found

    def explain(self, alone: Population, known: Known | None = None) -> Evidence:
        """Return the tests that move the prediction of a single individual most, and the sum of all others.

        Of each ladder, the test is given whose branches contribute most to its contribution.
        """
        ranks = ladder_ranks(self.ladders, alone, known)
        answer = int(self.answers(self.combined(self.leaves_of(ranks)))[0]) if self.task.predicts_classes else 0
        direction = self.direction(answer)
        sums, chosen = self._moving(ranks, direction)
        moving = np.flatnonzero(sums)
        moving = moving[np.argsort(-np.abs(sums[moving]), kind="stable")]
        tests = [self.ladders[at][chosen[at]] for at in moving]
        steps = tuple(
            PathStep(None, test, bool(ranks[0, at] > chosen[at]), contribution=float(sums[at]))
            for at, test in zip(moving[:MOST_EXPLAINED], tests, strict=False)
        )
        others = moving[MOST_EXPLAINED:]
        expected = float(self.expected @ direction)
        margin = Margin(self.margin_name(answer), expected, float(sums[others].sum()), len(others))
        pairs = tuple(zip(tests, sums[moving].tolist(), strict=True))
        return Evidence(steps, margin=margin, contributions=pairs)

    def _moving(self, ranks: NDArray[np.uint16], direction: Floats) -> tuple[Floats, Ints]:
        """Return the contribution of each ladder for one individual, and its test that contributes most to it."""
        starts = np.concatenate(([0], np.cumsum(list(map(len, self.ladders))))).astype(np.int64)
        places = starts[self.trees.ladders] + self.trees.steps
        parts = self.shapley_trees.values(ranks, places, int(starts[-1]))[0] @ direction
        sums = np.add.reduceat(np.append(parts, 0.0), starts[:-1])
        own = [parts[first:last] * np.sign(each) for (first, last), each in zip(pairwise(starts), sums, strict=True)]
        return sums, np.array([part.argmax() for part in own], dtype=np.int64)

    # ---- margins ----------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def outputs(self) -> Floats:
        """Summand of each leaf, as (leaves, k)."""

    @property
    def intercept(self) -> Floats:
        """Margins before the first tree."""
        return np.zeros(self.outputs.shape[1])

    @property
    def covers(self) -> Floats:
        """Training weight of each leaf."""
        figures = self.trees.figures
        return np.asarray(figures.sum(axis=1) if self.task.predicts_classes else figures[:, 0])

    @cached_property
    def shapley_trees(self) -> ShapleyTrees:
        """The trees, prepared for the contributions of tests."""
        return ShapleyTrees.of(self.trees, self.outputs, self.covers)

    @property
    def expected(self) -> Floats:
        """Mean margins in training, as (k,): the sum of the weighted means of the trees."""
        return self.intercept + self.shapley_trees.expected

    def contributions(self, population: Population) -> Floats:
        """Return how much each ladder moves the margins of each individual, as (individuals, ladders, k)."""
        ranks = ladder_ranks(self.ladders, population)
        return self.shapley_trees.values(ranks, self.trees.ladders.astype(np.int64), len(self.ladders))

    def direction(self, answer: int) -> Floats:
        """Return the weight of each margin in the number that an explanation of an answer is about, as (k,)."""
        direction = np.zeros(self.outputs.shape[1])
        direction[answer] = 1.0
        return direction

    def margin_name(self, answer: int) -> str:
        """Return what this number is, such as ``probability of east``."""
        return f"probability of {self.classes[answer]}" if self.task.predicts_classes else "mean"

    def margins(self, leaves: Codes) -> Floats:
        """Return the intercept plus the outputs of the leaves of individuals, as (individuals, k)."""
        outputs = self.outputs
        total = np.tile(self.intercept, (len(leaves), 1))
        for tree in range(leaves.shape[1]):  # in a fixed order, so that sums do not depend on threads
            total += outputs[leaves[:, tree]]
        return total

    def from_margins(self, margins: Floats) -> Floats:
        """Return predictions from margins: probabilities of classes, or one number each."""
        return margins if self.task.predicts_classes else margins[:, 0]

    def combined(self, leaves: Codes) -> Floats:
        """Return the prediction of individuals from their leaves: probabilities of classes, or one number each."""
        return self.from_margins(self.margins(leaves))

    def predict(self, population: Population) -> NDArray[Any]:
        """Return the index of the predicted class, or the predicted number, of each individual."""
        return self.answers(self.combined(self.leaves(population)))

    def predict_proba(self, population: Population) -> Floats:
        """Return the probability of each class for each individual."""
        if not self.task.predicts_classes:
            return super().predict_proba(population)
        return self.combined(self.leaves(population))

    def answers(self, combined: Floats) -> NDArray[Any]:
        """Return predictions from the output of `combined`: the class with the least expected cost, or the number."""
        return answers_from(combined, self.task, self.decision)

    # ---- JSON -------------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Return the ladders and trees as plain JSON values."""
        ladders = zip(self.ladders, self.gains, strict=True)
        return {
            "task": self.task.name,
            "classes": [],
            **self.task.to_json(),
            "decision": {"estimate": None, "m": None, "costs": self.decision.costs},
            "ladders": [ladder_to_json(tests) | {"gains": _rounded(gains)} for tests, gains in ladders],
            "trees": [_tree_to_json(self.trees.tree(place)) for place in range(len(self.trees))],
        }

    @classmethod
    def from_json(cls, part: JsonPart, reader: TestReader) -> Self:
        """Restore a predictor from the output of `to_json`."""
        name = part.member("task")
        try:
            task = as_task(name.text()).from_json(part)
        except UnknownNameError as error:
            name.fail(str(error))
        written = part.member("ladders").elements()
        ladders = tuple(ladder_from_json(each, reader) for each in written)
        gains = tuple(_floats(each.member("gains")) for each in written)
        trees = tuple(cls._tree_from_json(each, ladders, task) for each in part.member("trees").elements())
        if not trees:
            part.member("trees").expected("one tree or more")
        decision = decision_from_json(part.member("decision"), len(task.classes))
        return cls(EnsembleTrees.joined(trees), ladders, gains, reader.schema, task, decision)

    @classmethod
    def _tree_from_json(cls, part: JsonPart, ladders: Sequence[Sequence[syn.Predicate]], task: Task) -> EnsembleTrees:
        tree, leaves = _nodes_from_json(part, ladders), part.member("leaves")
        figures = _figures(leaves, int((tree.ladders < 0).sum()), cls.leaf_width(task))
        if not cls.allows(figures, task):
            leaves.expected("finite numbers, and weights of classes >= 0 that are not all 0")
        return EnsembleTrees(*tree[:4], figures)

    @classmethod
    def leaf_width(cls, task: Task) -> int:
        """Return the number of figures of a leaf."""
        return len(task.classes) or 3

    @classmethod
    def allows(cls, figures: Floats, task: Task) -> bool:
        """Return whether the figures of leaves are valid."""
        return bool(np.isfinite(figures).all())


def _unlike(tests: Sequence[syn.Predicate]) -> Sequence[syn.Predicate]:
    """Return tests that mention all that the tests of a ladder mention."""
    return tests[:1] if not isinstance(tests, tuple) else tests


def leaf_values(figures: Floats, task: Task) -> Floats:
    """Return the probabilities of the classes, or the mean, of leaves with these figures, as (leaves, k)."""
    if not task.predicts_classes:
        return np.asarray(task.value(figures)[:, None])
    return np.asarray(figures / figures.sum(axis=1, keepdims=True))


@register_predictor
@dataclass(frozen=True, eq=False, repr=False)
class ForestPredictor(EnsemblePredictor):
    """Forest: the mean of the probabilities, or of the numbers, of the leaves."""

    kind: ClassVar[str] = "forest"

    @classmethod
    def allows(cls, figures: Floats, task: Task) -> bool:
        """Return whether the figures are finite, and weights of classes are not negative and not all 0."""
        weights = figures if task.predicts_classes else np.ones((1, 1))
        return super().allows(figures, task) and bool((weights >= 0).all() and (weights.sum(axis=1) > 0).all())

    @cached_property
    def _values(self) -> Floats:
        return leaf_values(self.trees.figures, self.task)

    @cached_property
    def outputs(self) -> Floats:
        """The values of each leaf divided by the number of trees."""
        return self._values / len(self.trees)

    def combined(self, leaves: Codes) -> Floats:
        """Return the mean over the trees."""
        return self.mean_over(leaves, np.ones(leaves.shape, dtype=np.bool_))

    def mean_over(self, leaves: Codes, inside: NDArray[np.bool_]) -> Floats:
        """Return the mean over some of the trees for each individual; NaN without any."""
        values = self._values
        total, n = np.zeros((len(leaves), values.shape[1])), inside.sum(axis=1)
        for tree in range(leaves.shape[1]):  # in a fixed order, so that sums do not depend on threads
            total += values[leaves[:, tree]] * inside[:, tree, None]
        with np.errstate(invalid="ignore"):
            mean = total / n[:, None]
        return np.asarray(mean if self.task.predicts_classes else mean[:, 0])

    def single_tree(self, place: int) -> Tree:
        """Return one of the trees; its gains and searches are not known."""
        trees = self.trees.tree(place)
        figures, nodes = np.zeros((len(trees.ladders), self.trees.figures.shape[1])), list[Node]()
        for node in range(len(trees.ladders) - 1, -1, -1):
            ladder, no = int(trees.ladders[node]), int(trees.no[node])
            if ladder < 0:
                figures[node] = trees.figures[no]
            else:
                figures[node] = self._merged(figures[node + 1], figures[no])
            stats = self.task.summary_of(max(1, round(float(self._weights(figures[node])))), figures[node].tolist())
            if ladder < 0:
                nodes.append(Leaf(stats))
            else:
                test = self.ladders[ladder][int(trees.steps[node])]
                nodes.append(Branch(test, node + 1, no, stats, Found("", 0.0, 0.0, True, 0.0, 0, 0.0)))
        return Tree(tuple(reversed(nodes)), self.schema, self.classes, task=self.task)

    def _weights(self, figures: Floats) -> float:
        return float(figures.sum() if self.task.predicts_classes else figures[0])

    def _merged(self, one: Floats, other: Floats) -> Floats:
        """Return the figures of the individuals of two nodes together."""
        if self.task.predicts_classes:
            return one + other
        weights, means = np.array([one[0], other[0]]), np.array([one[1], other[1]])
        mean = float(np.average(means, weights=weights))
        variance = np.average(np.array([one[2], other[2]]) + means**2, weights=weights) - mean**2
        return np.array([weights.sum(), mean, max(float(variance), 0.0)])

    def predict_spread(self, population: Population) -> Floats | None:
        """Return the standard deviation of the training labels around each prediction; None for classes."""
        if not self.task.has_spread:
            return None
        figures, leaves = self.trees.figures, self.leaves(population)
        moments = np.stack([self.task.value(figures), self.task.spread(figures) ** 2], axis=1)
        mean, variance = moments[:, 0][leaves], moments[:, 1][leaves]
        return np.asarray(np.sqrt(np.maximum((variance + mean**2).mean(axis=1) - mean.mean(axis=1) ** 2, 0.0)))


# ---- trees as JSON ---------------------------------------------------------------------------------------------


def _rounded(gains: Floats) -> list[float]:
    return [float(f"{gain:.6g}") for gain in gains.tolist()]


def _floats(part: JsonPart) -> Floats:
    return np.array([each.number() for each in part.elements()])


def _tree_to_json(tree: EnsembleTrees) -> dict[str, Any]:
    """Return a single tree: the ladder of each node, the step of each branch, and the figures of each leaf."""
    is_branch = tree.ladders >= 0
    figures = [[int(x) if x.is_integer() else x for x in row] for row in tree.figures.tolist()]
    return {"ladders": tree.ladders.tolist(), "steps": tree.steps[is_branch].tolist(), "leaves": figures}


def _nodes_from_json(part: JsonPart, ladders: Sequence[Sequence[syn.Predicate]]) -> EnsembleTrees:
    """Return the nodes of a tree, without the figures of its leaves."""
    nodes, steps = part.member("ladders"), part.member("steps")
    asked, step_of = _whole(nodes), _whole(steps)
    is_branch = asked >= 0
    if len(asked) == 0 or (asked < -1).any() or (asked >= len(ladders)).any():
        nodes.expected(f"the places of ladders, from 0 to {len(ladders) - 1}, and -1 for leaves")
    if len(step_of) != is_branch.sum():
        steps.fail(f"expected {is_branch.sum()} numbers, one for each branch, got {len(step_of)}")
    sizes = np.array([len(tests) for tests in ladders], dtype=np.int64)
    if (step_of < 0).any() or (step_of >= sizes[asked[is_branch]]).any():
        steps.expected("the place of a test on the ladder of each branch")
    no = no_children(asked.astype(np.int32))
    if not len(no):
        nodes.fail("the nodes are not a tree in reading order")
    all_steps = np.zeros(len(asked), dtype=np.int32)
    all_steps[is_branch] = step_of
    return EnsembleTrees(asked.astype(np.int32), all_steps, no, np.zeros(1, dtype=np.int32), np.zeros((0, 0)))


def _whole(part: JsonPart) -> Ints:
    if not isinstance(part.value, list) or not all(type(each) is int and abs(each) < 2**31 for each in part.value):
        part.expected("a list of whole numbers")
    return np.array(part.value, dtype=np.int64)


def _figures(part: JsonPart, n: int, width: int) -> Floats:
    rows = part.value if isinstance(part.value, list) else part.expected("a list")
    if len(rows) != n:
        part.fail(f"expected {n} lists of numbers, one for each leaf, got {len(rows)}")
    for i, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != width or not all(type(x) in (int, float) for x in row):
            JsonPart(row, f"{part.path}[{i}]").expected(f"{width} numbers")
    return np.array(rows, dtype=np.float64).reshape(n, width)
