"""Public functions that get something plausible but wrong: one sentence that says what they need."""

from __future__ import annotations

import numpy as np
import pytest

import structtree as st
from structtree.errors import StructtreeError

ROWS = [{"a": 1, "b": True}, {"a": 2, "b": False}, {"a": 3, "b": True}]
LABELS = ["no", "yes", "yes"]
GRAMMAR = "refine Individual { top -> a >= *; top -> b }"
PEOPLE = st.Population.from_records(ROWS)
TREE = st.grow(ROWS, LABELS, GRAMMAR)
MODEL = st.fit(ROWS, LABELS, GRAMMAR)
SPLIT = st.best_split(ROWS, LABELS, GRAMMAR)
TEST = st.parse_predicate("a >= 2")

DECISION = "decision must be a Decision or None; got 't'"
TEXT = "predicate must be a Predicate; read text with parse_predicate; got 'a >= 2'"
LENGTH = r"expected 3 labels, one for each individual; got an array of shape \(2,\)"


@pytest.mark.parametrize(
    ("use", "sentence"),
    {
        "formula": (lambda: st.to_formula(TREE, "t"), DECISION),
        "formula of a model": (lambda: st.to_formula(MODEL, "t"), DECISION),
        "rules": (lambda: st.to_rules(TREE, decision="t"), DECISION),
        "explanation": (lambda: st.explain(TREE, ROWS, 0, decision="t"), DECISION),
        "picture": (lambda: st.plot_tree(TREE, decision="t"), DECISION),
        "report": (lambda: st.html_report(TREE, ROWS, LABELS, decision="t"), DECISION),
        "decision of a fit": (lambda: st.fit(ROWS, LABELS, GRAMMAR, decision="t"), DECISION),
        "growth of a fit": (
            lambda: st.fit(ROWS, LABELS, GRAMMAR, "deep"),
            "growth must be a Growth or None; got 'deep'",
        ),
        "growth": (
            lambda: st.grow(ROWS, LABELS, GRAMMAR, {"max_depth": 3}),
            "growth must be a Growth or None; got a dict",
        ),
        "pruning": (lambda: st.fit(ROWS, LABELS, GRAMMAR, pruning=0.1), "pruning must be a Pruning or None; got 0.1"),
        "class weights": (
            lambda: st.fit(ROWS, LABELS, class_weight=2.0),
            "class_weight must be a mapping from class to weight, 'balanced' or None; got 2.0",
        ),
        "weights": (lambda: st.fit(ROWS, LABELS, sample_weight="w"), "expected 3 sample weights; got 'w'"),
        "criterion": (lambda: st.fit(ROWS, LABELS, criterion=3), "criterion must be a name or a Criterion; got 3"),
        "grammar of a fit": (
            lambda: st.fit(ROWS, LABELS, TEST),
            "grammar must be a name, a file, grammar text or a Grammar; got a Compare",
        ),
        "grammar": (lambda: st.grow(ROWS, LABELS, None), "grammar must be a name, .*; got None"),
        "grammar of a search": (lambda: st.best_split(ROWS, LABELS, TREE), "grammar must be a name, .*; got a Tree"),
        "leaf size": (
            lambda: st.best_split(ROWS, LABELS, GRAMMAR, min_samples_leaf="3"),
            "min_samples_leaf must be an int >= 1; got '3'",
        ),
        "time": (
            lambda: st.best_split(ROWS, LABELS, GRAMMAR, time_limit="1 s"),
            "time_limit must be a number of seconds or None",
        ),
        "start": (
            lambda: st.best_split(ROWS, LABELS, GRAMMAR, start="a >= 2"),
            "start must be a predicate, .*; got 'a >= 2'",
        ),
        "space": (
            lambda: st.count_space(GRAMMAR),
            r"space must be a Space; build it with Space.build\(",
        ),
        "text to hold": (lambda: st.holds("a >= 2", PEOPLE), TEXT),
        "text to satisfy": (lambda: st.satisfies("a >= 2", PEOPLE, 0), TEXT),
        "text to witness": (lambda: st.witnesses("a >= 2", PEOPLE, 0), TEXT),
        "text to print": (lambda: st.pretty("a >= 2"), TEXT),
        "canonical text": (lambda: st.canonical("a >= 2"), TEXT),
        "text in words": (lambda: st.in_words("a >= 2", PEOPLE.schema), TEXT),
        "words of a population": (lambda: st.in_words(TEST, PEOPLE), "schema must be a Schema, .*; got a Population"),
        "individual": (
            lambda: st.satisfies(TEST, PEOPLE, "Ann"),
            "individual must be the index of an individual, counted from 0; got 'Ann'",
        ),
        "model": (
            lambda: st.evaluate("model.json", ROWS, LABELS),
            "expected a tree, a model or a fitted estimator, got 'model.json'",
        ),
        "labels": (lambda: st.evaluate(MODEL, ROWS, LABELS[:2]), LENGTH),
        "name of labels": (
            lambda: st.evaluate(MODEL, ROWS, "y"),
            "expected 3 labels, one for each individual; got 'y'",
        ),
        "labels of a report": (lambda: st.html_report(MODEL, ROWS, LABELS[:2]), LENGTH),
        "split": (lambda: st.why_not(MODEL, TEST), "split must be what best_split has found; got a Model"),
        "asked for": (lambda: st.why_not(SPLIT, None), "predicate must be a predicate or its text; got None"),
        "data set": (lambda: st.load_dataset(None), "unknown dataset"),
    }.values(),
)
def test_what_is_plausible_but_wrong_is_refused_in_a_sentence(use, sentence):
    with pytest.raises(StructtreeError, match=sentence) as caught:
        use()
    assert "\n" not in str(caught.value)


def test_numbers_of_numpy_are_numbers():
    found = st.best_split(ROWS, LABELS, GRAMMAR, min_samples_leaf=np.int64(1), time_limit=np.float32(5))
    assert st.satisfies(found.predicate, PEOPLE, np.int64(1)) == st.satisfies(found.predicate, PEOPLE, 1)


def test_a_tree_can_be_evaluated_as_a_model_can():
    assert (
        st.evaluate(TREE, ROWS, LABELS).values == st.evaluate(st.Model(st.TreePredictor(TREE)), ROWS, LABELS).values
    )


def test_a_grammar_may_be_given_by_its_name_or_its_text_everywhere():
    trains = st.load_dataset("trains")
    by_name, loaded = (
        st.best_split(trains.population, trains.target, g) for g in ("trains", st.Grammar.load("trains"))
    )
    assert st.pretty(by_name.predicate) == st.pretty(loaded.predicate)
    assert np.array_equal(st.grow(ROWS, LABELS, GRAMMAR).apply(PEOPLE), TREE.apply(PEOPLE))
