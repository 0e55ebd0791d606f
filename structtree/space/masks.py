"""Masks of predicates for a part of a population, taken from the masks of the whole population.

Many individuals are explained by the same tests. Each test is evaluated once, for all of them, and the mask of the
rows of one individual is a selection.

Law (``tests/space/test_masks.py``): the selection equals the mask evaluated on these rows alone.
"""

from __future__ import annotations

from structtree.arrays import Mask
from structtree.data.population import Population
from structtree.data.reachable import Part
from structtree.lang import syntax as syn
from structtree.space.evaluate import Known, rows_where

__all__ = ["MasksOfPart"]


class MasksOfPart(Known):
    """Cache of masks of a part of a population, filled from the whole population.

    Parameters
    ----------
    part : Part
        Individuals with the rows that they reach; see `structtree.data.reachable.part_of`.
    whole : Population
        The population that the part was taken from.
    known : dict
        Cache of masks of the whole population, shared by all its parts.

    Examples
    --------
    >>> from structtree.data.reachable import part_of
    >>> from structtree.lang.parse import parse_predicate
    >>> trains = Population.from_records([{"cars": [{"wheels": 2}]}, {"cars": [{"wheels": 2}, {"wheels": 3}]}])
    >>> last, test = part_of(trains, [1]), parse_predicate("wheels >= 3")
    >>> rows_where(test, last.population, "Car", MasksOfPart(last, trains, {})).tolist()
    [False, True]
    """

    def __init__(self, part: Part, whole: Population, known: Known) -> None:
        super().__init__()
        self._rows, self._whole, self._known = part.rows, whole, known

    def __missing__(self, key: tuple[str, syn.Predicate]) -> Mask:
        type_name, predicate = key
        found = self[key] = rows_where(predicate, self._whole, type_name, self._known)[self._rows[type_name]]
        return found
