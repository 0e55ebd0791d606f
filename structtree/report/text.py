"""A tree to read in a terminal: the test, what happens on yes and on no, and what was seen at the leaves.

Written line by line with a stack, so that the depth of a tree does not matter. Long tests are wrapped under
themselves; a test that the search could not prove best says by how much something else might be better, and the last
lines say why, and what to do. A switch shows its attribute, and each value with what it leads to; ``else`` marks the
side of all other values.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structtree.errors import UsageError
from structtree.lang.pretty import pretty, pretty_name, pretty_scalar
from structtree.learn.growth import MAJORITY, Decision
from structtree.learn.leaves import decisions, means, probabilities, spreads
from structtree.learn.model import fitted
from structtree.learn.score import class_name
from structtree.learn.tree import Branch, ClassCounts, Leaf, Switch, Tree
from structtree.report.doubts import doubt_lines
from structtree.report.english import name_words
from structtree.report.words import in_words
from structtree.reprs import inert

__all__ = ["NodeText", "export_text", "leaves_below", "question", "side_names"]

MIN_TEXT_WIDTH = 30
"""However deep a tree is, so many characters of a line are left for its text."""


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
        How leaves decide; as the model does by default.
    digits : int
        Significant digits of means, spreads, probabilities, gaps and non-integer weights; tests are printed exactly.
    max_depth : int, optional
        What lies deeper is summed up in one line.
    width : int
        Of a line; a very deep tree may need more.
    counts : bool
        Show the class counts of branches, too.
    words : bool
        Show tests in plain English; see `structtree.report.words.in_words`.

    Examples
    --------
    >>> from structtree.data.schema import Attribute, RecordType, Schema
    >>> from structtree.lang.parse import parse_predicate
    >>> from structtree.learn.tree import Found
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
    (too little was seen to say whether another test is much better (by up to 0.25 in acc*))
    """
    for name, value, least in (("digits", digits, 1), ("width", width, 1), ("max_depth", max_depth, 0)):
        if value is not None and value < least:
            raise UsageError(f"{name} must be a whole number >= {least}; got {value}")
    known = fitted(model, decision).model
    tree, texts = known.tree, NodeText.of(known.tree, known.decision, digits)
    most = len(tree.nodes) if max_depth is None else max_depth
    lines = [*_lines(tree, texts, most, width, counts=counts, words=words)]
    return "\n".join([*lines, *_about_missing(tree), *_about_doubts(tree, width)])


