"""Scores are those of scikit-learn, and have a baseline."""

from __future__ import annotations

import subprocess
import sys
from math import isnan
from warnings import catch_warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

from structtree import Population, StructuralTreeClassifier, evaluate, fit, load_dataset
from structtree.errors import DataError, UsageError
from structtree.evaluation.score import METRICS, Predicted, constant_answers, known_metrics, score_answers

labels = st.sampled_from(["a", "b", "c"])
numbers = st.integers(-9, 9).map(lambda k: k / 2)
LENSES = load_dataset("lenses")
RNG = np.random.default_rng(0)


def scores(answers, *names):
    return score_answers(answers, constant_answers(answers), names or None)


@pytest.mark.filterwarnings("ignore:A single label was found")
@given(st.lists(st.tuples(labels, labels), min_size=1))
def test_scores_of_classes_are_those_of_scikit_learn(pairs):
    true, said = zip(*pairs, strict=True)
    found = scores(Predicted.of_classes(true, said, ["a", "b", "c"]), "accuracy", "balanced_accuracy", "mcc", "f1")
    assert found["accuracy"] == pytest.approx(metrics.accuracy_score(true, said))
    with catch_warnings(action="ignore"):  # a predicted class that does not occur
        assert found["balanced_accuracy"] == pytest.approx(metrics.balanced_accuracy_score(true, said))
    assert found["mcc"] == pytest.approx(metrics.matthews_corrcoef(true, said))
    assert found["f1"] == pytest.approx(metrics.f1_score(true, said, average="macro", zero_division=0))
    wanted = metrics.confusion_matrix(true, said, labels=["a", "b", "c"])
    assert found.confusion.counts.tolist() == wanted.tolist()


@given(st.lists(st.tuples(numbers, numbers), min_size=2))
def test_scores_of_numbers_are_those_of_scikit_learn(pairs):
    true, said = map(np.array, zip(*pairs, strict=True))
    found = scores(Predicted.of_numbers(true, said), "all")
    assert list(found.values) == ["r2", "rmse", "mae", "median_ae"]
    assert found["r2"] == pytest.approx(metrics.r2_score(true, said))
    assert found["rmse"] == pytest.approx(metrics.root_mean_squared_error(true, said))
    assert found["mae"] == pytest.approx(metrics.mean_absolute_error(true, said))
    assert found["median_ae"] == pytest.approx(metrics.median_absolute_error(true, said))
    assert found.baseline["rmse"] == pytest.approx(true.std())


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_probabilities_are_scored_as_by_scikit_learn(n_classes):
    true = np.arange(60) % n_classes
    p = RNG.dirichlet(np.ones(n_classes), size=60)
    found = scores(Predicted.of_classes(true, p.argmax(axis=1), range(n_classes), p), "all")
    last = p[:, 1] if n_classes == 2 else p
    assert found["roc_auc"] == pytest.approx(metrics.roc_auc_score(true, last, multi_class="ovr", average="macro"))
    assert found["average_precision"] == pytest.approx(metrics.average_precision_score(true, last))
    assert found["log_loss"] == pytest.approx(metrics.log_loss(true, p))
    assert found["balanced_accuracy"] == pytest.approx(metrics.balanced_accuracy_score(true, p.argmax(axis=1)))
    prior = np.full((60, n_classes), 1 / n_classes)
    assert found.baseline["log_loss"] == pytest.approx(metrics.log_loss(true, prior))
    assert found.baseline["roc_auc"] == 0.5


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 0.25, 0.5, 1.0])), min_size=1))
def test_equal_probabilities_are_scored_as_by_scikit_learn(pairs):
    true, p = map(np.array, zip(*pairs, strict=True))
    found = scores(Predicted.of_classes(true, p > 0.5, [False, True], np.stack([1 - p, p], axis=1)))
    assert found["log_loss"] == pytest.approx(metrics.log_loss(true, np.stack([1 - p, p], axis=1), labels=[0, 1]))
    if true.all() or not true.any():
        assert isnan(found["roc_auc"])
    else:
        assert found["roc_auc"] == pytest.approx(metrics.roc_auc_score(true, p))


