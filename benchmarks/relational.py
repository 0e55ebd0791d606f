"""Trees over relational data, Prolog facts or a folder of tables: how good, how large, how fast, on real sets.

    python benchmarks/relational.py                     # everything
    python benchmarks/relational.py uwcse mutagenesis   # only these
    python benchmarks/relational.py --seconds 5         # at most so long for each tree

Each set of ``../shared/data`` is opened as its folder stands; only mutagenesis needs its examples from a table. Folds
are those that were published, else ten at random (seed 0), or there is a test part. A score is that of all test
predictions together, with the interval of 1,000 bootstrap samples that holds 95 % of them. Reading is counted apart.

Nothing is chosen by the folds that scorer: mutagenesis is tried by the derived grammar, and by one of four grammars
that five inner folds choose on each training part. The trees of the machines, which are known, are printed.
"""

from __future__ import annotations

import argparse
import re
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from datafiles import shared
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, average_precision_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from structtree import Grammar, Population, StructuralTreeClassifier, export_text, open_data

HERE = Path(__file__).resolve().parent
SAMPLES = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """Individuals with labels, and the fold that each is tested in; individuals of fold -1 are only learned from."""

    name: str
    population: Population
    labels: NDArray[Any]
    folds: NDArray[Any]
    seconds: float
    settings: dict[str, Any]
    grammars: tuple[str, ...] = ()
    """Those that inner folds choose from; the derived one if there are none."""
    known: str = ""
    is_shown: bool = False


WHOLE = "top -> logp >= *; top -> lumo >= *; top -> ind1 >= *; top -> inda >= *"
ATOM = "top -> element = *; top -> type = *; top -> charge >= quantiles(20); top -> charge <= quantiles(20)"
MUTAGENESIS = (
    f"refine Molecule {{ {WHOLE} }}",
    f"refine Molecule {{ {WHOLE}; top -> exists atm (top) }} refine Atom {{ {ATOM} }}",
    f"refine Molecule {{ {WHOLE}; top -> exists atm (top) }} refine Atom {{ {ATOM}; top -> top and top max 2 }}",
    f"""refine Molecule {{ {WHOLE}; top -> exists atm (top) }}
        refine Atom {{ {ATOM}; top -> exists bond (top); top -> top and top max 2 }}
        refine Bond {{ top -> to (top); top -> order = *; top -> top and top max 2 }}
        limits {{ nesting 3, literals 3 }}""",
)
RANKING = {"goal": "ranking"}


def opened(name: str, folder: str, settings: dict[str, Any], **options: Any) -> Task:
    """A folder of facts, with the folds of its files or ten at random."""
    begun = time.perf_counter()
    data = open_data(shared(folder), **options)
    seconds = time.perf_counter() - begun
    assert data.target is not None
    names = data.provenance.names
    if "part" in names:
        folds = np.where(np.array(names["part"]) == "test", 0, -1)
    else:
        folds = np.array(names["fold"]) if "fold" in names else at_random(data.target)
    return Task(name, data.population, data.target, folds, seconds, settings)


def at_random(labels: NDArray[Any]) -> NDArray[np.int64]:
    """The number of one of ten folds for each individual."""
    folds = np.zeros(len(labels), dtype=np.int64)
    n_folds = min(10, *np.unique(labels.astype(str), return_counts=True)[1])
    division = StratifiedKFold(int(n_folds), shuffle=True, random_state=0)
    for fold, (_, rows) in enumerate(division.split(folds, labels.astype(str))):
        folds[rows] = fold
    return folds


def with_test_part(name: str, folder: str, settings: dict[str, Any]) -> Task:
    """A folder with a training part and a test part, read together."""
    return opened(name, folder, settings, part=["train", "test"])


