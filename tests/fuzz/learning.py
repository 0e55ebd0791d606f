"""Laws of learning: the best split, trees on every route, models as files, and rules as they are printed."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from structtree.errors import GrammarError, UsageError
from structtree.lang.check import check_predicate
from structtree.lang.grammar import Grammar
from structtree.lang.parse import parse_predicate
from structtree.learn.fit import fit
from structtree.models.files.models import load_model, model_to_json, save_model
from structtree.models.rules import to_formula, to_rules
from structtree.models.settings import Decision, Growth, Pruning
from structtree.report.explain import explain
from structtree.report.text import export_text
from structtree.search.best_split import best_split
from structtree.space.count import count_space
from structtree.space.evaluate import holds
from structtree.tasks.criteria import CRITERIA
from tests import strategies as some
from tests.fuzz.laws import Case, law
from tests.fuzz.meaning import all_members, as_written, declarations, is_refused, space_of, with_declarations
from tests.fuzz.plain import population_of, to_plain
from tests.properties.test_search import check_trace
from tests.search import reference

CLASSES = ("a", "b", 'it\'s "c"')


@st.composite
def problems(draw, most=4) -> Case:
    """Data, a grammar, and labels with weights."""
    population = draw(some.populations(least=2, most=most))
    n = len(population)
    text = draw(declarations(population.schema))
    found = with_declarations(population, text)
    assume(found is not None)
    is_number = draw(st.booleans())
    labels = st.integers(-4, 4).map(float) if is_number else st.sampled_from(CLASSES)
    target = draw(st.lists(labels, min_size=n, max_size=n))
    assume(len(set(target)) > 1)
    criteria = [name for name, each in CRITERIA.items() if each.task == ("numbers" if is_number else "classes")]
    weights = st.lists(st.sampled_from([0.5, 1.0, 2.0]), min_size=n, max_size=n)
    return {
        "data": to_plain(population),
        "grammar": f"{text}\n{draw(some.grammars(as_written(found.schema)))}",
        "target": target,
        "criterion": draw(st.sampled_from(criteria)),
        "weights": draw(st.one_of(st.none(), weights)),
        "least": draw(st.integers(1, 2)),
    }


# ---- search ---------------------------------------------------------------------------------------------


@law("search", problems(), round=40, quick=10)
def search(case):
    """The best split is the best of all predicates by the formulas of the books, with pruning and without."""
    space = space_of(population_of(case["data"]), case["grammar"])
    expected = best_loss(case, [holds(predicate, space.population) for predicate in all_members(space)])
    assume(expected is not None)
    weights = None if case["weights"] is None else np.array(case["weights"])
    found = [
        best_split(
            space.population,
            np.array(case["target"]),
            space,
            criterion=case["criterion"],
            prune=prune,
            sample_weight=weights,
            min_samples_leaf=case["least"],
        )
        for prune in (True, False)
    ]
    for split in found:
        assert split.proved and split.gap == 0.0
        np.testing.assert_allclose(split.loss, expected, atol=1e-9)
        check_trace(split)
    assert found[0].predicate == found[1].predicate
    assert found[0].stats.evaluated <= found[1].stats.evaluated == count_space(space).size


def best_loss(case, truths):
    """The least loss of predicates that leave enough individuals on both sides; None if there is none."""
    least = case["least"]
    inside = np.array([true for true in truths if least <= true.sum() <= len(true) - least])
    if not len(inside):
        return None
    weights = np.ones(inside.shape[1]) if case["weights"] is None else np.array(case["weights"])
    if CRITERIA[case["criterion"]].task == "numbers":
        target = reference.centred(case["target"], weights)
        yes, total = reference.moments(target, weights, inside), reference.moments(target, weights)
    else:
        names, codes = np.unique(case["target"], return_inverse=True)
        yes = reference.class_counts(codes, weights, len(names), inside)
        total = reference.class_counts(codes, weights, len(names))
    return min(map(tuple, reference.LOSSES[case["criterion"]](yes, total)))


# ---- models ---------------------------------------------------------------------------------------------


@st.composite
def learned(draw) -> Case:
    """A problem, and options of learning."""
    problem = draw(problems(most=draw(st.sampled_from([6, 12]))))
    growth = st.fixed_dictionaries(
        {},
        optional={
            "max_depth": st.integers(1, 3),
            "strategy": st.sampled_from(["auto", "bottom-up", "best-first", "beam"]),
            "share": st.sampled_from([None, None, "path"]),
            "max_leaf_nodes": st.integers(2, 5),
            "nominal": st.sampled_from(["binary", "binary", "subset", "multiway"]),
            "missing": st.sampled_from(["false", "false", "majority", "fractional"]),
            "min_samples_leaf": st.integers(1, 3),
        },
    )
    pruning = st.sampled_from([{}, {"method": "pessimistic"}, {"method": "cost-complexity", "alpha": 0.1}])
    return {
        **problem,
        "growth": draw(growth),
        "pruning": draw(pruning),
        "decision": draw(st.sampled_from([{}, {"estimate": "laplace"}, {"estimate": "m-estimate", "m": 2.0}])),
        "default": draw(st.booleans()),
    }


def growth_of(options, most):
    """Options of growing with a limit of evaluations, which cannot be combined with some of them."""
    is_plain = options.get("nominal", "binary") == "binary" and options.get("missing", "false") == "false"
    return Growth(**options, **({"max_evaluations": most} if is_plain else {}))


def model_of(case, population):
    """The model that is learned; mutually exclusive options, and grammars without sense, are passed over."""
    is_number = isinstance(case["target"][0], float)
    try:
        return fit(
            population,
            np.array(case["target"]),
            None if case["default"] else Grammar.parse(case["grammar"]),
            growth_of(case["growth"], 3000),
            Pruning(**{k: v for k, v in case["pruning"].items() if not (is_number and v == "pessimistic")}),
            None if is_number else Decision(**case["decision"]),
            grow="full" if not case["pruning"] else "pruned",
            criterion=case["criterion"],
            sample_weight=case["weights"],
        )
    except UsageError as error:
        assume(not error)
    except GrammarError as error:
        assume(not is_refused(error))
        raise


@law("models", learned(), round=40, quick=10)
def models(case):
    """A model that is saved and read again says and shows the same, and explains everybody as it predicts."""
    population = population_of(case["data"])
    model = model_of(case, population)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        save_model(model, path)
        again = load_model(path)
    assert model_to_json(again) == model_to_json(model)
    assert again.predict(population).tolist() == model.predict(population).tolist()
    assert export_text(again) == export_text(model)
    assert [str(rule) for rule in rules_of(again)] == [str(rule) for rule in rules_of(model)]
    for i, said in enumerate(model.predict(population)):
        assert explain(again, population, i).prediction == said
    for node, which in model.tree.arrivals(model.prepared(population)):
        assert model.tree.missing == "fractional" or model.tree.nodes[node].stats.n == len(which)


def rules_of(model, *args, **options):
    """The rules of a model; there are none where individuals are divided among leaves."""
    try:
        return to_rules(model, *args, **options)
    except UsageError:
        return ()


# ---- rules ----------------------------------------------------------------------------------------------

RULE = re.compile(r"if (.*) then (.*) \(n=(\d+)(?:, weight ([^,]+))?(?:, confidence ([\d.]+))?(?:, ± (.*))?\)")


@law("rules", learned(), round=40, quick=10)
def rules(case):
    """Rules read back from their text hold for those they count, and all that hold say what the model predicts."""
    population = population_of(case["data"])
    model = model_of(case, population)
    assume(model.tree.missing != "fractional")
    whole = model.prepared(population)
    known = whole.schema if case["default"] else Grammar.parse(case["grammar"]).check(population.schema)
    said = model.predict(population)
    target, weights = np.array(case["target"]), np.array(case["weights"] or [1.0] * len(population))
    for simplify in (True, False):
        for data in ((), (population, target)):
            weighted = {"sample_weight": weights} if data else {}
            counted = np.zeros(len(population), dtype=int)
            for rule in to_rules(model, *data, **weighted, simplify=simplify):
                counted += check_rule(rule, known, whole, said, target, weights)
            assert (counted == 1).all() if not simplify else (counted >= 1).all()
    if model.tree.classes:
        for label, formula in to_formula(model).items():
            assert (holds(formula, whole) == (said == label)).all()


def check_rule(rule, known, population, said, target, weights):
    """The individuals that satisfy a rule as it is printed; what it quotes is true of them."""
    found = RULE.fullmatch(str(rule))
    assert found is not None, str(rule)
    covered = holds(check_predicate(parse_predicate(found[1]), population.schema.individual, known), population)
    assert (said[covered] == rule.prediction).all(), str(rule)
    assert int(found[3]) == covered.sum(), str(rule)
    weight = float(weights[covered].sum())
    assert rule.support == weight and (found[4] is None or abs(float(found[4]) - weight) <= 1e-3 * weight), str(rule)
    if found[5] is not None and weight:
        right = float(weights[covered & (target == rule.prediction)].sum())
        assert abs(float(found[5]) - right / weight) <= 0.005 + 1e-9, str(rule)
    if found[6] is not None and weight:
        off = float(np.sqrt(np.average((target[covered] - rule.prediction) ** 2, weights=weights[covered])))
        assert abs(rule.spread - off) <= 1e-9 * max(1.0, off), str(rule)
    return covered
