"""Running ``structtree fit`` as a user does, in a process of its own, and measuring it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from datafiles import DataFile

from structtree import load_model, pretty

__all__ = ["Fitted", "fit_by_command", "is_kept"]


@dataclass(frozen=True, slots=True)
class Fitted:
    """What came of a command.

    Parameters
    ----------
    limit : float
        The seconds it was given.
    wall, learning : float
        The seconds of the whole command, with imports and reading, and of learning as the command itself says.
    megabytes : float
        The most memory it had.
    accuracy : float
        On the training data; of numbers R².
    test : str
        What the root asks.
    leaves, evaluated, unproved : int
    """

    limit: float
    wall: float
    learning: float
    megabytes: float
    accuracy: float
    test: str
    leaves: int
    evaluated: int
    unproved: int


def is_kept(seconds: float, limit: float) -> bool:
    """Whether a limit was kept, to 10 % or one second."""
    return seconds <= max(1.1 * limit, limit + 1.0)


def fit_by_command(data: DataFile, limit: float, *options: str) -> Fitted:
    """Fit a tree by the command line.

    Raises
    ------
    RuntimeError
        If the command fails; with what it said.
    """
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.json"
        command = [sys.executable, "-m", "structtree.cli", "fit", str(data.path), *data.options, *options]
        command += ["--time-limit", str(limit), "--json", "-o", str(model)]
        with (Path(folder) / "out").open("w+") as out, (Path(folder) / "err").open("w+") as err:
            started = time.perf_counter()
            process = subprocess.Popen(command, stdout=out, stderr=err)
            _, status, usage = os.wait4(process.pid, 0)
            wall = time.perf_counter() - started
            process.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            err.seek(0)
            if process.returncode:
                raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}: {err.read().strip()}")
            told = json.loads(out.read())
        return _fitted(told, _root_test(model), limit, wall, usage.ru_maxrss / 1024)


def _fitted(told: dict[str, Any], test: str, limit: float, wall: float, megabytes: float) -> Fitted:
    numbers = (told["leaves"], told["evaluated"], len(told["unproved"]))
    return Fitted(limit, wall, told["seconds"], megabytes, told["train_score"], test, *numbers)


def _root_test(path: Path) -> str:
    root: Any = load_model(path).tree.nodes[0]
    return pretty(root.test) if hasattr(root, "test") else "nothing"
