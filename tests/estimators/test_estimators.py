"""The estimators: scikit-learn's contract, every form of individuals, and fits that end in time."""

from __future__ import annotations

import pickle
from functools import partial

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix, issparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import BaggingClassifier, BaggingRegressor
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import check_estimator

from structtree import (
    DataError,
    Grammar,
    Population,
    StructuralTreeClassifier,
    StructuralTreeRegressor,
    fit,
    load_dataset,
    load_model,
    pretty,
    save_model,
)
from structtree.errors import MissingFileError, UnknownNameError, UsageError
from structtree.lang.default import default_grammar
from structtree.models.leaves import Decision, decisions

IRIS, DIABETES = load_iris(), load_diabetes()
WORDS = IRIS.target_names[IRIS.target]


@pytest.fixture(scope="module")
def trains():
    return load_dataset("trains")


@pytest.fixture(scope="module")
def records(trains):
    return [trains.population.record(i) for i in range(len(trains.population))]


def ring(n, label):
    graph = nx.cycle_graph(n)
    nx.set_node_attributes(graph, label, "label")
    return graph


# ---- scikit-learn's own checks ---------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::RuntimeWarning:sklearn")  # of its own casts
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(StructuralTreeClassifier, DecisionTreeClassifier), (StructuralTreeRegressor, DecisionTreeRegressor)],
)
def test_scikit_learns_checks_pass_but_for_those_that_its_own_trees_skip(ours, theirs):
    results = {made: check_estimator(made(), on_fail=None, on_skip=None) for made in (ours, theirs)}
    failed = {r["check_name"]: r["exception"] for r in results[ours] if r["status"] in ("failed", "xfail")}
    assert failed == {}
    skipped = {made: {r["check_name"] for r in results[made] if r["status"] == "skipped"} for made in results}
    assert skipped[ours] <= skipped[theirs]
    left_out = {r["check_name"] for r in results[theirs]} - {r["check_name"] for r in results[ours]}
    assert all("multi" in name for name in left_out)  # of several targets, which these trees do not have


class FirstAsText(StructuralTreeClassifier):
    """Sees the first column of an array of numbers as text, rounded so that texts occur again."""

    def fit(self, X, y, sample_weight=None):  # noqa: N803  # scikit-learn calls it so
        return super().fit(first_as_text(X), y, sample_weight)

    def _population(self, X):  # noqa: N803
        return super()._population(first_as_text(X))


def first_as_text(cells):
    if not isinstance(cells, np.ndarray) or cells.ndim != 2 or cells.dtype.kind not in "fiu" or not cells.size:
        return cells
    if not np.isfinite(cells).all() or cells.shape[1] < 2:
        return cells
    mixed = cells.astype(object)
    mixed[:, 0] = [f"{cell:.0f}" for cell in cells[:, 0]]
    return mixed


@pytest.mark.filterwarnings("ignore::RuntimeWarning:sklearn")  # of its own casts
@pytest.mark.parametrize(
    "made",
    [
        # Codes that are all different tell nothing about new individuals, and one of the checks wants them learned.
        partial(StructuralTreeClassifier, categorical_features=[0], grow="full"),
        partial(StructuralTreeRegressor, categorical_features=[0]),
        partial(StructuralTreeClassifier, categorical_features=[0], nominal="subset", grow="full"),
        FirstAsText,
    ],
    ids=["codes, classes", "codes, numbers", "codes, sets", "text"],
)
def test_scikit_learns_checks_pass_with_nominal_columns(made):
    results = check_estimator(made(), on_fail=None, on_skip=None)
    assert {r["check_name"]: r["exception"] for r in results if r["status"] in ("failed", "xfail")} == {}
    assert sum(r["status"] == "passed" for r in results) > 40


