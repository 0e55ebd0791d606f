"""Options for reading data, and functions that read it and print remarks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from structtree.cli.common import print_remarks
from structtree.cli.flags import signature_of
from structtree.cli.progress import live_status
from structtree.data.readers.options import SelectionOptions, reading_options
from structtree.errors import UsageError
from structtree.options import keywords_of

if TYPE_CHECKING:
    from structtree.data.readers.opening import Opened
    from structtree.data.schema import Schema
    from structtree.lang.grammar import Grammar
    from structtree.models.model import Model
    from structtree.session.reading import Source
    from structtree.session.training import TrainingData

__all__ = [
    "GrammarOption",
    "Reading",
    "TargetName",
    "Where",
    "grammar_facts",
    "print_grammar",
    "read_to_learn",
    "read_with_options",
]

Where = Annotated[
    str, typer.Argument(metavar="DATA", help="File, folder, URL, built-in dataset, or - for standard input.")
]
TargetName = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="ATTRIBUTE",
        help="Attribute to predict; built-in datasets, ARFF, C4.5 and TU folders have a default.",
    ),
]
GrammarOption = Annotated[
    str | None,
    typer.Option(
        "--grammar",
        metavar="GRAMMAR",
        help="Name or file of a grammar; by default that of the dataset, or one derived from the data.",
    ),
]


@dataclass(frozen=True, init=False)
class Reading:
    """Options for reading data given on the command line; all others are detected.

    Its parameters are the options of `structtree.data.readers.options`, with the types of command-line values.
    """

    given: Mapping[str, Any]

    def __init__(self, **options: Any) -> None:
        given = {name: value for name, value in options.items() if value is not None and value != []}
        object.__setattr__(self, "given", given)

    def options(self) -> dict[str, Any]:
        """Convert the options to arguments of `structtree.open_data`."""
        found = dict(self.given)
        if "types" in found:
            found["types"] = _kinds(found["types"])
        if "names" in found:
            found["names"] = [name.strip() for name in found["names"].split(",")]
        return _with_links(found)


def _with_links(given: dict[str, Any]) -> dict[str, Any]:
    """Return the options, with each ``--link`` sorted by kind: a key (loan.account=account.id) or a link name."""
    texts = given.pop("link", [])
    keys = [text for text in texts if "=" in text]
    names = [text for text in texts if "=" not in text]
    if len(names) > 1:
        raise UsageError(f"--link was given twice; expected one name, got {names[0]!r} and {names[1]!r}")
    return given | ({"links": keys} if keys else {}) | ({"link": names[0]} if names else {})


_OPTIONS = (*reading_options().values(), *keywords_of(SelectionOptions).values())
Reading.__signature__ = signature_of(option for option in _OPTIONS if option.panel)  # type: ignore[attr-defined]


def read_with_options(
    where: str,
    reading: Reading,
    target: str | None = None,
    *,
    need_target: bool = False,
    id: str | None = None,
    with_notes: bool = True,
    model: Model | None = None,
    grammar: Grammar | None = None,
) -> Opened:
    """Read data with the given options, and print remarks.

    Parameters
    ----------
    where, reading, target, id
    need_target : bool
        Whether individuals without a label are skipped.
    with_notes : bool
        Whether notes are printed as well as warnings.
    model : Model, optional
        Model whose training data determines how the data is read.
    grammar : Grammar, optional
        Grammar that may declare the types of facts.
    """
    from structtree.session.reading import Source, read_source
    from structtree.session.remembered import like_training_data

    source = Source(where, target, grammar, reading.options()).with_declared_facts()
    if model is not None:
        source, remarks = like_training_data(source, model.reading)
        print_remarks(remarks)
    with live_status("reading"):
        layout = None if model is None else model.layout
        found = read_source(source, unlabelled="leave out" if need_target else "refuse", id=id, layout=layout)
    print_remarks(remark for remark in found.remarks if with_notes or remark.kind == "warning")
    return found.data


def read_to_learn(source: Source, task: str | None = None, *, look_for_leaks: bool = True) -> TrainingData:
    """Read data with its labels, and print remarks."""
    from structtree.session.training import read_training_data

    with live_status("reading"):
        found = read_training_data(source, task, look_for_leaks=look_for_leaks)
    print_remarks(found.remarks)
    return found


def _schema(grammar: Grammar, data: Opened) -> Schema:
    """Return the schema of the data, with the type names of the grammar."""
    from structtree.lang.declare import named_by

    return named_by(data.population, grammar.syntax).schema


def print_grammar(grammar: Grammar, data: Opened) -> None:
    """Print the grammar, its notes, and the features that it uses."""
    from structtree.report.features import grammar_features

    typer.echo(f"Grammar: {grammar.origin}")
    for remark in grammar.notes:
        typer.echo(f"  {remark}")
    typer.echo(f"Features: {grammar_features(grammar.check(_schema(grammar, data)))}")


def grammar_facts(grammar: Grammar, data: Opened | None = None) -> dict[str, Any]:
    """Return the grammar and the attributes and links that it uses, for JSON."""
    facts: dict[str, Any] = {"name": grammar.name, "origin": grammar.origin, "notes": list(grammar.notes)}
    if data is not None:
        from structtree.report.features import grammar_features

        used = grammar_features(grammar.check(_schema(grammar, data)))
        facts |= {"attributes": list(used.attributes), "links": list(used.links)}
    return facts


def _kinds(pairs: Sequence[str]) -> dict[str, str]:
    kinds = {}
    for pair in pairs:
        # A name may contain =, and so may the values of an ordinal attribute.
        name, equals, kind = pair.partition("=") if "<" in pair else pair.rpartition("=")
        if not (name and equals and kind):
            raise UsageError(f"--type takes NAME=KIND, as in --type zip=nominal; got {pair!r}")
        kinds[name] = kind
    return kinds
