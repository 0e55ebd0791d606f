"""Plain tables as their users have them: frames with gaps and words, by estimator and by command line."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import check_estimator

from structtree import (
    StructuralTreeClassifier,
    StructuralTreeRegressor,
    export_text,
    load_model,
    save_model,
    to_rules,
)
from structtree.errors import UsageError
from tests.cli.test_commands import fail, succeed

RULES = ["false", "majority", "fractional"]


def frame(n=150, gaps=0.1, seed=0):
    rng = np.random.default_rng(seed)
    data = pd.DataFrame(
        {
            "color": rng.choice(["blue", "green", "red"], n).astype(object),
            "weight": rng.normal(size=n).round(2),
            "new": rng.random(n) < 0.5,
        }
    )
    target = np.where((data.color == "red") ^ (data.weight > 0.3), "yes", "no")
    for column in ("color", "weight"):
        data.loc[rng.random(n) < gaps, column] = None
    return data, target


# ---- estimators -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", RULES)
@pytest.mark.parametrize("nominal", ["binary", "subset", "multiway"])
def test_an_estimator_learns_and_predicts_by_every_rule(missing, nominal, tmp_path):
    data, target = frame()
    tree = StructuralTreeClassifier(missing=missing, nominal=nominal, min_samples_leaf=3).fit(data, target)
    assert tree.tree_.missing == missing
    assert tree.score(data, target) > 0.85
    chances = tree.predict_proba(data)
    assert chances.sum(axis=1) == pytest.approx(np.ones(len(data)))
    assert (tree.classes_[chances.argmax(axis=1)] == tree.predict(data)).all()
    assert tree.apply(data).shape == (len(data),)
    assert (np.asarray(tree.decision_path(data).sum(axis=1)).ravel() >= 2).all()
    save_model(tree.model_, tmp_path / "m.json")
    assert (load_model(tmp_path / "m.json").predict(tree._population(data)) == tree.predict(data)).all()
    assert (pickle.loads(pickle.dumps(tree)).predict(data) == tree.predict(data)).all()
    assert to_rules(tree.tree_) and export_text(tree.tree_)


@pytest.mark.parametrize("missing", RULES)
def test_a_regressor_learns_and_predicts_by_every_rule(missing):
    data, target = frame()
    numbers = np.where(target == "yes", 10.0, 0.0)
    tree = StructuralTreeRegressor(missing=missing, nominal="multiway", min_samples_leaf=3).fit(data, numbers)
    assert tree.score(data, numbers) > 0.5
    assert ((tree.predict(data) >= -1e-9) & (tree.predict(data) <= 10 + 1e-9)).all()


@pytest.mark.parametrize("missing", ["majority", "fractional"])
def test_complete_training_data_and_then_gaps_and_colors_that_are_new(missing):
    data, target = frame(gaps=0)
    tree = StructuralTreeClassifier(missing=missing, nominal="multiway").fit(data, target)
    new = data.copy()
    new.loc[::2, "color"], new.loc[1::2, "color"] = None, "purple"
    other = data.copy()
    other["color"] = None
    assert tree.predict_proba(new) == pytest.approx(tree.predict_proba(other.astype({"color": object})))


def test_they_are_parameters_like_others():
    data, target = frame()
    tree = clone(StructuralTreeClassifier(missing="fractional", nominal="multiway", priors={"no": 1, "yes": 3}))
    assert tree.get_params()["missing"] == "fractional"
    assert cross_val_score(tree, data, target, cv=3).shape == (3,)
    search = GridSearchCV(
        StructuralTreeClassifier(max_depth=3), {"missing": RULES, "nominal": ["binary", "multiway"]}
    )
    assert search.fit(data, target).best_score_ > 0.6
    with pytest.raises(UsageError, match="missing must be 'false', 'majority' or 'fractional'; got 'mean'"):
        StructuralTreeClassifier(missing="mean").fit(data, target)


@pytest.mark.filterwarnings("ignore::RuntimeWarning:sklearn")  # of its own casts
@pytest.mark.parametrize("missing", ["majority", "fractional"])
def test_scikit_learns_checks_pass_by_every_rule(missing):
    for made in (StructuralTreeClassifier(missing=missing), StructuralTreeRegressor(missing=missing)):
        results = check_estimator(made, on_fail=None, on_skip=None)
        assert {r["check_name"]: r["exception"] for r in results if r["status"] in ("failed", "xfail")} == {}


def test_pruning_works_with_parts_and_switches():
    data, target = frame(gaps=0.3)
    options = {"missing": "fractional", "nominal": "multiway"}
    whole = StructuralTreeClassifier(grow="full", **options).fit(data, target)
    for method in ("cost-complexity", "reduced-error", "pessimistic"):
        pruned = StructuralTreeClassifier(post_prune=method, **options).fit(data, target)
        assert pruned.get_n_leaves() < whole.get_n_leaves()
        assert pruned.tree_.missing == "fractional"
        assert pruned.score(data, target) > 0.6


def test_priors_are_the_shares_of_the_classes_at_the_root():
    data, target = frame()
    tree = StructuralTreeClassifier(priors={"no": 9, "yes": 1}, max_depth=1).fit(data, target)
    counts = np.array(tree.tree_.nodes[0].stats.counts)
    assert counts / counts.sum() == pytest.approx([0.9, 0.1])
    twice = StructuralTreeClassifier(priors={"no": 9, "yes": 1}, class_weight={"yes": 9}, max_depth=1)
    counts = np.array(twice.fit(data, target).tree_.nodes[0].stats.counts)
    assert counts / counts.sum() == pytest.approx([0.5, 0.5])


def test_with_priors_a_stump_says_the_class_that_is_common_where_it_is_used():
    cases = [[0]] * 10
    labels = ["ill"] * 6 + ["well"] * 4
    assert StructuralTreeClassifier().fit(cases, labels).predict([[0]]).tolist() == ["ill"]
    priors = {"ill": 0.01, "well": 0.99}
    tree = StructuralTreeClassifier(priors=priors).fit(cases, labels)
    assert tree.predict([[0]]).tolist() == ["well"]
    assert tree.predict_proba([[0]])[0] == pytest.approx([0.01, 0.99])


def test_the_filter_of_c45_is_for_gain_ratio():
    data, target = frame()
    tree = StructuralTreeClassifier(criterion="gain-ratio", average_gain_filter=True).fit(data, target)
    assert tree.score(data, target) > 0.8
    with pytest.raises(UsageError, match=r"average_gain_filter requires the criterion 'gain-ratio'; got 'acc\*'"):
        StructuralTreeClassifier(average_gain_filter=True).fit(data, target)


# ---- command line -----------------------------------------------------------------------------------------


def test_a_tree_with_switches_is_learned_shown_explained_and_used(tmp_path):
    model = tmp_path / "m.json"
    text = succeed("fit", "tennis", "--nominal", "multiway", "-o", model)
    assert text.startswith("outlook\n├─ overcast:   yes 4/4\n├─ rain, else: windy\n")
    assert "outlook\n├─ overcast:   yes 4/4" in succeed("show", model)
    assert "if outlook = overcast then yes (n=4, confidence 1.00)" in succeed("show", model, "--format", "rules")
    assert "yes: " in succeed("show", model, "--format", "formula")
    assert "1. outlook: sunny" in succeed("explain", model, "tennis", "--row", 0)
    assert succeed("predict", model, "tennis").splitlines()[1] == "0,no,0.839286,0.160714,no"
    assert json.loads(succeed("explain", model, "tennis", "--json"))["path"][0]["answer"] == "sunny"


def test_a_tree_with_sets_is_learned_shown_explained_and_used(tmp_path):
    path, model = tmp_path / "cars.csv", tmp_path / "m.json"
    cars = ["red,no", "blue,yes", "green,yes", "white,no", "blue,yes", "black,no", "green,yes", "red,no"]
    path.write_text("\n".join(["color,sold", *cars]) + "\n")
    text = succeed("fit", path, "--target", "sold", "--nominal", "subset", "-o", model)
    assert text.startswith("color in {blue, green}\n├─ yes: yes 4/4\n└─ no:  no 4/4\n")
    assert "if color in {blue, green} then yes (n=4" in succeed("show", model, "--format", "rules")
    assert "yes: color in {blue, green}" in succeed("show", model, "--format", "formula")
    assert "1. color in {blue, green}: no\n     color = red" in succeed("explain", model, path, "--row", 0)
    path.write_text("color\npurple\nblue\n")
    assert [line.split(",")[1] for line in succeed("predict", model, path).splitlines()[1:]] == ["no", "yes"]


def test_a_file_with_gaps_is_learned_from_in_parts(tmp_path):
    path = tmp_path / "golf.csv"
    lines = ["outlook,humidity,windy,play", "sunny,70,yes,yes", "sunny,90,yes,no", "sunny,85,no,no", ",90,yes,yes"]
    path.write_text("\n".join([*lines, "rain,80,yes,no", "rain,80,no,yes", "rain,96,no,yes"]) + "\n")
    options = ("--target", "play", "--nominal", "multiway", "--if-missing", "fractional")
    text = succeed(
        "fit", path, *options, "--criterion", "gain-ratio", "--average-gain-filter", "-o", tmp_path / "m.json"
    )
    assert "(missing values: to all branches, in proportion to their weight in training)" in text
    assert load_model(tmp_path / "m.json").tree.missing == "fractional"
    assert "accuracy" in succeed("cv", path, *options, "--folds", 2)


def test_priors_on_the_command_line(tmp_path):
    succeed("fit", "tennis", "--prior", "yes=0.1", "--prior", "no=0.9", "-o", tmp_path / "m.json")
    counts = load_model(tmp_path / "m.json").tree.nodes[0].stats.counts
    assert np.array(counts) / sum(counts) == pytest.approx([0.9, 0.1])
    assert "unknown class 'maybe'" in fail("fit", "tennis", "--prior", "maybe=1", code=2)
    assert "--prior is for classes" in fail("fit", "hammond", "--prior", "a=1", code=2)


def test_what_only_tables_have_is_refused_for_other_data():
    assert "needs a grammar with single tests of a plain table" in fail(
        "fit", "trains", "--nominal", "multiway", code=2
    )
    assert "--if-missing must be 'false', 'majority' or 'fractional'" in fail(
        "fit", "tennis", "--if-missing", "x", code=2
    )
