"""Random ground predicates about data that is there, of all forms, with values that occur in it."""

from __future__ import annotations

from itertools import combinations
from random import Random

from structtree.data.schema import FAR_ROW, NUMERIC, PARTS
from structtree.lang import syntax as syn
from structtree.lang.walk import subpredicates
from tests.strategies import own_comparisons

SHARES = (0.0, 0.25, 0.5, 1.0)


class RandomPredicates:
    """A source of predicates on the rows of a population.

    Parameters
    ----------
    population : Population
    seed : int
    definitions : iterable of Definition
        Of the grammar that the predicates are checked by.
    """

    def __init__(self, population, seed, definitions=()):
        self.population = population
        self.schema = population.schema
        self.random = Random(seed)
        self.definitions = {name: [d for d in definitions if d.type == name] for name in self.schema.names}
        self.comparisons = {
            record.name: [
                *(c for c in own_comparisons(self.schema, record) if FAR_ROW not in (*c.attribute, *c.other)),
                *self.comparisons_of_parts(record.name),
            ]
            for record in self.schema.types
        }

    def predicate(self, type_name, depth=3):
        """A predicate on rows of a type, with so many forms inside each other at most."""
        record = self.schema.type(type_name)
        plain = [self.literal] * bool(record.attributes) + [self.comparison] * bool(self.comparisons[type_name])
        plain += [self.call] * bool(self.definitions[type_name])
        if depth == 0:
            return self.random.choice(plain or [lambda *_: syn.TOP])(type_name)
        far = [self.linked] * bool(self.links(type_name)) + [self.step] * self.schema.listed(type_name)
        here = [self.several, self.several, self.negated] if plain or depth > 1 else []
        ways = [*plain, *far * 4, *here]
        return self.random.choice(ways)(type_name, depth - 1)

    # ---- the row itself ---------------------------------------------------------------------------------

    def literal(self, type_name, _=0):
        attribute = self.random.choice(self.attributes(type_name))
        if self.random.random() < 0.08:
            return syn.Missing(attribute.name)
        if attribute.kind == "bool":
            return syn.Flag(attribute.name, self.random.random() < 0.5)
        name, values = attribute.name, syn.sort_scalars(self.value(type_name, attribute) for _ in range(2))
        if self.random.random() < 0.15:
            return syn.Among(name, values)
        if attribute.kind in NUMERIC and attribute.kind != "ordered" and self.random.random() < 0.2:
            return syn.Within(name, values[0], values[-1], len(values) == 1 or self.random.random() < 0.5)
        ops = ("=", "!=", ">=", ">=", "<=", "<=") if attribute.kind in NUMERIC else ("=", "=", "=", "!=")
        return syn.Compare(name, self.random.choice(ops), values[0])

    def attributes(self, type_name):
        """The attributes of a type, and the parts of its dates and times."""
        record = self.schema.type(type_name)
        parts = (
            record.attribute_or_part(syn.DatePart(f"{a.name}.{part}")) for a in record.attributes for part in PARTS
        )
        return [*record.attributes, *filter(None, parts)]

    def value(self, type_name, attribute):
        """A value that some row has."""
        column = self.population.tables[type_name].value_column(attribute.name)
        present = (~column.missing).nonzero()[0]
        if not len(present):
            if attribute.kind in NUMERIC:
                return syn.written(1.0, attribute.kind, attribute.values)
            return "p" if attribute.kind == "nominal" else True
        row = present[self.random.randrange(len(present))]
        if attribute.kind in NUMERIC:
            return syn.written(float(column.values[row]), attribute.kind, column.categories)
        return column.value(row)

    def comparisons_of_parts(self, type_name):
        """Comparisons of the same part of two dates or times."""
        parts = [a for a in self.attributes(type_name) if isinstance(a.name, syn.DatePart)]
        for one, other in combinations(parts, 2):
            if one.name.rpartition(".")[2] == other.name.rpartition(".")[2]:
                yield from (syn.CompareOwn((one.name,), op, (other.name,)) for op in ("=", "!=", ">=", "<="))

    def comparison(self, type_name, _=0):
        return self.random.choice(self.comparisons[type_name])

    def call(self, type_name, _=0):
        """A definition with a value for each of its parameters."""
        definition = self.random.choice(self.definitions[type_name])
        return syn.Named(
            definition.name, None, tuple(self.argument(definition, name) for name in definition.parameters)
        )

    def argument(self, definition, parameter):
        """A value that the first place of a parameter may have."""
        for part, type_name in subpredicates(definition.body, definition.type, self.schema):
            match part:
                case syn.Compare(attribute, _, value) if isinstance(value, syn.Parameter) and value == parameter:
                    return self.value(type_name, self.schema.type(type_name).attribute(attribute))
                case syn.Among(attribute, values) if parameter in values:
                    return self.value(type_name, self.schema.type(type_name).attribute(attribute))
                case syn.Count(_, _, _, n) if n == parameter:
                    return self.random.randint(0, 3)
                case syn.Named(name, _, arguments) if parameter in arguments:
                    called = next(d for d in self.definitions[type_name] if d.name == name)
                    return self.argument(called, called.parameters[arguments.index(parameter)])
        raise AssertionError(f"{parameter} is the number of no count, and compared with no attribute")

    # ---- several predicates on one row ------------------------------------------------------------------

    def several(self, type_name, depth):
        parts = tuple(self.predicate(type_name, depth) for _ in range(self.random.randint(2, 3)))
        return self.random.choice((syn.And, syn.And, syn.Or))(parts)

    def negated(self, type_name, depth):
        return syn.Not(self.predicate(type_name, depth))

    # ---- other rows -------------------------------------------------------------------------------------

    def step(self, type_name, depth):
        return syn.ListStep(self.random.choice(("next", "previous", "later")), self.predicate(type_name, depth))

    def linked(self, type_name, depth):
        link = self.random.choice(self.links(type_name))
        if link.single:
            if link.kind == "optional" and self.random.random() < 0.1:
                return syn.Missing(link.name)
            return syn.Follow(link.name, self.predicate(link.target, depth))
        ways = [self.quantified] * 3 + [self.counted] * 2 + [self.different]
        ways += [self.end] * (link.kind == "list") + [self.aggregate] * 2
        return self.random.choice(ways)(type_name, link, depth)

    def links(self, type_name):
        """The links that have a name in grammars."""
        return [link for link in self.schema.type(type_name).links if link.name != FAR_ROW]

    def quantified(self, _, link, depth):
        return self.random.choice((syn.Exists, syn.Exists, syn.All, syn.No))(
            link.name, self.predicate(link.target, depth)
        )

    def counted(self, _, link, depth):
        op, n = self.random.choice((">=", "<=")), self.random.randint(0, 4)
        return syn.Count(link.name, self.predicate(link.target, depth), op, n)

    def different(self, _, link, depth):
        inners = tuple(self.predicate(link.target, min(depth, 1)) for _ in range(self.random.randint(2, 3)))
        return syn.Distinct(link.name, inners)

    def end(self, _, link, depth):
        return syn.ListStep(self.random.choice(("first", "last")), self.predicate(link.target, depth), link.name)

    def aggregate(self, _, link, depth):
        """An aggregate of any function that fits the rows behind a link."""
        attributes = self.attributes(link.target)
        inner = self.predicate(link.target, min(depth, 1)) if self.random.random() < 0.5 else None
        ops = (">=", "<=")
        if not attributes or self.random.random() < 0.15:
            some = inner or self.predicate(link.target, min(depth, 1))
            return syn.Aggregate("share", link.name, None, self.random.choice(ops), self.random.choice(SHARES), some)
        attribute = self.random.choice(attributes)
        orders = [a.name for a in attributes if a.kind in ("int", "real", "date", "time")]
        orders += [None] * (link.kind == "list")
        functions = ["distinct", *["latest", "earliest"] * bool(orders)]
        if attribute.kind in ("int", "real"):
            functions += ["sum", "mean", "min", "max", "range", "deviation", *["trend"] * bool(orders)]
        if attribute.kind in ("date", "time"):
            functions += ["min", "max", "range"]
        function = self.random.choice(functions)
        order = self.random.choice(orders) if function in ("latest", "earliest", "trend") else None
        if function in ("latest", "earliest"):
            ops = ("=", "!=", ">=", "<=") if attribute.kind in NUMERIC else ("=", "!=")
        value = self.threshold(function, link.target, attribute)
        return syn.Aggregate(function, link.name, attribute.name, self.random.choice(ops), value, inner, order)

    def threshold(self, function, type_name, attribute):
        """A value that an aggregate may have; where it is rounded, one that it has by no chance."""
        if function == "distinct":
            return self.random.randint(0, 4)
        value = self.value(type_name, attribute)
        if function in ("latest", "earliest"):
            return str(value).lower() if attribute.kind == "bool" else value
        if function == "sum":
            return float(value) + sum(
                float(self.value(type_name, attribute)) for _ in range(self.random.randint(0, 3))
            )
        if function == "range" and attribute.kind in ("date", "time"):
            return self.random.uniform(0.0, 300.0)
        if function in ("deviation", "trend"):
            spread = 0.01 + abs(float(value) - float(self.value(type_name, attribute)))
            return self.random.gauss(0.0, 1.0) * spread
        return value
