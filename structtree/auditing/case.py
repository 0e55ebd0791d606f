"""Data of an audit: individuals with all rows and with visible rows only, their labels as events, and their dates."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Floats, Ints, Mask
from structtree.auditing.figures import auc, auc_deviation
from structtree.auditing.queries import Event, Queries, SqlColumn
from structtree.data.as_of import individual_dates
from structtree.data.dating import dating_of, days_of, earliest
from structtree.data.layouts import Dating, SourceLayout, layout_of
from structtree.data.population import Column, Population
from structtree.data.provenance import provenance_of
from structtree.data.readers.databases.linking import Relations
from structtree.data.schema import Attribute, Kind
from structtree.evaluation.score import class_name
from structtree.export.sql.values import NotInSqlError
from structtree.remarks import shell_command

__all__ = ["DEVIATIONS", "BestAuc", "Case", "Cutoffs", "first_seen", "visible_pairs"]

MOST_INDIVIDUALS = 20_000
"""Maximum number of individuals to audit; of more, a sample with a fixed seed is audited."""

DEVIATIONS = 5.0
"""Minimum number of standard deviations above chance, since hundreds of columns are tried."""

MOST_EVENTS = 6
"""Number of classes, the most frequent ones, that are each compared with all others."""

_BIRTH = re.compile(r"(?i)birth|born|dob|death|died")
"""Names of dates of birth and death, which are never the time of a prediction."""


@dataclass(frozen=True, slots=True, eq=False)
class Cutoffs:
    """Prediction times of the individuals.

    Parameters
    ----------
    path : str
        Date attribute, with the references that lead to it.
    kind : {"date", "time"}
    limits : array
        First time that each row of the individuals' type must not see, in days.
    dating : mapping from type to TypeDates
        Date attributes of each type.
    lead, until
        As in `structtree.data.readers.databases.linking.TimeLimits`.
    """

    path: str
    kind: Kind
    limits: Floats
    dating: Dating
    lead: int = 0
    until: float | None = None


class BestAuc(NamedTuple):
    """Highest AUC of a column or of its negative, and the event that it ranks."""

    value: float
    event: Event
    sign: int

    @property
    def is_clear(self) -> bool:
        """True if the AUC is far above chance, even after trying many columns."""
        return self.value - 0.5 >= DEVIATIONS * auc_deviation(self.event.is_true)


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """Individuals, labels and cutoffs that an audit examines.

    Parameters
    ----------
    whole : Population
        All rows, regardless of date, without the target.
    seen : Population
        Data that a model sees: the same population, or one limited as of a date.
    labels : array
        Floats are numbers, all other types are classes.
    target : str
    events : tuple of Event
        Each class against all others, or numbers above the median.
    cutoffs : Cutoffs, optional
        None if the individuals have no date.
    is_limited : bool
        Whether a model sees only rows dated before the cutoffs.
    queries : Queries, optional
        Writer of SQL; None if the data is not in tables.
    where : str
        Name of the data on the command line.
    reading : mapping
        Reading options of the data.
    n_individuals : int
        Number of individuals before sampling.
    """

    whole: Population
    seen: Population
    labels: NDArray[Any]
    target: str
    events: tuple[Event, ...]
    cutoffs: Cutoffs | None
    is_limited: bool
    queries: Queries | None
    where: str
    reading: Mapping[str, str]
    n_individuals: int

    @classmethod
    def of(cls, seen: Population, labels: NDArray[Any], target: str, where: str = "DATA") -> Case:
        """Create an audit case from labels and a population without its target, possibly limited as of a date."""
        n, chosen = len(seen), np.arange(len(seen))
        if n > MOST_INDIVIDUALS:
            chosen = np.sort(np.random.default_rng(0).choice(n, MOST_INDIVIDUALS, replace=False))
        seen, labels = seen.take(chosen), labels[chosen]
        relations = provenance_of(seen).relations
        whole = seen
        if relations is not None and relations.whole is not None:
            whole = replace(relations.whole, individuals=seen.individuals, _compact=False)
            whole = whole.without(*(set(whole.tables[whole.schema.individual].columns) & {target}))
        cutoffs = _cutoffs(whole, relations)
        kinds: dict[str, Kind] = {"f": "real", "i": "int", "u": "int", "b": "bool"}
        stored = Attribute(target, kinds.get(labels.dtype.kind, "nominal"))
        layout = None if relations is None else _layout(relations, whole)
        queries = None if layout is None else Queries.of(layout, whole, seen, stored, cutoffs)
        is_limited = whole is not seen
        individual = whole.schema.individual
        reading = {"individual": individual} if relations is not None else {}
        reading |= {"target": target}
        reading |= {"as_of": f"{individual}.{cutoffs.path}"} if cutoffs is not None and is_limited else {}
        events = _events(labels, target)
        return cls(whole, seen, labels, target, events, cutoffs, is_limited, queries, where, reading, n)

    def shell_command(self, name: str, **options: str) -> str:
        """Return a shell command that runs on the audited data."""
        return shell_command(name, self.where, **self.reading, **options)

    def best_auc(self, values: Floats) -> BestAuc:
        """Return the highest AUC of the values, or their negatives, for any event."""
        tried = (BestAuc(auc(sign * values, each.is_true), each, sign) for each in self.events for sign in (1, -1))
        return max(tried, key=lambda found: found.value)

    @property
    def individual(self) -> str:
        """Name of the individual type."""
        return self.whole.schema.individual

    @property
    def date(self) -> str:
        """Date attribute of the individuals, such as ``loan.date``; the case must have cutoffs."""
        assert self.cutoffs is not None
        return f"{self.individual}.{self.cutoffs.path}"

    @property
    def limits(self) -> Floats:
        """Cutoff of each individual, in days; the case must have cutoffs."""
        assert self.cutoffs is not None
        return self.cutoffs.limits[self.whole.individuals]

    def demonstration(self, columns: Mapping[str, SqlColumn], select: str, otherwise: str | None = None) -> str:
        """Return an SQL query that computes a figure, or a shell command if SQL cannot express it."""
        if self.queries is not None:
            with suppress(NotInSqlError):
                return self.queries.text(columns, select)
        return otherwise or self.shell_command("audit")

    def table_of(self, type_name: str) -> str:
        """Return the source table of a type."""
        relations = provenance_of(self.seen).relations
        return type_name if relations is None else relations.origins.get(type_name, type_name)


def _events(labels: NDArray[Any], target: str) -> tuple[Event, ...]:
    if labels.dtype.kind == "f":
        middle = float(np.median(labels))
        return (Event(f"{target} above {middle:g}", labels > middle, ">", middle),)
    texts = labels.astype(str) if labels.dtype.kind == "O" else labels
    classes, counts = np.unique(texts, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:MOST_EVENTS]
    rare = order[1:2] if len(classes) == 2 else order if len(classes) > 2 else order[:0]
    return tuple(Event(f"{target} = {class_name(v)}", texts == v, "=", v.item()) for v in classes[rare])


def _layout(relations: Relations, whole: Population) -> SourceLayout | None:
    individual = whole.schema.individual
    return layout_of(relations, individual) if individual in relations.database.tables else None


def _cutoffs(whole: Population, relations: Relations | None) -> Cutoffs | None:
    """Return the prediction times: the given date, or else the earliest date of the individuals.

    A date behind a reference, such as the debut of a player, is used only if it is given, since it may be unrelated.
    """
    time = None if relations is None else relations.time
    if time is not None and time.as_of is not None:
        own = days_of(individual_dates(whole, time.as_of)) - time.lead
        limits = own if time.until is None else np.fmin(own, time.until + 1.0)
        assert time.kind is not None
        return Cutoffs(time.as_of, time.kind, limits, time.dating, time.lead, time.until)
    own_columns = whole.tables[whole.schema.individual].columns
    moments = (name for name, column in own_columns.items() if column.kind in ("date", "time"))
    paths = [name for name in moments if not _BIRTH.search(name)]
    if not paths:
        return None
    columns = {path: individual_dates(whole, path) for path in paths}
    first = min(columns, key=lambda path: _missing_and_median(columns[path]))
    limits = days_of(columns[first])
    dating = dating_of(whole, float(np.nanmax(limits, initial=-np.inf)))
    return Cutoffs(first, columns[first].kind, limits, dating)


def _missing_and_median(column: Column) -> tuple[bool, float]:
    """Return whether most dates are missing, and the median date in days."""
    days = days_of(column)
    is_mostly_missing = not len(column) or bool(column.missing.mean() > 0.5)
    return is_mostly_missing, float(np.nanmedian(days)) if (~np.isnan(days)).any() else np.inf


def first_seen(case: Case, type_name: str) -> Floats:
    """Return the day from which each row of a type exists."""
    assert case.cutoffs is not None
    dates = case.cutoffs.dating.get(type_name)
    return earliest(case.whole.tables[type_name], () if dates is None else dates.by)


def visible_pairs(case: Case, owners: Ints, targets: Ints, type_name: str) -> Mask:
    """Return a mask of the pairs whose target is dated before the cutoff of its owner."""
    return np.asarray(first_seen(case, type_name)[targets] <= case.limits[owners])
