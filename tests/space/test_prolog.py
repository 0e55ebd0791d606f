"""SWI-Prolog agrees: random predicates of all forms on real data, and the paths of trees with shared rows."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from structtree import Grammar, Growth, grow, load_dataset, pretty
from structtree.lang.check import check_predicate
from structtree.lang.parse import parse_predicate
from structtree.lang.walk import parts_of
from structtree.space.evaluate import rows_where
from tests.fact_files import family, mutagenesis
from tests.loans import loans
from tests.prolog import Question, answers, leaf_queries, rows_satisfying
from tests.random_predicates import RandomPredicates

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


def random_questions(population, n, seed, depth=3):
    """Different predicates on rows of all types, half of them on individuals; each as its text is understood."""
    checked = Grammar.from_schema(population.schema).check(population.schema)
    source = RandomPredicates(population, seed)
    found = {}
    while len(found) < n:
        names = population.schema.names
        name = source.random.choice((*names, *[population.schema.individual] * len(names)))
        text = pretty(source.predicate(name, depth))
        found[name, text] = Question(name, check_predicate(parse_predicate(text), name, checked, text=text))
    return list(found.values())


def compare(population, questions, folder, capsys):
    """Ask both, and say how many there were, how many are true of some rows and not of all, and of which forms."""
    said = answers(population, questions, folder)
    assert len(said) == len(questions)
    forms, telling = Counter(), 0
    for question, rows in zip(questions, said, strict=True):
        ours = rows_where(question.predicate, population, question.type)
        assert ours.nonzero()[0].tolist() == rows, f"{question.type}: {pretty(question.predicate)}"
        forms.update({type(part).__name__ for part in parts_of(question.predicate)})
        telling += 0 < len(rows) < len(ours)
    with capsys.disabled():
        print(f"\nProlog agrees on {len(questions):,} predicates, {telling:,} of them telling: {dict(forms)}")
    return telling


@pytest.mark.parametrize(("data", "n"), [("trains", 2000), ("molecules", 2000), ("families", 2000), ("lent", 1000)])
def test_random_predicates(data, n, request, tmp_path, capsys):
    population = request.getfixturevalue(data)
    telling = compare(population, random_questions(population, n, seed=1), tmp_path, capsys)
    assert telling > n / 4


# ---- shared rows along a path ---------------------------------------------------------------------------

ONE_STEP = {
    "trains": """
        refine Train { top -> exists cars (top) }
        refine Car { top -> shape = *; top -> long; top -> roof = *; top -> wheels >= *; top -> load (top)
                     top -> next (top); top -> load.shape = its shape }
        refine Load { top -> shape = *; top -> number >= * }
        limits { nesting 3 }
    """,
    "molecules": """
        refine Molecule { top -> exists atoms (top); top -> exists groups (top) }
        refine Atom { top -> element = *; top -> charge >= quantiles(6); top -> exists bonds (top) }
        refine Bond { top -> order = *; top -> to (top) }
        refine Group { top -> kind = *; top -> exists members (top) }
        limits { nesting 3 }
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
    grammar, schema = Grammar.parse(ONE_STEP[data]), population.schema
    leaves = gone_on = 0
    for seed in range(5):
        labels = np.random.default_rng(seed).integers(0, 2, len(population))
        tree = grow(population, labels, grammar, Growth(share="path"), criterion="entropy")
        queries = leaf_queries(tree, schema)
        goals = [(schema.individual, query.goal) for query in queries.values()]
        found = [set(rows) for rows in rows_satisfying(population, goals, tmp_path)]
        first = [next(k for k, rows in enumerate(found) if i in rows) for i in range(len(population))]
        assert [list(queries)[k] for k in first] == tree.apply(population).tolist()
        leaves += len(queries)
        gone_on += sum(query.gone_on for query in queries.values())
    assert gone_on > 0
    with capsys.disabled():
        print(f"\nProlog agrees on {leaves} leaves, with {gone_on} rows that a test found and another goes on about")
