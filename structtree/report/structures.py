"""Individuals as drawings: molecules, graphs, trees, sequences, sets, records and rows of a database.

`drawn` is the one way to draw an individual, with what tests have found in it marked. Which form suits is decided by
the schema: what RDKit has read is a molecule, parts that lead to each other are a graph, and all else are records.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from structtree.data.columns import Population
from structtree.data.provenance import provenance_of
from structtree.report.drawing import EDGE, GREY, INK, PALE, RIM, Drawing, Element, Piece, stacked
from structtree.report.explain import Reason
from structtree.report.graph_drawing import graph_drawing
from structtree.report.molecule_drawing import molecule_drawing
from structtree.report.record_drawing import Canvas, note_drawing, parts_drawing, value_text, values_drawing
from structtree.report.scene import Box, Label, Stroke, line_width, shortened
from structtree.reprs import inert, number_text

__all__ = ["Marks", "drawn", "marks_of"]

WIDTH = 520.0
"""About how wide a drawing may be, in points."""
_TALL = 420.0
"""Below that height only links with something to mark are drawn, and others are counted."""
_MOST_ELSEWHERE, _RIM = 6, 2.0


@dataclass(frozen=True, slots=True)
class Marks:
    """Rows that a test looked at.

    Parameters
    ----------
    elements : tuple of Element
        The rows, and their values that the test asked about.
    paths : tuple of (Element, str, str)
        How each row is reached from the individual, and what was seen there.
    is_found : bool
        True if they made a test true; False if they come nearest to it.
    """

    elements: tuple[Element, ...]
    paths: tuple[tuple[Element, str, str], ...]
    is_found: bool = True


def marks_of(reason: Reason, alone: Population) -> Marks:
    """Return what can be marked of the rows behind an answer; attributes only where the row has them."""
    elements: list[Element] = []
    paths = []
    for seen in reason.rows:
        columns = alone.tables[seen.type].columns
        names = [str(name).partition(".")[0] if name not in columns else name for name, _ in seen.values]
        if seen.path:
            elements.append(Element(seen.type, seen.number))
            text = ", ".join(f"{name} = {value_text(value)}" for name, value in seen.values)
            paths.append((elements[-1], seen.met or seen.path, text))
        elements += [Element(seen.type, seen.number, name) for name in names if name in columns]
    return Marks(tuple(dict.fromkeys(elements)), tuple(paths), reason.answer is not False)


def drawn(alone: Population, marks: Iterable[Marks] = (), *, width: float = WIDTH) -> Drawing:
    """Return a drawing of an individual in which rows can be marked.

    Parameters
    ----------
    alone : Population
        Of one individual, with the rows that it reaches.
    marks : iterable of Marks
        What will be marked; it is drawn before anything else where not all is drawn.
    width : float
        About how wide the drawing may be, in points.

    Examples
    --------
    >>> trains = Population.from_records([{"cars": [{"wheels": 2}, {"wheels": 3}]}], individual="Train")
    >>> drawn(trains)
    <Drawing: ... × ..., 4 elements>
    """
    known = tuple(marks)
    wanted = frozenset(element for each in known for element in each.elements)
    on = Canvas(alone, wanted, width)
    parts = _parts(on)
    elsewhere = _elsewhere(known, frozenset(element for part in parts for element in part.elements), width)
    if elsewhere is not None:
        parts.append(elsewhere)
    whole = stacked(parts or [note_drawing("no values and no parts")])
    return Drawing(whole.width + 2 * _RIM, whole.height + 2 * _RIM, tuple(whole.moved(_RIM, _RIM)))


def _parts(on: Canvas) -> list[Drawing]:
    """Return the drawings of an individual that stand below each other."""
    own, row = on.alone.schema.individual, int(on.alone.individuals[0])
    smiles = provenance_of(on.alone).names_of(row).get("smiles")
    molecule = molecule_drawing(on, smiles)
    if molecule is not None:
        asked = {element.member for element in on.wanted if element.type == own and element.member}
        values = _only(on, own, row, asked)
        return [molecule, values] if values is not None else [molecule]
    graph, shown = graph_drawing(on) or (None, None)
    values = values_drawing(on, own, row) if shown != "" else None
    parts = [part for part in (values, graph) if part is not None]
    return [*parts, *_links(on, own, row, shown, sum(part.height for part in parts))] if shown != "" else parts


def _only(on: Canvas, own: str, row: int, names: set[str]) -> Drawing | None:
    """Return some values of the individual; of a molecule, whose structure says most, those that were asked."""
    hidden = [name for name in on.alone.tables[own].columns if name not in names]
    return values_drawing(Canvas(on.alone.without(*hidden), on.wanted, on.width), own, row) if names else None


def _links(on: Canvas, own: str, row: int, shown: str | None, height: float) -> list[Drawing]:
    """Return what the links of an individual lead to; below a certain height only where something is marked."""
    found: list[Drawing] = []
    counted: list[str] = []
    for link in on.links(own):
        rows = on.targets(own, row, link.name)
        if link.name == shown or not rows:
            continue
        is_asked = any(element.type == link.target for element in on.wanted)
        part = parts_drawing(on, own, row, link) if is_asked or height < _TALL else None
        if part is None:
            counted.append(f"{inert(link.name)} ({len(rows):,})")
            continue
        found.append(part)
        height += part.height
    return [*found, *([note_drawing(f"… {', '.join(counted[:8])}")] if counted else [])]


def _elsewhere(marks: Sequence[Marks], shown: frozenset[Element], width: float) -> Drawing | None:
    """Return the rows that tests looked at and that are not drawn: how they are reached, and what was seen there."""
    rows = {row: (path, text) for each in marks for row, path, text in each.paths if row not in shown}
    if not rows:
        return None
    pieces = [Piece(Label(0, 11, "reached from here", 11, INK, bold=True))]
    y, right = 18.0, 0.0
    for row, (path, text) in list(rows.items())[:_MOST_ELSEWHERE]:
        head = shortened(path, width * 0.55, 11)
        before = line_width(head, 11) + 10
        said = shortened(text, max(60.0, width - before - 8), 11)
        wide = before + line_width(said, 11) + 8
        pieces.append(Piece(Box(0, y, wide, 16, PALE, RIM, 1.2, 3), row))
        pieces += [Piece(Label(4, y + 11.5, head, 11, GREY)), Piece(Label(4 + before, y + 11.5, said, 11, INK))]
        pieces.append(Piece(Stroke(0, y + 17, wide, y + 17, 0.5, EDGE)))
        y, right = y + 18, max(right, wide)
    here = Drawing(right, y, tuple(pieces))
    more = len(rows) - _MOST_ELSEWHERE
    return stacked([here, note_drawing(f"… {number_text(more, 'more row')}")], 3) if more > 0 else here
