"""Result files of benchmarks: tables as JSON in ``results/``, from which pages are generated.

A file ``results/<name>.json`` is one table:

    {"name": "bounds_depth", "title": "...", "command": "python benchmarks/bounds.py depth", "version": "0.1.0",
     "columns": ["depth", "criterion", "evaluated"], "rows": [[1, "acc*", 29], ...]}

Cells are strings, numbers, booleans or null. The command writes the file again. Columns whose names end in
``seconds`` are processor times, and the only cells that may differ then.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from structtree import __version__

__all__ = ["RESULTS", "Cell", "ResultTable", "read_results", "run_benchmarks", "write_results"]

RESULTS = Path(__file__).resolve().parent / "results"

Cell = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class ResultTable:
    """A table of measurements, with the command that made it."""

    name: str
    title: str
    command: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    version: str = __version__

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"{self.name}: expected {len(self.columns)} cells in each row; got {row}")

    def markdown(self) -> str:
        """The rows as a table in Markdown; numbers are aligned to the right."""
        is_number = [all(type(row[i]) in (int, float) for row in self.rows) for i in range(len(self.columns))]
        rule = ["---:" if number else "---" for number in is_number]
        return "\n".join(f"| {' | '.join(cells)} |" for cells in (self.columns, rule, *map(_texts, self.rows)))


def _texts(row: Sequence[Cell]) -> list[str]:
    return [_text(cell) for cell in row]


def _text(cell: Cell) -> str:
    match cell:
        case None:
            return ""
        case bool():
            return "yes" if cell else "no"
        case int():
            return f"{cell:,}"
        case float():
            return f"{cell:.3g}" if abs(cell) < 1000 else f"{cell:,.0f}"
        case _:
            return cell


def write_results(table: ResultTable, folder: Path = RESULTS) -> None:
    """Write a table to its file, one row per line."""
    about = asdict(table)
    del about["rows"]
    head = json.dumps(about, ensure_ascii=False, indent=1).removesuffix("\n}")
    body = ",\n".join(f"  {json.dumps(row, ensure_ascii=False)}" for row in table.rows)
    (folder / f"{table.name}.json").write_text(f'{head},\n "rows": [\n{body}\n ]\n}}\n', encoding="utf-8")


def read_results(name: str, folder: Path = RESULTS) -> ResultTable:
    """Read the table of a file."""
    found = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return ResultTable(**found | {"columns": tuple(found["columns"]), "rows": tuple(map(tuple, found["rows"]))})


def run_benchmarks(doc: str | None, benchmarks: Mapping[str, Callable[[], ResultTable | None]]) -> None:
    """Run the benchmarks named on the command line, all by default; print their tables and write them."""
    parser = argparse.ArgumentParser(description=(doc or "").split("\n", 1)[0])
    parser.add_argument("only", nargs="*", metavar="benchmark", help=f"which: {', '.join(benchmarks)}; default all")
    parser.add_argument("--dry", action="store_true", help="print the tables, write nothing")
    arguments = parser.parse_args()
    for name in arguments.only or benchmarks:
        if name not in benchmarks:
            parser.error(f"unknown benchmark {name!r} (known: {', '.join(benchmarks)})")
        table = benchmarks[name]()
        if table is not None:
            print(f"{table.title}\n\n{table.markdown()}\n", flush=True)
            if not arguments.dry:
                write_results(table)
