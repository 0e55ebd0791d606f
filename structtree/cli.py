"""The command line: flags in, one library call, words out.

Everything heavy is imported inside the command that needs it, so that ``--help`` answers at once.
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, ParamSpec, TypeVar

import typer

from structtree import __version__
from structtree.errors import StructtreeError, UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from structtree.data.opening import Opened
    from structtree.lang.grammar import Grammar
    from structtree.report.effort import Effort
    from structtree.search.best_split import SearchStats
    from structtree.space.space import Space

__all__ = ["app", "main"]

_DEBUG = ContextVar("debug", default=False)
P = ParamSpec("P")
R = TypeVar("R")

app = typer.Typer(
    help="Decision and regression trees over structured data. Begin with: structtree demo",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
data_app = typer.Typer(help="Look at data, and convert it.", no_args_is_help=True)
grammar_app = typer.Typer(help="Check, show, count, derive and draw grammars.", no_args_is_help=True)
app.add_typer(data_app, name="data")
app.add_typer(grammar_app, name="grammar")

Where = Annotated[str, typer.Argument(metavar="DATA", help="A data set's name, a file, or a folder.")]
GrammarArg = Annotated[str, typer.Argument(metavar="GRAMMAR", help="A grammar's name, or a file.")]
DataOption = Annotated[str | None, typer.Option("--data", metavar="DATA", help="Data to take types and values from.")]
Format = Annotated[str | None, typer.Option("--format", help="The format, when the file's ending does not tell.")]
Types = Annotated[
    list[str] | None, typer.Option("--type", help="The kind of a member, as in zip=nominal; may be repeated.")
]
Target = Annotated[str | None, typer.Option("--target", help="The attribute that is the target.")]
Individual = Annotated[str | None, typer.Option("--individual", help="What to call the type of the individuals.")]
Group = Annotated[
    str | None, typer.Option("--group", help="Rows of a table with the same value here are one individual.")
]
LinkName = Annotated[str | None, typer.Option("--link", help="With --group: what to call the rows of an individual.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


def main() -> None:
    """Run the command line."""
    app(prog_name="structtree")


def _reporting(command: Callable[P, R]) -> Callable[P, R]:
    """Print errors as one sentence and set the exit code; a traceback only with --debug."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except StructtreeError as error:
            if _DEBUG.get():
                raise
            _fail(str(error), error.exit_code)
        except (KeyboardInterrupt, BrokenPipeError):
            _fail("stopped", 130)
        except MemoryError:
            _fail("this needs more memory than there is", 1)

    return run


