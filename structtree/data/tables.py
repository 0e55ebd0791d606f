"""Tables into populations: pandas frames, numpy arrays and CSV files.

A row is an individual and a column an attribute, its kind told by the column's type: flags are ``bool``, whole
numbers ``int``, other numbers ``real``, text and categories ``nominal``; moments and spans of time are ``real``,
in seconds (moments since 1970, UTC). In a CSV file the text decides: a column is of numbers only if every value is
one; empty fields, ``?``, ``NA`` and ``NaN`` are missing; a column with no value at all is ``nominal`` without
categories; a column without a name is called after its place, ``column3``. The first line must be a header.

With ``group`` a table describes sets: the rows that agree in that column are the elements of one individual, and
the columns that are constant within every individual are attributes of it. The grouping column itself is only
the name of the individual, and is left out.

Columns are converted whole; no cell is visited by itself.
"""

from __future__ import annotations

import csv
import io
import os
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structtree.data.columns import Adjacency, Column, Population, Table
from structtree.data.infer import Misfit, Overrides, encode, missing_column, type_name_of
from structtree.data.schema import Attribute, Kind, Link, RecordType, Schema
from structtree.data.textfiles import open_text_file
from structtree.errors import DataError, UnknownNameError, UsageError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["from_array", "from_frame", "read_csv"]

_MISSING = ["", "?", "NA", "NaN"]


def from_frame(
    frame: pd.DataFrame,
    *,
    individual: str | None = None,
    types: Mapping[str, str] | None = None,
    group: str | None = None,
    link: str | None = None,
    source: str | None = None,
) -> Population:
    """A population from a pandas DataFrame: a row an individual, or a set of rows.

    Parameters
    ----------
    frame : DataFrame
        Its index is not used.
    individual : str, optional
        The name of the individual's type; ``Row``, or ``Individual`` with ``group``.
    types : mapping, optional
        Kinds to read columns as, such as ``{"zip": "nominal"}``.
    group : str, optional
        The column whose value tells to which individual a row belongs.
    link : str, optional
        The name of the set of rows of an individual; ``rows`` unless given.
    source : str, optional
        Where the frame comes from, for errors.

    Examples
    --------
    >>> import pandas as pd
    >>> flat = pd.DataFrame({"x": [1.5, None], "kind": ["b", "a"]})
    >>> from_frame(flat).schema.type("Row").attributes
    (Attribute(name='x', kind='real', values=()), Attribute(name='kind', kind='nominal', values=()))
    >>> bags = pd.DataFrame({"bag": ["p", "p", "q"], "x": [1, 2, 3], "label": ["yes", "yes", "no"]})
    >>> population = from_frame(bags, group="bag", link="items")
    >>> population.record(0)
    {'label': 'yes', 'items': [{'x': 1}, {'x': 2}]}
    """
    shape = _shape(individual, group, link)
    overrides = Overrides(types or {})
    names = _checked_names([str(name) for name in frame.columns], source)
    if group is not None and group not in names:
        raise UnknownNameError("column", group, names)
    members = [
        _member(frame.iloc[:, place], name, shape, overrides, source)
        for place, name in enumerate(names)
        if name != group
    ]
    if group is None:
        population = _flat(members, shape, len(frame))
    else:
        population = _grouped(members, shape, frame.iloc[:, names.index(group)], overrides, source)
    overrides.check(population.schema)
    return population


def from_array(array: ArrayLike, names: Sequence[str] | None = None, *, individual: str = "Row") -> Population:
    """A population from a two-dimensional array: a row an individual, a column an attribute.

    Parameters
    ----------
    array : array
        Flags, whole numbers or other numbers, NaN for missing; of a mixed array (dtype object), each column
        is taken for what its values are.
    names : sequence of str, optional
        The names of the columns; ``x0``, ``x1`` and so on unless given.
    individual : str
        The name of the individual's type.

    Examples
    --------
    >>> population = from_array([[1.5, 2.0], [0.5, float("nan")]])
    >>> population.record(0), population.record(1)
    ({'x0': 1.5, 'x1': 2.0}, {'x0': 0.5})
    """
    cells = np.asarray(array)
    if cells.ndim != 2:
        raise DataError(f"expected an array of two dimensions, got one of {cells.ndim}")
    given = [f"x{i}" for i in range(cells.shape[1])] if names is None else _checked_names(map(str, names), None)
    if len(given) != cells.shape[1]:
        raise UsageError(f"expected {cells.shape[1]} names, one for each column, got {len(given)}")
    if cells.dtype.kind not in "biuf":
        import pandas as pd

        return from_frame(pd.DataFrame(cells, columns=given).infer_objects(), individual=individual)
    kind: Kind = "bool" if cells.dtype.kind == "b" else "real" if cells.dtype.kind == "f" else "int"
    block = np.array(cells.T, dtype=np.int8 if kind == "bool" else np.float64, order="C")
    members = [_Member(Attribute(name, kind), Column(kind, row)) for name, row in zip(given, block, strict=True)]
    return _flat(members, _Shape(individual), len(cells))


