"""Commands that use a model: predict, show, report and explain."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from structtree.cli.common import (
    Json,
    Plain,
    check_output,
    command,
    is_printed,
    note,
    print_json,
    print_tree,
    say,
    write_text,
)
from structtree.cli.progress import live_status
from structtree.cli.reading import Reading, Where, read_with_options
from structtree.cli.scoring import MetricOption, Metrics
from structtree.errors import UsageError, did_you_mean
from structtree.files import STANDARD_STREAM
from structtree.reprs import inert, number_text

if TYPE_CHECKING:
    from structtree.lang import syntax as syn
    from structtree.models.model import Model
    from structtree.report.predictions import Predictions

__all__ = ["explain_command", "predict_command", "report_command", "show_command"]

PICTURES = ("svg", "png", "pdf", "dot")
MODEL_FORMATS = ("text", "rules", "formula", "json", *PICTURES)

WordsOption = Annotated[bool, typer.Option("--words", help="Write tests in plain English.")]
ModelFile = Annotated[str, typer.Argument(metavar="MODEL", help="Model file written by structtree fit -o.")]


@dataclass(frozen=True, slots=True)
class IgnoredOptions:
    """Options that are accepted, so that scripts can pass them to every command, but have no effect."""

    seed: Annotated[int, typer.Option("--seed", hidden=True)] = 0
    time_limit: Annotated[float, typer.Option("--time-limit", hidden=True)] = 0.0


@command
def predict_command(
    model: ModelFile,
    where: Where,
    reading: Reading,
    ignored: IgnoredOptions,
    metric: MetricOption = None,
    id: Annotated[
        str | None,
        typer.Option("--id", metavar="COLUMN", help="Column that identifies the individuals, copied as text."),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option("--keep", metavar="COLUMNS", help="Columns to copy from the data: a,b,c* or all."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="OUT.csv", help="Output file; standard output by default."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write predictions as CSV: the row of each individual, the prediction, and the probabilities.

    Rows are numbered from 0 as in the data. Individuals that are skipped (--skip-bad) have an error message in place
    of a prediction. If the data contains the target, scores are printed on stderr, next to those of a constant
    prediction.

    Example: structtree predict trains.json trains

    Example: structtree predict houses.json new-houses.csv --id address --keep "street,built*" -o prices.csv
    """
    from structtree.models.files.models import load_model
    from structtree.report.predictions import predictions

    check_output(out)
    metrics, loaded = Metrics.parse(metric), load_model(model)
    metrics.check(loaded.task)
    found = predictions(loaded, read_with_options(where, reading, id=id, model=loaded), _listed(keep or []))
    text = _as_json(found) if as_json else found.to_csv()
    if write_text(text, out):
        note(f"wrote {len(found.said):,} predictions to {out}")
    if found.unusual:
        row, why = next(iter(found.unusual.items()))
        many = number_text(len(found.unusual), "individual")
        note(f"note: {many} unlike any in training, so the predictions are uncertain; such as row {row}: {why}")
    scores = found.evaluate(metrics.names)
    if scores is not None:
        for line in metrics.lines(str(found.target), {number_text(scores.n, "individual"): scores}):
            note(line)
    elif metric is not None:
        note(f"note: no scores, since the data has no {found.target}")


def _listed(names: list[str]) -> list[str]:
    """Split comma-separated names."""
    return [name.strip() for text in names for name in text.split(",") if name.strip()]


def _as_json(found: Predictions) -> str:
    """Return predictions as a JSON list with one object per line."""
    lines = ",\n".join(json.dumps(record, ensure_ascii=False) for record in found.to_dicts())
    return f"[\n{lines}\n]\n"


@command
def show_command(
    model: ModelFile,
    ignored: IgnoredOptions,
    format: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="|".join(MODEL_FORMATS),
            help="Tree, rules, formulas, JSON, or a picture.",
        ),
    ] = "text",
    max_depth: Annotated[
        int | None, typer.Option("--max-depth", help="For text and pictures: maximum depth to show.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE", help="For pictures: output file.")
    ] = None,
    words: WordsOption = False,
    plain: Plain = False,
    as_json: Json = False,
) -> None:
    """Print a model as a tree, rules, one formula per class, or JSON; or draw it.

    Example: structtree show trains.json --format rules

    Example: structtree show trains.json --words -o trains.svg
    """
    from structtree.models.files.models import load_model, model_to_json

    if out is not None and format == "text" and out.suffix[1:] in PICTURES:
        format = out.suffix[1:]

    if format not in MODEL_FORMATS:
        raise UsageError(f"unknown format {format!r}{did_you_mean(format, MODEL_FORMATS)}")
    if max_depth is not None and (as_json or format not in ("text", *PICTURES)):
        raise UsageError(f"--max-depth is for text and pictures of a tree, not for {'json' if as_json else format}")
    if plain and (as_json or format != "text"):
        raise UsageError(f"--plain is for the text of a tree, not for {'json' if as_json else format}")
    if format in PICTURES:
        if as_json:
            raise UsageError(f"--json and --format {format} are mutually exclusive")
        _show_picture(load_model(model), format, out, max_depth, words)
        return
    if out is not None:
        raise UsageError(f"-o is for pictures ({', '.join(PICTURES)}); other formats are printed")
    if words and (format == "json" or (as_json and format == "text")):
        raise UsageError("--words does not apply to JSON")
    loaded = load_model(model)
    match format:
        case "rules":
            _show_rules(loaded, as_json, words)
        case "formula":
            _show_formula(loaded, as_json, words)
        case _ if as_json or format == "json":
            print_json(model_to_json(loaded))
        case _:
            _show_text(loaded, max_depth, words, plain)


