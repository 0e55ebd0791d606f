"""Facts as linked columns: inference, declarations, examples, pairs, and errors."""

import gzip
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree import Grammar, Population, fit, open_data
from structtree.data.readers.facts.layout import TargetPlaces, inferred_layout
from structtree.data.readers.facts.signatures import PrologPredicate, parse_signature, signatures_of
from structtree.errors import DataError, UsageError

TRAINS = """
has_car(t1, c1). has_car(t1, c2). has_car(t2, c3). has_car(t3, c4). has_car(t3, c5).
long(c1). long(c4). wheels(c1, 2). wheels(c2, 3). wheels(c3, 2). wheels(c4, 2). wheels(c5, 3).
shape(c1, box). shape(c2, box). shape(c3, oval). shape(c4, box). shape(c5, oval).
"""
MOLECULES = """
atm(m1, a1, c, 0.5). atm(m1, a2, o, -0.5). atm(m1, a3, c, 0.1). atm(m2, b1, n, 0.0).
bond(m1, a1, a2, 1). bond(m1, a2, a3, 2). bond(m1, a3, a1, 1).
logp(m1, 2.5). logp(m2, 1). ring(m1, [a1, a2, a3]). ring(m1, [a1, a2]).
"""


def active(*, positives="active(m1).", negatives="active(m2).", **options):
    return Population.from_facts(MOLECULES, positives=positives, negatives=negatives, **options)


def signatures(population):
    return population.provenance.facts.signatures


def members(population):
    return {record.name: record.members for record in population.schema.types}


# ---- what is inferred ------------------------------------------------------------------------------------


def test_parts_flags_and_attributes_are_found():
    trains = Population.from_facts(TRAINS, positives="east(t1). east(t2).", negatives="east(t3).", individual="Train")
    assert signatures(trains) == (
        "has_car(Train, HasCar key) one way",
        "long(HasCar)",
        "wheels(HasCar key, wheels)",
        "shape(HasCar key, shape)",
        "east(Train)",
    )
    assert trains.record(0) == {
        "east": True,
        "has_car": [{"long": True, "wheels": 2, "shape": "box"}, {"long": False, "wheels": 3, "shape": "box"}],
    }
    assert trains.record(2)["east"] is False


def test_bonds_written_once_are_read_both_ways():
    population = active()
    assert members(population) == {
        "Individual": ("active", "logp", "atm", "bond", "ring"),
        "Atm": ("atm_3", "atm_4", "bond"),
        "Bond": ("value", "to"),
        "Ring": ("atm",),
    }
    assert population.table("Bond").n_rows == 6
    first = population.record(0, depth=3)["atm"][0]
    assert first == {
        "atm_3": "c",
        "atm_4": 0.5,
        "bond": [
            {"value": 1, "to": {"atm_3": "o", "atm_4": -0.5, "bond": "..."}},
            {"value": 1, "to": {"atm_3": "c", "atm_4": 0.1, "bond": "..."}},
        ],
    }


def test_a_relation_without_cycles_keeps_its_direction():
    population = Population.from_facts("p(a, b, 1). p(b, c, 1). p(a, c, 2). big(a). big(b).")
    assert signatures(population)[0] == "p(Individual -> from, Individual -> to, value) many"
    assert members(population)["Individual"] == ("big", "p", "p_to")


def test_lists_of_shared_records_become_sets_and_lists_of_values_remain_lists():
    words = Population.from_facts("word(w1, [h, i]). word(w2, []).", positives="good(w1).", negatives="good(w2).")
    assert words.record(0)["word"] == [{"value": "h"}, {"value": "i"}]
    assert words.schema.type("Individual").link("word").kind == "list"
    assert active().schema.type("Ring").link("atm").kind == "set"


def test_several_words_per_record_become_shared_records():
    facts = "genre(p1, drama). genre(p1, comedy). genre(p2, drama)."
    people = Population.from_facts(facts, positives="star(p1).", negatives="star(p2).")
    assert people.table("Genre").n_rows == 2
    assert people.record(1) == {"star": False, "genre": [{"name": "drama"}]}


def test_numbers_are_joined_only_with_names_of_individuals():
    population = Population.from_facts(
        "worn(1, gear). worn(1, belt). size(gear, 1). size(belt, 2).",
        positives="machine(1, fix). machine(2, ok). machine(3, ok).",
    )
    assert population.schema.type("Individual").members == ("machine", "worn")
    assert population.provenance.facts.target == "machine"
    assert [population.record(i)["machine"] for i in range(3)] == ["fix", "ok", "ok"]


