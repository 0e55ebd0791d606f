"""Paths of the folders shipped with structtree: datasets and grammars.

An installed wheel has them inside the package (``structtree/_shipped``), a checkout at the top level.
"""

from __future__ import annotations

from pathlib import Path

from structtree.errors import MissingFileError

__all__ = ["shipped"]

_PACKAGE = Path(__file__).resolve().parents[2]


def shipped(folder: str) -> Path:
    """Return the path of a folder shipped with structtree.

    Parameters
    ----------
    folder : str
        ``"datasets"`` or ``"grammars"``.

    Examples
    --------
    >>> (shipped("datasets") / "trains.jsonl").exists()
    True
    """
    places = (_PACKAGE / "_shipped" / folder, _PACKAGE.parent / folder)
    for place in places:
        if place.is_dir():
            return place
    raise MissingFileError(
        f"the folder {folder!r} of structtree is neither at {places[0]} nor at {places[1]}; reinstall structtree"
    )
