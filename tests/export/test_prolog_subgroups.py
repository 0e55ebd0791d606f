"""Subgroups as Prolog: for every individual, SWI-Prolog says which subgroups contain it."""

from __future__ import annotations

import re
from collections import defaultdict

import numpy as np
import pytest

from structtree import Population, load_dataset, subgroups
from structtree.data.provenance import provenance_of
from structtree.errors import UsageError
from structtree.export.prolog.goals import plain_atom
from structtree.export.prolog.subgroups import subgroups_prolog
from structtree.space.evaluate import holds
from tests.export.test_prolog import LOANS, LOOSE, PAIRS, PEOPLE, TRAINS, people_and_pairs, term
from tests.loans import loans
from tests.prolog import printed

FEW = {"held_out": 0, "min_support": 1, "time_limit": 20, "effort": "quick"}


def check(found, terms, folder, facts=""):
    """Compare the members of each subgroup in Prolog with those of `holds`."""
    program, questions = folder / "program.pl", folder / "questions.pl"
    program.write_text(subgroups_prolog(found), encoding="utf-8")
    lines = [LOOSE, facts, *(f"asked({each})." for each in terms)]
    lines += [
        "main :- forall(subgroup_number(I), (findall(X, (asked(X), once(subgroup(I, X))), Xs), print(Xs), nl))."
    ]
    lines += [f"subgroup_number({place})." for place in range(1, len(found) + 1)]
    questions.write_text("\n".join(lines) + "\n", encoding="utf-8")
    said = printed("main", questions, program)
    assert len(said) == len(found) > 0
    for each, line in zip(found, said, strict=True):
        inside = holds(each.predicate, found.population)
        expected = [one.replace(" ", "") for one, yes in zip(terms, inside, strict=True) if yes]
        assert line.replace(" ", "") == f"[{','.join(expected)}]", str(each)


@pytest.mark.parametrize(("which", "target"), [(0, "ill"), (1, "knows")])
def test_subgroups_of_facts_use_the_predicates_of_these_facts(which, target, tmp_path):
    population = people_and_pairs()[which].split_target(target)[0]
    labels = np.random.default_rng(which).random(len(population)) < 0.5
    found = subgroups(population, labels, PAIRS if which else None, target_name=target, top=25, **FEW)
    names = provenance_of(population).names
    terms = names["fact"] if "fact" in names else list(map(term, names["name"]))
    check(found, terms, tmp_path, PEOPLE)


@pytest.mark.parametrize("name", ["trains", "loans"])
def test_subgroups_of_other_data_come_with_their_rows_as_facts(name, tmp_path):
    population = load_dataset("trains").population if name == "trains" else loans(40, seed=3, missing=0.15)
    labels = np.random.default_rng(1).random(len(population)) < 0.5
    found = subgroups(population, labels, TRAINS if name == "trains" else LOANS, top=15, **FEW)
    rows = re.findall(r"^individual\((\d+), \d+\)\.$", subgroups_prolog(found), re.MULTILINE)
    check(found, rows, tmp_path)


def families(shared_data):
    """The pairs of Hinton's persons, and the facts by predicate."""
    text = shared_data("hinton_family/family.pl").read_text(encoding="utf-8")
    facts = defaultdict(list)
    for name, one, other in re.findall(r"^(\w+)\((\w+),\s*(\w+)\)\.", text, re.MULTILINE):
        facts[name].append((one, other))
    people = sorted({person for pairs in facts.values() for pair in pairs for person in pair})
    return [(one, other) for one in people for other in people], facts


def test_uncles_of_hintons_families_are_a_clause_about_two_persons(shared_data, tmp_path):
    pairs, facts = families(shared_data)
    known = [(name, *pair) for name in ("father", "mother", "brother") for pair in facts[name]]
    text = "\n".join(f"{name}({one}, {other})." for name, one, other in known)
    population = Population.from_facts(
        text,
        positives=[("uncle", *pair) for pair in pairs if pair in facts["uncle"]],
        negatives=[("uncle", *pair) for pair in pairs if pair not in facts["uncle"]],
    )
    given, labels = population.split_target("uncle")
    options = {"measure": "precision", "label": True, "literals": 1, "top": 1, "min_support": 2, "held_out": 0}
    found = subgroups(given, labels, target_name="uncle", **options)
    assert str(found[0]) == "exists brother_and_mother_of (top)" and found[0].searched.mean == 1.0
    program = subgroups_prolog(found)
    assert "brother(Thing0, Thing2), mother(Thing3, Thing1), Thing2 == Thing3" in program
    assert "uncle(Thing0, Thing1) :- subgroup(1, uncle(Thing0, Thing1))." in program
    check(found, provenance_of(given).names["fact"], tmp_path, text)
    # The book's definition, by what the clause says: a brother of the mother.
    expected = {(a, c) for a, b in facts["brother"] for d, c in facts["mother"] if b == d}
    questions, clauses = tmp_path / "questions.pl", tmp_path / "program.pl"
    asked = [f"asked({plain_atom(one)}, {plain_atom(other)})." for one, other in pairs]
    goal = "main :- forall((asked(X, Y), once(structtree_subgroups:uncle(X, Y))), (print(X-Y), nl))."
    questions.write_text("\n".join([LOOSE, text, *asked, goal]) + "\n", encoding="utf-8")
    said = printed("main", questions, clauses)
    assert {tuple(line.split("-")) for line in said} == expected <= set(facts["uncle"])


def test_advisors_are_described_by_clauses(shared_data, tmp_path):
    from structtree import open_data

    data = open_data(shared_data("uwcse"), part=["fold1"])
    found = subgroups(
        data.population, data.target, target_name="advisedby", label=True, top=5, measure="laplace", **FEW
    )
    facts = shared_data("uwcse/fold1_facts.pl").read_text(encoding="utf-8")
    assert subgroups_prolog(found).count("advisedby(") >= 5
    check(found, provenance_of(data.population).names["fact"], tmp_path, facts)


def test_what_prolog_cannot_express_is_refused():
    population = people_and_pairs()[0].split_target("ill")[0]
    labels = np.arange(len(population)) < 3
    grammar = "link pairs: Person -> list of Person = likes sorted by age refine Person { top -> exists pairs (top) }"
    found = subgroups(population, labels, grammar, top=1, literals=1, **FEW)
    with pytest.raises(UsageError, match="cannot be expressed by facts alone"):
        subgroups_prolog(found)
