"""Data of the commands: the options that say how to read it, and one function that opens it."""

from __future__ import annotations

import inspect
import shlex
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_origin

import typer

from structtree.cli.common import RUNNING, note
from structtree.cli.progress import reading_bar
from structtree.data.readers.options import DATA, OptionText, ReadingOption, reading_options
from structtree.data.readers.text_files import extension_of
from structtree.data.schema import LearningTask, Schema
from structtree.errors import DataError, UsageError, WrongIndividualError, option_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from structtree.data.layouts import SourceLayout
    from structtree.data.population import Column, Population
    from structtree.data.readers.opening import Opened
    from structtree.lang.grammar import Grammar
    from structtree.models.records import ReadingRecord

    Labels = NDArray[Any]

__all__ = [
    "GrammarOption",
    "Reading",
    "TargetName",
    "Where",
    "as_learned",
    "grammar_facts",
    "grammar_for",
    "labelled",
    "print_grammar",
    "read_as_said",
    "to_remember",
    "with_declared_facts",
]

_FEW_CLASSES = 10
"""So many different whole numbers may well be meant as classes."""

_FEW_NAMES = 4
"""So many names are listed in a note."""

_RARE = 4
"""Words that one in so many values is, or fewer, are odd in a column of numbers."""

Where = Annotated[
    str, typer.Argument(metavar="DATA", help="A data set's name, a file, a folder, or - for standard input.")
]
TargetName = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="ATTRIBUTE",
        help="The attribute to predict; named data sets, ARFF, C4.5 and TU folders have a default.",
    ),
]
GrammarOption = Annotated[
    str | None,
    typer.Option(
        "--grammar",
        metavar="GRAMMAR",
        help="The name or file of a grammar; by default the data's own, or one derived from it.",
    ),
]


@dataclass(frozen=True, init=False)
class Reading:
    """Options of reading data, as the command line gives them; what is not given is detected.

    Its parameters are the options of `structtree.data.readers.options`, in the form in which a command line has them.
    """

    given: Mapping[str, Any]

    def __init__(self, **options: Any) -> None:
        given = {name: value for name, value in options.items() if value is not None and value != []}
        object.__setattr__(self, "given", given)

    def options(self) -> dict[str, Any]:
        """Return the options as `structtree.open_data` takes them."""
        found = dict(self.given)
        if "types" in found:
            found["types"] = _kinds(found["types"])
        if "names" in found:
            found["names"] = [name.strip() for name in found["names"].split(",")]
        return _with_links(found)


def _with_links(given: dict[str, Any]) -> dict[str, Any]:
    """Return the options with what ``--link`` says of keys (loan.account=account.id) apart from a link's name."""
    said = given.pop("link", [])
    keys = [text for text in said if "=" in text]
    names = [text for text in said if "=" not in text]
    if len(names) > 1:
        raise UsageError(f"--link was given twice; a link has one name, got {names[0]!r} and {names[1]!r}")
    return given | ({"links": keys} if keys else {}) | ({"link": names[0]} if names else {})


def _parameter(option: ReadingOption) -> inspect.Parameter:
    """Return an option of reading as typer wants it: lists are repeated, but names come in one word."""
    assert option.text is not None  # because it is for the command line
    kinds = {bool: bool, int: int, Mapping: list[str], Sequence: str if option.name == "names" else list[str]}
    values: Any = list[str] if option.name == "link" else kinds.get(get_origin(option.kind) or option.kind, str)
    text = option.text
    shown = typer.Option(option.flag, metavar=text.metavar, help=text.help, rich_help_panel=text.panel)
    hint: Any = Annotated[values | None, shown]
    return inspect.Parameter(option.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=hint)


_FEATURES = OptionText("The attributes of the individuals to use, such as 'f*,size'; all by default.", DATA, "NAMES")
_IGNORE = OptionText("Attributes of the individuals to leave out, such as 'CT_*,id'.", DATA, "NAMES")
_OPTIONS = (
    *reading_options().values(),
    ReadingOption("features", Sequence[str], _FEATURES),
    ReadingOption("ignore", Sequence[str], _IGNORE),
)
_PARAMETERS = {option.name: _parameter(option) for option in _OPTIONS if option.text}
Reading.__signature__ = inspect.Signature(list(_PARAMETERS.values()))  # type: ignore[attr-defined]

_ABOUT_EXAMPLES = ("positives", "negatives", "modes", "part", "sample_negatives", "sample_seed")
_PERIOD = ("frozen_at", "exclude_after")
_NOT_REMEMBERED = ("features", "ignore", "skip_bad", "cache", "condition", "strict", *_PERIOD, *_ABOUT_EXAMPLES)
"""The options about one file, what is wrong with it or left out of it, which say nothing about others."""


