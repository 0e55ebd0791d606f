"""Two values of one row compared (``a = its b``), from the text to the explanation.

The laws are those of every other form, and are stated elsewhere: `tests/strategies.py` draws these comparisons too.
Here is what is particular to them.
"""

from __future__ import annotations

from datetime import date, datetime
from itertools import product

import numpy as np
import pytest

from structtree.data.population import Population
from structtree.errors import DataError, GrammarError
from structtree.lang import syntax as syn
from structtree.lang.check import check_predicate
from structtree.lang.grammar import Grammar
from structtree.lang.logic import excludes, implies
from structtree.lang.parse import parse_predicate
from structtree.lang.pretty import pretty
from structtree.learn.fit import fit
from structtree.learn.growing import grow
from structtree.models.files.models import model_from_json, model_to_json
from structtree.models.importance import mentioned
from structtree.models.settings import Growth
from structtree.models.tree import Branch
from structtree.report.explain import explain
from structtree.search.best_split import best_split
from structtree.search.why_not import why_not
from structtree.space.count import count_space
from structtree.space.evaluate import holds
from structtree.space.space import Space
from structtree.space.terms import canonical, n_literals, nesting

TYPES = """
type Stay = {
    price: real, cost: int, home: red | green, away: green | blue, word: nominal, low: a < b, high: a < b, odd: b < a,
    begun: date, ended: time, paid: bool, late: bool, room: Room, next_room: Room?, guests: set of Room
}
type Room = { beds: int, baths: int, kind: nominal }
individual Stay
"""


def checked(text):
    grammar = Grammar.parse(f"{TYPES} refine Stay {{ top -> paid }}").check()
    return check_predicate(parse_predicate(text), "Stay", grammar)


# ---- text -----------------------------------------------------------------------------------------------


def test_a_comparison_behind_one_reference_stands_there():
    inside = syn.Follow("room", syn.CompareOwn(("beds",), ">=", ("baths",)))
    assert parse_predicate("room.beds >= its room.baths") == inside
    assert pretty(inside) == "room (beds >= its baths)"


def test_its_is_a_word_of_the_language():
    assert pretty(parse_predicate('word = "its" and `its` = its cost')) == 'word = "its" and `its` = its cost'


@pytest.mark.parametrize(
    ("text", "canonical_text"),
    [
        ("b = its a", "a = its b"),
        ("b != its a", "a != its b"),
        ("a <= its b", "b >= its a"),
        ("a >= its b", "a >= its b"),
        ("x.a = its b", "b = its x.a"),
        ("b = its a and a = its b", "a = its b"),
        ("a >= its b and a = its b", "a = its b"),
    ],
)
def test_each_comparison_is_written_in_one_way(text, canonical_text):
    assert pretty(canonical(parse_predicate(text))) == canonical_text


def test_references_count_as_literals_and_as_nesting():
    test = parse_predicate("ends.at.year <= its begins.year")
    assert (n_literals(test), nesting(test)) == (4, 2)


# ---- the checker ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("price >= its prise", "unknown attribute 'prise' of type 'Stay' (did you mean 'price'?)"),
        ("price >= its price", "'price >= its price' compares a value with itself"),
        ("price = its home", "cannot compare 'price' (real) with 'home' (nominal)"),
        ("paid = its cost", "cannot compare 'paid' (bool) with 'cost' (int)"),
        ("home >= its away", "'home' and 'away' have no order; write 'home = its away'"),
        ("paid <= its late", "'paid' and 'late' have no order; write 'paid = its late'"),
        ("low >= its odd", "'low' and 'odd' have different orders; write 'low = its odd'"),
        ("cost >= its rooms.beds", "unknown link 'rooms' of type 'Stay' (did you mean 'room'?)"),
        ("cost >= its guests.beds", "'guests' leads to many rows of 'Room'; write 'exists guests (...)'"),
        ("cost >= its room", "'room' is a link to 'Room', not an attribute; write 'room (...)'"),
        ("cost = its *", "'*' stands for several attributes"),
        ("price >= cost", "expected a number, got 'cost'; to compare the two attributes write 'price >= its cost'"),
        ("home = away", "'away' is not a value of 'home'; to compare the two attributes write 'home = its away'"),
        ("low >= high", "'high' is not a value of 'low'; to compare the two attributes write 'low >= its high'"),
        ("begun >= ended", "got 'ended'; to compare the two attributes write 'begun >= its ended'"),
        ("price >= home", "'price' is real: expected a number, got 'home'"),
    ],
)
def test_what_makes_no_sense_is_refused_with_the_nearest_fix(text, message):
    with pytest.raises(GrammarError) as error:
        checked(text)
    assert message in str(error.value)


