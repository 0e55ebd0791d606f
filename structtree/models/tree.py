"""A tree is a value: nodes in one tuple, parents before children, so that nothing about it is recursive.

Node 0 is the root and a node is called by its place in the tuple. The sides of a branch follow it, first everything
on the yes side, then everything on the no side: the order in which a tree is read. A switch has a side for each value
of an attribute. A node keeps what was seen of the training data there, branches too, so that pruning a branch to a
leaf needs nothing but the tree.

Who lacks the value that a node asks about goes where the tree's rule for missing values says; by one of the rules in
parts, to several sides at once.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from structtree.data.population import Population
from structtree.data.schema import Schema
from structtree.lang import syntax as syn
from structtree.lang.pretty import pretty
from structtree.models.descent import Descent, descent_of, leaves_by
from structtree.models.routing import holds_among, places_among
from structtree.models.unknown import one_of, possibly, surely
from structtree.reprs import Viewed, names_text, number_text, short_repr
from structtree.search.results import TracePoint
from structtree.space.evaluate import Known
from structtree.tasks.classification import Classification
from structtree.tasks.criteria import TOLERANCE
from structtree.tasks.regression import REGRESSION
from structtree.tasks.statistics import ClassCounts, Moments, Stats
from structtree.tasks.task import Task

__all__ = [
    "Branch",
    "Caveat",
    "ClassCounts",
    "Distribution",
    "Found",
    "Leaf",
    "MissingRule",
    "Moments",
    "MultiwayBranch",
    "Node",
    "NodeArrays",
    "Part",
    "Stats",
    "Step",
    "Tree",
    "Unproved",
    "Way",
    "answers_below",
    "depths_of",
    "heaviest",
    "subtree",
]

MissingRule = Literal["false", "majority", "fractional"]
"""Rules for those who lack the value that a test needs; see `Tree`."""

Unproved = Literal["time", "evaluations", "interrupt", "beam", "listing", "sets"]
"""Reasons why it is not known that nothing is better; see `Found`."""

WORTH_PREPARING = 200
"""So many individuals are worth preparing a tree for."""


@dataclass(frozen=True, slots=True)
class Found:
    """Record of how a branch's test was found.

    Parameters
    ----------
    criterion : str
    score : float
        Of the split, as the criterion quotes it.
    gain : float
        How much less the criterion's loss is than without the split.
    proved : bool
        Whether no test of the grammar's space is better.
    gap : float
        How much less the loss of something unseen might still be.
    evaluated : int
        Predicates that were evaluated.
    seconds : float
        What the search took.
    stopped_by : {"time", "evaluations", "interrupt", "beam", "listing", "sets"}, optional
        Why the test is not proved best: the budget that ended the search, a beam, which proves nothing, a list of
        tests that was too long, or sets of values that were not all tried.
    pruned : int, optional
        Predicates whose refinements were not looked at, since none can be better than the best found; None where
        there was no search, and every test was tried.
    trace : tuple of TracePoint
        How the best found and the bound met during a search; empty where every test was tried at once.
    """

    criterion: str
    score: float
    gain: float
    proved: bool
    gap: float
    evaluated: int
    seconds: float
    stopped_by: Unproved | None = None
    pruned: int | None = None
    trace: tuple[TracePoint, ...] = field(repr=False, default=())


@dataclass(frozen=True, slots=True)
class Leaf:
    """Node without a test, where individuals end up.

    Parameters
    ----------
    stats : Stats
        Summary of the training individuals: `ClassCounts`, `Moments`, or that of another task.
    gap : float
        How much less the loss might be with a test that was not found because growing was cut short; else 0.
    stopped_by : optional
        What cut it short, as of `Found`.
    """

    stats: Stats
    gap: float = field(default=0.0, repr=False)
    stopped_by: Unproved | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        return short_repr(self, str(self.stats))

    @property
    def children(self) -> tuple[int, ...]:
        """No sides."""
        return ()


@dataclass(frozen=True, slots=True)
class Branch:
    """Node with a test, and where it sends individuals that pass it and those that do not.

    Parameters
    ----------
    test : Predicate
    yes, no : int
        Its two sides.
    stats : Stats
        Summary of the training individuals: `ClassCounts`, `Moments`, or that of another task.
    found : Found
    shares : pair of float, optional
        How the training weight of those of whom the answer was known is divided between yes and no. Only in trees
        whose rule for missing values is not ``"false"``, which need it.
    """

    test: syn.Predicate
    yes: int
    no: int
    stats: Stats
    found: Found
    shares: tuple[float, ...] = field(default=(), repr=False)

    def __repr__(self) -> str:
        return short_repr(self, f"{pretty(self.test)} | yes {self.yes}", f"no {self.no}", str(self.stats))

    @property
    def children(self) -> tuple[int, ...]:
        """The two sides."""
        return (self.yes, self.no)


@dataclass(frozen=True, slots=True)
class MultiwayBranch:
    """Node with a nominal attribute, and where each of its values leads.

    A value that was not seen here in training goes to the side with the most training weight, and so does an
    individual without a value; by the rule ``"fractional"`` both go to all sides, in parts.

    Parameters
    ----------
    attribute : str
        Of the individual itself.
    values : tuple of str
        Those that were seen here; at least two.
    children : tuple of int
        The side of each value.
    stats : Stats
        Summary of the training individuals: `ClassCounts`, `Moments`, or that of another task.
    found : Found
    shares : tuple of float
        How the training weight is divided among the sides; by the rules ``"majority"`` and ``"fractional"`` that of
        those who have a value.
    """

    attribute: str
    values: tuple[str, ...]
    children: tuple[int, ...]
    stats: Stats
    found: Found
    shares: tuple[float, ...] = field(repr=False)

    def __repr__(self) -> str:
        ways = names_text(f"{value} {child}" for value, child in zip(self.values, self.children, strict=True))
        return short_repr(self, f"{self.attribute} | {ways}", str(self.stats))

    @property
    def usual(self) -> int:
        """The place of the side with the most training weight."""
        return heaviest(self.shares)


Node = Branch | MultiwayBranch | Leaf


def heaviest(shares: Sequence[float]) -> int:
    """The place of the greatest share; the first one if only rounding keeps others apart from it.

    Examples
    --------
    >>> heaviest([0.2, 0.4, 0.4])
    1
    """
    return next(place for place, share in enumerate(shares) if share >= max(shares) - TOLERANCE)


class Step(NamedTuple):
    """One answer on the way to a node: the branch that asked, and what the answer was."""

    branch: int
    test: syn.Predicate
    answer: bool


class Way(NamedTuple):
    """One side of a node: who answers the test like this goes there."""

    child: int
    test: syn.Predicate
    answer: bool


class Caveat(NamedTuple):
    """A node at which a better test may have been missed; at a leaf any test.

    Parameters
    ----------
    node : int
    gap : float
        By how much the loss might be less.
    reason : optional
        Why it is not known, as of `Found`; models of older versions do not say it.
    gain : float, optional
        What the test that was found gains; None at a leaf.
    """

    node: int
    gap: float
    reason: Unproved | None
    gain: float | None = None


class Part(NamedTuple):
    """The individuals that come by a node, and how much of each does: all of it, unless values are missing."""

    node: int
    which: NDArray[np.int64]
    weights: NDArray[np.float64]


class Distribution(NamedTuple):
    """Leaves in which individuals end up: row by row, and leaf by leaf; the weights of a row add up to 1."""

    rows: NDArray[np.int64]
    leaves: NDArray[np.int64]
    weights: NDArray[np.float64]


class NodeArrays(Sequence[Node]):
    """Nodes that are kept as rows of arrays; see `structtree.splitters.sweep.SweptNodes`.

    What is asked of a tree as a whole is answered from the arrays. The nodes themselves are views of them.
    """

    @property
    @abstractmethod
    def seen(self) -> NDArray[np.float64]:
        """As of `Tree`."""

    @property
    @abstractmethod
    def parents(self) -> tuple[int, ...]:
        """The branch above each node; -1 for the root."""

    @property
    @abstractmethod
    def n_leaves(self) -> int:
        """Number of leaves among them."""

    @property
    @abstractmethod
    def evaluated(self) -> int:
        """Number of tests that were tried."""

    @property
    @abstractmethod
    def all(self) -> tuple[Node, ...]:
        """The nodes."""

    @property
    def descent(self) -> Descent | None:
        """As of `Tree`."""
        return _descent_of(self)

    @overload
    def __getitem__(self, place: int) -> Node: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Node, ...]: ...
    def __getitem__(self, place: int | slice) -> Node | tuple[Node, ...]:
        return self.all[place]

    def __iter__(self) -> Iterator[Node]:
        return iter(self.all)

    def __eq__(self, other: object) -> bool:
        return self.all == (other.all if isinstance(other, NodeArrays) else other)

    __hash__ = None  # type: ignore[assignment]  # as a list has none

    def __repr__(self) -> str:
        return short_repr(self, number_text(self, "node"))

    def __reduce__(self) -> tuple[Any, ...]:
        """They are pickled as the tuple that they stand for."""
        return tuple, (self.all,)


@dataclass(frozen=True, eq=False)
class Tree(Viewed):
    """A decision or regression tree.

    Parameters
    ----------
    nodes : sequence of Node
        Parents before children; the first is the root. A tuple, or `NodeArrays`.
    schema : Schema
        Of the individuals it can be asked about.
    classes : tuple
        The classes, in the order of the counts; empty when the target is a number.
    missing : {"false", "majority", "fractional"}
        What becomes of those who lack the value that a node asks about: no test holds of them; they go to the side
        with the most training weight; or they go to all sides, in parts that are in proportion to it. By the last
        two rules a category that the schema does not list, since training has not seen it, counts as missing.
    lightest : float
        The least weight of a training individual, above 0. Estimates that add individuals add some of this weight.
    task : Task
        What it predicts; by default one of the classes, or a number if there are none.
    """

    nodes: Sequence[Node]
    schema: Schema
    classes: tuple[Any, ...] = ()
    missing: MissingRule = "false"
    lightest: float = 1.0
    task: Task = REGRESSION

    def __post_init__(self) -> None:
        if self.classes and not self.task.classes:
            object.__setattr__(self, "task", Classification(self.classes))
        object.__setattr__(self, "classes", self.task.classes)

    def __repr__(self) -> str:
        n_leaves = len(self.nodes) - len(set(self.parents) - {-1})
        leaves = number_text(n_leaves, "leaf", "leaves")
        return short_repr(self, leaves, f"depth {self.depth}", self.task.description)

    # ---- what takes a walk over all nodes and is needed again and again ---------------------------------

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """The branch above each node; -1 for the root."""
        return self.nodes.parents if isinstance(self.nodes, NodeArrays) else _parents_of(self.nodes)

    @cached_property
    def seen(self) -> NDArray[np.float64]:
        """The weight of each class at each node, or weight, mean and variance, as (nodes, classes or 3)."""
        if isinstance(self.nodes, NodeArrays):
            return self.nodes.seen
        return np.array([node.stats.figures for node in self.nodes], dtype=np.float64)

    @cached_property
    def descent(self) -> Descent | None:
        """Compiled descent; None where its tests are not plain comparisons."""
        return self.nodes.descent if isinstance(self.nodes, NodeArrays) else _descent_of(self.nodes)

    # ---- its shape --------------------------------------------------------------------------------------

    @property
    def leaves(self) -> tuple[int, ...]:
        """Indices of the leaves, in reading order."""
        return tuple(i for i, node in enumerate(self.nodes) if isinstance(node, Leaf))

    @property
    def branches(self) -> tuple[int, ...]:
        """Indices of the branches and switches, in reading order."""
        return tuple(i for i, node in enumerate(self.nodes) if not isinstance(node, Leaf))

    @property
    def tests(self) -> tuple[syn.Predicate, ...]:
        """All that it asks; of a switch, whether the attribute has the first of its values."""
        return tuple(
            node.test if isinstance(node, Branch) else syn.Compare(node.attribute, "=", node.values[0])
            for node in self.nodes
            if not isinstance(node, Leaf)
        )

    @property
    def caveats(self) -> list[Caveat]:
        """The nodes at which something better may have been missed."""
        found = []
        for i, node in enumerate(self.nodes):
            if isinstance(node, Leaf):
                if node.gap:
                    found.append(Caveat(i, node.gap, node.stopped_by))
            elif not node.found.proved:
                found.append(Caveat(i, node.found.gap, node.found.stopped_by, node.found.gain))
        return found

    @property
    def depths(self) -> tuple[int, ...]:
        """Depth of each node: the number of answers that lead to it."""
        return depths_of(self.parents)

    @property
    def depth(self) -> int:
        """The most answers that lead to a leaf."""
        return max(self.depths)

    def parent(self, node: int) -> int | None:
        """The branch above a node; None for the root."""
        return None if self.parents[node] < 0 else self.parents[node]

    def ways(self, node: int) -> tuple[Way, ...]:
        """The sides of a node, each with what those who go there answer; exactly one holds of everybody.

        By the rule ``"fractional"`` that is so for those of whom every value is known.
        """
        match self.nodes[node]:
            case Leaf():
                return ()
            case Branch(yes=yes, no=no) as branch:
                test = self._deciding(branch)
                return (Way(yes, test, True), Way(no, test, False))
            case MultiwayBranch() as switch:
                return _ways_of(switch)

    def path(self, node: int) -> tuple[Step, ...]:
        """The answers that lead to a node, from the root on."""
        steps = []
        while (above := self.parents[node]) >= 0:
            _, test, answer = next(way for way in self.ways(above) if way.child == node)
            steps.append(Step(above, test, answer))
            node = above
        return tuple(reversed(steps))

    def _deciding(self, branch: Branch) -> syn.Predicate:
        """The test that says who goes to the yes side, also if the value is missing."""
        if self.missing != "majority":
            return branch.test
        record = self.schema.type(self.schema.individual)
        return (possibly if heaviest(branch.shares) == 0 else surely)(branch.test, record)

    # ---- its use ----------------------------------------------------------------------------------------

    def apply(self, population: Population) -> NDArray[np.int64]:
        """The leaf that each individual ends up in.

        Examples
        --------
        >>> from structtree.data.population import Population
        >>> from structtree.lang.parse import parse_predicate
        >>> data = Population.from_records([{"size": 1}, {"size": 5}])
        >>> found = Found("acc*", 1.0, 0.5, True, 0.0, 1, 0.0)
        >>> no, yes = ClassCounts(1, (1.0, 0.0)), ClassCounts(1, (0.0, 1.0))
        >>> branch = Branch(parse_predicate("size >= 3"), 1, 2, ClassCounts(2, (1.0, 1.0)), found)
        >>> Tree((branch, Leaf(yes), Leaf(no)), data.schema, ("no", "yes")).apply(data).tolist()
        [2, 1]
        """
        if self.missing == "fractional":
            return _heaviest_leaves(self.distribution(population), len(population))
        if self.missing == "false" and len(population) >= WORTH_PREPARING and self.descent is not None:
            quickly = leaves_by(self.descent, population)
            if quickly is not None:
                return quickly
        leaf_of = np.empty(len(population), dtype=np.int64)
        for node, which in self.arrivals(population):
            if isinstance(self.nodes[node], Leaf):
                leaf_of[which] = node
        return leaf_of

    def distribution(self, population: Population) -> Distribution:
        """The leaves that each individual ends up in, and how much of it does in each."""
        parts = [part for part in self.parts(population) if isinstance(self.nodes[part.node], Leaf)]
        rows = np.concatenate([part.which for part in parts])
        leaves = np.repeat([part.node for part in parts], [len(part.which) for part in parts])
        weights = np.concatenate([part.weights for part in parts])
        order = np.argsort(rows, kind="stable")
        return Distribution(rows[order], leaves[order], weights[order])

    def arrivals(self, population: Population) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Every node in reading order, with the individuals that come by it, wholly or in part."""
        for node, which, _ in self.parts(population):
            yield node, which

    def parts(self, population: Population) -> Iterator[Part]:
        """Every node in reading order, with the individuals that come by it, and how much of each does."""
        known: Known = {}
        stack = [Part(0, np.arange(len(population)), _whole(len(population)))]
        while stack:
            part = stack.pop()
            yield part
            stack += reversed(self._sides(part, population, known))

    def _sides(self, part: Part, population: Population, known: Known) -> list[Part]:
        """Return what part of a node's individuals goes to each of its sides."""
        if not len(part.which):
            return [part._replace(node=child) for child in self.nodes[part.node].children]
        match self.nodes[part.node]:
            case Leaf():
                return []
            case Branch(test, yes, no) if self.missing == "false":
                true = holds_among(test, population, part.which, known)
                return [_some(part, yes, true), _some(part, no, ~true)]
            case Branch(test) as node:
                record = self.schema.type(self.schema.individual)
                true = holds_among(surely(test, record), population, part.which, known)
                may_be = holds_among(possibly(test, record), population, part.which, known)
                places = np.where(true, 0, np.where(may_be, -1, 1))
            case MultiwayBranch(attribute, values) as node:
                places = places_among(attribute, values, population, part.which)
        if self.missing == "fractional":
            sides = zip(node.children, node.shares, strict=True)
            return [_shared(part, child, places, place, share) for place, (child, share) in enumerate(sides)]
        places[places < 0] = heaviest(node.shares)
        return [_some(part, child, places == place) for place, child in enumerate(node.children)]


