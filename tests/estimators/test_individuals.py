"""The same kinds of individuals everywhere: each form at each entry point gives the same answers, or one sentence."""

from __future__ import annotations

import pickle
import sys
import warnings

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score

import structtree
from structtree import (
    DataError,
    Grammar,
    Growth,
    Model,
    Population,
    StructtreeError,
    StructuralTreeClassifier,
    StructuralTreeRegressor,
    cross_validate,
    explain,
    export_text,
    fit,
    grow,
    holds,
    importances,
    load_dataset,
    load_model,
    parse_predicate,
    save_model,
    to_formula,
    to_rules,
)
from structtree.data.labels import missing_labels
from structtree.data.readers.individuals import population_of, recognised
from structtree.errors import MissingPackageError, UnknownNameError, UsageError
from structtree.lang.default import default_grammar


def objects(elements):
    """Return an array of one dimension; numpy would look into some elements."""
    array = np.empty(len(elements), dtype=object)
    array[:] = elements
    return array


# ---- one kind of individuals in many forms ---------------------------------------------------------------

SMILES = ["CCO", "CC", "CCCO", "CCC", "CC(C)O", "CCCC", "OCCO", "C1CC1"]
ALCOHOL = ["yes" if "O" in smiles else "no" for smiles in SMILES]


def molecule_forms():
    chem = pytest.importorskip("rdkit.Chem", reason="RDKit is not installed: pip install 'structtree[molecules]'")
    molecules = [chem.MolFromSmiles(smiles) for smiles in SMILES]
    forms = {
        "population": Population.from_smiles(SMILES),
        "list of SMILES": SMILES,
        "tuple of SMILES": tuple(SMILES),
        "array of SMILES": np.array(SMILES),
        "objects of SMILES": objects(SMILES),
        "Series of SMILES": pd.Series(SMILES, index=range(7, 15)),
        "list of molecules": molecules,
        "Series of molecules": pd.Series(molecules),
        "column of molecules": objects(molecules)[:, None],
        "frame with SMILES": pd.DataFrame({"SMILES": SMILES}),
    }
    return forms, ALCOHOL


def ring(n, label):
    graph = nx.cycle_graph(n)
    nx.set_node_attributes(graph, label, "label")
    return graph


def graph_forms():
    graphs = [ring(n, "CN"[n % 2]) for n in range(3, 11)]
    forms = {
        "population": Population.from_graphs(graphs),
        "list of graphs": graphs,
        "Series of graphs": pd.Series(objects(graphs)),
        "objects of graphs": objects(graphs),
        "column of graphs": objects(graphs)[:, None],
    }
    return forms, ["odd" if n % 2 else "even" for n in range(3, 11)]


def record_forms():
    records = [{"items": [{"kg": kg}, {"kg": 1}]} for kg in range(1, 9)]
    forms = {
        "population": Population.from_records(records),
        "list of records": records,
        "Series of records": pd.Series(records),
        "objects of records": objects(records),
        "column of records": objects(records)[:, None],
        "column of populations": np.asarray(Population.from_records(records)),
    }
    return forms, ["light"] * 4 + ["heavy"] * 4


def table_forms():
    cells = np.array([[n, 7 - n % 3] for n in range(8)], dtype=float)
    frame = pd.DataFrame(cells, columns=["x0", "x1"])
    forms = {
        "population": Population.from_array(cells),
        "array": cells,
        "rows": cells.tolist(),
        "frame": frame,
        "list of records": frame.to_dict("records"),
        "arrow": pytest.importorskip("pyarrow").Table.from_pandas(frame),
        "polars": pytest.importorskip("polars").DataFrame({"x0": cells[:, 0], "x1": cells[:, 1]}),
    }
    return forms, ["low"] * 4 + ["high"] * 4


KINDS = {"molecules": molecule_forms, "graphs": graph_forms, "records": record_forms, "table": table_forms}


def by_estimator(individuals, labels, new, folder):
    return StructuralTreeClassifier(max_depth=1).fit(individuals, labels).predict(new)


def by_fit(individuals, labels, new, folder):
    return fit(individuals, labels, growth=Growth(max_depth=1)).predict(new)


