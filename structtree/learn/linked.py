"""A structured population as a table: one column for every way to look behind links, for a node to combine.

Where a node may ask several things of an individual at once, the literals that look behind links become columns of a
table, one for each meaning (`structtree.search.bottom_up`), and the search at each node combines them as it combines
the attributes of a plain table. The tests of the tree are then written in the grammar's own words again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from structtree.data.columns import Column, Population, Table
from structtree.data.schema import Attribute, RecordType, Schema
from structtree.lang.check import CheckedGrammar
from structtree.lang.syntax import Compare, Predicate, Star
from structtree.learn.routing import own_attributes
from structtree.learn.tree import Branch, Node
from structtree.search.bottom_up import LinkColumn, link_columns, own_columns, suits
from structtree.search.clock import Clock
from structtree.search.criteria import Criterion
from structtree.space.families import Family, Offers, TestFamily
from structtree.space.space import Space
from structtree.space.terms import conjoin, conjuncts, n_literals

__all__ = ["Linked", "linked", "worded"]


@dataclass(frozen=True, slots=True, eq=False)
class Linked:
    """A population as a table, and the space of its tests.

    Parameters
    ----------
    population : Population
        The individuals, without links.
    space : Space
        On that population.
    steps : dict from attribute to tests
        What the columns stand for: the k-th test holds where the column is k or more.
    complete : bool
        Whether no test is missing.
    """

    population: Population
    space: Space
    steps: Mapping[str, tuple[Predicate, ...]]
    complete: bool


def linked(
    grammar: CheckedGrammar, population: Population, *, shorten: bool = False, clock: Clock | None = None
) -> Linked | None:
    """A population as a table of all that a grammar asks of it; None where that is not to be had.

    Parameters
    ----------
    population : Population
        Of which every row is reached.
    shorten : bool
        Whether to leave out what is too much instead.
    clock : Clock, optional
        When it is over, what is still missing is left out.
    """
    space = Space.build(grammar, population)
    if not suits(space):
        return None
    found = link_columns(space, shorten=shorten, clock=clock)
    if found.missing in ("literals", "time") and not shorten:
        return None
    own, behind = _own(space), [*_others(space), *found.columns]
    taken = set(population.schema.type(grammar.individual).members)
    names = [name for name in (f"behind{i}" for i in range(len(behind) + len(taken))) if name not in taken]
    columns = dict(zip(names, behind, strict=False))
    table = _table(population, columns)
    families: list[Family] = [replace(family, index=i) for i, family in enumerate(own)]
    families += [_family(len(own) + i, grammar.individual, *item) for i, item in enumerate(columns.items())]
    offers = Offers({grammar.individual: tuple(families)}, {grammar.individual: {}})
    small = replace(grammar, schema=table.schema, rewrites={})
    steps = {name: column.tests for name, column in columns.items()}
    return Linked(table, Space(small, table, offers), steps, found.missing is None)


def _own(space: Space) -> list[TestFamily]:
    """The tests of the individual's own attributes."""
    return [f for f in space.first_families() if isinstance(f, TestFamily) and _is_own(f, space)]


def _is_own(family: TestFamily, space: Space) -> bool:
    assert space.population is not None
    asked = own_attributes(family.literal(0))
    return asked is not None and asked <= space.population.tables[space.grammar.individual].columns.keys()


def _others(space: Space) -> Iterator[LinkColumn]:
    """The tests that look behind links without opening a position there, as aggregates do."""
    assert space.population is not None
    for family in space.first_families():
        if isinstance(family, TestFamily) and not _is_own(family, space):
            yield from own_columns(family, space.population)


def _table(population: Population, columns: Mapping[str, LinkColumn]) -> Population:
    name = population.schema.individual
    record, table = population.schema.type(name), population.tables[name]
    more = tuple(Attribute(key, "int") for key in columns)
    schema = Schema((RecordType(name, (*record.attributes, *more), ()),), name)
    own = {key: table.columns[key].take(population.individuals) for key in table.columns}
    behind = {key: Column("int", column.ranks.astype(np.float64)) for key, column in columns.items()}
    return Population(schema, {name: Table(len(population), {**own, **behind}, {})})


def _family(index: int, type_name: str, name: str, column: LinkColumn) -> TestFamily:
    cuts = np.arange(1.0, len(column.tests) + 1)
    template = Compare(name, ">=", Star())
    return TestFamily(index, type_name, template, (), cuts, kind="int", cost=n_literals(column.tests[0]))


def worded(nodes: Sequence[Node], table: Linked, criterion: Criterion) -> tuple[Node, ...]:
    """The nodes of a tree over such a table with their tests in the words of the grammar."""
    return tuple(_worded(node, table, criterion) if isinstance(node, Branch) else node for node in nodes)


def _worded(branch: Branch, table: Linked, criterion: Criterion) -> Branch:
    found = branch.found
    if not table.complete:
        # Of what is missing nothing is known.
        gap = criterion.room(found.score)
        found = replace(found, proved=False, gap=gap, stopped_by=found.stopped_by or "listing")
    return replace(branch, test=_in_words(branch.test, table.steps), found=found)


def _in_words(test: Predicate, steps: Mapping[str, tuple[Predicate, ...]]) -> Predicate:
    parts = []
    for part in conjuncts(test):
        if isinstance(part, Compare) and part.attribute in steps and isinstance(part.value, int):
            part = steps[part.attribute][part.value - 1]
        parts.append(part)
    return conjoin(tuple(parts))
