r"""ARFF files, the tables of Weka: attributes are declared first, then come the rows, dense or sparse.

============================  ==============================================================================
declared as                   is
============================  ==============================================================================
``{small, big}``              ``nominal``, with its values declared in that order
``integer``                   ``int``
``numeric``, ``real``         ``real``
``string``                    ``nominal`` with any values
``date "yyyy-MM-dd"``         ``real``: seconds since 1970, UTC; without a format it is ``yyyy-MM-dd'T'HH:mm:ss``
============================  ==============================================================================

``?`` is missing. In a sparse row what is not mentioned is 0, or the first value of a nominal; text and dates are
missing there. Names and values may stand in single or double quotes, with ``\`` before what would end them.

A reader of our own, because those at hand do less: that of scipy knows neither sparse rows nor text, and others are
no longer kept up; and none can say on which line of a file something is wrong.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from structtree.data.columns import Population
from structtree.data.frames import Declared
from structtree.data.infer import shown
from structtree.data.schema import Attribute
from structtree.data.tables import from_declared
from structtree.data.textfiles import open_decoded
from structtree.errors import DataError

__all__ = ["read_arff"]

_QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_NAME = re.compile(rf"({_QUOTED}|[^\s{{'\"][^\s{{]*)\s*(.*)")
_CELL = re.compile(rf"\s*({_QUOTED}|[^'\",\t][^,\t]*?|)\s*(,|\t|$)")
_SPARSE_CELL = re.compile(rf"\s*(\d+)\s+({_QUOTED}|[^'\",\s][^,]*?)\s*(,|$)")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}

_ISO_DATE = "yyyy-MM-dd'T'HH:mm:ss"
_DATE_PARTS = {
    "yyyy": "%Y",
    "yy": "%y",
    "MMM": "%b",
    "MM": "%m",
    "M": "%m",
    "dd": "%d",
    "d": "%d",
    "HH": "%H",
    "H": "%H",
    "hh": "%I",
    "h": "%I",
    "mm": "%M",
    "m": "%M",
    "ss": "%S",
    "s": "%S",
    "SSS": "%f",
    "a": "%p",
    "Z": "%z",
}


def read_arff(
    path: str | os.PathLike[str],
    *,
    individual: str | None = None,
    types: Mapping[str, str] | None = None,
    group: str | None = None,
    link: str | None = None,
    encoding: str = "utf-8",
) -> Population:
    """A population from an ARFF file (``.gz`` is unpacked).

    Parameters
    ----------
    path : path
    individual, types, group, link
        As in `structtree.data.tables.from_frame`; ``types`` goes before what the file declares.
    encoding : str

    Examples
    --------
    >>> import tempfile, pathlib
    >>> header = "@relation a\\n@attribute size {small, big}\\n@attribute 'its weight' real\\n"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "a.arff"
    ...     _ = file.write_text(header + "@data\\nbig, 1.5\\nsmall, ?\\n")
    ...     population = read_arff(file)
    >>> population.record(0), population.record(1)
    ({'size': 'big', 'its weight': 1.5}, {'size': 'small'})
    """
    source = os.fspath(path)
    with open_decoded(path, encoding) as text:
        lines = _lines(text)
        fields = _header(lines, source)
        rows = _rows(lines, fields, source)
    columns = [
        Declared(field.attribute, cells, field.number, field.expected)
        for field, cells in zip(fields, zip(*rows.cells, strict=True), strict=True)
    ]
    return from_declared(
        columns, individual=individual, types=types, group=group, link=link, source=source, lines=rows.lines
    )


# ---- the header ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class _Field:
    """A declared attribute; what a sparse row means by not mentioning it; and how dates are read."""

    attribute: Attribute
    absent: str | None
    number: Callable[[str], float] | None = None
    expected: str = ""


def _lines(text: Iterator[str]) -> Iterator[_Line]:
    """The lines that say something: neither blank nor comments."""
    for number, line in enumerate(text, 1):
        bare = line.strip()
        if bare and bare[0] != "%":
            yield _Line(number, bare)


def _header(lines: Iterator[_Line], source: str) -> list[_Field]:
    fields: list[_Field] = []
    for line in lines:
        keyword, *rest = line.text.split(None, 1)
        match keyword.lower():
            case "@data":
                if not fields:
                    raise DataError("expected @attribute before @data", source=source, line=line.number)
                return fields
            case "@attribute":
                fields.append(_field(rest[0] if rest else "", line, source))
            case "@relation":
                continue
            case _:
                message = f"expected @attribute or @data, got {shown(line.text)}"
                raise DataError(message, source=source, line=line.number)
    raise DataError("expected @data and rows after it, got the end of the file", source=source)


def _field(text: str, line: _Line, source: str) -> _Field:
    found = _NAME.fullmatch(text)
    if found is None:
        raise DataError("expected the name and the type of an attribute", source=source, line=line.number)
    name, declared = _unquoted(found[1]), found[2]
    if declared.startswith("{") and "}" in declared:
        values = _split(declared[1 : declared.rindex("}")], line, source)
        known = tuple(dict.fromkeys(value for value in values if value))
        return _Field(Attribute(name, "nominal", known), known[0] if known else None)
    word, *rest = declared.split(None, 1) or [""]
    match word.lower():
        case "numeric" | "real":
            return _Field(Attribute(name, "real"), "0")
        case "integer":
            return _Field(Attribute(name, "int"), "0")
        case "string":
            return _Field(Attribute(name, "nominal"), None)
        case "date":
            return _date(name, _unquoted(rest[0]) if rest else _ISO_DATE, line, source)
        case _:
            known_types = "{a, b, c}, numeric, integer, string or date"
            message = f"expected a type for attribute {name!r}, one of {known_types}, got {shown(declared)}"
            raise DataError(message, source=source, line=line.number)


def _date(name: str, format: str, line: _Line, source: str) -> _Field:
    """A date in the notation of Java, as in ``yyyy-MM-dd``; in quotes there is plain text."""
    pieces = [found[0] for found in re.finditer(r"'[^']*'|([A-Za-z])\1*|.", format)]
    known = [_DATE_PARTS.get(piece, None if piece.isalpha() else piece.strip("'") or "'") for piece in pieces]
    if None in known:
        unknown = pieces[known.index(None)]
        raise DataError(f"unknown part {unknown!r} of the date format {format!r}", source=source, line=line.number)
    pattern = "".join(part or "" for part in known)

    def seconds(cell: str) -> float:
        moment = datetime.strptime(cell, pattern)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()

    return _Field(Attribute(name, "real"), None, seconds, f"a date such as {format}")


# ---- the rows --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """The cells of each row, and the line it stands on."""

    cells: list[tuple[str | None, ...]]
    lines: list[int]


def _rows(lines: Iterator[_Line], fields: Sequence[_Field], source: str) -> _Rows:
    rows = _Rows([], [])
    for line in lines:
        cells = _sparse(line, fields, source) if line.text[0] == "{" else _split(line.text, line, source)
        if len(cells) != len(fields):
            raise _ragged(cells, fields, line, source)
        rows.cells.append(tuple(cells))  # which the collector does not walk again and again, unlike lists
        rows.lines.append(line.number)
    if not rows.cells:
        raise DataError("there are no rows after @data", source=source)
    return rows


def _split(text: str, line: _Line, source: str) -> list[str | None]:
    """The cells of a row, None for ``?``; a quoted question mark is a value."""
    if "'" in text or '"' in text:
        return list(_quoted_cells(text, line, source))
    cells = text.split("," if "," in text else "\t")
    if " " in text or "\t" in text:
        cells = [cell.strip() for cell in cells]
    return [None if cell == "?" else cell for cell in cells] if "?" in text else [*cells]


def _quoted_cells(text: str, line: _Line, source: str) -> Iterator[str | None]:
    at, mark = 0, ","
    while mark:
        found = _CELL.match(text, at)
        if found is None:
            message = f"a quoted value is never closed, or goes on after its quote, in {shown(text[at:])}"
            raise DataError(message, source=source, line=line.number)
        cell, mark, at = found[1], found[2], found.end()
        yield None if cell == "?" else _unquoted(cell)


def _sparse(line: _Line, fields: Sequence[_Field], source: str) -> list[str | None]:
    cells = [field.absent for field in fields]
    inner = line.text[1:].removesuffix("}")
    at, mark = 0, "," if inner.strip() else ""
    while mark:
        found = _SPARSE_CELL.match(inner, at)
        if found is None or not line.text.endswith("}"):
            message = f"expected a sparse row such as {{0 3.5, 4 yes}}, got {shown(line.text)}"
            raise DataError(message, source=source, line=line.number)
        place, mark, at = int(found[1]), found[3], found.end()
        if place >= len(fields):
            message = f"there is no attribute {place}; the last of the {len(fields)} is {len(fields) - 1}"
            raise DataError(message, source=source, line=line.number)
        cells[place] = None if found[2] == "?" else _unquoted(found[2])
    return cells


def _ragged(cells: Sequence[str | None], fields: Sequence[_Field], line: _Line, source: str) -> DataError:
    n = len(fields)
    if len(cells) > n:
        which = f"{shown(cells[n] or '?')} is too many"
    else:
        which = f"there is none for attribute {fields[len(cells)].attribute.name!r}"
    message = f"expected {n} values, one for each attribute, got {len(cells)}: {which}"
    return DataError(message, source=source, line=line.number)


def _unquoted(text: str) -> str:
    if text[:1] not in ("'", '"'):
        return text
    inner = text[1:-1]
    return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), inner) if "\\" in inner else inner
