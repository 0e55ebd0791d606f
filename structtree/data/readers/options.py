"""Reading options, each declared once with its name, type and help text.

`ReadingOptions` are the keyword arguments of `structtree.data.readers.sources.read_data` and `structtree.open_data`.
Values are validated by type (`check_option`), and the options of the command line (`structtree.cli.reading`) follow
from the declarations. The options of each format are listed in `structtree.data.readers.sources`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, Literal, TypedDict, get_args, get_origin

from structtree.data.layouts import SourceLayout
from structtree.data.schema import Schema
from structtree.errors import UsageError, did_you_mean
from structtree.options import Option, keyword, keywords_of

__all__ = [
    "DatabaseOptions",
    "FactOptions",
    "Hydrogens",
    "KeyOptions",
    "MoleculeOptions",
    "ReadingOptions",
    "RowOptions",
    "SelectionOptions",
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
"""Hydrogens as a count of each atom, or as separate atoms."""


class RowOptions(TypedDict, total=False):
    """Options of all table readers."""

    individual: Annotated[
        str | None, keyword("Type of the individuals: a table of a database, or Graph, Node or Edge.", DATA, "TYPE")
    ]
    types: Annotated[
        Mapping[str, str] | None,
        keyword(
            "Kind of a member: zip=nominal, items=set, 'born=date(day-first)', 'size=low<high'; repeatable.",
            DATA,
            "NAME=KIND",
            "type",
            many=True,
        ),
    ]
    group: Annotated[
        str | None,
        keyword("Column that groups the rows of a table into individuals.", DATA, "COLUMN"),
    ]
    link: Annotated[
        str | None,
        keyword(
            "Name of the link to grouped rows; for databases, a foreign key T.COLUMN=T.COLUMN (repeatable).",
            DATA,
            "NAME",
            many=True,
        ),
    ]


class MoleculeOptions(TypedDict, total=False):
    """Options of all molecule readers; None is the default."""

    hydrogens: Annotated[
        Hydrogens | None, keyword("Count hydrogens, or represent them as atoms.", MOLECULES, "implicit|explicit")
    ]
    largest_fragment: Annotated[
        bool | None,
        keyword("Keep only the largest fragment of each molecule, without salts and solvents.", MOLECULES),
    ]
    neutralise: Annotated[
        bool | None, keyword("Neutralise charges by adding or removing hydrogens, if possible.", MOLECULES)
    ]
    skip_bad: Annotated[bool | None, keyword("Skip and list molecules that cannot be read.", MOLECULES)]
    cache: Annotated[
        bool | None, keyword("Cache results for large sets of molecules.", MOLECULES, "", "cache/no-cache")
    ]


class KeyOptions(TypedDict, total=False):
    """Options of the database readers only; None is the default."""

    keys: Annotated[
        Sequence[str] | None,
        keyword(
            "Primary key of a table: account.id, or team.year,name; repeatable.",
            DATABASES,
            "T.COLUMN",
            "key",
            many=True,
        ),
    ]
    links: Sequence[str] | None
    exclude: Annotated[
        Sequence[str] | None,
        keyword("Column or table to exclude; repeatable.", DATABASES, "T.COLUMN", many=True),
    ]
    condition: Annotated[str | None, keyword("SQL condition for the individuals.", DATABASES, "SQL", "where")]
    schema_file: Annotated[
        str | None,
        keyword("Keys and links, as written by structtree data schema.", DATABASES, "FILE.toml", "schema"),
    ]
    layout: SourceLayout | None
    strict: Annotated[bool | None, keyword("Reject foreign keys without a target row.", DATABASES)]
    as_of: Annotated[
        str | None,
        keyword("Date of the individuals, such as loan.date; they see only earlier rows.", DATABASES, "DATE"),
    ]
    lead: Annotated[
        int | None, keyword("Prediction horizon in days; requires a date for each individual.", DATABASES, "DAYS")
    ]
    frozen_at: Annotated[str | None, keyword("Hide rows and values dated after this day.", DATABASES, "YYYY-MM-DD")]
    exclude_after: Annotated[
        str | None,
        keyword("Hide rows and values, and exclude individuals, dated after this day.", DATABASES, "YYYY-MM-DD"),
    ]
    dates: Annotated[
        Sequence[str] | None,
        keyword(
            "Date column from which the rows of a table exist, by default the earliest; repeatable.",
            DATABASES,
            "T.COLUMN",
            "date",
            many=True,
        ),
    ]
    set_once: Annotated[
        Sequence[str] | None,
        keyword(
            "Date column that never changes once set, and is visible from that date on; repeatable.",
            DATABASES,
            "T.COLUMN",
            many=True,
        ),
    ]


class DatabaseOptions(KeyOptions, total=False):
    """All options for databases; without ``individual``, the table with the target is chosen."""

    target: str | None
    individual: str | None
    types: Mapping[str, str] | None


class FactOptions(TypedDict, total=False):
    """Options of the fact reader; None is the default."""

    positives: Annotated[
        str | None, keyword("File of positive examples, if not recognised by its name.", FACTS, "FILE")
    ]
    negatives: Annotated[str | None, keyword("File of negative examples.", FACTS, "FILE")]
    modes: Annotated[str | None, keyword("File with mode declarations of Aleph or ACE.", FACTS, "FILE")]
    part: Annotated[
        Sequence[str] | None,
        keyword("Part of a folder to read, such as test or fold1; repeatable.", FACTS, "NAME", many=True),
    ]
    fact: Annotated[
        Sequence[str] | None,
        keyword(
            "Types of a predicate's arguments: 'bond(Molecule, Atom, Atom -> to, order)'; repeatable.",
            FACTS,
            "SIGNATURE",
            many=True,
        ),
    ]
    sample_negatives: Annotated[int | None, keyword("Number of negative examples to sample.", FACTS, "N")]
    sample_seed: Annotated[int | None, keyword("Random seed for the sample; 0 by default.", FACTS, "N")]


class ReadingOptions(RowOptions, KeyOptions, MoleculeOptions, FactOptions, total=False):
    """All reading options; None is the default."""

    format: Annotated[str | None, keyword("File format, by default inferred from the extension.", DATA)]
    schema: Schema | None
    delimiter: Annotated[
        str | None, keyword("Field separator; also tab, or a space for any whitespace.", TEXT, "CHAR")
    ]
    header: Annotated[bool | None, keyword("Read the first line as names, or as data.", TEXT, "", "header/no-header")]
    names: Annotated[Sequence[str] | None, keyword("Column names.", TEXT, "A,B,C")]
    encoding: Annotated[str | None, keyword("Text encoding, such as cp1252; UTF-8 by default.", TEXT, "NAME")]
    decimal: Annotated[Literal[".", ","] | None, keyword("Decimal separator: . or ,", TEXT, "CHAR")]
    missing_words: Annotated[
        Sequence[str] | None,
        keyword(
            "String that marks a missing value, instead of ?, NA etc.; repeatable.",
            TEXT,
            "WORD",
            "missing-word",
            many=True,
        ),
    ]
    smiles: Annotated[str | None, keyword("SMILES column, if not recognised by its name.", MOLECULES, "COLUMN")]


class SelectionOptions(TypedDict, total=False):
    """Options that select attributes of the individuals."""

    features: Annotated[
        str | Collection[str] | None,
        keyword("Attributes of the individuals to use, such as 'f*,size'; all by default.", DATA, "NAMES", many=True),
    ]
    ignore: Annotated[
        str | Collection[str] | None,
        keyword("Attributes of the individuals to exclude, such as 'CT_*,id'.", DATA, "NAMES", many=True),
    ]


_EXPECTED: Mapping[Any, str] = {
    str: "a string",
    bool: "True or False",
    int: "a whole number",
    Schema: "a Schema",
    SourceLayout: "the layout of a model",
    Sequence: "a list of strings",
    Mapping: "a mapping from names to kinds",
}


@cache
def reading_options() -> Mapping[str, Option]:
    """Return the options by name, in the order of the help.

    Examples
    --------
    >>> reading_options()["missing_words"].many
    True
    """
    return keywords_of(ReadingOptions)


def given_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Validate options and return those that are not None.

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
    """Raise `UsageError` if the value of a reading option is invalid.

    Examples
    --------
    >>> check_option("decimal", "x")
    Traceback (most recent call last):
    structtree.errors.UsageError: decimal must be '.' or ','; got 'x'
    """
    kind = get_args(reading_options()[name].kind)[0]  # without None
    if get_origin(kind) is Literal:
        expected = " or ".join(map(repr, get_args(kind)))
        is_right = value in get_args(kind)
    else:
        plain = get_origin(kind) or kind
        is_right, expected = isinstance(value, plain), _EXPECTED[plain]
        if plain is Sequence:  # also a pandas Index
            is_list = isinstance(value, Collection) and not isinstance(value, str)
            is_right = is_list and all(isinstance(each, str) for each in value)
    if not is_right:
        raise UsageError(f"{name} must be {expected}; got {value!r}")
