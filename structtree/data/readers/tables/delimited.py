"""Delimited text: detection of the layout, fast reading, and locations for errors.

CSV is read by two parsers. The values are read by the fast C parser of pandas (`csv_sheet`). The slow parser of the
standard library reads the first rows to detect the layout (`csv_layout`), and all rows only to find the line of an
error.
"""

from __future__ import annotations

import csv
import os
import re
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice, tee
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from structtree.data.kinds import quoted_value
from structtree.data.readers.options import check_option
from structtree.data.readers.tables.sheets import Coded, Sheet, frame_columns, unique_names
from structtree.data.readers.text_files import (
    MISSING_WORDS,
    checked_encoding,
    explained,
    open_decoded,
    open_text_file,
    undecodable,
)
from structtree.errors import DataError, UsageError, option_text

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CsvLayout", "CsvRow", "csv_layout", "csv_sheet", "first_ragged", "iter_rows", "looks_like_data"]

DELIMITERS = (",", ";", "\t", "|")
"""Delimiters that are detected."""

_SAMPLE = 20  # rows that must have the same number of fields


@dataclass(frozen=True, slots=True)
class CsvRow:
    """Fields of a row, and its first line, starting at 1."""

    line: int
    fields: list[str]


@dataclass(frozen=True, slots=True)
class CsvLayout:
    """Layout of a file of delimited text.

    Parameters
    ----------
    source : str
        Path of the file.
    delimiter : str
        Field separator; a space stands for any whitespace.
    encoding : str
    names : tuple of str
    header : bool
        Whether the first row contains the names.
    line : int
        First line of the first row.
    assumed : bool
        Whether `header` was not given by the user.
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
    """Return the layout of a file from the given options and its first rows.

    The default delimiter is the one of ``, ; | tab`` that divides the first twenty rows into the same number of
    fields; of several, the one with most fields, except for commas that occur only inside numbers. Columns without a
    name are numbered: ``column3`` if others have a name, ``c3`` if none has.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "a.csv"
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
        raise DataError("the file has only blank lines; expected a table", source=source)
    own = _own_names(first, has_header, source) if names is None else _given_names(names, first, source)
    return CsvLayout(source, found, encoding, tuple(own), has_header, first.line, header is None)


def iter_rows(layout: CsvLayout) -> Iterator[CsvRow]:
    """Yield the rows of data, without blank lines."""
    with open_decoded(layout.source, layout.encoding) as text:
        yield from islice(_rows(text, layout.delimiter, layout.source), int(layout.header), None)


def _lines_of(layout: CsvLayout, rows: Sequence[int]) -> list[int | None]:
    """Return the number of the first line of each given row, None if unknown."""
    wanted = set(rows)
    upto = islice(iter_rows(layout), max(rows, default=-1) + 1)
    found = {index: row.line for index, row in enumerate(upto) if index in wanted}
    return [found.get(row) for row in rows]


def first_ragged(layout: CsvLayout) -> DataError | None:
    """Return the error for the first row with too many or too few fields, if there is one."""
    n, like = len(layout.names), "in the header" if layout.header else "in the first row"
    for row in iter_rows(layout):
        got = len(row.fields)
        if got != n:
            extra, lacking = row.fields[n : n + 1], layout.names[got : got + 1]
            odd = f"unexpected {quoted_value(extra[0])}" if extra else f"column {lacking[0]!r} is missing"
            message = f"expected {n} fields as {like}, got {got}: {odd}"
            return DataError(message, source=layout.source, line=row.line)
    return None


def _never_closed(layout: CsvLayout) -> DataError:
    """Return the error for a quoted value that is never closed."""
    last = CsvRow(layout.line, [])
    for row in iter_rows(layout):
        last = row
    place = min(len(last.fields), len(layout.names)) - 1
    where = f"column {layout.names[place]!r}" if last.fields else None
    return DataError("a quoted value is never closed", source=layout.source, line=last.line, path=where)


def _looks_regular(layout: CsvLayout, n_rows: int) -> bool:
    """Return whether the total number of delimiters proves that no row is too short, given that none is too long."""
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
        message = "a value with more than 100 000 characters; is a closing quote missing?"
        raise DataError(message, source=source, line=end + 1) from None


class _Head:
    """The first lines of an open file, which can be parsed repeatedly with different delimiters."""

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
    """Return the number of fields in the first rows when split at a delimiter, or 0 if it varies."""
    try:
        widths = {len(fields) for fields in head.sample(delimiter)}
    except DataError:
        return 0
    return widths.pop() if len(widths) == 1 else 0


