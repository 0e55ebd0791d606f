"""Features: columns of 0 and 1 are what tests say, and numbers compare with thresholds as predicates do."""

from __future__ import annotations

import numpy as np
import pytest

from structtree import Population, StructuralFeatures, holds, parse_predicate
from structtree.errors import UsageError
from structtree.lang import syntax as syn
from structtree.lang.pretty import pretty
from structtree.lang.walk import peel, with_number
from structtree.models.features import SelectedFeature, feature_values
from structtree.models.ladders import numbers_of
from tests.loans import loans
from tests.random_predicates import RandomPredicates


def parts(predicate):
    """The conjuncts of a predicate."""
    return predicate.parts if isinstance(predicate, syn.And) else (predicate,)


def numeric_tests(population, seed, n):
    """Random tests that compare a number, with the numbers of all individuals."""
    source = RandomPredicates(population, seed)
    for _ in range(n):
        for test in parts(source.predicate(population.schema.individual)):
            numbers = numbers_of(test, population)
            if numbers is not None:
                yield test, numbers[population.individuals]


@pytest.mark.parametrize("seed", range(3))
def test_a_number_reaches_a_threshold_exactly_if_the_predicate_holds(seed):
    population, n = loans(40, seed, missing=0.2), 0
    for test, numbers in numeric_tests(population, seed, 200):
        feature, known = SelectedFeature(test, True), numbers[~np.isnan(numbers)]
        for threshold in np.unique(known)[:: max(1, len(known) // 3)].tolist():
            below = numbers <= threshold if peel(test)[1].op == "<=" else numbers >= threshold
            assert holds(feature.at(threshold), population).tolist() == below.tolist(), pretty(test)
            n += 1
    assert n > 50


def test_a_test_has_no_threshold_and_other_data_no_sql():
    feature = SelectedFeature(parse_predicate("exists cars (long)"), False)
    assert feature.name == "exists cars (long)"
    with pytest.raises(UsageError, match="is a test, not a number, so it has no threshold; got 3"):
        feature.at(3)
    found = StructuralFeatures(k=1).fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"])
    with pytest.raises(UsageError, match="SQL needs individuals from the tables of a database"):
        found.feature_sql(0)


def test_names_tell_what_a_number_is():
    texts = {
        "count atoms (element = N) >= 3": "count atoms (element = N)",
        "mean atoms.charge <= 0.5": "mean atoms.charge",
        "engine (power >= 0.5)": "engine.power",
        "size >= 3": "size",
    }
    assert {text: SelectedFeature(parse_predicate(text), True).name for text in texts} == texts


def test_values_behind_a_missing_reference_are_missing():
    records = [
        {"engine": {"power": 3, "parts": [{"kg": 1}, {"kg": 4}]}},
        {},
        {"engine": {"power": None, "parts": []}},
    ]
    population = Population.from_records(records)
    tests = ["engine (power >= 1)", "engine (count parts (kg >= 2) >= 1)", "engine (sum parts.kg >= 1)"]
    features = [SelectedFeature(parse_predicate(text), True) for text in tests]
    found = feature_values(features, population)
    assert np.array_equal(found, [[3, 1, 5], [np.nan] * 3, [np.nan, 0, 0]], equal_nan=True)
    for place, feature in enumerate(features):
        held = holds(with_number(feature.predicate, 1), population)
        assert held.tolist() == (found[:, place] >= 1).tolist()
