"""Sheets: tables as their readers give them, and their columns one by one as attributes with their columns.

A sheet has raw columns by name, of a frame, of codes or of text, perhaps declared, and knows on which line a row
stands. A column is converted whole: numbers are copied, and of text and categories only the different values are
looked at. What kind a column becomes is said in `structtree.data.readers.tables.reading`, which makes populations of
sheets.
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
    ValueMismatch,
    Wanted,
    encode,
    missing_column,
    shown,
    sort_of,
    warn_of_lost_digits,
    warn_of_zones,
    with_dates,
)
from structtree.data.population import Column
from structtree.data.schema import Attribute, Kind
from structtree.errors import DataError, UsageError, option_text

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
]


@dataclass(frozen=True, slots=True, eq=False)
class TypedColumn:
    """An attribute and its column."""

    attribute: Attribute
    column: Column

    def take(self, rows: NDArray[np.int64]) -> TypedColumn:
        """The attribute and its column in the chosen rows."""
        return TypedColumn(self.attribute, self.column.take(rows))


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """A column as codes into its different values, -1 for missing; the values may be declared, and in order."""

    codes: NDArray[Any]
    values: list[Any]
    declared: bool = False
    ordered: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """A column of text, which may say what it is; otherwise it is of numbers if each text is one.

    Parameters
    ----------
    cells : sequence of str or None
        None is missing.
    attribute : Attribute, optional
        What the column is declared to be.
    number : callable, optional
        How to read a cell of dates, as seconds since 1970; it raises ValueError.
    expected : str
        What such a cell is, for errors.
    """

    cells: Sequence[str | None]
    attribute: Attribute | None = None
    number: Callable[[str], float] | None = None
    expected: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class PythonValues:
    """A column of Python values of any sort; None and NaN are missing."""

    cells: Sequence[Any]


_SAMPLE = 256
"""So many texts of a column tell whether equal ones are one object."""

Raw: TypeAlias = "pd.Series[Any] | Coded | Texts | PythonValues"
"""A column before it is converted."""


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """A table as its reader gives it.

    Parameters
    ----------
    columns : mapping from name to raw column
    n_rows : int
    source : str, optional
        Where it comes from, for errors.
    lines : sequence of int or callable, optional
        The line of the source on which each row stands; or what finds those of some rows, when something is wrong.
    """

    columns: Mapping[str, Raw]
    n_rows: int
    source: str | None = None
    lines: Sequence[int] | Callable[[Sequence[int]], list[int | None]] | None = None

    def lines_of(self, rows: Sequence[int]) -> list[int | None]:
        """Return the lines on which some rows stand, None where that is not known."""
        if callable(self.lines):
            return self.lines(rows)
        return [None if self.lines is None else self.lines[row] for row in rows]

    def line_of(self, row: int) -> int | None:
        """Return the line on which a row stands, if it is known."""
        return self.lines_of([row])[0]

    def typed(
        self, name: str, wanted: Wanted | None = None, *, are_individuals: bool = True, copy: bool = True
    ) -> TypedColumn:
        """Return a column as an attribute, see `typed_column`; what does not fit is told with its place.

        Examples
        --------
        >>> Sheet({"x": Texts(["1", "b"])}, 2, "a.smi", [5, 6]).typed("x", Wanted("int"))
        Traceback (most recent call last):
        structtree.errors.DataError: a.smi:6: expected a whole number, got 'b' at column 'x' (individual 1); ...
        """
        try:
            typed = typed_column(self.columns[name], name, wanted, copy=copy)
        except ValueMismatch as mismatch:
            row = mismatch.index
            raise DataError(
                mismatch.message,
                source=self.source,
                line=self.line_of(row),
                path=f"column {name!r}" if are_individuals else f"row {row} of column {name!r}",
                individual=row if are_individuals else None,
                fix=f"to read all of it as text: {option_text('types', {name: 'nominal'})}"
                if mismatch.fix == "nominal"
                else None,
            ) from None
        warn_of_lost_digits(typed.column, name)
        return typed


def frame_columns(frame: Any, places: Iterable[int] | None = None) -> list[pd.Series[Any] | Coded]:
    """Return the columns of a frame of pandas or polars, or some of them; polars is not loaded for it.

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
    """The names of the columns of a frame, as text; one without a name is called by its place, as in ``column3``.

    Raises
    ------
    UsageError
        When it is no frame of pandas or polars.

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
        raise UsageError(f"expected a DataFrame of pandas or polars, got a {type(frame).__name__}{hint}")
    return [_name(name, place) for place, name in enumerate(frame.columns, 1)]


def _name(name: Any, place: int) -> str:
    """The name of a column as text: of several levels joined, and by its place where there is none."""
    if isinstance(name, tuple):
        return "_".join(_name(part, place) for part in name if part != "") or f"column{place}"
    return f"column{place}" if name is None or name != name or name == "" else str(name)


def typed_column(column: Raw, name: str, wanted: Wanted | None = None, *, copy: bool = True) -> TypedColumn:
    """A column as an attribute, of the kind that its type tells unless one is declared.

    Parameters
    ----------
    column : column of pandas, Coded, Texts or PythonValues
    name : str
    wanted : Wanted, optional
    copy : bool
        Whether numbers are copied also where the column could share those of the frame.

    Raises
    ------
    ValueMismatch
        When a value cannot be read as declared, or values of different sorts stand in one column.

    Examples
    --------
    >>> import pandas as pd
    >>> typed_column(pd.Series(["b", None, "a"]), "x").column.values.tolist()
    [1, -1, 0]
    >>> typed_column(pd.Series([1, 0]), "x", Wanted("bool")).attribute.kind
    'bool'
    """
    match column:
        case Texts():
            return _of_texts(column, name, wanted)
        case PythonValues():
            return _of_values(column.cells, name, wanted)
        case Coded():
            return _of_codes(column, name, wanted)
        case _:
            return _converted(column, name, wanted, copy)


# ---- pandas ----------------------------------------------------------------------------------------------


def _converted(series: pd.Series[Any], name: str, wanted: Wanted | None, copy: bool = True) -> TypedColumn:
    """A column of pandas; what is not numbers, flags or moments is coded first."""
    import pandas as pd

    dtype = series.dtype
    if isinstance(dtype, pd.SparseDtype):
        return _converted(pd.Series(np.asarray(series)), name, wanted)
    if dtype.kind in "iuf":
        return _numeric(series, name, wanted, copy)
    if isinstance(dtype, pd.CategoricalDtype):
        values = [_plain_value(value) for value in dtype.categories]
        coded = Coded(series.cat.codes.to_numpy(), values, declared=True, ordered=bool(dtype.ordered))
        return _of_codes(coded, name, wanted)
    if isinstance(dtype, pd.PeriodDtype):
        return _converted(series.dt.to_timestamp(), name, wanted)
    if dtype.kind == "b" and (wanted is None or wanted.kind == "bool"):
        return _plain_column(name, Column("bool", _flags(series)))
    if dtype.kind == "M" and dtype.type is not date:  # the dates of Arrow come as objects only
        return _of_moments(series, name, wanted)
    if dtype.kind == "m":
        return _of_spans(series, name, wanted)
    return _of_objects(series, name, wanted)


def _plain_column(name: str, column: Column) -> TypedColumn:
    return TypedColumn(column.as_attribute(name), column)


def _plain_value(value: Any) -> Any:
    """A category as a plain value: intervals and dates as text."""
    return value if sort_of(type(value)) in ("flag", "number", "string") else str(value)


def _numeric(series: pd.Series[Any], name: str, wanted: Wanted | None, copy: bool = True) -> TypedColumn:
    """A column of numbers, taken as it is if it may stay one."""
    import pandas as pd

    own: Kind = "int" if series.dtype.kind in "iu" else "real"
    if wanted is not None and wanted.kind not in (own, "real"):
        codes, found = pd.factorize(series)
        return _of_codes(Coded(codes, found.tolist()), name, wanted)
    if isinstance(series.dtype, np.dtype):  # there NaN is missing already, and looking for it would triple the time
        numbers = series.to_numpy().astype(np.float64, copy=copy)
    else:
        numbers = series.to_numpy(dtype=np.float64, na_value=np.nan, copy=True)
    return _plain_column(name, Column(own if wanted is None else wanted.kind, numbers))


def _flags(series: pd.Series[Any]) -> NDArray[np.int8]:
    if not series.hasnans:
        return series.to_numpy(dtype=np.int8)
    flags = series.to_numpy(dtype=np.bool_, na_value=False).astype(np.int8)
    flags[series.isna().to_numpy()] = -1
    return flags


def _of_moments(series: pd.Series[Any], name: str, wanted: Wanted | None) -> TypedColumn:
    """A column of dates and times, which numpy can convert in one go."""
    moments = series.to_numpy(dtype="datetime64[us]")
    if _zone(series.dtype) is not None:
        warn_of_zones()
    if wanted is not None and wanted.kind not in ("real", "date", "time"):
        return _of_values(list(moments), name, wanted)
    outside = (moments < _FIRST) | (moments > _LAST)
    if outside.any():
        row = int(np.argmax(outside))
        raise ValueMismatch(row, f"expected a date in the years 1 to 9999, got {moments[row]}")
    seconds = numbers_of_dates(moments)
    if wanted is not None and wanted.kind == "real":
        return _plain_column(name, Column("real", seconds))
    kind = wanted.kind if wanted is not None else kind_of_seconds(seconds)
    return _plain_column(name, Column(kind, to_kind(seconds, "date" if kind == "date" else "time")))


_FIRST, _LAST = np.datetime64("0001-01-01"), np.datetime64("9999-12-31T23:59:59.999999")


def _zone(dtype: Any) -> Any:
    """Return the time zone of a type of pandas or Arrow, if it has one."""
    return getattr(dtype, "tz", None) or getattr(getattr(dtype, "pyarrow_dtype", None), "tz", None)


def _of_spans(series: pd.Series[Any], name: str, wanted: Wanted | None) -> TypedColumn:
    """A column of spans of time, as seconds."""
    import pandas as pd

    spans = series.to_numpy(dtype="timedelta64[us]")
    seconds = np.where(np.isnat(spans), np.nan, spans.astype(np.int64) / 1e6)
    return _numeric(pd.Series(seconds), name, wanted)


def _of_objects(series: pd.Series[Any], name: str, wanted: Wanted | None) -> TypedColumn:
    """A column of text, or of Python objects of any sort."""
    import pandas as pd

    if isinstance(series.dtype, pd.StringDtype) and series.dtype.storage == "pyarrow":  # which counts by itself
        codes, found = pd.factorize(series)
        return _of_codes(Coded(codes, list(found)), name, wanted)
    cells = series.to_numpy(dtype=object)
    sort = "string" if isinstance(series.dtype, pd.StringDtype) else pd.api.types.infer_dtype(cells, skipna=True)
    match sort:
        case "string":
            return _of_codes(_coded(cells), name, wanted)
        case "timedelta":
            return _of_spans(pd.Series(pd.to_timedelta(cells)), name, wanted)
        case "decimal":
            return _numeric(series.astype(np.float64), name, wanted)
    values = [None if gone else cell for gone, cell in zip(pd.isna(cells).tolist(), cells, strict=True)]
    return _of_values(values, name, wanted)


def _of_values(values: Sequence[Any], name: str, wanted: Wanted | None) -> TypedColumn:
    if wanted is not None:
        return _plain_column(name, _as_wanted(values, wanted))
    column = encode(values)
    return _plain_column(name, missing_column("nominal", len(values)) if column is None else with_dates(column))


def _as_wanted(values: Sequence[Any], wanted: Wanted) -> Column:
    column = encode(values, wanted.kind, wanted.values, layout=wanted.layout)
    assert column is not None  # because the kind is declared
    return column


def _coded(cells: NDArray[Any]) -> Coded:
    """A column of text as codes into its different values, in the order in which they appear.

    Readers of files make one object of texts that are equal, as far as they can. So most texts can be told apart by
    where they are in memory, which is ten times as quick as comparing them; the few that are left are compared.
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
    """Return the ``id`` of each object, without a call for each."""
    held = np.ascontiguousarray(cells)
    memory = (c_char * held.nbytes).from_address(held.ctypes.data)
    return np.frombuffer(memoryview(memory), dtype=np.intp).copy()