def test_trivial_predicates_are_skipped_and_reported():
    facts = "person(a). person(b). same(a, a). same(b, b). tall(a). lt(1, 2)."
    population = Population.from_facts(facts, positives="p(a).", negatives="p(b).")
    assert members(population) == {"Person": ("p", "tall")}
    assert population.provenance.facts.notes == (
        "person/1 is true for every Person, so it is skipped",
        "same/2 relates each record to itself, so it is skipped",
        "lt/2 is not linked to any individual, so it is skipped",
    )


@given(st.permutations(TRAINS.split("\n")[1].split(". ")), st.integers(0, 10))
def test_the_layout_does_not_depend_on_the_order_of_facts(order, _):
    lines = ". ".join(one.rstrip(".") for one in order) + "."
    shuffled = TRAINS.replace(TRAINS.split("\n")[1], lines)
    both = [Population.from_facts(text, positives="east(t1).", negatives="east(t3).") for text in (TRAINS, shuffled)]
    assert signatures(both[0]) == signatures(both[1])


NAMES = st.sampled_from(["a", "b", "c", "d"])
RELATIONS = st.dictionaries(
    st.sampled_from(["p", "q", "r"]),
    st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=5, unique=True),
    min_size=1,
)


@given(
    RELATIONS,
    st.lists(NAMES, min_size=1, unique=True),
    st.lists(st.tuples(NAMES, st.integers(0, 3)), max_size=3, unique_by=lambda one: one[0]),
)
def test_complete_signatures_create_the_same_types_again(relations, examples, numbers):
    """Inference from the inferred signatures changes nothing, also with fewer facts."""
    facts = [(name, *pair) for name, pairs in relations.items() for pair in pairs] + [("n", *one) for one in numbers]
    positives = [("good", one) for one in examples]
    first = Population.from_facts(facts, positives=positives, negatives=[("good", "z")])
    again = Population.from_facts(facts, positives=positives, negatives=[("good", "z")], fact=signatures(first))
    fewer = Population.from_facts(facts[:1], positives=positives, negatives=[("good", "z")], fact=signatures(first))
    assert signatures(again) == signatures(first)
    assert again.schema == first.schema
    assert [again.record(i, 2) for i in range(len(again))] == [first.record(i, 2) for i in range(len(first))]
    assert members(fewer) == members(first)


@given(RELATIONS)
def test_every_fact_of_a_relation_is_a_step_along_its_link(relations):
    """The pairs of each link are exactly the facts."""
    facts = [(name, *pair) for name, pairs in relations.items() for pair in pairs]
    people = [("good", one) for one in "abcd"]
    population = Population.from_facts(facts, positives=people, negatives=[("good", "z")])
    names = population.provenance.names["name"]
    who = population.schema.type("Individual")
    for name, pairs in relations.items():
        if all(a == b for a, b in pairs):
            continue
        found = set()
        link = who.link(name)
        adjacency = population.table("Individual").links[link.name]
        for row, one in enumerate(names):
            found |= {(one, names[int(target)]) for target in adjacency.of(row)}
        assert found == set(pairs)


def test_inference_needs_no_population():
    facts = {PrologPredicate("p", 2): [("a", "x"), ("b", "x")], PrologPredicate("t", 1): [("a",), ("b",)]}
    layout = inferred_layout(facts, {}, target=TargetPlaces(PrologPredicate("t", 1)))
    assert list(map(str, layout.signatures.values())) == ["p(Individual key, p)", "t(Individual)"]


# ---- what is declared ------------------------------------------------------------------------------------


def test_declarations_take_precedence():
    population = active(
        individual="Molecule",
        fact=[
            "atm(Molecule, Atom key, element, charge)",
            "bond(Molecule, Atom, Atom -> to, order)",
            "active(Molecule)",
            "ring(_, [Atom])",
        ],
    )
    assert members(population)["Atom"] == ("element", "charge", "atm_of", "bond", "bond_to")
    assert members(population)["Bond"] == ("order", "atom", "to")


