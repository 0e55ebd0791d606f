"""Conversion of tables to populations: pandas and polars DataFrames, numpy arrays, CSV, Parquet and Feather files.

A row is an individual and a column is an attribute, whose kind follows from the type of the column:

==========================================  =================================================================
column type                                 kind
==========================================  =================================================================
booleans                                    ``bool``
integers                                    ``int``
other numbers, also decimals                ``real``
strings                                     ``nominal``; ``date`` or ``time`` if all are ISO 8601
categories                                  ``nominal`` with declared values; ``ordered`` if they are ordered
dates and times                             ``date`` if all are at midnight, else ``time`` in UTC
durations                                   ``real``, in seconds
no values and no type                       ``nominal`` without categories
Python objects                              inferred by `structtree.data.kinds`; mixed types are an error
==========================================  =================================================================

In a CSV file a column is numeric only if every value is a number. Numbers with the wrong decimal separator are an
error rather than text.

With ``group`` a table describes sets: rows with the same value in that column are the elements of one individual, and
columns that are constant within every individual are its attributes. The grouping column itself becomes the name of
the individual and is not an attribute.

Columns are converted as a whole, without a loop over cells.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structtree.data.kinds import DeclaredKind, Overrides, keeps_text, type_name_of
from structtree.data.population import Adjacency, Column, Population, TypedTable, linked_population, typed_table
from structtree.data.provenance import Provenance
from structtree.data.readers.options import RowOptions
from structtree.data.readers.tables.delimited import CsvLayout, csv_layout, csv_sheet
from structtree.data.readers.tables.sheets import (
    Coded,
    PythonValues,
    Raw,
    Sheet,
    Texts,
    TypedColumn,
    frame_columns,
    frame_of_cells,
    frame_of_fields,
    names_of,
    transposed,
    unique_names,
)
from structtree.data.readers.text_files import MISSING_WORDS, require_file
from structtree.data.schema import Attribute, Kind, Link
from structtree.errors import DataError, UnknownNameError, UsageError

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "arrow_sheet",
    "frame_sheet",
    "from_array",
    "from_frame",
    "from_sheet",
    "read_arrow",
    "read_csv",
]


def from_sheet(sheet: Sheet, *, copy: bool = True, **rows: Unpack[RowOptions]) -> Population:
    """Convert a sheet to a population.

    Parameters
    ----------
    sheet : Sheet
    copy : bool
        Whether to copy numbers, or to share them with the sheet if possible.
    individual, types, group, link
        As for `from_frame`; ``types`` overrides the kinds declared in the sheet.

    Examples
    --------
    >>> size = Texts(["big", "small"], Attribute("size", "nominal", ("small", "big")))
    >>> population = from_sheet(Sheet({"size": size, "weight": Texts(["1.5", None])}, 2))
    >>> population.record(0), population.record(1)
    ({'size': 'big', 'weight': 1.5}, {'size': 'small'})
    """
    shape, overrides = _shape(**rows), Overrides(rows.get("types") or {})
    if shape.group is not None and shape.group not in sheet.columns:
        raise UnknownNameError("column", shape.group, sheet.columns)
    typed = [
        sheet.typed(name, shape.declared_kind(overrides, name), are_individuals=shape.link is None, copy=copy)
        for name in sheet.columns
        if name != shape.group
    ]
    if shape.group is None:
        population = _flat(typed, shape.individual, sheet.n_rows)
    else:
        codes, names = _groups(sheet, shape.group)
        population = _grouped(typed, codes, shape, overrides)
        provenance = Provenance(np.arange(len(names)), len(names), {shape.group: names})
        population = replace(population, provenance=provenance)
    if overrides.given:
        _without_group(overrides, shape.group).check(population.schema)
    return population


def from_frame(
    frame: Any,
    *,
    source: str | None = None,
    columns: Collection[str] | None = None,
    copy: bool = True,
    **rows: Unpack[RowOptions],
) -> Population:
    """Convert a pandas or polars DataFrame to a population, whose individuals are rows or groups of rows.

    Parameters
    ----------
    frame : DataFrame
        A pandas DataFrame, whose index is ignored, or a polars DataFrame.
    individual : str, optional
        Name of the individual type; by default ``Row``, or ``Individual`` with ``group``.
    types : mapping, optional
        Declared kinds of columns, such as ``{"zip": "nominal"}``.
    group : str, optional
        Column that identifies the individual of each row.
    link : str, optional
        Name of the link from an individual to its rows; ``rows`` by default.
    source : str, optional
        Name of the source, for errors.
    columns : collection of str, optional
        Columns to read; all by default.
    copy : bool
        Whether to copy numbers. Otherwise they may be shared with the DataFrame, which must not be modified while
        the population is in use.

    Examples
    --------
    >>> import pandas as pd
    >>> flat = pd.DataFrame({"x": [1.5, None], "kind": ["b", "a"]})
    >>> from_frame(flat).schema.type("Row").attributes
    (<Attribute: x, real>, <Attribute: kind, nominal>)
    >>> bags = pd.DataFrame({"bag": ["p", "p", "q"], "x": [1, 2, 3], "label": ["yes", "yes", "no"]})
    >>> population = from_frame(bags, group="bag", link="items")
    >>> population.record(0)
    {'label': 'yes', 'items': [{'x': 1}, {'x': 2}]}
    """
    return from_sheet(frame_sheet(frame, source, columns), copy=copy, **rows)


def from_array(
    array: ArrayLike,
    names: Sequence[str] | None = None,
    *,
    individual: str = "Row",
    types: Mapping[str, str] | None = None,
    columns: Collection[str] | None = None,
    copy: bool = True,
) -> Population:
    """Convert a two-dimensional array to a population, with rows as individuals and columns as attributes.

    Parameters
    ----------
    array : array
        Booleans, numbers (NaN or masked for missing) or strings. In an array of objects each column has its own
        type. A structured array has one dimension and one column per field.
    names : sequence of str, optional
        Column names; by default those of the fields, or ``x0``, ``x1`` and so on.
    individual : str
        Name of the individual type.
    types : mapping, optional
        Declared kinds of columns, such as ``{"x0": "nominal"}`` for numeric codes.
    columns : collection of str, optional
        Names of the columns to read; all by default.
    copy : bool
        Whether to copy numbers. Otherwise they may be shared with the array, which must not be modified while the
        population is in use.

    Examples
    --------
    >>> population = from_array([[1.5, 2.0], [0.5, float("nan")]])
    >>> population.record(0), population.record(1)
    ({'x0': 1.5, 'x1': 2.0}, {'x0': 0.5})
    >>> people = np.array([("Ann", 31), ("Bob", 28)], dtype=[("name", "U9"), ("age", int)])
    >>> from_array(people).record(1)
    {'name': 'Bob', 'age': 28}
    """
    cells = array if isinstance(array, np.ma.MaskedArray) else np.asarray(array)
    if cells.dtype.names is not None:
        given = _given_names(cells.dtype.names if names is None else names, len(cells.dtype.names))
        fields = frame_of_fields(cells).set_axis(given, axis=1)
        return from_frame(fields, individual=individual, types=types, columns=columns, copy=copy)
    if cells.ndim != 2:
        raise DataError(f"expected a two-dimensional array, got {cells.ndim} dimensions")
    given = _given_names([f"x{i}" for i in range(cells.shape[1])] if names is None else names, cells.shape[1])
    places = [place for place, name in enumerate(given) if columns is None or name in columns]
    names = [given[place] for place in places]
    if types or isinstance(cells, np.ma.MaskedArray) or cells.dtype.kind not in "biuf":
        frame = frame_of_cells(cells[:, places]).set_axis(names, axis=1)
        return from_frame(frame, individual=individual, types=types)
    kind: Kind = "bool" if cells.dtype.kind == "b" else "real" if cells.dtype.kind == "f" else "int"
    values = _columns_of_cells(cells, places, np.dtype(np.int8 if kind == "bool" else np.float64), copy)
    typed = [TypedColumn(Attribute(name, kind), Column(kind, each)) for name, each in zip(names, values, strict=True)]
    return _flat(typed, individual, len(cells))


def _columns_of_cells(
    cells: NDArray[Any], places: list[int], dtype: np.dtype[Any], copy: bool
) -> Iterable[NDArray[Any]]:
    """Return the given columns of an array, copied or shared."""
    if copy and len(places) == cells.shape[1]:
        return transposed(cells, dtype)
    return [cells[:, place].astype(dtype, copy=copy) for place in places]


def read_csv(
    path: str | os.PathLike[str] | CsvLayout,
    *,
    delimiter: str | None = None,
    header: bool | None = None,
    names: Sequence[str] | None = None,
    encoding: str = "utf-8",
    decimal: str = ".",
    missing_words: Sequence[str] = MISSING_WORDS,
    **rows: Unpack[RowOptions],
) -> Population:
    """Read a file of delimited text, such as CSV or TSV (``.gz`` is unpacked).

    Parameters
    ----------
    path : path or CsvLayout
        File, or its layout if already known.
    individual, types, group, link
        As for `from_frame`; a column declared as ``nominal`` keeps its original text (``007``).
    delimiter : str, optional
        Field separator; a space stands for any whitespace. By default comma, semicolon, tab or ``|`` is detected.
    header : bool, optional
        Whether the first line contains the column names; True by default, unless ``names`` are given. By default a
        first line that looks like data is an error.
    names : sequence of str, optional
        Column names; with ``header=True`` they replace those in the file. Without a header and names the columns are
        ``c1``, ``c2`` and so on.
    encoding : str
        Text encoding, such as ``utf-8``, ``cp1252`` (Windows), ``latin-1`` or ``utf-16``.
    decimal : {".", ","}
        Decimal separator.
    missing_words : sequence of str
        Words for missing values, besides an empty field; `structtree.data.readers.text_files.MISSING_WORDS` by
        default.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "towns.csv"
    ...     _ = file.write_text("zip;people;area\\n01234;12;0,5\\n99999;?;2,25\\n")
    ...     towns = read_csv(file, types={"zip": "nominal"}, decimal=",")
    >>> towns.record(0), towns.record(1)
    ({'zip': '01234', 'people': 12, 'area': 0.5}, {'zip': '99999', 'area': 2.25})
    """
    layout = path
    if not isinstance(layout, CsvLayout):
        layout = csv_layout(layout, delimiter=delimiter, header=header, names=names, encoding=encoding)
    shape, overrides = _shape(**rows), Overrides(rows.get("types") or {})
    as_text = {name for name in layout.names if keeps_text(shape.declared_kind(overrides, name))}
    return from_sheet(csv_sheet(layout, decimal=decimal, missing_words=missing_words, as_text=as_text), **rows)


def read_arrow(
    path: str | os.PathLike[str], *, format: Literal["Parquet", "Feather"], **rows: Unpack[RowOptions]
) -> Population:
    """Read a Parquet or Feather (Arrow) file; requires ``pyarrow``.

    Parameters
    ----------
    path : path
    format : {"Parquet", "Feather"}
    individual, types, group, link
        As for `from_frame`.
    """
    return from_sheet(arrow_sheet(path, format), **rows)


def arrow_sheet(path: str | os.PathLike[str], format: Literal["Parquet", "Feather"]) -> Sheet:
    """Read a Parquet or Feather file as a sheet; requires ``pyarrow``."""
    import pandas as pd

    where = require_file(path)
    try:
        import pyarrow  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        fix = "pip install 'structtree[parquet]'"
        raise UsageError(f"{where}: reading {format} requires the package pyarrow; {fix}") from None
    try:
        read: Callable[..., pd.DataFrame] = getattr(pd, f"read_{format.lower()}")
        return frame_sheet(read(where, dtype_backend="numpy_nullable"), os.fspath(path))
    except (pyarrow.ArrowInvalid, OSError) as error:
        raise DataError(f"not a {format} file ({str(error).splitlines()[0]})", source=str(where)) from None


def frame_sheet(frame: Any, source: str | None = None, columns: Collection[str] | None = None) -> Sheet:
    """Return all or some columns of a pandas or polars DataFrame as a sheet."""
    names = unique_names(names_of(frame), source)
    places = [place for place, name in enumerate(names) if columns is None or name in columns]
    chosen = dict(zip([names[place] for place in places], frame_columns(frame, places), strict=True))
    return Sheet(chosen, len(frame), source)


# ---- individuals -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Shape:
    """Role of the rows of a table: individuals, or elements of individuals."""

    individual: str
    group: str | None = None
    link: str | None = None

    @property
    def element(self) -> str:
        return self.individual if self.link is None else type_name_of(self.link)

    def declared_kind(self, overrides: Overrides, column: str) -> DeclaredKind | None:
        """Return the declared kind of a column, as an attribute of the elements or of the individuals."""
        if not overrides.given:
            return None
        return overrides.declared_kind(self.element, column) or overrides.declared_kind(self.individual, column)


def _shape(
    individual: str | None = None, types: object = None, group: str | None = None, link: str | None = None
) -> _Shape:
    if group is None:
        if link is not None:
            raise UsageError(
                f"the link {link!r} needs a group: the column that identifies the individual of each row"
            )
        return _Shape(individual or "Row")
    shape = _Shape(individual or "Individual", group, link or "rows")
    if shape.element == shape.individual:
        raise UsageError(
            f"the individual and the elements of the link {shape.link!r} have the same type {shape.element!r}; give "
            "the individual another name"
        )
    return shape


def _flat(columns: Sequence[TypedColumn], individual: str, n_rows: int) -> Population:
    return linked_population(individual, [_typed_table(individual, n_rows, columns)])


def _typed_table(
    name: str, n_rows: int, columns: Sequence[TypedColumn], links: Mapping[Link, Adjacency] | None = None
) -> TypedTable:
    by_name = {one.attribute.name: one.column for one in columns}
    return typed_table(name, n_rows, by_name, links or {}, [one.attribute for one in columns])


def _groups(sheet: Sheet, group: str) -> tuple[NDArray[np.int64], list[str]]:
    """Return the group number of each row, in order of first appearance, and the value of each group as a string."""
    import pandas as pd

    column: Raw = sheet.columns[group]
    values: Any
    match column:
        case Coded():
            codes, values = column.codes, column.values
        case Texts() | PythonValues():
            codes, values = pd.factorize(np.array(column.cells, dtype=object))
        case _:
            codes, values = pd.factorize(column)
    if (codes < 0).any():
        row = int(np.argmax(codes < 0))
        where = f"row {row} of column {group!r}"
        raise DataError("a row has no group", source=sheet.source, line=sheet.line_of(row), path=where)
    numbers, found = pd.factorize(codes)
    return np.asarray(numbers, dtype=np.int64), [str(values[code]) for code in found.tolist()]


def _without_group(overrides: Overrides, group: str | None) -> Overrides:
    """Return the declared kinds of attributes, except that of the grouping column if it is nominal."""
    return Overrides({k: kind for k, kind in overrides.given.items() if (k, kind) != (group, "nominal")})


def _grouped(
    columns: Sequence[TypedColumn], codes: NDArray[np.int64], shape: _Shape, overrides: Overrides
) -> Population:
    """Return a population of individuals with sets of rows, sorted by group."""
    assert shape.link is not None  # because there is a group
    order, sizes = np.argsort(codes, kind="stable"), np.bincount(codes)
    starts = np.cumsum(sizes) - sizes
    inside = np.ones(len(order), dtype=np.bool_)  # whether a row belongs to the group of the row before
    inside[starts] = False
    ordered = [one.take(order) for one in columns]
    is_own = [_constant(one.column.values, inside) for one in ordered]
    own = [one.take(starts) for one, mine in zip(ordered, is_own, strict=True) if mine]
    rest = [one for one, mine in zip(ordered, is_own, strict=True) if not mine]
    link = Link(shape.link, overrides.link(shape.individual, shape.link) or "set", shape.element)
    above = _typed_table(shape.individual, len(sizes), own, {link: Adjacency.in_order(sizes)})
    return linked_population(shape.individual, [above, _typed_table(shape.element, len(order), rest)])


def _constant(values: NDArray[Any], inside: NDArray[np.bool_]) -> bool:
    """Return whether a column, sorted by group, has one value in each group."""
    before, after = values[:-1], values[1:]
    same = (before == after) | ((before != before) & (after != after))
    return bool((same | ~inside[1:]).all())


# ---- columns ---------------------------------------------------------------------------------------------


def _given_names(names: Sequence[str], n: int) -> list[str]:
    given = unique_names(map(str, names), None)
    if len(given) != n:
        raise UsageError(f"expected {n} names, one for each column, got {len(given)}")
    return given
