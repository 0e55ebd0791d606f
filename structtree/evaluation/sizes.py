"""Sizes that a tree could have had, with their scores on held-out individuals, from the curve recorded by the fit."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import NamedTuple

from structtree.models.model import Model
from structtree.models.records import SizeCurve
from structtree.tasks.statistics import Moments

__all__ = ["SizeChoice", "size_measure", "size_menu"]

MOST_CHOICES = 4
"""Maximum number of sizes in a menu."""


class SizeChoice(NamedTuple):
    """Number of leaves that a tree could have, with its score on held-out individuals.

    Parameters
    ----------
    leaves : int
    score : float
    measure : {"accuracy", "R²", "cost", "loss"}
        Name of the score.
    """

    leaves: int
    score: float
    measure: str

    @property
    def text(self) -> str:
        """The score as text."""
        return f"{self.score:.3f}" if self.measure in ("accuracy", "R²") else f"{self.score:.4g}"


def size_menu(model: Model) -> tuple[SizeChoice, ...]:
    """Return sizes worth choosing from, in ascending order: the size of the tree, the best size, and some between.

    Each has a better score than all smaller sizes, except for the size of the tree. The menu is empty if the size was
    not chosen by cross-validation.

    Examples
    --------
    >>> from structtree import fit, load_dataset
    >>> monks = load_dataset("monks-3")
    >>> model = fit(monks.population, monks.target)
    >>> [(choice.leaves, choice.text) for choice in size_menu(model)]
    [(2, '0.806'), (3, '0.972'), (5, '1.000')]
    """
    curve = model.outcome.sizes
    if curve is None:
        return ()
    chosen = len(model.tree.leaves)
    losses = dict(zip(curve.leaves, curve.held_out, strict=True))
    sizes = sorted({*_thinned(_improving(curve)), *({chosen} & losses.keys())})
    measure, score = size_measure(model)
    return tuple(SizeChoice(size, score(losses[size]), measure) for size in sizes)


def _improving(curve: SizeCurve) -> list[int]:
    """Return the sizes of more than one leaf with a lower held-out loss than all smaller sizes."""
    found, least = [], float("inf")
    for leaves, loss in sorted(zip(curve.leaves, curve.held_out, strict=True)):
        if loss < least:
            least = loss
            found += [leaves] if leaves > 1 else []
    return found


def _thinned(sizes: list[int]) -> list[int]:
    """Return the first and the last size, and a few between them whose ratios are similar."""
    if len(sizes) <= MOST_CHOICES:
        return sizes
    ratio = (sizes[-1] / sizes[0]) ** (1 / (MOST_CHOICES - 1))
    wanted = (sizes[0] * ratio**i for i in range(MOST_CHOICES))
    return sorted({min(sizes, key=lambda size: abs(size - each)) for each in wanted})


def size_measure(model: Model) -> tuple[str, Callable[[float], float]]:
    """Return the name of the score, and the function that turns a held-out loss into the score.

    Examples
    --------
    >>> from structtree import fit, load_dataset
    >>> monks = load_dataset("monks-3")
    >>> name, score = size_measure(fit(monks.population, monks.target))
    >>> name, score(0.25)
    ('accuracy', 0.75)
    """
    stats = model.tree.nodes[0].stats
    if isinstance(stats, Moments) and 0 < stats.variance < inf:
        return "R²", lambda loss: 1 - loss / stats.variance
    if not model.tree.task.predicts_classes:
        return "loss", lambda loss: loss
    return ("accuracy", lambda loss: 1 - loss) if model.decision.costs is None else ("cost", lambda loss: loss)