def by_proba(individuals, labels, new, folder):
    model = fit(individuals, labels, growth=Growth(max_depth=1))
    return np.array(model.tree.classes)[model.predict_proba(new).argmax(axis=1)]


def by_file(individuals, labels, new, folder):
    save_model(StructuralTreeClassifier(max_depth=1).fit(individuals, labels), folder / "model.json")
    return load_model(folder / "model.json").predict(new)


def by_explanation(individuals, labels, new, folder):
    tree = StructuralTreeClassifier(max_depth=1).fit(individuals, labels)
    return [explain(tree, new, i).prediction for i in range(len(labels))]


def by_tree(individuals, labels, new, folder):
    tree = grow(individuals, labels, default_grammar(individuals), Growth(max_depth=1))
    return [explain(tree, new, i).prediction for i in range(len(labels))]


ENTRIES = [by_estimator, by_fit, by_proba, by_file, by_explanation, by_tree]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.__name__)
@pytest.mark.parametrize("kind", KINDS)
def test_every_form_gives_the_same_answers_at_every_entry_point(kind, entry, tmp_path):
    forms, labels = KINDS[kind]()
    usual = forms["population"]
    for name, individuals in forms.items():
        assert list(entry(individuals, labels, individuals, tmp_path)) == labels, name
        assert list(entry(individuals, labels, usual, tmp_path)) == labels, name
        assert list(entry(usual, labels, individuals, tmp_path)) == labels, name


@pytest.mark.parametrize("kind", KINDS)
def test_every_form_is_counted_and_evaluated(kind):
    forms, labels = KINDS[kind]()
    tests = {
        "molecules": "exists atoms (element = O)",
        "graphs": "exists nodes (label = N)",
        "records": "exists items (kg >= 5)",
        "table": "x0 >= 4",
    }
    expected = holds(parse_predicate(tests[kind]), forms["population"]).tolist()
    tree = StructuralTreeClassifier(max_depth=1).fit(forms["population"], labels)
    for name, individuals in forms.items():
        assert holds(parse_predicate(tests[kind]), individuals).tolist() == expected, name
        assert sum(rule.n for rule in to_rules(tree, individuals, labels, simplify=False)) == len(labels), name
        if (kind, name) != ("table", "list of records"):  # whose type is called Individual, not Row
            assert default_grammar(individuals).text == default_grammar(forms["population"]).text, name


# ---- what is no individual, or one of another kind -------------------------------------------------------

NOTHING = {
    "None": (None, "expected a Population, a DataFrame, .* got None$"),
    "a number": (3, "got an int$"),
    "a path": (
        "orders.csv",
        r"expected individuals, got the string 'orders.csv'; read a file with structtree.open_data",
    ),
    "one record": ({"items": []}, r"expected a list of dicts, got one dict; pass \[record\]"),
    "one graph": (nx.path_graph(3), r"expected a list of graphs, got one graph; pass \[graph\]"),
    "a generator": ((x for x in [{"a": 1}]), "got a generator; convert it to a list$"),
    "a set": ({1, 2}, "expected individuals in a fixed order, got a set; convert it to a list"),
    "records and others": ([{"items": []}, 3], r"expected a record, got 3 at \$ \(individual 1\)"),
}


@pytest.mark.parametrize("name", NOTHING)
def test_what_is_not_individuals_is_refused_in_one_sentence(name):
    individuals, message = NOTHING[name]
    forms, labels = record_forms()
    tree = StructuralTreeClassifier(max_depth=1).fit(forms["population"], labels)
    uses = [tree.predict, tree.model_.predict, tree.apply, lambda given: explain(tree, given, 0), population_of]
    uses.append(lambda given: StructuralTreeClassifier().fit(given, ["a", "b"]))
    if name != "a path":  # which `fit` reads
        uses.append(lambda given: fit(given, ["a", "b"]))
    for use in uses:
        with pytest.raises(StructtreeError, match=message) as refused:
            use(individuals)
        assert "\n" not in str(refused.value)