@pytest.mark.parametrize(
    "text",
    [
        "bond(Molecule, Atom, Atom -> to, order) both ways",
        "p()",
        "`has car`(Train key, [Car], _) one way",
        "`a, (b`(`\\`c`, T -> `d)`)",
        "g(A, B) many",
    ],
)
def test_signatures_round_trip(text):
    assert str(parse_signature(text)) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "p(A key, B key)",
            "p(A key, B key): at most one argument can be a key, and none with 'many'",
        ),
        ("p(a key)", "p(a key): a is an attribute, but only a capitalised type can be a key"),
        ("p(a -> b)", "p(a -> b): a is an attribute, but only a capitalised type can have a role"),
        ("p(A, B) both ways", "p(A, B) both ways: 'both ways' needs two arguments of one type"),
        ("p(A", "expected a fact such as bond(Molecule, Atom, Atom -> to, order), got 'p(A'"),
    ],
)
def test_an_invalid_signature_is_rejected(text, message):
    with pytest.raises(UsageError, match=f"^{re.escape(message)}$"):
        parse_signature(text)
    with pytest.raises(UsageError, match="is declared twice"):
        signatures_of(["p(A)", "p(B)"])


def test_a_second_fact_for_a_declared_key_is_rejected_with_its_line():
    with pytest.raises(DataError, match=r"<facts>:2: atm/4: a second fact for the key a1"):
        Population.from_facts(
            "atm(m, a1, c, 1).\natm(m, a1, n, 2).", fact=["atm(Molecule, Atom key, element, charge)"]
        )


MODES = """
:- modeh(1, active(+drug)).
:- modeb(*, atm(+drug, -atom, #element, -charge)).
:- modeb(*, bond(+drug, +atom, -atom, #order)).
:- determination(active/1, atm/4).
:- determination(active/1, bond/4).
:- set(noise, 5).
"""


def test_aleph_modes_decide_what_is_a_record_and_what_is_tested():
    population = Population.from_facts(MODES + MOLECULES, positives="active(m1).", negatives="active(m2).")
    facts = population.provenance.facts
    assert facts.signatures[0] == "atm(Drug, Atom key, element, charge) one way"
    assert facts.notes == ("directives are not executed: set(noise, 5)",)
    assert ("Drug", "logp") in facts.hidden and ("Drug", "atm") not in facts.hidden


def test_ace_declarations_are_read_in_interpretations():
    text = """typed_language(yes). type(worn(part)). rmode(worn(+-P)). predict(machine(-class)).
    begin(model(1)). ok. end(model(1)). begin(model(2)). fix. worn(gear). worn(belt). end(model(2)).
    begin(model(3)). fix. worn(belt). end(model(3))."""
    population = Population.from_facts(text)
    assert signatures(population) == ("worn(Model, Part) many one way", "model(Model)")


# ---- examples and interpretations ------------------------------------------------------------------------


def test_interpretations_are_individuals_with_objects_of_their_own():
    text = """begin(model(1)). pos. triangle(o1). square(o2). in(o1, o2). end(model(1)).
    begin(model(2)). neg. triangle(o1). large(o1). square(o2). end(model(2))."""
    drawings = Population.from_facts(text)
    assert drawings.provenance.facts.target == "class"
    assert drawings.provenance.names["name"] == ["1", "2"]
    assert [drawings.record(i)["class"] for i in (0, 1)] == ["pos", "neg"]
    assert [len(drawings.record(i)["objects"]) for i in (0, 1)] == [2, 2]
    assert drawings.table("Object").n_rows == 4
    assert drawings.record(1)["objects"][0]["large"] is True


def test_unclosed_interpretations_are_rejected():
    for text, message in (
        ("begin(model(1)). a.", "the interpretation 1 has no end"),
        ("begin(model(1)). a. begin(model(2)). end(model(2)).", "an interpretation begins before end"),
        ("begin(model(1)). end(model(2)).", "expected end(model(1)), got end(model(2))"),
    ):
        with pytest.raises(DataError, match=re.escape(message)):
            Population.from_facts(text)


def test_a_target_among_the_facts_needs_no_examples():
    trains = Population.from_facts(TRAINS, target="wheels")
    assert len(trains) == 5
    assert trains.column("wheels").values.tolist() == [2, 3, 2, 2, 3]


