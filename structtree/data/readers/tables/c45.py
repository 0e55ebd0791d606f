r"""Reader of C4.5: ``NAME.names`` declares classes and attributes, ``NAME.data`` and ``NAME.test`` have the rows.

The first entry of a names file lists the classes; each further entry declares an attribute. An entry ends with a
period, or at the end of a line that does not end with a comma; ``|`` starts a comment, and ``\`` escapes the next
character.

==========================  ================================================================================
declared as                 kind
==========================  ================================================================================
``age: continuous.``        ``real``
``sex: male, female.``      ``nominal``, with declared values
``town: discrete 50.``      ``nominal`` with any values, at most 50
``number: ignore.``         skipped
==========================  ================================================================================

The class is the last column, ``class``. If the first entry is the name of an attribute, as in C5.0, that attribute is
the class and is moved to the end. Words for missing values (``?``, ``N/A`` etc.) are missing unless the names file
declares them as values; ``?`` always is.

Many ``.names`` files of the UCI repository are prose and cannot be read; read their rows as CSV without a header.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO, Unpack

from structtree.data.kinds import quoted_value
from structtree.data.population import Population
from structtree.data.readers.options import RowOptions
from structtree.data.readers.tables.reading import from_sheet
from structtree.data.readers.tables.sheets import Sheet, Texts, unique_names
from structtree.data.readers.text_files import MISSING_WORDS, extension_of, open_decoded, require_file
from structtree.data.schema import Attribute
from structtree.errors import DataError, MissingFileError, option_text

__all__ = ["read_c45"]

_AS_TABLE = f"to read only the rows: {option_text('format', 'csv')} {option_text('header', False)}"


def read_c45(
    path: str | os.PathLike[str],
    *,
    encoding: str = "utf-8",
    missing_words: Sequence[str] = MISSING_WORDS,
    **rows: Unpack[RowOptions],
) -> Population:
    """Read a pair of C4.5 files (``.gz`` is unpacked).

    Parameters
    ----------
    path : path
        ``NAME.data`` or ``NAME.test`` in the same folder as ``NAME.names``; or ``NAME.names``, for ``NAME.data``.
    individual, types, group, link
        As for `structtree.data.readers.tables.reading.from_frame`; ``types`` overrides the names file.
    encoding : str
    missing_words : sequence of str
        Words for missing values, besides ``?``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "golf.data"
    ...     _ = file.write_text("sunny, 25, no.\\nrain, ?, yes.\\n")
    ...     _ = file.with_suffix(".names").write_text("yes, no.\\nsky: sunny, rain.\\ndegrees: continuous.\\n")
    ...     golf = read_c45(file)
    >>> golf.record(0), golf.record(1)
    ({'sky': 'sunny', 'degrees': 25.0, 'class': 'no'}, {'sky': 'rain', 'class': 'yes'})
    """
    given = require_file(path)
    declared = given if extension_of(given) == ".names" else _beside(given, ".names")
    with open_decoded(declared, encoding) as text:
        names = _names(text, str(declared))
    data = _beside(given, ".data") if given == declared else given
    with open_decoded(data, encoding) as text:
        cells, lines = _rows(text, names, str(data))
    columns = _columns(names, cells, {"?", *missing_words}, str(data))
    return from_sheet(Sheet(columns, len(cells), str(data), lines), **rows)


# ---- which files -----------------------------------------------------------------------------------------


def _beside(path: Path, suffix: str) -> Path:
    stem = path.name[: len(path.name.removesuffix(".gz")) - len(extension_of(path))]
    partner = path.with_name(stem + suffix)
    for found in (partner, partner.with_name(f"{partner.name}.gz")):
        if found.exists():
            return found
    fix = f"; {_AS_TABLE}" if suffix == ".names" else ""
    raise MissingFileError(f"{path} needs {partner.name} in the same folder{fix}")


# ---- the names file --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Entry:
    """Text between two periods, and its first line."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class _Field:
    """Declared column, with no attribute if it is skipped; `limit` is the maximum number of values."""

    name: str
    attribute: Attribute | None
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class _Names:
    """Columns in order, and the name of the class."""

    fields: tuple[_Field, ...]
    target: str


def _names(text: TextIO, source: str) -> _Names:
    entries = list(_entries(text))
    if not entries:
        raise _no_names("the classes and the attributes", _Entry(1, "comments only"), source)
    fields = tuple(_field(entry, source) for entry in entries[1:])
    classes = _values(entries[0].text)
    if len(classes) == 1 and any(field.name == classes[0] for field in fields):
        return _Names(fields, classes[0])
    if len(classes) < 2 or not fields:
        raise _no_names("the classes, as in 'yes, no.', and then the attributes", entries[0], source)
    target = "class" if all(field.name != "class" for field in fields) else "target"
    return _Names((*fields, _Field(target, Attribute(target, "nominal", classes))), target)