def mutagenesis(*grammars: str) -> Task:
    folder = shared("mutagenesis")
    examples = pd.read_csv(folder / "examples_188.csv")
    begun = time.perf_counter()
    files = [path for path in sorted(folder.glob("*.pl")) if path.name != "log_mutag.pl"]
    active = examples["class"] == "active"
    population = Population.from_facts(
        "\n".join(path.read_text() for path in files),
        positives=[("active", name) for name in examples.molecule[active]],
        negatives=[("active", name) for name in examples.molecule[~active]],
        individual="Molecule",
        fact=["atm(Molecule, Atom key, element, type, charge)", "bond(Molecule, Atom, Atom -> to, order) both ways"],
    )
    seconds = time.perf_counter() - begun
    rest, labels = population.split_target("active")
    names = population.provenance.names["name"]  # type: ignore[union-attr]
    folds = examples.set_index("molecule").fold.loc[list(names)].to_numpy()
    return Task("mutagenesis", rest, labels, folds, seconds, RANKING, grammars, "AUC at least 0.93")


def machines_as_interpretations() -> Task:
    """The machines with the background that says what is replaceable; the number of a test says nothing of others."""
    known = shared("toy_machines/train_facts.pl").read_text()
    background = "\n".join(re.findall(r"^replaceable.*$", known, re.MULTILINE))
    begun = time.perf_counter()
    text = f"{shared('mach/mach.kb').read_text()}\n{background}\n"
    population = Population.from_facts(text, fact=["testnr(Model, _)", "worn(Model, Part)"])
    seconds = time.perf_counter() - begun
    rest, labels = population.split_target("class")
    return Task("mach", rest, labels, at_random(labels), seconds, {}, is_shown=True)


def relation(name: str) -> Task:
    """Pairs of Hinton's people who have a relation, and as many as nine times those who have not, drawn at random."""
    return opened(f"family ({name})", "hinton_family/family.pl", RANKING, target=name, sample_negatives=150)


FINANCIAL = {
    "individual": "loan",
    "target": "status",
    "as_of": "loan.date",
    "types": {
        **dict.fromkeys(("loan.date", "account.date", "trans_354.date"), "date(%y%m%d)"),
        "card.issued": "date(%y%m%d %H:%M:%S)",
    },
    # The labels once more; and orders, which nothing dates, though those that pay back a loan came after it.
    "exclude": ["loan_354_ids", "order"],
}


def financial(name: str, statuses: str) -> Task:
    """Loans of the 354 whose transactions are known, as of their date; the grammar was written beforehand."""
    condition = f"loan_id IN (SELECT loan_id FROM loan_354_ids) AND status IN ({statuses})"
    task = opened(name, "financial", RANKING, condition=condition, **FINANCIAL)
    return replace(task, grammars=((HERE / "financial.grammar").read_text(),))


TASKS: dict[str, Callable[[], Task]] = {
    "trains": lambda: opened("trains", "trains", {}, part=["eastwest20"]),
    "machines": lambda: replace(with_test_part("machines", "toy_machines", {}), is_shown=True),
    "mach": machines_as_interpretations,
    "family": lambda: relation("uncle"),
    "cancer": lambda: with_test_part("cancer", "toy_cancer", {}),
    "father": lambda: with_test_part("father", "toy_father", {}),
    "mutagenesis": mutagenesis,
    "mutagenesis_inner": lambda: mutagenesis(*MUTAGENESIS),
    "carcinogenesis": lambda: opened("carcinogenesis", "carcinogenesis", RANKING),
    "imdb": lambda: opened("imdb", "imdb", RANKING),
    "uwcse": lambda: replace(opened("uwcse", "uwcse", RANKING), known="srlearn PR 0.373"),
    "cora": lambda: opened("cora", "cora", RANKING, target="samebib"),
    "drug_interactions": lambda: with_test_part("drug_interactions", "drug_interactions", RANKING),
    "icml": lambda: with_test_part("icml", "icml", RANKING),
    "roofworld20": lambda: with_test_part("roofworld20", "roofworld20", RANKING),
    "financial_AB": lambda: financial("financial_AB", "'A', 'B'"),
    "financial_CD": lambda: financial("financial_CD", "'C', 'D'"),
    "krk": lambda: opened("krk", "krk", {}),
    "popper_trains": lambda: opened("popper_trains", "popper/trains1", {}),
}


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """The probability of each class for everybody who was tested, how large the trees were, and what they took."""

    rows: NDArray[np.int64]
    classes: list[Any]
    probabilities: NDArray[np.float64]
    leaves: float
    seconds: float


