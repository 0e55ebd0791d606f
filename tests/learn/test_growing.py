"""Growing: the stack equals plain recursion, every option does what it says, and growth may end at any moment."""

from __future__ import annotations

import signal
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structtree.data.datasets.catalog import load_dataset
from structtree.data.population import Population
from structtree.errors import UsageError
from structtree.lang import syntax as syn
from structtree.lang.grammar import Grammar
from structtree.lang.pretty import pretty
from structtree.learn.growing import Progress, grow, grow_by
from structtree.models.settings import Growth
from structtree.models.tree import Branch, ClassCounts, Leaf, Moments
from structtree.search import clock as clock_module
from structtree.search.best_split import best_split
from structtree.search.clock import Clock
from structtree.space.evaluate import holds
from structtree.splitters import search as searching
from structtree.tasks.criteria import CRITERIA
from structtree.tasks.target import room, target_for
from tests.properties.test_search import problems

ONE_TEST = Grammar.parse("refine Row { top -> * >= * }")
CLASSIFIERS = [name for name, criterion in CRITERIA.items() if criterion.task == "classes"]


def random_table(n=200, seed=0, n_classes=3):
    """Numbers without ties, and classes that only partly depend on them."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    y = ((x[:, 0] + x[:, 1] * x[:, 2] + 0.5 * rng.normal(size=n)) * 2).astype(int) % n_classes
    return Population.from_array(x), y


def drawn(tree):
    """A tree without what is different in every run: tests and what was seen, in reading order."""
    return [(pretty(node.test) if isinstance(node, Branch) else None, node.stats) for node in tree.nodes]


def sizes(tree):
    return [tree.nodes[leaf].stats.n for leaf in tree.leaves]


def searched(monkeypatch, answer=best_split):
    """The options of every search from now on; `answer` may do something else than searching."""
    calls = []

    def search(*arguments, **options):
        calls.append(options)
        return answer(*arguments, **options)

    monkeypatch.setattr(searching, "best_split", search)
    return calls


# ---- what a tree is -------------------------------------------------------------------------------------


def by_recursion(population, target, grammar, name, n_classes):
    """The same tree in the plainest way: every node from the whole population, one inside the other."""

    def node(which):
        counts = tuple(np.bincount(target[which], minlength=n_classes).astype(float).tolist())
        stats = ClassCounts(len(which), counts)
        if np.count_nonzero(counts) < 2:
            return [(None, stats)]
        part = population.take(which)
        split = best_split(part, target[which], grammar, criterion=name, strategy="exhaustive")
        scorer = split.problem.scorer
        unsplit = tuple(scorer.criterion.unsplit(scorer.total))
        if isinstance(split.predicate, syn.Top) or not scorer.improves(split.loss, unsplit):
            return [(None, stats)]
        true = holds(split.predicate, part)
        return [(pretty(split.predicate), stats), *node(which[true]), *node(which[~true])]

    return node(np.arange(len(population)))


@pytest.mark.parametrize("name", CLASSIFIERS)
@settings(max_examples=25)
@given(problem=problems())
def test_growing_on_a_stack_is_plain_recursion(name, problem):
    space, target, _ = problem
    classes, codes = np.unique(target.astype(str), return_inverse=True)
    tree = grow(space.population, codes, space.grammar, Growth(strategy="best-first", effort="prove"), criterion=name)
    assert drawn(tree) == by_recursion(space.population, codes, space.grammar, name, len(classes))


@pytest.mark.parametrize("numbers", [False, True])
@settings(max_examples=40)
@given(data=st.data())
def test_what_a_node_has_seen_is_what_arrives_there(numbers, data):
    space, target, weights = data.draw(problems(numbers=numbers))
    tree = grow(space.population, target, space.grammar, criterion="mse" if numbers else None, sample_weight=weights)
    for index, which in tree.arrivals(space.population):
        stats = tree.nodes[index].stats
        assert stats.n == len(which)
        assert stats.weight == pytest.approx(weights[which].sum())
        if numbers:
            assert stats.mean == pytest.approx(np.average(target[which], weights=weights[which]))
        else:
            for label, count in zip(tree.classes, stats.counts, strict=True):
                assert count == pytest.approx(weights[which][target[which] == label].sum())


@pytest.mark.parametrize("name", [*CLASSIFIERS, "mse"])
@settings(max_examples=25)
@given(problem=problems(), least=st.integers(1, 2))
def test_the_tree_is_the_same_with_and_without_pruning_the_search(name, problem, least):
    space, target, weights = problem
    labels = np.array([ord(label) for label in target]) if name == "mse" else target
    with_pruning, without = (
        grow(
            space.population,
            labels,
            space.grammar,
            Growth(strategy="best-first", effort="prove", prune=prune, min_samples_leaf=least),
            criterion=name,
            sample_weight=weights,
        )
        for prune in (True, False)
    )
    assert drawn(with_pruning) == drawn(without)


@pytest.mark.parametrize("growth", [Growth(), Growth(max_leaf_nodes=4)], ids=["whole", "best-first"])
@settings(max_examples=30)
@given(problem=problems(), seed=st.integers(0, 9))
def test_the_order_of_the_individuals_changes_nothing(growth, problem, seed):
    space, target, _ = problem
    order = np.random.default_rng(seed).permutation(len(target))
    tree = grow(space.population, target, space.grammar, growth)
    assert drawn(grow(space.population.take(order), target[order], space.grammar, growth)) == drawn(tree)


@pytest.mark.parametrize("name", CLASSIFIERS)
@settings(max_examples=25)
@given(problem=problems())
def test_the_names_of_the_classes_change_nothing(name, problem):
    space, target, _ = problem
    other = {"a": "z", "b": "m", "c": "y"}
    renamed = np.array([other[label] for label in target], dtype=object)
    tree = grow(space.population, target, space.grammar, criterion=name)
    again = grow(space.population, renamed, space.grammar, criterion=name)
    order = [again.classes.index(other[label]) for label in tree.classes]
    assert [(test, stats.n, tuple(stats.counts[i] for i in order)) for test, stats in drawn(again)] == [
        (test, stats.n, stats.counts) for test, stats in drawn(tree)
    ]


def test_the_seed_changes_nothing():
    trains = load_dataset("trains")
    first, second, third = (
        grow(trains.population, trains.target, Grammar.load("trains"), Growth(random_state=seed))
        for seed in (0, 0, 7)
    )
    assert drawn(first) == drawn(second) == drawn(third)


def test_nodes_stand_in_the_order_in_which_a_tree_is_read():
    population, y = random_table()
    for growth in (Growth(), Growth(max_leaf_nodes=9)):
        tree = grow(population, y, ONE_TEST, growth)
        assert [index for index, _ in tree.arrivals(population)] == list(range(len(tree.nodes)))


# ---- when it stops --------------------------------------------------------------------------------------


def test_one_class_and_equal_numbers_are_a_leaf_without_a_search(monkeypatch):
    calls = searched(monkeypatch)
    population, _ = random_table(5)
    assert grow(population, ["a"] * 5, ONE_TEST).nodes == (Leaf(ClassCounts(5, (5.0,))),)
    assert grow(population, [2.5] * 5, ONE_TEST).nodes == (Leaf(Moments(5, 5.0, 2.5, 0.0)),)
    assert grow(population, ["b"] * 5, ONE_TEST, classes=("a", "b")).nodes == (Leaf(ClassCounts(5, (0.0, 5.0))),)
    assert calls == []


def test_what_cannot_be_divided_is_a_leaf():
    alike = Population.from_array(np.ones((4, 2)))
    assert len(grow(alike, ["a", "b", "a", "b"], ONE_TEST).nodes) == 1


def test_a_test_that_tells_nothing_is_not_taken():
    """Of exclusive or, neither attribute alone says anything."""
    xor = Population.from_array(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]))
    for name in CLASSIFIERS:
        assert len(grow(xor, ["a", "b", "b", "a"], ONE_TEST, criterion=name).nodes) == 1


def test_accuracy_stops_early_where_acc_star_goes_on():
    """No single cut gets more than the majority right; two of them get everything right.

    This is why acc* exists: accuracy sees no use in the first cut, acc* sees that it lowers the entropy.
    """
    population = Population.from_array(np.arange(9.0)[:, None], names=["x"])
    middle = np.array(["out"] * 3 + ["in"] * 2 + ["out"] * 4)
    early = grow(population, middle, ONE_TEST, criterion="accuracy")
    star = grow(population, middle, ONE_TEST, criterion="acc*")
    assert drawn(early) == [(None, ClassCounts(9, (2.0, 7.0)))]
    assert [test for test, _ in drawn(star)] == ["x >= 4.5", None, "x >= 2.5", None, None]
    assert [star.nodes[branch].found.gain for branch in star.branches] == [0.0, pytest.approx(0.4)]
    assert all(min(star.nodes[leaf].stats.counts) == 0 for leaf in star.leaves)


def test_the_least_decrease_makes_acc_star_stop_where_accuracy_does():
    population, y = random_table()
    for least in (0.002, 0.01):
        growth = Growth(min_impurity_decrease=least)
        tree = grow(population, y, ONE_TEST, growth, criterion="acc*")
        assert tree.branches
        for branch in tree.branches:
            node = tree.nodes[branch]
            assert node.stats.n / len(y) * node.found.gain >= least - 1e-12


@pytest.mark.parametrize("target_is", ["classes", "numbers"])
def test_limits_on_depth_and_sizes_are_kept(target_is):
    population, y = random_table()
    target = y if target_is == "classes" else y + population.column("x0").values
    assert grow(population, target, ONE_TEST, Growth(max_depth=3)).depth == 3
    assert min(sizes(grow(population, target, ONE_TEST, Growth(min_samples_leaf=7)))) >= 7
    tree = grow(population, target, ONE_TEST, Growth(min_samples_split=30))
    assert min(tree.nodes[branch].stats.n for branch in tree.branches) >= 30
    assert min(sizes(tree)) < 15


def test_a_node_that_is_too_small_or_too_deep_is_not_searched(monkeypatch):
    calls = searched(monkeypatch)
    population, y = random_table()
    for growth in (
        Growth(strategy="best-first", max_depth=1),
        Growth(strategy="best-first", min_samples_split=201),
        Growth(strategy="best-first", min_samples_leaf=101),
    ):
        grow(population, y, ONE_TEST, growth)
    assert len(calls) == 1


def test_with_few_leaves_the_tree_is_the_top_of_the_whole_one():
    """Best-first: the branches of a tree with k leaves are among those of a tree with k + 1."""
    population, y = random_table()
    before = set()
    for most in range(2, 12):
        tree = grow(population, y, ONE_TEST, Growth(max_leaf_nodes=most), criterion="entropy")
        assert len(tree.leaves) == most
        branches = {tuple(tree.path(branch)) for branch in tree.branches}
        paths = {tuple((pretty(s.test), s.answer) for s in path) for path in branches}
        assert before <= paths
        before = paths


def test_with_as_many_leaves_as_it_likes_best_first_gives_the_same_tree():
    population, y = random_table()
    assert drawn(grow(population, y, ONE_TEST, Growth(max_leaf_nodes=1000))) == drawn(grow(population, y, ONE_TEST))


def test_the_node_that_is_divided_first_is_the_one_that_helps_the_whole_tree_most():
    population, y = random_table()
    tree = grow(population, y, ONE_TEST, Growth(max_leaf_nodes=3), criterion="entropy")
    (inner,) = (branch for branch in tree.branches if branch)
    whole = grow(population, y, ONE_TEST, Growth(max_depth=2), criterion="entropy")
    helps = [whole.nodes[b].stats.n * whole.nodes[b].found.gain for b in whole.branches if b]
    assert len(helps) == 2
    assert tree.nodes[inner].stats.n * tree.nodes[inner].found.gain == pytest.approx(max(helps))


def test_without_a_search_for_children_that_can_no_longer_be_divided(monkeypatch):
    calls = searched(monkeypatch)
    population, y = random_table()
    grow(population, y, ONE_TEST, Growth(strategy="best-first", max_leaf_nodes=2))
    assert len(calls) == 1


# ---- weights --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["entropy", "acc*", "mse"])
def test_a_weight_is_as_good_as_that_many_copies_and_0_as_good_as_not_being_there(name):
    population, y = random_table(60)
    weights = np.random.default_rng(1).integers(0, 4, size=60)
    copies = np.repeat(np.arange(60), weights)
    weighted = grow(population, y, ONE_TEST, criterion=name, sample_weight=weights)
    copied = grow(population.take(copies), y[copies], ONE_TEST, criterion=name)
    assert [test for test, _ in drawn(weighted)] == [test for test, _ in drawn(copied)]
    assert [s.weight for _, s in drawn(weighted)] == pytest.approx([s.weight for _, s in drawn(copied)])
    assert weighted.nodes[0].stats.n == np.count_nonzero(weights)


def test_the_weight_of_a_class_is_that_of_its_individuals():
    population, y = random_table()
    by_class = grow(population, y, ONE_TEST, class_weight={1: 5.0})
    by_individual = grow(population, y, ONE_TEST, sample_weight=np.where(y == 1, 5.0, 1.0))
    assert drawn(by_class) == drawn(by_individual)
    assert drawn(by_class) != drawn(grow(population, y, ONE_TEST))


def test_a_class_that_a_fold_lacks_keeps_its_place():
    population, y = random_table()
    tree = grow(population, y, ONE_TEST, classes=(0, 7, 2, 1))
    assert tree.classes == (0, 7, 2, 1)
    assert all(node.stats.counts[1] == 0 for node in tree.nodes)
    assert [test for test, _ in drawn(tree)] == [test for test, _ in drawn(grow(population, y, ONE_TEST))]


# ---- budgets, interruption, progress --------------------------------------------------------------------


def test_a_branch_says_whether_its_test_is_proved_best():
    trains = load_dataset("trains")
    proved = grow(trains.population, trains.target, Grammar.load("trains"))
    short = grow(trains.population, trains.target, Grammar.load("trains"), Growth(max_evaluations=100))
    assert all(proved.nodes[branch].found.proved for branch in proved.branches)
    assert not short.nodes[0].found.proved
    assert short.nodes[0].found.gap > 0


class SlowSearch:
    """A search that takes so many seconds, whatever it is given, on a clock that only it moves."""

    def __init__(self, monkeypatch, takes):
        self.now = 0.0
        self.given = []
        self.takes = takes
        monkeypatch.setattr(clock_module, "now", lambda: self.now)
        searched(monkeypatch, self.search)

    def search(self, *arguments, clock, **options):
        self.given.append(clock.seconds)
        found = best_split(*arguments, **options)
        self.now += self.takes
        return found

    def grow(self, population, y, growth, progress=None):
        """A tree in 60 seconds."""
        evidence, checked = target_for(y, len(y)), ONE_TEST.check(population.schema)
        return grow_by(evidence, population, checked, growth, progress, Clock(60.0, started=self.now))


def test_every_level_of_a_tree_gets_its_part_of_the_time_and_a_node_its_share(monkeypatch):
    population, y = random_table()
    slow = SlowSearch(monkeypatch, takes=0.0)
    tree = slow.grow(population, y, Growth(strategy="best-first", effort="prove", max_depth=2))
    yes, no = (tree.nodes[child].stats.n for child in tree.nodes[0].children)
    assert slow.given == [pytest.approx(60 / 2), pytest.approx(60 * yes / 200), pytest.approx(60)]
    assert yes + no == 200
    slow.given.clear()
    slow.grow(population, y, Growth(strategy="best-first", effort="prove"))
    assert slow.given[0] == pytest.approx(60 / 3)


def test_nodes_that_wait_when_the_time_is_over_become_leaves(monkeypatch):
    population, y = random_table()
    slow = SlowSearch(monkeypatch, takes=10.0)
    told = []
    tree = slow.grow(population, y, Growth(strategy="best-first", effort="prove"), told.append)
    assert len(slow.given) == len(tree.branches) == 6
    assert told[-1].stopped_by == "time"
    assert sum(sizes(tree)) == len(y)


def test_a_root_for_which_nothing_was_found_in_its_share_of_the_time_is_searched_again(monkeypatch):
    population, y = random_table()

    def search(*arguments, clock, **options):
        given.append(clock.seconds)
        if len(given) < 3:
            found = best_split(*arguments, **options | {"max_evaluations": 1})
            return replace(found, predicate=syn.Top(), stats=replace(found.stats, stopped_by="time"))
        return best_split(*arguments, **options)

    given = []
    searched(monkeypatch, search)
    tree = grow(population, y, ONE_TEST, Growth(strategy="best-first", effort="prove", time_limit=600.0, max_depth=2))
    assert len(given) == 5
    assert tree.depth == 2
    assert given[:2] == [pytest.approx(300, rel=0.01)] * 2


@pytest.mark.parametrize("effort", ["thorough", "prove"])
def test_a_time_limit_is_kept(ticking, effort):
    trains = load_dataset("planted-trains", n=300, seed=1, noise=0.2)
    grammar = Grammar.from_schema(trains.population.schema)
    clock = ticking(0.002)
    tree = grow(trains.population, trains.target, grammar, Growth(effort=effort, time_limit=0.5))
    assert clock.seconds < 1.0
    assert tree.branches
    assert not tree.nodes[0].found.proved


@pytest.mark.parametrize(
    "growth",
    [
        Growth(strategy="best-first"),
        Growth(strategy="best-first", effort="prove"),
        Growth(strategy="best-first", max_leaf_nodes=50),
    ],
    ids=["largest-first", "depth-first", "best-first"],
)
@pytest.mark.parametrize("when", ["before", "after"])
def test_interrupting_keeps_the_tree_so_far(monkeypatch, growth, when):
    """Ctrl-C before or after the fourth search, which returns its best so far; leaves that wait have gaps."""

    def interrupted(*arguments, **options):
        if len(calls) == 4 and when == "before":
            signal.raise_signal(signal.SIGINT)
        found = best_split(*arguments, **options)
        if len(calls) == 4 and when == "after":
            signal.raise_signal(signal.SIGINT)
        return found

    calls = searched(monkeypatch, interrupted)
    population, y = random_table()
    told = []
    tree = grow(population, y, ONE_TEST, growth, progress=told.append)
    assert len(calls) == 4
    assert len(tree.branches) == 4
    assert sum(sizes(tree)) == len(y)
    assert told[-1].stopped_by == "interrupt"
    criterion = CRITERIA["acc*"]
    waiting = [leaf for leaf in map(tree.nodes.__getitem__, tree.leaves) if room(criterion, leaf.stats)]
    assert waiting
    assert all((leaf.gap, leaf.stopped_by) == (room(criterion, leaf.stats), "interrupt") for leaf in waiting)


@pytest.mark.parametrize("max_leaf_nodes", [None, 50])
@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemError])
def test_a_search_that_is_cut_short_keeps_the_tree_so_far(monkeypatch, max_leaf_nodes, error):
    """Whoever does not answer Ctrl-C is cut short by an interrupt, in the middle of whatever it does."""

    def overdue(*arguments, **options):
        if len(calls) == 4:
            signal.raise_signal(signal.SIGINT)
            signal.getsignal(signal.SIGINT).__self__.is_overdue = True
            raise error
        return best_split(*arguments, **options)

    calls = searched(monkeypatch, overdue)
    population, y = random_table()
    told = []
    growth = Growth(strategy="best-first", max_leaf_nodes=max_leaf_nodes)
    tree = grow(population, y, ONE_TEST, growth, progress=told.append)
    assert len(calls) == 4
    assert 2 <= len(tree.branches) <= 3
    assert sum(sizes(tree)) == len(y)
    assert told[-1].stopped_by == "interrupt"


def test_leaves_that_the_number_of_leaves_forbids_to_divide_miss_nothing():
    population, y = random_table()
    tree = grow(population, y, ONE_TEST, Growth(strategy="best-first", max_leaf_nodes=3))
    assert len(tree.leaves) == 3
    assert all(tree.nodes[leaf].gap == 0.0 for leaf in tree.leaves)


def test_a_gap_says_what_it_is_due_to():
    trains = load_dataset("trains")
    grammar = Grammar.load("trains")
    for growth, reason in (
        (Growth(strategy="best-first", max_evaluations=50), "evaluations"),
        (Growth(strategy="beam"), "beam"),
        (Growth(strategy="best-first", time_limit=1e-9), "time"),
    ):
        root = grow(trains.population, trains.target, grammar, growth).nodes[0]
        assert (root.stopped_by if isinstance(root, Leaf) else root.found.stopped_by) == reason
    proved = grow(trains.population, trains.target, grammar)
    assert all(proved.nodes[branch].found.stopped_by is None for branch in proved.branches)


@pytest.mark.parametrize(
    "growth",
    [
        Growth(strategy="best-first"),
        Growth(strategy="best-first", effort="prove"),
        Growth(strategy="best-first", max_leaf_nodes=6),
    ],
    ids=["largest-first", "depth-first", "best-first"],
)
def test_progress_only_grows_and_ends_with_the_whole_tree(monkeypatch, growth):
    searched(monkeypatch)
    population, y = random_table()
    told: list[Progress] = []
    tree = grow(population, y, ONE_TEST, growth, progress=told.append)
    for before, after in pairwise(told):
        assert (before.nodes, before.leaves, before.settled, before.evaluated) <= (
            after.nodes,
            after.leaves,
            after.settled,
            after.evaluated,
        )
    found = [tree.nodes[branch].found.evaluated for branch in tree.branches]
    last = told[-1]
    assert (last.nodes, last.leaves) == (len(tree.nodes), len(tree.leaves))
    assert last.settled == last.individuals == len(y)
    assert last.evaluated >= sum(found)
    assert last.stopped_by is None
    assert len(told) >= len(tree.branches)


# ---- options --------------------------------------------------------------------------------------------


def test_only_with_shared_paths_does_a_search_start_at_the_test_above(monkeypatch):
    population, y = random_table()

    def without_start(*arguments, start=None, **options):
        return best_split(*arguments, **options)

    calls = searched(monkeypatch, without_start)
    grow(population, y, ONE_TEST, Growth(strategy="best-first", max_depth=2))
    assert len(calls) == 3
    assert not any(options["start"] for options in calls)
    calls.clear()
    tree = grow(population, y, ONE_TEST, Growth(max_depth=3, effort="prove", share="path"))
    assert [options["start"] for options in calls] == [
        tuple(step.test for step in reversed(tree.path(branch)) if step.answer) for branch in tree.branches
    ]
    assert {len(options["start"]) for options in calls} == {0, 1, 2}


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("max_depth", 0, "an int >= 1 or None; got 0"),
        ("max_depth", 2.0, "an int >= 1 or None; got 2.0"),
        ("max_depth", True, "an int >= 1 or None; got True"),
        ("min_samples_split", 1, "an int >= 2; got 1"),
        ("min_samples_split", None, "an int >= 2; got None"),
        ("min_samples_leaf", 0, "an int >= 1; got 0"),
        ("min_impurity_decrease", -0.1, "a number >= 0; got -0.1"),
        ("min_impurity_decrease", float("nan"), "a number >= 0; got nan"),
        ("max_leaf_nodes", 1, "an int >= 2 or None; got 1"),
        ("stop", "chi", "None, 'test' or 'mdl'; got 'chi'"),
        ("significance", 1.5, "a number between 0 and 1; got 1.5"),
        ("significance", "0.05", "a number between 0 and 1; got '0.05'"),
        ("share", "all", "None or 'path'; got 'all'"),
        ("prune", 1, "True or False; got 1"),
        ("strategy", "depth-first", "'auto', 'bottom-up', 'best-first', 'exhaustive' or 'beam'; got 'depth-first'"),
        ("max_evaluations", 0, "an int >= 1 or None; got 0"),
        ("time_limit", 0, "a number of seconds > 0 or None; got 0"),
        ("random_state", -1, "an int >= 0; got -1"),
        ("random_state", None, "an int >= 0; got None"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused_with_a_sentence(option, value, expected):
    with pytest.raises(UsageError) as caught:
        Growth(**{option: value})
    assert str(caught.value) == f"{option} must be {expected}"


def test_numbers_of_numpy_are_numbers():
    numbers = {"max_depth": np.int64(3), "min_impurity_decrease": np.float32(0.5), "random_state": np.int32(1)}
    assert Growth(**numbers) == Growth(max_depth=3, min_impurity_decrease=0.5, random_state=1)


@given(st.integers(1, 3), st.integers(2, 6))
@settings(max_examples=10)
def test_stopping_rules_hold_together(depth, most):
    population, y = random_table(80)
    tree = grow(population, y, ONE_TEST, Growth(max_depth=depth, max_leaf_nodes=most, min_samples_leaf=4))
    assert tree.branches
    assert tree.depth <= depth
    assert len(tree.leaves) <= most
    assert min(sizes(tree)) >= 4


def test_a_beam_grows_a_tree_in_which_nothing_is_proved_that_is_not_perfect():
    trains = load_dataset("trains")
    tree = grow(trains.population, trains.target, Grammar.load("trains"), Growth(strategy="beam"))
    assert tree.branches
    found = [tree.nodes[branch].found for branch in tree.branches]
    assert all(one.proved == (one.score == 1.0) for one in found)
