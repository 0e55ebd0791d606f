"""Locations of records in the source, shown as paths in error messages.

Records are read in batches, so rows do not store their location. Each level stores only the number of elements of
every row, from which the path of a row is computed when an error occurs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from structtree.errors import DataError

__all__ = ["Origin", "Trail"]


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """Location of top-level records in the source.

    Parameters
    ----------
    first : int
        Index of the first individual.
    source : str, optional
        Name of the file.
    lines : sequence of int, optional
        Line of each record in the file.
    kept : array of int, optional
        Indices of the selected records; all by default.

    Examples
    --------
    >>> print(Origin(first=10, source="a.jsonl", lines=[11, 13]).error(1, "expected a record, got 3"))
    a.jsonl:13: expected a record, got 3 at $ (individual 11)
    """

    first: int = 0
    source: str | None = None
    lines: Sequence[int] | None = None
    kept: NDArray[np.int64] | None = None

    def error(self, row: int, message: str, path: str = "", fix: str | None = None) -> DataError:
        """Return an error that names the location of a record."""
        at = row if self.kept is None else int(self.kept[row])
        return DataError(
            message,
            source=self.source,
            line=None if self.lines is None else self.lines[at],
            path=_short(f"${path}"),
            individual=self.first + at,
            fix=fix,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Trail:
    """Locations of nested rows in the source, without references to the records.

    Parameters
    ----------
    above : Trail or Origin
        Locations of the parent rows.
    member : str
        Member of the parent rows that contains these rows.
    many : bool
        Whether the member is a list or a set, so that the path contains an index.
    lengths : array of int
        Number of elements of each parent row.
    kept : array of int, optional
        Indices of the selected elements; all by default.
    step : str, optional
        Path from a parent row to the member; empty for a list in a list. By default, the name of the member.

    Examples
    --------
    >>> cars = Trail(Origin(), "cars", True, np.array([2, 3]))
    >>> print(cars.error(4, "expected a number, got 'high'", ".wheels"))
    expected a number, got 'high' at $.cars[2].wheels (individual 1)
    """

    above: Trail | Origin
    member: str
    many: bool
    lengths: NDArray[np.int64]
    kept: NDArray[np.int64] | None = None
    step: str | None = None

    @property
    def owners(self) -> NDArray[np.int64]:
        """Parent row of each row."""
        owners = np.repeat(np.arange(len(self.lengths)), self.lengths)
        return owners if self.kept is None else owners[self.kept]

    def error(self, row: int, message: str, path: str = "", fix: str | None = None) -> DataError:
        """Return an error that names the location of a row."""
        here: Trail | Origin = self
        while isinstance(here, Trail):
            at = row if here.kept is None else int(here.kept[row])
            ends = np.cumsum(here.lengths)
            row = int(np.searchsorted(ends, at, side="right"))
            position = at - int(ends[row] - here.lengths[row])
            step = f".{here.member}" if here.step is None else here.step
            path = f"{step}[{position}]{path}" if here.many else f"{step}{path}"
            here = here.above
        return here.error(row, message, path, fix)


def _short(path: str, width: int = 120) -> str:
    """Shorten a long path in the middle."""
    return path if len(path) <= width else f"{path[: width // 2]} ... {path[-width // 2 :]}"