def test_codes_are_told_apart_and_not_ordered():
    cells, labels = np.array([[3, 1.5], [7, 2.5], [3, 2.5], [5, 1.5], [9, 1.5]]), ["a", "b", "a", "b", "b"]
    for chosen in ([0], ["x0"], [True, False]):
        tree = StructuralTreeClassifier(categorical_features=chosen).fit(cells, labels)
        assert pretty(tree.tree_.nodes[0].test) == 'x0 = "3"'
        assert tree.predict(np.array([[3.0, 0.0], [4.0, 0.0]])).tolist() == ["a", "b"]
    frame = pd.DataFrame(cells, columns=["code", "size"])
    tree = StructuralTreeClassifier(categorical_features=["code"]).fit(frame, labels)
    assert tree.predict(frame.astype({"code": int})).tolist() == labels


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ([2], r"categorical_features contains 2, which is not a column \(there are 2\)"),
        (["cod"], r"categorical_features contains 'cod', which is not a column \(did you mean 'code'\?\)"),
        ([True], r"a mask for categorical_features must have 2 values, one for each column; got 1"),
    ],
)
def test_columns_that_are_not_there_cannot_be_nominal(chosen, message):
    frame = pd.DataFrame([[1, 2], [3, 4]], columns=["code", "size"])
    with pytest.raises(ValueError, match=message):
        StructuralTreeClassifier(categorical_features=chosen).fit(frame, ["a", "b"])


def test_only_columns_of_tables_can_be_chosen_to_be_nominal(records, trains):
    for individuals, form in ((records, "records"), (trains.population, "a population")):
        with pytest.raises(UsageError, match=f"categorical_features is for DataFrames and arrays; .* as {form}"):
            StructuralTreeClassifier(categorical_features=[0]).fit(individuals, trains.target)


# ---- with the tools of scikit-learn ----------------------------------------------------------------------


