"""Model: a predictor with everything needed to apply it to new data, and records of how it was learned.

`structtree.models.predictor` defines predictors, and `structtree.models.files.models` saves and loads models.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structtree import __version__
from structtree.data.kinds import quoted_value
from structtree.data.layouts import SourceLayout
from structtree.data.population import Population
from structtree.data.schema import Schema
from structtree.errors import UsageError, require
from structtree.lang import syntax as syn
from structtree.lang.background import Background, Computation, ComputedLink
from structtree.lang.walk import subpredicates
from structtree.models.applying import AppliesTests, Call
from structtree.models.conform import NeededMembers
from structtree.models.predictor import Predictor
from structtree.models.records import GrammarRecord, ReadingRecord, RouteRecord, ScoreRecord, SearchOutcome, Settings
from structtree.models.seen import SeenValues
from structtree.models.settings import MAJORITY, Decision
from structtree.models.tree import Tree
from structtree.models.tree_predictor import TreePredictor
from structtree.reprs import Viewed, short_repr
from structtree.tasks.task import Task

__all__ = ["Fitted", "Model", "definitions_in", "fitted", "used_definitions"]


@dataclass(frozen=True, eq=False)
class Model(AppliesTests, Viewed):
    """Predictor with everything needed to apply it to new data.

    Parameters
    ----------
    predictor : Predictor
        Usually a tree: see `structtree.models.tree_predictor.TreePredictor`.
    target : str, optional
        Name of the target.
    settings : Settings
        The options of learning.
    grammar : GrammarRecord
        The grammar it was learned with.
    route : RouteRecord
        The route by which its tests were found.
    reading : ReadingRecord
        The options that its data was read with.
    outcome : SearchOutcome
        The outcome of the search.
    scores : ScoreRecord
        The scores when it was learned.
    version : str
        The version of structtree that learned it.
    functions : tuple of Function
        The functions of the grammar that its tests may need.
    optional : mapping from type to members
        Members that rows of other types than the individual may lack; see `structtree.models.conform`.
    background : Background, optional
        The derived links and computed attributes of the grammar that its tests may need.
    layout : SourceLayout, optional
        The linked tables it was learned from.
    seen : mapping from type to members
        The categories, and the ranges of numbers and sizes, that the tested features had in training; see
        `structtree.models.seen`.

    Examples
    --------
    >>> from structtree.data.schema import RecordType
    >>> from structtree.models.tree import ClassCounts, Leaf
    >>> leaf = Leaf(ClassCounts(4, (1.0, 3.0)))
    >>> model = Model(TreePredictor(Tree((leaf,), Schema((RecordType("Car"),), "Car"), ("no", "yes"))))
    >>> model.predict(Population.from_records([{"wheels": 2}])).tolist()
    ['yes']
    """

    predictor: Predictor
    target: str | None = None
    settings: Settings = field(default_factory=Settings)
    grammar: GrammarRecord = field(default_factory=GrammarRecord)
    route: RouteRecord = field(default_factory=RouteRecord)
    reading: ReadingRecord = field(default_factory=ReadingRecord)
    outcome: SearchOutcome = field(default_factory=SearchOutcome)
    scores: ScoreRecord = field(default_factory=ScoreRecord)
    version: str = __version__
    functions: tuple[syn.Function, ...] = ()
    optional: NeededMembers = field(default_factory=dict)
    background: Background | None = None
    layout: SourceLayout | None = None
    seen: SeenValues = field(default_factory=dict)

    def __post_init__(self) -> None:
        require(self.predictor, Predictor, "predictor", "a Predictor, such as TreePredictor(tree)")

    def __repr__(self) -> str:
        return short_repr(self, f"predicts {self.target or 'an unnamed target'} by {self.predictor}")

    # ---- the predictor ----------------------------------------------------------------------------------

    @property
    def schema(self) -> Schema:
        """Schema of the individuals in training."""
        return self.predictor.schema

    @property
    def mentioned(self) -> NeededMembers:
        """Attributes and links, by type, that the tests mention."""
        return self.predictor.mentioned

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes; empty for regression."""
        return self.predictor.classes

    @property
    def task(self) -> Task:
        """Task of the model."""
        return self.predictor.task

    @property
    def tree(self) -> Tree:
        """Tree of the model; raises an error if the predictor is not a tree."""
        return self._tree_predictor.tree

    @property
    def decision(self) -> Decision:
        """Decision options of the leaves."""
        return self._tree_predictor.decision

    @property
    def _tree_predictor(self) -> TreePredictor:
        if not isinstance(self.predictor, TreePredictor):
            raise UsageError(f"expected a model with a tree; this one predicts with a {self.predictor.noun}")
        return self.predictor

    def deciding(self, decision: Decision) -> Model:
        """Return a copy of the model with other decision options."""
        return replace(self, predictor=replace(self._tree_predictor, decision=decision))

    # ---- prediction ----------------------------------------------------------------------------------------

    def predict(
        self, individuals: Any, functions: Mapping[str, Call] | None = None, *, smiles: str | None = None
    ) -> NDArray[Any]:
        """Return the predicted class, or the predicted number, of each individual.

        Parameters
        ----------
        individuals : Population, DataFrame, array, or sequence of dicts, graphs, SMILES or molecules
            They may have more attributes and other categories than the training data. The columns of an array are
            those of the training data, in their order.
        functions : mapping from name to function, optional
            The functions of the grammar; see `structtree.space.background.with_background`.
        smiles : str, optional
            For a DataFrame of molecules: name of the column with the SMILES, if it is not obvious.
        """
        return self.task.labels(self.predictor.predict(self.prepared(individuals, functions, smiles=smiles)))

    def predict_proba(
        self, individuals: Any, functions: Mapping[str, Call] | None = None, *, smiles: str | None = None
    ) -> NDArray[np.float64]:
        """Return the probability of each class, in the order of ``classes``, for each individual."""
        if not self.task.predicts_classes:
            raise UsageError(f"the model predicts {self.task.noun}, which have no probabilities; use predict")
        return self.predictor.predict_proba(self.prepared(individuals, functions, smiles=smiles))


