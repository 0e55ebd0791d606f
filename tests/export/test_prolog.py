"""Models as Prolog: for every individual, SWI-Prolog derives the prediction of the model."""

from __future__ import annotations

import math
import re
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from structtree import (
    Grammar,
    Population,
    StructuralTreeClassifier,
    StructuralTreeRegressor,
    export_prolog,
    load_dataset,
    open_data,
)
from structtree.data.provenance import provenance_of
from structtree.data.readers.facts.prolog import read_clauses
from structtree.data.readers.facts.signatures import signatures_of
from structtree.data.readers.facts.tables import types_without_facts
from structtree.errors import UsageError
from structtree.export.prolog.clauses import PROLOG_HELPERS, PROLOG_IMPORTS
from structtree.export.prolog.facts import FACT_HELPERS, FactVocabulary, check_expressible
from structtree.export.prolog.goals import GoalWriter, plain_atom
from structtree.lang.pretty import pretty
from structtree.models.conform import needed_members
from structtree.space.evaluate import holds
from tests.data.bank import write_large_bank
from tests.fact_files import family
from tests.loans import loans
from tests.prolog import printed
from tests.random_predicates import RandomPredicates

LOOSE = ":- style_check(-discontiguous). :- set_prolog_flag(double_quotes, atom)."
FEW = {"max_leaf_nodes": 6, "max_evaluations": 3000}


@dataclass(frozen=True)
class Exported:
    """A program with the files of facts that it is about, the individuals as terms, and the predictions."""

    program: str
    individuals: list[str]
    expected: list
    facts: tuple[Path, ...] = ()


def said_by_prolog(cases, folder):
    """What the programs say of their individuals, all in one process, each loaded after the other."""
    lines = [LOOSE]
    for number, case in enumerate(cases):
        program = folder / f"program{number}.pl"
        program.write_text(case.program, encoding="utf-8")
        facts = folder / f"facts{number}.pl"
        facts.write_text("\n".join([LOOSE, *(path.read_text() for path in case.facts)]), encoding="utf-8")
        files = [plain_atom(str(path)) for path in (facts, program)]
        lines += [f"individual_of({number}, {each})." for each in case.individuals]
        lines += [f"files_of({number}, [{', '.join(files)}])."]
    lines += [
        "main :- forall(files_of(Case, Files), asked(Case, Files)).",
        "asked(Case, Files) :- load_files(Files, [silent(true)]),",
        "    forall(individual_of(Case, X), (predicted(X, Label) -> writeq(Label), nl ; writeln(nothing))),",
        "    forall(member(File, Files), unload_file(File)).",
    ]
    questions = folder / "questions.pl"
    questions.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return printed("main", questions)


def check(cases, folder):
    """Compare the answers of Prolog, parsed like facts, with the predictions of the models."""
    said = iter(said_by_prolog(cases, folder))
    for number, case in enumerate(cases):
        lines = " ".join(f"said({next(said)})." for _ in case.individuals)
        got = [fact.arguments[0] for fact in read_clauses(lines).facts]
        if isinstance(case.expected[0], float):
            np.testing.assert_allclose(got, case.expected, err_msg=str(number))
        else:
            assert got == case.expected, number
    assert next(said, None) is None


# ---- rows as facts --------------------------------------------------------------------------------------


def of_rows(model, individuals):
    """A model with its data, whose individuals are rows that the program numbers."""
    program = export_prolog(model, individuals)
    rows = re.findall(r"^individual\((\d+), \d+\)\.$", program, re.MULTILINE)
    return Exported(program, rows, model.predict(individuals).tolist())


def learned(population, labels, grammar=None, seed=0, **options):
    """A tree for labels at random, so that it is large, or for those that are given."""
    if labels is None:
        labels = np.random.default_rng(seed).choice(["a", "it's"], len(population))
    make = StructuralTreeRegressor if np.asarray(labels).dtype == np.float64 else StructuralTreeClassifier
    return make(Grammar.parse(grammar) if grammar else None, **{**FEW, **options}).fit(population, labels)


