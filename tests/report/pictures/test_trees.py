"""Pictures of trees: nothing overlaps or leaves its box, in every format, whatever the names in the data are."""

import re
import subprocess
from itertools import combinations
from shutil import which
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree import StructuralTreeClassifier, StructuralTreeRegressor, load_dataset
from structtree.data.schema import Attribute, RecordType, Schema
from structtree.errors import UsageError
from structtree.lang import syntax as syn
from structtree.models.tree import Branch, ClassCounts, Found, Leaf, Moments, Tree
from structtree.report.pictures.scene import Box, Curve, Label, line_width
from structtree.report.pictures.trees import class_colours, plot_tree
from tests.cli.test_commands import run

FOUND = Found("acc*", 1.0, 0.5, True, 0.0, 1, 0.0)
HOSTILE = [
    "<script>alert(1)</script>",
    "a\x1b[31mred\n\r",
    "\u202eevil",
    "👩‍🔬 ✓",
    'q"\\l\\N',
    "]]>&amp;",
    "مرحبا",
    "日本",
]


def chain(n_branches, labels=("no", "yes"), numbers=False):
    """A tree whose branches hang one below the other, every second one to the other side."""
    nodes, schema = [], Schema((RecordType("Car", (Attribute("size", "real"),)),), "Car")
    shape = _shape(n_branches)
    for kind, yes, no in shape:
        stats = Moments(9, 9.0, float(len(nodes)), 2.0) if numbers else ClassCounts(9, (4.0,) * len(labels))
        test = syn.Compare("size", ">=", float(len(nodes)))
        nodes.append(Leaf(stats) if kind == "leaf" else Branch(test, yes, no, stats, FOUND))
    return Tree(tuple(nodes), schema, () if numbers else tuple(labels))


