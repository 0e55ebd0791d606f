"""Score of a model, in one number: accuracy for classes, R² for numbers.

The same numbers as scikit-learn's, without loading it. A class is known by its name, so that the classes 0 and 1 of
one file are those of another that has them as text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from structtree.errors import DataError
from structtree.learn.tree import Tree

__all__ = ["Score", "class_name", "score"]


@dataclass(frozen=True, slots=True)
class Score:
    """Score of predictions: accuracy, or R².

    Parameters
    ----------
    measure : {"accuracy", "R²"}
    value : float
    n : int
        On how many individuals.
    """

    measure: str
    value: float
    n: int

    def __str__(self) -> str:
        if self.measure == "accuracy":
            return f"accuracy {self.value:.3f} ({round(self.value * self.n):,} of {self.n:,})"
        return f"{self.measure} {self.value:.3f} ({self.n:,} individuals)"


def score(tree: Tree, predicted: ArrayLike, actual: ArrayLike) -> Score:
    """The share of right classes, or the share of the variance of numbers that is explained.

    Parameters
    ----------
    tree : Tree
        What the predictions are from.
    predicted, actual : array
        One value for each individual; at least one.

    Examples
    --------
    >>> from structtree.data.schema import RecordType, Schema
    >>> from structtree.learn.tree import ClassCounts, Leaf
    >>> tree = Tree((Leaf(ClassCounts(2, (2.0, 0.0))),), Schema((RecordType("Car"),), "Car"), ("no", "yes"))
    >>> print(score(tree, ["no", "no"], ["no", "yes"]))
    accuracy 0.500 (1 of 2)
    """
    said, true = np.asarray(predicted), np.asarray(actual)
    if not len(true):
        raise DataError("there are no individuals to score")
    if tree.task == "numbers":
        return Score("R²", _explained(said.astype(np.float64), _numbers(true)), len(true))
    right = sum(class_name(a) == class_name(b) for a, b in zip(said.tolist(), true.tolist(), strict=True))
    return Score("accuracy", right / len(true), len(true))


def class_name(label: Any) -> str:
    """Return the name of a class; a whole number has the same name however it is stored.

    Examples
    --------
    >>> class_name("east"), class_name(1), class_name(1.0), class_name(True)
    ('east', '1', '1', 'true')
    """
    if isinstance(label, bool):
        return str(label).lower()
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def _numbers(labels: np.ndarray[Any, Any]) -> np.ndarray[Any, np.dtype[np.float64]]:
    try:
        return labels.astype(np.float64)
    except (TypeError, ValueError):
        raise DataError(f"the model predicts numbers; the data has values such as {labels.tolist()[0]!r}") from None


def _explained(said: np.ndarray[Any, Any], true: np.ndarray[Any, Any]) -> float:
    """One minus the squared errors over those of the mean; of numbers that are all equal, whether they are hit."""
    errors, spread = float(((true - said) ** 2).sum()), float(((true - true.mean()) ** 2).sum())
    return 1 - errors / spread if spread else float(errors == 0)
