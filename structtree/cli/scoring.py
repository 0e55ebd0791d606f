"""Options for scoring: the metrics to show, and how individuals are divided into folds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from structtree.errors import DataError, UnknownNameError, UsageError
from structtree.reprs import number_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from structtree.data.population import Column
    from structtree.data.readers.opening import Opened
    from structtree.evaluation.score import Scores
    from structtree.tasks.task import Task

__all__ = ["Divided", "FoldsOption", "MetricOption", "Metrics", "fold_facts", "folds_for"]

CONFUSION = "confusion_matrix"
"""Name of the confusion matrix among the metrics."""

MetricOption = Annotated[
    str | None,
    typer.Option(
        "--metric",
        metavar="NAMES",
        help="Metrics to show, by their scikit-learn names: accuracy, balanced_accuracy, roc_auc, log_loss, "
        "average_precision, f1, mcc, confusion_matrix; r2, rmse, mae, median_ae; or all.",
    ),
]
FoldsOption = Annotated[
    str,
    typer.Option(
        "--folds",
        metavar="K|scaffold|group:COLUMN|time:COLUMN",
        help="Number of random folds; or keep molecules with the same scaffold, or individuals with the same value, "
        "in one fold; or test on later individuals than the training data. "
        "Append a number to set the number of folds: group:COLUMN:3.",
    ),
]


@dataclass(frozen=True, slots=True)
class Metrics:
    """Selected metrics, and whether to show the confusion matrix."""

    names: tuple[str, ...] | None = None
    with_confusion: bool = True

    @classmethod
    def parse(cls, text: str | None) -> Metrics:
        """Parse comma-separated names of metrics; unknown names are rejected.

        Examples
        --------
        >>> Metrics.parse("f1, mcc")
        Metrics(names=('f1', 'mcc'), with_confusion=False)
        """
        from structtree.evaluation.score import EVERY_METRIC, METRICS

        if text is None:
            return cls()
        given = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
        known = [*METRICS, CONFUSION, EVERY_METRIC]
        for name in given:
            if name not in known:
                raise UsageError(str(UnknownNameError("metric", name, known)))
        if not given:
            raise UsageError(f"--metric takes names, as in roc_auc,f1; got {text!r}")
        return cls(tuple(name for name in given if name != CONFUSION), bool({CONFUSION, EVERY_METRIC} & {*given}))

    def check(self, task: str | Task) -> None:
        """Reject metrics that do not apply to the target."""
        from structtree.evaluation.score import known_metrics
        from structtree.tasks.registry import as_task

        known_metrics(self.names, task)
        if self.names is not None and self.with_confusion and not as_task(task).predicts_classes and not self.names:
            raise UsageError(f"{CONFUSION} is for classes, but the target is a number")

    def lines(self, title: str, columns: Mapping[str, Scores]) -> list[str]:
        """Return the scores as lines of text, with the confusion matrix of the first column."""
        from structtree.report.scores import confusion_lines, score_lines

        name, first = next(iter(columns.items()))
        lines = score_lines(columns, title=title) if first.values else []
        if self.with_confusion and first.confusion is not None:
            lines += ["", f"Confusion, {name}", *confusion_lines(first.confusion)]
        return lines


# ---- folds ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Divided:
    """Folds, and the data without the column that defines them.

    Parameters
    ----------
    data : Opened
    folds : int or splitter
    n_folds : int
    by : str or None
        Column that groups or orders the individuals; None if folds are random.
    remark : str or None
        Sentence about the folds.
    """

    data: Opened
    folds: Any
    n_folds: int
    by: str | None = None
    remark: str | None = None


@dataclass(frozen=True, slots=True)
class _Scheme:
    """Parsed value of ``--folds``."""

    kind: Literal["scaffold", "group", "time"]
    column: str
    given: int | None

    def n_folds(self, values: Any) -> int:
        """Return the given number of folds, or the default, limited by the number of distinct values."""
        from structtree.evaluation.folds import USUAL_FOLDS

        return self.given or min(USUAL_FOLDS, max(2, len(set(values.tolist()))))


def folds_for(data: Opened, text: str) -> Divided:
    """Return the folds that the value of ``--folds`` describes."""
    from structtree.evaluation.folds import USUAL_FOLDS, GroupFolds, TimeFolds

    if text.strip().lstrip("+-").isdigit():
        return Divided(data, int(text), int(text))
    scheme = _scheme(text, data)
    if scheme.kind == "scaffold":
        from structtree.data.readers.molecules.scaffolds import scaffolds

        groups = scaffolds(data.population)
        remark = f"{len(set(groups)):,} scaffolds (Bemis-Murcko); molecules with the same scaffold are in one fold"
        n_folds = scheme.n_folds(groups)
        return Divided(data, GroupFolds(groups, n_folds), n_folds, "scaffold", remark)
    column = _whole_column(data, scheme.column)
    is_feature = scheme.column in data.population.table(data.population.schema.individual).columns
    rest = replace(data, population=data.population.without(scheme.column)) if is_feature else data
    if scheme.kind == "group":
        n_folds = scheme.n_folds(column.values)
        folds: Any = GroupFolds(column.values, n_folds)
        remark = (
            f"individuals with the same {scheme.column} are in one fold; {scheme.column} is not used as a feature"
        )
    else:
        times = _times(column, scheme.column)
        n_folds = scheme.given or USUAL_FOLDS
        folds = TimeFolds(times, n_folds)
        remark = (
            f"each fold is tested on individuals that are later by {scheme.column} than its training data, so the "
            f"earliest ones are never tested; {scheme.column} is not used as a feature"
        )
    return Divided(rest, folds, n_folds, f"{scheme.kind} {scheme.column}", remark)


def fold_facts(divided: Divided) -> dict[str, Any]:
    """Return the number and kind of folds, for JSON."""
    return {"folds": divided.n_folds, "divided_by": divided.by}


def _scheme(text: str, data: Opened) -> _Scheme:
    """Parse a text such as ``group:patient:5``; a column whose name ends in a number takes precedence."""
    kind, _, column = text.partition(":")
    schema = data.population.schema
    known = {attribute.name for attribute in schema.type(schema.individual).attributes}
    head, colon, number = column.rpartition(":")
    n_folds = None
    if column not in known and number.isdigit() and (colon or kind == "scaffold"):
        column, n_folds = head, int(number)
    match kind:
        case "scaffold" if not column:
            return _Scheme("scaffold", "", n_folds)
        case "group" | "time" if column:
            return _Scheme(kind, column, n_folds)
    raise UsageError(
        f"--folds takes a number, scaffold, group:COLUMN or time:COLUMN, as in group:patient; got {text!r}"
    )


def _whole_column(data: Opened, name: str) -> Column:
    """Return the values or identifiers of the individuals in a column; reject missing values."""
    column = _column(data, name)
    n_missing = int(column.missing.sum())
    if n_missing:
        raise DataError(f"{name} defines the folds, but is missing for {number_text(n_missing, 'individual')}")
    return column


def _column(data: Opened, name: str) -> Column:
    from structtree.data.population import column_of

    if name in data.population.table(data.population.schema.individual).columns or name not in data.provenance.names:
        return data.population.column(name)
    texts = data.provenance.names[name]
    return column_of("nominal", [texts[row] for row in data.rows.tolist()])


def _times(column: Column, name: str) -> NDArray[Any]:
    """Convert a column to numbers or dates, to order the individuals."""
    import numpy as np

    if column.kind != "nominal":
        return column.values
    try:
        dates = np.array(column.categories, dtype="datetime64")
    except ValueError:
        text = column.categories[0]
        raise DataError(
            f"{name} must contain numbers or dates such as 2024-07-31; got values such as {text!r}"
        ) from None
    found: NDArray[Any] = dates[column.values.astype(np.int64)]
    return found
