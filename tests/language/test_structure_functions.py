"""Functions of the caller that give rows (``function letters: Word -> list of Letter``), from text to model."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from structtree import StructuralTreeClassifier
from structtree.data.population import Population
from structtree.errors import DataError, GrammarError, UsageError
from structtree.lang.grammar import Grammar
from structtree.lang.pretty import pretty, pretty_grammar
from structtree.learn.fit import fit
from structtree.models.files.models import model_from_json, model_to_json
from structtree.space.evaluate import holds
from structtree.space.functions import with_functions
from structtree.space.space import Space
from tests.space.truth import is_true

TYPES = """
type Letter = { kind: vowel | consonant, code: int, size: small < large, marks: set of Mark, after: Letter? }
type Mark = { x: real, on: bool, seen: date, at: time, word: nominal }
"""
REFINE = """
refine Word { top -> exists letters (top); top -> count letters (top) >= * }
refine Letter { top -> kind = *; top -> code >= *; top -> size >= *; top -> exists marks (top); top -> after (top) }
refine Mark { top -> x >= * }
limits { nesting 3, literals 3 }
"""
GRAMMAR = f"{TYPES} function letters: Word -> list of Letter {REFINE}"
WORDS = [{"name": "ab"}, {"name": "cat"}, {"name": ""}, {"name": "cc"}]


def words(records=WORDS):
    return Population.from_records(records, individual="Word")


def letters(word):
    return [
        {"kind": "vowel" if sign in "aeiou" else "consonant", "code": ord(sign), "marks": [{"x": 0.5}, {"x": 1.5}]}
        for sign in word["name"]
    ]


# ---- rows -----------------------------------------------------------------------------------------------

marks = st.fixed_dictionaries(
    {},
    optional={
        "x": st.integers(-3, 3).map(float),
        "on": st.booleans(),
        "seen": st.dates(),
        "word": st.text(max_size=2),
    },
)
given_letters = st.recursive(
    st.just(None),
    lambda after: st.fixed_dictionaries(
        {"marks": st.lists(marks, max_size=2)},
        optional={
            "kind": st.sampled_from(["vowel", "consonant"]),
            "code": st.integers(0, 5),
            "size": st.sampled_from(["small", "large"]),
            "after": after,
        },
    ),
    max_leaves=3,
).filter(lambda letter: letter is not None)


def without_none(value):
    """A record without the members that are None, as populations show them."""
    if isinstance(value, dict):
        return {key: without_none(each) for key, each in value.items() if each is not None}
    return [without_none(each) for each in value] if isinstance(value, list) else value


@given(st.lists(st.lists(given_letters, max_size=3), min_size=1, max_size=4))
def test_the_rows_are_those_that_the_function_gives(results):
    data = words([{"number": i} for i in range(len(results))])
    made = with_functions(data, Grammar.parse(GRAMMAR), {"letters": lambda word: results[word["number"]]})
    assert [made.record(i, depth=9)["letters"] for i in range(len(results))] == [without_none(r) for r in results]


@given(st.lists(st.lists(given_letters, max_size=3), min_size=2, max_size=4))
def test_predicates_hold_of_given_rows_as_of_others(results):
    data = words([{"number": i} for i in range(len(results))])
    space = Space.build(Grammar.parse(GRAMMAR), data, functions={"letters": lambda word: results[word["number"]]})
    for predicate in list(space.enumerate())[:30]:
        expected = [is_true(predicate, space.population, i) for i in range(len(data))]
        assert holds(predicate, space.population).tolist() == expected


@pytest.mark.parametrize(
    ("gives", "asked", "result"),
    [
        ("set of Head", "exists head (sign = c)", lambda word: [{"sign": sign} for sign in word["name"]]),
        ("list of Head", "first head (sign = c)", lambda word: tuple({"sign": sign} for sign in word["name"])),
        ("Head?", "head.sign = c", lambda word: {"sign": word["name"][0]} if word["name"] else None),
        ("Head", "head.sign = c", lambda word: {"sign": word["name"][:1]}),
    ],
)
def test_a_function_gives_a_set_a_list_or_a_reference(gives, asked, result):
    text = (
        f"type Head = {{ sign: nominal }} function head: Individual -> {gives} refine Individual {{ top -> {asked} }}"
    )
    grammar = Grammar.parse(text)
    assert pretty_grammar(Grammar.parse(pretty_grammar(grammar.syntax)).syntax) == pretty_grammar(grammar.syntax)
    space = Space.build(grammar, words(), functions={"head": result})
    predicate = list(space.enumerate())[1]
    assert pretty(predicate) == asked
    assert holds(predicate, space.population).tolist() == [False, True, False, True]


def test_functions_of_given_rows_come_after_those_that_give_them():
    text = f"function heavy: Letter -> real {GRAMMAR}"
    given = {"letters": letters, "heavy": lambda letter: letter["code"] / 2}
    made = with_functions(words(), Grammar.parse(text), given)
    assert made.table("Letter").columns["heavy"].values[:2].tolist() == [48.5, 49.0]


def test_given_types_are_declared_without_data_as_well():
    checked = Grammar.parse(f"type Word = {{ name: nominal }} {GRAMMAR}").check()
    assert checked.individual == "Word"
    assert checked.schema.type("Word").link("letters").shown == "list of Letter"


# ---- refusals -------------------------------------------------------------------------------------------

DECLARATIONS = {
    "function f: Word -> Pint type Point = { x: real }": (
        "1:10: the function 'f' returns 'Pint', an undeclared type (did you mean 'Point'?)"
    ),
    "function f: Word -> set of Point": (
        "1:10: the function 'f' returns 'Point', an undeclared type; add 'type Point = { ... }'"
    ),
    "type Sign = { x: real } function f: Word -> set of Sign": (
        "1:34: the function 'f' returns rows of type 'Sign', which already has rows; declare a new type for them"
    ),
    "type P = { signs: set of Sign } type Sign = { mark: nominal } function f: Word -> set of P": (
        "1:72: the function 'f' returns rows of type 'Sign', which already has rows; declare a new type for them"
    ),
    "type P = { x: real } function f: Word -> set of P function g: Word -> P?": (
        "1:60: the function 'g' returns rows of type 'P', which already has rows; declare a new type for them"
    ),
    "type P = { q: Q } function f: Word -> P": "1:12: unknown type 'Q' (known: 'P')",
    "type P = { x: real } function f: P -> set of P": (
        "1:31: the function 'f' is applied to rows that it returns itself"
    ),
    "type P = { x: real } function name: Word -> set of P": "1:31: type 'Word' already has a member 'name'",
}


@pytest.mark.parametrize("text", DECLARATIONS)
def test_what_a_function_may_not_give(text):
    data = words([{"name": "ab", "signs": [{"mark": "x"}]}])
    given = dict.fromkeys(["f", "g", "name"], lambda _: None)
    grammar = Grammar.parse(text)
    used = {name: call for name, call in given.items() if any(f.name == name for f in grammar.syntax.functions)}
    with pytest.raises(GrammarError) as caught:
        grammar.check(data.schema)
    assert str(caught.value).splitlines()[0] == f"<grammar>:{DECLARATIONS[text]}"
    with pytest.raises((GrammarError, DataError)):
        with_functions(data, grammar, used)


RESULTS = {
    "not a list": (3, "at letters: expected a list of dicts, got 3"),
    "a dict": ({"code": 1}, "at letters: expected a list of dicts, got {'code': 1}"),
    "not dicts": ([{"code": 1}, 7], "at letters[1]: expected a dict with the members of 'Letter', got 7"),
    "a wrong value": ([{"code": "x"}], "at letters[0].code: expected int, got 'x'"),
    "a wrong category": (
        [{"kind": "vowl"}],
        "at letters[0].kind: undeclared value 'vowl' (did you mean 'vowel'?)",
    ),
    "a wrong level": ([{"size": "huge"}], "at letters[0].size: undeclared value 'huge'"),
    "an unknown member": (
        [{"cod": 1}],
        "at letters[0]: unknown member 'cod' of type 'Letter' (did you mean 'code'?)",
    ),
    "inside": ([{"after": {"marks": [{"x": "y"}]}}], "at letters[0].after.marks[0].x: expected real, got 'y'"),
}


@pytest.mark.parametrize("case", RESULTS)
def test_a_result_that_is_not_as_declared_is_refused_with_its_place(case):
    result, expected = RESULTS[case]
    with pytest.raises(DataError) as caught:
        with_functions(words(), Grammar.parse(GRAMMAR), {"letters": lambda w: result if w["name"] == "cat" else []})
    assert str(caught.value).startswith(f"function 'letters', row 1 of Word, {expected}")


def test_a_reference_that_is_not_optional_is_given_for_every_row():
    grammar = Grammar.parse("type P = { x: real } function f: Word -> P refine Word { top -> f (x >= 1) }")
    with pytest.raises(DataError, match=r"at f: expected a dict .*, got None; declare 'P\?' to allow None"):
        with_functions(words(), grammar, {"f": lambda _: None})


def test_rows_that_contain_themselves_are_refused():
    endless = {"code": 1}
    endless["after"] = endless
    with pytest.raises(DataError, match="rows are nested more than 50 deep"):
        with_functions(words(), Grammar.parse(GRAMMAR), {"letters": lambda _: [endless]})


def test_what_fails_inside_a_function_says_where():
    with pytest.raises(KeyError) as caught:
        with_functions(words(), Grammar.parse(GRAMMAR), {"letters": lambda word: word["nothing"]})
    assert caught.value.__notes__ == ["in the function 'letters' for row 0 of Word"]


# ---- models ---------------------------------------------------------------------------------------------


def test_a_model_remembers_what_its_functions_give():
    given = {"letters": letters}
    model = fit(words(), ["no", "yes", "no", "yes"], Grammar.parse(GRAMMAR), functions=given)
    written = model_to_json(model)
    assert written["functions"] == {"letters": {"type": "Word", "link": "list", "to": "Letter"}}
    loaded = model_from_json(written)
    assert loaded.functions == model.functions
    assert loaded.tree.nodes == model.tree.nodes
    fresh = [{"name": "cb"}, {"name": "a"}, {"name": ""}]
    assert loaded.predict(fresh, given).tolist() == model.predict(words(fresh), given).tolist() == ["yes", "no", "no"]
    with pytest.raises(UsageError, match="needs the function 'letters' from Word to list of Letter"):
        loaded.predict(fresh)


def test_estimators_take_such_functions():
    records = [{"name": name} for name in ["ab", "cat", "", "cc", "act", "b", "bb", "abc", "d", "ca"]]
    labels = ["yes" if "c" in record["name"] else "no" for record in records]
    tree = StructuralTreeClassifier(GRAMMAR.replace("Word", "Individual"), functions={"letters": letters})
    fitted = clone(tree).fit(records, labels)
    assert fitted.predict(records).tolist() == labels
    assert pickle.loads(pickle.dumps(fitted)).predict(records).tolist() == labels
    assert cross_val_score(tree, records, labels, cv=2).shape == (2,)


def test_rows_of_arrays_may_have_links_that_functions_give():
    grammar = "type P = { x: real } function f: Individual -> set of P refine Individual { top -> exists f (x >= *) }"
    given = {"f": lambda row: [{"x": row["x0"] * 2}]}
    rows = [[1.0], [2.0], [3.0], [4.0]]
    tree = StructuralTreeClassifier(grammar, functions=given).fit(rows, [0, 0, 1, 1])
    assert tree.predict([[1.5], [3.5]]).tolist() == [0, 1]


def test_a_derived_link_may_lead_from_given_rows():
    text = """
        type P = { x: int } function f: Word -> set of P
        link more: P -> set of P = ~f.f where x >= my x and not me
        refine Word { top -> exists f (top) } refine P { top -> count more (top) >= * } limits { nesting 2 }
    """
    given = {"f": lambda word: [{"x": ord(sign)} for sign in word["name"]]}
    space = Space.build(Grammar.parse(text), words(), functions=given)
    predicate = space.parse("exists f (count more (top) >= 2)")
    assert holds(predicate, space.population).tolist() == [False, True, False, False]
