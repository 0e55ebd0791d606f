"""Scores of a report as plain JSON values: on held-out individuals first, then on those of the report."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structtree.data.population import Population
from structtree.evaluation.held_out import baseline_warning, held_out_score, score_summary
from structtree.evaluation.score import Scores
from structtree.models.model import Model
from structtree.models.records import StoredScores
from structtree.models.tree import Tree
from structtree.reprs import inert

__all__ = ["ReportedIndividuals", "is_training_data", "report_scores"]


@dataclass(frozen=True, slots=True, eq=False)
class ReportedIndividuals:
    """Individuals of a report that have a known label: their leaves, and their labels as class codes or numbers."""

    leaves: NDArray[np.int64]
    actual: NDArray[Any]


def report_scores(
    model: Model, found: Scores | None, population: Population, labelled: ReportedIndividuals | None
) -> dict[str, Any]:
    """Return the scores of a model as plain JSON values.

    Parameters
    ----------
    model : Model
    found : Scores, optional
        Scores on the individuals of the report.
    population : Population
        The individuals of the report.
    labelled : ReportedIndividuals, optional
        None if no label is known.

    Returns
    -------
    dict
        ``scores`` are those on the individuals of the report, ``held_out`` and ``training`` those that the model
        stores, or None; ``has_held_out`` is whether any score on held-out individuals is known; ``is_training`` is
        whether the report is about the training data, None if unknown; ``main_scores`` and ``warning`` are phrases.
    """
    return {
        "scores": [] if found is None else [[m, _finite(found[m]), _finite(found.baseline[m])] for m in found.values],
        "held_out": _json_scores(model.scores.held_out),
        "training": _json_scores(model.scores.training),
        "is_training": None if labelled is None else is_training_data(model.tree, labelled, len(population)),
        "has_held_out": held_out_score(model) is not None,
        "main_scores": inert(score_summary(model)),
        "warning": inert(baseline_warning(model)),
    }


def is_training_data(tree: Tree, labelled: ReportedIndividuals, n: int) -> bool | None:
    """Return whether individuals look like the training data: every leaf has as many, with the same labels.

    Parameters
    ----------
    tree : Tree
    labelled : ReportedIndividuals
    n : int
        Number of individuals, with and without labels.

    Returns
    -------
    bool or None
        None for a tree that divides individuals among leaves, and without individuals.
    """
    if tree.missing == "fractional" or not n:
        return None
    for leaf in tree.leaves:
        stats, actual = tree.nodes[leaf].stats, labelled.actual[labelled.leaves == leaf]
        if len(actual) != stats.n:
            return False
        counts = tree.task.distribution(stats)
        if counts and stats.weight == stats.n and np.bincount(actual, minlength=len(counts)).tolist() != list(counts):
            return False
    return tree.task.predicts_classes or _has_same_means(tree, labelled)


def _has_same_means(tree: Tree, labelled: ReportedIndividuals) -> bool:
    """Return whether the leaves have the same mean labels as in training, unless individuals were weighted."""
    means = tree.task.value(tree.seen)
    plain = [leaf for leaf in tree.leaves if tree.nodes[leaf].stats.weight == tree.nodes[leaf].stats.n]
    return all(
        bool(np.isclose(labelled.actual[labelled.leaves == leaf].mean(), means[leaf], rtol=1e-6, atol=1e-9))
        for leaf in plain
    )


def _json_scores(stored: StoredScores | None) -> Any:
    if stored is None:
        return None
    spreads = stored.sd or (None,) * len(stored.metrics)
    return {
        "n": stored.n,
        "folds": stored.folds,
        "constant": inert(stored.constant),
        "scores": [list(row) for row in zip(stored.metrics, stored.values, stored.baseline, spreads, strict=True)],
        "classes": [inert(name) for name in stored.classes],
        "confusion": [list(row) for row in stored.confusion],
    }


def _finite(value: float) -> float | None:
    return float(value) if isfinite(value) else None
