"""Sheets: raw tables, and the conversion of their columns to attributes.

A sheet has named raw columns (pandas columns, codes or text, possibly with a declared kind) and knows the line of
each row. Columns are converted as a whole: numbers are copied, and of text and categories only the distinct values
are inspected. `structtree.data.readers.tables.reading` defines the kinds and converts sheets to populations.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from ctypes import c_char
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from structtree.data.dates import kind_of_seconds, numbers_of_dates, to_kind
from structtree.data.kinds import (
    DeclaredKind,
    ValueMismatch,
    encode,
    missing_column,
    quoted_value,
    value_type,
    warn_about_lost_digits,
    warn_about_time_zones,
    with_dates,
)
from structtree.data.population import Column
from structtree.data.schema import Attribute, Kind
from structtree.errors import DataError, UsageError

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Coded",
    "PythonValues",
    "Raw",
    "Sheet",
    "Texts",
    "TypedColumn",
    "array_cells",
    "frame_columns",
    "frame_of_cells",
    "frame_of_fields",
    "names_of",
    "transposed",
    "typed_column",
    "unique_names",
]


@dataclass(frozen=True, slots=True, eq=False)
class TypedColumn:
    """Attribute together with its column."""

    attribute: Attribute
    column: Column

    def take(self, rows: NDArray[np.int64]) -> TypedColumn:
        """Return the attribute and its column for the given rows."""
        return TypedColumn(self.attribute, self.column.take(rows))


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """A column as codes into its distinct values, -1 for missing; the values may be declared and ordered."""

    codes: NDArray[Any]
    values: list[Any]
    declared: bool = False
    ordered: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """A column of text, possibly with a declared kind; otherwise numeric if all strings are numbers.

    Parameters
    ----------
    cells : sequence of str or None
        None is missing.
    attribute : Attribute, optional
        Declared attribute.
    number : callable, optional
        Function that converts a date to seconds since 1970, or raises ValueError.
    expected : str
        Description of a valid date, for errors.
    """

    cells: Sequence[str | None]
    attribute: Attribute | None = None
    number: Callable[[str], float] | None = None
    expected: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class PythonValues:
    """A column of Python values of any type; None and NaN are missing."""

    cells: Sequence[Any]


_SAMPLE = 256
"""Sample size for checking whether equal strings of a column are the same object."""

Raw: TypeAlias = "pd.Series[Any] | Coded | Texts | PythonValues"
"""A column before conversion."""


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """Table of raw columns, before conversion to attributes.

    Parameters
    ----------
    columns : mapping from name to raw column
    n_rows : int
    source : str, optional
        Name of the source, for errors.
    lines : sequence of int or callable, optional
        Line of each row in the source, or a function that finds the lines of given rows.
    """

    columns: Mapping[str, Raw]
    n_rows: int
    source: str | None = None
    lines: Sequence[int] | Callable[[Sequence[int]], list[int | None]] | None = None

    def lines_of(self, rows: Sequence[int]) -> list[int | None]:
        """Return the line numbers of the given rows, None if unknown."""
        if callable(self.lines):
            return self.lines(rows)
        return [None if self.lines is None else self.lines[row] for row in rows]

    def line_of(self, row: int) -> int | None:
        """Return the line number of a row, None if unknown."""
        return self.lines_of([row])[0]

    def typed(
        self, name: str, declared: DeclaredKind | None = None, *, are_individuals: bool = True, copy: bool = True
    ) -> TypedColumn:
        """Convert a column to an attribute as `typed_column` does; errors name its location.

        Examples
        --------
        >>> Sheet({"x": Texts(["1", "b"])}, 2, "a.smi", [5, 6]).typed("x", DeclaredKind("int"))
        Traceback (most recent call last):
        structtree.errors.DataError: a.smi:6: expected a whole number, got 'b' at column 'x' (individual 1); ...
        """
        try:
            typed = typed_column(self.columns[name], name, declared, copy=copy)
        except ValueMismatch as mismatch:
            row = mismatch.index
            raise DataError(
                mismatch.message,
                source=self.source,
                line=self.line_of(row),
                path=f"column {name!r}" if are_individuals else f"row {row} of column {name!r}",
                individual=row if are_individuals else None,
                fix=mismatch.text_fix(name),
            ) from None
        warn_about_lost_digits(typed.column, name)
        return typed


def frame_columns(frame: Any, places: Iterable[int] | None = None) -> list[pd.Series[Any] | Coded]:
    """Return all or some columns of a pandas or polars DataFrame, without importing polars.

    Examples
    --------
    >>> import pandas as pd
    >>> [column.tolist() for column in frame_columns(pd.DataFrame({"x": [1, 2], "y": [3, 4]}))]
    [[1, 2], [3, 4]]
    """
    which = range(len(names_of(frame))) if places is None else places
    if hasattr(frame, "iloc"):
        return [frame.iloc[:, place] for place in which]
    return [_of_polars(frame.to_series(place), sys.modules["polars"]) for place in which]


def names_of(frame: Any) -> list[str]:
    """Return the column names of a DataFrame as strings; unnamed columns are numbered, such as ``column3``.

    Raises
    ------
    UsageError
        If the argument is not a pandas or polars DataFrame.

    Examples
    --------
    >>> import pandas as pd
    >>> names_of(pd.DataFrame({0: [1], "a": [2], "": [3], ("b", "max"): [4]}))
    ['0', 'a', 'column3', 'b_max']
    """
    import pandas as pd

    polars = sys.modules.get("polars")
    if not isinstance(frame, pd.DataFrame) and (polars is None or not isinstance(frame, polars.DataFrame)):
        hint = "; collect() it first" if hasattr(frame, "collect") else ""
        raise UsageError(f"expected a pandas or polars DataFrame, got a {type(frame).__name__}{hint}")
    return [_name(name, place) for place, name in enumerate(frame.columns, 1)]


def _name(name: Any, place: int) -> str:
    """Return the name of a column as a string, joining the levels of a MultiIndex, or its number without a name."""
    if isinstance(name, tuple):
        return "_".join(_name(part, place) for part in name if part != "") or f"column{place}"
    return f"column{place}" if name is None or name != name or name == "" else str(name)


def unique_names(
    names: Iterable[str], source: str | None = None, line: int | None = None, fix: str = "rename one"
) -> list[str]:
    """Return column names as a list, and raise `DataError` for duplicates.

    Examples
    --------
    >>> unique_names(["a", "b"])
    ['a', 'b']
    """
    found = list(names)
    seen: dict[str, int] = {}
    for place, name in enumerate(found, 1):
        if seen.setdefault(name, place) != place:
            message = f"columns {seen[name]} and {place} are both named {name!r}"
            raise DataError(message, source=source, line=line, fix=fix)
    return found


def typed_column(column: Raw, name: str, declared: DeclaredKind | None = None, *, copy: bool = True) -> TypedColumn:
    """Convert a column to an attribute, whose kind follows from the column unless it is declared.

    Parameters
    ----------
    column : column of pandas, Coded, Texts or PythonValues
    name : str
    declared : DeclaredKind, optional
    copy : bool
        Whether to copy numbers even if they could be shared with the DataFrame.

    Raises
    ------
    ValueMismatch
        If a value cannot be read as declared, or the column mixes types.

    Examples
    --------
    >>> import pandas as pd
    >>> typed_column(pd.Series(["b", None, "a"]), "x").column.values.tolist()
    [1, -1, 0]
    >>> typed_column(pd.Series([1, 0]), "x", DeclaredKind("bool")).attribute.kind
    'bool'
    """
    match column:
        case Texts():
            return _of_texts(column, name, declared)
        case PythonValues():
            return _of_values(column.cells, name, declared)
        case Coded():
            return _of_codes(column, name, declared)
        case _:
            return _converted(column, name, declared, copy)


# ---- pandas ----------------------------------------------------------------------------------------------


def _converted(series: pd.Series[Any], name: str, declared: DeclaredKind | None, copy: bool = True) -> TypedColumn:
    """Convert a pandas column; numbers, booleans, dates and times directly, all other values through codes."""
    import pandas as pd

    dtype = series.dtype
    if isinstance(dtype, pd.SparseDtype):
        return _converted(pd.Series(np.asarray(series)), name, declared)
    if dtype.kind in "iuf":
        return _numeric(series, name, declared, copy)
    if isinstance(dtype, pd.CategoricalDtype):
        values = [_plain_value(value) for value in dtype.categories]
        coded = Coded(series.cat.codes.to_numpy(), values, declared=True, ordered=bool(dtype.ordered))
        return _of_codes(coded, name, declared)
    if isinstance(dtype, pd.PeriodDtype):
        return _converted(series.dt.to_timestamp(), name, declared)
    if dtype.kind == "b" and (declared is None or declared.kind == "bool"):
        return _plain_column(name, Column("bool", _flags(series)))
    if dtype.kind == "M" and dtype.type is not date:  # Arrow dates are objects
        return _of_moments(series, name, declared)
    if dtype.kind == "m":
        return _of_spans(series, name, declared)
    return _of_objects(series, name, declared)


def _plain_column(name: str, column: Column) -> TypedColumn:
    return TypedColumn(column.as_attribute(name), column)


def _plain_value(value: Any) -> Any:
    """Return a category as a number, boolean or string; intervals and dates become strings."""
    return value if value_type(type(value)) in ("boolean", "number", "string") else str(value)


def _numeric(series: pd.Series[Any], name: str, declared: DeclaredKind | None, copy: bool = True) -> TypedColumn:
    """Convert a numeric column, unless another kind is declared."""
    import pandas as pd

    own: Kind = "int" if series.dtype.kind in "iu" else "real"
    if declared is not None and declared.kind not in (own, "real"):
        codes, found = pd.factorize(series)
        return _of_codes(Coded(codes, found.tolist()), name, declared)
    if isinstance(series.dtype, np.dtype):  # NaN is missing already; na_value would triple the time
        numbers = series.to_numpy().astype(np.float64, copy=copy)
    else:
        numbers = series.to_numpy(dtype=np.float64, na_value=np.nan, copy=True)
    return _plain_column(name, Column(own if declared is None else declared.kind, numbers))


def _flags(series: pd.Series[Any]) -> NDArray[np.int8]:
    if not series.hasnans:
        return series.to_numpy(dtype=np.int8)
    flags = series.to_numpy(dtype=np.bool_, na_value=False).astype(np.int8)
    flags[series.isna().to_numpy()] = -1
    return flags


def _of_moments(series: pd.Series[Any], name: str, declared: DeclaredKind | None) -> TypedColumn:
    """Convert a column of dates or times."""
    moments = series.to_numpy(dtype="datetime64[us]")
    if _zone(series.dtype) is not None:
        warn_about_time_zones()
    if declared is not None and declared.kind not in ("real", "date", "time"):
        return _of_values(list(moments), name, declared)
    outside = (moments < _FIRST) | (moments > _LAST)
    if outside.any():
        row = int(np.argmax(outside))
        raise ValueMismatch(row, f"expected a date in the years 1 to 9999, got {moments[row]}")
    seconds = numbers_of_dates(moments)
    if declared is not None and declared.kind == "real":
        return _plain_column(name, Column("real", seconds))
    kind = declared.kind if declared is not None else kind_of_seconds(seconds)
    return _plain_column(name, Column(kind, to_kind(seconds, "date" if kind == "date" else "time")))


_FIRST, _LAST = np.datetime64("0001-01-01"), np.datetime64("9999-12-31T23:59:59.999999")


def _zone(dtype: Any) -> Any:
    """Return the time zone of a pandas or Arrow type, if any."""
    return getattr(dtype, "tz", None) or getattr(getattr(dtype, "pyarrow_dtype", None), "tz", None)


def _of_spans(series: pd.Series[Any], name: str, declared: DeclaredKind | None) -> TypedColumn:
    """Convert a column of durations to seconds."""
    import pandas as pd

    spans = series.to_numpy(dtype="timedelta64[us]")
    seconds = np.where(np.isnat(spans), np.nan, spans.astype(np.int64) / 1e6)
    return _numeric(pd.Series(seconds), name, declared)


def _of_objects(series: pd.Series[Any], name: str, declared: DeclaredKind | None) -> TypedColumn:
    """Convert a column of strings or other Python objects."""
    import pandas as pd

    if isinstance(series.dtype, pd.StringDtype) and series.dtype.storage == "pyarrow":  # with its own hash table
        codes, found = pd.factorize(series)
        return _of_codes(Coded(codes, list(found)), name, declared)
    cells = series.to_numpy(dtype=object)
    sort = "string" if isinstance(series.dtype, pd.StringDtype) else pd.api.types.infer_dtype(cells, skipna=True)
    match sort:
        case "string":
            return _of_codes(_coded(cells), name, declared)
        case "timedelta":
            return _of_spans(pd.Series(pd.to_timedelta(cells)), name, declared)
        case "decimal":
            return _numeric(series.astype(np.float64), name, declared)
    values = [None if gone else cell for gone, cell in zip(pd.isna(cells).tolist(), cells, strict=True)]
    return _of_values(values, name, declared)


def _of_values(values: Sequence[Any], name: str, declared: DeclaredKind | None) -> TypedColumn:
    if declared is not None:
        return _plain_column(name, _as_declared(values, declared))
    column = encode(values)
    return _plain_column(name, missing_column("nominal", len(values)) if column is None else with_dates(column))


def _as_declared(values: Sequence[Any], declared: DeclaredKind) -> Column:
    column = encode(values, declared.kind, declared.values, layout=declared.layout)
    assert column is not None  # because the kind is declared
    return column


def _coded(cells: NDArray[Any]) -> Coded:
    """Encode a column of strings as codes into its distinct values, in order of appearance.

    File readers mostly create one object for equal strings. Most strings can therefore be distinguished by their
    address, which is ten times as fast as comparing them; only the distinct objects are compared.
    """
    import pandas as pd

    some = cells[:: max(1, len(cells) // _SAMPLE)]
    if len(cells) < _SAMPLE or len(set(map(id, some))) > _SAMPLE // 2:
        codes, found = pd.factorize(cells)
        return Coded(codes, list(found))
    objects, different = pd.factorize(_places_in_memory(cells))
    firsts = np.searchsorted(np.maximum.accumulate(objects), np.arange(len(different)))
    codes, found = pd.factorize(cells[firsts])
    return Coded(codes.take(objects), list(found))


def _places_in_memory(cells: NDArray[Any]) -> NDArray[np.intp]:
    """Return the ``id`` of each object, read from the memory of the array."""
    held = np.ascontiguousarray(cells)
    memory = (c_char * held.nbytes).from_address(held.ctypes.data)
    return np.frombuffer(memoryview(memory), dtype=np.intp).copy()


def _of_codes(coded: Coded, name: str, declared: DeclaredKind | None) -> TypedColumn:
    if declared is None and coded.ordered and len(coded.values) > 1:
        declared = DeclaredKind("ordered", _texts_of(coded))
    each = _encoded(coded, declared or DeclaredKind("nominal"))
    if not coded.declared:
        return _plain_column(name, _spread(each if declared else with_dates(each), coded.codes))
    column = _spread(each, coded.codes)
    if column.kind != "nominal":
        return _plain_column(name, column)
    return TypedColumn(Attribute(name, "nominal", _texts_of(coded)), column)


def _texts_of(coded: Coded) -> tuple[str, ...]:
    """Return the values of a column as categories, in order."""
    each = _encoded(coded, DeclaredKind("nominal"))
    return tuple(dict.fromkeys(each.categories[code] for code in each.values))


def _encoded(coded: Coded, declared: DeclaredKind) -> Column:
    """Convert the distinct values of a column; errors refer to the first row with the value."""
    try:
        return _as_declared(coded.values, declared)
    except ValueMismatch as mismatch:
        row = int(np.argmax(coded.codes == mismatch.index))
        raise ValueMismatch(row, mismatch.message, mismatch.fix) from None


def _spread(each: Column, codes: NDArray[Any]) -> Column:
    """Expand a column of distinct values to all rows; code -1 gives a missing value."""
    values = np.append(each.values, missing_column(each.kind, 1).values)
    return Column(each.kind, values.take(codes), each.categories)


# ---- text ------------------------------------------------------------------------------------------------


def _of_texts(column: Texts, name: str, declared: DeclaredKind | None) -> TypedColumn:
    attribute = column.attribute
    if attribute is None:
        attribute = Attribute(name, _kind_of_texts(column.cells))
        if declared is None and attribute.kind == "nominal":
            return _plain_column(name, with_dates(_as_declared(column.cells, DeclaredKind("nominal"))))
    if declared is None or (declared.kind == attribute.kind and not declared.values):
        declared = DeclaredKind(attribute.kind, attribute.values)
    else:
        attribute = Attribute(attribute.name, declared.kind, declared.values)
    if column.number is not None and declared.kind in ("date", "time"):
        seconds = np.array(_numbers(column), dtype=np.float64)
        return TypedColumn(attribute, Column(declared.kind, to_kind(seconds, declared.kind)))
    cells = _numbers(column) if declared.kind in ("int", "real") else column.cells
    return TypedColumn(attribute, _as_declared(cells, declared))


def _kind_of_texts(texts: Sequence[str | None]) -> Kind:
    found = [text for text in texts if text is not None]
    try:
        numbers = [float(text) for text in found]
    except ValueError:
        return "nominal"
    whole = all(number.is_integer() for number in numbers) and not any("." in text for text in found)
    return "nominal" if not found else "int" if whole else "real"


def _numbers(column: Texts) -> Sequence[Any]:
    """Convert the cells to numbers; return them unchanged if that fails, so that `encode` raises the error."""
    read, numbers = column.number or float, []
    try:
        for cell in column.cells:
            numbers.append(None if cell is None else read(cell))
    except ValueError:
        if column.number is None:
            return column.cells
        raise ValueMismatch(
            len(numbers), f"expected {column.expected}, got {quoted_value(cell)}", "nominal"
        ) from None
    return numbers


# ---- polars ----------------------------------------------------------------------------------------------


def _of_polars(series: Any, polars: Any) -> pd.Series[Any] | Coded:
    """Convert a polars column to a pandas column or to codes, without pyarrow."""
    import pandas as pd

    dtype = series.dtype
    if dtype in (polars.String, polars.Categorical, polars.Enum):
        return _of_polars_text(series, polars)
    if dtype == polars.Null:
        return Coded(np.full(len(series), -1), [])
    if dtype == polars.Boolean:
        return pd.Series(pd.arrays.BooleanArray(*_filled(series, False)))
    if dtype.is_integer() and series.null_count():
        return pd.Series(pd.arrays.IntegerArray(*_filled(series, 0)))
    if dtype.is_float() or dtype.is_integer():
        return pd.Series(series.to_numpy())
    if dtype.is_decimal():
        return pd.Series(series.cast(polars.Float64).to_numpy())
    if dtype in (polars.Date, polars.Datetime):
        moments = pd.Series(_microseconds(series.dt.epoch("us")).view("datetime64[us]"))
        return moments if getattr(dtype, "time_zone", None) is None else moments.dt.tz_localize("UTC")
    if dtype == polars.Duration:
        return pd.Series(_microseconds(series.dt.total_microseconds()).view("timedelta64[us]"))
    return pd.Series(series.to_list(), dtype=object)


def _of_polars_text(series: Any, polars: Any) -> Coded:
    text = series.cast(polars.String)
    declared = series.dtype == polars.Enum
    found = (series.dtype.categories if declared else text.drop_nulls().unique().sort()).to_list()
    codes = text.cast(polars.Enum(found)).to_physical().cast(polars.Int64).fill_null(-1).to_numpy()
    return Coded(codes, found, declared=declared, ordered=declared)


def _filled(series: Any, value: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the values of a polars column with missing ones replaced, and a mask of the missing values."""
    return np.array(series.fill_null(value).to_numpy()), np.array(series.is_null().to_numpy())


