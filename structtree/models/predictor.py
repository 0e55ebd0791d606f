"""Predictors, the components of models that predict, and a registry of their kinds.

The package has one kind of predictor, the tree. A new kind, such as an ensemble, is a subclass of `Predictor` with
the decorator `register_predictor`; `Model.predict`, model files and the command line need nothing else.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import TOLERANCE, Floats
from structtree.data.json_parts import JsonPart
from structtree.data.population import Population
from structtree.data.schema import Schema
from structtree.errors import UsageError, did_you_mean
from structtree.lang import syntax as syn
from structtree.models.conform import NeededMembers, needed_members
from structtree.models.files.test_reader import TestReader
from structtree.models.settings import MAJORITY, Decision
from structtree.space.evaluate import Known
from structtree.tasks.classification import Classification
from structtree.tasks.regression import REGRESSION
from structtree.tasks.task import Task

__all__ = [
    "Evidence",
    "Margin",
    "PathStep",
    "Predictor",
    "answers_from",
    "predictor_from_json",
    "predictor_to_json",
    "register_predictor",
]


class PathStep(NamedTuple):
    """A test on the path of an individual, and its answer.

    Parameters
    ----------
    node : int, optional
        Its node in a single tree.
    test : Predicate or str
        For a multiway branch, its attribute.
    answer : bool or str
        For a multiway branch, the value of the branch that is taken.
    unknown : bool
        Whether the answer is unknown, so that the rule for missing values applies.
    share : float, optional
        The fraction of the individual that takes this branch, if it is divided.
    contribution : float, optional
        In an ensemble, how much the ladder of the test moves the prediction.
    """

    node: int | None
    test: syn.Predicate | str
    answer: bool | str
    unknown: bool = False
    share: float | None = None
    contribution: float | None = None


class Margin(NamedTuple):
    """Number that the contributions of tests add up to, together with an expected value.

    Parameters
    ----------
    name : str
        What the number is, such as ``probability of east``.
    expected : float
        Its mean in training.
    others : float
        Sum of the contributions that are not listed.
    n_others : int
        Number of these contributions.
    """

    name: str
    expected: float
    others: float
    n_others: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """Evidence for the prediction of one individual; fields that do not apply to a predictor are empty.

    Parameters
    ----------
    steps : tuple of PathStep
        The tests on its path, starting at the root; in an ensemble, those that contribute most.
    leaf : int, optional
        The last node of the path.
    n_leaves : int
        Number of leaves that contain a fraction of the individual.
    n : int
        Number of training individuals in the leaf.
    counts : tuple of pairs
        The classes of these individuals, each with its weight.
    margin : Margin, optional
        What the contributions of the tests add up to, in an ensemble.
    contributions : tuple of pairs
        All tests that move the prediction, one for each ladder, with the contribution of the ladder.
    """

    steps: tuple[PathStep, ...] = ()
    leaf: int | None = None
    n_leaves: int = 0
    n: int = 0
    counts: tuple[tuple[Any, float], ...] = ()
    margin: Margin | None = None
    contributions: tuple[tuple[syn.Predicate, float], ...] = ()


class Predictor(ABC):
    """Base class of predictors.

    Populations are first converted to the schema of the tests; see `structtree.models.conform`.
    """

    kind: ClassVar[str]
    """Name of the kind in model files."""

    @property
    def noun(self) -> str:
        """Noun for messages."""
        return self.kind

    schema: Schema
    """Schema of the individuals in training."""

    classes: tuple[Any, ...]
    """The classes; empty for regression."""

    @property
    def task(self) -> Task:
        """Task of the predictor: classification if it has classes, else regression."""
        return Classification(self.classes) if self.classes else REGRESSION

    @property
    def tests(self) -> tuple[syn.Predicate, ...]:
        """Tests that the predictor evaluates."""
        return ()

    @property
    def mentioned(self) -> NeededMembers:
        """Attributes and links, by type, that the tests mention."""
        return needed_members(self.tests, self.schema)

    @abstractmethod
    def predict(self, population: Population) -> NDArray[Any]:
        """Return the index of the predicted class, or the predicted number, of each individual."""

    def predict_proba(self, population: Population) -> Floats:
        """Return the probability of each class for each individual, as (individuals, classes)."""
        raise UsageError(f"a predictor of kind {self.kind!r} has no probabilities; use predict")

    def predict_spread(self, population: Population) -> Floats | None:
        """Return the standard deviation of the target around each prediction; None if unknown."""
        return None

    def explain(self, alone: Population, known: Known | None = None) -> Evidence:
        """Explain the prediction for a population with a single individual, with a cache of masks of its rows."""
        return Evidence()

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Return the predictor as plain JSON values, without its schema and kind."""

    @classmethod
    @abstractmethod
    def from_json(cls, part: JsonPart, reader: TestReader) -> Self:
        """Restore a predictor from the output of `to_json`."""


def answers_from(combined: Floats, task: Task, decision: Decision = MAJORITY) -> NDArray[Any]:
    """Return predictions from probabilities or numbers: the class with the least expected cost, or the number.

    Examples
    --------
    >>> answers_from(np.array([[0.6, 0.4]]), Classification(("a", "b")), Decision(costs=((0, 1), (5, 0)))).tolist()
    [1]
    """
    if not task.predicts_classes:
        return combined
    expected = 1.0 - combined if decision.costs is None else combined @ np.array(decision.costs)
    tied = expected <= (expected.min(axis=1) + TOLERANCE)[:, None]
    return np.asarray(tied.argmax(axis=1))


_KINDS: dict[str, type[Predictor]] = {}


_Kind = TypeVar("_Kind", bound=type[Predictor])


def register_predictor(kind: _Kind) -> _Kind:
    """Decorator that registers a kind of predictor, so that its model files can be loaded.

    Examples
    --------
    >>> register_predictor(Predictor)
    Traceback (most recent call last):
    structtree.errors.UsageError: a predictor class needs a unique class attribute 'kind'; got none
    """
    name = getattr(kind, "kind", None)
    known = _KINDS.get(name or "")
    if name is None or (known is not None and known.__qualname__ != kind.__qualname__):
        got = "none" if name is None else f"{name!r}, the kind of {known}"
        raise UsageError(f"a predictor class needs a unique class attribute 'kind'; got {got}")
    _KINDS[name] = kind
    return kind


def predictor_to_json(predictor: Predictor) -> dict[str, Any]:
    """Return a predictor as plain JSON values, with its kind."""
    return {"kind": predictor.kind, **predictor.to_json()}


def predictor_from_json(part: JsonPart, reader: TestReader) -> Predictor:
    """Restore a predictor of any registered kind from the output of `predictor_to_json`.

    Parameters
    ----------
    part : JsonPart
    reader : TestReader
    """
    kind = part.member("kind")
    name = kind.text()
    if name not in _KINDS:
        known, guess = ", ".join(_KINDS), did_you_mean(name, _KINDS)
        kind.fail(
            f"unknown kind of predictor {name!r}{guess}; import the module that registers it (known kinds: {known})"
        )
    return _KINDS[name].from_json(part, reader)