def test_the_usual_scores_need_no_scikit_learn():
    code = "import sys\nfrom structtree.session.fitting import fit\n"
    code += "from structtree.evaluation.score import Predicted, constant_answers, score_answers\n"
    code += "for one in (Predicted.of_numbers([1.0], [2.0]), Predicted.of_classes('ab', 'aa', 'ab')):\n"
    code += "    score_answers(one, constant_answers(one))\nprint('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


@given(st.lists(labels, min_size=1, max_size=9), st.lists(labels, min_size=1, max_size=9))
def test_the_baseline_is_the_dummy_of_scikit_learn(training, true):
    names = ["a", "b", "c"]
    answers = Predicted.of_classes(true, true, names)
    base = constant_answers(answers, np.array([names.index(each) for each in training]))
    dummy = DummyClassifier(strategy="prior").fit(np.zeros((len(training), 1)), training)
    assert [names[code] for code in base.predicted] == dummy.predict(np.zeros((len(true), 1))).tolist()
    assert np.allclose(base.probabilities.sum(axis=1), 1)


def test_what_has_no_value_is_no_number():
    same = Predicted.of_classes(["a", "a"], ["a", "a"], ["a", "b"], np.array([[1.0, 0.0], [0.5, 0.5]]))
    found = scores(same, "roc_auc", "accuracy")
    assert isnan(found["roc_auc"])
    assert found.to_dict()["metrics"] == {
        "roc_auc": {"value": None, "baseline": None},
        "accuracy": {"value": 1.0, "baseline": 1.0},
    }
    assert isnan(scores(Predicted.of_numbers([1.0], [1.0]))["r2"])


def test_a_class_is_known_by_its_name():
    assert str(scores(Predicted.of_classes(["0", "1", "0"], [0, 1, 1], [0, 1]))) == "accuracy 0.667 (2 of 3)"
    assert scores(Predicted.of_classes([0.0, 1.0], [0, 1], [0, 1]))["accuracy"] == 1.0


def test_a_class_that_the_model_does_not_know_counts_as_an_error():
    found = scores(Predicted.of_classes(["a", "new"], ["a", "a"], ["a", "b"], np.array([[1.0, 0.0], [1.0, 0.0]])))
    assert found.confusion.classes == ("a", "b", "new")
    assert found["accuracy"] == 0.5
    assert found["log_loss"] > 10


def test_what_cannot_be_scored_is_refused():
    with pytest.raises(DataError, match="no individuals"):
        scores(Predicted.of_classes([], [], ["a"]))
    with pytest.raises(DataError, match="the model predicts numbers, but the target has values such as 'high'"):
        Predicted.of_numbers(["high"], [1.0])
    with pytest.raises(UsageError, match="the metric mae is for numbers, but the target has classes"):
        known_metrics(["mae"], "classes")
    with pytest.raises(LookupError, match=r"unknown metric 'roc_aux' \(did you mean 'roc_auc'"):
        known_metrics(["roc_aux"], "classes")


def test_estimators_models_and_others_are_evaluated_alike():
    tree = StructuralTreeClassifier("flat", max_depth=2).fit(LENSES.population, LENSES.target)
    by_estimator = evaluate(tree, LENSES.population, LENSES.target, ["all"])
    by_model = evaluate(tree.model_, LENSES.population, LENSES.target, ["all"])
    assert by_estimator.values == by_model.values
    assert by_estimator["accuracy"] == tree.score(LENSES.population, LENSES.target)
    assert by_estimator.baseline["accuracy"] == 15 / 24
    x, y = np.arange(20.0)[:, None], np.arange(20) > 9
    assert evaluate(LogisticRegression().fit(x, y), x, y)["accuracy"] > 0.9


def test_numbers_of_a_model_are_evaluated():
    population, sizes = Population.from_records([{"a": k, "y": float(k // 3)} for k in range(9)]).split_target("y")
    found = evaluate(fit(population, sizes), population, sizes)
    assert (list(found.values), found["r2"], found.constant) == (["r2", "rmse", "mae"], 1.0, "always the mean")


def test_every_metric_has_a_name_a_word_and_a_task():
    assert all(metric.name == name and metric.label for name, metric in METRICS.items())
    assert {metric.task for metric in METRICS.values()} == {"classes", "numbers"}
