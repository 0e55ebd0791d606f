"""Scores without scikit-learn are those of scikit-learn."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, r2_score

from structtree.data.schema import RecordType, Schema
from structtree.errors import DataError
from structtree.learn.score import score
from structtree.learn.tree import ClassCounts, Leaf, Moments, Tree

SCHEMA = Schema((RecordType("Car"),), "Car")
CLASSES = Tree((Leaf(ClassCounts(2, (1.0, 1.0))),), SCHEMA, ("no", "yes"))
NUMBERS = Tree((Leaf(Moments(2, 2.0, 0.5, 0.1)),), SCHEMA)

labels = st.sampled_from(["no", "yes"])
numbers = st.integers(-9, 9).map(lambda k: k / 2)


@given(st.lists(st.tuples(labels, labels), min_size=1))
def test_accuracy_is_that_of_scikit_learn(pairs):
    said, true = zip(*pairs, strict=True)
    assert score(CLASSES, said, true).value == pytest.approx(accuracy_score(true, said))


@given(st.lists(st.tuples(numbers, numbers), min_size=2))
def test_explained_variance_is_that_of_scikit_learn(pairs):
    said, true = zip(*pairs, strict=True)
    assert score(NUMBERS, said, true).value == pytest.approx(r2_score(true, said))


def test_a_class_is_known_by_its_name():
    whole = Tree(CLASSES.nodes, SCHEMA, (0, 1))
    assert str(score(whole, [0, 1, 1], ["0", "1", "0"])) == "accuracy 0.667 (2 of 3)"
    assert score(whole, [0, 1], [0.0, 1.0]).value == 1.0


def test_what_cannot_be_scored_is_refused():
    with pytest.raises(DataError, match="no individuals"):
        score(CLASSES, [], [])
    with pytest.raises(DataError, match="the model predicts numbers; the data has values such as 'high'"):
        score(NUMBERS, [1.0], ["high"])
