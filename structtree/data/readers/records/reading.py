"""Reading and writing of nested Python records, JSON and JSON Lines.

A nested object is a reference, and an array of objects is a list (or a set, if declared or if it is a Python set). An
array of plain values is a list of records with one attribute, ``value``; one of arrays is a list of records with one
link, ``values``. The type of a record is named after its member, capitalised and in the singular: the elements of
``cars`` have type ``Car``. ``$id`` and ``$ref`` mark shared records, and ``$type`` overrides the type. Records are
read by `structtree.data.readers.records.shredding` and written by `structtree.data.readers.records.nesting`.

JSON Lines has one individual per line. The first line may be ``{"$schema": ...}``; `write_jsonl` writes it, so that a
population can be restored exactly.
"""

from __future__ import annotations

import gc
import gzip
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO, cast

import orjson

from structtree.data.kinds import Overrides, quoted_value
from structtree.data.population import Population
from structtree.data.readers.individuals import population_of
from structtree.data.readers.records.nesting import nested, placement_of
from structtree.data.readers.records.shredding import DEEPEST, Shredder
from structtree.data.readers.records.source_paths import Origin
from structtree.data.readers.text_files import open_text_file
from structtree.data.schema import Schema
from structtree.errors import DataError, StructtreeError, option_text
from structtree.files import replacing

__all__ = ["from_records", "read_json", "read_jsonl", "write_jsonl"]

_BLOCK = 1 << 17
"""Bytes of a file that are parsed together; records that stay in the CPU cache are shredded faster."""

_LINES = 1024
"""Number of individuals that are converted to Python objects at a time when writing."""


def from_records(
    records: Sequence[Mapping[str, Any]],
    schema: Schema | None = None,
    *,
    individual: str = "Individual",
    types: Mapping[str, str] | None = None,
    source: str | None = None,
) -> Population:
    """Convert nested Python dicts and lists, one dict per individual, to a population.

    Parameters
    ----------
    records : sequence of mappings
    schema : Schema, optional
        Required schema; by default inferred as described in `structtree.data.kinds`.
    individual : str
        Name of the individual type, unless a schema or ``$type`` gives it.
    types : mapping, optional
        Declared kinds of members, such as ``{"zip": "nominal", "Car.wheels": "int", "cars": "set"}``.
    source : str, optional
        Name of the source, for errors.

    Examples
    --------
    >>> film = {"title": "M", "actors": [{"$id": "lorre", "name": "Lorre"}]}
    >>> other = {"title": "Casablanca", "actors": [{"$ref": "lorre"}]}
    >>> films = from_records([film, other], individual="Film", types={"actors": "set"})
    >>> films.schema.names, films.table("Actor").n_rows
    (('Film', 'Actor'), 1)
    """
    if isinstance(records, Mapping | str | bytes):
        raise DataError(f"expected a list of records, got {quoted_value(records)}", source=source)
    shredder = _shredder(schema, individual, types, source)
    with _collector_paused():
        shredder.feed(list(records), Origin(source=source))
        return shredder.finish()


def read_jsonl(
    path: str | os.PathLike[str],
    schema: Schema | None = None,
    *,
    individual: str = "Individual",
    types: Mapping[str, str] | None = None,
) -> Population:
    """Read a JSON Lines file (``.gz`` is unpacked) with one individual per line.

    Parameters
    ----------
    path : path
    schema, individual, types
        As for `from_records`; ``{"$schema": ...}`` in the first line is the default schema.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "trains.jsonl"
    ...     _ = file.write_text('{"cars": [{"wheels": 2}, {"wheels": 3}]}\\n{"cars": []}\\n')
    ...     trains = read_jsonl(file, individual="Train")
    >>> len(trains), trains.schema.type("Train").link("cars")
    (2, Link(name='cars', kind='list', target='Car'))
    """
    source = os.fspath(path)
    shredder: Shredder | None = None
    n_individuals = 0
    with open_text_file(path) as file, _collector_paused():
        for block in _parsed_blocks(file, source):
            records, lines = block.records, block.lines
            if shredder is None:
                written = _schema_of(records[0], source, lines[0])
                shredder = _shredder(schema or written, individual, types, source)
                if written is not None:
                    del records[0]
                    lines = lines[1:]
            shredder.feed(records, Origin(n_individuals, source, lines))
            n_individuals += len(records)
        if shredder is None:
            raise DataError("the file has only blank lines; expected one JSON object per line", source=source)
        return shredder.finish()