def _fail(sentence: str, code: int) -> NoReturn:
    typer.echo(f"error: {sentence}", err=True)
    raise typer.Exit(code)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"structtree {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Decision and regression trees over structured data.

    Begin with: **structtree demo**
    """
    _DEBUG.set(debug)


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False))


def _print_table(title: str, heads: list[str], rows: list[list[str]]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=None, header_style="bold", pad_edge=False)
    for i, head in enumerate(heads):
        table.add_column(head, overflow="fold", no_wrap=i == 0)
    for row in rows:
        table.add_row(*row)
    width = None if sys.stdout.isatty() else 110
    Console(width=width, highlight=False, markup=False).print(table)


def _kinds(pairs: list[str] | None) -> dict[str, str]:
    kinds = {}
    for pair in pairs or []:
        name, equals, kind = pair.partition("=")
        if not (name and equals and kind):
            raise UsageError(f"--type takes NAME=KIND, as in --type zip=nominal; got {pair!r}")
        kinds[name] = kind
    return kinds


# ---- data -----------------------------------------------------------------------------------------------


@app.command("datasets")
@_reporting
def datasets(as_json: Json = False) -> None:
    """List the data sets that have a name.

    Example: structtree datasets
    """
    from structtree.data.catalog import dataset_catalog

    entries = dataset_catalog()
    if as_json:
        keys = ("name", "kind", "task", "target", "grammar", "summary", "source")
        _print_json([{key: getattr(entry, key) for key in keys} for entry in entries])
        return
    rows = [[entry.name, entry.target, entry.grammar or "-", entry.summary] for entry in entries]
    _print_table("", ["name", "target", "grammar", "what it is"], rows)
    typer.echo("\nLook at one with: structtree data info trains")


@data_app.command("info")
@_reporting
def data_info(
    where: Where,
    target: Target = None,
    format: Format = None,
    types: Types = None,
    individual: Individual = None,
    group: Group = None,
    link: LinkName = None,
    as_json: Json = False,
) -> None:
    """Say what is in the data: its types, attributes, links and target.

    Example: structtree data info trains
    """
    from structtree.data.opening import open_data
    from structtree.report.info import describe

    found = open_data(
        where,
        target=target,
        format=format,
        types=_kinds(types),
        individual=individual,
        group=group,
        link=link,
    )
    info = describe(found)
    if as_json:
        _print_json(info)
    else:
        _print_info(info)


def _print_info(info: Mapping[str, Any]) -> None:
    typer.echo(f"{info['name']}: {info['individuals']:,} individuals of type {info['individual']}")
    if info["description"]:
        typer.echo(info["description"])
    if info["source"]:
        typer.echo(f"Source: {info['source']}")
    if info["target"]:
        typer.echo(f"Target: {info['target']['name']} ({info['target']['summary']})")
    for name, table in info["types"].items():
        typer.echo("")
        rows = [[m["name"], m["kind"], m["missing"], m["values"]] for m in table["members"]]
        _print_table(f"{name}, {table['rows']:,} rows", ["member", "kind", "missing", "values"], rows)


@data_app.command("convert")
@_reporting
def data_convert(
    where: Where,
    out: Annotated[Path, typer.Argument(metavar="OUT.jsonl", help="The file to write.")],
    format: Format = None,
    types: Types = None,
    individual: Individual = None,
    group: Group = None,
    link: LinkName = None,
    as_json: Json = False,
) -> None:
    """Write data as JSON Lines, with its schema on the first line.

    Example: structtree data convert zoo.csv zoo.jsonl --type legs=nominal

    A table of instances becomes sets of them:
    structtree data convert musk.csv musk.jsonl --group molecule --link conformations
    """
    from structtree.data.opening import open_data
    from structtree.data.records import write_jsonl

    found = open_data(where, format=format, types=_kinds(types), individual=individual, group=group, link=link)
    whole = found.population
    if found.target is not None and found.target_name is not None:
        whole = whole.with_target(found.target_name, found.target)
    if not out.name.endswith((".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")):
        raise UsageError(f"data is written as JSON Lines: the name must end in .jsonl or .jsonl.gz, got {out.name!r}")
    write_jsonl(whole, out)
    rows = sum(table.n_rows for table in whole.tables.values())
    if as_json:
        _print_json({"file": str(out), "individuals": len(whole), "rows": rows})
    else:
        typer.echo(f"wrote {len(whole):,} individuals ({rows:,} rows) to {out}")


# ---- grammars -------------------------------------------------------------------------------------------


def _space(
    grammar: str,
    data: str | None,
    format: str | None,
    types: list[str] | None,
    group: str | None,
    link: str | None,
) -> tuple[Grammar, Opened | None, Space]:
    from structtree.data.opening import open_data
    from structtree.lang.grammar import Grammar
    from structtree.space.space import Space

    found = Grammar.load(grammar)
    opened = None
    if data is not None:
        opened = open_data(data, format=format, types=_kinds(types), group=group, link=link)
    return found, opened, Space.build(found, opened.population if opened else None)


@grammar_app.command("check")
@_reporting
def grammar_check(
    grammar: GrammarArg,
    data: DataOption = None,
    format: Format = None,
    types: Types = None,
    group: Group = None,
    link: LinkName = None,
    as_json: Json = False,
) -> None:
    """Check a grammar: names, types, and that every rewrite specialises; with --data also against the data.

    Example: structtree grammar check trains --data trains
    """
    from structtree.lang.grammar import Grammar

    if data is None:
        found = Grammar.load(grammar)
        checked = found.check()
    else:
        found, _, space = _space(grammar, data, format, types, group, link)
        checked = space.grammar
    n = sum(map(len, checked.rewrites.values()))
    if as_json:
        _print_json({"grammar": found.name, "ok": True, "rewrites": n, "warnings": list(checked.warnings)})
        return
    for warning in checked.warnings:
        typer.echo(f"warning: {warning}", err=True)
    open_questions = sum(not r.settled for rs in checked.rewrites.values() for r in rs)
    note = f"; {open_questions} rewrites need data to be settled (--data)" if open_questions and data is None else ""
    typer.echo(f"{found.name or grammar}: fine, {n} rewrites of {checked.individual} and what it leads to{note}")


@grammar_app.command("show")
@_reporting
def grammar_show(grammar: GrammarArg, data: DataOption = None, as_json: Json = False) -> None:
    """Print a grammar in its canonical form, without comments; with --data check it on the data first.

    Example: structtree grammar show trains
    """
    from structtree.lang.grammar import Grammar

    found = Grammar.load(grammar)
    if data is not None:
        _space(grammar, data, None, None, None, None)
    if as_json:
        _print_json({"name": found.name, "doc": found.doc, "text": str(found)})
    else:
        typer.echo(str(found).rstrip("\n"))


@grammar_app.command("count")
@_reporting
def grammar_count(
    grammar: GrammarArg,
    data: DataOption = None,
    format: Format = None,
    types: Types = None,
    group: Group = None,
    link: LinkName = None,
    as_json: Json = False,
) -> None:
    """Count the predicates of the space exactly, without enumerating them.

    Example: structtree grammar count multi-instance --data bags
    """
    from structtree.space.count import count_space

    found, _, space = _space(grammar, data, format, types, group, link)
    size = count_space(space)
    if as_json:
        _print_json({"grammar": found.name, "data": data, "size": size.size, "enumerated": size.enumerated})
        return
    typer.echo(f"{size.size:,}")
    if size.enumerated:
        typer.echo(f"(by enumeration, since {size.enumerated})", err=True)


@grammar_app.command("derive")
@_reporting
def grammar_derive(
    what: Annotated[
        str | None,
        typer.Argument(metavar="[DATA]", help="The data; or, with --data, a name for the grammar."),
    ] = None,
    data: DataOption = None,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="The file to write; else print.")] = None,
    format: Format = None,
    types: Types = None,
    target: Target = None,
    group: Group = None,
    link: LinkName = None,
    as_json: Json = False,
) -> None:
    """Write the default grammar for data, to begin with and to edit.

    Example: structtree grammar derive trains -o my.grammar
    """
    from structtree.data.opening import open_data
    from structtree.files import replacing
    from structtree.lang.derive import derive_grammar

    where = data or what
    if where is None:
        raise UsageError("name the data to derive a grammar for, as in: structtree grammar derive trains")
    opened = open_data(where, target=target, format=format, types=_kinds(types), group=group, link=link)
    text = derive_grammar(opened.population.schema, name=what if data else None)
    if out is not None:
        with replacing(out) as draft:
            draft.write_text(text, encoding="utf-8")
    if as_json:
        _print_json({"data": where, "text": text, "file": str(out) if out else None})
    elif out is None:
        typer.echo(text.rstrip("\n"))
    else:
        typer.echo(f"wrote {out}; check it with: structtree grammar check {out} --data {where}")


@grammar_app.command("draw")
@_reporting
def grammar_draw(
    grammar: GrammarArg,
    data: DataOption = None,
    out: Annotated[Path, typer.Option("-o", "--out", help="The picture: .svg, .png, .pdf or .dot.")] = Path(
        "space.svg"
    ),
    depth: Annotated[int, typer.Option(min=1, help="How many rewrites deep.")] = 2,
    width: Annotated[int, typer.Option(min=1, help="The most refinements shown of a predicate.")] = 6,
    format: Format = None,
    types: Types = None,
    group: Group = None,
    link: LinkName = None,
    as_json: Json = False,
) -> None:
    """Draw the DAG of predicates to a depth.

    Example: structtree grammar draw trains --data trains --depth 2 -o trains.svg
    """
    from structtree.report.dag import dag_of
    from structtree.report.draw import draw_dag

    found, opened, space = _space(grammar, data, format, types, group, link)
    dag = dag_of(space, depth, width)
    on = f" on {opened.name}" if opened else ""
    draw_dag(dag, out, title=f"grammar {found.name or grammar}{on}, {depth} rewrites deep")
    if as_json:
        _print_json({"file": str(out), "nodes": len(dag.nodes), "edges": len(dag.edges)})
    else:
        typer.echo(f"drew {len(dag.nodes)} nodes and {len(dag.edges)} edges to {out}")


# ---- effort ---------------------------------------------------------------------------------------------


@app.command("effort")
@_reporting
def effort(
    where: Where,
    grammar: Annotated[
        str | None,
        typer.Option(
            "--grammar", metavar="GRAMMAR", help="A grammar's name, or a file; else the data's own, or a default."
        ),
    ] = None,
    criteria: Annotated[
        list[str] | None,
        typer.Option("--criterion", metavar="NAMES", help="As in acc*,entropy; may be repeated; else all that fit."),
    ] = None,
    target: Target = None,
    format: Format = None,
    types: Types = None,
    individual: Individual = None,
    group: Group = None,
    link: LinkName = None,
    time_limit: Annotated[
        float, typer.Option("--time-limit", help="The most seconds for a search with pruning.")
    ] = 60.0,
    exhaustive_limit: Annotated[
        float,
        typer.Option(
            "--exhaustive-limit", help="The seconds per criterion to measure without pruning; else estimate."
        ),
    ] = 10.0,
    min_samples_leaf: Annotated[
        int, typer.Option("--min-samples-leaf", help="The least number of individuals on either side.")
    ] = 1,
    whole_tree: Annotated[bool, typer.Option("--whole-tree", help="Sum over all nodes of a tree.")] = False,
    max_depth: Annotated[
        int | None, typer.Option("--max-depth", help="With --whole-tree: how many splits deep.")
    ] = None,
    why_not: Annotated[
        str | None, typer.Option("--why-not", metavar="PREDICATE", help="Say why this predicate did not win.")
    ] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Draw it: .png, .svg or .pdf.")] = None,
    as_json: Json = False,
) -> None:
    """Compare what the search for the best split costs with and without pruning, by each criterion.

    Example: structtree effort trains --criterion acc*,entropy --why-not "exists cars (long)"
    """
    from structtree.report.draw import check_picture, draw_effort
    from structtree.report.effort import compare_effort

    if plot is not None:
        check_picture(plot)
    opened, labels = _labelled(where, target, format, types, individual, group, link)
    chosen = _grammar_for(opened, grammar, why_not)
    with _telling() as progress:
        efforts = compare_effort(
            opened.population,
            labels,
            chosen,
            [name.strip() for text in criteria or [] for name in text.split(",") if name.strip()] or None,
            time_limit=time_limit,
            exhaustive_limit=exhaustive_limit,
            min_samples_leaf=min_samples_leaf,
            whole_tree=whole_tree,
            max_depth=max_depth,
            watch=plot is not None,
            progress=progress,
        )
    answers = {} if why_not is None else _answers(efforts, why_not)
    if plot is not None:
        tree = ", whole tree" if whole_tree else ""
        draw_effort(efforts, plot, f"What pruning saves on {opened.name}, grammar {chosen.name or 'derived'}{tree}")
    if as_json:
        _print_json([effort.to_dict() | answers.get(effort.criterion, {}) for effort in efforts])
    else:
        _print_efforts(efforts, answers, plot)


def _labelled(
    where: str,
    target: str | None,
    format: str | None,
    types: list[str] | None,
    individual: str | None,
    group: str | None,
    link: str | None,
) -> tuple[Opened, NDArray[Any]]:
    """The data with its labels, which a search cannot do without."""
    from structtree.data.opening import open_data

    opened = open_data(
        where, target=target, format=format, types=_kinds(types), individual=individual, group=group, link=link
    )
    if opened.target is None:
        schema = opened.population.schema
        known = ", ".join(attribute.name for attribute in schema.type(schema.individual).attributes)
        raise UsageError(f"say with --target which attribute of {where} to predict (it has: {known or 'none'})")
    return opened, opened.target


def _grammar_for(opened: Opened, grammar: str | None, predicate: str | None) -> Grammar:
    """The grammar that was named, or the data's own, or the default; a predicate to ask about must be readable."""
    from structtree.lang.grammar import Grammar
    from structtree.lang.parse import parse_predicate

    if predicate is not None:
        parse_predicate(predicate)
    name = grammar or opened.grammar
    return Grammar.load(name) if name else Grammar.from_schema(opened.population.schema)


