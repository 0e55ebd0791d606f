"""Laws of tests behind links as columns: every meaning is there, and the tree is what searching finds."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from structtree import Grammar, Population, Space, holds, pretty
from structtree.data.reachable import compact
from structtree.errors import GrammarError
from structtree.lang.parse import parse_predicate
from structtree.learn.growing import grow
from structtree.learn.plan import plan_for
from structtree.models.settings import Growth
from structtree.search.best_split import best_split
from structtree.search.kernels import tables as kernel
from structtree.splitters.link_tests import is_one_at_a_time, linked_tests
from structtree.tasks.criteria import CRITERIA
from tests.properties.test_space import members
from tests.splitters.test_sweep import drawn, same_shape, target
from tests.strategies import grammars, populations


@st.composite
def spaces(draw):
    population = compact(draw(populations()))
    text = draw(grammars(population.schema, one_at_a_time=True))
    try:
        space = Space.build(Grammar.parse(text), population)
    except GrammarError as error:
        assume("no value" not in str(error))
        raise
    assume(is_one_at_a_time(space))
    return space


def listed(test, population):
    """The members of a listed test, each with whom it holds of according to its column."""
    if test.subject is None:
        yield test.right, holds(test.right, population)
        return
    column = test.column or population.tables[population.schema.individual].value_column(test.attribute).take(
        population.individuals
    )
    values = column.values
    if test.steps:
        for place, step in enumerate(test.steps):
            passed = {
                kernel.AT_LEAST: values > place,
                kernel.AT_MOST: values <= place,
                kernel.EQUAL: values == place,
            }
            yield step, passed[test.form]
        return
    for value in np.unique(values[~column.missing]):
        if test.form == kernel.EQUAL:
            yield test.of(column.categories[value]), values == value
        elif test.form == kernel.SUBSET:
            yield test.among([column.categories[value]]), values == value
        else:
            yield test.at(value), values >= value if test.form == kernel.AT_LEAST else values <= value


@given(spaces())
def test_a_column_says_of_whom_its_members_hold_and_every_meaning_has_a_column(space):
    wanted = {holds(p, space.population).tobytes(): p for p in members(space)}
    found = linked_tests(space)
    assert found is not None and found.complete
    made = set()
    for test in found.tests:
        for member, true in listed(test, space.population):
            assert (holds(member, space.population) == true).all(), pretty(member)
            made.add(true.tobytes())
            if test.form == kernel.SUBSET:
                return
    n = len(space.population)
    trivial = {np.zeros(n, dtype=np.bool_).tobytes(), np.ones(n, dtype=np.bool_).tobytes()}
    assert {key: pretty(p) for key, p in wanted.items() if key not in made | trivial} == {}


@given(spaces(), st.sampled_from(sorted(CRITERIA)), st.integers(1, 2), st.randoms(use_true_random=False))
def test_the_root_is_what_an_exhaustive_search_finds(space, criterion, leaf, random):
    population = space.population
    numbers = CRITERIA[criterion].task == "numbers"
    target = [random.randrange(4) * (1.5 if numbers else 1) for _ in range(len(population))]
    assume(len(set(target)) > 1)
    growth = Growth(max_depth=1, min_samples_leaf=leaf)
    plan = plan_for(population, space.grammar, growth)
    assert plan.route == "sweeps"
    tree = grow(population, target, space.grammar, growth, criterion=criterion, plan=plan)
    slow = best_split(
        population, target, space.grammar, criterion=criterion, strategy="exhaustive", min_samples_leaf=leaf
    )
    scorer = slow.problem.scorer
    gained = scorer.criterion.unsplit(scorer.total) - np.array(slow.loss)
    root = tree.nodes[0]
    if len(tree.nodes) == 1:
        assert slow.predicate == slow.problem.space.root().predicate or not scorer.improves(
            slow.loss, tuple(scorer.criterion.unsplit(scorer.total))
        )
        return
    assert root.found.proved
    true = holds(root.test, population)
    loss = scorer.loss(scorer.counts(true[:, None]))[0]
    assert scorer.compare(tuple(loss), slow.loss) == 0, (pretty(root.test), pretty(slow.predicate), gained)


REFERENCES = """
refine Order { top -> paid; top -> size >= *; top -> customer (top); top -> customer.age >= *
               top -> missing customer; top -> sum items.weight >= *; top -> sum items.weight <= * }
refine Customer { top -> age >= *; top -> age <= *; top -> kind = *; top -> old; top -> city (top)
                  top -> city.name = * }
