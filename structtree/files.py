"""Writing files so that a reader never sees half of one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from structtree.errors import MissingFileError

__all__ = ["replacing"]


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A path to write to, which takes the place of the real one only when the block ends well.

    Examples
    --------
    >>> folder = Path(tempfile.mkdtemp())
    >>> with replacing(folder / "a.txt") as draft:
    ...     _ = draft.write_text("whole")
    >>> [(p.name, p.read_text()) for p in folder.iterdir()]
    [('a.txt', 'whole')]
    """
    target = Path(path)
    if not target.parent.is_dir():
        raise MissingFileError(f"cannot write {target}: there is no folder {target.parent}")
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.stem}-", suffix="".join(target.suffixes), dir=target.parent)
    except OSError as error:
        raise MissingFileError(f"cannot write {target}: {error.strerror or error}") from None
    os.close(handle)
    draft = Path(name)
    try:
        yield draft
        draft.chmod(0o666 & ~_umask())
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def _umask() -> int:
    """The permission bits that new files do not get; there is no way to ask without setting them."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
