"""Many predicates as bits: each kernel equals the plain way to say it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from structtree.search.kernels.masks import words_behind


def packed(masks):
    """Masks as rows of 64-bit words."""
    words = np.zeros((len(masks), max(1, -(-masks.shape[1] // 64))), dtype=np.uint64)
    for m, row in zip(*np.nonzero(masks), strict=True):
        words[m, row // 64] |= np.uint64(1) << np.uint64(row % 64)
    return words


def counted(links, masks):
    """Of how many targets of each row each predicate holds."""
    return [[sum(bool(mask[target]) for target in targets) for targets in links] for mask in masks]


@st.composite
def links_and_masks(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    n_predicates, n_targets = (
        draw(st.sampled_from([0, 1, 5, 63, 64, 65, 130])),
        draw(st.sampled_from([1, 3, 64, 150])),
    )
    n_rows, most = draw(st.sampled_from([0, 1, 2, 64, 70])), draw(st.sampled_from([0, 1, 3, 20]))
    links = [rng.integers(n_targets, size=rng.integers(most + 1)).tolist() for _ in range(n_rows)]
    return links, rng.random((n_predicates, n_targets)) < draw(st.sampled_from([0.0, 0.1, 0.5, 1.0]))


def csr(links):
    offsets = np.concatenate(([0], np.cumsum([len(targets) for targets in links]))).astype(np.int64)
    return offsets, np.array([target for targets in links for target in targets], dtype=np.int64)


@given(links_and_masks(), st.lists(st.sampled_from([-1, 0, 1, 2, 3, 4, 7, 8, 30]), min_size=1, max_size=3))
def test_rows_with_so_many_targets_are_marked(case, numbers):
    links, masks = case
    found = words_behind(*csr(links), packed(masks), np.array(numbers))
    counts = np.array(counted(links, masks), dtype=np.int64).reshape(len(masks), len(links))
    for number, words in zip(numbers, found, strict=True):
        assert words.tolist() == packed(counts >= number).tolist()
