"""Canonical forms, sizes, and what may not stand together."""

from __future__ import annotations

import pytest

from structtree.lang.logic import subject
from structtree.lang.parse import parse_predicate
from structtree.lang.pretty import pretty
from structtree.space.terms import canonical, clash, n_literals, nesting


def form(text):
    return pretty(canonical(parse_predicate(text)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("b = x and a = y", "a = y and b = x"),
        ("top and a = y", "a = y"),
        ("top and top", "top"),
        ("a = y and a = y", "a = y"),
        ("a >= 2 and a >= 3", "a >= 3"),
        ("a <= 2 and a <= 3", "a <= 2"),
        ("a >= 2 and a in [3, 5)", "a in [3, 5)"),
        ("a in {x} and b", "b and a = x"),
        ("a in {y, x, y}", "a in {x, y}"),
        ("exists l (b = x and (a = y and top))", "exists l (a = y and b = x)"),
        ("exists l (top) and exists l (top)", "exists l (top)"),
        ("distinct l (b, a)", "distinct l (a, b)"),
        ("b or a or b", "a or b"),
        ("a or top", "top"),
    ],
)
def test_the_canonical_form(text, expected):
    assert canonical(parse_predicate(text)) == canonical(parse_predicate(expected))
    assert canonical(canonical(parse_predicate(text))) == canonical(parse_predicate(text))
    assert set(form(text).split(" and ")) == set(expected.split(" and ")) or form(text) == expected


@pytest.mark.parametrize(
    ("p", "q"),
    [
        ("a = x", "a = y"),
        ("a = x", "a != y"),
        ("a = x", "a in {x, y}"),
        ("a in {x, y}", "a in {z, w}"),
        ("n >= 2", "n >= 3"),
        ("n >= 3", "n <= 2"),
        ("n in [0, 1)", "n in [1, 2]"),
        ("f", "not f"),
        ("missing a", "a = x"),
        ("r.a = x", "r.a = y"),
        ("r.a = x", "r (a = x and b)"),
        ("missing r", "r (top)"),
        ("count l (a = x) >= 2", "count l (a = x) >= 3"),
        ("count l (a = x) >= 3", "count l (a = x) <= 2"),
        ("exists l (f)", "exists l (f)"),
    ],
)
def test_these_clash(p, q):
    assert clash(parse_predicate(p), parse_predicate(q))
    assert clash(parse_predicate(q), parse_predicate(p))


@pytest.mark.parametrize(
    ("p", "q"),
    [
        ("a = x", "b = y"),
        ("a != x", "a != y"),
        ("n >= 2", "n <= 2"),
        ("n in [0, 2)", "n >= 1"),
        ("r.a = x", "r.b = y"),
        ("r.a = x", "s.a = y"),
        ("exists l (a = x)", "exists l (a = y)"),
        ("exists l (top)", "exists l (a = y)"),
        ("count l (a = x) >= 2", "count l (a = y) >= 3"),
        ("count l (a = x) >= 2", "count l (a = x) <= 2"),
        ("first l (f)", "last l (not f)"),
    ],
)
def test_these_may_stand_together(p, q):
    assert not clash(parse_predicate(p), parse_predicate(q))


def test_sizes():
    predicate = parse_predicate("exists atoms (element = N and exists bonds (order = double and to.element = O))")
    assert n_literals(predicate) == 6
    assert nesting(predicate) == 3
    assert n_literals(parse_predicate("max l.a >= 3")) == 1
    assert nesting(parse_predicate("max l.a >= 3")) == 1


def test_a_subject_is_what_a_test_asks_about():
    assert subject(parse_predicate("r.s.a = x")) == ("r.", "s.", "a")
    assert subject(parse_predicate("exists l (a = x)")) is None
