"""The trees that books print for plain tables, with many branches and with missing values: Flach, ID3, C4.5."""

from __future__ import annotations

import numpy as np
import pytest

from structtree.data.datasets.catalog import load_dataset
from structtree.data.population import Population
from structtree.lang.grammar import Grammar
from structtree.lang.pretty import pretty
from structtree.learn.fit import Pruning, fit
from structtree.learn.growing import grow
from structtree.models.settings import Growth
from structtree.models.tree import Branch, Leaf
from structtree.models.tree_predictor import TreePredictor
from structtree.report.text import export_text


def rows_of(data):
    return [data.population.record(i) for i in range(len(data.population))]


def shown(tree, node=0):
    """A tree as nested dicts: what is asked, and what each answer leads to; at a leaf what is seen there."""
    here = tree.nodes[node]
    if isinstance(here, Leaf):
        return tuple(round(n, 1) for n in here.stats.counts) if tree.classes else here.stats.mean
    asked = pretty(here.test) if isinstance(here, Branch) else here.attribute
    answers = ("yes", "no") if isinstance(here, Branch) else here.values
    return {asked: {a: shown(tree, child) for a, child in zip(answers, here.children, strict=True)}}


# ---- Flach, "Machine Learning", chapter 5 -----------------------------------------------------------------


@pytest.mark.parametrize("name", ["entropy", "gini", "sqrt-gini", "gain-ratio", "acc*"])
def test_the_dolphins_of_figure_5_3(name):
    """Every feature has a branch for each of its values; length is one of three words there, not a number."""
    dolphins = load_dataset("dolphins")
    population = Population.from_records(rows_of(dolphins), types={"Individual.length": "nominal"})
    grammar = Grammar.from_schema(population.schema)
    tree = grow(population, dolphins.target, grammar, Growth(nominal="multiway"), criterion=name)
    assert tree.classes == ("no", "yes")
    lengths = {"3": (0, 2), "4": {"teeth": {"few": (1, 0), "many": (0, 1)}}, "5": (0, 2)}
    assert shown(tree) == {"gills": {"no": {"length": lengths}, "yes": (4, 0)}}


def test_the_dolphins_that_nobody_has_seen_get_the_classes_that_the_book_counts():
    """Of the 14 combinations that are not in the data nine are said to be no dolphins and five to be some."""
    dolphins = load_dataset("dolphins")
    types = {"Individual.length": "nominal"}
    population = Population.from_records(rows_of(dolphins), types=types)
    model = fit(population, dolphins.target, growth=Growth(nominal="multiway"), criterion="entropy")
    every = [
        {"length": length, "gills": gills, "beak": beak, "teeth": teeth}
        for length in "345"
        for gills in ("yes", "no")
        for beak in ("yes", "no")
        for teeth in ("many", "few")
    ]
    known = [{**row, "length": str(row["length"])} for row in rows_of(dolphins)]
    unseen = [row for row in every if row not in known]
    said = model.predict(Population.from_records(unseen, types=types)).tolist()
    assert (said.count("no"), said.count("yes")) == (9, 5)


def test_the_organs_of_figure_5_8():
    """Model first, then for the two models with several organs whether there is a Leslie."""
    organs = load_dataset("hammond")
    grammar = Grammar.from_schema(organs.population.schema)
    tree = grow(organs.population, organs.target, grammar, Growth(nominal="multiway", min_samples_split=3))
    assert shown(tree) == {
        "model": {
            "A100": {"leslie": {"no": 1410.5, "yes": 1900}},
            "B3": 4513,
            "E112": 77,
            "M102": 870,
            "T202": {"leslie": {"no": 184.5, "yes": 625}},
        }
    }
    squared_means = np.mean(organs.target**2) - tree.nodes[0].found.score
    assert squared_means == pytest.approx(3.21e6, abs=0.005e6)


# ---- Quinlan's mornings -----------------------------------------------------------------------------------

TENNIS = {
    "outlook": {
        "overcast": (0, 4),
        "rain": {"windy": {"no": (0, 3), "yes": (2, 0)}},
        "sunny": {"humidity": {"high": (3, 0), "normal": (0, 2)}},
    }
}


