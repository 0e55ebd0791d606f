"""Chess positions of king and rook against king: comparisons of squares beside plain thresholds.

    python benchmarks/krk.py            # 10-fold cross-validation of each grammar on the 10,000 positions
    python benchmarks/krk.py --quick    # 3 folds of 2,000 generated positions

The 10,000 positions of Muggleton and others are read from ``../shared/data/krk``. Which of them are illegal is
decided by comparisons between squares: two pieces on one square, kings side by side, or a rook on the file or rank of
the black king with nothing between. A tree of thresholds has to approximate each of these.
"""

from __future__ import annotations

import argparse
import gzip
import re
import time
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from datafiles import shared

from structtree import Grammar, Population, StructuralTreeClassifier, cross_validate, load_dataset

PIECES = ("white_king", "white_rook", "black_king")
NAMES = [f"{piece}_{axis}" for piece in PIECES for axis in ("file", "rank")]
GRAMMARS = {
    "thresholds": "refine Individual { top -> * >= * }",
    "comparisons": "refine Individual { top -> * >= *; top -> * = its *; top -> * >= its * }",
    "the default": None,
    "krk": Grammar.load("krk"),
}


def read(folder: Path) -> tuple[Population, np.ndarray]:
    """The positions and their classes, from files of facts, packed or not."""
    rows, classes = [], []
    for stem, label in (("pos", "illegal"), ("neg", "legal")):
        (path,) = folder.glob(f"{stem}.pl*")
        text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text()
        found = re.findall(r"^illegal\(([\d,]+)\)\.$", text, re.MULTILINE)
        rows += [tuple(map(int, numbers.split(","))) for numbers in found]
        classes += [label] * len(found)
    population = Population.from_frame(pd.DataFrame(rows, columns=NAMES), individual="Position")
    return population, np.array(classes, dtype=object)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="3 folds of 2,000 generated positions")
    quick = parser.parse_args().quick
    folder = None if quick else shared("krk")
    if folder is None:
        data = load_dataset("krk", n=2000)
        population, classes = data.population, data.target
    else:
        population, classes = read(folder)
    folds = 3 if quick else 10
    StructuralTreeClassifier(GRAMMARS["krk"]).fit(population.take(np.arange(200)), classes[:200])  # compiles
    print(f"{len(population):,} positions, {np.mean(classes == 'illegal'):.1%} illegal; {folds} folds")
    print("| grammar | accuracy | sd | leaves | seconds, all folds |\n| --- | ---: | ---: | ---: | ---: |")
    for name, grammar in GRAMMARS.items():
        started = time.perf_counter()
        make = partial(StructuralTreeClassifier, grammar)
        found = cross_validate(make, population, classes, folds=folds, repeats=1)
        seconds = time.perf_counter() - started
        print(f"| {name} | {found.mean:.4f} | {found.sd:.4f} | {found.leaves_mean:.0f} | {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    main()
