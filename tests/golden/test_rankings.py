"""Figures about rankings, measures and evaluation that textbooks work out.

Flach, "Machine Learning", chapter 6; Blockeel, "Machine Learning and Inductive Inference", chapters 4 to 6.
"""

from __future__ import annotations

import numpy as np
import pytest

from structtree import Population, load_dataset
from structtree.evaluation.curves import cheapest_threshold, coverage_curve, roc_curve
from structtree.evaluation.performance import performance_of
from structtree.evaluation.score import Predicted
from structtree.lang.grammar import Grammar
from structtree.rules.subgroups import find_subgroups
from structtree.space.evaluate import holds
from structtree.space.space import Space
from structtree.tasks.measures import AverageRecall, ChiSquared, Laplace, MEstimate, Precision
from structtree.tasks.target import target_for

TWO_DIGITS = 0.005 + 1e-9
DOLPHINS = load_dataset("dolphins")
POSITIVE = DOLPHINS.target == "yes"
SPACE = Space.build(
    Grammar.from_schema(DOLPHINS.population.schema).combining(2, DOLPHINS.population.schema), DOLPHINS.population
)


def covered(text):
    return holds(SPACE.parse(text), DOLPHINS.population)


def counts(inside):
    """The negatives and positives among some individuals."""
    return np.array([np.sum(inside & ~POSITIVE), np.sum(inside & POSITIVE)], dtype=float)


ALL = counts(np.ones(10, dtype=bool))


def quality(measure, yes):
    return float(measure.quality(np.array([yes], dtype=float), ALL)[0])


# ---- Flach 6.1: rule lists as rankers ---------------------------------------------------------------------------

A, B, C = "length = 4", "beak = yes", "length = 5"


def scores_of_list(*bodies):
    """The share of positives among the individuals that each rule, or none, is the first to cover."""
    left, scores = np.ones(10, dtype=bool), np.zeros(10)
    for inside in [*map(covered, bodies), np.ones(10, dtype=bool)]:
        here = left & inside
        scores[here] = quality(Precision(), counts(here))
        left &= ~inside
    return scores


@pytest.mark.parametrize(
    ("bodies", "errors", "auc", "accuracy"), [((A, B), 4.5, 0.82, 0.80), ((B, A), 7.5, 0.70, 0.70)]
)
def test_example_6_2_the_order_of_rules_decides_how_well_they_rank(bodies, errors, auc, accuracy):
    scores = scores_of_list(*bodies)
    curve = coverage_curve(POSITIVE, scores)
    assert curve.ranking_errors == errors
    assert roc_curve(POSITIVE, scores).auc == pytest.approx(auc, abs=TWO_DIGITS)
    assert 1 - cheapest_threshold(curve).cost / 10 == pytest.approx(accuracy)


def test_example_6_2_neither_order_is_uniformly_better():
    ab, ba = (coverage_curve(POSITIVE, scores_of_list(*bodies)) for bodies in ((A, B), (B, A)))
    assert cheapest_threshold(ab).cost < cheapest_threshold(ba).cost
    assert cheapest_threshold(ba, miss=3).cost < cheapest_threshold(ab, miss=3).cost


def test_rule_lists_have_convex_curves_on_the_training_set():
    for bodies in ((A, B), (B, A), (A, B, C)):
        scores = scores_of_list(*bodies)
        roc = roc_curve(POSITIVE, scores)
        assert roc.auc == pytest.approx(roc.hull_auc)


# ---- Flach 6.2: rule sets as rankers ----------------------------------------------------------------------------


def test_example_6_4_probabilities_of_rules_and_of_their_overlaps():
    for body, share in ((A, 0.25), (B, 0.63), (C, 0.50)):
        assert quality(Precision(), counts(covered(body))) == pytest.approx(share, abs=TWO_DIGITS)
    for pair, share in (((A, B), 0.50), ((B, C), 0.58)):
        mean = sum(counts(covered(body)) for body in pair) / 2
        assert quality(Precision(), mean) == pytest.approx(share, abs=TWO_DIGITS)


def test_example_6_4_the_rule_set_outranks_the_rule_list():
    bodies = (A, B, C)
    inside = np.array([covered(body) for body in bodies])
    rules = np.array([counts(mask) for mask in inside])
    mean = inside.T.astype(float) @ rules / inside.sum(axis=0)[:, None]
    scores = mean[:, 1] / mean.sum(axis=1)
    set_auc = roc_curve(POSITIVE, scores).auc
    assert set_auc > roc_curve(POSITIVE, scores_of_list(*bodies)).auc
    best = cheapest_threshold(coverage_curve(POSITIVE, scores))
    assert (best.false_positives, best.true_positives) == (1, 4)


# ---- Flach 6.3: subgroups ---------------------------------------------------------------------------------------

