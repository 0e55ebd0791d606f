"""Every error a user can meet, each a single sentence that says where, what was expected, and the nearest fix.

The parts of the sentence stay available as attributes, and each class inherits the builtin a caller would
catch anyway. The command line prints ``str(error)`` and exits with ``error.exit_code``.
"""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterable
from typing import Any

__all__ = [
    "DataError",
    "GrammarError",
    "MissingFileError",
    "MissingPackageError",
    "StructtreeError",
    "UnknownNameError",
    "UsageError",
    "WrongIndividualError",
    "did_you_mean",
    "option_text",
    "quoted",
    "require",
]


LONGEST_QUOTED = 60
"""The most characters of a value that is quoted in a sentence."""


class StructtreeError(Exception):
    """The base of all errors raised on purpose by structtree."""

    exit_code = 1


class DataError(StructtreeError, ValueError):
    """The data is not what its schema, or any schema, allows.

    Parameters
    ----------
    message : str
        What was expected and what came.
    source : str, optional
        The file, or another name of where the data came from.
    line : int, optional
        Line in that file, counted from 1.
    path : str, optional
        Where inside the record, such as ``$.bonds[3].order``.
    individual : int, optional
        Which individual, counted from 0.
    fix : str, optional
        The nearest fix, said last.

    Examples
    --------
    >>> print(DataError("expected a number, got 'high'", path="$.bonds[3].order", individual=17))
    expected a number, got 'high' at $.bonds[3].order (individual 17)
    """

    def __init__(
        self,
        message: str,
        *,
        source: str | None = None,
        line: int | None = None,
        path: str | None = None,
        individual: int | None = None,
        fix: str | None = None,
    ) -> None:
        self.message, self.source, self.line, self.path, self.individual = (
            message,
            source,
            line,
            path,
            individual,
        )
        self.fix = fix
        super().__init__(message)

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.source, self.line) if part is not None)
        head = f"{place}: " if place else ""
        at = f" at {self.path}" if self.path else ""
        who = f" (individual {self.individual})" if self.individual is not None else ""
        fix = f"; {self.fix}" if self.fix else ""
        return f"{head}{self.message}{at}{who}{fix}"


class GrammarError(StructtreeError, ValueError):
    """A grammar, or a predicate, cannot be read or does not make sense.

    Parameters
    ----------
    message : str
        What is wrong and what would be right.
    source : str
        The file or other name of the text.
    line, column : int, optional
        The place, counted from 1.
    text : str, optional
        The whole text; the line at fault is shown with a caret.

    Examples
    --------
    >>> print(GrammarError("unknown type 'Atm' (did you mean 'Atom'?)", "mol.grammar", 1, 8, "refine Atm {"))
    mol.grammar:1:8: unknown type 'Atm' (did you mean 'Atom'?)
        refine Atm {
               ^
    """

    def __init__(
        self,
        message: str,
        source: str = "<grammar>",
        line: int | None = None,
        column: int | None = None,
        text: str | None = None,
    ) -> None:
        self.message, self.source, self.line, self.column, self.text = message, source, line, column, text
        super().__init__(message)

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.source, self.line, self.column) if part is not None)
        return f"{place}: {self.message}{self._excerpt()}"

    def _excerpt(self) -> str:
        if self.text is None or self.line is None:
            return ""
        lines = self.text.splitlines()
        if not 1 <= self.line <= len(lines):
            return ""
        shown, column = _window(lines[self.line - 1], self.column or 1)
        caret = f"\n    {' ' * (column - 1)}^" if self.column else ""
        return f"\n    {shown}{caret}"


class UnknownNameError(StructtreeError, LookupError):
    """A name that is not among the known ones.

    Examples
    --------
    >>> print(UnknownNameError("data set", "trians", ["trains", "lenses"]))
    unknown data set 'trians' (did you mean 'trains'?)
    """

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        self.what, self.name, self.known = what, name, tuple(known)
        super().__init__(f"unknown {what} {name!r}{did_you_mean(name, self.known)}")

    def __str__(self) -> str:
        return str(self.args[0])


class MissingFileError(StructtreeError, FileNotFoundError):
    """A file or folder that is not there, or not readable."""

    def __str__(self) -> str:
        return str(self.args[0])