refine City { top -> name in *; top -> height >= *; top -> founded.month = *; top -> founded >= * }
"""
LINKS = """
refine Order { top -> exists items (top); top -> count items (top) >= 2..3; top -> all items (top); top -> size >= * }
refine Item { top -> weight >= {1, 2, 4}; top -> weight <= {1, 2, 4}; top -> kind = *; top -> kind != c }
"""


def orders(n, seed):
    """Orders with customers, of whom some are missing, in cities, and with items."""
    rng = np.random.default_rng(seed)
    kinds = ["a", "b", "c"]
    cities = [
        {
            "name": str(name),
            "height": round(float(rng.normal()), 1),
            "founded": f"19{rng.integers(10, 99)}-0{1 + k}-11",
        }
        for k, name in enumerate(kinds)
    ]
    people = [
        {"age": int(rng.integers(20, 40)), "kind": str(rng.choice(kinds)), "old": bool(k % 2), "city": cities[k % 3]}
        for k in range(n // 3)
    ]
    records = [
        {
            "paid": bool(rng.random() < 0.5),
            "size": int(rng.integers(0, 6)),
            "customer": people[k] if (k := int(rng.integers(len(people) + 3))) < len(people) else None,
            "items": [
                {"weight": int(rng.integers(0, 6)), "kind": str(rng.choice(kinds))} for _ in range(rng.integers(0, 4))
            ],
        }
        for _ in range(n)
    ]
    return Population.from_records(records, types={"items": "set"}, individual="Order")


@pytest.mark.parametrize("text", [REFERENCES, LINKS], ids=["references", "links"])
@pytest.mark.parametrize("criterion", sorted(CRITERIA))
@pytest.mark.parametrize("seed", [0, 1])
def test_it_is_the_tree_that_searching_finds(text, criterion, seed):
    population, grammar = orders(60, seed), Grammar.parse(text)
    labels = target(criterion, 60, seed)
    growth = {"max_depth": 3, "min_samples_leaf": 1 + seed}
    quick = grow(population, labels, grammar, Growth(**growth), criterion=criterion)
    slow = grow(
        population, labels, grammar, Growth(strategy="best-first", effort="prove", **growth), criterion=criterion
    )
    assert plan_for(population, grammar.check(population.schema), Growth(**growth)).route == "sweeps"
    assert len(quick.leaves) > 3
    assert same_shape(quick, slow)


def test_a_tree_with_tests_behind_links_is_copied_and_has_no_columns():
    population, grammar = orders(60, 0), Grammar.parse(REFERENCES)
    tree = grow(population, target("gini", 60, 0), grammar, criterion="gini")
    again = pickle.loads(pickle.dumps(tree))
    assert drawn(again) == drawn(tree)
    assert (again.apply(population) == tree.apply(population)).all()
    for node, which in again.arrivals(population):
        assert again.nodes[node].stats.n == len(which)


def test_more_thresholds_than_a_short_integer_has_are_all_tried():
    n = 70_000
    records = [{"parts": [{"x": i}]} for i in range(n)]
    population = Population.from_records(records, types={"parts": "set"}, individual="Thing")
    grammar = Grammar.parse("refine Thing { top -> exists parts (top) } refine Part { top -> x >= * }")
    tree = grow(population, np.arange(n) >= 40_000, grammar, Growth(max_depth=1))
    assert [pretty(test) for test in tree.tests] == ["exists parts (x >= 40000)"]


COMBINED = """
refine Order { top -> size >= *; top -> customer (top); top -> exists items (top)
               top -> sum items.weight >= quantiles(4)
               top -> top and top max 2 }
refine Customer { top -> age >= *; top -> kind = *; top -> top and top max 2 }
refine Item { top -> weight >= *; top -> kind = *; top -> top and top max 2 }
limits { nesting 2, literals 4 }
"""


def test_of_many_rows_a_hint_is_judged_before_anything_else():
    numbers = np.random.default_rng(0).normal(size=(50_001, 2)).round(1)
    table = Population.from_array(numbers, names=["a", "b"])
    grammar = Grammar.parse("refine Row { top -> * >= *; top -> top and top max 2 }")
    hint = parse_predicate("a >= 0.55 and b >= 1.05")
    space = Space.build(grammar, table)
    found = best_split(table, holds(hint, table), space, hints=[hint], time_limit=0.0)
    assert found.predicate == hint and found.score == 1.0
