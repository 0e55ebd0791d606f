"""The rules behind the generated data sets, asked as predicates, give back the classes."""

from __future__ import annotations

import pytest

from structtree.data.datasets.catalog import load_dataset
from structtree.data.datasets.generators import PLANTED_RULES
from structtree.lang.grammar import Grammar
from structtree.lang.parse import parse_predicate
from structtree.space.evaluate import holds
from structtree.space.space import Space

SMALL = {
    "leap-years": {},
    "planted-trains": {"n": 200, "seed": 3},
    "planted-molecules": {"n": 100, "seed": 3},
    "bags": {"n": 60, "seed": 3},
    "sequences": {"n": 100, "seed": 3},
    "rooted-trees": {"n": 100, "seed": 3},
}


@pytest.mark.parametrize("name", sorted(PLANTED_RULES))
def test_the_planted_rule_separates_the_classes(name):
    data = load_dataset(name, **SMALL[name])
    true = holds(parse_predicate(PLANTED_RULES[name]), data.population)
    classes = {bool(t): set(data.target[true == t].tolist()) for t in (True, False)}
    assert len(classes[True]) == len(classes[False]) == 1
    assert classes[True] != classes[False]


def test_flachs_literals_cover_what_he_says():
    """The coverage counts of the nine literals of figure 6.2."""
    dolphins = load_dataset("dolphins")
    expected = {
        "length = 3": (2, 0),
        "length = 4": (1, 3),
        "length = 5": (2, 2),
        "gills = yes": (0, 4),
        "gills = no": (5, 1),
        "beak = yes": (5, 3),
        "beak = no": (0, 2),
        "teeth = many": (3, 4),
        "teeth = few": (2, 1),
    }
    space = Space.build(Grammar.from_schema(dolphins.population.schema), dolphins.population)
    positive = sorted(set(dolphins.target), key=lambda label: dolphins.target[0] != label)[0]
    for text, counts in expected.items():
        true = holds(space.parse(text), dolphins.population)
        yes = dolphins.target == positive
        assert (int((true & yes).sum()), int((true & ~yes).sum())) == counts, text


def test_michalskis_rule_holds_of_exactly_the_eastbound_trains():
    """The rule of Michalski and Larson for the ten trains: some car is short and closed."""
    ten = load_dataset("michalski10")
    true = holds(parse_predicate('exists cars (not long and roof != "none")'), ten.population)
    assert true.tolist() == (ten.target == "east").tolist()
