"""Patterns are the filtered enumeration of the space; rules and contrasts have the figures of plain counting."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from itertools import combinations, islice

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from structtree import Grammar, Population, load_dataset, patterns
from structtree.errors import DataError, GrammarError, StructtreeError, UsageError
from structtree.export.sql.patterns import patterns_sql
from structtree.interrupts import Stop
from structtree.lang import syntax as syn
from structtree.lang.logic import implies
from structtree.lang.pretty import pretty
from structtree.report.patterns import pattern_report
from structtree.rules import frequent
from structtree.rules.patterns import find_patterns
from structtree.search.clock import Clock
from structtree.search.kernels.masks import packed, shared_counts, unpacked
from structtree.space.evaluate import holds
from structtree.space.space import Space
from structtree.space.terms import conjuncts
from tests.strategies import grammars, populations

FEW = settings(max_examples=20, suppress_health_check=[HealthCheck.filter_too_much])
MOST = 250

BASKETS = ["nappies", "beer crisps", "apples nappies", "beer crisps nappies", "apples"]
BASKETS += ["apples beer crisps nappies", "apples crisps", "crisps"]
"""The transactions of Flach (2012), section 6.3."""

ITEMS = "refine Basket { top -> * }"


def baskets(texts=BASKETS, names="apples beer crisps nappies"):
    rows = [{name: name in text.split() for name in names.split()} for text in texts]
    return Population.from_records(rows, individual="Basket")


def item_sets(found):
    return {" ".join(sorted(str(each).split(" and "))): each.n for each in found}


# ---- laws -------------------------------------------------------------------------------------------------------


@st.composite
def problems(draw):
    """A population, a grammar, and the predicates of its space with their individuals."""
    population = draw(populations())
    assume(len(population) >= 2)
    grammar = Grammar.parse(draw(grammars(population.schema)))
    literals = draw(st.sampled_from([None, 2, 3]))
    try:
        own = grammar if literals is None else grammar.combining(literals, population.schema)
        space = Space.build(own, population)
    except GrammarError as error:
        assume("specialise" not in str(error) and "no value" not in str(error))
        raise
    every = list(islice(space.enumerate(), MOST + 1))
    assume(len(every) <= MOST)
    return population, grammar, literals, space, {p: holds(p, space.population) for p in every}


def frequent_ones(space, masks, least):
    """The frequent predicates except ``top``, without conjunctions in which one literal implies another."""
    is_bundled = space.grammar.individual in space.bundled
    return {
        p: int(mask.sum())
        for p, mask in masks.items()
        if mask.sum() >= least
        and not isinstance(p, syn.Top)
        and (is_bundled or not any(implies(a, b) or implies(b, a) for a, b in combinations(conjuncts(p), 2)))
    }


@FEW
@given(problem=problems(), least=st.integers(1, 3))
def test_patterns_are_the_frequent_predicates_of_the_space(problem, least):
    population, grammar, literals, space, masks = problem
    reported = []
    found = find_patterns(population, grammar, support=least, literals=literals, report=reported.append)
    assert len({each.predicate for each in found}) == len(found)
    assert {each.predicate: each.n for each in found} == frequent_ones(space, masks, least)
    assert reported == list(found)
    assert found.complete


@FEW
@given(problem=problems(), least=st.integers(1, 3))
def test_closed_and_maximal_patterns_have_no_such_refinement(problem, least):
    population, grammar, literals, space, masks = problem
    every = frequent_ones(space, masks, least)
    above = {}

    def ancestors(predicate):
        if predicate not in above:
            parents = set(space.parents(predicate))
            above[predicate] = parents.union(*map(ancestors, parents))
        return above[predicate]

    refined = {p for q in every for p in ancestors(q)}
    same = {p for q in every for p in ancestors(q) if (masks[p] == masks[q]).all()}
    options = {"support": least, "literals": literals}
    assert {each.predicate for each in find_patterns(population, grammar, maximal=True, **options)} == {
        p for p in every if p not in refined
    }
    assert {each.predicate for each in find_patterns(population, grammar, closed=True, **options)} == {
        p for p in every if p not in same
    }


@FEW
@given(problem=problems(), least=st.integers(1, 2))
def test_the_shortest_patterns_select_each_set_of_individuals_once(problem, least):
    population, grammar, literals, space, masks = problem
    lengths = {}
    for p in frequent_ones(space, masks, least):
        key, size = masks[p].tobytes(), space.locate(p).size
        lengths[key] = min(size, lengths.get(key, size))
    found = find_patterns(population, grammar, support=least, literals=literals, shortest=True)
    kept = {masks[each.predicate].tobytes(): space.locate(each.predicate).size for each in found}
    assert len(kept) == len(found)
    assert kept == lengths


@FEW
@given(problem=problems(), least=st.integers(1, 2), confidence=st.sampled_from([0.0, 0.5, 1.0]))
def test_rules_have_the_figures_of_plain_counting(problem, least, confidence):
    population, grammar, literals, space, masks = problem
    n = len(population)
    options = {"support": least, "literals": literals, "confidence": confidence}
    found = find_patterns(population, grammar, rules=True, **options)
    for rule in found:
        body, head = masks[rule.body], masks[rule.head]
        assert (rule.n_body, rule.n_head, rule.n) == (body.sum(), head.sum(), (body & head).sum())
        assert rule.n >= least
        assert rule.confidence == (body & head).sum() / body.sum() >= confidence
        assert rule.lift == pytest.approx(rule.confidence / head.mean())
        assert rule.leverage == pytest.approx((body & head).mean() - body.mean() * head.mean())
        if rule.confidence < 1:
            assert rule.conviction == pytest.approx((1 - head.mean()) / (1 - rule.confidence))
    made = {(rule.body, (masks[rule.body] & masks[rule.head]).tobytes()) for rule in found}
    every = frequent_ones(space, masks, least)
    for q in every:
        for p in space.parents(q):
            if (p in every or isinstance(p, syn.Top)) and masks[q].sum() >= confidence * masks[p].sum():
                assert (p, masks[q].tobytes()) in made
    assert [rule.lift for rule in found] == sorted((rule.lift for rule in found), reverse=True)
    assert all(rule.support == rule.n / n for rule in found)


@FEW
@given(problem=problems(), top=st.integers(1, 5))
def test_the_top_patterns_have_the_largest_support(problem, top):
    population, grammar, literals, _, _ = problem
    every = find_patterns(population, grammar, support=1, literals=literals)
    found = find_patterns(population, grammar, support=1, literals=literals, top=top)
    expected = sorted(every, key=lambda each: -each.n)[:top]
    assert [(str(each), each.n) for each in found] == [(str(each), each.n) for each in expected]


@given(seed=st.integers(0, 1000), n=st.integers(0, 200))
def test_masks_are_counted_bit_by_bit(seed, n):
    masks = np.random.default_rng(seed).random((4, n)) < 0.6
    words = packed(masks)
    assert (unpacked(words, n) == masks).all()
    expected = [int((masks[0] & mask).sum()) for mask in masks]
    assert shared_counts(words[0], words, np.arange(4)).tolist() == expected


def test_blocks_of_words_are_added():
    rng = np.random.default_rng(0)
    masks = rng.random((3, 64 * 5000)) < 0.3
    assert shared_counts(packed(masks)[0], packed(masks), np.array([2, 1])).tolist() == [
        (masks[0] & masks[2]).sum(),
        (masks[0] & masks[1]).sum(),
    ]


def test_the_order_does_not_depend_on_the_order_of_individuals():
    trains = load_dataset("trains").population
    found = [str(each) for each in patterns(trains, support=0.4)]
    shuffled = trains.take(np.random.default_rng(0).permutation(len(trains)))
    assert [str(each) for each in patterns(shuffled, support=0.4)] == found


# ---- worked examples ----------------------------------------------------------------------------------------------


def test_the_item_sets_of_flach():
    found = patterns(baskets(), grammar=ITEMS, support=1, literals=4)
    expected = {}
    for k in range(1, 5):
        for items in combinations(["apples", "beer", "crisps", "nappies"], k):
            expected[" ".join(items)] = sum(set(items) <= set(text.split()) for text in BASKETS)
    assert item_sets(found) == expected
    assert len(found) == 15  # and the empty item set, of all eight
    counts = {"apples": 4, "nappies": 4, "crisps": 5, "beer": 3, "beer crisps": 3, "beer nappies": 2}
    assert expected.items() >= counts.items()


def test_the_maximal_and_closed_item_sets_of_flach():
    maximal = patterns(baskets(), grammar=ITEMS, support=3, literals=4, maximal=True)
    assert item_sets(maximal) == {"apples": 4, "nappies": 4, "beer crisps": 3}
    closed = item_sets(patterns(baskets(), grammar=ITEMS, support=1, literals=4, closed=True))
    assert closed["beer crisps"] == 3
    assert closed["beer crisps nappies"] == 2
    assert not {"beer", "beer nappies", "apples beer", "apples crisps nappies"} & closed.keys()


def test_the_association_rules_of_flach():
    found = patterns(baskets(), grammar=ITEMS, support=3, literals=4, rules=True, confidence=0.6)
    figures = {str(rule): (rule.n, rule.n_body, rule.lift) for rule in found}
    assert figures == {
        "if beer then crisps": (3, 3, pytest.approx(1.6)),
        "if crisps then beer": (3, 5, pytest.approx(1.6)),
        "if top then crisps": (5, 8, pytest.approx(1.0)),
    }


def test_bread_and_cheese():
    texts = ["bread cheese fruit", "bread milk", "bread cheese wine fruit", "milk fruit", "cheese wine"]
    found = patterns(
        baskets(texts, "bread cheese wine milk fruit"), grammar=ITEMS, support=1, literals=2, rules=True, confidence=0
    )
    (rule,) = [rule for rule in found if str(rule) == "if bread then cheese"]
    assert (rule.support, rule.confidence) == (2 / 5, 2 / 3)


def test_sets_of_items_in_records():
    texts = ["milk eggs pizza coke", "milk bread chocolate", "eggs water flour sugar"]
    rows = [{"items": set(text.split())} for text in texts]
    grammar = "refine Individual { top -> exists items (value = *) }"
    found = patterns(rows, grammar=grammar, support=1, literals=6)  # two for each item
    sets = {tuple(sorted(part.split(" = ")[1][:-1] for part in str(each).split(" and "))): each.n for each in found}
    assert {key: sets[key] for key in [("milk",), ("eggs",), ("water",), ("eggs", "milk")]} == {
        ("milk",): 2,
        ("eggs",): 2,
        ("water",): 1,
        ("eggs", "milk"): 1,
    }
    assert sets["bread", "chocolate", "milk"] == 1
    assert len(sets) == sum(len({c for t in texts for c in combinations(sorted(t.split()), k)}) for k in (1, 2, 3))


def test_queries_about_relations_as_in_warmr():
    people = [
        {"children": [{"pets": ["dog", "cat"]}, {"pets": []}]},
        {"children": [{"pets": ["dog"]}]},
        {"children": [{"pets": []}]},
        {"children": []},
    ]
    grammar = """
    refine Individual { top -> exists children (top) }
    refine Child { top -> exists pets (top) }
    refine Pet { top -> value = * }
    """
    found = patterns(people, grammar=grammar, support=2)
    assert {str(each): each.n for each in found} == {
        "exists children (top)": 3,
        "exists children (exists pets (top))": 2,
        "exists children (exists pets (value = dog))": 2,
    }
    rules = patterns(people, grammar=grammar, support=2, rules=True, confidence=0.6)
    of_children = [rule for rule in rules if str(rule.body) == "exists children (top)" or rule.n_body == 3]
    assert [(str(rule), rule.confidence) for rule in of_children] == [
        ("if exists children (top) then exists children (exists pets (top))", 2 / 3)
    ]


# ---- contrasts ----------------------------------------------------------------------------------------------------


def test_contrasts_have_the_figures_of_scipy():
    from scipy import stats

    lenses = load_dataset("lenses")
    labels = np.array(lenses.target)
    found = patterns(lenses.population, labels, "flat", support=4, contrast=True)
    for each in found:
        inside, mine = holds(each.predicate, found.population), labels == each.contrast.label
        table = [[(inside & mine).sum(), (inside & ~mine).sum()], [(~inside & mine).sum(), (~inside & ~mine).sum()]]
        exact = stats.fisher_exact(table, alternative="greater").pvalue
        assert each.contrast.p_value == pytest.approx(min(1.0, exact * 3 * found.n_frequent))
        assert each.contrast.counts == {label: (inside & (labels == label)).sum() for label in set(labels)}
        assert each.contrast.support == inside[mine].mean()
        assert each.contrast.support_of_others == pytest.approx(inside[~mine].mean())
        differences = [inside[labels == c].mean() - inside[labels != c].mean() for c in set(labels)]
        assert each.contrast.difference == pytest.approx(max(differences))
    ranked = [each.contrast.p_value for each in found]
    assert ranked == sorted(ranked)
    assert str(found[0]) == "astigmatic = no and tear_rate = normal"


# ---- limits -------------------------------------------------------------------------------------------------------


def test_without_time_the_result_is_incomplete():
    found = find_patterns(load_dataset("trains").population, clock=Clock(0.0))
    assert (found.stopped_by, found.complete) == ("time", False)
    assert "the time limit ended the search" in repr(found)


@dataclass(frozen=True)
class Patient(Clock):
    """A clock that is over after a number of looks at it."""

    looks: list = field(default_factory=list)

    def over(self):
        self.looks.append(1)
        return "time" if len(self.looks) > 10 else None


def test_a_search_ends_while_nothing_is_frequent():
    grammar = "refine Train { top -> exists cars (shape = * and roof = * and top) } refine Car { top -> long }"
    clock = Patient()
    found = find_patterns(load_dataset("trains").population, grammar, support=20, clock=clock)
    assert found.stopped_by == "time"
    assert len(clock.looks) < 20


def test_after_ctrl_c_the_patterns_so_far_are_kept():
    stop = Stop()
    reported = []

    def report(pattern):
        reported.append(pattern)
        stop.presses = int(len(reported) == 30)

    trains = load_dataset("trains").population
    every = find_patterns(trains, support=0.3)
    found = find_patterns(trains, support=0.3, clock=Clock(None, stop), report=report)
    assert found.stopped_by == "interrupt"
    assert [str(each) for each in found] == [str(each) for each in every][: len(found)]
    assert 30 <= len(found) < len(every)


def test_masks_do_not_exceed_their_memory(monkeypatch):
    monkeypatch.setattr(frequent, "MASK_BYTES", 8 * 10)
    found = find_patterns(load_dataset("trains").population, support=0.3)
    assert (found.stopped_by, len(found)) == ("memory", 10)


# ---- options and output -------------------------------------------------------------------------------------------


def test_the_default_grammar_has_no_negated_tests():
    assert len(patterns(baskets(), support=1, literals=1)) == 4
    assert len(patterns(baskets(), support=1, literals=1, negated=True)) == 8
    rows = [{name: int(name in text.split()) for name in ("beer", "crisps")} for text in BASKETS]
    assert {str(each): each.n for each in patterns(rows, support=1)} == {
        "beer >= 1": 3,
        "crisps >= 1": 5,
        "beer >= 1 and crisps >= 1": 3,
    }
    assert "beer <= 0" in map(str, patterns(rows, support=1, negated=True))


def test_a_given_grammar_keeps_its_limits():
    grammar = "refine Basket { top -> *; top -> top and top max 2 }"
    assert max(len(each.literals) for each in patterns(baskets(), grammar=grammar, support=1)) == 2
    assert max(len(each.literals) for each in patterns(baskets(), grammar=grammar, support=1, literals=4)) == 4
    assert max(len(each.literals) for each in patterns(baskets(), support=1)) == 3


def test_a_source_gives_the_patterns_of_its_data():
    by_name = patterns("lenses", support=0.3)
    lenses = load_dataset("lenses")
    by_data = patterns(lenses.population, support=0.3)
    assert [str(each) for each in by_name] == [str(each) for each in by_data]
    assert by_name.target == "lenses"
    assert not any("lenses" in str(each) for each in by_name)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"support": 0}, "support must be a number > 0; got 0"),
        ({"support": 2.5}, "support must be a whole number or a fraction less than 1; got 2.5"),
        ({"closed": True, "shortest": True}, "closed and shortest are mutually exclusive"),
        ({"rules": True, "maximal": True}, "maximal and rules are mutually exclusive"),
        ({"rules": True, "contrast": True}, "rules and contrast are mutually exclusive"),
        ({"confidence": 0.5}, "confidence is for association rules"),
        ({"contrast": True}, "contrast compares classes; pass a target"),
        ({"contrast": True, "target": [0.5] * 19 + [1.5]}, "the target is a number"),
        ({"contrast": True, "target": ["a"]}, "expected 20 labels"),
        ({"contrast": True, "target": ["a"] * 20}, "all labels are identical"),
        ({"grammar": "trains", "negated": True}, "negated is for the default grammar"),
        ({"supports": 3}, "patterns has no option 'supports'"),
        ({"target": "direction"}, "target must be an array"),
    ],
)
def test_wrong_options_are_refused(options, sentence):
    with pytest.raises(StructtreeError, match=sentence):
        patterns(load_dataset("trains").population, **options)


def test_a_database_selects_the_individuals_of_each_pattern():
    with closing(sqlite3.connect(":memory:")) as shop:
        shop.executescript(
            "CREATE TABLE customer(id INTEGER PRIMARY KEY, town TEXT);"
            'CREATE TABLE "order"(customer_id INTEGER REFERENCES customer, kind TEXT);'
        )
        shop.executemany("INSERT INTO customer VALUES (?, ?)", [(i, "AB"[i % 2]) for i in range(30)])
        shop.executemany('INSERT INTO "order" VALUES (?, ?)', [(i % 20, "xyz"[i % 3]) for i in range(50)])
        customers = Population.from_database(shop, individual="customer")
        found = patterns(customers, support=0.3)
        shop.executescript(patterns_sql(found))
        for place, each in enumerate(found, 1):
            rows = [key for (key,) in shop.execute(f"SELECT id FROM pattern_{place} ORDER BY id")]
            assert rows == np.flatnonzero(holds(each.predicate, found.population)).tolist()
            assert len(rows) == each.n
        with pytest.raises(UsageError, match="association rules have none"):
            patterns_sql(patterns(customers, support=0.3, rules=True))
    with pytest.raises(UsageError, match="from the tables of a database"):
        patterns_sql(patterns("lenses", support=0.3))


def test_a_database_needs_a_table_of_individuals(tmp_path):
    path = tmp_path / "shop.db"
    with closing(sqlite3.connect(path)) as shop:
        shop.executescript("CREATE TABLE a(id INTEGER PRIMARY KEY); CREATE TABLE b(id INTEGER PRIMARY KEY)")
    with pytest.raises(StructtreeError, match=r"choose the table of .* with individual"):
        patterns(path)


def test_pages_and_notebooks_show_the_figures():
    trains = load_dataset("trains")
    labels = np.array(trains.target)
    for options in ({}, {"rules": True}, {"contrast": True}):
        found = patterns(trains.population, labels, support=0.8, **options)
        page = pattern_report(found, "Trains <1>").html
        assert page.count("<tr>") == len(found) + 1
        assert "Trains &lt;1&gt;" in page
        assert found._repr_html_().count("<tr>") == len(found) + 1
        assert all(pretty(each.body) in str(each) for each in (found if options.get("rules") else ()))


def test_plain_values_describe_the_results():
    found = patterns(baskets(), grammar=ITEMS, support=3)
    assert found.to_dict()["patterns"][0] == {"pattern": "apples", "n": 4, "support": 0.5}
    assert (found.n_space, found.to_dict()["stopped_by"]) == (4, "done")
    (first, *_) = patterns(baskets(), grammar=ITEMS, support=3, literals=2, rules=True).to_dict()["rules"]
    assert first["conviction"] is None  # without an exception
    assert (first["body"], first["head"], first["n"]) == ("beer", "crisps", 3)


def test_labels_of_one_class_are_refused():
    with pytest.raises(DataError, match="all labels are identical"):
        patterns([{"a": True}, {"a": False}], ["x", "x"], contrast=True)


# ---- subgraphs ----------------------------------------------------------------------------------------------------

TREES = """
link onward: Edge -> set of Edge = to.edges where not (to (exists edges (me)))
refine Graph { top -> exists nodes (top) }
refine Node {
    top -> label = *; top -> exists edges (top); top -> distinct edges (top, top); top -> top and top max 2
}
refine Edge { top -> to.label = *; top -> exists onward (top); top -> top and top max 2 }
limits { literals 7, nesting 6 }
"""


def drawn(predicate, graph, at):
    """Add the nodes and edges that a pattern demands from a node on; False if two parts may be the same edge."""
    links = [part for part in conjuncts(predicate) if isinstance(part, syn.Exists | syn.Distinct)]
    for part in conjuncts(predicate):
        match part:
            case syn.Compare("label", "=", value) | syn.Follow("to", syn.Compare("label", "=", value)):
                graph.nodes[at]["label"] = value
            case syn.Exists(_, inner) | syn.Distinct(_, inner):
                for further in inner if isinstance(inner, tuple) else (inner,):
                    new = len(graph)
                    graph.add_edge(at, new)
                    if not drawn(further, graph, new):
                        return False
    return len(links) < 2


def test_trees_of_walks_are_subgraphs_of_acyclic_graphs():
    import networkx as nx
    from networkx.algorithms.isomorphism import GraphMatcher

    graphs = []
    for seed in range(12):
        graph = nx.random_labeled_tree(7, seed=seed)
        nx.set_node_attributes(graph, {v: "xy"[(v * seed) % 3 == 0] for v in graph}, "label")
        graphs.append(graph)
    n_compared = 0
    for each in find_patterns(graphs, TREES, support=4):
        assert isinstance(each.predicate, syn.Exists)
        wanted = nx.Graph()
        wanted.add_node(0)
        if drawn(each.predicate.inner, wanted, 0):

            def fits(one, other):
                return "label" not in other or one["label"] == other["label"]

            matches = [GraphMatcher(graph, wanted, fits).subgraph_is_monomorphic() for graph in graphs]
            assert sum(matches) == each.n, str(each)
            n_compared += 1
    assert n_compared > 50