def read_as_said(
    where: str,
    reading: Reading,
    target: str | None = None,
    *,
    need_target: bool = False,
    id: str | None = None,
    tell: bool = True,
    layout: SourceLayout | None = None,
) -> Opened:
    """Return the data, read as the options say; what was left out is told on stderr, and how tables are linked.

    The tables of a database have the keys and links of a layout, if one is given.
    """
    from structtree.data.readers.databases.urls import is_url
    from structtree.data.readers.opening import open_data
    from structtree.data.readers.sources import is_database

    options = reading.options()
    if layout is not None and (is_url(where) or Path(where).exists()) and is_database(where, options.get("format")):
        options["layout"] = layout

    with warnings.catch_warnings(record=True) as caught, reading_bar():
        warnings.simplefilter("always", UserWarning)
        unlabelled: Literal["refuse", "leave out"] = "leave out" if need_target else "refuse"
        try:
            found = open_data(where, target=target, unlabelled=unlabelled, id=id, **options)
        except WrongIndividualError as error:
            command = _command(where, target=error.target, individual=error.owner)
            raise UsageError(
                f"{error.individual} has no attribute {error.target!r}, but {error.owner} has; try: {command}"
            ) from None
    for warning in dict.fromkeys(str(each.message) for each in caught):
        note(f"warning: {warning}")
    relations = found.provenance.relations
    for remark in relations.iter_notes() if relations is not None and tell else ():
        note(f"note: {remark}")
    return found


def with_declared_facts(reading: Reading, grammar: str | None) -> Reading:
    """Return how to read data for a grammar: the facts that it declares are read so, unless --fact says otherwise."""
    from structtree.data.readers.facts.signatures import signatures_of
    from structtree.lang.grammar import Grammar

    facts = Grammar.load(grammar).facts if grammar is not None else ()
    if not facts:
        return reading
    said = reading.given.get("fact", [])
    mine = signatures_of(said)
    others = [text for text in facts if not mine.keys() & signatures_of([text]).keys()]
    return Reading(**{**reading.given, "fact": [*said, *others]})


def to_remember(where: str, reading: Reading, data: Opened | None = None) -> ReadingRecord:
    """Return the record of how data was read: the given options, and the ending of the file.

    Of facts it is also what their arguments were taken for, so that others are read the same way.

    Examples
    --------
    >>> to_remember("musk.csv.gz", Reading(group="molecule", skip_bad=True))
    ReadingRecord(ending='.csv', options={'group': 'molecule'}, interpretations=False)
    >>> bool(to_remember("musk.csv", Reading()))
    False
    """
    from structtree.models.records import ReadingRecord

    given = {name: value for name, value in reading.options().items() if name not in _NOT_REMEMBERED}
    facts = data.provenance.facts if data is not None else None
    if data is not None and facts is not None:
        given["fact"] = list(facts.signatures)
        given |= {"individual": data.population.schema.individual} if facts.target is None else {}
    return ReadingRecord(_ending(where), given, facts is not None and facts.is_of_models)


def as_learned(where: str, reading: Reading, record: ReadingRecord) -> Reading:
    """Return how to read data for a model: as its own, if the file has the same ending; what is given comes first.

    Examples
    --------
    >>> from structtree.models.records import ReadingRecord
    >>> record = ReadingRecord(".csv", {"header": False})
    >>> as_learned("new.csv", Reading(), record).given
    {'header': False}
    >>> as_learned("new.csv", Reading(header=True), record).given
    {'header': True}
    """
    if not record or record.ending != _ending(where):
        return reading
    said = _as_given(record.options)
    known = {name: said[name] for name in sorted(said) if name in _PARAMETERS and name not in reading.given}
    if known:
        words = ", ".join(f"{name} {_said(value)}" for name, value in known.items())
        note(f"note: read as the model's own data was: {words}")
    return Reading(**known, **reading.given)


