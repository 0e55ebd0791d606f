from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree.data.datasets.catalog import load_dataset
from structtree.data.population import Population
from structtree.errors import UsageError
from structtree.estimators import StructuralTreeClassifier
from structtree.lang import syntax as syn
from structtree.lang.parse import parse_predicate
from structtree.models.leaves import Decision
from structtree.models.model import fitted
from structtree.models.tree import Moments
from structtree.report.explain import Shared, _passed, explain, explain_prepared, reasons_prepared
from structtree.report.pictures.highlights import marks_of
from structtree.space.meaning import satisfies, witnesses
from tests.learn.asking_trees import CLASSES, ask, counts, trees
from tests.strategies import populations, schemas

TRAIN = {
    "speed": 30,
    "cars": [
        {"long": True, "wheels": 3, "load": {"shape": "circle"}},
        {"long": False, "wheels": 2},
        {"long": False, "wheels": 1, "load": {"shape": "square"}},
    ],
}
TRAINS = Population.from_records(
    [TRAIN, {"speed": None, "cars": []}, {"speed": 5, "cars": [{"long": None}]}], individual="Train"
)


def asked(test, individual=0):
    """The lines that explain one answer."""
    tree = ask(TRAINS.schema, (test, counts(0, 3), counts(2, 0)))
    lines = str(explain(tree, TRAINS, individual)).splitlines()
    return [line.strip() for line in lines[2:-1]]


@st.composite
def cases(draw):
    schema = draw(schemas())
    population = draw(populations(schema))
    return draw(trees(schema)), population, draw(st.integers(0, len(population) - 1))


# ---- laws -----------------------------------------------------------------------------------------------


@given(cases())
def test_the_path_is_the_one_that_the_tree_takes(case):
    tree, population, who = case
    found = explain(tree, population, who)
    assert found.leaf == tree.apply(population)[who]
    assert [(r.node, r.answer) for r in found.reasons] == [(s.branch, s.answer) for s in tree.path(found.leaf)]
    assert all(r.answer == satisfies(tree.nodes[r.node].test, population, who) for r in found.reasons)
    assert found.prediction in CLASSES


@given(cases())
def test_a_yes_shows_only_witnesses(case):
    tree, population, who = case
    for reason in explain(tree, population, who).reasons:
        test = tree.nodes[reason.node].test
        paths = {(w.path, w.type) for w in witnesses(test, population, who)}
        if reason.answer and parse_predicate(reason.test) == test and not reason.test.startswith("not ("):
            assert {(row.path, row.type) for row in reason.rows} <= paths


@given(cases())
def test_every_answer_has_something_to_show_for_it(case):
    tree, population, who = case
    for reason in explain(tree, population, who).reasons:
        assert reason.rows


@given(cases())
def test_an_explanation_is_json(case):
    tree, population, who = case
    found = explain(tree, population, who)
    again = json.loads(json.dumps(found.to_dict()))
    assert [step["test"] for step in again["path"]] == [reason.test for reason in found.reasons]
    assert again["prediction"] == found.prediction
    assert str(found).endswith(found.words)


