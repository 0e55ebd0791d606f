"""Highlights of a test in the drawing of an individual, with one role for each element.

Elements are *counted* (the rows that the test selects, and the values that it read), *supporting* (rows behind a
counted row that make it count) or *near* (rows that are nearest to satisfying a test that fails).

Law (``tests/report/pictures/test_highlights.py``): the counted rows are exactly those that the inner predicate of a
literal selects, whether the test is true or false.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from structtree.data.population import Population
from structtree.lang import syntax as syn
from structtree.report.explain import Reason
from structtree.report.pictures.drawing import Element
from structtree.report.pictures.records import value_text
from structtree.space.evaluate import Known
from structtree.space.meaning import Witness, counted_rows, linked_row

__all__ = ["Marks", "Sighting", "marks_of"]


class Sighting(NamedTuple):
    """Row that a test examined, with its path from the individual and its values as text."""

    row: Element
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Marks:
    """Elements that a test examined.

    Parameters
    ----------
    counted, supporting, near : tuples of Element
        Disjoint; see the module.
    sights : tuple of Sighting
    """

    counted: tuple[Element, ...] = ()
    supporting: tuple[Element, ...] = ()
    near: tuple[Element, ...] = ()
    sights: tuple[Sighting, ...] = ()

    @property
    def elements(self) -> tuple[Element, ...]:
        """All elements, the counted ones first."""
        return (*self.counted, *self.supporting, *self.near)


def marks_of(reason: Reason, alone: Population, masks: Known | None = None) -> Marks:
    """Return the elements to highlight for a test result.

    Parameters
    ----------
    reason : Reason
    alone : Population
        The individual of the explanation.
    masks : dict, optional
        Cache of masks of this individual by type and predicate.
    """
    test, is_true = reason.condition, reason.answer is not False
    counted: dict[Element, None] = {}
    supporting: dict[Element, None] = {}
    for witness in () if test is None else counted_rows(test, alone, 0, masks):
        if witness.path and (witness.level or (is_true and not _leads_on(witness.predicate))):
            (counted if witness.level <= 1 else supporting).update(dict.fromkeys(_elements(witness, alone)))
    near: dict[Element, None] = {}
    sights = []
    for seen in reason.rows:
        path, row = seen.met or seen.path, Element(seen.type, seen.number)
        cells = dict.fromkeys(_cells(row, (name for name, _ in seen.values), alone))
        if path:
            text = ", ".join(f"{name} = {value_text(value)}" for name, value in seen.values)
            sights.append(Sighting(row, path, text))
            near |= dict.fromkeys(_along(alone, path)) | {row: None} | cells
        else:
            (counted if is_true else near).update(cells)
    supporting = {element: None for element in supporting if element not in counted}
    known = counted | supporting
    missed = () if is_true else tuple(element for element in near if element not in known)
    shown = {*known, *missed}
    return Marks(tuple(counted), tuple(supporting), missed, tuple(sight for sight in sights if sight.row in shown))


def _leads_on(predicate: syn.Predicate) -> bool:
    """Return whether a predicate is about rows behind links only, so that its own row is just on the way."""
    match predicate:
        case syn.And(parts) | syn.Or(parts):
            return all(map(_leads_on, parts))
        case syn.Not(inner):
            return _leads_on(inner)
        case _:
            return isinstance(predicate, syn.LinkedTo | syn.Distinct | syn.Aggregate | syn.ListStep)


def _elements(witness: Witness, alone: Population) -> Iterator[Element]:
    """Yield the row of a witness and the values that its predicate reads."""
    row = Element(*linked_row(alone, witness.type, witness.row))
    yield row
    yield from _cells(row, _names_read(witness.predicate), alone)


def _cells(row: Element, names: Iterable[str], alone: Population) -> Iterator[Element]:
    """Yield the values of a row by name; a part of a date is in the value of its date."""
    columns = alone.tables[row.type].columns
    for name in names:
        member = name if name in columns else str(name).partition(".")[0]
        if member in columns:
            yield Element(row.type, row.row, member)


def _names_read(predicate: syn.Predicate) -> Iterator[str]:
    """Yield the attributes that a predicate reads in its own row."""
    match predicate:
        case syn.Flag(name) | syn.Compare(name) | syn.Among(name) | syn.Within(name) | syn.Missing(name):
            yield str(name)
        case syn.CompareOwn():
            yield from (str(path[0]) for path in predicate.sides if len(path) == 1)
        case syn.Named(_, body) if body is not None:
            yield from _names_read(body)
        case syn.And(parts) | syn.Or(parts):
            for part in parts:
                yield from _names_read(part)
        case syn.Not(inner):
            yield from _names_read(inner)
        case _:
            pass


def _along(alone: Population, path: str) -> Iterator[Element]:
    """Yield the rows on a path through links, such as ``atoms[2].bonds[0].to``."""
    name, row = alone.schema.individual, int(alone.individuals[0])
    for link, place in re.findall(r"([^.\[\]]+)(?:\[(\d+)\])?", path):
        declared = alone.schema.type(name).link(link)
        targets = [] if declared is None else alone.tables[name].links[link].of(row).tolist()
        if declared is None or int(place or 0) >= len(targets):
            return
        name, row = declared.target, targets[int(place or 0)]
        yield Element(name, row)