def _shape(n_branches):
    """Nodes of a balanced tree in the order of reading, with their children."""
    nodes = []

    def grow(n):
        place = len(nodes)
        nodes.append(None)
        if n == 0:
            nodes[place] = ("leaf", 0, 0)
        else:
            yes = grow((n - 1) // 3)
            no = grow(n - 1 - (n - 1) // 3)
            nodes[place] = ("branch", yes, no)
        return place

    grow(n_branches)
    return nodes


def cards(scene):
    return [item for item in scene.items if isinstance(item, Box) and item.line]


def inside(label, box):
    width = line_width(label.text, label.size, bold=label.bold)
    return box.x <= label.x and label.x + width <= box.x + box.width + 0.01 and box.y <= label.y <= box.y + box.height


@given(st.integers(0, 40), st.sampled_from(["down", "right"]), st.booleans(), st.integers(2, 14))
def test_boxes_do_not_overlap_and_hold_their_text(n, direction, numbers, n_classes):
    tree = chain(n, [f"kind {k}" for k in range(n_classes)], numbers)
    scene = plot_tree(tree, direction=direction, title="A title").scene
    boxes = cards(scene)
    assert len(boxes) == 2 * n + 1
    for one, other in combinations(boxes, 2):
        aside = one.x + one.width <= other.x or other.x + other.width <= one.x
        assert aside or one.y + one.height <= other.y or other.y + other.height <= one.y
    for item in scene.items:
        if isinstance(item, Box):
            assert 0 <= item.x <= item.x + item.width <= scene.width and item.y >= 0
            assert item.y + item.height <= scene.height
    texts = [item for item in scene.items if isinstance(item, Label) and item.size in (12.0, 10.5)]
    assert texts and all(any(inside(text, box) for box in boxes) for text in texts)


def test_edges_are_as_wide_as_their_share():
    stats = [ClassCounts(8, (4.0, 4.0)), ClassCounts(6, (4.0, 2.0)), ClassCounts(2, (0.0, 2.0))]
    schema = Schema((RecordType("Car", (Attribute("size", "real"),)),), "Car")
    tree = Tree(
        (Branch(syn.Compare("size", ">=", 1.0), 1, 2, stats[0], FOUND), *map(Leaf, stats[1:])), schema, ("a", "b")
    )
    widths = [item.line for item in plot_tree(tree).scene.items if isinstance(item, Curve)]
    assert widths == [1 + 11 * 0.75, 1 + 11 * 0.25]


def test_the_bar_of_a_node_has_a_part_for_each_class():
    tree = Tree((Leaf(ClassCounts(8, (6.0, 0.0, 2.0))),), Schema((RecordType("Car"),), "Car"), ("a", "b", "c"))
    card, first, second = (
        item for item in plot_tree(tree).scene.items if isinstance(item, Box) and item.height != 10
    )
    colours = class_colours(3)
    assert (first.fill, second.fill) == (colours[0], colours[2])
    assert first.width == pytest.approx(3 * second.width) and second.x == pytest.approx(first.x + first.width)
    assert card.x < first.x and second.x + second.width < card.x + card.width


def test_depths_and_paths_are_shown_on_request():
    trains = load_dataset("trains")
    tree = StructuralTreeClassifier("trains").fit(trains.population, trains.target).tree_
    assert len(cards(plot_tree(tree).scene)) == len(tree.nodes)
    assert len(cards(plot_tree(tree, max_depth=1).scene)) == 3
    assert "… 2 leaves" in plot_tree(tree, max_depth=1).svg
    path = plot_tree(tree, trains.population, individual=0).scene
    assert sum(box.line == 2.0 for box in cards(path)) == 1 + len(tree.path(int(tree.apply(trains.population)[0])))
    with pytest.raises(
        UsageError, match="individual requires individuals; pass both to draw the path of one of them"
    ):
        plot_tree(tree, individual=0)
    with pytest.raises(UsageError, match="individual must be between 0 and 19; got 20"):
        plot_tree(tree, trains.population, individual=20)


def test_numbers_have_histograms_where_the_data_is_given():
    rng = np.random.default_rng(0)
    individuals, target = rng.normal(size=(60, 2)), rng.normal(size=60)
    tree = StructuralTreeRegressor(max_depth=2).fit(individuals, target)
    bars = [i for i in plot_tree(tree, individuals, target).scene.items if isinstance(i, Box)]
    assert len(bars) > len([i for i in plot_tree(tree).scene.items if isinstance(i, Box)])
    with pytest.raises(UsageError, match="expected 60 targets, one for each individual; got 3"):
        plot_tree(tree, individuals, target[:3])


def hostile_tree():
    records = [{name: float(i == k) for k, name in enumerate(HOSTILE)} for i in range(len(HOSTILE))] * 3
    return StructuralTreeClassifier(grow="full").fit(records, HOSTILE * 3)


@pytest.mark.parametrize("words", [False, True])
@pytest.mark.parametrize("direction", ["down", "right"])
def test_names_from_data_are_inert_text(tmp_path, words, direction):
    picture = plot_tree(hostile_tree(), words=words, direction=direction, title=HOSTILE[1])
    root = ElementTree.fromstring(picture.svg)
    assert {element.tag.rpartition("}")[2] for element in root.iter()} <= {"svg", "title", "rect", "path", "text"}
    joined = "".join(element.text or "" for element in root.iter())
    assert "<script>" in joined and "日本" in joined
    for text in (picture.svg, picture.dot):
        assert "\x1b" not in text and "\u202e" not in text and "\r" not in text
    for ending in ("svg", "png", "pdf", "dot"):
        picture.save(tmp_path / f"a.{ending}")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.skipif(which("dot") is None, reason="needs dot of Graphviz")
def test_graphviz_reads_the_dot(tmp_path):
    hostile = plot_tree(hostile_tree()).dot
    drawn = subprocess.run(["dot", "-Tsvg"], input=hostile.encode(), capture_output=True, check=True)
    assert not drawn.stderr.strip() or b"Warning" in drawn.stderr
    assert "&lt;script&gt;" in drawn.stdout.decode()


@pytest.mark.skipif(which("pdftotext") is None, reason="needs pdftotext of Poppler")
def test_the_text_of_a_pdf_can_be_searched(tmp_path):
    plot_tree(chain(3, ("naïve", "ja ≥ nein"))).save(tmp_path / "a.pdf")
    found = subprocess.run(["pdftotext", tmp_path / "a.pdf", "-"], capture_output=True, check=True).stdout.decode()
    assert "naïve" in found and "ja ≥ nein" in found and "size >= 0.0" in found


def test_a_dollar_in_a_pdf_is_a_dollar(tmp_path):
    plot_tree(chain(2, ("$x^2$", "$\\frac"))).save(tmp_path / "a.pdf")
    assert (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")


def test_the_same_tree_gives_the_same_pdf(tmp_path, monkeypatch):
    written = []
    for day in ("1", "100000000"):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", day)
        plot_tree(chain(3)).save(tmp_path / "a.pdf")
        written.append((tmp_path / "a.pdf").read_bytes())
    assert written[0] == written[1]


def test_a_pdf_fits_the_longest_page_and_keeps_its_proportions(tmp_path):
    picture = plot_tree(chain(400), max_depth=400)
    picture.save(tmp_path / "a.pdf")
    found = re.search(rb"/MediaBox \[ ?0 0 ([\d.]+) ([\d.]+) ?\]", (tmp_path / "a.pdf").read_bytes())
    assert found is not None
    width, height = map(float, found.groups())
    assert picture.scene.height > 14_400 and height == pytest.approx(14_400)
    assert width / height == pytest.approx(picture.scene.width / picture.scene.height)


@pytest.mark.parametrize("ending", ["svg", "png", "pdf", "dot"])
def test_a_thousand_leaves_are_drawn(tmp_path, ending):
    plot_tree(chain(999), max_depth=999).save(tmp_path / f"a.{ending}")
    assert 10_000 < (tmp_path / f"a.{ending}").stat().st_size < 5_000_000


def test_a_name_without_a_known_ending_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"cannot draw 'a.bmp': the name must end in .svg, .png, .pdf, .dot"):
        plot_tree(chain(1)).save(tmp_path / "a.bmp")
    with pytest.raises(UsageError, match="direction must be auto, down or right; got 'up'"):
        plot_tree(chain(1), direction="up")


def test_the_command_draws_a_model(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("fit", "trains", "-o", "trains.json").exit_code == 0
    printed = run("show", "trains.json", "--format", "svg", "--words")
    assert printed.exit_code == 0 and "some closed car" in printed.stdout
    for ending in ("svg", "png", "pdf", "dot"):
        assert run("show", "trains.json", "-o", f"a.{ending}").exit_code == 0
        assert (tmp_path / f"a.{ending}").stat().st_size > 500
    drawn = run("explain", "trains.json", "trains", "--row", "3", "--path-picture", "path.svg")
    assert drawn.exit_code == 0 and "Train 3" in (tmp_path / "path.svg").read_text()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--format", "png"], "set the output file with -o FILE for the PNG format"),
        (["--format", "rules", "-o", "a.txt"], "-o is for pictures"),
        (["--format", "svg", "--json"], "--json and --format svg are mutually exclusive"),
        (["--format", "rules", "--max-depth", "1"], "--max-depth is for text and pictures of a tree, not for rules"),
        (["--format", "json", "--words"], "--words does not apply to JSON"),
    ],
)
def test_options_that_do_not_fit_are_refused(tmp_path, monkeypatch, words, sentence):
    monkeypatch.chdir(tmp_path)
    run("fit", "trains", "-o", "trains.json")
    found = run("show", "trains.json", *words)
    assert found.exit_code == 2 and sentence in found.stderr
