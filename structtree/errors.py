"""Error classes whose messages are one sentence: the location, what was expected, what was found and a fix.

The parts of the message are available as attributes, and each class inherits from the builtin exception that callers
would catch. Messages mention options by placeholders (`structtree.remarks`): ``str(error)`` spells them as keyword
arguments, and the command line, which exits with ``error.exit_code``, as flags.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from typing import Any

from structtree.remarks import MentionedOption, as_keyword, option_text, options_in, spelled

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
"""Longer values are not quoted in messages, in characters."""


class StructtreeError(Exception):
    """Base class of all structtree errors."""

    exit_code = 1

    @property
    def template(self) -> str:
        """The message, with placeholders for the options in it."""
        return str(self.args[0]) if self.args else ""

    @property
    def options(self) -> tuple[MentionedOption, ...]:
        """The options that the message mentions."""
        return options_in(self.template)

    def sentence(self, spell: Callable[[MentionedOption], str] = as_keyword) -> str:
        """Return the message with its options spelled out."""
        return spelled(self.template, spell)

    def __str__(self) -> str:
        return self.sentence()


class DataError(StructtreeError, ValueError):
    """Raised for invalid data.

    Parameters
    ----------
    message : str
        What was expected and what was found.
    source : str, optional
        Name of the file or other data source.
    line : int, optional
        Line number, starting at 1.
    path : str, optional
        Location within the record, such as ``$.bonds[3].order``.
    individual : int, optional
        Index of the individual, starting at 0.
    fix : str, optional
        Suggested fix, appended to the message.

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
        self.message, self.source, self.line = message, source, line
        self.path, self.individual, self.fix = path, individual, fix
        super().__init__(message)

    @property
    def template(self) -> str:
        """The complete message, with its location and with placeholders for the options in it."""
        place = ":".join(str(part) for part in (self.source, self.line) if part is not None)
        head = f"{place}: " if place else ""
        at = f" at {self.path}" if self.path else ""
        individual = f" (individual {self.individual})" if self.individual is not None else ""
        fix = f"; {self.fix}" if self.fix else ""
        return f"{head}{self.message}{at}{individual}{fix}"


class GrammarError(StructtreeError, ValueError):
    """Raised for an invalid grammar or predicate.

    Parameters
    ----------
    message : str
        What is wrong and how to correct it.
    source : str
        Name of the file or other source.
    line, column : int, optional
        Position, starting at 1.
    text : str, optional
        Full source text; the line with the error is shown with a caret.

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

    @property
    def template(self) -> str:
        """The complete message, with its location and with placeholders for the options in it."""
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
    """Raised for an unknown name; the message suggests a similar one.

    Examples
    --------
    >>> print(UnknownNameError("dataset", "trians", ["trains", "lenses"]))
    unknown dataset 'trians' (did you mean 'trains'?)
    """

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        self.what, self.name, self.known = what, name, tuple(known)
        super().__init__(f"unknown {what} {name!r}{did_you_mean(name, self.known)}")


class MissingFileError(StructtreeError, FileNotFoundError):
    """Raised for a file or folder that does not exist or cannot be accessed."""


class MissingPackageError(StructtreeError, ImportError):
    """Raised for an optional dependency that is not installed.

    Examples
    --------
    >>> print(MissingPackageError("reading molecules requires RDKit", "molecules"))
    reading molecules requires RDKit, which is not installed: pip install 'structtree[molecules]'
    """

    def __init__(self, message: str, extra: str, fix: str = "") -> None:
        self.extra = extra
        super().__init__(f"{message}, which is not installed: pip install 'structtree[{extra}]'{fix}")


class UsageError(StructtreeError, ValueError):
    """Raised for an invalid argument or option."""

    exit_code = 2


class WrongIndividualError(UsageError):
    """Raised for a target that belongs to another type; the message suggests that type as the individual type.

    Examples
    --------
    >>> print(WrongIndividualError("Graph", "club", "Node"))
    Graph has no attribute 'club', but Node has; to predict it for each Node: individual='Node'
    """

    def __init__(self, individual: str, target: str, owner: str) -> None:
        self.individual, self.target, self.owner = individual, target, owner
        super().__init__(
            f"{individual} has no attribute {target!r}, but {owner} has; to predict it for each {owner}: "
            f"{option_text('individual', owner)}"
        )


def require(given: object, kinds: Any, name: str, wanted: str) -> None:
    """Raise `UsageError` unless an argument has one of the given types.

    Parameters
    ----------
    given : object
    kinds : type or tuple of types
        As for `isinstance`.
    name : str
        Name of the argument.
    wanted : str
        Description of a valid argument.

    Examples
    --------
    >>> require("t", int, "depth", "an int")
    Traceback (most recent call last):
    structtree.errors.UsageError: depth must be an int; got 't'
    """
    if not isinstance(given, kinds):
        raise UsageError(f"{name} must be {wanted}; got {quoted(given)}")


def quoted(given: object) -> str:
    """Format an argument for an error message: its repr if it is short, otherwise its type.

    Examples
    --------
    >>> quoted("high"), quoted(None), quoted([1, 2])
    ("'high'", 'None', 'a list')
    """
    is_plain = given is None or isinstance(given, str | int | float)
    return repr(given) if is_plain and len(repr(given)) <= LONGEST_QUOTED else f"a {type(given).__name__}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the suffix of an error message that suggests the closest known name or lists some of them.

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


def _window(line: str, column: int, width: int = 100) -> tuple[str, int]:
    """Return an excerpt of a long line around a column, and the column within the excerpt."""
    if len(line) <= width:
        return line, column
    start = max(0, min(column - 1 - width // 2, len(line) - width))
    return line[start : start + width], column - start
