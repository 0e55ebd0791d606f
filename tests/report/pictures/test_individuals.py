"""Individuals as drawings: nothing is lost, nothing is too large, nothing lies outside, and text stays text."""

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree import (
    Population,
    StructuralTreeClassifier,
    load_dataset,
    plot_explanation,
)
from structtree.data.population import Adjacency
from structtree.data.reachable import compact
from structtree.models.model import fitted
from structtree.report.explain import explain_prepared
from structtree.report.pictures.drawing import Element
from structtree.report.pictures.highlights import Marks, marks_of
from structtree.report.pictures.individuals import drawn
from structtree.report.pictures.rendering import paint_scene
from structtree.report.pictures.scene import Box, Label, Stroke, line_width, to_svg
from tests.cli.test_commands import run
from tests.learn.asking_trees import ask, counts
from tests.report.pictures.test_trees import HOSTILE
from tests.strategies import populations


def inside(drawing):
    """All items of a drawing lie within it; text is measured by the table of widths."""
    for item, _ in drawing.pieces:
        match item:
            case Box():
                ends = (item.x, item.x + item.width), (item.y, item.y + item.height)
            case Stroke():
                ends = (item.x, item.to_x), (item.y, item.to_y)
            case Label():
                width = line_width(item.text, item.size, bold=item.bold)
                start = item.x - {"start": 0.0, "middle": width / 2, "end": width}[item.anchor]
                ends = (start, start + width), (item.y - item.size * 0.8, item.y)
        for end, size in zip(ends, (drawing.width, drawing.height), strict=True):
            if not -1.0 <= min(end) <= max(end) <= size + 1.0:
                return False
    return True


@given(populations(), st.data())
def test_whatever_is_drawn_has_a_sensible_size_and_shows_what_is_wanted(population, data):
    alone = compact(population.take([data.draw(st.integers(0, len(population) - 1))]))
    rows = [Element(name, row) for name in alone.schema.names for row in range(alone.tables[name].n_rows)]
    marked = data.draw(st.lists(st.sampled_from(rows), max_size=4))
    drawing = drawn(alone, [Marks(tuple(marked))])
    assert inside(drawing) and drawing.width <= 1100 and drawing.height <= 4000
    own, start = alone.schema.individual, int(alone.individuals[0])
    links = [link for link in alone.schema.type(own).links if link.target != own]
    shown = {element.type for element in drawing.elements}
    for link in links:
        if link.target in alone.schema and len(alone.tables[own].links[link.name].of(start)):
            is_drawn = link.target in shown or not alone.schema.type(link.target).attributes
            assert is_drawn or any("…" in item.text for item, _ in drawing.pieces if isinstance(item, Label))
    ElementTree.fromstring(to_svg(drawing.scene(marked, marked)))


def test_a_thousand_rows_make_a_small_drawing_with_the_marked_one_in_it():
    many = [{"n": i, "text": "word " * 30, "more": i % 7, "on": bool(i % 2)} for i in range(1000)]
    alone = Population.from_records([{"rows": many}])
    drawing = drawn(alone, [Marks((Element("Row", 777), Element("Row", 777, "n")))])
    assert Element("Row", 777) in drawing.elements and inside(drawing)
    assert drawing.width < 600 and drawing.height < 400
    texts = [item.text for item, _ in drawing.pieces if isinstance(item, Label)]
    assert any(text.startswith("… 992 more rows") for text in texts)


def test_a_graph_of_a_thousand_nodes_shows_those_around_the_marked_one():
    graph = nx.path_graph(1000)
    alone = Population.from_graphs([graph])
    drawing = drawn(alone, [Marks((Element("Node", 500),))])
    nodes = {element.row for element in drawing.elements if element.type == "Node"}
    assert nodes == set(range(min(nodes), max(nodes) + 1)) and 500 in nodes and len(nodes) == 60
    assert inside(drawing) and drawing.height < 400


def test_every_node_and_edge_of_a_small_graph_can_be_marked_and_none_overlap():
    graph = nx.petersen_graph()
    drawing = drawn(Population.from_graphs([graph]))
    kinds = [element.type for element in drawing.elements]
    assert (kinds.count("Node"), kinds.count("Edge")) == (10, 30)
    middles = [
        (piece.item.x + piece.item.width / 2, piece.item.y + piece.item.height / 2, piece.item.width)
        for piece in drawing.pieces
        if piece.of is None and isinstance(piece.item, Box)
    ]
    for i, (x, y, width) in enumerate(middles):
        assert all((x - a) ** 2 + (y - b) ** 2 > width**2 for a, b, _ in middles[:i])


def test_what_made_a_test_true_is_marked_in_a_molecule():
    pytest.importorskip("rdkit", reason="needs RDKit: pip install 'structtree[molecules]'")
    smiles = ["CCO", "CCC", "CC(C)O", "CCCC", "OCCO", "C1CC1", "CCCO", "CCN"]
    tree = StructuralTreeClassifier(max_depth=1).fit(smiles, ["yes" if "O" in each else "no" for each in smiles])
    known = fitted(tree)
    explanation, alone = explain_prepared(known, known.prepared(smiles), 0)
    (marks,) = (marks_of(reason, alone) for reason in explanation.reasons)
    drawing = drawn(alone, [marks])
    assert set(marks.counted) & drawing.elements and not marks.near
    assert {element.type for element in drawing.elements} == {"Atom", "Bond"}
    letters = [item.text for item, of in drawing.pieces if isinstance(item, Label) and of is None]
    assert letters == ["OH"] or letters == ["HO"]


