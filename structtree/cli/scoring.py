"""Options of commands that score: which metrics are shown, and how individuals are divided into folds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from structtree.cli.learning import Learning, learning_parameters
from structtree.errors import DataError, UnknownNameError, UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from structtree.data.population import Column
    from structtree.data.readers.opening import Opened
    from structtree.evaluation.score import Scores
    from structtree.evaluation.validate import MakeEstimator
    from structtree.lang.grammar import Grammar
    from structtree.tasks.task import Task

__all__ = ["Divided", "FoldsOption", "MetricOption", "Metrics", "estimator_maker", "fold_facts", "folds_for"]

CONFUSION = "confusion_matrix"
"""The name of the confusion matrix among the metrics."""

MetricOption = Annotated[
    str | None,
    typer.Option(
        "--metric",
        metavar="NAMES",
        help="The metrics to show, as scikit-learn names them: accuracy, balanced_accuracy, roc_auc, log_loss, "
        "average_precision, f1, mcc, confusion_matrix; r2, rmse, mae, median_ae; or all.",
    ),
]
FoldsOption = Annotated[
    str,
    typer.Option(
        "--folds",
        metavar="K|scaffold|group:COLUMN|time:COLUMN",
        help="The number of folds; or keep molecules with the same scaffold, or individuals with the same value, "
        "together; or always test on later individuals than were learned from. "
        "With a number of folds: group:COLUMN:3.",
    ),
]


@dataclass(frozen=True, slots=True)
class Metrics:
    """The metrics that were chosen, and whether the confusion of classes is shown."""

    names: tuple[str, ...] | None = None
    with_confusion: bool = True

    @classmethod
    def parse(cls, text: str | None) -> Metrics:
        """Return the metrics of a text with commas; names that are not known are refused.

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
        """Refuse metrics that do not fit the target."""
        from structtree.evaluation.score import known_metrics
        from structtree.tasks.registry import as_task

        known_metrics(self.names, task)
        if self.names is not None and self.with_confusion and not as_task(task).predicts_classes and not self.names:
            raise UsageError(f"{CONFUSION} is for classes, and the target is a number")

    def lines(self, title: str, columns: Mapping[str, Scores]) -> list[str]:
        """Return the scores as text, and the confusion by the last of them."""
        from structtree.report.scores import confusion_lines, score_lines

        name, last = list(columns.items())[-1]
        lines = score_lines(columns, title=title) if last.values else []
        if self.with_confusion and last.confusion is not None:
            lines += ["", f"Confusion, {name}", *confusion_lines(last.confusion)]
        return lines


# ---- learning again and again ----------------------------------------------------------------------------


def estimator_maker(
    grammar: Grammar, labels: NDArray[Any], learning: Learning, criterion: str | None = None
) -> MakeEstimator:
    """Return a function that makes an estimator which learns in this way, but for the time limit."""
    from structtree.estimators import StructuralTreeClassifier, StructuralTreeRegressor

    kind: Any = StructuralTreeRegressor if labels.dtype.kind == "f" else StructuralTreeClassifier
    # The time limit is that of all folds; each fit has its share.
    params = learning_parameters(learning, labels) | ({} if criterion is None else {"criterion": criterion})
    params = {name: value for name, value in params.items() if name != "time_limit"}
    return lambda: kind(grammar, **params)


# ---- folds ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Divided:
    """The data without the column that divides it, and how it is divided.

    Parameters
    ----------
    data : Opened
    folds : int or splitter
    n_folds : int
    by : str or None
        What keeps individuals together or in order; None if folds are random.
    remark : str or None
        What is to be said about it.
    """

    data: Opened
    folds: Any
    n_folds: int
    by: str | None = None
    remark: str | None = None


