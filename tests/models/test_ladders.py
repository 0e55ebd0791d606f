"""Ladders: the rank of an individual is the number of tests that hold, however it is computed."""

from __future__ import annotations

import numpy as np
import pytest

from structtree import Population
from structtree.data.json_parts import JsonPart
from structtree.errors import DataError
from structtree.lang.check import check
from structtree.lang.parse import parse_predicate
from structtree.lang.syntax import GrammarSyntax
from structtree.models.files.test_reader import TestReader
from structtree.models.ladders import Thresholds, ladder_from_json, ladder_ranks, ladder_to_json
from structtree.space.evaluate import holds


def trains(n, seed):
    rng = np.random.default_rng(seed)

    def car():
        found = {"wheels": int(rng.integers(1, 5)), "load": {"kg": float(rng.integers(0, 9)) / 2}}
        return {"wheels": found["wheels"]} if rng.random() < 0.2 else found

    records = [
        {"age": int(rng.integers(0, 9)), "engine": {"power": float(rng.random())}, "cars": [car() for _ in range(m)]}
        for m in rng.integers(0, 6, n).tolist()
    ]
    for record in records[::7]:
        del record["age"]
    return Population.from_records(records, individual="Train")


def ladder(*texts):
    return tuple(map(parse_predicate, texts))


LADDERS = {
    "thresholds": Thresholds(parse_predicate("age >= 1"), (1, 3, 3.5, 8)),
    "upper bounds": Thresholds(parse_predicate("age <= 1"), (8, 6, 2, 0)),
    "behind a reference": Thresholds(parse_predicate("engine (power >= 0.5)"), (0.1, 0.5, 0.9)),
    "an aggregate": Thresholds(parse_predicate("mean cars.wheels >= 2.0"), (1.5, 2.0, 3.25)),
    "counts": ladder(*(f"count cars (wheels >= 2) >= {n}" for n in (1, 2, 4))),
    "thresholds behind a link": ladder(*(f"exists cars (wheels >= {n})" for n in (1, 2, 3, 4))),
    "counts of different rows": ladder("count cars (wheels >= 1) >= 1", "count cars (wheels >= 2) >= 2"),
    "one test": ladder("age = 3"),
}


@pytest.mark.parametrize("name", LADDERS)
def test_the_rank_is_the_number_of_tests_that_hold(name):
    population, tests = trains(80, 1), LADDERS[name]
    expected = sum(holds(test, population).astype(int) for test in tests)
    assert 0 < expected.sum() < len(tests) * len(population)
    some = np.array([5, 3, 70, 7])
    both = ladder_ranks([tests, LADDERS["one test"]], population)
    assert both[:, 0].tolist() == expected.tolist()
    assert ladder_ranks([tests], population.take(some))[:, 0].tolist() == expected[some].tolist()


def reader(population):
    return TestReader(population.schema, check(GrammarSyntax(), population.schema))


@pytest.mark.parametrize("name", LADDERS)
def test_a_ladder_is_restored_from_json(name):
    found = ladder_from_json(JsonPart(ladder_to_json(LADDERS[name])), reader(trains(20, 0)))
    assert type(found) is type(LADDERS[name]) and list(map(str, found)) == list(map(str, LADDERS[name]))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"tests": []}, "expected one test or more"),
        ({"tests": ["weight >= 3"]}, "unknown"),
        ({"test": "age >= 3", "values": []}, "expected numbers"),
        ({"test": "age >= 3", "values": [1, "2"]}, "expected numbers"),
        ({"test": "age >= 3", "values": [3, 1]}, "from the most general to the strictest"),
        ({"test": "age <= 3", "values": [1, 3]}, "from the most general to the strictest"),
        ({"test": "exists cars (top)", "values": [1]}, "expected a comparison of a number"),
    ],
)
def test_a_damaged_ladder_is_refused(value, message):
    with pytest.raises(DataError, match=message):
        ladder_from_json(JsonPart(value), reader(trains(20, 0)))