def _microseconds(series: Any) -> NDArray[np.int64]:
    """Return microseconds as integers, with the integer of NaT for missing values."""
    return np.array(series.fill_null(np.iinfo(np.int64).min).to_numpy(), dtype=np.int64)


# ---- arrays ----------------------------------------------------------------------------------------------


def frame_of_fields(cells: NDArray[Any]) -> pd.DataFrame:
    """Return a DataFrame with the fields of a structured array as columns.

    Examples
    --------
    >>> frame_of_fields(np.array([(b"Ann", 31)], dtype=[("name", "S9"), ("age", int)])).to_dict("records")
    [{'name': 'Ann', 'age': 31}]
    """
    import pandas as pd

    if cells.ndim != 1:
        raise DataError(f"expected a one-dimensional structured array, got {cells.ndim} dimensions")
    fields = cells.dtype.names or ()
    for field in fields:
        if cells[field].ndim != 1:
            raise DataError("expected a plain value, got an array", path=f"field {field!r}")
    return pd.DataFrame({field: array_cells(cells[field]) for field in fields})


def frame_of_cells(cells: NDArray[Any]) -> pd.DataFrame:
    """Return a DataFrame with the columns of an array of strings, of mixed types, or with masked values.

    Examples
    --------
    >>> frame_of_cells(np.ma.array([[1, 2]], mask=[[False, True]]))[1].tolist()
    [<NA>]
    """
    import pandas as pd

    columns = {place: array_cells(cells[:, place]) for place in range(cells.shape[1])}
    return pd.DataFrame(columns, index=range(len(cells))).infer_objects()