def _are_decimal(head: _Head, delimiter: str) -> bool:
    """Return whether all commas are decimal separators when rows are split at another delimiter."""
    rows = islice(head.sample(delimiter), 1, None)
    return all(re.fullmatch(r"[+-]?\d+,\d+", field) for fields in rows for field in fields if "," in field)


def _refuse_blanks(head: _Head) -> None:
    """Raise `DataError` for a single column whose rows look like fields separated by spaces."""
    rows = [fields[0].split() for fields in head.sample(",") if len(fields) == 1]
    widths = {len(words) for words in rows}
    if len(rows) > 1 and len(widths) == 1 and max(widths) > 1:
        raise DataError(
            f"the table has one column, but each row has {widths.pop()} words",
            source=head.source,
            fix=f"if the fields are separated by spaces, use {option_text('delimiter', ' ')}, otherwise "
            + option_text("delimiter", ","),
        )


# ---- the names -------------------------------------------------------------------------------------------


def _own_names(first: CsvRow, header: bool, source: str) -> list[str]:
    if not header:
        return [f"c{place}" for place in range(1, len(first.fields) + 1)]
    names = [name.strip() or f"column{place}" for place, name in enumerate(first.fields, 1)]
    fix = f"rename one, or if the file has no header use {option_text('header', False)}"
    return unique_names(names, source, first.line, fix)


def _given_names(names: Sequence[str], first: CsvRow, source: str) -> list[str]:
    if len(names) != len(first.fields):
        raise UsageError(f"expected {len(first.fields)} names, one for each column of {source}, got {len(names)}")
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise UsageError(f"the name {twice!r} is given to two columns")
    return [str(name) for name in names]


# ---- fast reading of the values -------------------------------------------------------------------------

_ANY_NUMBER = re.compile(r"[+-]?(\d++[.,]?\d*+|[.,]\d++)([eE][+-]?\d+)?")
_WHOLE = re.compile(r"[+-]?\d{1,4000}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d++\.?\d*+|\.\d++)([eE][+-]?\d+)?")


def csv_sheet(
    layout: CsvLayout,
    *,
    decimal: str = ".",
    missing_words: Sequence[str] = MISSING_WORDS,
    as_text: Collection[str] = (),
) -> Sheet:
    """Read a delimited file as a sheet, with text encoded as codes.

    Parameters
    ----------
    layout : CsvLayout
    decimal : {".", ","}
        Decimal separator.
    missing_words : sequence of str
        Words for missing values, besides an empty field.
    as_text : collection of str
        Columns to read as text, whatever they look like.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "a.csv"
    ...     _ = file.write_text("x,y\\n1,b\\n-,b\\n")
    ...     columns = csv_sheet(csv_layout(file), missing_words=["-"]).columns
    >>> columns["x"].tolist(), columns["y"].values
    ([1, <NA>], ['b'])
    """
    check_option("decimal", decimal)
    as_text = dict.fromkeys(as_text, "str")
    frame = _parsed(layout, {"decimal": decimal, "na_values": [*missing_words, ""], "dtype": as_text})
    columns = {
        name: _coded(series, name in as_text) for name, series in zip(layout.names, frame_columns(frame), strict=True)
    }
    for name, column in columns.items():
        if isinstance(column, Coded):
            _check_text(layout, name, column, None if name in as_text else decimal)
    if layout.header and layout.assumed and looks_like_data(columns, decimal):
        fix = f"add a line with the names of the columns, or use {option_text('header', False)}"
        raise DataError("the header looks like a row of data", source=layout.source, line=layout.line, fix=fix)
    return Sheet(columns, len(frame), layout.source, partial(_lines_of, layout))


def looks_like_data(columns: Mapping[str, pd.Series[Any] | Coded], decimal: str) -> bool:
    """Return whether every name could be a value of its column, and the names are not consecutive numbers.

    Examples
    --------
    >>> texts = Coded(np.array([0]), ["Bachelors"])
    >>> looks_like_data({"Bachelors": texts}, "."), looks_like_data({"education": texts}, ".")
    (True, False)
    """
    full = {name: column for name, column in columns.items() if not isinstance(column, Coded) or column.values}
    numbered = ([str(i) for i in range(first, first + len(full))] for first in (0, 1))
    if not full or list(full) in numbered:
        return False
    return all(
        name in column.values if isinstance(column, Coded) else bool(_NUMBER.fullmatch(name.replace(decimal, ".")))
        for name, column in full.items()
    )


