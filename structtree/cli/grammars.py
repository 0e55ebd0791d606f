"""Commands for grammars: check, show, count, derive and draw."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from structtree.cli.common import CommandGroup, Json, check_output, command, is_printed, print_json
from structtree.cli.reading import Reading, TargetName, grammar_facts, read_with_options
from structtree.errors import UsageError
from structtree.reprs import number_text

if TYPE_CHECKING:
    from structtree.data.readers.opening import Opened
    from structtree.lang.grammar import Grammar
    from structtree.space.space import Space

__all__ = ["grammar_app"]

grammar_app = CommandGroup(help="Check, show, count, derive and draw grammars.", no_args_is_help=True)

GrammarArg = Annotated[str, typer.Argument(metavar="GRAMMAR", help="Name or file of a grammar.")]
DataOption = Annotated[
    str | None, typer.Option("--data", metavar="DATA", help="Data that provides the types and values.")
]


def _space(
    grammar: str, data: str | None, reading: Reading, target: str | None
) -> tuple[Grammar, Opened | None, Space]:
    from structtree.lang.grammar import Grammar
    from structtree.session.reading import grammar_for
    from structtree.space.space import Space

    if data is None:
        if target is not None or reading.given:
            raise UsageError("--target and the options for reading data require --data")
        found = Grammar.load(grammar)
        return found, None, Space.build(found)
    named = Grammar.load(grammar)
    known = read_with_options(data, reading, target, need_target=True, grammar=named)
    found = grammar_for(known, named)
    return found, known, Space.build(found, known.population)


@grammar_app.command("check")
@command
def grammar_check(
    grammar: GrammarArg, reading: Reading, data: DataOption = None, target: TargetName = None, as_json: Json = False
) -> None:
    """Check that names and types exist and that every rewrite specialises; with --data, also against the data.

    Example: structtree grammar check trains --data trains
    """
    from structtree.lang.grammar import Grammar

    sizes: dict[str, int] = {}
    if data is None:
        found = Grammar.load(grammar)
        checked = found.check()
    else:
        found, _, space = _space(grammar, data, reading, target)
        checked, sizes = space.grammar, _link_sizes(space)
    n = sum(map(len, checked.rewrites.values()))
    if as_json:
        known = {"grammar": found.name, "ok": True, "rewrites": n, "warnings": list(checked.warnings)}
        print_json({**known, "links": sizes} if sizes else known)
        return
    for warning in checked.warnings:
        typer.echo(f"warning: {warning}", err=True)
    for remark in found.notes:
        typer.echo(f"note: {remark}", err=True)
    open_questions = sum(not r.settled for rs in checked.rewrites.values() for r in rs)
    note = f"; {open_questions} rewrites can only be checked with --data" if open_questions and data is None else ""
    typer.echo(
        f"{found.name or grammar}: valid, {number_text(n, 'rewrite')} for {checked.individual} and linked types{note}"
    )
    for name, size in sizes.items():
        typer.echo(f"  link {name}: {size:,} pairs")


def _link_sizes(space: Space) -> dict[str, int]:
    """Return the number of row pairs of each derived link, by type and name."""
    assert space.population is not None
    tables = space.population.tables
    return {
        f"{link.type}.{link.name}": len(tables[link.type].links[link.name].targets)
        for link in space.grammar.syntax.links
    }


@grammar_app.command("show")
@command
def grammar_show(
    grammar: GrammarArg, reading: Reading, data: DataOption = None, target: TargetName = None, as_json: Json = False
) -> None:
    """Print a grammar in canonical form, without comments; with --data, check it against the data first.

    Example: structtree grammar show trains
    """
    from structtree.lang.grammar import Grammar

    found = Grammar.load(grammar)
    if data is not None:
        _space(grammar, data, reading, target)
    if as_json:
        print_json({"name": found.name, "doc": found.doc, "text": str(found)})
    else:
        typer.echo(str(found).rstrip("\n"))


@grammar_app.command("count")
@command
def grammar_count(
    grammar: GrammarArg, reading: Reading, data: DataOption = None, target: TargetName = None, as_json: Json = False
) -> None:
    """Count the predicates of a grammar exactly, without enumerating them if possible.

    Example: structtree grammar count multi-instance --data bags
    """
    from structtree.space.count import count_space

    found, _, space = _space(grammar, data, reading, target)
    size = count_space(space)
    if as_json:
        print_json({"grammar": found.name, "data": data, "size": size.size, "enumerated": size.enumerated})
        return
    typer.echo(f"{size.size:,}")
    if size.enumerated:
        typer.echo(f"(by enumeration, since {size.enumerated})", err=True)


@grammar_app.command("derive")
@command
def grammar_derive(
    reading: Reading,
    what: Annotated[
        str | None,
        typer.Argument(metavar="[DATA]", help="Data; or, with --data, a name for the grammar."),
    ] = None,
    data: DataOption = None,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Output file; standard output by default.")] = None,
    target: TargetName = None,
    from_modes: Annotated[
        str | None,
        typer.Option(
            "--from-modes", metavar="FILE", help="For facts: use only tests that these Aleph or ACE modes allow."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Write the default grammar for data, which fit uses without --grammar, as a starting point to edit.

    A grammar that is included in structtree is used if it was made for the data or fits it; otherwise one is derived
    from the data. Name the target with --target to exclude it.

    With --from-modes, the grammar allows what the modes of Aleph or ACE allow, and declares the arguments of facts.

    Example: structtree grammar derive trains -o my.grammar

    Example: structtree grammar derive facts/ --from-modes modes.pl -o my.grammar
    """
    from structtree.data.readers.databases.addresses import shown_url
    from structtree.files import replacing
    from structtree.session.reading import grammar_for

    where = data or what
    if where is None:
        raise UsageError("no data given; pass it as in: structtree grammar derive trains")
    check_output(out, as_json=as_json)
    if from_modes is None:
        grammar = grammar_for(read_with_options(where, reading, target, need_target=True))
    else:
        grammar = _of_modes(
            read_with_options(where, _with_modes(reading, from_modes), target, need_target=True), where
        )
    text = _named(grammar, what) if data and what else grammar.text
    out = None if is_printed(out) else out
    if out is not None:
        with replacing(out) as draft:
            draft.write_text(text, encoding="utf-8")
    shown = shown_url(where)
    if as_json:
        print_json({"data": shown, **grammar_facts(grammar), "text": text, "file": str(out) if out else None})
    elif out is None:
        typer.echo(text.rstrip("\n"))
    else:
        typer.echo(f"wrote {out}; check it with: structtree grammar check {quote(str(out))} --data {quote(shown)}")