def test_pairs_have_two_references_and_the_relations_between_them():
    facts = "parent(ann, bob). parent(bob, cy). parent(ann, dan). male(bob). friend(ann, cy). friend(cy, ann)."
    pairs = Population.from_facts(facts, positives="aunt(cy, dan).", negatives="aunt(ann, cy). aunt(bob, bob).")
    assert members(pairs)["Aunt"][:8] == (
        "aunt",
        "same",
        "parent",
        "parent_back",
        "friend",
        "from",
        "to",
        "common_parent",
    )
    assert [pairs.record(i)["same"] for i in range(3)] == [False, False, True]
    assert [pairs.record(i)["friend"] for i in range(3)] == [False, True, False]
    assert pairs.provenance.names["fact"] == ["aunt(cy, dan)", "aunt(ann, cy)", "aunt(bob, bob)"]


@given(
    st.lists(st.tuples(NAMES, st.sampled_from("xyz")), min_size=3, max_size=8, unique=True),
    st.lists(st.tuples(NAMES, NAMES), min_size=2, max_size=6, unique=True),
)
def test_common_records_of_a_pair_are_those_of_both(owned, examples):
    facts = [("has", *one) for one in owned] + [("has", "a", "x"), ("has", "a", "y"), ("has", "b", "x")]
    told = [("likes", *pair) for pair in examples]
    declared = ["has(Person, Thing)", "likes(Person, Person)"]
    pairs = Population.from_facts(facts, positives=told[:1], negatives=told[1:], fact=declared)
    has = {(a, b) for _, a, b in facts}
    for i, (one, other) in enumerate(examples):
        expected = {thing for thing in "xyz" if (one, thing) in has and (other, thing) in has}
        assert {thing["name"] for thing in pairs.record(i)["common_has"]} == expected


def test_numeric_examples_become_a_table_with_relations_between_numbers():
    facts = "lt(0, 1). lt(0, 2). lt(1, 2). adj(0, 1). adj(1, 0). adj(1, 2). adj(2, 1)."
    flat = Population.from_facts(facts, positives="bad(0, 1, 1).", negatives="bad(2, 0, 1).")
    assert flat.record(1) == {
        "bad": False, "bad_1": 2, "bad_2": 0, "bad_3": 1,
        "lt_1_2": False, "lt_1_3": False, "lt_2_1": True, "lt_2_3": True, "lt_3_1": True, "lt_3_2": False,
        "adj_1_2": False, "adj_1_3": True, "adj_2_3": True,
    }  # fmt: skip


def test_negatives_are_sampled_with_a_seed():
    facts = "parent(ann, bob). parent(bob, cy). tall(ann). tall(cy). likes(ann, cy). likes(bob, cy)."
    drawn = [Population.from_facts(facts, target="likes", sample_negatives=3, sample_seed=seed) for seed in (1, 1, 2)]
    names = [tuple(one.provenance.names["fact"]) for one in drawn]
    assert names[0] == names[1] != names[2]
    assert len(drawn[0]) == 5
    assert len(set(names[0])) == 5
    everything = Population.from_facts(facts, target="likes", sample_negatives=1000)
    assert len(everything) == 9


def test_an_example_cannot_be_positive_and_negative():
    with pytest.raises(DataError, match=r"<negatives>:2: active\(m1\) is both a positive and a negative example"):
        active(negatives="active(m2).\nactive(m1).")


def test_duplicate_examples_count_once():
    repeated = active(positives="active(m1). active(m1).", negatives="active(m2).\nactive(m2).")
    assert len(repeated) == 2
    assert repeated.provenance.facts.notes == ("skipped 2 duplicate examples",)


def test_examples_of_several_predicates_require_a_choice():
    with pytest.raises(
        UsageError, match="there are examples of active, toxic; choose the one to predict with target"
    ):
        active(positives="active(m1). toxic(m1).")
    assert active(positives="active(m1). toxic(m1).", target="active").provenance.facts.target == "active"


def test_facts_of_the_target_are_not_background_knowledge():
    population = Population.from_facts(MOLECULES + "active(m1).", positives="active(m1).", negatives="active(m2).")
    assert population.provenance.facts.notes == ("active/1 is the target, so its facts are skipped",)


