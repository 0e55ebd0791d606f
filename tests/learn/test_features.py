"""The selection of features equals plain loops over all columns."""

from __future__ import annotations

import numpy as np
import pytest

from structtree import Forest, Population
from structtree.learn.feature_fit import NEARLY_EQUAL, select_features
from structtree.learn.forest_fit import forest_criterion
from structtree.learn.learning_set import learning_set
from structtree.search.clock import Clock


def table(rng, n):
    """Records with numbers, categories and truth values, some of them missing."""

    def some(value):
        return None if rng.random() < 0.15 else value

    return [
        {
            "size": some(float(rng.integers(0, 20))),
            "age": some(int(rng.integers(0, 9))),
            "weight": float(rng.normal()),
            "colour": some(str(rng.choice(["red", "green", "blue"]))),
            "round": some(bool(rng.random() < 0.4)),
        }
        for _ in range(n)
    ]


def labels_of(task, records, rng):
    score = np.array([(r["size"] or 0) / 10 + (r["colour"] == "red") + r["weight"] for r in records])
    score = score + rng.normal(scale=0.7, size=len(records))
    return score if task == "numbers" else np.array(["low", "middle", "high"])[np.digitize(score, [0.5, 1.5])]


def correlation(one, other, weights):
    a, b = (values - np.average(values, weights=weights) for values in (one, other))
    return np.average(a * b, weights=weights) / np.sqrt(
        np.average(a**2, weights=weights) * np.average(b**2, weights=weights)
    )


def explained(mask, labels, weights):
    """The share of the variance of the labels that a test explains, by its definition."""
    if labels.dtype.kind == "U":
        labels = (labels[:, None] == np.unique(labels)).astype(float)
    labels = labels.reshape(len(labels), -1)

    def deviation(which):
        if not which.any():
            return 0.0
        mean = np.average(labels[which], axis=0, weights=weights[which])
        return (weights[which, None] * (labels[which] - mean) ** 2).sum()

    whole = deviation(np.ones(len(mask), dtype=bool))
    return (whole - deviation(mask) - deviation(~mask)) / whole


def columns(records):
    """Every column: its name, its tests, and the values whose correlations count."""
    for name in ("size", "age", "weight"):
        values = np.array([np.nan if r[name] is None else r[name] for r in records], dtype=float)
        present = np.unique(values[~np.isnan(values)])
        masks = [values >= t for t in present[1:]] + [values <= t for t in present[:-1]]
        ranks = np.where(np.isnan(values), np.nan, np.searchsorted(present, values))
        yield name, masks, ranks
    for value in ("red", "green", "blue"):
        mask = np.array([r["colour"] == value for r in records])
        yield f"colour = {value}", [mask], mask.astype(float)
    for text, truth in (("round", True), ("not round", False)):
        mask = np.array([r["round"] is truth for r in records])
        yield text, [mask], mask.astype(float)


def plain_selection(records, labels, weights, k):
    """The selection as its description says, in plain loops."""
    found = {}
    for name, masks, values in columns(records):
        relevance = np.sqrt(max(explained(mask, labels, weights) for mask in masks))
        known = ~np.isnan(values)
        centred = np.where(known, values, np.average(values[known], weights=weights[known]))
        found[name] = (relevance, centred)
    chosen, redundancy = [], {}
    while len(chosen) < k and found.keys() - set(redundancy):
        best, best_score = None, -np.inf
        for name, (relevance, values) in found.items():
            others = [abs(correlation(values, found[other][1], weights)) for other in chosen]
            if name in chosen or any(each >= NEARLY_EQUAL for each in others):
                redundancy[name] = 0.0
                continue
            score = relevance - (np.mean(others) if others else 0.0)
            if score > best_score:
                best, best_score = name, score
        if best is None:
            break
        chosen.append(best)
    return [(name, found[name][0]) for name in chosen]


@pytest.mark.parametrize("task", ["classes", "numbers"])
@pytest.mark.parametrize("weighted", [False, True])
def test_relevance_and_order_are_those_of_plain_loops(task, weighted):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        records = table(rng, 120)
        labels = labels_of(task, records, rng)
        weights = rng.integers(1, 4, 120).astype(float) if weighted else np.ones(120)
        population = Population.from_records(records)
        data = learning_set(population, labels, usual=forest_criterion, sample_weight=weights)
        found = select_features(data, 20, Forest(max_bins=200), Clock())
        expected = plain_selection(records, labels, weights, 20)
        assert [each.name for each in found.features] == [name for name, _ in expected]
        assert np.allclose([each.relevance for each in found.features], [each for _, each in expected])


def test_equal_columns_are_selected_once():
    rng = np.random.default_rng(0)
    cells = rng.normal(size=(80, 3))
    cells[:, 2] = 5 * cells[:, 0] + 1
    data = learning_set(cells, cells[:, 0] > 0, "refine Row { top -> * >= * }", usual=forest_criterion)
    found = select_features(data, 10, Forest(), Clock())
    assert [each.name for each in found.features] == ["x0", "x1"]
    assert found.features[0].relevance == pytest.approx(1.0)
    assert 0 <= found.features[1].redundancy < 0.5


def test_individuals_without_weight_change_nothing():
    rng = np.random.default_rng(1)
    records = table(rng, 160)
    labels, weights = labels_of("classes", records, rng), np.ones(160)
    weights[100:] = 0
    other = labels.copy()
    other[100:] = labels[100:][::-1]
    population = Population.from_records(records)
    first, second, alone = (
        select_features(learning_set(*given, usual=forest_criterion, sample_weight=w), 6, Forest(), Clock()).features
        for given, w in (
            ((population, labels), weights),
            ((population, other), weights),
            ((population.take(np.arange(100)), labels[:100]), None),
        )
    )
    assert first == second == alone


def test_without_anything_to_tell_apart_nothing_is_selected():
    data = learning_set([[1.0], [1.0], [1.0]], ["a", "b", "a"], usual=forest_criterion)
    assert select_features(data, 5, Forest(), Clock()).features == ()
    data = learning_set([[1.0], [2.0], [3.0]], ["a", "a", "a"], usual=forest_criterion)
    assert select_features(data, 5, Forest(), Clock()).features == ()
