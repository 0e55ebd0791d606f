"""Costs of tests as plain JSON values: the tolerance, what each test costs, and what it gives up for a lower cost."""

from __future__ import annotations

from typing import Any

from structtree.data.population import Population
from structtree.errors import StructtreeError
from structtree.lang.grammar import Grammar
from structtree.models.model import Fitted
from structtree.models.tree import Branch, Dearer, Tree
from structtree.report.text import cost_note
from structtree.report.words import in_words
from structtree.reprs import inert
from structtree.space.background import with_background
from structtree.space.space import Space

__all__ = ["report_costs"]


def report_costs(known: Fitted, individuals: Population) -> dict[str, Any] | None:
    """Return the costs of the tests of a model that was learned with a cost tolerance; of others None.

    Parameters
    ----------
    known : Fitted
    individuals : Population
        With all members that the grammar uses; if some are missing, only the costs that the model records are known.

    Returns
    -------
    dict or None
        ``tolerance``; ``note``, a sentence about the tests that were preferred to better ones, or an empty text; and
        ``tests``: for each branch its cost, None if unknown, and the better test, if there was one, as words, text,
        cost and the fraction of its gain that was given up.
    """
    tree, tolerance = known.model.tree, known.model.settings.growth.tolerance
    branches = {i: node for i in tree.branches if isinstance(node := tree.nodes[i], Branch)}
    if not tolerance or not branches:
        return None
    try:
        grammar = Grammar.parse(known.model.grammar.text)
        whole = with_background(individuals, grammar, known.functions or {})
        space = Space.build(grammar.check(whole.schema), whole)
    except StructtreeError:
        space = None
    return {
        "tolerance": tolerance,
        "note": inert(cost_note(tree)),
        "tests": {
            str(i): [_cost(space, node), _better(space, tree, node.found.dearer)] for i, node in branches.items()
        },
    }


def _cost(space: Space | None, node: Branch) -> int | None:
    if node.found.dearer is not None:
        return node.found.dearer.chosen_cost
    try:
        return None if space is None else space.cost(node.test)
    except StructtreeError:
        return None


def _better(space: Space | None, tree: Tree, dearer: Dearer | None) -> list[Any] | None:
    """Return the better test in words, if it can be checked, and as text, its cost, and what was given up."""
    if dearer is None:
        return None
    try:
        words = "" if space is None else in_words(space.parse(dearer.test), tree.schema)
    except StructtreeError:
        words = ""
    return [inert(words), inert(dearer.test), dearer.cost, dearer.given_up]