def read_json(
    path: str | os.PathLike[str],
    schema: Schema | None = None,
    *,
    individual: str = "Individual",
    types: Mapping[str, str] | None = None,
) -> Population:
    """Read a JSON file with one array of objects; otherwise like `read_jsonl`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "trains.json"
    ...     _ = file.write_text('[{"wheels": 2}, {"wheels": 3}]')
    ...     len(read_json(file))
    2
    """
    source = os.fspath(path)
    with open_text_file(path) as file, _collector_paused():
        text = file.read()
        try:
            records = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            raise _broken(error, source, error.lineno) from None
        if not isinstance(records, list):
            fix = f"a file with one object per line is read with {option_text('format', 'jsonl')}"
            raise DataError(f"expected an array of objects, got {quoted_value(records)}", source=source, fix=fix)
        written = _schema_of(records[0], source, None) if records else None
        shredder = _shredder(schema or written, individual, types, source)
        shredder.feed(records if written is None else records[1:], Origin(source=source))
        return shredder.finish()


def write_jsonl(individuals: Any, path: str | os.PathLike[str]) -> None:
    """Write individuals as JSON Lines (compressed if the name ends in ``.gz``), with the schema in the first line.

    A shared record is written where it is nearest to an individual, and as ``$ref`` elsewhere. Rows that no
    individual reaches are not written. The file is replaced only when it is complete.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> trains = from_records([{"cars": [{"wheels": 2}]}], individual="Train")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "trains.jsonl"
    ...     write_jsonl(trains, file)
    ...     print(file.read_text().splitlines()[1])
    {"cars":[{"wheels":2}]}
    """
    population = population_of(individuals)
    placement = placement_of(population)
    with _writing(Path(path)) as file, _collector_paused():
        file.write(orjson.dumps({"$schema": population.schema.to_json()}) + b"\n")
        for start in range(0, len(population), _LINES):
            records = nested(population, placement, start, start + _LINES)
            file.write(b"".join(_dumped(start + i, record) for i, record in enumerate(records)))


# ---- reading ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """Records with their line numbers."""

    records: list[Any]
    lines: Sequence[int]


def _shredder(
    schema: Schema | None, individual: str, types: Mapping[str, str] | None, source: str | None
) -> Shredder:
    overrides = Overrides(types or {})
    return Shredder(overrides.applied(schema) if schema else None, individual, overrides, source)


def _parsed_blocks(file: BinaryIO, source: str) -> Iterator[_Block]:
    first = 1
    while text := file.read(_BLOCK):
        text += file.readline()
        lines = text.removesuffix(b"\n").split(b"\n")
        try:
            yield _Block(list(map(orjson.loads, lines)), range(first, first + len(lines)))
        except orjson.JSONDecodeError:
            block = _parsed_lines(lines, first, source)
            if block.records:
                yield block
        first += len(lines)


def _parsed_lines(lines: Sequence[bytes], first: int, source: str) -> _Block:
    """Parse lines one by one, because some are blank or invalid."""
    records, numbers = [], []
    for number, line in zip(count(first), lines, strict=False):
        if not line.strip():
            continue
        try:
            records.append(orjson.loads(line))
        except orjson.JSONDecodeError as error:
            raise _broken(error, source, number) from None
        numbers.append(number)
    return _Block(records, numbers)


def _broken(error: orjson.JSONDecodeError, source: str, line: int) -> DataError:
    if "depth limit" in error.msg or "ecursion" in error.msg:
        return DataError(f"brackets are nested deeper than {DEEPEST} levels", source=source, line=line)
    return DataError(f"invalid JSON: {error.msg} in column {error.colno}", source=source, line=line)


def _schema_of(record: Any, source: str, line: int | None) -> Schema | None:
    if not isinstance(record, dict) or "$schema" not in record:
        return None
    try:
        return Schema.from_json(record["$schema"])
    except StructtreeError as error:
        raise DataError(f"the schema cannot be used: {error}", source=source, line=line) from None


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Disable the garbage collector, which repeatedly visits all objects while millions of records are created.

    No relevant cycles are created here. For 20 000 graphs with 20 nodes, parsing alone took 5.2 s with the collector
    and 0.6 s without.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


# ---- writing ---------------------------------------------------------------------------------------------


@contextmanager
def _writing(path: Path) -> Iterator[BinaryIO]:
    with replacing(path) as draft, draft.open("wb") as file:
        if path.suffix == ".gz":
            # Without name and time, so that equal data gives equal bytes.
            with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
                yield cast("BinaryIO", packed)
        else:
            yield file


def _dumped(individual: int, record: Mapping[str, Any]) -> bytes:
    try:
        return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError as error:
        problem = str(error)
    if "ecursion" in problem or "64-bit" in problem:  # the slower standard library supports these
        try:
            return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        except RecursionError:
            problem = "it is nested too deeply"
    raise DataError(f"the record cannot be written as JSON: {problem}", individual=individual)
