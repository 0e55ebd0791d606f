"""Nested records and JSON Lines: what they become, what is refused and where, and the way there and back."""

from __future__ import annotations

import gc
import gzip
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree.data.kinds import Overrides, encode, type_name_of
from structtree.data.population import Population
from structtree.data.readers.records.reading import from_records, read_json, read_jsonl, write_jsonl
from structtree.data.schema import Attribute, Link, RecordType, Schema
from structtree.errors import DataError, MissingFileError, UnknownNameError, UsageError
from tests.data.sameness import canonical, same_population
from tests.strategies import populations

MOLECULE = Schema(
    (
        RecordType("Molecule", (Attribute("logp", "real"),), (Link("bonds", "list", "Bond"),)),
        RecordType("Bond", (Attribute("order", "int"),), (Link("to", "one", "Atom"),)),
        RecordType("Atom", (Attribute("element", "nominal", ("C", "N")),)),
    ),
    "Molecule",
)


def attribute(population, name, type_name="Individual"):
    return population.schema.type(type_name).attribute(name)


def link(population, name, type_name="Individual"):
    return population.schema.type(type_name).link(name)


def sentence(action, *arguments, **options):
    with pytest.raises((DataError, UsageError, UnknownNameError, MissingFileError)) as caught:
        action(*arguments, **options)
    text = str(caught.value)
    assert "\n" not in text and len(text) < 400
    return text


def written(folder, *lines, name="data.jsonl"):
    path = folder / name
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n")
    return path


# ---- kinds ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([True, False, None], "bool"),
        ([1, 2, None], "int"),
        ([1, 2.5, None], "real"),
        ([1.0, 2.0], "real"),
        (["a", None, ""], "nominal"),
        ([None, None], "nominal"),
        ([1, float("nan")], "int"),
        (["a", float("nan")], "nominal"),
        ([True, float("nan")], "bool"),
        ([float("nan")], "nominal"),
        ([np.int64(1), 2], "int"),
        ([np.float32(1.5), 2], "real"),
        ([np.bool_(True), False], "bool"),
        ([np.str_("a")], "nominal"),
    ],
)
def test_the_kind_of_an_attribute_is_the_kind_of_its_values(values, kind):
    population = from_records([{"x": value} for value in values])
    assert attribute(population, "x").kind == kind
    shown = [population.column("x").value(i) for i in range(len(values))]
    assert shown == [None if value != value else value for value in values]


def test_an_attribute_that_is_always_missing_is_nominal_without_categories():
    column = from_records([{"x": None}, {}]).column("x")
    assert column.kind == "nominal" and column.categories == () and column.missing.all()


def test_categories_are_sorted():
    assert from_records([{"x": "b"}, {"x": "a"}]).column("x").categories == ("a", "b")


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([1, 1.0, True, "a", None], "nominal", ["1", "1", "true", "a", None]),
        (["1", 2, True, "2.0"], "int", [1, 2, 1, 2]),
        (["1.5", 2], "real", [1.5, 2.0]),
        ([1, 0, "True", "false", None, float("nan")], "bool", [True, False, True, False, None, None]),
    ],
)
def test_a_declared_kind_takes_what_can_be_read_as_it(values, kind, expected):
    column = from_records([{"x": value} for value in values], types={"x": kind}).column("x")
    assert column.kind == kind and [column.value(i) for i in range(len(values))] == expected


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        ("high", "int", "expected a whole number, got 'high'"),
        (2.5, "int", "expected a whole number, got 2.5"),
        (float("inf"), "int", "expected a whole number, got inf"),
        ("high", "real", "expected a number, got 'high'"),
        (2, "bool", "expected true or false, got 2"),
        ("yes", "bool", "expected true or false, got 'yes'"),
        (10**400, "real", "expected a number, got one with more than 308 digits"),
    ],
)
def test_a_declared_kind_refuses_the_rest(value, kind, message):
    text = sentence(from_records, [{"x": None}, {"x": value}], types={"x": kind})
    assert text.startswith(f"{message} at $.x (individual 1)")


