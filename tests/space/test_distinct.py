"""``distinct`` with many parts: what trying all ways says, and in time that does not double with each part."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from structtree.data.population import Population
from structtree.lang import syntax as syn
from structtree.lang.grammar import Grammar
from structtree.lang.logic import implies
from structtree.space.evaluate import holds
from structtree.space.meaning import satisfies, witnesses
from structtree.space.obstacle import obstacle
from structtree.space.space import Space
from tests.space.truth import is_true


def boxes(contents):
    records = [{"items": [{"kind": str(kind)} for kind in kinds]} for kinds in contents]
    return Population.from_records(records, individual="Box", types={"items": "set", "kind": "nominal"})


def wanted(parts):
    return syn.Distinct("items", tuple(syn.Among("kind", tuple(map(str, kinds))) for kinds in parts))


def first_by_trying(kinds, parts):
    """The first different items that satisfy the parts, by trying all."""
    orders = permutations(range(len(kinds)), len(parts))
    return next((o for o in orders if all(kinds[i] in part for i, part in zip(o, parts, strict=True))), None)


@pytest.mark.parametrize("seed", range(40))
def test_both_evaluators_and_the_witnesses_are_what_trying_all_ways_finds(seed):
    rng = np.random.default_rng(seed)
    contents = [rng.integers(4, size=rng.integers(1, 6)).tolist() for _ in range(6)]
    parts = [rng.choice(4, size=rng.integers(1, 4), replace=False).tolist() for _ in range(rng.integers(2, 5))]
    population, predicate = boxes([*contents, [0, 1, 2, 3]]), wanted(parts)
    expected = [first_by_trying(kinds, parts) for kinds in [*contents, [0, 1, 2, 3]]]
    assert holds(predicate, population).tolist() == [found is not None for found in expected]
    for i, found in enumerate(expected):
        assert is_true(predicate, population, i) == satisfies(predicate, population, i) == (found is not None)
        paths = {w.path for w in witnesses(predicate, population, i)} - {""}
        assert paths == {f"items[{place}]" for place in found or ()}


def test_twenty_parts_are_matched_without_trying_all_orders():
    # The last box has too few for the narrow parts, which only a matching can see.
    narrow, wide = [[k, k + 1] for k in range(18)], [list(range(30))] * 2
    population = boxes([list(range(20)), list(range(30)), [*range(10), *range(10), 28, 29]])
    grammar = Grammar.parse(
        f"refine Box {{ top -> distinct items ({', '.join(['top'] * 20)}) }} refine Item {{ top -> kind in * }}"
    )
    space, predicate = Space.build(grammar, population), wanted([*narrow, *wide])
    assert holds(predicate, population).tolist() == [True, True, False]
    assert [satisfies(predicate, population, i) for i in range(3)] == [True, True, False]
    assert len(witnesses(predicate, population, 0)) == 21
    assert predicate in space
    assert obstacle(space, wanted([*narrow, *wide[:1]])) is not None
    assert implies(predicate, wanted([[*part, 29] for part in narrow]))
    assert not implies(wanted([*narrow, *wide]), wanted([[0]] * 20))


def test_unlike_parts_are_given_to_predicates_as_trying_all_ways_would():
    population = boxes([[0, 1, 2]])
    rewrites = 'top -> distinct items (kind in {"0", "1"}, kind = "0" and top, top)'
    space = Space.build(Grammar.parse(f"refine Box {{ {rewrites} }} refine Item {{ top -> kind = * }}"), population)
    assert wanted([[0, 1], [0], [2]]) in space
    assert wanted([[2], [0], [0, 1]]) in space
    assert wanted([[0, 1], [1], [2]]) not in space
