"""Random ground predicates about data that is there, of all forms, with values that occur in it."""

from __future__ import annotations

from random import Random

from structtree.data.schema import NUMERIC
from structtree.lang.syntax import (
    TOP,
    Aggregate,
    All,
    Among,
    And,
    Compare,
    Count,
    Distinct,
    Exists,
    Flag,
    Follow,
    ListStep,
    Missing,
    No,
    Not,
    Or,
    Within,
    sort_scalars,
    written,
)
from tests.strategies import own_comparisons


class RandomPredicates:
    """A source of predicates on the rows of a population.

    Parameters
    ----------
    population : Population
    seed : int
    """

    def __init__(self, population, seed):
        self.population = population
        self.schema = population.schema
        self.random = Random(seed)
        self.comparisons = {record.name: own_comparisons(self.schema, record) for record in self.schema.types}

    def predicate(self, type_name, depth=3):
        """A predicate on rows of a type, with so many forms inside each other at most."""
        record = self.schema.type(type_name)
        plain = [self.literal] * bool(record.attributes) + [self.comparison] * bool(self.comparisons[type_name])
        if depth == 0:
            return self.random.choice(plain or [lambda *_: TOP])(type_name)
        far = [self.linked] * bool(record.links) + [self.step] * self.schema.listed(type_name)
        here = [self.several, self.several, self.negated] if plain or depth > 1 else []
        ways = [*plain, *far * 4, *here]
        return self.random.choice(ways)(type_name, depth - 1)

    # ---- the row itself ---------------------------------------------------------------------------------

    def literal(self, type_name, _=0):
        attribute = self.random.choice(self.schema.type(type_name).attributes)
        if self.random.random() < 0.08:
            return Missing(attribute.name)
        if attribute.kind == "bool":
            return Flag(attribute.name, self.random.random() < 0.5)
        name, values = attribute.name, sort_scalars(self.value(type_name, attribute) for _ in range(2))
        if self.random.random() < 0.15:
            return Among(name, values)
        if attribute.kind in NUMERIC and attribute.kind != "ordered" and self.random.random() < 0.2:
            return Within(name, values[0], values[-1], len(values) == 1 or self.random.random() < 0.5)
        ops = ("=", "!=", ">=", ">=", "<=", "<=") if attribute.kind in NUMERIC else ("=", "=", "=", "!=")
        return Compare(name, self.random.choice(ops), values[0])

    def value(self, type_name, attribute):
        """A value that some row has."""
        column = self.population.tables[type_name].columns[attribute.name]
        present = (~column.missing).nonzero()[0]
        row = present[self.random.randrange(len(present))]
        if attribute.kind in NUMERIC:
            return written(float(column.values[row]), attribute.kind, column.categories)
        return column.value(row)

    def comparison(self, type_name, _=0):
        return self.random.choice(self.comparisons[type_name])

    # ---- several predicates on one row ------------------------------------------------------------------

    def several(self, type_name, depth):
        parts = tuple(self.predicate(type_name, depth) for _ in range(self.random.randint(2, 3)))
        return self.random.choice((And, And, Or))(parts)

    def negated(self, type_name, depth):
        return Not(self.predicate(type_name, depth))

    # ---- other rows -------------------------------------------------------------------------------------

    def step(self, type_name, depth):
        return ListStep(self.random.choice(("next", "previous", "later")), self.predicate(type_name, depth))

    def linked(self, type_name, depth):
        link = self.random.choice(self.schema.type(type_name).links)
        if link.single:
            if link.kind == "optional" and self.random.random() < 0.1:
                return Missing(link.name)
            return Follow(link.name, self.predicate(link.target, depth))
        ways = [self.quantified] * 3 + [self.counted] * 2 + [self.different]
        ways += [self.end] * (link.kind == "list") + [self.aggregate] * bool(self.numbers(link.target))
        return self.random.choice(ways)(type_name, link, depth)

    def quantified(self, _, link, depth):
        return self.random.choice((Exists, Exists, All, No))(link.name, self.predicate(link.target, depth))

    def counted(self, _, link, depth):
        op, n = self.random.choice((">=", "<=")), self.random.randint(0, 4)
        return Count(link.name, self.predicate(link.target, depth), op, n)

    def different(self, _, link, depth):
        inners = tuple(self.predicate(link.target, min(depth, 1)) for _ in range(self.random.randint(2, 3)))
        return Distinct(link.name, inners)

    def end(self, _, link, depth):
        return ListStep(self.random.choice(("first", "last")), self.predicate(link.target, depth), link.name)

    def numbers(self, type_name):
        return [a for a in self.schema.type(type_name).attributes if a.kind in ("int", "real")]

    def aggregate(self, _, link, __):
        attribute = self.random.choice(self.numbers(link.target))
        function = self.random.choice(("sum", "mean", "min", "max"))
        times = self.random.randint(1, 4) if function == "sum" else 1
        value = sum(float(self.value(link.target, attribute)) for _ in range(times))
        return Aggregate(function, link.name, attribute.name, self.random.choice((">=", "<=")), value)
