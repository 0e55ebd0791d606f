"""Pictures of explanations: each test next to the individual with the relevant rows highlighted.

Rows that a test counts are filled, and rows that make them count are outlined; if a test fails, the rows nearest to
satisfying it get a dashed outline (`structtree.report.pictures.highlights`). If all tests are about attributes of the
individual itself, one drawing shows them all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from structtree.models.model import fitted
from structtree.models.settings import Decision
from structtree.report.explain import (
    Explanation,
    Reason,
    expected_text,
    explain_prepared,
    features_text,
    others_text,
    signed,
)
from structtree.report.pictures.drawing import (
    EDGE,
    GREY,
    INK,
    MARK,
    PAPER,
    RIM,
    SUPPORT,
    SUPPORT_PALE,
    Drawing,
)
from structtree.report.pictures.highlights import Marks, marks_of
from structtree.report.pictures.individuals import drawn
from structtree.report.pictures.rendering import check_picture, write_scene
from structtree.report.pictures.scene import Box, Label, Scene, SceneItem, line_width, moved, to_svg, wrapped_lines
from structtree.report.pictures.trees import class_colours, paler
from structtree.reprs import inert, short_repr

__all__ = ["ExplanationPicture", "plot_explanation"]

MOST_DRAWINGS = 6
"""Maximum number of tests with a drawing; further tests are shown as text."""
_LEFT, _MARGIN, _GAP = 290.0, 14.0, 26.0
_SIZE, _SMALL = 12.0, 10.5
_BAR, _UP, _DOWN = 60.0, "#2f7d4f", "#b04a3a"


@dataclass(frozen=True, eq=False)
class ExplanationPicture:
    """Picture of an explanation; see `plot_explanation`."""

    scene: Scene

    def __repr__(self) -> str:
        return short_repr(self, self.scene.title, f"{self.scene.width:.0f} × {self.scene.height:.0f}")

    def _repr_svg_(self) -> str:
        return self.svg

    @property
    def svg(self) -> str:
        """The text of an SVG file."""
        return to_svg(self.scene)

    def save(self, path: str | Path) -> None:
        """Write the picture to a file: SVG, PNG or PDF, according to its suffix."""
        check_picture(path)
        write_scene(self.scene, Path(path), Path(path).suffix[1:])


def plot_explanation(
    model: Any,
    individuals: Any,
    individual: int,
    decision: Decision | None = None,
    *,
    words: bool = True,
    title: str = "",
    actual: object = None,
) -> ExplanationPicture:
    """Return a picture that explains the prediction for one individual; notebooks display it.

    Parameters
    ----------
    model : Tree, Model or fitted estimator
    individuals : individuals in any form that the model accepts
    individual : int
        Position of the individual, counted from 0.
    decision : Decision, optional
        Decision rule of the leaves; that of the model by default.
    words : bool
        Show tests in plain English.
    title : str
        Title; the type and number of the individual by default.
    actual : class or number, optional
        True label of the individual.

    Examples
    --------
    >>> from structtree import StructuralTreeClassifier, load_dataset
    >>> data = load_dataset("trains")
    >>> tree = StructuralTreeClassifier("trains").fit(data.population, data.target)
    >>> plot_explanation(tree, data.population, 8)
    <ExplanationPicture: Train 8, ... × ...>
    """
    known = fitted(model, decision)
    explanation, alone = explain_prepared(known, known.prepared(individuals), individual, words=words)
    target = known.model.target
    columns = alone.tables[alone.schema.individual].columns
    marks = [marks_of(reason, alone) for reason in explanation.reasons]
    drawing = drawn(alone.without(target) if target is not None and target in columns else alone, marks)
    head = title or f"{explanation.type} {explanation.individual}"
    page = _Page(known.model.classes, explanation, marks, drawing, head, actual)
    return ExplanationPicture(page.scene())


@dataclass(frozen=True, slots=True)
class _Block:
    """Group of items, relative to its top left corner."""

    width: float
    height: float
    items: tuple[SceneItem, ...]


@dataclass(frozen=True, slots=True)
class _Page:
    """Contents and layout of an explanation picture."""

    classes: Sequence[object]
    explanation: Explanation
    marks: Sequence[Marks]
    drawing: Drawing
    title: str
    actual: object

    def scene(self) -> Scene:
        """Stack the title, one row per test, and the prediction."""
        rows = [_Row(self._title(), None), *self._rows(), *self._sum(), _Row(self._answer(), None)]
        if (note := self._note()) is not None:
            rows.append(_Row(note, None))
        items: list[SceneItem] = []
        y, right = _MARGIN, 0.0
        for row in rows:
            items += _moved(row.text.items, _MARGIN, y)
            right = max(right, _MARGIN + row.text.width)
            if row.picture is not None:
                items += _moved(row.picture.items, _MARGIN + _LEFT + _GAP, y)
                right = max(right, _MARGIN + _LEFT + _GAP + row.picture.width)
            y += row.height + _GAP * 0.6
        return Scene(right + _MARGIN, y - _GAP * 0.6 + _MARGIN, tuple(items), inert(self.title))

    def _rows(self) -> Iterator[_Row]:
        """Yield each test with its drawing; if only values are highlighted, all tests share one drawing."""
        texts = [self._text(place, reason) for place, reason in enumerate(self.explanation.reasons, 1)]
        chosen = [place for place, marks in enumerate(self.marks) if self._has_rows(marks)]
        if not chosen:
            everything = [marks.elements for marks in self.marks]
            picture = self.drawing.items({element for elements in everything for element in elements})
            yield _Row(_below(texts), _Block(self.drawing.width, self.drawing.height, tuple(picture)))
            return
        for place, (text, marks) in enumerate(zip(texts, self.marks, strict=True)):
            if place in chosen[:MOST_DRAWINGS]:
                yield _Row(_below([text, *self._missing(marks)]), self._marked(marks))
            else:
                yield _Row(text, None)

    def _missing(self, marks: Marks) -> Iterator[_Block]:
        """Yield a note if there was no room for some of the counted rows."""
        if said := self.drawing.missing_text(marks.counted):
            block = _lines_block([(line, _SMALL, GREY, False) for line in wrapped_lines(said, _LEFT - 28, _SMALL)])
            yield _Block(28 + block.width, block.height, tuple(_moved(block.items, 28, 0)))

    def _has_rows(self, marks: Marks) -> bool:
        return any(not element.member and element in self.drawing.elements for element in marks.elements)

    def _marked(self, marks: Marks) -> _Block:
        items = self.drawing.items(marks.counted, marks.supporting, marks.near)
        return _Block(self.drawing.width, self.drawing.height, tuple(items))

    def _sum(self) -> Iterator[_Row]:
        """Yield what the contributions of an ensemble add up to: the expected value, and all other tests."""
        margin = self.explanation.margin
        if margin is not None:
            said = [f"expected {expected_text(margin)}", *([others_text(margin)] if margin.n_others else [])]
            features = self.explanation.features
            said += [f"by attribute and link: {features_text(features)}"] if features else []
            lines = [line for text in said for line in wrapped_lines(text, _LEFT, _SMALL)]
            yield _Row(_lines_block([(line, _SMALL, GREY, False) for line in lines]), None)

    def _title(self) -> _Block:
        names = ", ".join(f"{what} {inert(name)}" for what, name in self.explanation.names)
        lines = [(line, 15.0, INK, True) for line in wrapped_lines(self.title, 520, 15, bold=True)]
        lines += [(line, _SMALL, GREY, False) for line in wrapped_lines(names, 520, _SMALL)] if names else []
        return _lines_block(lines)

    def _text(self, place: int, reason: Reason) -> _Block:
        """Return the text of a test: its number, the test, the answer, and the rows."""
        room = _LEFT - 28
        lines = [(line, _SIZE, INK, False) for line in wrapped_lines(reason.in_words or reason.test, room, _SIZE)]
        lines += [(line, _SIZE, INK, True) for line in wrapped_lines(reason.said, room, _SIZE, bold=True)]
        for words in reason.words():
            lines += [(line, _SMALL, GREY, False) for line in wrapped_lines(words, room, _SMALL)]
        block = _lines_block(lines)
        dark = reason.answer is not False
        badge = Box(0, 0, 20, 20, INK if dark else PAPER, INK, 1.4, 10)
        number = Label(10, 14, str(place), 11, PAPER if dark else INK, bold=True, anchor="middle")
        text = _Block(28 + block.width, max(22.0, block.height), (badge, number, *_moved(block.items, 28, 1)))
        return text if reason.contribution is None else _above(self._contribution(reason.contribution), text)

    def _contribution(self, contribution: float) -> _Block:
        """Return a contribution as a bar from the middle, to the right if it is positive, and as a number."""
        most = max(abs(reason.contribution or 0.0) for reason in self.explanation.reasons)
        length = _BAR * abs(contribution) / most
        is_up = contribution >= 0
        bar = Box(28 + _BAR - (0 if is_up else length), 1, length, 9, _UP if is_up else _DOWN)
        axis = Box(28 + _BAR - 0.5, -1, 1, 13, GREY)
        number = signed(contribution)
        label = Label(28 + 2 * _BAR + 8, 10, number, _SIZE, INK, bold=True)
        return _Block(36 + 2 * _BAR + line_width(number, _SIZE, bold=True), 15, (bar, axis, label))

    def _answer(self) -> _Block:
        """Return the prediction in a box, with a bar of the class distribution in the leaf."""
        words = f"→ {self.explanation.words}"
        lines = [(line, 13.0, INK, True) for line in wrapped_lines(words, _LEFT, 13, bold=True)]
        if self.actual is not None:
            lines += [
                (line, _SMALL, GREY, False) for line in wrapped_lines(f"true {self._kind}: {self.actual}", _LEFT)
            ]
        block, colours = _lines_block(lines), class_colours(len(self.classes))
        counts = [count for _, count in self.explanation.counts]
        width, fill = max(160.0, block.width) + 20, PAPER
        bar: list[SceneItem] = []
        if self.classes:
            fill = paler(colours[self.classes.index(self.explanation.prediction)], 0.16)
        if counts:
            x, whole = 10.0, sum(counts) or 1.0
            for count, colour in zip(counts, colours, strict=True):
                bar.append(Box(x, block.height + 10, (width - 20) * count / whole, 8, colour))
                x += (width - 20) * count / whole
        height = block.height + (28 if bar else 16)
        frame = Box(0, 0, width, height, fill, EDGE, 1.0, 6)
        return _Block(width, height, (frame, *_moved(block.items, 10, 8), *bar))

    @property
    def _kind(self) -> str:
        return "label" if self.classes else "value"

    def _note(self) -> _Block | None:
        """Return the legend of the highlights that the drawings show, if there are any."""
        shown = [marks for marks in self.marks if self._has_rows(marks)][:MOST_DRAWINGS]
        if not shown:
            has_values = any(element in self.drawing.elements for each in self.marks for element in each.elements)
            return _legend([(_FILLED, "values used by the tests")]) if has_values else None
        seen = {element for each in shown for element in each.counted}
        pairs = [(_FILLED, "counted by the test")] if seen & self.drawing.elements else []
        for look, words, name in _OTHER_LOOKS:
            if any(element in self.drawing.elements for each in shown for element in getattr(each, name)):
                pairs.append((look, words))
        return _legend(pairs) if pairs else None


_FILLED = Box(0, 0, 12, 12, MARK, RIM, 1.0, 6)
_OTHER_LOOKS = (
    (Box(0, 0, 12, 12, SUPPORT_PALE, SUPPORT, 1.2, 6), "supports a counted one", "supporting"),
    (Box(0, 0, 12, 12, PAPER, RIM, 1.2, 6, dashed=True), "nearest to satisfying the test", "near"),
)


def _legend(pairs: Sequence[tuple[Box, str]]) -> _Block:
    """Return a line of swatches with their meanings."""
    items: list[SceneItem] = []
    x = 0.0
    for look, words in pairs:
        items += [moved(look, x, 0), Label(x + 17, 10, words, _SMALL, GREY)]
        x += 17 + line_width(words, _SMALL) + 16
    return _Block(x, 16, tuple(items))


@dataclass(frozen=True, slots=True)
class _Row:
    """Text, and an optional picture to its right."""

    text: _Block
    picture: _Block | None

    @property
    def height(self) -> float:
        return max(self.text.height, 0.0 if self.picture is None else self.picture.height)


def _lines_block(lines: Sequence[tuple[str, float, str, bool]]) -> _Block:
    """Return a block of lines, each with its size, colour and weight."""
    items: list[SceneItem] = []
    y, right = 0.0, 0.0
    for text, size, colour, bold in lines:
        items.append(Label(0, y + size, inert(text), size, colour, bold))
        y, right = y + size * 1.3, max(right, line_width(text, size, bold=bold))
    return _Block(right, y + 2, tuple(items))


def _above(first: _Block, second: _Block) -> _Block:
    """Return a block directly above another."""
    items = (*first.items, *_moved(second.items, 0, first.height))
    return _Block(max(first.width, second.width), first.height + second.height, items)


def _below(blocks: Sequence[_Block]) -> _Block:
    items: list[SceneItem] = []
    y = 0.0
    for block in blocks:
        items += _moved(block.items, 0, y)
        y += block.height + _GAP * 0.6
    return _Block(max((block.width for block in blocks), default=0.0), max(0.0, y - _GAP * 0.6), tuple(items))


def _moved(items: Sequence[SceneItem], x: float, y: float) -> Iterator[SceneItem]:
    yield from (moved(item, x, y) for item in items)