@pytest.mark.parametrize("name", ["entropy", "gain-ratio", "gini", "acc*"])
@pytest.mark.parametrize("missing", ["false", "majority", "fractional"])
def test_the_tree_of_id3(name, missing):
    """Quinlan (1986), figure 2."""
    tennis = load_dataset("tennis")
    grammar = Grammar.from_schema(tennis.population.schema)
    growth = Growth(nominal="multiway", missing=missing)
    assert shown(grow(tennis.population, tennis.target, grammar, growth, criterion=name)) == TENNIS


@pytest.mark.parametrize(
    ("attribute", "gain", "ratio"),
    [("outlook", 0.246, 0.156), ("humidity", 0.151, 0.152), ("windy", 0.048, 0.049), ("temperature", 0.029, 0.019)],
)
def test_the_gains_and_gain_ratios_of_the_four_attributes(attribute, gain, ratio):
    tennis = load_dataset("tennis")
    grammar = Grammar.parse(f"refine Row {{ top -> {attribute} = * }}")
    for name, expected in (("entropy", gain), ("gain-ratio", ratio)):
        tree = grow(tennis.population, tennis.target, grammar, Growth(nominal="multiway"), criterion=name)
        assert tree.nodes[0].found.gain == pytest.approx(expected, abs=0.001)


def golf(**changed):
    """The mornings of C4.5's chapters 2 and 3, one of them with an outlook that nobody knows."""
    data = load_dataset("golf")
    rows = rows_of(data)
    rows[5] |= changed
    return Population.from_records(rows, data.population.schema), data.target


C45 = Growth(nominal="multiway", missing="fractional", average_gain_filter=True, min_samples_leaf=2)


def test_the_tree_of_c45():
    """Figure 2-1: of humidity the threshold is 75, where C4.5 takes the greatest value below the cut."""
    population, target = golf()
    tree = grow(population, target, Grammar.from_schema(population.schema), C45, criterion="gain-ratio")
    assert shown(tree) == {
        "outlook": {
            "overcast": (0, 4),
            "rain": {"windy": {"no": (0, 3), "yes": (2, 0)}},
            "sunny": {"humidity >= 85": {"yes": (3, 0), "no": (0, 2)}},
        }
    }


def test_an_outlook_that_is_missing_in_training():
    """Chapter 3: gain 0.199 and gain ratio 0.110; leaves of 3.2, 3.4 with 0.4 wrong, and 2.4 with 0.4 wrong."""
    population, target = golf(outlook=None)
    grammar = Grammar.from_schema(population.schema)
    tree = grow(population, target, grammar, C45, criterion="gain-ratio")
    assert shown(tree) == {
        "outlook": {
            "overcast": (0, 3.2),
            "rain": {"windy": {"no": (0, 3), "yes": (2, 0.4)}},
            "sunny": {"humidity >= 85": {"yes": (3, 0.4), "no": (0, 2)}},
        }
    }
    assert tree.nodes[0].found.gain == pytest.approx(0.110, abs=0.0005)
    by_gain = Growth(nominal="multiway", missing="fractional", min_samples_leaf=2)
    again = grow(population, target, grammar, by_gain, criterion="entropy")
    assert again.nodes[0].found.gain == pytest.approx(0.199, abs=0.0005)
    assert shown(again) == shown(tree)


def test_a_humidity_that_is_missing_in_a_new_case():
    """Chapter 3: a sunny day of unknown humidity is Play with 44 % and Don't Play with 56 %."""
    population, target = golf(outlook=None)
    tree = grow(population, target, Grammar.from_schema(population.schema), C45, criterion="gain-ratio")
    case = {"outlook": "sunny", "temperature": 70, "humidity": None, "windy": "no"}
    found = TreePredictor(tree).predict_proba(Population.from_records([case], population.schema))
    assert found[0] == pytest.approx([0.56, 0.44], abs=0.005)


def test_contact_lenses_as_c45_prunes_them():
    lenses = load_dataset("lenses")
    model = fit(
        lenses.population,
        lenses.target,
        Grammar.from_schema(lenses.population.schema),
        C45,
        Pruning("pessimistic"),
        criterion="gain-ratio",
    )
    assert export_text(model.tree).splitlines()[:-1] == [
        "tear_rate",
        "├─ normal:  astigmatic",
        "│  ├─ no:  soft 5/6",
        "│  └─ yes: prescription",
        "│     ├─ hypermetrope: none 2/3",
        "│     └─ myope:        hard 3/3",
        "└─ reduced: none 12/12",
    ]