WRONG = {
    ("graphs", "records"): "the model is for graphs, but the individuals of the data have no nodes",
    (
        "graphs",
        "table",
    ): "the model is for graphs, but the individuals of the data have no nodes|individuals with nodes",
    ("graphs", "molecules"): "the model is for graphs, but the individuals of the data have no nodes",
    (
        "molecules",
        "graphs",
    ): "the model is for molecules, but the individuals of the data have no atoms; name",
    ("molecules", "records"): "the model is for molecules",
    ("molecules", "table"): "the model is for molecules|individuals with atoms, rings, which the rows of an array",
    ("records", "graphs"): "the data has graphs, but the model is for individuals without nodes",
    ("records", "molecules"): "the data has molecules, but the model is for individuals without atoms",
    ("records", "table"): "needs the link 'items' of type|individuals with items, which the rows of an array",
    ("table", "graphs"): "the data has graphs, but the model is for individuals without nodes",
    ("table", "records"): r"needs the attribute 'x0' of type '(Row|Individual)', which the data lacks",
    ("table", "molecules"): "the data has molecules",
}


# A tree that asks nothing takes records of any sort, but no records for graphs.
ASKING = [(*pair, 1) for pair in WRONG]
ASKING_NOTHING = [(*pair, 8) for pair in WRONG if set(pair) != {"records", "table"}]


@pytest.mark.parametrize(("kind", "other", "min_samples_leaf"), ASKING + ASKING_NOTHING)
def test_individuals_of_another_kind_are_refused_in_one_sentence(kind, other, min_samples_leaf):
    forms, labels = KINDS[kind]()
    tree = StructuralTreeClassifier(max_depth=1, min_samples_leaf=min_samples_leaf).fit(forms["population"], labels)
    for name, individuals in KINDS[other]()[0].items():
        for use in (tree.predict, tree.model_.predict, lambda given: explain(tree, given, 0)):
            with pytest.raises(DataError, match=WRONG[kind, other]) as refused:
                use(individuals)
            assert "\n" not in str(refused.value), name


def test_a_graph_model_does_not_answer_for_records():
    forms, labels = graph_forms()
    tree = StructuralTreeClassifier().fit(forms["list of graphs"], labels)
    for use in (tree.predict, tree.predict_proba, tree.model_.predict):
        with pytest.raises(DataError, match="the model is for graphs, but the individuals of the data have no nodes"):
            use([{"a": 1}])


def test_directed_graphs_are_no_undirected_ones():
    graphs = [nx.path_graph(n) for n in range(2, 6)]
    degrees = "refine Graph { top -> exists nodes (top) } refine Node { top -> count edges (top) >= * }"
    tree = StructuralTreeClassifier(degrees).fit([nx.path_graph(4), nx.star_graph(3)], [0, 1])
    with pytest.raises(DataError, match="needs the link 'edges' of type 'Node'"):
        tree.predict([nx.path_graph(3, create_using=nx.DiGraph)])
    nodes = StructuralTreeClassifier().fit(Population.from_graphs(graphs, individual="Node"), [0, 1] * 7)
    assert nodes.predict([nx.path_graph(3)]).shape == (3,)
    with pytest.raises(DataError, match=r"the model is for nodes of undirected graphs, but .* have no edges"):
        nodes.predict([nx.path_graph(3, create_using=nx.DiGraph)])


def test_parts_may_lack_what_some_lacked_in_training_also_in_a_saved_model(tmp_path):
    trains = [{"cars": [{"wheels": 2, "load": {"kg": n}}, {"wheels": 3}]} for n in range(6)]
    tree = StructuralTreeClassifier().fit(trains, [0, 0, 0, 1, 1, 1])
    save_model(tree, tmp_path / "m.json")
    for model in (tree, load_model(tmp_path / "m.json"), pickle.loads(pickle.dumps(tree))):
        assert model.predict([{"cars": [{"wheels": 2}]}]).tolist() == [0]
        with pytest.raises(DataError, match="needs the link 'cars' of type 'Individual', which the data lacks"):
            model.predict([{"wheels": 2}])


# ---- columns ---------------------------------------------------------------------------------------------


