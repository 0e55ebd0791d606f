"""What notebooks show: it is there, it is escaped, and the notebook of the documentation shows it."""

from __future__ import annotations

import io
import json
from html.parser import HTMLParser

import pytest
import sklearn

from structtree import (
    Growth,
    Population,
    StructuralTreeClassifier,
    best_split,
    default_grammar,
    fit,
    html_view,
    load_dataset,
)
from structtree.errors import UsageError
from structtree.progress import StatusLine
from tests.notebooks import NOTEBOOKS, executed, text_of
from tests.report.html.test_hostile import Terminal
from tests.report.pictures.test_trees import HOSTILE

TAGS = {"div", "p", "b", "small", "pre", "code", "table", "thead", "tbody", "tr", "th", "td"}
TAGS |= {"svg", "title", "rect", "path", "text"}


class Tags(HTMLParser):
    """The tags and attributes of some markup."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes = set(), set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}


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
    for value in (population, grammar, model, model.tree, best_split(population, labels, grammar)):
        markup = value._repr_html_()
        found = Tags()
        found.feed(markup)
        assert found.tags <= TAGS and not any(name.startswith("on") or name == "src" for name in found.attributes)
        assert not any(sign in markup for sign in ("\x1b", "\r", "\u202e"))
    with pytest.raises(UsageError, match="expected a Tree, Model, Population, Grammar or Split; got list"):
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
    tree = StructuralTreeClassifier(grow="full").fit(numbers, ["ab"[i // 2 % 2] for i in range(200)])
    assert len(tree.tree_.leaves) > 40 and "drawn to depth 4" in tree.tree_._repr_html_()


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
