"""How commands get their data: the options that say how to read it, and one function that opens it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from structtree.cli.common import note
from structtree.errors import DataError, UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from structtree.data.columns import Column
    from structtree.data.opening import Opened
    from structtree.lang.grammar import Grammar

    Labels = NDArray[Any]

__all__ = [
    "GrammarOption",
    "Reading",
    "Target",
    "Where",
    "as_learned",
    "grammar_facts",
    "grammar_for",
    "labelled",
    "opened",
    "print_grammar",
    "to_remember",
]

Task = Literal["classes", "numbers"]

FEW = 10
"""So many different whole numbers may well be meant as classes."""

RARE = 4
"""Words that one in so many values is, or fewer, are odd in a column of numbers."""

DATA = "How to read the data"
TABLES = "How to read delimited text"
MOLECULES = "How to read molecules"

Where = Annotated[str, typer.Argument(metavar="DATA", help="A data set's name, a file, or a folder.")]
Target = Annotated[
    str | None,
    typer.Option("--target", metavar="ATTRIBUTE", help="What to predict; data sets and TU folders bring their own."),
]
GrammarOption = Annotated[
    str | None,
    typer.Option(
        "--grammar", metavar="GRAMMAR", help="A grammar's name, or a file; else the data's own, or a default."
    ),
]


@dataclass(frozen=True, slots=True)
class Reading:
    """How to read data; what is not given is found out."""

    format: Annotated[
        str | None,
        typer.Option("--format", help="The format, when the file's ending does not tell.", rich_help_panel=DATA),
    ] = None
    types: Annotated[
        list[str] | None,
        typer.Option(
            "--type",
            metavar="NAME=KIND",
            help="The kind of a member, as in zip=nominal; may be repeated.",
            rich_help_panel=DATA,
        ),
    ] = None
    individual: Annotated[
        str | None,
        typer.Option(
            "--individual",
            metavar="TYPE",
            help="What to call the type of the individuals; of graphs: Graph, Node or Edge.",
            rich_help_panel=DATA,
        ),
    ] = None
    group: Annotated[
        str | None,
        typer.Option(
            "--group",
            metavar="COLUMN",
            help="Rows of a table with the same value here are one individual.",
            rich_help_panel=DATA,
        ),
    ] = None
    link: Annotated[
        str | None,
        typer.Option(
            "--link",
            metavar="NAME",
            help="With --group: what to call the rows of an individual.",
            rich_help_panel=DATA,
        ),
    ] = None
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            "--ignore",
            metavar="ATTRIBUTE",
            help="An attribute of the individuals to leave out; may be repeated.",
            rich_help_panel=DATA,
        ),
    ] = None
    delimiter: Annotated[
        str | None,
        typer.Option(
            "--delimiter",
            metavar="SIGN",
            help="What separates fields; also tab, or a blank for any run of blanks.",
            rich_help_panel=TABLES,
        ),
    ] = None
    header: Annotated[
        bool | None,
        typer.Option("--header/--no-header", help="Whether the first line has names.", rich_help_panel=TABLES),
    ] = None
    names: Annotated[
        str | None,
        typer.Option("--names", metavar="A,B,C", help="The names of the columns.", rich_help_panel=TABLES),
    ] = None
    encoding: Annotated[
        str | None,
        typer.Option("--encoding", metavar="NAME", help="Such as cp1252; else UTF-8.", rich_help_panel=TABLES),
    ] = None
    decimal: Annotated[
        str | None,
        typer.Option("--decimal", metavar="SIGN", help="The decimal sign: . or ,", rich_help_panel=TABLES),
    ] = None
    missing: Annotated[
        list[str] | None,
        typer.Option(
            "--missing",
            metavar="TEXT",
            help="What stands for no value, instead of ?, NA and the like; may be repeated.",
            rich_help_panel=TABLES,
        ),
    ] = None
    smiles: Annotated[
        str | None,
        typer.Option(
            "--smiles",
            metavar="COLUMN",
            help="The column with the SMILES, if it is not named so.",
            rich_help_panel=MOLECULES,
        ),
    ] = None
    hydrogens: Annotated[
        str | None,
        typer.Option(
            "--hydrogens",
            metavar="implicit|explicit",
            help="Whether hydrogens are only counted, or atoms of their own.",
            rich_help_panel=MOLECULES,
        ),
    ] = None
    skip_bad: Annotated[
        bool,
        typer.Option(
            "--skip-bad", help="Leave out molecules that cannot be read, and say which.", rich_help_panel=MOLECULES
        ),
    ] = False


# Not what is wrong with one file, or left out of it: that says nothing about others.
REMEMBERED = {field.name for field in fields(Reading)} - {"ignore", "skip_bad"}


def opened(where: str, reading: Reading, target: str | None = None, *, need_target: bool = False) -> Opened:
    """The data, read as the options say; what was left out is told on stderr."""
    from structtree.data.opening import open_data

    options: dict[str, Any] = asdict(reading) | {
        "types": _kinds(reading.types),
        "delimiter": _delimiter(reading.delimiter),
        "names": None if reading.names is None else [name.strip() for name in reading.names.split(",")],
        "skip_bad": reading.skip_bad or None,
        "unlabelled": "leave out" if need_target else "refuse",
    }
    ignored = options.pop("ignore") or ()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        found = open_data(where, target=target, **options)
    for warning in caught:
        note(f"warning: {warning.message}")
    return replace(found, population=found.population.without(*ignored)) if ignored else found


def to_remember(where: str, reading: Reading) -> dict[str, Any]:
    """What a model keeps of how its data was read: the options that were given, and the ending of the file.

    Examples
    --------
    >>> to_remember("musk.csv.gz", Reading(group="molecule", skip_bad=True))
    {'ending': '.csv', 'group': 'molecule'}
    >>> to_remember("musk.csv", Reading())
    {}
    """
    given = {name: value for name, value in asdict(reading).items() if name in REMEMBERED and value is not None}
    return {"ending": _ending(where), **given} if given else {}


def as_learned(where: str, reading: Reading, remembered: Any) -> Reading:
    """How to read data for a model: as its own was read, if the file has the same ending; but what is given counts.

    Examples
    --------
    >>> as_learned("new.csv", Reading(), {"ending": ".csv", "header": False}).header
    False
    >>> as_learned("new.csv", Reading(header=True), {"ending": ".csv", "header": False}).header
    True
    """
    if not isinstance(remembered, Mapping) or not remembered.get("ending") or remembered["ending"] != _ending(where):
        return reading
    known = {name: remembered[name] for name in REMEMBERED & remembered.keys() if getattr(reading, name) is None}
    for name, value in sorted(known.items()):
        if not _is_possible(name, value):
            raise DataError(f"the model cannot say how its data was read: {name} is {value!r}")
    if known:
        words = ", ".join(f"{name} {_said(value)}" for name, value in sorted(known.items()))
        note(f"note: read as the model's own data was: {words}")
    return replace(reading, **known)


def _is_possible(name: str, value: Any) -> bool:
    """Whether an option of reading can have this value."""
    if name in ("types", "missing"):
        return isinstance(value, list) and all(isinstance(each, str) for each in value)
    return isinstance(value, bool if name == "header" else str)


def _said(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _ending(where: str) -> str:
    """The ending of a file's name, a stroke for a folder, and nothing for data sets that have a name."""
    path = Path(where)
    if path.is_dir():
        return "/"
    return (path.with_suffix("") if path.suffix.lower() == ".gz" else path).suffix.lower()


