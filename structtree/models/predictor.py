"""Predictor: the part of a model that predicts, behind a small protocol, and the kinds of it that files may name.

A model holds one predictor: a tree now, a rule list or an ensemble later. A kind of predictor is one subclass of
`Predictor` with `register_predictor` before it; `Model.predict`, model files and the command line need nothing else.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

from numpy.typing import NDArray

from structtree.arrays import Floats
from structtree.data.json_parts import JsonPart
from structtree.data.population import Population
from structtree.data.schema import Schema
from structtree.errors import UsageError, did_you_mean
from structtree.lang import syntax as syn
from structtree.models.conform import NeededMembers, needed_members
from structtree.models.test_reader import TestReader
from structtree.tasks.classification import Classification
from structtree.tasks.regression import REGRESSION
from structtree.tasks.task import Task

__all__ = [
    "Evidence",
    "PathStep",
    "Predictor",
    "predictor_from_json",
    "predictor_to_json",
    "register_predictor",
]


class PathStep(NamedTuple):
    """A test that an individual came by, and its answer.

    Parameters
    ----------
    node : int
    test : Predicate or str
        For a switch, its attribute.
    answer : bool or str
        For a switch, the value whose side is taken.
    unknown : bool
        Whether the answer is not known, so that a rule for missing values decides.
    share : float, optional
        The part of the individual that goes this way, if such individuals are divided.
    """

    node: int
    test: syn.Predicate | str
    answer: bool | str
    unknown: bool = False
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """Evidence for the prediction for one individual; what a predictor does not know is empty.

    Parameters
    ----------
    steps : tuple of PathStep
        The tests on its path, from the root on.
    leaf : int, optional
        Where the path ends.
    n_leaves : int
        In how many leaves the individual is, in parts.
    n : int
        The number of training individuals there.
    counts : tuple of pairs
        The classes that were seen there, each with its weight.
    """

    steps: tuple[PathStep, ...] = ()
    leaf: int | None = None
    n_leaves: int = 0
    n: int = 0
    counts: tuple[tuple[Any, float], ...] = ()


class Predictor(ABC):
    """Base class of what models predict with.

    A population that is given to a predictor has all that its tests need; see `structtree.models.conform`.
    """

    kind: ClassVar[str]
    """The name of the kind in model files."""

    schema: Schema
    """Schema of the individuals in training."""

    classes: tuple[Any, ...]
    """The classes, or nothing if numbers are predicted."""

    @property
    def task(self) -> Task:
        """Task of the predictor: classification if it has classes, else regression."""
        return Classification(self.classes) if self.classes else REGRESSION

    @property
    def tests(self) -> tuple[syn.Predicate, ...]:
        """The tests that it makes of individuals."""
        return ()

    @property
    def mentioned(self) -> NeededMembers:
        """The attributes and links, by type, that its tests mention."""
        return needed_members(self.tests, self.schema)

    @abstractmethod
    def predict(self, population: Population) -> NDArray[Any]:
        """Return the place of the predicted class among the classes, or the predicted number, of each individual."""

    def predict_proba(self, population: Population) -> Floats:
        """Return the probability of each class for each individual, as (individuals, classes)."""
        raise UsageError(f"a predictor of kind {self.kind!r} has no probabilities; use predict")

    def predict_spread(self, population: Population) -> Floats | None:
        """Return the standard deviation around the predicted number of each individual, if it is known."""
        return None

    def explain(self, alone: Population) -> Evidence:
        """Return the evidence for a prediction, for a population of one individual."""
        return Evidence()

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Return it as plain JSON values, without its schema and its kind."""

    @classmethod
    @abstractmethod
    def from_json(cls, part: JsonPart, reader: TestReader) -> Self:
        """Return what `to_json` has written."""


_KINDS: dict[str, type[Predictor]] = {}


_Kind = TypeVar("_Kind", bound=type[Predictor])


def register_predictor(kind: _Kind) -> _Kind:
    """Register a kind of predictor, so that model files with it can be loaded; a decorator.

    Examples
    --------
    >>> register_predictor(Predictor)
    Traceback (most recent call last):
    structtree.errors.UsageError: a predictor needs a kind of its own: a class attribute with a name; got none
    """
    name = getattr(kind, "kind", None)
    known = _KINDS.get(name or "")
    if name is None or (known is not None and known.__qualname__ != kind.__qualname__):
        got = "none" if name is None else f"{name!r}, which is the kind of {known}"
        raise UsageError(f"a predictor needs a kind of its own: a class attribute with a name; got {got}")
    _KINDS[name] = kind
    return kind


def predictor_to_json(predictor: Predictor) -> dict[str, Any]:
    """Return a predictor as plain JSON values, with its kind."""
    return {"kind": predictor.kind, **predictor.to_json()}


def predictor_from_json(part: JsonPart, reader: TestReader) -> Predictor:
    """Return the predictor that `predictor_to_json` has written, of any kind that is registered.

    Parameters
    ----------
    part : JsonPart
    reader : TestReader
    """
    kind = part.member("kind")
    name = kind.text()
    if name not in _KINDS:
        known = f"known kinds: {', '.join(_KINDS)}"
        kind.fail(
            f"unknown kind of predictor {name!r}{did_you_mean(name, _KINDS)}; import what registers it ({known})"
        )
    return _KINDS[name].from_json(part, reader)