class MissingPackageError(StructtreeError, ImportError):
    """A package that is not installed with structtree itself, and that this needs.

    Examples
    --------
    >>> print(MissingPackageError("molecules are read by RDKit", "molecules"))
    molecules are read by RDKit, which is not installed: pip install 'structtree[molecules]'
    """

    def __init__(self, message: str, extra: str, fix: str = "") -> None:
        self.extra = extra
        super().__init__(f"{message}, which is not installed: pip install 'structtree[{extra}]'{fix}")


class UsageError(StructtreeError, ValueError):
    """An argument or option that makes no sense by itself."""

    exit_code = 2


class WrongIndividualError(UsageError):
    """A target that the individuals do not have, while their parts do, which might be the individuals instead.

    Examples
    --------
    >>> print(WrongIndividualError("Graph", "club", "Node"))
    Graph has no attribute 'club', but Node has; to predict it for each Node: individual="Node" (--individual Node)
    """

    def __init__(self, individual: str, target: str, owner: str) -> None:
        self.individual, self.target, self.owner = individual, target, owner
        super().__init__(
            f"{individual} has no attribute {target!r}, but {owner} has; to predict it for each {owner}: "
            f'individual="{owner}" (--individual {owner})'
        )


def require(given: object, kinds: Any, name: str, wanted: str) -> None:
    """Refuse an argument that is not of the kind that it should be.

    Parameters
    ----------
    given : object
    kinds : type, or several
        As of `isinstance`.
    name : str
        The argument's.
    wanted : str
        What it should be, and how to get that.

    Examples
    --------
    >>> require("t", int, "depth", "an int")
    Traceback (most recent call last):
    structtree.errors.UsageError: depth must be an int; got 't'
    """
    if not isinstance(given, kinds):
        raise UsageError(f"{name} must be {wanted}; got {quoted(given)}")


def quoted(given: object) -> str:
    """Return an argument as an error quotes it: short, and never a whole structure.

    Examples
    --------
    >>> quoted("high"), quoted(None), quoted([1, 2])
    ("'high'", 'None', 'a list')
    """
    is_plain = given is None or isinstance(given, str | int | float)
    return repr(given) if is_plain and len(repr(given)) <= LONGEST_QUOTED else f"a {type(given).__name__}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The end of a sentence: the nearest known name, or all of them when they are few.

    Examples
    --------
    >>> did_you_mean("elemnt", ["element", "charge"])
    " (did you mean 'element'?)"
    >>> did_you_mean("x", ["element", "charge"])
    " (known: 'charge', 'element')"
    """
    name, names = str(name), sorted(set(known))
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.6) or [n for n in names if n.lower() == name.lower()]
    if near:
        return f" (did you mean {near[0]!r}?)"
    if not names:
        return ""
    if len(names) <= 8:
        return f" (known: {', '.join(map(repr, names))})"
    return f" (known: {', '.join(map(repr, names[:6]))} and {len(names) - 6} more)"


def option_text(flag: str, value: str) -> str:
    """Return an option as it can be pasted into a shell, and on one line whatever its value is.

    Examples
    --------
    >>> print(option_text("--type", "zip=nominal"), option_text("--type", "zip code=nominal"))
    --type zip=nominal --type 'zip code=nominal'
    >>> print(option_text("--where", "name = 'x'"))
    --where "name = 'x'"
    >>> print(option_text("--ignore", "it's\\n"))
    --ignore $'it\\'s\\u000a'
    """
    if value.isprintable():
        in_quotes = "'" in value and not set('"$`\\!') & set(value)
        return f'{flag} "{value}"' if in_quotes else f"{flag} {shlex.quote(value)}"
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    shown = "".join(sign if sign.isprintable() else f"\\u{ord(sign):04x}" for sign in escaped)
    return f"{flag} $'{shown}'"


def _window(line: str, column: int, width: int = 100) -> tuple[str, int]:
    """The part of a long line around the column, and where the column is in it."""
    if len(line) <= width:
        return line, column
    start = max(0, min(column - 1 - width // 2, len(line) - width))
    return line[start : start + width], column - start
