"""The search from outside: known winners, budgets, interruption, weights, and wrong input."""

from __future__ import annotations

import signal
from itertools import count

import numpy as np
import pytest

from structtree.data.datasets.catalog import load_dataset
from structtree.data.population import Population
from structtree.data.schema import Attribute, Link, RecordType, Schema
from structtree.errors import DataError, GrammarError, UnknownNameError, UsageError
from structtree.lang.grammar import Grammar
from structtree.lang.pretty import pretty
from structtree.search import clock
from structtree.search.best_split import best_split
from structtree.search.clock import Clock
from structtree.space.evaluate import holds
from structtree.space.space import Space
from structtree.space.terms import conjuncts


def search(name, grammar=None, **options):
    data = load_dataset(name)
    return best_split(data.population, data.target, Grammar.load(grammar or data.grammar), **options)


def test_michalskis_rule_is_found_and_proved():
    found = search("michalski10", criterion="acc*")
    assert found.score == 1.0
    assert found.proved
    assert found.yes.tolist() in ([5.0, 0.0], [0.0, 5.0])


def test_a_perfect_split_ends_the_search_when_nothing_shorter_is_left():
    found = search("michalski10", criterion="acc*")
    assert pretty(found.predicate) == "exists cars (not long and roof = closed)"
    assert found.proved and found.stats.evaluated < 1500


def test_however_little_time_there_is_something_is_found():
    found = search("trains", time_limit=1e-9)
    assert pretty(found.predicate) != "top" and not found.proved and found.gap > 0


def shoppers(n):
    """Return people with orders of items, and whether one of the items is heavy."""
    rng = np.random.default_rng(3)

    def orders():
        return [
            {"week": int(rng.integers(52)), "items": [{"kg": float(kg)} for kg in rng.random(3)]} for _ in range(2)
        ]

    people = [{"customer": {"age": int(rng.integers(18, 80))}, "orders": orders()} for _ in range(n)]
    heavy = [any(item["kg"] > 0.9 for order in one["orders"] for item in order["items"]) for one in people]
    return Population.from_records(people), heavy


@pytest.mark.parametrize("ticks", [2, 50, 100, 150, 200, 300, 400])
def test_whenever_the_time_ends_no_part_of_the_test_is_without_effect(ticks, monkeypatch):
    """Everybody has a customer, so that ``customer (top)`` beside something else says nothing."""
    moments = count()
    monkeypatch.setattr(clock, "now", lambda: float(next(moments)))  # each look at the clock takes a second
    population, heavy = shoppers(100)
    found = best_split(population, heavy, Grammar.from_population(population), time_limit=float(ticks))
    parts = conjuncts(found.predicate)
    assert len(parts) == 1 or not any(holds(part, population).all() for part in parts)


def test_the_first_split_of_the_dolphins_is_on_gills():
    """Flach's example 5.1: gills has the least impurity, 0.39 bits."""
    found = search("dolphins", criterion="entropy", min_samples_leaf=1)
    assert found.score < 0.3901
    alone = Grammar.parse("refine Individual { top -> * = *; top -> * >= * }")
    data = load_dataset("dolphins")
    single = best_split(data.population, data.target, alone, criterion="entropy")
    assert pretty(single.predicate) in ("gills = yes", "gills = no")
    assert round(single.score, 2) == 0.39


def test_the_first_split_of_the_hammond_organs():
    data = load_dataset("hammond")
    found = best_split(data.population, data.target, Grammar.parse("refine Individual { top -> * = * }"))
    assert found.criterion == "mse"
    assert pretty(found.predicate) == "model = B3"


@pytest.mark.parametrize("criterion", ["acc*", "entropy", "gini"])
def test_a_small_frontier_goes_depth_first_and_finds_the_same(criterion):
    whole, narrow = (search("trains", criterion=criterion, max_frontier=n) for n in (1_000_000, 1))
    assert narrow.predicate == whole.predicate
    assert narrow.proved


def test_runs_are_identical():
    first, second = (search("trains", criterion="entropy", random_state=seed) for seed in (0, 1))
    assert first.predicate == second.predicate
    assert first.stats.evaluated == second.stats.evaluated


def test_a_budget_of_evaluations_is_kept_and_leaves_a_gap():
    found = search("trains", criterion="entropy", max_evaluations=50)
    assert not found.proved
    assert found.stats.stopped_by == "evaluations"
    assert found.gap > 0.0
    best = search("trains", criterion="entropy")
    assert found.loss[0] - found.gap <= best.loss[0] <= found.loss[0]


