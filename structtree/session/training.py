"""Training data: the labels of a source, their task, and remarks about both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structtree.data.labels import Unlabelled
from structtree.data.readers.databases.addresses import shown_url
from structtree.data.readers.graphs.reading import is_of_graphs
from structtree.data.readers.opening import Opened
from structtree.errors import DataError, UsageError
from structtree.lang.pretty import pretty_name
from structtree.remarks import Remark, option_text
from structtree.session.checks import about_columns, about_labels, about_leaks
from structtree.session.reading import Source, read_source
from structtree.tasks.inference import are_whole, infer_task, labels_for
from structtree.tasks.registry import as_task
from structtree.tasks.task import Task

__all__ = ["TrainingData", "read_training_data", "require_individual", "settle_training_data"]

CLASS_LIKE_VALUES = 10
"""Maximum number of distinct integers that may be intended as classes."""

FEW_NAMES = 4
"""Maximum number of names listed in a remark."""


@dataclass(frozen=True, slots=True, eq=False)
class TrainingData:
    """Training data: individuals with labels, their task, and remarks.

    Parameters
    ----------
    source : Source
    data : Opened
    labels : array
        Floats for numbers, anything else for classes.
    task : Task
    remarks : tuple of Remark
    """

    source: Source
    data: Opened
    labels: NDArray[Any]
    task: Task
    remarks: tuple[Remark, ...]


def read_training_data(
    source: Source,
    task: str | Task | None = None,
    *,
    unlabelled: Unlabelled = "leave out",
    look_for_leaks: bool = True,
) -> TrainingData:
    """Read data with its labels, and determine the task.

    Parameters
    ----------
    source : Source
    task : str or Task, optional
        The task or its name; inferred from the labels by default.
    unlabelled : {"leave out", "refuse"}
        Whether individuals without a label are skipped or rejected.
    look_for_leaks : bool
        Whether to add remarks on attributes that may leak the target.

    Examples
    --------
    >>> found = read_training_data(Source("lenses"))
    >>> found.task.name, len(found.labels), found.remarks
    ('classes', 24, ())
    """
    source = source.with_declared_facts()
    data, remarks = read_source(source, unlabelled=unlabelled)
    return settle_training_data(source, data, task, remarks, look_for_leaks=look_for_leaks)


def settle_training_data(
    source: Source,
    data: Opened,
    task: str | Task | None = None,
    remarks: tuple[Remark, ...] = (),
    *,
    look_for_leaks: bool = True,
) -> TrainingData:
    """Determine the labels and the task of data that is already open; see `read_training_data`."""
    facts = data.provenance.facts
    if data.target is None:
        raise UsageError(_which_target(source, data))
    name = str(data.target_name)
    known = as_task(infer_task(data.target) if task is None else task)
    labels = _settled(data.target, known, name)
    _require_finite(labels, data)
    found = [*remarks, *(_about_task(labels, name) if task is None else ())]
    found += map(Remark, facts.notes if facts else ())
    found += about_columns(data, source.options.get("types") or {})
    found += about_labels(labels, name)
    found += about_leaks(data, labels) if look_for_leaks else ()
    if len(labels) == 1 and (advice := _about_parts(data)):
        found.append(Remark(f"there is 1 {data.population.schema.individual}; {advice}"))
    return TrainingData(source, data, labels, known, tuple(found))


def require_individual(source: Source, data: Opened) -> None:
    """Raise `UsageError` for a database whose table of individuals was not chosen."""
    relations = data.provenance.relations
    if relations is not None and not relations.individual_given:
        shown, known = shown_url(str(source.where)), ", ".join(relations.database.tables)
        raise UsageError(
            f"choose the table of {shown} to learn about with {option_text('individual')} (it has: {known})"
        )


def _settled(labels: NDArray[Any], task: Task, name: str) -> NDArray[Any]:
    """Convert labels for a task: to floats for numbers, to integers for classes that are whole numbers."""
    shown = pretty_name(name)
    if not task.predicts_classes:
        if labels.dtype.kind == "O":
            got = f"{shown} contains non-numeric values such as {labels[0]!r}"
            raise UsageError(f"{got}; the criterion or task is for {task.noun}")
        return labels.astype(np.float64)
    found = labels_for("classes", labels)
    if found.dtype.kind == "f":
        fix = f"to force classification: {option_text('types', {name: 'nominal'})}"
        raise UsageError(f"{shown} has non-integer values; the criterion or task is for {task.noun} ({fix})")
    return found


def _about_task(labels: NDArray[Any], name: str) -> Iterator[Remark]:
    if labels.dtype.kind == "f" and are_whole(labels) and (n := len(np.unique(labels))) <= CLASS_LIKE_VALUES:
        as_nominal = option_text("types", {name: "nominal"})
        taken = f"{pretty_name(name)}, with {n} distinct values, is treated as a number"
        yield Remark(f"{taken}; for classes: {as_nominal}")


def _require_finite(labels: NDArray[Any], data: Opened) -> None:
    """Reject an infinite target; the error names its column and its row in the source."""
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        at = int(np.flatnonzero(~np.isfinite(labels))[0])
        message = f"the target {data.target_name!r} must be a finite number; got {labels[at]}"
        raise DataError(message, source=data.source, individual=int(data.rows[at]))


def _which_target(source: Source, data: Opened) -> str:
    """Return the error message for a missing target; raise one for a missing table of individuals."""
    facts = data.provenance.facts
    if facts is not None and facts.notes:
        return f"choose what to predict with {option_text('target')}; {'; '.join(facts.notes)}"
    require_individual(source, data)
    shown = shown_url(str(source.where))
    schema = data.population.schema
    known = ", ".join(attribute.name for attribute in schema.type(schema.individual).attributes)
    has = "; ".join(filter(None, [f"(it has: {known or 'none'})", _about_parts(data)]))
    return f"choose the attribute of {shown} to predict with {option_text('target')} {has}"


def _about_parts(data: Opened) -> str:
    """Return advice on predicting attributes of nodes or edges of graphs; empty if the data has no graphs."""
    population = data.population
    if not is_of_graphs(population):
        return ""
    for name in ("Node", "Edge"):
        columns = population.table(name).columns
        if columns:
            plainest = min(columns, key=lambda each: len(set(columns[each].values.tolist())))
            example = f"{option_text('individual', name)} {option_text('target', plainest)}"
            known = ", ".join([*columns][:FEW_NAMES])
            return f"to predict an attribute of each {name} ({known}), use for example: {example}"
    return ""