def depths_of(parents: Sequence[int]) -> tuple[int, ...]:
    """Return how many answers lead to each node, from the branch above each, which is -1 for the root."""
    depths = [0]
    for parent in parents[1:]:
        depths.append(depths[parent] + 1)
    return tuple(depths)


def _parents_of(nodes: Sequence[Node]) -> tuple[int, ...]:
    parents = [-1] * len(nodes)
    for index, node in enumerate(nodes):
        for child in node.children:
            parents[child] = index
    return tuple(parents)


def _descent_of(nodes: Sequence[Node]) -> Descent | None:
    plain = [node for node in nodes if isinstance(node, Branch | Leaf)]
    if len(plain) < len(nodes):
        return None
    tests = [node.test if isinstance(node, Branch) else None for node in plain]
    sides = [(node.yes, node.no) if isinstance(node, Branch) else (-1, -1) for node in plain]
    return descent_of(tests, sides)


def _ways_of(switch: MultiwayBranch) -> tuple[Way, ...]:
    """Return the value of each side, and for the usual one whatever is none of the other values."""
    attribute, usual = switch.attribute, switch.usual
    elsewhere = one_of(attribute, (value for place, value in enumerate(switch.values) if place != usual))
    return tuple(
        Way(child, elsewhere, False) if place == usual else Way(child, syn.Compare(attribute, "=", value), True)
        for place, (value, child) in enumerate(zip(switch.values, switch.children, strict=True))
    )