def test_a_time_limit_ends_the_search():
    data = load_dataset("planted-molecules", n=200)
    grammar = Grammar.load("atoms-and-bonds")
    found = best_split(data.population, data.target, grammar, criterion="entropy", time_limit=0.3)
    assert found.stats.stopped_by in ("time", "done")
    assert found.proved or found.stats.stopped_by == "time"


class PressedLater:
    """Ctrl-C after so many looks at it."""

    def __init__(self, n):
        self.left = n

    @property
    def pressed(self):
        self.left -= 1
        return self.left < 0


@pytest.mark.parametrize("looks", [0, 1, 5, 30])
@pytest.mark.parametrize("strategy", ["best-first", "exhaustive", "beam"])
def test_an_interruption_returns_the_best_so_far(looks, strategy):
    found = search("trains", criterion="entropy", strategy=strategy, clock=Clock(stop=PressedLater(looks)))
    best = search("trains", criterion="entropy")
    assert found.stats.stopped_by == "interrupt"
    assert not found.proved
    assert found.loss[0] - found.gap <= best.loss[0] <= found.loss[0]
    assert pretty(found.predicate) != "top"


def test_ctrl_c_is_heard_as_a_signal():
    def press(stats, split):
        signal.raise_signal(signal.SIGINT)

    data = load_dataset("planted-molecules", n=200)
    found = best_split(
        data.population, data.target, Grammar.load("atoms-and-bonds"), criterion="entropy", progress=press
    )
    assert found.stats.stopped_by in ("interrupt", "done")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


class FastClock(Clock):
    """Whenever it is looked at, two more seconds have gone."""

    looks = count()

    def spent(self):
        return 2.0 * next(self.looks)


def test_progress_is_told_what_was_found():
    told = []
    search(
        "trains", criterion="entropy", clock=FastClock(), progress=lambda stats, split: told.append((stats, split))
    )
    assert told
    assert told[-1][1] is not None


def test_a_perfect_split_is_proved_by_itself():
    records = [{"xs": [{"v": i % 7, "w": i % 5, "u": i % 3}, {"v": (i * 3) % 11, "w": 1, "u": 0}]} for i in range(60)]
    data = Population.from_records(records)
    target = np.array(["yes" if i % 7 >= 5 or (i * 3) % 11 >= 5 else "no" for i in range(60)])
    found = best_split(data, target, Grammar.from_schema(data.schema), max_evaluations=3_000)
    assert found.loss == (0.0, 0.0)
    assert found.proved
    assert found.gap == 0.0


def test_class_weights_change_what_is_best():
    plain = search("trains", criterion="accuracy", class_weight={"east": 1.0, "west": 1.0})
    heavy = search("trains", criterion="accuracy", class_weight={"west": 50.0})
    assert plain.yes.sum() + plain.no.sum() == 20
    assert heavy.yes.sum() + heavy.no.sum() == 10 + 500


def test_reordering_individuals_changes_nothing():
    data = load_dataset("trains")
    order = np.random.default_rng(0).permutation(20)
    grammar = Grammar.load("trains")
    first = best_split(data.population, data.target, grammar, criterion="entropy")
    second = best_split(data.population.take(order), data.target[order], grammar, criterion="entropy")
    assert first.predicate == second.predicate
    assert first.loss == pytest.approx(second.loss)


def test_a_space_keeps_its_values_on_a_part_of_the_data():
    data = load_dataset("trains")
    space = Space.build(Grammar.load("trains"), data.population)
    found = best_split(data.population.take(range(5, 15)), data.target[5:15], space)
    assert found.predicate in space


FLAT = Grammar.parse("refine Individual { top -> * >= * }")
NUMBERS = Population.from_records([{"x": 1}, {"x": 2}, {"x": 3}])


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"target": ["a", "b"]}, DataError, "expected 3 labels"),
        ({"target": ["a", "a", "a"]}, DataError, "all labels are identical: every individual has the class 'a'"),
        ({"target": [1.0, np.nan, 2.0]}, DataError, "a target must be a finite number; got nan"),
        ({"target": ["a", None, "b"]}, DataError, "the target has no value"),
        ({"target": ["a", "b", "b"], "sample_weight": [1, -1, 1]}, DataError, "must be a number >= 0; got -1"),
        ({"target": ["a", "b", "b"], "sample_weight": [1, 1]}, DataError, "expected 3 sample weights"),
        ({"target": ["a", "b", "b"], "criterion": "entropi"}, UnknownNameError, "did you mean 'entropy'"),
        ({"target": ["a", "b", "b"], "criterion": "mse"}, DataError, "needs numbers"),
        ({"target": ["a", "b", "b"], "strategy": "best"}, UsageError, "strategy must be"),
        (
            {"target": ["a", "b", "b"], "min_samples_leaf": 0},
            UsageError,
            "must be an int >= 1; got 0",
        ),
        ({"target": ["a", "b", "b"], "class_weight": {"c": 2}}, UsageError, "class_weight names 'c'"),
    ],
)
def test_wrong_input_gets_one_sentence(options, error, sentence):
    target = np.array(options.pop("target"), dtype=object)
    if all(isinstance(value, float) for value in target):
        target = target.astype(np.float64)
    with pytest.raises(error, match=sentence):
        best_split(NUMBERS, target, FLAT, **options)


