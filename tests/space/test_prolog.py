"""SWI-Prolog agrees: random predicates of all forms on real data, and the paths of trees with shared rows."""

from __future__ import annotations

import os
from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from structtree import Grammar, Growth, grow, load_dataset, pretty
from structtree.errors import DataError, GrammarError
from structtree.lang import syntax as syn
from structtree.lang.check import check_predicate
from structtree.lang.parse import parse_predicate
from structtree.lang.pretty import pretty_grammar
from structtree.lang.walk import parts_of
from structtree.space.background import with_background
from structtree.space.evaluate import rows_where
from tests.fact_files import family, mutagenesis
from tests.loans import loans
from tests.prolog import Question, answers, leaf_queries, rows_satisfying, rules
from tests.random_predicates import RandomPredicates
from tests.space.links import derived_links
from tests.strategies import populations

TIMES = 5 if os.environ.get("STRUCTTREE_HYPOTHESIS") == "thorough" else 1
MOLECULES = tuple(f"d{i}" for i in range(1, 231, 8))


@pytest.fixture
def trains():
    return load_dataset("trains").population


@pytest.fixture
def molecules(shared_data):
    return mutagenesis(shared_data("mutagenesis"), MOLECULES)


@pytest.fixture
def families(shared_data):
    return family(shared_data("hinton_family/family.pl"))


@pytest.fixture
def lent():
    return loans(30, seed=3, missing=0.15)


def random_questions(population, checked, n, seed, depth=3):
    """Different predicates on rows that the data has, half of them on individuals; each as its text is understood."""
    schema = population.schema
    source = RandomPredicates(population, seed, checked.definitions.values())
    names = [name for name in schema.names if schema.met_by(name) is None]
    found = {}
    while len(found) < n:
        name = source.random.choice((*names, *[schema.individual] * len(names)))
        text = pretty(source.predicate(name, depth))
        found[name, text] = Question(name, check_predicate(parse_predicate(text), name, checked, text=text))
    return list(found.values())


def compare(population, computed, questions, checked, folder, capsys):
    """Ask both, and say how many there were, how many are true of some rows and not of all, and of which forms."""
    telling, forms = agreement(population, computed, questions, checked, folder)
    with capsys.disabled():
        print(f"\nProlog agrees on {len(questions):,} predicates, {telling:,} of them telling: {dict(forms)}")
    return telling


def agreement(population, computed, questions, checked, folder):
    """How many predicates are true of some rows and not of all, and the forms of all of them; both say the same."""
    said = answers(population, questions, checked, folder)
    assert len(said) == len(questions)
    forms, telling = Counter(), 0
    for question, rows in zip(questions, said, strict=True):
        ours = rows_where(question.predicate, computed, question.type)
        assert ours.nonzero()[0].tolist() == rows, f"{question.type}: {pretty(question.predicate)}"
        forms.update({type(part).__name__ for part in parts_of(question.predicate)})
        telling += 0 < len(rows) < len(ours)
    return telling, forms


@pytest.mark.parametrize(("data", "n"), [("trains", 800), ("molecules", 500), ("families", 700), ("lent", 500)])
def test_random_predicates(data, n, request, tmp_path, capsys):
    population = request.getfixturevalue(data)
    checked = Grammar.from_schema(population.schema).check(population.schema)
    questions = random_questions(population, checked, n * TIMES, seed=1)
    assert compare(population, population, questions, checked, tmp_path, capsys) > n * TIMES / 4


# ---- shared rows along a path ---------------------------------------------------------------------------

ONE_STEP = {
    "trains": """
        link rival: Car -> set of Car = ~cars.cars where load.shape = my load.shape and not me
        link longer: Car -> set of Car = ~cars.cars where wheels >= my wheels and not me
            with more = wheels - my wheels
        refine Train { top -> exists cars (top) }
        refine Car { top -> shape = *; top -> long; top -> roof = *; top -> wheels >= *; top -> load (top)
                     top -> next (top); top -> load.shape = its shape
                     top -> exists rival (top); top -> exists longer (top) }
        refine longer { top -> more >= * }
        refine Load { top -> shape = *; top -> number >= * }
        limits { nesting 2 }
    """,
    "molecules": """
        link corner: Atom -> set of Atom = bonds.to.bonds.to where exists bonds (to.me) and not me
        link opposite: Atom -> set of Atom = bonds.to.bonds.to.bonds.to where element = my element and not me
        refine Molecule { top -> exists atoms (top); top -> exists groups (top) }
        refine Atom { top -> element = *; top -> charge >= quantiles(4); top -> exists bonds (top)
                      top -> exists corner (top); top -> exists opposite (top) }
        refine Bond { top -> order = *; top -> to (top) }
        refine Group { top -> kind = *; top -> exists members (top) }
        limits { nesting 2 }
    """,
    "families": """
        refine Person { top -> exists son (top); top -> exists nephew (top); top -> exists uncle (top)
                        top -> exists niece (top); top -> exists daughter (top); top -> husband (top) }
        limits { nesting 4, literals 2 }
    """,
}