def test_overrides_are_by_member_or_by_type_and_member():
    records = [{"n": 1, "cars": [{"n": 2}]}]
    population = from_records(records, types={"Car.n": "nominal", "cars": "set"})
    assert attribute(population, "n").kind == "int" and attribute(population, "n", "Car").kind == "nominal"
    assert link(population, "cars").kind == "set"
    assert attribute(from_records(records, types={"n": "real"}), "n", "Car").kind == "real"


def test_overrides_change_a_schema_too():
    schema = from_records([{"n": 1, "cars": [{}]}]).schema
    population = from_records([{"n": 7}], schema, types={"n": "nominal", "cars": "set"})
    assert population.column("n").categories == ("7",) and link(population, "cars").kind == "set"


@pytest.mark.parametrize(
    ("types", "message"),
    [
        ({"wheels": "integer"}, "'wheels' cannot be read as 'integer' (did you mean 'int'?)"),
        ({"weels": "int"}, "unknown member 'weels' (did you mean 'wheels'?)"),
        ({"Car.weels": "int"}, "unknown member 'Car.weels' (did you mean 'Car.wheels'?)"),
        (
            {"wheels": "set"},
            "'wheels' is an attribute; expected bool, int, real, date, time, nominal, "
            "or categories in order (low<medium<high), got 'set'",
        ),
        ({"cars": "int"}, "'cars' is a link; expected set, list, multiset or tuple(...), got 'int'"),
    ],
)
def test_an_override_that_makes_no_sense_is_refused(types, message):
    assert sentence(from_records, [{"cars": [{"wheels": 1}]}], types=types) == message


# ---- structure ------------------------------------------------------------------------------------------


def test_nesting_becomes_links():
    population = from_records(
        [
            {"cars": [{"load": {"shape": "u"}}, {"load": None}], "engine": {"power": 3}, "stops": ["a", "b"]},
            {"cars": [], "engine": {"power": 4}},
        ],
        individual="Train",
    )
    assert population.schema.names == ("Train", "Car", "Engine", "Stop", "Load")
    assert population.schema.type("Train").links == (
        Link("cars", "list", "Car"),
        Link("engine", "one", "Engine"),
        Link("stops", "list", "Stop"),
    )
    assert link(population, "load", "Car") == Link("load", "optional", "Load")
    assert population.record(0)["stops"] == [{"value": "a"}, {"value": "b"}]
    assert population.record(1) == {"cars": [], "engine": {"power": 4}, "stops": []}


def test_a_tree_of_children_has_one_type():
    leaf = {"label": "x", "children": []}
    population = from_records([{"label": "r", "children": [leaf, {"label": "y", "children": [leaf, leaf]}]}])
    assert population.schema.names == ("Individual", "Child")
    assert link(population, "children", "Child").target == "Child"
    assert population.table("Child").n_rows == 4
    assert from_records([leaf], individual="Child").schema.names == ("Child",)


def test_a_list_that_is_always_empty_has_a_type_with_nothing_in_it():
    population = from_records([{"cars": []}])
    assert link(population, "cars") == Link("cars", "list", "Car") and population.table("Car").n_rows == 0


def test_the_name_of_a_type_is_its_member_capitalised_and_singular():
    names = {
        "cars": "Car",
        "bodies": "Body",
        "children": "Child",
        "load": "Load",
        "boxes": "Box",
        "classes": "Class",
        "houses": "House",
        "status": "Status",
        "vertices": "Vertex",
        "hasParts": "HasPart",
        "ring_atoms": "RingAtom",
        "is": "Is",
        "_": "Item",
    }
    assert {key: type_name_of(key) for key in names} == names


def test_arrays_and_tuples_are_lists():
    population = from_records([{"xs": np.array([1.5, 2.5])}, {"xs": (3.5,)}])
    assert population.table("X").columns["value"].values.tolist() == [1.5, 2.5, 3.5]


