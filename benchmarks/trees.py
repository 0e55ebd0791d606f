"""Trees of a wide matrix of data, options, strategies and criteria, to compare two versions of the code node by node.

``python benchmarks/trees.py record FILE`` writes them; ``compare FILE`` grows them again and prints
 which differ and where. Nothing here depends on the clock: there are no time limits, and what would take long has
a limit of evaluations. Numbers are written with 12 significant digits, a refusal as its sentence. Sets of
``../shared/data`` are left out if that folder is not there, or with ``--embedded``. To run another checkout of the
package, name it in ``PYTHONPATH``.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import structtree
from structtree import Decision, Grammar, Growth, Population, Pruning, StructtreeError, best_split, fit, pretty

SHARED = Path(__file__).resolve().parent.parent.parent / "shared" / "data"

CRITERIA = ("acc*", "accuracy", "entropy", "gini", "sqrt-gini", "gain-ratio", "twoing")
STRATEGIES = ("auto", "bottom-up", "best-first", "exhaustive", "beam")
NOMINAL = ("binary", "subset", "multiway")
MISSING = ("false", "majority", "fractional")

#: Each is tried with every strategy.
LIMITS: tuple[dict[str, Any], ...] = (
    {"max_depth": 1},
    {"max_depth": 3, "min_samples_split": 8},
    {"min_samples_leaf": 4},
    {"min_impurity_decrease": 0.02},
    {"max_leaf_nodes": 2},
    {"max_leaf_nodes": 6},
    {"max_leaf_nodes": 5, "min_samples_leaf": 3, "min_impurity_decrease": 0.005},
    {"stop": "test"},
    {"stop": "test", "significance": 0.3, "max_leaf_nodes": 5},
    {"stop": "mdl"},
    {"share": "path"},
    {"share": "path", "max_leaf_nodes": 4},
    {"prune": False, "max_depth": 2},
    {"max_evaluations": 30},
    {"max_evaluations": 300, "max_leaf_nodes": 4},
    {"random_state": 7},
)

PRUNINGS: tuple[dict[str, Any], ...] = (
    {"method": "cost-complexity", "alpha": 0.01},
    {"method": "cost-complexity"},
    {"method": "reduced-error"},
    {"method": "pessimistic"},
    {"min_weight_fraction": 0.1},
)

# ---- data and grammars ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Setting:
    """Data with a grammar, and which parts of the matrix are run on it.

    Parameters
    ----------
    name : str
    opened : function
        What returns the population and the target.
    grammar : str
        Its text; ``"default"``, ``"table"`` (one test of a plain table at a time) or the name of a shipped one.
    parts : tuple of str
        Names in ``PARTS``.
    within : dict
        Options that every case has, unless it says otherwise: so that none takes long.
    """

    name: str
    opened: Callable[[], tuple[Population, Any]]
    grammar: str
    parts: tuple[str, ...]
    within: dict[str, Any] = field(default_factory=dict)


def named(name: str, every: int = 1, target: str | None = None) -> Callable[[], tuple[Population, Any]]:
    """A data set by its name, or a file of the shared data, and of it every so many-th individual."""

    def opened() -> tuple[Population, Any]:
        found = structtree.open_data(SHARED / name if "/" in name else name, target=target, unlabelled="leave out")
        which = np.arange(0, len(found.population), every)
        return found.population.take(which), np.asarray(found.target)[which]

    return opened


def delimited(
    name: str, columns: int, target: int, every: int = 1, delimiter: str | None = None, drop: int | None = None
) -> Callable[[], tuple[Population, Any]]:
    """A table without a header: its columns are c0, c1, ..., and one may be left out."""

    def opened() -> tuple[Population, Any]:
        path = SHARED / name
        with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
            rows = [line.strip().split(delimiter) for line in file if line.strip()]
        rows = [[cell.strip() for cell in row] for row in rows[::every] if len(row) == columns]
        kept = [i for i in range(columns) if i not in (target, drop)]
        records = [{f"c{i}": value(row[i]) for i in kept} for row in rows]
        return Population.from_records(records), np.array([row[target] for row in rows], dtype=object)

    return opened


def value(cell: str) -> Any:
    """A cell as a number, a text, or nothing."""
    if cell == "?":
        return None
    try:
        return float(cell)
    except ValueError:
        return cell


def as_numbers(opened: Callable[[], tuple[Population, Any]]) -> Callable[[], tuple[Population, Any]]:
    """The same with numbers for classes, and some spread that follows a fixed rule."""

    def changed() -> tuple[Population, Any]:
        population, target = opened()
        codes = np.unique(np.asarray(target).astype(str), return_inverse=True)[1]
        return population, 5.0 * codes + (np.arange(len(codes)) * 37 % 11) / 4

    return changed


def with_gaps() -> tuple[Population, Any]:
    """A table with numbers, categories and flags, a fifth of it missing."""
    rng = np.random.default_rng(3)
    n = 240
    number, whole = rng.normal(size=n).round(2), rng.integers(0, 9, n)
    colour, flag = rng.choice(["red", "green", "blue", "grey"], n), rng.random(n) < 0.4
    target = np.where((number > 0.2) & (colour != "red") | (whole > 6), "yes", np.where(flag, "no", "maybe"))
    columns = {"number": number.tolist(), "whole": whole.tolist(), "colour": colour.tolist(), "flag": flag.tolist()}
    gaps = {name: rng.random(n) < 0.2 for name in columns}
    records = [{name: None if gaps[name][i] else column[i] for name, column in columns.items()} for i in range(n)]
    return Population.from_records(records), target.astype(object)


def musk() -> tuple[Population, Any]:
    """Musk-1 with every tenth feature."""
    with gzip.open(SHARED / "musk" / "clean1.data.gz", "rt") as file:
        rows = [line.strip().split(",") for line in file if line.strip()]
    bags: dict[str, list[dict[str, float]]] = {}
    classes: dict[str, str] = {}
    for row in rows:
        bags.setdefault(row[0], []).append({f"f{i}": float(row[i + 1]) for i in range(1, 167, 10)})
        classes[row[0]] = "musk" if float(row[-1].rstrip(".")) > 0 else "other"
    records = [{"conformations": bag} for bag in bags.values()]
    population = Population.from_records(records, types={"conformations": "set"}, individual="Individual")
    return population, np.array([classes[name] for name in bags], dtype=object)


def trains(of_train: str, of_car: str = "", rest: str = "") -> str:
    """A grammar of trains, from what a train and a car may be asked and what follows."""
    cars = "top -> shape = *; top -> roof != *; top -> long; top -> not long; top -> wheels >= *"
    return f"refine Train {{ {of_train} }} refine Car {{ {cars}; {of_car} }} {rest}"


LOADS = "refine Load { top -> shape = *; top -> number >= * }"
TRAIN_GRAMMARS = {
    "one test": trains("top -> exists cars (top); top -> count cars (top) >= *"),
    "two in a car": trains("top -> exists cars (top)", "top -> top and top max 2"),
    "two at a train": trains(
        "top -> exists cars (top); top -> top and top max 2", "top -> next (top)", "limits { nesting 2, literals 4 }"
    ),
    "all": trains(
        "top -> all cars (top); top -> exists cars (top); top -> first cars (top); top -> last cars (top)",
        "top -> load (top)",
        f"{LOADS} limits {{ nesting 2, literals 3 }}",
    ),
    "distinct": trains("top -> distinct cars (top, top); top -> exists cars (top)", "", "limits { literals 4 }"),
    "sets": "refine Train { top -> exists cars (top) } refine Car { top -> shape in *; top -> roof in * }",
    "aggregates": (
        "refine Train { top -> max cars.wheels >= *; top -> min cars.wheels <= *; top -> sum cars.wheels >= *; "
        "top -> mean cars.wheels >= *; top -> count cars (long) >= * }"
    ),
    "grows": trains(
        "top -> exists cars (top)",
        "top -> wheels in {2, 3}; wheels in {2, 3} -> wheels = 3; top -> top and top max 2",
    ),
}
PAIRS = (
    "refine Individual { top -> *; top -> not *; top -> * = *; top -> * >= quantiles(4); top -> top and top max 2 }"
)
SMALL_GRAPHS = (
    "refine Graph { top -> count nodes (top) >= 1..4 } "
    "refine Node { top -> * = *; top -> exists edges (top); top -> top and top max 2 } "
    "refine Edge { top -> * = *; top -> to (top) } limits { nesting 3, literals 3 }"
)
SYMBOLS = (
    "refine Sequence { top -> first items (top); top -> exists items (top); top -> count items (top) >= 2..6 } "
    "refine Item { top -> symbol = *; top -> next (top); top -> later (top) } limits { nesting 3, literals 3 }"
)
THRESHOLDS = "refine Individual { top -> max conformations.f* >= *; top -> min conformations.f* >= * }"
TWO_BINS = (
    "refine Individual { top -> exists conformations (top) } "
    "refine Conformation { top -> f* in bins(4); top -> top and top max 2 }"
)

WIDE = ("limits", "criteria", "weights", "prunings")
TABLE = (*WIDE, "tables", "splits")
ALL = (*WIDE, "splits")
SOME = ("criteria", "weights")
CAPPED = {"max_depth": 2, "max_evaluations": 600}


def embedded_settings() -> Iterator[Setting]:
    """Those that need nothing but the package."""
    for name in ("lenses", "tennis", "golf", "dolphins", "animals", "hammond", "hammond-bids"):
        yield Setting(name, named(name), "table", TABLE)
        yield Setting(name, named(name), "default", SOME)
        yield Setting(name, named(name), "flat", ("criteria", "limits"), {"max_depth": 4})
    for name in ("monks-1", "monks-2", "monks-3"):
        yield Setting(name, named(name, 3), "table", TABLE)
    yield Setting("monks-1", named("monks-1", 3), PAIRS, ALL, {"max_depth": 3})
    yield Setting("leap-years", named("leap-years", 4), "table", ("criteria", "tables"))
    yield Setting("gaps", with_gaps, "table", TABLE)
    yield Setting("gaps as numbers", as_numbers(with_gaps), "table", TABLE)
    yield Setting("gaps", with_gaps, PAIRS, ("criteria", "limits"), {"max_depth": 3})
    for name in ("michalski10", "trains"):
        yield Setting(name, named(name), "trains", ("criteria",), CAPPED)
        yield Setting(name, named(name), "default", ("listed",), CAPPED)
        for title, text in TRAIN_GRAMMARS.items():
            yield Setting(f"{name}, {title}", named(name), text, ALL, {"max_depth": 3})
    for title in ("one test", "two in a car", "two at a train", "all"):
        numbers = as_numbers(named("trains"))
        yield Setting(f"trains as numbers, {title}", numbers, TRAIN_GRAMMARS[title], ALL, {"max_depth": 3})
    planted = named("planted-trains", 10)
    yield Setting("planted-trains", planted, TRAIN_GRAMMARS["two in a car"], ALL, {"max_depth": 3})
    yield Setting("planted-trains", planted, "trains", ("criteria",), CAPPED)
    yield Setting("arches", named("arches"), "default", ("criteria",), CAPPED)
    yield Setting("planted-molecules", named("planted-molecules", 8), "atoms-and-bonds", ("criteria",), CAPPED)
    yield Setting("bags", named("bags", 2), TWO_BINS, SOME, CAPPED)
    yield Setting("sequences", named("sequences", 6), SYMBOLS, WIDE, {"max_depth": 3})
    yield Setting("rooted-trees", named("rooted-trees", 8), "rooted-trees", ("criteria",), CAPPED)


def shared_settings() -> Iterator[Setting]:
    """Those of real data."""
    yield Setting("vote", delimited("uci/house-votes-84.data", 17, 0, 2, ","), "table", TABLE)
    yield Setting("zoo", named("uci/zoo.arff"), "table", (*WIDE, "tables"))
    yield Setting("audiology", named("uci/audiology.arff", 6), "table", ("criteria", "tables"))
    yield Setting("tic-tac-toe", named("uci/tic-tac-toe.arff", 3), "table", ("criteria", "tables", "prunings"))
    yield Setting("car", named("uci/car.arff", 7), "table", ("criteria", "tables"))
    yield Setting("autompg", named("uci/autompg.arff", 2), "table", (*WIDE, "tables"), {"max_depth": 5})
    yield Setting("servo", named("uci/servo.arff"), "table", (*WIDE, "tables"))
    yield Setting(
        "housing", named("uci/housing.arff", 3), "table", ("criteria", "limits", "prunings"), {"max_depth": 5}
    )
    yield Setting("adult", delimited("uci/adult-train.csv.gz", 15, 14, 60, ","), "table", SOME, {"max_depth": 6})
    yield Setting("adult, tables", delimited("uci/adult-train.csv.gz", 15, 14, 150, ","), "table", ("tables",))
    yield Setting(
        "mushroom", delimited("uci/agaricus-lepiota.data.gz", 23, 0, 20, ","), "table", ("criteria", "tables")
    )
    yield Setting("promoters", delimited("sequences/promoters.data", 59, 58, 1, ",", 0), "table", ("criteria",))
    yield Setting("mutag", named("mutag/"), SMALL_GRAPHS, ("criteria", "listed"), {"max_depth": 3})
    yield Setting("mutag", named("mutag/"), "graphs", ("listed",), {"max_depth": 3})
    yield Setting("mutag as numbers", as_numbers(named("mutag/", 2)), SMALL_GRAPHS, ("criteria",), {"max_depth": 3})
    yield Setting("enzymes", named("enzymes/", 10), SMALL_GRAPHS, ("criteria",), {"max_depth": 3})
    yield Setting("proteins", named("proteins/", 10), SMALL_GRAPHS, ("criteria",), {"max_depth": 3})
    yield Setting("nci1", named("nci1/", 40), SMALL_GRAPHS, ("listed",), {"max_depth": 4})
    yield Setting("musk", musk, THRESHOLDS, ("criteria", "limits"), {"max_depth": 3})
    yield Setting("musk", musk, TWO_BINS, ("criteria",), {"max_depth": 2})
    yield Setting("esol", named("molnet/esol.csv", 12, "logSolubility"), "default", ("listed",), CAPPED)


# ---- cases ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Case:
    """One model, or one split (then ``split`` has its options)."""

    growth: dict[str, Any] = field(default_factory=dict)
    criterion: str | None = None
    weights: str | None = None
    pruning: dict[str, Any] = field(default_factory=dict)
    split: dict[str, Any] | None = None

    @property
    def name(self) -> str:
        """Its options in words."""
        options = {**self.growth, **self.pruning, **(self.split or {})}
        words = [*("best_split" for _ in [0] if self.split is not None), self.criterion, self.weights]
        return ", ".join([word for word in words if word] + [f"{k}={v}" for k, v in options.items()]) or "default"


def criteria_of(numbers: bool) -> tuple[str, ...]:
    """The criteria of a kind of target, and one that is refused."""
    return ("mse", "no such") if numbers else (*CRITERIA, "mse")


def weights_for(numbers: bool) -> tuple[str, ...]:
    """The kinds of weights for a kind of target; priors of numbers are refused."""
    return ("samples", "priors") if numbers else ("samples", "classes", "priors")


def by_criteria(numbers: bool) -> Iterator[Case]:
    for criterion, strategy in product(criteria_of(numbers), STRATEGIES):
        yield Case({"strategy": strategy}, criterion)
    for criterion in criteria_of(numbers)[:-1]:
        yield Case({"max_leaf_nodes": 4}, criterion)
        yield Case({"stop": "test"}, criterion)
        yield Case({"stop": "mdl", "strategy": "best-first"}, criterion)


def by_limits(numbers: bool) -> Iterator[Case]:
    for strategy, limits in product(STRATEGIES, LIMITS):
        yield Case({"strategy": strategy, **limits}, None if numbers else "entropy")


def by_tables(numbers: bool) -> Iterator[Case]:
    criteria = ("mse",) if numbers else ("acc*", "entropy", "gini", "gain-ratio", "twoing")
    for criterion, nominal, missing in product(criteria, NOMINAL, MISSING):
        yield Case({"nominal": nominal, "missing": missing}, criterion)
    criterion = "mse" if numbers else "gain-ratio"
    for nominal, missing in product(NOMINAL, MISSING):
        yield Case({"nominal": nominal, "missing": missing, "average_gain_filter": True}, criterion)
        for limits in LIMITS:
            yield Case({"nominal": nominal, "missing": missing, **limits}, criterion)
        for weights in weights_for(numbers):
            yield Case({"nominal": nominal, "missing": missing}, criterion, weights)
    for strategy in STRATEGIES[1:]:
        yield Case({"nominal": "multiway", "strategy": strategy}, criterion)
        yield Case({"missing": "majority", "strategy": strategy}, criterion)


def by_weights(numbers: bool) -> Iterator[Case]:
    for criterion, weights, strategy in product(
        ("mse",) if numbers else ("acc*", "gini", "gain-ratio"),
        weights_for(numbers),
        ("auto", "best-first"),
    ):
        yield Case({"strategy": strategy}, criterion, weights)
        yield Case({"strategy": strategy, "max_leaf_nodes": 4, "min_impurity_decrease": 0.01}, criterion, weights)


def by_prunings(numbers: bool) -> Iterator[Case]:
    for criterion, pruning in product(("mse",) if numbers else ("acc*", "gini"), PRUNINGS):
        yield Case({}, criterion, None, pruning)
        yield Case({"max_depth": 4}, criterion, "samples", pruning)
    yield Case({}, None, "costs", {"method": "cost-complexity", "alpha": 0.02})


def by_listing(numbers: bool) -> Iterator[Case]:
    """Only what does not search each node without a limit."""
    criteria = ("mse",) if numbers else ("acc*", "gini", "gain-ratio")
    for criterion, limits in product(criteria, ({}, {"max_leaf_nodes": 6}, {"min_samples_leaf": 5})):
        yield Case({"strategy": "auto", **limits}, criterion)
    for strategy in STRATEGIES:
        yield Case({"strategy": strategy, "max_evaluations": 500})


def by_splits(numbers: bool) -> Iterator[Case]:
    for criterion, strategy in product(criteria_of(numbers)[:-1], STRATEGIES[2:]):
        yield Case({}, criterion, None, {}, {"strategy": strategy})
    yield Case({}, None, None, {}, {"prune": False})
    yield Case({}, None, "samples", {}, {"min_samples_leaf": 3})
    yield Case({}, None, None, {}, {"max_evaluations": 20})


PARTS: dict[str, Callable[[bool], Iterator[Case]]] = {
    "criteria": by_criteria,
    "limits": by_limits,
    "tables": by_tables,
    "weights": by_weights,
    "prunings": by_prunings,
    "listed": by_listing,
    "splits": by_splits,
}

# ---- from a case to a record ----------------------------------------------------------------------------


def recorded(case: Case, within: dict[str, Any], population: Population, target: Any, grammar: Grammar) -> Any:
    """The tree of a case as plain values, or the sentence by which it is refused."""
    weights = weights_of(case.weights, target)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if case.split is not None:
                return split_of(population, target, grammar, case, weights)
            growth, pruning = Growth(**{**within, **case.growth}), Pruning(**case.pruning)
            decision = weights.pop("decision", Decision())
            given = (population, target, grammar, growth, pruning, decision)
            model = fit(*given, grow="full", criterion=case.criterion, **weights)
            return [node_of(node) for node in model.tree.nodes]
    except StructtreeError as error:
        return f"refused: {error}"
    except Exception as error:  # a defect, and what became of it is worth knowing
        return f"failed: {type(error).__name__}: {error}"


def weights_of(kind: str | None, target: Any) -> dict[str, Any]:
    """The arguments for a kind of weights; they follow a fixed rule."""
    classes = sorted(set(target.tolist()))
    match kind:
        case "samples":
            return {"sample_weight": [(0.5, 1.0, 2.0, 0.0, 1.25)[i % 5] for i in range(len(target))]}
        case "classes":
            return {"class_weight": {c: 1.0 + 1.5 * (i % 2) for i, c in enumerate(classes)}}
        case "priors":
            return {"priors": {c: (i + 1) / sum(range(1, len(classes) + 1)) for i, c in enumerate(classes)}}
        case "costs":
            costs = [[0.0 if i == j else 1.0 + i for j in range(len(classes))] for i in range(len(classes))]
            return {"decision": Decision("laplace", costs=costs)}
        case _:
            return {}


def split_of(population: Population, target: Any, grammar: Grammar, case: Case, weights: dict[str, Any]) -> Any:
    """The best split at the root as one node."""
    found = best_split(population, target, grammar, criterion=case.criterion, **weights, **(case.split or {}))
    figures = {"score": found.score, "gap": found.gap, "loss": list(map(float, found.loss))}
    figures |= {"evaluated": found.stats.evaluated, "proved": found.proved, "by": found.stats.stopped_by}
    return [{"test": pretty(found.predicate), "children": [], "figures": rounded(figures)}]


def node_of(node: Any) -> dict[str, Any]:
    """A node: what it asks and where it leads; how many it has seen; and all other figures."""
    stats, found = node.stats, getattr(node, "found", None)
    figures: dict[str, Any] = (
        {"gap": node.gap, "by": node.stopped_by}
        if found is None
        else {
            "criterion": found.criterion,
            "score": found.score,
            "gain": found.gain,
            "proved": found.proved,
            "gap": found.gap,
            "evaluated": found.evaluated,
            "by": found.stopped_by,
            "shares": list(node.shares),
        }
    )
    if hasattr(stats, "counts"):
        figures["counts"] = list(stats.counts)
    else:
        figures |= {"weight": stats.weight, "mean": stats.mean, "variance": stats.variance}
    return {"test": test_of(node), "children": list(node.children), "n": int(stats.n), "figures": rounded(figures)}


def test_of(node: Any) -> str | None:
    """What a node asks, as text."""
    if hasattr(node, "values"):
        return f"switch {node.attribute}: {' | '.join(node.values)}"
    return pretty(node.test) if hasattr(node, "test") else None


def rounded(figures: Any) -> Any:
    """The same with floats as texts of 12 significant digits."""
    match figures:
        case dict():
            return {name: rounded(one) for name, one in figures.items()}
        case list():
            return [rounded(one) for one in figures]
        case bool() | np.bool_():
            return bool(figures)
        case int() | np.integer():
            return int(figures)
        case float() | np.floating():
            return repr(float(f"{float(figures):.12g}") + 0.0)
        case _:
            return figures


def grammar_of(text: str, population: Population) -> Grammar:
    """A grammar by its text, its name, or as it is made for the data."""
    if text == "default":
        return structtree.default_grammar(population)
    if text == "table":
        return Grammar.from_schema(population.schema)
    return Grammar.load(text) if text in structtree.shipped_grammars() else Grammar.parse(text)


def matrix(embedded: bool, only: str | None, slow: float) -> Iterator[tuple[str, Any]]:
    """The name of every case with what became of it."""
    settings = [*embedded_settings(), *(shared_settings() if SHARED.exists() and not embedded else ())]
    for setting in settings:
        if only is not None and only not in setting.name:
            continue
        started, n = time.perf_counter(), 0
        population, target = setting.opened()
        grammar = grammar_of(setting.grammar, population)
        numbers = target.dtype.kind == "f"
        for part in setting.parts:
            for case in PARTS[part](numbers):
                since = time.perf_counter()
                yield (
                    f"{setting.name} / {setting.grammar[:40]} / {part} / {case.name}",
                    recorded(case, setting.within, population, target, grammar),
                )
                if time.perf_counter() - since > slow:
                    print(f"    {time.perf_counter() - since:.1f} s: {part}, {case.name}", file=sys.stderr)
                n += 1
        seconds = time.perf_counter() - started
        print(f"{setting.name}, {setting.grammar[:40]}: {n} cases, {seconds:.1f} s", file=sys.stderr, flush=True)


# ---- comparing ------------------------------------------------------------------------------------------


def difference(old: Any, new: Any) -> tuple[str, str]:
    """How two records of one case differ, and where first."""
    if old == new:
        return "same", ""
    if isinstance(old, str) or isinstance(new, str):
        return "differs", f"{outline(old)}  ->  {outline(new)}"
    shape = (
        [{k: v for k, v in node.items() if k != "figures"} for node in old],
        [{k: v for k, v in node.items() if k != "figures"} for node in new],
    )
    if shape[0] != shape[1]:
        place = next((i for i, (a, b) in enumerate(zip(*shape, strict=False)) if a != b), min(map(len, shape)))
        pair = [nodes[place] if place < len(nodes) else "no such node" for nodes in shape]
        return "differs", f"{len(old)} -> {len(new)} nodes; node {place}: {pair[0]}  ->  {pair[1]}"
    place = next(i for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b)
    a, b = old[place]["figures"], new[place]["figures"]
    parts = [f"{k} {a.get(k)} -> {b.get(k)}" for k in {**a, **b} if a.get(k) != b.get(k)]
    return "same tests, other figures", f"node {place}: {', '.join(parts)}"


def outline(record: Any) -> str:
    """A record in a few words."""
    return record if isinstance(record, str) else f"{len(record)} nodes, first {record[0]['test']}"


def compare(path: Path, embedded: bool, only: str | None, slow: float) -> int:
    """Print every case that differs from the file, and how many there are of each kind."""
    before = json.loads(path.read_text(encoding="utf-8"))
    kinds: Counter[str] = Counter()
    for name, new in matrix(embedded, only, slow):
        kind, where = difference(before[name], new) if name in before else ("new case", "")
        kinds[kind] += 1
        if kind != "same":
            print(f"{kind}: {name}\n    {where}", flush=True)
    print(", ".join(f"{kind}: {n:,}" for kind, n in sorted(kinds.items())))
    return 0 if set(kinds) <= {"same"} else 1


def record(path: Path, embedded: bool, only: str | None, slow: float) -> int:
    """Write every case to the file, one to a line."""
    cases = dict(matrix(embedded, only, slow))
    lines = [f"{json.dumps(name)}: {json.dumps(case, sort_keys=True)}" for name, case in cases.items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    kinds = Counter(case.split(":")[0] if isinstance(case, str) else "tree" for case in cases.values())
    print(f"{len(cases):,} cases: {dict(kinds)}")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=["record", "compare"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--embedded", action="store_true", help="leave out ../shared/data")
    parser.add_argument("--only", help="settings whose name contains this text")
    parser.add_argument("--slow", type=float, default=2.0, help="name the cases that take longer, in seconds")
    options = parser.parse_args()
    action = record if options.action == "record" else compare
    return action(options.file, options.embedded, options.only, options.slow)


if __name__ == "__main__":
    sys.exit(main())
