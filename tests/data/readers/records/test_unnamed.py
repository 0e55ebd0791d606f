"""Elements without field names: collections mean what Python's own say, whatever the form they are written in."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree import Grammar, StructuralTreeClassifier, fit, load_model, open_data, save_model
from structtree.data.collection_kinds import Collection
from structtree.data.population import Population
from structtree.data.readers.records.reading import from_records, read_json, read_jsonl, write_jsonl
from structtree.errors import DataError, UsageError
from tests.data.sameness import same_population

# ---- what a declared collection means -------------------------------------------------------------------

DECLARED = st.recursive(
    st.sampled_from(["plain", ("tuple", "plain", "plain")]),
    lambda inner: st.tuples(st.sampled_from(["set", "list", "multiset"]), inner),
    max_leaves=3,
).filter(lambda kind: kind not in ("plain", ("tuple", "plain", "plain")))


def text_of(kind):
    """The declaration of a kind, as a user writes it."""
    match kind:
        case ("tuple", *parts):
            return f"tuple({', '.join(f'p{i}' for i in range(len(parts)))})"
        case (collection, "plain"):
            return collection
        case (collection, inner):
            return f"{collection} of {text_of(inner)}"


def values_of(kind):
    """JSON values of a kind, with repeated elements."""
    match kind:
        case "plain":
            return st.integers(0, 2)
        case ("tuple", *parts):
            return st.tuples(*map(values_of, parts)).map(list)
        case (_, inner):
            return st.lists(values_of(inner), max_size=3)


def meaning(value, kind):
    """A JSON value as the Python value that it stands for."""
    match kind:
        case "plain":
            return value
        case ("tuple", *parts):
            return tuple(map(meaning, value, parts))
        case ("list", inner):
            return tuple(meaning(each, inner) for each in value)
        case ("set", inner):
            return frozenset(meaning(each, inner) for each in value)
        case ("multiset", inner):
            return frozenset(Counter(meaning(each, inner) for each in value).items())


def element_read(record, kind):
    """An element that was read, as the Python value that it stands for."""
    match kind:
        case "plain":
            return record["value"]
        case ("tuple", *parts):
            return tuple(record[f"p{i}"] for i in range(len(parts)))
        case _:
            return collection_read(record["values"], kind)


def collection_read(records, kind):
    elements = [element_read(record, kind[1]) for record in records]
    if kind[0] == "list":
        return tuple(elements)
    if kind[0] == "set":
        assert len(set(elements)) == len(elements)
        return frozenset(elements)
    assert len(set(elements)) == len(elements)
    return frozenset((element, record["times"]) for element, record in zip(elements, records, strict=True))


@given(DECLARED.flatmap(lambda kind: st.tuples(st.just(kind), st.lists(values_of(kind), min_size=1, max_size=3))))
def test_declared_collections_mean_what_python_collections_mean(case):
    kind, values = case
    read = from_records([{"s": value} for value in values], types={"s": text_of(kind)})
    assert [collection_read(read.record(i, 9)["s"], kind) for i in range(len(read))] == [
        meaning(value, kind) for value in values
    ]


def python_value(value, kind):
    """A JSON value as the Python collections that need no declaration."""
    match kind:
        case "plain":
            return value
        case ("set", inner):
            return frozenset(python_value(each, inner) for each in value)
        case (_, inner):
            return tuple(python_value(each, inner) for each in value)


UNDECLARED = st.recursive(
    st.just("plain"), lambda inner: st.tuples(st.sampled_from(["set", "list"]), inner), max_leaves=3
).filter(lambda kind: kind != "plain")


@given(UNDECLARED.flatmap(lambda kind: st.tuples(st.just(kind), st.lists(values_of(kind), min_size=1, max_size=3))))
def test_python_sets_and_tuples_need_no_declaration(case):
    kind, values = case
    read = from_records([{"s": python_value(value, kind)} for value in values])
    assert [collection_read(read.record(i, 9)["s"], kind) for i in range(len(read))] == [
        meaning(value, kind) for value in values
    ]


@given(DECLARED.flatmap(lambda kind: st.tuples(st.just(kind), st.lists(values_of(kind), min_size=1, max_size=3))))
def test_collections_are_written_and_read_again(tmp_path_factory, case):
    kind, values = case
    path = tmp_path_factory.mktemp("there") / "data.jsonl"
    whole = from_records([{"s": value} for value in values], types={"s": text_of(kind)})
    write_jsonl(whole, path)
    assert same_population(read_jsonl(path), whole)


@given(DECLARED.flatmap(lambda kind: st.tuples(st.just(kind), st.lists(values_of(kind), min_size=1, max_size=3))))
def test_new_data_is_read_by_the_schema_of_the_old(case):
    kind, values = case
    records, types = [{"s": value} for value in values], {"s": text_of(kind)}
    whole = from_records(records, types=types)
    assert same_population(from_records(records, whole.schema, types=types), whole)


def test_counters_are_multisets():
    read = from_records([{"m": Counter({"C": 2, "O": 0})}, {"m": None}])
    assert (read.record(0), read.record(1)) == ({"m": [{"value": "C", "times": 2}]}, {"m": []})
    lists = from_records([{"m": Counter({("a", "b"): 3})}])
    assert lists.record(0) == {"m": [{"values": [{"value": "a"}, {"value": "b"}], "times": 3}]}
    pairs = from_records([{"m": Counter([("a", 1), ("a", 1)])}], types={"m": "multiset of tuple(name, n)"})
    assert pairs.record(0) == {"m": [{"name": "a", "n": 1, "times": 2}]}


def test_a_record_with_counts_is_a_multiset_if_it_is_declared():
    read = from_records([{"m": {"C": 6, "O": 1}}, {"m": ["O", "O"]}, {}], types={"m": "multiset"})
    assert [sorted((e["value"], e["times"]) for e in read.record(i)["m"]) for i in range(3)] == [
        [("C", 6), ("O", 1)],
        [("O", 2)],
        [],
    ]


def test_tuples_are_records_whose_members_have_a_place():
    types = {"car": "tuple(size, loads)", "loads": "set"}
    read = from_records([{"car": ["long", ["a", "a"]]}], types=types)
    assert read.record(0) == {"car": {"size": "long", "loads": [{"value": "a"}]}}
    assert read.schema.type("Individual").link("car").kind == "one"
    written = from_records([{"car": {"size": "long", "loads": ["a", "a"]}}], types=types)
    assert same_population(written, read)


def test_types_are_named_after_the_field():
    read = from_records([{"points": [[1, 2], [3]], "s": [[["a"]]]}])
    assert read.schema.names == ("Individual", "Point", "S", "PointValue", "SValue", "SValueValue")
    assert from_records([{"s": [[]]}]).schema.names == ("Individual", "S", "SValue")


# ---- doors ----------------------------------------------------------------------------------------------

NESTED = [{"s": [["a", "b"], ["c"]]}, {"s": [["a"]]}, {"s": []}]


def test_every_door_reads_nested_lists(tmp_path):
    expected = from_records(NESTED)
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(record) + "\n" for record in NESTED))
    (tmp_path / "data.json").write_text(json.dumps(NESTED))
    assert same_population(read_jsonl(tmp_path / "data.jsonl"), expected)
    assert same_population(read_json(tmp_path / "data.json"), expected)
    assert same_population(open_data(tmp_path / "data.jsonl").population, expected)
    assert same_population(from_records([{"s": tuple(map(tuple, record["s"]))} for record in NESTED]), expected)


def test_an_individual_may_be_a_collection(tmp_path):
    path = tmp_path / "data.jsonl"
    path.write_text('[["a", "b"], ["c"]]\n[]\n')
    read = read_jsonl(path)
    assert read.schema.names == ("Individual", "Value", "ValueValue")
    assert same_population(read, from_records([[["a", "b"], ["c"]], []]))
    assert len(from_records([{"a", "b"}, {"a"}])) == 2


INDIVIDUALS = {
    "records": [{"s": [[i % 2]]} for i in range(12)],
    "lists": [[[i % 2]] for i in range(12)],
    "sets": [{i % 2, 7} for i in range(12)],
    "sets in tuples": [({i % 2},) for i in range(12)],
    "counters": [{"m": Counter("a" * (1 + i % 2))} for i in range(12)],
}


@pytest.mark.parametrize("name", INDIVIDUALS)
def test_a_model_predicts_new_collections(name, tmp_path):
    individuals, labels = INDIVIDUALS[name], ["even", "odd"] * 6
    tree = StructuralTreeClassifier().fit(individuals, labels)
    save_model(tree, tmp_path / "model.json")
    new = individuals[1:5]
    assert tree.predict(new).tolist() == ["odd", "even", "odd", "even"]
    assert load_model(tmp_path / "model.json").predict(new).tolist() == ["odd", "even", "odd", "even"]


def test_an_array_of_numbers_is_still_a_table():
    assert StructuralTreeClassifier().fit([[0, 1], [1, 1]] * 6, [0, 1] * 6).predict([[1, 1]]).tolist() == [1]
    assert StructuralTreeClassifier().fit(np.array([[0], [1]] * 6), [0, 1] * 6).n_features_in_ == 1


@pytest.mark.parametrize(
    ("types", "same", "other"),
    [
        ({"s": "set"}, ["a", "a", "a"], ["a", "b"]),
        ({"s": "set of set"}, [["a", "b"], ["b", "a", "a"]], [["a", "b"], ["a"]]),
        ({"s": "set of list"}, [["a", "b"], ["a", "b"]], [["a", "b"], ["b", "a"]]),
    ],
)
def test_what_was_a_set_in_training_is_a_set_in_new_data(types, same, other):
    population = from_records([{"s": same}, {"s": other}] * 3, types=types)
    grammar = Grammar.parse("refine Individual { top -> count s (top) >= * }")
    model = fit(population, ["one", "two"] * 3, grammar)
    assert model.predict(population).tolist() == ["one", "two"] * 3
    assert model.predict([{"s": same}, {"s": other}]).tolist() == ["one", "two"]


def test_a_grammar_declares_what_a_list_means():
    grammar = Grammar.parse("""
        type Individual = { s: set of S }
        type S = { value: nominal }
        refine Individual { top -> count s (top) >= * }
    """)
    tree = StructuralTreeClassifier(grammar=grammar).fit([{"s": ["a", "a"]}, {"s": ["a", "b"]}] * 3, [1, 2] * 3)
    assert tree.predict([{"s": ["b", "b", "b"]}]).tolist() == [1]


def test_records_in_a_set_are_kept_even_if_they_are_equal():
    atoms = from_records([{"atoms": [{"element": "C"}, {"element": "C"}]}], types={"atoms": "set"})
    assert len(atoms.record(0)["atoms"]) == 2


# ---- errors ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("record", "types", "message"),
    [
        ({"s": [[["a"], [1]]]}, {}, "expected a string, got 1 at $.s[0][1][0] (individual 1)"),
        ({"s": [["a"], "b"]}, {}, "expected a list, got 'b' at $.s[1] (individual 1)"),
        ({"s": ["a", ["b"]]}, {}, "expected a plain value, got a list at $.s[1] (individual 1)"),
        ({"s": [["a"], None]}, {}, "expected a list, got null at $.s[1] (individual 1)"),
        ({"s": [["a"], {"x": 1}]}, {}, "expected a list, got a record at $.s[1] (individual 1)"),
        ({"s": [[b"a"]]}, {}, "expected a record, got a bytes at $.s[0][0] (individual 1)"),
        (
            {"s": [[1], [2, 3]]},
            {"s": "list of tuple(x, y)"},
            "expected 2 values (x, y), got 1 at $.s[0] (individual 1)",
        ),
        ({"s": [1, 2]}, {"s": "tuple(x)"}, "expected 1 value (x), got 2 at $.s (individual 1)"),
        ({"s": [{1, 2}]}, {"s": "list of tuple(x, y)"}, "expected a tuple, got a set, which has no order at $.s[0]"),
        ({"s": [[1, 2], [1, "b"]]}, {"s": "list of tuple(x, y)"}, "expected a number, got 'b' at $.s[1][1]"),
        ({"s": [1, [["b"], 3]]}, {"s": "tuple(x, y)"}, "expected a list, got 3 at $.s[1][1] (individual 1)"),
        ({"s": [{1}]}, {"s": "list of list"}, "expected a list, got a set, which has no order at $.s[0]"),
        ({"s": {"C": -1}}, {"s": "multiset"}, "expected a whole number of 'C', at least 0, got -1 at $.s"),
        ({"s": {"C": True}}, {"s": "multiset"}, "expected a whole number of 'C', at least 0, got true at $.s"),
    ],
)
def test_an_error_gives_the_path_of_the_element(record, types, message):
    with pytest.raises(DataError) as caught:
        from_records([{}, record], types=types)
    assert str(caught.value).startswith(message)


def test_individuals_are_all_records_or_all_collections():
    with pytest.raises(DataError, match=r"expected a record, got a list at \$ \(individual 1\)"):
        from_records([{"s": 1}, [1]])


def test_a_list_that_contains_itself_is_refused():
    inner = []
    inner.append(inner)
    with pytest.raises(DataError, match="a list contains itself"):
        from_records([{"s": inner}])


@pytest.mark.parametrize("text", ["tuple()", "tuple(a, a)", "set of", "set of int", "tuple(a, b) of set", "bag"])
def test_other_declarations_are_refused(text):
    assert Collection.parse(text) is None
    with pytest.raises(UsageError, match="cannot be read as"):
        Population.from_records([{"s": [["a"]]}], types={"s": text})