@dataclass(frozen=True, slots=True, eq=False)
class NodeText:
    """Words for the nodes of a tree.

    Examples
    --------
    >>> from structtree.data.schema import RecordType, Schema
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
        """Return the words for a tree whose leaves decide in some way."""
        if tree.task == "numbers":
            return cls(tree, digits, means(tree), None, spreads(tree))
        estimated = None if decision.is_plain else probabilities(tree, decision)
        return cls(tree, digits, decisions(tree, decision), estimated, None)

    def answer(self, node: int) -> str:
        """Return the prediction of a node: ``active 34/36``, or ``3.42 ± 0.51 (n=12)``."""
        number = self.tree.task == "numbers"
        return f"{self.says(node)} ({self.share(node)})" if number else f"{self.says(node)} {self.share(node)}"

    def says(self, node: int) -> str:
        """Return the prediction of a node alone: ``active``, or ``3.42 ± 0.51``."""
        if self.spread is not None:
            return f"{self.number(self.said[node])} ± {self.number(self.spread[node])}"
        return _label(self.tree.classes[int(self.said[node])])

    def share(self, node: int) -> str:
        """Return how many were seen at a node: ``34/36`` that have the class, or ``n=12``."""
        stats = self.tree.nodes[node].stats
        if not isinstance(stats, ClassCounts):
            return f"n={stats.n}"
        code = int(self.said[node])
        sure = "" if self.certainty is None else f", p = {self.number(self.certainty[node, code])}"
        return f"{self.number(stats.counts[code])}/{self.number(stats.weight)}{sure}"

    def seen(self, node: int) -> str:
        """Return what was seen at a node: ``active 34, inactive 2``, or ``n=12, mean 3.42 ± 0.51``."""
        stats = self.tree.nodes[node].stats
        if not isinstance(stats, ClassCounts):
            assert self.spread is not None
            return f"n={stats.n}, mean {self.number(self.said[node])} ± {self.number(self.spread[node])}"
        counted = sorted(zip(stats.counts, self.tree.classes, strict=True), key=lambda pair: -pair[0])
        return ", ".join(f"{_label(label)} {self.number(count)}" for count, label in counted if count) or "nobody"

    def doubt(self, branch: Branch | Switch) -> str:
        """Return a note that something better is possible, and by how much; nothing where the test is proved best."""
        if branch.found.proved:
            return ""
        gap = f", gap {self.number(branch.found.gap)}" if branch.found.gap > 0 else ""
        return f"[not proved best{gap}]"

    def number(self, value: float) -> str:
        """Return a number as text: whole ones in full, others with so many digits."""
        return f"{value:.0f}" if float(value).is_integer() else f"{value:.{self.digits}g}"


def _label(label: object) -> str:
    """A class as a word; one that looks like a number is said to be a class."""
    text = inert(class_name(label))
    return text if text[:1].isalpha() else f"class {text}"


def _lines(tree: Tree, texts: NodeText, max_depth: int, width: int, *, counts: bool, words: bool) -> Iterator[str]:
    """The lines of a tree; on the stack a node, what stands before its text, and before all below it."""
    stack: list[tuple[int, int, str, str]] = [(0, 0, "", "")]
    while stack:
        index, depth, head, margin = stack.pop()
        node = tree.nodes[index]
        if isinstance(node, Leaf):
            yield head + texts.answer(index)
        elif depth >= max_depth:
            yield f"{head}… {leaves_below(tree, index)} leaves, {texts.answer(index)}"
        else:
            notes = (texts.doubt(node), f"({texts.seen(index)})" if counts else "")
            yield from _wrapped(
                question(tree, index, words=words), notes, head, f"{margin}│".ljust(len(head) + 4), width
            )
            answers = side_names(node, tree.missing == "fractional")
            room, last = max(map(len, answers)) + 2, len(answers) - 1
            for i in range(last, -1, -1):
                first, under = ("└─ ", "   ") if i == last else ("├─ ", "│  ")
                stack.append(
                    (node.children[i], depth + 1, margin + first + f"{answers[i]}:".ljust(room), margin + under)
                )


def question(tree: Tree, index: int, *, words: bool = False) -> str:
    """Return what a node asks, as text of the grammar language or in words; nothing for a leaf.

    Examples
    --------
    >>> from structtree.data.schema import RecordType, Schema
    >>> question(Tree((Leaf(ClassCounts(1, (1.0, 0.0))),), Schema((RecordType("Train"),), "Train"), ("a", "b")), 0)
    ''
    """
    match tree.nodes[index]:
        case Branch(test):
            return in_words(test, tree.schema) if words else pretty(test)
        case Switch(attribute):
            return name_words(attribute) if words else pretty_name(attribute)
        case Leaf():
            return ""


def side_names(node: Branch | Switch, in_parts: bool) -> list[str]:
    """Return the answers that lead to the sides of a node; in parts, no side is for all other values."""
    if isinstance(node, Branch):
        return ["yes", "no"]
    answers = [pretty_scalar(value) for value in node.values]
    if not in_parts:
        answers[node.usual] += ", else"
    return answers


def _about_missing(tree: Tree) -> list[str]:
    sides = {"majority": "the side with most weight", "fractional": "all sides, in proportion to their weight"}
    known = tree.missing in sides and tree.branches
    return [f"(missing values: to {sides[tree.missing]} in training)"] if known else []


def _about_doubts(tree: Tree, width: int) -> list[str]:
    """Why some tests are not proved best, what that means, and what to do."""
    doubts = tree.doubts
    criteria = dict.fromkeys(node.found.criterion for node in tree.nodes if not isinstance(node, Leaf))
    lines = doubt_lines(doubts, len(tree.branches), next(iter(criteria), "the criterion"))
    return [part for line in lines for part in textwrap.wrap(f"({line})", width, subsequent_indent=" ")]


def leaves_below(tree: Tree, node: int) -> int:
    """Return the number of leaves below a node; 1 for a leaf."""
    stack, n = [node], 0
    while stack:
        below = tree.nodes[stack.pop()].children
        n += not below
        stack.extend(below)
    return n


def _wrapped(text: str, notes: tuple[str, ...], head: str, margin: str, width: int) -> list[str]:
    """The lines of a text after a head, wrapped under itself, and notes after it where there is room."""
    room = max(width, len(margin) + MIN_TEXT_WIDTH)
    wrapper = textwrap.TextWrapper(
        room, initial_indent=head, subsequent_indent=margin, break_long_words=False, break_on_hyphens=False
    )
    lines = wrapper.wrap(text)
    for note in filter(None, notes):
        if len(lines[-1]) + 2 + len(note) <= room:
            lines[-1] += f"  {note}"
        else:
            lines.append(f"{margin}{note}")
    return lines
