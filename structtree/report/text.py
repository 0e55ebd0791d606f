"""Trees as indented text: each test with its yes and no branches, and the training counts at the leaves.

Lines are written with an explicit stack, so that deep trees do not hit the recursion limit. Long tests are wrapped
with a hanging indent. A test that is not proved best shows its gap, and the last lines give the reason and a remedy.
A multiway split shows its attribute and one branch per value; ``else`` marks the branch of all other values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structtree.errors import UsageError
from structtree.evaluation.score import class_name
from structtree.lang.pretty import pretty, pretty_name, pretty_scalar
from structtree.models.model import fitted
from structtree.models.settings import MAJORITY, Decision
from structtree.models.tree import Branch, Leaf, MultiwayBranch, Tree
from structtree.report.caveats import caveat_lines
from structtree.report.english import name_words
from structtree.report.spans import Line, SpanRole, TextSpan, cells, line_text, wrapped_spans
from structtree.report.words import in_words
from structtree.reprs import inert
from structtree.tasks.task import NodeFigures

__all__ = [
    "NodeText",
    "apportioned",
    "branch_labels",
    "caveat_notes",
    "export_text",
    "leaves_below",
    "question",
    "tree_lines",
]

MIN_TEXT_WIDTH = 30
"""Minimum number of characters for the text of a line, however deep the tree is."""

_LEAST_TEXT, _BAR_FROM = 16, 56
"""The same on a terminal, which may be narrow, and the minimum width for bars."""

_MOST_NAMED = 24
"""Maximum number of classes in the legend."""

_SIGNS = "█▓▒░"
"""Characters of the classes in bars, used in turn; a terminal adds colours."""


def export_text(
    model: Any,
    decision: Decision | None = None,
    *,
    digits: int = 3,
    max_depth: int | None = None,
    width: int = 100,
    counts: bool = False,
    words: bool = False,
) -> str:
    """Return a tree as indented text.

    Parameters
    ----------
    model : Tree, Model or fitted estimator
    decision : Decision, optional
        Decision rule of the leaves; that of the model by default.
    digits : int
        Significant digits of means, spreads, probabilities, gaps and non-integer weights; tests are printed exactly.
    max_depth : int, optional
        Deeper subtrees are summarised in one line.
    width : int
        Width of a line; a very deep tree may need more.
    counts : bool
        Also show the class counts of branches.
    words : bool
        Show tests in plain English; see `structtree.report.words.in_words`.

    Examples
    --------
    >>> from structtree.data.schema import Attribute, RecordType, Schema
    >>> from structtree.lang.parse import parse_predicate
    >>> from structtree.models.tree import ClassCounts, Found
    >>> schema = Schema((RecordType("Train", (Attribute("length", "int"),)),), "Train")
    >>> proved, open_ = Found("acc*", 1.0, 0.5, True, 0.0, 9, 0.1), Found("acc*", 1.0, 0.1, False, 0.25, 9, 0.1)
    >>> nodes = (
    ...     Branch(parse_predicate("length >= 3"), 1, 2, ClassCounts(9, (4.0, 5.0)), proved),
    ...     Leaf(ClassCounts(4, (0.0, 4.0))),
    ...     Branch(parse_predicate("length <= 1"), 3, 4, ClassCounts(5, (4.0, 1.0)), open_),
    ...     Leaf(ClassCounts(3, (3.0, 0.0))),
    ...     Leaf(ClassCounts(2, (1.0, 1.0))),
    ... )
    >>> print(export_text(Tree(nodes, schema, ("west", "east"))))
    length >= 3
    ├─ yes: east 4/4
    └─ no:  length <= 1  [not proved best, gap 0.25]
       ├─ yes: west 3/3
       └─ no:  west 1/2
    (the tree is valid, but 1 of 2 tests is not proved best, only the best found)
    (too few tests were evaluated to rule out a much better one (by up to 0.25 in acc*))
    """
    lines = tree_lines(
        model, decision, digits=digits, max_depth=max_depth, width=width, counts=counts, words=words, bars=False
    )
    return "\n".join(map(line_text, lines))


def tree_lines(
    model: Any,
    decision: Decision | None = None,
    *,
    digits: int = 3,
    max_depth: int | None = None,
    width: int = 100,
    counts: bool = False,
    words: bool = False,
    bars: bool = True,
) -> Iterator[Line]:
    """Yield the lines of `export_text` as spans with roles, for a terminal.

    Parameters
    ----------
    model, decision, digits, max_depth, width, counts, words
        As for `export_text`.
    bars : bool
        Show on the right the class distribution of each node, or its mean on the scale of the tree, and its share of
        the training data. Words that are too long for a line are then broken.

    Examples
    --------
    >>> from structtree import StructuralTreeClassifier
    >>> tree = StructuralTreeClassifier().fit([[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"])
    >>> for line in tree_lines(tree, width=60):
    ...     print(line_text(line))
    █ a  ▓ b
    x0 >= 2.5                                   █████▓▓▓▓▓ 100 %
    ├─ yes: b 2/2                               ▓▓▓▓▓▓▓▓▓▓  50 %
    └─ no:  a 2/2                               ██████████  50 %
    """
    for name, value, least in (("digits", digits, 1), ("width", width, 1), ("max_depth", max_depth, 0)):
        if value is not None and value < least:
            raise UsageError(f"{name} must be a whole number >= {least}; got {value}")
    known = fitted(model, decision).model
    tree, texts = known.tree, NodeText.of(known.tree, known.decision, digits)
    most = tree.depth if max_depth is None else min(max_depth, tree.depth)
    form = _Form.of(width, most, counts=counts, words=words, bars=bars)
    if bars:
        yield from wrapped_spans(_legend(texts, form), width, width, break_words=True)
    yield from _lines(tree, texts, most, form)
    for line in (*_missing_note(tree), *_cost_notes(tree), *caveat_notes(tree)):
        parts = wrapped_spans([TextSpan(line, "caveat")], width, width - 1, break_words=bars)
        yield from (part if i == 0 else (TextSpan(" "), *part) for i, part in enumerate(parts))


@dataclass(frozen=True, slots=True, eq=False)
class NodeText:
    """Formatter of the text for the nodes of a tree.

    Examples
    --------
    >>> from structtree.data.schema import RecordType, Schema
    >>> from structtree.models.tree import ClassCounts
    >>> schema = Schema((RecordType("Train"),), "Train")
    >>> NodeText.of(Tree((Leaf(ClassCounts(36, (2.0, 34.0))),), schema, ("inactive", "active"))).answer(0)
    'active 34/36'
    """

    tree: Tree
    digits: int
    said: NDArray[np.float64] | NDArray[np.int64]
    certainty: NDArray[np.float64] | None
    spread: NDArray[np.float64] | None

    @classmethod
    def of(cls, tree: Tree, decision: Decision = MAJORITY, digits: int = 3) -> NodeText:
        """Return a formatter for a tree and a decision rule."""
        task = tree.task
        chances = None if decision.is_plain else task.chances(tree, decision)
        return cls(tree, digits, task.answers(tree, decision), chances, task.spreads(tree))

    def figures(self, node: int) -> NodeFigures:
        """Return the figures to show for a node."""
        chances = None if self.certainty is None else self.certainty[node]
        spread = None if self.spread is None else float(self.spread[node])
        return NodeFigures(self.tree.nodes[node].stats, self.said[node], spread, chances, self.number)

    def answer(self, node: int) -> str:
        """Format the prediction of a node with counts: ``active 34/36``, or ``3.42 ± 0.51 (n=12)``."""
        return self.tree.task.whole_text(self.figures(node))

    def says(self, node: int) -> str:
        """Format the prediction of a node without counts: ``active``, or ``3.42 ± 0.51``."""
        return self.tree.task.leaf_text(self.figures(node))

    def share(self, node: int) -> str:
        """Format the training counts of a node: ``34/36`` for the predicted class, or ``n=12``."""
        return self.tree.task.share_text(self.figures(node))

    def seen(self, node: int) -> str:
        """Format the training summary of a node: ``active 34, inactive 2``, or ``n=12, mean 3.42 ± 0.51``."""
        return self.tree.task.seen_text(self.figures(node))

    def caveat(self, branch: Branch | MultiwayBranch) -> str:
        """Return a note with the gap of a test that is not proved best, and what it gives up for its cost, if so."""
        found = branch.found
        gap = f", gap {self.number(found.gap)}" if found.gap > 0 else ""
        notes = [] if found.proved else [f"not proved best{gap}"]
        notes += [] if found.dearer is None else [f"gives up {percent_text(found.dearer.given_up)} of the gain"]
        return f"[{'; '.join(notes)}]" if notes else ""

    def code(self, node: int) -> int | None:
        """Return the code of the class that a node predicts; None for numbers."""
        return int(self.said[node]) if self.tree.classes else None

    def bar(self, node: int, width: int) -> Iterator[TextSpan]:
        """Yield a bar of `width` cells: the class distribution, or mean and spread on the tree's scale."""
        if self.spread is None:
            counts = self.tree.task.distribution(self.tree.nodes[node].stats)
            for code, n in enumerate(apportioned(counts, width)):
                if n:
                    yield TextSpan(_SIGNS[code % len(_SIGNS)] * n, "bar", code)
            return
        low, high = self.scale
        scale = (width - 1) / ((high - low) or 1.0)
        ends = [
            round((float(self.said[node]) + sign * float(self.spread[node]) - low) * scale) for sign in (-1, 0, 1)
        ]
        signs = ["●" if i == ends[1] else "─" if ends[0] <= i <= ends[2] else "·" for i in range(width)]
        yield TextSpan("".join(signs), "bar", 0)

    @property
    def scale(self) -> tuple[float, float]:
        """Common scale of the bars: the range of mean ± spread over all nodes."""
        assert self.spread is not None
        means = np.asarray(self.said, dtype=np.float64)
        return float((means - self.spread).min()), float((means + self.spread).max())

    def number(self, value: float) -> str:
        """Format a number: integers in full, others with `digits` significant digits."""
        return short_number(value, self.digits)


def percent_text(fraction: float) -> str:
    """Format a fraction in percent, without rounding a part of a percent to nothing.

    Examples
    --------
    >>> percent_text(0.042), percent_text(0.0004)
    ('4.2 %', '<0.1 %')
    """
    return f"{100 * fraction:.2g} %" if fraction >= 0.001 else "<0.1 %"


def short_number(value: float, digits: int = 3) -> str:
    """Format a number: integers in full, others with a few significant digits.

    Examples
    --------
    >>> short_number(1200.0), short_number(0.12345)
    ('1200', '0.123')
    """
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.{digits}g}"


def apportioned(weights: Sequence[float], n: int) -> list[int]:
    """Distribute n cells in proportion to weights, by the largest remainder method.

    Examples
    --------
    >>> apportioned([1.0, 1.0, 1.0], 10), apportioned([0.0, 99.0, 1.0], 10), apportioned([0.0], 4)
    ([4, 3, 3], [0, 10, 0], [0])
    """
    whole = sum(weights)
    if not whole:
        return [0] * len(weights)
    exact = [n * weight / whole for weight in weights]
    found = [int(cells_of) for cells_of in exact]
    order = sorted(range(len(exact)), key=lambda i: (found[i] - exact[i], i))
    for i in order[: n - sum(found)]:
        found[i] += 1
    return found


@dataclass(frozen=True, slots=True)
class _Form:
    """Layout of the lines: widths, and optional columns.

    Parameters
    ----------
    width, indent, hang, bar : int
        Widths of a line, of one level, of the hanging indent, and of a bar (0 without bars).
    column : int
        Width of the column on the right of all lines.
    """

    width: int
    indent: int
    hang: int
    bar: int
    column: int
    counts: bool
    words: bool

    @classmethod
    def of(cls, width: int, depth: int, *, counts: bool, words: bool, bars: bool) -> _Form:
        bar = 0 if not bars or width < _BAR_FROM else 10
        column = bar + 7 if bars else 0
        room = width - column - (_LEAST_TEXT if bars else MIN_TEXT_WIDTH)
        indent = max(1, min(3, room // max(1, depth))) if bars else 3
        return cls(width, indent, 2 if bars and not bar else 4, bar, column, counts, words)

    def edges(self, is_last: bool) -> tuple[str, str]:
        """Return the line prefixes of a branch and of all lines below it."""
        corner, line = ("└", " ") if is_last else ("├", "│")
        return (corner + ("", " ", "─ ")[self.indent - 1]), line.ljust(self.indent)


def _lines(tree: Tree, texts: NodeText, max_depth: int, form: _Form) -> Iterator[Line]:
    """Yield the lines of a tree; the stack holds nodes with their branch label and the prefix of lines below."""
    stack: list[tuple[int, int, Line, str]] = [(0, 0, (), "")]
    while stack:
        index, depth, head, margin = stack.pop()
        node = tree.nodes[index]
        is_end = isinstance(node, Leaf) or (depth >= max_depth and bool(node.children))
        used = sum(cells(span.text) for span in head)
        beneath = f"{margin}{'' if is_end else '│'}".ljust(used + form.hang)
        least = _LEAST_TEXT if form.column else MIN_TEXT_WIDTH
        whole = max(form.width - form.column, len(beneath) + least)
        spans = _node_spans(tree, texts, index, form, is_end=is_end)
        rooms = whole - used, whole - len(beneath)
        lines = wrapped_spans(spans, *rooms, break_words=form.column > 0)
        for i, line in enumerate(lines):
            before = head if i == 0 else (TextSpan(beneath, "edge"),)
            yield (*before, *line, *_beside(texts, index, form, (*before, *line))) if i == 0 else (*before, *line)
        if is_end or isinstance(node, Leaf):
            continue
        answers = branch_labels(node, tree.missing == "fractional")
        room = max(map(cells, answers)) + 2
        for i in range(len(answers) - 1, -1, -1):
            first, under = form.edges(i == len(answers) - 1)
            name = f"{answers[i]}:" + " " * (room - 1 - cells(answers[i]))
            role: SpanRole = "yes" if i == 0 and len(answers) == 2 else "no"
            edge = TextSpan(margin + first, "edge")
            stack.append((node.children[i], depth + 1, (edge, TextSpan(name, role)), margin + under))


def _node_spans(tree: Tree, texts: NodeText, index: int, form: _Form, *, is_end: bool) -> list[TextSpan]:
    """Return the spans of a node: its prediction, or its test followed by notes."""
    node = tree.nodes[index]
    if is_end:
        more = "" if isinstance(node, Leaf) else f"… {len(leaves_below(tree, index))} leaves, "
        return [TextSpan(more + texts.answer(index), "answer", texts.code(index))]
    assert isinstance(node, Branch | MultiwayBranch)
    seen = f"({texts.seen(index)})" if form.counts else ""
    return [
        TextSpan(inert(question(tree, index, words=form.words)), "test"),
        TextSpan(texts.caveat(node), "caveat"),
        TextSpan(seen, "figure"),
    ]


def _beside(texts: NodeText, index: int, form: _Form, line: Line) -> Iterator[TextSpan]:
    """Yield the right column of a line: the bar of its node, and its share of the training data."""
    if not form.column:
        return
    whole = texts.tree.nodes[0].stats.weight or 1.0
    yield TextSpan(" " * (form.width - form.column + 1 - sum(cells(span.text) for span in line)))
    if form.bar:
        yield from texts.bar(index, form.bar)
    share = 100 * texts.tree.nodes[index].stats.weight / whole
    yield TextSpan(
        f"{f'{share:.0f}' if share >= 1 or not share else '<1':>4} %".rjust(form.column - 1 - form.bar), "figure"
    )


def _legend(texts: NodeText, form: _Form) -> list[TextSpan]:
    """Return the legend of the bars: the character of each class, or the scale."""
    tree = texts.tree
    if texts.spread is not None:
        low, high = map(texts.number, texts.scale)
        return [
            TextSpan(f"● mean, ─ spread, from {low} to {high}" if form.bar else f"from {low} to {high}", "bar", 0)
        ]
    names = [inert(class_name(label)) for label in tree.classes[:_MOST_NAMED]]
    more = len(tree.classes) - len(names)
    signs = [TextSpan(f"{_SIGNS[i % len(_SIGNS)]} {name}", "bar", i) for i, name in enumerate(names)]
    return [*signs, TextSpan(f"and {more:,} more classes")] if more else signs


def question(tree: Tree, index: int, *, words: bool = False) -> str:
    """Return the test of a node, in the grammar language or in words; empty for a leaf.

    Examples
    --------
    >>> from structtree.data.schema import RecordType, Schema
    >>> from structtree.models.tree import ClassCounts
    >>> question(Tree((Leaf(ClassCounts(1, (1.0, 0.0))),), Schema((RecordType("Train"),), "Train"), ("a", "b")), 0)
    ''
    """
    match tree.nodes[index]:
        case Branch(test):
            return in_words(test, tree.schema) if words else pretty(test)
        case MultiwayBranch(attribute):
            return name_words(attribute) if words else pretty_name(attribute)
        case Leaf():
            return ""


def branch_labels(node: Branch | MultiwayBranch, is_fractional: bool) -> list[str]:
    """Return the labels of the branches of a node; without `is_fractional`, one branch is marked ``else``."""
    if isinstance(node, Branch):
        return ["yes", "no"]
    answers = [pretty_scalar(value) for value in node.values]
    if not is_fractional:
        answers[node.usual] += ", else"
    return answers


def _missing_note(tree: Tree) -> list[str]:
    routes = {"majority": "the branch with most weight", "fractional": "all branches, in proportion to their weight"}
    known = tree.missing in routes and tree.branches
    return [f"(missing values: to {routes[tree.missing]} in training)"] if known else []


def cost_note(tree: Tree) -> str:
    """Return a phrase about the tests that were preferred to better ones because they are cheaper; empty if none."""
    found = [node.found.dearer for node in tree.nodes if not isinstance(node, Leaf)]
    dearer = [each for each in found if each is not None]
    if not dearer:
        return ""
    most = percent_text(max(each.given_up for each in dearer))
    if len(dearer) == 1:
        return f"1 test was preferred to a better one with a higher cost, and gives up {most} of its gain"
    return (
        f"{len(dearer):,} tests were preferred to better ones with higher costs, and give up at most {most} of their "
        "gain"
    )


def _cost_notes(tree: Tree) -> list[str]:
    note = cost_note(tree)
    return [f"({note})"] if note else []


def caveat_notes(tree: Tree) -> list[str]:
    """Explain why some tests are not proved best, what that means, and what to do about it."""
    caveats = tree.caveats
    criteria = dict.fromkeys(node.found.criterion for node in tree.nodes if not isinstance(node, Leaf))
    return [f"({line})" for line in caveat_lines(caveats, len(tree.branches), next(iter(criteria), "the criterion"))]


def leaves_below(tree: Tree, node: int) -> list[int]:
    """Return the leaves below a node; for a leaf, the leaf itself."""
    stack, found = [node], list[int]()
    while stack:
        node = stack.pop()
        below = tree.nodes[node].children
        stack.extend(below)
        if not below:
            found.append(node)
    return found