# ---- what is refused -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("b(x, y, 1).\nb(x, z, 1).\nb(y, z).", "<facts>:3: b has 2 arguments here but 3 in the other 2 facts"),
        ("p(X).", "<facts>:1: p/1: X is a variable; expected a constant, since facts are ground"),
        (
            "p(a).\np(f(b)).",
            "<facts>:2: p/1: f(b) is a compound term; expected a constant or a list",
        ),
        ("% nothing", "there are no facts, such as bond(m1, a1, a2, 7)."),
        ("lt(1, 2).", "no argument of the facts is a record; declare a type, as in fact=['p(Thing, value)']"),
    ],
)
def test_an_invalid_fact_is_rejected_in_one_sentence(text, message):
    with pytest.raises(DataError, match=f"^{re.escape(message)}$"):
        Population.from_facts(text)


def test_predicates_with_the_same_name_may_differ_in_arity():
    facts = "shape(box). shape(oval). shape(a, box). shape(b, oval). shape(c, box)."
    population = Population.from_facts(facts, positives="p(a).", negatives="p(b). p(c).")
    assert population.record(0) == {"p": True, "shape": "box"}


# ---- rules -----------------------------------------------------------------------------------------------


def test_rules_are_evaluated_before_learning():
    pytest.importorskip("clingo")
    rules = "grand(X, Z) :- parent(X, Y), parent(Y, Z).\nold(X) :- age(X, A), A >= 50.5, \\+ tall(X).\n"
    facts = "parent(ann, bob). parent(bob, cy). age(ann, 80). age(bob, 51). age(cy, 5). tall(bob)."
    family = Population.from_facts(rules + facts, positives="p(ann).", negatives="p(bob). p(cy).")
    assert [family.record(i, 1)["old"] for i in range(3)] == [True, False, False]
    assert family.record(0, 1)["grand"]["age"] == 5


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("q(X) :- p(X), member(X, y).", "there is neither a fact nor a rule for member/2"),
        ("q(f(X)) :- p(X).", "f(X) is a compound term, which rules may not contain (in the rule for q/1)"),
        ("q(X, Y) :- p(X).", "Y is not bound in the body (in the rule for q/2)"),
        ("q(X) :- p(X), \\+ q(X).", "q/1 depends on its own negation, through q/1 (in the rule for q/1)"),
        ("q(X) :- p(X), !.", "! is not supported in a rule"),
        ("q(X) :- p(X), Y is 2, p(Y).", "there is neither a fact nor a rule for is/2"),
    ],
)
def test_an_unsupported_rule_is_rejected_with_its_line(rule, message):
    with pytest.raises(DataError, match=f"^<facts>:2: {re.escape(message)}"):
        Population.from_facts(f"p(a).\n{rule}")


def test_rules_apply_within_each_interpretation():
    pytest.importorskip("clingo")
    text = """replaceable(gear). replaceable(belt). stuck :- worn(X), \\+ replaceable(X).
    begin(model(1)). sendback. worn(gear). worn(engine). end(model(1)).
    begin(model(2)). fix. worn(gear). worn(belt). end(model(2)). begin(model(3)). ok. end(model(3))."""
    machines = Population.from_facts(text)
    assert [machines.record(i)["stuck"] for i in range(3)] == [True, False, False]
    assert [machines.record(i)["class"] for i in range(3)] == ["sendback", "fix", "ok"]


def _closure(pairs):
    found = set(pairs)
    while True:
        more = {(a, d) for a, b in found for c, d in found if b == c} - found
        if not more:
            return found
        found |= more


@given(st.lists(st.tuples(NAMES, NAMES), min_size=1, unique=True))
def test_a_transitive_closure_equals_its_definition(pairs):
    pytest.importorskip("clingo")
    from structtree.data.readers.facts.base import fact_base
    from structtree.data.readers.facts.prolog import read_clauses
    from structtree.data.readers.facts.rules import with_derived_facts

    text = "r(X, Y) :- p(X, Y).\nr(X, Z) :- p(X, Y), r(Y, Z).\nend(X) :- p(_, X), \\+ p(X, _).\n"
    text += "\n".join(f"p({a}, {b})." for a, b in pairs)
    tables = with_derived_facts(fact_base([read_clauses(text)])).tables
    assert set(tables[PrologPredicate("r", 2)].rows) == _closure(pairs)
    ends = {b for _, b in pairs} - {a for a, _ in pairs}
    assert {row[0] for row in tables[PrologPredicate("end", 1)].rows} == ends


# ---- files -----------------------------------------------------------------------------------------------


