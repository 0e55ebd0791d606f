"""A process that runs rounds for the fuzzer: it may crash or hang without harm to the others.

Reads orders from standard input and answers each with a line of JSON. The case at hand is in a file, for the one who
finds the process dead. Whatever is printed meanwhile goes to a log.
"""

from __future__ import annotations

import faulthandler
import json
import os
import sys
import warnings
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

from tests.deterministic import ignore_imported_constants
from tests.fuzz.laws import Case, Law, laws_in
from tests.fuzz.rounds import run_round


def main(modules: list[str], folder: Path) -> None:
    answers = _quiet(folder / "log.txt")
    trace = (folder / "trace.txt").open("w", encoding="utf-8")
    faulthandler.enable(trace)
    os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
    ignore_imported_constants()
    warnings.simplefilter("error")  # as the tests have it
    laws = laws_in(*map(import_module, modules))
    for line in sys.stdin:
        print(json.dumps(_answer(json.loads(line), laws, folder, trace)), file=answers, flush=True)


def _quiet(log: Path) -> TextIO:
    """Send to a log what is printed, by C code too; return where answers go."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    with log.open("w", encoding="utf-8") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    return answers


def _answer(order: dict[str, Any], laws: dict[str, Law], folder: Path, trace: TextIO) -> dict[str, Any]:
    at_hand = folder / "case.json"

    def watch() -> None:
        # From a thread of C: also code that never returns to Python is ended, and says where it was.
        faulthandler.dump_traceback_later(order["seconds"], exit=True, file=trace)

    def begin(case: Case) -> None:
        at_hand.write_text(json.dumps(case), encoding="utf-8")
        watch()

    at_hand.write_text("null", encoding="utf-8")
    watch()
    try:
        done = run_round(laws[order["law"]], order["seed"], begin, shrink=order["shrink"])
    finally:
        faulthandler.cancel_dump_traceback_later()
    return {**asdict(done), "failure": done.failure and asdict(done.failure)}


if __name__ == "__main__":
    main(sys.argv[2:], Path(sys.argv[1]))