def test_it_works_in_a_pipeline_and_a_grid_search():
    pipeline = make_pipeline(StandardScaler(), StructuralTreeClassifier())
    grid = {"structuraltreeclassifier__max_depth": [1, 3], "structuraltreeclassifier__criterion": ["gini", "acc*"]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(IRIS.data, WORDS)
    assert search.best_params_["structuraltreeclassifier__max_depth"] == 3 and search.best_score_ > 0.9


def test_it_works_in_ensembles_and_calibration():
    tree = StructuralTreeClassifier(max_depth=3)
    bagged = BaggingClassifier(tree, n_estimators=3, random_state=0).fit(IRIS.data, WORDS)
    assert bagged.score(IRIS.data, WORDS) > 0.9
    numbers = BaggingRegressor(StructuralTreeRegressor(max_depth=3), n_estimators=3, random_state=0)
    assert numbers.fit(DIABETES.data, DIABETES.target).score(DIABETES.data, DIABETES.target) > 0.3
    calibrated = CalibratedClassifierCV(tree, cv=3).fit(IRIS.data, WORDS)
    assert calibrated.predict_proba(IRIS.data).sum(axis=1) == pytest.approx(1)
    assert calibrated.score(IRIS.data, WORDS) > 0.9


def test_populations_records_and_graphs_can_be_cross_validated(trains, records):
    tree = StructuralTreeClassifier("trains", max_depth=1)
    of_population = cross_val_score(tree, trains.population, trains.target, cv=2)
    assert of_population.tolist() == cross_val_score(tree, records, trains.target, cv=2).tolist()
    search = GridSearchCV(tree, {"criterion": ["acc*", "gini"]}, cv=2).fit(trains.population, trains.target)
    assert search.predict(trains.population).shape == (20,)
    train, test, _, labels = train_test_split(trains.population, trains.target, random_state=0)
    assert (len(train), len(test), len(labels)) == (15, 5, 5) and isinstance(train, Population)
    graphs, y = [ring(n, "ab"[n % 2]) for n in range(3, 15)], [n % 2 for n in range(3, 15)]
    assert cross_val_score(StructuralTreeClassifier(), graphs, y, cv=3).mean() == 1.0


def test_clones_and_pickles_say_the_same(records, trains):
    tree = StructuralTreeClassifier(Grammar.load("trains"), max_depth=2, costs=[[0, 1], [2, 0]])
    assert clone(tree).get_params()["grammar"] == tree.grammar
    fitted = tree.fit(records, trains.target)
    again, pickled = clone(fitted).fit(records, trains.target), pickle.loads(pickle.dumps(fitted))
    assert fitted.predict(records).tolist() == again.predict(records).tolist() == pickled.predict(records).tolist()
    assert pickled.tree_.nodes == fitted.tree_.nodes


# ---- what is fitted --------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_on_a_table_it_is_an_ordinary_decision_tree(criterion):
    ours = StructuralTreeClassifier(criterion=criterion, max_depth=3).fit(IRIS.data, WORDS)
    theirs = DecisionTreeClassifier(criterion=criterion, max_depth=3, random_state=0).fit(IRIS.data, WORDS)
    assert ours.score(IRIS.data, WORDS) == theirs.score(IRIS.data, WORDS)
    assert (ours.get_depth(), ours.get_n_leaves()) == (theirs.get_depth(), theirs.get_n_leaves())
    assert all(" and " not in pretty(node.test) for node in ours.tree_.nodes if node.children)
    assert ours.unproved_ == {}


def test_regression_trees_equal_those_of_scikit_learn_on_data_without_ties():
    ours = StructuralTreeRegressor(max_depth=4).fit(DIABETES.data, DIABETES.target)
    theirs = DecisionTreeRegressor(max_depth=4, random_state=0).fit(DIABETES.data, DIABETES.target)
    assert ours.predict(DIABETES.data) == pytest.approx(theirs.predict(DIABETES.data))
    assert ours.score(DIABETES.data, DIABETES.target) == pytest.approx(theirs.score(DIABETES.data, DIABETES.target))


def test_the_attributes_of_a_fitted_tree():
    frame = pd.DataFrame(IRIS.data, columns=IRIS.feature_names)
    tree = StructuralTreeClassifier(max_depth=2).fit(frame, pd.Series(WORDS, name="species"))
    assert tree.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert tree.n_features_in_ == 4 and tree.feature_names_in_.tolist() == IRIS.feature_names
    assert tree.model_.target == "species"
    assert tree.feature_importances_.shape == (4,) and tree.feature_importances_.sum() == pytest.approx(1)
    leaves = tree.apply(frame)
    assert set(leaves) == set(tree.tree_.leaves) and tree.get_n_leaves() == len(set(leaves))
    path = tree.decision_path(frame)
    assert issparse(path) and path.shape == (150, len(tree.tree_.nodes))
    assert all(path[i, leaf] == 1 for i, leaf in enumerate(leaves))
    assert path.sum(axis=1).max() == tree.get_depth() + 1
    proba = tree.predict_proba(frame)
    assert (tree.classes_[proba.argmax(axis=1)] == tree.predict(frame)).all()


def test_structured_individuals_have_no_feature_importances(trains):
    tree = StructuralTreeClassifier("trains", max_depth=1)
    with pytest.raises(NotFittedError):
        tree.predict(trains.population)
    tree.fit(trains.population, trains.target)
    assert not hasattr(tree, "feature_importances_") and not hasattr(tree, "n_features_in_")


def test_a_second_fit_forgets_the_first(trains):
    tree = StructuralTreeClassifier(max_depth=1, max_evaluations=100).fit(pd.DataFrame({"x": [1, 2]}), ["a", "b"])
    tree.fit(trains.population, trains.target)
    assert not hasattr(tree, "n_features_in_") and not hasattr(tree, "feature_names_in_")


def test_a_fitted_model_can_be_saved_and_loaded(tmp_path, records, trains):
    tree = StructuralTreeClassifier("trains", max_depth=2, leaf_estimate="laplace").fit(records, trains.target)
    save_model(tree.model_, tmp_path / "m.json")
    loaded = load_model(tmp_path / "m.json")
    assert loaded.predict(trains.population).tolist() == tree.predict(records).tolist()
    assert loaded.predict_proba(trains.population).tolist() == tree.predict_proba(records).tolist()


# ---- individuals of every form ---------------------------------------------------------------------------


def test_every_form_of_a_table_gives_the_same_answers():
    forms = {
        "array": IRIS.data,
        "lists": IRIS.data.tolist(),
        "frame": pd.DataFrame(IRIS.data),
        "sparse": csr_matrix(IRIS.data),
        "population": Population.from_array(IRIS.data),
        "records": [{f"x{i}": value for i, value in enumerate(row)} for row in IRIS.data.tolist()],
    }
    said = {name: StructuralTreeClassifier(max_depth=3).fit(x, WORDS).predict(x) for name, x in forms.items()}
    assert all((answers == said["array"]).all() for answers in said.values())


def test_text_is_nominal_and_unseen_text_is_no_error():
    frame = pd.DataFrame({"colour": ["red", "blue", "red", "green"], "size": [1, 2, 3, 4]})
    tree = StructuralTreeClassifier().fit(frame, [1, 0, 1, 0])
    assert pretty(tree.tree_.nodes[0].test) == "colour = red"
    assert tree.predict(pd.DataFrame({"colour": ["violet", "red"], "size": [1, 1]})).tolist() == [0, 1]
    mixed = np.array([["red", 1], ["blue", 2], ["red", 3], ["green", 4]], dtype=object)
    assert StructuralTreeClassifier().fit(mixed, [1, 0, 1, 0]).predict(mixed).tolist() == [1, 0, 1, 0]


def test_new_data_is_read_as_the_training_data_was():
    frame = pd.DataFrame({"zip": ["01", "A2", "A3", "01"]})
    tree = StructuralTreeClassifier().fit(frame, [1, 0, 0, 1])
    assert tree.predict(pd.DataFrame({"zip": [1, 2]})).tolist() == [0, 0]
    numbers = StructuralTreeClassifier().fit(pd.DataFrame({"x": [1.5, 2.5]}), [0, 1])
    assert numbers.predict(pd.DataFrame({"x": ["2.6", "1"]})).tolist() == [1, 0]
    assert numbers.predict(pd.DataFrame({"x": [None, None]})).shape == (2,)
    with pytest.raises(DataError, match=r"Row\.x was real in training: expected a number, got 'high'"):
        numbers.predict(pd.DataFrame({"x": ["high"]}))


def test_frames_of_polars_are_tables_too():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"colour": ["red", "blue", "red", "green"], "size": [1, 2, 3, 4]})
    tree = StructuralTreeClassifier().fit(frame, [1, 0, 1, 0])
    assert tree.feature_names_in_.tolist() == ["colour", "size"]
    assert tree.predict(frame).tolist() == [1, 0, 1, 0]