def _of_codes(coded: Coded, name: str, wanted: Wanted | None) -> TypedColumn:
    if wanted is None and coded.ordered and len(coded.values) > 1:
        wanted = Wanted("ordered", _texts_of(coded))
    each = _encoded(coded, wanted or Wanted("nominal"))
    if not coded.declared:
        return _plain_column(name, _spread(each if wanted else with_dates(each), coded.codes))
    column = _spread(each, coded.codes)
    if column.kind != "nominal":
        return _plain_column(name, column)
    return TypedColumn(Attribute(name, "nominal", _texts_of(coded)), column)


def _texts_of(coded: Coded) -> tuple[str, ...]:
    """Return the values of a column as categories, in their order."""
    each = _encoded(coded, Wanted("nominal"))
    return tuple(dict.fromkeys(each.categories[code] for code in each.values))


def _encoded(coded: Coded, wanted: Wanted) -> Column:
    """The different values of a column, each converted once; what does not fit is told by its first row."""
    try:
        return _as_wanted(coded.values, wanted)
    except ValueMismatch as mismatch:
        row = int(np.argmax(coded.codes == mismatch.index))
        raise ValueMismatch(row, mismatch.message, mismatch.fix) from None


def _spread(each: Column, codes: NDArray[Any]) -> Column:
    """The column of all rows from that of its different values; an extra last place is for missing ones."""
    values = np.append(each.values, missing_column(each.kind, 1).values)
    return Column(each.kind, values.take(codes), each.categories)


