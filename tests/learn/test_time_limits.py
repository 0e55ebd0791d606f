"""Time limits hold while data is prepared: whatever takes long looks at the clock, and says what it skips.

Time stands still here, but for the steps that a test makes slow.
"""

from __future__ import annotations

import signal
import sqlite3

import pytest

from structtree import Grammar, Population, Space, best_split, fit, interrupts, pretty
from structtree.data.as_of import as_of
from structtree.data.provenance import provenance_of
from structtree.interrupts import NO_LIMIT, current_limit, limited
from structtree.learn import fit as fitting
from structtree.learn import learning_set
from structtree.models.settings import Growth
from structtree.models.tree import Leaf
from structtree.search import columns
from structtree.search.clock import Clock
from structtree.space.families import _Resolver
from structtree.splitters import table as tables
from structtree.splitters.link_tests import _Listing
from tests.splitters.test_link_tests import COMBINED, orders, target

ONE_AT_A_TIME = COMBINED.replace("top -> top and top max 2", "")


@pytest.fixture
def slow(monkeypatch, ticking):
    """A function that makes each call of a function take some seconds; returns the clock."""
    clock = ticking(0.0)
    monkeypatch.setattr(interrupts, "UNTIMED_CELLS", 0)

    def make(owner, name, seconds):
        was = getattr(owner, name)

        def slowly(*arguments, **options):
            clock.seconds += seconds
            return was(*arguments, **options)

        monkeypatch.setattr(owner, name, slowly)
        return clock

    return make


def families(space):
    return {name: [(f.index, type(f)) for f in found] for name, found in space.offers.from_top.items()}


# ---- the space ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seconds", range(10))
def test_a_space_has_the_families_that_there_was_time_for_those_near_the_individuals_first(slow, seconds):
    population = orders(30, 1)
    whole = Space.build(Grammar.parse(COMBINED), population)
    clock = slow(_Resolver, "family", 1.0)
    space = Space.build(Grammar.parse(COMBINED), population, limit=Clock(float(seconds)))
    n_found, n_all = (sum(map(len, families(each).values())) for each in (space, whole))
    assert (n_found, space.offers.n_skipped) == (max(1, min(seconds, n_all)), n_all - n_found)
    assert clock.seconds == n_found
    in_order = [(name, f) for name in ("Order", "Customer", "Item", "City") for f in families(whole)[name]]
    found = [(name, f) for name in ("Order", "Customer", "Item", "City") for f in families(space)[name]]
    assert found == in_order[:n_found]


def test_a_column_that_tells_nobody_apart_is_not_all_that_there_is_time_for(slow):
    records = [{"same": "a", "flat": 1.0, "items": [{"size": i}]} for i in range(20)]
    population = Population.from_records(records)
    grammar = Grammar.parse(
        "refine Individual { top -> same = *; top -> flat >= *; top -> exists items (top) "
        "top -> sum items.size >= * }"
    )
    for seconds in (0.0, 2.0):
        slow(columns, "columns_of", 1.0)
        found = best_split(population, [i > 9 for i in range(20)], grammar, time_limit=seconds)
        assert pretty(found.predicate) == "sum items.size >= 9.5"


def test_a_search_that_some_tests_were_skipped_for_proves_nothing(slow):
    population, labels = orders(40, 2), target("entropy", 40, 2)
    slow(_Resolver, "family", 1.0)
    assert best_split(population, labels, Grammar.parse(COMBINED)).proved
    found = best_split(population, labels, Grammar.parse(COMBINED), time_limit=4.0)
    assert (found.proved, found.stats.stopped_by) == (False, "time")
    assert found.gap > 0


@pytest.mark.parametrize("seconds", range(0, 20, 3))
def test_a_search_makes_the_columns_that_there_is_time_for(slow, seconds):
    population, labels = orders(40, 2), target("entropy", 40, 2)
    space = Space.build(Grammar.parse(COMBINED), population)
    clock = slow(columns, "columns_of", 1.0)
    found = best_split(population, labels, space, time_limit=float(seconds))
    assert clock.seconds <= seconds + 1
    assert found.yes.sum() and found.no.sum() and (found.proved or found.stats.stopped_by == "time")