def test_a_model_finds_columns_by_name_and_those_of_arrays_by_place():
    frame = pd.DataFrame({"a": [1, 2, 3, 4], "b": [5, 5, 5, 5]})
    model = fit(frame, ["x", "x", "y", "y"])
    assert model.predict(frame[["b", "a"]].assign(c="more")).tolist() == ["x", "x", "y", "y"]
    assert model.predict(frame.to_numpy()).tolist() == ["x", "x", "y", "y"]
    with pytest.raises(DataError, match=r"expected an array with 2 columns \(a, b\); got one with 3"):
        model.predict(np.ones((2, 3)))
    with pytest.raises(DataError, match="needs the attribute 'a' of type 'Row', which the data lacks"):
        model.predict(frame[["b"]])
    with pytest.raises(DataError, match="expected rows of the same length"):
        model.predict([[1, 2], [3]])
    with pytest.raises(DataError, match=r"expected a Population, .* got a list of"):
        model.predict([1, 2])


# ---- molecules -------------------------------------------------------------------------------------------


def test_a_frame_with_smiles_is_read_as_a_csv_file_of_them_is(tmp_path):
    pytest.importorskip("rdkit")
    frame = pd.DataFrame({"id": [f"m{i}" for i in range(8)], "smiles": SMILES, "dose": [0.5, 1, 2, None, 1, 2, 3, 4]})
    frame.to_csv(tmp_path / "m.csv", index=False)
    read, given = structtree.open_data(tmp_path / "m.csv").population, population_of(frame)
    assert given.schema == read.schema and default_grammar(given).text == default_grammar(read).text
    assert [given.record(i) for i in range(8)] == [read.record(i) for i in range(8)]


def test_the_column_of_smiles_is_named_where_its_name_does_not_tell():
    pytest.importorskip("rdkit")
    frame = pd.DataFrame({"mol": SMILES, "dose": range(8)})
    tree = StructuralTreeClassifier(smiles="mol", max_depth=1).fit(frame, ALCOHOL)
    model = fit(frame, ALCOHOL, growth=Growth(max_depth=1), smiles="mol")
    assert tree.tree_.schema.individual == model.tree.schema.individual == "Molecule"
    assert tree.predict(frame).tolist() == model.predict(frame, smiles="mol").tolist() == ALCOHOL
    assert tree.predict(SMILES).tolist() == model.predict(SMILES).tolist() == ALCOHOL
    assert explain(tree, frame, 0).prediction == "yes"
    with pytest.raises(UnknownNameError, match=r"unknown column 'mole' \(did you mean 'mol'\?\)"):
        StructuralTreeClassifier(smiles="mole").fit(frame, ALCOHOL)
    with pytest.raises(UsageError, match="smiles='mol' requires a table with that column; got a list"):
        StructuralTreeClassifier(smiles="mol").fit(SMILES, ALCOHOL)
    with pytest.raises(DataError, match=r"the model is for molecules, .*; name the column .* smiles='COLUMN'"):
        model.predict(frame)
    assert Population.from_frame(pd.DataFrame({"smiles": SMILES})).schema.names == ("Row",)


def test_smiles_that_cannot_be_read_are_all_named():
    pytest.importorskip("rdkit")
    bad = r"RDKit cannot read 2 of 4 molecules(.|\n)*'C1CC'(.|\n)*'x'"
    for use in (
        lambda given: StructuralTreeClassifier().fit(given, [0, 1, 0, 1]),
        lambda given: fit(given, [0, 1, 0, 1]),
        population_of,
    ):
        with pytest.raises(DataError, match=bad):
            use(["CCO", "C1CC", "CC", "x"])
    with pytest.raises(DataError, match=r"RDKit (.|\n)*'red'"):
        StructuralTreeClassifier().fit(["red", "green"], [0, 1])


def test_without_rdkit_a_table_with_smiles_can_still_be_read(monkeypatch):
    monkeypatch.setitem(sys.modules, "rdkit", None)
    with pytest.raises(MissingPackageError, match=r"pip install 'structtree\[molecules\]', or read .*from_frame$"):
        population_of(pd.DataFrame({"smiles": SMILES}))
    with pytest.raises(MissingPackageError, match=r"pip install 'structtree\[molecules\]'$"):
        population_of(SMILES)


# ---- trees, models and estimators ------------------------------------------------------------------------


