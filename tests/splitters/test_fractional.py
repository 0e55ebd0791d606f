"""Growing over plain tables: plain recursion, the compiled sweeps, and C4.5's rules all give the same trees."""

from __future__ import annotations

import signal
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structtree.data.datasets.catalog import load_dataset
from structtree.data.population import Population
from structtree.errors import UsageError
from structtree.lang.grammar import Grammar
from structtree.lang.pretty import pretty
from structtree.learn.growing import grow
from structtree.models.settings import Growth
from structtree.models.tree import Branch, Leaf, MultiwayBranch
from structtree.models.tree_predictor import TreePredictor
from structtree.tasks.criteria import CRITERIA
from tests.growing import grow_on
from tests.learn.plain_trees import complete_records, records, things

ASKS = Grammar.parse("refine Thing { top -> old; top -> color = *; top -> shape = *; top -> size >= * }")
BOTH = Grammar.parse(
    "refine Thing { top -> *; top -> not *; top -> color in {blue, red}; top -> * = *; top -> * >= *; top -> * <= *; "
    "top -> missing size }"
)
CLASSIFIERS = [name for name, criterion in CRITERIA.items() if criterion.task == "classes"]
RULES = ("false", "majority", "fractional")


def drawn(tree):
    """What each node asks, what is seen there, and how that is divided."""
    return [
        pretty(node.test) if isinstance(node, Branch) else (node.attribute, node.values) if node.children else None
        for node in tree.nodes
    ]


def stats(tree):
    found = [node.stats for node in tree.nodes]
    return [s.counts for s in found] if tree.classes else [(s.weight, s.mean, s.variance) for s in found]


@st.composite
def tables(draw, of=records, numbers=False, max_size=14):
    rows = draw(st.lists(of, min_size=2, max_size=max_size))
    one = st.integers(-3, 3) if numbers else st.sampled_from(["a", "b", "c"])
    target = draw(st.lists(one, min_size=len(rows), max_size=len(rows)))
    weights = draw(st.lists(st.sampled_from([1.0, 1.0, 2.0]), min_size=len(rows), max_size=len(rows)))
    return rows, np.array(target, dtype=float if numbers else object), np.array(weights)


# ---- the same in the plainest way -------------------------------------------------------------------------


