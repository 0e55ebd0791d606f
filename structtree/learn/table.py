"""A table as integers, for a grammar that asks one plain test of the individual's own attributes at a time.

Columns of many different values are sorted, once for the whole tree; those of few are counted by value. What the
kernels do with them is in `structtree.search.kernels.tables`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from structtree.data.columns import Column, Population
from structtree.data.schema import Attribute, Kind
from structtree.lang.check import CheckedGrammar
from structtree.lang.syntax import (
    Among,
    Compare,
    CompareOwn,
    Flag,
    Missing,
    Named,
    Predicate,
    Star,
    Top,
    Within,
    written,
)
from structtree.learn.routing import own_attributes
from structtree.search.bottom_up import LinkColumn, link_columns, own_columns, suits
from structtree.search.clock import Clock
from structtree.search.judges import weight_table
from structtree.search.kernels import tables as kernel
from structtree.search.target import Target
from structtree.space.evaluate import holds
from structtree.space.families import Family, LinkFamily
from structtree.space.space import Space
from structtree.telling import tell

__all__ = [
    "FlatTest",
    "ListedTests",
    "SortedTable",
    "flat_tests",
    "linked_tests",
    "listed_tests",
    "table_of",
    "task_of",
    "with_sets",
    "without_mirrors",
]

FEW = 256
"""Up to so many different values a column is counted by value instead of sorted."""

VALUES_AT_A_TIME = 2_000_000
"""So many values are made integers before the next look at the clock."""


class Tuning(NamedTuple):
    """Sizes from which another way to the same tree is quicker.

    Parameters
    ----------
    alone : int
        A table with fewer rows times tests is not worth starting threads for.
    shared : int
        A node with so many rows times tests is divided by several threads; a smaller one grows its whole subtree.
    counted : int
        Columns of numbers of fewer rows are sorted in any case: to count by value pays where values come often.
    threads : int
    """

    alone: int = 200_000
    shared: int = 1_000_000
    counted: int = 4096
    threads: int = min(8, os.cpu_count() or 1)


def pool_for(n_cells: int, tuning: Tuning) -> ThreadPoolExecutor | None:
    """Threads for a table with so many rows times tests, if they pay.

    A single one pays as well where data is large: it leaves somebody free to look at the clock.
    """
    return None if n_cells < tuning.alone else ThreadPoolExecutor(tuning.threads)


Answers = NDArray[np.int32]
_THRESHOLDS = (kernel.AT_LEAST, kernel.AT_MOST)


@dataclass(frozen=True, slots=True, eq=False)
class FlatTest:
    """Tests that a rewrite of ``top`` offers: all thresholds, values or sets of them, one test, or steps.

    Parameters
    ----------
    right : Predicate
        The right side of the rewrite, or the single test.
    form : int
        See `structtree.search.kernels.tables`.
    attribute, kind : str, optional
        What thresholds and values are of.
    levels : tuple of str
        The categories of an ordered attribute, in order.
    steps : tuple of Predicate
        Tests from the laxest to the strictest; of the form ``AT_MOST`` from the strictest to the laxest.
    ranks : array of int, optional
        How many of the steps each individual passes; of the form ``AT_MOST`` how many it does not pass.
    """

    right: Predicate
    form: int
    attribute: str | None = None
    kind: Kind | None = None
    steps: tuple[Predicate, ...] = ()
    ranks: NDArray[np.int16] | None = None
    levels: tuple[str, ...] = ()

    def at(self, threshold: float) -> Compare:
        """Return the member of a family of thresholds that has this one."""
        assert self.attribute is not None and isinstance(self.right, Compare)
        return Compare(self.attribute, self.right.op, written(threshold, self.kind, self.levels))


class ListedTests(NamedTuple):
    """All tests that a grammar offers for the individuals, one at a time, and whether none is missing."""

    tests: tuple[FlatTest, ...]
    complete: bool = True


def flat_tests(grammar: CheckedGrammar) -> ListedTests | None:
    """List the tests of a grammar that asks single tests of the individual's own attributes and no more.

    Examples
    --------
    >>> from structtree.lang.grammar import Grammar
    >>> data = Population.from_records([{"size": 1, "kind": "a"}, {"size": 2, "kind": "b"}])
    >>> grammar = Grammar.parse("refine Individual { top -> * = *; top -> * >= * }").check(data.schema)
    >>> len(flat_tests(grammar).tests)
    2
    """
    if grammar.conjuncts.get(grammar.individual, 1) != 1 or grammar.limits.literals == 0:
        return None
    tests = []
    for rewrite in grammar.rewrites.get(grammar.individual, ()):
        test = _flat_test(rewrite.right, grammar) if isinstance(rewrite.left, Top) else None
        if test is None:
            return None
        tests.append(test)
    return ListedTests(tuple(tests)) if tests else None


def listed_tests(grammar: CheckedGrammar, population: Population) -> ListedTests | None:
    """The same with bins, quantiles and lists of values written out, as one test for each.

    Examples
    --------
    >>> from structtree.lang.grammar import Grammar
    >>> from structtree.lang.pretty import pretty
    >>> data = Population.from_records([{"size": 1}, {"size": 2}, {"size": 5}])
    >>> grammar = Grammar.parse("refine Individual { top -> size in bins(2); top -> size >= * }").check(data.schema)
    >>> [pretty(test.right) for test in listed_tests(grammar, data).tests]
    ['size in [1, 3)', 'size in [3, 5]', 'size >= *']
    """
    rewrites = grammar.rewrites.get(grammar.individual, ())
    if grammar.conjuncts.get(grammar.individual, 1) != 1 or not all(isinstance(r.left, Top) for r in rewrites):
        return None
    space, tests = Space.build(grammar, population), []
    if space.bundled:
        return None
    for family in space.first_families():
        if isinstance(family, LinkFamily) or family.path or own_attributes(family.literal(0)) is None:
            return None
        flat = _flat_test(family.template, grammar)
        tests += [flat] if flat else [FlatTest(family.literal(v), kernel.EQUAL) for v in family.choices()]
    return ListedTests(tuple(tests))


def linked_tests(
    grammar: CheckedGrammar, population: Population, *, shorten: bool = False, clock: Clock | None = None
) -> ListedTests | None:
    """List the tests of a grammar behind links, one for each meaning, beside those of the individuals themselves.

    None where a node may ask several things at once, where the grammar does not suit, or where there is too much;
    if `shorten`, then what is short enough is offered nevertheless. When the clock is over the rest is left out.
    """
    if grammar.conjuncts.get(grammar.individual, 1) != 1:
        return None
    space = Space.build(grammar, population)
    if not suits(space):
        return None
    found = link_columns(space, shorten=shorten, clock=clock)
    if found.missing in ("literals", "time") and not shorten:
        return None
    own = [test for family in space.first_families() for test in _own_tests(family, space)]
    return ListedTests((*own, *map(_stepped, found.columns)), found.missing is None)


def _own_tests(family: Family, space: Space) -> Iterator[FlatTest]:
    if isinstance(family, LinkFamily):
        return
    flat = None if family.path else _flat_test(family.template, space.grammar)
    if flat is not None:
        yield flat
        return
    assert space.population is not None
    columns = own_columns(family, space.population)
    yield from map(_stepped_up if getattr(family.template, "op", None) == "<=" else _stepped, columns)


def _stepped(column: LinkColumn) -> FlatTest:
    return FlatTest(column.tests[0], kernel.AT_LEAST, steps=column.tests, ranks=column.ranks)


def _stepped_up(column: LinkColumn) -> FlatTest:
    """The same for upper bounds, so that the least of them comes first, as it does in a search."""
    ranks = (len(column.tests) - column.ranks).astype(np.int16)
    return FlatTest(column.tests[0], kernel.AT_MOST, steps=column.tests[::-1], ranks=ranks)


def _flat_test(right: Predicate, grammar: CheckedGrammar) -> FlatTest | None:
    match right:
        case Compare(attribute, ">=" | "<=" as op, Star()):
            found, form = _attribute(attribute, grammar), kernel.AT_LEAST if op == ">=" else kernel.AT_MOST
            levels = found.values if found.kind == "ordered" else ()
            return FlatTest(right, form, attribute, found.kind, levels=levels)
        case Compare(attribute, "=", Star()) if _attribute(attribute, grammar).kind == "nominal":
            return FlatTest(right, kernel.EQUAL, attribute, "nominal")
        case Among(attribute, source=Star()):
            return FlatTest(right, kernel.SUBSET, attribute, "nominal")
        case Compare(_, _, str() | int() | float()) | Flag() | Among() | Missing() | Within(source=None) | Named():
            return FlatTest(right, kernel.EQUAL) if own_attributes(right) is not None else None
        case CompareOwn() if own_attributes(right) is not None:
            return FlatTest(right.in_order, kernel.EQUAL)
        case _:
            return None


def with_sets(grammar: CheckedGrammar) -> CheckedGrammar:
    """The same grammar with sets of values wherever it told one value of an individual from the others.

    Examples
    --------
    >>> from structtree.lang.grammar import Grammar
    >>> from structtree.lang.pretty import pretty
    >>> data = Population.from_records([{"kind": "a"}, {"kind": "b"}])
    >>> grammar = with_sets(Grammar.from_schema(data.schema).check(data.schema))
    >>> [pretty(test.right) for test in flat_tests(grammar).tests]
    ['kind in *']
    """
    name = grammar.individual
    rewrites = tuple(_with_sets(rewrite, grammar) for rewrite in grammar.rewrites.get(name, ()))
    return replace(grammar, rewrites={**grammar.rewrites, name: rewrites})


def _with_sets(rewrite: Any, grammar: CheckedGrammar) -> Any:
    match rewrite.right:
        case Compare(attribute, "=", Star()) if _attribute(attribute, grammar).kind == "nominal":
            return replace(rewrite, right=Among(attribute, source=Star()))
        case _:
            return rewrite


def _attribute(name: str, grammar: CheckedGrammar) -> Attribute:
    found = grammar.schema.type(grammar.individual).attribute_or_part(name)
    assert found is not None
    return found


# ---- a table as integers --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class SortedTable:
    """A table as integers: the tests that are tried, the columns for the kernels, and what is in them, by row.

    It is not complete if there was no time for some of the columns, so that their tests are missing.
    """

    tests: tuple[FlatTest, ...]
    columns: kernel.Columns
    values: dict[str, Column]
    complete: bool = True

    @property
    def n_rows(self) -> int:
        """Number of its rows, also of individuals that are not looked at."""
        return int(self.columns.ranks.shape[1])

    def take(self, rows: NDArray[np.int64]) -> SortedTable:
        """A table to grow on anew, of some of the individuals."""
        columns, inside = self.columns, np.zeros(self.n_rows, dtype=np.bool_)
        inside[rows] = True
        order = columns.order[inside[columns.order]].reshape(len(columns.order), len(rows))
        return replace(self, columns=columns._replace(order=order, rows=np.flatnonzero(inside).astype(np.int32)))


def table_of(listed: ListedTests, population: Population, clock: Clock, tuning: Tuning) -> SortedTable:
    """The columns that some tests are about as integers, as many of them as there is time for."""
    with pool_for(len(population) * len(listed.tests), tuning) or nullcontext() as threads:
        return _table_of(listed, population, clock, tuning, map if threads is None else threads.map)


def _table_of(
    listed: ListedTests, population: Population, clock: Clock, tuning: Tuning, run: Callable[..., Any]
) -> SortedTable:
    names = dict.fromkeys(test.attribute for test in listed.tests if test.attribute is not None)
    whole = population.tables[population.schema.individual]
    rows = population.individuals
    everybody = len(rows) == whole.n_rows and bool((rows == np.arange(len(rows))).all())
    found = ((name, whole.value_column(name)) for name in names)
    values = {name: column if everybody else column.take(rows) for name, column in found}
    coded = dict(
        _in_time(clock, list(values.items()), len(rows), lambda name, column: (name, _coded(column, tuning)), run)
    )
    short = {name: found for name, found in coded.items() if found is not None}
    long = [name for name in coded if name not in short]
    order, ranks = (np.empty((len(long), len(rows)), dtype=np.int32) for _ in range(2))
    jobs = list(zip(long, order, ranks, strict=True))
    gaps = list(_in_time(clock, jobs, len(rows), lambda name, *into: _rank(values[name], *into), run))
    long, order, ranks = long[: len(gaps)], order[: len(gaps)], ranks[: len(gaps)]
    complete = len(long) + len(short) == len(names)
    missing = {name for name, has_gaps in zip(long, gaps, strict=True) if has_gaps}
    missing |= {name for name, found in short.items() if found.codes.min(initial=0) < 0}
    tests = without_mirrors(listed.tests, missing)
    if not complete:
        there = {None, *long, *short}
        tests = tuple(test for test in tests if test.attribute in there)
    single = [test for test in tests if test.attribute is None]
    place: dict[Any, int] = {name: i for i, name in enumerate([*long, *short, *map(id, single)])}
    spots = [(place[id(test) if test.attribute is None else test.attribute], test.form) for test in tests]
    n_codes = [*(found.n for found in short.values()), *(len(test.steps) + 1 for test in single)]
    codes = np.empty((len(n_codes), len(rows)), dtype=np.int32)
    for i, name in enumerate(list(short)):
        codes[i] = short.pop(name).codes  # and that is the last of it: a table may be as large as memory allows
    for i, test in enumerate(single, len(n_codes) - len(single)):
        codes[i] = _codes_of(test, population)
    columns = kernel.Columns(
        order,
        ranks,
        codes,
        np.array(n_codes, dtype=np.int64),
        np.array(spots, dtype=np.int64).reshape(len(spots), 2),
        np.arange(len(rows), dtype=np.int32),
    )
    return SortedTable(tests, columns, values, complete)


def _in_time(
    clock: Clock, jobs: Sequence[tuple[Any, ...]], n_rows: int, work: Callable[..., Any], run: Callable[..., Any]
) -> Iterator[Any]:
    """The results of jobs of about so many rows each, a run of them at a time, until the time is over."""
    many = max(1, VALUES_AT_A_TIME // max(1, n_rows))
    for first in range(0, len(jobs), many):
        tell("sorting columns", first, len(jobs), f"{first:,} of {len(jobs):,}")
        yield from run(lambda job: work(*job), jobs[first : first + many])
        if clock.over() is not None:
            return


def _codes_of(test: FlatTest, population: Population) -> Answers:
    """The steps that each individual passes; of a single test 0 where it holds, else nothing."""
    if test.ranks is not None:
        return test.ranks.astype(np.int32)
    return np.where(holds(test.right, population), 0, -1).astype(np.int32)


class _Coded(NamedTuple):
    """Return which of its few values each row of a column has, -1 for none; and how many they are."""

    codes: Answers
    n: int


def _coded(column: Column, tuning: Tuning) -> _Coded | None:
    """A column as codes; None where that does not pay."""
    if column.kind in ("nominal", "bool"):
        codes = np.where(column.missing, -1, column.values).astype(np.int32)
        return _Coded(codes, max(len(column.categories), int(codes.max(initial=0)) + 1))
    values = column.values
    few = _few_values(values) if len(values) >= tuning.counted else None
    if few is None:
        return None
    codes = np.searchsorted(few, values).astype(np.int32)
    codes[np.isnan(values)] = -1
    return _Coded(codes, max(1, len(few)))


def _rank(column: Column, order: Answers, ranks: Answers) -> bool:
    """Put the rows of a column in order, with what they have in it; whether some have nothing."""
    values = np.array(column.values)  # in one run, whatever it is a part of
    return bool(kernel.rank(values, values.argsort(), order, ranks))


def _few_values(values: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """The different values of a column, ascending, if there are few."""
    if len(np.unique(values[:: max(1, len(values) // (4 * FEW))])) > FEW:
        return None
    present = np.unique(values)
    present = present[~np.isnan(present)]
    return present if len(present) <= FEW else None


def without_mirrors(tests: tuple[FlatTest, ...], missing: set[str]) -> tuple[FlatTest, ...]:
    """Keep only the first of ``>=`` and ``<=`` on a column without gaps: the other divides the rows in the same ways.

    Parameters
    ----------
    missing : set of str
        The columns with gaps.
    """
    seen: set[str] = set()
    kept = []
    for test in tests:
        if test.attribute is not None and test.form in _THRESHOLDS and test.attribute not in missing:
            if test.attribute in seen:
                continue
            seen.add(test.attribute)
        kept.append(test)
    return tuple(kept)


def task_of(target: Target) -> kernel.SweepTask:
    """The targets as the kernels want them."""
    weights, values = target.weights, target.values
    plain = bool((weights == 1.0).all())
    classes = target.criterion.task == "classes"
    mean = 0.0 if classes else float(np.average(values, weights=weights))
    return kernel.SweepTask(
        target.criterion.kind,
        len(target.classes),
        values.astype(np.int32) if classes else np.zeros(0, dtype=np.int32),
        np.zeros(0) if classes else values - mean,
        np.zeros(0) if plain else weights,
        weight_table(target.criterion, weights),
        float(weights.sum()),
        mean,
    )
