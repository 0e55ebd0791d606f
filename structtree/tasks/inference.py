"""Infer what is learned from labels: classes or numbers.

The rule is the same for the command line, `structtree.fit`, `structtree.audit` and everything else that is not told:
real numbers are a regression target, with one exception, and all other labels are classes. The exception are whole
numbers with exactly two different values, such as 0 and 1, since that is how many files write no and yes. Integers
with more values read from a file are numbers as well; a nominal column, or an array of integers, has classes.

A criterion decides before the rule does (``"mse"`` is for numbers, ``"gini"`` for classes), and so do the estimators.
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
    """Infer the task from the labels, following the rule in the module docstring.

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
    """Return labels as a task has them: whole numbers that are classes become integers.

    Examples
    --------
    >>> labels_for("classes", np.array([0.0, 1.0])), labels_for("numbers", np.array([0.0, 1.0]))
    (array([0, 1]), array([0., 1.]))
    """
    is_real = labels.dtype.kind == "f"
    return labels.astype(np.int64) if task == "classes" and is_real and are_whole(labels) else labels


def are_whole(numbers: NDArray[Any]) -> bool:
    """Return whether all of some real numbers are integers that a float represents exactly.

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
