"""Text files as bytes: unpacked if need be, and with one sentence when they cannot be opened.

What the bytes mean is left to the readers beside this module; `structtree.files` writes.
"""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from structtree.errors import DataError, MissingFileError, did_you_mean

__all__ = ["open_text_file", "require_file"]

_HEAD = 8192


@contextmanager
def open_text_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """The bytes of a text file, unpacked if its name ends in ``.gz``, without a byte order mark.

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
    try:
        with gzip.open(where) if where.suffix.lower() == ".gz" else where.open("rb") as file:
            yield _checked(cast("io.BufferedReader", file), where)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise DataError("not a whole gzip file, though its name ends in .gz", source=str(where)) from None
    except PermissionError:
        raise MissingFileError(f"{where} may not be read; check its permissions") from None


def require_file(path: str | os.PathLike[str]) -> Path:
    """The path, if there is a file; otherwise an error that names the file it may have meant.

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


def _checked(file: io.BufferedReader, where: Path) -> BinaryIO:
    head = file.peek(_HEAD)[:_HEAD]
    if not head:
        raise DataError("the file is empty", source=str(where))
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DataError("the text is UTF-16; expected UTF-8", source=str(where))
    if b"\0" in head:
        raise DataError("a binary file; expected text", source=str(where))
    if head.startswith(b"\xef\xbb\xbf"):
        file.read(3)
    return cast("BinaryIO", file)
