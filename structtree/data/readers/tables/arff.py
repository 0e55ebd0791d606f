r"""Reader of ARFF files, the table format of Weka: declared attributes, followed by dense or sparse rows.

============================  ==============================================================================
declared as                   kind
============================  ==============================================================================
``{small, big}``              ``nominal``, with declared values
``integer``                   ``int``
``numeric``, ``real``         ``real``
``string``                    ``nominal`` with any values
``date "yyyy-MM-dd"``         ``date``, or ``time`` if the format has a time; ``yyyy-MM-dd'T'HH:mm:ss`` by default
============================  ==============================================================================

``?`` and other given words are missing values. Values that a sparse row omits are 0, or the first value of a nominal;
text and dates are missing. Names and values may be in single or double quotes, with ``\`` as escape character.

Existing readers do less: scipy supports neither sparse rows nor text, other packages are unmaintained, and none
reports the line of an error.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Unpack

from structtree.data.dates import is_no_date
from structtree.data.kinds import quoted_value
from structtree.data.population import Population
from structtree.data.readers.options import RowOptions
from structtree.data.readers.tables.reading import from_sheet
from structtree.data.readers.tables.sheets import Sheet, Texts, unique_names
from structtree.data.readers.text_files import open_decoded
from structtree.data.schema import Attribute, Kind
from structtree.errors import DataError

__all__ = ["read_arff"]

_QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_NAME = re.compile(rf"({_QUOTED}|[^\s{{'\"][^\s{{]*)\s*(.*)")
_CELL = re.compile(rf"\s*({_QUOTED}|[^'\",\t](?:[^,\t]*[^,\s])?|)\s*(,|\t|$)")
_SPARSE_CELL = re.compile(rf"\s*(\d+)\s+({_QUOTED}|[^'\",\s](?:[^,]*[^,\s])?)\s*(,|$)")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}

_ISO_DATE = "yyyy-MM-dd'T'HH:mm:ss"
_PARTS_OF_JAVA = """
    yyyy %Y, yy %y, MMM %b, MM %m, M %m, dd %d, d %d, HH %H, H %H, hh %I, h %I,
    mm %M, m %M, ss %S, s %S, SSS %f, a %p, Z %z
"""
_DATE_PARTS = dict(part.split() for part in _PARTS_OF_JAVA.split(","))


def read_arff(
    path: str | os.PathLike[str],
    *,
    encoding: str = "utf-8",
    missing_words: Sequence[str] = (),
    **rows: Unpack[RowOptions],
) -> Population:
    """Read an ARFF file (``.gz`` is unpacked).

    Parameters
    ----------
    path : path
    individual, types, group, link
        As for `structtree.data.readers.tables.reading.from_frame`; ``types`` overrides the declarations of the file.
    encoding : str
    missing_words : sequence of str
        Words for missing values besides ``?``.

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
        lines = _lines(text, source)
        fields = _header(lines, source)
        cells, numbers = _rows(lines, fields, {"?", *missing_words}, source)
    names = unique_names([field.attribute.name for field in fields], source)
    columns = [
        Texts(column, field.attribute, field.number, field.expected)
        for field, column in zip(fields, zip(*cells, strict=True), strict=True)
    ]
    sheet = Sheet(dict(zip(names, columns, strict=True)), len(cells), source, numbers)
    return from_sheet(sheet, **rows)


# ---- the header ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Line:
    """A stripped line with its number."""

    text: str
    number: int
    source: str

    def error(self, message: str) -> DataError:
        return DataError(message, source=self.source, line=self.number)


@dataclass(frozen=True, slots=True)
class _Field:
    """Declared attribute, with its default value in sparse rows and its date parser."""

    attribute: Attribute
    absent: str | None
    number: Callable[[str], float] | None = None
    expected: str = ""


def _lines(text: Iterator[str], source: str) -> Iterator[_Line]:
    """Yield the lines that are neither blank nor comments."""
    for number, line in enumerate(text, 1):
        bare = line.strip()
        if bare and bare[0] != "%":
            yield _Line(bare, number, source)


def _header(lines: Iterator[_Line], source: str) -> list[_Field]:
    fields: list[_Field] = []
    for line in lines:
        keyword, *rest = line.text.split(None, 1)
        match keyword.lower():
            case "@data":
                if not fields:
                    raise line.error("expected @attribute before @data")
                return fields
            case "@attribute":
                fields.append(_field(rest[0] if rest else "", line))
            case "@relation":
                continue
            case _:
                raise line.error(f"expected @attribute or @data, got {quoted_value(line.text)}")
    raise DataError("expected @data and rows after it, got the end of the file", source=source)