TRAINS = """
define carries(s, n): Car = load (shape = s and number >= n)
attribute crowd: Car = load.number / wheels
link rival: Car -> set of Car = ~cars.cars where load.shape = my load.shape and not me
link by_wheels: Train -> list of Car = cars where load (top) sorted by wheels descending
refine Train { top -> exists cars (top); top -> exists by_wheels (top) }
refine Car { top -> exists rival (top); top -> crowd >= *; top -> carries(circle, 1); top -> next (top)
             top -> shape = * }
limits { nesting 3 }
"""
LOANS = """
link recent: Individual -> set of Payment = payments where date <= my date with days = my date - date
refine Individual { top -> exists recent (top); top -> risk >= *; top -> date.month >= *; top -> kind = its risk
                    top -> mean payments.amount >= *; top -> latest payments.way by date = *; top -> missing risk }
refine recent { top -> days >= *; top -> late }
"""
BANK = """
refine loan { top -> years >= *; top -> account (top) }
refine account { top -> town = *; top -> sum payment.paid >= *; top -> exists payment (top)
                 top -> count loan (top) >= * }
refine payment { top -> paid >= *; top -> day.weekday >= * }
limits { nesting 3 }
"""


def test_rows_as_facts(shared_data, tmp_path):
    trains, lent = load_dataset("trains").population, loans(60, seed=3, missing=0.15)
    people = family(shared_data("hinton_family/family.pl"))
    lent_to = [loans(80, seed=4, missing=0.3).record(i) for i in range(80)]
    plain = Population.from_records([{name: each.get(name) for name in ("kind", "amount")} for each in lent_to])
    data = open_data(write_large_bank(tmp_path / "bank.sqlite"), individual="loan", target="status").population
    cases = [
        of_rows(learned(trains, None), trains),
        of_rows(learned(trains, None, TRAINS), trains),
        of_rows(learned(lent, None, LOANS), lent),
        of_rows(learned(lent, np.random.default_rng(1).normal(size=len(lent)), LOANS), lent),
        of_rows(learned(people, None), people),
        of_rows(learned(plain, None, nominal="multiway", missing="majority", max_evaluations=None), plain),
        of_rows(learned(data, None, BANK), data),
    ]
    check(cases, tmp_path)


# ---- the predicates of facts ----------------------------------------------------------------------------


def term(text):
    """The name of an individual as a term."""
    return text if re.fullmatch(r"-?\d+", text) else plain_atom(text)


def of_facts(population, files, grammar=None, most=300, **options):
    """A model of facts that are in some files, with labels at random; it is learned from some of them, and asked."""
    names = provenance_of(population).names
    terms = names["fact"] if "fact" in names else list(map(term, names["name"]))
    chosen = np.linspace(0, len(population) - 1, min(most, len(population))).astype(int).tolist()
    tree = learned(population[chosen], None, grammar, **options)
    said = tree.predict(population[chosen]).tolist()
    return Exported(export_prolog(tree, facts=population), [terms[i] for i in chosen], said, tuple(files))


ADVISED = """
refine Advisedby { top -> exists common_publication (top); top -> exists ta_and_taughtby (top); top -> same
                   top -> exists common_taughtby (top); top -> tempadvisedby; top -> from (top); top -> to (top) }
refine Person { top -> professor; top -> not student; top -> hasposition = *; top -> missing inphase
                top -> count publication_of (top) >= *; top -> exists ta (top); top -> tempadvisedby (top) }
refine Ta { top -> quarter = *; top -> course (top) }
refine Course { top -> courselevel = * }
limits { nesting 4, literals 4 }
"""


