"""How long a derived link with ten million pairs takes, and how much memory; run with `python benchmarks/links.py`.

In 1,000 trains of 100 cars each car asks for the other cars of its train, for those with the same load, with their
distance, in order of it, and for all cars in front of it. In a random graph each node asks for the nodes two steps
away. The greatest memory is that of the process; give one name as an argument to measure a link alone.
"""

from __future__ import annotations

import resource
import sys
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from structtree import Grammar, Population
from structtree.data.population import Adjacency, Column, linked_population, typed_table
from structtree.data.schema import Link
from structtree.space.background import with_background

LINKS = {
    "all pairs": "link other: Car -> set of Car = ~cars.cars",
    "not me": "link other: Car -> set of Car = ~cars.cars where not me",
    "the same shape": "link rival: Car -> set of Car = ~cars.cars where load.shape = my load.shape and not me",
    "with a gap": "link other: Car -> set of Car = ~cars.cars where not me with gap = position - my position",
    "in order": "link other: Car -> list of Car = ~cars.cars where not me with gap = abs(position - my position) "
    "sorted by gap",
    "closure": "link after: Car -> set of Car = follows+",
    "two steps": "link near: Car -> set of Car = knows.knows where not me",
}


@dataclass(frozen=True, slots=True)
class Timing:
    """Pairs, seconds, and the greatest memory of the process so far, in megabytes."""

    pairs: int
    seconds: float
    megabytes: float


def trains(n_trains: int, n_cars: int, seed: int = 0) -> Population:
    """Return trains of equally many cars, each with a load, a position and the car before it."""
    rng, n = np.random.default_rng(seed), n_trains * n_cars
    places = np.arange(n)
    before = np.where(places % n_cars == 0, -1, places - 1)
    follows = Adjacency.from_lengths((before >= 0).astype(np.int64), before[before >= 0])
    shapes = Column("nominal", rng.integers(0, 4, n).astype(np.int32), ("circle", "hexagon", "square", "triangle"))
    car = typed_table(
        "Car",
        n,
        {"position": Column("int", (places % n_cars).astype(np.float64))},
        {
            Link("load", "one", "Load"): Adjacency.single(places),
            Link("follows", "optional", "Car"): follows,
            Link("knows", "set", "Car"): _random_graph(n, 10, rng),
        },
    )
    train = typed_table(
        "Train", n_trains, {}, {Link("cars", "list", "Car"): Adjacency.in_order(np.full(n_trains, n_cars))}
    )
    return linked_population("Train", [train, car, typed_table("Load", n, {"shape": shapes})])


def _random_graph(n: int, degree: int, rng: np.random.Generator) -> Adjacency:
    """Return links from each of n rows to so many random ones, none twice."""
    targets = (rng.integers(0, n, n)[:, None] + rng.permutation(n)[:degree]) % n
    return Adjacency.from_lengths(np.full(n, degree), targets.ravel())


def timed(population: Population, declaration: str) -> Timing:
    """Return what one derived link takes."""
    grammar = Grammar.parse(f"{declaration} refine Train {{ top -> exists cars (top) }}")
    begun = perf_counter()
    made = with_background(population, grammar, {})
    seconds = perf_counter() - begun
    (link,) = (each for each in made.schema.type("Car").links if each.derived)
    pairs = len(made.table("Car").links[link.name].targets)
    return Timing(pairs, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main(n_trains: int = 1000, n_cars: int = 100) -> None:
    """Print a line for each link, or for those that are named."""
    population = trains(n_trains, n_cars)
    chosen = sys.argv[1:] or list(LINKS)
    for name in chosen:
        found = timed(population, LINKS[name])
        print(f"{name:16} {found.pairs:>12,} pairs  {found.seconds:6.2f} s  {found.megabytes:6.0f} MB")


if __name__ == "__main__":
    main()
