from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree.data.schema import RecordType, Schema
from structtree.errors import UsageError
from structtree.lang.parse import parse_predicate
from structtree.lang.pretty import pretty
from structtree.models.leaves import Decision
from structtree.models.tree import Branch, ClassCounts, Found, Leaf, Moments, Tree
from structtree.report.spans import cells, line_text
from structtree.report.text import export_text, tree_lines
from structtree.reprs import inert
from tests.learn.asking_trees import ask, counts, number_leaves, trees
from tests.strategies import schemas

SCHEMA = Schema((RecordType("Thing"),), "Thing")
LONG = "exists atoms (element = N and charge >= 0.25 and exists bonds (order = double and to.element = O))"


def test_a_tree_of_classes():
    tree = ask(SCHEMA, ("lumo <= 0.5", ("count rings (top) >= 2", counts(2, 34), counts(7, 0)), counts(12.5, 1)))
    assert export_text(tree).splitlines() == [
        "lumo <= 0.5",
        "├─ yes: count rings (top) >= 2",
        "│  ├─ yes: yes 34/36",
        "│  └─ no:  no 7/7",
        "└─ no:  no 12.5/13.5",
    ]


def test_a_tree_of_numbers():
    tree = ask(SCHEMA, ("a >= 1", Moments(12, 12.0, 3.4196, 0.2601), Moments(3, 3.0, 1.0, 0.0)))
    assert export_text(tree).splitlines() == [
        "a >= 1",
        "├─ yes: 3.42 ± 0.51 (n=12)",
        "└─ no:  1 ± 0 (n=3)",
    ]
    assert "3.4196 ± 0.51 (n=12)" in export_text(tree, digits=6)


def test_a_single_leaf_is_one_line():
    assert export_text(ask(SCHEMA, counts(1, 3))) == "yes 3/4"


def test_a_class_that_is_a_number_is_called_a_class():
    assert export_text(ask(SCHEMA, counts(1, 3), (0, 1))) == "class 1 3/4"


def test_branches_say_who_came_by_when_asked():
    tree = ask(SCHEMA, ("b", counts(0, 3), counts(5, 0)))
    assert export_text(tree, counts=True).splitlines()[0] == "b  (no 5, yes 3)"
    numbers = ask(SCHEMA, ("b", Moments(1, 1.0, 3.0, 0.0), Moments(1, 1.0, 1.0, 0.0)))
    assert export_text(numbers, counts=True).splitlines()[0] == "b  (n=2, mean 2 ± 1)"


def test_the_last_lines_say_why_tests_are_not_proved_and_what_to_do():
    found = Found("acc*", 1.0, 0.5, False, 0.25, 9, 0.1, "time")
    lines = export_text(ask(SCHEMA, ("b", counts(0, 3), counts(5, 0)), found=found)).splitlines()
    assert lines[0] == "b  [not proved best, gap 0.25]"
    text = " ".join(line.strip() for line in lines[3:])
    assert text == (
        "(the tree is valid, but 1 of 1 test is not proved best, only the best found: the time limit ended the "
        "search) (another test may be better by up to 0.25 in acc*; to prove more, allow more time, or use a "
        "smaller grammar (for example quantiles(10) instead of *))"
    )


def test_a_test_that_is_not_proved_best_says_its_gap():
    tree = ask(SCHEMA, ("b", counts(0, 3), counts(5, 0)), found=Found("acc*", 1.0, 0.5, False, 0.03125, 9, 0.1))
    assert export_text(tree).splitlines()[0] == "b  [not proved best, gap 0.0312]"


def test_a_gap_of_nothing_is_not_mentioned():
    tree = ask(SCHEMA, ("b", counts(0, 3), counts(5, 0)), found=Found("acc*", 1.0, 0.5, False, 0.0, 9, 0.1))
    assert export_text(tree).splitlines()[0] == "b  [not proved best]"


def test_a_note_that_does_not_fit_has_its_own_line():
    tree = ask(SCHEMA, (LONG, counts(0, 3), counts(5, 0)), found=Found("acc*", 1.0, 0.5, False, 0.25, 9, 0.1))
    assert export_text(tree, counts=True).splitlines()[:2] == [LONG, "│   [not proved best, gap 0.25]  (no 5, yes 3)"]


def test_an_estimate_other_than_the_frequency_is_shown():
    assert export_text(ask(SCHEMA, counts(0, 8)), Decision("laplace")) == "yes 8/8, p = 0.9"


def test_costs_change_what_a_leaf_says():
    tree = ask(SCHEMA, counts(3, 1))
    assert export_text(tree, Decision(costs=((0, 1), (5, 0)))) == "yes 1/4"


