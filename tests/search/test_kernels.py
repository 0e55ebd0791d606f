"""Each kernel equals its plain-Python twin; for losses and bounds that is `tests.search.reference`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree.search.kernels import counting
from structtree.search.scorers import TABLED_WEIGHT, scorer_for
from structtree.tasks.criteria import CRITERIA, TOLERANCE, cannot_beat, criterion
from structtree.tasks.losses import WHOLE_CLASSES
from tests.search import twins
from tests.search.reference import BOUNDS, LOSSES

CLASS_CRITERIA = ["acc*", "acc+", "accuracy", "entropy", "gini", "sqrt-gini", "gain-ratio", "twoing"]


@st.composite
def cases(draw):
    n_owners, n_rows = draw(st.integers(1, 5)), draw(st.integers(1, 6))
    pairs = draw(
        st.lists(st.tuples(st.integers(0, n_owners - 1), st.integers(0, n_rows - 1)), max_size=12, unique=True)
    )
    pairs.sort()
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    codes = np.array(
        [draw(st.lists(st.integers(-1, size - 1), min_size=n_rows, max_size=n_rows)) for size in sizes],
        dtype=np.int32,
    )
    n_labels = draw(st.integers(1, 3))
    labels = draw(st.lists(st.integers(0, n_labels - 1), min_size=n_owners, max_size=n_owners))
    weights = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=n_owners, max_size=n_owners))
    return (
        np.array([p[0] for p in pairs], dtype=np.int32),
        np.array([p[1] for p in pairs], dtype=np.int32),
        codes,
        np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        np.array(labels, dtype=np.int32),
        np.array(weights),
        n_labels,
        np.random.default_rng(0).integers(0, 2**63, size=(2, len(pairs)), dtype=np.uint64),
    )


@pytest.mark.parametrize("name", ["coded_counts", "ranked_counts"])
@given(case=cases())
def test_a_kernel_equals_its_twin(name, case):
    if name == "ranked_counts":
        case = (*case[:2], case[2] + np.int32(1), *case[3:])
    for found, expected in zip(getattr(counting, name)(*case), getattr(twins, name)(*case), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", ["coded_counts", "ranked_counts"])
@given(case=cases())
def test_a_kernel_without_hashes_gives_the_same_counts_and_no_signatures(name, case):
    if name == "ranked_counts":
        case = (*case[:2], case[2] + np.int32(1), *case[3:])
    counts, sizes, signatures = getattr(counting, name)(*case[:-1], np.zeros((2, 0), dtype=np.uint64))
    expected = getattr(twins, name)(*case)
    np.testing.assert_array_equal(counts, expected[0])
    np.testing.assert_array_equal(sizes, expected[1])
    assert not signatures.any()


WHOLE = st.integers(0, 4).map(float)
# Tenths leave the dust of rounding when they are taken away in another order than they were added in.
TENTHS = st.integers(0, 30).map(lambda v: v / 10)


@st.composite
def class_verdicts(draw, most_classes=6):
    """The labels and weights of a node, and the yes sides of some candidates."""
    n_classes = draw(st.integers(2, most_classes))
    extra = draw(st.lists(st.integers(0, n_classes - 1), max_size=12))
    labels = np.array([*range(n_classes), *extra])
    some = st.lists(draw(st.sampled_from([WHOLE, TENTHS])), min_size=len(labels), max_size=len(labels))
    weights = draw(some.filter(any))
    inside = draw(st.lists(st.lists(st.booleans(), min_size=len(labels), max_size=len(labels)), max_size=4))
    everybody, nobody = np.ones(len(labels), dtype=np.bool_), np.zeros(len(labels), dtype=np.bool_)
    return labels, np.array(weights), np.array([*inside, everybody, nobody]).T


@pytest.mark.parametrize("name", CLASS_CRITERIA)
@given(case=class_verdicts())
def test_losses_and_bounds_of_classes_equal_the_reference(name, case):
    labels, weights, inside = case
    scorer = scorer_for(name, labels, len(labels), weights)
    counts = scorer.counts(inside)
    found = scorer.assess(counts)
    np.testing.assert_allclose(found.losses, LOSSES[name](counts, scorer.total), rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(found.bounds, BOUNDS[name](counts, scorer.total), rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("name", CLASS_CRITERIA)
@given(case=class_verdicts(), choice=st.integers(0, 5))
def test_only_what_has_lost_is_left_out(name, case, choice):
    labels, weights, inside = case
    scorer = scorer_for(name, labels, len(labels), weights)
    counts = scorer.counts(inside)
    whole = scorer.assess(counts)
    best = tuple(whole.losses[choice % len(counts)])
    found = scorer.assess(counts, best)
    lost_bounds = cannot_beat(whole.bounds, best, scorer.slack)
    np.testing.assert_array_equal(cannot_beat(found.bounds, best, scorer.slack), lost_bounds)
    for quick, full, left_out in ((found.losses, whole.losses, np.inf), (found.bounds, whole.bounds, 0.0)):
        np.testing.assert_array_equal(quick[:, 0], full[:, 0])
        lost = best[0] < full[:, 0] - scorer.slack
        np.testing.assert_array_equal(quick[~lost], full[~lost])
        assert ((quick[lost, 1] == left_out) | (quick[lost, 1] == full[lost, 1])).all()


@pytest.mark.parametrize("name", CLASS_CRITERIA)
@pytest.mark.parametrize("n_classes", [WHOLE_CLASSES + 1, WHOLE_CLASSES + 2, WHOLE_CLASSES + 3, WHOLE_CLASSES + 6])
def test_many_classes_are_bounded_as_in_the_reference(name, n_classes):
    rng = np.random.default_rng(n_classes)
    labels = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=50)])
    scorer = scorer_for(name, labels, len(labels))
    counts = scorer.counts(rng.random((len(labels), 12)) < rng.random(12))
    found = scorer.assess(counts)
    np.testing.assert_allclose(found.losses, LOSSES[name](counts, scorer.total), rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(found.bounds, BOUNDS[name](counts, scorer.total), rtol=0, atol=TOLERANCE)


@pytest.mark.parametrize("name", ["acc*", "acc+", "entropy"])
@pytest.mark.parametrize("scale", [1, TABLED_WEIGHT // 20, TABLED_WEIGHT])
def test_looking_logarithms_up_and_working_them_out_agree(name, scale):
    labels, weights = np.array([0, 0, 0, 1, 1, 2]), np.array([1, 2, 3, 1, 4, 5]) * scale
    inside = np.random.default_rng(0).random((6, 50)) < 0.5
    scorer = scorer_for(name, labels, 6, weights)
    counts = scorer.counts(inside)
    np.testing.assert_allclose(scorer.loss(counts), LOSSES[name](counts, scorer.total), rtol=0, atol=TOLERANCE)
    np.testing.assert_allclose(scorer.bound(counts), BOUNDS[name](counts, scorer.total), rtol=0, atol=TOLERANCE)


@st.composite
def number_verdicts(draw):
    n = draw(st.integers(1, 10))
    targets = draw(st.lists(st.integers(-50, 50).map(lambda v: v / 10), min_size=n, max_size=n))
    weights = draw(st.lists(draw(st.sampled_from([WHOLE, TENTHS])), min_size=n, max_size=n).filter(any))
    inside = draw(st.lists(st.lists(st.booleans(), min_size=n, max_size=n), max_size=4))
    everybody, nobody = np.ones(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
    return np.array(targets), np.array(weights), np.array([*inside, everybody, nobody]).T


@given(case=number_verdicts(), choice=st.integers(0, 5))
def test_losses_and_bounds_of_numbers_equal_the_reference(case, choice):
    targets, weights, inside = case
    scorer = scorer_for("mse", targets, len(targets), weights)
    counts = scorer.counts(inside)
    losses, bounds, filters = twins.numbers(targets, weights, inside)
    atol = TOLERANCE * (1.0 + float(criterion("mse").unsplit(scorer.total)[0]))
    whole = scorer.assess(counts)
    np.testing.assert_allclose(whole.losses, losses, rtol=0, atol=atol)
    np.testing.assert_allclose(whole.bounds, bounds, rtol=0, atol=atol)
    best = tuple(whole.losses[choice % len(counts)])
    found = scorer.assess(counts, best)
    np.testing.assert_array_equal(found.losses, whole.losses)
    hopeful = ~cannot_beat(whole.bounds, best, scorer.slack)
    np.testing.assert_array_equal(~cannot_beat(found.bounds, best, scorer.slack), hopeful)
    np.testing.assert_allclose(found.bounds[hopeful], bounds[hopeful], rtol=0, atol=atol)
    assert (found.bounds >= filters - atol).all() and (found.bounds <= whole.bounds + atol).all()


@given(st.tuples(*[st.sampled_from([0.0, 0.1, 0.1 + 1e-13, 0.2, np.inf])] * 4))
def test_one_comparison_follows_the_rule_for_many(numbers):
    scorer = scorer_for("acc*", np.array(["a", "b"], dtype=object), 2)
    bound, best = numbers[:2], numbers[2:]
    assert scorer.improves(best, bound) == bool(cannot_beat(bound, best, scorer.slack))


@pytest.mark.parametrize("n_classes", [2, 3, 12, 70])
@pytest.mark.parametrize("name", [name for name, found in CRITERIA.items() if found.task == "classes"])
def test_losses_alone_are_those_of_the_reference_however_many_classes(name, n_classes):
    rng = np.random.default_rng(n_classes)
    labels = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=200)])
    scorer = scorer_for(name, labels, len(labels), rng.choice([0.5, 1.0, 2.0], size=len(labels)))
    inside = rng.random((len(labels), 40)) < rng.random(40)
    inside[:, 1] = inside[:, 0]
    counts = scorer.counts(inside)
    np.testing.assert_allclose(scorer.losses(counts), LOSSES[name](counts, scorer.total), atol=1e-12)
