"""How much of the time of reading molecules is RDKit's own.

RDKit's own time is that of the same calls for the same SMILES, their answers dropped at once. The target: at least
90 % of our time.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import random
import time
import warnings
from collections import deque
from collections.abc import Callable
from pathlib import Path

from rdkit import Chem, rdBase

from structtree.data.molecules import Questions, SkippedMolecules, from_molecules, questions

HIV = Path(__file__).resolve().parents[2] / "shared" / "data" / "molnet" / "hiv.csv.gz"


def main() -> None:
    arguments = parsed()
    if not HIV.exists():
        print(f"skipped: there is no {HIV}")
        return
    texts = smiles(arguments.molecules)
    warnings.simplefilter("ignore", SkippedMolecules)
    own, ours = float("inf"), float("inf")
    for _ in range(arguments.repeats):  # they take turns, so that a slow moment of the machine hits both
        own = min(own, taken(lambda: ask_all(texts, questions())))
        ours = min(ours, taken(lambda: from_molecules(texts, skip_bad=True)))
    print(f"{len(texts)} molecules of HIV, best of {arguments.repeats}")
    print(f"RDKit alone {own:8.2f} s  {own / len(texts) * 1e6:7.0f} µs a molecule")
    print(f"structtree  {ours:8.2f} s  {ours / len(texts) * 1e6:7.0f} µs a molecule")
    print(f"RDKit's own time is {own / ours:.1%} (at least 90 %)")


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


def ask_all(texts: list[str], asked: Questions) -> None:
    drop = deque(maxlen=0).extend
    with rdBase.BlockLogs():
        for text in texts:
            molecule = Chem.MolFromSmiles(text)
            if molecule is None:
                continue
            for ask in asked.molecule.values():
                ask(molecule)
            asked.prepare(molecule)
            atoms = list(map(molecule.GetAtomWithIdx, range(molecule.GetNumAtoms())))
            for ask in asked.atom.values():
                drop(map(ask, atoms))
            bonds = list(map(molecule.GetBondWithIdx, range(molecule.GetNumBonds())))
            for ask in asked.bond.values():
                drop(map(ask, bonds))
            rings = molecule.GetRingInfo()
            rings.AtomRings()
            rings.BondRings()


if __name__ == "__main__":
    main()