# ---- plans ----------------------------------------------------------------------------------------------


PREPARED = {
    "families": (_Resolver, "family"),
    "listing": (_Listing, "_tests"),
    "columns": (columns, "columns_of"),
}


@pytest.mark.parametrize("what", PREPARED)
@pytest.mark.parametrize("grammar", [COMBINED, ONE_AT_A_TIME], ids=["combined", "one at a time"])
@pytest.mark.parametrize("pruning", ["full", "pruned"])
def test_a_fit_keeps_its_time_limit_whatever_is_slow(slow, what, grammar, pruning):
    """At most the root is looked at when the time is over, and that takes but a few steps."""
    population, labels = orders(90, 2), target("entropy", 90, 2)
    clock = slow(*PREPARED[what], 10.0)
    model = fit(population, labels, Grammar.parse(grammar), Growth(time_limit=60.0, max_depth=3), grow=pruning)
    assert clock.seconds <= 60.0 + 3 * 10.0
    assert not isinstance(model.tree.nodes[0], Leaf)


FAMILIES = "time limit reached while finding the values of tests: 4 of 8 families of tests skipped"
LISTING = "time limit reached while listing tests: 7 of 8 families of tests skipped"


@pytest.mark.parametrize(("effort", "skipped"), [("prove", FAMILIES), ("normal", LISTING)])
def test_a_fit_says_which_tests_were_skipped(slow, effort, skipped):
    """Only searches that run until their proof leave a part of the time for each step."""
    population, labels = orders(90, 2), target("entropy", 90, 2)
    slow(_Resolver, "family", 10.0)
    model = fit(population, labels, Grammar.parse(ONE_AT_A_TIME), Growth(effort=effort, time_limit=80.0), grow="full")
    assert model.outcome.skipped == (skipped,)
    assert model.tree.caveats
    enough = fit(
        population, labels, Grammar.parse(ONE_AT_A_TIME), Growth(effort=effort, time_limit=800.0), grow="full"
    )
    assert enough.outcome.skipped == ()


def test_a_table_has_the_single_tests_that_there_is_time_for(monkeypatch, slow):
    monkeypatch.setattr(tables, "VALUES_AT_A_TIME", 1)
    names = [f"x{i}" for i in range(9)]
    population = Population.from_records(
        [{name: (k >> i) % 2 == 1 for i, name in enumerate(names)} for k in range(99)]
    )
    clock = slow(tables, "holds", 10.0)
    labels = [k % 2 for k in range(99)]
    model = fit(population, labels, Grammar.parse("refine Individual { top -> * }"), Growth(time_limit=45.0))
    assert clock.seconds == 50.0
    assert model.outcome.skipped == ("time limit reached while sorting columns: 4 of 9 columns skipped",)


def test_the_size_is_not_chosen_where_the_tree_has_used_up_the_time(slow):
    population, labels = orders(90, 2), target("entropy", 90, 2)
    clock = slow(fitting, "grow_by", 70.0)
    model = fit(population, labels, Grammar.parse(ONE_AT_A_TIME), Growth(time_limit=60.0))
    assert str(model.settings.size) == "not chosen, because the time limit was reached; at most 12 leaves"
    assert clock.seconds == 70.0


def test_the_size_is_chosen_by_the_folds_that_there_was_time_for(slow):
    population, labels = orders(90, 2), target("entropy", 90, 2)
    clock = slow(fitting, "grow_by", 20.0)
    model = fit(population, labels, Grammar.parse(ONE_AT_A_TIME), Growth(time_limit=60.0))
    assert model.settings.size.by == "cross-validation"
    assert clock.seconds == 60.0  # the tree, and two of ten folds