def tried(task: Task, seconds: float) -> Outcome:
    classes = sorted(set(task.labels.tolist()), key=str)
    found = np.zeros((len(task.labels), len(classes)))
    leaves, took = [], []
    for fold in sorted(set(task.folds.tolist()) - {-1}, key=str):
        training, test = task.folds != fold, task.folds == fold
        begun = time.perf_counter()
        tree = StructuralTreeClassifier(chosen(task, training, seconds), time_limit=seconds, **task.settings)
        tree.fit(task.population[training], task.labels[training])
        took.append(time.perf_counter() - begun)
        leaves.append(tree.get_n_leaves())
        places = [classes.index(each) for each in tree.classes_]
        found[np.ix_(np.flatnonzero(test), places)] = tree.predict_proba(task.population[test])
    rows = np.flatnonzero(task.folds != -1)
    return Outcome(rows, classes, found[rows], float(np.mean(leaves)), float(np.mean(took)))


def chosen(task: Task, training: NDArray[np.bool_], seconds: float) -> Grammar | None:
    """The grammar that is best in five folds of the training part, by AUC; None for the derived one."""
    if not task.grammars:
        return None
    if len(task.grammars) == 1:
        return Grammar.parse(task.grammars[0])
    data, labels = task.population[training], task.labels[training]
    found = []
    for text in task.grammars:
        said = np.zeros(len(labels))
        for rows, others in StratifiedKFold(5, shuffle=True, random_state=0).split(said, labels.astype(str)):
            tree = StructuralTreeClassifier(Grammar.parse(text), time_limit=seconds, **task.settings)
            said[others] = tree.fit(data[rows], labels[rows]).predict_proba(data[others])[:, 1]
        found.append(roc_auc_score(labels.astype(bool), said))
    return Grammar.parse(task.grammars[int(np.argmax(found))])


def scores(task: Task, outcome: Outcome) -> Iterator[str]:
    """Accuracy, and for two classes the areas under the curves, each with its interval."""
    truth = np.array([outcome.classes.index(label) for label in task.labels[outcome.rows].tolist()])
    told = outcome.probabilities.argmax(axis=1)
    measures: dict[str, Callable[[NDArray[Any]], float]] = {"accuracy": lambda s: accuracy_score(truth[s], told[s])}
    if len(outcome.classes) == 2:
        yes = outcome.probabilities[:, 1]
        measures["AUC"] = lambda s: roc_auc_score(truth[s], yes[s])
        measures["PR"] = lambda s: average_precision_score(truth[s], yes[s])
    chance, everybody = np.random.default_rng(0), np.arange(len(truth))
    samples = [chance.integers(len(truth), size=len(truth)) for _ in range(SAMPLES)]
    samples = [sample for sample in samples if len(set(truth[sample].tolist())) > 1]
    for name, measure in measures.items():
        low, high = np.percentile([measure(sample) for sample in samples], [2.5, 97.5])
        yield f"{name} {measure(everybody):.3f} [{low:.3f}, {high:.3f}]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", help=f"of {', '.join(TASKS)}; all by default")
    parser.add_argument("--seconds", type=float, default=20.0, help="the time limit for each tree")
    options = parser.parse_args()
    if shared("trains") is None:
        return
    warnings.simplefilter("ignore")
    for name in options.sets or TASKS:
        task = TASKS[name]()
        outcome = tried(task, options.seconds)
        n_folds = len(set(task.folds.tolist()) - {-1})
        known = f" ({task.known})" if task.known else ""
        print(
            f"{name}: {len(task.labels):,} individuals, {n_folds} {'folds' if n_folds > 1 else 'test part'}: "
            f"{', '.join(scores(task, outcome))}{known}; {outcome.leaves:.1f} leaves, "
            f"read in {task.seconds:.2f} s, {outcome.seconds:.1f} s a tree",
            flush=True,
        )
        if task.is_shown:
            learned = task.folds == -1 if (task.folds == -1).any() else slice(None)
            tree = StructuralTreeClassifier(time_limit=options.seconds, **task.settings)
            print(export_text(tree.fit(task.population[learned], task.labels[learned])), flush=True)


if __name__ == "__main__":
    main()
