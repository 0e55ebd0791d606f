"""Python functions for the ``function`` declarations of a grammar, computed row by row.

A grammar only declares the name and the return type of a function; the caller passes the code, so that loading a
grammar never runs code. A function that returns values becomes a column. A function that returns rows
(``-> set of Point``) returns dicts with the declared members; they become new tables and a link to them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import islice
from typing import Any

import numpy as np

from structtree.data.population import Adjacency, Column, Population, Table, TypedTable, Value, column_of
from structtree.data.schema import Attribute, Kind, Link, RecordType, Schema
from structtree.errors import DataError, UsageError, did_you_mean
from structtree.lang import syntax as syn
from structtree.lang.declare import functions_in_order, given_types, in_names_of, named_by
from structtree.lang.grammar import Grammar
from structtree.lang.mistakes import located

__all__ = ["with_functions"]


def with_functions(
    population: Population, grammar: Grammar, functions: Mapping[str, Callable[[Mapping[str, Any]], Any]]
) -> Population:
    """Return the population with the type names of a grammar, and a column or link for each declared function.

    Parameters
    ----------
    population : Population
    grammar : Grammar
    functions : mapping from name to function
        Each takes a record as nested dicts (four links deep) and returns a value or None; or rows: a dict, None for
        ``T?``, or a list of dicts for ``set of T`` and ``list of T``.

    Examples
    --------
    >>> trains = Population.from_records([{"cars": [{"wheels": 2}, {"wheels": 3}]}, {"cars": []}])
    >>> grammar = Grammar.parse("function wheels_in_all: Individual -> int "
    ...                         "refine Individual { top -> wheels_in_all >= * }")
    >>> given = {"wheels_in_all": lambda train: sum(car["wheels"] for car in train["cars"])}
    >>> with_functions(trains, grammar, given).column("wheels_in_all").values.tolist()
    [5.0, 0.0]
    """
    with located(grammar.source, grammar.text):
        meant = in_names_of(grammar.syntax, population.schema)
        declared = {function.name: function for function in functions_in_order(meant)}
    for name in functions:
        if name not in declared:
            raise UsageError(f"the grammar declares no function {name!r}{did_you_mean(name, declared)}")
    for function in declared.values():
        if function.name not in functions:
            raise UsageError(
                f"the grammar needs the function {function.name!r} from {function.type} to {function.gives}; "
                f"pass it as functions={{{function.name!r}: ...}}"
            )
        given = _results(population, function, functions[function.name])
        if function.link is None:
            population = population.with_column(function.type, function.attribute, _column(function, given))
            continue
        with located(grammar.source, grammar.text):
            types = given_types(function, meant, population.schema)
        population = _Rows(function, types).added(population, given)
    return named_by(population, grammar.syntax)


def _results(population: Population, function: syn.Function, call: Callable[[Mapping[str, Any]], Any]) -> list[Any]:
    """Call a function for each row of its type."""
    found = []
    for row in range(population.table(function.type).n_rows):
        try:
            found.append(call(population.row(function.type, row)))
        except Exception as error:
            error.add_note(f"in the function {function.name!r} for row {row} of {function.type}")
            raise
    return found


def _column(function: syn.Function, values: list[Any]) -> Column:
    assert function.kind is not None
    for row, value in enumerate(values):
        if not _fits(function.kind, value):
            got = f"got {value!r} for row {row} of {function.type}"
            raise DataError(f"expected the function {function.name!r} to return {function.kind}, {got}")
    return column_of(function.kind, values)


def _fits(kind: Kind, value: Value) -> bool:
    if value is None:
        return True
    match kind:
        case "bool":
            return isinstance(value, bool | np.bool_)
        case "nominal" | "ordered":
            return isinstance(value, str)
        case "date" | "time":
            return isinstance(value, date | np.datetime64)
        case _:
            return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


# ---- functions that return rows -------------------------------------------------------------------------

MAX_DEPTH = 50
"""Maximum nesting of the rows that a function returns."""


@dataclass(frozen=True, slots=True)
class _Given:
    """A record that a function returned, with the row it was called for and the path in the returned value."""

    record: Mapping[str, Any]
    row: int
    path: str
    depth: int


@dataclass(frozen=True, slots=True)
class _Rows:
    """The records returned by a function, by type, and the targets of their links."""

    function: syn.Function
    types: tuple[RecordType, ...]
    rows: dict[str, list[_Given]] = field(default_factory=dict)
    targets: dict[tuple[str, str], list[list[int]]] = field(default_factory=dict)

    def added(self, population: Population, results: Sequence[Any]) -> Population:
        """Return the population with the returned rows and the link to them."""
        link, name = self.function.link, self.function.type
        assert link is not None
        for record in self.types:
            self.rows[record.name] = []
            self.targets.update({(record.name, each.name): [] for each in record.links})
        leads = _adjacency([self._take(link, result, i, link.name, 0) for i, result in enumerate(results)])
        self._follow()
        made = [self._table(record) for record in self.types]
        owner, table = population.schema.type(name), population.tables[name]
        wider = replace(owner, links=(*owner.links, link))
        types = (wider if each is owner else each for each in population.schema.types)
        tables = {**population.tables, name: replace(table, links={**table.links, link.name: leads})}
        return replace(
            population,
            schema=Schema((*types, *(one.record for one in made)), population.schema.individual),
            tables={**tables, **{one.record.name: one.table for one in made}},
            _known_good=False,
        )

    def _follow(self) -> None:
        """Add the rows that links of new rows lead to, until there are no more."""
        done = dict.fromkeys(self.rows, 0)
        while any(done[name] < len(rows) for name, rows in self.rows.items()):
            for record in self.types:
                for given in islice(self.rows[record.name], done[record.name], None):  # grows while iterated
                    self._follow_one(record, given)
                done[record.name] = len(self.rows[record.name])

    def _follow_one(self, record: RecordType, given: _Given) -> None:
        for member in given.record:
            if member not in record.members:
                hint = did_you_mean(str(member), record.members)
                raise self._error(f"unknown member {member!r} of type {record.name!r}{hint}", given)
        for link in record.links:
            path = f"{given.path}.{link.name}"
            inside = self._take(link, given.record.get(link.name), given.row, path, given.depth + 1)
            self.targets[record.name, link.name].append(inside)

    def _take(self, link: Link, value: Any, row: int, path: str, depth: int) -> list[int]:
        """Add the rows that were returned for a link, and return their indices."""
        here = _Given({}, row, path, depth)
        if depth > MAX_DEPTH:
            raise self._error(f"rows are nested more than {MAX_DEPTH} deep", here)
        if value is None and link.kind != "one":
            return []
        if link.single:
            return [self._row(link, value, here)]
        if isinstance(value, str | Mapping) or not isinstance(value, Sequence):
            raise self._error(f"expected a list of dicts, got {value!r}", here)
        return [self._row(link, each, replace(here, path=f"{path}[{i}]")) for i, each in enumerate(value)]

    def _row(self, link: Link, value: Any, here: _Given) -> int:
        if not isinstance(value, Mapping):
            fix = f"; declare '{link.target}?' to allow None" if value is None and link.kind == "one" else ""
            raise self._error(f"expected a dict with the members of {link.target!r}, got {value!r}{fix}", here)
        rows = self.rows[link.target]
        rows.append(replace(here, record=value))
        return len(rows) - 1

    def _table(self, record: RecordType) -> TypedTable:
        rows = self.rows[record.name]
        columns = {attribute.name: self._values(attribute, rows) for attribute in record.attributes}
        links = {link.name: _adjacency(self.targets[record.name, link.name]) for link in record.links}
        attributes = tuple(column.as_attribute(name) for name, column in columns.items())
        return TypedTable(replace(record, attributes=attributes), Table(len(rows), columns, links))

    def _values(self, attribute: Attribute, rows: list[_Given]) -> Column:
        values = [given.record.get(attribute.name) for given in rows]
        known = frozenset(attribute.values)
        for given, value in zip(rows, values, strict=True):
            here = replace(given, path=f"{given.path}.{attribute.name}")
            if not _fits(attribute.kind, value):
                raise self._error(f"expected {attribute.kind}, got {value!r}", here)
            if known and value is not None and value not in known:
                raise self._error(f"undeclared value {value!r}{did_you_mean(value, known)}", here)
        if attribute.kind != "ordered":
            return column_of(attribute.kind, values)
        ranks = [np.nan if value is None else attribute.values.index(value) for value in values]
        return Column("ordered", np.array(ranks, dtype=np.float64), attribute.values)

    def _error(self, what: str, given: _Given) -> DataError:
        where = f"row {given.row} of {self.function.type}"
        return DataError(f"function {self.function.name!r}, {where}, at {given.path}: {what}")


def _adjacency(targets: list[list[int]]) -> Adjacency:
    return Adjacency.from_lengths([len(each) for each in targets], [row for each in targets for row in each])
