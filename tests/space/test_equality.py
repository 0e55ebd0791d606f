"""Equality of two collections of a row: what Python says about its own lists, sets and counters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree import Grammar, GrammarError, Population, fit, load_model, pretty, save_model
from structtree.errors import UsageError
from structtree.export.prolog.clauses import export_prolog
from structtree.space.background import with_background
from tests.data.readers.records.test_unnamed import DECLARED, meaning, text_of, values_of

GRAMMAR = "attribute same: Individual = equal(x, y) refine Individual { top -> same; top -> not same }"


def same(population, text=GRAMMAR):
    return with_background(population, Grammar.parse(text), {}).column("same").values.astype(bool).tolist()


def rows_of(kind):
    return st.lists(st.tuples(values_of(kind), values_of(kind)), min_size=1, max_size=5)


@given(DECLARED.flatmap(lambda kind: st.tuples(st.just(kind), rows_of(kind))))
def test_collections_are_equal_exactly_if_pythons_are(case):
    kind, rows = case
    # The last row has both collections filled, so that both types of elements are known.
    filled = next((value for row in rows for value in row if value), None)
    rows = [*rows, (filled, filled)] if filled else rows
    records = [{"x": x, "y": y} for x, y in rows]
    declared = {"x": text_of(kind), "y": text_of(kind)}
    population = Population.from_records(records, types=declared)
    assert same(population) == [meaning(x, kind) == meaning(y, kind) for x, y in rows]


@pytest.mark.parametrize(
    ("x", "y", "types", "expected"),
    [
        (["a", "b"], ["b", "a"], {}, False),
        (["a", "b"], ["b", "a", "a"], {"x": "set", "y": "set"}, True),
        (["a", "b"], ["b", "a", "a"], {"x": "multiset", "y": "multiset"}, False),
        (["a", "b", "a"], {"a": 2, "b": 1}, {"x": "multiset", "y": "multiset"}, True),
        ([1, 2], [1.0, 2.0], {}, True),
        ([None], [None], {"x": "set", "y": "set"}, True),
        ({"n": 1, "s": {1, 2}}, {"n": 1, "s": {2, 1}}, {}, True),
        ({"n": 1, "s": {1, 2}}, {"n": 1, "s": {2}}, {}, False),
    ],
)
def test_equality_of_small_collections(x, y, types, expected):
    assert same(Population.from_records([{"x": x, "y": y}], types=types)) == [expected]


def test_molecules_are_compared_around_their_cycles():
    def ring(name, *elements):
        n = len(elements)
        return [
            {"$id": f"{name}{i}", "element": e, "next": {"$ref": f"{name}{(i + 1) % n}"}}
            for i, e in enumerate(elements)
        ]

    records = [
        {"x": ring("a", "C", "N"), "y": ring("b", "N", "C", "N", "C")},
        {"x": ring("c", "C", "N"), "y": ring("d", "C", "C", "N")},
    ]
    types = {"x": "set", "y": "set"}
    typed = [
        {key: [{"$type": "Atom", **atom} for atom in atoms] for key, atoms in record.items()} for record in records
    ]
    for record in typed:
        for atoms in record.values():
            for atom in atoms:
                atom["next"] = {"$type": "Atom", **atom["next"]}
    assert same(Population.from_records(typed, types=types)) == [True, False]


def test_a_model_computes_the_equality_of_new_data(tmp_path):
    records = [{"x": [["a"], ["b"]], "y": [["b"], ["a", "a"]]}, {"x": [["a"]], "y": [["b"]]}] * 3
    population = Population.from_records(records, types={"x": "set of set", "y": "set of set"})
    model = fit(population, ["yes", "no"] * 3, Grammar.parse(GRAMMAR))
    assert pretty(model.tree.tests[0]) == "same"
    save_model(model, tmp_path / "model.json")
    new = [{"x": [["q"]], "y": [["q", "q"], ["q"]]}, {"x": [["q"]], "y": [["q"], []]}]
    assert load_model(tmp_path / "model.json").predict(new).tolist() == ["yes", "no"]
    with pytest.raises(
        UsageError, match=r"Individual.same is an equality of collections, which Prolog cannot compute"
    ):
        export_prolog(model, population)


def test_the_members_of_the_elements_are_those_of_training():
    records = [{"x": [{"n": 1}], "y": [{"n": 1}]}, {"x": [{"n": 1}], "y": [{"n": 2}]}] * 3
    model = fit(records, ["yes", "no"] * 3, Grammar.parse(GRAMMAR))
    more = [{"x": [{"n": 1, "m": "p"}], "y": [{"n": 1, "m": "q"}]}]
    assert model.predict(more).tolist() == ["yes"]


def test_derived_links_are_compared_by_their_rows():
    records = [{"parts": [{"n": 1, "big": True}, {"n": 1, "big": False}]}, {"parts": [{"n": 1, "big": True}]}]
    text = """
        link large: Individual -> set of Part = parts where big
        link whole: Individual -> set of Part = parts
        attribute same: Individual = equal(large, whole) "all are large"
        refine Individual { top -> same }
    """
    population = Population.from_records(records, types={"parts": "set"})
    assert same(population, text) == [False, True]
    assert Grammar.parse(str(Grammar.parse(text))) == Grammar.parse(text)


@pytest.mark.parametrize(
    ("declaration", "message"),
    [
        ("equal(x, q)", "unknown link 'q' of type 'Individual'"),
        ("equal(x, n)", "'n'"),
        (
            "equal(x, numbers)",
            "the elements of 'x' and 'numbers' are never equal: X.value is nominal, Number.value is int",
        ),
        ("equal(x, s)", "'x' is a list and 's' is a set, so they are never equal"),
        ("equal(x, pairs)", "'x' is a list and 'pairs' is a set, so they are never equal"),
        ("equal(s, pairs)", "'pairs' leads to pairs, which cannot be compared"),
        ("equal(x)", "expected ','"),
        ("1 + equal(x, s)", "expected"),
    ],
)
def test_a_wrong_declaration_is_an_error(declaration, message):
    population = Population.from_records([{"x": ["a"], "numbers": [1], "s": {"a"}, "n": 3}])
    text = f"""
        link pairs: Individual -> set of S = s with k = 1
        attribute same: Individual = {declaration}
        refine Individual {{ top -> same }}
    """
    with pytest.raises(GrammarError) as caught:
        Grammar.parse(text).check(population.schema)
    assert message in str(caught.value)


def test_equal_is_still_a_name():
    grammar = Grammar.parse("refine Individual { top -> equal >= 1 } attribute equal: Individual = 2 * n")
    assert grammar.syntax.computed[0].name == "equal" and grammar.syntax.equalities == ()


def test_a_grammar_without_one_of_the_links_loses_the_equality():
    population = Population.from_records([{"x": {1}}] * 3)
    grammar = Grammar.parse("""
        link other: Individual -> set of X = x where value >= my y
        attribute same: Individual = equal(x, other)
        refine Individual { top -> same; top -> y >= * }
    """)
    omitted = grammar.omitting({"y": "the target"}, population.schema)
    assert omitted.syntax.equalities == () and omitted.syntax.links == ()