# (subgroup, [negatives, positives], precision with Laplace's correction, rank, average recall, rank)
TABLE_6_1 = [
    ("gills = yes", [4, 0], 0.17, "1", 0.10, "1-2"),
    ("gills = no and teeth = many", [0, 3], 0.80, "2", 0.80, "3"),
    ("gills = no", [1, 5], 0.75, "3-9", 0.90, "1-2"),
    ("beak = no", [2, 0], 0.25, "3-9", 0.30, "4-11"),
    ("beak = yes and gills = yes", [2, 0], 0.25, "3-9", 0.30, "4-11"),
    ("length = 3", [0, 2], 0.75, "3-9", 0.70, "4-11"),
    ("gills = yes and length = 4", [2, 0], 0.25, "3-9", 0.30, "4-11"),
    ("gills = no and length = 5", [0, 2], 0.75, "3-9", 0.70, "4-11"),
    ("gills = yes and length = 5", [2, 0], 0.25, "3-9", 0.30, "4-11"),
    ("length = 4", [3, 1], 0.33, "10", 0.30, "4-11"),
    ("beak = yes", [3, 5], 0.60, "11", 0.70, "4-11"),
]


def ranks(qualities):
    """The ranks of qualities, the highest first, as ranges where some are equal."""
    rounded = np.round(np.asarray(qualities), 9)
    found = []
    for each in rounded:
        first, last = int((rounded > each).sum()) + 1, int((rounded >= each).sum())
        found.append(str(first) if first == last else f"{first}-{last}")
    return found


def test_table_6_1_laplace_and_average_recall_rank_subgroups_differently():
    texts, coverage, laplace, laplace_ranks, recall, recall_ranks = zip(*TABLE_6_1, strict=True)
    found = [counts(covered(text)) for text in texts]
    assert [each.tolist() for each in found] == list(map(list, coverage))
    corrected = [quality(Laplace(), yes) for yes in found]
    averages = [quality(AverageRecall(), yes) for yes in found]
    np.testing.assert_allclose(corrected, laplace, atol=TWO_DIGITS)
    np.testing.assert_allclose(averages, recall, atol=TWO_DIGITS)
    assert ranks(np.abs(np.subtract(corrected, 0.5))) == list(laplace_ranks)
    assert ranks(np.abs(np.subtract(averages, 0.5))) == list(recall_ranks)


def test_table_6_1_the_three_best_by_average_recall_are_found():
    found = find_subgroups(
        DOLPHINS.population,
        DOLPHINS.target,
        Grammar.from_schema(DOLPHINS.population.schema),
        measure="average-recall",
        literals=2,
        min_support=1,
        held_out=0,
        top=3,
        effort="prove",
    )
    assert {str(each) for each in found[:2]} == {"gills = no", "gills = yes"}
    assert str(found[2]) == "gills = no and teeth = many"
    np.testing.assert_allclose([each.searched.quality for each in found], [0.9, 0.9, 0.8])


def test_laplace_corrects_five_positives_and_one_negative_to_the_quality_of_two_positives():
    assert quality(Laplace(), [1, 5]) == quality(Laplace(), [0, 2]) == 0.75
    assert quality(Precision(), [1, 5]) < quality(Precision(), [0, 2])
    assert quality(MEstimate(m=2.0), [1, 5]) == quality(Laplace(), [1, 5])  # both classes are equally frequent


# (subgroup, weighted [negatives, positives], weighted average recall, rank)
TABLE_6_2 = [
    ("gills = yes", [3, 0], 0.07, "1-2"),
    ("gills = no", [0.5, 4.5], 0.93, "1-2"),
    # The book gives these two the ranks 3 and 4, although 0.21 is farther from 0.5 than 0.78.
    ("gills = no and teeth = many", [0, 2.5], 0.78, "4"),
    ("gills = yes and length = 5", [2, 0], 0.21, "3"),
    ("length = 3", [0, 2], 0.72, "5-6"),
    ("gills = no and length = 5", [0, 2], 0.72, "5-6"),
    ("beak = no", [1.5, 0], 0.29, "7-9"),
    ("beak = yes and gills = yes", [1.5, 0], 0.29, "7-9"),
    ("beak = yes", [2, 4.5], 0.71, "7-9"),
    ("length = 4", [1.5, 0.5], 0.34, "10"),
    ("gills = yes and length = 4", [1, 0], 0.36, "11"),
]


def test_table_6_2_weights_of_covered_individuals_change_the_ranking():
    weights = np.where(covered("length = 4"), 0.5, 1.0)
    target = target_for(POSITIVE.astype(np.int64), 10, "gini", weights)
    texts, coverage, recall, recall_ranks = zip(*TABLE_6_2, strict=True)

    def sums(inside):
        return np.array([weights[inside & ~POSITIVE].sum(), weights[inside & POSITIVE].sum()])

    found = [sums(covered(text)) for text in texts]
    assert [each.tolist() for each in found] == [list(map(float, each)) for each in coverage]
    total = sums(np.ones(10, dtype=bool))
    assert target.stats(np.arange(10)).weight == pytest.approx(total.sum())
    averages = AverageRecall().quality(np.array(found), total)
    np.testing.assert_allclose(averages, recall, atol=TWO_DIGITS)
    assert ranks(np.abs(averages - 0.5)) == list(recall_ranks)


