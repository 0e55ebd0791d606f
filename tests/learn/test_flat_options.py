"""Options of learning are given by name, in objects, or some in each way, and mean the same."""

from __future__ import annotations

import pytest

from structtree import Decision, Grammar, Growth, Pruning, StructuralTreeClassifier, fit, grow, load_dataset
from structtree.errors import UsageError
from structtree.options import build_options, merge_options, options_of

LENSES = load_dataset("lenses")
KINDS = {"growth": Growth, "pruning": Pruning, "decision": Decision}

# For each option another value than the default, and what it needs.
OTHERS = {
    "max_depth": 2,
    "min_samples_split": 9,
    "min_samples_leaf": 3,
    "min_impurity_decrease": 0.01,
    "max_leaf_nodes": 3,
    "stop": "mdl",
    "significance": {"significance": 0.2, "stop": "test"},
    "share": {"share": "path", "strategy": "best-first"},
    "prune": {"prune": False, "strategy": "best-first", "max_depth": 1},
    "strategy": "exhaustive",
    "effort": "prove",
    "max_evaluations": {"max_evaluations": 30, "strategy": "best-first"},
    "time_limit": 3600.0,
    "random_state": 7,
    "cost_tolerance": 0.3,
    "nominal": "multiway",
    "missing": "majority",
    "average_gain_filter": {"average_gain_filter": True, "criterion": "gain-ratio"},
    "post_prune": "pessimistic",
    "ccp_alpha": 0.05,
    "standard_errors": {"standard_errors": 1.0, "ccp_alpha": "cv"},
    "prune_risk": {"prune_risk": "gini", "post_prune": "cost-complexity", "ccp_alpha": 0.01},
    "prune_to": {"prune_to": 2, "ccp_alpha": "cv"},
    "leaves": 2,
    "validation_fraction": {"validation_fraction": 0.4, "post_prune": "reduced-error"},
    "confidence": {"confidence": 0.1, "post_prune": "pessimistic"},
    "min_weight_fraction_leaf": 0.2,
    "leaf_estimate": "laplace",
    "m": {"m": 5.0, "leaf_estimate": "m-estimate"},
    "costs": ((0.0, 1.0, 1.0), (4.0, 0.0, 1.0), (9.0, 1.0, 0.0)),
}
EACH = {name: value if isinstance(value, dict) else {name: value} for name, value in OTHERS.items()}


def nodes(tree):
    """The tests and the counts, without the seconds that the search took."""
    return list(map(repr, tree.nodes))


def learned(**given):
    model = fit(LENSES.population, LENSES.target, **given)
    return nodes(model.tree), model.decision, model.settings


def test_every_option_is_tried():
    assert list(EACH) == [each.parameter for each in options_of(*KINDS.values())]


@pytest.mark.parametrize("name", EACH)
def test_fit_takes_options_by_name_as_in_their_objects(name):
    given = EACH[name]
    rest = {"criterion": given["criterion"]} if "criterion" in given else {}
    objects = {called: build_options(kind, given) for called, kind in KINDS.items()}
    assert learned(**given) == learned(**objects, **rest)


def test_fit_by_name_learns_what_the_estimator_learns():
    given = {"max_depth": 2, "time_limit": None, "class_weight": "balanced", "leaf_estimate": "laplace"}
    tree = StructuralTreeClassifier("flat", **given).fit(LENSES.population, LENSES.target)
    model = fit(LENSES.population, LENSES.target, "flat", **given)
    assert nodes(model.tree) == nodes(tree.tree_) and model.decision == tree.model_.decision


def test_grow_takes_options_of_growth_by_name():
    data = (LENSES.population, LENSES.target, Grammar.load("flat"))
    both = Growth(max_depth=2, min_samples_leaf=3)
    assert nodes(grow(*data, max_depth=2, min_samples_leaf=3)) == nodes(grow(*data, both))
    assert nodes(grow(*data, Growth(min_samples_leaf=3), max_depth=2)) == nodes(grow(*data, both))


@pytest.mark.parametrize("each", options_of(*KINDS.values()), ids=lambda each: each.parameter)
def test_an_option_that_is_given_twice_is_refused(each):
    kind = next(kind for kind in KINDS.values() if each in options_of(kind))
    built = build_options(kind, EACH[each.parameter])
    twice = rf"^{each.parameter} is given twice, as {each.parameter}=.* and as {kind.__name__}\({each.name}="
    with pytest.raises(UsageError, match=twice):
        merge_options(kind, built, {each.parameter: each.default})


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"time_limt": 20}, "fit has no option 'time_limt' (did you mean 'time_limit'?)"),
        ({"alpha": 0.1}, "fit has no option 'alpha' (did you mean 'ccp_alpha'?)"),
        ({"max_leaves": 3}, "fit has no option 'max_leaves' (did you mean 'prune_to'?)"),
        ({"sample_weights": [1]}, "fit has no option 'sample_weights' (did you mean 'sample_weight'?)"),
        ({"max_depth": 0}, "max_depth must be an int >= 1 or None; got 0"),
        ({"prune_to": 3}, "prune_to is for ccp_alpha='cv', not for ccp_alpha=None"),
        (
            {"growth": Growth(max_depth=3), "max_depth": 4},
            "max_depth is given twice, as max_depth=4 and as Growth(max_depth=3); remove one",
        ),
        (
            {"class_weight": "balance"},
            "class_weight must be a dict from class to number, or 'balanced'; got 'balance'",
        ),
    ],
)
def test_fit_refuses_options_in_one_sentence(given, sentence):
    with pytest.raises(UsageError) as refused:
        fit(LENSES.population, LENSES.target, **given)
    assert str(refused.value) == sentence


def test_grow_has_no_options_of_pruning():
    with pytest.raises(UsageError, match=r"^grow has no option 'ccp_alpha'"):
        grow(LENSES.population, LENSES.target, Grammar.load("flat"), ccp_alpha=0.1)