def _entries(text: TextIO) -> Iterator[_Entry]:
    waiting, start = "", 1
    for number, line in enumerate(text, 1):
        *ended, rest = re.split(r"\.(?=\s|$)", _without_comment(line))
        for piece in ended:
            whole, waiting = f"{waiting} {piece}".strip(), ""
            if whole:
                yield _Entry(start, whole)
            start = number
        waiting = f"{waiting} {rest}".strip()
        if waiting and not waiting.endswith((",", ":")):
            yield _Entry(start, waiting)
            waiting = ""
        start = start if waiting else number + 1
    if waiting:
        yield _Entry(start, waiting)


def _field(entry: _Entry, source: str) -> _Field:
    name, colon, declared = (part.strip() for part in entry.text.partition(":"))
    if not colon or not name or not declared or declared.startswith("="):
        raise _no_names("an attribute, as in 'age: continuous.' or 'sex: male, female.'", entry, source)
    name, word = _plain(name), declared.lower()
    if re.match(r"continuous\b", word):
        return _Field(name, Attribute(name, "real"))
    if word in ("ignore", "label"):
        return _Field(name, None)
    if found := re.fullmatch(r"discrete\s*(\d*)", word):
        return _Field(name, Attribute(name, "nominal"), int(found[1]) if found[1] else None)
    values = _values(declared.removeprefix("[ordered]"))
    is_ordered = declared.startswith("[ordered]") and len(values) > 1
    return _Field(name, Attribute(name, "ordered" if is_ordered else "nominal", values))


def _values(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_plain(value) for value in _split(text) if value))


def _no_names(expected: str, entry: _Entry, source: str) -> DataError:
    message = f"expected {expected}, got {quoted_value(_plain(entry.text))}"
    return DataError(message, source=source, line=entry.line, fix=f"this is not a C4.5 names file; {_AS_TABLE}")


# ---- the rows --------------------------------------------------------------------------------------------


def _rows(text: TextIO, names: _Names, source: str) -> tuple[list[tuple[str, ...]], list[int]]:
    """Return the cells of each row, with placeholders for escaped characters, and its line."""
    rows, lines, n = [], [], len(names.fields)
    for number, line in enumerate(text, 1):
        bare = _without_comment(line).removesuffix(".")
        if not bare:
            continue
        cells = tuple(_split(bare))  # the garbage collector does not track tuples of strings, unlike lists
        if len(cells) != n:
            first = ", ".join(field.name for field in names.fields[:3])
            message = f"expected {n} values ({first} and so on, as in the names file), got {len(cells)}"
            raise DataError(message, source=source, line=number)
        rows.append(cells)
        lines.append(number)
    if not rows:
        raise DataError("the file has no rows", source=source)
    return rows, lines


def _columns(names: _Names, rows: list[tuple[str, ...]], missing: Set[str], source: str) -> dict[str, Texts]:
    """Return the columns that are not ignored, with the class last."""
    unique_names([field.name for field in names.fields if field.attribute is not None], source)
    found: dict[str, Texts] = {}
    for field, cells in zip(names.fields, zip(*rows, strict=True), strict=True):
        words = (missing - set(field.attribute.values if field.attribute else ())) | {"?"}
        plain = [None if cell in words else _plain(cell) for cell in cells]
        _check_limit(field, plain, source)
        if field.attribute is not None:
            found[field.name] = Texts(plain, field.attribute)
    if names.target in found:
        found[names.target] = found.pop(names.target)
    return found


def _check_limit(field: _Field, cells: Sequence[str | None], source: str) -> None:
    n = len(set(cells) - {None})
    if field.limit is not None and n > field.limit:
        message = f"expected at most {field.limit} values, as in the names file, got {n}"
        raise DataError(message, source=source, path=f"column {field.name!r}")


# ---- escaped characters ----------------------------------------------------------------------------------

# While a line is split, escaped characters are replaced by characters of the private use area.
_HIDDEN = {char: chr(0xE000 + place) for place, char in enumerate(".,:|?\\")}
_SHOWN = str.maketrans({hidden: char for char, hidden in _HIDDEN.items()})


def _without_comment(line: str) -> str:
    """Return a line without its comment, with placeholders for escaped characters."""
    if "\\" in line:
        line = re.sub(r"\\(.)", lambda found: _HIDDEN.get(found[1], found[1]), line)
    return line.partition("|")[0].strip()


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")]


def _plain(text: str) -> str:
    """Return a name or a value with its escaped characters restored and whitespace normalised."""
    return " ".join(text.translate(_SHOWN).split())
