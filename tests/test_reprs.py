"""The repr of a result, in a notebook or a debugger: a line that says the type and the key facts."""

import dataclasses
import inspect
from functools import cache

import numpy as np
import pytest

import structtree
from structtree import (
    Attribute,
    Audit,
    Branch,
    Finding,
    Grammar,
    Leaf,
    Link,
    Model,
    MultiwayBranch,
    Population,
    RecordType,
    Schema,
    Space,
    StructuralTreeClassifier,
    Tree,
    best_split,
    compare,
    compare_effort,
    cross_validate,
    explain,
    fit,
    load_dataset,
    open_data,
    performance,
    plan_for,
    to_rules,
    why_not,
    witnesses,
)
from structtree.data.datasets.catalog import dataset_catalog
from structtree.data.profile import profile
from structtree.learn.pruning import pruning_path
from structtree.models.leaves import operating_points
from structtree.models.records import GrammarRecord
from structtree.models.tree import ClassCounts, Found, Moments
from structtree.models.tree_predictor import TreePredictor
from structtree.report.pictures.space_graph import dag_of
from structtree.report.predictions import Predictions, predictions
from structtree.search.results import SearchStats
from structtree.tasks.target import target_for

N = 3_000
WORDS = tuple(f"category number {i}" for i in range(N))


@cache
def large():
    """A population of many parts, a wide type, and long names."""
    records = [
        {
            "name": WORDS[i],
            "parts": [{"size": j, "mark": WORDS[i]} for j in range(3)],
            **{f"flag{k}": True for k in range(40)},
        }
        for i in range(N)
    ]
    return Population.from_records(records, individual="Thing")


@cache
def labels():
    return np.array([f"class {i % 200}" for i in range(N)])


@cache
def trains():
    return load_dataset("trains")


@cache
def trains_split():
    return best_split(trains().population, trains().target, Grammar.load("trains"))


@cache
def trains_tree():
    return fit(trains().population, trains().target, Grammar.load("trains")).tree


@cache
def big_tree():
    """A chain of branches with as many leaves as there are classes."""
    counts, found = ClassCounts(N, (1.0,) * N), Found("acc*", 0.5, 0.1, True, 0.0, 1, 0.0)
    test = Grammar.load("trains").predicate("exists cars (" + " and ".join(f"wheels >= {i}" for i in range(60)) + ")")
    nodes = []
    for i in range(N - 1):
        nodes += [Branch(test, 2 * i + 1, 2 * i + 2, counts, found), Leaf(counts)]
    return Tree((*nodes, Leaf(counts)), large().schema, WORDS)


@cache
def swept_tree():
    lenses = load_dataset("lenses")
    return fit(lenses.population, lenses.target).tree


@cache
def wide_schema():
    car = RecordType("Car", tuple(Attribute(f"a{i}", "nominal", WORDS) for i in range(N)))
    links = tuple(Link(f"link{i}", "set", "Car") for i in range(N))
    types = tuple(RecordType(f"Type{i}") for i in range(N))
    return Schema((RecordType("Train", (), links), car, *types), "Train")


@cache
def crossed():
    lenses = load_dataset("lenses")
    return cross_validate(StructuralTreeClassifier, lenses.population, lenses.target, folds=3, repeats=1)


def effort():
    return compare_effort(trains().population, trains().target, Grammar.load("trains"), ["acc*"])[0]


def said():
    return predictions(Model(TreePredictor(trains_tree()), target="direction"), open_data("trains"))


def finding():
    return Finding("copy", "outcome", "result", {"accuracy": 1.0}, "it is a copy", "SELECT 1")


def compared():
    lenses = load_dataset("lenses")
    return compare(
        {f"tree {i}": StructuralTreeClassifier for i in range(20)}, lenses.population, lenses.target, folds=2
    )


# Each: a result, and what its repr must say.
@cache
def performed():
    return performance(Model(TreePredictor(trains_tree())), trains().population, trains().target)


