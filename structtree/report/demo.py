"""The demonstration on the twenty trains: data, a grammar, its space, a few answers, and the best predicate."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from structtree.data.catalog import Dataset, load_dataset
from structtree.lang.grammar import Grammar
from structtree.lang.pretty import pretty
from structtree.search.best_split import best_split
from structtree.space.count import count_space
from structtree.space.evaluate import holds
from structtree.space.meaning import witnesses
from structtree.space.space import Space

__all__ = ["demonstrate"]

ASKED = (
    "exists cars (long)",
    "exists cars (load.shape = triangle)",
    "exists cars (not long and closed)",
    "count cars (top) >= 4",
    "exists cars (long and next (not long))",
)


def demonstrate() -> Iterator[str]:
    """The lines of the demonstration, as they are found."""
    trains = load_dataset("trains")
    grammar = Grammar.load("trains")
    space = Space.build(grammar, trains.population)
    yield from _data(trains)
    yield ""
    yield "A grammar says what may be asked of a train:"
    yield ""
    yield from (f"    {line}" for line in str(grammar).rstrip("\n").splitlines())
    yield ""
    yield from _space(space)
    yield ""
    yield from _answers(trains, space)
    yield ""
    yield "Searching for the best of them (the first time on a machine the loops are compiled) ..."
    yield from _search(trains, space)


def _search(trains: Dataset, space: Space) -> Iterator[str]:
    found = best_split(trains.population, trains.target, space)
    proved = "proved best" if found.proved else "best so far"
    yield f"    {pretty(found.predicate)}: accuracy {found.score:g}, {proved},"
    yield f"    by evaluating {found.stats.evaluated:,} predicates. See also: structtree effort trains"


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
    yield from (f"    {pretty(predicate)}" for predicate in islice(space.refine(space.root().predicate), 4))


def _answers(trains: Dataset, space: Space) -> Iterator[str]:
    yield f"{'How many trains satisfy':48} east  west  in the space"
    for text in ASKED:
        predicate = space.parse(text)
        true = holds(predicate, trains.population)
        east, west = ((true & (trains.target == way)).sum() for way in ("east", "west"))
        yield f"    {pretty(predicate):44} {east:4}  {west:4}  {'yes' if predicate in space else 'no'}"
    chosen = space.parse(ASKED[1])
    rows = [w for w in witnesses(chosen, trains.population, 0) if w.path]
    yield ""
    yield f"Why does '{pretty(chosen)}' hold of the first train? Because of"
    yield from (f"    {w.path}: {pretty(w.predicate)}" for w in rows)