def _parsed(layout: CsvLayout, values: Mapping[str, Any]) -> pd.DataFrame:
    import pandas as pd

    try:
        frame = _tokenized(layout, values)
    except (pd.errors.ParserError, pd.errors.ParserWarning) as problem:
        is_open = "EOF inside string" in str(problem)
        raise (None if is_open else first_ragged(layout)) or _never_closed(layout) from None
    except pd.errors.EmptyDataError:
        frame = pd.DataFrame(columns=list(layout.names))
    except UnicodeDecodeError:
        raise undecodable(layout.source, layout.encoding) from None
    if not len(frame):
        raise DataError("the file has a header but no rows", source=layout.source, line=layout.line)
    if frame.iloc[:, -1].hasnans and not _looks_regular(layout, len(frame)) and (error := first_ragged(layout)):
        raise error
    return frame


def _tokenized(layout: CsvLayout, values: Mapping[str, Any]) -> pd.DataFrame:
    """Read the fields with pandas' C parser: in chunks or, if the types of chunks differ, all at once."""
    import pandas as pd

    def read(low_memory: bool) -> pd.DataFrame:
        with explained(layout.source):  # pandas is a fifth faster with a path than with an open file
            frame: pd.DataFrame = pd.read_csv(
                Path(layout.source),
                compression="gzip" if layout.source.lower().endswith(".gz") else None,
                sep=r"\s+" if layout.delimiter == " " else layout.delimiter,
                header=0 if layout.header else None,
                names=list(layout.names),
                index_col=False,
                skipinitialspace=True,
                encoding=layout.encoding,
                keep_default_na=False,
                dtype_backend="numpy_nullable",
                low_memory=low_memory,
                **values,
            )
        return frame

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return read(low_memory=len(layout.names) < 1000)  # a third faster, but slower if the parts are many
        except pd.errors.DtypeWarning:
            return read(low_memory=False)


def _coded(series: Any, is_text: bool) -> pd.Series[Any] | Coded:
    """Encode a column of text; convert integers that are too long for the parser."""
    import pandas as pd

    if isinstance(series.dtype, pd.StringDtype) or series.dtype == object:
        codes, found = pd.factorize(series.to_numpy(dtype=object))
        if not is_text and len(found) and all(map(_WHOLE.fullmatch, found)):
            whole = np.array([*map(int, found), None], dtype=object)
            return pd.Series(whole[codes], dtype=object)
        return Coded(codes, list(found))
    if series.array.isna().all():
        return Coded(np.full(len(series), -1), [])
    return series  # type: ignore[no-any-return]


def _check_text(layout: CsvLayout, name: str, column: Coded, decimal: str | None) -> None:
    """Raise `DataError` for a column of text with NUL bytes, or of numbers with the wrong decimal separator."""
    texts = column.values
    broken = next((i for i, text in enumerate(texts) if "\0" in text), None)
    if broken is not None:
        raise _error(layout, name, column, broken, "a NUL byte inside a value")
    if decimal is not None and all(map(_ANY_NUMBER.fullmatch, texts)):
        _check_signs(layout, name, column, decimal)


def _check_signs(layout: CsvLayout, name: str, column: Coded, decimal: str) -> None:
    texts = column.values
    other, sign = (",", "commas") if decimal == "." else (".", "points")
    right = next((text for text in texts if decimal in text), None)
    wrong = next((i for i, text in enumerate(texts) if other in text), None)
    if wrong is None:
        return
    if right is not None:
        message = f"expected one decimal separator, got both {quoted_value(right)} and {quoted_value(texts[wrong])}"
        raise _error(layout, name, column, wrong, message)
    as_text = option_text("types", {name: "nominal"})
    fix = f"if they are decimal {sign}, use {option_text('decimal', other)}, otherwise {as_text}"
    raise _error(layout, name, column, wrong, f"numbers with {sign}, such as {quoted_value(texts[wrong])},", fix)


def _error(layout: CsvLayout, name: str, column: Coded, at: int, message: str, fix: str | None = None) -> DataError:
    """Return the error for a value of a column, with the first line that contains it."""
    line = _lines_of(layout, [int(np.argmax(column.codes == at))])[0]
    return DataError(message, source=layout.source, line=line, path=f"column {name!r}", fix=fix)
