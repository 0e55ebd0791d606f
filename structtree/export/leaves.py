"""Leaves of a model, in the form that all export formats use."""

from __future__ import annotations

from typing import Any

from structtree.errors import UsageError
from structtree.models.model import Model
from structtree.models.tree import Edge, Tree

__all__ = ["leaf_answers", "one_line", "refuse_fractional", "yes_first"]


def refuse_fractional(tree: Tree, language: str) -> None:
    """Raise a UsageError if a tree divides individuals with missing values among several leaves."""
    if tree.missing == "fractional":
        raise UsageError(
            "the model divides individuals with missing values among several leaves (missing='fractional'), which "
            f"{language} cannot express; fit it with missing='false' or missing='majority'"
        )


def leaf_answers(model: Model) -> dict[int, Any]:
    """Return the prediction of each leaf: a class label or a number."""
    tree = model.tree
    found = tree.task.answers(tree, model.decision)
    return {leaf: tree.classes[found[leaf]] if tree.classes else float(found[leaf]) for leaf in tree.leaves}


def yes_first(tree: Tree, node: int) -> list[Edge]:
    """Return the edges of a node, with the yes branch first; the last edge needs no test."""
    return sorted(tree.edges(node), key=lambda edge: not edge.answer)


def one_line(text: str) -> str:
    """Return text on one line, for use in a comment."""
    return " ".join(text.split())
