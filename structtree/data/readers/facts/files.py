"""Roles of the files in a folder of facts: facts, positive and negative examples, and declarations, by file name.

``pos.pl`` and ``neg.pl`` are examples, and so are ``train_pos.pl`` and Aleph's ``trains.f`` and ``trains.n``; the
prefix names the *part* of the data. Files without a part are always read, others only if their part is. A folder of
folds (``fold1_pos.pl``, ``fold1_facts.pl``, ...) is read as a whole, and each example records its fold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from structtree.errors import DataError, MissingFileError, UnknownNameError, option_text

__all__ = ["FACT_ENDINGS", "FactFile", "FactFiles", "fact_files", "is_fact_folder"]

FACT_ENDINGS = (".pl", ".pro", ".prolog", ".kb")
"""Extensions of fact files."""

_ROLES = {
    "facts": r"facts|bk|background",
    "positives": r"pos|positives?",
    "negatives": r"neg|negatives?",
    "modes": r"modes?|bias|settings",
}
_EXAMPLES = ("positives", "negatives")
_ROLE_OF_ENDING = {".b": "facts", ".f": "positives", ".n": "negatives", ".s": "modes"}
_NAME = re.compile(rf"(?:(?P<part>.+?)_)?(?:{'|'.join(f'(?P<{k}>{v})' for k, v in _ROLES.items())})", re.IGNORECASE)
_FOLD = re.compile(r"fold_?\d+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FactFile:
    """File in a folder of facts, with its role and the part of the data that it belongs to."""

    path: Path
    role: str
    part: str = ""


@dataclass(frozen=True, slots=True)
class FactFiles:
    """Files to read, by role."""

    facts: tuple[Path, ...]
    positives: tuple[FactFile, ...] = ()
    negatives: tuple[FactFile, ...] = ()
    modes: tuple[Path, ...] = ()


def is_fact_folder(folder: Path) -> bool:
    """Return whether a folder contains fact files."""
    return any(_plain_suffix(path) in FACT_ENDINGS for path in folder.iterdir() if path.is_file())


def fact_files(
    where: Path,
    positives: str | None = None,
    negatives: str | None = None,
    modes: str | None = None,
    parts: Sequence[str] = (),
) -> FactFiles:
    """Return the files to read for a file or folder of facts.

    Parameters
    ----------
    where : Path
    positives, negatives, modes : str, optional
        Files in that folder or in the working directory; by default the files of the folder with such names.
    parts : sequence of str
        Parts to read; by default all folds, or ``train``, or the only part.
    """
    named = _named_files(where)
    chosen = _chosen(named, parts, where) if not (positives or negatives) else frozenset(parts)
    paths = {role: _found(name, where) for role, name in (("positives", positives), ("negatives", negatives)) if name}
    examples = {
        role: tuple(one for one in named if one.role == role and one.part in chosen)
        for role in _EXAMPLES
        if not paths
    }
    examples |= {role: (FactFile(path, role, _part_of(path)),) for role, path in paths.items()}
    known = chosen | {_part_of(path) for path in paths.values()}
    declared = (_found(modes, where),) if modes else tuple(one.path for one in named if one.role == "modes")
    given = {path.resolve() for path in paths.values()}
    facts = [one for one in named if one.role == "facts" and one.path.resolve() not in given]
    return FactFiles(tuple(_facts_of(facts, known)), **examples, modes=declared)


def _named_files(where: Path) -> list[FactFile]:
    """Return the files of a folder, or one file, with their roles and parts."""
    if not where.is_dir():
        return [FactFile(where, "facts")]
    found = [_named(path) for path in sorted(where.iterdir()) if path.is_file()]
    known = _with_whole_parts([one for one in found if one is not None])
    if not any(one.role != "modes" for one in known):
        raise MissingFileError(f"the folder {where} has no fact files ({', '.join(FACT_ENDINGS)})")
    return known


def _named(path: Path) -> FactFile | None:
    ending, stem = _plain_suffix(path), path.name.removesuffix(".gz").rpartition(".")[0]
    if ending in _ROLE_OF_ENDING:
        return FactFile(path, _ROLE_OF_ENDING[ending])
    if path.name == "schema.txt":
        return FactFile(path, "modes")
    if ending not in FACT_ENDINGS:
        return None
    match = _NAME.fullmatch(stem)
    if match is None:
        return FactFile(path, "facts")
    role = next(role for role in _ROLES if match[role])
    return FactFile(path, role, match["part"] or "")


def _with_whole_parts(named: list[FactFile]) -> list[FactFile]:
    """Return the files; if any part is complete, the examples of incomplete parts become facts."""
    roles: dict[str, set[str]] = {}
    for one in named:
        roles.setdefault(one.part, set()).add(one.role)
    whole = {part for part, own in roles.items() if "positives" in own and own & {"negatives", "facts"}}
    return [
        FactFile(one.path, "facts") if whole and one.role in _EXAMPLES and one.part not in whole | {""} else one
        for one in named
    ]


def _plain_suffix(path: Path) -> str:
    return Path(path.name.removesuffix(".gz")).suffix.lower()


def _part_of(path: Path) -> str:
    found = _named(path)
    return found.part if found else ""


def _chosen(named: Iterable[FactFile], parts: Sequence[str], where: Path) -> frozenset[str]:
    """Return the parts to read: those given or, by default, the unnamed part, the training part, or all folds."""
    present = list(dict.fromkeys(one.part for one in named if one.role in _EXAMPLES))
    for part in parts:
        if part not in present:
            raise UnknownNameError("part", part, present)
    if parts:
        return frozenset(parts)
    for usual in ("", "train"):
        if usual in present:
            return frozenset([usual])
    if len(present) <= 1 or all(_FOLD.fullmatch(part) for part in present):
        return frozenset(present)
    known = ", ".join(present)
    raise DataError(
        f"the folder has examples of several parts ({known})",
        source=str(where),
        fix=f"choose one with {option_text('part')}",
    )


def _facts_of(facts: Sequence[FactFile], parts: frozenset[str]) -> list[Path]:
    """Return the fact files of the given parts; a part without facts uses those of the training part."""
    own = {one.part for one in facts}
    wanted = {"", *(part if part in own else "train" for part in parts)}
    if not own & wanted - {""} and not parts - {""}:
        wanted = own
    return [one.path for one in facts if one.part in wanted]


def _found(name: str, where: Path) -> Path:
    """Return the path of a file in the working directory or beside the data."""
    here, there = Path(name), (where if where.is_dir() else where.parent) / name
    for path in (here, there):
        if path.is_file():
            return path
    raise MissingFileError(f"neither {here} nor {there} is a file")