def test_members_that_some_records_lack_are_missing_there():
    population = from_records([{"a": 1}, {"b": "x", "a": None}, {"cs": [{"d": 1}]}, {"e": {"f": True}}])
    assert [population.record(i) for i in range(4)] == [
        {"a": 1, "cs": []},
        {"b": "x", "cs": []},
        {"cs": [{"d": 1}]},
        {"cs": [], "e": {"f": True}},
    ]
    assert link(population, "e").kind == "optional"


def test_the_order_of_members_and_records_is_the_order_they_come_in():
    population = from_records([{"b": 1, "a": 2}, {"c": 3, "a": 1}])
    assert population.schema.type("Individual").members == ("b", "a", "c")
    assert population.column("a").values.tolist() == [2, 1]


@given(st.permutations(["a", "b", "cs"]), st.permutations(range(4)))
def test_the_order_of_members_and_of_set_elements_changes_nothing(order, elements):
    cs = [{"x": 1}, {"x": 2}, {"x": 2, "y": "u"}, {"y": "v"}]
    record = {"a": 1, "b": "t", "cs": cs}
    shuffled = {key: [cs[i] for i in elements] if key == "cs" else record[key] for key in order}
    kinds = {"cs": "set"}
    assert canonical(from_records([record], types=kinds)) == canonical(from_records([shuffled], types=kinds))
    assert canonical(from_records([record])) != canonical(from_records([{**record, "a": 2}]))


# ---- names: sharing and cycles --------------------------------------------------------------------------


def test_a_named_record_is_shared():
    films = [{"actors": [{"$id": "l", "name": "Lorre"}]}, {"actors": [{"$ref": "l"}, {"name": "Bogart"}]}]
    population = from_records(films, types={"actors": "set"})
    assert population.table("Actor").n_rows == 2
    assert population.table("Individual").links["actors"].targets.tolist() == [0, 0, 1]


def test_a_name_may_be_used_before_it_is_given():
    population = from_records([{"best": {"$ref": 7}}, {"best": {"$id": 7, "name": "x"}}])
    assert population.table("Best").n_rows == 1 and population.record(0) == population.record(1)


def test_cycles_are_written_with_names():
    triangle = {"nodes": [{"$id": i, "edges": [{"to": {"$ref": (i + 1) % 3}}]} for i in range(3)]}
    population = from_records([triangle], types={"nodes": "set", "edges": "set"})
    assert link(population, "to", "Edge") == Link("to", "one", "Node")
    assert population.table("Edge").links["to"].targets.tolist() == [1, 2, 0]


def test_a_reference_that_only_names_leads_to_the_type_that_has_the_name():
    records = [{"as": [{"$id": 1}], "bs": [{"$id": 2}], "x": {"$ref": 2}}]
    assert link(from_records(records), "x") == Link("x", "one", "B")


def test_a_type_may_be_said():
    node = {"$type": "Node", "$id": 1, "v": 5, "next": {"$type": "Node", "v": 6, "next": {"$ref": 1}}}
    population = from_records([node])
    assert population.schema.names == ("Node",) and population.schema.individual == "Node"
    assert population.table("Node").links["next"].targets.tolist() == [1, 0]


def test_the_same_name_may_be_used_in_two_types():
    records = [{"as": [{"$id": 1, "p": 1}], "bs": [{"$id": 1, "q": 2}], "x": {"$type": "B", "$ref": 1}}]
    assert from_records(records).record(0)["x"] == {"q": 2}


def test_an_individual_may_only_name_another():
    population = from_records([{"$id": "a", "v": 1}, {"v": 2}, {"$ref": "a"}])
    assert population.individuals.tolist() == [0, 1, 0] and population.column("v").values.tolist() == [1, 2, 1]