def _whole(n: int) -> NDArray[np.float64]:
    """All of so many individuals, in no memory."""
    return np.broadcast_to(np.float64(1.0), n)


def _some(part: Part, child: int, here: NDArray[np.bool_]) -> Part:
    which = part.which[here]
    return Part(child, which, _whole(len(which)))


def _shared(part: Part, child: int, places: NDArray[np.int64], place: int, share: float) -> Part:
    """Those who go to one side, and of those who might go to any a share."""
    unknown = places < 0
    here = unknown | (places == place)
    return Part(child, part.which[here], part.weights[here] * np.where(unknown[here], share, 1.0))


def _heaviest_leaves(found: Distribution, n: int) -> NDArray[np.int64]:
    """The leaf of each individual that has most of it; of equal ones the first."""
    order = np.lexsort((-found.weights.round(12), found.rows))
    leaf_of = np.empty(n, dtype=np.int64)
    leaf_of[found.rows[order[::-1]]] = found.leaves[order[::-1]]
    return leaf_of


def answers_below(tree: Tree, answers: Sequence[Hashable]) -> list[set[Hashable]]:
    """For each node all that the leaves below it say, from what each node says."""
    told: list[set[Hashable]] = [{answer} for answer in answers]
    for index in reversed(tree.branches):
        told[index] = set().union(*(told[child] for child in tree.nodes[index].children))
    return told


def subtree(tree: Tree, kept: frozenset[int]) -> Tree:
    """The tree in which only some of its branches are still branches, and the others have become leaves.

    Parameters
    ----------
    kept : set of int
        Branches; what lies below one that is not kept is gone.
    """
    nodes: list[Node] = []
    waiting: list[tuple[int, int, int]] = [(0, -1, 0)]
    while waiting:
        old, above, side = waiting.pop()
        node, place = tree.nodes[old], len(nodes)
        if not isinstance(node, Leaf) and old in kept:
            nodes.append(node)
            waiting += reversed([(child, place, i) for i, child in enumerate(node.children)])
        else:
            nodes.append(node if isinstance(node, Leaf) else Leaf(node.stats))
        if above >= 0:
            nodes[above] = _with_child(nodes[above], side, place)
    return replace(tree, nodes=tuple(nodes))


def _with_child(node: Node, side: int, child: int) -> Node:
    match node:
        case Leaf():
            return node
        case Branch():
            return replace(node, yes=child) if side == 0 else replace(node, no=child)
        case MultiwayBranch(children=children):
            return replace(node, children=(*children[:side], child, *children[side + 1 :]))
