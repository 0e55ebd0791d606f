"""Delimited text as it stands in the file: what separates its fields, what its columns are called, and on which
line a row begins.

This is the slow and exact side of reading CSV, on the standard library: it looks at the first rows to know the
layout, and at all rows only to say where something is wrong. The values are read by the fast side, in
`structtree.data.csvfiles`.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, tee

from structtree.data.infer import shown
from structtree.data.textfiles import checked_encoding, open_decoded, open_text_file
from structtree.errors import DataError, UsageError

__all__ = [
    "CsvLayout",
    "CsvRow",
    "csv_layout",
    "first_ragged",
    "iter_rows",
    "lines_of",
    "looks_regular",
    "never_closed",
]

DELIMITERS = (",", ";", "\t", "|")
"""The delimiters that are tried where the user names none."""

_SAMPLE = 20  # rows that a delimiter must divide alike


@dataclass(frozen=True, slots=True)
class CsvRow:
    """A row of a file of delimited text, and the line on which it begins, counted from 1."""

    line: int
    fields: list[str]


@dataclass(frozen=True, slots=True)
class CsvLayout:
    """How the text of a file is divided into named columns.

    Parameters
    ----------
    source : str
        The path.
    delimiter : str
        What separates fields; a blank stands for any run of blanks and tabs.
    encoding : str
    names : tuple of str
    header : bool
        Whether the first row has the names, or is data.
    line : int
        Where the first row begins.
    assumed : bool
        Whether nobody said that the first row has the names.
    """

    source: str
    delimiter: str
    encoding: str
    names: tuple[str, ...]
    header: bool
    line: int
    assumed: bool = False


def csv_layout(
    path: str | os.PathLike[str],
    *,
    delimiter: str | None = None,
    header: bool | None = None,
    names: Sequence[str] | None = None,
    encoding: str = "utf-8",
) -> CsvLayout:
    """Return the layout of a file, from what is said of it and its first rows.

    Without a delimiter, the one of ``, ; | tab`` that divides the first twenty rows into equally many fields is
    taken; of several, the one that makes most, but no comma that stands only inside numbers. Columns without a
    name are called after their place: ``column3`` where others have one, ``c3`` where none has. The file is opened
    once.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "a.csv"
    ...     _ = file.write_text("width;name\\n1,5;x\\n2,5;y\\n")
    ...     found = csv_layout(file)
    >>> found.delimiter, found.names
    (';', ('width', 'name'))
    """
    source, encoding = os.fspath(path), checked_encoding(encoding)
    has_header = names is None if header is None else header
    with open_decoded(source, encoding) as text:
        head = _Head(text, source)
        found = _sniffed(head) if delimiter is None else _checked_delimiter(delimiter)
        first = next(head.rows(found), None)
    if first is None:
        raise DataError("the file has blank lines only; expected a table", source=source)
    own = _own_names(first, has_header, source) if names is None else _given_names(names, first, source)
    return CsvLayout(source, found, encoding, tuple(own), has_header, first.line, header is None)


def iter_rows(layout: CsvLayout) -> Iterator[CsvRow]:
    """Yield the rows of data, one by one; blank lines are none."""
    with open_decoded(layout.source, layout.encoding) as text:
        yield from islice(_rows(text, layout.delimiter, layout.source), int(layout.header), None)


def lines_of(layout: CsvLayout, rows: Sequence[int]) -> list[int | None]:
    """Return the lines on which some rows of data, counted from 0, begin."""
    wanted = set(rows)
    upto = islice(iter_rows(layout), max(rows, default=-1) + 1)
    found = {index: row.line for index, row in enumerate(upto) if index in wanted}
    return [found.get(row) for row in rows]


def first_ragged(layout: CsvLayout) -> DataError | None:
    """Return the error for the first row with too many or too few fields, if there is one."""
    n, like = len(layout.names), "in the header" if layout.header else "in the first row"
    for row in iter_rows(layout):
        if len(row.fields) > n:
            what = f"expected {n} fields as {like}, got {len(row.fields)}: {shown(row.fields[n])} is too many"
            return DataError(what, source=layout.source, line=row.line)
        if len(row.fields) < n:
            lacking = f"there is none for column {layout.names[len(row.fields)]!r}"
            what = f"expected {n} fields as {like}, got {len(row.fields)}: {lacking}"
            return DataError(what, source=layout.source, line=row.line)
    return None


def never_closed(layout: CsvLayout) -> DataError:
    """Return the error for a file with a quoted value that runs to its end."""
    last = CsvRow(layout.line, [])
    for row in iter_rows(layout):
        last = row
    place = min(len(last.fields), len(layout.names)) - 1
    where = f"column {layout.names[place]!r}" if last.fields else None
    return DataError("a quoted value is never closed", source=layout.source, line=last.line, path=where)


def looks_regular(layout: CsvLayout, n_rows: int) -> bool:
    """Return whether counting delimiters alone shows that no row is too short, given that none is too long."""
    if layout.delimiter == " " or len(layout.delimiter.encode(layout.encoding)) > 1:
        return False
    n_delimiters, delimiter = 0, layout.delimiter.encode(layout.encoding)
    with open_text_file(layout.source, layout.encoding) as file:
        while block := file.read(1 << 20):
            if b'"' in block:
                return False
            n_delimiters += block.count(delimiter)
    return n_delimiters == (n_rows + layout.header) * (len(layout.names) - 1)


# ---- rows ------------------------------------------------------------------------------------------------


def _rows(text: Iterable[str], delimiter: str, source: str) -> Iterator[CsvRow]:
    end = 0
    lines = (" ".join(line.split()) for line in text) if delimiter == " " else text
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    try:
        for fields in reader:
            if fields and fields != [""]:
                yield CsvRow(end + 1, fields)
            end = reader.line_num
    except csv.Error:
        # The limit of the standard library: 131 072 characters in one field.
        message = "a value of more than 100 000 characters; is there a quote that is never closed?"
        raise DataError(message, source=source, line=end + 1) from None


class _Head:
    """The lines of an open file from the first on, and its rows by any delimiter, as often as they are wanted."""

    def __init__(self, text: Iterable[str], source: str) -> None:
        self._lines, self.source = iter(text), source

    def lines(self) -> Iterator[str]:
        self._lines, again = tee(self._lines)
        return again

    def rows(self, delimiter: str) -> Iterator[CsvRow]:
        return _rows(self.lines(), delimiter, self.source)

    def sample(self, delimiter: str) -> Iterator[list[str]]:
        return (row.fields for row in islice(self.rows(delimiter), _SAMPLE))


# ---- the delimiter ---------------------------------------------------------------------------------------


def _checked_delimiter(delimiter: str) -> str:
    sign = {"tab": "\t", "\\t": "\t"}.get(delimiter, delimiter)
    if len(sign) != 1 or sign in '"\r\n':
        raise UsageError(f"the delimiter must be one character, such as ',' or ';' or a tab; got {delimiter!r}")
    return sign


def _sniffed(head: _Head) -> str:
    first = next((line for line in head.lines() if line.strip()), "")
    bare = re.sub(r'"[^"]*"', "", first)
    likely = [mark for mark in DELIMITERS if mark in bare]
    if not likely:
        _refuse_blanks(head)
        return ","
    if len(likely) == 1:
        return likely[0]
    widths = {mark: width for mark in likely if (width := _width(head, mark)) > 1}
    others = sorted(widths.keys() - {","}, key=widths.__getitem__)
    if "," in widths and others and _are_decimal(head, others[-1]):
        return others[-1]
    return max(widths or likely, key=lambda mark: widths.get(mark, bare.count(mark)))


def _width(head: _Head, delimiter: str) -> int:
    """Return into how many fields a delimiter divides each of the first rows; 0 if not all alike."""
    try:
        widths = {len(fields) for fields in head.sample(delimiter)}
    except DataError:
        return 0
    return widths.pop() if len(widths) == 1 else 0


def _are_decimal(head: _Head, delimiter: str) -> bool:
    """Return whether commas stand only inside numbers when another delimiter divides the rows."""
    rows = islice(head.sample(delimiter), 1, None)
    return all(re.fullmatch(r"[+-]?\d+,\d+", field) for fields in rows for field in fields if "," in field)


def _refuse_blanks(head: _Head) -> None:
    """Refuse a file of one column whose rows look like fields with blanks between."""
    rows = [fields[0].split() for fields in head.sample(",") if len(fields) == 1]
    widths = {len(words) for words in rows}
    if len(rows) > 1 and len(widths) == 1 and max(widths) > 1:
        raise DataError(
            f"one column, each row of which has {widths.pop()} words",
            source=head.source,
            fix="if blanks separate the fields, say --delimiter ' ' (delimiter=' '), otherwise --delimiter ,",
        )


# ---- the names -------------------------------------------------------------------------------------------


def _own_names(first: CsvRow, header: bool, source: str) -> list[str]:
    if not header:
        return [f"c{place}" for place in range(1, len(first.fields) + 1)]
    names = [name.strip() or f"column{place}" for place, name in enumerate(first.fields, 1)]
    seen: dict[str, int] = {}
    for place, name in enumerate(names, 1):
        if name in seen:
            message = f"columns {seen[name]} and {place} are both named {name!r}"
            fix = "rename one, or if this is data and no header say --no-header (header=False)"
            raise DataError(message, source=source, line=first.line, fix=fix)
        seen[name] = place
    return names


def _given_names(names: Sequence[str], first: CsvRow, source: str) -> list[str]:
    if len(names) != len(first.fields):
        raise UsageError(f"expected {len(first.fields)} names, one for each column of {source}, got {len(names)}")
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise UsageError(f"the name {twice!r} is given to two columns")
    return [str(name) for name in names]
