"""Trees as plain data: nodes in one tuple, parents before children, so that algorithms need no recursion.

Node 0 is the root, and a node is identified by its index. A branch is followed by its yes subtree, then by its no
subtree: the order in which a tree is read. A multiway branch has one child per value of an attribute. All nodes keep
statistics of their training individuals, so that pruning a branch to a leaf needs only the tree.

Individuals without the value that a node needs are routed by the tree's rule for missing values; with
``"fractional"`` they follow several branches at once.
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
from structtree.models.routing.descent import Descent, descent_of, leaves_by
from structtree.models.routing.subsets import holds_among, places_among
from structtree.models.routing.unknown import one_of, possibly, surely
from structtree.reprs import Viewed, names_text, number_text, short_repr
from structtree.search.results import TracePoint
from structtree.space.evaluate import Known
from structtree.tasks.classification import Classification
from structtree.tasks.criteria import TOLERANCE
from structtree.tasks.regression import REGRESSION
from structtree.tasks.statistics import ClassCounts, Moments, Stats
from structtree.tasks.task import Task

__all__ = [
    "Arrival",
    "Branch",
    "Caveat",
    "ClassCounts",
    "Dearer",
    "Distribution",
    "Edge",
    "Found",
    "Leaf",
    "MissingRule",
    "Moments",
    "MultiwayBranch",
    "Node",
    "NodeArrays",
    "Stats",
    "Step",
    "Tree",
    "Unproved",
    "answers_below",
    "depths_of",
    "heaviest",
    "subtree",
]

MissingRule = Literal["false", "majority", "fractional"]
"""Rules for missing values; see `Tree`."""

Unproved = Literal["effort", "time", "evaluations", "interrupt", "beam", "listing", "sets"]
"""Reasons why a test is not proved optimal; see `Found`."""

WORTH_PREPARING = 200
"""Minimum number of individuals for which compiling a tree pays off."""


@dataclass(frozen=True, slots=True)
class Dearer:
    """A test that was better than that of a branch, but not by enough for its cost.

    Parameters
    ----------
    test : str
        The test with the least loss; its set of values may be ``*``.
    given_up : float
        Fraction of its gain that the test of the branch gives up.
    cost, chosen_cost : int
        Its cost, and that of the test of the branch.
    """

    test: str
    given_up: float
    cost: int
    chosen_cost: int


@dataclass(frozen=True, slots=True)
class Found:
    """Record of how a branch's test was found.

    Parameters
    ----------
    criterion : str
    score : float
        Score of the split by the criterion.
    gain : float
        Decrease of the criterion's loss.
    proved : bool
        Whether the test is proved optimal in the space of the grammar.
    gap : float
        Upper bound on how much lower the loss of another test could be.
    evaluated : int
        Number of predicates evaluated.
    seconds : float
        Duration of the search.
    stopped_by : {"effort", "time", "evaluations", "interrupt", "beam", "listing", "sets"}, optional
        Why the test is not proved optimal: the budget that ended the search, a beam, which proves nothing, a list of
        tests that was too long, or sets of values that were not all tried.
    pruned : int, optional
        Number of predicates whose refinements were pruned by the bound; None if all tests were tried without a
        search.
    trace : tuple of TracePoint
        Best score and bound over the course of a search; empty if all tests were tried at once.
    dearer : Dearer, optional
        With a cost tolerance, a better test that lost because of its cost.
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
    dearer: Dearer | None = None


@dataclass(frozen=True, slots=True)
class Leaf:
    """Node without a test.

    Parameters
    ----------
    stats : Stats
        Summary of the training individuals: `ClassCounts`, `Moments`, or that of another task.
    gap : float
        Upper bound on how much a test could lower the loss if growing ended early, else 0.
    stopped_by : optional
        Why growing ended early, as in `Found`.
    """

    stats: Stats
    gap: float = field(default=0.0, repr=False)
    stopped_by: Unproved | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        return short_repr(self, str(self.stats))

    @property
    def children(self) -> tuple[int, ...]:
        """Empty: a leaf has no children."""
        return ()


