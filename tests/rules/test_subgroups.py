"""Subgroups: the best of the whole space, figures that are true, and individuals that are really held out."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from structtree import Grammar, Population, load_dataset, subgroups
from structtree.errors import DataError, GrammarError, StructtreeError
from structtree.export.sql.subgroups import subgroups_sql
from structtree.report.subgroups import subgroup_facts
from structtree.rules.subgroups import find_subgroups
from structtree.search.clock import Clock
from structtree.space.evaluate import holds
from structtree.space.space import Space
from structtree.tasks.measures import MEASURES, WRAcc
from tests.properties.test_space import members
from tests.strategies import grammars, populations

FEW = settings(max_examples=15, suppress_health_check=[HealthCheck.filter_too_much])


@st.composite
def problems(draw):
    """A population, a grammar of conjunctions, labels, and the masks of all its predicates."""
    population = draw(populations())
    n = len(population)
    assume(n >= 3)
    grammar = Grammar.parse(draw(grammars(population.schema)))
    literals = draw(st.integers(1, 3))
    try:
        space = Space.build(grammar.combining(literals, population.schema), population)
    except GrammarError as error:
        assume("specialise" not in str(error) and "no value" not in str(error))
        raise
    masks = {holds(predicate, space.population).tobytes() for predicate in members(space)}
    labels = np.array(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    assume(len(set(labels.tolist())) > 1)
    return population, grammar, literals, labels, [np.frombuffer(mask, dtype=bool) for mask in masks]


def class_sums(labels, inside, label=None):
    """The statistics of a measure: one class against the others, or all classes."""
    codes = np.unique(labels, return_inverse=True)[1] if label is None else (labels == label).astype(int)
    return np.bincount(codes[inside], minlength=2 if label is not None else codes.max() + 1).astype(float)


def number_sums(labels, inside):
    y = labels - labels.mean()
    return np.array([inside.sum(), y[inside].sum(), (y[inside] ** 2).sum()])


def concepts(measure, labels):
    """For each concept its name, and a function from masks to statistics."""
    if measure.task == "numbers":
        return {"high": lambda inside: number_sums(labels, inside)}
    if measure.name == "chi-squared":
        return {None: lambda inside: class_sums(labels, inside)}
    return {label: lambda inside, label=label: class_sums(labels, inside, label) for label in set(labels.tolist())}


def all_qualities(measure, labels, masks, least):
    """The quality, label and mask of each sufficiently large set that is better than all individuals, best first."""
    whole = np.ones(len(labels), dtype=bool)
    found = []
    for label, sums in concepts(measure, labels).items():

        def quality(inside, sums=sums):
            return float(measure.quality(sums(inside)[None, :], sums(whole))[0])

        large = [mask for mask in masks if least <= mask.sum() < len(mask)]
        found += [(quality(mask), label, mask) for mask in large if quality(mask) > quality(whole) + 1e-9]
    return sorted(found, key=lambda each: -each[0])


@pytest.mark.parametrize("name", MEASURES)
@FEW
@given(problem=problems(), top=st.sampled_from([1, 4]), least=st.integers(1, 2))
def test_subgroups_are_the_best_of_all(name, problem, top, least):
    population, grammar, literals, labels, masks = problem
    labels = labels if MEASURES[name].task == "classes" else labels.astype(float)
    options = {"measure": name, "top": top, "literals": literals, "min_support": least, "held_out": 0}
    found = find_subgroups(population, labels, grammar, effort="prove", **options)
    expected = all_qualities(MEASURES[name](), labels, masks, least)[:top]
    assert found.proved
    np.testing.assert_allclose([each.searched.quality for each in found], [q for q, *_ in expected], atol=1e-9)


OF_CLASSES = [name for name, measure in MEASURES.items() if measure.task == "classes"]


@pytest.mark.parametrize("name", OF_CLASSES)
@pytest.mark.parametrize("is_listed", [True, False])
@FEW
@given(problem=problems(), top=st.sampled_from([1, 4]), least=st.integers(1, 2), data=st.data())
def test_subgroups_with_an_example_are_the_best_of_those_that_contain_it(name, is_listed, problem, top, least, data):
    population, grammar, literals, labels, masks = problem
    row = data.draw(st.integers(0, len(labels) - 1))
    options = {"measure": name, "top": top, "literals": literals, "min_support": least, "held_out": 0}
    with pytest.MonkeyPatch.context() as patch:
        if not is_listed:
            patch.setattr("structtree.rules.subgroups.MOST_LISTED", 0)
        found = find_subgroups(population, labels, grammar, effort="prove", containing=row, **options)
    ranked = all_qualities(MEASURES[name](), labels, masks, least)
    expected = [q for q, label, mask in ranked if mask[row] and label in (None, labels[row])][:top]
    assert found.proved
    assert all(holds(each.predicate, found.population)[row] for each in found)
    np.testing.assert_allclose([each.searched.quality for each in found], expected, atol=1e-9)


@pytest.mark.filterwarnings("ignore:skipped 12 of 60 individuals")
def test_the_given_individual_is_searched_and_its_rows_are_those_of_the_source(tmp_path):
    file = tmp_path / "people.csv"
    lines = [f"{i},{'' if i % 5 == 0 else 'no' if i < 30 else 'yes'}" for i in range(60)]
    file.write_text("\n".join(["age,ill", *lines]) + "\n")
    for row in (1, 33, 59):
        found = subgroups(file, "ill", containing=row, top=2)
        assert found.labels[found.options.containing] == ("no" if row < 30 else "yes")
        assert not found.is_held_out[found.options.containing]
        assert {each.label for each in found} == {found.labels[found.options.containing]}
        assert all(holds(each.predicate, found.population)[found.options.containing] for each in found)
        assert "only subgroups that contain the given individual" in list(subgroup_facts(found))
    other = subgroups(file, "ill", containing=28, label="yes", top=3, measure="precision", held_out=0)
    assert all(each.label == "yes" and holds(each.predicate, other.population)[22] for each in other)
    with pytest.raises(StructtreeError, match="must be from 0 to 59, a row number; got 60"):
        subgroups(file, "ill", containing=60)
    with pytest.raises(StructtreeError, match="row 5 was skipped"):
        subgroups(file, "ill", containing=5)


def test_what_does_not_go_with_an_example_is_refused():
    data, labels = [[1.0], [2.0], [3.0]], ["a", "b", "b"]
    with pytest.raises(StructtreeError, match="containing must be from 0 to 2, a row number of an individual; got 3"):
        find_subgroups(data, labels, containing=3)
    with pytest.raises(StructtreeError, match="containing is for subgroups of classes"):
        find_subgroups(data, [1.0, 2.0, 4.5], containing=1)
    with pytest.raises(StructtreeError, match="all those of containing overlap"):
        find_subgroups(data, labels, containing=1, covering=0.5)


@pytest.mark.parametrize("name", ["wracc", "precision", "mean-shift"])
@FEW
@given(problem=problems())
def test_without_subsets_no_subgroup_lies_in_a_better_one(name, problem):
    population, grammar, literals, labels, masks = problem
    labels = labels if MEASURES[name].task == "classes" else labels.astype(float)
    options = {"measure": name, "top": 3, "literals": literals, "min_support": 1, "held_out": 0}
    found = find_subgroups(population, labels, grammar, redundancy="subset", effort="prove", **options)
    ranked = all_qualities(MEASURES[name](), labels, masks, 1)

    def kept(margin):
        """The qualities of the sets that lie in no set that is better by more than a margin."""
        return [
            quality
            for quality, label, mask in ranked
            if not any(
                better - quality > margin and same == label and (mask <= other).all() and (mask != other).any()
                for better, same, other in ranked
            )
        ]

    # Of two equally good ones, either may come first, so that a subset of the other is kept or dropped.
    most, least = kept(1e-9), kept(-1e-9)
    assert len(found) >= min(3, len(least))
    for place, each in enumerate(found):
        assert each.searched.quality <= most[place] + 1e-9
        assert place >= len(least) or each.searched.quality >= least[place] - 1e-9
        mine = holds(each.predicate, found.population)
        for other in found[:place]:
            assert other.label != each.label or not (mine <= holds(other.predicate, found.population)).all()


def test_covering_finds_the_best_by_the_weights_that_are_left():
    cars = load_dataset("car")
    found = subgroups(cars.population, cars.target, cars.grammar, covering=0.5, top=4, label="acc", held_out=0)
    hit, weights = np.array(cars.target) == "acc", np.ones(len(cars.target))
    space = Space.build(found.grammar, cars.population)
    masks = [holds(predicate, cars.population) for predicate in space.enumerate()]
    done = []
    for each in found:

        def quality(inside):
            both = [
                np.array([weights[some & ~hit].sum(), weights[some & hit].sum()]) for some in (inside, hit | ~hit)
            ]
            return float(WRAcc().quality(both[0][None, :], both[1])[0])

        mine = holds(each.predicate, cars.population)
        new = [mask for mask in masks if mask.sum() >= found.min_support and mask.tobytes() not in done]
        assert quality(mine) == pytest.approx(max(map(quality, new)), abs=1e-12)
        done.append(mine.tobytes())
        weights[mine & hit] *= 0.5


def test_held_out_individuals_take_no_part_in_the_search():
    planted = load_dataset("planted-trains")
    labels = np.array(planted.target)
    found = subgroups(planted.population, labels, planted.grammar, top=3)
    changed = np.where(found.is_held_out, "west", labels)
    changed[np.flatnonzero(found.is_held_out)[0]] = "east"
    searched = np.flatnonzero(~found.is_held_out)
    again = subgroups(planted.population.take(searched), labels[searched], planted.grammar, top=3, held_out=0)
    assert [str(each) for each in again] == [str(each) for each in found]
    assert [each.searched for each in again] == [each.searched for each in found]
    rest = np.flatnonzero(found.is_held_out)
    for each in found:
        inside = holds(each.predicate, planted.population.take(rest))
        assert each.held_out.n == inside.sum()
        assert each.held_out.mean == pytest.approx((labels[rest][inside] == each.label).mean())
    assert abs(found.is_held_out.mean() - 0.3) < 0.01


def test_the_figures_are_those_of_scipy():
    from scipy import stats

    planted = load_dataset("planted-trains")
    labels = np.array(planted.target)
    found = subgroups(planted.population, labels, planted.grammar, top=5, held_out=0)
    for each in found:
        inside, hit = holds(each.predicate, planted.population), labels == each.label
        table = [[(inside & hit).sum(), (inside & ~hit).sum()], [(~inside & hit).sum(), (~inside & ~hit).sum()]]
        exact = stats.fisher_exact(table, alternative="greater").pvalue
        assert each.searched.p_value == pytest.approx(exact, rel=1e-6)
        assert each.p_value == pytest.approx(min(1.0, exact * found.evaluated), rel=1e-6)
        assert each.searched.lift == pytest.approx(hit[inside].mean() / hit.mean())
    numbers = np.random.default_rng(0).normal(size=len(labels)) + (labels == "east")
    for each in subgroups(planted.population, numbers, planted.grammar, top=5, measure="t", held_out=0):
        inside = holds(each.predicate, planted.population)
        test = stats.ttest_ind(numbers[inside], numbers[~inside], equal_var=False, alternative="greater")
        assert each.searched.p_value == pytest.approx(test.pvalue, rel=1e-6)
        assert each.searched.mean == pytest.approx(numbers[inside].mean())
    for each in subgroups(planted.population, labels, planted.grammar, top=5, measure="chi-squared", held_out=0):
        inside = holds(each.predicate, planted.population)
        table = [[(some & (labels == label)).sum() for label in ("east", "west")] for some in (inside, ~inside)]
        exact = stats.chi2_contingency(table, correction=False)
        assert each.searched.quality == pytest.approx(exact.statistic)
        assert each.searched.p_value == pytest.approx(exact.pvalue)


def test_low_numbers_are_the_negated_high_ones():
    hammond = load_dataset("hammond")
    options = {"min_support": 2, "held_out": 0, "top": 3}
    low = subgroups(hammond.population, hammond.target, hammond.grammar, label="low", **options)
    high = subgroups(hammond.population, -np.asarray(hammond.target), hammond.grammar, **options)
    assert [str(each) for each in low] == [str(each) for each in high]
    assert [each.searched.mean for each in low] == pytest.approx([-each.searched.mean for each in high])


def test_a_database_selects_the_individuals_of_each_subgroup():
    with closing(sqlite3.connect(":memory:")) as shop:
        shop.executescript(
            "CREATE TABLE customer(id INTEGER PRIMARY KEY, town TEXT, age INTEGER);"
            'CREATE TABLE "order"(customer_id INTEGER REFERENCES customer, total REAL);'
        )
        rng = np.random.default_rng(1)
        shop.executemany("INSERT INTO customer VALUES (?, ?, ?)", [(i, "AB"[i % 2], i % 50) for i in range(80)])
        shop.executemany('INSERT INTO "order" VALUES (?, ?)', [(int(rng.integers(80)), float(i)) for i in range(200)])
        customers = Population.from_database(shop, individual="customer")
        labels = np.where(np.arange(80) % 50 < 20, "young", "old")
        found = subgroups(customers, labels, top=4)
        assert len(found) == 4
        shop.executescript(subgroups_sql(found))
        for place, each in enumerate(found, 1):
            rows = [key for (key,) in shop.execute(f"SELECT id FROM subgroup_{place} ORDER BY id")]
            assert rows == np.flatnonzero(holds(each.predicate, found.population)).tolist()


def test_without_time_the_result_is_marked_as_unproved():
    planted = load_dataset("planted-trains")
    found = find_subgroups(planted.population, planted.target, planted.grammar, literals=6, clock=Clock(0.0))
    assert found.stopped_by == "time"
    assert not found.proved


def test_a_source_gives_the_subgroups_of_its_data():
    by_name = subgroups("planted-trains", top=3)
    planted = load_dataset("planted-trains")
    by_data = subgroups(planted.population, planted.target, planted.grammar, top=3)
    assert [each.to_dict() for each in by_name] == [each.to_dict() for each in by_data]
    assert by_name.target == "direction"


def test_a_grammar_may_mention_the_target():
    rows = [{"size": i} for i in range(30)]
    grammar = "refine Individual { top -> size >= *; top -> good }"
    found = subgroups(rows, [i >= 12 for i in range(30)], grammar, target_name="good", held_out=0, top=1, label=True)
    assert [str(each) for each in found] == ["size >= 12"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"measure": "wrac"}, "unknown measure 'wrac'"),
        ({"measure": "mean-shift"}, "is for numbers"),
        ({"label": "nort"}, "unknown class 'nort'"),
        ({"top": 0}, "top must be an int >= 1; got 0"),
        ({"min_support": 2.5}, "whole number or a fraction"),
        ({"covering": 0.5, "redundancy": "subset"}, "two ways to avoid overlaps"),
        ({"tops": 3}, "subgroups has no option 'tops'"),
        ({"measure": "chi-squared", "label": "east"}, "compares all classes together"),
    ],
)
def test_wrong_options_are_refused(options, sentence):
    trains = load_dataset("trains")
    with pytest.raises(StructtreeError, match=sentence):
        subgroups(trains.population, trains.target, "trains", **options)


def test_a_notebook_shows_a_table():
    markup = subgroups("lenses", top=2)._repr_html_()
    assert markup.count("<tr>") == 3
    assert "held-out" in markup


def test_identical_labels_are_refused():
    with pytest.raises(DataError, match="all labels are identical"):
        subgroups([{"a": 1}, {"a": 2}], ["x", "x"])


def test_subgroups_within_better_ones_are_counted():
    cars = load_dataset("car")
    options = {"label": "acc", "top": 6, "held_out": 0, "effort": "prove"}
    found = subgroups(cars.population, cars.target, cars.grammar, **options)
    inside = [holds(each.predicate, cars.population) for each in found]
    pairs = [(i, j) for i in range(6) for j in range(i) if not (inside[i] & ~inside[j]).any()]
    assert found.n_within == len({i for i, _ in pairs}) > 0
    kept = subgroups(cars.population, cars.target, cars.grammar, redundancy="subset", **options)
    assert kept.n_within == 0
    lines = list(subgroup_facts(found))
    assert any(line.startswith(f"{found.n_within} of them lie within a better one") for line in lines)
    assert not any("lie within" in line for line in subgroup_facts(kept))