def read_csv(
    path: str | os.PathLike[str],
    *,
    individual: str | None = None,
    types: Mapping[str, str] | None = None,
    group: str | None = None,
    link: str | None = None,
) -> Population:
    """A population from a CSV file with a header (``.gz`` is unpacked).

    The fields are separated by commas, tabs or semicolons, whichever the header has most of.

    Parameters
    ----------
    path : path
    individual, types, group, link
        As in `from_frame`; a column read as ``nominal`` keeps its text as it stands (``007``).

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "towns.csv"
    ...     _ = file.write_text("zip,people\\n01234,12\\n99999,?\\n")
    ...     towns = read_csv(file, types={"zip": "nominal"})
    >>> towns.record(0), towns.record(1)
    ({'zip': '01234', 'people': 12}, {'zip': '99999'})
    """
    shape, overrides = _shape(individual, group, link), Overrides(types or {})
    header = _header(path)
    as_text = [name for name in header.names if shape.kind(overrides, name) == "nominal"]
    frame = _parsed(header, as_text)
    return from_frame(frame, individual=individual, types=types, group=group, link=link, source=header.source)


# ---- what the rows are -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Shape:
    """Whether the rows of a table are individuals, or elements of a set that individuals have."""

    individual: str
    link: str | None = None

    @property
    def element(self) -> str:
        return self.individual if self.link is None else type_name_of(self.link)

    def kind(self, overrides: Overrides, column: str) -> Kind | None:
        """What the user wants a column to be read as; it may end up in either type."""
        return overrides.attribute(self.element, column) or overrides.attribute(self.individual, column)


@dataclass(frozen=True, slots=True, eq=False)
class _Member:
    """An attribute and its column."""

    attribute: Attribute
    column: Column

    def take(self, rows: NDArray[np.int64]) -> _Member:
        return _Member(self.attribute, self.column.take(rows))


def _shape(individual: str | None, group: str | None, link: str | None) -> _Shape:
    if group is None:
        if link is not None:
            raise UsageError(f"the link {link!r} needs a group: the column that tells which rows belong together")
        return _Shape(individual or "Row")
    shape = _Shape(individual or "Individual", link or "rows")
    if shape.element == shape.individual:
        raise UsageError(
            f"the link {shape.link!r} leads to the type {shape.element!r}; name the individual otherwise"
        )
    return shape


def _flat(members: Sequence[_Member], shape: _Shape, n_rows: int) -> Population:
    record = RecordType(shape.individual, tuple(member.attribute for member in members))
    table = Table(n_rows, {member.attribute.name: member.column for member in members})
    return Population(Schema((record,), shape.individual), {shape.individual: table})


def _grouped(
    members: Sequence[_Member], shape: _Shape, group: pd.Series[Any], overrides: Overrides, source: str | None
) -> Population:
    """Rows sorted by group, in the order in which the groups first appear."""
    import pandas as pd

    codes = pd.factorize(group)[0]
    if (codes < 0).any():
        row = int(np.argmax(codes < 0))
        raise DataError("a row has no group", source=source, path=f"row {row} of column {str(group.name)!r}")
    assert shape.link is not None  # because there is a group
    order, sizes = np.argsort(codes, kind="stable"), np.bincount(codes)
    starts = np.cumsum(sizes) - sizes
    inside = np.ones(len(order), dtype=np.bool_)  # whether a row belongs to the group of the row before
    inside[starts] = False
    sorted_members = [member.take(order) for member in members]
    own = [m.take(starts) for m in sorted_members if _constant(m.column.values, inside)]
    rest = [m for m in sorted_members if not _constant(m.column.values, inside)]
    link = Link(shape.link, overrides.link(shape.individual, shape.link) or "set", shape.element)
    above = RecordType(shape.individual, tuple(m.attribute for m in own), (link,))
    below = RecordType(shape.element, tuple(m.attribute for m in rest))
    adjacency = Adjacency.from_lengths(sizes, np.arange(len(order)))
    tables = {
        above.name: Table(len(sizes), {m.attribute.name: m.column for m in own}, {link.name: adjacency}),
        below.name: Table(len(order), {m.attribute.name: m.column for m in rest}),
    }
    return Population(Schema((above, below), shape.individual), tables)


