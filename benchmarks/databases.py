"""Fitting trees to databases by the command line, measured, and scikit-learn's on columns joined by hand."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pandas as pd
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

__all__ = ["print_fitted", "print_flattened"]


def print_fitted(what: str, path: Path, *options: str) -> None:
    """Run ``structtree fit``, and print what it prints below its seconds and its peak memory."""
    command = [sys.executable, "-m", "structtree.cli", "fit", str(path), *options]
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    told = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    cpu, megabytes = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
    print(f"\n== {what}: {wall:.1f} s, processor {cpu:.1f} s, peak {megabytes:,.0f} MB\n\n{told}", flush=True)


def print_flattened(columns: pd.DataFrame, target: pd.Series[Any], max_depth: int) -> None:
    """Print the score of scikit-learn's tree on the training data, and its seconds without the joining."""
    is_number = target.dtype.kind == "f"
    tree = DecisionTreeRegressor(max_depth=max_depth) if is_number else DecisionTreeClassifier(max_depth=max_depth)
    started = time.process_time()
    tree.fit(columns, target)
    seconds, score = time.process_time() - started, tree.score(columns, target)
    name = "R²" if is_number else "accuracy"
    print(
        f"== scikit-learn on {columns.shape[1]} columns joined by hand: {name} {score:.3f}, processor {seconds:.1f} s"
    )
