"""Steps along lists as runs of elements, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from structtree.data.population import Population
from structtree.lang import syntax as syn
from structtree.space.list_steps import runs_of
from structtree.space.meaning import witnesses
from tests.space.truth import is_true

TRAINS = Population.from_records([{"cars": [{"n": 1}, {"n": 2}, {"n": 3}]}, {"cars": []}, {"cars": [{"n": 4}]}])
TRAIN, CAR = TRAINS.schema.individual, TRAINS.schema.names[1]


def led_to(step, population=TRAINS, name=CAR):
    adjacency = runs_of(step, population, name).adjacency
    return [adjacency.of(row).tolist() for row in range(len(adjacency))]


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ("next", [[1], [2], [], []]),
        ("previous", [[], [0], [1], []]),
        ("later", [[1, 2], [2], [], []]),
    ],
)
def test_elements_step_within_their_own_list(step, expected):
    assert led_to(syn.ListStep(step, syn.TOP)) == expected


@pytest.mark.parametrize(("step", "expected"), [("first", [[0], [], [3]]), ("last", [[2], [], [3]])])
def test_owners_step_to_an_end_of_their_list(step, expected):
    assert led_to(syn.ListStep(step, syn.TOP, "cars"), name=TRAIN) == expected


def test_some_element_of_a_run_is_true():
    true = np.array([False, False, True, True])
    assert runs_of(syn.ListStep("later", syn.TOP), TRAINS, CAR).any_true(true).tolist() == [True, True, False, False]
    assert runs_of(syn.ListStep("last", syn.TOP, "cars"), TRAINS, TRAIN).any_true(true).tolist() == [
        True,
        False,
        True,
    ]


def test_a_row_that_is_in_no_list_leads_nowhere():
    assert led_to(syn.ListStep("next", syn.TOP), name=TRAIN) == [[], [], []]


def test_witnesses_have_their_place_in_the_list():
    from structtree.lang.parse import parse_predicate

    predicate = parse_predicate("exists cars (n = 1 and next (n = 2)) and last cars (n = 3)")
    assert is_true(predicate, TRAINS, 0)
    assert {w.path for w in witnesses(predicate, TRAINS, 0)} == {"", "cars[0]", "cars[1]", "cars[2]"}
