"""Importance of attributes and links: the fraction of the total gain that each contributes.

As in scikit-learn, the gain of a branch is its impurity decrease times its weight. A test of structured data may
mention several attributes and links, which share its gain equally. Each is named by its path from the individual,
such as ``atoms.bonds.to.element``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from structtree.lang import syntax as syn
from structtree.lang.walk import children, peel, with_number
from structtree.models.ensemble import EnsemblePredictor
from structtree.models.model import fitted
from structtree.models.tree import Branch, Leaf, MultiwayBranch, Stats, Tree
from structtree.tasks.criteria import criterion

__all__ = ["column_importances", "importances", "mentioned", "part_importances", "without_number"]

_P = TypeVar("_P", bound=Hashable)


def importances(model: Any) -> dict[str, float]:
    """Return the fraction of the total gain that each attribute or link contributes, in descending order.

    Parameters
    ----------
    model : Tree, Model or fitted estimator

    Returns
    -------
    dict from path to float
        All attributes and links in the tests of the tree. The fractions sum to 1, or are all 0 without any gain.

    Notes
    -----
    The gain is that of the criterion the tree was grown with. For acc* it is the information gain, which acc* uses
    to break ties between splits of equal accuracy: with imbalanced classes the gain in accuracy is often 0.

    Examples
    --------
    >>> from structtree.data.schema import Attribute, Link, RecordType, Schema
    >>> from structtree.lang.parse import parse_predicate
    >>> from structtree.models.tree import ClassCounts, Found
    >>> car = RecordType("Car", (Attribute("long", "bool"), Attribute("wheels", "int")))
    >>> schema = Schema((RecordType("Train", (), (Link("cars", "list", "Car"),)), car), "Train")
    >>> test, found = parse_predicate("exists cars (long and wheels >= 3)"), Found("gini", 0, 0.5, True, 0, 1, 0.0)
    >>> branch = Branch(test, 1, 2, ClassCounts(2, (1.0, 1.0)), found)
    >>> leaves = Leaf(ClassCounts(1, (0.0, 1.0))), Leaf(ClassCounts(1, (1.0, 0.0)))
    >>> importances(Tree((branch, *leaves), schema, ("west", "east")))
    {'cars.long': 0.5, 'cars.wheels': 0.5}
    """
    known = fitted(model).model.predictor
    if isinstance(known, EnsemblePredictor):
        return _normalised((mentioned(test), gain) for test, gain in _gains(known))
    return _shares(fitted(model).model.tree, _mentioned_at)


def part_importances(model: Any) -> dict[syn.Predicate, float]:
    """Return the fraction of the total gain that each conjunct of a test contributes, in descending order.

    The parts of a test are the conjuncts at the individual itself, which share its gain equally. A substructure,
    which is a condition behind a link, is a single part. A multiway branch tests an attribute and has no parts; it is
    included in `importances`.

    Parameters
    ----------
    model : Tree, Model or fitted estimator

    Examples
    --------
    >>> from structtree import StructuralTreeClassifier, load_dataset, pretty
    >>> trains = load_dataset("trains")
    >>> tree = StructuralTreeClassifier("trains").fit(trains.population, trains.target)
    >>> {pretty(part): round(share, 2) for part, share in part_importances(tree).items()}
    {'exists cars (closed and not long)': 0.61, ...}
    """
    known = fitted(model).model.predictor
    if isinstance(known, EnsemblePredictor):
        return _normalised((_parts_of(test), gain) for test, gain in _gains(known))
    return _shares(fitted(model).model.tree, _parts_at)


def column_importances(model: Any) -> dict[syn.Predicate, float]:
    """Return the fraction of the total gain that each column contributes: a test with all its numbers together.

    The numbers that tests of the same form compare with are replaced by ``*``, so that ``count atoms (element = N)
    >= *`` is the importance of a substructure.

    Parameters
    ----------
    model : Tree, Model or fitted estimator

    Examples
    --------
    >>> from structtree import fit, load_dataset, pretty
    >>> trains = load_dataset("trains")
    >>> forest = fit(trains.population, trains.target, "trains", model="forest", n_estimators=20)
    >>> sum(column_importances(forest).values()) <= 1.0 + 1e-9
    True
    """
    found = dict[syn.Predicate, float]()
    for part, share in part_importances(model).items():
        column = without_number(part)
        found[column] = found.get(column, 0.0) + share
    return _descending(found)


def without_number(test: syn.Predicate) -> syn.Predicate:
    """Return a test with ``*`` in place of the number that it compares with, if there is one.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> from structtree.lang.pretty import pretty
    >>> pretty(without_number(parse_predicate("count cars (long) >= 3")))
    'count cars (long) >= *'
    """
    match peel(test)[1]:
        case syn.Count(op=">=") | syn.Compare(_, ">=" | "<=") | syn.Aggregate(op=">=" | "<="):
            return with_number(test, syn.Star())
        case _:
            return test


def _gains(forest: EnsemblePredictor) -> Iterator[tuple[syn.Predicate, float]]:
    for tests, gains in zip(forest.ladders, forest.gains, strict=True):
        yield from zip(tests, np.maximum(gains, 0.0).tolist(), strict=True)


def _parts_of(test: syn.Predicate) -> Sequence[syn.Predicate]:
    return test.parts if isinstance(test, syn.And) else (test,)


def _normalised(gains: Iterable[tuple[Sequence[_P], float]]) -> dict[_P, float]:
    """Return the share of each part in the total gain, which the parts of a test share equally."""
    owed, total = dict[_P, float](), 0.0
    for parts, gain in gains:
        total += gain
        for part in parts:
            owed[part] = owed.get(part, 0.0) + gain / len(parts)
    return _descending({part: value / total if total > 0 else 0.0 for part, value in owed.items()})


def _descending(shares: Mapping[_P, float]) -> dict[_P, float]:
    return dict(sorted(shares.items(), key=lambda item: (-item[1], str(item[0]))))


def _shares(tree: Tree, parts_at: Callable[[Branch | MultiwayBranch], Sequence[_P]]) -> dict[_P, float]:
    """Return the share of each part in the total gain, in descending order."""
    branches = [node for node in tree.nodes if not isinstance(node, Leaf)]
    gains = [(parts_at(node), node.stats.weight * _gain(tree, node), node) for node in branches]
    # A test without parts is always true or false.
    return _normalised((parts, gain) for parts, gain, node in gains if parts or isinstance(node, MultiwayBranch))


def _mentioned_at(node: Branch | MultiwayBranch) -> Sequence[str]:
    return mentioned(node.test) if isinstance(node, Branch) else (node.attribute,)


def _parts_at(node: Branch | MultiwayBranch) -> Sequence[syn.Predicate]:
    match node:
        case Branch(syn.And(parts)):
            return parts
        case Branch(test):
            return (test,)
        case MultiwayBranch():
            return ()


def _gain(tree: Tree, branch: Branch | MultiwayBranch) -> float:
    """Return the impurity decrease of a branch; never negative."""
    if branch.found.criterion != "acc*":
        return max(branch.found.gain, 0.0)
    sides = [tree.nodes[child].stats for child in branch.children]
    rest = sum(_entropy(side) * side.weight for side in sides)
    return max(_entropy(branch.stats) - rest / (branch.stats.weight or 1.0), 0.0)


def _entropy(stats: Stats) -> float:
    return float(criterion("entropy").unsplit(np.array(stats.sums))[0])


def mentioned(test: syn.Predicate) -> tuple[str, ...]:
    """Return the paths of the attributes and links that a test mentions, in order and without duplicates.

    A link is listed only if nothing behind it is mentioned. A definition counts as an attribute of its type, and a
    step from one list element to another does not extend the path.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> mentioned(parse_predicate("exists atoms (element = N and exists bonds (to.element = O))"))
    ('atoms.element', 'atoms.bonds.to.element')
    >>> mentioned(parse_predicate("count cars (top) >= 3 and max cars.wheels >= 3"))
    ('cars', 'cars.wheels')
    """
    return tuple(dict.fromkeys(".".join(path) for path in _paths(test)))


def _paths(test: syn.Predicate) -> Iterator[tuple[str, ...]]:
    stack: list[tuple[syn.Predicate, tuple[str, ...]]] = [(test, ())]
    while stack:
        part, path = stack.pop()
        below = path
        match part:
            case syn.Top():
                if path:
                    yield path
            case (
                syn.Flag(name)
                | syn.Compare(name)
                | syn.Among(name)
                | syn.Within(name)
                | syn.Missing(name)
                | syn.Named(name)
            ):
                yield (*path, str(name))
            case syn.CompareOwn(attribute, _, other):
                yield (*path, *attribute)
                yield (*path, *other)
            case syn.Aggregate(link=link):
                yield from ((*path, link, name) for name in (part.attribute, part.order) if name is not None)
                below = (*path, link)
            case syn.ListStep(step, link=None):
                below = path or (step,)
            case _ if isinstance(part, syn.LinkForm):
                below = (*path, str(part.link))
        stack.extend((inner, below) for inner in reversed(children(part)))
