"""The options of reading, each declared once: its name, its kind and range, and its sentence of help.

`ReadingOptions` is what `structtree.data.readers.sources.read_data` and `structtree.open_data` take by keyword. The
checks of given values (`check_option`) follow from its types, and so do the options of the command line
(`structtree.cli.reading`), which find their spelling and their help here. Which options a format knows is said in
`structtree.data.readers.sources`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, TypedDict, get_args, get_origin, get_type_hints

from structtree.data.layouts import SourceLayout
from structtree.data.schema import Schema
from structtree.errors import UsageError, did_you_mean

__all__ = [
    "DatabaseOptions",
    "FactOptions",
    "Hydrogens",
    "KeyOptions",
    "MoleculeOptions",
    "OptionText",
    "ReadingOption",
    "ReadingOptions",
    "RowOptions",
    "check_option",
    "given_options",
    "reading_options",
]

DATA = "How to read the data"
TEXT = "How to read text"
DATABASES = "How to read databases"
MOLECULES = "How to read molecules"
FACTS = "How to read facts"

Hydrogens = Literal["implicit", "explicit"]
"""Hydrogens as a count at each atom, or as atoms themselves."""


@dataclass(frozen=True, slots=True)
class OptionText:
    """An option as the command line shows it: sentence of help, group, argument, and a spelling of its own."""

    help: str
    panel: str
    metavar: str | None = None
    flag: str | None = None


class RowOptions(TypedDict, total=False):
    """The options of every reader of tables: what a row is, and what its columns are."""

    individual: Annotated[
        str | None,
        OptionText("The type that gets a label; a table of a database; Graph, Node or Edge.", DATA, "TYPE"),
    ]
    types: Annotated[
        Mapping[str, str] | None,
        OptionText(
            "The kind of an attribute or link: zip=nominal, 'born=date(day-first)', 'size=low<high'; repeatable.",
            DATA,
            "NAME=KIND",
            "type",
        ),
    ]
    group: Annotated[
        str | None,
        OptionText("Rows of a table with the same value in this column form one individual.", DATA, "COLUMN"),
    ]
    link: Annotated[
        str | None,
        OptionText(
            "For grouped rows: the name of the link to them. For databases: T.COLUMN=T.COLUMN; repeatable.",
            DATA,
            "NAME",
        ),
    ]


class MoleculeOptions(TypedDict, total=False):
    """The options of every reader of molecules; None is the same as not giving one."""

    hydrogens: Annotated[
        Hydrogens | None,
        OptionText("Only count hydrogens, or make each of them an atom.", MOLECULES, "implicit|explicit"),
    ]
    largest_fragment: Annotated[
        bool | None,
        OptionText("Keep only the largest fragment of each molecule, without salts and solvents.", MOLECULES),
    ]
    neutralise: Annotated[
        bool | None,
        OptionText("Neutralise charges by adding or removing hydrogens, where that is possible.", MOLECULES),
    ]
    skip_bad: Annotated[bool | None, OptionText("Leave out molecules that cannot be read, and list them.", MOLECULES)]
    cache: Annotated[
        bool | None,
        OptionText("Cache what is computed for large sets of molecules.", MOLECULES, None, "cache/no-cache"),
    ]


class KeyOptions(TypedDict, total=False):
    """The options of every reader of databases that no other reader has; None is the same as not giving one."""

    keys: Annotated[
        Sequence[str] | None,
        OptionText("The key of a table: account.id, or team.year,name; repeatable.", DATABASES, "T.COLUMN", "key"),
    ]
    links: Sequence[str] | None
    exclude: Annotated[
        Sequence[str] | None,
        OptionText("A column of any table, or a whole table, to leave out; repeatable.", DATABASES, "T.COLUMN"),
    ]
    condition: Annotated[
        str | None, OptionText("A condition for the rows that are individuals.", DATABASES, "SQL", "where")
    ]
    schema_file: Annotated[
        str | None,
        OptionText("Keys and links, as structtree data schema writes them.", DATABASES, "FILE.toml", "schema"),
    ]
    layout: SourceLayout | None
    strict: Annotated[bool | None, OptionText("Refuse foreign keys that lead nowhere.", DATABASES)]
    as_of: Annotated[
        str | None,
        OptionText("An individual sees only rows dated before this date of its own: loan.date.", DATABASES, "DATE"),
    ]
    lead: Annotated[
        int | None,
        OptionText("Prediction horizon in days, where individuals see rows before a date.", DATABASES, "DAYS"),
    ]
    frozen_at: Annotated[str | None, OptionText("Nothing dated after this day is seen.", DATABASES, "YYYY-MM-DD")]
    exclude_after: Annotated[
        str | None,
        OptionText("The same, and individuals dated after this day are left out.", DATABASES, "YYYY-MM-DD"),
    ]
    dates: Annotated[
        Sequence[str] | None,
        OptionText(
            "The date from which rows of a table exist, by default the earliest; repeatable.",
            DATABASES,
            "T.COLUMN",
            "date",
        ),
    ]
    set_once: Annotated[
        Sequence[str] | None,
        OptionText(
            "A date that never changes once it is set, so that it can be used before later dates; repeatable.",
            DATABASES,
            "T.COLUMN",
        ),
    ]


class DatabaseOptions(KeyOptions, total=False):
    """All options of reading databases; of those with the target, where no individual is named, that table is one."""

    target: str | None
    individual: str | None
    types: Mapping[str, str] | None


class FactOptions(TypedDict, total=False):
    """The options of the reader of facts; None is the same as not giving one."""

    positives: Annotated[
        str | None, OptionText("The file of positive examples, if its name does not say so.", FACTS, "FILE")
    ]
    negatives: Annotated[str | None, OptionText("The file of negative examples.", FACTS, "FILE")]
    modes: Annotated[
        str | None, OptionText("A file with the sorts of arguments, as Aleph or ACE declares them.", FACTS, "FILE")
    ]
    part: Annotated[
        Sequence[str] | None,
        OptionText("The part of a folder to read, such as test or fold1; may be repeated.", FACTS, "NAME"),
    ]
    fact: Annotated[
        Sequence[str] | None,
        OptionText(
            "What arguments are: 'bond(Molecule, Atom, Atom -> to, order)'; may be repeated.", FACTS, "SIGNATURE"
        ),
    ]
    sample_negatives: Annotated[
        int | None, OptionText("Draw so many negative examples from what is not a positive one.", FACTS, "N")
    ]
    sample_seed: Annotated[int | None, OptionText("The seed for drawing them; 0 by default.", FACTS, "N")]


class ReadingOptions(RowOptions, KeyOptions, MoleculeOptions, FactOptions, total=False):
    """All options of reading; None is the same as not giving one."""

    format: Annotated[str | None, OptionText("The format, if the file's extension does not show it.", DATA)]
    schema: Schema | None
    delimiter: Annotated[
        str | None, OptionText("The separator of fields; also tab, or a blank for any run of blanks.", TEXT, "SIGN")
    ]
    header: Annotated[
        bool | None, OptionText("Read the first line as names, or as data.", TEXT, None, "header/no-header")
    ]
    names: Annotated[Sequence[str] | None, OptionText("The names of the columns.", TEXT, "A,B,C")]
    encoding: Annotated[
        str | None, OptionText("The encoding of the text, such as cp1252; UTF-8 by default.", TEXT, "NAME")
    ]
    decimal: Annotated[Literal[".", ","] | None, OptionText("The decimal separator: . or ,", TEXT, "SIGN")]
    missing_words: Annotated[
        Sequence[str] | None,
        OptionText(
            "A word for a missing value, in place of ?, NA and the like; may be repeated.",
            TEXT,
            "WORD",
            "missing-word",
        ),
    ]
    smiles: Annotated[
        str | None, OptionText("The column with the SMILES, if its name does not say so.", MOLECULES, "COLUMN")
    ]


@dataclass(frozen=True, slots=True)
class ReadingOption:
    """An option of reading: the type of its values, and its text; one without a text is for Python only."""

    name: str
    kind: Any
    text: OptionText | None

    @property
    def flag(self) -> str:
        """The option as it is spelled on the command line."""
        spelling = (self.text and self.text.flag) or self.name.replace("_", "-")
        return "/".join(f"--{word}" for word in spelling.split("/"))


_EXPECTED: Mapping[Any, str] = {
    str: "text",
    bool: "True or False",
    int: "a whole number",
    Schema: "a Schema",
    SourceLayout: "the layout of a model",
    Sequence: "a list of texts",
    Mapping: "a mapping from names to kinds",
}


@cache
def reading_options() -> Mapping[str, ReadingOption]:
    """Return the options by name, in the order in which help lists them.

    Examples
    --------
    >>> reading_options()["missing_words"].kind
    collections.abc.Sequence[str]
    """
    kinds = get_type_hints(ReadingOptions)
    hints = get_type_hints(ReadingOptions, include_extras=True)
    texts = {name: next(iter(getattr(hint, "__metadata__", ())), None) for name, hint in hints.items()}
    return {name: ReadingOption(name, get_args(kind)[0], texts[name]) for name, kind in kinds.items()}


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
        if plain is Sequence:  # an index of pandas will do
            is_list = isinstance(value, Collection) and not isinstance(value, str)
            is_right = is_list and all(isinstance(each, str) for each in value)
    if not is_right:
        raise UsageError(f"{name} must be {expected}; got {value!r}")