@pytest.mark.parametrize(
    ("records", "message"),
    [
        (
            [{"as": [{"$id": "node1"}]}, {"as": [{}, {"$ref": "node2"}]}],
            "no record of type 'A' has $id 'node2' (did you mean 'node1'?) at $.as[1] (individual 1)",
        ),
        ([{"a": {"$ref": "x"}}], "no record has $id 'x' at $.a (individual 0)"),
        (
            [{"as": [{"$id": 1}], "bs": [{"$id": 1}], "x": {"$ref": 1}}],
            "the references in Individual.x are ambiguous: Individual, A, B at $.x "
            '(individual 0); add "$type" next to "$ref"',
        ),
        (
            [{"as": [{"$id": 1}]}, {"as": [{"$id": 1}]}],
            "the $id 1 names two records of type 'A' at $.as[0] (individual 1); "
            "ids must be unique in the whole data, not only within an individual",
        ),
        ([{"a": {"$ref": [1]}}], "expected the $id of a record, got a list at $.a.$ref (individual 0)"),
        ([{"a": {"$id": {}}}], "expected a number or a string, got a record at $.a.$id (individual 0)"),
        (
            [{"as": [{"$id": 1, "v": 1}, {"$ref": 1, "v": 2}]}],
            "a $ref refers to a whole record and cannot have 'v' as well at $.as[1] (individual 0)",
        ),
        ([{"a": {"$type": 3}}], "expected the name of a type, got 3 at $.a.$type (individual 0)"),
        (
            [{"a": {"$type": "X"}}, {"a": {"$type": "Y"}}],
            "expected type 'X' as elsewhere in Individual.a, got 'Y' at $.a.$type (individual 1)",
        ),
        ([{"a": {"$idd": 3}}], "unknown special member '$idd' (did you mean '$id'?) at $.a (individual 0)"),
        (
            [{"as": [{"$id": 1}]}, {"as": [{"$ref": 1}]}],
            "this A is in two lists, but an element can belong to only one at $.as[0] (individual 1); "
            "to read it as a set: types={'as': 'set'}",
        ),
    ],
)
def test_names_that_do_not_fit_are_refused(records, message):
    assert sentence(from_records, records) == message


def test_a_set_names_an_element_once():
    text = sentence(from_records, [{"as": [{"$id": 1}, {"$ref": 1}]}], types={"as": "set"})
    assert text == "this record is already in the set; name it once at $.as[1] (individual 0)"


def test_a_record_that_holds_itself_is_refused():
    node = {"v": 1}
    node["next"] = node
    assert sentence(from_records, [node]).startswith("a record contains itself at $.next.next")
    wide = {"v": 1}
    wide["children"] = [wide, {"v": 2}, wide]
    assert 'name it with "$id" and refer to it with "$ref"' in sentence(from_records, [wide])


def test_records_nest_as_deep_as_json_does():
    chain = {}
    for _ in range(1030):
        chain = {"next": chain}
    assert sentence(from_records, [chain]).startswith("records are nested deeper than 1024 levels")
    for _ in range(8):
        chain = chain["next"]
    assert from_records([chain]).table("Next").n_rows == 1022


