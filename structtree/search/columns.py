"""Tests as integer columns: ranks or codes of rows, shared by sweeps, divisions of tables and the search.

A column has one integer per row and a *form*, which determines the rows that its members keep:

- ``AT_LEAST`` (thresholds, nested members): member k keeps the rows whose value is greater than k;
- ``AT_MOST``: member k keeps the rows whose value is k or less, but not the missing ones;
- ``EQUAL`` (values of a nominal, bins, a single test): member k keeps the rows whose value is k;
- ``SUBSET`` and ``MULTIWAY``: any set of values, or one branch for each value.

-1 stands for a missing value, which no member keeps. `TestColumns` holds the columns. Its rows are the individuals
(sweeps, divisions, tables of links) or all rows of a type, which the search reaches along links. Views share its
integers: the tests on some columns (`tests_on`), some rows in sorted order (`take`, `swept`), or the rows that one
member keeps (`mask`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Codes, Floats, Ints, Mask
from structtree.data.population import Column, run_places
from structtree.interrupts import NO_LIMIT, Limit, Preparation
from structtree.lang import syntax as syn
from structtree.search.kernels.tables import AT_LEAST, AT_MOST, EQUAL, SweptColumns
from structtree.search.steps import Steps, need_of
from structtree.space.evaluate import aggregate_column, rows_where
from structtree.space.families import LinkFamily, TestFamily
from structtree.space.nested_calls import ranked_calls
from structtree.space.space import Batch, Space

__all__ = [
    "FamilyMembers",
    "SpaceColumns",
    "TestColumn",
    "TestColumns",
    "call_columns",
    "columns_of",
    "conditional_column",
    "end_column",
    "is_nested",
    "is_swept",
    "opening_column",
    "ranked_column",
    "stack_columns",
]


PIECE = 8_000_000
"""Approximate number of counts (members times labels) computed at a time."""

MembersT = TypeVar("MembersT")


class FamilyMembers(NamedTuple):
    """Members of columns as members of families: the index of the family, and the index in the family."""

    families: Ints
    choices: Ints


@dataclass(frozen=True, slots=True, eq=False)
class TestColumn:
    """A single column of tests.

    Parameters
    ----------
    values : (rows,) int32, or int16 to save memory
    form : int
        ``AT_LEAST`` or ``EQUAL``.
    members : array of int or sequence of Predicate
        The choices of the family for each member, or the members themselves.
    family : int
        The index of the family.
    """

    __test__ = False  # not a test case for pytest

    values: NDArray[Any]
    form: int
    members: Any
    family: int = -1


@dataclass(frozen=True, slots=True, eq=False)
class TestColumns(Generic[MembersT]):
    """Integer columns, and the tests on them.

    Parameters
    ----------
    values : (columns, rows) int32
        Ranks or codes; -1 for missing.
    sizes : (columns,) int64
        Number of members of each column; for a data column, the number of distinct values.
    tests : (tests, 2) int64
        The column and the form of each test, in the order of generation. Several tests may share a column.
    members : FamilyMembers, or the tests as `structtree.splitters.table` lists them
        The meaning of the integers.
    order : (sorted columns, n) int32
        The rows of the first columns in ascending order of their values, missing ones last.
    rows : (n,) int32
        The rows in use; all of them by default.
    """

    __test__ = False  # not a test case for pytest

    values: Codes
    sizes: Ints
    tests: Ints
    members: MembersT
    order: Codes = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int32))
    rows: Codes = field(default=None)  # type: ignore[arg-type]  # all of them
    #: The first member of each column, numbered consecutively.
    offsets: Ints = field(init=False)
    #: Whether the members of the first test are nested; in a search, this holds for all tests or for none.
    is_ranked: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "offsets", np.concatenate(([0], np.cumsum(self.sizes))).astype(np.int64))
        object.__setattr__(self, "is_ranked", bool((self.tests[:1, 1] == AT_LEAST).any()))
        if self.rows is None:
            object.__setattr__(self, "rows", np.arange(self.n_rows, dtype=np.int32))

    def __len__(self) -> int:
        """Return the number of columns."""
        return len(self.sizes)

    @property
    def n_rows(self) -> int:
        """Number of rows, whether selected by `take` or not."""
        return int(self.values.shape[1])

    # ---- views ------------------------------------------------------------------------------------------

    def take(self, rows: Ints) -> TestColumns[MembersT]:
        """Return the columns restricted to some rows, in sorted order."""
        inside = np.zeros(self.n_rows, dtype=np.bool_)
        inside[rows] = True
        order = self.order[inside[self.order]].reshape(len(self.order), len(rows))
        return replace(self, order=order, rows=np.flatnonzero(inside).astype(np.int32))

    def tests_on(self, columns: Ints) -> Ints:
        """Return a mask of the tests on some of the columns."""
        return np.flatnonzero(np.isin(self.tests[:, 0], columns))

    @property
    def swept(self) -> SweptColumns:
        """The columns in the form that the kernels need: the selected rows, sorted."""
        return SweptColumns(self.order, self.values, self.sizes, self.tests, self.rows)

    def mask(self, test: int, member: int) -> Mask:
        """Return a mask of the rows that one member of a column keeps."""
        column, form = self.tests[test].tolist()
        values = self.values[column]
        if form == AT_LEAST:
            return np.asarray(values > member)
        return np.asarray((values >= 0) & (values <= member) if form == AT_MOST else values == member)

    def pieces(self, column: int, n_labels: int) -> Iterator[tuple[int, int]]:
        """Yield ranges of columns whose counts fit into memory, starting at the given column."""
        n_columns = len(self)
        while column < n_columns:
            most = self.offsets[column] + max(1, PIECE // max(1, n_labels))
            stop = max(column + 1, int(np.searchsorted(self.offsets, most, side="right")) - 1)
            yield column, stop
            column = stop

    # ---- the families of a space, one test for each column, all of one form ------------------------------

    def since(self: TestColumns[FamilyMembers], family: int) -> int:
        """Return the index of the first column of the given family or a later one."""
        member = np.searchsorted(self.members.families, family, side="left")
        return int(np.searchsorted(self.offsets, member, side="left"))

    def find(self: TestColumns[FamilyMembers], family: int, choice: int) -> Mask | None:
        """Return a mask of the rows that a member of a family keeps; None if the family has no column."""
        found = np.flatnonzero((self.members.families == family) & (self.members.choices == choice))
        if not len(found):
            return None
        column = int(np.searchsorted(self.offsets, found[0], side="right")) - 1
        return self.mask(column, int(found[0] - self.offsets[column]))

    def moved(self: TestColumns[FamilyMembers], places: Mapping[int, int]) -> TestColumns[FamilyMembers]:
        """Return the columns with their families renumbered, given the new index of each family."""
        families, choices = self.members
        where = np.arange(max([0, *places, *families.tolist()]) + 1)
        where[list(places)] = list(places.values())
        heads = where[families[self.offsets[:-1]]] if len(self) else np.zeros(0, dtype=np.int64)
        order = np.argsort(heads, kind="stable")
        sizes = self.sizes[order]
        members = FamilyMembers(np.repeat(heads[order], sizes), choices[run_places(self.offsets[:-1][order], sizes)])
        return TestColumns(self.values[order], sizes, self.tests, members)

    def allowed(self: TestColumns[FamilyMembers], start: int, stop: int, batch: Batch) -> Mask:
        """Return a mask of the members from start to stop that are in a batch."""
        families, choices = self.members.families[start:stop], self.members.choices[start:stop]
        since, choice = batch.since
        n = 1 + max(since, int(families[-1]) if len(families) else 0)
        low, high = np.zeros(n, dtype=np.int64), np.full(n, np.iinfo(np.int64).max)
        for index, (first, last) in batch.ranges.items():
            if index < n:
                low[index], high[index] = first, last
        high[[index for index in batch.without if index < n]] = 0
        high[:since], low[since] = 0, max(choice, low[since])
        return (choices >= low[families]) & (choices < high[families])


def stack_columns(columns: Sequence[TestColumn], n_rows: int, form: int) -> TestColumns[FamilyMembers]:
    """Combine columns of the same form into one object."""
    n, sizes = len(columns), np.array([len(column.members) for column in columns], dtype=np.int64)
    families = np.repeat(np.array([column.family for column in columns], dtype=np.int64), sizes)
    choices = np.concatenate([np.zeros(0, dtype=np.int64), *(column.members for column in columns)])
    values = np.array([column.values for column in columns], dtype=np.int32).reshape(n, n_rows)
    tests = np.stack([np.arange(n), np.full(n, form)], axis=1)
    return TestColumns(values, sizes, tests, FamilyMembers(families, choices))


@dataclass(frozen=True, slots=True, eq=False)
class SpaceColumns:
    """The test columns of all types of a space on its population, computed on first use.

    If the time limit is reached, a type has only some columns, at least one in which rows differ, and is in
    `partial`.
    """

    space: Space
    _known: dict[str, tuple[TestColumns[FamilyMembers], ...]] = field(default_factory=dict)
    limit: Limit = NO_LIMIT
    partial: set[str] = field(default_factory=set)
    steps: Steps = field(init=False)
    _lengths: dict[str, Ints] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        assert self.space.population is not None
        object.__setattr__(self, "steps", Steps(self.space.population))

    def of(self, name: str) -> tuple[TestColumns[FamilyMembers], ...]:
        """Return the coded and the ranked columns of a type: all tests, and all links without inner tests."""
        if name not in self._known:
            self._known[name] = self._made(name)
        return self._known[name]

    def lengths(self, name: str) -> Ints:
        """Return the number of literals of a member of each family of a type, by index."""
        if name not in self._lengths:
            families = self.space.offers.from_top[name]
            sizes = self._lengths[name] = np.zeros(max((f.index for f in families), default=0) + 1, dtype=np.int64)
            for family in families:
                sizes[family.index] = 1 if isinstance(family, LinkFamily) else family.size
        return self._lengths[name]

    def surcharges(self, name: str) -> Ints:
        """Return what a member of each family of a type costs beyond 1 per literal, by index."""
        families = self.space.offers.from_top[name]
        found = np.zeros(len(self.lengths(name)), dtype=np.int64)
        for family in families:
            found[family.index] = family.surcharge
        return found

    def is_plain(self, name: str) -> Mask:
        """Return a mask of the families of a type that are plain tests, by index."""
        plain = np.zeros(len(self.lengths(name)), dtype=np.bool_)
        plain[list(self.space.plain[name].families)] = True
        return plain

    def moved(self, space: Space, places: Mapping[str, Mapping[int, int]]) -> SpaceColumns:
        """Return the columns of a space with its families renumbered, given the new indices by type."""
        moved = {name: tuple(columns.moved(places[name]) for columns in self.of(name)) for name in places}
        return SpaceColumns(space, moved, self.limit, self.partial)

    def _made(self, name: str) -> tuple[TestColumns[FamilyMembers], ...]:
        columns: list[TestColumn] = []
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
        return tuple(
            stack_columns([column for column in columns if column.form == form], n_rows, form)
            for form in (EQUAL, AT_LEAST)
        )


def _divides(column: TestColumn) -> bool:
    """Return whether a column has at least two different values."""
    values = column.values
    return len(values) > 0 and bool(values.min() < values.max())


def is_swept(family: LinkFamily) -> bool:
    """Return whether a link family can be a column: it opens one empty position and requires a number of rows."""
    plain = len(family.slots) == 1 and family.slots[0].plain and not isinstance(family.template, syn.Aggregate)
    return plain and all(need_of(family, choice) is not None for choice in range(len(family.numbers)))


def columns_of(family: TestFamily, steps: Steps) -> list[TestColumn]:
    """Return the columns of a family of tests on the rows of its type."""
    if is_nested(family):
        return [ranked_column(family, steps)]
    calls = call_columns(family, steps)
    return list(_coded(family, steps)) if calls is None else calls


def is_nested(family: TestFamily) -> bool:
    """Return whether the members are thresholds, each implied by all stricter ones."""
    nested = isinstance(family.template, syn.Compare | syn.Aggregate) and family.template.op in (">=", "<=")
    return nested and isinstance(family.values, np.ndarray)


def ranked_column(family: TestFamily, steps: Steps) -> TestColumn:
    """Return the column of a nested family: the number of members that each row satisfies, weakest member first."""
    template = family.template
    assert isinstance(template, syn.Compare | syn.Aggregate) and isinstance(family.values, np.ndarray)
    return _threshold_column(template.op, family.values, _end_values(family, steps)[0], family.index)


def conditional_column(family: LinkFamily, condition: syn.Predicate, steps: Steps) -> TestColumn:
    """Return the column of all thresholds of an aggregate of the linked rows that satisfy a condition."""
    assert isinstance(family.template, syn.Aggregate)
    column = aggregate_column(replace(family.template, inner=condition), steps.population, family.type)
    return _threshold_column(family.template.op, np.array(family.numbers, np.float64), column.values, family.index)


def _threshold_column(op: str, thresholds: Floats, values: Floats, family: int) -> TestColumn:
    """Return the number of thresholds that each value satisfies, the weakest first; none if it is missing."""
    n = len(thresholds)
    if op == ">=":
        ranks, choices = np.searchsorted(thresholds, values, side="right"), np.arange(n)
    else:
        ranks, choices = n - np.searchsorted(thresholds, values, side="left"), np.arange(n)[::-1]
    passed = np.where(np.isnan(values), 0, ranks).astype(np.int32)
    return TestColumn(passed, AT_LEAST, choices.astype(np.int64), family)


def call_columns(family: TestFamily, steps: Steps) -> list[TestColumn] | None:
    """Return calls as ranked columns if they are nested in one of their thresholds; None for any other family."""
    end, at = _ends(family, steps)
    runs = ranked_calls(family, steps.population, at)
    if runs is None:
        return None
    found = ((np.append(ranks, 0)[end].astype(np.int32), choices) for choices, ranks in runs)
    return [TestColumn(ranks, AT_LEAST, choices, family.index) for ranks, choices in found]


def opening_column(family: LinkFamily, counts: NDArray[Any]) -> TestColumn:
    """Return the column of a link family: for each row, how many members its number of linked rows satisfies."""
    numbers = np.array(family.numbers) if isinstance(family.template, syn.Count) else np.ones(1)
    ranks = np.searchsorted(numbers, counts, side="right").astype(np.int32)
    return TestColumn(ranks, AT_LEAST, np.arange(len(family.numbers)), family.index)


def _coded(family: TestFamily, steps: Steps) -> Iterator[TestColumn]:
    every = np.array(family.choices(), dtype=np.int64)
    match family.template:
        case syn.Compare(op="=", value=value) | syn.Aggregate(op="=", value=value) if isinstance(
            value, syn.ValueSource
        ):
            yield TestColumn(_equal_codes(family, steps), EQUAL, every, family.index)
        case syn.Within(source=source) if source is not None:
            yield TestColumn(_bin_codes(family, steps), EQUAL, every, family.index)
        case _:
            for v in family.choices():
                true = rows_where(family.literal(v), steps.population, family.type)
                codes = np.where(true, 0, -1).astype(np.int32)
                yield TestColumn(codes, EQUAL, every[v : v + 1], family.index)


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
    """Return the number that a family tests, for each row, and a mask of the rows where it is not missing."""
    end, column = end_column(family, steps)
    found = np.append(column.values, np.nan)[end]
    return found, ~np.isnan(found)


def end_column(family: TestFamily, steps: Steps) -> tuple[Ints, Column]:
    """Follow the family's path from each row: return the row at its end (-1 for none), and the tested column."""
    end, at = _ends(family, steps)
    if isinstance(family.template, syn.Aggregate):
        return end, aggregate_column(family.template, steps.population, at)
    assert isinstance(family.template, syn.Compare | syn.Among | syn.Within)
    return end, steps.population.tables[at].value_column(family.template.attribute)


def _ends(family: TestFamily, steps: Steps) -> tuple[Ints, str]:
    """Follow the family's path from each row: return the row at its end (-1 for none), and the type of these rows."""
    at = family.type
    end = np.arange(steps.population.tables[at].n_rows)
    for step in family.path:
        end, at = steps.along(at, step).first_targets[end], steps.target(at, step)
    return end, at
