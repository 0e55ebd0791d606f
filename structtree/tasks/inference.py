"""Inference of the task, classification or regression, from labels.

The rule applies on the command line, in `structtree.fit`, `structtree.audit` and wherever no task is given. Real
numbers mean regression, unless there are exactly two and both are integers, such as 0 and 1, which many files use for
no and yes. Integers read from a file count as real numbers. All other labels, such as nominal values or an array of
integers, mean classification.

A criterion takes precedence over the rule (``"mse"`` is for numbers, ``"gini"`` for classes), as do the estimators.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from structtree.data.schema import LearningTask

__all__ = ["are_whole", "infer_task", "labels_for"]

EXACT_INTEGERS = 2.0**53
"""Floats up to this size represent every integer."""


def infer_task(labels: NDArray[Any]) -> LearningTask:
    """Infer from labels whether the task is classification or regression.

    Examples
    --------
    >>> infer_task(np.array([0.0, 1.0, 1.0])), infer_task(np.array([0.0, 1.0, 2.0])), infer_task(np.array([0.5, 1.0]))
    ('classes', 'numbers', 'numbers')
    >>> infer_task(np.array(["no", "yes"])), infer_task(np.array([3, 1, 2]))
    ('classes', 'classes')
    """
    if labels.dtype.kind != "f":
        return "classes"
    return "classes" if _has_two_values(labels) and are_whole(labels) else "numbers"


def labels_for(task: str, labels: NDArray[Any]) -> NDArray[Any]:
    """Convert labels for a task: for classification, whole floats become integers.

    Examples
    --------
    >>> labels_for("classes", np.array([0.0, 1.0])), labels_for("numbers", np.array([0.0, 1.0]))
    (array([0, 1]), array([0., 1.]))
    """
    is_real = labels.dtype.kind == "f"
    return labels.astype(np.int64) if task == "classes" and is_real and are_whole(labels) else labels


def are_whole(numbers: NDArray[Any]) -> bool:
    """Return whether all floats are integers that are represented exactly.

    Examples
    --------
    >>> are_whole(np.array([1.0, 2.0])), are_whole(np.array([1.5])), are_whole(np.array([np.inf]))
    (True, False, False)
    """
    return bool(((np.floor(numbers) == numbers) & (np.abs(numbers) <= EXACT_INTEGERS)).all())


def _has_two_values(numbers: NDArray[Any]) -> bool:
    if not len(numbers):
        return False
    low, high = numbers.min(), numbers.max()
    return bool(low < high and ((numbers == low) | (numbers == high)).all())