# ---- what is refused ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (
            {"bonds": [{"order": 1}, {"order": 2}, {}, {"order": "high"}]},
            "expected a number, got 'high' at $.bonds[3].order (individual 17); "
            "to read all of it as text: types={'order': 'nominal'}",
        ),
        ({"bonds": [{"order": True}]}, "expected a number, got true at $.bonds[0].order (individual 17)"),
        ({"bonds": [{"order": {}}]}, "expected a number, got a record at $.bonds[0].order (individual 17)"),
        ({"bonds": [{"order": [1]}]}, "expected a number, got a list at $.bonds[0].order (individual 17)"),
        ({"bonds": {"order": 1}}, "expected a list, got a record at $.bonds (individual 17)"),
        ({"bonds": 3}, "expected a list, got 3 at $.bonds (individual 17)"),
        ({"bonds": [{"order": 1}, 3]}, "expected a record, got 3 at $.bonds[1] (individual 17)"),
        ({"bonds": [None]}, "expected a record, got null at $.bonds[0] (individual 17)"),
        ({"bonds": [[{}]]}, "expected a record, got a list"),
        ({"name": 3}, "expected a string, got 3 at $.name (individual 17)"),
        ({"ring": [{}]}, "expected a record, got a list at $.ring (individual 17)"),
        ({"ring": {"atoms": [{"x": 1}, {"x": "a" * 1000}]}}, "expected a number, got 'aaaa"),
        ({"name": {1, 2}}, "expected a string, got a set at $.name (individual 17)"),
        ({"new": b"12"}, "expected a plain value, got a bytes at $.new (individual 17)"),
        ({1: 2}, "expected the name of a member, got 1 at $ (individual 17)"),
        ("text", "expected a record, got 'text' at $ (individual 17)"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_place(bad, message):
    good = {"name": "n", "bonds": [{"order": 1}], "ring": {"atoms": [{"x": 2}]}}
    assert sentence(from_records, [*[good] * 17, bad, good]).startswith(message)


def test_what_comes_first_is_what_is_expected():
    assert sentence(from_records, [{"x": "a"}, {"x": 1}]).startswith("expected a string, got 1 at $.x (individual 1)")


def test_records_must_be_a_list():
    assert sentence(from_records, {"a": 1}) == "expected a list of records, got a record"
    assert sentence(from_records, [], source="here") == "here: no records to infer a schema from"


# ---- a schema is given ----------------------------------------------------------------------------------


def test_records_of_a_schema_may_leave_out_what_may_be_missing():
    population = from_records([{}, {"bonds": [{"to": {"element": "N"}}]}], MOLECULE)
    assert population.schema == MOLECULE
    assert population.table("Atom").columns["element"].categories == ("C", "N")
    assert population.record(0) == {"bonds": []} and population.record(1) == {"bonds": [{"to": {"element": "N"}}]}
    assert len(from_records([], MOLECULE)) == 0


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"lopg": 1}, "type 'Molecule' has no 'lopg' (did you mean 'logp'?) at $.lopg (individual 1)"),
        ({"bonds": [{"order": 1}]}, "expected a record, got null at $.bonds[0].to (individual 1); add it, or make"),
        ({"bonds": [{"to": None}]}, "expected a record, got null at $.bonds[0].to (individual 1)"),
        (
            {"bonds": [{"to": {"element": "c"}}]},
            "unknown category 'c' (did you mean 'C'?) at $.bonds[0].to.element (individual 1)",
        ),
        (
            {"bonds": [{"to": {}, "order": 1.5}]},
            "expected a whole number, got 1.5 at $.bonds[0].order (individual 1)",
        ),
        ({"bonds": [1]}, "expected a record, got 1 at $.bonds[0] (individual 1)"),
        ({"bonds": {}}, "expected a list, got a record at $.bonds (individual 1)"),
        ({"bonds": [{"to": [{}]}]}, "expected a record, got a list at $.bonds[0].to (individual 1)"),
        ({"logp": {}}, "expected a number, got a record at $.logp (individual 1)"),
        ({"$type": "Atom"}, "expected type 'Molecule' as elsewhere in the top-level records, got 'Atom' at $.$type"),
    ],
)
def test_a_schema_is_kept(record, message):
    good = {"logp": 1, "bonds": [{"to": {"element": "C"}, "order": 2.0}]}
    assert sentence(from_records, [good, record], MOLECULE).startswith(message)


def test_plain_values_need_a_type_with_a_value():
    assert sentence(from_records, [{"bonds": [1]}], MOLECULE).startswith("expected a record of type 'Bond', got 1")
    schema = Schema(
        (RecordType("T", (), (Link("xs", "list", "X"),)), RecordType("X", (Attribute("value", "real"),))), "T"
    )
    assert from_records([{"xs": [1, None]}], schema).record(0) == {"xs": [{"value": 1.0}, {}]}


# ---- files ----------------------------------------------------------------------------------------------


def test_a_file_is_read_line_by_line(tmp_path):
    path = written(tmp_path, {"x": 1}, "", "  ", {"x": 2, "cars": [{"w": "é"}]})
    population = read_jsonl(path)
    assert population.column("x").values.tolist() == [1, 2]
    assert population.table("Car").columns["w"].categories == ("é",)


