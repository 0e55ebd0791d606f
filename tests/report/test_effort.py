"""What pruning saves: the numbers are those of the searches, and estimates are marked."""

from __future__ import annotations

import json
from itertools import combinations, pairwise

import numpy as np
import pytest

from structtree import DataError, Grammar, Growth, Space, fit, load_dataset
from structtree.errors import MissingFileError, UnknownNameError, UsageError
from structtree.learn.growing import grow
from structtree.report.budgets import ORDERS, compare_budgets
from structtree.report.effort import compare_effort, summary, why_equal
from structtree.report.pictures.rendering import draw_effort, effort_figure, gain_shares
from structtree.search import engine
from structtree.search.best_split import best_split
from structtree.space.evaluate import holds

LENSES, TRAINS = load_dataset("lenses"), load_dataset("trains")
GIVEN = (LENSES.population, LENSES.target, Grammar.load("flat"))


def test_all_criteria_for_classes_are_compared_by_default():
    efforts = compare_effort(*GIVEN)
    named = ["acc*", "acc+", "accuracy", "entropy", "gini", "sqrt-gini", "gain-ratio", "twoing"]
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
    with pytest.raises(DataError, match="all labels are identical"):
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
    assert len(drawn) == 1 + 8 + 8
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


# ---- the route of fit ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "grammar", "route"),
    [("lenses", "flat", "table"), ("lenses", "single-tests", "sweeps"), ("trains", "trains", "table")],
)
def test_the_cost_of_fit_is_that_of_the_model_that_it_learns(name, grammar, route):
    data = load_dataset(name)
    given = data.population, data.target, Grammar.load(grammar)
    (effort,) = compare_effort(*given, ["entropy"], exhaustive_limit=0)
    root = fit(*given, criterion="entropy", max_depth=1).tree.nodes[0]
    assert effort.fit.route == route
    assert effort.fit.evaluated == root.found.evaluated <= effort.space
    assert (effort.fit.score, effort.fit.proved) == (root.found.score, root.found.proved)
    assert effort.fit.score == pytest.approx(effort.score)
    assert effort.to_dict()["fit"]["evaluated"] == effort.fit.evaluated


def test_the_cost_of_fit_for_a_whole_tree_is_what_its_progress_reports():
    (effort,) = compare_effort(*GIVEN, ["gini"], whole_tree=True)
    told = []
    grow(*GIVEN, Growth(), criterion="gini", progress=told.append)
    assert effort.fit.evaluated == told[-1].evaluated


def test_fit_without_a_useful_test_has_no_score():
    same = GIVEN[0].take(np.zeros(4, dtype=np.int64))
    (effort,) = compare_effort(same, np.array(["a", "b", "a", "b"]), GIVEN[2], ["entropy"], exhaustive_limit=0)
    assert (effort.fit.score, effort.fit.predicate) == (None, "top")


def test_a_sweep_evaluates_each_test_with_two_branches_once():
    grammar = Grammar.load("single-tests")
    space = Space.build(grammar, LENSES.population)
    tests = list(space.refine(space.root().predicate))
    dividing = [test for test in tests if 0 < holds(test, LENSES.population).sum() < 24]
    (effort,) = compare_effort(LENSES.population, LENSES.target, grammar, ["entropy"], exhaustive_limit=0)
    assert effort.fit.route == "sweeps"
    assert effort.fit.evaluated == len(dividing) == len(tests)


# ---- in words --------------------------------------------------------------------------------------------


def test_criteria_that_are_said_to_prune_alike_expand_the_same_predicates(monkeypatch):
    expanded, real = {}, engine.Search._refine

    def noted(self, position, trail):
        expanded.setdefault(self.scorer.name, set()).add(position.predicate)
        return real(self, position, trail)

    monkeypatch.setattr(engine.Search, "_refine", noted)
    given = TRAINS.population, TRAINS.target, Grammar.load("trains"), ["acc*", "entropy", "gini", "twoing"]
    efforts = compare_effort(*given, exhaustive_limit=0)
    (line,) = why_equal([effort.split for effort in efforts])
    assert line.startswith("acc*, entropy, gini and twoing have the same counts")
    assert f"expands {efforts[0].split.stats.expanded:,}" in line
    assert all(found == expanded["acc*"] for found in expanded.values())


def test_different_counts_are_not_explained():
    planted = load_dataset("planted-trains", n=60, noise=0.2)
    given = planted.population, planted.target, Grammar.load("east-west"), ["acc*", "gain-ratio"]
    one, other = compare_effort(*given, exhaustive_limit=0)
    assert one.evaluated != other.evaluated
    assert list(why_equal([one.split, other.split])) == []
    assert list(why_equal([one.split])) == []


def test_the_summary_has_the_figures_of_the_effort():
    (measured,) = compare_effort(*GIVEN, ["gini"])
    assert f"evaluating {measured.evaluated} of them ({measured.percent:.3g} %)" in summary(measured)
    assert "about" not in summary(measured)
    (estimated,) = compare_effort(*GIVEN, ["gini"], exhaustive_limit=0)
    assert "without pruning it takes about" in summary(estimated)
    (tree,) = compare_effort(*GIVEN, ["gini"], whole_tree=True)
    assert f"{tree.evaluated:,} of {tree.space:,} tests at {tree.nodes} nodes" in summary(tree)


def test_pruning_pays_in_deep_conjunctions_about_atoms():
    planted = load_dataset("planted-molecules", n=16, noise=0.1)
    given = planted.population, planted.target, Grammar.load("atoms-and-bonds-deep"), ["acc*"]
    (effort,) = compare_effort(*given, exhaustive_limit=0)
    assert effort.proved and effort.fit.proved
    assert effort.fit.score == pytest.approx(effort.score)
    assert effort.fit.evaluated < effort.evaluated < effort.space / 8


# ---- equal budgets ---------------------------------------------------------------------------------------


def test_every_order_gets_the_same_number_of_evaluations():
    given = TRAINS.population, TRAINS.target, Grammar.load("trains")
    rows = list(compare_budgets(*given, [50, 500], ["acc*", "entropy"]))
    assert [(row.criterion, row.order, row.budget) for row in rows] == [
        (name, order, budget) for name in ("acc*", "entropy") for order in ORDERS for budget in (50, 500)
    ]
    for row in rows:
        options = {"strategy": ORDERS[row.order], "max_evaluations": row.budget, "criterion": row.criterion}
        split = best_split(*given, **options)
        assert (row.evaluated, row.score, row.proved) == (split.stats.evaluated, split.score, split.proved)
        inside = holds(split.predicate, TRAINS.population)
        majority = [
            max((TRAINS.target[side] == "east").sum(), (TRAINS.target[side] == "west").sum())
            for side in (inside, ~inside)
        ]
        assert row.accuracy == sum(majority) / 20
        assert 0 <= row.open <= 1


def test_nothing_is_open_once_the_best_is_proved():
    (row, *_) = compare_budgets(*GIVEN, [10_000], ["gini"])
    assert (row.proved, row.open) == (True, 0)
    hammond = load_dataset("hammond")
    (row, *_) = compare_budgets(hammond.population, hammond.target, Grammar.load("flat"), [10_000])
    assert (row.criterion, row.accuracy) == ("mse", None)


def test_a_budget_is_positive():
    with pytest.raises(UsageError, match="a budget must be an int >= 1"):
        list(compare_budgets(*GIVEN, [0]))
