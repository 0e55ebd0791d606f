"""Sizes of interactive reports, and how soon a browser shows them.

Run as ``python benchmarks/report.py`` (about 3 minutes), or with ``--quick`` for small data. It needs selenium,
chromium and chromedriver. Molecules are read from ``../shared/data`` beside the repository. README.md tells what was
seen.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from statistics import median
from typing import Any

import numpy as np
import pandas as pd

from structtree import StructuralTreeClassifier, StructuralTreeRegressor

MOLNET = Path(__file__).resolve().parents[2] / "shared" / "data" / "molnet"
OPENINGS = 5


@dataclass(frozen=True, slots=True)
class Made:
    """A report to open: what it is of, and the most megabytes and seconds that it may have and take."""

    name: str
    tree: Any
    individuals: Any
    target: Any
    megabytes: float
    seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the data: whether it runs")
    share = 10 if parser.parse_args().quick else 1
    browser = opened_browser()
    heads = ("nodes", "made, CPU s", "MB", "at most", "opens, s", "CPU s", "at most")
    print(f"{'report':<26}" + "".join(f" {head:>11}" for head in heads))
    with tempfile.TemporaryDirectory() as folder:
        for made in cases(share):
            path = Path(folder) / "report.html"
            began = time.process_time()
            made.tree.report(made.individuals, made.target, path)
            took = time.process_time() - began
            wall, cpu = zip(*(opening(browser, path) for _ in range(OPENINGS)), strict=True)
            size, nodes = path.stat().st_size / 1e6, len(made.tree.tree_.nodes)
            figures = (nodes, took, size, made.megabytes, median(wall), median(cpu), made.seconds)
            print(f"{made.name:<26}" + "".join(f" {figure:>11.3g}" for figure in figures), flush=True)
    browser.quit()


def cases(share: int) -> Iterator[Made]:
    """Yield the reports that limits are stated for."""
    for make in (molecules, table):
        made = make(share)
        if made is not None:
            yield made


def molecules(share: int) -> Made | None:
    """Return a tree of about 200 nodes over 4,000 molecules."""
    path = MOLNET / "lipo.csv.gz"
    if not path.exists():
        print("skipped: there is no ../shared/data/molnet beside the repository")
        return None
    rows = pd.read_csv(path).head(4_000 // share)
    smiles, target = rows["smiles"].tolist(), rows["lipo"].to_numpy(dtype=float)
    tree = StructuralTreeRegressor(max_leaf_nodes=100, time_limit=90).fit(smiles, target)
    return Made(f"{len(rows):,} molecules", tree, smiles, target, 3.0, 2.0)


def table(share: int) -> Made:
    """Return a tree over 100,000 rows of a plain table with 20 columns."""
    rng, n = np.random.default_rng(0), 100_000 // share
    frame = pd.DataFrame(rng.normal(size=(n, 16)), columns=[f"measure {k}" for k in range(16)])
    for k in range(4):
        frame[f"kind {k}"] = rng.choice([f"kind {letter}" for letter in "abcdefgh"], n)
    lifted = frame["measure 0"] * frame["measure 1"] + (frame["kind 0"] == "kind a") + rng.normal(0, 0.3, n)
    target = np.where(lifted > 1, "high", np.where(lifted > 0, "middle", "low"))
    tree = StructuralTreeClassifier(max_leaf_nodes=100).fit(frame, target)
    return Made(f"{n:,} rows, 20 columns", tree, frame, target, 5.0, 3.0)


def opened_browser() -> Any:
    """Return chromium without a window."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options, driver = webdriver.ChromeOptions(), which("chromedriver")
    options.binary_location = which("chromium") or ""
    for flag in ("--headless", "--no-sandbox", "--disable-gpu", "--window-size=1280,900"):
        options.add_argument(flag)
    browser = webdriver.Chrome(options=options, service=Service(driver))
    browser.execute_cdp_cmd("Performance.enable", {})
    return browser


def opening(browser: Any, path: Path) -> tuple[float, float]:
    """Return the seconds until a page is drawn and can be used, and those that its own thread computed."""
    browser.get("about:blank")
    before = busy(browser)
    browser.get(path.as_uri())
    drawn: Callable[[str], Any] = browser.execute_async_script
    milliseconds = drawn("requestAnimationFrame(() => setTimeout(() => arguments[0](performance.now())))")
    return milliseconds / 1000, max(0.0, busy(browser) - before)


def busy(browser: Any) -> float:
    """Return the seconds that the page's main thread has worked so far."""
    metrics = browser.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return next(float(one["value"]) for one in metrics if one["name"] == "TaskDuration")


if __name__ == "__main__":
    main()
