"""Opening, unpacking and decoding of text files, with clear errors.

The readers interpret the text, except for the words for missing values, which are defined here. `structtree.files`
writes files.
"""

from __future__ import annotations

import codecs
import gzip
import io
import os
import shutil
import tempfile
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from structtree.errors import DataError, MissingFileError, UsageError, did_you_mean, option_text

__all__ = [
    "MISSING_WORDS",
    "checked_encoding",
    "explained",
    "extension_of",
    "open_decoded",
    "open_text_file",
    "present",
    "require_file",
    "undecodable",
    "unpack",
]

MISSING_WORDS = ("?", "NA", "NaN", "nan", "N/A", "n/a", "#N/A", "null", "NULL")
"""Default words for missing values in text, besides the empty string."""

_HEAD = 8192
_BLOCK = 1 << 20
_RESERVE = 1 << 28
"""Disk space that unpacking leaves free, in bytes."""

_LARGE, _DENSEST = 1 << 30, 200
"""Unpacked size, and compression ratio, beyond which a packed text is suspicious."""


def present(texts: Sequence[str | None], missing_words: Collection[str] = MISSING_WORDS) -> list[str | None]:
    """Strip strings, and replace empty strings and words for missing values with None.

    Examples
    --------
    >>> present(["a ", "null", "", None])
    ['a', None, None, None]
    """
    missing = {"", *missing_words}
    stripped = (None if text is None else text.strip() for text in texts)
    return [None if text in missing else text for text in stripped]


def extension_of(path: str | os.PathLike[str]) -> str:
    """Return the extension of a file name in lower case, ignoring ``.gz``.

    Examples
    --------
    >>> extension_of("a.CSV.gz"), extension_of("a")
    ('.csv', '')
    """
    return Path(Path(path).name.lower().removesuffix(".gz")).suffix


_GZIP = b"\x1f\x8b"
"""First bytes of a gzip file."""


@contextmanager
def open_text_file(path: str | os.PathLike[str], encoding: str = "utf-8") -> Iterator[BinaryIO]:
    """Open a text file as bytes, unpacked if it is compressed, and skip the UTF-8 byte order mark.

    Raises
    ------
    MissingFileError
        If the file does not exist, is a folder, or cannot be read.
    DataError
        If the file is empty, binary, or not a gzip file despite its name.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     packed = Path(folder) / "a.txt.gz"
    ...     _ = packed.write_bytes(gzip.compress(b"text"))
    ...     with open_text_file(packed) as file:
    ...         file.read()
    b'text'
    """
    where = require_file(path)
    with explained(where), where.open("rb") as plain:
        if where.suffix.lower() != ".gz" and plain.peek(2)[:2] != _GZIP:
            yield _checked(plain, where, encoding)
            return
        _refuse_bomb(where)
        with gzip.open(plain) as file:
            yield _checked(cast("io.BufferedReader", file), where, encoding)


def unpack(packed: Path, plain: Path, name: str) -> None:
    """Unpack a gzip file block by block, and raise `DataError` if it does not fit on the disk.

    Errors of `gzip` for damaged files are not caught.

    Parameters
    ----------
    packed, plain : Path
    name : str
        Name of the packed file in errors.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     packed, plain = Path(folder, "a.gz"), Path(folder, "a")
    ...     _ = packed.write_bytes(gzip.compress(b"text"))
    ...     unpack(packed, plain, "a.gz")
    ...     plain.read_bytes()
    b'text'
    """
    n_bytes = 0
    with gzip.open(packed) as source, plain.open("wb") as copy:
        while block := source.read(_BLOCK):
            n_bytes += len(block)
            if shutil.disk_usage(plain.parent).free < _RESERVE + len(block):
                plain.unlink()
                message = f"unpacks to at least {n_bytes:,} bytes, too many for {tempfile.gettempdir()}"
                raise DataError(message, source=name, fix="unpack it elsewhere and pass the unpacked file")
            copy.write(block)


def _refuse_bomb(path: Path) -> None:
    """Raise `DataError` for a compressed file that is suspiciously large when unpacked."""
    with path.open("rb") as file:
        n_packed = file.seek(0, os.SEEK_END)
        file.seek(max(0, n_packed - 4))
        n_declared = int.from_bytes(file.read(4), "little")
    if n_declared <= _LARGE or n_declared <= _DENSEST * n_packed:
        return
    n_bytes = 0
    with explained(path), gzip.open(path) as source:  # the declared size of a truncated file is arbitrary
        while block := source.read(_BLOCK):
            n_bytes += len(block)
    if n_bytes > _DENSEST * n_packed:
        message = f"unpacks from {n_packed:,} to {n_bytes:,} bytes, which looks like a mistake"
        raise DataError(message, source=str(path), fix="if it is correct, unpack it and pass the unpacked file")


@contextmanager
def explained(where: str | os.PathLike[str]) -> Iterator[None]:
    """Convert errors of `gzip` and of the operating system to errors of structtree.

    Examples
    --------
    >>> with explained("a.gz"):
    ...     raise EOFError
    Traceback (most recent call last):
    structtree.errors.DataError: a.gz: not a complete gzip file, though its name ends in .gz
    """
    try:
        yield
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise DataError("not a complete gzip file, though its name ends in .gz", source=str(where)) from None
    except PermissionError:
        raise MissingFileError(f"{where} cannot be read; check its permissions") from None


