"""What pruning saves: the numbers are those of the searches, and estimates are marked."""

from __future__ import annotations

import json

import numpy as np
import pytest

from structtree import DataError, Grammar, Space, load_dataset
from structtree.errors import MissingFileError, UnknownNameError, UsageError
from structtree.report.draw import draw_effort, effort_figure
from structtree.report.effort import compare_effort
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
        raise UsageError("the space has more than 1,000,000 predicates and no formula counts it")

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


def test_the_best_found_never_gets_worse_with_time():
    for effort in compare_effort(*GIVEN, watch=True):
        shares = [moment.share for moment in effort.moments]
        seconds = [moment.seconds for moment in effort.moments]
        assert shares == sorted(shares)
        assert seconds == sorted(seconds)
        assert shares[-1] == pytest.approx(1.0)
        assert effort.moments[-1].score == effort.score


def test_a_search_that_was_stopped_does_not_claim_all_of_the_gain():
    bags = load_dataset("bags")
    given = bags.population, bags.target, Grammar.load("multi-instance"), ["acc*"]
    (effort,) = compare_effort(*given, time_limit=0.5, exhaustive_limit=0, watch=True)
    assert not effort.proved
    judge = effort.split.problem.judge
    nothing = float(judge.criterion.unsplit(judge.total)[0])
    reached = nothing - effort.split.loss[0]
    assert effort.moments[-1].share == pytest.approx(reached / (reached + effort.split.gap))
    assert effort.moments[-1].share < 1


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
@pytest.mark.parametrize("watch", [True, False])
def test_it_can_be_drawn(tmp_path, suffix, watch):
    path = tmp_path / f"effort{suffix}"
    draw_effort(compare_effort(*GIVEN, ["acc*", "gini"], watch=watch, exhaustive_limit=0), path, "lenses")
    assert path.stat().st_size > 1000
    assert list(tmp_path.iterdir()) == [path]


def test_the_legend_is_beside_the_curves_and_each_curve_differs_in_grey_too():
    figure = effort_figure(compare_effort(*GIVEN, watch=True, exhaustive_limit=0))
    figure.draw_without_rendering()
    axes = figure.axes[1]
    assert axes.get_legend().get_window_extent().x0 >= axes.get_window_extent().x1
    curves = [line for line in axes.lines if not line.get_label().startswith("_")]
    assert len(curves) == 7
    assert len({(line.get_linestyle(), line.get_marker()) for line in curves}) == len(curves)
    assert "filled diamond: proved best" in axes.get_title(loc="left")
    assert "open diamond" not in axes.get_title(loc="left")


def test_a_picture_that_cannot_be_drawn_is_refused(tmp_path):
    efforts = compare_effort(*GIVEN, ["gini"])
    with pytest.raises(UsageError, match=r"\.png"):
        draw_effort(efforts, tmp_path / "effort.gif")
    with pytest.raises(MissingFileError, match="no folder"):
        draw_effort(efforts, tmp_path / "nowhere" / "effort.png")
