"""Findings of an audit: a sentence, its figures, and the SQL query or command that reproduces them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from structtree.remarks import MentionedOption, Remark, as_keyword, spelled
from structtree.reprs import number_text, short_repr

__all__ = ["Audit", "Finding", "FindingKind"]

FindingKind = Literal["future", "hidden", "alone", "snapshot", "copy", "duplicates", "identifier", "drift"]
"""Sources of leakage: future rows, hidden values that are visibly missing, a single column, a counter from the day of
the dump, a copy of the label, duplicates in training and test data, a key, or a change over time."""


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
        Figures in the order in which the demonstration returns them, if it is SQL.
    text : str
        Sentence with placeholders for options (`structtree.remarks`).
    demonstration : str
        SQL query that returns the figures, or a command.

    Examples
    --------
    >>> Finding("copy", "outcome", "result", {"accuracy": 1.0}, "outcome.result is a copy of status", "SELECT 1")
    <Finding: copy, outcome.result>
    """

    kind: FindingKind
    table: str
    column: str
    figures: Mapping[str, float]
    text: str
    demonstration: str

    @property
    def sentence(self) -> str:
        """Description of the finding, which mentions options as keyword arguments."""
        return spelled(self.text)

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
    remarks : tuple of Remark
        Remarks about sampling and skipped checks.
    """

    target: str
    n_individuals: int
    findings: tuple[Finding, ...] = ()
    remarks: tuple[Remark, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks as sentences, which mention options as keyword arguments."""
        return tuple(map(str, self.remarks))

    def __repr__(self) -> str:
        return short_repr(self, self.target, number_text(self.findings, "finding"))

    def to_dict(self, spell: Callable[[MentionedOption], str] = as_keyword) -> dict[str, Any]:
        """Return the audit as plain JSON values."""
        return {
            "target": self.target,
            "n_individuals": self.n_individuals,
            "findings": [_finding_to_dict(each, spell) for each in self.findings],
            "notes": [remark.sentence(spell) for remark in self.remarks],
        }


def _finding_to_dict(found: Finding, spell: Callable[[MentionedOption], str]) -> dict[str, Any]:
    return {
        "kind": found.kind,
        "table": found.table,
        "column": found.column,
        "figures": dict(found.figures),
        "sentence": spelled(found.text, spell),
        "demonstration": found.demonstration,
    }
