"""Detection of attributes that may leak the target: values that are only known once the target is known.

There are two signs in the data. An attribute that alone predicts the target almost perfectly is usually a copy of it.
And in files with several targets, the others look like ordinary columns. Neither sign is certain, so the attributes
are reported, not excluded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Ints
from structtree.data.population import Column, Population
from structtree.data.readers.molecules.descriptors import DESCRIBED
from structtree.data.schema import NUMERIC

__all__ = ["Leak", "column_leaks", "leaks", "other_targets"]

ALMOST_ALL = 0.99
"""Minimum held-out accuracy of a suspicious attribute. (The odour of mushrooms has 0.985.)"""

ALMOST_ALL_VARIANCE = 0.98
"""Minimum held-out R² of a suspicious attribute."""

OF_ERRORS = 0.1
"""Maximum errors of a suspicious attribute, as a fraction of those of always predicting the most frequent class."""

FEW_OTHERS = 10
"""Minimum number of held-out individuals outside the most frequent class."""

LEAST = 60
"""Minimum number of individuals; with fewer, an attribute may look perfect by chance."""

MOST_CELLS = 2_000_000
"""Maximum number of cells; larger tables are sampled."""

LEAST_SAMPLE = 1_000
"""Minimum size of a sample."""

SHARED_WORDS = 3
"""Minimum number of words of three or more letters that a similar name shares with the target."""

_LABEL = re.compile(r"(?i)^(y|target|label|class|outcome|response|task)s?(?=$|\d|[-_. ])(?P<rest>.*)$")


@dataclass(frozen=True, slots=True)
class Leak:
    """Attribute that alone predicts the target, with its accuracy or R² on held-out individuals."""

    attribute: str
    measure: str
    value: float


def leaks(population: Population, labels: NDArray[Any]) -> tuple[Leak, ...]:
    """Return the attributes of the individuals that alone predict the target almost perfectly, best first.

    On one half of the individuals, or of a sample of them, the target is estimated for each value of the attribute;
    the other half is predicted from these estimates. For numbers, the nearest value is used.

    Parameters
    ----------
    population : Population
        Individuals without the target.
    labels : array
        Floats for numbers, anything else for classes.

    Examples
    --------
    >>> data = Population.from_records([{"copy": i % 2, "x": i % 7} for i in range(100)])
    >>> leaks(data, np.arange(100) % 2)
    (Leak(attribute='copy', measure='accuracy', value=1.0),)
    """
    names = [a.name for a in population.schema.type(population.schema.individual).attributes]
    return column_leaks({name: population.column(name) for name in names}, labels)


def column_leaks(columns: Mapping[str, Column], labels: NDArray[Any]) -> tuple[Leak, ...]:
    """Return the columns that alone predict the labels almost perfectly, best first; see `leaks`.

    Parameters
    ----------
    columns : mapping from name to Column
        Columns with a value for each label.
    labels : array
        Floats for numbers, anything else for classes.
    """
    n = len(labels)
    if n < LEAST or not columns:
        return ()
    size = min(n, max(LEAST_SAMPLE, MOST_CELLS // len(columns)))
    order = np.random.default_rng(0).permutation(n)[:size]
    trial = _Trial.of(labels, order[: size // 2], order[size // 2 :])
    found = [trial.leak_of(name, column) for name, column in columns.items()] if trial.is_learnable else []
    return tuple(sorted((leak for leak in found if leak is not None), key=lambda leak: -leak.value))


@dataclass(frozen=True, slots=True, eq=False)
class _Trial:
    """Labels split into a training half and a held-out half, with classes coded as integers."""

    is_number: bool
    labels: NDArray[Any]
    n_classes: int
    train: Ints
    test: Ints

    @classmethod
    def of(cls, labels: NDArray[Any], train: Ints, test: Ints) -> _Trial:
        if labels.dtype.kind == "f":
            return cls(True, labels, 0, train, test)
        texts = labels.astype(str) if labels.dtype.kind == "O" else labels
        classes, codes = np.unique(texts, return_inverse=True)
        return cls(False, codes, len(classes), train, test)

    @property
    def is_learnable(self) -> bool:
        """True if the labels vary and, for classes, there are enough training rows per class."""
        if self.is_number:
            return bool(np.ptp(self.labels[self.test]) > 0)
        return 1 < self.n_classes <= len(self.train) // 10

    def leak_of(self, name: str, column: Column) -> Leak | None:
        values = column.values.astype(np.float64)
        values[column.missing] = np.nan
        if np.isnan(values[self.train]).all():
            return None
        predicted, true = self._predicted(values, column.kind in NUMERIC), self.labels[self.test]
        if self.is_number:
            r2 = 1.0 - float(((true - predicted) ** 2).sum() / ((true - true.mean()) ** 2).sum())
            return Leak(name, "R²", r2) if r2 >= ALMOST_ALL_VARIANCE else None
        accuracy = float((predicted == true).mean())
        usual = float(np.bincount(true, minlength=self.n_classes).max() / len(true))
        is_leak = accuracy >= ALMOST_ALL and 1 - accuracy <= OF_ERRORS * (1 - usual)
        is_leak &= (1 - usual) * len(true) >= FEW_OTHERS
        return Leak(name, "accuracy", accuracy) if is_leak else None

    def _predicted(self, values: NDArray[np.float64], is_ordered: bool) -> NDArray[Any]:
        """Predict the held-out labels; unseen and missing values get the mean or the most frequent class."""
        known = self.train[~np.isnan(values[self.train])]
        distinct, places = np.unique(values[known], return_inverse=True)
        if self.is_number:
            means = np.bincount(places, self.labels[known]) / np.bincount(places)
            usual: Any = self.labels[self.train].mean()
        else:
            counts = np.zeros((len(distinct), self.n_classes))
            np.add.at(counts, (places, self.labels[known]), 1)
            means = counts.argmax(axis=1)
            usual = np.bincount(self.labels[self.train], minlength=self.n_classes).argmax()
        held = values[self.test]
        if is_ordered and self.is_number:
            return np.where(np.isnan(held), usual, np.interp(held, distinct, means))
        nearest = _nearest(distinct, np.nan_to_num(held))
        is_known = ~np.isnan(held) & (is_ordered | (distinct[nearest] == held))
        return np.where(is_known, means[nearest], usual)


def _nearest(points: NDArray[np.float64], values: NDArray[np.float64]) -> Ints:
    """Return the index of the nearest sorted point for each value."""
    right = np.clip(np.searchsorted(points, values), 1, max(1, len(points) - 1))
    if len(points) == 1:
        return np.zeros(len(values), dtype=np.int64)
    return np.where(values - points[right - 1] <= points[right] - values, right - 1, right)


def other_targets(population: Population, labels: NDArray[Any], target: str) -> tuple[str, ...]:
    """Return the attributes of the individuals that look like other targets, in order.

    For a binary target in a file of molecules, these are the other columns of 0 and 1. For any data, these are
    columns with a name like that of the target (``y1`` and ``y2``, ``label_a`` and ``label_b``), or a name that
    shares three or more words with it.

    Examples
    --------
    >>> data = Population.from_records([{"x": i, "y2": i * 2.5} for i in range(3)])
    >>> other_targets(data, np.array([0.5, 1.5, 2.5]), "y1")
    ('y2',)
    """
    names = [a.name for a in population.schema.type(population.schema.individual).attributes]
    alike = set(_named_like(target, names))
    if _is_binary(labels):
        alike |= {name for name in _file_columns(population) if _is_flag(population.column(name))}
    return tuple(name for name in names if name in alike)


def _named_like(target: str, names: list[str]) -> Iterator[str]:
    label, words = _label_word(target), _words(target)
    for name in names:
        if (label is not None and _label_word(name) == label) or len(words & _words(name)) >= SHARED_WORDS:
            yield name


def _label_word(name: str) -> str | None:
    """Return the word that marks a name as a target, if any; ``y`` must be followed by a number or by nothing."""
    found = _LABEL.match(name)
    if found is None or (found[1].lower() == "y" and not re.fullmatch(r"[-_. ]?\d+|", found["rest"])):
        return None
    return found[1].lower()


def _words(name: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[^\W\d_]{3,}", name)}


def _file_columns(population: Population) -> list[str]:
    """Return the columns read from a molecule file, excluding RDKit descriptors; empty for other data."""
    schema = population.schema
    names = [a.name for a in schema.type(schema.individual).attributes]
    is_molecules = schema.individual == "Molecule" and schema.type("Molecule").link("atoms") is not None
    return [name for name in names if name not in DESCRIBED] if is_molecules else []


def _is_binary(labels: NDArray[Any]) -> bool:
    return labels.dtype.kind != "f" and len(set(labels.tolist())) == 2


def _is_flag(column: Column) -> bool:
    values = np.unique(column.values[~column.missing])
    return column.kind == "bool" or (column.kind in ("int", "real") and values.tolist() == [0.0, 1.0])
