"""The values of delimited text: the fast side of reading CSV, by the C parser of pandas.

Where it fails, or what it gives looks wrong, the exact side (`structtree.data.delimited`) is asked for the line.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from structtree.data.delimited import CsvLayout, first_ragged, lines_of, looks_regular, never_closed
from structtree.data.frames import Coded, Sheet, frame_columns
from structtree.data.infer import shown
from structtree.data.options import check_option
from structtree.data.textfiles import MISSING_WORDS, explained, undecodable
from structtree.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["csv_sheet", "looks_like_data"]

_ANY_NUMBER = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True, slots=True)
class _Fields:
    """The meaning of fields: their decimal sign, words for missing values, and columns that are text."""

    decimal: str
    missing_words: Sequence[str]
    as_text: Collection[str]


def csv_sheet(
    layout: CsvLayout,
    *,
    decimal: str = ".",
    missing_words: Sequence[str] = MISSING_WORDS,
    as_text: Collection[str] = (),
) -> Sheet:
    """Return the sheet of a file, text coded; a column without a value is text that never occurs.

    Parameters
    ----------
    layout : CsvLayout
    decimal : {".", ","}
        The decimal sign.
    missing_words : sequence of str
        The words for a missing value, besides an empty field.
    as_text : collection of str
        The columns that are text whatever they look like.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from structtree.data.delimited import csv_layout
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "a.csv"
    ...     _ = file.write_text("x,y\\n1,b\\n-,b\\n")
    ...     columns = csv_sheet(csv_layout(file), missing_words=["-"]).columns
    >>> columns["x"].tolist(), columns["y"].values
    ([1, <NA>], ['b'])
    """
    check_option("decimal", decimal)
    frame = _parsed(layout, _Fields(decimal, missing_words, as_text))
    columns = {name: _coded(series) for name, series in zip(layout.names, frame_columns(frame), strict=True)}
    for name, column in columns.items():
        if isinstance(column, Coded):
            _check_text(layout, name, column, None if name in as_text else decimal)
    if layout.header and layout.assumed and looks_like_data(columns, decimal):
        fix = "add a line with the names of the columns, or say --no-header (header=False)"
        raise DataError("the header looks like a row of data", source=layout.source, line=layout.line, fix=fix)
    return Sheet(columns, len(frame), layout.source, partial(lines_of, layout))


def looks_like_data(columns: Mapping[str, pd.Series[Any] | Coded], decimal: str) -> bool:
    """Return whether every name could be a value of its column, and they are not just numbered.

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


def _parsed(layout: CsvLayout, fields: _Fields) -> pd.DataFrame:
    import pandas as pd

    try:
        frame = _tokenized(layout, fields)
    except (pd.errors.ParserError, pd.errors.ParserWarning) as problem:
        is_open = "EOF inside string" in str(problem)
        raise (None if is_open else first_ragged(layout)) or never_closed(layout) from None
    except pd.errors.EmptyDataError:
        frame = pd.DataFrame(columns=list(layout.names))
    except UnicodeDecodeError:
        raise undecodable(layout.source, layout.encoding) from None
    if not len(frame):
        raise DataError("the file has a header and no rows", source=layout.source, line=layout.line)
    if frame.iloc[:, -1].hasnans and not looks_regular(layout, len(frame)) and (error := first_ragged(layout)):
        raise error
    return frame


def _tokenized(layout: CsvLayout, fields: _Fields) -> pd.DataFrame:
    """Return the fields as the C parser of pandas reads them: in parts if few parts agree, else all at once."""
    import pandas as pd

    def read(low_memory: bool) -> pd.DataFrame:
        with explained(layout.source):  # pandas is a fifth faster with a path than with an open file
            return pd.read_csv(
                Path(layout.source),
                compression="gzip" if layout.source.lower().endswith(".gz") else None,
                sep=r"\s+" if layout.delimiter == " " else layout.delimiter,
                header=0 if layout.header else None,
                names=list(layout.names),
                index_col=False,
                skipinitialspace=True,
                encoding=layout.encoding,
                decimal=fields.decimal,
                keep_default_na=False,
                na_values=[*fields.missing_words, ""],
                dtype=dict.fromkeys(fields.as_text, "str"),
                dtype_backend="numpy_nullable",
                low_memory=low_memory,
            )

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return read(low_memory=len(layout.names) < 1000)  # a third faster, but slower if the parts are many
        except pd.errors.DtypeWarning:
            return read(low_memory=False)


def _coded(series: Any) -> pd.Series[Any] | Coded:
    import pandas as pd

    if isinstance(series.dtype, pd.StringDtype) or series.dtype == object:
        codes, found = pd.factorize(series.to_numpy(dtype=object))
        return Coded(codes, list(found))
    if series.array.isna().all():
        return Coded(np.full(len(series), -1), [])
    return series  # type: ignore[no-any-return]


def _check_text(layout: CsvLayout, name: str, column: Coded, decimal: str | None) -> None:
    """Refuse a column of text that is broken, or that should be numbers but for their decimal sign."""
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
        message = f"one decimal sign expected, got both {shown(right)} and {shown(texts[wrong])}"
        raise _error(layout, name, column, wrong, message)
    fix = f"if they are decimal {sign}, say --decimal {other} (decimal={other!r}), otherwise --type {name}=nominal"
    raise _error(layout, name, column, wrong, f"numbers with {sign}, such as {shown(texts[wrong])},", fix)


def _error(layout: CsvLayout, name: str, column: Coded, at: int, message: str, fix: str | None = None) -> DataError:
    """Return the error for one of the texts of a column, with the line on which it first stands."""
    line = lines_of(layout, [int(np.argmax(column.codes == at))])[0]
    return DataError(message, source=layout.source, line=line, path=f"column {name!r}", fix=fix)
