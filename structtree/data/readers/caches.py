"""Caches of computed or downloaded files, which may be deleted at any time.

Errors are ignored: an unreadable file counts as missing, and a file that cannot be written is not cached. Beyond a
total size the least recently used files are deleted.
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
    """Return a folder in the user's cache.

    It is ``structtree/PART`` in ``$XDG_CACHE_HOME`` or ``~/.cache``, on macOS in ``~/Library/Caches``, and on Windows
    in ``%LOCALAPPDATA%``.

    Examples
    --------
    >>> cache_folder("datasets").parts[-2:]
    ('structtree', 'datasets')
    """
    return user_cache(sys.platform, os.environ, Path.home()) / "structtree" / part


def user_cache(platform: str, environment: Mapping[str, str], home: Path) -> Path:
    """Return the user's cache folder."""
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
    """A folder of cached files with a maximum total size.

    Parameters
    ----------
    folder : Path
        Folder, created when the first file is cached.
    ending : str
        Suffix of the file names; other files are ignored.
    limit : int
        Maximum total size in bytes.

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
        """Return the cached content of a key, or None."""
        path = self._path(key)
        try:
            content = path.read_bytes()
        except OSError:
            return None
        with suppress(OSError):
            os.utime(path)  # mark it as recently used
        return content

    def keep(self, key: str, content: bytes) -> None:
        """Cache content under a key, and delete the least recently used files if needed."""
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
        """Delete the least recently used files until the total size is within a limit."""
        found: dict[Path, os.stat_result] = {}
        for path in self.folder.glob(f"*{self.ending}"):
            with suppress(OSError):  # deleted by another process
                found[path] = path.stat()
        total = sum(status.st_size for status in found.values())
        for path in sorted(found, key=lambda path: found[path].st_mtime):
            if total <= limit:
                return
            path.unlink(missing_ok=True)
            total -= found[path].st_size