class Fitted(NamedTuple):
    """A model together with the estimator's settings for reading individuals."""

    model: Model
    functions: Mapping[str, Call] | None = None
    smiles: str | None = None

    def read(self, individuals: Any) -> Population:
        """Return the individuals as a population, with all their attributes."""
        return self.model.read(individuals, self.smiles)

    def prepared(self, individuals: Any) -> Population:
        """Return the individuals in the form that the tests of the model need."""
        return self.model.prepared(individuals, self.functions, smiles=self.smiles)


def fitted(given: Any, decision: Decision | None = None) -> Fitted:
    """Return the model of a tree, of a model, or of a fitted estimator.

    Parameters
    ----------
    given : Tree, Model or estimator
    decision : Decision, optional
        Replaces that of the model.

    Raises
    ------
    UsageError
        If it is something else, or not fitted.

    Examples
    --------
    >>> from structtree.data.schema import RecordType
    >>> from structtree.models.tree import ClassCounts, Leaf
    >>> tree = Tree((Leaf(ClassCounts(4, (1.0, 3.0))),), Schema((RecordType("Car"),), "Car"), ("no", "yes"))
    >>> fitted(tree).model.tree is tree
    True
    >>> fitted("model.json")
    Traceback (most recent call last):
    structtree.errors.UsageError: expected a tree, a model or a fitted estimator, got 'model.json'
    """
    require(decision, Decision | None, "decision", "a Decision or None")
    if isinstance(given, Tree):
        return Fitted(Model(TreePredictor(given, decision or MAJORITY)))
    own = given if isinstance(given, Model) else getattr(given, "model_", None)
    if not isinstance(own, Model):
        is_estimator = hasattr(given, "fit") and not isinstance(given, type)
        got = f"a {type(given).__name__} that is not fitted" if is_estimator else quoted_value(given)
        raise UsageError(f"expected a tree, a model or a fitted estimator, got {got}")
    model = own if decision is None else own.deciding(decision)
    return Fitted(model) if own is given else Fitted(model, given.functions, given.smiles)


def used_definitions(model: Model) -> tuple[syn.Definition, ...]:
    """Return the definitions that the tests and derived links use, directly or indirectly."""
    return definitions_in(model.predictor.tests, model.schema, model.needs.background.steps)


def definitions_in(
    tests: Iterable[syn.Predicate], schema: Schema, steps: Iterable[Computation]
) -> tuple[syn.Definition, ...]:
    """Return the definitions that some tests and the computation of links use, directly or indirectly."""
    found: dict[str, syn.Definition] = {}
    stack = [(test, schema.individual) for test in tests]
    stack += [(step.where, step.far) for step in steps if isinstance(step, ComputedLink)]
    while stack:
        for part, name in subpredicates(*stack.pop(), schema):
            if not isinstance(part, syn.Named) or part.body is None:
                continue
            used = part.definition or syn.Definition(part.name, name, part.body, says=part.says)
            known = found.get(part.name)
            if known is not None and (known.parameters, known.body) != (used.parameters, used.body):
                raise UsageError(f"the model uses two definitions that are both called {part.name!r}")
            if known is None:
                found[part.name] = used
                stack.append((used.body, used.type))
    return tuple(found.values())
