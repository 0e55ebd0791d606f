"""Features of a source of data, as `structtree features` selects them, and the table that it writes."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from structtree.arrays import Floats
from structtree.data.provenance import provenance_of
from structtree.lang.grammar import Grammar
from structtree.learn.feature_fit import select_features
from structtree.learn.forest_fit import forest_criterion
from structtree.learn.learning_set import learning_set
from structtree.models.features import FeatureSet, feature_values
from structtree.models.settings import FeatureOptions, Forest
from structtree.options import build_options
from structtree.remarks import Remark
from structtree.search.clock import Clock
from structtree.session.reading import grammar_for
from structtree.session.time import time_for_learning
from structtree.session.training import TrainingData
from structtree.tasks.metrics import class_name

__all__ = ["SelectedFeatures", "features_of"]


@dataclass(frozen=True, slots=True, eq=False)
class SelectedFeatures:
    """Features selected for the target of a source, with their values.

    Parameters
    ----------
    found : FeatureSet
    values : (individuals, features) array
    training : TrainingData
    grammar : Grammar
    remarks : tuple of Remark
    """

    found: FeatureSet
    values: Floats
    training: TrainingData
    grammar: Grammar
    remarks: tuple[Remark, ...]

    def to_csv(self) -> str:
        """Return CSV text: the row of each individual in the source, its names, its features, and the target."""
        text, data = io.StringIO(), self.training.data
        known = provenance_of(data.population)
        names = [name for name in known.names if name not in ("row", data.target_name)]
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["row", *names, *(each.name for each in self.found.features), data.target_name])
        labels = self.training.labels.tolist()
        for place, (values, label) in enumerate(zip(self.values.tolist(), labels, strict=True)):
            named, row = known.names_of(place), int(known.rows[place])
            shown = label if isinstance(label, float) else class_name(label)
            writer.writerow([row, *(named.get(name, "") for name in names), *map(_cell, values), shown])
        return text.getvalue()

    def to_dict(self) -> dict[str, Any]:
        """Return the features as plain JSON values."""
        about = {"target": self.training.data.target_name, "columns": self.found.n_columns}
        return about | {"features": [each.to_dict() for each in self.found.features]}


def _cell(value: float) -> str:
    """Return a number as text; empty if missing."""
    return "" if value != value else f"{value:.15g}"


def features_of(training: TrainingData, options: Mapping[str, Any], clock: Clock) -> SelectedFeatures:
    """Select features of data that was read.

    Parameters
    ----------
    training : TrainingData
    options : mapping
        Parameters of `structtree.StructuralFeatures`.
    clock : Clock
        The clock of reading and selecting.
    """
    data = training.data
    grammar = grammar_for(data, training.source.grammar, for_forest=True)
    time, remarks = time_for_learning(clock)
    learned = learning_set(
        data.population,
        training.labels,
        grammar,
        usual=forest_criterion,
        for_forest=True,
        task=training.task,
        target_name=data.target_name,
    )
    k, limits = build_options(FeatureOptions, options).k, build_options(Forest, options)
    found = select_features(learned, k, limits, time, options["random_state"])
    values = feature_values(found.features, found.prepared(data.population))
    return SelectedFeatures(found, values, training, grammar, (*remarks, *map(Remark, found.notes)))
