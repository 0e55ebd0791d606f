"""Caches of what need not be computed or fetched again; their files may vanish at any time.

A cache can only save time. What cannot be read counts as not there, what cannot be written is not kept, and beyond a
size the files that were not used for longest are deleted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from structtree.errors import StructtreeError
from structtree.files import replacing

__all__ = ["FileCache", "cache_folder"]


def cache_folder(part: str) -> Path:
    """Return the folder for one sort of thing in the user's cache.

    That is ``structtree/PART`` in ``$XDG_CACHE_HOME`` or ``~/.cache``, on macOS in ``~/Library/Caches``, and on
    Windows in ``%LOCALAPPDATA%``.

    Examples
    --------
    >>> cache_folder("datasets").parts[-2:]
    ('structtree', 'datasets')
    """
    return user_cache(sys.platform, os.environ, Path.home()) / "structtree" / part


def user_cache(platform: str, environment: Mapping[str, str], home: Path) -> Path:
    """Return the folder in which programs keep what they can make again."""
    match platform:
        case "win32":
            return Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local")
        case "darwin":
            return home / "Library" / "Caches"
        case _:
            given = Path(environment.get("XDG_CACHE_HOME", ""))
            return given if given.is_absolute() else home / ".cache"


@dataclass(frozen=True, slots=True)
class FileCache:
    """A folder of files by key, up to a size.

    Parameters
    ----------
    folder : Path
        It is made when something is kept.
    ending : str
        That of the names of its files; others are left alone.
    limit : int
        How many bytes all files together may have.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     cache = FileCache(Path(folder), ".bin", 10)
    ...     cache.keep("a", b"12345")
    ...     cache.get("a"), cache.get("b")
    (b'12345', None)
    """

    folder: Path
    ending: str
    limit: int

    def get(self, key: str) -> bytes | None:
        """Return what is kept under a key, None if there is nothing that can be read."""
        path = self._path(key)
        try:
            content = path.read_bytes()
        except OSError:
            return None
        with suppress(OSError):
            os.utime(path)  # it was used now
        return content

    def keep(self, key: str, content: bytes) -> None:
        """Keep something under a key, if the folder can be written to; what was not used for longest makes room."""
        if len(content) > self.limit:
            return
        with suppress(OSError, StructtreeError):
            self.folder.mkdir(parents=True, exist_ok=True)
            self._make_room(self.limit - len(content))
            with replacing(self._path(key)) as draft:
                draft.write_bytes(content)

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}{self.ending}"

    def _make_room(self, limit: int) -> None:
        """Delete files, the one that was used last at the end, until the rest is within a limit."""
        found = sorted(
            ((status.st_mtime, status.st_size, path) for path, status in self._files()), key=lambda file: file[0]
        )
        total = sum(size for _, size, _ in found)
        for _, size, path in found:
            if total <= limit:
                return
            path.unlink(missing_ok=True)
            total -= size

    def _files(self) -> list[tuple[Path, os.stat_result]]:
        found = []
        for path in self.folder.glob(f"*{self.ending}"):
            with suppress(OSError):  # somebody else has deleted it
                found.append((path, path.stat()))
        return found
