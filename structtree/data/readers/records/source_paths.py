"""The place of a row in the data it was read from: the path that an error shows.

Records are read many at a time, so no row carries its own place. Each step down leaves only how many elements
every row had; from these lengths the path of any row can be worked out, when something is wrong with it.
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
    """Origin of the records at the top.

    Parameters
    ----------
    first : int
        The number of the first individual.
    source : str, optional
        The name of the file.
    lines : sequence of int, optional
        The line of each record in that file.
    kept : array of int, optional
        Which of the records are meant, when not all of them are.

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
        """Return the error for a record, with its place."""
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
    """Places of rows under the rows above them; it keeps no record alive.

    Parameters
    ----------
    above : Trail or Origin
    member : str
        The member of the rows above that leads here.
    many : bool
        Whether that is a list or a set, so that the place in it is worth telling.
    lengths : array of int
        How many elements each row above has.
    kept : array of int, optional
        Which of the elements are meant, when not all of them are.

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

    @property
    def owners(self) -> NDArray[np.int64]:
        """For each row the row above that it belongs to."""
        owners = np.repeat(np.arange(len(self.lengths)), self.lengths)
        return owners if self.kept is None else owners[self.kept]

    def error(self, row: int, message: str, path: str = "", fix: str | None = None) -> DataError:
        """Return the error for a row, with its place."""
        here: Trail | Origin = self
        while isinstance(here, Trail):
            at = row if here.kept is None else int(here.kept[row])
            ends = np.cumsum(here.lengths)
            row = int(np.searchsorted(ends, at, side="right"))
            position = at - int(ends[row] - here.lengths[row])
            path = f".{here.member}[{position}]{path}" if here.many else f".{here.member}{path}"
            here = here.above
        return here.error(row, message, path, fix)


def _short(path: str, width: int = 120) -> str:
    """The two ends of a path that is too long for a sentence."""
    return path if len(path) <= width else f"{path[: width // 2]} ... {path[-width // 2 :]}"