def test_columns_that_are_others_or_infinite_are_refused():
    tree = StructuralTreeClassifier().fit(pd.DataFrame({"a": [1, 2], "b": [1, 2]}), [0, 1])
    with pytest.raises(ValueError, match="feature names"):
        tree.predict(pd.DataFrame({"a": [1], "c": [2]}))
    with pytest.raises(ValueError, match="a finite number or a missing value, got infinity at column 'a'"):
        clone(tree).fit(pd.DataFrame({"a": [1.0, np.inf]}), [0, 1])
    with pytest.raises(UsageError, match="a DataFrame with rows and columns; got 0 by 2"):
        tree.predict(pd.DataFrame({"a": [], "b": []}))
    with pytest.raises(DataError, match="needs the attribute 'a' of type 'Individual'"):
        tree.predict(Population.from_records([{"c": 1}]))


def test_of_new_rows_words_that_no_test_asks_about_are_not_read_and_numbers_are():
    data = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": [0.5, 0.5, 0.5, 0.5], "word": ["a", "b", "a", "b"]})
    tree = StructuralTreeClassifier().fit(data, [0, 0, 1, 1])
    assert tree.model_.needed == {"Row": {"x"}}
    assert tree.predict(data.assign(word=[1, "a", None, 2.5])).tolist() == [0, 0, 1, 1]
    for column in ("x", "y"):
        with pytest.raises(DataError, match=f"got infinity at column '{column}'"):
            tree.predict(data.assign(**{column: [0.0, np.inf, -np.inf, np.nan]}))
    with pytest.raises(UsageError, match="expected a DataFrame with rows and columns; got 0 by 3"):
        tree.predict(data[:0])
    alone = StructuralTreeClassifier().fit(data[["word"]], [0, 0, 0, 0])
    assert alone.predict(data[["word"]]).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("wrap", [np.asarray, pd.DataFrame])
def test_an_array_that_nobody_may_write_to_is_enough(wrap):
    rng = np.random.default_rng(0)
    cells = rng.normal(size=(400, 3))
    labels = (cells[:, 0] > cells[:, 1]).astype(int)
    expected = StructuralTreeClassifier(max_depth=4).fit(cells, labels)
    cells.flags.writeable = False
    tree = StructuralTreeClassifier(max_depth=4).fit(wrap(cells), labels)
    assert (tree.predict(wrap(cells)) == expected.predict(np.array(cells))).all()


