"""The standing fuzzer: laws on new random cases until the time is over; see CONTRIBUTING.md.

Rounds are numbered by consecutive seeds, and the seed of a round decides its law and its cases, so that a run that
starts with the seed of a failure begins with that failure. Laws run in processes of their own (`tests.fuzz.worker`):
one that crashes or hangs is a failure like any other.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from importlib import import_module
from itertools import count
from pathlib import Path
from random import Random, SystemRandom
from typing import Any

from tests.fuzz.laws import FAILURES, Failure, Law, laws_in

MODULES = (
    "tests.fuzz.meaning",
    "tests.fuzz.learning",
    "tests.fuzz.exports",
    "tests.fuzz.inputs",
)
ROUNDS_PER_PROCESS = 30
"""After this many rounds a process is replaced, so that none grows for ever."""
ENOUGH_SHRUNK = 2
"""After this many failures of a law the others are not made smaller: that takes time, and often finds the same."""


def main() -> int:
    options = _options()
    laws = laws_in(*map(import_module, options.modules))
    chosen = {name: laws[name] for name in options.law or laws if not laws[name].lacking}
    for name in laws.keys() - chosen.keys() if not options.law else ():
        print(f"skipped: {name}, which needs {laws[name].lacking}")
    seed = SystemRandom().randrange(10**9) if options.seed is None else options.seed
    print(f"seed {seed}; to repeat this run: make fuzz SEED={seed}", flush=True)
    run = Run(chosen, seed, options)
    threads = [threading.Thread(target=run.work, daemon=True) for _ in range(options.jobs)]
    for thread in threads:
        thread.start()
    next_summary = time.monotonic() + 60
    while any(thread.is_alive() for thread in threads):
        for thread in threads:
            thread.join(0.2)
        if time.monotonic() >= next_summary:
            next_summary += 60
            print(run.summary(), flush=True)
    print(run.summary(), flush=True)
    return 1 if run.places else 0


def _options() -> Any:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--rounds", type=int, help="end after this many rounds, however long they take")
    parser.add_argument("--seed", type=int, help="seed of the first round; random by default")
    parser.add_argument("--jobs", type=int, default=1, help="number of processes")
    parser.add_argument("--law", action="append", help="law to try; may be repeated; all by default")
    parser.add_argument("--seconds", type=float, default=600.0, help="a case that takes longer hangs")
    parser.add_argument("--failures", type=Path, default=FAILURES, help="folder for cases that fail")
    parser.add_argument("--modules", nargs="+", default=MODULES, help="modules with laws")
    return parser.parse_args()


@dataclass
class Run:
    """One run: what is to be done next, and what has been found; shared by threads that have a process each."""

    laws: dict[str, Law]
    seed: int
    options: Any
    lock: threading.Lock = field(default_factory=threading.Lock)
    checked: Counter[str] = field(default_factory=Counter)
    passed_over: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    places: set[tuple[str, str]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.started = time.monotonic()
        self.seeds = count(self.seed)

    def work(self) -> None:
        """Run rounds until the time is over."""
        with tempfile.TemporaryDirectory() as folder:
            worker = None
            while (seed := self.next_seed()) is not None:
                if worker is None or worker.rounds == ROUNDS_PER_PROCESS:
                    worker = self.restarted(worker, Path(folder))
                law = Random(seed).choice(sorted(self.laws))
                order = {"law": law, "seed": seed, "seconds": self.options.seconds}
                answer = worker.ask({**order, "shrink": self.failed[law] < ENOUGH_SHRUNK})
                if answer is None:
                    self.found(worker.death(law, seed))
                    worker = None
                else:
                    self.count(law, answer)
            if worker is not None:
                worker.end()

    def next_seed(self) -> int | None:
        with self.lock:
            seed = next(self.seeds)
        if self.options.rounds is not None:
            return seed if seed < self.seed + self.options.rounds else None
        return seed if time.monotonic() < self.started + 60 * self.options.minutes else None

    def restarted(self, worker: Worker | None, folder: Path) -> Worker:
        if worker is not None:
            worker.end()
        return Worker(folder, self.options.modules)

    def count(self, law: str, answer: dict[str, Any]) -> None:
        with self.lock:
            self.checked[law] += answer["checked"]
            self.passed_over[law] += answer["passed_over"]
        if answer["failure"] is not None:
            self.found(Failure(**answer["failure"]))

    def found(self, failure: Failure) -> None:
        """Keep a failure, and show it if it is a new one."""
        with self.lock:
            self.failed[failure.law] += 1
            if (failure.law, failure.place) in self.places:
                return
            self.places.add((failure.law, failure.place))
            where = "there is no case to keep" if failure.case is None else _kept(failure, self.options.failures)
            again = f"make fuzz SEED={failure.seed} LAW={failure.law} ROUNDS=1"
            print(f"\n{failure.error.rstrip()}\nFAILED {failure.law}: {where}; to repeat it: {again}\n", flush=True)

    def summary(self) -> str:
        """Number of cases for each law."""
        with self.lock:
            minutes = (time.monotonic() - self.started) / 60
            lines = [f"{minutes:.1f} minutes; cases, cases passed over, failed rounds of each law:"]
            for name in sorted(self.laws):
                counts = f"{self.checked[name]:>9,} {self.passed_over[name]:>9,} {self.failed[name]:>5,}"
                lines.append(f"{counts}  {name}")
            total = f"{self.checked.total():>9,} {self.passed_over.total():>9,} {self.failed.total():>5,}"
            return "\n".join([*lines, f"{total}  in all; {len(self.places)} different failures"])


def _kept(failure: Failure, folder: Path) -> str:
    path = failure.save(folder)
    return f"the case is in {os.path.relpath(path)}, which make test replays"


class Worker:
    """A process that runs rounds."""

    def __init__(self, folder: Path, modules: list[str]) -> None:
        self.folder = folder
        self.rounds = 0
        command = [sys.executable, "-m", "tests.fuzz.worker", str(folder), *modules]
        # The order of sets of texts must be the same when a seed is tried again.
        environment = {**os.environ, "PYTHONHASHSEED": "0"}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8", env=environment
        )

    def ask(self, order: dict[str, Any]) -> dict[str, Any] | None:
        """What became of a round; None if the process died of it."""
        self.rounds += 1
        assert self.process.stdin is not None and self.process.stdout is not None
        try:
            print(json.dumps(order), file=self.process.stdin, flush=True)
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        return json.loads(line) if line else None

    def death(self, law: str, seed: int) -> Failure:
        """The failure that a dead process stands for."""
        code = self.process.wait()
        trace = self._text("trace.txt")
        case = json.loads(self._text("case.json") or "null")
        what = "a case took too long" if trace.startswith("Timeout") else f"the process ended with code {code}"
        # The innermost frame comes first; its line tells one crash from another.
        frame = next((line.strip() for line in trace.splitlines() if line.startswith("  File")), "")
        return Failure(law, seed, case, f"{trace}{self._text('log.txt')[-2000:]}\n{what}", f"{what} {frame}")

    def _text(self, name: str) -> str:
        path = self.folder / name
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    def end(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


if __name__ == "__main__":
    sys.exit(main())