def _show_picture(model: Model, format: str, out: Path | None, max_depth: int | None, words: bool) -> None:
    from structtree.report.pictures.trees import plot_tree

    if out is None and format in ("png", "pdf"):
        raise UsageError(f"set the output file with -o FILE for the {format.upper()} format; -o - is standard output")
    check_output(out)
    picture = plot_tree(model, max_depth=max_depth, words=words, title=model.target or "")
    picture.write(out or Path(STANDARD_STREAM), format)
    if out is not None and not is_printed(out):
        note(f"wrote {out}{f' ({picture.note})' if picture.note else ''}")
    if picture.note and max_depth is None:
        note(f"for the whole tree: --max-depth {model.tree.depth}")


def _show_text(model: Model, max_depth: int | None, words: bool, plain: bool) -> None:
    from structtree.evaluation.held_out import baseline_warning, score_summary
    from structtree.evaluation.score import class_name
    from structtree.models.ensemble import EnsemblePredictor
    from structtree.report.english import singular, with_article
    from structtree.report.forests import forest_lines
    from structtree.report.rules import has_rules

    classes = model.classes
    of = f" ({', '.join(inert(class_name(label)) for label in classes)})" if 0 < len(classes) <= 10 else ""
    say(f"{model.target or 'the target'}{of} of {with_article(singular(model.schema.individual))}")
    is_ensemble = isinstance(model.predictor, EnsemblePredictor)
    if (is_ensemble or has_rules(model)) and max_depth is not None:
        kind = "has many trees" if is_ensemble else "has rules"
        raise UsageError(f"--max-depth is for the text of a tree; this model {kind}")
    if has_rules(model):
        say(f"{number_text(model.predictor.tests, 'rule')} and a default, measure {model.settings.criterion}")
    elif not is_ensemble:
        tree = model.tree
        say(f"{len(tree.leaves)} leaves, depth {tree.depth}, criterion {model.settings.criterion or '?'}")
    if scores := score_summary(model):
        say(f"Scores: {inert(scores)}")
    if warning := baseline_warning(model):
        say(f"Warning: {inert(warning)}")
    if model.grammar.origin:
        say(f"Grammar: {model.grammar.origin}")
    if is_ensemble:
        say("\n".join(forest_lines(model, words=words)))
        return
    say()
    print_tree(model, max_depth=max_depth, words=words, plain=plain)


def _show_rules(model: Model, as_json: bool, words: bool) -> None:
    from structtree.models.rule_set import RuleSetPredictor
    from structtree.models.rules import to_rules
    from structtree.report.rules import rule_facts, rules_of

    is_set = isinstance(model.predictor, RuleSetPredictor)
    rules = rules_of(model) if is_set else to_rules(model.tree, decision=model.decision)
    formatted = _formatter(model, words)
    if not as_json:
        say("\n".join(rule.saying(formatted(rule.conditions)) for rule in rules))
        return
    print_json(rule_facts(rules, formatted))


def _formatter(model: Model, words: bool) -> Callable[[syn.Predicate], str]:
    """Return a function that formats predicates, in the grammar language or in English."""
    from structtree.lang.pretty import pretty
    from structtree.report.words import in_words

    return partial(in_words, schema=model.schema) if words else pretty


def _show_formula(model: Model, as_json: bool, words: bool) -> None:
    from structtree.evaluation.score import class_name
    from structtree.models.rules import to_formula

    formatted = _formatter(model, words)
    formulas = {inert(class_name(k)): formatted(found) for k, found in to_formula(model.tree, model.decision).items()}
    if as_json:
        print_json(formulas)
    else:
        say("\n".join(f"{name}: {formula}" for name, formula in formulas.items()))


