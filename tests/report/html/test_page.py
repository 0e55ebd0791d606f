"""The interactive report: what is in the file, and that nothing in it can do harm."""

import json
import re

import numpy as np
import pytest

from structtree import (
    StructuralTreeClassifier,
    StructuralTreeRegressor,
    html_report,
    load_dataset,
    load_model,
    save_model,
)
from structtree.errors import UsageError
from structtree.lang.parse import parse_predicate
from structtree.lang.resolve import Scope, resolve
from structtree.report.html.contents import MAX_EXAMPLES
from structtree.space.evaluate import holds
from tests.cli.test_commands import run
from tests.report.pictures.test_trees import HOSTILE


def data_of(html):
    (block,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', html, flags=re.DOTALL)
    return json.loads(block)


@pytest.fixture(scope="module")
def trains():
    data = load_dataset("trains")
    tree = StructuralTreeClassifier("trains").fit(data.population, data.target)
    return tree, data


def test_a_report_has_every_node_in_words_and_in_grammar_text(trains):
    tree, data = trains
    found = data_of(html_report(tree, data.population, data.target).html)
    assert found["nodes"][0]["words"] == "some closed car is not long"
    assert found["nodes"][0]["test"] == "exists cars (closed and not long)"
    assert [node.get("kids") for node in found["nodes"]] == [[1, 2], None, [3, 4], None, None]
    assert found["classes"] == ["east", "west"] and found["n"] == 20
    assert {name: value for name, value, _ in found["scores"]}["accuracy"] == 1.0


def test_the_figures_beside_the_rules_of_a_report_are_true_of_its_conditions():
    golf = load_dataset("golf")
    weights = np.arange(2.0, 2.0 + len(golf.target))
    tree = StructuralTreeClassifier(grow="full").fit(golf.population, golf.target, sample_weight=weights)
    rules = data_of(html_report(tree, golf.population, golf.target).html)["rules"]
    assert len(rules) > 2
    for _, texts, said, n, sure, _, weight in rules:
        (test,) = resolve(parse_predicate(" and ".join(texts)), "Row", Scope(golf.population.schema))
        which = holds(test, golf.population)
        assert (n, weight) == (which.sum(), weights[which].sum())
        assert sure == pytest.approx(weights[which & (golf.target == said)].sum() / weight, rel=1e-5)


def test_a_report_quotes_no_figures_beside_rules_of_individuals_that_were_counted_in_parts():
    rows = [{"a": a, "b": b} for a, b in ((1, 1), (1, 2), (2, 1), (2, 2), (None, 1), (None, 2))]
    labels = ["no", "no", "yes", "yes", "no", "yes"]
    tree = StructuralTreeClassifier(grow="full", missing="fractional").fit(rows, labels)
    assert [rule[3:5] for rule in data_of(tree.report(rows, labels).html)["rules"]] == [[None, None]] * 2


def test_a_report_shows_what_tests_cost_and_what_they_give_up():
    """A dear exact test and a cheap one that misses a few."""
    records = [{"lab": i, "cough": i >= 60 and i % 25 > 0} for i in range(100)]
    sick, grammar = [i >= 60 for i in range(100)], "refine Individual { top -> cough; top -> lab >= * cost 8 }"
    options = {"max_depth": 2, "criterion": "entropy"}
    tree = StructuralTreeClassifier(grammar, cost_tolerance=0.3, **options).fit(records, sick)
    given_up = tree.tree_.nodes[0].found.dearer.given_up
    costs = data_of(tree.report(records, sick).html)["test_costs"]
    assert costs["tolerance"] == 0.3 and costs["note"].startswith("1 test was preferred to a better one")
    assert costs["tests"] == {"0": [1, ["lab is at least 60", "lab >= 60", 8, given_up]], "2": [8, None]}
    assert (
        data_of(StructuralTreeClassifier(grammar, **options).fit(records, sick).report(records).html)["test_costs"]
        is None
    )


def test_examples_are_of_their_leaf_and_mark_what_made_tests_true(trains):
    tree, data = trains
    found = data_of(html_report(tree, data.population, data.target).html)
    leaves = tree.tree_.apply(data.population)
    for number, node in enumerate(found["nodes"]):
        for kind, rows in node.get("examples", {}).items():
            for row in rows:
                example = found["examples"][row]
                assert example["leaf"] == number == leaves[example["row"]]
                assert example["wrong"] == (kind == "wrong")
    for one in found["examples"].values():
        for node, (counted, supporting, near, _) in one["marks"].items():
            answers = {number: answer for number, answer, _ in one["why"]}
            assert counted or (near and answers[int(node)] == "no")
            assert {piece[0] for piece in one["drawing"]["pieces"]} >= {*counted, *supporting, *near}


def test_predictions_are_counted_for_every_threshold(trains):
    tree, data = trains
    found = data_of(html_report(tree, data.population, data.target).html)
    counts = np.sum([counts for _, _, counts in found["predictions"]], axis=0)
    assert counts.tolist() == [10, 10]


def test_molecules_are_laid_out_and_marked():
    pytest.importorskip("rdkit", reason="needs RDKit: pip install 'structtree[molecules]'")
    smiles = ["CCO", "CCC", "CC(C)O", "CCCC", "OCCO", "C1CC1", "CCCO", "CCN"]
    tree = StructuralTreeClassifier(max_depth=1).fit(smiles, ["yes", "no", "yes", "no", "yes", "no", "yes", "no"])
    found = data_of(tree.report(smiles, ["yes", "no", "yes", "no", "yes", "no", "yes", "no"]).html)
    for one in found["examples"].values():
        assert one["names"] == [["smiles", smiles[one["row"]]]]
        n_bonds = sum(piece[:2] == [-1, "s"] for piece in one["drawing"]["pieces"])
        assert n_bonds == sum(sign in "CON" for sign in smiles[one["row"]]) - ("1" not in smiles[one["row"]])


def test_a_label_that_is_markup_is_text(tmp_path):
    records = [{name: float(i == k) for k, name in enumerate(HOSTILE)} for i in range(len(HOSTILE))] * 3
    tree = StructuralTreeClassifier(grow="full").fit(records, HOSTILE * 3)
    html = html_report(tree, records, HOSTILE * 3, tmp_path / "a.html", title="</script><img src=x>").html
    assert html == (tmp_path / "a.html").read_text(encoding="utf-8")
    assert html.count("<script") == html.count("</script>") == 2 and "<img" not in html
    assert "\x1b" not in html and "\u202e" not in html
    assert HOSTILE[0] in data_of(html)["classes"]


def test_a_report_asks_for_nothing_from_outside(trains):
    tree, data = trains
    html = html_report(tree, data.population, data.target).html
    assert "default-src 'none'" in html
    without = html.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?://|\bsrc=|@import|url\(|fetch\(|XMLHttp", without)


def test_large_data_makes_a_small_file():
    rng = np.random.default_rng(0)
    cells, target = rng.normal(size=(100_000, 5)), rng.normal(size=100_000)
    tree = StructuralTreeRegressor(max_leaf_nodes=100).fit(cells, target + cells[:, 0])
    html = tree.report(cells, target + cells[:, 0]).html
    assert len(html.encode()) < 5_000_000
    assert len(data_of(html)["examples"]) <= MAX_EXAMPLES


def test_each_leaf_of_a_large_tree_has_an_example_and_there_are_few_in_all():
    rows = [[float(i)] for i in range(600)]
    labels = ["ab"[i // 2 % 2] for i in range(600)]
    tree = StructuralTreeClassifier(grow="full").fit(rows, labels)
    labels[::3] = "a" * 200  # now many leaves have misclassified individuals
    found = data_of(tree.report(rows, labels).html)
    leaves = [node for node in found["nodes"] if "kids" not in node]
    assert len(leaves) > 250 and all(node["examples"] for node in leaves)
    assert len(leaves) < len(found["examples"]) <= MAX_EXAMPLES
    listed = {i for node in leaves for places in node["examples"].values() for i in places}
    assert listed == set(found["examples"])


def test_without_a_target_there_are_no_scores(trains):
    tree, data = trains
    found = data_of(html_report(tree, data.population).html)
    assert found["scores"] == [] and found["predictions"] is None
    assert not any("wrong" in node.get("examples", {}) for node in found["nodes"])


def test_searches_are_compared_by_criterion_when_asked():
    lenses = load_dataset("lenses")
    tree = StructuralTreeClassifier("flat").fit(lenses.population, lenses.target)
    found = data_of(html_report(tree, lenses.population, lenses.target, effort=5).html)["criteria"]
    assert {"acc*", "entropy", "gini"} <= {one["criterion"] for one in found}
    assert all(one["proved"] and one["evaluated"] <= one["evaluated_exhaustive"] for one in found)
    with pytest.raises(UsageError, match="the data has no target"):
        html_report(tree, lenses.population, effort=5)
    with pytest.raises(UsageError, match="effort must be a number of seconds > 0"):
        html_report(tree, lenses.population, lenses.target, effort=0)


def test_the_sizes_that_were_tried_are_kept_and_shown(tmp_path):
    monks = load_dataset("monks-3")
    rng = np.random.default_rng(0)
    noisy = np.where(rng.random(432) < 0.2, rng.permutation(monks.target), monks.target)
    tree = StructuralTreeClassifier("flat").fit(monks.population, noisy)
    save_model(tree, tmp_path / "a.json")
    sizes = data_of(html_report(load_model(tmp_path / "a.json"), monks.population, noisy).html)["sizes"]
    held_out = {leaves: loss for leaves, loss, _ in sizes["held_out"]}
    assert sizes["chosen"] == len(tree.tree_.leaves) and held_out[sizes["chosen"]] == min(held_out.values())
    assert sizes["here"][-1] == [sizes["chosen"], pytest.approx(np.mean(tree.predict(monks.population) != noisy))]
    assert max(held_out) > sizes["chosen"]


def test_the_commands_write_reports(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("fit", "trains", "-o", "trains.json", "--report", "fit.html").exit_code == 0
    assert run("report", "trains.json", "--data", "trains", "-o", "a.html", "--title", "Trains").exit_code == 0
    assert run("report", "trains.json", "trains").exit_code == 0
    assert data_of((tmp_path / "a.html").read_text())["title"] == "Trains"
    assert (
        data_of((tmp_path / "fit.html").read_text())["nodes"] == data_of((tmp_path / "a.html").read_text())["nodes"]
    )
    assert (tmp_path / "report.html").exists()
    refused = run("report", "trains.json")
    assert refused.exit_code == 2 and "pass the data once" in refused.stderr