@contextmanager
def _telling() -> Iterator[Callable[[str, str, SearchStats], None] | None]:
    """A line about the search that is running, for people who wait at a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console

    with Console(stderr=True, highlight=False).status("searching") as status:

        def tell(criterion: str, doing: str, stats: SearchStats) -> None:
            status.update(f"{criterion} {doing}: {stats.evaluated:,} predicates in {stats.seconds:.0f} s")

        yield tell


def _answers(efforts: tuple[Effort, ...], predicate: str) -> dict[str, dict[str, Any]]:
    """For each criterion why the predicate did not win, as the JSON has it."""
    from structtree.search.why_not import why_not

    found = {}
    for effort in efforts:
        answer = why_not(effort.split, predicate)
        found[effort.criterion] = {"why_not": answer.to_dict()}
    return found


def _print_efforts(efforts: tuple[Effort, ...], answers: dict[str, dict[str, Any]], plot: Path | None) -> None:
    counts = ["space", "evaluated", "evaluated\nunpruned", "%", "seconds", "seconds\nunpruned"]
    heads = ["criterion", *counts, "score", "proved", "agree"]
    _print_table("", heads, [_effort_row(effort) for effort in efforts])
    if any(effort.exhaustive_estimated for effort in efforts):
        typer.echo("~ estimated from the number of predicates and the measured speed")
    unfinished = [f"{effort.criterion} by up to {effort.split.gap:.3g}" for effort in efforts if not effort.proved]
    if unfinished:
        typer.echo(f"stopped before the proof; something unseen may be better: {', '.join(unfinished)}")
    if any(effort.nodes > 1 for effort in efforts):
        nodes = ", ".join(f"{effort.criterion} {effort.nodes}" for effort in efforts)
        typer.echo(f"sums over all nodes that were split ({nodes}); score and best predicate are the root's")
    winners: dict[str, list[str]] = {}
    for effort in efforts:
        winners.setdefault(effort.predicate, []).append(effort.criterion)
    for predicate, criteria in winners.items():
        typer.echo(f"best by {', '.join(criteria)}: {predicate}")
    for criterion, answer in answers.items():
        typer.echo(f"{criterion}: {answer['why_not']['sentence']}")
    if plot is not None:
        typer.echo(f"drew {plot}")


def _effort_row(effort: Effort) -> list[str]:
    about = "~" if effort.exhaustive_estimated else ""
    words = {True: "yes", False: "no", None: "-"}
    whole, seconds = effort.evaluated_exhaustive, effort.seconds_exhaustive
    return [
        effort.criterion,
        "unknown" if effort.space is None else f"{effort.space:,}",
        f"{effort.evaluated:,}",
        "unknown" if whole is None else f"{about}{whole:,}",
        "-" if effort.percent is None else f"{effort.percent:.3g}",
        _seconds(effort.seconds),
        "-" if seconds is None else f"{about}{_seconds(seconds)}",
        f"{effort.score:.4g}",
        words[effort.proved],
        words[effort.agree],
    ]


def _seconds(seconds: float) -> str:
    return f"{seconds:,.0f}" if seconds >= 100 else f"{seconds:.2g}"


# ---- demo -----------------------------------------------------------------------------------------------


@app.command("demo")
@_reporting
def demo() -> None:
    """Show what structtree does, on the twenty trains.

    Example: structtree demo
    """
    from structtree.report.demo import demonstrate

    for line in demonstrate():
        typer.echo(line)


if __name__ == "__main__":
    main()