@pytest.mark.parametrize("data", sorted(ONE_STEP))
def test_paths_with_shared_rows(data, request, tmp_path, capsys):
    """Labels at random make trees deep, and each test may go on from those above it."""
    population = request.getfixturevalue(data)
    grammar = Grammar.parse(ONE_STEP[data])
    checked, computed = grammar.check(population.schema), with_background(population, grammar, {})
    leaves = gone_on = 0
    for seed in range(5):
        labels = np.random.default_rng(seed).integers(0, 2, len(population))
        tree = grow(population, labels, grammar, Growth(share="path"), criterion="entropy")
        queries = leaf_queries(tree, checked.schema)
        goals = [(checked.individual, query.goal) for query in queries.values()]
        found = [set(rows) for rows in rows_satisfying(population, goals, tmp_path, rules(checked))]
        first = [next(k for k, rows in enumerate(found) if i in rows) for i in range(len(population))]
        assert [list(queries)[k] for k in first] == tree.apply(computed).tolist()
        leaves += len(queries)
        gone_on += sum(query.gone_on for query in queries.values())
    assert gone_on > 0
    with capsys.disabled():
        print(f"\nProlog agrees on {leaves} leaves, with {gone_on} rows that a test found and another goes on about")


# ---- what a grammar computes ----------------------------------------------------------------------------

COMPUTED = {
    "trains": """
        define carries(s, n): Car = load (shape = s and number >= n)
        define crowded(n): Train = count cars (carries(circle, n) or long) >= n
        attribute crowd: Car = load.number / wheels
        attribute odd: Car = abs(wheels - 3 * load.number) + crowd
        link rival: Car -> set of Car = ~cars.cars where load.shape = my load.shape and not me
        link twin: Car -> set of Car = ~cars.cars where shape = my shape and not me with more = wheels - my wheels
        link load_before: Car -> set of Load = ~cars.cars.load
        link by_wheels: Train -> list of Car = cars where load (top) sorted by wheels descending
        link alike: Train -> set of Train = cars.rival.~cars where not me
        refine Car { top -> exists rival (top); top -> exists twin (top); top -> crowd >= *; top -> odd >= *
                     top -> * = *; top -> *; top -> wheels >= *; top -> load (top); top -> next (top) }
        refine Train { top -> exists by_wheels (top); top -> exists cars (top); top -> exists alike (top) }
        refine twin { top -> more >= * }
    """,
    "molecules": """
        define near(e): Atom = exists bonds (to.element = e)
        define between(e, t): Atom = near(e) and near(c) and exists neighbour (charge >= t)
        link neighbour: Atom -> set of Atom = bonds.to
        link corner: Atom -> set of Atom = bonds.to.bonds.to where exists bonds (to.me) and not me
        link opposite: Atom -> set of Atom = neighbour.neighbour.neighbour where element = my element and not me
        link fellow: Atom -> set of Atom = ~members.members where charge >= my charge and not me
        link connected: Atom -> set of Atom = (bonds.to)+ where `type` = my `type` and not me
        link pull: Atom -> set of Atom = bonds.to.bonds.to where not me with pulled = charge - my charge
        link charges: Molecule -> list of Atom = atoms where element != c sorted by charge
        refine Molecule { top -> exists atoms (top); top -> exists charges (top); top -> exists groups (top) }
        refine Atom { top -> element = *; top -> charge >= *; top -> `type` >= *; top -> exists neighbour (top)
                      top -> exists corner (top); top -> exists pull (top); top -> exists connected (top) }
        refine Bond { top -> order = *; top -> to (top) }
        refine pull { top -> pulled >= *; top -> exists bonds (top) }
    """,
    "families": """
        define descends(n): Person = exists ancestor (name = n)
        link ancestor: Person -> set of Person = parent+
        link descendant: Person -> set of Person = (~parent)+
        link relative: Person -> set of Person = (parent.~parent)+ where not me
        link sibling: Person -> set of Person = parent.~Person.parent where not me
        link cousin: Person -> set of Person = parent.sibling.~parent where father.name != my father.name
        link inlaw: Person -> set of Person = husband.sibling
        refine Person { top -> exists ancestor (top); top -> exists descendant (top); top -> name = * }
    """,
    "lent": """
        define paid(w, d): Individual = exists payments (way in {w, low} and date >= d)
        attribute until: Individual = date - asked
        attribute late_by: Payment = booked - date
        attribute again: Payment = date + 30
        link recent: Individual -> set of Payment = payments where date <= my date with days = my date - date
        link sorted_by_amount: Individual -> list of Payment = payments sorted by amount
        link after: Payment -> set of Payment = ~payments.payments where date >= my date and not me
            with hours = (booked - my booked) * 24
        refine Individual { top -> exists recent (top); top -> exists sorted_by_amount (top); top -> until >= * }
        refine Payment { top -> * >= *; top -> * = *; top -> *; top -> exists after (top) }
    """,
}


@pytest.mark.parametrize("data", sorted(COMPUTED))
def test_random_predicates_about_what_a_grammar_computes(data, request, tmp_path, capsys):
    population, grammar = request.getfixturevalue(data), Grammar.parse(COMPUTED[data] + "limits { nesting 3 }")
    checked = grammar.check(population.schema)
    computed = with_background(population, grammar, {})
    questions = random_questions(computed, checked, 400 * TIMES, seed=2)
    compare(population, computed, questions, checked, tmp_path, capsys)


@settings(max_examples=15 * TIMES, suppress_health_check=list(HealthCheck))
@given(data=st.data(), seed=st.integers(0, 10**6))
def test_random_links_on_random_data(data, seed, tmp_path):
    """Paths, conditions and attributes of pairs of all forms, and predicates about them."""
    population = data.draw(populations())
    links = tuple(data.draw(derived_links(population.schema, name)) for name in ("one", "other"))
    try:
        grammar = Grammar.parse(pretty_grammar(syn.GrammarSyntax(links=links)))
        computed = with_background(population, grammar, {})
    except (GrammarError, DataError):
        assume(False)
    checked = grammar.check(population.schema)
    questions = random_questions(computed, checked, 40, seed, depth=2)
    agreement(computed.given, computed, questions, checked, tmp_path)