def _constant(values: NDArray[Any], inside: NDArray[np.bool_]) -> bool:
    """Whether a column, sorted by group, has one value in each group."""
    before, after = values[:-1], values[1:]
    same = (before == after) | ((before != before) & (after != after))
    return bool((same | ~inside[1:]).all())


# ---- columns of pandas -----------------------------------------------------------------------------------


def _checked_names(names: Iterable[str], source: str | None) -> list[str]:
    found = list(names)
    if len(set(found)) < len(found):
        twice = next(name for i, name in enumerate(found) if name in found[:i])
        raise DataError(f"two columns are named {twice!r}; rename one", source=source)
    return found


def _member(series: pd.Series[Any], name: str, shape: _Shape, overrides: Overrides, source: str | None) -> _Member:
    try:
        return _converted(series, name, shape.kind(overrides, name))
    except Misfit as misfit:
        raise DataError(
            misfit.message,
            source=source,
            path=f"column {name!r}" if shape.link is None else f"row {misfit.index} of column {name!r}",
            individual=misfit.index if shape.link is None else None,
            fix=f"to read all of it as text: --type {name}=nominal" if misfit.fix == "nominal" else None,
        ) from None


def _converted(series: pd.Series[Any], name: str, kind: Kind | None) -> _Member:
    import pandas as pd
    from pandas.api import types as is_

    dtype = series.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        column = _decoded(series.cat.codes.to_numpy(), list(dtype.categories), kind or "nominal")
        return _Member(Attribute(name, column.kind, column.categories), column)
    if is_.is_bool_dtype(dtype) and kind in (None, "bool"):
        flags = series.to_numpy(dtype=np.int8, na_value=-1) if series.hasnans else series.to_numpy(np.int8)
        column = Column("bool", flags)
    elif is_.is_datetime64_any_dtype(dtype) or is_.is_timedelta64_dtype(dtype):
        column = Column("real", _seconds(series))
    elif is_.is_numeric_dtype(dtype) and not is_.is_bool_dtype(dtype) and not is_.is_complex_dtype(dtype):
        column = _numeric(series, kind)
    else:
        column = _of_objects(series, kind)
    return _Member(Attribute(name, column.kind), column)


def _numeric(series: pd.Series[Any], kind: Kind | None) -> Column:
    """A column of numbers, copied as it is if it may stay one."""
    import pandas as pd

    own: Kind = "int" if pd.api.types.is_integer_dtype(series.dtype) else "real"
    if isinstance(series.dtype, np.dtype):  # there NaN is missing already, and looking for it would triple the time
        numbers = np.array(series.to_numpy(), dtype=np.float64)
    else:
        numbers = series.to_numpy(dtype=np.float64, na_value=np.nan, copy=True)
    if kind in (None, own, "real"):
        return Column(kind or own, numbers)
    codes, found = pd.factorize(numbers)
    # pandas keeps whole numbers with gaps as floats; as text they are whole numbers again.
    whole = bool((found == np.floor(found)).all()) and not np.isinf(found).any()
    return _decoded(codes, [int(number) for number in found] if whole else found.tolist(), kind)


def _seconds(series: pd.Series[Any]) -> NDArray[np.float64]:
    kind = "datetime64[us]" if series.dtype.kind == "M" else "timedelta64[us]"
    moments = series.to_numpy(dtype=kind)
    return np.where(np.isnat(moments), np.nan, moments.astype(np.int64) / 1e6)


def _of_objects(series: pd.Series[Any], kind: Kind | None) -> Column:
    """A column of text, or of Python objects of any sort."""
    import pandas as pd

    cells = series.to_numpy(dtype=object)
    if isinstance(series.dtype, pd.StringDtype) or pd.api.types.infer_dtype(cells, skipna=True) == "string":
        codes, found = pd.factorize(cells)
        return _decoded(codes, list(found), kind or "nominal")
    values = [None if gone else cell for gone, cell in zip(pd.isna(cells).tolist(), cells, strict=True)]
    column = encode(values, kind)
    return missing_column("nominal", len(values)) if column is None else column


def _decoded(codes: NDArray[Any], found: list[Any], kind: Kind) -> Column:
    """A column from codes into values: only the values are converted, each once."""
    try:
        column = encode(found, kind)
    except Misfit as misfit:
        row = int(np.argmax(codes == misfit.index))
        raise Misfit(row, misfit.message, misfit.fix) from None
    assert column is not None  # because the kind is declared
    with_missing = np.append(column.values, missing_column(kind, 1).values)
    return Column(kind, with_missing[codes], column.categories)


