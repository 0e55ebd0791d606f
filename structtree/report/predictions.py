"""Predictions of a model as a table, next to the true labels where they are known.

Rows keep their numbers in the source. Records that were skipped when the data was read are listed as well, with the
reason in place of a prediction.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structtree.data.population import Population
from structtree.data.provenance import record_members, record_values
from structtree.data.readers.opening import Opened
from structtree.data.selection import matched_names
from structtree.errors import DataError, UsageError, did_you_mean, option_text
from structtree.evaluation.score import Predicted, Scores, class_name, constant_answers, main_metric, score_answers
from structtree.models.model import Model
from structtree.reprs import number_text, short_repr

_COMPARED = 2000
"""Maximum number of names to search for a suggestion when an id does not exist."""

__all__ = ["Predictions", "find_individual", "predictions", "truth", "whole"]


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """Predictions of a model, with the true labels where known.

    Parameters
    ----------
    target : str or None
        Name of the target.
    said : array
        Prediction for each individual: a class or a number.
    probabilities : array or None
        Class probabilities of shape (individuals, classes); None for numbers.
    classes : tuple of str
        Names of the classes, in the order of the columns of `probabilities`.
    spread : array or None
        For numbers: the standard deviation of the training targets in the leaf.
    actual : list or None
        True labels, None where they are missing; None if the data does not contain the target.
    answers : Predicted or None
        Predictions with the true labels, where these are known.
    rows : sequence of int
        Row number of each individual in the source, counted from 0.
    names, kept : mapping
        Names of the records in the source, and the attributes that are kept: one value per record.
    left_out : mapping
        Reason for each record of the source that was skipped.
    """

    target: str | None
    said: NDArray[Any]
    probabilities: NDArray[np.float64] | None
    classes: tuple[str, ...]
    spread: NDArray[np.float64] | None
    actual: list[Any] | None
    answers: Predicted | None
    rows: Sequence[int]
    names: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    kept: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    left_out: Mapping[int, str] = field(default_factory=dict)

    def evaluate(self, metrics: Sequence[str] | None = None) -> Scores | None:
        """Return the same scores as `structtree.evaluate`; None if no true label is known."""
        if self.answers is None:
            return None
        return score_answers(self.answers, constant_answers(self.answers), metrics)

    def __repr__(self) -> str:
        found = None if self.answers is None else self.evaluate([main_metric(self.answers.task)])
        score = "" if found is None else str(found)
        return short_repr(self, f"{self.target or 'target'} of {number_text(self.said, 'individual')}", score)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dict of plain JSON values for each individual and each skipped record."""
        said = [self._record(row, place) for place, row in enumerate(self.rows)]
        return sorted([*said, *map(self._record, self.left_out)], key=lambda record: record["row"])

    def to_csv(self) -> str:
        """Return CSV text with a header: row, names, prediction, probabilities or spread, true label, problem."""
        text = io.StringIO()
        flat = [self._cells(record) for record in self.to_dicts()]
        writer = csv.DictWriter(text, self._heads(), restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(flat)
        return text.getvalue()

    def _heads(self) -> list[str]:
        """Return the column names of the table, in order."""
        beside = [f"p({name})" for name in self.classes] if self.spread is None else ["spread"]
        known = [*(["actual"] if self.actual is not None else []), *(["problem"] if self.left_out else [])]
        return ["row", *self._free(self.names), "prediction", *beside, *known, *self._free(self.kept)]

    def _cells(self, record: Mapping[str, Any]) -> dict[str, Any]:
        """Convert a record to the cells of a table row."""
        cells: dict[str, Any] = {
            name: class_name(value) if isinstance(value, bool) else value for name, value in record.items()
        }
        numbers = {f"p({name})": p for name, p in cells.pop("probabilities", {}).items()}
        if "spread" in cells:
            numbers["spread"] = cells["spread"]
        return cells | {name: f"{number:.6g}" for name, number in numbers.items()}

    def _record(self, row: int, place: int | None = None) -> dict[str, Any]:
        """Return the entry for a record of the source; without `place`, for a skipped record."""
        record: dict[str, Any] = {"row": row, **self._of_source(self.names, row), "prediction": None}
        if place is None:
            record["problem"] = self.left_out[row]
        else:
            record |= self._answer(place)
        return record | self._of_source(self.kept, row)

    def _answer(self, place: int) -> dict[str, Any]:
        found: dict[str, Any] = {"prediction": self.said[place : place + 1].tolist()[0]}
        if self.probabilities is not None:
            found["probabilities"] = dict(zip(self.classes, self.probabilities[place].tolist(), strict=True))
        if self.spread is not None:
            found["spread"] = float(self.spread[place])
        if self.actual is not None:
            found["actual"] = self.actual[place]
        return found

    def _of_source(self, columns: Mapping[str, Sequence[Any]], row: int) -> dict[str, Any]:
        return {head: values[row] for head, values in zip(self._free(columns), columns.values(), strict=True)}

    def _free(self, names: Iterable[str]) -> list[str]:
        """Return source column names, with a prefix if they clash with a prediction column."""
        own = {
            "row",
            "prediction",
            "probabilities",
            "spread",
            "actual",
            "problem",
            *(f"p({c})" for c in self.classes),
        }
        return [f"input.{name}" if name in own else name for name in names]


def predictions(model: Model, data: Opened, keep: Iterable[str] = ()) -> Predictions:
    """Return the predictions of a model for opened data.

    Parameters
    ----------
    model : Model
    data : Opened
        Must contain the features of the model; may contain the target.
    keep : iterable of str
        Attributes of the source to include: names, patterns such as ``assay*``, or ``all``.

    Examples
    --------
    >>> from structtree import Grammar, fit, open_data
    >>> trains = open_data("trains")
    >>> model = fit(trains.population, trains.target, Grammar.load("trains"), target_name="direction")
    >>> found = predictions(model, trains)
    >>> found.to_csv().splitlines()[:2]
    ['row,prediction,p(east),p(west),actual', '0,east,0.944444,0.0555556,east']
    >>> print(found.evaluate())
    accuracy 1.000 (20 of 20)
    """
    population = whole(data)
    prepared = model.prepared(population)
    said, is_classes = model.predict(prepared), model.task.predicts_classes
    actual = truth(population, model.target)
    probabilities = model.predict_proba(prepared) if is_classes else None
    kept = [name for name in _chosen(keep, population) if name not in data.provenance.names]
    return Predictions(
        model.target,
        said,
        probabilities,
        tuple(map(class_name, model.classes)),
        None if is_classes else model.predictor.predict_spread(prepared),
        actual,
        _answers(model, said, probabilities, actual or []),
        data.rows.tolist(),
        data.provenance.names,
        {name: record_values(population, name) for name in kept},
        data.provenance.left_out,
    )


def _answers(
    model: Model, said: NDArray[Any], probabilities: NDArray[np.float64] | None, actual: list[Any]
) -> Predicted | None:
    """Return predictions with true labels for the individuals that have one; None if there are none."""
    known = [i for i, value in enumerate(actual) if value is not None]
    if not known:
        return None
    truth = [actual[i] for i in known]
    if probabilities is None:
        return Predicted.of_numbers(truth, said[known], model.task)
    return Predicted.of_classes(truth, said[known], model.classes, probabilities[known])


def _chosen(patterns: Iterable[str], population: Population) -> list[str]:
    """Return the names that match patterns; ``all`` stands for the columns of the source."""
    own, given = record_members(population), list(patterns)
    every = list(dict.fromkeys([*own, *population.tables[population.schema.individual].columns]))
    if "all" in given and "all" not in every:
        given = [*(name for name in given if name != "all"), *own]
    return matched_names(given, every, "column")


def whole(data: Opened) -> Population:
    """Return the population with its target as an attribute, since a model for another target may use it."""
    if data.target is None or data.target_name is None:
        return data.population
    return data.population.with_target(data.target_name, data.target)


def truth(population: Population, target: str | None) -> list[Any] | None:
    """Return the values of the target (None where missing), or None if there is no such attribute."""
    record = population.schema.type(population.schema.individual)
    if target is None or record.attribute(target) is None:
        return None
    column = population.column(target)
    return [column.value(i) for i in range(len(column))]


def find_individual(data: Opened, row: int = 0, *, id: str | None = None, column: str | None = None) -> int:
    """Return the position of the individual with a given row number or id in the source.

    Parameters
    ----------
    data : Opened
    row : int
        Row number in the source, counted from 0.
    id : str, optional
        A name of the individual, or its value of an attribute that is unique per record; replaces `row`.
    column : str, optional
        The name or attribute to compare with `id`; by default all of them.

    Examples
    --------
    >>> from structtree import open_data
    >>> find_individual(open_data("trains"), 3)
    3
    """
    if id is not None:
        row = _row_of(data, id, column)
    n = data.provenance.n_records
    if not 0 <= row < n:
        raise UsageError(
            f"{option_text('row')} must be from 0 to {n - 1}, since there are {n} individuals; got {row}"
        )
    if row in data.provenance.left_out:
        raise DataError(f"row {row} was skipped: {data.provenance.left_out[row]}", source=data.source or None)
    return int(np.flatnonzero(data.rows == row)[0])


def _row_of(data: Opened, id: str, column: str | None) -> int:
    """Return the row number of the record with an id; raise an error if several records have it."""
    columns = [column] if column is not None else [*data.provenance.names, *_unique_attributes(data)]
    texts: list[str] = []
    for name in columns:
        values = [None if value is None else str(value) for value in record_values(data.population, name)]
        rows = [row for row, value in enumerate(values) if value == id]
        if len(rows) == 1:
            return rows[0]
        if rows:
            shown = ", ".join(map(str, rows[:10])) + (", ..." if len(rows) > 10 else "")
            raise UsageError(
                f"{len(rows):,} individuals have {name} {id}, in rows {shown}; choose one with " + option_text("row")
            )
        texts += filter(None, values)
    where = f"whose {' or '.join(columns)} is" if columns else "with the id"
    fix = (
        ""
        if column is not None
        else f"; name the column with {option_text('id_column')}, or use {option_text('row')}"
    )
    raise UsageError(f"there is no individual {where} {id!r}{did_you_mean(id, texts[:_COMPARED])}{fix}")


def _unique_attributes(data: Opened) -> list[str]:
    """Return the string and integer attributes of the source whose values are unique."""
    found = []
    for name in record_members(data.population):
        values = [value for value in record_values(data.population, name) if value is not None]
        if name not in data.provenance.names and all(type(value) in (str, int) for value in values):
            found += [name] if len(set(values)) == len(values) else []
    return found