def trains_subgroups():
    return structtree.subgroups(trains().population, trains().target, "trains", top=2, label="east")


def trains_patterns(**options):
    return structtree.patterns(trains().population, support=0.8, **options)


def trains_boosted():
    return structtree.fit(trains().population, trains().target, "trains", model="boosting", max_iter=3)


def trains_rules():
    return structtree.fit(trains().population, trains().target, "trains", model="rule-set", max_rules=1)


def trains_forest():
    return structtree.fit(trains().population, trains().target, "trains", model="forest", n_estimators=3)


RESULTS = {
    "Population": (large, "3,000 Thing, 9,000 Part"),
    "Population, some": (lambda: large()[:7], "7 Thing (of 3,000), 9,000 Part"),
    "Table": (lambda: large().table("Thing"), "3,000 rows"),
    "Classification": (lambda: trains_tree().task, "classes east, west"),
    "Column": (lambda: large().column("name"), "nominal, 3,000 rows, category number 0"),
    "Adjacency": (lambda: large().table("Thing").links["parts"], "3,000 rows to 9,000 targets"),
    "Schema": (wide_schema, "individual Train, Car, Type0"),
    "RecordType": (lambda: wide_schema().type("Car"), "Car, a0 (nominal)"),
    "Attribute": (lambda: wide_schema().type("Car").attributes[0], "a0, nominal, category number 0"),
    "Link": (lambda: wide_schema().type("Train").links[0], "link0"),
    "Dataset": (trains, "trains, 20 Train, target direction (classes)"),
    "Entry": (lambda: dataset_catalog()[0], dataset_catalog()[0].name),
    "Opened": (lambda: open_data("trains"), "trains, 20 Train, target direction"),
    "Profile": (lambda: profile(large()), "Thing.name"),
    "Grammar": (lambda: Grammar.load("molecules-deep"), "molecules-deep"),
    "Grammar, derived": (lambda: Grammar.from_schema(wide_schema()), "rewrites for Train, Car"),
    "CheckedGrammar": (lambda: Grammar.load("trains").check(trains().population.schema), "trains, "),
    "Space": (lambda: Space.build(Grammar.from_population(large()), large()), "on 3,000 Thing"),
    "Split": (trains_split, "proved best"),
    "Problem": (lambda: trains_split().problem, "grammar trains on 20 Train"),
    "SearchStats": (lambda: trains_split().stats, "evaluated"),
    "Target": (lambda: target_for(labels(), N), "3,000 labels, class 0, class 1"),
    "WhyNot": (lambda: why_not(trains_split(), "exists cars (long)"), "long"),
    "Witness": (lambda: witnesses(trains_split().predicate, trains().population, 0)[-1], "Car"),
    "Tree": (trains_tree, "leaves, depth"),
    "Tree, large": (big_tree, "3,000 leaves, depth 2999, classes category number 0"),
    "SweptNodes": (lambda: swept_tree().nodes, "nodes"),
    "Branch": (lambda: big_tree().nodes[0], "exists cars"),
    "Leaf": (lambda: big_tree().nodes[1], "n=3,000"),
    "MultiwayBranch": (
        lambda: MultiwayBranch("name", WORDS, tuple(range(N)), ClassCounts(1, (1.0,)), None, ()),
        "name | category number 0 0",
    ),
    "ClassCounts": (lambda: ClassCounts(N, (1.0,) * N), "n=3,000, counts 1, 1"),
    "Moments": (lambda: Moments(N, 1.0, 2.0, 3.0), "mean 2"),
    "Model": (
        lambda: Model(TreePredictor(big_tree()), target="kind", grammar=GrammarRecord(" ".join(WORDS))),
        "predicts kind by <Tree: 3,000 leaves",
    ),
    "ForestPredictor": (lambda: trains_forest().predictor, "forest of 3 trees with"),
    "BoostingPredictor": (lambda: trains_boosted().predictor, "boosting of 3 trees with"),
    "RuleSetPredictor": (lambda: trains_rules().predictor, "rule set with 2 rules and a default"),
    "TreePredictor": (lambda: TreePredictor(big_tree()), "Tree: 3,000 leaves"),
    "Rule": (lambda: to_rules(trains_tree())[0], "then"),
    "PruningPath": (lambda: pruning_path(trains_tree()), "prunings"),
    "OperatingPoint": (lambda: operating_points(trains_tree())[0], "positive lea"),
    "Plan": (
        lambda: plan_for(trains().population, Grammar.load("trains").check(trains().population.schema)),
        "table for 20 Train",
    ),
    "CrossValidation": (crossed, "over 3 folds"),
    "Comparison": (compared, "tree 0 0."),
    "Explanation": (lambda: explain(trains_tree(), trains().population, 0), "Train 0 →"),
    "Reason": (lambda: explain(trains_tree(), trains().population, 0).reasons[0], "cars"),
    "SeenRow": (lambda: explain(trains_tree(), trains().population, 0).reasons[0].rows[0], "car"),
    "Predictions": (said, "direction of 20 individuals, accuracy"),
    "Scores": (lambda: crossed().evaluate(), "ROC AUC 0."),
    "Performance": (performed, "accuracy 1.000 (20 of 20), AUC of west 1.000"),
    "ClassCurves": (lambda: performed().curves[0], "west, AUC 1.000, on the hull 1.000"),
    "Predicted": (lambda: crossed().held_out[0].answers, "classes, 8 individuals"),
    "Effort": (effort, "acc*"),
    "Subgroups": (lambda: trains_subgroups(), "2 subgroups, by wracc"),
    "Subgroup": (lambda: trains_subgroups()[0], "east in"),
    "Patterns": (lambda: trains_patterns(), "patterns, of at least 16 individuals"),
    "Pattern": (lambda: trains_patterns()[0], "exists cars (top), 20 of 20 individuals"),
    "AssociationRule": (lambda: trains_patterns(rules=True)[0], "lift"),
    "Finding": (finding, "copy, outcome.result"),
    "Audit": (lambda: Audit("status", N, (finding(),) * N), "status, 3,000 findings"),
    "Dag": (lambda: dag_of(Space.build(Grammar.load("trains"), trains().population)), "nodes"),
    "StructuralTreeClassifier": (
        lambda: StructuralTreeClassifier(grammar=Grammar.load("molecules-deep")),
        "molecules-deep",
    ),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_repr_is_a_few_lines_with_the_type_and_the_key_facts(name):
    make, fact = RESULTS[name]
    value = make()
    text = repr(value)
    assert type(value).__name__ == name.split(",")[0]
    assert type(value).__name__ in text
    assert fact in text
    assert len(text) <= 300
    assert text.count("\n") < 3


def test_every_public_result_type_is_in_the_table():
    public = {name: getattr(structtree, name) for name in structtree.__all__}
    results = {name for name, value in public.items() if inspect.isclass(value) and dataclasses.is_dataclass(value)}
    # Of tasks, classification is in the table.
    options = {"Growth", "Pruning", "Decision", "Forest", "Boosting", "Rules", "Task"}
    assert results - options <= set(RESULTS)


def test_a_repr_does_not_look_at_the_rows():
    touched = []

    class Watched(np.ndarray):
        def __getitem__(self, which):
            touched.append(which)
            return super().__getitem__(which)

    rows = np.arange(N).view(Watched)
    column = dataclasses.replace(large().column("name"), values=rows)
    population = dataclasses.replace(large(), individuals=rows)
    touched.clear()
    repr(column), repr(population)
    repr(Predictions(None, rows, None, (), None, None, None, rows))
    assert touched == []


def test_what_is_printed_is_the_whole():
    rule, explanation = to_rules(trains_tree())[0], explain(trains_tree(), trains().population, 0)
    assert str(rule).startswith("if ")
    assert str(explanation).count("\n") > 1
    assert str(Grammar.load("trains")).startswith("grammar trains")
    assert repr(SearchStats()) == str(SearchStats())
