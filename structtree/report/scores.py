"""Scores as text: a table of metrics with the baseline, and the confusion matrix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite

import numpy as np

from structtree.evaluation.score import Confusion, Scores
from structtree.reprs import inert

__all__ = ["aligned", "confusion_lines", "score_lines"]

MOST_CLASSES = 12
"""Maximum number of classes for which the whole confusion matrix is shown."""

MOST_CONFUSIONS = 10
"""Number of confusions listed instead of a matrix."""


def score_lines(
    columns: Mapping[str, Scores], more: Mapping[str, Sequence[str]] | None = None, title: str = ""
) -> list[str]:
    """Return a table with one line per metric, one column per set of scores, and the baseline in the last column.

    Parameters
    ----------
    columns : dict from heading to Scores
        Scores for the same metrics; the baseline is that of the first column.
    more : dict from name to sequence of str, optional
        Additional lines.
    title : str
        Heading of the column of metrics.

    Examples
    --------
    >>> from structtree.evaluation.score import Predicted, constant_answers, score_answers
    >>> answers = Predicted.of_classes(["no", "yes", "no"], ["no", "no", "no"], ["no", "yes"])
    >>> found = score_answers(answers, constant_answers(answers), ["accuracy", "f1"])
    >>> print(*score_lines({"training data": found}, title="ill"), sep="\\n")
    ill       training data  always no
    accuracy          0.667      0.667
    F1 (yes)          0.000      0.000
    """
    first = next(iter(columns.values()))
    rows = [[title, *columns, first.constant]]
    for name in first.values:
        form = first.task.metrics[name].form
        cells = [_figure(form, each.values[name], (each.sd or {}).get(name)) for each in columns.values()]
        rows.append([_label(name, first), *cells, _figure(form, first.baseline[name])])
    rows += [[name, *cells, ""] for name, cells in (more or {}).items()]
    return list(aligned(rows))


def confusion_lines(confusion: Confusion) -> list[str]:
    """Return the confusion matrix, or the most frequent confusions if there are many classes.

    Examples
    --------
    >>> print(*confusion_lines(Confusion(("no", "yes"), np.array([[8, 2], [0, 10]]))), sep="\\n")
    true \\ predicted  no  yes  recall
    no                 8    2   0.800
    yes                0   10   1.000
    """
    classes, counts = confusion
    if len(classes) > MOST_CLASSES:
        return _most_frequent(confusion)
    sums = counts.sum(axis=1)
    rows = [["true \\ predicted", *classes, "recall"]]
    for i, name in enumerate(classes):
        recall = f"{counts[i, i] / sums[i]:.3f}" if sums[i] else "-"
        rows.append([name, *(f"{count:,}" for count in counts[i].tolist()), recall])
    return list(aligned(rows))


def _most_frequent(confusion: Confusion) -> list[str]:
    classes, counts = confusion
    wrong = counts.copy()
    np.fill_diagonal(wrong, 0)
    order = np.argsort(-wrong, axis=None, kind="stable")[:MOST_CONFUSIONS]
    places = [np.unravel_index(place, wrong.shape) for place in order]
    rows = [["true", "predicted", "times"]]
    rows += [[classes[i], classes[j], f"{wrong[i, j]:,}"] for i, j in places if wrong[i, j]]
    if len(rows) == 1:
        return [f"no confusions between the {len(classes)} classes"]
    return [f"most frequent confusions between the {len(classes)} classes", *aligned(rows)]


def _label(name: str, scores: Scores) -> str:
    """Return the label of a metric, with the class if the metric is about one of two classes."""
    if name in ("f1", "average_precision") and scores.confusion and len(scores.confusion.classes) == 2:
        return f"{scores.task.metrics[name].label} ({scores.confusion.classes[1]})"
    return scores.task.metrics[name].label


def _figure(form: str, value: float, sd: float | None = None) -> str:
    """Format the value of a metric."""
    if not isfinite(value):
        return "-"
    return f"{value:{form}}" + (f" ± {sd:{form}}" if sd is not None and isfinite(sd) else "")


def aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the rows of a table as lines, with the first column aligned left and the others right."""
    rows = [list(map(inert, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells: Iterable[str] = (cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))
        yield "  ".join([first.ljust(widths[0]), *cells]).rstrip()