# ---- yes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("test", "shown"),
    [
        ("speed >= 10", ["speed = 30"]),
        ("exists cars (not long and wheels <= 1)", ["cars[2] (Car): long = no, wheels = 1"]),
        ("exists cars (top)", ["cars[0] (Car)", "cars[1] (Car)", "cars[2] (Car)"]),
        ("exists cars (load.shape = square)", ["cars[2].load (Load): shape = square"]),
        ("exists cars (long) and speed >= 10", ["speed = 30", "cars[0] (Car): long = yes"]),
        ("count cars (long) <= 1", ["count cars (long) = 1"]),
        ("none cars (wheels >= 4)", ["count cars (wheels >= 4) = 0"]),
        (
            "sum cars.wheels >= 6",
            ["sum cars.wheels = 6.0", *(f"cars[{i}] (Car): wheels = {n}" for i, n in enumerate((3, 2, 1)))],
        ),
        (
            "max cars (not long).wheels >= 2",
            ["max cars (not long).wheels = 2.0", "cars[1] (Car): long = no, wheels = 2"],
        ),
        ("latest cars.wheels <= 1", ["latest cars.wheels = 1", "cars[2] (Car): wheels = 1"]),
        ("not (speed >= 40)", ["speed = 30"]),
        ("not (exists cars (wheels >= 4))", ["cars[0] (Car): wheels = 3"]),
        ("first cars (next (missing load))", ["cars[0] (Car)", "cars[1] (Car): load = missing"]),
        ("exists cars (not (long or wheels >= 2))", ["cars[2] (Car): long = no, wheels = 1"]),
    ],
)
def test_a_yes_shows_the_rows_that_made_it_so(test, shown):
    assert asked(test) == shown


def test_what_holds_of_everything_needs_no_rows():
    assert asked("top") == []


def test_many_rows_are_counted_and_all_are_in_the_value():
    crowd = Population.from_records([{"cars": [{"wheels": 2}] * 9}])
    tree = ask(crowd.schema, ("exists cars (wheels >= 1)", counts(0, 3), counts(2, 0)))
    found = explain(tree, crowd, 0)
    assert len(found.reasons[0].rows) == 9
    assert "     … and 5 more" in str(found).splitlines()


# ---- no -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("test", "shown"),
    [
        ("speed >= 40", ["speed = 30"]),
        ("speed >= 40 and exists cars (long)", ["speed = 30, but not speed >= 40"]),
        ("exists cars (wheels >= 5)", ["cars[0] (Car): wheels = 3, but not wheels >= 5"]),
        ("exists cars (load.shape = star)", ["count cars (load.shape = star) = 0"]),
        (
            "exists cars (long and load.shape = square)",
            [
                "count cars (long) = 1, count cars (load.shape = square) = 1",
                "cars[0].load (Load): shape = circle, but not shape = square",
            ],
        ),
        ("all cars (wheels >= 2)", ["cars[2] (Car): wheels = 1, but not wheels >= 2"]),
        ("none cars (long)", ["cars[0] (Car): long = yes"]),
        ("count cars (long) >= 2", ["count cars (long) = 1"]),
        ("distinct cars (long, long)", ["count cars (long) = 1, count cars (long) = 1"]),
        ("last cars (long)", ["cars[2] (Car): long = no, but not long"]),
        ("not (exists cars (long))", ["cars[0] (Car): long = yes"]),
        ("max cars.wheels >= 7", ["max cars.wheels = 3.0", "cars[0] (Car): wheels = 3"]),
        ("speed <= 1 or exists cars (wheels >= 9)", ["speed = 30, but not speed <= 1",
                                                     "cars[0] (Car): wheels = 3, but not wheels >= 9"]),
    ],
)  # fmt: skip
def test_a_no_shows_what_comes_nearest(test, shown):
    assert asked(test) == shown


def test_what_is_absent_is_said_to_be_missing():
    assert asked("speed >= 1", 1) == ["speed = missing"]
    assert asked("exists cars (long)", 1) == ["count cars (top) = 0"]
    assert asked("all cars (long)", 1) == ["count cars (top) = 0"]
    assert asked("first cars (long)", 1) == ["cars = missing"]
    assert asked("max cars.wheels >= 1", 1) == ["max cars.wheels = missing"]
    assert asked("exists cars (load.shape = star)", 2) == ["cars[0] (Car): load = missing, but not load.shape = star"]


def test_a_definition_is_explained_by_its_body():
    test = syn.Named("heavy", parse_predicate("exists cars (wheels >= 3)"))
    assert asked(test) == ["heavy = yes", "cars[0] (Car): wheels = 3"]
    assert asked(test, 2) == ["cars[0] (Car): wheels = missing, but not wheels >= 3"]


