"""Plain twin of the trees of boosting: lists, a maximum over all leaves, and the formula of a Newton step."""

from __future__ import annotations

import itertools
from math import inf

from structtree.search.kernels.tables import AT_LEAST, AT_MOST, SUBSET
from tests.splitters.slow_binned import sides


def step(rows, gradients, hessians, l2, bounds):
    below = sum(hessians[r] for r in rows) + l2
    value = -sum(gradients[r] for r in rows) / below if below > 0 else 0.0
    return min(max(value, bounds[0]), bounds[1])


def reduction(rows, gradients, hessians, l2, bounds):
    value = step(rows, gradients, hessians, l2, bounds)
    return -value * (sum(gradients[r] for r in rows) + 0.5 * (sum(hessians[r] for r in rows) + l2) * value)


def members(rows, codes, form, gradients, hessians, l2):
    """Each member of a test as it is named, with the rows that satisfy it."""
    present = sorted({codes[r] for r in rows if codes[r] >= 0})
    if form == SUBSET:
        ratio = {
            v: sum(gradients[r] for r in rows if codes[r] == v)
            / (sum(hessians[r] for r in rows if codes[r] == v) + l2)
            for v in present
        }
        order = sorted(present, key=lambda v: ratio[v])
        for some in (order, order[::-1]):
            for n in range(1, len(some) + 1):
                inside = frozenset(some[:n])
                yield inside, [r for r in rows if codes[r] in inside]
    elif form in (AT_LEAST, AT_MOST):
        for low, high in itertools.pairwise(present):
            yield (low, high), sides(rows, codes, form, low, high)[0]
    else:
        for value in present:
            yield (value, value), [r for r in rows if codes[r] == value]


def best_split(rows, columns, gradients, hessians, limits, bounds):
    """The gain of the best member of the tests, and the test, the member and both branches."""
    best, found = -inf, None
    for t, codes, form, sign in columns:
        for member, yes in members(rows, codes, form, gradients, hessians, limits["l2"]):
            inside = set(yes)
            no = [r for r in rows if r not in inside]
            steps = [step(part, gradients, hessians, limits["l2"], bounds) if part else 0.0 for part in (yes, no)]
            if min(len(yes), len(no)) < limits["leaf"] or (steps[0] - steps[1]) * sign < 0:
                continue
            if min(sum(hessians[r] for r in part) for part in (yes, no)) < limits["hessian"]:
                continue
            gain = sum(reduction(part, gradients, hessians, limits["l2"], bounds) for part in (yes, no))
            if gain > best + 1e-9:
                best, found = gain, (t, member, yes, no, steps, sign)
    return best - reduction(rows, gradients, hessians, limits["l2"], bounds), found


def grow(columns, gradients, hessians, rows, limits):
    """The nodes of a tree in reading order: (test, member) of a branch, the rows and the value of a leaf.

    `columns` has for each test its number, its codes row by row, its form, and its sign.
    """

    def node(rows, depth, bounds):
        made = {"rows": rows, "depth": depth, "bounds": bounds, "gain": -inf, "children": None}
        if len(rows) >= max(limits["split"], 2 * limits["leaf"]) and depth != limits["depth"]:
            made["gain"], made["split"] = best_split(rows, columns, gradients, hessians, limits, bounds)
        return made

    root = node(list(rows), 0, (-inf, inf))
    leaves = [root]
    while len(leaves) < limits["leaves"]:
        best = max(leaves, key=lambda each: each["gain"])
        if best["gain"] <= 1e-9:
            break
        _, _, yes, no, steps, sign = best["split"]
        low, high = best["bounds"]
        middle = sum(steps) / 2
        below, above = ((low, middle), (middle, high)) if sign else (best["bounds"], best["bounds"])
        first, second = (above, below) if sign > 0 else (below, above)
        best["children"] = [node(yes, best["depth"] + 1, first), node(no, best["depth"] + 1, second)]
        leaves = [each for each in leaves if each is not best] + best["children"]

    def reading(each):
        if each["children"] is None:
            return [(sorted(each["rows"]), step(each["rows"], gradients, hessians, limits["l2"], each["bounds"]))]
        here = [each["split"][:2]]
        return here + reading(each["children"][0]) + reading(each["children"][1])

    return reading(root)