def _as_given(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options that `structtree.open_data` takes in the form of the command line; see `Reading.options`."""
    given = dict(options)
    if "types" in given:
        given["types"] = [f"{name}={kind}" for name, kind in given["types"].items()]
    if "names" in given:
        given["names"] = ",".join(given["names"])
    links = [*given.pop("links", []), *([given.pop("link")] if "link" in given else [])]
    return given | ({"link": links} if links else {})


def _said(value: Any) -> str:
    if not isinstance(value, list):
        return str(value)
    more = f" and {len(value) - _FEW_NAMES} more" if len(value) > _FEW_NAMES else ""
    return ", ".join(map(str, value[:_FEW_NAMES])) + more


def _ending(where: str) -> str:
    """Return the ending of a file's name, a slash for a folder, the name of a built-in dataset after a colon."""
    from structtree.data.datasets.catalog import dataset_names
    from structtree.data.readers.databases.urls import is_url

    if is_url(where):
        return "://"
    if where in dataset_names() and not Path(where).exists():
        return f":{where}"
    return "/" if Path(where).is_dir() else extension_of(where)


def labelled(
    where: str,
    reading: Reading,
    target: str | None,
    task: LearningTask | None = None,
    *,
    warn_of_leaks: bool = True,
) -> tuple[Opened, Labels]:
    """Return the data with its labels, which learning needs: floats for numbers, anything else for classes."""
    data = read_as_said(where, reading, target, need_target=True)
    facts = data.provenance.facts
    if data.target is None and facts is not None and facts.notes:
        raise UsageError(f"say with --target what to predict; {'; '.join(facts.notes)}")
    if data.target is None:
        from structtree.data.readers.databases.urls import shown_url

        schema, shown = data.population.schema, shown_url(where)
        relations = data.provenance.relations
        if relations is not None and not relations.individual_given:
            known = ", ".join(relations.database.tables)
            raise UsageError(f"say with --individual which table of {shown} to learn about (it has: {known})")
        known = ", ".join(attribute.name for attribute in schema.type(schema.individual).attributes)
        has = "; ".join(filter(None, [f"(it has: {known or 'none'})", _about_parts(where, data.population)]))
        raise UsageError(f"say with --target which attribute of {shown} to predict {has}")
    labels = _labels(data.target, task, str(data.target_name))
    _require_finite(labels, data)
    remarks = [
        *(facts.notes if facts else ()),
        *_about_columns(data, reading),
        *_about_labels(labels, str(data.target_name)),
    ]
    remarks += _about_leaks(data, labels) if warn_of_leaks else ()
    if len(labels) == 1 and (hint := _about_parts(where, data.population)):
        remarks.append(f"there is 1 {data.population.schema.individual}; {hint}")
    for remark in remarks:
        note(f"note: {remark}")
    return data, labels


def _command(where: str, **options: str) -> str:
    """Return the command that runs, with other options, as it can be pasted, but for the password of a URL."""
    from structtree.data.readers.databases.urls import shown_url

    words = [option for name, value in options.items() for option in (f"--{name}", value)]
    return f"{RUNNING.get()} {shlex.join([shown_url(where), *words])}"


def _about_parts(where: str, population: Population) -> str:
    """Return how to predict something of each node or edge, where the individuals are graphs; else nothing."""
    from structtree.data.readers.graphs.reading import is_of_graphs

    if not is_of_graphs(population):
        return ""
    for name in ("Node", "Edge"):
        columns = population.table(name).columns
        if columns:
            plainest = min(columns, key=lambda each: len(set(columns[each].values.tolist())))
            command = _command(where, target=plainest, individual=name)
            return f"to predict what each {name} has ({', '.join([*columns][:_FEW_NAMES])}), as in: {command}"
    return ""


def _about_leaks(data: Opened, labels: Labels) -> Iterator[str]:
    """Tell of attributes that may give the target away, and how to leave them out."""
    from structtree.data.selection import shortest_patterns
    from structtree.evaluation.leakage import leaks, other_targets

    target, schema = str(data.target_name), data.population.schema
    names = [attribute.name for attribute in schema.type(schema.individual).attributes]
    alone = leaks(data.population, labels)
    for leak in alone:
        yield (
            f"{leak.attribute} alone predicts {target} almost perfectly ({leak.measure} {leak.value:.3g}): if it is "
            f"known only after {target}, leave it out: {option_text('--ignore', leak.attribute)}"
        )
    told = {leak.attribute for leak in alone}
    others = [name for name in other_targets(data.population, labels, target) if name not in told]
    if others:
        few, n = ", ".join(others[:_FEW_NAMES]), len(others) - _FEW_NAMES
        patterns = shortest_patterns(others, [name for name in names if name not in others])
        yield (
            f"{few}{f' and {n} more' if n > 0 else ''} {'look' if len(others) > 1 else 'looks'} like "
            f"{'other targets' if len(others) > 1 else 'another target'}: what is known only together with {target} "
            f"should be left out: {option_text('--ignore', patterns)}"
        )


def _require_finite(labels: Labels, data: Opened) -> None:
    """Refuse a target that is infinite, by the name of its column and its row in the source."""
    import numpy as np

    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        at = int(np.flatnonzero(~np.isfinite(labels))[0])
        message = f"the target {data.target_name!r} must be a finite number; got {labels[at]}"
        raise DataError(message, source=data.source, individual=int(data.rows[at]))


def _words_among_numbers(column: Column) -> NDArray[np.int64]:
    """Return the rows of a nominal column that have words, if others have numbers."""
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
    """Tell what is odd about the attributes of the individuals: no value at all, or a few words among numbers."""
    population, declared = data.population, reading.options().get("types", {})
    for attribute in population.schema.type(population.schema.individual).attributes:
        column = population.column(attribute.name)
        if column.missing.all():
            yield f"{attribute.name} has no values, so no test can use it"
        elif column.kind == "nominal" and not attribute.values and attribute.name not in declared:
            odd = _words_among_numbers(column)
            if 0 < len(odd) <= len(column.values) // _RARE:
                word = column.categories[int(column.values[odd[0]])]
                yield (
                    f"{attribute.name} is nominal, not a number, because of words such as {word!r} (individual "
                    f"{odd[0]}); if they stand for missing values, use {option_text('--missing-word', word)}"
                )


def _labels(labels: Labels, task: LearningTask | None, name: str) -> Labels:
    """Return the labels as the task has them: that of the criterion, or the inferred one."""
    import numpy as np

    from structtree.lang.pretty import pretty_name
    from structtree.tasks.inference import are_whole, infer_task, labels_for

    shown, as_nominal = pretty_name(name), option_text("--type", f"{name}=nominal")
    if task == "numbers" and labels.dtype.kind == "O":
        raise UsageError(f"{shown} contains non-numeric values such as {labels[0]!r}; the criterion is for numbers")
    if task == "numbers":
        return labels.astype(np.float64)
    found = labels_for(task or infer_task(labels), labels)
    if task == "classes" and found.dtype.kind == "f":
        raise UsageError(
            f"{shown} has non-integer values; the criterion is for classes (to force classification: {as_nominal})"
        )
    if found.dtype.kind == "f" and are_whole(found) and (n := len(np.unique(found))) <= _FEW_CLASSES:
        note(f"note: {shown}, with {n} different values, is taken for a number; for classes: {as_nominal}")
    return found


def grammar_for(data: Opened, name: str | None = None, *, one_at_a_time: bool = False) -> Grammar:
    """Return the grammar that was named, or the default for the data.

    The default for a data set with a name may be one of its own; who needs one test at a time has no use for that.
    """
    from structtree.lang.default import default_grammar
    from structtree.lang.grammar import Grammar

    schema = data.population.schema
    reasons = dict.fromkeys(data.left_out, "ignored") | {str(data.target_name): "the target"}
    if name is not None:
        return Grammar.load(name).omitting(reasons, schema)
    if data.grammar and one_at_a_time:
        return replace(default_grammar(data.population), origin="derived from the data, one test at a time")
    found = default_grammar(data.population, data.grammar).omitting(reasons, schema)
    is_derived = found.name is None
    return replace(found, origin=f"{found.origin} (structtree grammar derive DATA shows it)") if is_derived else found


def _schema(grammar: Grammar, data: Opened) -> Schema:
    """Return the schema of the data by the names of the grammar."""
    from structtree.lang.declare import named_by

    return named_by(data.population, grammar.syntax).schema


def print_grammar(grammar: Grammar, data: Opened) -> None:
    """Say which grammar was used, what it asks about, and what it leaves out."""
    from structtree.report.features import asked_about

    typer.echo(f"Grammar: {grammar.origin}")
    for remark in grammar.notes:
        typer.echo(f"  {remark}")
    typer.echo(f"Asked about: {asked_about(grammar.check(_schema(grammar, data)))}")


def grammar_facts(grammar: Grammar, data: Opened | None = None) -> dict[str, Any]:
    """Return which grammar was used, and what of the individuals it asks about, for JSON."""
    facts: dict[str, Any] = {"name": grammar.name, "origin": grammar.origin, "notes": list(grammar.notes)}
    if data is not None:
        from structtree.report.features import asked_about

        asked = asked_about(grammar.check(_schema(grammar, data)))
        facts |= {"attributes": list(asked.attributes), "links": list(asked.links)}
    return facts


def _kinds(pairs: Sequence[str]) -> dict[str, str]:
    kinds = {}
    for pair in pairs:
        # A name may have =, and so may the values of an order.
        name, equals, kind = pair.partition("=") if "<" in pair else pair.rpartition("=")
        if not (name and equals and kind):
            raise UsageError(f"--type takes NAME=KIND, as in --type zip=nominal; got {pair!r}")
        kinds[name] = kind
    return kinds
