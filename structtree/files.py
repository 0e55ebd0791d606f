"""Atomic writing of files, so that readers never see a partial file.

Regular files are replaced and keep their permissions; symbolic links are followed. Pipes, terminals and devices are
written to directly, and ``-`` is standard output.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from structtree.errors import MissingFileError, StructtreeError

try:
    import fcntl as _fcntl
except ImportError:  # on Windows
    fcntl: Any = None
else:
    fcntl = _fcntl

__all__ = ["STANDARD_STREAM", "check_writable", "is_stream", "replacing"]

STANDARD_STREAM = "-"
"""File name that stands for standard output or standard input."""


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path that replaces the given one if the block succeeds.

    Raises
    ------
    MissingFileError
        If the file cannot be written, with the reason (no folder, no permission, no space).

    Examples
    --------
    >>> folder = Path(tempfile.mkdtemp())
    >>> with replacing(folder / "a.txt") as draft:
    ...     _ = draft.write_text("whole")
    >>> [(p.name, p.read_text()) for p in folder.iterdir()]
    [('a.txt', 'whole')]
    """
    check_writable(path)
    with _explained(path):
        to_stream, target = is_stream(path), Path(os.path.realpath(path))
        with _temporary_file(Path(path), None if to_stream else target.parent) as draft:
            yield draft
            if to_stream:
                with draft.open("rb") as source, _open_stream(path) as stream:
                    shutil.copyfileobj(source, stream)
            else:
                _replace(target, draft)


def check_writable(path: str | os.PathLike[str] | None) -> None:
    """Raise `MissingFileError` if a file cannot be written, so that long-running work fails early.

    Examples
    --------
    >>> check_writable("no/such/folder/a.txt")
    Traceback (most recent call last):
    structtree.errors.MissingFileError: cannot write no/such/folder/a.txt: folder no/such/folder does not exist
    """
    if path is None or os.fspath(path) == STANDARD_STREAM:
        return
    with _explained(path):
        if (obstacle := _obstacle(path)) is not None:
            raise MissingFileError(f"cannot write {os.fspath(path)}: {obstacle}")


def _obstacle(path: str | os.PathLike[str]) -> str | None:
    """Return the reason why a file cannot be written, or None if none is found without trying."""
    mode, folder = _mode(path), Path(os.path.realpath(path)).parent
    if mode is not None and stat.S_ISDIR(mode):
        return "it is a folder"
    # A file without any write permission is protected on purpose, even from the superuser.
    if mode is not None and not (mode & 0o222 and os.access(path, os.W_OK)):
        return "it is read-only"
    if mode is not None and not stat.S_ISREG(mode):
        return None
    if not folder.is_dir():
        return f"folder {Path(path).parent if not Path(path).is_symlink() else folder} does not exist"
    return None if os.access(folder, os.W_OK | os.X_OK) else f"folder {folder} is not writable"


def _mode(path: str | os.PathLike[str]) -> int | None:
    """Return the file type and permissions, or None if the file does not exist."""
    try:
        return Path(path).stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is a stream (standard output, a pipe, a device) rather than a regular file.

    Examples
    --------
    >>> is_stream("-"), is_stream("a.txt")
    (True, False)
    """
    if os.fspath(path) == STANDARD_STREAM or _is_standard_output(path):
        return True
    mode = _mode(path)
    return mode is not None and not stat.S_ISREG(mode)


def _is_standard_output(path: str | os.PathLike[str]) -> bool:
    """Return whether a path such as ``/dev/stdout`` is standard output, which may be a regular file."""
    try:
        return os.path.samestat(Path(path).stat(), os.fstat(1))
    except OSError:
        return False


@contextmanager
def _open_stream(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a stream, after flushing all previous output."""
    if sys.stdout is not None:  # None if the program was started without it
        sys.stdout.flush()
    if os.fspath(path) == STANDARD_STREAM:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    else:
        where = 1 if _is_standard_output(path) else path
        with open(where, "wb", closefd=where != 1) as file:
            yield file


@contextmanager
def _temporary_file(path: Path, folder: Path | None) -> Iterator[Path]:
    """Yield a new temporary file with the same extension, and remove it afterwards.

    The file is locked while it is in use. A killed process leaves an unlocked file, which the next process removes.
    """
    # File names are limited to about 250 characters.
    prefix, where = f".{path.stem[:40]}.structtree-", Path(folder or tempfile.gettempdir())
    _remove_stale(where, prefix, path.suffix)
    with _locked_file(where, prefix, path.suffix) as draft:
        try:
            yield draft
        finally:
            draft.unlink(missing_ok=True)


@contextmanager
def _locked_file(folder: Path, prefix: str, suffix: str) -> Iterator[Path]:
    """Create a file and lock it, if the platform supports locks."""
    while True:
        handle, name = tempfile.mkstemp(prefix=prefix, suffix=suffix, dir=folder)
        if fcntl is None:  # on Windows, where an open file cannot be replaced
            os.close(handle)
            yield Path(name)
            return
        try:
            if _lock(handle) is not False and Path(name).exists():  # no other process took it for a stale file
                yield Path(name)
                return
        finally:
            os.close(handle)


def _lock(handle: int) -> bool | None:
    """Try to lock a file without waiting; return whether it is locked, or None if locks are not supported."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _remove_stale(folder: Path, prefix: str, suffix: str) -> None:
    """Remove temporary files of killed processes, which are not locked."""
    if fcntl is None or not os.access(folder, os.R_OK):
        return
    for file in folder.iterdir():
        if file.name.startswith(prefix) and file.name.endswith(suffix):
            with suppress(OSError):  # already removed, or owned by another user
                _remove_unlocked(file)


def _remove_unlocked(file: Path) -> None:
    handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if _lock(handle):
            file.unlink()
    finally:
        os.close(handle)


def _replace(target: Path, draft: Path) -> None:
    """Replace a file with its draft; keep the permissions and, if possible, the owner."""
    try:
        before = target.stat()
    except FileNotFoundError:
        draft.chmod(0o666 & ~_umask())
    else:
        with suppress(OSError, AttributeError):  # only the superuser can change owners, and Windows has no chown
            os.chown(draft, before.st_uid, before.st_gid)
        draft.chmod(stat.S_IMODE(before.st_mode))
    draft.replace(target)


@contextmanager
def _explained(path: str | os.PathLike[str]) -> Iterator[None]:
    """Convert an `OSError` raised in this block, except that of a closed pipe, to a `MissingFileError`."""
    try:
        yield
    except (StructtreeError, BrokenPipeError):
        raise
    except OSError as error:
        name = "standard output" if os.fspath(path) == STANDARD_STREAM else os.fspath(path)
        raise MissingFileError(f"cannot write {name}: {error.strerror or error}") from None


def _umask() -> int:
    """Return the umask of the process, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