def test_the_end_of_the_last_line_and_carriage_returns_do_not_matter(tmp_path):
    path = tmp_path / "a.jsonl"
    for text in (b'{"x":1}\n{"x":2}', b'{"x":1}\r\n{"x":2}\r\n', b'\xef\xbb\xbf{"x":1}\n\n{"x":2}\n\n'):
        path.write_bytes(text)
        assert read_jsonl(path).column("x").values.tolist() == [1, 2]


def test_a_packed_file_is_unpacked(tmp_path):
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"x":1}\n'))
    assert len(read_jsonl(path)) == 1
    path.write_bytes(b'{"x":1}\n')
    assert sentence(read_jsonl, path) == f"{path}: not a complete gzip file, though its name ends in .gz"
    path.write_bytes(gzip.compress(b'{"x":1}\n' * 1000)[:-9])
    assert sentence(read_jsonl, path) == f"{path}: not a complete gzip file, though its name ends in .gz"


def test_a_json_file_is_one_array(tmp_path):
    path = written(tmp_path, [{"x": 1}, {"x": 2}], name="a.json")
    assert len(read_json(path)) == 2
    written(tmp_path, {"x": 1}, name="a.json")
    assert sentence(read_json, path).startswith(
        f"{path}: expected an array of objects, got a record; a file with one"
    )
    written(tmp_path, [1], name="a.json")
    assert sentence(read_json, path) == f"{path}: expected a record, got 1 at $ (individual 0)"
    path.write_text('[{"x": 1},\n {"x" 2}]')
    assert sentence(read_json, path).startswith(f"{path}:2: invalid JSON: ")
    path.write_text("[]")
    assert sentence(read_json, path) == f"{path}: no records to infer a schema from"


def test_the_first_line_may_be_the_schema(tmp_path):
    path = written(tmp_path, {"$schema": MOLECULE.to_json()}, {"logp": 1})
    assert read_jsonl(path).schema == MOLECULE
    path = written(tmp_path, {"$schema": MOLECULE.to_json()})
    assert len(read_jsonl(path)) == 0
    path = written(tmp_path, {"$schema": MOLECULE.to_json()}, {"logp": 1}, {"logp": "x"})
    assert sentence(read_jsonl, path).startswith(f"{path}:3: expected a number, got 'x' at $.logp (individual 1)")


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"individual": "A", "types": {}}, "the schema cannot be used: unknown type 'A'"),
        (3, "the schema cannot be used: a schema needs 'individual' and 'types' at $schema"),
    ],
)
def test_a_broken_schema_is_refused(tmp_path, schema, message):
    path = written(tmp_path, {"$schema": schema}, {})
    assert sentence(read_jsonl, path) == f"{path}:1: {message}"


def test_errors_name_the_line_even_between_blank_lines(tmp_path):
    path = written(tmp_path, {"x": 1}, "", {"x": "high"})
    assert sentence(read_jsonl, path).startswith(f"{path}:3: expected a number, got 'high' at $.x (individual 1)")


def test_errors_name_the_line_far_into_a_file(tmp_path):
    path = written(tmp_path, *[{"x": i, "ys": [1, 2, 3]} for i in range(30_000)], {"x": 1, "ys": [1, "b"]})
    text = sentence(read_jsonl, path)
    assert text.startswith(f"{path}:30001: expected a number, got 'b' at $.ys[1] (individual 30000)")


def test_broken_json_is_refused_with_its_line(tmp_path):
    path = written(tmp_path, *[{"x": 1}] * 16, '{"x": 1,,}', {"x": 2})
    assert sentence(read_jsonl, path).startswith(f"{path}:17: invalid JSON: ")


@pytest.mark.parametrize("end", ["}", ""])
def test_a_line_of_ten_megabytes_is_one_line(tmp_path, end):
    path = written(tmp_path, {"x": "a"}, '{"x": "' + "b" * 10_000_000 + '"' + end)
    if end:
        assert len(read_jsonl(path).column("x").categories[1]) == 10_000_000
    else:
        assert sentence(read_jsonl, path).startswith(f"{path}:2: invalid JSON: ")