def test_a_tree_a_model_and_an_estimator_are_shown_alike(tmp_path):
    trains = load_dataset("trains")
    tree = StructuralTreeClassifier("trains", max_depth=2, costs=[[0, 1], [3, 0]]).fit(
        trains.population, trains.target
    )
    for show in (export_text, to_rules, to_formula, importances):
        assert show(tree) == show(tree.model_), show.__name__
    decision = tree.model_.decision
    assert export_text(tree) == export_text(tree.tree_, decision)
    assert to_rules(tree) == to_rules(tree.tree_, decision=decision)
    assert explain(tree, trains.population, 3) == explain(tree.tree_, trains.population, 3, decision)
    save_model(tree, tmp_path / "a.json")
    save_model(tree.model_, tmp_path / "b.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    save_model(tree.tree_, tmp_path / "c.json")
    assert isinstance(load_model(tmp_path / "c.json"), Model)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (StructuralTreeClassifier(), "got a StructuralTreeClassifier that is not fitted"),
        (StructuralTreeClassifier, "expected a tree, a model or a fitted estimator"),
        ("m.json", "expected a tree, a model or a fitted estimator, got 'm.json'"),
        (None, "expected a tree, a model or a fitted estimator, got null"),
    ],
)
def test_what_has_no_tree_is_refused_in_one_sentence(given, message, tmp_path):
    uses = [export_text, to_rules, to_formula, importances, lambda x: explain(x, [{"a": 1}], 0)]
    for use in [*uses, lambda x: save_model(x, tmp_path / "m.json")]:
        with pytest.raises(UsageError, match=message):
            use(given)
    assert not (tmp_path / "m.json").exists()


def test_functions_of_an_estimator_are_used_in_explanations():
    grammar = "function total: Individual -> int  refine Individual { top -> total >= * }"
    boxes, y = [{"items": [1, 2]}, {"items": [5]}, {"items": []}, {"items": [2, 3]}], ["a", "b", "a", "b"]
    total = {"total": lambda box: sum(item["value"] for item in box["items"])}
    tree = StructuralTreeClassifier(grammar, functions=total).fit(boxes, y)
    assert explain(tree, boxes, 1).prediction == "b"
    assert fit(boxes, y, Grammar.parse(grammar), functions=total).predict(boxes, total).tolist() == y


def test_logarithms_of_probabilities():
    forms, labels = record_forms()
    tree = StructuralTreeClassifier(max_depth=1, leaf_estimate="laplace").fit(forms["list of records"], labels)
    logs = tree.predict_log_proba(forms["list of records"])
    assert np.exp(logs) == pytest.approx(tree.predict_proba(forms["list of records"]))
    sure = StructuralTreeClassifier(max_depth=1, leaf_estimate="frequency").fit(forms["list of records"], labels)
    assert sorted(set(sure.predict_log_proba(forms["population"]).ravel().tolist())) == [-np.inf, 0.0]
    numbers = fit(forms["list of records"], np.arange(8.0))
    with pytest.raises(UsageError, match="the model predicts numbers, which have no probabilities"):
        numbers.predict_proba(forms["list of records"])


# ---- missing labels --------------------------------------------------------------------------------------

X = [{"x": i} for i in range(6)]
CLASSES = {
    "None": ["a", "a", None, "b", "b", None],
    "NaN": ["a", "a", np.nan, "b", "b", np.nan],
    "NA": pd.Series(["a", "a", pd.NA, "b", "b", pd.NA], name="kind"),
    "string": pd.Series(["a", "a", pd.NA, "b", "b", pd.NA], dtype="string"),
    "Int64": pd.Series([0, 0, pd.NA, 1, 1, pd.NA], dtype="Int64"),
    "floats": [0.0, 0.0, np.nan, 1.0, 1.0, np.nan],
    "category": pd.Series(["a", "a", None, "b", "b", None], dtype="category"),
}
NUMBERS = {
    "None": [1.5, 1.5, None, 2.5, 2.5, None],
    "NaN": np.array([1.5, 1.5, np.nan, 2.5, 2.5, np.nan]),
    "Float64": pd.Series([1.5, 1.5, pd.NA, 2.5, 2.5, pd.NA], dtype="Float64"),
}
LEFT_OUT = "^skipped 2 of 6 individuals without a (label|value for kind)$"