# ---- Blockeel ---------------------------------------------------------------------------------------------------


def test_figure_4_15_each_label_of_a_set_is_a_subgroup():
    rows = [{"a": i >> 2 & 1, "b": i >> 1 & 1, "c": i & 1} for i in range(8)]
    population = Population.from_records([{name: str(value) for name, value in row.items()} for row in rows])
    labels = ["ac", "ac", "b", "b", "c", "ce", "c", "be"]
    pure = {"a": 'a = "0" and b = "0"', "e": 'a = "1" and c = "1"'}
    for label, text in pure.items():
        target = [label in some for some in labels]
        given = {"measure": "wracc", "label": True, "top": 1, "min_support": 1, "held_out": 0, "literals": 3}
        (found,) = find_subgroups(population, target, effort="prove", **given)
        assert (str(found), found.searched.mean, found.searched.n) == (text, 1.0, sum(target))


def test_example_5_2_a_decision_list_and_a_rule_set_define_leap_years():
    years = load_dataset("leap-years")
    grammar = Grammar.from_schema(years.population.schema).combining(2, years.population.schema)
    space = Space.build(grammar, years.population)

    def of(text):
        return holds(space.parse(text), years.population)

    in_order = np.select([of("by_400"), of("by_100"), of("by_4")], [True, False, True], False)
    unordered = of("by_400") | of("by_4 and not by_100")
    assert in_order.tolist() == unordered.tolist() == (years.target == "yes").tolist()
    other = of("by_100 and not by_400") | of("not by_4")
    assert other.tolist() == (~unordered).tolist()


def test_example_5_4_the_confidence_of_bread_then_cheese_is_the_precision_of_bread():
    items = ["bread cheese fruit", "bread milk", "bread cheese wine fruit", "milk fruit", "cheese wine"]
    names = ("bread", "wine", "milk", "fruit")
    baskets = Population.from_records([{name: name in basket for name in names} for basket in items])
    inside = holds(Space.build(Grammar.from_schema(baskets.schema), baskets).parse("bread"), baskets)
    cheese = np.array(["cheese" in basket for basket in items])
    yes = np.array([np.sum(inside & ~cheese), np.sum(inside & cheese)], dtype=float)
    assert yes[1] == 2
    assert Precision().quality(yes[None, :], np.array([2.0, 3.0]))[0] == pytest.approx(2 / 3)


def classified(**counts_of):
    """Predictions with numbers of (predicted, actual) pairs such as ``np``: predicted negative, actually positive."""
    said = [pair[0] for pair, n in counts_of.items() for _ in range(n)]
    true = [pair[1] for pair, n in counts_of.items() for _ in range(n)]
    return Predicted.of_classes(true, said, ["n", "p"])


def test_example_6_1_the_more_accurate_classifier_may_know_nothing():
    first = performance_of(classified(nn=95, np=5), metrics=["accuracy", "mcc"])
    second = performance_of(classified(pp=5, pn=10, nn=85), metrics=["accuracy", "mcc"])
    assert 1 - first.scores["accuracy"] == pytest.approx(0.05)
    assert 1 - second.scores["accuracy"] == pytest.approx(0.10)
    assert first.scores["mcc"] == 0
    phi = (0.05 * 0.85) / np.sqrt(0.15 * 0.85 * 0.05 * 0.95)
    assert second.scores["mcc"] == pytest.approx(phi)
    squared = ChiSquared().quality(np.array([[10.0, 5.0]]), np.array([95.0, 5.0]))[0] / 100
    assert squared == pytest.approx(phi**2)


def test_table_6_1_of_blockeel_has_a_negative_correlation():
    found = performance_of(classified(pp=10, pn=20, np=30, nn=40), metrics=["mcc"])
    assert found.scores["mcc"] == pytest.approx((0.1 * 0.4 - 0.3 * 0.2) / np.sqrt(0.3 * 0.7 * 0.4 * 0.6))


def test_exercise_6_25_a_tree_in_a_roc_diagram():
    """Its leaves as (individuals that play tennis, all): warm, medium, cold, humid, dry, rainy."""
    leaves = [(2, 10), (7, 8), (4, 7), (0, 5), (9, 13), (0, 7)]
    actual = np.concatenate([np.arange(n) < plays for plays, n in leaves])
    scores = np.concatenate([np.full(n, plays / n) for plays, n in leaves])
    curve = coverage_curve(actual, scores)
    best = cheapest_threshold(curve)
    assert (best.true_positives, best.false_positives, best.cost) == (20, 8, 10)
    assert (curve.positives[-1], curve.negatives[-1]) == (22, 28)
    roc = roc_curve(actual, scores)
    assert roc.auc == pytest.approx(roc.hull_auc)  # shares of the leaves rank them by slope
