"""Plain-Python twins of the kernels."""

from __future__ import annotations

import numpy as np

from tests.search.reference import centred, moments, mse_bound, mse_loss, regression_bound


def counts_of_members(owners, rows, passes, n_members, labels, weights, n_labels, hashes):
    """Counts, sizes and signatures of members, where ``passes(member, row)`` says what a member keeps."""
    counts, sizes = np.zeros((n_members, n_labels)), np.zeros(n_members, dtype=np.int64)
    signatures = np.zeros((2, n_members), dtype=np.uint64)
    for member in range(n_members):
        kept = [p for p in range(len(owners)) if passes(member, rows[p])]
        for owner in {int(owners[p]) for p in kept}:
            counts[member, labels[owner]] += weights[owner]
            sizes[member] += 1
        for p in kept:
            for k in range(2):
                signatures[k, member] = np.uint64((int(signatures[k, member]) + int(hashes[k, p])) % 2**64)
    return counts, sizes, signatures


def coded_counts(owners, rows, codes, offsets, labels, weights, n_labels, hashes):
    def passes(member, row):
        family = int(np.searchsorted(offsets, member, side="right")) - 1
        return codes[family][row] == member - offsets[family]

    return counts_of_members(owners, rows, passes, offsets[-1], labels, weights, n_labels, hashes)


def ranked_counts(owners, rows, ranks, offsets, labels, weights, n_labels, hashes):
    def passes(member, row):
        family = int(np.searchsorted(offsets, member, side="right")) - 1
        return ranks[family][row] > member - offsets[family]

    return counts_of_members(owners, rows, passes, offsets[-1], labels, weights, n_labels, hashes)


def numbers(targets, weights, inside):
    """Losses, exact bounds and cheap bounds of the reference, where columns say who is inside."""
    order = np.argsort(targets, kind="stable")
    targets, weights, inside = targets[order], weights[order], inside[order].T
    centre = centred(targets, weights)
    some, whole = moments(centre, weights, inside), moments(centre, weights)
    return mse_loss(some, whole), regression_bound(targets, weights, inside), mse_bound(some, whole)