class Plain:
    """A tree as nested lists, grown by recursion over lists of (record, label, weight, part)."""

    def __init__(self, classes, name, multiway, missing, least=1):
        self.classes, self.name, self.multiway, self.missing, self.least = classes, name, multiway, missing, least

    def counts(self, crowd):
        return [sum(w * p for _, y, w, p in crowd if y == c) for c in self.classes]

    def impurity(self, name, crowd):
        counts = self.counts(crowd)
        shares = [n / sum(counts) for n in counts if n] or [1.0]
        match name:
            case "entropy":
                return -sum(p * log2(p) for p in shares)
            case "gini":
                return sum(p * (1 - p) for p in shares)
            case "sqrt-gini":
                return sum((p * (1 - p)) ** 0.5 for p in shares)
            case "accuracy":
                return 1 - max(shares)
            case "acc+":
                return 1 - max(shares) - sum(p * log2(p) for p in shares) / 2

    def weight(self, crowd):
        return sum(w * p for _, _, w, p in crowd)

    def gain(self, name, crowd, sides):
        known = [one for side in sides for one in side]
        left = sum(self.weight(side) * self.impurity(name, side) for side in sides) / self.weight(known)
        return self.weight(known) / self.weight(crowd) * (self.impurity(name, known) - left)

    def merit(self, crowd, sides):
        if self.name == "acc*":
            return self.gain("accuracy", crowd, sides), self.gain("entropy", crowd, sides)
        if self.name == "twoing":
            known = sum(map(self.weight, sides)) / self.weight(crowd)
            return known * self.twoing(*sides), 0.0
        if self.name == "gain-ratio":
            known = sum(map(self.weight, sides))
            groups = [*map(self.weight, sides), self.weight(crowd) - known]
            split = -sum(g / sum(groups) * log2(g / sum(groups)) for g in groups if g > 1e-9)
            return self.gain("entropy", crowd, sides) / split, 0.0
        return self.gain(self.name, crowd, sides), 0.0

    def twoing(self, yes, no):
        yes, no = np.array(self.counts(yes)), np.array(self.counts(no))
        apart = np.abs(yes / yes.sum() - no / no.sum()).sum()
        return yes.sum() * no.sum() / (yes.sum() + no.sum()) ** 2 / 4 * apart**2

    def questions(self, crowd):
        """The questions in the order of the grammar, each as a name and a function from a record to a side."""
        yield "old", lambda r: None if r["old"] is None else (0 if r["old"] else 1)
        for name in ("color", "shape"):
            values = sorted({r[name] for r, *_ in crowd if r[name] is not None})
            if self.multiway and len(values) < 2:
                continue
            if self.multiway:
                yield (name, tuple(values)), lambda r, n=name, v=values: None if r[n] is None else v.index(r[n])
                continue
            for value in values:
                known = lambda r, n=name, v=value: None if r[n] is None else int(r[n] != v)  # noqa: E731
                yield f"{name} = {value}", known
        for t in sorted({r["size"] for r, *_ in crowd if r["size"] is not None})[1:]:
            yield f"size >= {t}", lambda r, t=t: None if r["size"] is None else int(r["size"] < t)

    def divided(self, crowd, question, place):
        n = len(question[1]) if isinstance(question, tuple) else 2
        sides = [[one for one in crowd if place(one[0]) == i] for i in range(n)]
        unknown = [one for one in crowd if place(one[0]) is None]
        if self.missing == "false" and unknown:
            sides[self.heaviest(sides) if isinstance(question, tuple) else 1] += unknown
            unknown = []
        return sides, unknown

    def heaviest(self, sides):
        weights = [self.weight(side) for side in sides]
        return weights.index(max(weights))

    def candidates(self, crowd):
        for question, place in self.questions(crowd):
            sides, unknown = self.divided(crowd, question, place)
            large = [side for side in sides if sum(p for *_, p in side) >= self.least - 1e-9]
            if len(large) >= 2:
                yield question, sides, unknown, self.merit(crowd, sides)

    def best(self, crowd):
        found = None
        for candidate in self.candidates(crowd):
            if found is None or is_more(candidate[3], found[3]):
                found = candidate
        return found if found is not None and is_more(found[3], (0.0, 0.0)) else None

    def grown(self, crowd):
        """(question, counts, sides...) or (None, counts)."""
        counts = self.counts(crowd)
        size = sum(p for *_, p in crowd)
        if sum(n > 0 for n in counts) < 2 or size < max(2, 2 * self.least) - 1e-9:
            return [(None, counts)]
        found = self.best(crowd)
        if found is None:
            return [(None, counts)]
        question, sides, unknown, _ = found
        shares = [self.weight(side) / sum(map(self.weight, sides)) for side in sides]
        if self.missing == "fractional":
            sides = [
                [*side, *((r, y, w, p * share) for r, y, w, p in unknown)]
                for side, share in zip(sides, shares, strict=True)
            ]
        else:
            sides[self.heaviest(sides)] += unknown
        return [(question, counts), *(node for side in sides for node in self.grown(side))]


def is_more(one, other):
    return one[0] > other[0] + 1e-9 or (abs(one[0] - other[0]) <= 1e-9 and one[1] > other[1] + 1e-9)


