"""What pruning saves: the numbers are those of the searches, and estimates are marked."""

from __future__ import annotations

import json
from itertools import combinations, pairwise

import numpy as np
import pytest

from structtree import DataError, Grammar, Space, load_dataset
from structtree.errors import MissingFileError, UnknownNameError, UsageError
from structtree.report.effort import compare_effort
from structtree.report.pictures.rendering import draw_effort, effort_figure, gain_shares
from structtree.search.best_split import best_split

LENSES = load_dataset("lenses")
GIVEN = (LENSES.population, LENSES.target, Grammar.load("flat"))


def test_all_criteria_for_classes_are_compared_by_default():
    efforts = compare_effort(*GIVEN)
    named = ["acc*", "accuracy", "entropy", "gini", "sqrt-gini", "gain-ratio", "twoing"]
    assert [e.criterion for e in efforts] == named
    for effort in efforts:
        assert effort.proved
        assert effort.agree
        assert not effort.exhaustive_estimated
        assert effort.space == 40
        assert effort.evaluated <= effort.evaluated_exhaustive <= effort.space
        assert effort.percent == pytest.approx(100 * effort.evaluated / effort.evaluated_exhaustive)


def test_the_numbers_are_those_of_the_search():
    (effort,) = compare_effort(*GIVEN, ["gini"])
    split = best_split(*GIVEN, criterion="gini")
    assert (effort.evaluated, effort.score) == (split.stats.evaluated, split.score)
    assert effort.split.predicate == split.predicate


def test_numbers_are_compared_by_mse():
    data = load_dataset("hammond")
    (effort,) = compare_effort(data.population, data.target, Grammar.load("flat"))
    assert (effort.criterion, effort.agree) == ("mse", True)


def test_what_is_not_measured_is_estimated_from_the_counted_space():
    (effort,) = compare_effort(*GIVEN, ["entropy"], exhaustive_limit=0)
    assert effort.exhaustive_estimated
    assert effort.agree is None
    assert effort.evaluated_exhaustive == effort.space == 40
    assert effort.seconds_exhaustive > 0


def test_a_space_that_cannot_be_counted_is_still_searched(monkeypatch):
    def uncountable(_):
        raise UsageError("the space has more than 1,000,000 predicates, and no formula applies")

    monkeypatch.setattr("structtree.report.effort.count_space", uncountable)
    (measured,) = compare_effort(*GIVEN, ["entropy"])
    assert measured.space is None
    assert measured.agree
    (unknown,) = compare_effort(*GIVEN, ["entropy"], exhaustive_limit=0)
    assert (unknown.evaluated_exhaustive, unknown.percent) == (None, None)


def test_a_whole_tree_sums_over_its_nodes():
    (root,) = compare_effort(*GIVEN, ["entropy"])
    (tree,) = compare_effort(*GIVEN, ["entropy"], whole_tree=True)
    assert tree.nodes > 1
    assert tree.space > root.space
    assert tree.evaluated > root.evaluated
    assert tree.agree
    assert (tree.predicate, tree.score) == (root.predicate, root.score)
    (stump,) = compare_effort(*GIVEN, ["entropy"], whole_tree=True, max_depth=1)
    assert (stump.nodes, stump.evaluated) == (1, root.evaluated)


def test_small_leaves_stop_a_whole_tree():
    (small,) = compare_effort(*GIVEN, ["entropy"], whole_tree=True, min_samples_leaf=5)
    (large,) = compare_effort(*GIVEN, ["entropy"], whole_tree=True)
    assert small.nodes < large.nodes


def test_a_whole_tree_knows_what_each_of_its_nodes_cost():
    (tree,) = compare_effort(*GIVEN, ["gini"], whole_tree=True)
    assert sum(node.evaluated for node in tree.by_node) == tree.evaluated
    assert sum(node.evaluated_exhaustive for node in tree.by_node) == tree.evaluated_exhaustive
    assert tree.nodes == len(tree.by_node) == len(tree.to_dict()["by_node"])
    assert tree.individuals == tree.by_node[0].individuals == 24