# ---- text ------------------------------------------------------------------------------------------------


def _of_texts(column: Texts, name: str, wanted: Wanted | None) -> TypedColumn:
    attribute = column.attribute
    if attribute is None:
        attribute = Attribute(name, _kind_of_texts(column.cells))
        if wanted is None and attribute.kind == "nominal":
            return _plain_column(name, with_dates(_as_wanted(column.cells, Wanted("nominal"))))
    if wanted is None or (wanted.kind == attribute.kind and not wanted.values):
        wanted = Wanted(attribute.kind, attribute.values)
    else:
        attribute = Attribute(attribute.name, wanted.kind, wanted.values)
    if column.number is not None and wanted.kind in ("date", "time"):
        seconds = np.array(_numbers(column), dtype=np.float64)
        return TypedColumn(attribute, Column(wanted.kind, to_kind(seconds, wanted.kind)))
    cells = _numbers(column) if wanted.kind in ("int", "real") else column.cells
    return TypedColumn(attribute, _as_wanted(cells, wanted))


def _kind_of_texts(texts: Sequence[str | None]) -> Kind:
    found = [text for text in texts if text is not None]
    try:
        numbers = [float(text) for text in found]
    except ValueError:
        return "nominal"
    whole = all(number.is_integer() for number in numbers) and not any("." in text for text in found)
    return "nominal" if not found else "int" if whole else "real"


