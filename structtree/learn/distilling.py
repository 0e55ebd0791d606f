"""Distillation: a single tree of a few leaves that imitates an ensemble.

The tree is grown on what the ensemble predicts, not on the labels: the mean, or the probabilities of the classes,
which say more than a label. A training individual counts with its prediction out of bag where there is one, because
trees that saw its label would repeat it. An individual with several possible classes is one row per class, weighted
by the probability, so that the tree is an ordinary classification tree.

Measured with 12 leaves in five folds of MUTAG and tic-tac-toe: predictions in training, means with the labels,
entropy, and pruning of a larger tree were no better.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Floats
from structtree.data.population import Population
from structtree.errors import DataError, UsageError
from structtree.lang.grammar import Grammar
from structtree.learn.fit import fit
from structtree.learn.forest_fit import ForestModel, forest_criterion
from structtree.models.applying import Call
from structtree.models.ensemble import EnsemblePredictor
from structtree.models.model import Fitted, Model, fitted
from structtree.models.records import Size
from structtree.models.settings import Decision, EffortLevel, Growth
from structtree.models.tree import Node
from structtree.models.tree_predictor import TreePredictor
from structtree.reprs import number_text
from structtree.search.clock import Clock
from structtree.tasks.statistics import ClassCounts

__all__ = ["FOR_ENSEMBLE", "DistilledModel", "agreement", "distil"]

FOR_ENSEMBLE = 0.6
"""Fraction of the time for the ensemble, if it is learned only to be imitated."""


@dataclass(frozen=True, eq=False, repr=False)
class DistilledModel(Model):
    """Single tree that imitates an ensemble, which is not saved with it.

    Parameters
    ----------
    ensemble : Model, optional
    fidelity : float
        On the individuals that it was grown on: the fraction for which the tree and the ensemble predict the same
        class, or R² of the predictions of the tree as estimates of those of the ensemble.
    """

    ensemble: Model | None = field(default=None)
    fidelity: float = float("nan")


def distil(
    model: Any,
    individuals: Any,
    leaves: int = 12,
    unlabelled: Any = None,
    *,
    grammar: str | Path | Grammar | None = None,
    functions: Mapping[str, Call] | None = None,
    effort: EffortLevel = "normal",
    time_limit: float | None = None,
    clock: Clock | None = None,
) -> DistilledModel:
    """Return a single tree that imitates an ensemble.

    Parameters
    ----------
    model : Model or fitted estimator
        With an ensemble.
    individuals : individuals in any form that the model accepts
        Those of training, in their order, for which a fitted forest has predictions out of bag. A model that was
        loaded from a file predicts them anew, as it predicts all others.
    leaves : int
        Maximum number of leaves.
    unlabelled : individuals, optional
        Further individuals, whose labels need not be known: others of the same population, or, if ``individuals`` is
        a list or array, another one.
    grammar : str, Path or Grammar, optional
        The grammar of the tests; that of the model by default.
    functions : mapping from name to function, optional
        The functions of the grammar; those of an estimator by default.
    effort, time_limit
        As in `structtree.Growth`.
    clock : Clock, optional
        Replaces ``time_limit``.

    Returns
    -------
    DistilledModel
        An ordinary model with a tree. The class counts of its nodes are sums of predicted probabilities.

    Examples
    --------
    >>> from structtree import StructuralForestClassifier, load_dataset
    >>> trains = load_dataset("trains")
    >>> forest = StructuralForestClassifier("trains", n_estimators=50).fit(trains.population, trains.target)
    >>> tree = distil(forest, trains.population, leaves=3)
    >>> len(tree.tree.leaves), tree.fidelity > 0.8
    (3, True)
    """
    known = fitted(model)
    known = known if functions is None else known._replace(functions=functions)
    ensemble = known.model
    if not isinstance(ensemble.predictor, EnsemblePredictor):
        raise UsageError(f"distil imitates an ensemble; got a model with a {ensemble.predictor.kind}")
    growth = Growth(max_leaf_nodes=leaves, effort=effort, time_limit=time_limit)
    population = known.read(individuals)
    soft = _predicted(known, population, is_training=True)
    if unlabelled is not None:
        others = known.read(unlabelled)
        soft = np.concatenate([soft, _predicted(known, others, is_training=False)])
        population = _together(population, others, individuals, unlabelled, known)
    grown = _grown(known, population, soft, grammar or _own_grammar(ensemble), growth, clock)
    tree = replace(grown.tree, nodes=_counted(grown, grown.prepared(population, known.functions), soft))
    why = f"imitates a {ensemble.predictor.kind} of {number_text(len(ensemble.predictor.trees), 'tree')}"
    own = {each.name: getattr(grown, each.name) for each in fields(Model)} | {
        "predictor": TreePredictor(tree, grown.decision),
        "reading": ensemble.reading,
        "settings": replace(grown.settings, goal=None, size=Size("leaves", str(leaves))),
        "route": replace(grown.route, why="; ".join(filter(None, (why, grown.route.why)))),
    }
    predicted = own["predictor"].predict(grown.prepared(population, known.functions))
    fidelity = agreement(ensemble.predictor.answers(soft), predicted, is_classes=ensemble.task.predicts_classes)
    return DistilledModel(**own, ensemble=ensemble, fidelity=fidelity)


def _own_grammar(model: Model) -> Grammar | None:
    """Return the grammar that a model was learned with; None if it is unknown."""
    record = model.grammar
    return replace(Grammar.parse(record.text), origin=record.origin) if record.text else None


def _predicted(known: Fitted, population: Population, *, is_training: bool) -> Floats:
    """Return the probabilities of the classes, or the number, that an ensemble predicts for each individual."""
    model = known.model
    predict = model.predictor.predict_proba if model.task.predicts_classes else model.predictor.predict
    held_out = model.out_of_bag if is_training and isinstance(model, ForestModel) else None
    if held_out is None:
        return np.asarray(predict(known.prepared(population)), dtype=np.float64)
    if len(held_out) != len(population):
        raise DataError(
            f"expected the {len(held_out):,} individuals that the forest was fitted to, got {len(population):,}; "
            "pass others as unlabelled"
        )
    found, lacks = held_out.copy(), np.isnan(held_out if held_out.ndim == 1 else held_out[:, 0])
    if lacks.any():
        found[lacks] = predict(known.prepared(population.take(lacks)))
    return found


def _together(population: Population, others: Population, given: Any, unlabelled: Any, known: Fitted) -> Population:
    """Return the individuals of two inputs as one population."""
    if population.tables is others.tables:
        return replace(population, individuals=np.concatenate([population.individuals, others.individuals]))
    if isinstance(given, np.ndarray) and isinstance(unlabelled, np.ndarray):
        return known.read(np.concatenate([given, unlabelled]))
    if isinstance(given, list | tuple) and isinstance(unlabelled, list | tuple):
        return known.read([*given, *unlabelled])
    raise DataError(
        "unlabelled individuals must be of the same population as the others, or in the same form: two lists or "
        f"arrays; got {type(given).__name__} and {type(unlabelled).__name__}"
    )


def _grown(
    known: Fitted,
    population: Population,
    soft: Floats,
    grammar: str | Path | Grammar | None,
    growth: Growth,
    clock: Clock | None,
) -> Model:
    """Return a tree grown on predictions; individuals with several possible classes are one row for each."""
    model, functions = known.model, known.functions
    criterion = forest_criterion(model.task)
    shared: dict[str, Any] = {"target_name": model.target, "functions": functions, "clock": clock}
    if not model.task.predicts_classes:
        return fit(population, soft, grammar, growth, criterion=criterion, task=model.task, **shared)
    rows, codes = np.nonzero(soft)
    labels = model.task.labels(codes)
    assert isinstance(model.predictor, EnsemblePredictor)
    decision = Decision("frequency", costs=model.predictor.decision.costs)
    return fit(
        population.take(rows),
        labels,
        grammar,
        growth,
        decision=decision,
        criterion=criterion,
        sample_weight=soft[rows, codes],
        classes=model.classes,
        **shared,
    )


def _counted(model: Model, population: Population, soft: Floats) -> tuple[Node, ...]:
    """Return the nodes of a tree with the number of individuals, of which several rows were made."""
    tree = model.tree
    if not model.task.predicts_classes:
        return tuple(tree.nodes)
    found = list(tree.nodes)
    for node, which in tree.arrivals(population):
        counts = tuple(soft[which].sum(axis=0).tolist())
        found[node] = replace(found[node], stats=ClassCounts(len(which), counts))
    return tuple(found)


def agreement(expected: NDArray[Any], predicted: NDArray[Any], *, is_classes: bool) -> float:
    """Return how well predictions imitate others: the fraction of equal classes, or R² for numbers.

    Examples
    --------
    >>> agreement(np.array(["a", "b"]), np.array(["a", "a"]), is_classes=True)
    0.5
    >>> agreement(np.array([1.0, 3.0]), np.array([1.0, 3.0]), is_classes=False)
    1.0
    """
    if is_classes:
        return float((predicted == expected).mean())
    spread = float(expected.var())
    return 1.0 - float(np.square(expected - predicted).mean()) / spread if spread else 1.0