def test_files_that_hold_no_records_are_refused(tmp_path):
    path = tmp_path / "a.jsonl"
    for content, message in {
        b"": "the file is empty",
        b"\n \n": "the file has only blank lines; expected one JSON object per line",
        b"\x00\x01\x02": "a binary file; expected text",
        b"\x89PNG\r\n\x1a\n\x00": "a binary file; expected text",
        '{"x": 1}'.encode("utf-16"): "the text is UTF-16; expected UTF-8",
    }.items():
        path.write_bytes(content)
        assert sentence(read_jsonl, path) == f"{path}: {message}"
    path.write_bytes(b'{"x": "\xff"}\n')
    assert sentence(read_jsonl, path).startswith(f"{path}:1: invalid JSON: str is not valid UTF-8")
    path.write_text("[" * 100_000)
    assert sentence(read_jsonl, path) == f"{path}:1: brackets are nested deeper than 1024 levels"
    path.write_text("17\n")
    assert sentence(read_jsonl, path) == f"{path}:1: expected a record, got 17 at $ (individual 0)"


def test_a_file_that_is_not_there_is_refused_with_the_nearest_name(tmp_path):
    written(tmp_path, {"x": 1}, name="trains.jsonl")
    missing = tmp_path / "trians.jsonl"
    assert sentence(read_jsonl, missing) == f"there is no file {missing} (did you mean 'trains.jsonl'?)"
    assert sentence(read_jsonl, tmp_path) == f"{tmp_path} is a folder; expected a file"


def test_names_are_known_across_the_blocks_of_a_file(tmp_path):
    n = 20_000
    records = [{"$id": i, "next": {"$ref": (i * 7919 + 1) % n}, "pad": "x" * 20} for i in range(n)]
    population = read_jsonl(written(tmp_path, *records), individual="Next")
    assert population.table("Next").links["next"].targets.tolist() == [(i * 7919 + 1) % n for i in range(n)]
    path = written(tmp_path, *records, {"next": {"$ref": n}})
    assert sentence(read_jsonl, path).startswith(f"{path}:{n + 1}: no record of type")


@pytest.mark.parametrize("name", [7, "seven", 7.5])
def test_a_name_given_twice_far_apart_is_refused(tmp_path, name):
    records = [{"$id": i, "pad": "x" * 20} for i in range(100, 20_000)]
    path = written(tmp_path, {"$id": name}, *records, {}, {"$id": name})
    text = sentence(read_jsonl, path)
    assert text.startswith(f"{path}:{len(records) + 3}: the $id {name!r} names two records of type 'Individual' at $")


def test_names_of_different_sorts_are_different_names():
    population = from_records([{"to": {"$ref": "1"}}, {"to": {"$ref": 1}}, {"to": {"$id": "1"}}, {"to": {"$id": 1}}])
    assert population.table("Individual").links["to"].targets.tolist() == [0, 1, 0, 1]


def test_the_blocks_of_a_file_agree_on_kinds_and_categories(tmp_path):
    records = [{"v": "b", "w": 1, "u": None} for _ in range(5_000)] + [{"v": "a", "w": 0.5, "u": True, "t": {}}]
    population = read_jsonl(written(tmp_path, *records))
    assert same_population(population, from_records(records))
    assert population.column("v").categories == ("a", "b") and population.column("w").kind == "real"


def test_reading_leaves_the_garbage_collector_as_it_was(tmp_path):
    path = written(tmp_path, {"x": 1}, {"x": "a"})
    assert gc.isenabled()
    sentence(read_jsonl, path)
    assert gc.isenabled()


# ---- there and back -------------------------------------------------------------------------------------


@given(populations(), st.data())
def test_a_population_comes_back_as_it_was(tmp_path_factory, population, data):
    path = tmp_path_factory.mktemp("there") / "back.jsonl"
    chosen = data.draw(st.lists(st.integers(0, len(population) - 1), max_size=6))
    for one in (population, population.take(chosen)):
        write_jsonl(one, path)
        assert same_population(read_jsonl(path), one)
        assert canonical(read_jsonl(path)) == canonical(one)