def _numbers(column: Texts) -> Sequence[Any]:
    """Return the cells as numbers; or as they are, if one is no number, for `encode` to say which."""
    read, numbers = column.number or float, []
    try:
        for cell in column.cells:
            numbers.append(None if cell is None else read(cell))
    except ValueError:
        if column.number is None:
            return column.cells
        raise ValueMismatch(len(numbers), f"expected {column.expected}, got {shown(cell)}", "nominal") from None
    return numbers


# ---- polars ----------------------------------------------------------------------------------------------


def _of_polars(series: Any, polars: Any) -> pd.Series[Any] | Coded:
    """A column of polars as one of pandas, or coded; without pyarrow, which polars would need to do it."""
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
    """The values of a column of polars with something in place of missing ones, and which are missing."""
    return np.array(series.fill_null(value).to_numpy()), np.array(series.is_null().to_numpy())


def _microseconds(series: Any) -> NDArray[np.int64]:
    """Whole numbers, with what numpy takes for no time where one is missing."""
    return np.array(series.fill_null(np.iinfo(np.int64).min).to_numpy(), dtype=np.int64)


# ---- arrays ----------------------------------------------------------------------------------------------


def frame_of_fields(cells: NDArray[Any]) -> pd.DataFrame:
    """The fields of a structured array as columns.

    Examples
    --------
    >>> frame_of_fields(np.array([(b"Ann", 31)], dtype=[("name", "S9"), ("age", int)])).to_dict("records")
    [{'name': 'Ann', 'age': 31}]
    """
    import pandas as pd

    if cells.ndim != 1:
        raise DataError(f"expected a structured array of one dimension, got one of {cells.ndim}")
    fields = cells.dtype.names or ()
    for field in fields:
        if cells[field].ndim != 1:
            raise DataError("expected a plain value, got an array", path=f"field {field!r}")
    return pd.DataFrame({field: array_cells(cells[field]) for field in fields})


def frame_of_cells(cells: NDArray[Any]) -> pd.DataFrame:
    """The columns of an array of text, of values of different sorts, or of values of which some are masked.

    Examples
    --------
    >>> frame_of_cells(np.ma.array([[1, 2]], mask=[[False, True]]))[1].tolist()
    [<NA>]
    """
    import pandas as pd

    columns = {place: array_cells(cells[:, place]) for place in range(cells.shape[1])}
    return pd.DataFrame(columns, index=range(len(cells))).infer_objects()


def array_cells(column: NDArray[Any]) -> Any:
    """One column of an array as pandas should see it: bytes as text, whole numbers and flags with gaps nullable."""
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
    """The columns of an array, each in one run; copied by blocks of rows, so that each row is read once.

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