@dataclass(frozen=True, slots=True)
class Branch:
    """Node with a test and two children.

    Parameters
    ----------
    test : Predicate
    yes, no : int
        The children for individuals that pass the test and for the others.
    stats : Stats
        Summary of the training individuals: `ClassCounts`, `Moments`, or that of another task.
    found : Found
    shares : pair of float, optional
        Fractions of the training weight with a known answer that go to yes and no. Only in trees whose rule for
        missing values is not ``"false"``.
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
        """The yes child and the no child."""
        return (self.yes, self.no)


@dataclass(frozen=True, slots=True)
class MultiwayBranch:
    """Node with a nominal attribute and one child per value.

    Values that did not occur at the node in training, and missing values, follow the branch with the largest training
    weight; with the rule ``"fractional"`` they follow all branches with fractional weights.

    Parameters
    ----------
    attribute : str
        Attribute of the individual itself.
    values : tuple of str
        The values that occurred at the node; at least two.
    children : tuple of int
        The child for each value.
    stats : Stats
        Summary of the training individuals: `ClassCounts`, `Moments`, or that of another task.
    found : Found
    shares : tuple of float
        Fraction of the training weight in each branch; with the rules ``"majority"`` and ``"fractional"`` fraction
        of the weight that has a value.
    """

    attribute: str
    values: tuple[str, ...]
    children: tuple[int, ...]
    stats: Stats
    found: Found
    shares: tuple[float, ...] = field(repr=False)

    def __repr__(self) -> str:
        edges = names_text(f"{value} {child}" for value, child in zip(self.values, self.children, strict=True))
        return short_repr(self, f"{self.attribute} | {edges}", str(self.stats))

    @property
    def usual(self) -> int:
        """Index of the branch with the largest training weight."""
        return heaviest(self.shares)


Node = Branch | MultiwayBranch | Leaf


def heaviest(shares: Sequence[float]) -> int:
    """Return the index of the largest fraction; ties, up to rounding, go to the first.

    Examples
    --------
    >>> heaviest([0.2, 0.4, 0.4])
    1
    """
    return next(place for place, share in enumerate(shares) if share >= max(shares) - TOLERANCE)


class Step(NamedTuple):
    """Step of a path: a branch, the test and its answer."""

    branch: int
    test: syn.Predicate
    answer: bool


class Edge(NamedTuple):
    """Edge of a tree: a child, and the answer to a test that leads to it."""

    child: int
    test: syn.Predicate
    answer: bool


class Caveat(NamedTuple):
    """Branch whose test may not be optimal, or leaf that might have a useful test.

    Parameters
    ----------
    node : int
    gap : float
        Upper bound on how much lower the loss could be.
    reason : optional
        Why this is not known, as in `Found`; None in models of older versions.
    gain : float, optional
        Gain of the test that was found; None at a leaf.
    """

    node: int
    gap: float
    reason: Unproved | None
    gain: float | None = None


class Arrival(NamedTuple):
    """Individuals that reach a node, and the fraction of each that does: 1 unless values are missing."""

    node: int
    which: NDArray[np.int64]
    weights: NDArray[np.float64]


class Distribution(NamedTuple):
    """Leaves that individuals reach, ordered by row and leaf; the weights of a row sum to 1."""

    rows: NDArray[np.int64]
    leaves: NDArray[np.int64]
    weights: NDArray[np.float64]


class NodeArrays(Sequence[Node]):
    """Nodes stored as rows of arrays; see `structtree.splitters.sweep.SweptNodes`.

    Properties of the whole tree are computed from the arrays; the nodes are created on demand.
    """

    @property
    @abstractmethod
    def seen(self) -> NDArray[np.float64]:
        """Statistics of each node; see `Tree`."""

    @property
    @abstractmethod
    def parents(self) -> tuple[int, ...]:
        """Parent of each node; -1 for the root."""

    @property
    @abstractmethod
    def n_leaves(self) -> int:
        """Number of leaves."""

    @property
    @abstractmethod
    def evaluated(self) -> int:
        """Number of tests evaluated."""

    @property
    @abstractmethod
    def all(self) -> tuple[Node, ...]:
        """All nodes, in reading order."""

    @property
    def descent(self) -> Descent | None:
        """Compiled descent; see `Tree`."""
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
        """Pickle the nodes as a tuple."""
        return tuple, (self.all,)


@dataclass(frozen=True, eq=False)
class Tree(Viewed):
    """A decision or regression tree.

    Parameters
    ----------
    nodes : sequence of Node
        Parents before children; the first is the root. A tuple, or `NodeArrays`.
    schema : Schema
        Schema of the individuals.
    classes : tuple
        The classes, in the order of the counts; empty for regression.
    missing : {"false", "majority", "fractional"}
        Rule for missing values: they fail every test; they follow the branch with the largest training weight; or
        they follow all branches, in proportion to the training weights. With the last two rules, categories that the
        schema does not list count as missing.
    lightest : float
        The smallest positive weight of a training individual. Estimates that add individuals add them with this
        weight.
    task : Task
        By default classification if there are classes, else regression.
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

    # ---- cached properties ------------------------------------------------------------------------------

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """Parent of each node; -1 for the root."""
        return self.nodes.parents if isinstance(self.nodes, NodeArrays) else _parents_of(self.nodes)

    @cached_property
    def seen(self) -> NDArray[np.float64]:
        """Statistics of each node, one row per node: class weights, or weight, mean and variance."""
        if isinstance(self.nodes, NodeArrays):
            return self.nodes.seen
        return np.array([node.stats.figures for node in self.nodes], dtype=np.float64)

    @cached_property
    def descent(self) -> Descent | None:
        """Compiled descent; None unless all tests are plain comparisons."""
        return self.nodes.descent if isinstance(self.nodes, NodeArrays) else _descent_of(self.nodes)

    # ---- shape ------------------------------------------------------------------------------------------

    @property
    def leaves(self) -> tuple[int, ...]:
        """Indices of the leaves, in reading order."""
        return tuple(i for i, node in enumerate(self.nodes) if isinstance(node, Leaf))

    @property
    def branches(self) -> tuple[int, ...]:
        """Indices of the branches, including multiway branches, in reading order."""
        return tuple(i for i, node in enumerate(self.nodes) if not isinstance(node, Leaf))

    @property
    def tests(self) -> tuple[syn.Predicate, ...]:
        """Tests of the branches; a multiway branch is represented by an equality test of its first value."""
        return tuple(
            node.test if isinstance(node, Branch) else syn.Compare(node.attribute, "=", node.values[0])
            for node in self.nodes
            if not isinstance(node, Leaf)
        )

    @property
    def caveats(self) -> list[Caveat]:
        """Branches whose test may not be optimal, and leaves that might have a useful test."""
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
        """Depth of each node: the number of tests on its path."""
        return depths_of(self.parents)

    @property
    def depth(self) -> int:
        """Maximum depth of the nodes."""
        return max(self.depths)

    def parent(self, node: int) -> int | None:
        """Return the parent of a node; None for the root."""
        return None if self.parents[node] < 0 else self.parents[node]

    def edges(self, node: int) -> tuple[Edge, ...]:
        """Return the edges of a node with their tests; every individual satisfies exactly one of them.

        With the rule ``"fractional"`` this requires that all values are known.
        """
        match self.nodes[node]:
            case Leaf():
                return ()
            case Branch(yes=yes, no=no) as branch:
                test = self._deciding(branch)
                return (Edge(yes, test, True), Edge(no, test, False))
            case MultiwayBranch() as switch:
                return _edges_of(switch)

    def path(self, node: int) -> tuple[Step, ...]:
        """Return the path to a node, starting at the root."""
        steps = []
        while (above := self.parents[node]) >= 0:
            _, test, answer = next(edge for edge in self.edges(above) if edge.child == node)
            steps.append(Step(above, test, answer))
            node = above
        return tuple(reversed(steps))

    def _deciding(self, branch: Branch) -> syn.Predicate:
        """Return the test for following the yes branch, including individuals with missing values."""
        if self.missing != "majority":
            return branch.test
        record = self.schema.type(self.schema.individual)
        return (possibly if heaviest(branch.shares) == 0 else surely)(branch.test, record)

    # ---- routing ----------------------------------------------------------------------------------------

    def apply(self, population: Population, known: Known | None = None) -> NDArray[np.int64]:
        """Return the leaf of each individual, with a cache of masks of the population.

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
        for node, which, _ in self.weighted_arrivals(population, everywhere=False, known=known):
            if isinstance(self.nodes[node], Leaf):
                leaf_of[which] = node
        return leaf_of

    def distribution(self, population: Population) -> Distribution:
        """Return the leaves that each individual reaches, with its fraction in each."""
        arrived = list(self.weighted_arrivals(population, everywhere=not len(population)))
        found = [each for each in arrived if isinstance(self.nodes[each.node], Leaf)]
        rows = np.concatenate([each.which for each in found])
        leaves = np.repeat([each.node for each in found], [len(each.which) for each in found])
        weights = np.concatenate([each.weights for each in found])
        order = np.argsort(rows, kind="stable")
        return Distribution(rows[order], leaves[order], weights[order])

    def arrivals(self, population: Population) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Yield every node in reading order, with the individuals that reach it in whole or in part."""
        for node, which, _ in self.weighted_arrivals(population):
            yield node, which

    def weighted_arrivals(
        self, population: Population, *, everywhere: bool = True, known: Known | None = None
    ) -> Iterator[Arrival]:
        """Yield every node in reading order, with the individuals that reach it and the fraction of each.

        Unless `everywhere`, nodes that no individual reaches are skipped, which is fast for a few individuals.
        """
        known = {} if known is None else known
        stack = [Arrival(0, np.arange(len(population)), _whole(len(population)))]
        while stack:
            here = stack.pop()
            yield here
            below = self._children_of(here, population, known)
            stack += reversed(below if everywhere else [each for each in below if len(each.which)])

    def _children_of(self, here: Arrival, population: Population, known: Known) -> list[Arrival]:
        """Return the individuals that follow each branch of a node."""
        if not len(here.which):
            return [here._replace(node=child) for child in self.nodes[here.node].children]
        match self.nodes[here.node]:
            case Leaf():
                return []
            case Branch(test, yes, no) if self.missing == "false":
                true = holds_among(test, population, here.which, known)
                return [_some(here, yes, true), _some(here, no, ~true)]
            case Branch(test) as node:
                record = self.schema.type(self.schema.individual)
                true = holds_among(surely(test, record), population, here.which, known)
                may_be = holds_among(possibly(test, record), population, here.which, known)
                places = np.where(true, 0, np.where(may_be, -1, 1))
            case MultiwayBranch(attribute, values) as node:
                places = places_among(attribute, values, population, here.which)
        if self.missing == "fractional":
            branches = zip(node.children, node.shares, strict=True)
            return [_shared(here, child, places, place, share) for place, (child, share) in enumerate(branches)]
        places[places < 0] = heaviest(node.shares)
        return [_some(here, child, places == place) for place, child in enumerate(node.children)]