def labelled(where: str, reading: Reading, target: str | None, task: Task | None = None) -> tuple[Opened, Labels]:
    """The data with its labels, which learning cannot do without: floats for numbers, anything else for classes."""
    data = opened(where, reading, target, need_target=True)
    if data.target is None:
        schema = data.population.schema
        known = ", ".join(attribute.name for attribute in schema.type(schema.individual).attributes)
        raise UsageError(f"say with --target which attribute of {where} to predict (it has: {known or 'none'})")
    labels = _labels(data.target, task, str(data.target_name))
    for remark in (*_about_columns(data, reading), *_about_labels(labels, str(data.target_name))):
        note(f"note: {remark}")
    return data, labels


def _words_among_numbers(column: Column) -> NDArray[np.int64]:
    """The rows of a nominal column that have words, if others have numbers."""
    import numpy as np

    words = [code for code, text in enumerate(column.categories) if not _looks_like_number(text)]
    if len(words) in (0, len(column.categories)):
        return np.zeros(0, dtype=np.int64)
    return np.flatnonzero(np.isin(column.values, words))


def _looks_like_number(text: str) -> bool:
    return text.lstrip("+-").replace(".", "", 1).isdigit()


def _about_labels(labels: Labels, name: str) -> Iterator[str]:
    if len(labels) and (labels == labels[0]).all():
        yield f"{name} is {labels[0]} for all {len(labels):,} individuals, so there is nothing to tell apart"


