"""A structured population as a table: one column for each distinct test behind links.

Where a node may ask several things of an individual at once, the literals that look behind links become columns of a
table, one for each meaning (`structtree.search.bottom_up`), and the search at each node combines them as it combines
the attributes of a plain table. The tests that it finds are then translated back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from structtree.data.population import Column, Population, Table
from structtree.data.schema import Attribute, RecordType, Schema
from structtree.lang import syntax as syn
from structtree.lang.background import Background
from structtree.lang.check import CheckedGrammar
from structtree.models.routing.subsets import own_attributes
from structtree.search.bottom_up import link_columns, own_columns, suits
from structtree.search.clock import Clock
from structtree.search.columns import TestColumn
from structtree.space.families import Family, Offers, TestFamily, resolve_families
from structtree.space.space import Space
from structtree.space.terms import conjoin, conjuncts, n_literals

__all__ = ["ColumnSpace", "column_space"]


SMALL_MOST, SMALL_CELLS = 3_000, 20_000_000
"""For a small table: the maximum number of meanings of one type, and of these times rows."""


@dataclass(frozen=True, slots=True, eq=False)
class ColumnSpace:
    """Space of tests that combine test columns; each column is an attribute of the individuals.

    Parameters
    ----------
    space : Space
        On the individuals as a table without links.
    own : CheckedGrammar
        The rewrites whose thresholds or values are those of the individuals at a node.
    columns : dict from attribute to TestColumn
        The nested tests behind links. The k-th member holds where the attribute is k or more.
    complete : bool
        Whether no test is missing.
    """

    space: Space
    own: CheckedGrammar
    columns: Mapping[str, TestColumn]
    complete: bool

    @property
    def population(self) -> Population:
        """The individuals, without links."""
        assert self.space.population is not None
        return self.space.population

    def space_at(self, population: Population) -> Space:
        """Return the space on a subset of the individuals, with thresholds between their own values."""
        name = self.own.individual
        if not self.own.rewrites[name]:
            return replace(self.space, population=population)
        families = list(self.space.offers.from_top[name])
        places = {family.template: place for place, family in enumerate(families)}
        for fresh in resolve_families(self.own, population).from_top[name]:
            place = places[fresh.template]
            families[place] = replace(fresh, index=place)
        return Space(self.space.grammar, population, replace(self.space.offers, from_top={name: tuple(families)}))

    def translated(self, test: syn.Predicate) -> syn.Predicate:
        """Translate a test of the table into a test of the grammar."""
        return conjoin(tuple(map(self._translated, conjuncts(test))))

    def _translated(self, literal: syn.Predicate) -> syn.Predicate:
        match literal:
            case syn.Compare(attribute, _, int() as k) if attribute in self.columns:
                found: syn.Predicate = self.columns[attribute].members[k - 1]
                return found
            case _:
                return literal


def column_space(
    space: Space, *, clock: Clock | None = None, is_small: bool = False, by_cost: bool = False
) -> ColumnSpace | None:
    """Make columns of all tests behind links, and the space of their conjunctions; None if that is not possible.

    Parameters
    ----------
    space : Space
        On its population, of which every row is reached.
    clock : Clock, optional
        When the time is up, no table is made.
    is_small : bool
        Whether to return None for tables that take long to make or to search.
    by_cost : bool
        Whether a column is the cheapest of all tests that select the same individuals.
    """
    grammar, population, time = space.grammar, space.population, clock or Clock()
    assert population is not None
    if not suits(space):
        return None
    limits = (SMALL_MOST, SMALL_CELLS) if is_small else ()
    found = link_columns(space, *limits, shorten=False, partial=not is_small, clock=time, by_cost=by_cost)
    if found.missing in ("literals", "time") or (is_small and found.missing):
        return None
    tests = [family for family in space.first_families() if isinstance(family, TestFamily)]
    own = [family for family in tests if _is_own(family, population)]
    # Some tests look behind links without opening a position there, as aggregates do.
    others: list[TestColumn] = []
    costs: list[int] = []
    for family in tests:
        if not _is_own(family, population):
            if time.over() is not None:
                return None
            more = list(own_columns(family, population))
            others += more
            costs += [family.size + family.surcharge] * len(more)
    costs += found.costs
    behind = [*others, *found.columns]
    taken = set(population.schema.type(grammar.individual).members)
    names = [name for name in (f"behind{i}" for i in range(len(behind) + len(taken))) if name not in taken]
    columns = dict(zip(names, behind, strict=False))
    table = _table(population, columns)
    families: list[Family] = [replace(family, index=i) for i, family in enumerate(own)]
    priced = zip(columns.items(), costs, strict=True)
    families += [_family(len(own) + i, grammar.individual, *item, cost) for i, (item, cost) in enumerate(priced)]
    offers = Offers({grammar.individual: tuple(families)}, {grammar.individual: {}})
    small = replace(grammar, schema=table.schema, rewrites={}, functions={}, background=Background(table.schema))
    rewrites = grammar.rewrites.get(grammar.individual, ())
    anew = replace(small, rewrites={grammar.individual: tuple(rewrites[f.index] for f in own if _is_of_node(f))})
    complete = found.missing is None and not space.offers.n_skipped
    return ColumnSpace(Space(small, table, offers), anew, columns, complete)


def _is_of_node(family: TestFamily) -> bool:
    """Return whether the thresholds or values of a family are taken from the individuals of the node."""
    match family.template:
        case syn.Compare(_, ">=" | "<=" | "=", syn.Star()) | syn.Among(source=syn.Star()):
            return True
        case _:
            return False


def _is_own(family: TestFamily, population: Population) -> bool:
    """Return whether a family tests attributes of the individual itself."""
    attributes = own_attributes(family.literal(0))
    table = population.tables[population.schema.individual]
    return attributes is not None and all(table.column(name) is not None for name in attributes)


def _table(population: Population, columns: Mapping[str, TestColumn]) -> Population:
    name = population.schema.individual
    record, table = population.schema.type(name), population.tables[name]
    more = tuple(Attribute(key, "int") for key in columns)
    schema = Schema((RecordType(name, (*record.attributes, *more), ()),), name)
    own = {key: table.columns[key].take(population.individuals) for key in table.columns}
    behind = {key: Column("int", column.values.astype(np.float64)) for key, column in columns.items()}
    return Population(schema, {name: Table(len(population), {**own, **behind}, {})})


def _family(index: int, type_name: str, name: str, column: TestColumn, cost: int) -> TestFamily:
    thresholds, length = np.arange(1.0, len(column.members) + 1), n_literals(column.members[0])
    template = syn.Compare(name, ">=", syn.Star())
    given = (index, type_name, template, (), thresholds)
    return TestFamily(*given, kind="int", length=length, surcharge=cost - length)