def test_sameness_sees_differences():
    shared = [{"a": {"$id": 1, "x": 1}}, {"a": {"$ref": 1}}]
    apart = [{"a": {"x": 1}}, {"a": {"x": 1}}]
    assert same_population(from_records(shared), from_records(shared))
    assert not same_population(from_records(shared), from_records(apart))
    assert not same_population(from_records(apart), from_records(apart[:1]))
    assert not same_population(from_records([{"x": 1}]), from_records([{"x": 2}]))
    assert not same_population(from_records([{"xs": [1]}]), from_records([{"xs": [1, 2]}]))


def test_a_record_is_written_where_it_is_nearest_to_an_individual(tmp_path):
    node = {"$id": 1, "v": 1, "next": {"$id": 2, "v": 2, "next": {"$ref": 1}}}
    write_jsonl(from_records([node, {"$ref": 2}], individual="Next"), tmp_path / "a.jsonl")
    lines = (tmp_path / "a.jsonl").read_text().splitlines()[1:]
    assert lines == ['{"$id":0,"v":1,"next":{"$ref":1}}', '{"$id":1,"v":2,"next":{"$ref":0}}']


def test_packed_files_come_back_and_are_the_same_each_time(tmp_path):
    population = from_records([{"x": 1}, {"x": 2}])
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        write_jsonl(population, tmp_path / name)
    assert same_population(read_jsonl(tmp_path / "a.jsonl.gz"), population)
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()


@pytest.mark.parametrize("levels", [120, 300, 900])
def test_deep_records_come_back(tmp_path, levels):
    chain = {"v": 0}
    for i in range(levels):
        chain = {"v": i, "next": chain}
    population = from_records([chain])
    try:
        write_jsonl(population, tmp_path / "deep.jsonl")
    except DataError as error:
        assert levels == 900
        assert str(error) == "the record cannot be written as JSON: it is nested too deeply (individual 0)"
    else:
        assert same_population(read_jsonl(tmp_path / "deep.jsonl"), population)


def test_big_whole_numbers_come_back(tmp_path):
    with pytest.warns(UserWarning, match=r"'x' has integers beyond 2\^53, .* types={'x': 'nominal'}"):
        population = from_records([{"x": 2**70}, {"x": -(2**60)}, {"x": None}])
    write_jsonl(population, tmp_path / "big.jsonl")
    with pytest.warns(UserWarning, match="beyond"):
        assert same_population(read_jsonl(tmp_path / "big.jsonl"), population)


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("old")
    infinite = from_records([{"x": 1.0}, {"x": float("inf")}])
    assert sentence(write_jsonl, infinite, path) == "an infinite number cannot be written as JSON"
    assert path.read_text() == "old" and [p.name for p in tmp_path.iterdir()] == ["a.jsonl"]
    assert "it is a folder" in sentence(write_jsonl, infinite, tmp_path)
    assert f"folder {tmp_path / 'no'} does not exist" in sentence(write_jsonl, infinite, tmp_path / "no" / "a.jsonl")


# ---- the small parts ------------------------------------------------------------------------------------


@given(st.lists(st.one_of(st.none(), st.integers(-5, 5), st.floats(allow_infinity=False)), min_size=1))
def test_numbers_come_out_as_they_went_in(values):
    column = encode(values)
    there = [v for v in values if v is not None and v == v]
    if not there and not any(isinstance(v, int) for v in values):
        assert column is None
    else:
        assert [column.value(i) for i in range(len(values)) if not column.missing[i]] == there


def test_overrides_prefer_the_full_name():
    said = Overrides({"n": "int", "A.n": "real"})
    assert said.declared_kind("A", "n").kind == "real" and said.declared_kind("B", "n").kind == "int"


def test_the_class_method_is_the_same_reader():
    assert same_population(Population.from_records([{"x": 1}]), from_records([{"x": 1}]))
