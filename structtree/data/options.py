"""The options of reading, each declared once: its name, its kind and range, and its sentence of help.

`ReadingOptions` is what `structtree.data.sources.read_data` and `structtree.open_data` take by keyword. The checks of
given values (`check_option`) follow from its types, and so do the options of the command line
(`structtree.cli.reading`), which find their spelling and their help here. Which options a format knows is said in
`structtree.data.sources`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, TypedDict, get_args, get_origin, get_type_hints

from structtree.data.schema import Schema
from structtree.errors import UsageError, did_you_mean

__all__ = [
    "Hydrogens",
    "OptionText",
    "ReadingOption",
    "ReadingOptions",
    "RowOptions",
    "check_option",
    "given_options",
    "reading_options",
]

DATA = "How to read the data"
TABLES = "How to read text"
MOLECULES = "How to read molecules"

Hydrogens = Literal["implicit", "explicit"]
"""Hydrogens as numbers of their atoms only, or as atoms of their own."""


@dataclass(frozen=True, slots=True)
class OptionText:
    """An option as the command line shows it: its spelling, its sentence of help, its group, and its argument."""

    flag: str
    help: str
    panel: str
    metavar: str | None = None


class RowOptions(TypedDict, total=False):
    """The options of every reader of tables: what a row is, and what its columns are."""

    individual: Annotated[
        str | None,
        OptionText(
            "--individual", "The name of the individuals' type; for graphs Graph, Node or Edge.", DATA, "TYPE"
        ),
    ]
    types: Annotated[
        Mapping[str, str] | None,
        OptionText("--type", "The kind of a member, as in zip=nominal; may be repeated.", DATA, "NAME=KIND"),
    ]
    group: Annotated[
        str | None,
        OptionText("--group", "Rows of a table with the same value here are one individual.", DATA, "COLUMN"),
    ]
    link: Annotated[
        str | None, OptionText("--link", "With --group: the name of the rows of an individual.", DATA, "NAME")
    ]


class ReadingOptions(RowOptions, total=False):
    """All options of reading; None is the same as not giving one."""

    format: Annotated[
        str | None, OptionText("--format", "The format, if the file's extension does not tell it.", DATA)
    ]
    schema: Schema | None
    delimiter: Annotated[
        str | None,
        OptionText(
            "--delimiter", "What separates fields; also tab, or a blank for any run of blanks.", TABLES, "SIGN"
        ),
    ]
    header: Annotated[
        bool | None, OptionText("--header/--no-header", "Take the first line for names, or for data.", TABLES)
    ]
    names: Annotated[Sequence[str] | None, OptionText("--names", "The names of the columns.", TABLES, "A,B,C")]
    encoding: Annotated[str | None, OptionText("--encoding", "Such as cp1252; UTF-8 unless given.", TABLES, "NAME")]
    decimal: Annotated[Literal[".", ","] | None, OptionText("--decimal", "The decimal sign: . or ,", TABLES, "SIGN")]
    missing_words: Annotated[
        Sequence[str] | None,
        OptionText(
            "--missing-word",
            "A word for a missing value, instead of ?, NA and the like; may be repeated.",
            TABLES,
            "WORD",
        ),
    ]
    smiles: Annotated[
        str | None, OptionText("--smiles", "The column with the SMILES, if it is not named so.", MOLECULES, "COLUMN")
    ]
    hydrogens: Annotated[
        Hydrogens | None,
        OptionText(
            "--hydrogens", "Count hydrogens only, or make them atoms of their own.", MOLECULES, "implicit|explicit"
        ),
    ]
    skip_bad: Annotated[
        bool | None, OptionText("--skip-bad", "Leave out molecules that cannot be read, and say which.", MOLECULES)
    ]


@dataclass(frozen=True, slots=True)
class ReadingOption:
    """An option of reading: the type of its values, and its text; one without a text is for Python only."""

    kind: Any
    text: OptionText | None


_EXPECTED: Mapping[Any, str] = {
    str: "text",
    bool: "True or False",
    Schema: "a Schema",
    Sequence: "a list of texts",
    Mapping: "a mapping from names to kinds",
}


@cache
def reading_options() -> Mapping[str, ReadingOption]:
    """Return the options by name, in the order in which help lists them.

    Examples
    --------
    >>> reading_options()["missing_words"].text.flag
    '--missing-word'
    """
    kinds = get_type_hints(ReadingOptions)
    hints = get_type_hints(ReadingOptions, include_extras=True)
    texts = {name: next(iter(getattr(hint, "__metadata__", ())), None) for name, hint in hints.items()}
    return {name: ReadingOption(get_args(kind)[0], texts[name]) for name, kind in kinds.items()}


def given_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return those options that are not None, after checking all of them.

    Examples
    --------
    >>> given_options({"decimal": ",", "header": None})
    {'decimal': ','}
    """
    for name in options:
        if name not in reading_options():
            raise UsageError(f"reading has no option {name!r}{did_you_mean(name, reading_options())}")
    given = {name: value for name, value in options.items() if value is not None}
    for name, value in given.items():
        check_option(name, value)
    return given


def check_option(name: str, value: Any) -> None:
    """Refuse a value that an option of reading cannot have.

    Examples
    --------
    >>> check_option("decimal", "x")
    Traceback (most recent call last):
    structtree.errors.UsageError: decimal must be '.' or ','; got 'x'
    """
    kind = reading_options()[name].kind
    if get_origin(kind) is Literal:
        expected = " or ".join(map(repr, get_args(kind)))
        is_right = value in get_args(kind)
    else:
        plain = get_origin(kind) or kind
        is_right, expected = isinstance(value, plain), _EXPECTED[plain]
        if plain is Sequence:
            is_right = is_right and not isinstance(value, str) and all(isinstance(each, str) for each in value)
    if not is_right:
        raise UsageError(f"{name} must be {expected}; got {value!r}")
