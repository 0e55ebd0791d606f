"""The target of a tree while it grows, and the tree with its figures in the units of the target.

See `structtree.search.target`, where labels are checked and added up.
"""

from __future__ import annotations

from dataclasses import replace

from structtree.learn.tree import Leaf, Node, Tree
from structtree.search.target import Moments, Target, Units, room, target_for, undivided

__all__ = ["Evidence", "evidence_for", "in_plain_units", "room", "undivided"]

Evidence = Target
evidence_for = target_for


def in_plain_units(tree: Tree, units: Units) -> Tree:
    """Return a tree that was grown from numbers in some units with all figures as they are."""
    if units.are_plain:
        return tree
    return replace(tree, nodes=tuple(_in_plain_units(node, units) for node in tree.nodes))


def _in_plain_units(node: Node, units: Units) -> Node:
    assert isinstance(node.stats, Moments)
    stats = units.moments(node.stats)
    if isinstance(node, Leaf):
        return replace(node, stats=stats, gap=units.square(node.gap))
    score, gain, gap = (units.square(figure) for figure in (node.found.score, node.found.gain, node.found.gap))
    return replace(node, stats=stats, found=replace(node.found, score=score, gain=gain, gap=gap))