def _about_columns(data: Opened, reading: Reading) -> Iterator[str]:
    """What is odd about the attributes of the individuals: no value at all, or a few words among numbers."""
    population, declared = data.population, _kinds(reading.types) or {}
    for attribute in population.schema.type(population.schema.individual).attributes:
        column = population.column(attribute.name)
        if column.missing.all():
            yield f"{attribute.name} has no value for anybody, so nothing can be asked about it"
        elif column.kind == "nominal" and not attribute.values and attribute.name not in declared:
            odd = _words_among_numbers(column)
            if 0 < len(odd) <= len(column.values) // RARE:
                word = column.categories[int(column.values[odd[0]])]
                yield (
                    f"{attribute.name} is nominal, not a number, because of words such as {word!r} (individual "
                    f"{odd[0]}); if they mean that nothing is known say --missing {word}"
                )


def _labels(labels: Labels, task: Task | None, name: str) -> Labels:
    """The labels in the form that says their task.

    Whole numbers are classes if that is asked for, and also if there are just two of them; otherwise a column of 0
    and 1, which is how many files write no and yes, would be taken for numbers.
    """
    import numpy as np

    if task == "numbers" and labels.dtype.kind == "O":
        raise UsageError(f"{name} has words such as {labels[0]!r}; the criterion is for numbers")
    if task == "numbers" or labels.dtype.kind != "f":
        return labels.astype(np.float64) if task == "numbers" else labels
    is_whole, n = bool((np.floor(labels) == labels).all()), len(np.unique(labels))
    if is_whole and (task == "classes" or n == 2):
        return labels.astype(np.int64)
    if task == "classes":
        raise UsageError(
            f"{name} has broken numbers; the criterion is for classes (to insist: --type {name}=nominal)"
        )
    if is_whole and n <= FEW:
        note(f"note: {name}, with {n} different values, is taken for a number; for classes: --type {name}=nominal")
    return labels


def grammar_for(data: Opened, name: str | None = None, *, one_at_a_time: bool = False) -> Grammar:
    """Return the grammar that was named, or the default for the data.

    The default for a data set with a name may be one of its own; who needs one test at a time has no use for that.
    """
    from structtree.lang.default import default_grammar
    from structtree.lang.grammar import Grammar

    if name:
        return Grammar.load(name)
    if data.grammar and one_at_a_time:
        return replace(default_grammar(data.population), origin="derived from the data, one test at a time")
    found = default_grammar(data.population, data.grammar)
    is_derived = found.name is None
    return replace(found, origin=f"{found.origin} (structtree grammar derive DATA shows it)") if is_derived else found


def print_grammar(grammar: Grammar) -> None:
    """Say which grammar was used, and what it leaves out."""
    typer.echo(f"Grammar: {grammar.origin}")
    for remark in grammar.notes:
        typer.echo(f"  {remark}")


def grammar_facts(grammar: Grammar) -> dict[str, Any]:
    """Return which grammar was used, for JSON."""
    return {"name": grammar.name, "origin": grammar.origin, "notes": list(grammar.notes)}


def _kinds(pairs: list[str] | None) -> dict[str, str] | None:
    kinds = {}
    for pair in pairs or []:
        name, equals, kind = pair.partition("=")
        if not (name and equals and kind):
            raise UsageError(f"--type takes NAME=KIND, as in --type zip=nominal; got {pair!r}")
        kinds[name] = kind
    return kinds or None


def _delimiter(sign: str | None) -> str | None:
    return {"tab": "\t", "\\t": "\t"}.get(sign, sign) if sign else sign
