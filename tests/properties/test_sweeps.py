"""Laws of the sweeps: what an offer says of a refinement is what evaluating that refinement by itself says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from structtree.data.population import Population
from structtree.lang.grammar import Grammar
from structtree.lang.pretty import pretty
from structtree.search.chains import Chain
from structtree.search.columns import SpaceColumns
from structtree.search.finder import Finder
from structtree.search.queries import Query
from structtree.search.scorers import Sums, scorer_for
from structtree.search.sweeps import Sweeps
from structtree.space.evaluate import holds, rows_where
from structtree.space.space import Space
from structtree.space.terms import n_literals
from tests.properties.test_search import problems

NESTED = Grammar.parse(
    """
    refine Individual {
        top -> size >= *; top -> exists xs (top); top -> count xs (top) >= 2..3; top -> friend (top)
        top -> friend.age >= *; top -> top and top max 2
    }
    refine X {
        top -> v >= *; top -> v <= *; top -> c = *; top -> exists ys (top); top -> count ys (top) >= 1..2
        top -> next (top); top -> later (top); top -> top and top max 2
    }
    refine Y { top -> w >= *; top -> flag; top -> not flag; top -> top and top max 2 }
    refine Friend { top -> age >= *; top -> age <= * }
    limits { nesting 4, literals 5 }
    """
)


def nested(seed, n=40):
    """Individuals with lists of records with sets of records, and a reference; and labels at random."""
    rng = np.random.default_rng(seed)

    def y():
        return {"w": int(rng.integers(5)), "flag": bool(rng.integers(2))}

    def x():
        ys = [y() for _ in range(rng.integers(0, 4))]
        return {"v": round(float(rng.normal()), 1), "c": "abc"[rng.integers(3)], "ys": ys}

    records = [
        {
            "size": int(rng.integers(4)),
            "xs": [x() for _ in range(rng.integers(0, 4))],
            "friend": {"age": int(rng.integers(6))},
        }
        for _ in range(n)
    ]
    return Population.from_records(records), np.array(["ab"[k] for k in rng.integers(2, size=n)])


def check_offers(sweeps, query, counting):
    """Every offer of a query has the loss and the size of the predicate that it stands for."""
    population, scorer, n = sweeps.population, sweeps.scorer, len(sweeps.population)
    for offer in sweeps.refinements(query, counting=counting):
        predicate = sweeps.words.predicate(sweeps.made(offer))
        true = holds(predicate, population)
        size = int(true.sum())
        loss = (
            scorer.loss(scorer.counts(true[:, None]))[0]
            if sweeps.least <= size <= n - sweeps.least
            else (np.inf,) * 2
        )
        np.testing.assert_allclose(offer.loss, loss, atol=1e-9, err_msg=pretty(predicate))
        assert offer.size == n_literals(predicate)


@settings(max_examples=60)
@given(problem=problems(), data=st.data(), counting=st.booleans(), least=st.integers(1, 2))
def test_an_offer_is_as_good_as_it_says_in_any_space(problem, data, counting, least):
    space, target, weights = problem
    scorer = scorer_for("acc*", target, len(target), weights)
    sweeps = Sweeps(space, scorer, least)
    query = Query(space.grammar.individual)
    for _ in range(3):
        check_offers(sweeps, query, counting)
        offers = list(sweeps.refinements(query, counting=counting))
        if not offers:
            return
        query = sweeps.made(data.draw(st.sampled_from(offers)))


@pytest.mark.parametrize("name", ["acc*", "accuracy", "entropy", "gini", "gain-ratio", "twoing", "mse"])
@pytest.mark.parametrize("seed", range(4))
def test_an_offer_is_as_good_as_it_says_behind_counts_and_steps(name, seed):
    population, target = nested(seed)
    rng = np.random.default_rng(seed)
    labels = rng.normal(size=len(target)) if name == "mse" else target
    space = Space.build(NESTED, population)
    sweeps = Sweeps(space, scorer_for(name, labels, len(labels)), 1)
    query = Query(space.grammar.individual)
    for _ in range(4):
        check_offers(sweeps, query, counting=True)
        offers = list(sweeps.refinements(query, counting=True))
        if not offers:
            break
        query = sweeps.made(offers[rng.integers(len(offers))])


@pytest.mark.parametrize("numbers", [(1, 2), (2, 3, 4), (3,), (4, 2)])
@pytest.mark.parametrize("before", [None, 1, 2, "all"])
@pytest.mark.parametrize("seed", range(3))
def test_numbers_of_rows_counted_in_one_pass_are_those_counted_one_by_one(seed, before, numbers):
    population, target = nested(seed, 200)
    columns, scorer = SpaceColumns(Space.build(NESTED, population)), scorer_for("acc*", target, len(target))
    sums = Sums(scorer.labels, scorer.weights, scorer.n_labels)
    passes = {
        name: np.random.default_rng(seed).random(table.n_rows) < 0.9 for name, table in population.tables.items()
    }

    def chain(needed):
        """A link of which numbers of rows are required, behind another link or before one."""
        found = Chain.start(population, passes["Individual"])
        steps = [("Individual", "xs", "X"), ("X", "ys", "Y")]
        for (name, link, there), need in zip(steps, [needed, 1] if before is None else [before, needed], strict=True):
            adjacency = population.tables[name].links[link]
            follow = found.follow_each if isinstance(need, np.ndarray) else found.follow
            found = follow(adjacency, need, passes[there])
        return found

    kept = 0
    for tests in columns.of("Y"):
        for first, last in tests.pieces(0, 2):
            found = chain(np.array(numbers)).count(tests, first, last, sums)
            single = [chain(number).count(tests, first, last, sums) for number in numbers]
            np.testing.assert_array_equal(found.counts, np.concatenate([one.counts for one in single]))
            np.testing.assert_array_equal(found.sizes, np.concatenate([one.sizes for one in single]))
            kept += found.sizes.sum()
    assert kept


@pytest.mark.parametrize("seed", range(3))
def test_queries_hold_of_the_rows_that_their_predicates_hold_of(seed):
    population, target = nested(seed)
    space = Space.build(NESTED, population)
    sweeps = Sweeps(space, scorer_for("acc*", target, len(target)), 1)
    query, rng = Query(space.grammar.individual), np.random.default_rng(seed)
    for _ in range(4):
        offers = list(sweeps.refinements(query, counting=True))
        if not offers:
            break
        query = sweeps.made(offers[rng.integers(len(offers))])
        predicate = sweeps.words.predicate(query)
        assert (sweeps.truth(query) == rows_where(predicate, population, query.type)).all()
        again = sweeps.words.query(predicate)
        assert again is not None
        assert sweeps.words.predicate(again) == predicate


@settings(max_examples=40)
@given(problem=problems(), width=st.integers(1, 4))
def test_what_the_finder_takes_is_in_the_space_and_no_better_than_it_is(problem, width):
    space, target, weights = problem
    scorer = scorer_for("entropy", target, len(target), weights)
    taken = []

    def take(predicate, loss):
        assume(len(taken) < 50)
        taken.append((predicate, loss))
        return predicate in space

    finder = Finder(Sweeps(space, scorer, 1), take)
    for _ in finder.beam(width, counting=True):
        pass
    for predicate in finder.newest():
        for _ in finder.polish(finder.sweeps.words.query(predicate), counting=True):
            pass
    for predicate, loss in taken:
        true = holds(predicate, space.population)
        np.testing.assert_allclose(loss, scorer.loss(scorer.counts(true[:, None]))[0], atol=1e-9)
    if finder.best is not None:
        assert finder.sweeps.words.predicate(finder.best.query) in space
