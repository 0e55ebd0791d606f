"""Each kernel equals its plain-Python twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree.search import kernels
from tests.search import twins


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
    for found, expected in zip(getattr(kernels, name)(*case), getattr(twins, name)(*case), strict=True):
        np.testing.assert_array_equal(found, expected)