def array_cells(column: NDArray[Any]) -> Any:
    """Prepare an array column for pandas: decode bytes, and use nullable types for masked values."""
    import pandas as pd

    values: NDArray[Any] = np.asarray(column)
    if values.dtype.kind == "S":
        values = np.char.decode(values, "utf-8")
    if not isinstance(column, np.ma.MaskedArray):
        return values
    gone = np.ma.getmaskarray(column)
    match values.dtype.kind:
        case "i" | "u":
            return pd.arrays.IntegerArray(values.copy(), gone)
        case "b":
            return pd.arrays.BooleanArray(values.copy(), gone)
        case "f":
            return np.where(gone, np.nan, values)
        case "M":
            return np.where(gone, np.datetime64("NaT"), values)
        case _:
            objects = values.astype(object)
            objects[gone] = None
            return objects


def transposed(cells: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return the contiguous columns of an array, copied in blocks of rows for speed.

    Examples
    --------
    >>> transposed(np.array([[1, 2], [3, 4], [5, 6]]), np.dtype(np.float64)).tolist()
    [[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]]
    """
    columns = np.empty(cells.shape[::-1], dtype=dtype)
    step = max(64, (1 << 16) // max(1, cells.shape[1]))
    for start in range(0, len(cells), step):
        columns[:, start : start + step] = cells[start : start + step].T
    return columns
