"""How long reading molecules takes: in one process, in several, from the cache; and how much is RDKit's own.

RDKit's own time is that of the same calls for the same SMILES, their answers dropped at once. The targets: at least
90 % of our time in one process, and a second run of all of HIV in at most 5 s.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import os
import random
import tempfile
import time
import warnings
from collections import deque
from collections.abc import Callable
from pathlib import Path

from rdkit import Chem, rdBase

from structtree.data.readers.molecules.batches import read_numbers
from structtree.data.readers.molecules.descriptors import Descriptors, Recipe, descriptors
from structtree.data.readers.molecules.reading import SkippedMolecules, from_molecules

HIV = Path(__file__).resolve().parents[2] / "shared" / "data" / "molnet" / "hiv.csv.gz"


def main() -> None:
    arguments = parsed()
    if not HIV.exists():
        print(f"skipped: there is no {HIV}")
        return
    texts = smiles(arguments.molecules)
    warnings.simplefilter("ignore", SkippedMolecules)
    with tempfile.TemporaryDirectory() as cache:
        os.environ["XDG_CACHE_HOME"] = cache
        ways: dict[str, Callable[[], object]] = {
            "RDKit alone": lambda: compute_all(texts, descriptors()),
            "one process": lambda: read_numbers(texts, Recipe(), cache=False, processes=1),
            "several": lambda: read_numbers(texts, Recipe(), cache=False),
            "population": lambda: from_molecules(texts, skip_bad=True, cache=False),
            "second run": lambda: from_molecules(texts, skip_bad=True),
        }
        ways["second run"]()  # which fills the cache
        best = dict.fromkeys(ways, float("inf"))
        for _ in range(arguments.repeats):  # they take turns, so that a slow moment of the machine hits all
            for name, read in ways.items():
                best[name] = min(best[name], taken(read))
    print(f"{len(texts)} molecules of HIV, best of {arguments.repeats}")
    for name, seconds in best.items():
        print(f"{name:12} {seconds:8.2f} s  {seconds / len(texts) * 1e6:7.0f} µs a molecule")
    print(
        f"RDKit's own time is {best['RDKit alone'] / best['one process']:.1%} of that of one process (at least 90 %)"
    )


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument(
        "--molecules", type=int, default=41_127, help="how many, drawn at random (default: all 41127)"
    )
    parser.add_argument("--repeats", type=int, default=3, help="the best of how many runs counts (default 3)")
    return parser.parse_args()


def smiles(n: int) -> list[str]:
    with gzip.open(HIV, "rt", encoding="utf-8") as file:
        every = [row["smiles"] for row in csv.DictReader(file)]
    return random.Random(0).sample(every, min(n, len(every)))


def taken(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def compute_all(texts: list[str], by: Descriptors) -> None:
    drop = deque(maxlen=0).extend
    with rdBase.BlockLogs():
        for text in texts:
            molecule = Chem.MolFromSmiles(text)
            if molecule is None:
                continue
            for compute in by.molecule.values():
                compute(molecule)
            by.prepare(molecule)
            atoms = list(map(molecule.GetAtomWithIdx, range(molecule.GetNumAtoms())))
            for compute in by.atom.values():
                drop(map(compute, atoms))
            bonds = list(map(molecule.GetBondWithIdx, range(molecule.GetNumBonds())))
            for compute in by.bond.values():
                drop(map(compute, bonds))
            rings = molecule.GetRingInfo()
            rings.AtomRings()
            rings.BondRings()


if __name__ == "__main__":
    main()