def warnings_of(right, types="type T = { a1: nominal, a2: nominal, a3: x | y, n: int }"):
    return Grammar.parse(f"{types} individual T refine T {{ top -> {right} }}").check().warnings


def test_a_category_that_nobody_declared_and_that_is_the_name_of_an_attribute_gets_a_warning():
    (warning,) = warnings_of("a1 = a2")
    assert "'a1 = a2' means the category 'a2'; to compare the two attributes write 'a1 = its a2'" in warning


@pytest.mark.parametrize("right", ["a1 = its a2", "a1 = other", "a1 = a1", "a1 = n", "a3 = x", "a1 = *"])
def test_other_values_get_no_warning(right):
    assert warnings_of(right) == ()


@pytest.mark.parametrize(
    ("right", "made"),
    [
        ("* >= its *", ["price >= its cost", "cost >= its price", "low >= its high", "high >= its low"]),
        ("price <= its *", ["cost >= its price"]),
        ("paid = its *", ["late = its paid"]),
        ("home = its *", ["away = its home", "home = its word"]),
        ("c* = its p*", ["cost = its price"]),
        ("price <= its room.b*", ["room.beds >= its price", "room.baths >= its price"]),
        ("room.* >= its room.*", ["room (beds >= its baths)", "room (baths >= its beds)"]),
        ("word >= its *", []),
    ],
)
def test_a_glob_stands_for_every_pair_that_fits_once(right, made):
    grammar = Grammar.parse(f"{TYPES} refine Stay {{ top -> {right} }}").check()
    found = [pretty(rewrite.right) for rewrite in grammar.rewrites["Stay"]]
    assert [text for text in found if "begun" not in text] == made


# ---- truth ----------------------------------------------------------------------------------------------

ROWS = Population.from_records(
    [
        {"a": "x", "b": "x", "n": 1, "r": 1.0, "day": date(2024, 3, 1), "at": datetime(2024, 3, 1, 0, 0)},
        {"a": "y", "b": "x", "n": 2, "r": 1.5, "day": date(2024, 3, 1), "at": datetime(2024, 3, 1, 12, 30)},
        {"a": "z", "b": "y", "n": None, "r": 0.5, "day": date(2024, 3, 2), "at": datetime(2024, 3, 1, 12, 30)},
        {"a": None, "b": None, "n": 0, "r": None, "day": None, "at": datetime(2024, 3, 1, 12, 30)},
    ],
    individual="Row",
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = its b", [True, False, False, False]),
        ("a != its b", [False, True, True, False]),
        ("n >= its r", [True, True, False, False]),
        ("n != its r", [False, True, False, False]),
        ("at <= its day", [True, False, True, False]),
        ("day = its at", [True, False, False, False]),
        ("not (a = its b)", [False, True, True, True]),
    ],
)
def test_values_are_compared_by_text_by_number_and_by_moment_and_missing_ones_never(text, expected):
    assert holds(parse_predicate(text), ROWS).tolist() == expected


def test_an_absent_reference_is_a_missing_value():
    rows = Population.from_records(
        [{"year": 3, "ends": {"year": 3}}, {"year": 3}, {"year": 3, "ends": {"year": None}}]
    )
    assert holds(parse_predicate("year = its ends.year"), rows).tolist() == [True, False, False]
    assert holds(parse_predicate("ends.year != its year"), rows).tolist() == [False, False, False]


COMPARISONS = [
    parse_predicate(f"{one} {op} its {other}") for one, other in ("ab", "ba") for op in ("=", "!=", ">=", "<=")
]
PAIRS = Population.from_records([{"a": a, "b": b} for a, b in product([0, 1, None], repeat=2)])


@pytest.mark.parametrize(("p", "q"), list(product(COMPARISONS, repeat=2)))
def test_logic_between_comparisons_of_two_values_is_exact(p, q):
    one, other = holds(p, PAIRS), holds(q, PAIRS)
    assert implies(p, q) == bool(other[one].all())
    assert excludes(p, q) == (not (one & other).any())
    for third in COMPARISONS:
        both = holds(syn.And((p, q)), PAIRS)
        assert bool(implies(syn.And((p, q)), third)) == bool(holds(third, PAIRS)[both].all())


# ---- the space ------------------------------------------------------------------------------------------


