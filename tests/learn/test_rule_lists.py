"""Rule lists: sequential covering with the best rule of the space, and predictions that are those of the text."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import check_estimator

from structtree import (
    Growth,
    Pruning,
    RuleListClassifier,
    RuleListRegressor,
    Rules,
    Tree,
    cross_validate,
    fit,
    load_dataset,
    load_model,
    save_model,
)
from structtree.errors import UnknownNameError, UsageError
from structtree.lang import syntax as syn
from structtree.learn.fit import fit as learn
from structtree.learn.rule_lists import FOR_RULES
from structtree.models.rules import list_rules
from structtree.report.rules import rule_lines
from structtree.space.evaluate import holds
from structtree.tasks.criteria import criterion
from structtree.tasks.measures import Laplace, OfBestClass, measure_class
from tests.cli.test_commands import succeed
from tests.rules.test_subgroups import problems

FEW = settings(max_examples=15, suppress_health_check=[HealthCheck.filter_too_much])
NEAR = 1e-9


def quality(measure, labels, classes, here, inside, code=None):
    """The quality of a rule among the individuals that are left, by plain counting; of the best class by default."""
    counts = np.array(
        [[(labels[here & each] == c).sum() for c in classes] for each in (inside, ~inside)], dtype=float
    )
    if measure in FOR_RULES:
        of_one = Laplace(n_classes=len(classes)) if measure == "laplace" else measure_class(measure)()
        yes, total = counts[0], counts.sum(axis=0)
        found = []
        for c in range(len(classes)) if code is None else [code]:
            pair = np.array([yes.sum() - yes[c], yes[c]]), np.array([total.sum() - total[c], total[c]])
            found.append(float(of_one.quality(pair[0][None, :], pair[1])[0]))
        return (max(found), 0.0)
    kept = counts.sum(axis=0) > 0
    return tuple(-criterion(measure).loss(counts[:1, kept], counts.sum(axis=0)[kept])[0])


def is_better(one, other):
    return one[0] > other[0] + NEAR or (abs(one[0] - other[0]) <= NEAR and one[1] > other[1] + NEAR)


def best_of(measure, labels, classes, here, masks, least, code=None):
    """The best quality of a rule that covers enough of the individuals that are left, and that of no rule."""
    both = measure not in FOR_RULES
    whole = quality(measure, labels, classes, here, np.zeros_like(here) if both else np.ones_like(here), code)
    best = None
    for inside in masks:
        n_yes, n_no = (here & inside).sum(), (here & ~inside).sum()
        if n_yes >= least and n_no >= (least if both else 1):
            found = quality(measure, labels, classes, here, inside, code)
            best = found if best is None or is_better(found, best) else best
    return best, whole


def covered_by(tree, population):
    """The individuals that each rule covers, in order, and its test."""
    here, node = np.ones(len(population), dtype=bool), 0
    for rule in list_rules(tree)[:-1]:
        inside = holds(rule.conditions, population)
        yield here, inside, tree.nodes[node]
        here, node = here & ~inside, tree.nodes[node].no
    yield here, None, tree.nodes[node]


@FEW
@given(problems(), st.sampled_from(["acc*", "entropy", *FOR_RULES]), st.integers(1, 2))
def test_each_rule_is_the_best_of_the_whole_space_for_the_individuals_that_are_left(problem, measure, least):
    population, grammar, literals, labels, masks = problem
    model = learn(
        population,
        labels,
        grammar,
        model="rule-list",
        measure=measure,
        min_support=least,
        literals=literals,
        grow="full",
        effort="prove",
    )
    classes = sorted(set(labels.tolist()))
    for here, inside, node in covered_by(model.tree, model.prepared(population)):
        best, whole = best_of(measure, labels, classes, here, masks, least)
        is_pure = len(set(labels[here].tolist())) < 2
        if inside is None:
            is_small = here.sum() < (2 * least if measure not in FOR_RULES else least + 1)
            assert is_pure or is_small or best is None or not is_better(best, whole)
        else:
            mine = quality(measure, labels, classes, here, inside)
            assert node.found.proved
            assert not is_better(best, mine) and is_better(mine, whole) and (here & inside).sum() >= least


@FEW
@given(problems(), st.sampled_from(FOR_RULES), st.integers(1, 2))
def test_one_class_after_the_other_has_the_best_rules_of_the_whole_space(problem, measure, least):
    population, grammar, literals, labels, masks = problem
    model = learn(
        population,
        labels,
        grammar,
        model="rule-list",
        measure=measure,
        order="class",
        min_support=least,
        literals=literals,
        grow="full",
        effort="prove",
    )
    classes = sorted(set(labels.tolist()))
    turns = sorted(range(len(classes)), key=lambda code: (labels == classes[code]).sum())[:-1]
    for here, inside, _ in covered_by(model.tree, model.prepared(population)):
        while turns:
            one = np.where(labels == classes[turns[0]], 1, 0)
            pair = [0, 1]
            best, whole = best_of_two(measure, one, pair, here, masks, least, len(classes))
            if inside is not None and is_wanted(best, whole):
                mine = quality_of_two(measure, one, here, inside, len(classes))
                if abs(mine[0] - best[0]) <= NEAR and is_right(one, here, inside):
                    break
            # Of equally good rules, the search may have chosen one that is wrong for most of its individuals.
            turns.pop(0)
        assert inside is None or turns


def is_wanted(best, whole):
    return best is not None and is_better(best, whole)


def is_right(one, here, inside):
    return 2 * one[here & inside].sum() >= (here & inside).sum()


def quality_of_two(measure, one, here, inside, n_classes):
    of_one = Laplace(n_classes=n_classes) if measure == "laplace" else measure_class(measure)()
    yes, total = np.bincount(one[here & inside], minlength=2), np.bincount(one[here], minlength=2)
    return (float(of_one.quality(yes[None, :].astype(float), total.astype(float))[0]), 0.0)


def best_of_two(measure, one, pair, here, masks, least, n_classes):
    del pair
    whole = quality_of_two(measure, one, here, np.ones_like(here), n_classes)
    found = [
        quality_of_two(measure, one, here, inside, n_classes)
        for inside in masks
        if (here & inside).sum() >= least and (here & ~inside).any()
    ]
    return (max(found) if found else None), whole


@pytest.fixture(scope="module")
def monks():
    return load_dataset("monks-3-train")


OPTIONS = [
    {},
    {"measure": "acc*", "max_rules": 1},
    {"order": "class", "measure": "m-estimate"},
    {"measure": "precision", "min_support": 0.1, "literals": 1},
    {"goal": "ranking"},
    {"post_prune": "reduced-error"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_list_predicts_what_its_rules_say_and_their_figures_are_true(monks, options):
    population, labels = monks.population, monks.target
    model = fit(population, labels, "flat", model="rule-list", **options)
    left, said = np.ones(len(population), dtype=bool), np.empty(len(population), dtype=object)
    for rule in list_rules(model):
        inside = left & holds(rule.conditions, population)
        said[inside], left = rule.prediction, left & ~inside
        if options.get("post_prune") is None:  # which does not count the individuals that it holds out
            assert rule.n == inside.sum()
            assert rule.confidence == pytest.approx((labels[inside] == rule.prediction).mean())
    assert not left.any()
    assert model.predict(population).tolist() == said.tolist()
    starts = [line.split(" if ")[0].split(" ")[0] for line in rule_lines(model)][: len(model.tree.leaves)]
    assert starts == ["if", *["else"] * len(model.tree.branches)][: len(starts)] or starts == ["always"]


def test_the_number_of_rules_is_that_of_a_beginning_of_the_whole_list(monks):
    whole = fit(monks.population, monks.target, "flat", model="rule-list", measure="m-estimate", grow="full")
    chosen = fit(monks.population, monks.target, "flat", model="rule-list", measure="m-estimate")
    assert chosen.settings.size.by == "cross-validation"
    assert len(chosen.tree.branches) < len(whole.tree.branches)
    assert chosen.tree.tests == whole.tree.tests[: len(chosen.tree.branches)]


def test_by_default_the_measure_with_the_lower_held_out_loss_is_used(monks):
    losses = {}
    for measure in ("acc*", "laplace"):
        curve = fit(monks.population, monks.target, "flat", model="rule-list", measure=measure).outcome.sizes
        model = fit(monks.population, monks.target, "flat", model="rule-list", measure=measure)
        losses[measure] = dict(zip(curve.leaves, curve.held_out, strict=True))[len(model.tree.leaves)]
    chosen = fit(monks.population, monks.target, "flat", model="rule-list")
    assert chosen.settings.criterion == min(losses, key=losses.__getitem__)
    assert chosen.settings.rules.measure == chosen.settings.criterion


def test_rules_for_numbers_predict_the_mean_of_the_individuals_that_they_cover():
    boxes = [{"size": k % 7, "red": k % 3 == 0} for k in range(60)]
    target = np.array([10.0 * (k % 7 >= 5) + (k % 3 == 0) for k in range(60)])
    model = fit(boxes, target, model="rule-list")
    rules = list_rules(model)
    first = np.array([box["size"] >= 5 for box in boxes])
    assert len(rules) > 1 and model.settings.criterion == "mse"
    left = np.ones(60, dtype=bool)
    for rule in rules:
        inside = left & holds(rule.conditions, model.prepared(boxes))
        assert rule.prediction == pytest.approx(target[inside].mean())
        left &= ~inside
    assert first.any()


def test_loading_a_saved_list_is_the_identity(monks, tmp_path):
    model = fit(monks.population, monks.target, "flat", model="rule-list", measure="laplace", max_rules=3)
    save_model(model, tmp_path / "rules.json")
    loaded = load_model(tmp_path / "rules.json")
    assert loaded.settings == model.settings
    assert list_rules(loaded) == list_rules(model)
    save_model(loaded, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "rules.json").read_bytes()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"measure": "lift"}, "the measure 'lift' does not apply to rules"),
        ({"measure": "mse"}, "the measure 'mse' is for numbers, but the target has"),
        ({"order": "class", "measure": "gini"}, "'gini' measures splits"),
        ({"max_depth": 3}, "max_depth=3 does not apply to a rule-list"),
        ({"criterion": "gini"}, "criterion='gini' does not apply to a rule-list"),
        ({"n_estimators": 3}, "n_estimators=3 does not apply to a rule-list; add model='forest'"),
        ({"min_support": 2.5}, "min_support must be a whole number or a fraction less than 1; got 2.5"),
        ({"literals": 0}, "literals must be an int >= 1 or None; got 0"),
    ],
    ids=str,
)
def test_what_does_not_apply_is_refused(monks, options, sentence):
    with pytest.raises(UsageError, match=sentence):
        fit(monks.population, monks.target, "flat", model="rule-list", **options)


def test_an_unknown_measure_is_refused_with_the_nearest_name(monks):
    with pytest.raises(UnknownNameError, match=r"unknown measure 'lapl' \(did you mean 'laplace'"):
        fit(monks.population, monks.target, "flat", model="rule-list", measure="lapl")


def test_options_of_rules_are_refused_for_a_tree(monks):
    with pytest.raises(UsageError, match="literals=2 does not apply to a tree; add model='rule-list'"):
        fit(monks.population, monks.target, "flat", literals=2)


def test_options_may_be_objects(monks):
    given_by_name = fit(monks.population, monks.target, "flat", model="rule-list", measure="laplace", max_rules=1)
    given_as_objects = fit(
        monks.population,
        monks.target,
        "flat",
        Growth(),
        Pruning(),
        rules=Rules("laplace", max_rules=1),
        model="rule-list",
    )
    assert given_by_name.tree.tests == given_as_objects.tree.tests


@pytest.mark.filterwarnings("ignore::RuntimeWarning:sklearn")  # of its own casts
@pytest.mark.parametrize("made", [RuleListClassifier, RuleListRegressor])
def test_scikit_learns_checks_pass(made):
    results = check_estimator(made(literals=1, effort="quick", min_support=1), on_fail=None, on_skip=None)
    assert {r["check_name"]: r["exception"] for r in results if r["status"] in ("failed", "xfail")} == {}
    assert sum(r["status"] == "passed" for r in results) > 40


def test_an_estimator_is_cross_validated_like_a_tree(monks):
    found = cross_validate(
        lambda: RuleListClassifier("flat", measure="laplace"), monks.population, monks.target, folds=3, repeats=1
    )
    assert len(found.scores) == 3


def test_a_source_is_learned_from_as_a_list():
    model = fit("trains", model="rule-list", max_rules=1)
    assert model.estimate is not None and isinstance(model.tree, Tree)
    assert [rule.conditions for rule in list_rules(model)][-1] == syn.TOP


def test_the_command_learns_shows_and_predicts(tmp_path):
    path = str(tmp_path / "rules.json")
    learned = succeed("rules", "trains", "--max-rules", "2", "--no-estimate", "-o", path)
    assert learned.startswith("if exists cars (closed and not long) then east (n=8, confidence 1.00)\nelse if ")
    assert "2 rules and a default, with 7 literals" in learned
    assert "else if exists cars" in succeed("show", path)
    facts = json.loads(succeed("rules", "trains", "--measure", "laplace", "--no-estimate", "--json"))
    assert facts["criterion"] == "laplace" and facts["rules"][-1]["if"] == "top"


def test_the_criterion_of_the_best_class_is_that_of_one_class_of_two():
    counts, total = np.array([[2.0, 3.0], [0.0, 4.0]]), np.array([6.0, 5.0])
    both = OfBestClass(of_one=Laplace()).quality(counts, total)
    one, other = (Laplace().quality(each, whole) for each, whole in ((counts, total), (counts[:, ::-1], total[::-1])))
    assert both.tolist() == np.maximum(one, other).tolist()