def test_the_limit_counts_from_the_beginning_of_a_fit(slow):
    clock = slow(learning_set, "with_background", 55.0)
    slow(_Resolver, "family", 10.0)
    model = fit(orders(90, 2), target("entropy", 90, 2), Grammar.parse(ONE_AT_A_TIME), Growth(time_limit=60.0))
    assert clock.seconds <= 75.0 and model.outcome.skipped


@pytest.mark.parametrize(
    ("what", "grammar"),
    [("families", COMBINED), ("families", ONE_AT_A_TIME), ("listing", ONE_AT_A_TIME), ("columns", COMBINED)],
)
def test_ctrl_c_ends_the_preparation_of_a_fit_with_a_tree(monkeypatch, what, grammar):
    owner, name = PREPARED[what]
    was, calls = getattr(owner, name), []

    def interrupted(*arguments, **options):
        calls.append(name)
        if len(calls) == 2:
            signal.raise_signal(signal.SIGINT)
        return was(*arguments, **options)

    monkeypatch.setattr(owner, name, interrupted)
    monkeypatch.setattr(interrupts, "UNTIMED_CELLS", 0)
    model = fit(orders(90, 2), target("entropy", 90, 2), Grammar.parse(grammar))
    assert model.outcome.stopped_by == "interrupt"
    assert len(calls) <= 4


# ---- rows as of a date ----------------------------------------------------------------------------------


class After:
    """A limit that is over after some looks."""

    def __init__(self, looks):
        self.looks = looks

    def over(self):
        self.looks -= 1
        return "time" if self.looks < 0 else None


def loans():
    paid = [{"on": "2024-01-05", "bank": {"name": "a", "city": {"size": 1}}}, {"on": "2024-03-01"}]
    cards = [{"issued": "2024-01-02"}]
    records = [{"date": "2024-02-01", "paid": paid, "cards": cards}, {"date": "2024-04-01", "paid": paid}]
    return Population.from_records(records, types={"on": "date", "date": "date", "issued": "date"})


@pytest.mark.parametrize("looks", range(5))
def test_paths_that_there_is_no_time_for_are_skipped_and_the_others_are_as_ever(looks):
    whole, part = as_of(loans(), "date"), as_of(loans(), "date", limit=After(looks))
    names = part.population.schema.names
    assert len(names) == 1 + min(looks, 4) and set(names) <= set(whole.population.schema.names)
    for name in names:
        own, same = part.population.tables[name], whole.population.tables[name]
        assert own.n_rows == same.n_rows and own.columns.keys() == same.columns.keys()
        assert set(own.links) <= set(same.links)
    told = [note for note in part.notes if "skipped" in note]
    assert (whole.notes, bool(told)) == ((), looks < 4)
    if looks == 1:
        assert told == ["time limit reached while following links: 2 of 3 paths skipped"]


def test_a_database_is_read_by_the_limit_of_its_block(tmp_path):
    with sqlite3.connect(tmp_path / "bank.sqlite") as bank:
        bank.executescript(
            "create table loan (id integer primary key, date text, good int);"
            "create table payment (id integer primary key, loan_id references loan, date text);"
            "create table card (id integer primary key, loan_id references loan, date text);"
            "insert into loan values (1, '2024-02-01', 1), (2, '2024-03-01', 0);"
            "insert into payment values (1, 1, '2024-01-01'), (2, 2, '2024-01-02');"
            "insert into card values (1, 1, '2024-01-01'), (2, 2, '2024-01-02');"
        )
    with limited(After(1)):
        read = Population.from_database(tmp_path / "bank.sqlite", individual="loan", as_of="date")
    relations = provenance_of(read).relations
    assert "time limit reached while following links: 1 of 2 paths skipped" in relations.remarks
    assert len(read.schema.type("loan").links) == 1


def test_a_block_has_its_limit_and_no_other():
    inner, outer = After(0), After(0)
    with limited(outer):
        with limited(inner):
            assert current_limit() is inner
        assert current_limit() is outer
    assert current_limit() is NO_LIMIT and NO_LIMIT.over() is None
