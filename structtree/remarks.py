"""Remarks about data and models, and sentences that mention options.

An option has different names in Python and on the command line. A sentence therefore contains a placeholder
(`option_text`) that each front end replaces (`spelled`): Python with keyword arguments, the command line with flags.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

__all__ = [
    "MentionedOption",
    "Remark",
    "StructtreeWarning",
    "as_keyword",
    "option_text",
    "options_in",
    "shell_command",
    "spelled",
]

_MARK = "\x1a"
"""Control character that encloses a placeholder; JSON cannot contain it."""

_PLACEHOLDER = re.compile(f"{_MARK}([^{_MARK}]*){_MARK}")


class MentionedOption(NamedTuple):
    """Option mentioned in a sentence: its Python name and its value (an ellipsis if no value is mentioned)."""

    name: str
    value: Any = ...


def option_text(name: str, value: Any = ...) -> str:
    """Return a placeholder for an option, to use inside a sentence.

    Parameters
    ----------
    name : str
    value : optional
        Value of the option: a string, number or boolean, or a list or dict of strings.

    Examples
    --------
    >>> spelled(f"to read it as text: {option_text('types', {'zip': 'nominal'})}")
    "to read it as text: types={'zip': 'nominal'}"
    >>> spelled(f"select the table with {option_text('individual')}")
    'select the table with individual'
    """
    return f"{_MARK}{json.dumps([name] if value is ... else [name, value])}{_MARK}"


def as_keyword(option: MentionedOption) -> str:
    """Return an option as a Python keyword argument."""
    return option.name if option.value is ... else f"{option.name}={option.value!r}"


def spelled(text: str, spell: Callable[[MentionedOption], str] = as_keyword) -> str:
    """Return a sentence with its placeholders replaced.

    Examples
    --------
    >>> spelled(option_text("max_depth", 3), lambda option: f"/{option.name}:{option.value}")
    '/max_depth:3'
    """
    return _PLACEHOLDER.sub(lambda found: spell(MentionedOption(*json.loads(found[1]))), text)


def options_in(text: str) -> tuple[MentionedOption, ...]:
    """Return the options that a sentence mentions.

    Examples
    --------
    >>> options_in(f"exclude it: {option_text('ignore', 'id')}")
    (MentionedOption(name='ignore', value='id'),)
    """
    return tuple(MentionedOption(*json.loads(found)) for found in _PLACEHOLDER.findall(text))


def shell_command(command: str, *arguments: str, **options: str | bool) -> str:
    """Return a command that can be pasted into a shell; flags are given by their Python names.

    Examples
    --------
    >>> shell_command("cv", "my data.csv", target="y", as_of="loan.date")
    "structtree cv 'my data.csv' --target y --as-of loan.date"
    """
    words = [*arguments]
    for name, value in options.items():
        words += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
    return f"structtree {command} {shlex.join(words)}"


class StructtreeWarning(UserWarning):
    """Warning whose text may mention options."""

    def sentence(self, spell: Callable[[MentionedOption], str] = as_keyword) -> str:
        """Return the text with its options spelled out."""
        return spelled(str(self.args[0]), spell)

    def __str__(self) -> str:
        return self.sentence()


@dataclass(frozen=True, slots=True)
class Remark:
    """Remark about data or a model.

    Parameters
    ----------
    text : str
        One sentence without a full stop; options are placeholders.
    kind : {"note", "warning"}

    Examples
    --------
    >>> remark = Remark(f"id alone predicts y; to exclude it: {option_text('ignore', 'id')}")
    >>> print(remark)
    id alone predicts y; to exclude it: ignore='id'
    >>> remark.options
    (MentionedOption(name='ignore', value='id'),)
    """

    text: str
    kind: Literal["note", "warning"] = "note"

    @property
    def options(self) -> tuple[MentionedOption, ...]:
        """The options mentioned in the text."""
        return options_in(self.text)

    def sentence(self, spell: Callable[[MentionedOption], str] = as_keyword) -> str:
        """Return the text with its options spelled out."""
        return spelled(self.text, spell)

    def __str__(self) -> str:
        return self.sentence()