def test_facts_of_folders(shared_data, tmp_path):
    """Trains, machines with several classes, pairs of people, and positions that are all numbers."""

    def opened(folder, *files, grammar=None, **options):
        data = open_data(shared_data(folder), **options)
        return of_facts(data.population, [shared_data(f"{folder}/{file}") for file in files], grammar)

    cases = [
        opened("trains", "eastwest20_facts.pl", part=["eastwest20"]),
        opened("toy_machines", "train_facts.pl"),
        opened("uwcse", *(f"fold{i}_facts.pl" for i in range(1, 6)), grammar=ADVISED),
        opened("krk", "facts.pl"),
    ]
    check(cases, tmp_path)


MUTAGENESIS = """
link neighbour: Atom -> set of Atom = bond.to where element != my element
refine Molecule { top -> exists atm (top); top -> exists ring_size_6 (top); top -> lumo >= *
                  top -> mean atm.charge >= *; top -> share atm (element = c) >= * }
refine Atom { top -> element = *; top -> `type` >= *; top -> exists bond (top); top -> count neighbour (top) >= * }
refine Bond { top -> order = *; top -> to (top) }
limits { nesting 4 }
"""


def test_facts_of_molecules(shared_data, tmp_path):
    """Bonds are read both ways, rings are lists, and orders that are numbers are categories."""
    folder = shared_data("mutagenesis")
    files = [folder / f"{name}.pl" for name in ("atom_bond", "lumo", "ring_struc")]
    population = Population.from_facts(
        "\n".join(file.read_text() for file in files),
        positives=[("active", f"d{i}") for i in range(1, 60, 2)],
        negatives=[("active", f"d{i}") for i in range(2, 61, 2)],
        individual="Molecule",
        types={"order": "nominal"},
        fact=["atm(Molecule, Atom key, element, type, charge)", "bond(Molecule, Atom, Atom -> to, order) both ways"],
    )
    cases = [of_facts(population, files, MUTAGENESIS, seed=s) for s in (1, 2)]
    check([*cases, of_facts(population, files)], tmp_path)


# Each line has a form of its own: flags, keys, relations one way and both ways, facts between the two of an example,
# numbers among words, lists of records and of values.
PEOPLE = """
smokes(ann). smokes(dan). smokes(eve).
age(ann, 20). age(bob, 35). age(cy, 51.5). age(fay, 18).
home(ann, '8a'). home(bob, 8). home(cy, 8.5). home(dan, 'it''s'). home(eve, "B. c"). home(gus, '8').
married(ann, bob). married(cy, dan). likes(ann, bob). likes(bob, cy). likes(cy, ann). likes(eve, eve).
likes(bob, ann).
met(ann, bob, 1999). met(bob, cy, 2004). met(cy, ann, 2010). met(dan, eve, 2001). met(ann, bob, 2003).
owns(ann, [rex, tom]). owns(bob, [kit]). owns(eve, []). owns(fay, [jim, [pip]]).
fed(rex). fed(kit). fed(pip). marks(ann, [1, 3]). marks(bob, [2]). marks(dan, [3, 1, 1]). marks(gus, [2, 1, 3]).
near(ann, oslo). near(bob, oslo). near(cy, rome). near(dan, rome). near(eve, oslo). near(ann, bern). near(gus, bern).
"""
NAMES = ("ann", "bob", "cy", "dan", "eve", "fay", "gus")
SIGNATURES = [
    "age(Person key, age)",
    "home(Person key, home)",
    "married(Person, Person) many both ways",
    "likes(Person, Person) many",
    "met(Person, Person -> other, year) both ways",
    "owns(Person key, [Pet])",
    "marks(Person key, [mark])",
    "near(Person, Place)",
    "smokes(Person)",
    "fed(Pet)",
]
PAIRS = """
refine Know { top -> same; top -> likes; top -> likes_back; top -> married; top -> exists met (top)
               top -> exists common_likes (top); top -> exists common_near (top); top -> from (top); top -> to (top)
               top -> from.age >= its to.age; top -> from.home = its to.home }
refine Person { top -> smokes; top -> age >= *; top -> exists near (top) }
refine Met { top -> year >= * }
refine Place { top -> name = * }
limits { nesting 3, literals 3 }
"""


