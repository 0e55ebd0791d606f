"""The kind of an attribute, from its values; and how the user may override it.

The rules, for the values of one attribute with the missing ones (None, NaN) set aside:

=======================  =========================================
all are                  the attribute is
=======================  =========================================
true or false            ``bool``
whole numbers            ``int`` (``2.0`` written so is a real); beyond 2^53, where digits are lost, with a warning
numbers                  ``real``
dates, times             ``date`` if all are at midnight, else ``time``
strings                  ``nominal``, its categories sorted; ``date`` or ``time`` if each is one as ISO 8601 writes it
missing                  ``nominal`` with no categories
of different sorts       refused, with the place of the odd one
=======================  =========================================

A *declared* kind (an override such as ``zip=nominal``, or a schema) takes every value that can be read as
that kind without loss: numbers become text for ``nominal``, text becomes numbers for ``int`` and ``real``,
0 and 1 and the words true and false become flags for ``bool``, ISO text becomes ``date`` or ``time``, and dates
become seconds for ``real``. Of a time that is declared to be a ``date`` the day stays. Times with a zone become UTC,
which a warning says.

Readers hand over lists of values (`encode`), piece by piece if they like (`join`). What is wrong is told as a
`ValueMismatch`, an index into the list; only the reader knows what place that is.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import chain
from operator import itemgetter
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

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
    "Overrides",
    "Pieces",
    "ValueMismatch",
    "ValueSort",
    "Wanted",
    "common_kind",
    "encode",
    "first_outside",
    "join",
    "keys_of",
    "missing_column",
    "reads_text",
    "shown",
    "sort_of",
    "sorts_of_types",
    "type_name_of",
    "value_sorts",
    "values_of",
    "warn_of_lost_digits",
    "warn_of_zones",
    "with_dates",
]

ValueSort = Literal["missing", "flag", "number", "string", "moment", "record", "list", "other"]
"""Values of one sort can stand in one member."""

EXPECTED: Mapping[str, str] = {
    "flag": "true or false",
    "number": "a number",
    "string": "a string",
    "moment": "a date",
    "record": "a record",
    "list": "a list",
    "other": "a plain value, a record or a list",
}
"""How an error names what a sort of values is."""

_SORT_OF_KIND: Mapping[Kind, ValueSort] = {
    "bool": "flag",
    "int": "number",
    "real": "number",
    "date": "moment",
    "time": "moment",
    "ordered": "string",
    "nominal": "string",
}
_PLAIN: tuple[ValueSort, ...] = ("missing", "flag", "number", "string", "moment")


class ValueMismatch(Exception):  # noqa: N818  # not an error yet: the reader who knows the place makes it one
    """The value at an index is not what was expected.

    Parameters
    ----------
    index : int
        Which of the values.
    message : str
        What was expected and what came.
    fix : str, optional
        The kind that all the values could be read as.
    """

    def __init__(self, index: int, message: str, fix: Kind | None = None) -> None:
        self.index, self.message, self.fix = index, message, fix
        super().__init__(message)


# ---- sorts of values -------------------------------------------------------------------------------------


_SORT_OF_TYPE: Mapping[type, ValueSort] = {
    type(None): "missing",
    bool: "flag",
    int: "number",
    float: "number",
    str: "string",
    dict: "record",
    list: "list",
    np.bool_: "flag",
}

_SORT_OF_BASE: Sequence[tuple[type | tuple[type, ...], ValueSort]] = (
    ((int, float, np.integer, np.floating), "number"),
    (str, "string"),
    ((date, np.datetime64), "moment"),
    (Mapping, "record"),
    ((list, tuple, set, frozenset, np.ndarray), "list"),
)


def sort_of(cls: type[Any]) -> ValueSort:
    """The sort of a Python type.

    Examples
    --------
    >>> sort_of(bool), sort_of(float), sort_of(dict), sort_of(set), sort_of(bytes)
    ('flag', 'number', 'record', 'list', 'other')
    """
    exact = _SORT_OF_TYPE.get(cls)
    if exact is not None:
        return exact
    return next((sort for base, sort in _SORT_OF_BASE if issubclass(cls, base)), "other")


def value_sorts(values: Iterable[Any]) -> frozenset[ValueSort]:
    """The sorts that occur among the values.

    Examples
    --------
    >>> sorted(value_sorts([1, None, 2.5]))
    ['missing', 'number']
    """
    return sorts_of_types(set(map(type, values)))


def sorts_of_types(types: Iterable[type[Any]]) -> frozenset[ValueSort]:
    """The sorts of some Python types."""
    return frozenset(map(sort_of, types))


def keys_of(records: Sequence[Mapping[str, Any]]) -> Sequence[str]:
    """The keys of all records, in the order in which they first appear.

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
    """Return the values of all records under a key, None where it is absent.

    Examples
    --------
    >>> values_of([{"a": 1}, {"b": 2, "a": 3}], "b")
    [None, 2]
    """
    try:
        return list(map(itemgetter(key), records))
    except KeyError:
        return [record.get(key) for record in records]