@command
def report_command(
    model: ModelFile,
    reading: Reading,
    ignored: IgnoredOptions,
    where: Annotated[
        str | None,
        typer.Argument(metavar="[DATA]", help="Data to report on, as for fit.", show_default=False),
    ] = None,
    data: Annotated[
        str | None, typer.Option("--data", metavar="DATA", help="Alternative to the argument DATA.")
    ] = None,
    out: Annotated[
        Path, typer.Option("-o", "--out", metavar="FILE.html", help="Output file, or - for standard output.")
    ] = Path("report.html"),
    title: Annotated[str, typer.Option("--title", help="Title of the report.")] = "",
    effort: Annotated[
        float | None,
        typer.Option(
            "--effort",
            metavar="SECONDS",
            help="Compare the search with and without pruning, with this time limit for each criterion.",
        ),
    ] = None,
) -> None:
    """Write an interactive report of a model and data as one self-contained HTML file.

    It shows the tree, typical and misclassified individuals with the evidence for each test, rules, scores,
    importances, the grammar and the data. Scores require the target in the data. For a forest, it shows scores,
    importances with examples, calibration, the score by the number of trees, and one representative tree.

    Example: structtree report trains.json trains -o trains.html
    """
    from structtree.models.files.models import load_model
    from structtree.report.html.page import html_report
    from structtree.report.predictions import truth, whole

    if (where is None) == (data is None):
        raise UsageError("pass the data once: structtree report MODEL DATA, or --data DATA")
    check_output(out)
    loaded, source = load_model(model), where or data or ""
    with live_status("reading"):
        population = whole(read_with_options(source, reading, model=loaded))
        written = html_report(loaded, population, truth(population, loaded.target), title=title, effort=effort)
    written.save(out)
    if not is_printed(out):
        note(f"wrote {out} ({len(written.html.encode()) / 1e6:.2f} MB)")


@command
def explain_command(
    model: ModelFile,
    where: Where,
    reading: Reading,
    ignored: IgnoredOptions,
    row: Annotated[
        int | None,
        typer.Option("--row", metavar="K", help="Row of the individual in the data, counted from 0.  [default: 0]"),
    ] = None,
    id: Annotated[
        str | None, typer.Option("--id", metavar="VALUE", help="SMILES, name or identifier of the individual.")
    ] = None,
    id_column: Annotated[
        str | None,
        typer.Option("--id-column", metavar="COLUMN", help="With --id: column that contains VALUE."),
    ] = None,
    words: WordsOption = False,
    picture: Annotated[
        Path | None,
        typer.Option(
            "--picture",
            metavar="FILE",
            help="Draw the individual with the evidence for each test, in plain English: .svg, .png or .pdf.",
        ),
    ] = None,
    path_picture: Annotated[
        Path | None,
        typer.Option(
            "--path-picture",
            metavar="FILE",
            help="Draw the path of the individual in the tree: .svg, .png, .pdf or .dot.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Explain the prediction for one individual: each test on its path, and the rows that decided it.

    In a forest, the tests that move the prediction most take the place of the path.

    Example: structtree explain trains.json trains --row 3

    Example: structtree explain toxic.json molecules.csv --id CCO --picture ethanol.svg
    """
    from structtree.models.files.models import load_model
    from structtree.report.explain import explain
    from structtree.report.pictures.explanations import plot_explanation
    from structtree.report.pictures.rendering import check_dag_picture, check_picture
    from structtree.report.pictures.trees import plot_tree
    from structtree.report.predictions import find_individual, truth, whole

    if row is not None and id is not None:
        raise UsageError("--row and --id are mutually exclusive")
    if id_column is not None and id is None:
        raise UsageError("--id-column requires --id VALUE")
    if picture is not None:
        check_picture(picture)
    if path_picture is not None:
        check_dag_picture(path_picture)
    loaded = load_model(model)
    data = read_with_options(where, reading, id=id_column, model=loaded)
    place = find_individual(data, row or 0) if id is None else find_individual(data, id=id, column=id_column)
    population = whole(data)
    shown = explain(loaded, population, place, words=words)
    found = replace(shown, individual=int(data.rows[place]))
    actual: Any = truth(population, loaded.target)
    known = actual[place] if actual is not None else None
    title = f"{found.type} {found.individual}"
    if picture is not None:
        plot_explanation(loaded, population, place, title=title, actual=known).save(picture)
        note(f"wrote {picture}")
    if path_picture is not None:
        plot_tree(loaded, population, individual=place, words=words, title=title).save(path_picture)
        note(f"wrote {path_picture}")
    if as_json:
        print_json(found.to_dict() | ({} if actual is None else {"actual": known}))
        return
    say(str(found))
    if known is not None:
        say(f"  (true label: {inert(str(known))})")