# ---- the answer -----------------------------------------------------------------------------------------


def test_the_answer_comes_with_counts_and_probability():
    tree = ask(TRAINS.schema, ("speed >= 10", counts(1, 3), counts(2, 0)))
    found = explain(tree, TRAINS, 0, Decision("laplace"))
    assert (found.prediction, found.probability, found.n) == ("yes", pytest.approx(4 / 6), 4)
    assert found.counts == (("no", 1.0), ("yes", 3.0))
    assert str(found).splitlines() == ["Train 0", "1. speed >= 10: yes", "     speed = 30", "→ yes 3/4, p = 0.667"]


def test_the_answer_of_a_regression_tree_is_a_number_and_its_spread():
    tree = ask(TRAINS.schema, ("speed >= 10", Moments(4, 4.0, 2.5, 0.25), Moments(1, 1.0, 0.0, 0.0)))
    found = explain(tree, TRAINS, 0)
    assert (found.prediction, found.spread, found.probability, found.counts) == (2.5, 0.5, None, ())
    assert found.words == "2.5 ± 0.5 (n=4)"


def test_an_individual_that_is_not_there_is_refused():
    with pytest.raises(UsageError, match="between 0 and 2; got 3"):
        explain(ask(TRAINS.schema, counts(1, 3)), TRAINS, 3)


def test_a_train_is_explained_by_its_short_closed_car():
    trains = load_dataset("trains")
    tree = ask(trains.population.schema, ('exists cars (not long and roof != "none")', counts(0, 8), counts(10, 2)))
    assert "cars[2] (Car): long = no, roof = peaked" in str(explain(tree, trains.population, 0))


@given(st.lists(st.text("ab.[0]", max_size=8), max_size=6))
def test_the_beginnings_of_paths_are_those_that_lead_to_another_path(paths):
    def leads_to(path, other):
        return path != other and (not path or other.startswith((f"{path}.", f"{path}[")))

    passed = _passed(paths)
    for path in paths:
        assert (path in passed) == any(leads_to(path, other) for other in paths)


def test_masks_and_phrases_shared_by_many_explanations_change_nothing():
    data = load_dataset("trains")
    known = fitted(StructuralTreeClassifier("trains").fit(data.population, data.target))
    population, together = known.prepared(data.population), Shared()
    for words in (True, False, True):
        for i in range(len(population)):
            shared = explain_prepared(known, population, i, words=words, shared=together).explanation
            assert shared == explain_prepared(known, population, i, words=words).explanation
            assert str(shared) == str(explain(known.model, data.population, i, words=words))


@given(cases())
def test_explanations_made_together_equal_those_made_one_by_one(case):
    tree, population, _ = case
    known, together = fitted(tree), Shared()
    for i in range(len(population)):
        reasons, evidence, alone, masks = reasons_prepared(known, population, i, shared=together)
        single = reasons_prepared(known, population, i)
        assert (reasons, evidence) == (single.reasons, single.evidence)
        explained = [explain_prepared(known, population, i, shared=each).explanation for each in (together, None)]
        assert explained[0] == explained[1] and explained[0].reasons == reasons
        for reason in reasons:
            assert marks_of(reason, alone, masks) == marks_of(reason, single.alone)


@given(cases())
def test_nodes_that_nobody_reaches_can_be_skipped_on_the_way(case):
    tree, population, _ = case
    every = [(each.node, each.which.tolist(), each.weights.tolist()) for each in tree.weighted_arrivals(population)]
    some = tree.weighted_arrivals(population, everywhere=False)
    assert [(each.node, each.which.tolist(), each.weights.tolist()) for each in some] == [
        each for each in every if each[1]
    ]
    leaves = {i: node for node, which, _ in every if node in tree.leaves for i in which}
    assert tree.apply(population).tolist() == [leaves[i] for i in range(len(population))]