def people_and_pairs():
    """The people, and all pairs of them."""
    ill, well = [("ill", name) for name in NAMES], "ill(hal)."
    people = Population.from_facts(PEOPLE, positives=ill, negatives=well, individual="Person", fact=SIGNATURES)
    pairs = Population.from_facts(
        PEOPLE,
        positives=[("knows", one, other) for one in NAMES for other in NAMES if one <= other],
        negatives=[("knows", one, other) for one in NAMES for other in NAMES if one > other],
        fact=SIGNATURES,
    )
    return people, pairs


def random_goals(population, target, n, seed):
    """Predicates that facts alone can express, with their goals about ``X``, and the clauses that these need."""
    reading, schema = provenance_of(population).facts, population.schema
    signatures = signatures_of(reading.signatures)
    types = types_without_facts(signatures, target, schema.individual)
    words = FactVocabulary(types, signatures, schema.individual, frozenset())
    source, found = RandomPredicates(population, seed), {}
    while len(found) < n:
        predicate = source.predicate(schema.individual, 3)
        try:
            check_expressible(words, schema, needed_members([predicate], schema), [], [predicate])
        except UsageError:
            continue
        found[pretty(predicate)] = (predicate, GoalWriter(schema, words).goal(predicate, schema.individual, "X"))
    return list(found.values()), list(words.clauses([]))


@pytest.mark.parametrize(("which", "target"), [(0, "ill"), (1, "knows")])
def test_random_predicates_about_facts(which, target, tmp_path):
    population = people_and_pairs()[which].split_target(target)[0]
    check_random_predicates(population, target, PEOPLE, 500, which, tmp_path)


def test_integers_beyond_two_to_the_53_compare_as_the_numbers_that_are_read(tmp_path):
    names, rng = [f"p{i}" for i in range(12)], np.random.default_rng(0)
    near = [2**53, -(2**53), 2**60, 2**63, 10**25]
    for seed in range(3):
        numbers = [int(rng.integers(-3, 4)) * int(rng.choice([1, 100])) + near[i] for i in rng.integers(0, 5, 60)]
        facts = "".join(
            f"size({name}, {n}). goal({name}, {m}).\n"
            for name, n, m in zip(names, numbers[:12], numbers[12:24], strict=True)
        )
        met = zip(names * 3, names[1:] * 3, numbers[24:], strict=False)
        facts += "".join(f"met({one}, {other}, {n}).\n" for one, other, n in met)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that not every digit is kept
            population = Population.from_facts(
                facts,
                positives=[("ill", name) for name in names],
                negatives="ill(hal).",
                individual="Person",
                fact=["size(Person key, size)", "goal(Person key, goal)", "met(Person, Person -> other, number)"],
            )
        check_random_predicates(population.split_target("ill")[0], "ill", facts, 250, seed, tmp_path)


def check_random_predicates(population, target, facts, n, seed, tmp_path):
    """Compare the truth values of random predicates in Prolog with those of `holds`."""
    chosen, clauses = random_goals(population, target, n, seed)
    names = provenance_of(population).names
    terms = names["fact"] if "fact" in names else list(map(term, names["name"]))
    lines = [LOOSE, ":- style_check(-singleton).", facts, PROLOG_IMPORTS, PROLOG_HELPERS, FACT_HELPERS, *clauses]
    lines += [f"individual({each})." for each in terms]
    lines += [f"holds({i}, X) :- {goal}." for i, (_, goal) in enumerate(chosen)]
    lines += ["main :- forall(clause(holds(I, _), _), said(I))."]
    lines += ["said(I) :- findall(X, (individual(X), once(holds(I, X))), Found), print(Found), nl."]
    program = tmp_path / "program.pl"
    program.write_text("\n".join(lines) + "\n")
    for (predicate, _), line in zip(chosen, printed("main", program), strict=True):
        true = [each.replace(" ", "") for each, yes in zip(terms, holds(predicate, population), strict=True) if yes]
        assert line == f"[{','.join(true)}]", pretty(predicate)


