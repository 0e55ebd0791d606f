"""Declared options on the command line: as parameters of commands, and in messages."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from functools import cache
from inspect import Parameter, Signature
from typing import Annotated, Any

import typer

from structtree.data.readers.options import reading_options
from structtree.models.settings import (
    Boosting,
    Decision,
    FeatureOptions,
    Forest,
    Growth,
    ModelChoice,
    Objective,
    Pruning,
    Rules,
)
from structtree.options import Option, listed, options_of
from structtree.remarks import MentionedOption, spelled

__all__ = ["as_flag", "flag_of", "shell_option", "signature_of", "with_flags"]

MAX_METAVAR = 26
"""Width above which allowed values are listed in the help text instead of next to the option."""


def signature_of(options: Iterable[Option]) -> Signature:
    """Return the signature of a group of declared options for typer."""
    return Signature([_parameter(option) for option in options])


def _parameter(option: Option) -> Parameter:
    words = [word for word in option.words if isinstance(word, str)]
    kind: Any = bool if True in option.words else option.number if option.number and not words else str
    kind = list[str] if option.many else kind
    text, shown = option.flag_help or option.help, "|".join(words)
    if len(shown) > MAX_METAVAR:
        text, shown = f"{text} One of {listed(words)}.", "NAME"
    flag = typer.Option(
        option.flag,
        metavar=option.metavar or shown or None,
        help=text,
        show_default=option.shown_default or True,
        rich_help_panel=option.panel,
    )
    hint: Any = Annotated[kind | None if option.usual is None else kind, flag]
    return Parameter(option.parameter, Parameter.KEYWORD_ONLY, default=option.usual, annotation=hint)


def with_flags(text: str) -> str:
    """Return a sentence with its options written as flags.

    Examples
    --------
    >>> from structtree.remarks import option_text
    >>> with_flags(f"to read it as text: {option_text('types', {'zip code': 'nominal'})}")
    "to read it as text: --type 'zip code=nominal'"
    """
    return spelled(text, as_flag)


def as_flag(option: MentionedOption) -> str:
    """Return an option as flags that can be pasted into a shell.

    Examples
    --------
    >>> as_flag(MentionedOption("skip_bad", True)), as_flag(MentionedOption("header", False))
    ('--skip-bad', '--no-header')
    >>> as_flag(MentionedOption("individual")), as_flag(MentionedOption("fact", ["a(B)", "c"]))
    ('--individual', "--fact 'a(B)' --fact c")
    """
    flag, value = flag_of(option.name), option.value
    match value:
        case bool():
            return flag if value else f"--no-{flag.removeprefix('--')}"
        case Mapping():
            return " ".join(shell_option(flag, f"{name}={kind}") for name, kind in value.items())
        case list():
            return " ".join(shell_option(flag, each) for each in value)
    return flag if value is ... else shell_option(flag, str(value))


def flag_of(name: str) -> str:
    """Return the flag of an option, given its name in Python.

    Examples
    --------
    >>> flag_of("missing_words"), flag_of("goal"), flag_of("as_of"), flag_of("cache")
    ('--missing-word', '--for', '--as-of', '--cache')
    """
    return _flags().get(name, f"--{name.replace('_', '-')}")


@cache
def _flags() -> Mapping[str, str]:
    declared = options_of(ModelChoice, Objective, Growth, Pruning, Decision, Forest, Boosting, Rules, FeatureOptions)
    learning = {each.parameter: each.flag for each in declared}
    reading = {name: each.flag.partition("/")[0] for name, each in reading_options().items()}
    return {**learning, **reading, "links": reading["link"]}


def shell_option(flag: str, value: str) -> str:
    """Return a flag with its value on one line, quoted for the shell.

    Examples
    --------
    >>> print(shell_option("--type", "zip=nominal"), shell_option("--type", "zip code=nominal"))
    --type zip=nominal --type 'zip code=nominal'
    >>> print(shell_option("--where", "name = 'x'"))
    --where "name = 'x'"
    >>> print(shell_option("--ignore", "it's\\n"))
    --ignore $'it\\'s\\u000a'
    """
    if value.isprintable():
        in_quotes = "'" in value and not set('"$`\\!') & set(value)
        return f'{flag} "{value}"' if in_quotes else f"{flag} {shlex.quote(value)}"
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    shown = "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in escaped)
    return f"{flag} $'{shown}'"
