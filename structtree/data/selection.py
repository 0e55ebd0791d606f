"""Selection of feature attributes by names and globs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase

from structtree.errors import UnknownNameError, UsageError

__all__ = ["excluded_attributes", "matched_names", "shortest_patterns"]

WORTH_A_GLOB = 3
"""Minimum number of names that a glob replaces."""


def matched_names(patterns: str | Iterable[str], known: Sequence[str], kind: str = "attribute") -> list[str]:
    """Return the known names that match patterns, in their original order.

    A pattern is a name, a glob (``f*``), or several of these separated by commas. A known name matches itself, even
    if it contains a comma or an asterisk.

    Raises
    ------
    UnknownNameError
        If a pattern matches no name.

    Examples
    --------
    >>> matched_names("CT_*,FDA", ["CT_1", "CT_2", "FDA", "logp"])
    ['CT_1', 'CT_2', 'FDA']
    >>> matched_names(["a,b", "c*"], ["a,b", "c*", "cd"])
    ['a,b', 'c*']
    """
    chosen: set[str] = set()
    for pattern in _patterns(patterns, frozenset(known)):
        found = [pattern] if pattern in known else [name for name in known if fnmatchcase(name, pattern)]
        if not found:
            raise UnknownNameError(kind, pattern, known)
        chosen.update(found)
    return [name for name in known if name in chosen]


def _patterns(given: str | Iterable[str], known: frozenset[str]) -> Iterator[str]:
    """Yield the patterns of a comma-separated list, without splitting known names that contain commas."""
    for text in [given] if isinstance(given, str) else given:
        pieces = text.split(",")
        while pieces:
            joined = ((n, ",".join(pieces[:n]).strip()) for n in range(len(pieces), 0, -1))
            n, pattern = next(((n, name) for n, name in joined if name in known), (1, pieces[0].strip()))
            pieces = pieces[n:]
            if pattern:
                yield pattern


def excluded_attributes(
    attributes: Sequence[str],
    features: str | Iterable[str] | None = None,
    ignore: str | Iterable[str] = (),
    target: str | None = None,
) -> tuple[str, ...]:
    """Return the attributes that are not features; `ignore` takes precedence over `features`.

    Parameters
    ----------
    attributes : sequence of str
        All attributes except the target.
    features, ignore : str or iterable of str
        Names and globs, as for `matched_names`; all attributes are features by default.
    target : str, optional
        Name of the target, which globs may match without effect.

    Examples
    --------
    >>> excluded_attributes(["f1", "f2", "size"], features="f*", ignore="f2")
    ('f2', 'size')
    """
    known = [*attributes] if target is None or target in attributes else [*attributes, target]
    wanted = set(known if features is None else matched_names(features, known))
    if features is not None and wanted == {target}:
        raise UsageError(f"{target!r} is the target and cannot be the only feature")
    ignored = set(matched_names(ignore, known))
    return tuple(name for name in attributes if name not in wanted or name in ignored)


def shortest_patterns(names: Sequence[str], others: Iterable[str]) -> str:
    """Return comma-separated patterns that match some names and none of the others.

    Examples
    --------
    >>> shortest_patterns(["NR-AR", "NR-ER", "NR-AhR", "p53"], ["logp"])
    'NR-*,p53'
    >>> shortest_patterns(["NR-AR", "NR-ER", "NR-AhR"], ["NR-weight"])
    'NR-AR,NR-ER,NR-AhR'
    """
    foreign, rest, found = set(others), list(names), []
    while rest:
        reach = {glob: [name for name in rest if fnmatchcase(name, glob)] for name in rest for glob in _globs(name)}
        fair = {glob: caught for glob, caught in reach.items() if not any(fnmatchcase(o, glob) for o in foreign)}
        best = max(fair, key=lambda glob: len(fair[glob]), default=None)
        if best is None or len(fair[best]) < WORTH_A_GLOB:
            break
        found.append(best)
        rest = [name for name in rest if name not in fair[best]]
    return ",".join([*found, *rest])


def _globs(name: str) -> Iterator[str]:
    """Yield globs for the first and for the last word of a name of several words."""
    for separator in "-_ .":
        first, last = name.partition(separator)[0], name.rpartition(separator)[2]
        for word, glob in ((first, f"{first}{separator}*"), (last, f"*{separator}{last}")):
            if word not in ("", name) and not set(word) & set("*?[,"):
                yield glob