def test_a_record_may_lack_what_others_have_but_not_all_of_them():
    boxes = [{"items": [{"kg": 5}]}, {"items": [{"kg": 1}]}, {"items": [{"kg": 6}]}, {"items": [{"kg": 2}]}]
    tree = StructuralTreeClassifier().fit(boxes, ["heavy", "light", "heavy", "light"])
    assert tree.predict([{"items": [{"kg": 9, "new": "x"}]}, {}]).tolist() == ["heavy", "light"]
    assert tree.predict([{"items": None}]).tolist() == ["light"]
    with pytest.raises(DataError, match="needs the link 'items' of type 'Individual', which the data lacks"):
        tree.predict([{"other": 1}])


def test_networkx_graphs_are_individuals():
    graphs = [ring(n, "C" if n % 2 else "N") for n in range(3, 11)]
    tree = StructuralTreeClassifier().fit(graphs, [n % 2 == 0 for n in range(3, 11)])
    assert tree.predict([ring(5, "N"), ring(4, "C")]).tolist() == [True, False]
    assert tree.predict([ring(4, "X"), nx.empty_graph(2)]).shape == (2,)
    array = np.empty(len(graphs), dtype=object)
    array[:] = graphs
    assert tree.predict(array).tolist() == tree.predict(graphs).tolist()


# ---- grammars --------------------------------------------------------------------------------------------


def test_a_grammar_is_a_name_a_file_a_text_or_a_grammar(tmp_path, records, trains):
    text = Grammar.load("trains").text
    (tmp_path / "mine.grammar").write_text(text)
    said = [
        StructuralTreeClassifier(grammar, max_depth=1).fit(records, trains.target).predict(records).tolist()
        for grammar in (
            "trains",
            tmp_path / "mine.grammar",
            str(tmp_path / "mine.grammar"),
            text,
            Grammar.parse(text),
        )
    ]
    assert said.count(said[0]) == 5
    with pytest.raises(UnknownNameError, match=r"unknown grammar 'trians' \(did you mean 'trains'\?\)"):
        StructuralTreeClassifier("trians").fit(records, trains.target)
    with pytest.raises(MissingFileError, match=r"no such grammar file: 'absent\.grammar'"):
        StructuralTreeClassifier("absent.grammar").fit(records, trains.target)


def test_records_are_read_as_the_grammar_declares_them():
    grammar = """
    type Box = { code: nominal, items: set of Item }
    type Item = { kg: real }
    individual Box
    refine Box { top -> code = *; top -> exists items (top) }
    refine Item { top -> kg >= * }
    """
    tree = StructuralTreeClassifier(grammar).fit(
        [{"code": 7, "items": [{"kg": 1}]}, {"code": 8, "items": []}], [0, 1]
    )
    assert tree.tree_.schema.individual == "Box" and tree.tree_.schema.type("Box").link("items").kind == "set"
    assert tree.predict([{"code": 7, "items": []}]).shape == (1,)


def test_functions_of_a_grammar_are_parameters():
    grammar = "function total: Individual -> int  refine Individual { top -> total >= * }"
    boxes, y = [{"items": [1, 2]}, {"items": [5]}, {"items": []}, {"items": [2, 3]}], ["a", "b", "a", "b"]
    total = {"total": lambda box: sum(item["value"] for item in box["items"])}
    tree = StructuralTreeClassifier(grammar, functions=total).fit(boxes, y)
    assert tree.predict(boxes).tolist() == y and tree.predict([{"items": [9]}]).tolist() == ["b"]
    with pytest.raises(UsageError, match="needs the function 'total'"):
        StructuralTreeClassifier(grammar).fit(boxes, y)


# ---- weights, costs, pruning -----------------------------------------------------------------------------


@given(st.data())
def test_weights_are_repetitions_and_weight_zero_is_absence(data):
    n = data.draw(st.integers(3, 12))
    x = np.array(data.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)))[:, None]
    y = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    weights = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    if not weights.any():
        return
    for made in (StructuralTreeClassifier, StructuralTreeRegressor):
        weighted = made(max_depth=2).fit(x, y, sample_weight=weights)
        repeated = made(max_depth=2).fit(np.repeat(x, weights, axis=0), np.repeat(y, weights))
        kept = x[weights > 0]
        assert weighted.predict(kept) == pytest.approx(repeated.predict(kept))


