"""Folders of text files in the package: datasets and grammars.

An installed wheel carries them inside the package (``structtree/_shipped``); a checkout has them at its top.
"""

from __future__ import annotations

from pathlib import Path

from structtree.errors import MissingFileError

__all__ = ["shipped"]

_PACKAGE = Path(__file__).resolve().parents[2]


def shipped(folder: str) -> Path:
    """The folder of that name that came with the package.

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
        f"the folder {folder!r} that comes with structtree is neither at {places[0]} nor at {places[1]}; "
        "install structtree again"
    )
