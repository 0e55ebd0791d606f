"""Families as integers: for each type, what every row says to every member of every test family.

Members that exclude each other (values of a nominal, bins) are one *coded* column: the code of the member that the
row passes, or -1. Nested members (thresholds) are one *ranked* column: a row of rank r passes the r laxest members.
Any other member is a coded column of its own. The kernels count whole boards in one pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Codes, Floats, Ints, Mask
from structtree.data.population import Column, run_places
from structtree.interrupts import NO_LIMIT, Limit, Preparation
from structtree.lang import syntax as syn
from structtree.search.steps import Steps, need_of
from structtree.space.evaluate import aggregate_column, rows_where
from structtree.space.families import LinkFamily, TestFamily
from structtree.space.nested_calls import ranked_calls
from structtree.space.space import Batch, Space

__all__ = [
    "Board",
    "BoardColumn",
    "Boards",
    "board_of",
    "call_columns",
    "columns_of",
    "end_column",
    "is_nested",
    "is_swept",
    "opening_column",
    "ranked_column",
]


PIECE = 8_000_000
"""Members times labels are counted in pieces of about this many numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """Columns of one kind for the test families of one type, in the order of generation.

    Parameters
    ----------
    ranked : bool
    columns : (columns, rows) int32
    offsets : (columns + 1,) int64
        Where the members of each column begin; each has at least one.
    families : array of int, one per member
        The index of the family that the member belongs to.
    choices : array of int, one per member
        Its choice in that family.
    """

    ranked: bool
    columns: Codes
    offsets: Ints
    families: Ints
    choices: Ints

    def since(self, family: int) -> int:
        """The first column of this family or a later one."""
        member = np.searchsorted(self.families, family, side="left")
        return int(np.searchsorted(self.offsets, member, side="left"))

    def place(self, family: int, choice: int) -> int | None:
        """Return which member is a certain choice of a family; None if the family is on another board."""
        found = np.flatnonzero((self.families == family) & (self.choices == choice))
        return int(found[0]) if len(found) else None

    def moved(self, places: Mapping[int, int]) -> Board:
        """The same columns when their families change places: where each goes, by its index."""
        where = np.arange(max([0, *places, *self.families.tolist()]) + 1)
        where[list(places)] = list(places.values())
        heads = where[self.families[self.offsets[:-1]]] if len(self.columns) else np.zeros(0, dtype=np.int64)
        order = np.argsort(heads, kind="stable")
        sizes = np.diff(self.offsets)[order]
        offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        members = run_places(self.offsets[:-1][order], sizes)
        return Board(self.ranked, self.columns[order], offsets, np.repeat(heads[order], sizes), self.choices[members])

    def pieces(self, column: int, n_labels: int) -> Iterator[tuple[int, int]]:
        """Runs of columns, from one on, whose counts fit into a piece of memory."""
        n_columns = len(self.offsets) - 1
        while column < n_columns:
            most = self.offsets[column] + max(1, PIECE // max(1, n_labels))
            stop = max(column + 1, int(np.searchsorted(self.offsets, most, side="right")) - 1)
            yield column, stop
            column = stop

    def allowed(self, start: int, stop: int, batch: Batch) -> Mask:
        """Return which of the members from start to stop are in a batch."""
        found = np.ones(stop - start, dtype=np.bool_)
        families = self.families[start:stop]
        for index in batch.without:
            found[np.searchsorted(families, index) : np.searchsorted(families, index, side="right")] = False
        for index, (low, high) in batch.ranges.items():
            part = slice(np.searchsorted(families, index), np.searchsorted(families, index, side="right"))
            choices = self.choices[start:stop][part]
            found[part] &= (choices >= low) & (choices < high)
        since, choice = batch.since
        first = slice(np.searchsorted(families, since), np.searchsorted(families, since, side="right"))
        found[first] &= self.choices[start:stop][first] >= choice
        found[: first.start] = False
        return found


@dataclass(frozen=True, slots=True)
class BoardColumn:
    """The codes or ranks of one column, its family, the choices that they stand for, and which of both they are."""

    values: Codes
    family: int
    choices: Ints
    ranked: bool


@dataclass(frozen=True, slots=True, eq=False)
class Boards:
    """The boards of all types of a space on its population, made when they are first asked for.

    When the limit is over, a board has the columns that there was time for, up to one in which rows differ at least,
    and its type is among the `partial` ones.
    """

    space: Space
    _known: dict[str, tuple[Board, Board]] = field(default_factory=dict)
    limit: Limit = NO_LIMIT
    partial: set[str] = field(default_factory=set)
    steps: Steps = field(init=False)
    _lengths: dict[str, Ints] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        assert self.space.population is not None
        object.__setattr__(self, "steps", Steps(self.space.population))

    def of(self, name: str) -> tuple[Board, Board]:
        """Return the coded and the ranked board of a type: all its tests, and its links with nothing behind them."""
        if name not in self._known:
            self._known[name] = self._made(name)
        return self._known[name]

    def lengths(self, name: str) -> Ints:
        """Return for how many literals a member of each family of a type counts, by index."""
        if name not in self._lengths:
            families = self.space.offers.from_top[name]
            sizes = self._lengths[name] = np.zeros(max((f.index for f in families), default=0) + 1, dtype=np.int64)
            for family in families:
                sizes[family.index] = 1 if isinstance(family, LinkFamily) else family.size
        return self._lengths[name]

    def moved(self, space: Space, places: Mapping[str, Mapping[int, int]]) -> Boards:
        """Return the boards of a space whose families have changed places: where each goes, by type and index."""
        known = {name: self.of(name) for name in places}
        moved = {name: (c.moved(places[name]), r.moved(places[name])) for name, (c, r) in known.items()}
        return Boards(space, moved, self.limit, self.partial)

    def _made(self, name: str) -> tuple[Board, Board]:
        columns: list[BoardColumn] = []
        n_rows, preparation = self.steps.population.tables[name].n_rows, Preparation(self.limit)
        is_useful = False
        for family in self.space.offers.from_top[name]:
            if preparation.is_over(n_rows) and is_useful:
                self.partial.add(name)
                break
            if isinstance(family, LinkFamily):
                fresh = [opening_column(family, self.steps.of(family).lengths)] if is_swept(family) else []
            else:
                fresh = columns_of(family, self.steps)
            columns += fresh
            is_useful = is_useful or any(map(_divides, fresh))
        coded, ranked = ([column for column in columns if column.ranked == which] for which in (False, True))
        return board_of(coded, n_rows, ranked=False), board_of(ranked, n_rows, ranked=True)


def _divides(column: BoardColumn) -> bool:
    """Return whether rows differ in a column."""
    values = column.values
    return len(values) > 0 and bool(values.min() < values.max())


def is_swept(family: LinkFamily) -> bool:
    """Return whether a link family is on a board: it opens one empty position, and some rows are enough."""
    plain = len(family.slots) == 1 and family.slots[0].plain and not isinstance(family.template, syn.Aggregate)
    return plain and all(need_of(family, choice) is not None for choice in range(len(family.numbers)))


def board_of(columns: list[BoardColumn], n_rows: int, *, ranked: bool) -> Board:
    """A board of some columns of a type of so many rows."""
    sizes = [len(column.choices) for column in columns]
    return Board(
        ranked,
        np.array([column.values for column in columns], dtype=np.int32).reshape(len(columns), n_rows),
        np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        np.repeat(np.array([column.family for column in columns], dtype=np.int64), sizes),
        np.concatenate([np.zeros(0, dtype=np.int64), *(column.choices for column in columns)]),
    )


def columns_of(family: TestFamily, steps: Steps) -> list[BoardColumn]:
    """Return what every row of its type says to the members of a family of tests: one column, or several."""
    if is_nested(family):
        return [ranked_column(family, steps)]
    calls = call_columns(family, steps)
    return list(_coded(family, steps)) if calls is None else calls


def is_nested(family: TestFamily) -> bool:
    """Return whether the members are thresholds, each implied by all stricter ones."""
    nested = isinstance(family.template, syn.Compare | syn.Aggregate) and family.template.op in (">=", "<=")
    return nested and isinstance(family.values, np.ndarray)


def ranked_column(family: TestFamily, steps: Steps) -> BoardColumn:
    """Return how many members of a nested family each row passes, and the members, the laxest first."""
    template = family.template
    assert isinstance(template, syn.Compare | syn.Aggregate) and isinstance(family.values, np.ndarray)
    values, present = _end_values(family, steps)
    cuts, n = family.values, len(family.values)
    if template.op == ">=":
        ranks, choices = np.searchsorted(cuts, values, side="right"), np.arange(n)
    else:
        ranks, choices = n - np.searchsorted(cuts, values, side="left"), np.arange(n)[::-1]
    passed = np.where(present, ranks, 0).astype(np.int32)
    return BoardColumn(passed, family.index, choices.astype(np.int64), ranked=True)


def call_columns(family: TestFamily, steps: Steps) -> list[BoardColumn] | None:
    """Return calls that are nested in one of their thresholds as ranked columns; None for any other family."""
    end, at = _ends(family, steps)
    runs = ranked_calls(family, steps.population, at)
    if runs is None:
        return None
    found = ((np.append(ranks, 0)[end].astype(np.int32), choices) for choices, ranks in runs)
    return [BoardColumn(ranks, family.index, choices, ranked=True) for ranks, choices in found]


def opening_column(family: LinkFamily, counts: NDArray[Any]) -> BoardColumn:
    """Return how many of the numbers of a link family are reached, for how many rows behind the link each row has."""
    numbers = np.array(family.numbers) if isinstance(family.template, syn.Count) else np.ones(1)
    ranks = np.searchsorted(numbers, counts, side="right").astype(np.int32)
    return BoardColumn(ranks, family.index, np.arange(len(family.numbers)), ranked=True)


def _coded(family: TestFamily, steps: Steps) -> Iterator[BoardColumn]:
    every = np.array(family.choices(), dtype=np.int64)
    match family.template:
        case syn.Compare(op="=", value=value) | syn.Aggregate(op="=", value=value) if isinstance(
            value, syn.ValueSource
        ):
            yield BoardColumn(_equal_codes(family, steps), family.index, every, ranked=False)
        case syn.Within(source=source) if source is not None:
            yield BoardColumn(_bin_codes(family, steps), family.index, every, ranked=False)
        case _:
            for v in family.choices():
                true = rows_where(family.literal(v), steps.population, family.type)
                codes = np.where(true, 0, -1).astype(np.int32)
                yield BoardColumn(codes, family.index, every[v : v + 1], ranked=False)


def _equal_codes(family: TestFamily, steps: Steps) -> Codes:
    end, column = end_column(family, steps)
    if column.kind == "nominal":
        known = {value: v for v, value in enumerate(family.values)}
        code_of = np.array([*(known.get(name, -1) for name in column.categories), -1], dtype=np.int32)
        return np.append(code_of[column.values], np.int32(-1))[end]
    values, present = _end_values(family, steps)
    wanted = np.array(list(family.values), dtype=np.float64)
    order = np.argsort(wanted)
    place = np.clip(np.searchsorted(wanted[order], values), 0, len(wanted) - 1)
    found = present & (wanted[order][place] == values)
    return np.where(found, order[place], -1).astype(np.int32)


def _bin_codes(family: TestFamily, steps: Steps) -> Codes:
    values, present = _end_values(family, steps)
    bins: tuple[Any, ...] = tuple(family.values)
    place = np.searchsorted(np.array([b.low for b in bins]), values, side="right") - 1
    inside = place >= 0
    chosen = np.clip(place, 0, None)
    highs, closed = np.array([b.high for b in bins])[chosen], np.array([b.closed for b in bins])[chosen]
    inside &= (values < highs) | (closed & (values == highs))
    return np.where(present & inside, place, -1).astype(np.int32)


def _end_values(family: TestFamily, steps: Steps) -> tuple[Floats, Mask]:
    """The number that the family asks about, for each row, and whether there is one."""
    end, column = end_column(family, steps)
    found = np.append(column.values, np.nan)[end]
    return found, ~np.isnan(found)


def end_column(family: TestFamily, steps: Steps) -> tuple[Ints, Column]:
    """For each row the row at the end of the family's path, or -1, and what the family asks about there."""
    end, at = _ends(family, steps)
    if isinstance(family.template, syn.Aggregate):
        return end, aggregate_column(family.template, steps.population, at)
    assert isinstance(family.template, syn.Compare | syn.Among | syn.Within)
    return end, steps.population.tables[at].value_column(family.template.attribute)


def _ends(family: TestFamily, steps: Steps) -> tuple[Ints, str]:
    """For each row the row at the end of the family's path, or -1, and the type of those."""
    at = family.type
    end = np.arange(steps.population.tables[at].n_rows)
    for step in family.path:
        end, at = steps.along(at, step).first_targets[end], steps.target(at, step)
    return end, at