def test_the_legend_explains_the_highlights_that_are_shown():
    data = load_dataset("trains")
    tree = StructuralTreeClassifier("trains").fit(data.population, data.target)
    svg = plot_explanation(tree, data.population, 8, actual="<west>").svg
    assert "stroke-dasharray" in svg and "&lt;west&gt;" in svg
    assert "counted by the test" in svg and "nearest to satisfying the test" in svg
    assert "supports a counted one" not in svg


def test_a_drawing_without_room_for_all_counted_rows_says_so():
    rows = [{"n": i, "text": f"word {i}", "on": bool(i % 2)} for i in range(100)]
    records = [{"rows": rows}, {"rows": rows[:50]}]
    tree = ask(Population.from_records(records).schema, ("count rows (on) >= 30", counts(0, 2), counts(2, 0)))
    assert "the drawing shows 8 of 50 counted rows" in re.sub(
        r"</text>\s*<text[^>]*>", " ", plot_explanation(tree, records, 0).svg
    )


def test_rows_of_a_test_with_few_of_them_are_drawn_before_those_of_others():
    alone = Population.from_records([{"rows": [{"n": i, "text": str(i)} for i in range(100)]}])
    marks = [Marks(tuple(Element("Row", i) for i in range(90))), Marks((Element("Row", 95), Element("Row", 97)))]
    drawing = drawn(alone, marks)
    assert {Element("Row", 95), Element("Row", 97)} <= drawing.elements
    assert drawing.missing_text(marks[1].counted) == "" != drawing.missing_text(marks[0].counted)


def test_stereocentres_have_wedges_of_lines_and_the_letter_that_a_test_reads():
    pytest.importorskip("rdkit", reason="needs RDKit: pip install 'structtree[molecules]'")
    flat, left, right = (
        drawn(Population.from_smiles([text]), [Marks((Element("Atom", 1, "chirality"),))])
        for text in ("CC(N)C(=O)O", "C[C@H](N)C(=O)O", "C[C@@H](N)C(=O)O")
    )

    def strokes(drawing):
        return [item for item, of in drawing.pieces if of is None and isinstance(item, Stroke)]

    assert len(strokes(flat)) == 6  # five bonds, one of them double
    assert len(strokes(left)) == len(strokes(right)) == 6 + 5  # a wedge has six lines
    assert strokes(left) != strokes(right) and all(map(inside, (flat, left, right)))
    letters = [{item.text for item, of in each.pieces if of and of.member} for each in (flat, left, right)]
    assert letters == [set(), {"S"}, {"R"}]


def test_hostile_names_and_values_stay_text(tmp_path):
    records = [
        {
            "parts": [{name: name for name in HOSTILE}],
            "xs": [{"t": name} for name in HOSTILE],
            **dict.fromkeys(HOSTILE, 1),
        },
        {"parts": [], "xs": [], **dict.fromkeys(HOSTILE, 2)},
    ] * 3
    tree = StructuralTreeClassifier(grow="full").fit(records, ["</text><script>", "b"] * 3)
    picture = plot_explanation(tree, records, 0)
    svg = picture.svg
    assert "<script" not in svg and "\x1b" not in svg and "\u202e" not in svg and "<img" not in svg
    ElementTree.fromstring(svg)
    for name in ("a.svg", "a.png", "a.pdf"):
        picture.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 1000


def test_a_picture_is_painted_without_anything_cut_off():
    data = load_dataset("trains")
    tree = StructuralTreeClassifier("trains").fit(data.population, data.target)
    pixels = paint_scene(plot_explanation(tree, data.population, 8).scene).convert("L")
    width, height = pixels.size
    edges = [(0, 0, width, 2), (0, height - 2, width, height), (0, 0, 2, height), (width - 2, 0, width, height)]
    assert all(pixels.crop(edge).getextrema() == (255, 255) for edge in edges)


def test_the_command_draws(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("fit", "trains", "-o", "trains.json").exit_code == 0
    done = run("explain", "trains.json", "trains", "--row", "8", "--picture", "a.svg", "--path-picture", "b.svg")
    assert done.exit_code == 0 and "wrote a.svg" in done.stderr and "wrote b.svg" in done.stderr
    svg = Path("a.svg").read_text(encoding="utf-8")
    assert "some closed car is not long" in re.sub(r"</text>\s*<text[^>]*>", " ", svg)
    refused = run("explain", "trains.json", "trains", "--picture", "a.dot")
    assert refused.exit_code == 2 and "must end in .svg, .png, .pdf" in refused.stderr


def test_a_row_in_its_own_list_is_drawn_as_a_graph():
    loop = Population.from_records([{"$id": "a", "name": "x", "parts": [{"name": "y"}]}], individual="Part")
    table = loop.tables["Part"]
    turned = replace(table, links={"parts": Adjacency.from_lengths([1, 1], [1, 0])})
    drawing = drawn(replace(loop, tables={"Part": turned}), [Marks((Element("Part", 1),))])
    assert {element.row for element in drawing.elements if not element.member} == {0, 1}
