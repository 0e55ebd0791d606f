"""Stopping by description length: whether a split saves more bits than its test costs.

For ``stop="mdl"``. The codes of labels, and the tests of significance, are in `structtree.tasks.evidence`.
"""

from __future__ import annotations

from math import log2

import numpy as np

from structtree.lang import syntax as syn
from structtree.space.families import Family, TestFamily
from structtree.space.space import Space
from structtree.space.terms import n_literals
from structtree.tasks.evidence import Targets
from structtree.tasks.task import Task

__all__ = ["literals_offered", "predicate_bits", "saves_bits"]


def saves_bits(task: Task, *sides: Targets, for_test: float, precision: float = 1.0) -> bool:
    """Return whether encoding a test and its branches needs fewer bits than encoding the node directly.

    Parameters
    ----------
    task : Task
    sides : arrays
        The targets on each side: codes of classes, or numbers.
    for_test : float
        What the test costs; see `predicate_bits`.
    precision : float
        To what numbers are told; see `structtree.tasks.evidence.precision_of`.

    Examples
    --------
    >>> from structtree.tasks.classification import Classification
    >>> yes, no = np.zeros(50, dtype=np.int64), np.ones(50, dtype=np.int64)
    >>> [saves_bits(Classification(), yes, no, for_test=bits) for bits in (10.0, 100.0)]
    [True, False]
    """
    leaf_or_branch = len(sides)
    whole, *apart = task.bits((np.concatenate(sides), *sides), precision)
    return for_test + leaf_or_branch + sum(apart) < whole


def predicate_bits(predicate: syn.Predicate, n_offered: int) -> float:
    """Return the number of bits that encode a predicate, given the number of possible literals.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> predicate_bits(parse_predicate("exists cars (closed and not long)"), 16)
    15.0
    """
    return n_literals(predicate) * (1 + log2(max(1, n_offered)))


def literals_offered(space: Space) -> int:
    """Return the number of literals that the grammar offers; a literal with an open position counts once.

    Examples
    --------
    >>> from structtree.lang.grammar import Grammar
    >>> literals_offered(Space.build(Grammar.parse("type T = {a: x | y | z, b: bool} individual T "
    ...                                            "refine T { top -> a = *; top -> b }")))
    4
    """
    from_top = space.offers.from_top.values()
    from_literal = (families for found in space.offers.from_literal.values() for families in found.values())
    bundled = (bundle.slot.fixed for bundles in space.offers.bundles.values() for bundle in bundles)
    return sum(map(_n_members, (family for families in (*from_top, *from_literal, *bundled) for family in families)))


def _n_members(family: Family) -> int:
    return family.n if isinstance(family, TestFamily) else len(family.numbers)
