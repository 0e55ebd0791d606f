"""Writing files so that a reader never sees half of one.

Only a regular file, or one that is not there yet, is replaced, and it keeps its permissions; behind a symbolic link
that is the file it leads to. Pipes, terminals and devices are written to, and ``-`` is standard output.
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
"""The name for standard output where something is written, and for standard input where it is read."""


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a path to write to, whose content gets to the real one only when the block ends well.

    Raises
    ------
    MissingFileError
        When it cannot be written, with the reason: no folder, no permission, no space.

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
        is_sent, target = is_stream(path), Path(os.path.realpath(path))
        with _drafted(Path(path), None if is_sent else target.parent) as draft:
            yield draft
            if is_sent:
                with draft.open("rb") as source, _opened(path) as stream:
                    shutil.copyfileobj(source, stream)
            else:
                _take_over(draft, target)


def check_writable(path: str | os.PathLike[str] | None) -> None:
    """Refuse a file that cannot be written before the work that it is for, not after.

    Examples
    --------
    >>> check_writable("no/such/folder/a.txt")
    Traceback (most recent call last):
    structtree.errors.MissingFileError: cannot write no/such/folder/a.txt: there is no folder no/such/folder
    """
    if path is None or os.fspath(path) == STANDARD_STREAM:
        return
    with _explained(path):
        if (obstacle := _obstacle(path)) is not None:
            raise MissingFileError(f"cannot write {os.fspath(path)}: {obstacle}")


def _obstacle(path: str | os.PathLike[str]) -> str | None:
    """Return why a file cannot be written, as far as can be seen without trying."""
    mode, folder = _mode(path), Path(os.path.realpath(path)).parent
    if mode is not None and stat.S_ISDIR(mode):
        return "it is a folder"
    # A file without any permission to write is protected on purpose, also from those who may do anything.
    if mode is not None and not (mode & 0o222 and os.access(path, os.W_OK)):
        return "it is read-only"
    if mode is not None and not stat.S_ISREG(mode):
        return None
    if not folder.is_dir():
        return f"there is no folder {Path(path).parent if not Path(path).is_symlink() else folder}"
    return None if os.access(folder, os.W_OK | os.X_OK) else f"the folder {folder} may not be written to"


def _mode(path: str | os.PathLike[str]) -> int | None:
    """Return what kind of file it is and its permissions, or None where there is nothing yet."""
    try:
        return Path(path).stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Return whether bytes are sent there rather than kept under that name.

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
    """Return whether a path, such as ``/dev/stdout``, leads to where this program prints, be it a regular file."""
    try:
        return os.path.samestat(Path(path).stat(), os.fstat(1))
    except OSError:
        return False


@contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a stream; what was printed before comes before."""
    if sys.stdout is not None:  # it is None where the program was started without
        sys.stdout.flush()
    if os.fspath(path) == STANDARD_STREAM:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    else:
        where = 1 if _is_standard_output(path) else path
        with open(where, "wb", closefd=where != 1) as file:
            yield file


@contextmanager
def _drafted(path: Path, folder: Path | None) -> Iterator[Path]:
    """Give a new file with the same ending, in a folder or among the temporary ones, and remove it in the end.

    It is locked while it is there. A process that is killed leaves one without a lock, which the next one removes.
    """
    # Names may have some 250 characters, so that a long one has to be cut.
    prefix, where = f".{path.stem[:40]}.structtree-", Path(folder or tempfile.gettempdir())
    _remove_left_behind(where, prefix, path.suffix)
    with _locked_file(where, prefix, path.suffix) as draft:
        try:
            yield draft
        finally:
            draft.unlink(missing_ok=True)


@contextmanager
def _locked_file(folder: Path, prefix: str, suffix: str) -> Iterator[Path]:
    """Give a new file that is locked, where files can be."""
    while True:
        handle, name = tempfile.mkstemp(prefix=prefix, suffix=suffix, dir=folder)
        if fcntl is None:  # as on Windows, where a file that is open cannot be replaced
            os.close(handle)
            yield Path(name)
            return
        try:
            if _locks(handle) is not False and Path(name).exists():  # nobody has taken it for one that was left
                yield Path(name)
                return
        finally:
            os.close(handle)


def _locks(handle: int) -> bool | None:
    """Return whether a file could be locked at once, None if it is in no place for locks."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _remove_left_behind(folder: Path, prefix: str, suffix: str) -> None:
    """Remove what a process that was killed has left of the same file: nobody has locked it."""
    if fcntl is None or not os.access(folder, os.R_OK):
        return
    for file in folder.iterdir():
        if file.name.startswith(prefix) and file.name.endswith(suffix):
            with suppress(OSError):  # it is gone by now, or of another user
                _remove_unlocked(file)


def _remove_unlocked(file: Path) -> None:
    handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if _locks(handle):
            file.unlink()
    finally:
        os.close(handle)


def _take_over(draft: Path, target: Path) -> None:
    """Put the draft in place of the target, with its permissions and, as far as that is allowed, its owner."""
    try:
        before = target.stat()
    except FileNotFoundError:
        draft.chmod(0o666 & ~_umask())
    else:
        with suppress(OSError, AttributeError):  # only the superuser may give files away, and only where there is one
            os.chown(draft, before.st_uid, before.st_gid)
        draft.chmod(stat.S_IMODE(before.st_mode))
    draft.replace(target)


@contextmanager
def _explained(path: str | os.PathLike[str]) -> Iterator[None]:
    """Have what goes wrong while a file is written told in one sentence; a reader that has gone is no mistake."""
    try:
        yield
    except (StructtreeError, BrokenPipeError):
        raise
    except OSError as error:
        name = "standard output" if os.fspath(path) == STANDARD_STREAM else os.fspath(path)
        raise MissingFileError(f"cannot write {name}: {error.strerror or error}") from None


def _umask() -> int:
    """The permission bits that new files do not get; there is no way to ask without setting them."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
