"""Drawings of individuals: molecules, graphs, trees, sequences, sets, records and rows of a database.

`drawn` is the single entry point. The schema determines the form: individuals read by RDKit are molecules, types
whose rows refer to each other are graphs, and all others are records.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from structtree.data.population import Population
from structtree.data.provenance import provenance_of
from structtree.report.pictures.drawing import EDGE, GREY, INK, PALE, RIM, Drawing, Element, Painted, stacked
from structtree.report.pictures.graphs import graph_drawing
from structtree.report.pictures.highlights import Marks
from structtree.report.pictures.molecules import molecule_drawing
from structtree.report.pictures.records import Canvas, note_drawing, parts_drawing, values_drawing
from structtree.report.pictures.scene import Box, Label, Stroke, line_width, shortened
from structtree.reprs import inert, number_text

__all__ = ["drawn"]

WIDTH = 520.0
"""Approximate maximum width of a drawing, in points."""
_TALL = 420.0
"""Height beyond which only links with highlights are drawn; other links are counted."""
_MOST_ELSEWHERE, _RIM = 6, 2.0


def drawn(alone: Population, marks: Iterable[Marks] = (), *, width: float = WIDTH) -> Drawing:
    """Draw an individual so that its rows can be highlighted.

    Parameters
    ----------
    alone : Population
        One individual with the rows that it reaches.
    marks : iterable of Marks
        Elements to highlight, which are drawn first if there is not enough room.
    width : float
        Approximate maximum width of the drawing, in points.

    Examples
    --------
    >>> trains = Population.from_records([{"cars": [{"wheels": 2}, {"wheels": 3}]}], individual="Train")
    >>> drawn(trains)
    <Drawing: ... × ..., 4 elements>
    """
    known = tuple(marks)
    on = Canvas(alone, _wanted(known), width)
    parts, whole = _parts(on)
    elsewhere = _elsewhere(known, frozenset(element for part in parts for element in part.elements), whole, width)
    if elsewhere is not None:
        parts.append(elsewhere)
    below = stacked(parts or [note_drawing("no attributes and no links")])
    return Drawing(below.width + 2 * _RIM, below.height + 2 * _RIM, tuple(below.moved(_RIM, _RIM)))


def _wanted(marks: Sequence[Marks]) -> dict[Element, int]:
    """Return the elements to highlight; those of a test with few of them come first, and counted ones."""
    found: dict[Element, int] = {}
    for each in marks:
        n = 0
        for role in (each.counted, each.supporting, each.near):
            n += len(role)
            found |= {element: min(n, found.get(element, n)) for element in role}
    return found


def _parts(on: Canvas) -> tuple[list[Drawing], frozenset[str]]:
    """Return the drawings to stack for an individual, and the types that they show as a graph or molecule."""
    own, row = on.alone.schema.individual, int(on.alone.individuals[0])
    smiles = provenance_of(on.alone).names_of(row).get("smiles")
    molecule = molecule_drawing(on, smiles)
    if molecule is not None:
        used = {element.member for element in on.wanted if element.type == own and element.member}
        values = _only(on, own, row, used)
        types = frozenset(element.type for element in molecule.elements)
        return ([molecule] if values is None else [molecule, values]), types
    graph = graph_drawing(on)
    parts = [part for part in (values_drawing(on, own, row), None if graph is None else graph.drawing) if part]
    shown, types = (frozenset[str](), frozenset[str]()) if graph is None else (graph.links, graph.types)
    return [*parts, *_links(on, own, row, shown, sum(part.height for part in parts))], types


def _only(on: Canvas, own: str, row: int, names: set[str]) -> Drawing | None:
    """Draw the named values of an individual; return None if no names are given."""
    hidden = [name for name in on.alone.tables[own].columns if name not in names]
    return values_drawing(replace(on, alone=on.alone.without(*hidden)), own, row) if names else None


def _links(on: Canvas, own: str, row: int, shown: frozenset[str], height: float) -> list[Drawing]:
    """Draw the rows behind the links of an individual; if the picture is tall, only links with highlights."""
    found: list[Drawing] = []
    counted: list[str] = []
    links = {link: on.targets(own, row, link.name) for link in on.links(own) if link.name not in shown}
    is_marked = {link: any(on.is_wanted(link.target, each) for each in rows) for link, rows in links.items()}
    for link in sorted(links, key=lambda link: not is_marked[link]):
        rows = links[link]
        if not rows:
            continue
        part = parts_drawing(on, own, row, link) if is_marked[link] or height < _TALL else None
        if part is None:
            counted.append(f"{inert(link.name)} ({len(rows):,})")
            continue
        found.append(part)
        height += part.height
    return [*found, *([note_drawing(f"… {', '.join(counted[:8])}")] if counted else [])]


def _elsewhere(
    marks: Sequence[Marks], shown: frozenset[Element], whole: frozenset[str], width: float
) -> Drawing | None:
    """Return text for rows that tests examined but that are not drawn, with their paths and values.

    Direct elements of the individual, and types that are drawn as a graph, are excluded: those are counted instead.
    """
    sights = (sight for each in marks for sight in each.sights if "." in sight.path and sight.text)
    rows = {s.row: (s.path, s.text) for s in sights if s.row not in shown and s.row.type not in whole}
    if not rows:
        return None
    pieces = [Painted(Label(0, 11, "related rows", 11, INK, bold=True))]
    y, right = 18.0, 0.0
    for row, (path, text) in list(rows.items())[:_MOST_ELSEWHERE]:
        head = shortened(path, width * 0.55, 11)
        before = line_width(head, 11) + 10
        said = shortened(text, max(60.0, width - before - 8), 11)
        wide = before + line_width(said, 11) + 8
        pieces.append(Painted(Box(0, y, wide, 16, PALE, RIM, 1.2, 3), row))
        pieces += [Painted(Label(4, y + 11.5, head, 11, GREY)), Painted(Label(4 + before, y + 11.5, said, 11, INK))]
        pieces.append(Painted(Stroke(0, y + 17, wide, y + 17, 0.5, EDGE)))
        y, right = y + 18, max(right, wide)
    here = Drawing(right, y, tuple(pieces))
    more = len(rows) - _MOST_ELSEWHERE
    return stacked([here, note_drawing(f"… {number_text(more, 'more row')}")], 3) if more > 0 else here
