"""Clauses of Blockeel's chapter 15 as subgroups of individuals that are read from facts."""

from __future__ import annotations

from structtree import Population, subgroups
from structtree.export.prolog.subgroups import subgroups_prolog
from structtree.lang.parse import parse_predicate
from structtree.space.evaluate import holds

ARCHES = """
contains(o1, t1). contains(o2, r3). contains(o3, r6).
shape(t1, triangle). shape(r1, rectangle). shape(r2, rectangle). shape(r3, rectangle). shape(r4, rectangle).
shape(r5, rectangle). shape(r6, rectangle). shape(r7, rectangle).
on(t1, r1). on(t1, r2). on(r3, r4). on(r3, r5). on(r6, r7).
orientation(r1, vertical). orientation(r2, vertical). orientation(r4, vertical). orientation(r5, vertical).
orientation(r7, horizontal).
"""
SIGNATURES = ["contains(Structure, Block) one way", "shape(Block key, shape)", "orientation(Block key, orientation)"]


def test_example_15_38_the_generalisation_of_two_arches_covers_both():
    """The third structure, whose block rests on a lying one, is ours: the book has two positive examples only."""
    arches = Population.from_facts(
        ARCHES,
        positives="arch(o1). arch(o2).",
        negatives="arch(o3).",
        fact=[*SIGNATURES, "on(Block, Block -> below) many one way"],
    )
    clause = "exists contains (exists below (orientation = vertical and shape = rectangle))"
    assert holds(parse_predicate(clause), arches).tolist() == [True, True, False]


def test_example_15_41_a_threshold_needs_no_literal_before_it():
    people = Population.from_facts(
        "age(bob, 54). age(ann, 19). age(cy, 18). age(dan, 7).",
        positives="can_drive_car(bob). can_drive_car(ann).",
        negatives="can_drive_car(cy). can_drive_car(dan).",
        individual="Person",
    )
    given, labels = people.split_target("can_drive_car")
    options = {"target_name": "can_drive_car", "label": True, "top": 1, "min_support": 1, "held_out": 0}
    found = subgroups(given, labels, **options)
    assert str(found[0]) == "age >= 19"
    program = subgroups_prolog(found)
    assert "age(Person0, Age1), Age1 >= 19.0." in program
    assert "can_drive_car(X) :- subgroup(1, X)." in program
