"""Pruning a grown tree: some of its branches become leaves, and the result is a new tree.

The one idea: every method here knows what each node would cost *as a leaf*, and compares that with what its subtree
costs. Nodes stand before their children, so one loop from the end is bottom-up. Where both cost the same the leaf
wins, so that of all best prunings the smallest is returned. The methods differ in the cost:

* `pruning_path`, `cost_complexity`, `choose_alpha`: errors in training plus α for each leaf, as in CART (Breiman,
  Friedman, Olshen and Stone 1984);
* `reduced_error`: errors on individuals that were held out (Quinlan 1987);
* `pessimistic`: an upper limit of the error rate, as in C4.5 (Quinlan 1993);
* `merge_equal_leaves`: nothing that changes any decision.

What a node says comes from `structtree.models.leaves`; growing is left to the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from math import inf
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structtree.arrays import TOLERANCE, Floats, Ints
from structtree.data.population import Population
from structtree.data.reachable import compact
from structtree.errors import DataError, UsageError
from structtree.learn.held_out import fold_numbers
from structtree.models.leaves import class_counts, decisions
from structtree.models.settings import MAJORITY, Decision
from structtree.models.tree import Tree, answers_below, subtree
from structtree.reprs import number_text, short_repr
from structtree.tasks.target import Target, target_for

__all__ = [
    "Alpha",
    "PruningPath",
    "Risk",
    "choose_alpha",
    "cost_complexity",
    "losses_along",
    "merge_equal_leaves",
    "pessimistic",
    "pruning_path",
    "reduced_error",
]

Risk = Literal["error", "gini", "entropy", "mse"]

# Costs, and alphas, nearer than this share of the greatest one are equal: sums are rounded.


@dataclass(frozen=True, slots=True, eq=False)
class PruningPath:
    """The prunings of a tree that are best for some α, from the largest to the root alone; each is part of the last.

    Parameters
    ----------
    alphas : array of float
        Ascending, beginning with 0: the least α for which each pruning is the smallest best one.
    risks : array of float
        The training risk of each.
    n_leaves : array of int
        The size of each.
    gone : array of int
        For each node the first step at which it is no branch.
    """

    alphas: Floats
    risks: Floats
    n_leaves: Ints
    gone: Ints

    def __repr__(self) -> str:
        largest = number_text(int(self.n_leaves.max(initial=0)), "leaf", "leaves")
        return short_repr(self, number_text(self, "pruning"), f"the largest with {largest}")

    def __len__(self) -> int:
        return len(self.alphas)

    def step(self, alpha: float) -> int:
        """Return the index of the pruning for an α."""
        return int(np.searchsorted(self.alphas, alpha * (1 + TOLERANCE), side="right")) - 1

    def kept(self, step: int) -> frozenset[int]:
        """Return the branches that remain at a step."""
        return frozenset(np.flatnonzero(self.gone > step).tolist())


# ---- cost-complexity ------------------------------------------------------------------------------------


def pruning_path(tree: Tree, risk: Risk | None = None, decision: Decision = MAJORITY) -> PruningPath:
    """Return CART's weakest-link path: for every α ≥ 0 the smallest pruning that minimises risk + α · leaves.

    Parameters
    ----------
    risk : {"error", "gini", "entropy", "mse"}, optional
        What leaves cost in training, as a share of the weight: for classes the error, or an impurity as scikit-learn
        has it; for numbers the variance.
    decision : Decision
        Its costs weigh the errors; the estimate does not matter here.

    Examples
    --------
    >>> from structtree import Grammar, load_dataset
    >>> from structtree.learn.growing import grow
    >>> monks = load_dataset("monks-3")
    >>> tree = grow(monks.population, monks.target, Grammar.load("flat"))
    >>> path = pruning_path(tree)
    >>> path.n_leaves.tolist(), path.alphas.round(3).tolist(), path.risks.round(3).tolist()
    ([4, 3, 2, 1], [0.0, 0.028, 0.167, 0.278], [0.0, 0.028, 0.194, 0.472])
    """
    own = tree.task.risks(tree, risk, decision)
    ends = _capped(tree, _crossings(tree, own))
    weight = _weight(tree)
    alphas, gone = _steps(ends, TOLERANCE * own[0])
    return PruningPath(
        alphas / weight,
        _along(tree, gone, len(alphas), own) / weight,
        _along(tree, gone, len(alphas), np.ones(len(own))).astype(np.int64),
        gone,
    )


def cost_complexity(tree: Tree, alpha: float, risk: Risk | None = None, decision: Decision = MAJORITY) -> Tree:
    """Return the smallest pruning that minimises risk + α · leaves; see `pruning_path`.

    Examples
    --------
    >>> from structtree import Grammar, load_dataset
    >>> from structtree.learn.growing import grow
    >>> monks = load_dataset("monks-3")
    >>> tree = grow(monks.population, monks.target, Grammar.load("flat"))
    >>> [len(cost_complexity(tree, alpha).leaves) for alpha in (0.0, 0.1, 0.2)]
    [4, 3, 2]
    """
    if not alpha >= 0:
        raise UsageError(f"alpha must be a number >= 0; got {alpha}")
    path = pruning_path(tree, risk, decision)
    return subtree(tree, path.kept(path.step(alpha)))


def choose_alpha(
    grow_fold: Callable[[Ints], Tree | None],
    tree: Tree,
    population: Population,
    target: ArrayLike,
    *,
    folds: int = 5,
    rounds: int | None = None,
    seed: int = 0,
    standard_errors: float = 0.0,
    max_leaf_nodes: int | None = None,
    risk: Risk | None = None,
    decision: Decision = MAJORITY,
    sample_weight: ArrayLike | None = None,
) -> Alpha | None:
    """Choose α by cross-validation, as in CART; return None if there was no time for any fold.

    Each fold's tree is pruned for the geometric means of neighbouring alphas of the whole tree's path, and judged
    on the individuals of the fold: by the cost of its decisions, or by squared deviations.

    Parameters
    ----------
    grow_fold : function
        Grows a tree on the individuals at some positions, with the classes of the whole tree. If it returns None,
        because there is no time for more trees, the folds so far decide.
    tree : Tree
        Grown on the whole population.
    target : array
        A class, or a number, for each individual.
    folds : int
        How many; the classes are spread evenly over them.
    rounds : int, optional
        How many of them are held out, one after the other; beyond all of them, those of a new shuffle. By default
        each is, once.
    seed : int
        Of the shuffle that makes the folds.
    standard_errors : float
        The smallest tree within this many standard errors of the lowest loss is chosen.
    max_leaf_nodes : int, optional
        Maximum number of leaves of the prunings to consider.
    risk, decision
        As for `pruning_path`; the decision also says what the leaves of a fold's tree say, and what errors cost.
    sample_weight : array, optional
        What the loss of each individual counts.

    Examples
    --------
    >>> from structtree import Grammar, load_dataset
    >>> from structtree.learn.growing import grow
    >>> monks = load_dataset("monks-3")
    >>> data, target, grammar = monks.population, monks.target, Grammar.load("flat")
    >>> tree = grow(data, target, grammar)
    >>> choose_alpha(lambda train: grow(data.take(train), target[train], grammar), tree, data, target).alpha
    0.0
    """
    checked = _labelled(tree, population, target, sample_weight)
    strata = tree.task.strata(checked.values)
    path = pruning_path(tree, risk, decision)
    middles = np.append(np.sqrt(path.alphas[:-1] * path.alphas[1:]), inf)
    seen = np.zeros((2, len(path)))
    weight, judged = 0.0, 0
    for inside in _held_out_parts(strata, folds, folds if rounds is None else rounds, seed):
        outside = np.ones(len(population), dtype=np.bool_)
        outside[inside] = False
        grown = grow_fold(np.flatnonzero(outside))
        if grown is None:
            break
        _check_classes(tree, grown)
        # A test behind links is asked of all rows of a population, so these get only their own.
        losses = _held_out(grown, compact(population.take(inside)), checked.take(inside), decision)
        own = pruning_path(grown, risk, decision)
        at = [own.step(alpha) for alpha in middles]
        seen += [_along(grown, own.gone, len(own), each)[at] for each in losses]
        weight, judged = weight + float(checked.weights[inside].sum()), judged + len(inside)
    if not judged:
        return None
    mean, squares = seen / (weight or 1.0)
    known = _Losses(mean, squares, min(judged, len(population)))
    step = known.chosen(standard_errors, path.n_leaves <= (max_leaf_nodes or inf))
    return Alpha(float(path.alphas[step]), float(mean[step]), path, known.mean, known.standard_errors)


class Alpha(NamedTuple):
    """A chosen α, and the alternatives.

    Parameters
    ----------
    alpha : float
    loss : float
        The mean loss of trees pruned by it on individuals that were held out.
    path : PruningPath
        Of the whole tree.
    losses, standard_errors : array of float
        The mean loss for each pruning of the path on individuals that were held out, and its standard error.
    """

    alpha: float
    loss: float
    path: PruningPath
    losses: Floats
    standard_errors: Floats


def losses_along(
    tree: Tree, path: PruningPath, population: Population, target: ArrayLike, decision: Decision = MAJORITY
) -> Floats:
    """Return the mean loss of each pruning of a path on some individuals: cost of decisions, or squared error.

    Examples
    --------
    >>> from structtree import Grammar, load_dataset
    >>> from structtree.learn.growing import grow
    >>> monks = load_dataset("monks-3")
    >>> tree = grow(monks.population, monks.target, Grammar.load("flat"))
    >>> losses_along(tree, pruning_path(tree), monks.population, monks.target).round(3).tolist()
    [0.0, 0.028, 0.194, 0.472]
    """
    checked = _labelled(tree, population, target, None)
    losses = _held_out(tree, population, checked, decision)[0]
    return _along(tree, path.gone, len(path), losses) / max(1, len(population))


# ---- other methods --------------------------------------------------------------------------------------


def reduced_error(
    tree: Tree,
    population: Population,
    target: ArrayLike,
    sample_weight: ArrayLike | None = None,
    decision: Decision = MAJORITY,
) -> Tree:
    """Return the smallest pruning with the lowest loss on individuals held out when the tree was grown.

    Leaves go on saying what they say from the training data. A branch that no held-out individual comes by becomes
    a leaf.

    Parameters
    ----------
    population, target
        The held-out individuals and their classes or numbers.
    sample_weight : array, optional
        Their weights.
    decision : Decision
        What the leaves say, and what errors cost.

    Examples
    --------
    >>> from structtree.data.population import Population
    >>> from structtree.lang.parse import parse_predicate
    >>> from structtree.models.tree import Branch, ClassCounts, Found, Leaf, Tree
    >>> found = Found("acc*", 1.0, 0.25, True, 0.0, 1, 0.0)
    >>> held_out = Population.from_records([{"size": 2}, {"size": 6}])
    >>> branch = Branch(parse_predicate("size >= 5"), 1, 2, ClassCounts(4, (3.0, 1.0)), found)
    >>> nodes = (branch, Leaf(ClassCounts(1, (0.0, 1.0))), Leaf(ClassCounts(3, (3.0, 0.0))))
    >>> tree = Tree(nodes, held_out.schema, ("no", "yes"))
    >>> [len(reduced_error(tree, held_out, target).nodes) for target in (["no", "yes"], ["no", "no"])]
    [3, 1]
    """
    if not len(population):
        raise DataError("reduced-error pruning needs at least one held-out individual; got none")
    checked = _labelled(tree, population, target, sample_weight)
    return subtree(tree, _worth_keeping(tree, _held_out(tree, population, checked, decision)[0]))


def pessimistic(tree: Tree, confidence: float = 0.25) -> Tree:
    """Return the smallest pruning with the lowest pessimistic error, as in C4.5.

    Of a node with E errors among n individuals the error rate is taken to be the upper limit of its confidence
    interval: the rate at which so few errors have only the probability ``confidence``. The limit is exact (Clopper
    and Pearson's), where C4.5 approximates it for E > 0. Subtrees are replaced by leaves only.

    Parameters
    ----------
    tree : Tree
        For classes; a confidence limit of an error rate says nothing about numbers.
    confidence : float
        Between 0 and 1; less prunes more, as a rule.

    Examples
    --------
    >>> from structtree.models.tree import ClassCounts, Leaf
    >>> from structtree.data.schema import RecordType, Schema
    >>> stump = Tree((Leaf(ClassCounts(4, (3.0, 1.0))),), Schema((RecordType("Car"),), "Car"), ("no", "yes"))
    >>> len(pessimistic(stump).nodes)
    1
    """
    if not 0 < confidence < 1:
        raise UsageError(f"confidence must be a number between 0 and 1; got {confidence}")
    if not tree.classes:
        raise UsageError(
            "pessimistic pruning is for classes; "
            f"prune a tree for {tree.task.noun} by cost-complexity or reduced error"
        )
    weights = class_counts(tree).sum(axis=1)
    n = _n_whole(tree, weights)
    shares = tree.task.risks(tree, "error") / np.where(weights > 0, weights, 1.0)
    return subtree(tree, _worth_keeping(tree, weights * _upper_limits(shares * n, n, confidence)))


def _n_whole(tree: Tree, weights: Floats) -> Floats:
    """Return the number of individuals at each node; fractional individuals are summed."""
    if tree.missing == "fractional":
        return np.asarray(weights * (tree.nodes[0].stats.n / _weight(tree)))
    return np.array([node.stats.n for node in tree.nodes], dtype=np.float64)


def merge_equal_leaves(tree: Tree, decision: Decision = MAJORITY) -> Tree:
    """Return the smallest pruning with the same decisions: branches whose leaves predict one class become leaves.

    Probabilities do change, and with them the operating points; costs given later may want the branch back.

    Examples
    --------
    >>> from structtree.models.tree import Branch, ClassCounts, Found, Leaf, Tree
    >>> from structtree.data.schema import RecordType, Schema
    >>> from structtree.lang.syntax import Top
    >>> branch = Branch(Top(), 1, 2, ClassCounts(5, (4.0, 1.0)), Found("gini", 0.2, 0.12, True, 0.0, 1, 0.0))
    >>> nodes = (branch, Leaf(ClassCounts(2, (2.0, 0.0))), Leaf(ClassCounts(3, (2.0, 1.0))))
    >>> len(merge_equal_leaves(Tree(nodes, Schema((RecordType("Car"),), "Car"), ("no", "yes"))).nodes)
    1
    """
    said = decisions(tree, decision).tolist()
    told = answers_below(tree, said)
    return subtree(tree, frozenset(i for i in tree.branches if told[i] != {said[i]}))


# ---- what nodes cost as leaves --------------------------------------------------------------------------


def _weight(tree: Tree) -> float:
    return tree.nodes[0].stats.weight or 1.0


def _upper_limits(errors: Floats, n: Floats, confidence: float) -> Floats:
    """Return the upper confidence limits of the error rates."""
    from scipy.special import betaincinv  # type: ignore[import-untyped]  # scipy has no types

    right = np.maximum(n - errors, 0.0)
    some = right > 0
    limits = np.ones(len(n))
    limits[some] = betaincinv(errors[some] + 1.0, right[some], 1.0 - confidence)
    return limits


def _labelled(tree: Tree, population: Population, target: ArrayLike, sample_weight: ArrayLike | None) -> Target:
    """Return the target as class indices or numbers, and the weights."""
    classes = tree.classes or None
    return target_for(target, len(population), None, sample_weight, classes=classes, task=tree.task)


def _held_out(tree: Tree, population: Population, target: Target, decision: Decision) -> Floats:
    """Return the summed losses, and squared losses, of the held-out individuals at each node."""
    loss_at = tree.task.losses(tree, target.values, decision)
    parents, seen = np.asarray(tree.parents), np.zeros((2, len(tree.nodes)))
    which, at, weight = _leaf_parts(tree, population)
    weight = weight * target.weights[which]
    while len(at):  # one answer further up each time
        losses = loss_at(at, which)
        seen += [np.bincount(at, each * weight, len(tree.nodes)) for each in (losses, losses**2)]
        at = parents[at]
        below = at >= 0
        which, at, weight = which[below], at[below], weight[below]
    return seen


def _leaf_parts(tree: Tree, population: Population) -> tuple[Ints, Ints, Floats]:
    """Return the leaves of each individual, and the fraction of it in each."""
    if tree.missing == "fractional":
        found = tree.distribution(population)
        return found.rows, found.leaves, found.weights
    return np.arange(len(population)), tree.apply(population), np.ones(len(population))


# ---- bottom-up ------------------------------------------------------------------------------------------


def _worth_keeping(tree: Tree, as_leaf: Floats) -> frozenset[int]:
    """Return the branches whose optimally pruned subtrees cost less than a leaf."""
    slack = TOLERANCE * float(as_leaf.max(initial=0.0))
    best = as_leaf.tolist()
    kept = set()
    for index in range(len(tree.nodes) - 1, -1, -1):
        children = tree.nodes[index].children
        below = sum(best[child] for child in children)
        if children and below < best[index] - slack:
            best[index] = below
            kept.add(index)
    return frozenset(kept)


class _Change(NamedTuple):
    """Place where a subtree's cost changes its slope: below that α it has so much less risk and so many more leaves.

    The α is negated because a heap gives the least first, and the greatest is wanted.
    """

    minus_alpha: float
    less_risk: float
    more_leaves: int


def _crossings(tree: Tree, own: Floats) -> Floats:
    """Return for each node the smallest α at which a leaf is no worse than its optimally pruned subtree.

    The cost of a subtree as a function of α is concave and piecewise linear; a heap holds where its slope, the
    number of leaves, changes. Beyond all changes the children are leaves. Walking down from there, changes above the
    crossing are dropped for good, and the smaller heap is poured into the greater one: O(n log² n) for n nodes.
    """
    alone, crossings = own.tolist(), np.zeros(len(own))
    changes: dict[int, list[_Change]] = {}
    for index in range(len(alone) - 1, -1, -1):
        children = tree.nodes[index].children
        if not children:
            continue
        heap = _poured([changes.pop(child, []) for child in children])
        risk, leaves = sum(alone[child] for child in children), len(children)
        crossing = _crossing(alone[index], risk, leaves)
        while heap and crossing <= -heap[0].minus_alpha:
            change = heappop(heap)
            risk, leaves = risk - change.less_risk, leaves + change.more_leaves
            crossing = _crossing(alone[index], risk, leaves)
        heappush(heap, _Change(-crossing, alone[index] - risk, leaves - 1))
        changes[index], crossings[index] = heap, crossing
    return crossings


def _crossing(alone: float, risk: float, leaves: int) -> float:
    return max(0.0, (alone - risk) / (leaves - 1))


def _poured(heaps: list[list[_Change]]) -> list[_Change]:
    """Merge all heaps into the largest one."""
    *smaller, great = sorted(heaps, key=len)
    for heap in smaller:
        for change in heap:
            heappush(great, change)
    return great


def _capped(tree: Tree, ends: Floats) -> Floats:
    """Make every branch end no later than its parent."""
    capped = ends.tolist()
    for index, node in enumerate(tree.nodes):
        for child in node.children:
            capped[child] = min(capped[child], capped[index])
    return np.array(capped)


def _steps(ends: Floats, slack: float) -> tuple[Floats, Ints]:
    """Return the distinct ends in ascending order, merging nearly equal ones, and the index of each node's end."""
    values, places = np.unique(np.append(ends, 0.0), return_inverse=True)
    starts = np.diff(values, prepend=-inf) > slack
    return values[starts], (np.cumsum(starts) - 1)[places[:-1]]


def _along(tree: Tree, gone: Ints, n_steps: int, of_leaf: Floats) -> Floats:
    """Return the sum over the leaves of each step's tree of a quantity of the nodes.

    A node is a leaf from the step at which it is no branch until the step at which the one above is none.
    """
    above = np.array([n_steps if (parent := tree.parent(i)) is None else gone[parent] for i in range(len(gone))])
    shown = gone < above
    begins = np.bincount(gone[shown], of_leaf[shown], n_steps)
    ends = np.bincount(above[shown], of_leaf[shown], n_steps + 1)[:n_steps]
    return np.asarray(np.cumsum(begins - ends))


# ---- cross-validation -----------------------------------------------------------------------------------


def _held_out_parts(strata: NDArray[Any], folds: int, rounds: int, seed: int) -> Iterator[Ints]:
    """Yield the given number of folds; after all folds of a shuffle, those of another one."""
    n = len(strata)
    if not 2 <= folds <= n:
        raise UsageError(f"folds must be an int from 2 to the number of individuals, which is {n}; got {folds}")
    rng = np.random.default_rng(seed)
    for i in range(rounds):
        if i % folds == 0:
            fold_of = fold_numbers(strata, folds, rng)
        yield np.flatnonzero(fold_of == i % folds)


class _Losses(NamedTuple):
    """Mean loss and mean squared loss at each step of a path, and the number of individuals."""

    mean: Floats
    squares: Floats
    n: int

    @property
    def standard_errors(self) -> Floats:
        """Standard error of each mean."""
        return np.asarray(np.sqrt(np.maximum(0.0, self.squares - self.mean**2) / self.n))

    def chosen(self, standard_errors: float, allowed: NDArray[np.bool_]) -> int:
        """Return the last allowed step whose loss is within some standard errors of the lowest."""
        mean = np.where(allowed, self.mean, inf)
        least = int(mean.argmin())
        slack = TOLERANCE * float(self.mean.max()) + standard_errors * float(self.standard_errors[least])
        return int(np.flatnonzero(mean <= mean[least] + slack)[-1])


def _check_classes(tree: Tree, grown: Tree) -> None:
    if grown.classes != tree.classes:
        raise UsageError(
            f"the tree of a fold must have the classes of the whole tree, {list(tree.classes)}; "
            f"got {list(grown.classes)}, so pass the classes to the function that grows it"
        )
