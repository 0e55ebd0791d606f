"""Write ``docs/experiments.md`` and its pictures from the committed result files.

    python benchmarks/experiments.py          # the page alone: seconds
    python benchmarks/experiments.py --all    # first run every benchmark that writes a result file
    python benchmarks/experiments.py --list   # print the benchmarks that --all runs, and how long each takes

Texts, tables and pictures come from ``experiment_sections.py``. A test checks that the page and the pictures are what
the files generate.
"""

from __future__ import annotations

import argparse
import resource
import shlex
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from experiment_plots import Picture, draw
from experiment_sections import SECTIONS, Section
from result_files import ResultTable, read_results

REPOSITORY = Path(__file__).resolve().parent.parent
PAGE = REPOSITORY / "docs" / "experiments.md"
PICTURES = REPOSITORY / "docs" / "pictures"

COMMANDS = {
    "python benchmarks/peers.py": "30 minutes",
    "python benchmarks/scaling.py": "10 minutes",
    "python benchmarks/forest_defaults.py": "3 minutes",
    "python benchmarks/bounds.py": "2 minutes",
    "python benchmarks/paper.py": "half a minute",
}
"""Benchmarks that write result files, with their processor time, the longest first."""

HEAD = """# Experiments

`python benchmarks/experiments.py` generates this page from the tables in `benchmarks/results`; with `--all` it
measures them again first. Do not edit it. The scripts are described in
[benchmarks](../benchmarks/README.md), the bounds in [bounds](bounds.md). Seconds are processor time.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--all", action="store_true", help="measure everything again first")
    parser.add_argument("--list", action="store_true", help="print the benchmarks with their processor time")
    parser.add_argument(
        "--jobs", type=int, default=2, help="number of benchmarks that --all runs at a time (default 2)"
    )
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(f"{command:<32} {takes}" for command, takes in COMMANDS.items()))
        return
    if arguments.all:
        measure_all(arguments.jobs)
    for section in SECTIONS:
        picture = picture_of(section)
        draw(picture, picture_path(picture))
    PAGE.write_text(page(), encoding="utf-8")
    print(f"{PAGE.relative_to(REPOSITORY)}: {len(SECTIONS)} sections")


def measure_all(jobs: int) -> None:
    """Run the benchmarks, several at a time; print the output of each when it is done."""
    began = time.perf_counter()
    with ThreadPoolExecutor(jobs) as threads:
        for command, output in zip(COMMANDS, threads.map(measured, COMMANDS), strict=True):
            print(f"== {command}\n{output}", flush=True)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = time.perf_counter() - began
    print(f"{(used.ru_utime + used.ru_stime) / 60:.0f} minutes of processor time in {seconds / 60:.0f} minutes")


def measured(command: str) -> str:
    """Run a benchmark, and return what it prints."""
    print(f"{command} begins: about {COMMANDS[command]} of processor time", flush=True)
    run = [sys.executable, *shlex.split(command)[1:]]
    done = subprocess.run(
        run, cwd=REPOSITORY, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode:
        raise SystemExit(f"{command} failed:\n{done.stdout}")
    return done.stdout


def page() -> str:
    """Return the text of the page."""
    return "\n".join([HEAD, *("\n".join(lines_of(section)) for section in SECTIONS)])


def lines_of(section: Section) -> Iterator[str]:
    """Yield heading, text, picture and tables."""
    tables, picture = tables_of(section), picture_of(section)
    yield f"## {section.heading}\n"
    yield textwrap.fill(section.text(*tables), 120, break_long_words=False, break_on_hyphens=False) + "\n"
    yield f"![{picture.text}](pictures/{picture_path(picture).name})\n"
    for table, shown in zip(tables, section.tables(*tables), strict=True):
        file = f"[{table.name}.json](../benchmarks/results/{table.name}.json)"
        yield f"{table.title} (`{table.command}` writes {file}):\n"
        yield shown.markdown() + "\n"


def tables_of(section: Section) -> list[ResultTable]:
    return [read_results(name) for name in section.names]


def picture_of(section: Section) -> Picture:
    return section.picture(*tables_of(section))


def picture_path(picture: Picture) -> Path:
    return PICTURES / f"experiments-{picture.name}.svg"


if __name__ == "__main__":
    main()
