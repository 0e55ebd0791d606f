"""Findings of an audit: one sentence each, the figures in it, and the SQL or the command that returns them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from structtree.reprs import number_text, short_repr

__all__ = ["Audit", "Finding", "FindingKind"]

FindingKind = Literal["future", "hidden", "alone", "snapshot", "copy", "duplicates", "identifier", "drift"]
"""What gives the target away: rows of the future, hiding itself, one column, a counter from the day of the dump, a
copy of the label, twins in training and test data, a key, or a change over time."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that may give the target away.

    Parameters
    ----------
    kind : str
        One of `FindingKind`.
    table, column : str
        Where it is; the column is empty if it is about rows.
    figures : mapping from name to float
        The figures that the demonstration returns, in its order, if it is SQL.
    sentence : str
        What was found, for people.
    demonstration : str
        SQL for the database, or a command, that shows it.

    Examples
    --------
    >>> Finding("copy", "outcome", "result", {"accuracy": 1.0}, "outcome.result is a copy of status", "SELECT 1")
    <Finding: copy, outcome.result>
    """

    kind: FindingKind
    table: str
    column: str
    figures: Mapping[str, float]
    sentence: str
    demonstration: str

    def __repr__(self) -> str:
        return short_repr(self, self.kind, f"{self.table}.{self.column}" if self.column else self.table)


@dataclass(frozen=True, slots=True)
class Audit:
    """Everything that an audit found, and what it left unchecked.

    Parameters
    ----------
    target : str
    n_individuals : int
        How many individuals have a label.
    findings : tuple of Finding
    notes : tuple of str
        What was sampled or skipped.
    """

    target: str
    n_individuals: int
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = field(default=())

    def __repr__(self) -> str:
        return short_repr(self, self.target, number_text(self.findings, "finding"))

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return asdict(self)