def depths_of(parents: Sequence[int]) -> tuple[int, ...]:
    """Return the depth of each node from the parents, -1 for the root."""
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


def _edges_of(switch: MultiwayBranch) -> tuple[Edge, ...]:
    """Return one edge per value; the edge of the heaviest branch also accepts values that have no branch."""
    attribute, usual = switch.attribute, switch.usual
    elsewhere = one_of(attribute, (value for place, value in enumerate(switch.values) if place != usual))
    return tuple(
        Edge(child, elsewhere, False) if place == usual else Edge(child, syn.Compare(attribute, "=", value), True)
        for place, (value, child) in enumerate(zip(switch.values, switch.children, strict=True))
    )


def _whole(n: int) -> NDArray[np.float64]:
    """Return an array of n ones without allocating memory."""
    return np.broadcast_to(np.float64(1.0), n)


def _some(above: Arrival, child: int, kept: NDArray[np.bool_]) -> Arrival:
    which = above.which[kept]
    return Arrival(child, which, _whole(len(which)))


def _shared(above: Arrival, child: int, places: NDArray[np.int64], place: int, share: float) -> Arrival:
    """Return the individuals that follow one branch, and a fraction of those whose branch is unknown."""
    unknown = places < 0
    kept = unknown | (places == place)
    return Arrival(child, above.which[kept], above.weights[kept] * np.where(unknown[kept], share, 1.0))


def _heaviest_leaves(found: Distribution, n: int) -> NDArray[np.int64]:
    """Return the leaf with the largest fraction of each individual; ties go to the first."""
    order = np.lexsort((-found.weights.round(12), found.rows))
    leaf_of = np.empty(n, dtype=np.int64)
    leaf_of[found.rows[order[::-1]]] = found.leaves[order[::-1]]
    return leaf_of


def answers_below(tree: Tree, answers: Sequence[Hashable]) -> list[set[Hashable]]:
    """Return, for each node, the predictions of the leaves below it, from the prediction of each node."""
    below: list[set[Hashable]] = [{answer} for answer in answers]
    for index in reversed(tree.branches):
        below[index] = set().union(*(below[child] for child in tree.nodes[index].children))
    return below


def subtree(tree: Tree, kept: frozenset[int]) -> Tree:
    """Return a pruned tree that keeps some of the branches and replaces the others by leaves.

    Parameters
    ----------
    kept : set of int
        Branches to keep; everything below a removed branch is removed.
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