def test_the_space_has_each_comparison_once_and_says_what_it_lacks():
    text = "type T = { a: int, b: int, c: int } individual T refine T { top -> * >= its *; top -> a <= its b; %s }"
    space = Space.build(Grammar.parse(text % "top -> a = its b; top -> b = its a; top -> top and top max 2"))
    found = list(space.enumerate())
    assert len(found) == len(set(found)) == count_space(space).size == 1 + 7 + 15 + 4
    assert space.parse("b = its a") in space
    population = Population.from_records([{"a": 1, "b": 2, "c": 0}, {"a": 2, "b": 1, "c": 0}])
    split = best_split(population, ["x", "y"], Grammar.parse(text % ""))
    assert "'top -> a >= its c'" in str(why_not(split, "c = its a"))


# ---- trees ----------------------------------------------------------------------------------------------

RNG = np.random.default_rng(3)
THINGS = Population.from_records(
    [
        {
            "n": int(RNG.integers(0, 4)),
            "m": int(RNG.integers(0, 4)),
            "kind": str(RNG.choice(["p", "q"])),
            "box": {"n": int(RNG.integers(0, 4))},
            "parts": [
                {"wide": int(RNG.integers(0, 3)), "high": int(RNG.integers(0, 3))} for _ in range(RNG.integers(0, 3))
            ],
        }
        for _ in range(60)
    ],
    types={"parts": "set"},
    individual="Thing",
)
GRAMMARS = [
    "refine Thing { top -> * >= its *; top -> kind = * }",
    "refine Thing { top -> n = its box.n; top -> m >= *; top -> box (top) } refine Box { top -> n >= * }",
    "refine Thing { top -> kind = *; top -> exists parts (top) } refine Part { top -> * = its *; top -> wide >= * }",
]
CONCEPTS = ["n >= its m", "n = its box.n", "exists parts (high = its wide)"]


@pytest.mark.parametrize(("text", "concept"), list(zip(GRAMMARS, CONCEPTS, strict=True)))
@pytest.mark.parametrize("most", [1, 2])
def test_every_route_finds_the_comparison(text, concept, most):
    several = text.replace("Thing { ", f"Thing {{ top -> top and top max {most}; " if most > 1 else "Thing { ", 1)
    target = holds(parse_predicate(concept), THINGS).astype(int)
    single = ("bottom-up",) if most == 1 else ()
    for strategy in ("auto", "best-first", "exhaustive", "beam", *single):
        tree = grow(THINGS, target, Grammar.parse(several), Growth(strategy=strategy))
        assert [pretty(node.test) for node in tree.nodes if isinstance(node, Branch)] == [concept]
        assert all(tree.nodes[node].stats.n == len(which) for node, which in tree.arrivals(THINGS))


def test_a_rewrite_written_the_other_way_round_makes_the_canonical_test_on_every_route():
    target = holds(parse_predicate("n >= its m"), THINGS).astype(int)
    for strategy in ("auto", "best-first"):
        tree = grow(THINGS, target, Grammar.parse("refine Thing { top -> m <= its n }"), Growth(strategy=strategy))
        assert [pretty(test) for test in tree.tests] == ["n >= its m"]


def test_a_model_with_a_comparison_is_saved_explained_and_asks_for_both_values():
    target = holds(parse_predicate(CONCEPTS[1]), THINGS).astype(int)
    model = fit(THINGS, target, Grammar.parse(GRAMMARS[1]))
    loaded = model_from_json(model_to_json(model))
    assert loaded.tree.tests == model.tree.tests == (parse_predicate(CONCEPTS[1]),)
    assert (loaded.predict(THINGS) == target).all()
    assert "n = 2, box.n = 2" in str(explain(model, [{"n": 2, "box": {"n": 2}}], 0))
    assert "n = 2, box.n = 3" in str(explain(model, [{"n": 2, "box": {"n": 3}}], 0))
    assert mentioned(model.tree.nodes[0].test) == ("n", "box.n")
    for lacking in ({"n": 2, "box": {}}, {"box": {"n": 2}}):
        with pytest.raises(DataError, match="the model needs the attribute 'n'"):
            loaded.predict([lacking])


@pytest.mark.parametrize("missing", ["majority", "fractional"])
def test_a_comparison_with_a_missing_value_is_left_to_the_rule_for_missing_values(missing):
    rows = [{"a": v, "b": w} for v, w in product("xyz", repeat=2)]
    target = ["same" if row["a"] == row["b"] else "other" for row in rows]
    grammar = Grammar.parse("refine Individual { top -> a = its b }")
    model = fit(Population.from_records(rows), target, grammar, growth=Growth(missing=missing))
    shares = model.predict_proba([{"a": "x", "b": None}, {"a": "new", "b": "new"}, {"a": "new", "b": "x"}])
    certain = model.predict_proba(rows)
    assert certain[1, 0] > shares[0, 0] >= certain[0, 0] or missing == "majority"
    assert shares[0, 0] > 0.5
    assert shares[1:].tolist() == certain[:2].tolist()
