"""What notebooks show: it is there, it is escaped, and the notebook of the documentation shows it."""

from __future__ import annotations

import io
import json
import pickle
import sys
import types
from html import escape
from html.parser import HTMLParser

import pytest
import sklearn

from structtree import (
    Growth,
    Population,
    StructuralTreeClassifier,
    best_split,
    default_grammar,
    explain,
    fit,
    html_view,
    load_dataset,
    plot_explanation,
    plot_tree,
)
from structtree.errors import UsageError
from structtree.evaluation.held_out import score_summary
from structtree.progress import StatusLine
from tests.notebooks import NOTEBOOKS, executed, text_of
from tests.report.html.test_hostile import Terminal
from tests.report.pictures.test_trees import HOSTILE

TAGS = {"div", "p", "b", "small", "pre", "code", "table", "thead", "tbody", "tr", "th", "td"}
TAGS |= {"svg", "title", "rect", "line", "path", "text"}


class Tags(HTMLParser):
    """The tags and attributes of some markup."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes = set(), set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


class Frame(HTMLParser):
    """The frames of some markup, each with its document and sandbox."""

    def __init__(self):
        super().__init__()
        self.frames = []

    def handle_starttag(self, tag, attrs):
        if tag == "iframe":
            known = dict(attrs)
            self.frames.append((known["srcdoc"], known["sandbox"]))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_shows_what_a_rerun_shows(path):
    text = path.read_text(encoding="utf-8")
    assert text_of(executed(json.loads(text))) == text


def test_whatever_is_in_the_data_a_view_is_inert():
    records = [{"label": label, "parts": [{"kind": label}, {label: True}]} for label in HOSTILE for _ in range(3)]
    labels = [record.pop("label") for record in records]
    population = Population.from_records(records, individual="<script>")
    grammar = default_grammar(population)
    model = fit(population, labels, grammar, Growth(), grow="full", target_name="<img src=x>")
    explanation = explain(model, population, 0)
    for value in (population, grammar, model, model.tree, best_split(population, labels, grammar), explanation):
        markup = value._repr_html_()
        found = Tags()
        found.feed(markup)
        assert found.tags <= TAGS and not any(name.startswith("on") or name == "src" for name in found.attributes)
        assert not any(sign in markup for sign in ("\x1b", "\r", "\u202e"))
    with pytest.raises(UsageError, match=r"expected a Tree, Model, .* or HtmlReport; got list"):
        html_view([])


def test_an_estimator_is_shown_as_scikit_learn_does_with_its_tree_below():
    tree = StructuralTreeClassifier()
    assert "<svg xmlns" not in tree._repr_html_()
    tree.fit([[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"])
    bundle = tree._repr_mimebundle_()
    assert bundle["text/plain"] == repr(tree) and "sk-container" in bundle["text/html"]
    assert bundle["text/html"].endswith(tree.tree_._repr_html_())
    with sklearn.config_context(display="text"):
        assert not hasattr(tree, "_repr_html_") and list(tree._repr_mimebundle_()) == ["text/plain"]


def test_a_large_tree_is_drawn_in_part():
    numbers = [[float(i)] for i in range(200)]
    tree = StructuralTreeClassifier(grow="full").fit(numbers, ["ab"[i // 2 % 2] for i in range(200)]).tree_
    picture = plot_tree(tree)
    assert len(tree.leaves) > 60 and picture.note.endswith(f" of {tree.depth}")
    assert sum(not below for below in picture.look.shown.children) <= 24
    assert picture.note in picture.svg and picture.note in tree._repr_html_()
    whole = plot_tree(tree, max_depth=tree.depth)
    assert whole.note == "" and len(whole.look.shown.nodes) == len(tree.nodes)


def test_a_tree_is_shown_in_words_and_with_its_scores():
    model = fit("trains", estimate=True)
    assert "some closed car is not long" in model._repr_html_() and "exists" not in model._repr_html_()
    assert escape(score_summary(model)) in model._repr_html_()


def test_an_explanation_is_shown_as_its_picture_and_a_report_in_a_frame():
    trains = load_dataset("trains")
    tree = StructuralTreeClassifier("trains").fit(trains.population, trains.target)
    shown = explain(tree, trains.population, 8)
    assert plot_explanation(tree, trains.population, 8).svg in shown._repr_html_()
    assert "some closed car is not long" in shown._repr_html_()
    assert pickle.loads(pickle.dumps(shown)) == shown
    report = tree.report(trains.population, trains.target, title="<b>'\"")
    frame = Frame()
    frame.feed(report._repr_html_())
    assert frame.frames == [(report.html, "allow-scripts")]


def test_a_notebook_gets_one_output_that_is_updated(monkeypatch):
    shown, updates = [], []

    class Handle:
        def update(self, data, raw):
            updates.append(data["text/plain"])

    def display(data, raw, display_id):
        shown.append(data["text/plain"])
        return Handle()

    monkeypatch.setitem(sys.modules, "IPython", types.ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", types.SimpleNamespace(display=display))
    monkeypatch.setattr("structtree.progress.LIVE_INTERVAL", 0.0)
    out = type("OutStream", (io.StringIO,), {"__module__": "ipykernel.iostream"})()
    trains = load_dataset("trains")
    with StatusLine(out) as status:
        fit(trains.population, trains.target, "trains", progress=status)
    assert out.getvalue() == "" and len(shown) == 1 and len(updates) > 1
    assert "growing" in updates[-1] and "100%" in updates[-1]


@pytest.mark.parametrize("stream", [Terminal, io.StringIO])
def test_a_status_line_is_written_over_on_a_terminal_and_seldom_in_a_pipe(stream, monkeypatch):
    monkeypatch.setattr("structtree.progress.LIVE_INTERVAL", 0.0)
    trains, out = load_dataset("trains"), stream()
    with StatusLine(out) as status:
        fit(trains.population, trains.target, "trains", progress=status)
    text = out.getvalue()
    assert text.endswith("\n") and text.count("\n") == 1
    assert "growing" in text and "100%" in text and "predicates" in text
    assert ("\r" in text) == out.isatty()
