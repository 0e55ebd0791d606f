"""Text files, unpacked if need be, and with one sentence when they cannot be opened or decoded.

What the text means is left to the readers beside this module, all but which words stand for a missing value;
`structtree.files` writes.
"""

from __future__ import annotations

import codecs
import gzip
import io
import os
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from structtree.errors import DataError, MissingFileError, UsageError, did_you_mean

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
]

MISSING_WORDS = ("?", "NA", "NaN", "nan", "N/A", "n/a", "#N/A", "null", "NULL")
"""The words for a missing value in text, besides no text at all, unless the user names others."""

_HEAD = 8192


def present(texts: Sequence[str | None], missing_words: Collection[str] = MISSING_WORDS) -> list[str | None]:
    """Return texts without the blanks around them, None where one is empty or a word for a missing value.

    Examples
    --------
    >>> present(["a ", "null", "", None])
    ['a', None, None, None]
    """
    missing = {"", *missing_words}
    stripped = (None if text is None else text.strip() for text in texts)
    return [None if text in missing else text for text in stripped]


def extension_of(path: str | os.PathLike[str]) -> str:
    """Return the extension of a file's name in small letters, without the ``.gz`` of a packed one.

    Examples
    --------
    >>> extension_of("a.CSV.gz"), extension_of("a")
    ('.csv', '')
    """
    return Path(Path(path).name.lower().removesuffix(".gz")).suffix


@contextmanager
def open_text_file(path: str | os.PathLike[str], encoding: str = "utf-8") -> Iterator[BinaryIO]:
    """Open the bytes of a text file, unpacked if its name ends in ``.gz``, without a byte order mark of UTF-8.

    Raises
    ------
    MissingFileError
        When it is not there, is a folder, or may not be read.
    DataError
        When it is empty, binary, or not the gzip file its name promises.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     packed = Path(folder) / "a.txt.gz"
    ...     _ = packed.write_bytes(gzip.compress(b"text"))
    ...     with open_text_file(packed) as file:
    ...         file.read()
    b'text'
    """
    where = require_file(path)
    with explained(where), gzip.open(where) if where.suffix.lower() == ".gz" else where.open("rb") as file:
        yield _checked(cast("io.BufferedReader", file), where, encoding)


@contextmanager
def explained(where: str | os.PathLike[str]) -> Iterator[None]:
    """Have what goes wrong while a file is read told in one sentence.

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
    """Open the text of a file, line ends as they are; see `open_text_file`.

    Raises
    ------
    DataError
        Also when a byte does not belong to the encoding, with its place.

    Examples
    --------
    >>> import tempfile
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


def checked_encoding(name: str) -> str:
    """Return the name by which Python knows an encoding of text.

    Examples
    --------
    >>> checked_encoding("UTF8"), checked_encoding("Latin-1")
    ('utf-8', 'iso8859-1')
    """
    try:
        return codecs.lookup(name).name
    except LookupError:
        known = ("utf-8", "latin-1", "cp1252", "utf-16")
        raise UsageError(f"unknown encoding {name!r}{did_you_mean(name, known)}") from None


def undecodable(path: str | os.PathLike[str], encoding: str) -> DataError:
    """Return the error for a file with a byte that its encoding does not have: where, and what to try.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "a.csv"
    ...     _ = file.write_bytes(b"name\\nJos\\xe9\\n")
    ...     print(str(undecodable(file, "utf-8")).partition("a.csv")[2])
    :2: byte 8 is 0xe9, which is not UTF-8; name another encoding, such as --encoding cp1252 (encoding='cp1252')
    """
    decoder = codecs.getincrementaldecoder(encoding)()
    n_bytes, line = 0, 1
    with open_text_file(path, encoding) as file:
        start = file.tell()
        while block := file.read(1 << 20):
            n_waiting = len(decoder.getstate()[0])
            try:
                line += decoder.decode(block).count("\n")
            except UnicodeDecodeError as error:
                line += error.object[: error.start].decode(encoding, "ignore").count("\n")
                at = start + n_bytes - n_waiting + error.start
                return _undecodable(path, encoding, line, at, f"is {error.object[error.start]:#04x}")
            n_bytes += len(block)
    return _undecodable(path, encoding, line, start + n_bytes, "ends a character half-way")


def _undecodable(path: str | os.PathLike[str], encoding: str, line: int, at: int, what: str) -> DataError:
    other = "cp1252" if encoding == "utf-8" else "utf-8"
    return DataError(
        f"byte {at} {what}, which is not {encoding.upper()}",
        source=os.fspath(path),
        line=line,
        fix=f"name another encoding, such as --encoding {other} (encoding={other!r})",
    )


def require_file(path: str | os.PathLike[str]) -> Path:
    """Return the path, if there is a file; otherwise an error that names the file it may have meant.

    Examples
    --------
    >>> require_file(__file__).name
    'textfiles.py'
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
