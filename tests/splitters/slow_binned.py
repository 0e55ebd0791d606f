"""Plain twin of the trees over binned columns: lists, recursion, and the formulas of Gini and of squared error."""

from __future__ import annotations

import itertools

from structtree.search.kernels.tables import AT_LEAST, EQUAL

MASK = 2**64 - 1


class Random:
    """SplitMix64."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        z ^= z >> 31
        return ((z >> 32) * n) >> 32


def impurity(rows, labels, weights, n_classes):
    """The weight of some rows times their Gini impurity, or the sum of their squared deviations."""
    weight = sum(weights[r] for r in rows)
    if not rows:
        return 0.0
    if n_classes:
        counts = [sum(weights[r] for r in rows if labels[r] == k) for k in range(n_classes)]
        return weight - sum(count**2 for count in counts) / weight
    mean = sum(weights[r] * labels[r] for r in rows) / weight
    return sum(weights[r] * (labels[r] - mean) ** 2 for r in rows)


def sides(rows, codes, form, low, high):
    if form == EQUAL:
        yes = [r for r in rows if codes[r] == low]
    elif form == AT_LEAST:
        yes = [r for r in rows if codes[r] >= high]
    else:
        yes = [r for r in rows if 0 <= codes[r] <= low]
    inside = set(yes)
    return yes, [r for r in rows if r not in inside]


def members(rows, codes, form, at_random, random):
    """The lower and upper code of each member of a test that is tried; None if the test is constant."""
    present = sorted({codes[r] for r in rows if codes[r] >= 0})
    gaps = any(codes[r] < 0 for r in rows)
    if not present or (len(present) == 1 and not (form == EQUAL and gaps)):
        return None
    if form == EQUAL:
        return [(code, code) for code in ([present[random.below(len(present))]] if at_random else present)]
    pairs = list(itertools.pairwise(present))
    if not at_random:
        return pairs
    wanted = present[0] + random.below(present[-1] - present[0])
    return [(low, high) for low, high in pairs if low <= wanted < high]


def grow(columns, labels, weights, n_classes, tests, per_node, at_random, seed, depth, leaf):
    """The nodes of a tree in reading order: (test, low, high) of a branch, the rows of a leaf.

    `columns` has for each test its codes, row by row, and its form.
    """
    random, tests = Random(seed), list(tests)
    everybody = [r for r in range(len(labels)) if weights[r] > 0]
    nodes = []

    def below(rows, known, left):
        best, chosen, n_drawn, i = None, None, 0, known
        pure = len({labels[r] for r in rows}) == 1
        whole = impurity(rows, labels, weights, n_classes)
        while not pure and left != 0 and len(rows) >= max(2, 2 * leaf) and i < len(tests) and n_drawn < per_node:
            in_order = per_node >= len(tests)
            if not in_order:
                other = i + random.below(len(tests) - i)
                tests[i], tests[other] = tests[other], tests[i]
            t = tests[i]
            codes, form = columns[t]
            tried = members(rows, codes, form, at_random, random)
            if tried is None and not in_order:
                tests[i], tests[known] = tests[known], t
                known += 1
            for low, high in tried or ():
                parts = sides(rows, codes, form, low, high)
                loss = sum(impurity(part, labels, weights, n_classes) for part in parts)
                if min(map(len, parts)) >= leaf and (best is None or loss < best - 1e-9):
                    best, chosen = loss, (t, low, high)
            n_drawn += tried is not None
            i += 1
        if best is None or best >= whole - 1e-9:
            nodes.append(sorted(rows))
            return
        nodes.append(chosen)
        for part in sides(rows, *columns[chosen[0]], *chosen[1:]):
            below(part, known, left - 1)

    below(everybody, 0, depth)
    return nodes
