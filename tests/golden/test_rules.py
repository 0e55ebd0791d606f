"""Rules worked out in a book: P. Flach, "Machine Learning", chapter 6, on the dolphins."""

from __future__ import annotations

import pytest

from structtree import RuleListClassifier, RuleSetClassifier, load_dataset, pretty


@pytest.fixture(scope="module")
def dolphins():
    data = load_dataset("dolphins")
    rows = [data.population.record(row) for row in range(len(data.target))]
    return [{**row, "length": str(row["length"])} for row in rows], data.target


def texts(rules):
    return [f"{pretty(rule.conditions)} then {rule.prediction}" for rule in rules]


def test_the_list_of_example_6_1(dolphins):
    """Its first rules are those of the book; three individuals remain, of which every single one has a pure rule."""
    found = RuleListClassifier(literals=1, measure="laplace", min_support=1).fit(*dolphins)
    *rules, default = found.rules_
    assert texts(rules)[:2] == ["gills = yes then no", "teeth = many then yes"]
    assert 'length = "4" then no' in texts(rules)
    assert default.prediction == "yes"
    assert all(rule.confidence == 1 for rule in found.rules_)
    assert found.score(*dolphins) == 1


def test_the_rules_r1_to_r5_of_example_6_3(dolphins):
    found = RuleSetClassifier(literals=2, measure="precision", min_support=1).fit(*dolphins)
    assert texts(found.rules_[:-1]) == [
        "gills = yes then no",
        'length = "4" and teeth = few then no',
        'length = "3" then yes',
        'gills = no and length = "5" then yes',
        "gills = no and teeth = many then yes",
    ]


def test_laplace_is_less_myopic_than_precision(dolphins):
    """Figure 6.10: precision begins with length 3, Laplace with the rule that covers three."""
    of_class = {
        measure: RuleSetClassifier(literals=2, measure=measure, min_support=1).fit(*dolphins).rules_[2]
        for measure in ("precision", "laplace")
    }
    assert texts(of_class.values()) == ['length = "3" then yes', "gills = no and teeth = many then yes"]
    assert [rule.n for rule in of_class.values()] == [2, 3]