@pytest.mark.parametrize(
    ("made", "labels"),
    [
        *(pytest.param(StructuralTreeClassifier, y, id=f"classes, {name}") for name, y in CLASSES.items()),
        *(pytest.param(StructuralTreeRegressor, y, id=f"numbers, {name}") for name, y in NUMBERS.items()),
    ],
)
def test_individuals_without_a_label_are_left_out_with_a_warning_or_refused(made, labels):
    known = [0, 1, 3, 4]
    rest, weights = [X[i] for i in known], np.array([1.0, 2.0, 9.0, 1.0, 1.0, 9.0])
    expected = made().fit(rest, np.asarray(labels)[known].tolist(), weights[known])
    with pytest.warns(UserWarning, match=LEFT_OUT):
        tree = made().fit(X, labels, weights)
    assert tree.predict(X).tolist() == expected.predict(X).tolist()
    assert tree.tree_.nodes[0].stats == expected.tree_.nodes[0].stats
    with pytest.warns(UserWarning, match=LEFT_OUT) as told:
        assert tree.score(X, labels) == expected.score(rest, np.asarray(labels)[known].tolist()) == 1.0
    assert [warning.filename for warning in told] == [__file__]  # where the user calls it
    with pytest.warns(UserWarning, match=LEFT_OUT):
        assert fit(X, labels, sample_weight=weights).predict(X).tolist() == expected.predict(X).tolist()
    with pytest.warns(UserWarning, match=LEFT_OUT):
        assert len(cross_validate(made, X, labels, folds=2, repeats=1).scores) == 2
    message = r"the target( 'kind')? has no value \(individual 2\); to skip .*: unlabelled='leave out'"
    for refuse in (
        lambda: made(unlabelled="refuse").fit(X, labels),
        lambda: fit(X, labels, unlabelled="refuse"),
        lambda: cross_validate(made, X, labels, folds=2, unlabelled="refuse"),
    ):
        with pytest.raises(DataError, match=message):
            refuse()


def test_moments_may_be_missing_too():
    assert missing_labels(pd.to_datetime(pd.Series(["2020-01-01", None]))).tolist() == [False, True]
    assert missing_labels(np.ma.array([1, 2], mask=[True, False])).tolist() == [True, False]
    assert missing_labels(objects([pd.NaT, np.float32("nan"), "x"])).tolist() == [True, True, False]


def test_labels_are_told_apart_from_bad_ones():
    for use in (lambda y: StructuralTreeClassifier().fit(X, y), lambda y: fit(X, y)):
        with pytest.raises(DataError, match="the target is missing for all 6 individuals"):
            use([None] * 6)
    with pytest.raises(UsageError, match="unlabelled must be 'leave out' or 'refuse'; got 'drop'"):
        fit(X, [1] * 6, unlabelled="drop")
    with pytest.raises(UsageError, match="unlabelled must be 'leave out' or 'refuse'; got 'drop'"):
        StructuralTreeClassifier(unlabelled="drop").fit(X, [1] * 6)
    with pytest.raises(DataError, match="expected 6 labels, one for each individual; got 2"):
        cross_validate(StructuralTreeClassifier, X, [1, 2], folds=2)


def test_nothing_is_said_where_all_have_a_label():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tree = StructuralTreeClassifier().fit(X, ["a", "a", "a", "b", "b", "b"])
        assert tree.score(X, ["a", "a", "a", "b", "b", "b"]) == 1.0
    assert recognised(X).form == "records"
    assert cross_val_score(StructuralTreeClassifier(), X, [0, 0, 0, 1, 1, 1], cv=3).shape == (3,)


# ---- grammars --------------------------------------------------------------------------------------------


def test_a_grammar_goes_by_its_name_wherever_one_is_given():
    from structtree import Grammar, compare_effort, load_dataset

    trains = load_dataset("trains")
    by_name, by_value = (
        fit(trains.population, trains.target, grammar) for grammar in ("trains", Grammar.load("trains"))
    )
    assert str(export_text(by_name)) == str(export_text(by_value))
    (effort,) = compare_effort(trains.population, trains.target, "trains", ["entropy"], exhaustive_limit=0.01)
    assert effort.proved
    with pytest.raises(StructtreeError, match="unknown grammar 'trans'"):
        fit(trains.population, trains.target, "trans")