def test_a_search_that_was_stopped_does_not_claim_all_of_the_gain():
    bags = load_dataset("bags")
    given = bags.population, bags.target, Grammar.load("multi-instance"), ["acc*"]
    (effort,) = compare_effort(*given, time_limit=0.5, exhaustive_limit=0)
    assert not effort.proved
    end = effort.trace[-1]
    assert (end.evaluated, end.score) == (effort.evaluated, effort.score)
    assert end.bound - end.score == pytest.approx(effort.split.gap)
    found, bounds = gain_shares(effort.trace)
    assert found[0] == 0 and bounds[0] == 100 and found[-1] < bounds[-1]
    figure = effort_figure([effort] * 4)
    figure.draw_without_rendering()
    for axes in figure.axes:
        ticks = [tick.get_window_extent() for tick in axes.get_xticklabels()]
        assert not any(one.overlaps(other) for one, other in pairwise(ticks))


def test_a_space_may_be_given():
    space = Space.build(GIVEN[2], GIVEN[0])
    (effort,) = compare_effort(GIVEN[0], GIVEN[1], space, ["entropy"])
    assert effort.space == 40


def test_the_parts_can_be_written_as_json():
    (effort,) = compare_effort(*GIVEN, ["entropy"])
    parts = json.loads(json.dumps(effort.to_dict()))
    keys = {"criterion", "space", "evaluated", "evaluated_exhaustive", "percent", "seconds", "score", "proved"}
    assert keys | {"predicate", "exhaustive_estimated", "agree"} <= set(parts)


def test_wrong_input_is_answered_in_one_sentence():
    with pytest.raises(UnknownNameError, match="did you mean 'entropy'"):
        compare_effort(*GIVEN, ["entropi"])
    with pytest.raises(DataError, match="nothing to tell apart"):
        compare_effort(GIVEN[0], np.array(["same"] * 24), GIVEN[2])
    with pytest.raises(DataError, match="labels"):
        compare_effort(GIVEN[0], np.array(["a", "b"]), GIVEN[2])
    with pytest.raises(UsageError, match="time_limit"):
        compare_effort(*GIVEN, time_limit=0)
    with pytest.raises(UsageError, match="exhaustive_limit"):
        compare_effort(*GIVEN, exhaustive_limit=-1)
    with pytest.raises(UsageError, match="max_depth"):
        compare_effort(*GIVEN, max_depth=0, whole_tree=True)


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_it_can_be_drawn(tmp_path, suffix):
    path = tmp_path / f"effort{suffix}"
    draw_effort(compare_effort(*GIVEN, ["acc*", "gini"], exhaustive_limit=0), path, "lenses")
    assert path.stat().st_size > 1000
    assert list(tmp_path.iterdir()) == [path]


def test_there_is_a_panel_for_each_criterion_and_for_its_nodes_and_nothing_is_cut():
    figure = effort_figure(compare_effort(*GIVEN, whole_tree=True, exhaustive_limit=0), "lenses")
    figure.draw_without_rendering()
    drawn = [axes for axes in figure.axes if axes.axison]
    assert len(drawn) == 1 + 7 + 7
    box = figure.bbox
    for axes in drawn:
        inside = axes.get_tightbbox()
        assert box.x0 <= inside.x0 and inside.x1 <= box.x1 and box.y0 <= inside.y0 and inside.y1 <= box.y1
    for one, other in combinations(drawn, 2):
        assert not one.get_tightbbox().overlaps(other.get_tightbbox())
    assert "filled diamond: proved best" in figure.subfigs[1].get_suptitle()
    assert "open diamond" not in figure.subfigs[1].get_suptitle()


def test_a_picture_that_cannot_be_drawn_is_refused(tmp_path):
    efforts = compare_effort(*GIVEN, ["gini"])
    with pytest.raises(UsageError, match=r"\.png"):
        draw_effort(efforts, tmp_path / "effort.gif")
    with pytest.raises(MissingFileError, match="does not exist"):
        draw_effort(efforts, tmp_path / "nowhere" / "effort.png")
