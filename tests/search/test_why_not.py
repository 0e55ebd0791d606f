"""Why not this predicate? Every kind of answer, and that the answers are true."""

from __future__ import annotations

import numpy as np
import pytest

from structtree import Grammar, GrammarError, Population, Space, load_dataset, pretty
from structtree.search.best_split import best_split
from structtree.search.why_not import why_not
from structtree.space.obstacle import obstacle

GRAMMAR = """
refine Individual { top -> exists cars (top); top -> count cars (top) >= 2..3; top -> top and top max 2 }
refine Car { top -> wheels >= *; top -> colour = *; top -> long; top -> load (top); top -> top and top max 2 }
refine Load { top -> weight >= {1, 5}; top -> top and top max 2 }
limits { nesting 2, literals 4 }
"""


def car(wheels, colour, long=False, weight=1):
    return {"wheels": wheels, "colour": colour, "long": long, "load": {"weight": weight, "fragile": True}}


TRAINS = Population.from_records(
    [
        {"cars": [car(2, "red"), car(3, "blue")]},
        {"cars": [car(3, "red", long=True)]},
        {"cars": [car(5, "red"), car(2, "blue", long=True)]},
        {"cars": [car(2, "blue", weight=5)]},
        {"cars": [car(2, "green")]},
        {"cars": [car(3, "green", long=True)]},
    ],
    types={"cars": "set"},
)
LABELS = np.array(["a", "a", "a", "b", "b", "b"])
GIVEN = (TRAINS, LABELS, Grammar.parse(GRAMMAR))
FOUND = best_split(*GIVEN)


def ask(predicate, split=FOUND):
    return why_not(split, predicate)


def test_the_winner_is_told_to_be_it():
    assert pretty(FOUND.predicate) == "exists cars (colour = red)"
    answer = ask("exists cars (colour = red)")
    assert answer.kind == "winner"
    assert answer.score == answer.best == 1.0
    assert "proved best" in str(answer)


def test_what_is_worse_is_outscored_and_both_scores_are_told():
    answer = ask("exists cars (long)")
    assert answer.kind == "outscored"
    assert (answer.score, answer.best) == (pytest.approx(4 / 6), 1.0)
    assert "accuracy 0.6667, against 1 of 'exists cars (colour = red)'" in answer.sentence


def test_what_was_pruned_names_the_most_general_ancestor_and_its_bound():
    answer = ask("exists cars (colour = blue and wheels >= 3)")
    assert answer.kind == "pruned"
    assert pretty(answer.ancestor) == "exists cars (colour = blue)"
    assert answer.score <= answer.bound < answer.best
    assert "at best" in answer.sentence


def test_without_pruning_nothing_is_said_to_be_pruned():
    # Of this small space every predicate keeps somebody.
    grammar = Grammar.parse("refine Individual { top -> exists cars (top) } refine Car { top -> colour = * }")
    split = best_split(TRAINS, LABELS, grammar, strategy="exhaustive")
    assert why_not(split, "exists cars (colour = blue)").kind == "outscored"


def test_the_same_individuals_make_it_equivalent_and_the_shorter_wins():
    answer = ask("exists cars (colour = red) and exists cars (top)")
    assert answer.kind == "equivalent"
    assert "the same 3 individuals" in answer.sentence
    assert "shorter" in answer.sentence


def test_the_complement_is_the_same_split():
    population = Population.from_records([{"a": True, "b": False}, {"a": False, "b": True}])
    given = population, np.array(["x", "y"]), Grammar.parse("refine Individual { top -> a; top -> b }")
    split = best_split(*given)
    other = "b" if pretty(split.predicate) == "a" else "a"
    answer = why_not(split, other)
    assert answer.kind == "equivalent"
    assert "swapped" in answer.sentence


def test_an_equal_score_is_a_tie_and_the_tie_break_is_told():
    population = Population.from_records([{"a": a, "b": b} for a, b in ((1, 0), (0, 1), (0, 0), (0, 0))])
    grammar = Grammar.parse("refine Individual { top -> a >= *; top -> b >= * }")
    given = population, np.array(["x", "x", "y", "y"]), grammar
    split = best_split(*given, criterion="entropy")
    other = "b >= 1" if pretty(split.predicate) == "a >= 1" else "a >= 1"
    answer = why_not(split, other)
    assert answer.kind == "equivalent"
    assert "ties" in answer.sentence
    assert "first" in answer.sentence


def test_top_is_no_split():
    answer = ask("top")
    assert answer.kind == "pruned"
    assert "the no branch has 0 individuals" in answer.sentence