def test_class_weights_and_costs_change_what_is_said():
    x, y = np.zeros((10, 1)), np.array(["well"] * 8 + ["ill"] * 2)
    assert StructuralTreeClassifier().fit(x, y).predict(x[:1]) == ["well"]
    assert StructuralTreeClassifier(class_weight="balanced").fit(x, y).predict_proba(x[:1]).tolist() == [[0.5, 0.5]]
    assert fit(x, y, class_weight="balanced").predict_proba(x[:1]).tolist() == [[0.5, 0.5]]
    assert StructuralTreeClassifier(class_weight={"ill": 9}).fit(x, y).predict(x[:1]) == ["ill"]
    costly = StructuralTreeClassifier(costs=[[0, 9], [1, 0]]).fit(x, y)
    assert costly.predict(x[:1]) == ["ill"] and costly.predict_proba(x[:1]).tolist() == [[0.2, 0.8]]
    smooth = StructuralTreeClassifier(leaf_estimate="laplace").fit(x, y)
    assert smooth.predict_proba(x[:1]) == pytest.approx(np.array([[3 / 12, 9 / 12]]))
    with pytest.raises(UsageError, match=r"one row and one column for each of the 2 classes .* got 3 rows"):
        StructuralTreeClassifier(costs=np.ones((3, 3))).fit(x, y)


def noisy(seed=0, n=120):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    return x, np.where(rng.random(n) < 0.15, x[:, 0] <= 0, x[:, 0] > 0)


@pytest.mark.parametrize(
    "options",
    [
        {"post_prune": "cost-complexity"},
        {"ccp_alpha": "cv"},
        {"ccp_alpha": 0.05},
        {"post_prune": "reduced-error"},
        {"post_prune": "pessimistic"},
        {"min_weight_fraction_leaf": 0.2},
    ],
    ids=str,
)
def test_pruning_makes_smaller_trees_and_is_repeatable(options):
    x, y = noisy()
    whole = StructuralTreeClassifier(grow="full").fit(x, y)
    pruned, again = (StructuralTreeClassifier(**options).fit(x, y) for _ in range(2))
    assert pruned.get_n_leaves() < whole.get_n_leaves()
    assert [node.stats for node in pruned.tree_.nodes] == [node.stats for node in again.tree_.nodes]
    assert cross_val_score(StructuralTreeClassifier(**options), x, y, cv=4).mean() > 0.7


def test_the_pruning_path_says_which_alphas_make_a_difference():
    x, y = noisy()
    path = StructuralTreeClassifier(post_prune="pessimistic").cost_complexity_pruning_path(x, y)
    sizes = [StructuralTreeClassifier(ccp_alpha=alpha).fit(x, y).get_n_leaves() for alpha in path.ccp_alphas]
    assert sizes == sorted(set(sizes), reverse=True) and sizes[-1] == 1
    assert (np.diff(path.impurities) > 0).all() and path.impurities[-1] == pytest.approx(min(y.mean(), 1 - y.mean()))
    numbers = StructuralTreeRegressor(ccp_alpha=0.01).fit(x, y.astype(float))
    assert 1 < numbers.get_n_leaves() < 20


def test_a_leaf_keeps_its_share_of_the_weight():
    x, y = noisy()
    tree = StructuralTreeClassifier(min_weight_fraction_leaf=0.1).fit(x, y).tree_
    assert len(tree.leaves) > 1
    assert min(tree.nodes[leaf].stats.weight for leaf in tree.leaves) >= 0.1 * len(y)


@pytest.mark.parametrize(
    ("made", "options", "message"),
    [
        (StructuralTreeClassifier, {"max_depth": 0}, "max_depth must be an int >= 1 or None; got 0"),
        (StructuralTreeClassifier, {"post_prune": "hard"}, "post_prune must be None, 'cost-complexity'"),
        (StructuralTreeClassifier, {"ccp_alpha": -1}, "ccp_alpha must be a number >= 0, 'cv' or None; got -1"),
        (
            StructuralTreeClassifier,
            {"post_prune": "pessimistic", "ccp_alpha": 1},
            "ccp_alpha is for post_prune='cost",
        ),
        (
            StructuralTreeClassifier,
            {"leaf_estimate": "guess"},
            "leaf_estimate must be None, 'frequency', .*; got 'guess'",
        ),
        (StructuralTreeClassifier, {"min_weight_fraction_leaf": 0.9}, "must be a number from 0 to 0.5; got 0.9"),
        (StructuralTreeClassifier, {"time_limit": 0}, "time_limit must be a number of seconds > 0 or None; got 0"),
        (StructuralTreeRegressor, {"post_prune": "pessimistic"}, "pessimistic pruning is for classes"),
        (StructuralTreeRegressor, {"criterion": "gini"}, "'gini' is for classes; this is a tree for numbers"),
        (StructuralTreeClassifier, {"criterion": "mse"}, "'mse' is for numbers; this is a tree for classes"),
    ],
)
def test_parameters_that_make_no_sense_are_refused_when_fitting(made, options, message):
    with pytest.raises((UsageError, UnknownNameError), match=message):
        made(**options).fit([[1.0], [2.0]], [0, 1])


