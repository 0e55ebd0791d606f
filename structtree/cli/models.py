"""Commands that use a model: predict, show and explain."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from structtree.cli.common import Json, check_writable, note, print_json, reporting, with_options
from structtree.cli.reading import Reading, Where, as_learned, read_as_said
from structtree.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from structtree.learn.model import Model
    from structtree.report.predictions import Predictions

__all__ = ["explain", "predict", "show"]

FORMATS = ("text", "rules", "formula", "json")

ModelFile = Annotated[str, typer.Argument(metavar="MODEL", help="A model file, as structtree fit -o writes it.")]


@dataclass(frozen=True, slots=True)
class Idle:
    """Taken so that a script can give the same options to all commands about trees; here they change nothing."""

    seed: Annotated[int, typer.Option("--seed", hidden=True)] = 0
    time_limit: Annotated[float, typer.Option("--time-limit", hidden=True)] = 0.0


@reporting
@with_options
def predict(
    model: ModelFile,
    where: Where,
    reading: Reading,
    idle: Idle,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="OUT.csv", help="The file to write; else print.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Say what a model predicts of each individual, as CSV: its row, the prediction, and the probabilities.

    If the data has the target, the score is told on stderr.

    Example: structtree predict trains.json trains

    Example: structtree predict houses.json new-houses.csv -o prices.csv
    """
    from structtree.files import replacing
    from structtree.learn.model import load_model
    from structtree.report.predictions import predictions

    check_writable(out)
    loaded = load_model(model)
    found = predictions(loaded, read_as_said(where, as_learned(where, reading, loaded.params.get("reading"))))
    text = _as_json(found) if as_json else found.to_csv()
    if out is None:
        typer.echo(text, nl=False)
    else:
        with replacing(out) as draft:
            draft.write_text(text, encoding="utf-8")
        note(f"wrote {len(found.said):,} predictions to {out}")
    if found.score is not None:
        note(f"{found.target}: {found.score}")


def _as_json(found: Predictions) -> str:
    """A list with an object a line."""
    lines = ",\n".join(json.dumps(record, ensure_ascii=False) for record in found.to_dicts())
    return f"[\n{lines}\n]\n"


@reporting
@with_options
def show(
    model: ModelFile,
    idle: Idle,
    format: Annotated[
        str, typer.Option("--format", metavar="|".join(FORMATS), help="As a tree, rules, or formulas.")
    ] = "text",
    max_depth: Annotated[
        int | None, typer.Option("--max-depth", help="Of the text: sum up what lies deeper.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Print a model: as a tree, as rules, as one formula for each class, or as JSON.

    Example: structtree show trains.json --format rules
    """
    from structtree.learn.model import load_model

    if format not in FORMATS:
        raise UsageError(f"unknown format {format!r} of a model{did_you_mean(format, FORMATS)}")
    loaded = load_model(model)
    match format:
        case "rules":
            _show_rules(loaded, as_json)
        case "formula":
            _show_formula(loaded, as_json)
        case _ if as_json or format == "json":
            _show_json(loaded)
        case _:
            _show_text(loaded, max_depth)


def _show_json(model: Model) -> None:
    from structtree.learn.model import model_to_json

    print_json(model_to_json(model))


def _show_text(model: Model, max_depth: int | None) -> None:
    from structtree.learn.score import class_name
    from structtree.report.text import export_text

    tree = model.tree
    of = f" ({', '.join(map(class_name, tree.classes))})" if 0 < len(tree.classes) <= 10 else ""
    typer.echo(f"{model.target or 'the target'}{of} of a {tree.schema.individual}")
    typer.echo(f"{len(tree.leaves)} leaves, depth {tree.depth}, by {model.params.get('criterion', '?')}")
    if "grammar_origin" in model.params:
        typer.echo(f"Grammar: {model.params['grammar_origin']}")
    typer.echo()
    typer.echo(export_text(tree, model.decision, max_depth=max_depth))


def _show_rules(model: Model, as_json: bool) -> None:
    from structtree.lang.pretty import pretty
    from structtree.learn.rules import to_rules

    rules = to_rules(model.tree, decision=model.decision)
    if not as_json:
        typer.echo("\n".join(map(str, rules)))
        return
    keys = ("prediction", "n", "support", "confidence", "spread")
    print_json([{"if": pretty(rule.conditions)} | {key: getattr(rule, key) for key in keys} for rule in rules])


def _show_formula(model: Model, as_json: bool) -> None:
    from structtree.lang.pretty import pretty
    from structtree.learn.rules import to_formula
    from structtree.learn.score import class_name

    formulas = {class_name(k): pretty(found) for k, found in to_formula(model.tree, model.decision).items()}
    if as_json:
        print_json(formulas)
    else:
        typer.echo("\n".join(f"{name}: {formula}" for name, formula in formulas.items()))


@reporting
@with_options
def explain(
    model: ModelFile,
    where: Where,
    reading: Reading,
    idle: Idle,
    row: Annotated[int, typer.Option("--row", metavar="K", help="Which individual, counted from 0.")] = 0,
    as_json: Json = False,
) -> None:
    """Say why a model predicts what it predicts of one individual: every test, and what answered it.

    Example: structtree explain trains.json trains --row 3
    """
    from structtree.learn.model import load_model
    from structtree.report.explain import explain as reasons
    from structtree.report.predictions import truth, whole

    loaded = load_model(model)
    population = whole(read_as_said(where, as_learned(where, reading, loaded.params.get("reading"))))
    if not 0 <= row < len(population):
        n = len(population)
        raise UsageError(f"--row must be from 0 to {n - 1}, since there are {n} individuals; got {row}")
    found = reasons(loaded.tree, loaded.prepared(population), row, loaded.decision)
    actual: Any = truth(population, loaded.target)
    known = actual[row] if actual is not None else None
    if as_json:
        print_json(found.to_dict() | ({} if actual is None else {"actual": known}))
        return
    typer.echo(str(found))
    if known is not None:
        typer.echo(f"  (the data says {known})")