@pytest.mark.parametrize("missing", RULES)
@pytest.mark.parametrize("name", CLASSIFIERS)
@settings(max_examples=40)
@given(table=tables(), multiway=st.booleans(), least=st.integers(1, 3))
def test_growing_is_plain_recursion(name, missing, table, multiway, least):
    rows, target, weights = table
    multiway = multiway and name != "twoing"
    growth = Growth(nominal="multiway" if multiway else "binary", missing=missing, min_samples_leaf=least)
    tree = grow(things(rows), target, ASKS, growth, criterion=name, sample_weight=weights)
    crowd = [(r, y, w, 1.0) for r, y, w in zip(rows, target, weights, strict=True)]
    expected = Plain(tree.classes, name, multiway, missing, least).grown(crowd)
    assert drawn(tree) == [question for question, _ in expected]
    assert np.array(stats(tree)) == pytest.approx(np.array([counts for _, counts in expected]))


# ---- laws -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*CLASSIFIERS, "mse"])
@settings(max_examples=30)
@given(data=st.data())
def test_without_missing_values_every_rule_gives_the_tree_of_the_sweeps(name, data):
    rows, target, weights = data.draw(tables(complete_records, name == "mse", max_size=25))
    given_ = {"criterion": name, "sample_weight": weights}
    options = data.draw(
        st.sampled_from([{}, {"min_samples_leaf": 2}, {"max_depth": 2}, {"min_impurity_decrease": 0.05}])
    )
    expected = grow(things(rows), target, BOTH, Growth(**options), **given_)
    for rule in RULES:
        growth = Growth(missing=rule, **options)
        tree = grow_on("parts", things(rows), target, BOTH, growth, **given_)
        assert drawn(tree) == drawn(expected)
        assert np.array(stats(tree)) == pytest.approx(np.array(stats(expected)))
        found = [(node.found.score, node.found.gain) for node in tree.nodes if isinstance(node, Branch)]
        wanted = [(node.found.score, node.found.gain) for node in expected.nodes if isinstance(node, Branch)]
        assert np.array(found) == pytest.approx(np.array(wanted), abs=1e-9)
        assert tree.apply(things(rows)).tolist() == expected.apply(things(rows)).tolist()


@settings(max_examples=30)
@given(table=tables(max_size=25), name=st.sampled_from(["acc*", "entropy", "gain-ratio"]))
def test_with_missing_values_that_are_false_it_is_the_tree_of_the_sweeps_too(table, name):
    rows, target, _ = table
    expected = grow(things(rows), target, BOTH, criterion=name)
    tree = grow_on("parts", things(rows), target, BOTH, criterion=name)
    assert (drawn(tree), stats(tree)) == (drawn(expected), stats(expected))


@given(table=tables(complete_records), rule=st.sampled_from(RULES), multiway=st.booleans())
def test_a_tree_of_complete_data_has_shares_for_data_that_is_not(table, rule, multiway):
    rows, target, weights = table
    growth = Growth(nominal="multiway" if multiway else "binary", missing=rule)
    tree = grow(things(rows), target, ASKS, growth, sample_weight=weights)
    assert tree.missing == rule
    for node in tree.nodes:
        if isinstance(node, MultiwayBranch) or (isinstance(node, Branch) and rule != "false"):
            below = [tree.nodes[child].stats.weight for child in node.children]
            assert node.shares == pytest.approx([weight / sum(below) for weight in below])


@settings(max_examples=40)
@given(data=st.data(), rule=st.sampled_from(RULES), multiway=st.booleans(), numbers=st.booleans())
def test_what_a_node_has_seen_is_what_arrives_there(data, rule, multiway, numbers):
    rows, target, weights = data.draw(tables(numbers=numbers))
    growth = Growth(nominal="multiway" if multiway else "binary", missing=rule)
    grammar, criterion = ASKS if multiway else BOTH, "mse" if numbers else None
    tree = grow(things(rows), target, grammar, growth, criterion=criterion, sample_weight=weights)
    for index, which, parts in tree.weighted_arrivals(things(rows)):
        seen = tree.nodes[index].stats
        assert seen.n == len(which)
        assert seen.weight == pytest.approx((weights[which] * parts).sum())
        if numbers:
            assert seen.mean == pytest.approx(np.average(target[which], weights=weights[which] * parts))
        else:
            for label, count in zip(tree.classes, seen.counts, strict=True):
                assert count == pytest.approx((weights[which] * parts)[target[which] == label].sum())


