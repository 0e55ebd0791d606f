"""Findings of an audit: a sentence, its figures, and the SQL or command that returns them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from structtree.reprs import number_text, short_repr

__all__ = ["Audit", "Finding", "FindingKind"]

FindingKind = Literal["future", "hidden", "alone", "snapshot", "copy", "duplicates", "identifier", "drift"]
"""Sources of leakage: future rows, visible hiding, a single column, a counter from the day of the dump, a copy of the
label, duplicates in training and test data, a key, or a change over time."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Possible leak of the target.

    Parameters
    ----------
    kind : str
        One of `FindingKind`.
    table, column : str
        Location; the column is empty if the finding concerns rows.
    figures : mapping from name to float
        Figures that the demonstration returns, in its order, if it is SQL.
    sentence : str
        Description of the finding.
    demonstration : str
        SQL query or command that returns the figures.

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
    """Findings of an audit.

    Parameters
    ----------
    target : str
    n_individuals : int
        Number of individuals with a label.
    findings : tuple of Finding
    notes : tuple of str
        Notes about sampling and skipped checks.
    """

    target: str
    n_individuals: int
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = field(default=())

    def __repr__(self) -> str:
        return short_repr(self, self.target, number_text(self.findings, "finding"))

    def to_dict(self) -> dict[str, Any]:
        """Return the audit as plain JSON values."""
        return asdict(self)
