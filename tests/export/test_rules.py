"""Rules as SQL and Prolog: databases and SWI-Prolog predict what rule lists and rule sets predict."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from structtree import export_prolog, export_sql, fit, load_dataset, load_model, save_model
from structtree.data.provenance import provenance_of
from tests.export.test_prolog import PAIRS, PEOPLE, Exported, check, of_rows, people_and_pairs, term
from tests.export.test_sql_ensembles import ENGINES, opened, selected

GRAMMAR = """
refine customer { top -> born <= *; top -> vip; top -> note = *; top -> points = * }
refine order { top -> pieces >= *; top -> kind = *; top -> total <= *; top -> customer (vip) }
limits { literals 2 }
"""
COSTS = [[0.0, 1.0], [3.0, 0.0]]


def labels_for(population, n_classes, seed=1):
    """Labels at random, or numbers."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, n_classes, len(population)).astype(str) if n_classes else rng.normal(size=len(population))


def check_view(database, model, population):
    """Compare the view of a model with its predictions, in the order of keys and row numbers, which ascend."""
    n_before = 1 if model.predictor.kind == "rule-set" else 2  # the key, and the leaf of a list
    rows = selected(database, export_sql(model))
    assert len(rows) == len(population)
    if not model.classes:
        assert np.allclose([row[n_before] for row in rows], model.predict(population), rtol=1e-9, atol=1e-12)
        return
    assert [row[n_before] for row in rows] == model.predict(population).tolist()
    shares = [row[n_before + 1 :] for row in rows]
    assert np.allclose(shares, model.predict_proba(population), rtol=0, atol=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", ["rule-list", "rule-set"])
@pytest.mark.parametrize(("individual", "n_classes"), [("order", 0), ("customer", 2), ("order", 2), ("order", 3)])
def test_a_database_predicts_what_the_rules_predict(engine, kind, individual, n_classes, tmp_path):
    database, population = opened(engine, individual)
    labels = labels_for(population, n_classes)
    costs = COSTS if n_classes == 2 and individual == "order" else None
    model = fit(population, labels, GRAMMAR, model=kind, grow="full", min_support=2, costs=costs)
    assert len(model.predictor.tests) > 2
    save_model(model, tmp_path / "rules.json")
    check_view(database, load_model(tmp_path / "rules.json"), population)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_set_without_rules_predicts_its_default(engine):
    database, population = opened(engine, "order")
    model = fit(population, labels_for(population, 2), GRAMMAR, model="rule-set", max_rules=1)
    bare = replace(model, predictor=replace(model.predictor, rules=()))
    check_view(database, bare, population)


@pytest.mark.parametrize("kind", ["rule-list", "rule-set"])
def test_prolog_predicts_what_the_rules_predict(kind, tmp_path):
    people, pairs = people_and_pairs()
    file = tmp_path / "people.pl"
    file.write_text(PEOPLE)
    trains = load_dataset("trains")
    options = {"model": kind, "grow": "full", "min_support": 1}
    _, shop = opened("sqlite", "order")
    cases = [of_rows(fit(trains.population, trains.target, "trains", **options), trains.population)]
    for n_classes, costs in [(0, None), (2, None), (2, COSTS), (3, None)]:
        model = fit(shop, labels_for(shop, n_classes), GRAMMAR, costs=costs, **options)
        assert len(model.predictor.tests) > 2
        cases.append(of_rows(model, shop))
    for population, grammar, terms in [
        (people.split_target("ill")[0], None, list(map(term, provenance_of(people).names["name"]))),
        (pairs, PAIRS, provenance_of(pairs).names["fact"]),
    ]:
        model = fit(population, labels_for(population, 2), grammar, **options)
        told = model.predict(population).tolist()
        cases.append(Exported(export_prolog(model, facts=population), terms, told, (file,)))
    check(cases, tmp_path)


def test_a_set_without_rules_is_a_default_in_prolog(tmp_path):
    trains = load_dataset("trains")
    model = fit(trains.population, trains.target, "trains", model="rule-set", max_rules=1)
    bare = replace(model, predictor=replace(model.predictor, rules=()))
    assert bare.predictor.tests == ()
    check([of_rows(bare, trains.population)], tmp_path)