def _field(text: str, line: _Line) -> _Field:
    found = _NAME.fullmatch(text)
    if found is None:
        raise line.error("expected the name and the type of an attribute")
    name, declared = _unquoted(found[1]), found[2]
    if declared.startswith("{") and "}" in declared:
        values = _split(declared[1 : declared.rindex("}")], line, {"?"})
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
            return _date(name, _unquoted(rest[0]) if rest else _ISO_DATE, line)
        case _:
            known_types = "{a, b, c}, numeric, integer, string or date"
            raise line.error(
                f"expected a type for attribute {name!r}, one of {known_types}, got {quoted_value(declared)}"
            )


def _date(name: str, format: str, line: _Line) -> _Field:
    """Return a date field from a Java date format such as ``yyyy-MM-dd``, with literal text in quotes."""
    pieces = [found[0] for found in re.finditer(r"'[^']*'|([A-Za-z])\1*|.", format)]
    known = [_DATE_PARTS.get(piece, None if piece.isalpha() else piece.strip("'") or "'") for piece in pieces]
    if None in known:
        raise line.error(f"unknown part {pieces[known.index(None)]!r} of the date format {format!r}")
    pattern = "".join(part or "" for part in known)

    def seconds(cell: str) -> float:
        if is_no_date(cell):
            return math.nan
        moment = datetime.strptime(cell, pattern)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()

    kind: Kind = "time" if any(piece[0] in "HhmsSaZ" for piece in pieces if piece.isalpha()) else "date"
    return _Field(Attribute(name, kind), None, seconds, f"a date such as {format}")


# ---- the rows --------------------------------------------------------------------------------------------

_Cells = Sequence[str | None]


def _rows(
    lines: Iterator[_Line], fields: Sequence[_Field], missing: Set[str], source: str
) -> tuple[list[_Cells], list[int]]:
    """Return the cells of each row, and its line."""
    rows: list[_Cells] = []
    numbers: list[int] = []
    for line in lines:
        cells = _sparse(line, fields, missing) if line.text[0] == "{" else _split(line.text, line, missing)
        if len(cells) != len(fields):
            raise _ragged(cells, fields, line)
        rows.append(tuple(cells))  # the garbage collector does not track tuples of strings, unlike lists
        numbers.append(line.number)
    if not rows:
        raise DataError("no rows after @data", source=source)
    return rows, numbers


def _split(text: str, line: _Line, missing: Set[str]) -> _Cells:
    """Return the cells of a row, None if missing; a quoted question mark is a value."""
    if "'" in text or '"' in text:
        return list(_quoted_cells(text, line, missing))
    cells = text.split("," if "," in text else "\t")
    if " " in text or "\t" in text:
        cells = [cell.strip() for cell in cells]
    return cells if missing.isdisjoint(cells) else [None if cell in missing else cell for cell in cells]


def _quoted_cells(text: str, line: _Line, missing: Set[str]) -> Iterator[str | None]:
    at, mark = 0, ","
    while mark:
        found = _CELL.match(text, at)
        if found is None:
            raise line.error(
                f"a quoted value is never closed, or continues after its quote, in {quoted_value(text[at:])}"
            )
        cell, mark, at = found[1], found[2], found.end()
        yield None if cell in missing else _unquoted(cell)


def _sparse(line: _Line, fields: Sequence[_Field], missing: Set[str]) -> _Cells:
    cells = [field.absent for field in fields]
    inner = line.text[1:].removesuffix("}")
    at, mark = 0, "," if inner.strip() else ""
    while mark:
        found = _SPARSE_CELL.match(inner, at)
        if found is None or not line.text.endswith("}"):
            raise line.error(f"expected a sparse row such as {{0 3.5, 4 yes}}, got {quoted_value(line.text)}")
        place, mark, at = int(found[1]), found[3], found.end()
        if place >= len(fields):
            raise line.error(f"there is no attribute {place}; the last of the {len(fields)} is {len(fields) - 1}")
        cells[place] = None if found[2] in missing else _unquoted(found[2])
    return cells


def _ragged(cells: _Cells, fields: Sequence[_Field], line: _Line) -> DataError:
    n = len(fields)
    if len(cells) > n:
        which = f"unexpected {quoted_value(cells[n] or '?')}"
    else:
        which = f"attribute {fields[len(cells)].attribute.name!r} is missing"
    return line.error(f"expected {n} values, one per attribute, got {len(cells)}: {which}")


def _unquoted(text: str) -> str:
    if text[:1] not in ("'", '"'):
        return text
    inner = text[1:-1]
    return re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), inner) if "\\" in inner else inner