def write(folder, files):
    for name, text in files.items():
        if name.endswith(".gz"):
            (folder / name).write_bytes(gzip.compress(text.encode()))
        else:
            (folder / name).write_text(text)


def test_file_names_decide_their_roles(tmp_path):
    write(tmp_path, {"atoms.pl.gz": MOLECULES, "pos.pl": "active(m1).", "neg.pl": "active(m2).", "README": "?"})
    opened = open_data(tmp_path)
    assert opened.target_name == "active"
    assert opened.target.tolist() == [True, False]


def test_example_files_can_be_given(tmp_path):
    write(tmp_path, {"bk.pl": MOLECULES, "good.pl": "active(m1).", "bad.pl": "active(m2)."})
    opened = open_data(tmp_path / "bk.pl", positives="good.pl", negatives="bad.pl", format="facts")
    assert opened.target.tolist() == [True, False]
    assert open_data(tmp_path, positives="good.pl", negatives="bad.pl").population.schema == opened.population.schema


def test_folds_are_read_together_and_parts_separately(tmp_path):
    write(
        tmp_path,
        {
            f"fold{k}_{what}.pl": text
            for k in (1, 2)
            for what, text in (
                ("facts", f"tall(a{k}). likes(a{k}, b{k}). likes(b{k}, c{k}). likes(a{k}, c{k})."),
                ("pos", f"p(a{k})."),
                ("neg", f"p(b{k})."),
            )
        },
    )
    whole = open_data(tmp_path)
    assert list(whole.provenance.names["fold"]) == ["fold1", "fold2", "fold1", "fold2"]
    assert len(open_data(tmp_path, part=["fold2"]).population) == 2
    with pytest.raises(LookupError, match="unknown part 'fold3'"):
        open_data(tmp_path, part=["fold3"])


def test_a_test_part_shares_the_facts_of_training(tmp_path):
    write(
        tmp_path,
        {
            "train_facts.pl": MOLECULES,
            "train_pos.pl": "active(m1).",
            "train_neg.pl": "active(m2).",
            "test_pos.pl": "active(m2).",
            "test_neg.pl": "active(m1).",
        },
    )
    assert open_data(tmp_path).target.tolist() == [True, False]
    assert open_data(tmp_path, part=["test"]).population.record(0)["logp"] == 1.0


def test_several_parts_without_a_default_require_a_choice(tmp_path):
    write(
        tmp_path,
        {
            f"{part}_{what}.pl": "p(a)." if what == "pos" else "p(b). q(b, c)."
            for part in "xy"
            for what in ("pos", "neg", "facts")
        },
    )
    with pytest.raises(DataError, match=r"the folder has examples of several parts \(x, y\); choose one with part"):
        open_data(tmp_path)


def test_sorts_are_read_from_a_file_in_the_folder(tmp_path):
    write(
        tmp_path,
        {
            "bk.pl": TRAINS,
            "pos.pl": "east(t1).",
            "neg.pl": "east(t2).",
            "schema.txt": "east(train)\nhas_car(train,car)\nlong(car)",
        },
    )
    assert members(open_data(tmp_path).population).keys() == {"Train", "Car"}


def test_labels_are_not_attributes_of_other_records(tmp_path):
    """The target is removed from records that others reach."""
    write(tmp_path, {"bk.pl": "friend(a, b). friend(b, a). friend(a, c).", "pos.pl": "p(a).", "neg.pl": "p(b)."})
    opened = open_data(tmp_path)
    assert "p" not in opened.population.schema.type("Individual").members
    assert np.array_equal(opened.target, [True, False])


def test_facts_declared_in_a_grammar_are_used_for_reading():
    grammar = Grammar.parse(
        "fact atm(Molecule, Atom key, element, charge) refine Molecule { top -> exists atm (top) }"
    )
    with pytest.raises(
        UsageError, match=r"declares the fact atm\(Molecule, Atom key, element, charge\), but the facts"
    ):
        fit(active(individual="Molecule").split_target("active")[0], [True, False], grammar)
    read = active(individual="Molecule", fact=grammar.facts).split_target("active")[0]
    assert fit(read, [True, False], grammar).tree.nodes
    with pytest.raises(UsageError, match=r"but the data was not read from facts; remove the 'fact' declarations"):
        fit(Population.from_records([{"atm": [{}]}, {"atm": []}], individual="Molecule"), [True, False], grammar)