@settings(max_examples=30)
@given(table=tables(), rule=st.sampled_from(RULES), multiway=st.booleans(), seed=st.integers(0, 9))
def test_the_order_of_the_individuals_changes_nothing(table, rule, multiway, seed):
    rows, target, _ = table
    growth = Growth(nominal="multiway" if multiway else "binary", missing=rule)
    order = np.random.default_rng(seed).permutation(len(rows))
    one = grow(things(rows), target, ASKS, growth, criterion="entropy")
    other = grow(things(rows).take(order), target[order], ASKS, growth, criterion="entropy")
    assert drawn(one) == drawn(other)
    assert np.array(stats(one)) == pytest.approx(np.array(stats(other)))


# ---- options ----------------------------------------------------------------------------------------------


def random_table(n=120, seed=0, gaps=0.1):
    rng = np.random.default_rng(seed)
    rows = [
        {
            "color": None if rng.random() < gaps else str(rng.choice(["blue", "green", "red"])),
            "shape": str(rng.choice(["round", "square"])),
            "size": None if rng.random() < gaps else int(rng.integers(0, 9)),
            "old": bool(rng.integers(2)),
        }
        for _ in range(n)
    ]
    said = [str((r["color"] == "red") + ((r["size"] or 0) > 4) + (rng.random() < 0.2)) for r in rows]
    return things(rows), np.array(said, dtype=object)


@pytest.mark.parametrize("missing", RULES)
def test_a_split_needs_two_sides_that_are_large_enough(missing):
    population, target = random_table()
    tree = grow(population, target, ASKS, Growth(nominal="multiway", missing=missing, min_samples_leaf=9))
    assert len(tree.branches) > 2
    for index in tree.branches:
        sides = [tree.nodes[child].stats.weight for child in tree.nodes[index].children]
        assert sorted(sides)[-2] >= 9


@pytest.mark.parametrize("missing", RULES)
def test_depth_size_and_the_number_of_leaves_are_limited(missing):
    population, target = random_table()
    options = {"nominal": "multiway", "missing": missing}
    assert grow(population, target, ASKS, Growth(max_depth=2, **options)).depth == 2
    whole = grow(population, target, ASKS, Growth(**options))
    for most in (2, 3, 5, 8):
        tree = grow(population, target, ASKS, Growth(max_leaf_nodes=most, **options))
        assert 1 < len(tree.leaves) <= most
    assert drawn(grow(population, target, ASKS, Growth(max_leaf_nodes=10_000, **options))) == drawn(whole)
    small = grow(population, target, ASKS, Growth(min_samples_split=30, **options))
    assert all(small.nodes[i].stats.weight >= 30 - 1e-9 for i in small.branches)


def test_the_best_split_of_all_leaves_comes_first():
    population, target = random_table()
    growth = Growth(nominal="multiway", max_leaf_nodes=4)
    tree = grow(population, target, ASKS, growth, criterion="entropy")
    whole = grow(population, target, ASKS, Growth(nominal="multiway"), criterion="entropy")
    assert drawn(tree)[0] == drawn(whole)[0]


def test_a_rule_of_stopping_is_asked_about_all_sides():
    population, target = random_table()
    for stop in ("test", "mdl"):
        whole = grow(population, target, ASKS, Growth(nominal="multiway"), criterion="entropy")
        tree = grow(population, target, ASKS, Growth(nominal="multiway", stop=stop), criterion="entropy")
        assert 1 < len(tree.nodes) < len(whole.nodes)
    noise = np.random.default_rng(1).choice(["a", "b"], len(target))
    strict = Growth(nominal="multiway", missing="fractional", stop="test", significance=1e-4)
    assert len(grow(population, noise, ASKS, strict).nodes) == 1


