"""Background knowledge as columns: functions, computed attributes and derived links, computed once before learning.

A derived link is composed from the links of its path, in chunks of owner rows, so that memory is proportional to the
result. The walks along the path are counted first, so that a link with too many pairs is refused early. Once
computed, it is a link like any other.

A derived link leads only to rows that can be reached from the individuals of the population; rows of other
individuals, such as those of a test set, are excluded. A path that goes backwards may lead to other individuals of
the population.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from structtree.arrays import Mask
from structtree.data.extensions import collections_equal
from structtree.data.population import Adjacency, Column, Population, Table, TypedTable, bool_column
from structtree.data.reachable import seen_by_individuals
from structtree.data.readers.molecules.patterns import matching_atoms, problem_of_pattern
from structtree.data.schema import FAR_ROW, Attribute, Link, RecordType, Schema
from structtree.errors import DataError
from structtree.lang import syntax as syn
from structtree.lang.background import (
    Background,
    Computation,
    ComputedAttribute,
    ComputedCycles,
    ComputedEquality,
    ComputedLink,
    ComputedNeighbourhood,
    Hop,
    Repeated,
    Walk,
    background_of,
)
from structtree.lang.declare import check_declared_facts, in_names_of
from structtree.lang.grammar import Grammar
from structtree.lang.mistakes import error_at, located
from structtree.lang.pretty import pretty_path
from structtree.progress import report_status
from structtree.space.cycles import n_cycles
from structtree.space.functions import with_functions
from structtree.space.neighbourhoods import neighbourhoods
from structtree.space.pairs import Pairs, PairsOnData, row_values

__all__ = ["computed", "with_background", "with_computed"]

CHUNK = 1 << 21
"""Approximate number of walks made at a time."""

DENSE = 1 << 26
"""Maximum size of the boolean table that finds repeated pairs; for larger problems, pairs are sorted."""

_Ints = NDArray[np.int64]


def with_background(
    population: Population, grammar: Grammar, functions: Mapping[str, Callable[[Mapping[str, Any]], Any]]
) -> Population:
    """Return the population with the type names and all computed members of a grammar.

    Parameters
    ----------
    population : Population
    grammar : Grammar
    functions : mapping from name to function
        A Python function for each ``function`` of the grammar; see `structtree.space.functions.with_functions`.

    Examples
    --------
    >>> cars = [{"load": "a"}, {"load": "b"}, {"load": "a"}]
    >>> trains = Population.from_records([{"cars": cars}], individual="Train")
    >>> grammar = Grammar.parse("link rival: Car -> set of Car = ~cars.cars where load = my load and not me "
    ...                         "refine Train { top -> exists cars (exists rival (top)) }")
    >>> rival = with_background(trains, grammar, {}).table("Car").links["rival"]
    >>> [rival.of(car).tolist() for car in range(3)]
    [[2], [], [0]]
    """
    check_declared_facts(grammar.syntax, population)
    named = with_functions(population.given, grammar, functions)
    with located(grammar.source, grammar.text):
        background = background_of(in_names_of(grammar.syntax, named.schema), named.schema)
        _check_patterns(background)
    return computed(named, background)


def with_computed(population: Population, background: Background) -> Population:
    """Return the population with computed attributes and derived links; unchanged if it already has them.

    Parameters
    ----------
    population : Population
        A population with the type names of the background.
    background : Background
    """
    for step in background.steps:
        record = population.schema.type(step.type) if step.type in population.schema else RecordType(step.type)
        if step.declared.name not in record.members:
            return computed(population.given, background)
    return population


def computed(population: Population, background: Background) -> Population:
    """Return the population with computed attributes and derived links.

    Raises
    ------
    DataError
        If a derived link has too many pairs, or leads to several rows where at most one is allowed.
    """
    if not background.steps:
        return population
    if any(not isinstance(step, ComputedAttribute) for step in background.steps):
        population = seen_by_individuals(population)
    for step in background.steps:
        population = _without(population, step.type, step.declared.name)
    matches = _matches(population, background)
    made: list[ComputedLink] = []
    for n, step in enumerate(background.steps):
        report_status("computing derived links and attributes", n, len(background.steps), step.declared.name)
        population = _with_step(population, step, background.max_pairs, matches)
        if isinstance(step, ComputedLink) and step.declared.has_pairs:
            made.append(step)
        for link in made:
            population = _with_copies(population, link, background.max_pairs)
    return _in_order_of(population, background.schema)


def _with_step(population: Population, step: Computation, max_pairs: int, matches: Mapping[str, Mask]) -> Population:
    """Return the population with one computed member."""
    match step:
        case ComputedAttribute():
            return _with_attribute(population, step, matches)
        case ComputedCycles(type_name, attribute, walk, declared):
            neighbours = _Walker(population, declared, max_pairs).adjacency(walk)
            return _with_members(
                population, type_name, {attribute: Column("int", n_cycles(neighbours, declared.length))}, {}
            )
        case ComputedNeighbourhood(type_name, attribute, walk, declared):
            neighbours = _Walker(population, declared, max_pairs).adjacency(walk)
            values = population.table(type_name).columns[declared.attribute]
            column = neighbourhoods(neighbours, values, declared.depth)
            return _with_members(population, type_name, {attribute: column}, {})
        case ComputedEquality(type_name, attribute, left, right, compared):
            column = collections_equal(population, type_name, left, right, compared)
            return _with_members(population, type_name, {attribute: column}, {})
        case ComputedLink():
            return _Composer(population, step, max_pairs).finished()
        case _ as never:
            assert_never(never)


def _without(population: Population, type_name: str, name: str) -> Population:
    """Return the population without a member that is about to be computed, in case the data already has it."""
    if type_name not in population.schema or name not in population.schema.type(type_name).members:
        return population
    record = population.schema.type(type_name)
    attributes = tuple(a for a in record.attributes if a.name != name)
    rest = RecordType(type_name, attributes, tuple(link for link in record.links if link.name != name))
    types = tuple(rest if each is record else each for each in population.schema.types)
    return population.restricted(Schema(types, population.schema.individual))


def _check_patterns(background: Background) -> None:
    """Raise an error at the first SMARTS pattern that cannot be used."""
    values = (step.expression for step in background.steps if isinstance(step, ComputedAttribute))
    for value in values:
        if isinstance(value, syn.Smarts) and (problem := problem_of_pattern(value.pattern)):
            raise error_at(value.place, problem)


def _matches(population: Population, background: Background) -> dict[str, Mask]:
    """Return the atoms that match each SMARTS pattern, all found in one pass over the molecules."""
    values = (step.expression for step in background.steps if isinstance(step, ComputedAttribute))
    patterns = {value.pattern: None for value in values if isinstance(value, syn.Smarts)}
    return matching_atoms(population, [*patterns]) if patterns else {}


def _with_attribute(population: Population, step: ComputedAttribute, matches: Mapping[str, Mask]) -> Population:
    column = (
        bool_column(matches[step.expression.pattern])
        if isinstance(step.expression, syn.Smarts)
        else row_values(step.expression, population, step.type)
    )
    attribute = Attribute(step.attribute.name, column.kind, derived=True)
    return _with_members(population, step.type, {attribute: column}, {})


def _with_copies(population: Population, step: ComputedLink, max_pairs: int) -> Population:
    """Return the population with the required members of the linked rows copied to the pairs."""
    pairs, record = population.schema.type(step.link.target), population.schema.type(step.far)
    wanted = [name for name in step.members if name in record.members and name not in pairs.members]
    if not wanted:
        return population
    rows, far = population.tables[pairs.name].links[FAR_ROW].targets.astype(np.int64), population.tables[step.far]
    columns = {
        replace(a, derived=True): far.columns[a.name].take(rows) for a in record.attributes if a.name in wanted
    }
    links = {}
    for link in (each for each in record.links if each.name in wanted):
        adjacency = far.links[link.name]
        lengths = adjacency.n_of(rows)
        _check_copies(int(lengths.sum()), link.name, step, max_pairs)
        copy = Link(link.name, "set" if link.kind == "list" else link.kind, link.target, derived=True)
        links[copy] = Adjacency.from_lengths(lengths, adjacency.targets[adjacency.places(rows)])
    return _with_members(population, pairs.name, columns, links)


def _check_copies(n_targets: int, link: str, step: ComputedLink, max_pairs: int) -> None:
    if n_targets > max_pairs:
        raise DataError(
            f"the pairs of the link {step.link.name!r} lead to {n_targets:,} rows through {link!r}, expected at most "
            f"{max_pairs:,}",
            fix=f"do not use {link!r} behind {step.link.name!r}, or write 'limits {{ pairs {n_targets} }}'",
        )


def _in_order_of(population: Population, schema: Schema) -> Population:
    """Return the population with its types and members in the order of a schema."""
    types = []
    for like in (each for each in schema.types if each.name in population.schema):
        record = population.schema.type(like.name)
        places = {name: place for place, name in enumerate(like.members)}
        attributes = sorted(record.attributes, key=lambda a: places.get(a.name, len(places)))
        links = sorted(record.links, key=lambda each: places.get(each.name, len(places)))
        types.append(RecordType(record.name, tuple(attributes), tuple(links)))
    others = [record for record in population.schema.types if record.name not in schema]
    return replace(population, schema=Schema((*types, *others), population.schema.individual))


def _with_members(
    population: Population,
    type_name: str,
    columns: Mapping[Attribute, Column],
    links: Mapping[Link, Adjacency],
) -> Population:
    record, table = population.schema.type(type_name), population.tables[type_name]
    wider = RecordType(type_name, (*record.attributes, *columns), (*record.links, *links))
    more = {attribute.name: column for attribute, column in columns.items()}
    arrays = {link.name: adjacency for link, adjacency in links.items()}
    made = Table(table.n_rows, {**table.columns, **more}, {**table.links, **arrays})
    return population.with_table(type_name, TypedTable(wider, made))


# ---- one derived link -----------------------------------------------------------------------------------


@dataclass(slots=True)
class _Found:
    """The pairs of a derived link found so far: the number per owner, the linked rows, and the attributes."""

    lengths: _Ints
    rows: list[NDArray[np.int32]] = field(default_factory=list)
    columns: list[list[Column]] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False)
class _Composer:
    """Computation of one derived link on a population."""

    population: Population
    step: ComputedLink
    max_pairs: int

    def finished(self) -> Population:
        """Return the population with the link, and with its pairs if it has any."""
        found, population = self._found(), self.population
        rows = np.concatenate([np.zeros(0, dtype=np.int32), *found.rows])
        if self.step.declared.has_pairs:
            population = population.with_table(self.step.link.target, self._pair_table(rows, found))
            adjacency = Adjacency.in_order(found.lengths)
        else:
            adjacency = Adjacency.from_lengths(found.lengths, rows)
        return _with_members(population, self.step.type, {}, {self.step.link: adjacency})

    def _found(self) -> _Found:
        step, on_data = self.step, PairsOnData(self.population, self.step.type)
        found = _Found(np.zeros(self.population.tables[step.type].n_rows, dtype=np.int64))
        for pairs in _Walker(self.population, step.declared, self.max_pairs).pairs(step.walk):
            if step.where != syn.TOP:
                pairs = pairs.take(on_data.where(step.where, step.far, pairs))
            columns = [on_data.values(each.expression, step.far, pairs) for each in step.attributes]
            if step.order is not None:
                by = self._in_order(pairs, columns)
                pairs, columns = pairs.take(by), [column.take(by) for column in columns]
            found.lengths += np.bincount(pairs.owners, minlength=len(found.lengths))
            found.rows.append(pairs.rows.astype(np.int32))
            found.columns.append(columns)
        if step.link.kind == "optional" and found.lengths.max(initial=0) > 1:
            row = int(np.argmax(found.lengths))
            raise DataError(
                f"the link {step.link.name!r} leads from row {row} of {step.type!r} to {found.lengths[row]} rows, "
                f"but '{step.far}?' allows only one; write 'set of {step.far}'"
            )
        return found

    def _in_order(self, pairs: Pairs, columns: list[Column]) -> _Ints:
        """Return the indices that sort the pairs by owner and key; missing keys come last, ties by row number."""
        order = self.step.order
        assert order is not None
        own = {each.attribute.name: column for each, column in zip(self.step.attributes, columns, strict=True)}
        column = own.get(order.attribute)
        if column is None:
            column = self.population.tables[self.step.far].columns[order.attribute].take(pairs.rows)
        keys = np.where(column.missing, np.nan, column.values.astype(np.float64))
        return np.lexsort((pairs.rows, -keys if order.descending else keys, pairs.owners))

    def _pair_table(self, rows: NDArray[np.int32], found: _Found) -> TypedTable:
        step = self.step
        columns: dict[Attribute, Column] = {}
        for i, each in enumerate(step.attributes):
            parts = [chunk[i] for chunk in found.columns]
            kind = parts[0].kind if parts else each.attribute.kind
            values = np.concatenate([np.zeros(0), *(part.values for part in parts)])
            columns[Attribute(each.attribute.name, kind, derived=True)] = Column(kind, values)
            for chunk in found.columns:
                chunk[i] = replace(chunk[i], values=chunk[i].values[:0])  # frees the chunk's memory
        link = Link(FAR_ROW, "one", step.far, derived=True)
        record = RecordType(step.link.target, tuple(columns), (link,))
        named = {attribute.name: column for attribute, column in columns.items()}
        return TypedTable(record, Table(len(rows), named, {FAR_ROW: Adjacency.single(rows)}))


# ---- walks along a path ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Walker:
    """Follower of the path of a declaration on a population."""

    population: Population
    declared: syn.DerivedLink | syn.CycleCount | syn.Neighbourhood
    max_pairs: int

    def adjacency(self, walk: Walk) -> Adjacency:
        """Return the link from each row of a type to the rows of the same type at the end of a walk."""
        n_rows = self.population.tables[self.declared.type].n_rows
        lengths, rows = np.zeros(n_rows, dtype=np.int64), [np.zeros(0, dtype=np.int32)]
        for pairs in self.pairs(walk):
            lengths += np.bincount(pairs.owners, minlength=n_rows)
            rows.append(pairs.rows.astype(np.int32))
        return Adjacency.from_lengths(lengths, np.concatenate(rows))

    def _hop(self, hop: Hop | Repeated) -> Adjacency:
        if isinstance(hop, Repeated):
            return self._closure(hop)
        adjacency = self.population.tables[hop.owner].links[hop.link]
        if not hop.backwards:
            return adjacency
        link = self.population.schema.type(hop.owner).link(hop.link)
        assert link is not None
        return adjacency.reversed(self.population.tables[link.target].n_rows)

    def pairs(self, walk: Walk) -> Iterator[Pairs]:
        """Yield the distinct pairs that a path connects, sorted by owner, in chunks of owners."""
        hops = [self._hop(hop) for hop in walk]
        n_walks = _n_walks(hops)
        self._check_size(max(int(walks.sum()) for walks in n_walks))
        for start, stop in _chunks(np.sum(n_walks, axis=0)):
            pairs = _itself(start, stop)
            for i, hop in enumerate(hops):
                pairs = pairs.behind(hop)
                if i:  # a single link never leads to a row twice
                    pairs = _unique(pairs, start, stop)
            yield pairs

    def _closure(self, hop: Repeated) -> Adjacency:
        """Return a link from each row to the rows that a repeated path leads to."""
        n_rows = self.population.tables[hop.type].n_rows
        lengths, rows = np.zeros(n_rows, dtype=np.int64), [np.zeros(0, dtype=np.int32)]
        for pairs in self.pairs(hop.walk):
            lengths += np.bincount(pairs.owners, minlength=n_rows)
            rows.append(pairs.rows.astype(np.int32))
        once = Adjacency.from_lengths(lengths, np.concatenate(rows))
        return self._repeated(once, max(1, DENSE // max(n_rows, 1)))

    def _repeated(self, once: Adjacency, n_at_once: int) -> Adjacency:
        """Return the transitive closure of a link from a type to itself, in chunks of owners."""
        n_rows = len(once)
        flags = np.zeros(n_at_once * n_rows, dtype=np.bool_)
        lengths, rows, n_pairs = np.zeros(n_rows, dtype=np.int64), [np.zeros(0, dtype=np.int32)], 0
        for start in range(0, n_rows, n_at_once):
            fresh, reached = _itself(start, min(start + n_at_once, n_rows)), []
            while len(fresh):
                self._check_size(n_pairs + int(once.n_of(fresh.rows).sum()))
                further = fresh.behind(once)
                keys = (further.owners - start) * n_rows + further.rows
                keys = _sorted_unique(keys[~flags[keys]])
                flags[keys] = True
                n_pairs += len(keys)
                reached.append(keys)
                fresh = Pairs(keys // n_rows + start, keys % n_rows)
            found = np.sort(np.concatenate(reached))
            flags[found] = False
            lengths += np.bincount(found // n_rows + start, minlength=n_rows)
            rows.append((found % n_rows).astype(np.int32))
        return Adjacency.from_lengths(lengths, np.concatenate(rows))

    def _check_size(self, n_pairs: int) -> None:
        if n_pairs > self.max_pairs:
            path, name = pretty_path(self.declared.path), self.declared.name
            what = "link" if isinstance(self.declared, syn.DerivedLink) else "attribute"
            raise DataError(
                f"the path {path!r} of the {what} {name!r} leads to {n_pairs:,} pairs of rows on this data, expected "
                f"at most {self.max_pairs:,}",
                fix=f"use a path to fewer rows, or write 'limits {{ pairs {n_pairs} }}' in the grammar",
            )


def _n_walks(hops: list[Adjacency]) -> list[NDArray[np.float64]]:
    """Return the number of routes from each row along the first hop, the first two hops, and so on."""
    found = []
    for n_hops in range(1, len(hops) + 1):
        walks: NDArray[np.float64] = np.ones(int(hops[n_hops - 1].targets.max(initial=0)) + 1)
        for hop in reversed(hops[:n_hops]):
            running = np.concatenate(([0.0], np.cumsum(walks[hop.targets])))
            walks = running[hop.offsets[1:]] - running[hop.offsets[:-1]]
        found.append(walks)
    return found


def _chunks(walks: NDArray[np.float64]) -> Iterator[tuple[int, int]]:
    """Yield ranges of rows with about `CHUNK` routes each."""
    ends = np.cumsum(walks)
    start = 0
    while start < len(walks):
        before = ends[start - 1] if start else 0.0
        stop = max(start + 1, int(np.searchsorted(ends, before + CHUNK, side="right")))
        yield start, stop
        start = stop


def _itself(start: int, stop: int) -> Pairs:
    """Return pairs of each row with itself, for the rows from start to stop."""
    rows = np.arange(start, stop)
    return Pairs(rows, rows)


def _unique(pairs: Pairs, start: int, stop: int) -> Pairs:
    """Return the sorted distinct pairs, given the range of owners."""
    if not len(pairs):
        return pairs
    low, high = int(pairs.rows.min()), int(pairs.rows.max()) + 1
    width = high - low
    keys = (pairs.owners - start) * width + (pairs.rows - low)
    if (keys[1:] > keys[:-1]).all():
        return pairs
    if (stop - start) * width <= min(DENSE, 16 * len(keys)):
        flags = np.zeros((stop - start) * width, dtype=np.bool_)
        flags[keys] = True
        keys = np.flatnonzero(flags)
    else:
        keys = _sorted_unique(keys)
    return Pairs(keys // width + start, keys % width + low)


def _sorted_unique(keys: _Ints) -> _Ints:
    """Return the sorted distinct keys; ten times faster than ``np.unique``, which uses a hash table."""
    keys = np.sort(keys)
    return keys[np.concatenate(([True], keys[1:] > keys[:-1]))] if len(keys) else keys
