"""Learning sets: individuals with checked labels and a checked grammar, from which any kind of model is learned."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structtree.data.labels import KnownLabels, Unlabelled, drop_unlabelled, label_array
from structtree.data.layouts import SourceLayout, layout_behind
from structtree.data.population import Population
from structtree.data.readers.individuals import population_of
from structtree.lang.check import CheckedGrammar
from structtree.lang.declare import declared_individual, declared_kinds
from structtree.lang.default import default_grammar
from structtree.lang.grammar import Grammar, grammar_from
from structtree.learn.growing import with_weight
from structtree.models.applying import Call
from structtree.models.conform import optional_members
from structtree.models.model import Model
from structtree.models.records import GrammarRecord
from structtree.models.seen import seen_in
from structtree.space.background import with_background
from structtree.tasks.classification import ClassWeight
from structtree.tasks.criteria import Criterion
from structtree.tasks.target import Target, target_for
from structtree.tasks.task import Task

__all__ = ["LearningSet", "learning_set", "with_requirements"]

ModelT = TypeVar("ModelT", bound=Model)


@dataclass(frozen=True, slots=True, eq=False)
class LearningSet:
    """Individuals with positive weight, their target, and the grammar of the tests.

    Parameters
    ----------
    population : Population
        The individuals, with the background of the grammar.
    labels : array
        The class of each individual, or its number in the units of the target.
    target : Target
    allowed : Grammar
    grammar : CheckedGrammar
        The same grammar, checked with the schema of the individuals.
    has_weight : (n,) bool
        Which of all individuals have a positive weight.
    target_name : str, optional
    layout : SourceLayout, optional
    """

    population: Population
    labels: NDArray[Any]
    target: Target
    allowed: Grammar
    grammar: CheckedGrammar
    has_weight: NDArray[np.bool_]
    target_name: str | None = None
    layout: SourceLayout | None = None

    @property
    def record(self) -> GrammarRecord:
        """Record of the grammar."""
        return GrammarRecord(str(self.allowed), self.allowed.origin, tuple(self.allowed.notes))


def learning_set(
    individuals: Any,
    target: ArrayLike,
    grammar: str | Path | Grammar | None = None,
    *,
    usual: Callable[[Task], Criterion],
    for_forest: bool = False,
    for_rules: bool = False,
    literals: int | None = None,
    criterion: str | Criterion | None = None,
    task: str | Task | None = None,
    sample_weight: ArrayLike | None = None,
    class_weight: ClassWeight | None = None,
    classes: Sequence[Any] | None = None,
    priors: Mapping[Any, float] | None = None,
    functions: Mapping[str, Call] | None = None,
    target_name: str | None = None,
    smiles: str | None = None,
    unlabelled: Unlabelled = "leave out",
) -> LearningSet:
    """Check individuals, their labels and a grammar; parameters are those of `structtree.learn.fit.fit`.

    Parameters
    ----------
    usual : function from Task to Criterion
        Returns the default criterion.
    for_forest : bool
        Whether the default grammar is that of forests.
    for_rules : bool
        Whether the grammar is extended to conjunctions about the individual.
    literals : int, optional
        Maximum number of their literals; see `structtree.lang.combine`.

    Examples
    --------
    >>> from structtree.learn.forest_fit import forest_criterion
    >>> found = learning_set([{"size": 1}, {"size": 2}], ["small", "large"], usual=forest_criterion)
    >>> found.target.classes, found.labels.tolist()
    (('large', 'small'), ['small', 'large'])
    """
    asked = None if grammar is None else grammar_from(grammar)
    given = _population(individuals, asked, smiles)
    known = _known(label_array(target), len(given), unlabelled, target_name)
    given = given if known.kept is None else given.take(known.kept)
    weights = (known.weights(sample_weight), class_weight, classes, priors)
    checked = target_for(known.labels, len(given), criterion, *weights, task)
    if criterion is None:
        checked = replace(checked, criterion=usual(checked.task))
    has_weight = checked.weights > 0
    population, labels, checked = with_weight(given, known.labels, checked)
    checked = checked.counted()
    allowed = asked or default_grammar(population, for_forest=for_forest)
    if target_name is not None:
        allowed = allowed.omitting({target_name: "the target"}, population.schema)
    whole = with_background(population, allowed, functions or {})
    if for_rules:
        allowed = allowed.combining(literals, whole.schema)
    labels = labels if checked.classes else checked.values
    meant, layout = allowed.check(whole.schema), layout_behind(population)
    return LearningSet(whole, labels, checked, allowed, meant, has_weight, target_name, layout)


def with_requirements(
    model: ModelT, population: Population, grammar: CheckedGrammar, layout: SourceLayout | None
) -> ModelT:
    """Return a model with what its tests need and mention of the data that it was learned from."""
    model = replace(
        model,
        functions=tuple(grammar.functions.values()),
        background=grammar.background if grammar.background.steps else None,
        layout=layout,
    )
    seen = seen_in(population, model.predictor.mentioned)
    return replace(model, optional=optional_members(population, model.needed), seen=seen)


def _known(labels: NDArray[Any], n: int, unlabelled: Unlabelled, name: str | None) -> KnownLabels:
    """Return the labels that are known; a wrong number of labels is refused later."""
    return drop_unlabelled(labels, unlabelled, name) if labels.shape == (n,) else KnownLabels(labels, None, n)


def _population(individuals: Any, grammar: Grammar | None, smiles: str | None) -> Population:
    """Return the individuals as a population, read as the grammar declares them."""
    if grammar is None:
        return population_of(individuals, smiles=smiles)
    individual, types = declared_individual(grammar.syntax), declared_kinds(grammar.syntax)
    return population_of(individuals, individual=individual, types=types, smiles=smiles)