def test_when_the_time_is_over_nodes_that_wait_are_leaves():
    """However little time there is, the root is looked at."""
    population, target = random_table()
    growth = Growth(nominal="multiway", time_limit=1e-9)
    told = []
    tree = grow(population, target, ASKS, growth, progress=told.append)
    assert tree.depth == 1 and all(tree.nodes[leaf].gap > 0 for leaf in tree.leaves)
    assert told[-1].stopped_by == "time"


def test_interrupting_keeps_the_tree_so_far(monkeypatch):
    population, target = random_table()
    calls = []

    def twice(*arguments):
        calls.append(1)
        if len(calls) == 2:
            signal.raise_signal(signal.SIGINT)
        return best(*arguments)

    from structtree.splitters import fractional as parts

    best = parts.best_division
    monkeypatch.setattr(parts, "best_division", twice)
    told = []
    tree = grow(population, target, ASKS, Growth(nominal="multiway"), progress=told.append)
    assert len(tree.branches) == 2
    assert told[-1].stopped_by == "interrupt"


def test_of_a_few_thousand_rows_nothing_is_lost_on_the_way_down():
    population, target = random_table(3000, gaps=0.05)
    tree = grow(population, target, ASKS, Growth(nominal="multiway", missing="fractional"))
    assert sum(tree.nodes[leaf].stats.weight for leaf in tree.leaves) == pytest.approx(3000)