# ---- fits end in time ------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", ["best-first", "auto"])
def test_a_fit_on_awkward_data_ends_in_time_and_says_what_is_not_proved(strategy, ticking):
    rng = np.random.default_rng(0)
    graphs = [nx.gnp_random_graph(25, 0.7, seed=i) for i in range(40)]
    for graph in graphs:
        for node in graph:
            graph.nodes[node].update(label=str(rng.integers(5)), x=float(rng.normal()))
        nx.set_edge_attributes(graph, {edge: float(rng.normal()) for edge in graph.edges}, "w")
    y = rng.integers(0, 2, len(graphs))
    clock = ticking(0.01)
    tree = StructuralTreeClassifier(strategy=strategy, time_limit=1.0).fit(graphs, y)
    assert clock.seconds < 1.5  # between two looks at the clock there are only short steps
    assert 0 in tree.unproved_
    assert all(gap >= 0 for gap in tree.unproved_.values())
    assert tree.score(graphs, y) > 0.5


def test_leaves_that_the_time_did_not_suffice_for_are_told_too():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(400, 5)), rng.integers(0, 2, 400)
    boxes = [{"items": [{"a": float(value)} for value in row]} for row in x]
    options = {"strategy": "best-first", "time_limit": 0.2, "grow": "full"}
    tree = StructuralTreeClassifier(criterion="acc*", **options).fit(boxes, y)
    left = [leaf for leaf in tree.tree_.leaves if leaf in tree.unproved_]
    assert left and all(0 < tree.unproved_[leaf] <= 0.5 for leaf in left)
    done = StructuralTreeClassifier(max_depth=1).fit(x, y)
    assert done.stopped_by_ is None and done.unproved_ == {}


def test_a_search_that_ends_before_it_finds_anything_is_not_taken_for_a_proof():
    boxes = [{"items": [{"a": k}, {"a": -k}]} for k in range(8)]
    tree = StructuralTreeRegressor(max_evaluations=1).fit(boxes, np.arange(8.0))
    assert tree.unproved_


def test_a_budget_of_evaluations_gives_the_same_tree_every_time(trains):
    trees = [
        StructuralTreeClassifier(max_evaluations=500, time_limit=None).fit(trains.population, trains.target)
        for _ in range(2)
    ]
    assert trees[0].unproved_ and trees[0].unproved_ == trees[1].unproved_
    assert [n.stats for n in trees[0].tree_.nodes] == [n.stats for n in trees[1].tree_.nodes]


def test_progress_is_printed_when_asked_for(capsys):
    StructuralTreeClassifier(verbose=True).fit([[1], [2]], ["a", "b"])
    assert "100%, 3 nodes, 1 predicate" in capsys.readouterr().out


def test_relabelling_a_fitted_tree_needs_no_growing():
    x, y = noisy()
    tree = StructuralTreeClassifier(max_depth=2).fit(x, y)
    other = Decision(costs=((0.0, 1.0), (50.0, 0.0)))
    assert tree.classes_[decisions(tree.tree_, other)[tree.apply(x)]].mean() > tree.predict(x).mean()


def test_an_estimator_uses_the_default_grammar_and_says_so():
    records = [{"id": i, "x": i % 5} for i in range(20)]
    model = StructuralTreeClassifier().fit(records, [i % 5 > 2 for i in range(20)]).model_
    assert model.grammar.origin == "derived from the data"
    assert model.grammar.notes == ("skipped: id (unique per row)",)
    assert model.grammar.text == str(default_grammar(Population.from_records(records)))