def test_too_few_individuals_prune():
    answer = ask("exists cars (colour = red and wheels >= 5)", best_split(*GIVEN, min_samples_leaf=2))
    assert answer.kind == "pruned"
    assert pretty(answer.ancestor) == "exists cars (wheels >= 5)"
    assert "1 individual, and a branch needs at least 2" in answer.sentence


def test_a_search_that_stopped_may_have_missed_it():
    split = best_split(*GIVEN, max_evaluations=2)
    assert split.proved == (split.score == 1.0)
    answer = ask("exists cars (colour = red)", split)
    assert answer.kind == ("winner" if split.score == 1.0 else "missed")


def test_numbers_are_explained_too():
    numbers = np.array([1.0, 1.1, 1.2, 5.0, 5.1, 5.3])
    given = TRAINS, numbers, Grammar.parse(GRAMMAR)
    split = best_split(*given)
    assert split.criterion == "mse"
    assert why_not(split, "exists cars (long)").kind in ("outscored", "pruned")


def test_a_space_may_be_given_instead_of_a_grammar():
    space = Space.build(Grammar.parse(GRAMMAR), TRAINS)
    predicate = space.parse("exists cars (long)")
    assert why_not(best_split(TRAINS, LABELS, space), predicate) == ask("exists cars (long)")


@pytest.mark.parametrize(
    ("predicate", "part"),
    [
        ("exists cars (whels >= 2)", "unknown attribute 'whels' of type 'Car' (did you mean 'wheels'?)"),
        ("exists wagons (long)", "unknown"),
        ("exists cars (wheels >= 4)", "'top -> wheels >= *' allows wheels >= 3 and wheels >= 5"),
        ("exists cars (colour = pink)", "no rewrite of Car produces 'colour = pink'"),
        ("exists cars (not long)", "no rewrite of Car produces 'not long'"),
        ("exists cars (load.weight >= 2)", "'top -> weight >= {1, 5}' allows weight >= 1 and weight >= 5"),
        ("exists cars (load.fragile)", "no rewrite of Load produces 'fragile'; it has 'top -> weight >= {1, 5}'"),
        ("count cars (long) >= 4", "allows count cars (long) >= 2 and count cars (long) >= 3"),
        ("all cars (long)", "no rewrite of Individual produces 'all cars (long)'"),
        ("exists cars (long or colour = red)", "no rewrite of Car produces"),
        ("exists cars (long and wheels >= 3 and colour = red)", "at most 2 conjuncts"),
        ("exists cars (colour = red and colour = blue)", "no row satisfies both"),
        (
            "exists cars (long and wheels >= 3) and exists cars (colour = red and wheels >= 3)",
            "it has 6 literals, 2 more than 'limits { literals 4 }' allows",
        ),
    ],
)
def test_what_is_not_derivable_says_what_stops_it(predicate, part):
    answer = ask(predicate)
    assert answer.kind == "not derivable"
    assert part in answer.sentence
    assert "\n" not in answer.sentence


def test_too_deep_says_by_how_much():
    trains = load_dataset("trains")
    space = Space.build(Grammar.load("trains"), trains.population)
    found = obstacle(space, space.parse("exists cars (next (next (next (long))))"))
    assert found is not None
    assert found.what == "limit"
    assert found.sentence == "it has 4 nested links, 1 more than 'limits { nesting 3 }' allows"


def test_nothing_keeps_a_member_out():
    space = Space.build(Grammar.parse(GRAMMAR.replace("literals 4", "literals 9")), TRAINS)
    for predicate in space.enumerate(depth=3):
        assert obstacle(space, predicate) is None


def test_the_nearest_values_are_offered():
    assert [pretty(p) for p in ask("exists cars (wheels >= 4)").nearest] == ["wheels >= 3", "wheels >= 5"]


def test_nonsense_is_an_error_rather_than_an_answer():
    with pytest.raises(GrammarError):
        ask("exists cars (")


def test_the_parts_are_there_for_machines():
    parts = ask("exists cars (colour = blue and wheels >= 3)").to_dict()
    assert parts["kind"] == "pruned"
    assert parts["ancestor"] == "exists cars (colour = blue)"


@pytest.mark.parametrize("criterion", ["acc*", "entropy", "gain-ratio"])
def test_every_predicate_of_a_space_has_an_answer_and_none_is_better(criterion):
    split = best_split(*GIVEN, criterion=criterion)
    space = Space.build(GIVEN[2], TRAINS)
    kinds = {}
    for predicate in list(space.enumerate(depth=3))[::7]:
        answer = why_not(split, predicate)
        kinds.setdefault(answer.kind, []).append(answer)
    assert {"missed", "not derivable"}.isdisjoint(kinds)
    assert "outscored" in kinds