@dataclass(frozen=True, slots=True)
class _Way:
    kind: Literal["scaffold", "group", "time"]
    column: str
    given: int | None

    def n_folds(self, values: Any) -> int:
        """The number that is given, or the usual one if there are as many different values."""
        from structtree.evaluation.folds import USUAL_FOLDS

        return self.given or min(USUAL_FOLDS, max(2, len(set(values.tolist()))))


def folds_for(data: Opened, text: str) -> Divided:
    """Return how data is divided into folds, as the command line says it."""
    from structtree.evaluation.folds import USUAL_FOLDS, GroupFolds, TimeFolds

    if text.strip().lstrip("+-").isdigit():
        return Divided(data, int(text), int(text))
    way = _way(text, data)
    if way.kind == "scaffold":
        from structtree.data.readers.molecules.scaffolds import scaffolds

        groups = scaffolds(data.population)
        remark = f"{len(set(groups)):,} scaffolds (Bemis-Murcko); molecules with the same scaffold are in one fold"
        n_folds = way.n_folds(groups)
        return Divided(data, GroupFolds(groups, n_folds), n_folds, "scaffold", remark)
    column = _whole_column(data, way.column)
    is_asked = way.column in data.population.table(data.population.schema.individual).columns
    rest = replace(data, population=data.population.without(way.column)) if is_asked else data
    if way.kind == "group":
        n_folds = way.n_folds(column.values)
        folds: Any = GroupFolds(column.values, n_folds)
        remark = f"individuals with the same {way.column} are in one fold; {way.column} is not asked about"
    else:
        times = _times(column, way.column)
        n_folds = way.given or USUAL_FOLDS
        folds = TimeFolds(times, n_folds)
        remark = (
            f"each fold tests on what is later by {way.column} than what it learns from, so the earliest are not "
            f"tested; {way.column} is not asked about"
        )
    return Divided(rest, folds, n_folds, f"{way.kind} {way.column}", remark)


def fold_facts(divided: Divided) -> dict[str, Any]:
    """Return how the data was divided, for JSON."""
    return {"folds": divided.n_folds, "divided_by": divided.by}


def _way(text: str, data: Opened) -> _Way:
    """A text such as ``group:patient:5``; a column whose name ends like that comes first."""
    kind, _, column = text.partition(":")
    schema = data.population.schema
    known = {attribute.name for attribute in schema.type(schema.individual).attributes}
    head, colon, number = column.rpartition(":")
    n_folds = None
    if column not in known and number.isdigit() and (colon or kind == "scaffold"):
        column, n_folds = head, int(number)
    match kind:
        case "scaffold" if not column:
            return _Way("scaffold", "", n_folds)
        case "group" | "time" if column:
            return _Way(kind, column, n_folds)
    raise UsageError(
        f"--folds takes a number, scaffold, group:COLUMN or time:COLUMN, as in group:patient; got {text!r}"
    )


def _whole_column(data: Opened, name: str) -> Column:
    """A column of the individuals, or a name that their source has for them, which must have no gaps."""
    column = _column(data, name)
    n_missing = int(column.missing.sum())
    if n_missing:
        raise DataError(f"{name} is to divide the individuals into folds, and {n_missing:,} of them have no value")
    return column


def _column(data: Opened, name: str) -> Column:
    from structtree.data.population import column_of

    if name in data.population.table(data.population.schema.individual).columns or name not in data.provenance.names:
        return data.population.column(name)
    texts = data.provenance.names[name]
    return column_of("nominal", [texts[row] for row in data.rows.tolist()])


def _times(column: Column, name: str) -> NDArray[Any]:
    """Numbers as they are, and texts that are dates as dates."""
    import numpy as np

    if column.kind != "nominal":
        return column.values
    try:
        dates = np.array(column.categories, dtype="datetime64")
    except ValueError:
        text = column.categories[0]
        raise DataError(
            f"{name} has neither numbers nor dates such as 2024-07-31, but values such as {text!r}"
        ) from None
    found: NDArray[Any] = dates[column.values.astype(np.int64)]
    return found
