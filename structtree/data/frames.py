"""Columns of frames, arrays and declared text, one by one, as attributes with their columns.

A column is converted whole: numbers are copied, and of text and categories only the different values are looked at.
What kind a column becomes is said in `structtree.data.tables`, which puts the columns together.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from structtree.data.columns import Column
from structtree.data.infer import Misfit, encode, family_of, missing_column, shown
from structtree.data.schema import Attribute, Kind
from structtree.errors import DataError, UsageError

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Coded",
    "Declared",
    "Member",
    "Raw",
    "columns_of",
    "frame_of_cells",
    "frame_of_fields",
    "member_of",
    "transposed",
]


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """An attribute and its column."""

    attribute: Attribute
    column: Column

    def take(self, rows: NDArray[np.int64]) -> Member:
        """The attribute and its column in the chosen rows."""
        return Member(self.attribute, self.column.take(rows))


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """A column as codes into its different values, -1 for missing; the values may be declared, and in order."""

    codes: NDArray[Any]
    values: list[Any]
    declared: bool = False
    ordered: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Declared:
    """A column of text that says what it is.

    Parameters
    ----------
    attribute : Attribute
    cells : sequence of str or None
        None is missing.
    number : callable, optional
        How to read a cell as a number where its text is none, as for dates; it raises ValueError.
    expected : str
        What such a cell is, for errors.
    """

    attribute: Attribute
    cells: Sequence[str | None]
    number: Callable[[str], float] | None = None
    expected: str = ""


Raw: TypeAlias = "pd.Series[Any] | Coded | Declared"
"""A column before it is converted."""


def columns_of(frame: Any) -> list[pd.Series[Any] | Coded]:
    """The columns of a frame of pandas or polars; polars is asked only if somebody has loaded it.

    Examples
    --------
    >>> import pandas as pd
    >>> [column.tolist() for column in columns_of(pd.DataFrame({"x": [1, 2], "y": [3, 4]}))]
    [[1, 2], [3, 4]]
    """
    import pandas as pd

    polars = sys.modules.get("polars")
    if polars is not None and isinstance(frame, polars.DataFrame):
        return [_of_polars(series, polars) for series in frame.get_columns()]
    if isinstance(frame, pd.DataFrame):
        return [series for _, series in frame.items()]
    hint = "; collect() it first" if hasattr(frame, "collect") else ""
    raise UsageError(f"expected a DataFrame of pandas or polars, got a {type(frame).__name__}{hint}")


def member_of(column: Raw, name: str, kind: Kind | None = None) -> Member:
    """A column as an attribute, of the kind that its type tells unless one is declared.

    Raises
    ------
    Misfit
        When a value cannot be read as declared, or values of different families stand in one column.

    Examples
    --------
    >>> import pandas as pd
    >>> member_of(pd.Series(["b", None, "a"]), "x").column.values.tolist()
    [1, -1, 0]
    >>> member_of(pd.Series([1, 0]), "x", "bool").attribute.kind
    'bool'
    """
    match column:
        case Declared():
            return _of_declared(column, kind)
        case Coded():
            return _of_codes(column, name, kind)
        case _:
            return _converted(column, name, kind)


# ---- pandas ----------------------------------------------------------------------------------------------


def _converted(series: pd.Series[Any], name: str, kind: Kind | None) -> Member:
    """A column of pandas; what is not numbers, flags or moments is coded first."""
    import pandas as pd

    dtype = series.dtype
    if isinstance(dtype, pd.SparseDtype):
        return _converted(pd.Series(np.asarray(series)), name, kind)
    if dtype.kind in "iuf":
        return _plain_member(name, _numeric(series, kind))
    if isinstance(dtype, pd.CategoricalDtype):
        values = [_plain_value(value) for value in dtype.categories]
        coded = Coded(series.cat.codes.to_numpy(), values, declared=True, ordered=bool(dtype.ordered))
        return _of_codes(coded, name, kind)
    if isinstance(dtype, pd.PeriodDtype):
        return _converted(series.dt.to_timestamp(), name, kind)
    if dtype.kind == "b" and kind in (None, "bool"):
        return _plain_member(name, Column("bool", _flags(series)))
    if dtype.kind in "mM" and dtype.type is not date:  # the dates of Arrow come as objects only
        return _of_moments(series, name, kind)
    return _of_objects(series, name, kind)


def _plain_member(name: str, column: Column) -> Member:
    return Member(Attribute(name, column.kind), column)


def _plain_value(value: Any) -> Any:
    """A category as a plain value: intervals and dates as text."""
    return value if family_of(type(value)) in ("flag", "number", "string") else str(value)


def _numeric(series: pd.Series[Any], kind: Kind | None) -> Column:
    """A column of numbers, copied as it is if it may stay one."""
    import pandas as pd

    own: Kind = "int" if series.dtype.kind in "iu" else "real"
    if isinstance(series.dtype, np.dtype):  # there NaN is missing already, and looking for it would triple the time
        numbers = np.array(series.to_numpy(), dtype=np.float64)
    else:
        numbers = series.to_numpy(dtype=np.float64, na_value=np.nan, copy=True)
    if kind in (None, own, "real"):
        return Column(kind or own, numbers)
    codes, found = pd.factorize(numbers)
    # pandas keeps whole numbers with gaps as floats; as text they are whole numbers again.
    whole = bool((found == np.floor(found)).all()) and not np.isinf(found).any()
    values = [int(number) for number in found] if whole else found.tolist()
    return _spread(_encoded(codes, values, kind), codes)


def _flags(series: pd.Series[Any]) -> NDArray[np.int8]:
    if not series.hasnans:
        return series.to_numpy(dtype=np.int8)
    flags = series.to_numpy(dtype=np.bool_, na_value=False).astype(np.int8)
    flags[series.isna().to_numpy()] = -1
    return flags


def _of_moments(series: pd.Series[Any], name: str, kind: Kind | None) -> Member:
    import pandas as pd

    if kind in (None, "real"):
        unit = "datetime64[us]" if series.dtype.kind == "M" else "timedelta64[us]"
        moments = series.to_numpy(dtype=unit)
        return _plain_member(
            name, Column("real", np.where(np.isnat(moments), np.nan, moments.astype(np.int64) / 1e6))
        )
    codes, found = pd.factorize(series)
    return _of_codes(Coded(codes, [str(moment) for moment in found]), name, kind)


def _of_objects(series: pd.Series[Any], name: str, kind: Kind | None) -> Member:
    """A column of text, or of Python objects of any sort."""
    import pandas as pd

    cells = series.to_numpy(dtype=object)
    sort = "string" if isinstance(series.dtype, pd.StringDtype) else pd.api.types.infer_dtype(cells, skipna=True)
    match sort:
        case "string":
            codes, found = pd.factorize(cells)
            return _of_codes(Coded(codes, list(found)), name, kind)
        case "date" | "datetime":
            return _of_moments(pd.Series(pd.to_datetime(cells, utc=True)), name, kind)
        case "timedelta":
            return _of_moments(pd.Series(pd.to_timedelta(cells)), name, kind)
        case "decimal":
            return _plain_member(name, _numeric(series.astype(np.float64), kind))
    values = [None if gone else cell for gone, cell in zip(pd.isna(cells).tolist(), cells, strict=True)]
    column = encode(values, kind)
    return _plain_member(name, missing_column("nominal", len(values)) if column is None else column)


def _of_codes(coded: Coded, name: str, kind: Kind | None) -> Member:
    values = coded.values
    if coded.ordered and kind in ("int", "real") and any(isinstance(value, str) for value in values):
        values = list(range(len(values)))
    each = _encoded(coded.codes, values, kind or "nominal")
    column = _spread(each, coded.codes)
    if not coded.declared or column.kind != "nominal":
        return _plain_member(name, column)
    in_order = dict.fromkeys(each.categories[code] for code in each.values)
    return Member(Attribute(name, "nominal", tuple(in_order)), column)


def _encoded(codes: NDArray[Any], values: list[Any], kind: Kind) -> Column:
    """The different values of a column, each converted once; what does not fit is told by its first row."""
    try:
        column = encode(values, kind)
    except Misfit as misfit:
        row = int(np.argmax(codes == misfit.index))
        raise Misfit(row, misfit.message, misfit.fix) from None
    assert column is not None  # because the kind is declared
    return column


def _spread(each: Column, codes: NDArray[Any]) -> Column:
    """The column of all rows from that of its different values; an extra last place is for missing ones."""
    return Column(each.kind, np.append(each.values, missing_column(each.kind, 1).values)[codes], each.categories)


# ---- declared text ---------------------------------------------------------------------------------------


def _of_declared(column: Declared, kind: Kind | None) -> Member:
    attribute = column.attribute
    if kind not in (None, attribute.kind):
        attribute = Attribute(attribute.name, kind)
    cells = _numbers(column) if attribute.kind in ("int", "real") else column.cells
    made = encode(cells, attribute.kind, attribute.values)
    assert made is not None  # because the kind is declared
    return Member(attribute, made)


def _numbers(column: Declared) -> Sequence[Any]:
    """The cells as numbers; or as they are, if one is no number, for `encode` to say which."""
    read = column.number or float
    try:
        return [None if cell is None else read(cell) for cell in column.cells]
    except ValueError:
        if column.number is None:
            return column.cells
    index = next(i for i, cell in enumerate(column.cells) if cell is not None and not _is_readable(cell, read))
    raise Misfit(index, f"expected {column.expected}, got {shown(column.cells[index])}", "nominal")


def _is_readable(cell: str, read: Callable[[str], float]) -> bool:
    try:
        read(cell)
    except ValueError:
        return False
    return True


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
        return pd.Series(_microseconds(series.dt.epoch("us")).view("datetime64[us]"))
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
    return pd.DataFrame({field: _cells(cells[field]) for field in fields})


def frame_of_cells(cells: NDArray[Any]) -> pd.DataFrame:
    """The columns of an array of text, of values of different sorts, or of values of which some are masked.

    Examples
    --------
    >>> frame_of_cells(np.ma.array([[1, 2]], mask=[[False, True]]))[1].tolist()
    [<NA>]
    """
    import pandas as pd

    columns = {place: _cells(cells[:, place]) for place in range(cells.shape[1])}
    return pd.DataFrame(columns, index=range(len(cells))).infer_objects()


def _cells(column: NDArray[Any]) -> Any:
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
