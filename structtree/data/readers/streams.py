"""Data from a stream: standard input (``-``), a pipe, or a device.

A stream is copied to a temporary file first, since readers may read a file twice and use its name. The extension of
the temporary file follows from the first bytes; errors and warnings name the stream.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
import sys
import tempfile
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from structtree.data.readers.text_files import extension_of, unpack
from structtree.errors import DataError, MissingFileError, StructtreeError, UsageError
from structtree.files import STANDARD_STREAM

__all__ = ["STANDARD_INPUT", "guessed_extension", "is_piped", "spooled"]

STANDARD_INPUT = "standard input"
"""Name of standard input in messages."""

_HEAD = 8192
_GZIP = b"\x1f\x8b"
_OPENINGS = (
    (rb"PAR1", ".parquet"),
    (rb"ARROW1", ".arrow"),
    (rb"\s*\{", ".jsonl"),
    (rb"\s*\[\s*[\[{\]]", ".json"),
    (rb"\s*<", ".graphml"),
    (rb"(\s*(%.*)?\n)*\s*@(?i:relation|attribute)\b", ".arff"),
    (rb"(\s*(#.*)?\n)*\s*(Creator\s[^\n]*\n\s*|Version\s[^\n]*\n\s*|multigraph\s[^\n]*\n\s*)*graph\s*\[", ".gml"),
    (rb"[^\n]*\n[^\n]*\n[^\n]*\n[^\n]*\bV[23]000\b", ".sdf"),
)


def is_piped(where: str | os.PathLike[str]) -> bool:
    """Return whether a path is a stream: standard input, a pipe or a device.

    Examples
    --------
    >>> is_piped("-"), is_piped(os.devnull), is_piped("a.csv")
    (True, True, False)
    """
    if os.fspath(where) in (STANDARD_STREAM, "/dev/stdin"):
        return True
    path = Path(where)
    return path.exists() and not path.is_file() and not path.is_dir()


def guessed_extension(head: bytes) -> str:
    """Guess the extension of a file from its first bytes; other text is assumed to be a table.

    Examples
    --------
    >>> guessed_extension(b'{"a": 1}'), guessed_extension(b"a,b"), guessed_extension(b"% zoo\\n@RELATION zoo")
    ('.jsonl', '.csv', '.arff')
    """
    text = head.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    return next((extension for opening, extension in _OPENINGS if re.match(opening, text)), ".csv")


@contextmanager
def spooled(where: str | os.PathLike[str]) -> Iterator[Path]:
    """Copy a stream to a temporary file, unpacked and with an extension, and delete it after the block.

    Raises
    ------
    UsageError
        If standard input is a terminal.
    DataError
        If the stream is empty, or a truncated gzip file.

    Examples
    --------
    >>> with spooled(os.devnull) as file:
    ...     pass
    Traceback (most recent call last):
    structtree.errors.DataError: /dev/null: no data; expected a table, JSON Lines or another format
    """
    name = STANDARD_INPUT if os.fspath(where) == STANDARD_STREAM else os.fspath(where)
    with tempfile.TemporaryDirectory(prefix="structtree-") as folder:
        file = Path(folder, "data")
        with _opened(where) as stream, file.open("wb") as copy:
            shutil.copyfileobj(stream, copy)
        if file.stat().st_size == 0:
            raise DataError("no data; expected a table, JSON Lines or another format", source=name)
        file = _with_extension(_unpacked(file, name), extension_of(where))
        try:
            with _warnings_renamed(str(file), name):
                yield file
        except StructtreeError as error:
            raise _renamed(error, str(file), name)  # noqa: B904  # the same error


@contextmanager
def _opened(where: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    if os.fspath(where) != STANDARD_STREAM:
        try:
            with Path(where).open("rb") as stream:
                yield stream
        except PermissionError:
            raise MissingFileError(f"{where} cannot be read; check its permissions") from None
        return
    if sys.stdin is None or sys.stdin.closed:
        raise UsageError("there is no standard input; name a file instead of -")
    if sys.stdin.isatty():
        raise UsageError("standard input is a terminal; redirect data to it: structtree data info - < data.csv")
    yield sys.stdin.buffer


def _unpacked(file: Path, name: str) -> Path:
    """Return the file or, if it is compressed, an unpacked copy in the same folder."""
    with file.open("rb") as packed:
        if packed.read(len(_GZIP)) != _GZIP:
            return file
    plain = file.with_name("plain")
    try:
        unpack(file, plain, name)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise DataError("not a complete gzip file, though it begins like one", source=name) from None
    file.unlink()
    return plain


def _with_extension(file: Path, extension: str) -> Path:
    with file.open("rb") as start:
        extension = extension or guessed_extension(start.read(_HEAD))
    return file.rename(file.with_name(f"data{extension}"))


@contextmanager
def _warnings_renamed(path: str, name: str) -> Iterator[None]:
    """Replace the name of the temporary file in warnings with the name of the stream."""
    with warnings.catch_warnings(record=True) as caught:
        yield
    for each in caught:
        if isinstance(each.message, Warning):
            args = (arg.replace(path, name) if isinstance(arg, str) else arg for arg in each.message.args)
            each.message.args = tuple(args)
        warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)


def _renamed(error: StructtreeError, path: str, name: str) -> StructtreeError:
    """Replace the name of the temporary file in an error with the name of the stream."""
    error.args = tuple(each.replace(path, name) if isinstance(each, str) else each for each in error.args)
    if isinstance(error, DataError):
        error.message = error.message.replace(path, name)
        error.source = None if error.source is None else error.source.replace(path, name)
    return error