def first_outside(values: Iterable[Any], allowed: Collection[str]) -> int:
    """The index of the first value of another sort; there must be one."""
    return next(i for i, value in enumerate(values) if sort_of(type(value)) not in allowed)


def shown(value: Any, width: int = 40) -> str:
    """A value as an error quotes it: short, and never a whole structure.

    Examples
    --------
    >>> shown("high"), shown(None), shown([1, 2]), shown(True)
    ("'high'", 'null', 'a list', 'true')
    """
    sort = sort_of(type(value))
    if sort in ("record", "list"):
        return "a set" if isinstance(value, set | frozenset) else EXPECTED[sort]
    if sort == "other":
        return f"a {type(value).__name__}"
    text = "null" if value is None else str(value).lower() if sort == "flag" else repr(_plain(value))
    if sort == "moment":
        text = str(value)
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
    """A column from plain values, its kind inferred unless it is declared.

    Parameters
    ----------
    values : sequence
        Plain values; None and NaN are missing.
    kind : {"bool", "int", "real", "date", "time", "ordered", "nominal"}, optional
        The declared kind; without it the rules above decide, but that text stays text: see `with_dates`.
    categories : sequence of str, optional
        The only values a declared nominal may have; those of an ordered attribute, in order.
    like : kind, optional
        The kind that earlier values of the same attribute had.
    types : set of types, optional
        The Python types of the values, if they are known already.
    layout : str
        How the text of dates is laid out; see `structtree.data.dates.moment_of`.

    Returns
    -------
    Column or None
        None when nothing is declared and every value is missing.

    Raises
    ------
    ValueMismatch
        When a value is of another sort than the first, or cannot be read as declared.

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
    if any(sort_of(t) in ("record", "list", "other") for t in types):
        index = first_outside(values, _PLAIN)
        raise ValueMismatch(index, f"expected {_wanted(kind)}, got {shown(values[index])}")
    match kind:
        case "nominal":
            return _nominal(values, types, categories)
        case "ordered":
            return _ordered(values, types, categories)
        case "bool":
            return Column(kind, _flags(values))
        case "int" | "real":
            return Column(kind, _numbers(values, types, kind))
        case "date" | "time":
            return Column(kind, to_kind(_seconds(values, kind, layout), kind))


def with_dates(column: Column) -> Column:
    """Return a column of text as dates or times, if every text is one as ISO 8601 writes it; else as it is.

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
    """The columns of one type while it is read: chunks of rows, each with what it had of every attribute.

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
        """Begin a chunk of rows; its number."""
        self.sizes.append(n)
        self.n_rows += n
        return len(self.sizes) - 1

    def add(
        self,
        chunk: int,
        name: str,
        values: Sequence[Any],
        declared: Wanted | Attribute | None = None,
        types: set[type] | None = None,
    ) -> None:
        """Add the values that a chunk has of an attribute; see `encode`."""
        if declared is None:
            column = encode(values, like=self.kinds.get(name), types=types)
        else:
            layout = declared.layout if isinstance(declared, Wanted) else ""
            column = encode(values, declared.kind, declared.values, types=types, layout=layout)
            self.declared.add(name)
        self.joined.pop(name, None)
        found = self.columns.setdefault(name, {})
        if column is not None:
            warn_of_lost_digits(column, name)
            self.kinds[name] = column.kind
            found[chunk] = column

    def attribute(self, name: str) -> Attribute:
        """The attribute that all its pieces together make."""
        return self.whole(name).as_attribute(name)

    def column(self, attribute: Attribute) -> Column:
        """The pieces of an attribute in one, missing where a chunk had none."""
        if not self.columns.get(attribute.name):
            return missing_column(attribute.kind, self.n_rows, attribute.values)
        return self.whole(attribute.name)

    def whole(self, name: str) -> Column:
        """The pieces of an attribute in one; text that is dates throughout is dates, unless it is declared."""
        if name not in self.joined:
            pieces = self.columns.get(name, {})
            column = join([pieces.get(chunk, n) for chunk, n in enumerate(self.sizes)])
            self.joined[name] = column if name in self.declared else with_dates(column)
        return self.joined[name]


def join(pieces: Sequence[Column | int], kind: Kind | None = None) -> Column:
    """One column from pieces in a row; a number stands for that many missing values.

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
    if decided == "ordered":  # which all pieces have declared alike
        categories = columns[0].categories
    parts = [
        _recoded(piece, decided, categories) if isinstance(piece, Column) else missing_column(decided, piece).values
        for piece in pieces
    ]
    empty = missing_column(decided, 0).values
    return Column(decided, np.concatenate([empty, *parts]), categories)


