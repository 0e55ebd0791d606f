"""Inference of the task, classification or regression, from labels.

The rule is the same for the command line, `structtree.fit`, `structtree.audit` and all other functions without an
explicit task: real numbers mean regression, with one exception, and all other labels mean classification. The
exception is two distinct whole numbers, such as 0 and 1, because many files encode no and yes like this. Integers
with more values read from a file mean regression as well; a nominal column or an array of integers means
classification.

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
    """Return the task for labels, by the rule above.

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
    """Return the labels in the form of a task: whole numbers as classes become integers.

    Examples
    --------
    >>> labels_for("classes", np.array([0.0, 1.0])), labels_for("numbers", np.array([0.0, 1.0]))
    (array([0, 1]), array([0., 1.]))
    """
    is_real = labels.dtype.kind == "f"
    return labels.astype(np.int64) if task == "classes" and is_real and are_whole(labels) else labels


def are_whole(numbers: NDArray[Any]) -> bool:
    """Return whether all real numbers are integers that a float represents exactly.

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