def _with_modes(reading: Reading, modes: str) -> Reading:
    if "modes" in reading.given:
        raise UsageError("--modes and --from-modes are mutually exclusive")
    return Reading(**reading.given, modes=modes)


def _of_modes(data: Opened, where: str) -> Grammar:
    """Return the grammar of all tests that the mode declarations of facts allow."""
    from structtree.lang.default import grammar_of_facts

    if data.provenance.facts is None:
        raise UsageError(f"--from-modes requires facts; {where} is not a source of facts")
    return grammar_of_facts(data.population, data.provenance.facts)


def _named(grammar: Grammar, name: str) -> str:
    """Return the text of a grammar, with its name replaced."""
    from structtree.lang.pretty import pretty_grammar

    header = pretty_grammar(replace(grammar.syntax, name=name)).partition("\n")[0]
    text = re.sub(r"^grammar .*\n", "", grammar.text, count=1, flags=re.MULTILINE)
    return f"{header}\n{text}"


@grammar_app.command("draw")
@command
def grammar_draw(
    grammar: GrammarArg,
    reading: Reading,
    data: DataOption = None,
    target: TargetName = None,
    out: Annotated[Path, typer.Option("-o", "--out", help="Output file: .svg, .png, .pdf or .dot.")] = Path(
        "space.svg"
    ),
    depth: Annotated[int, typer.Option(min=1, help="Depth in rewrites.")] = 2,
    width: Annotated[int, typer.Option(min=1, help="Maximum number of refinements shown for each predicate.")] = 6,
    as_json: Json = False,
) -> None:
    """Draw the graph of predicates and their refinements, down to a depth.

    Example: structtree grammar draw trains --data trains --depth 2 -o trains.svg
    """
    from structtree.report.pictures.rendering import check_dag_picture
    from structtree.report.pictures.space_graph import dag_of, draw_dag

    check_dag_picture(out)
    found, known, space = _space(grammar, data, reading, target)
    dag = dag_of(space, depth, width)
    on = f" on {known.name}" if known else ""
    draw_dag(dag, out, title=f"grammar {found.name or grammar}{on}, {depth} rewrites deep")
    if as_json:
        print_json({"file": str(out), "nodes": len(dag.nodes), "edges": len(dag.edges)})
    else:
        typer.echo(f"drew {len(dag.nodes)} nodes and {len(dag.edges)} edges to {out}")
