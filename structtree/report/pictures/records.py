"""Drawings of records: lines of values, nested boxes, symbols of a sequence, and tables.

A list or set with few elements is drawn as a row of boxes, each with its values and the records that it refers to;
the boxes of a list are connected. Elements with a single value are drawn as symbols in a line. Everything else is a
table that shows highlighted rows first. Records that are not drawn are counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import inf

from structtree.data.dates import text_of
from structtree.data.population import Population, Value
from structtree.data.schema import Link
from structtree.report.pictures.drawing import (
    EDGE,
    GREY,
    INK,
    MARK,
    PALE,
    PAPER,
    RIM,
    Drawing,
    Element,
    Painted,
    stacked,
)
from structtree.report.pictures.scene import Box, Label, Stroke, line_width, shortened
from structtree.reprs import inert, number_text

__all__ = ["Canvas", "note_drawing", "parts_drawing", "value_text", "values_drawing"]

MOST_VALUES, MOST_IN_BOX, MOST_BOXES, MOST_INSIDE, MOST_LINES, MOST_ROWS = 14, 8, 12, 4, 8, 8
"""Maximum numbers of values per record and per box, boxes per link and per box, lines of symbols, and table rows."""
_SIZE, _LINE, _PAD, _GAP = 11.0, 15.0, 6.0, 10.0
_WIDEST, _TALLEST = 150.0, 420.0
"""Maximum width of the text of a value, and maximum height of the boxes of a link."""


@dataclass(frozen=True, slots=True, eq=False)
class Canvas:
    """Input of a drawing: one individual, the elements to highlight, and the available width.

    Parameters
    ----------
    alone : Population
    wanted : mapping of Element
        Elements to highlight with their priorities: those with the lowest numbers are shown if there is not enough
        room for all.
    width : float
    """

    alone: Population
    wanted: Mapping[Element, int]
    width: float

    @property
    def is_database(self) -> bool:
        """True if the types are database tables, which are drawn without nested boxes."""
        provenance = self.alone.provenance
        return provenance is not None and provenance.relations is not None

    def links(self, type_name: str) -> tuple[Link, ...]:
        """Return the links of a type, except derived ones."""
        return tuple(link for link in self.alone.schema.type(type_name).links if not link.derived)

    def names(self, type_name: str) -> list[str]:
        """Return the attributes of a type, including derived attributes only if tests use them."""
        used = {element.member for element in self.wanted if element.type == type_name}
        attributes = self.alone.schema.type(type_name).attributes
        return [a.name for a in attributes if not a.derived or a.name in used]

    def targets(self, type_name: str, row: int, link: str) -> list[int]:
        """Return the rows that a link refers to."""
        found: list[int] = self.alone.tables[type_name].links[link].of(row).tolist()
        return found

    def text(self, type_name: str, row: int, name: str) -> str:
        """Return a value as text."""
        return value_text(self.alone.tables[type_name].columns[name].value(row))

    def is_wanted(self, type_name: str, row: int) -> bool:
        """Return whether to highlight a row."""
        return Element(type_name, row) in self.wanted

    def rank(self, type_name: str, row: int) -> float:
        """Return the priority of a row, infinite unless it is highlighted."""
        return self.wanted.get(Element(type_name, row), inf)


def value_text(value: Value) -> str:
    """Format a value as text on one line.

    Examples
    --------
    >>> value_text(None), value_text(True), value_text(0.1 + 0.2), value_text("a")
    ('missing', 'yes', '0.3', 'a')
    """
    match value:
        case None:
            return "missing"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.6g}"
        case date():
            return text_of(value)
        case _:
            return inert(str(value))


def note_drawing(text: str) -> Drawing:
    """Draw a line of small grey text."""
    width = line_width(text, _SIZE)
    return Drawing(width, _LINE, (Painted(Label(0, 11, inert(text), _SIZE, GREY)),))


def _heading(text: str) -> Drawing:
    return Drawing(
        line_width(text, _SIZE, bold=True), _LINE, (Painted(Label(0, 11, inert(text), _SIZE, INK, bold=True)),)
    )


# ---- values of one record -------------------------------------------------------------------------------


def values_drawing(on: Canvas, type_name: str, row: int) -> Drawing | None:
    """Draw the values of a record in wrapped lines; return None if it has no values."""
    names = on.names(type_name)
    wanted = [name for name in names if Element(type_name, row, name) in on.wanted]
    shown = [*wanted, *(name for name in names if name not in wanted)][:MOST_VALUES]
    if not shown:
        return None
    pieces: list[Painted] = []
    x, y, right = 0.0, 0.0, 0.0
    for name in (name for name in names if name in shown):
        head, text = shortened(name, _WIDEST, _SIZE), shortened(on.text(type_name, row, name), _WIDEST, _SIZE)
        before = line_width(head, _SIZE) + 5
        width = before + line_width(text, _SIZE) + 8
        if x and x + width > on.width:
            x, y = 0.0, y + _LINE + 3
        pieces.append(Painted(Box(x, y, width, _LINE, MARK, RIM, 0.8, 3), Element(type_name, row, name)))
        pieces += [Painted(Label(x + 4, y + 11, head, _SIZE, GREY))]
        pieces += [Painted(Label(x + 4 + before, y + 11, text, _SIZE, INK))]
        x, right = x + width + 8, max(right, x + width)
    here = Drawing(right, y + _LINE, tuple(pieces))
    more = len(names) - len(shown)
    return stacked([here, note_drawing(f"… {number_text(more, 'more value')}")], 3) if more else here


# ---- boxes ----------------------------------------------------------------------------------------------


def parts_drawing(on: Canvas, owner: str, row: int, link: Link) -> Drawing | None:
    """Draw the rows behind a link in a suitable form; return None if there are none."""
    rows = on.targets(owner, row, link.name)
    if not rows:
        return None
    names = on.names(link.target)
    leads_on = any(on.targets(link.target, r, each.name) for each in on.links(link.target) for r in rows[:50])
    if len(names) == 1 and not leads_on and not link.single:
        return stacked([_heading(_title(link, rows)), _symbols(on, link, rows, names[0])], 3)
    if len(rows) <= MOST_BOXES and len(names) <= MOST_IN_BOX and not (on.is_database and not link.single):
        boxes = _boxes(on, link, rows)
        if boxes.height <= _TALLEST:
            return boxes
    if link.single:
        values = values_drawing(on, link.target, rows[0])
        return None if values is None else stacked([_heading(_title(link, rows)), _framed(link, rows[0], values)], 3)
    labels = [f"{link.name}[{place}]" for place in range(len(rows))]
    return stacked([_heading(_title(link, rows)), _table(on, link.target, rows, labels)], 3)


def _title(link: Link, rows: Sequence[int]) -> str:
    return inert(link.name) if link.single else f"{inert(link.name)} ({len(rows):,})"


def _boxes(on: Canvas, link: Link, rows: Sequence[int]) -> Drawing:
    """Draw records as boxes side by side, wrapped if necessary; boxes of a list are connected."""
    pieces: list[Painted] = []
    x, y, low, right = 0.0, 0.0, 0.0, 0.0
    for place, row in enumerate(rows):
        name = "" if link.single else str(place)
        box = _record_box(on, link.target, row, name, 0 if on.is_database else 2, frozenset())
        if x and x + box.width > on.width:
            x, y, low = 0.0, y + low + _GAP, 0.0
        if x and link.kind == "list":
            pieces.append(Painted(Stroke(x - _GAP, y + 14, x, y + 14, 2.0, GREY)))
        pieces += box.moved(x, y)
        x, low, right = x + box.width + _GAP, max(low, box.height), max(right, x + box.width)
    return stacked([_heading(_title(link, rows)), Drawing(right, y + low, tuple(pieces))], 3)


def _record_box(on: Canvas, type_name: str, row: int, name: str, depth: int, above: frozenset[Element]) -> Drawing:
    """Draw a record as a box that contains its values and the records that it refers to."""
    lines = [_cell(on, type_name, row, each) for each in on.names(type_name)[:MOST_IN_BOX]]
    above = above | {Element(type_name, row)}
    lines += _inside(on, type_name, row, depth, above)
    head = [note_drawing(name)] if name else []
    inner = stacked([*head, *lines], 1) if head or lines else Drawing(10, 4, ())
    width, height = inner.width + 2 * _PAD, inner.height + 2 * _PAD
    frame = [Painted(Box(0, 0, width, height, PAPER, EDGE, 1.0, 5.0))]
    frame.append(Painted(Box(0, 0, width, height, PALE, RIM, 2.0, 5.0), Element(type_name, row)))
    return Drawing(width, height, (*frame, *inner.moved(_PAD, _PAD)))


def _framed(link: Link, row: int, inner: Drawing) -> Drawing:
    """Add a highlight around the values of a record."""
    mark = Box(0, 0, inner.width + 2 * _PAD, inner.height + _PAD, PALE, RIM, 1.6, 4)
    pieces = [Painted(mark, Element(link.target, row)), *inner.moved(_PAD, _PAD / 2)]
    return Drawing(mark.width, mark.height, tuple(pieces))


def _cell(on: Canvas, type_name: str, row: int, name: str) -> Drawing:
    head = shortened(name, _WIDEST / 2, _SIZE)
    text = shortened(on.text(type_name, row, name), _WIDEST / 2 + 20, _SIZE)
    before = line_width(head, _SIZE) + 5
    width = before + line_width(text, _SIZE) + 4
    mark = Painted(Box(-2, 0, width + 2, _LINE - 1, MARK, RIM, 0.8, 3), Element(type_name, row, name))
    return Drawing(
        width, _LINE - 1,
        (mark, Painted(Label(0, 11, head, _SIZE, GREY)), Painted(Label(before, 11, text, _SIZE, INK))),
    )  # fmt: skip


def _inside(on: Canvas, type_name: str, row: int, depth: int, above: frozenset[Element]) -> Iterator[Drawing]:
    """Yield drawings of the records that a record refers to; distant, numerous or enclosing ones are counted."""
    for link in on.links(type_name):
        rows = on.targets(type_name, row, link.name)
        if not rows:
            continue
        is_known = any(Element(link.target, r) in above for r in rows)
        is_large = len(rows) > MOST_INSIDE or len(on.names(link.target)) > MOST_IN_BOX
        if depth == 0 or is_known or is_large:
            yield note_drawing(f"{inert(link.name)}: {'…' if link.single else f'{len(rows):,} …'}")
            continue
        for place, each in enumerate(rows):
            name = inert(link.name) if link.single else f"{inert(link.name)} {place}"
            yield _record_box(on, link.target, each, name, depth - 1, above)


# ---- symbols --------------------------------------------------------------------------------------------


def _symbols(on: Canvas, link: Link, rows: Sequence[int], name: str) -> Drawing:
    """Draw elements with a single value as lines of symbols; lines with highlights take precedence."""
    lines, pieces = list(_symbol_lines(on, link, rows, name)), list[Painted]()
    y, right, skipped = 0.0, 0.0, 0
    first = sorted(range(len(lines)), key=lambda k: min(on.rank(link.target, row) for _, row, _, _ in lines[k]))
    kept = set(first[:MOST_LINES])
    for k, line in enumerate(lines):
        if k not in kept:
            skipped += len(line)
            continue
        if skipped:
            pieces += note_drawing(f"… {skipped:,} more").moved(0, y)
            y, skipped = y + _LINE + 2, 0
        pieces += note_drawing(str(line[0][0])).moved(0, y + 1) if link.kind == "list" and len(lines) > 1 else ()
        for _, row, x, text in line:
            width = max(14.0, line_width(text, _SIZE) + 6)
            pieces.append(Painted(Box(x, y, width, 17, PAPER, EDGE, 0.6, 2)))
            mark = Box(x, y, width, 17, MARK, RIM, 1.6, 2)
            pieces += [Painted(mark, Element(link.target, row)), Painted(mark, Element(link.target, row, name))]
            pieces.append(Painted(Label(x + width / 2, y + 12.5, text, _SIZE, INK, anchor="middle")))
            right = max(right, x + width)
        y += 21
    if skipped:
        pieces += note_drawing(f"… {skipped:,} more").moved(0, y)
        y += _LINE
    return Drawing(right, y, tuple(pieces))


def _symbol_lines(
    on: Canvas, link: Link, rows: Sequence[int], name: str
) -> Iterator[list[tuple[int, int, float, str]]]:
    """Yield lines of symbols, each with its position in the list, its row, x and text."""
    texts = [shortened(on.text(link.target, row, name), _WIDEST, _SIZE) for row in rows]
    needed = sum(max(14.0, line_width(text, _SIZE) + 6) + 1 for text in texts)
    start = 8 + line_width(str(len(rows)), _SIZE) if link.kind == "list" and needed > on.width else 0.0
    x, line = start, list[tuple[int, int, float, str]]()
    for place, (row, text) in enumerate(zip(rows, texts, strict=True)):
        width = max(14.0, line_width(text, _SIZE) + 6)
        if line and x + width > on.width:
            yield line
            x, line = start, []
        line.append((place, row, x, text))
        x += width + (1 if link.kind == "list" else 4)
    if line:
        yield line


# ---- tables ---------------------------------------------------------------------------------------------


def _table(on: Canvas, type_name: str, rows: Sequence[int], labels: Sequence[str]) -> Drawing:
    """Draw records as a table; highlighted rows and columns take precedence, and rows keep their order."""
    order = sorted(range(len(rows)), key=lambda place: on.rank(type_name, rows[place]))[:MOST_ROWS]
    shown = [(rows[place], labels[place]) for place in sorted(order)]
    columns = list(_columns(on, type_name, shown))
    pieces: list[Painted] = []
    width = sum(w for _, w in columns) if columns else 0.0
    y = _LINE + 2
    for row, _ in shown:
        pieces.append(Painted(Box(0, y, width, _LINE, PALE, RIM, 1.2, 2), Element(type_name, row)))
        pieces.append(Painted(Stroke(0, y + _LINE, width, y + _LINE, 0.5, EDGE)))
        y += _LINE
    x = 0.0
    for name, wide in columns:
        pieces += _column(on, type_name, shown, name, x, wide)
        x += wide
    here = Drawing(width, y, tuple(pieces))
    n_hidden = len(on.names(type_name)) - len(columns) + 1
    hidden = [number_text(len(rows) - len(shown), "more row")] if len(rows) > len(shown) else []
    hidden += [number_text(n_hidden, "more column")] if n_hidden > 0 else []
    return stacked([here, note_drawing("… " + ", ".join(hidden))], 3) if hidden else here


def _columns(on: Canvas, type_name: str, shown: Sequence[tuple[int, str]]) -> Iterator[tuple[str, float]]:
    """Yield the columns that fit, with their widths; the first column, without a name, shows row paths."""
    names = on.names(type_name)
    asked = {element.member for element in on.wanted if element.type == type_name}
    order = [*(name for name in names if name in asked), *(name for name in names if name not in asked)]
    left = on.width - _width("", [label for _, label in shown])
    yield "", on.width - left
    for name in order:
        wide = _width(name, [on.text(type_name, row, name) for row, _ in shown])
        if wide > left:
            return
        left -= wide
        yield name, wide


def _width(name: str, texts: Sequence[str]) -> float:
    widest = max(line_width(name, _SIZE), *(line_width(text, _SIZE) for text in texts))
    return min(widest, _WIDEST) + 12


def _column(
    on: Canvas, type_name: str, shown: Sequence[tuple[int, str]], name: str, x: float, wide: float
) -> Iterator[Painted]:
    yield Painted(Label(x + 4, 11, shortened(name, wide - 8, _SIZE), _SIZE, GREY))
    for place, (row, label) in enumerate(shown):
        y = _LINE + 2 + place * _LINE
        text = on.text(type_name, row, name) if name else label
        if name:
            yield Painted(Box(x + 1, y + 1, wide - 2, _LINE - 2, MARK, RIM, 0.8, 2), Element(type_name, row, name))
        yield Painted(Label(x + 4, y + 11, shortened(text, wide - 8, _SIZE), _SIZE, INK if name else GREY))
