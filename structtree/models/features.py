"""Features for other learners: tests as columns of 0 and 1, and the numbers that tests compare as columns of numbers.

Missing numbers, such as the mean of no rows, are NaN. A test of something missing does not hold, so that it is 0.

Laws: a column of 0 and 1 is what `structtree.space.evaluate.holds` says; a number reaches a threshold exactly if the
predicate with this threshold holds (`tests/models/test_features.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from structtree.arrays import Floats
from structtree.data.layouts import SourceLayout
from structtree.data.population import Population
from structtree.data.schema import Schema
from structtree.errors import UsageError
from structtree.lang import syntax as syn
from structtree.lang.background import Background
from structtree.lang.pretty import pretty
from structtree.lang.walk import peel, with_number
from structtree.models.applying import AppliesTests
from structtree.models.conform import NeededMembers, needed_members
from structtree.models.importance import without_number
from structtree.models.ladders import numbers_of
from structtree.models.tree import Tree
from structtree.reprs import number_text, short_repr
from structtree.space.evaluate import Known, rows_where

__all__ = ["FeatureSet", "SelectedFeature", "feature_values"]


@dataclass(frozen=True, slots=True)
class SelectedFeature:
    """Column of numbers or truth values.

    Parameters
    ----------
    predicate : Predicate
        The test; of a number the one with the best threshold on the training data.
    is_number : bool
        Whether the column has the number that the test compares.
    relevance : float
        Multiple correlation of the best test on the column with the target, from 0 to 1.
    redundancy : float
        Mean absolute correlation with the columns selected before it, from 0 to 1.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> feature = SelectedFeature(parse_predicate("count atoms (element = N) >= 3"), True)
    >>> feature.name, pretty(feature.at(5))
    ('count atoms (element = N)', 'count atoms (element = N) >= 5')
    """

    predicate: syn.Predicate
    is_number: bool
    relevance: float = 0.0
    redundancy: float = 0.0

    def __repr__(self) -> str:
        return short_repr(self, self.name, f"relevance {self.relevance:.3g}")

    @property
    def name(self) -> str:
        """Text of the test, or of what it compares."""
        if not self.is_number:
            return pretty(self.predicate)
        return pretty(without_number(self.predicate)).replace(f" {self.op} *", "")

    def to_dict(self) -> dict[str, Any]:
        """Return the feature as plain JSON values."""
        kind = "number" if self.is_number else "test"
        figures = {"relevance": self.relevance, "redundancy": self.redundancy}
        return {"name": self.name, "kind": kind, "predicate": pretty(self.predicate), **figures}

    @property
    def op(self) -> str:
        """Comparison operator of a number."""
        end = peel(self.predicate)[1]
        assert isinstance(end, syn.Compare | syn.Aggregate | syn.Count)
        return end.op

    def at(self, threshold: float | None = None) -> syn.Predicate:
        """Return the predicate that compares the number with a threshold; the best one by default."""
        if threshold is None:
            return self.predicate
        if not self.is_number:
            raise UsageError(f"{self.name!r} is a test, not a number, so it has no threshold; got {threshold}")
        is_count = isinstance(peel(self.predicate)[1], syn.Count)
        return with_number(self.predicate, int(np.ceil(threshold)) if is_count else threshold)


@dataclass(frozen=True, eq=False)
class FeatureSet(AppliesTests):
    """Selected features with everything needed to compute them on new data.

    Parameters
    ----------
    features : tuple of SelectedFeature
    trained_on : Schema
        Schema of the individuals in training.
    trees : tuple of Tree
        For each feature the tree that has its predicate as the only test.
    n_columns : int
        Number of columns to choose from.
    notes : tuple of str
        Tests that were skipped because of a limit.
    functions, optional, background
        See `structtree.models.applying.AppliesTests`.
    layout : SourceLayout, optional
        The linked tables of the training data.
    """

    features: tuple[SelectedFeature, ...]
    trained_on: Schema
    trees: tuple[Tree, ...] = ()
    n_columns: int = 0
    notes: tuple[str, ...] = ()
    functions: tuple[syn.Function, ...] = ()
    optional: NeededMembers = field(default_factory=dict)
    background: Background | None = None
    layout: SourceLayout | None = None

    def __repr__(self) -> str:
        return short_repr(self, number_text(self.features, "feature"), f"of {self.n_columns:,} columns")

    @property
    def schema(self) -> Schema:
        """Schema of the individuals in training."""
        return self.trained_on

    @property
    def mentioned(self) -> NeededMembers:
        """Attributes and links, by type, that the features mention."""
        return needed_members((feature.predicate for feature in self.features), self.trained_on)


def feature_values(features: Sequence[SelectedFeature], population: Population) -> Floats:
    """Return the columns of individuals, as (individuals, features).

    Parameters
    ----------
    features : sequence of SelectedFeature
    population : Population
        In the form that the tests need; see `FeatureSet.prepared`.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> features = [SelectedFeature(parse_predicate("size >= 3"), number) for number in (False, True)]
    >>> feature_values(features, Population.from_records([{"size": 1}, {"size": 4}, {"size": None}])).tolist()
    [[0.0, 1.0], [1.0, 4.0], [0.0, nan]]
    """
    known: Known = {}
    name, rows = population.schema.individual, population.individuals
    found = np.empty((len(population), len(features)))
    for place, feature in enumerate(features):
        numbers = numbers_of(feature.predicate, population, known) if feature.is_number else None
        if feature.is_number:
            assert numbers is not None
            found[:, place] = numbers[rows]
        else:
            found[:, place] = rows_where(feature.predicate, population, name, known)[rows]
    return found