# ---- CSV files -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Header:
    """The names of the columns of a file, and what separates its fields."""

    source: str
    names: list[str]
    delimiter: str


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of a CSV file as the standard library splits it; slow, and exact about lines."""

    line: int
    fields: list[str]


def _header(path: str | os.PathLike[str]) -> _Header:
    source = os.fspath(path)
    with open_text_file(path) as file:
        first = next((line for line in file if line.strip()), b"")
    try:
        unquoted = re.sub(r'"[^"]*"', "", first.decode())
    except UnicodeDecodeError:
        raise DataError("the file is not UTF-8 text", source=source, line=1) from None
    delimiter = max(",\t;", key=unquoted.count)
    row = next(_rows(source, delimiter), None)
    if row is None:
        raise DataError("the file has blank lines only; expected a header", source=source)
    names = [name.strip() or f"column{place}" for place, name in enumerate(row.fields, 1)]
    return _Header(source, _checked_names(names, source), delimiter)


def _rows(source: str, delimiter: str) -> Iterator[_Row]:
    end = 0
    with open_text_file(source) as file:
        lines = io.TextIOWrapper(file, encoding="utf-8", errors="replace", newline="")
        reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
        try:
            for fields in reader:
                if fields:
                    yield _Row(end + 1, fields)
                end = reader.line_num
        except csv.Error as error:
            raise DataError(f"broken CSV: {error}", source=source, line=end + 1) from None


def _parsed(header: _Header, as_text: Sequence[str]) -> pd.DataFrame:
    import pandas as pd

    try:
        frame = _tokenized(header, as_text)
    except (pd.errors.ParserError, pd.errors.ParserWarning):
        raise _ragged(header) or DataError("a quoted value is never closed", source=header.source) from None
    except UnicodeDecodeError:
        raise DataError("the file is not UTF-8 text", source=header.source) from None
    if not len(frame):
        raise DataError("the file has a header and no rows", source=header.source)
    if frame.iloc[:, -1].hasnans and not _is_regular(header, len(frame)) and (error := _ragged(header)):
        raise error
    empty = [name for name in header.names if frame[name].isna().all()]
    if _looks_like_data(frame.drop(columns=empty)):
        fix = "add a line with the names of the columns"
        raise DataError("the header looks like a row of data", source=header.source, line=1, fix=fix)
    return frame.astype(dict.fromkeys(empty, object))


def _tokenized(header: _Header, as_text: Sequence[str]) -> pd.DataFrame:
    """What the C parser of pandas makes of it: in small parts if their types agree, else all at once."""
    import pandas as pd

    def read(low_memory: bool) -> pd.DataFrame:
        # pandas is a fifth faster with a path than with an open file; opening it is for the errors.
        with open_text_file(header.source):
            return pd.read_csv(
                Path(header.source),
                compression="gzip" if header.source.lower().endswith(".gz") else None,
                sep=header.delimiter,
                header=0,
                names=header.names,
                index_col=False,
                skipinitialspace=True,
                keep_default_na=False,
                na_values=_MISSING,
                dtype=dict.fromkeys(as_text, "str"),
                dtype_backend="numpy_nullable",
                low_memory=low_memory,
            )

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            return read(low_memory=True)  # a third faster
        except pd.errors.DtypeWarning:
            return read(low_memory=False)


def _is_regular(header: _Header, n_rows: int) -> bool:
    """Whether counting alone shows that no row is too short; none is too long, or pandas would have said so."""
    n_separators, delimiter = 0, header.delimiter.encode()
    with open_text_file(header.source) as file:
        while block := file.read(1 << 20):
            if b'"' in block:
                return False
            n_separators += block.count(delimiter)
    return n_separators == (n_rows + 1) * (len(header.names) - 1)


def _ragged(header: _Header) -> DataError | None:
    """The first row with too many or too few fields, if there is one."""
    for row in _rows(header.source, header.delimiter):
        if len(row.fields) != len(header.names):
            message = f"expected {len(header.names)} fields as in the header, got {len(row.fields)}"
            return DataError(message, source=header.source, line=row.line)
    return None


def _looks_like_data(frame: pd.DataFrame) -> bool:
    """Whether every name could be a value of its column, and they are not just numbered."""
    import pandas as pd

    names = list(frame.columns)
    numbered = ([str(i) for i in range(first, first + len(names))] for first in (0, 1))
    if not names or names in numbered:
        return False
    return all(
        _is_number(name) if pd.api.types.is_numeric_dtype(frame[name].dtype) else bool((frame[name] == name).any())
        for name in names
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