REFUSED = [
    ({"nominal": "ternary"}, "nominal must be 'binary', 'subset' or 'multiway'; got 'ternary'"),
    ({"missing": "mean"}, "missing must be 'false', 'majority' or 'fractional'; got 'mean'"),
    ({"average_gain_filter": 2}, "average_gain_filter must be True or False; got 2"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_an_option_that_makes_no_sense_is_refused_with_a_sentence(options, message):
    with pytest.raises(UsageError, match=message):
        Growth(**options)


def test_what_does_not_go_together_is_refused():
    population, target = random_table(20)
    with pytest.raises(
        UsageError, match="missing='majority' cannot be combined with share='path'; use only one of them"
    ):
        grow(population, target, ASKS, Growth(missing="majority", share="path"))
    with pytest.raises(UsageError, match="nominal='multiway' cannot be combined with max_evaluations=3"):
        grow(population, target, ASKS, Growth(nominal="multiway", max_evaluations=3))
    with pytest.raises(UsageError, match="criterion 'twoing' needs binary splits; use nominal='subset'"):
        grow(population, target, ASKS, Growth(nominal="multiway"), criterion="twoing")
    with pytest.raises(UsageError, match="requires the criterion 'gain-ratio'; got 'entropy'"):
        grow(population, target, ASKS, Growth(average_gain_filter=True), criterion="entropy")


@pytest.mark.parametrize(
    ("data", "grammar"), [("trains", "trains"), ("lenses", "flat")], ids=["with links", "two tests at a time"]
)
def test_other_data_than_plain_tables_is_refused(data, grammar):
    found = load_dataset(data)
    with pytest.raises(UsageError, match="needs a grammar with single tests of a plain table"):
        grow(found.population, found.target, Grammar.load(grammar), Growth(nominal="multiway"))


# ---- missing values afterwards ----------------------------------------------------------------------------


@pytest.mark.parametrize("nominal", ["binary", "multiway"])
@pytest.mark.parametrize("rule", RULES)
def test_complete_training_data_is_enough_to_predict_where_values_are_missing(rule, nominal):
    population, target = random_table(gaps=0)
    tree = grow(population, target, ASKS, Growth(nominal=nominal, missing=rule))
    nothing = things([{"color": None, "shape": None, "size": None, "old": None}])
    strange = things([{"color": "purple", "shape": "odd", "size": None, "old": None}])
    if rule == "fractional":
        shares = [tree.nodes[leaf].stats.weight / 120 for leaf in tree.leaves]
        assert tree.distribution(nothing).weights == pytest.approx(shares)
        assert TreePredictor(tree).predict_proba(nothing)[0] == pytest.approx(
            np.array(tree.nodes[0].stats.counts) / 120
        )
    if rule == "majority":
        leaf, node = tree.apply(nothing)[0], 0
        while not isinstance(tree.nodes[node], Leaf):
            node = max(tree.nodes[node].children, key=lambda child: tree.nodes[child].stats.weight)
        assert leaf == node
    if rule != "false":
        assert TreePredictor(tree).predict(strange).tolist() == TreePredictor(tree).predict(nothing).tolist()


def test_that_a_value_is_missing_can_be_asked():
    rows = [{"size": size, "kind": "x"} for size in (1, None, 3, None, 5, 6)]
    population, target = Population.from_records(rows), np.array(["a", "b", "a", "b", "a", "a"])
    grammar = Grammar.parse("refine Individual { top -> missing *; top -> size >= *; top -> kind = * }")
    for rule in RULES:
        tree = grow(population, target, grammar, Growth(missing=rule))
        assert drawn(tree) == ["missing size", None, None]
        assert tree.apply(population).tolist() == [2, 1, 2, 1, 2, 2]
    plain = Grammar.parse("refine Individual { top -> size >= *; top -> kind = * }")
    assert len(grow(population, target, plain, Growth(missing="majority")).nodes) == 1


# ---- C4.5's choice ----------------------------------------------------------------------------------------


def test_only_attributes_of_average_gain_compete_by_gain_ratio():
    """A flag that is rarely set gains little and splits off little: its ratio is the greatest, its gain is not."""
    population = Population.from_records([{"rare": i == 0, "half": i < 10} for i in range(20)])
    target = np.array([*("a" * 7 + "b" * 3), *("a" * 3 + "b" * 7)])
    grammar = Grammar.parse("refine Individual { top -> * }")
    found = {
        with_filter: grow(
            population, target, grammar, Growth(average_gain_filter=with_filter), criterion="gain-ratio"
        )
        for with_filter in (False, True)
    }
    assert {key: drawn(tree)[0] for key, tree in found.items()} == {False: "rare", True: "half"}


@settings(max_examples=40)
@given(table=tables(), multiway=st.booleans(), missing=st.sampled_from(RULES))
def test_the_filter_is_plain_recursion_too(table, multiway, missing):
    rows, target, weights = table
    growth = Growth(
        nominal="multiway" if multiway else "binary", missing=missing, average_gain_filter=True, max_depth=1
    )
    tree = grow(things(rows), target, ASKS, growth, criterion="gain-ratio", sample_weight=weights)
    plain = Plain(tree.classes, "gain-ratio", multiway, missing)
    crowd = [(r, y, w, 1.0) for r, y, w in zip(rows, target, weights, strict=True)]
    assert drawn(tree)[0] == filtered(plain, crowd)


def filtered(plain, crowd):
    """C4.5's choice: of each attribute the most gain, of those with at least average gain the greatest ratio."""
    if sum(n > 0 for n in plain.counts(crowd)) < 2:
        return None
    best = {}
    for question, sides, _, merit in plain.candidates(crowd):
        attribute = question[0] if isinstance(question, tuple) else question.split()[0]
        gain = plain.gain("entropy", crowd, sides)
        if gain > best.get(attribute, (None, 0.0, None))[1] + 1e-9:
            best[attribute] = (question, gain, merit)
    if not best:
        return None
    average = sum(gain for _, gain, _ in best.values()) / len(best)
    chosen = None
    for question, gain, merit in best.values():
        if gain >= average - 1e-9 and (chosen is None or is_more(merit, chosen[1])):
            chosen = (question, merit)
    return chosen[0]