def test_an_empty_population_is_refused():
    with pytest.raises(DataError, match="expected at least one individual, got an empty population"):
        best_split(NUMBERS.take([]), np.array([]), FLAT)


def test_a_grammar_of_other_types_is_refused():
    with pytest.raises(GrammarError, match="Train"):
        best_split(NUMBERS, np.array(["a", "b", "b"]), Grammar.load("trains"))


def test_no_split_is_top():
    found = best_split(NUMBERS, np.array(["a", "b", "b"]), FLAT, min_samples_leaf=2)
    assert pretty(found.predicate) == "top"
    assert found.proved


def test_a_strategy_that_fit_accepts_is_accepted():
    assert pretty(search("michalski10", strategy="auto").predicate) == pretty(search("michalski10").predicate)


NOBODY_COMPLAINS = Schema(
    (
        RecordType(
            "Order",
            (Attribute("a", "int"), Attribute("b", "bool"), Attribute("m", "real")),
            (Link("complaint", "set", "Complaint"), Link("worst", "optional", "Complaint")),
        ),
        RecordType("Complaint", (Attribute("x", "int"),), (Link("letter", "set", "Letter"),)),
        RecordType("Letter", (Attribute("w", "int"),)),
    ),
    "Order",
)


@pytest.mark.parametrize("strategy", ["best-first", "exhaustive", "beam"])
@pytest.mark.parametrize(
    "right",
    [
        "count complaint (top) >= *",
        "count complaint (top) <= *",
        "share complaint (top) >= *",
        "max complaint (top).x >= *",
        "exists complaint (count letter (top) >= *)",
        "worst (share letter (top) >= *)",
        "m in bins(3)",
        "m = *",
    ],
)
def test_a_rewrite_that_no_value_of_the_data_fits_changes_nothing(right, strategy):
    orders = Population.from_records(
        [{"a": i % 3, "b": i % 2 == 0, "complaint": []} for i in range(8)], NOBODY_COMPLAINS
    )
    text = "refine Order {{ top -> a >= *; top -> b; {0} top -> top and top max 2 }}"
    without, beside = (Grammar.parse(text.format(more)) for more in ("", f"top -> {right};"))
    target = np.array(["no", "yes", "yes", "yes", "no", "yes", "no", "yes"])
    found = best_split(orders, target, beside, strategy=strategy)
    assert pretty(found.predicate) == pretty(best_split(orders, target, without, strategy=strategy).predicate)
    assert Space.build(beside, orders).size() == len(list(Space.build(beside, orders).enumerate()))


def test_functions_are_called_by_a_space_and_not_by_a_search():
    grammar = Grammar.parse("function length: Text -> int refine Text { top -> length >= * }")
    texts = Population.from_records([{"text": text} for text in ("a", "bb", "cc")], individual="Text")
    space = Space.build(grammar, texts, functions={"length": lambda row: len(row["text"])})
    assert pretty(best_split(space.population, ["x", "y", "y"], space).predicate) == "length >= 2"
    for given in (space, grammar):
        with pytest.raises(UsageError, match="have no 'length', which a function computes; build a space with it"):
            best_split(texts, ["x", "y", "y"], given)


def test_a_test_that_says_the_same_with_more_literals_does_not_take_the_place_of_a_shorter_one():
    """Both aggregates keep the same, but only the shorter one leaves room for another literal."""
    records = [{"a0": 2, "s": [{"v": 1}]}, {"a0": 1, "s": [{"v": 2}]}, {"a0": 2, "s": [{"v": 2}]}]
    population = Population.from_records(records, individual="A", types={"s": "set"})
    grammar = Grammar.parse(
        "refine A { top -> max s (v >= 1).v >= *; top -> max s.v >= *; top -> a0 >= *; top -> top and top max 2 }"
        "limits { nesting 1, literals 2 }"
    )
    found = best_split(population, ["a", "a", "b"], grammar)
    assert found.proved and found.score == best_split(population, ["a", "a", "b"], grammar, prune=False).score
