"""Inference and declaration of the kind of an attribute.

The kind is inferred from the values that are not missing (None, NaN):

=======================  =========================================
values                   kind
=======================  =========================================
booleans                 ``bool``
integers                 ``int`` (but ``2.0`` is a real); with a warning beyond 2^53, where digits are lost
numbers                  ``real``
dates, times             ``date`` if all are at midnight, else ``time``
strings                  ``nominal`` with sorted categories; ``date`` or ``time`` if all are ISO 8601
none                     ``nominal`` without categories
mixed types              an error with the location of the first mismatch
=======================  =========================================

A *declared* kind (an override such as ``zip=nominal``, or a schema) accepts every value that can be converted without
loss: numbers to strings for ``nominal``, strings to numbers for ``int`` and ``real``, 0, 1, "true" and "false" to
booleans for ``bool``, ISO strings to ``date`` or ``time``, and dates to seconds for ``real``. Times declared as
``date`` are truncated to the day. Times with a time zone are converted to UTC, with a warning.

Readers pass lists of values to `encode`, possibly in pieces (`join`). Errors are raised as `ValueMismatch` with an
index into the list, from which the reader derives the location.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import chain
from operator import itemgetter
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import EXACT
from structtree.data.collection_kinds import Collection
from structtree.data.dates import (
    DAY,
    DAY_FIRST,
    MONTH_FIRST,
    are_iso,
    kind_of_seconds,
    layouts_of,
    moment_of,
    pattern_example,
    pattern_of_digits,
    text_of,
    to_kind,
)
from structtree.data.population import DTYPES, Column
from structtree.data.schema import NUMERIC, Attribute, Kind, RecordType, Schema
from structtree.errors import UnknownNameError, UsageError, did_you_mean, option_text
from structtree.remarks import StructtreeWarning

__all__ = [
    "EXPECTED",
    "DeclaredKind",
    "Overrides",
    "Pieces",
    "ValueMismatch",
    "ValueType",
    "common_kind",
    "encode",
    "first_unexpected",
    "join",
    "keeps_text",
    "keys_of",
    "missing_column",
    "quoted_value",
    "to_value_types",
    "type_name_of",
    "value_type",
    "value_types",
    "values_of",
    "warn_about_lost_digits",
    "warn_about_time_zones",
    "with_dates",
]

ValueType = Literal["missing", "boolean", "number", "string", "moment", "record", "list", "other"]
"""Values of one type can be mixed in one attribute."""

EXPECTED: Mapping[str, str] = {
    "boolean": "true or false",
    "number": "a number",
    "string": "a string",
    "moment": "a date",
    "record": "a record",
    "list": "a list",
    "other": "a plain value, a record or a list",
}
"""Names of value types in errors."""

_TYPE_OF_KIND: Mapping[Kind, ValueType] = {
    "bool": "boolean",
    "int": "number",
    "real": "number",
    "date": "moment",
    "time": "moment",
    "ordered": "string",
    "nominal": "string",
}
_PLAIN: tuple[ValueType, ...] = ("missing", "boolean", "number", "string", "moment")


class ValueMismatch(Exception):  # noqa: N818  # readers turn it into a DataError with a location
    """Value that does not match the expected kind.

    Parameters
    ----------
    index : int
        Index of the value.
    message : str
        What was expected and what was found.
    fix : str, optional
        Kind as which all values could be read.
    """

    def __init__(self, index: int, message: str, fix: Kind | None = None) -> None:
        self.index, self.message, self.fix = index, message, fix
        super().__init__(message)

    def text_fix(self, name: str) -> str | None:
        """Suggest reading the whole attribute as text, if that is possible."""
        return (
            f"to read all of it as text: {option_text('types', {name: 'nominal'})}" if self.fix == "nominal" else None
        )


# ---- value types -----------------------------------------------------------------------------------------


_VALUE_TYPES: Mapping[type, ValueType] = {
    type(None): "missing",
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    dict: "record",
    list: "list",
    np.bool_: "boolean",
}

_BASE_TYPES: Sequence[tuple[type | tuple[type, ...], ValueType]] = (
    ((int, float, np.integer, np.floating), "number"),
    (str, "string"),
    ((date, np.datetime64), "moment"),
    (Mapping, "record"),
    ((list, tuple, set, frozenset, np.ndarray), "list"),
)


def value_type(cls: type[Any]) -> ValueType:
    """Return the value type of a Python type.

    Examples
    --------
    >>> value_type(bool), value_type(float), value_type(dict), value_type(set), value_type(bytes)
    ('boolean', 'number', 'record', 'list', 'other')
    """
    if cls in _VALUE_TYPES:
        return _VALUE_TYPES[cls]
    return next((found for base, found in _BASE_TYPES if issubclass(cls, base)), "other")


def value_types(values: Iterable[Any]) -> frozenset[ValueType]:
    """Return the value types that occur among the values.

    Examples
    --------
    >>> sorted(value_types([1, None, 2.5]))
    ['missing', 'number']
    """
    return to_value_types(set(map(type, values)))


def to_value_types(types: Iterable[type[Any]]) -> frozenset[ValueType]:
    """Return the value types of Python types."""
    return frozenset(map(value_type, types))


def keys_of(records: Sequence[Mapping[str, Any]]) -> Sequence[str]:
    """Return the distinct keys of all records, in order of first appearance.

    Examples
    --------
    >>> keys_of([{"a": 1}, {"b": 2, "a": 3}])
    ('a', 'b')
    """
    if not len(records):
        return ()
    keys: set[str] = set().union(*records)
    first = tuple(records[0])
    return first if len(keys) == len(first) else tuple(dict.fromkeys(chain.from_iterable(records)))


def values_of(records: Sequence[Mapping[str, Any]], key: str) -> list[Any]:
    """Return the values of all records for a key, None if absent.

    Examples
    --------
    >>> values_of([{"a": 1}, {"b": 2, "a": 3}], "b")
    [None, 2]
    """
    try:
        return list(map(itemgetter(key), records))
    except KeyError:
        return [record.get(key) for record in records]


def first_unexpected(values: Iterable[Any], allowed: Container[str]) -> int:
    """Return the index of the first value whose type is not allowed, assuming there is one."""
    return next(i for i, value in enumerate(values) if value_type(type(value)) not in allowed)


def quoted_value(value: Any, width: int = 40) -> str:
    """Format a value for an error message.

    Examples
    --------
    >>> quoted_value("high"), quoted_value(None), quoted_value([1, 2]), quoted_value(True)
    ("'high'", 'null', 'a list', 'true')
    """
    match value_type(type(value)):
        case "record" | "list" as kind:
            return "a set" if isinstance(value, set | frozenset) else EXPECTED[kind]
        case "other":
            return f"a {type(value).__name__}"
        case "missing":
            return "null"
        case "boolean" | "moment" as kind:
            text = str(value).lower() if kind == "boolean" else str(value)
        case _:
            text = repr(_plain(value))
    return text if len(text) <= width else f"{text[: width - 3]}..."


# ---- values into columns ---------------------------------------------------------------------------------


def encode(
    values: Sequence[Any],
    kind: Kind | None = None,
    categories: Sequence[str] = (),
    *,
    like: Kind | None = None,
    types: set[type] | None = None,
    layout: str = "",
) -> Column | None:
    """Convert plain values to a column, whose kind is inferred unless it is declared.

    Parameters
    ----------
    values : sequence
        Plain values; None and NaN are missing.
    kind : {"bool", "int", "real", "date", "time", "ordered", "nominal"}, optional
        Declared kind. By default it is inferred, but strings are not converted to dates; see `with_dates`.
    categories : sequence of str, optional
        Allowed values of a declared nominal; values of an ordered attribute, in order.
    like : kind, optional
        Kind of earlier values of the same attribute.
    types : set of types, optional
        Python types of the values, if known.
    layout : str
        Layout of dates as text; see `structtree.data.dates.moment_of`.

    Returns
    -------
    Column or None
        None if no kind is declared and all values are missing.

    Raises
    ------
    ValueMismatch
        If a value has another type than the first one, or cannot be read as declared.

    Examples
    --------
    >>> encode([3, None, 2]).kind, encode([3, 2.5]).kind, encode([True, False]).kind
    ('int', 'real', 'bool')
    >>> encode([10, "b"], "nominal").categories
    ('10', 'b')
    >>> encode([None, float("nan")]) is None
    True
    """
    if types is None:
        types = set(map(type, values))
    if kind is None:
        if _has_stray_nans(types, like):
            values = [None if value != value else value for value in values]
            types = set(map(type, values))
        kind = _inferred_kind(values, types, like)
        if kind is None:
            return None
    if any(value_type(t) in ("record", "list", "other") for t in types):
        index = first_unexpected(values, _PLAIN)
        raise ValueMismatch(index, f"expected {_expected(kind)}, got {quoted_value(values[index])}")
    match kind:
        case "nominal":
            return _nominal(values, types, categories)
        case "ordered":
            return _ordered(values, types, categories)
        case "bool":
            return Column(kind, _booleans(values))
        case "int" | "real":
            return Column(kind, _numbers(values, types, kind))
        case "date" | "time":
            return Column(kind, to_kind(_seconds(values, kind, layout), kind))


def with_dates(column: Column) -> Column:
    """Convert a nominal column to dates or times if all its categories are ISO 8601; else return it unchanged.

    Examples
    --------
    >>> with_dates(encode(["2024-03-01", None])).kind, with_dates(encode(["2024-03-01", "soon"])).kind
    ('date', 'nominal')
    """
    if column.kind != "nominal" or not are_iso(column.categories):
        return column
    seconds = np.append(_seconds(column.categories, "time", ""), np.nan)
    kind = kind_of_seconds(seconds)
    return Column(kind, to_kind(seconds, kind)[column.values])


@dataclass(slots=True, eq=False)
class Pieces:
    """Columns of a type, collected in chunks of rows, which may lack some attributes.

    Examples
    --------
    >>> pieces = Pieces()
    >>> pieces.add(pieces.add_chunk(2), "x", ["b", "a"])
    >>> pieces.add(pieces.add_chunk(1), "y", [1])
    >>> pieces.add(pieces.add_chunk(1), "x", ["c"])
    >>> pieces.column(Attribute("x", "nominal")).values.tolist()
    [1, 0, -1, 2]
    """

    sizes: list[int] = field(default_factory=list)
    n_rows: int = 0
    kinds: dict[str, Kind] = field(default_factory=dict)
    columns: dict[str, dict[int, Column]] = field(default_factory=dict)
    declared: set[str] = field(default_factory=set)
    joined: dict[str, Column] = field(default_factory=dict)

    def add_chunk(self, n: int) -> int:
        """Start a chunk of rows and return its number."""
        self.sizes.append(n)
        self.n_rows += n
        return len(self.sizes) - 1

    def add(
        self,
        chunk: int,
        name: str,
        values: Sequence[Any],
        declared: DeclaredKind | Attribute | None = None,
        types: set[type] | None = None,
    ) -> None:
        """Add the values of an attribute in a chunk; see `encode`."""
        if declared is None:
            column = encode(values, like=self.kinds.get(name), types=types)
        else:
            layout = declared.layout if isinstance(declared, DeclaredKind) else ""
            column = encode(values, declared.kind, declared.values, types=types, layout=layout)
            self.declared.add(name)
        self.joined.pop(name, None)
        found = self.columns.setdefault(name, {})
        if column is not None:
            warn_about_lost_digits(column, name)
            self.kinds[name] = column.kind
            found[chunk] = column

    def attribute(self, name: str) -> Attribute:
        """Return the attribute of all chunks, with the kind of the joined column."""
        return self.whole(name).as_attribute(name)

    def column(self, attribute: Attribute) -> Column:
        """Return the column of an attribute for all chunks; all values are missing if no chunk has the attribute."""
        if not self.columns.get(attribute.name):
            return missing_column(attribute.kind, self.n_rows, attribute.values)
        return self.whole(attribute.name)

    def whole(self, name: str) -> Column:
        """Return the column of all chunks, as dates if all values are dates and no kind is declared."""
        if name not in self.joined:
            pieces = self.columns.get(name, {})
            column = join([pieces.get(chunk, n) for chunk, n in enumerate(self.sizes)])
            self.joined[name] = column if name in self.declared else with_dates(column)
        return self.joined[name]


def join(pieces: Sequence[Column | int], kind: Kind | None = None) -> Column:
    """Concatenate columns, where an integer stands for that many missing values.

    Examples
    --------
    >>> whole = join([encode(["b"]), 1, encode(["a", "b"])])
    >>> whole.values.tolist(), whole.categories
    ([1, -1, 0, 1], ('a', 'b'))
    """
    columns = [piece for piece in pieces if isinstance(piece, Column)]
    if len(columns) == len(pieces) == 1:
        return columns[0]
    decided = common_kind(columns) if kind is None else kind
    categories = tuple(sorted({name for column in columns for name in column.categories}))
    if decided == "ordered":  # declared for all pieces
        categories = columns[0].categories
    parts = [
        _recoded(piece, decided, categories) if isinstance(piece, Column) else missing_column(decided, piece).values
        for piece in pieces
    ]
    empty = missing_column(decided, 0).values
    return Column(decided, np.concatenate([empty, *parts]), categories)


def common_kind(columns: Iterable[Column]) -> Kind:
    """Return the kind of the column that results from concatenating columns.

    Examples
    --------
    >>> common_kind([encode([1, 2]), encode([0.5])]), common_kind([])
    ('real', 'nominal')
    """
    kinds = {column.kind for column in columns}
    if len(kinds) > 1:
        return "time" if "time" in kinds else "real"
    return next(iter(kinds), "nominal")


def missing_column(kind: Kind, n: int, categories: Sequence[str] = ()) -> Column:
    """Return a column in which all values are missing."""
    missing = np.nan if kind in NUMERIC else -1
    known = tuple(categories) if kind == "ordered" else tuple(sorted(categories))
    return Column(kind, np.full(n, missing, dtype=DTYPES[kind]), known)


def _recoded(column: Column, kind: Kind, categories: tuple[str, ...]) -> NDArray[Any]:
    """Return the values of a piece, with codes that refer to the categories of the whole column."""
    if column.kind == "date" and kind == "time":
        return np.asarray(column.values * DAY)
    if column.kind != "nominal" or column.categories == categories:
        return column.values
    code = {name: i for i, name in enumerate(categories)}
    new = np.array([*map(code.__getitem__, column.categories), -1], dtype=np.int32)  # the last one is for code -1
    return np.asarray(new[column.values])


def _has_stray_nans(types: set[type], like: Kind | None) -> bool:
    """Return whether floats may be NaNs that stand for missing values of another type."""
    found = to_value_types(types) | ({_TYPE_OF_KIND[like]} if like else set())
    return "number" in found and len(found - {"missing"}) > 1


def _inferred_kind(values: Sequence[Any], types: set[type], like: Kind | None) -> Kind | None:
    """Return the kind of the values; None if all are missing."""
    found = to_value_types(types) - {"missing"}
    if not found:
        return None
    known = (value_type(type(value)) for value in values)
    first = _TYPE_OF_KIND[like] if like else next(each for each in known if each != "missing")
    if first in ("record", "list", "other"):
        index = first_unexpected(values, {"missing"})
        raise ValueMismatch(index, f"expected a plain value, got {quoted_value(values[index])}")
    if found != {first}:
        index = first_unexpected(values, ("missing", first))
        fix: Kind | None = "nominal" if found <= set(_PLAIN) else None
        raise ValueMismatch(index, f"expected {EXPECTED[first]}, got {quoted_value(values[index])}", fix)
    if first == "number":
        return _kind_of_numbers(values, types)
    if first == "moment":
        seconds = _seconds(values, "time", "")
        return None if np.isnan(seconds).all() else kind_of_seconds(seconds)
    return "bool" if first == "boolean" else "nominal"


def _kind_of_numbers(values: Sequence[Any], types: set[type]) -> Kind | None:
    if any(issubclass(t, float | np.floating) for t in types):
        if any(value == value for value in values if isinstance(value, float | np.floating)):
            return "real"
        if not any(issubclass(t, int | np.integer) for t in types):
            return None
    return "int"


_EXPECTED_OF_KIND: Mapping[Kind, str] = {
    "int": "a whole number",
    "date": "a date such as 2024-12-31",
    "time": "a time such as 2024-12-31 12:30",
}


def _expected(kind: Kind) -> str:
    return _EXPECTED_OF_KIND.get(kind) or EXPECTED[_TYPE_OF_KIND[kind]]


def warn_about_lost_digits(column: Column, name: str) -> None:
    """Warn about integers that are too large to be exact."""
    numbers = column.values
    if column.kind == "int" and len(numbers) and max(-np.fmin.reduce(numbers), np.fmax.reduce(numbers)) > EXACT:
        fix = f"to keep every digit as text: {option_text('types', {name: 'nominal'})}"
        warnings.warn(
            StructtreeWarning(f"{name!r} has integers beyond 2^53, of which only about 16 digits are kept; {fix}"),
            stacklevel=2,
        )


def warn_about_time_zones() -> None:
    """Warn that times with a time zone were converted to UTC."""
    warnings.warn("times with a time zone are converted to UTC", stacklevel=2)


def _seconds(values: Sequence[Any], kind: Kind, layout: str) -> NDArray[np.float64]:
    """Convert dates and times, possibly as text, to seconds since 1970."""
    seconds, is_aware = np.full(len(values), np.nan), False
    for index, value in enumerate(values):
        if value is None or value != value:
            continue
        try:
            moment = moment_of(value, layout=layout)
        except (ValueError, OverflowError, AttributeError):
            example = pattern_example(layout) if "%" in layout else _EXAMPLES.get(layout)
            like = f"a {kind} such as {example}" if layout else _expected(kind)
            fix = "" if layout else _layout_fix(value, kind)
            raise ValueMismatch(index, f"expected {like}, got {quoted_value(value)}{fix}", "nominal") from None
        seconds[index], is_aware = moment, is_aware or moment.is_aware
    if is_aware:
        warn_about_time_zones()
    return seconds


_EXAMPLES: Mapping[str, str] = {DAY_FIRST: "31.12.2024", MONTH_FIRST: "12/31/2024"}


def _layout_fix(value: Any, kind: Kind) -> str:
    """Return a suggested fix for text with dates in another layout."""
    found = layouts_of([value]) if isinstance(value, str) else []
    if found:
        what = " or ".join(f"the {layout.removesuffix('-first')}" for layout in found)
        return f" (if {what} comes first, declare it as {' or '.join(f'{kind}({layout})' for layout in found)})"
    pattern = pattern_of_digits(str(value))
    return "" if pattern is None else f" (if these are year, month and day, declare it as {kind}({pattern}))"


def _numbers(values: Sequence[Any], types: set[type], kind: Kind) -> NDArray[np.float64]:
    if kind == "real" and types == {float}:
        return np.fromiter(values, np.float64, len(values))
    found = to_value_types(types)
    if "moment" in found:
        values = [moment_of(value) if value_type(type(value)) == "moment" else value for value in values]
    if "string" in found:
        values = [_number(i, value, kind) for i, value in enumerate(values)]
    try:
        numbers = np.array(values, dtype=np.float64)  # None becomes NaN
    except OverflowError:
        index = next(i for i, v in enumerate(values) if isinstance(v, int) and abs(v) > 1e308)
        raise ValueMismatch(index, f"expected {_expected(kind)}, got one with more than 308 digits") from None
    if kind == "int" and not types <= {int, type(None)}:
        broken = (numbers != np.floor(numbers)) & ~np.isnan(numbers) | np.isinf(numbers)
        if broken.any():
            index = int(np.argmax(broken))
            raise ValueMismatch(index, f"expected a whole number, got {quoted_value(values[index])}", "real")
    return numbers


def _number(index: int, value: Any, kind: Kind) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return float(value)
    except ValueError:
        raise ValueMismatch(index, f"expected {_expected(kind)}, got {quoted_value(value)}", "nominal") from None


_BOOLEANS: Mapping[Any, int] = {True: 1, False: 0, None: -1}


def _booleans(values: Sequence[Any]) -> NDArray[np.int8]:
    try:
        return np.fromiter(map(_BOOLEANS.__getitem__, values), np.int8, len(values))
    except KeyError:
        return np.array([_boolean(i, value) for i, value in enumerate(values)], dtype=np.int8)


def _boolean(index: int, value: Any) -> int:
    is_text = isinstance(value, str)
    known: Mapping[Any, int] = {"true": 1, "false": 0} if is_text else _BOOLEANS
    found = -1 if value != value else known.get(value.lower() if is_text else value)
    if found is None:
        raise ValueMismatch(index, f"expected true or false, got {quoted_value(value)}", "nominal")
    return found


def _nominal(values: Sequence[Any], types: set[type], categories: Sequence[str]) -> Column:
    if not types <= {str, type(None)}:
        values = [_text(value) for value in values]
    found = set(values) - {None}
    names = tuple(sorted(categories or found))
    code: dict[Any, int] = {name: i for i, name in enumerate(names)} | {None: -1}
    if not found <= code.keys():
        index = next(i for i, value in enumerate(values) if value not in code)
        raise ValueMismatch(
            index, f"unknown category {quoted_value(values[index])}{did_you_mean(values[index], names)}"
        )
    return Column("nominal", np.fromiter(map(code.__getitem__, values), np.int32, len(values)), names)


def _ordered(values: Sequence[Any], types: set[type], categories: Sequence[str]) -> Column:
    """Return the ranks of values in ordered categories."""
    column = _nominal(values, types, categories)
    rank = np.array([*map(list(categories).index, column.categories), np.nan])
    return Column("ordered", rank[column.values], tuple(categories))


def _text(value: Any) -> str | None:
    if value is None or value != value:
        return None
    if isinstance(value, date | np.datetime64):
        return text_of(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool | np.bool_):
        return str(value).lower()
    plain = _plain(value)
    # Equal numbers are the same category, whatever their type.
    return repr(int(plain) if isinstance(plain, float) and plain.is_integer() else plain)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


# ---- declared kinds --------------------------------------------------------------------------------------

_KINDS = "bool, int, real, date, time, nominal, or categories in order (low<medium<high)"
_COLLECTIONS = ("set", "list", "multiset", "tuple(...)")
_LAID_OUT = re.compile(r"(date|time)\((.+)\)")


@dataclass(frozen=True, slots=True)
class DeclaredKind:
    """Declared kind of an attribute, with ordered categories or the layout of dates.

    Examples
    --------
    >>> DeclaredKind.parse("date(day-first)")
    DeclaredKind(kind='date', values=(), layout='day-first')
    >>> DeclaredKind.parse("date(%y%m%d)").layout, DeclaredKind.parse("date(%y)")
    ('%y%m%d', None)
    >>> DeclaredKind.parse("low < medium < high").values
    ('low', 'medium', 'high')
    """

    kind: Kind
    values: tuple[str, ...] = ()
    layout: str = ""

    @classmethod
    def parse(cls, text: str) -> DeclaredKind | None:
        """Parse the name of a kind, or categories separated by ``<``; return None if it is neither."""
        laid_out = _LAID_OUT.fullmatch(text)
        if laid_out is not None:
            kind, layout = laid_out.groups()
            return cls(kind, layout=layout) if _is_layout(layout) else None  # type: ignore[arg-type]  # one of moments
        levels = tuple(level.strip() for level in text.split("<"))
        if len(levels) > 1:
            return cls("ordered", levels) if all(levels) and len(set(levels)) == len(levels) else None
        return cls(text) if text in get_args(Kind) and text != "ordered" else None  # type: ignore[arg-type]


def _is_layout(layout: str) -> bool:
    try:
        return layout in _EXAMPLES or bool(pattern_example(layout))
    except (ValueError, re.error):
        return False


def keeps_text(declared: DeclaredKind | None) -> bool:
    """Return whether a column should be read from the original text, such as ``007``.

    Examples
    --------
    >>> keeps_text(DeclaredKind("nominal")), keeps_text(DeclaredKind("real")), keeps_text(None)
    (True, False, False)
    """
    return declared is not None and declared.kind not in ("bool", "int", "real")


@dataclass(frozen=True, slots=True)
class Overrides:
    """Declared kinds of members, such as ``{"zip": "nominal", "Car.wheels": "int", "cars": "set"}``.

    A key is the name of a member, or ``Type.member`` if the name is ambiguous. The value is ``bool``, ``int``,
    ``real``, ``date``, ``time`` or ``nominal`` for an attribute; ``date(day-first)`` for dates such as 31.12.2024,
    ``date(month-first)`` for 12/31/2024 and ``date(%y%m%d)`` for other formats of `datetime.strptime`;
    ``low<medium<high`` for ordered categories; and ``set``, ``list``, ``multiset``, ``tuple(x, y)`` or
    ``set of tuple(x, y)`` for a link; see `structtree.data.collection_kinds`.

    Examples
    --------
    >>> overrides = Overrides({"zip": "nominal", "Car.wheels": "int", "cars": "set"})
    >>> overrides.declared_kind("Row", "zip").kind, overrides.declared_kind("Van", "wheels")
    ('nominal', None)
    >>> overrides.link("Train", "cars")
    'set'
    """

    given: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = (
            *(kind for kind in get_args(Kind) if kind != "ordered"),
            *(f"{kind}({layout})" for kind in ("date", "time") for layout in _EXAMPLES),
            *_COLLECTIONS,
        )
        for name, value in self.given.items():
            if Collection.parse(str(value)) is None and DeclaredKind.parse(str(value)) is None:
                ordered = "; write its categories in order: low<medium<high" if "ordered" in str(value) else ""
                hint = ordered or did_you_mean(str(value), known)
                raise UsageError(f"{name!r} cannot be read as {value!r}{hint}")

    def declared(self, type_name: str, member: str) -> Attribute | None:
        """Return an attribute as declared, or None if it is not declared."""
        found = self.declared_kind(type_name, member)
        return None if found is None else Attribute(member, found.kind, found.values)

    def declared_kind(self, type_name: str, member: str) -> DeclaredKind | None:
        """Return the declared kind of an attribute, or None if it is not declared."""
        text = self._text(type_name, member)
        return None if text is None else DeclaredKind.parse(text)

    def link(self, type_name: str, member: str) -> Literal["set", "list"] | None:
        """Return the declared kind of a link, or None if it is not declared."""
        declared = self.collection(type_name, member)
        return None if declared is None else declared.link

    def collection(self, type_name: str, member: str) -> Collection | None:
        """Return the declared kind of a collection, or None if it is not declared."""
        text = self._text(type_name, member)
        return None if text is None else Collection.parse(text)

    def _text(self, type_name: str, member: str) -> str | None:
        return self.given.get(f"{type_name}.{member}") or self.given.get(member)

    def check(self, schema: Schema) -> None:
        """Raise an error for declared names that are not in the schema, or that confuse attributes and links."""
        known: dict[str, set[str]] = {}
        for record in schema.types:
            for member in record.members:
                is_link = record.link(member) is not None
                for name in (member, f"{record.name}.{member}"):
                    known.setdefault(name, set()).add("link" if is_link else "attribute")
        for name, value in self.given.items():
            if name not in known:
                raise UnknownNameError("member", name, known)
            is_collection = Collection.parse(str(value)) is not None
            if known[name] == {"link"} and not is_collection:
                raise UsageError(f"{name!r} is a link; expected set, list, multiset or tuple(...), got {value!r}")
            if known[name] == {"attribute"} and is_collection:
                raise UsageError(f"{name!r} is an attribute; expected {_KINDS}, got {value!r}")

    def applied(self, schema: Schema) -> Schema:
        """Return the schema with the declared kinds applied."""
        self.check(schema)
        return Schema(tuple(self._changed(record) for record in schema.types), schema.individual)

    def _changed(self, record: RecordType) -> RecordType:
        attributes = tuple(self._as_declared(record.name, a) for a in record.attributes)
        links = tuple(
            link if link.single else replace(link, kind=self.link(record.name, link.name) or link.kind)
            for link in record.links
        )
        return RecordType(record.name, attributes, links)

    def _as_declared(self, type_name: str, attribute: Attribute) -> Attribute:
        declared = self.declared(type_name, attribute.name)
        if declared is None or declared.kind == attribute.kind != "ordered":
            return attribute
        return declared


# ---- type names ------------------------------------------------------------------------------------------

_WORDS_BY_PLURAL = """
    axes axis, buses bus, caches cache, children child, feet foot, gases gas, halves half, indices index, leaves leaf,
    matrices matrix, men man, mice mouse, movies movie, people person, series series, species species, teeth tooth,
    vertices vertex, women woman
"""
_IRREGULAR: Mapping[str, str] = dict(pair.split() for pair in _WORDS_BY_PLURAL.split(","))


def type_name_of(member: str) -> str:
    """Return the type name for a member: its words capitalised, the last one in the singular.

    Examples
    --------
    >>> [type_name_of(word) for word in ("cars", "bodies", "children", "load", "ring_atoms", "boxes")]
    ['Car', 'Body', 'Child', 'Load', 'RingAtom', 'Box']
    """
    words = re.findall(r"[^\W_]+", member) or ["Item"]
    words[-1] = _singular(words[-1])
    return "".join(word[:1].upper() + word[1:] for word in words)


def _singular(word: str) -> str:
    lower = word.lower()
    if lower in _IRREGULAR:
        return _IRREGULAR[lower]
    if lower.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if lower.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return word[:-2]
    if lower.endswith("s") and not lower.endswith(("ss", "us", "is")) and len(word) > 1:
        return word[:-1]
    return word