def common_kind(columns: Iterable[Column]) -> Kind:
    """The kind of the whole of which these are the pieces.

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
    """A column without a single value."""
    gone = np.nan if kind in NUMERIC else -1
    known = tuple(categories) if kind == "ordered" else tuple(sorted(categories))
    return Column(kind, np.full(n, gone, dtype=DTYPES[kind]), known)


def _recoded(column: Column, kind: Kind, categories: tuple[str, ...]) -> NDArray[Any]:
    """The codes of a piece in the categories of the whole; an extra last place keeps -1 as it is."""
    if column.kind == "date" and kind == "time":
        return np.asarray(column.values * DAY)
    if column.kind != "nominal" or column.categories == categories:
        return column.values
    code = {name: i for i, name in enumerate(categories)}
    new = np.array([*map(code.__getitem__, column.categories), -1], dtype=np.int32)
    return np.asarray(new[column.values])


def _has_stray_nans(types: set[type], like: Kind | None) -> bool:
    """Return whether a float may be a NaN that stands for a missing value of another sort."""
    found = {sort_of(t) for t in types} | ({_SORT_OF_KIND[like]} if like else set())
    return "number" in found and len(found - {"missing"}) > 1


def _inferred_kind(values: Sequence[Any], types: set[type], like: Kind | None) -> Kind | None:
    """The kind by the rules above; None when no value is there."""
    found = {sort_of(t) for t in types} - {"missing"}
    if not found:
        return None
    first = _SORT_OF_KIND[like] if like else _first_sort(values)
    if first in ("record", "list", "other"):
        index = first_outside(values, {"missing"})
        raise ValueMismatch(index, f"expected a plain value, got {shown(values[index])}")
    if found != {first}:
        index = first_outside(values, ("missing", first))
        fix: Kind | None = "nominal" if found <= {*_PLAIN} else None
        raise ValueMismatch(index, f"expected {EXPECTED[first]}, got {shown(values[index])}", fix)
    if first == "number":
        return _kind_of_numbers(values, types)
    if first == "moment":
        seconds = _seconds(values, "time", "")
        return None if np.isnan(seconds).all() else kind_of_seconds(seconds)
    return "bool" if first == "flag" else "nominal"


def _first_sort(values: Sequence[Any]) -> ValueSort:
    return next(sort for value in values if (sort := sort_of(type(value))) != "missing")


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


def _wanted(kind: Kind) -> str:
    return _EXPECTED_OF_KIND.get(kind) or EXPECTED[_SORT_OF_KIND[kind]]


_EXACT = 2.0**53


def warn_of_lost_digits(column: Column, name: str) -> None:
    """Warn of whole numbers that have more digits than are kept."""
    numbers = column.values
    if column.kind == "int" and len(numbers) and max(-np.fmin.reduce(numbers), np.fmax.reduce(numbers)) > _EXACT:
        fix = f"to keep every digit as text: {option_text('types', {name: 'nominal'})}"
        warnings.warn(
            StructtreeWarning(f"{name!r} has whole numbers beyond 2^53, of which about 16 digits are kept; {fix}"),
            stacklevel=2,
        )


def warn_of_zones() -> None:
    """Say that times were converted."""
    warnings.warn("times with a time zone are converted to UTC", stacklevel=2)


def _seconds(values: Sequence[Any], kind: Kind, layout: str) -> NDArray[np.float64]:
    """Return moments, or the text of some, in seconds since 1970."""
    seconds, is_aware = np.full(len(values), np.nan), False
    for index, value in enumerate(values):
        if value is None or value != value:
            continue
        try:
            moment = moment_of(value, layout=layout)
        except (ValueError, OverflowError, AttributeError):
            example = pattern_example(layout) if "%" in layout else _EXAMPLES.get(layout)
            like = f"a {kind} such as {example}" if layout else _wanted(kind)
            fix = None if layout else _layout_fix(value, kind)
            raise ValueMismatch(index, f"expected {like}, got {shown(value)}{fix or ''}", "nominal") from None
        seconds[index], is_aware = moment, is_aware or moment.is_aware
    if is_aware:
        warn_of_zones()
    return seconds


_EXAMPLES: Mapping[str, str] = {DAY_FIRST: "31.12.2024", MONTH_FIRST: "12/31/2024"}


def _layout_fix(value: Any, kind: Kind) -> str | None:
    """Return what to say of a text that would be a date if it were laid out in another way."""
    found = layouts_of([value]) if isinstance(value, str) else []
    if found:
        what = " or ".join(f"the {layout.removesuffix('-first')}" for layout in found)
        return f" (if {what} comes first, say so: {' or '.join(f'{kind}({layout})' for layout in found)})"
    pattern = pattern_of_digits(str(value))
    return None if pattern is None else f" (if these are year, month and day, say so: {kind}({pattern}))"


def _numbers(values: Sequence[Any], types: set[type], kind: Kind) -> NDArray[np.float64]:
    if kind == "real" and types == {float}:
        return np.fromiter(values, np.float64, len(values))
    sorts = sorts_of_types(types)
    if "moment" in sorts:
        values = [moment_of(value) if sort_of(type(value)) == "moment" else value for value in values]
    if "string" in sorts:
        values = [_number(i, value, kind) for i, value in enumerate(values)]
    try:
        numbers = np.array(values, dtype=np.float64)  # None becomes NaN
    except OverflowError:
        index = next(i for i, v in enumerate(values) if isinstance(v, int) and abs(v) > 1e308)
        raise ValueMismatch(index, f"expected {_wanted(kind)}, got one of more than 308 digits") from None
    if kind == "int" and not types <= {int, type(None)}:
        broken = (numbers != np.floor(numbers)) & ~np.isnan(numbers) | np.isinf(numbers)
        if broken.any():
            index = int(np.argmax(broken))
            raise ValueMismatch(index, f"expected a whole number, got {shown(values[index])}", "real")
    return numbers


def _number(index: int, value: Any, kind: Kind) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return float(value)
    except ValueError:
        raise ValueMismatch(index, f"expected {_wanted(kind)}, got {shown(value)}", "nominal") from None


_FLAGS: Mapping[Any, int] = {True: 1, False: 0, None: -1}
_WORDS: Mapping[str, int] = {"true": 1, "false": 0}


def _flags(values: Sequence[Any]) -> NDArray[np.int8]:
    try:
        return np.fromiter(map(_FLAGS.__getitem__, values), np.int8, len(values))
    except KeyError:
        return np.array([_flag(i, value) for i, value in enumerate(values)], dtype=np.int8)


def _flag(index: int, value: Any) -> int:
    found = _WORDS.get(value.lower()) if isinstance(value, str) else -1 if value != value else _FLAGS.get(value)
    if found is None:
        raise ValueMismatch(index, f"expected true or false, got {shown(value)}", "nominal")
    return found


def _nominal(values: Sequence[Any], types: set[type], categories: Sequence[str]) -> Column:
    if not types <= {str, type(None)}:
        values = [_text(value) for value in values]
    found = set(values) - {None}
    names = tuple(sorted(categories or found))
    code: dict[Any, int] = {name: i for i, name in enumerate(names)} | {None: -1}
    if not found <= code.keys():
        index = next(i for i, value in enumerate(values) if value not in code)
        raise ValueMismatch(index, f"unknown category {shown(values[index])}{did_you_mean(values[index], names)}")
    return Column("nominal", np.fromiter(map(code.__getitem__, values), np.int32, len(values)), names)


def _ordered(values: Sequence[Any], types: set[type], categories: Sequence[str]) -> Column:
    """The ranks of values among categories, which come in their order."""
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
    # The same number is the same category, however it was stored.
    return repr(int(plain) if isinstance(plain, float) and plain.is_integer() else plain)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


# ---- what the user says instead --------------------------------------------------------------------------

_KINDS = "bool, int, real, date, time, nominal, or categories in order (low<medium<high)"
_LAID_OUT = re.compile(r"(date|time)\((.+)\)")


@dataclass(frozen=True, slots=True)
class Wanted:
    """An attribute as the user wants it read: its kind, categories in order, and how its dates are written.

    Examples
    --------
    >>> Wanted.parse("date(day-first)")
    Wanted(kind='date', values=(), layout='day-first')
    >>> Wanted.parse("date(%y%m%d)").layout, Wanted.parse("date(%y)")
    ('%y%m%d', None)
    >>> Wanted.parse("low < medium < high").values
    ('low', 'medium', 'high')
    """

    kind: Kind
    values: tuple[str, ...] = ()
    layout: str = ""

    @classmethod
    def parse(cls, text: str) -> Wanted | None:
        """Return what a word, or categories with ``<`` between them, say; None if it is neither."""
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


def reads_text(wanted: Wanted | None) -> bool:
    """Return whether the user wants a column that is best read from its text as it stands, such as ``007``.

    Examples
    --------
    >>> reads_text(Wanted("nominal")), reads_text(Wanted("real")), reads_text(None)
    (True, False, False)
    """
    return wanted is not None and wanted.kind not in ("bool", "int", "real")


@dataclass(frozen=True, slots=True)
class Overrides:
    """The kinds of members that the user wants, as in ``{"zip": "nominal", "Car.wheels": "int", "cars": "set"}``.

    A key is the name of a member, or ``Type.member`` where the name alone would mean too many. The value is ``bool``,
    ``int``, ``real``, ``date``, ``time`` or ``nominal`` for an attribute, ``date(day-first)`` for text such as
    31.12.2024, ``date(month-first)`` for 12/31/2024, ``date(%y%m%d)`` for any other layout (`datetime.strptime` says
    what the letters mean), and ``low<medium<high`` for categories in their order; ``set`` or ``list`` for a link.

    Examples
    --------
    >>> said = Overrides({"zip": "nominal", "Car.wheels": "int", "cars": "set"})
    >>> said.wanted("Row", "zip").kind, said.wanted("Van", "wheels"), said.link("Train", "cars")
    ('nominal', None, 'set')
    """

    given: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = (
            *(kind for kind in get_args(Kind) if kind != "ordered"),
            *(f"{kind}({layout})" for kind in ("date", "time") for layout in _EXAMPLES),
            "set",
            "list",
        )
        for name, value in self.given.items():
            if value not in ("set", "list") and Wanted.parse(str(value)) is None:
                ordered = "; write its categories in order, as low<medium<high" if "ordered" in str(value) else ""
                hint = ordered or did_you_mean(str(value), known)
                raise UsageError(f"{name!r} cannot be read as {value!r}{hint}")

    def declared(self, type_name: str, member: str) -> Attribute | None:
        """The attribute as the user wants it, if they said so."""
        wanted = self.wanted(type_name, member)
        return None if wanted is None else Attribute(member, wanted.kind, wanted.values)

    def wanted(self, type_name: str, member: str) -> Wanted | None:
        """The kind, or the sort of values, that the user wants an attribute to be read as, if they said so."""
        said = self._said(type_name, member)
        return None if said is None else Wanted.parse(said)

    def link(self, type_name: str, member: str) -> Literal["set", "list"] | None:
        """The kind the user wants a link to have, set or list, if they said so."""
        said = self._said(type_name, member)
        return said if said in ("set", "list") else None  # type: ignore[return-value]  # the test has checked it

    def _said(self, type_name: str, member: str) -> str | None:
        return self.given.get(f"{type_name}.{member}") or self.given.get(member)

    def check(self, schema: Schema) -> None:
        """Refuse what names no member of the schema, or the wrong sort of member."""
        sorts: dict[str, set[str]] = {}
        for record in schema.types:
            for member in record.members:
                sort = "link" if record.link(member) else "attribute"
                for name in (member, f"{record.name}.{member}"):
                    sorts.setdefault(name, set()).add(sort)
        for name, value in self.given.items():
            if name not in sorts:
                raise UnknownNameError("member", name, sorts)
            if sorts[name] == {"link"} and value not in ("set", "list"):
                raise UsageError(f"{name!r} is a link: read it as a set or a list, not as {value!r}")
            if sorts[name] == {"attribute"} and value in ("set", "list"):
                raise UsageError(f"{name!r} is an attribute: read it as {_KINDS}, not as {value!r}")

    def applied(self, schema: Schema) -> Schema:
        """The schema with the members changed as the user said."""
        self.check(schema)
        return Schema(tuple(self._changed(record) for record in schema.types), schema.individual)

    def _changed(self, record: RecordType) -> RecordType:
        attributes = tuple(self._as_wanted(record.name, a) for a in record.attributes)
        links = tuple(
            link if link.single else replace(link, kind=self.link(record.name, link.name) or link.kind)
            for link in record.links
        )
        return RecordType(record.name, attributes, links)

    def _as_wanted(self, type_name: str, attribute: Attribute) -> Attribute:
        declared = self.declared(type_name, attribute.name)
        is_same = declared is None or (declared.kind == attribute.kind and declared.kind != "ordered")
        return attribute if is_same or declared is None else declared


# ---- names of types --------------------------------------------------------------------------------------

_WORDS_BY_PLURAL = """
    axes axis, buses bus, caches cache, children child, feet foot, gases gas, halves half, indices index, leaves leaf,
    matrices matrix, men man, mice mouse, movies movie, people person, series series, species species, teeth tooth,
    vertices vertex, women woman
"""
_IRREGULAR: Mapping[str, str] = dict(pair.split() for pair in _WORDS_BY_PLURAL.split(","))


def type_name_of(member: str) -> str:
    """The name of the type a member leads to: its words capitalised, the last one singular.

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