@contextmanager
def open_decoded(path: str | os.PathLike[str], encoding: str = "utf-8") -> Iterator[TextIO]:
    """Open a text file with its original line ends; see `open_text_file`.

    Raises
    ------
    DataError
        If a byte is invalid in the encoding, with its position.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "a.txt"
    ...     _ = file.write_bytes(b"caf\\xe9")
    ...     with open_decoded(file, "cp1252") as text:
    ...         text.read()
    'café'
    """
    name = checked_encoding(encoding)
    try:
        with open_text_file(path, name) as file, io.TextIOWrapper(file, encoding=name, newline="") as text:
            yield text
    except UnicodeDecodeError:
        raise undecodable(path, name) from None
    except UnicodeError:  # UTF-16 or UTF-32 without a byte order mark
        raise _without_mark(path, name) from None


def checked_encoding(name: str) -> str:
    """Return Python's name of a text encoding; raise an error if the encoding is unknown.

    Examples
    --------
    >>> checked_encoding("UTF8"), checked_encoding("Latin-1")
    ('utf-8', 'iso8859-1')
    """
    try:
        found = codecs.lookup(name).name
        "a".encode(found)  # fails for other codecs, such as zlib
    except (LookupError, ValueError):
        found = ""
    if found in ("", "idna", "punycode"):
        known = ("utf-8", "latin-1", "cp1252", "utf-16")
        raise UsageError(f"unknown encoding {name!r}{did_you_mean(name, known)}")
    return found


def _without_mark(path: str | os.PathLike[str], encoding: str) -> DataError:
    """Return the error for a missing byte order mark."""
    with open_text_file(path, encoding) as file:
        head = file.read(2)
    order = f"{encoding}-{'be' if head[:1] == bytes(1) else 'le'}"
    other = order if bytes(1) in head else "utf-8"
    return DataError(
        f"the text does not begin with the byte order mark of {encoding.upper()}",
        source=os.fspath(path),
        fix=f"name the encoding, such as {option_text('encoding', other)}",
    )


def undecodable(path: str | os.PathLike[str], encoding: str) -> DataError:
    """Return the error for a byte that is invalid in the encoding, with its position and a fix.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "a.csv"
    ...     _ = file.write_bytes(b"name\\nJos\\xe9\\n")
    ...     print(str(undecodable(file, "utf-8")).partition("a.csv")[2])
    :2: byte 8 is 0xe9, which is not UTF-8; name another encoding, such as encoding='cp1252'
    """
    decoder = codecs.getincrementaldecoder(encoding)()
    n_bytes, line = 0, 1
    with open_text_file(path, encoding) as file:
        start = file.tell()
        while block := file.read(_BLOCK):
            n_waiting = len(decoder.getstate()[0])
            try:
                line += decoder.decode(block).count("\n")
            except UnicodeDecodeError as error:
                line += error.object[: error.start].decode(encoding, "ignore").count("\n")
                at = start + n_bytes - n_waiting + error.start
                return _undecodable(path, encoding, line, at, f"is {error.object[error.start]:#04x}")
            n_bytes += len(block)
    return _undecodable(path, encoding, line, start + n_bytes, "ends in the middle of a character")


def _undecodable(path: str | os.PathLike[str], encoding: str, line: int, at: int, what: str) -> DataError:
    other = "cp1252" if encoding == "utf-8" else "utf-8"
    return DataError(
        f"byte {at} {what}, which is not {encoding.upper()}",
        source=os.fspath(path),
        line=line,
        fix=f"name another encoding, such as {option_text('encoding', other)}",
    )


def require_file(path: str | os.PathLike[str]) -> Path:
    """Return the path if the file exists; otherwise raise an error that suggests a similar name.

    Examples
    --------
    >>> require_file(__file__).name
    'text_files.py'
    """
    where = Path(path)
    if where.is_dir():
        raise MissingFileError(f"{where} is a folder; expected a file")
    if not where.exists():
        folder = where.parent
        siblings = [p.name for p in folder.iterdir()] if folder.is_dir() else []
        hint = did_you_mean(where.name, siblings) if folder.is_dir() else f"; there is no folder {folder}"
        raise MissingFileError(f"there is no file {where}{hint}")
    return where


def _checked(file: io.BufferedReader, where: Path, encoding: str) -> BinaryIO:
    head = file.peek(_HEAD)[:_HEAD]
    if not head:
        raise DataError("the file is empty", source=str(where))
    if encoding.startswith(("utf-16", "utf-32")):
        return cast("BinaryIO", file)
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DataError("the text is UTF-16; expected UTF-8", source=str(where))
    if b"\0" in head:
        raise DataError("a binary file; expected text", source=str(where))
    if head.startswith(codecs.BOM_UTF8):
        file.read(len(codecs.BOM_UTF8))
    return cast("BinaryIO", file)
