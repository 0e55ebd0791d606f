"""The estimators in scikit-learn's tools, with individuals of every form."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    StackingClassifier,
)
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from structtree import Population, StructuralTreeClassifier, StructuralTreeRegressor

N = 24
HEAVY = [i % 3 == 0 for i in range(N)]
LABELS = np.array(["heavy" if heavy else "light" for heavy in HEAVY])
NUMBERS = np.array([10.0 + i % 2 if heavy else float(i % 2) for i, heavy in enumerate(HEAVY)])

RECORDS = [{"items": [{"kg": 9 if heavy else 2}, {"kg": i % 4}]} for i, heavy in enumerate(HEAVY)]


def ring(i, heavy):
    graph = nx.cycle_graph(3 + i % 4)
    nx.set_node_attributes(graph, "C", "label")
    if heavy:
        graph.nodes[0]["label"] = "N"
    return graph


GRAPHS = [ring(i, heavy) for i, heavy in enumerate(HEAVY)]
FRAME = pd.DataFrame({"colour": ["red" if heavy else "blue" for heavy in HEAVY], "size": np.arange(N) % 5})

FORMS = {
    "records": RECORDS,
    "graphs": GRAPHS,
    "population": Population.from_records(RECORDS),
    "frame": FRAME,
}

CLASSIFIER = StructuralTreeClassifier(max_depth=2)
REGRESSOR = StructuralTreeRegressor(max_depth=2)


def same(individuals):
    return individuals


TOOLS = {
    "pipeline": make_pipeline(FunctionTransformer(same), CLASSIFIER),
    "grid search": GridSearchCV(CLASSIFIER, {"max_depth": [1, 2]}, cv=2),
    "bagging": BaggingClassifier(CLASSIFIER, n_estimators=3, random_state=0),
    "boosting": AdaBoostClassifier(CLASSIFIER, n_estimators=3, random_state=0),
    "calibration": CalibratedClassifierCV(CLASSIFIER, cv=2),
    "stacking": StackingClassifier([("tree", CLASSIFIER), ("stump", StructuralTreeClassifier(max_depth=1))], cv=2),
    "bagged numbers": BaggingRegressor(REGRESSOR, n_estimators=3, random_state=0),
    "boosted numbers": AdaBoostRegressor(REGRESSOR, n_estimators=3, random_state=0),
}


# They turn whatever they are given into an array of two dimensions before any tree sees it, which a list of dicts or
# of graphs is not; so it comes as a population, or as one column of objects.
OF_ARRAYS = {"bagging", "boosting", "bagged numbers", "boosted numbers"}


def as_column(individuals):
    column = np.empty((len(individuals), 1), dtype=object)
    for i, individual in enumerate(individuals):
        column[i, 0] = individual
    return column


def cases():
    for tool in TOOLS:
        for form, individuals in FORMS.items():
            if tool not in OF_ARRAYS or not isinstance(individuals, list):
                yield pytest.param(tool, individuals, id=f"{tool}, {form}")
            else:
                yield pytest.param(tool, as_column(individuals), id=f"{tool}, {form} in a column")
    for tool in sorted(OF_ARRAYS):
        yield pytest.param(tool, Population.from_graphs(GRAPHS), id=f"{tool}, population of graphs")


@pytest.mark.parametrize(("tool", "individuals"), list(cases()))
def test_scikit_learns_tools_take_individuals_of_every_form(tool, individuals):
    model, target = clone(TOOLS[tool]), NUMBERS if "numbers" in tool else LABELS
    assert model.fit(individuals, target).score(individuals, target) > 0.9
    if not tool.endswith("numbers"):
        assert model.predict_proba(individuals).sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("tree", "target"), [(CLASSIFIER, LABELS), (REGRESSOR, NUMBERS)], ids=["classes", "numbers"])
def test_individuals_of_every_form_are_cross_validated(tree, target, form):
    assert cross_val_score(clone(tree), FORMS[form], target, cv=3).min() > 0.9


def test_an_ensemble_says_of_a_population_what_it_says_of_its_records():
    bagged = clone(TOOLS["bagging"]).fit(FORMS["population"], LABELS)
    again = clone(TOOLS["bagging"]).fit(as_column(RECORDS), LABELS)
    assert bagged.predict_proba(FORMS["population"]).tolist() == again.predict_proba(as_column(RECORDS)).tolist()


@pytest.mark.parametrize("jobs", [2])
def test_a_population_travels_to_other_processes(jobs):
    bagged = clone(TOOLS["bagging"]).set_params(n_jobs=jobs).fit(FORMS["population"], LABELS)
    assert bagged.score(FORMS["population"], LABELS) > 0.9


@pytest.mark.parametrize(
    "which",
    [
        3,
        np.int64(3),
        slice(2, 9, 3),
        [4, 0, 4],
        np.array([4, 0, 4]),
        HEAVY,
        np.array(HEAVY),
        (np.array([1, 2]), ...),
        np.zeros(0, dtype=int),
    ],
    ids=str,
)
def test_a_population_is_indexed_as_an_array_of_individuals(which):
    chosen = FORMS["population"][which]
    assert isinstance(chosen, Population)
    column = np.atleast_1d(np.arange(N)[which])
    assert [chosen.record(i) for i in range(len(chosen))] == [RECORDS[i] for i in column]


def test_individuals_of_several_populations_are_refused():
    population, other = FORMS["population"], Population.from_records(RECORDS[:2])
    tree = clone(CLASSIFIER).fit(population, LABELS)
    assert tree.predict([population[0], population[1]]).tolist() == tree.predict(population)[:2].tolist()
    with pytest.raises(ValueError, match="expected individuals of one population; got several populations"):
        tree.predict([population[0], other[0]])


@pytest.mark.parametrize("ensemble", [BaggingClassifier, AdaBoostClassifier])
@pytest.mark.parametrize(
    ("read", "individuals"), [(Population.from_records, RECORDS), (Population.from_graphs, GRAPHS)]
)
def test_an_ensemble_that_demands_an_array_takes_plain_lists_in_a_pipeline(ensemble, read, individuals):
    model = make_pipeline(FunctionTransformer(read), ensemble(CLASSIFIER, n_estimators=3, random_state=0))
    assert cross_val_score(model, individuals, LABELS, cv=2).min() > 0.9
