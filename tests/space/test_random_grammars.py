"""Laws of the space on random grammars whose rewrites overlap: counting = enumerating = all sets of all literals.

The grammars are always the same ones. `test_grammars_that_once_failed` has those that showed something.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import islice

import pytest

from structtree.errors import GrammarError
from structtree.lang import syntax as syn
from structtree.lang.grammar import Grammar
from structtree.lang.pretty import pretty
from structtree.space.count import count_space
from structtree.space.space import Batch, Space
from tests.oracles import TooManyError, all_predicates
from tests.space.random_grammars import random_aggregates, random_grammar

MOST = 150


def check(text, most=MOST):
    """Hold a space against the laws, if it is small enough."""
    space = Space.build(Grammar.parse(text))
    found = list(islice(space.enumerate(), most + 1))
    if len(found) > most:
        return
    assert len(set(found)) == len(found), text
    assert count_space(space).size == len(found), text
    for predicate in found:
        assert predicate in space, f"{pretty(predicate)} of {text}"
        assert predicate == syn.TOP or any(space.parents(predicate)), f"{pretty(predicate)} of {text}"
    with suppress(TooManyError):
        assert set(found) == all_predicates(space), text


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_the_same_where_rewrites_are_about_several_literals_at_once(first):
    for seed in range(first, first + 20):
        with suppress(GrammarError):  # some would go on for ever, or lead nowhere
            check(random_grammar(seed, bundles=True), most=40)


@pytest.mark.parametrize("first", range(0, 300, 50))
def test_counting_is_enumerating_is_brute_force(first):
    for seed in range(first, first + 50):
        check(random_grammar(seed))


@pytest.mark.parametrize("first", range(0, 120, 40))
def test_counting_is_enumerating_with_calls_of_definitions(first):
    for seed in range(first, first + 40):
        check(random_grammar(seed, calls=True))


@pytest.mark.parametrize("first", range(0, 80, 40))
def test_counting_is_enumerating_with_open_aggregates(first):
    for seed in range(first, first + 40):
        check(random_grammar(seed, aggregates=True))


@pytest.mark.parametrize("first", range(0, 150, 50))
def test_counting_is_enumerating_with_open_aggregates_behind_references(first):
    for seed in range(first, first + 50):
        check(random_aggregates(seed))


def check_batches(text):
    """Every member of a batch makes one predicate."""
    space = Space.build(Grammar.parse(text))
    waiting = [space.root()]
    for position in islice(waiting, MOST):
        waiting += space.extend(position)
        for extension in space.extensions(position):
            if isinstance(extension, Batch):
                assert all(len(list(extension.settle(item))) == 1 for item in space.members(extension)), text


@pytest.mark.parametrize("seed", range(0, 300, 10))
def test_every_member_of_a_batch_makes_one_predicate(seed):
    check_batches(random_grammar(seed))
    check_batches(random_grammar(seed, calls=True))


TREE = "type T = { a: bool, b: bool, kids: set of T, o: T? } individual T"
BOX = "type T = { items: set of I } type I = { heavy: bool } individual T"


@pytest.mark.parametrize(
    "text",
    [
        f"{BOX} refine T {{ top -> count items (top) >= {{1, 2}}; top -> count items (top) >= 2; "
        "count items (top) >= 2 -> distinct items (top, top) } limits { nesting 2, literals 3 }",
        f"{BOX} refine T {{ top -> exists items (top); top -> exists items (heavy); "
        "exists items (heavy) -> count items (heavy) >= 2 } refine I { top -> heavy } limits { literals 3 }",
        f"{TREE} refine T {{ top -> exists kids (top); top -> count kids (top) <= 2; top -> o (top); "
        "exists kids (top) -> count kids (top) >= 2..3; top -> top and top max 2 } limits { nesting 2, literals 3 }",
        "type T = { a: bool, kids: list of T } individual T refine T { top -> later (next (top)); top -> a; "
        "top -> previous (top); top -> previous (previous (top)); top -> exists kids (top); "
        "top -> top and top max 2 } limits { nesting 3, literals 3 }",
        f"{TREE} refine T {{ exists kids (top) -> distinct kids (top, top); top -> distinct kids (top, top); "
        "top -> exists kids (top); top -> top and top max 2 } limits { nesting 2, literals 2 }",
        f"{TREE} refine T {{ top -> a; top -> b; top -> count kids (top) >= 2; "
        "count kids (top) >= 2 -> distinct kids (top, top); top -> top and top max 2 } "
        "limits { nesting 2, literals 3 }",
        f"{TREE} refine T {{ top -> a; exists kids (top) -> count kids (top) >= 1; "
        "count kids (top) >= 1 -> exists kids (top) } limits { nesting 2, literals 3 }",
        f"{TREE} refine T {{ top -> a; top -> exists kids (a and top); top -> exists kids (exists kids (top)); "
        "exists kids (top) -> count kids (top) >= 1..2; count kids (top) >= 1 -> exists kids (top); "
        "top -> exists kids (top); top -> top and top max 2 } limits { nesting 2, literals 3 }",
        f"{TREE} refine T {{ top -> a; top -> count kids (top) >= 1; "
        "count kids (top) >= 1 -> count kids (top) >= 1..2 } limits { nesting 2, literals 3 }",
        "type T = { a: bool, kids: list of T } individual T refine T { top -> next (a); top -> next (later (top)); "
        "later (top) -> next (top); top -> top and top max 2 } limits { nesting 3, literals 6 }",
        "type A = { r: R } type R = { f: bool, s: set of S } type S = { n: int } individual A "
        "refine A { top -> r (top); top -> top and top max 2 } "
        "refine R { top -> f; top -> share s (top) >= {0.5, 1} } limits { nesting 3, literals 5 }",
        "type A = { r: R } type R = { s: set of S } type S = { n: int } individual A "
        "refine A { top -> r (top); top -> top and top max 2 } refine R { top -> max s (top).n >= {1, 2} } "
        "refine S { top -> n >= 1 } limits { nesting 3, literals 5 }",
        "type R = { s: set of S } type S = { n: int } individual R refine S { top -> n >= 1 } "
        "refine R { top -> max s (top).n >= {1, 2}; top -> max s.n <= {1, 2}; top -> top and top max 2 }",
        "type T = { n: int, o: T } individual T refine T { top -> o.n >= 1; top -> o.n >= 2; top -> o.n <= 2; "
        "top -> top and top max 2 }",
    ],
)
def test_grammars_that_once_failed(text):
    check(text, most=2000)
    check_batches(text)