def test_trees_of_pairs(tmp_path):
    file = tmp_path / "people.pl"
    file.write_text(PEOPLE)
    check([of_facts(people_and_pairs()[1], [file], PAIRS, seed=s, max_leaf_nodes=12) for s in range(4)], tmp_path)


# ---- strings that are not code, and models that are refused ---------------------------------------------


def test_texts_of_the_data_are_never_code(tmp_path):
    texts = ["'), halt. %", "\\", "a\nb", "\0", "x'y", ":- halt.", "'", "\u2028", "A", "", "{}", "[]", "ü"]
    data = Population.from_records(
        [{"'a' (b)": text, "n": i % 3} for i, text in enumerate(texts * 2)], individual="It's"
    )
    tree = learned(data, np.array([texts[i % 13 % 4] for i in range(26)], dtype=object), max_leaf_nodes=12)
    assert len(set(tree.predict(data).tolist())) > 3
    check([of_rows(tree, data)], tmp_path)


def test_models_that_clauses_cannot_express_are_refused():
    rows = [{"a": 1, "c": "x"}, {"a": None, "c": "y"}, {"a": 3, "c": "x"}] * 4
    tree = StructuralTreeClassifier(missing="fractional").fit(rows, ["p", "q", "r"] * 4)
    with pytest.raises(UsageError, match="among several leaves"):
        export_prolog(tree, rows)
    with pytest.raises(UsageError, match="was not learned from facts"):
        export_prolog(StructuralTreeClassifier().fit(rows, ["p", "q", "r"] * 4))
    models = "begin(model(1)). worn(gear). worn(belt). end(model(1)). begin(model(2)). worn(gear). end(model(2))."
    population = Population.from_facts(models)
    tree = StructuralTreeClassifier().fit(population, ["fix", "ok"])
    with pytest.raises(UsageError, match="interpretations"):
        export_prolog(tree, facts=population)


def test_what_depends_on_the_order_of_facts_is_refused():
    people = Population.from_facts(
        PEOPLE, positives="ill(ann). ill(bob).", negatives="ill(gus).", fact=SIGNATURES, individual="Person"
    )
    for grammar, what in [
        ("refine Person { top -> latest met.year by year >= * }", "the latest"),
        (
            "link older: Person -> list of Met = met sorted by year refine Person { top -> exists older (top) }",
            "'older'",
        ),
        (
            "link fans: Person -> set of Person = ~likes refine Person { top -> exists fans (top) } "
            "limits { nesting 1 }",
            "'fans'",
        ),
    ]:
        tree = StructuralTreeClassifier(Grammar.parse(grammar)).fit(people, ["x", "x", "y"])
        with pytest.raises(UsageError, match=f"{what}.* cannot be expressed by facts alone"):
            export_prolog(tree, facts=people)


def test_special_atoms_and_infinite_numbers_are_exported(tmp_path):
    words = [",", ";", "!", "/*", "[]", "{}", "|", ".", "-", "it's", "a\nb", "\0", "\\", "É", "→", "", "1", "-(1)"]
    sizes = [math.inf, -math.inf, 1e22, -1e-300, 0.0, 2.5]
    records = [
        {
            "word , !": word,
            "size": sizes[i % 6],
            "at": i,
            "parts": [{"w/*": word, "n": size} for size in sizes[: i % 7]],
        }
        for i, word in enumerate(words)
    ]
    things = Population.from_records(records, types={"Individual.word , !": "nominal"})
    labels = np.array([words[-i] for i in range(len(words))], dtype=object)
    grammar = """
    refine Individual { top -> `word , !` = *; top -> size >= *; top -> exists parts (top); top -> max parts.n >= * }
    refine Part { top -> `w/*` = *; top -> n >= * }
    """
    check([of_rows(learned(things, labels, grammar), things), of_rows(learned(things, labels), things)], tmp_path)
