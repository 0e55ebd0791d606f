"""Boosted sums of trees: the leaves of all trees add to the margins of an individual, which are mapped to answers.

A round has one tree for each margin. A leaf stores the weight of its training individuals and the value that it adds
to the margin of its tree.

Law: margins are the intercept plus the values of the leaves, computed tree by tree (`tests/models/test_boosting.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from structtree.arrays import Codes, Floats, Ints
from structtree.data.json_parts import JsonPart
from structtree.errors import StructtreeError
from structtree.models.ensemble import EnsemblePredictor
from structtree.models.files.test_reader import TestReader
from structtree.models.predictor import register_predictor
from structtree.tasks.gradients import MarginLoss, SquaredLoss, margin_loss
from structtree.tasks.task import Task

__all__ = ["BoostingPredictor"]


@register_predictor
@dataclass(frozen=True, eq=False, repr=False)
class BoostingPredictor(EnsemblePredictor):
    """Boosted sum of trees.

    Parameters
    ----------
    loss : MarginLoss
        The loss that was minimised, which determines what margins predict.
    start : tuple of float
        The margins before the first tree.
    """

    kind: ClassVar[str] = "boosting"

    loss: MarginLoss = field(default_factory=SquaredLoss)
    start: Sequence[float] = (0.0,)

    @property
    def noun(self) -> str:
        """Noun for messages."""
        return "boosted sum"

    @property
    def n_rounds(self) -> int:
        """Number of rounds."""
        return len(self.trees) // self.loss.n_margins

    @property
    def intercept(self) -> Floats:
        """The margins before the first tree."""
        return np.array(self.start, dtype=np.float64)

    @cached_property
    def outputs(self) -> Floats:
        """Summand of each leaf for each margin, as (leaves, k)."""
        found = np.zeros((len(self.trees.figures), self.loss.n_margins))
        found[np.arange(len(found)), self._margin_of_leaf] = self.trees.figures[:, 1]
        return found

    @property
    def _margin_of_leaf(self) -> Ints:
        tree = np.searchsorted(self.trees.roots, np.flatnonzero(self.trees.ladders < 0), side="right") - 1
        return np.asarray(tree % self.loss.n_margins)

    def margins(self, leaves: Codes) -> Floats:
        """Return the intercept plus the values of the leaves of individuals, as (individuals, k)."""
        *_, last = self.staged_margins(leaves)
        return last

    def staged_margins(self, leaves: Codes) -> Iterator[Floats]:
        """Yield the margins after each round; each array replaces the last one."""
        total, values = np.tile(self.intercept, (len(leaves), 1)), self.trees.figures[:, 1]
        k = self.loss.n_margins
        for first in range(0, leaves.shape[1], k):
            for margin in range(k):  # in a fixed order, so that sums do not depend on threads
                total[:, margin] += values[leaves[:, first + margin]]
            yield total

    def from_margins(self, margins: Floats) -> Floats:
        """Return probabilities of classes, or one number each."""
        return self.loss.predictions(margins)

    @property
    def covers(self) -> Floats:
        """Training weight of each leaf."""
        return self.trees.figures[:, 0]

    def direction(self, answer: int) -> Floats:
        """Return the weight of each margin in the number that an explanation of an answer is about, as (k,)."""
        if len(self.classes) == 2:
            return np.array([1.0 if answer == 1 else -1.0])
        return super().direction(answer)

    def margin_name(self, answer: int) -> str:
        """Return what this number is, such as ``log odds of east``."""
        if not self.classes:
            return self.loss.margin_name
        return f"{self.loss.margin_name} of {self.classes[answer]}"

    # ---- JSON -------------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Return the predictor as plain JSON values."""
        loss = {"name": self.loss.name, "quantile": getattr(self.loss, "quantile", None)}
        return {"loss": loss, "start": list(self.start), **super().to_json()}

    @classmethod
    def from_json(cls, part: JsonPart, reader: TestReader) -> Self:
        """Restore a predictor from the output of `to_json`."""
        found = super().from_json(part, reader)
        loss = _loss_from_json(part.member("loss"), found.task)
        start = tuple(each.number() for each in part.member("start").elements())
        if len(start) != loss.n_margins:
            part.member("start").expected(f"{loss.n_margins} numbers")
        if len(found.trees) % loss.n_margins:
            part.member("trees").expected(f"{loss.n_margins} trees for each round")
        return replace(found, loss=loss, start=start)

    @classmethod
    def leaf_width(cls, task: Task) -> int:
        """Return the number of figures of a leaf: its weight and its value."""
        return 2


def _loss_from_json(part: JsonPart, task: Task) -> MarginLoss:
    quantile = part.member("quantile")
    try:
        return margin_loss(part.member("name").text(), 0.5 if quantile.value is None else quantile.number(), task)
    except StructtreeError as error:
        part.fail(str(error))
