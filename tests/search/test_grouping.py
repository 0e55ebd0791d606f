"""Which sets of values are worth a look: sums of all sets, and orders, each as one would write it down."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree.search.kernels.grouping import all_sums, lies_in_a_plane, value_orders
from structtree.tasks.criteria import CRITERIA, better, criterion
from tests.search.reference import centred

CLASSIFIERS = [name for name, found in CRITERIA.items() if found.task == "classes"]


@st.composite
def counts_of(draw, n_classes, max_values=6):
    one = st.lists(st.sampled_from([0.0, 0.3, 1.0, 2.0, 5.0]), min_size=n_classes, max_size=n_classes).filter(any)
    return np.array(draw(st.lists(one, min_size=1, max_size=max_values)))


@given(counts=counts_of(3))
def test_the_sums_are_those_of_all_sets_by_the_bits_of_their_number(counts):
    sizes = np.arange(1, len(counts) + 1)
    sums, n_rows = all_sums(counts, sizes)
    for number in range(2 ** len(counts)):
        chosen = [v for v in range(len(counts)) if number >> v & 1]
        assert sums[number] == pytest.approx(counts[chosen].sum(axis=0))
        assert n_rows[number] == sizes[chosen].sum()


@pytest.mark.parametrize("name", CLASSIFIERS)
@given(counts=counts_of(2), lacking=st.lists(st.sampled_from([0.0, 1.0, 4.0]), min_size=2, max_size=2))
def test_of_two_classes_a_beginning_or_an_end_of_the_order_is_best(name, counts, lacking):
    found, total = criterion(name), counts.sum(axis=0) + lacking
    assert lies_in_a_plane(counts, True)
    (order,) = value_orders(counts, True)
    everything = all_sums(counts, np.ones(len(counts), dtype=np.int64))[0][1:]
    ends = np.concatenate([np.cumsum(counts[order], axis=0), np.cumsum(counts[order][::-1], axis=0)])
    losses = found.loss(ends, total)
    least = losses[:, 0].min()
    best = np.array([least, losses[losses[:, 0] <= least + 1e-9, 1].min()])
    assert not better(found.loss(everything, total), best, 1e-9).any()


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-3, 3)), min_size=1, max_size=12))
def test_of_numbers_a_beginning_or_an_end_of_the_order_is_best(rows):
    codes, y = np.array([code for code, _ in rows]), centred([float(target) for _, target in rows])
    present = np.unique(codes)
    moments = np.array([[(codes == v).sum(), y[codes == v].sum(), (y[codes == v] ** 2).sum()] for v in present])
    (order,) = value_orders(np.ascontiguousarray(moments[:, :2]), False)
    ends = np.concatenate([np.cumsum(moments[order], axis=0), np.cumsum(moments[order][::-1], axis=0)])
    everything = all_sums(moments, np.ones(len(moments), dtype=np.int64))[0][1:]
    loss = criterion("mse").loss
    assert loss(everything, moments.sum(axis=0)).min() >= loss(ends, moments.sum(axis=0)).min() - 1e-9


def test_three_classes_do_not_lie_in_a_plane_unless_one_of_them_is_absent():
    assert not lies_in_a_plane(np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 0.0]]), True)
    assert lies_in_a_plane(np.array([[1.0, 0.0, 2.0], [2.0, 0.0, 0.0]]), True)


@given(counts=counts_of(3))
def test_many_classes_have_an_order_by_each_and_one_along_the_first_principal_component(counts):
    if not counts.sum(axis=0).all():
        return
    orders = value_orders(counts, True)
    shares, weights = counts / counts.sum(axis=1, keepdims=True), counts.sum(axis=1)
    for k in range(3):
        assert np.diff(shares[orders[k], k]).min(initial=0) >= 0
    centre = np.average(shares, axis=0, weights=weights)
    lengths, axes = np.linalg.eigh((shares - centre).T * weights @ (shares - centre))
    if lengths[2] > 1.05 * lengths[1] + 1e-9:  # else there is no first one, or it takes long to find
        along = shares[orders[3]] @ axes[:, 2]
        steps = np.diff(along)
        assert (steps >= -1e-3).all() or (steps <= 1e-3).all()