def test_a_long_test_is_wrapped_under_itself():
    tree = ask(SCHEMA, (LONG, counts(3, 0), (LONG, counts(0, 3), counts(2, 0))))
    assert export_text(tree, width=60).splitlines() == [
        "exists atoms (element = N and charge >= 0.25 and exists",
        "│   bonds (order = double and to.element = O))",
        "├─ yes: no 3/3",
        "└─ no:  exists atoms (element = N and charge >= 0.25 and",
        "   │        exists bonds (order = double and to.element =",
        "   │        O))",
        "   ├─ yes: yes 3/3",
        "   └─ no:  no 2/2",
    ]


def test_what_is_too_deep_is_summed_up():
    tree = ask(SCHEMA, ("b", ("c", counts(0, 3), ("d", counts(1, 0), counts(0, 1))), counts(5, 0)))
    assert export_text(tree, max_depth=1).splitlines() == ["b", "├─ yes: … 3 leaves, yes 4/5", "└─ no:  no 5/5"]
    assert export_text(tree, max_depth=0) == "… 4 leaves, no 6/10"


def test_the_depth_of_a_tree_does_not_matter():
    depth, seen, found = 3000, ClassCounts(1, (1.0, 0.0)), Found("acc*", 1.0, 0.5, True, 0.0, 1, 0.0)
    test = parse_predicate("b")
    nodes = [node for i in range(depth) for node in (Branch(test, 2 * i + 1, 2 * i + 2, seen, found), Leaf(seen))]
    tree = Tree((*nodes, Leaf(seen)), SCHEMA, ("no", "yes"))
    assert len(export_text(tree).splitlines()) == 2 * depth + 1


@given(schemas().flatmap(lambda schema: st.one_of(trees(schema), trees(schema, number_leaves))))
def test_every_node_has_its_line(tree):
    lines = export_text(tree, width=10_000).splitlines()
    assert len(lines) == len(tree.nodes)
    for line, node in zip(lines, tree.nodes, strict=True):
        assert not isinstance(node, Branch) or line.endswith(pretty(node.test))


@pytest.mark.parametrize("wrong", [{"digits": 0}, {"width": 0}, {"max_depth": -1}])
def test_impossible_settings_are_refused(wrong):
    with pytest.raises(UsageError, match="must be a whole number >="):
        export_text(ask(SCHEMA, counts(1, 3)), **wrong)


@given(
    schemas().flatmap(lambda schema: st.one_of(trees(schema), trees(schema, number_leaves))),
    st.sampled_from([40, 80]),
)
def test_on_a_terminal_nothing_is_cut_and_no_line_is_too_long(tree, width):
    lines = list(tree_lines(tree, width=width))
    assert all(cells(line_text(line)) <= width for line in lines)
    said = "".join(span.text for line in lines for span in line if span.role == "test").replace(" ", "")
    assert said == "".join(inert(pretty(test)) for test in tree.tests).replace(" ", "")
    plain = "".join(export_text(tree, width=width).split())
    for role in ("answer", "caveat"):
        assert all("".join(span.text.split()) in plain for line in lines for span in line if span.role == role)


def test_a_tree_on_a_terminal_has_bars_and_shares_on_the_right():
    tree = ask(SCHEMA, ("lumo <= 0.5", ("count rings (top) >= 2", counts(2, 34), counts(7, 0)), counts(57, 0)))
    assert [line_text(line) for line in tree_lines(tree, width=60)] == [
        "█ no  ▓ yes",
        "lumo <= 0.5                                 ███████▓▓▓ 100 %",
        "├─ yes: count rings (top) >= 2              ██▓▓▓▓▓▓▓▓  43 %",
        "│  ├─ yes: yes 34/36                        █▓▓▓▓▓▓▓▓▓  36 %",
        "│  └─ no:  no 7/7                           ██████████   7 %",
        "└─ no:  no 57/57                            ██████████  57 %",
    ]
    narrow = [line_text(line) for line in tree_lines(tree, width=36)]
    assert narrow[2:4] == ["├─ yes: count rings (top) >=    43 %", "│  │      2"]


def test_a_mean_is_shown_on_the_scale_of_the_tree():
    tree = ask(SCHEMA, ("a >= 1", Moments(12, 12.0, 10.0, 1.0), Moments(3, 3.0, 0.0, 0.0)))
    bars = ["".join(span.text for span in line if span.role == "bar") for line in tree_lines(tree, width=60)]
    assert bars == ["● mean, ─ spread, from 0 to 12.1", "···───●───", "·······●─·", "●·········"]


def test_a_deep_tree_is_indented_less_where_there_is_little_room():
    nested = counts(1, 0)
    for i in range(14):
        nested = (f"a >= {i}", counts(0, 1), nested)
    lines = [line_text(line) for line in tree_lines(ask(SCHEMA, nested), width=40)]
    assert all(cells(line) <= 40 for line in lines)
    assert lines[3].startswith("└no:  a >= 12")
