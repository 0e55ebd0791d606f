"""The demonstration on the twenty trains: data, a grammar, the tree, its rules, an explanation, and the effort."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from structtree.data.datasets.catalog import Dataset, load_dataset
from structtree.evaluation.score import evaluate
from structtree.lang.grammar import Grammar
from structtree.lang.pretty import pretty
from structtree.learn.fit import fit
from structtree.models.model import Model
from structtree.models.rules import to_rules
from structtree.remarks import shell_command
from structtree.report.effort import Effort, compare_effort
from structtree.report.explain import explain
from structtree.report.text import export_text
from structtree.space.count import count_space
from structtree.space.space import Space

__all__ = ["demonstrate"]

EXHAUSTIVE_SECONDS = 3.0
"""Time limit for the search without pruning; a longer search is estimated."""


def demonstrate() -> Iterator[str]:
    """Yield the lines of the demonstration as they are produced."""
    trains, grammar = load_dataset("trains"), Grammar.load("trains")
    yield from _data(trains)
    yield "\nA grammar defines the tests that a tree may use:\n"
    yield from _indented(str(grammar).rstrip("\n").splitlines())
    yield ""
    yield from _space(Space.build(grammar, trains.population))
    yield "\nLearning which trains go east (the first run on a machine compiles the search) ...\n"
    model = fit(trains.population, trains.target, grammar)
    yield from _learned(trains, model)
    yield "\nWhat pruning saves in the search for the first test ...\n"
    yield from _effort(
        *compare_effort(trains.population, trains.target, grammar, ["acc*"], exhaustive_limit=EXHAUSTIVE_SECONDS)
    )
    yield f"\nOn your own data: {shell_command('fit', 'DATA', target='ATTRIBUTE')} -o model.json"


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"    {line}" if line else "" for line in lines)


def _data(trains: Dataset) -> Iterator[str]:
    population = trains.population
    cars = population.table("Car").n_rows
    yield f"{len(population)} trains with {cars} cars (the East-West challenge). The first one:"
    for i, car in enumerate(population.record(0)["cars"]):
        yield f"    car {i + 1}: {', '.join(f'{key} {_plain(value)}' for key, value in car.items())}"


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return " ".join(str(part) for part in value.values())
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def _space(space: Space) -> Iterator[str]:
    size = count_space(space).size
    yield f"It derives {size:,} predicates (counted, not enumerated). The first refinements of 'top':"
    yield from _indented(pretty(predicate) for predicate in islice(space.refine(space.root().predicate), 4))


def _learned(trains: Dataset, model: Model) -> Iterator[str]:
    tree = model.tree
    yield from _indented(export_text(tree).splitlines())
    right = evaluate(model, trains.population, trains.target)
    yield f"\nOn the twenty trains: {right}. The tree as rules:\n"
    yield from _indented(map(str, to_rules(tree)))
    # The longest path has the most to explain.
    leaf_of = tree.apply(trains.population)
    deepest = max(range(len(leaf_of)), key=lambda train: (tree.depths[leaf_of[train]], -train))
    yield f"\nWhy does train {deepest} go {trains.target[deepest]}?\n"
    yield from _indented(str(explain(tree, trains.population, deepest)).splitlines())


def _effort(effort: Effort) -> Iterator[str]:
    about = "about " if effort.exhaustive_estimated else ""
    proved = "proved best" if effort.proved else "best so far"
    yield f"    {effort.predicate}: accuracy {effort.score:g}, {proved}"
    yield f"    with pruning     {effort.evaluated:>9,} predicates in {effort.seconds:.2g} s"
    if effort.evaluated_exhaustive is not None and effort.seconds_exhaustive is not None:
        whole, seconds = effort.evaluated_exhaustive, effort.seconds_exhaustive
        yield f"    without pruning  {whole:>9,} predicates in {about}{seconds:.2g} s"
    yield "    More of this: structtree effort trains"
