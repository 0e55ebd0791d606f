"""What Ctrl-C leaves behind: whether there is always a tree, saved, that loads and predicts.

Run as ``python benchmarks/interrupts.py`` (200 interrupts, about 40 minutes), with ``--moments N`` for that many on
each data set, with names of data sets to run only those, or with ``--quick`` for two on each that is generated. The
moments are random, from a seed, between the beginning of learning and the end of the command. README.md tells what is
measured and what was seen.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import datafiles
import numpy as np
from datafiles import DataFile

from structtree import Population, StructtreeError, load_model, open_data

MOMENTS = 40
LIMIT = 20.0
MOST_SECONDS = 2.0
"""From the signal to the end."""

COMPILING = 60.0
"""What the first fit may take longer: compiling does not count as learning, and happens once."""

LONGEST_START = 120.0
"""What a command may take until it learns: imports and reading."""

DATA: Mapping[str, Callable[[Path], DataFile | None]] = {
    "nested": lambda folder: datafiles.customers(folder, 1000),
    "graphs": lambda folder: datafiles.graphs(folder, directed=True),
    "table": lambda folder: datafiles.table(folder, 100_000, 20),
    "molecules": lambda folder: datafiles.hiv(folder, 1000),
    "regression": lambda folder: datafiles.spending(folder, 1000),
}
QUICK = ("nested", "graphs", "table", "regression")


@dataclass(frozen=True, slots=True)
class Ending:
    """How a command ended.

    Parameters
    ----------
    moment : float
        Seconds from the beginning of learning to the signal.
    seconds : float
        From the signal to the end.
    code : int
    is_saved : bool
        Whether a model file is there.
    is_useful : bool
        Whether it loads and predicts.
    has_traceback : bool
        Whether the user saw one.
    """

    moment: float
    seconds: float
    code: int
    is_saved: bool
    is_useful: bool
    has_traceback: bool

    @property
    def is_right(self) -> bool:
        """Whether all is as it should be after Ctrl-C."""
        quick = self.seconds <= MOST_SECONDS
        return self.code == 130 and self.is_useful and quick and not self.has_traceback


def main() -> None:
    if len(sys.argv) > 2 and sys.argv[1] == "--run-marked":
        run_marked(Path(sys.argv[2]), sys.argv[3:])
        return
    arguments = parsed()
    names = arguments.only or (QUICK if arguments.quick else tuple(DATA))
    n = arguments.moments or (2 if arguments.quick else MOMENTS)
    endings: list[Ending] = []
    with tempfile.TemporaryDirectory() as folder:
        for i, data in enumerate(filter(None, (DATA[name](Path(folder)) for name in names))):
            endings += interrupted_at_random(data, n, arguments.limit, np.random.default_rng((arguments.seed, i)))
    print_summary(endings)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("only", nargs="*", metavar="data", help=f"which: {', '.join(DATA)}; default all")
    parser.add_argument("--quick", action="store_true", help="two moments on each: whether it runs")
    parser.add_argument("--moments", type=int, help=f"how many on each data set; default {MOMENTS}")
    parser.add_argument("--limit", type=float, default=LIMIT, help=f"the time limit of a fit; default {LIMIT:g}")
    parser.add_argument("--seed", type=int, default=0, help="another seed, other moments")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.only if name not in DATA]
    if unknown:
        parser.error(f"unknown data {unknown[0]!r} (known: {', '.join(DATA)})")
    return arguments


# ---- the command, with a mark where learning begins ------------------------------------------------------


def run_marked(mark: Path, arguments: Sequence[str]) -> None:
    """Run the command line in this process, and make a file when learning begins."""
    # A command that was started in the background of a shell would not hear Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    import structtree.learn.fit as learning
    from structtree.cli import main as command_line

    learn = learning.fit

    def marked(*args: object, **options: object) -> object:
        mark.touch()
        return learn(*args, **options)  # type: ignore[arg-type]  # handed on as it came

    learning.fit = marked  # type: ignore[assignment]  # the only place that sees both phases from outside
    sys.argv = ["structtree", *arguments]
    command_line()


@dataclass(frozen=True, slots=True, eq=False)
class Running:
    """A command that has begun to learn."""

    process: subprocess.Popen[bytes]
    model: Path
    output: Path
    began: float


def started(data: DataFile, limit: float, folder: Path) -> Running:
    """Start a fit, and wait until it learns."""
    mark, model, output = folder / "mark", folder / "model.json", folder / "output"
    for leftover in (mark, model):
        leftover.unlink(missing_ok=True)
    command = [sys.executable, __file__, "--run-marked", str(mark), "fit", str(data.path), *data.options]
    command += ["--time-limit", str(limit), "-o", str(model)]
    with output.open("wb") as file:
        process = subprocess.Popen(command, stdout=file, stderr=file)
    latest = time.perf_counter() + LONGEST_START
    while not mark.exists():
        if process.poll() is not None or time.perf_counter() > latest:
            process.kill()
            raise RuntimeError(f"{data.name}: the command did not begin to learn: {output.read_text()[-500:]}")
        time.sleep(0.005)
    return Running(process, model, output, time.perf_counter())


# ---- interrupting ----------------------------------------------------------------------------------------


def interrupted_at_random(data: DataFile, n: int, limit: float, rng: np.random.Generator) -> list[Ending]:
    """Interrupt fits at random moments; a fit that was done before its moment does not count and is run again."""
    population = open_data(data.path, skip_bad="--skip-bad" in data.options or None).population
    endings: list[Ending] = []
    with tempfile.TemporaryDirectory() as folder:
        span = seconds_of_learning(data, limit, Path(folder))
        print(f"\n{data.name}: {span:.1f} s from the beginning of learning to the end", flush=True)
        while len(endings) < n:
            ending = interrupted(data, limit, float(rng.uniform(0.0, span)), population, Path(folder))
            if ending is not None:
                endings.append(ending)
                print_line(ending)
    return endings


def seconds_of_learning(data: DataFile, limit: float, folder: Path) -> float:
    """What a fit takes that nobody interrupts, from the beginning of learning to the end of the command.

    The fit is stopped where it does not keep its limit: there are moments enough before.
    """
    for compiling in (COMPILING, 0.0):
        running = started(data, limit, folder)
        try:
            running.process.wait(limit + 1.0 + compiling)
        except subprocess.TimeoutExpired:
            running.process.kill()
            running.process.wait()
    return time.perf_counter() - running.began


def interrupted(data: DataFile, limit: float, moment: float, population: Population, folder: Path) -> Ending | None:
    """Interrupt one fit; None if it was done before."""
    running = started(data, limit, folder)
    time.sleep(max(0.0, moment - (time.perf_counter() - running.began)))
    if running.process.poll() is not None:
        return None
    os.kill(running.process.pid, signal.SIGINT)
    sent = time.perf_counter()
    code = running.process.wait()
    seconds = time.perf_counter() - sent
    has_traceback = "Traceback" in running.output.read_text(errors="replace")
    is_saved = running.model.exists()
    return Ending(moment, seconds, code, is_saved, is_saved and predicts(running.model, population), has_traceback)


def predicts(path: Path, population: Population) -> bool:
    try:
        return len(load_model(path).predict(population)) == len(population)
    except (StructtreeError, ValueError) as error:
        print(f"  the model is of no use: {error}")
        return False


# ---- printing --------------------------------------------------------------------------------------------


def print_line(ending: Ending) -> None:
    words = ["saved" if ending.is_saved else "nothing saved"]
    words += ["of no use"] if ending.is_saved and not ending.is_useful else []
    words += ["a traceback"] if ending.has_traceback else []
    words += ["right" if ending.is_right else "WRONG"]
    print(
        f"  after {ending.moment:6.2f} s: exit {ending.code:>4} {ending.seconds:6.2f} s later, {', '.join(words)}",
        flush=True,
    )


def print_summary(endings: Sequence[Ending]) -> None:
    print(f"\n{sum(e.is_right for e in endings)} of {len(endings)} interrupts ended as they should")
    print(f"  exit code 130: {sum(e.code == 130 for e in endings)}")
    print(f"  a model that loads and predicts: {sum(e.is_useful for e in endings)}")
    print(f"  within {MOST_SECONDS:g} s: {sum(e.seconds <= MOST_SECONDS for e in endings)}", end="")
    print(f" (longest {max((e.seconds for e in endings), default=0.0):.2f} s)")
    print(f"  without a traceback: {sum(not e.has_traceback for e in endings)}")


if __name__ == "__main__":
    main()
