"""The definition of derived links and of expressions, one row at a time: what the columns must equal.

And random declarations of them, for any schema.
"""

from __future__ import annotations

import math
from typing import Any

from hypothesis import strategies as st

from structtree.data.population import Population
from structtree.lang import syntax as syn
from tests import strategies as some
from tests.space.truth import Row, row_satisfies, targets_of, value_of

DAY = 86400.0


def rows_met(link: syn.DerivedLink, population: Population, row: Row) -> list[Row]:
    """The rows that a derived link leads to from one row, in the order of the link; of a set by their numbers."""
    ends = walked(link.path, population, [Row(row.type, row.index)])
    found = [Row(end.type, end.index, row) for end in sorted(ends, key=lambda end: end.index)]
    found = [far for far in found if row_satisfies(link.where, population, far)]
    if link.order is None:
        return found
    own = {each.name: each.expression for each in link.attributes}
    expression = own.get(link.order.attribute, syn.Operand((link.order.attribute,)))
    present = [(computed(expression, population, far), far) for far in found]
    some_have = sorted(
        [pair for pair in present if pair[0] is not None],
        key=lambda pair: -number(pair[0]) if link.order.descending else number(pair[0]),
    )
    return [far for _, far in some_have] + [far for value, far in present if value is None]


def number(value: Any) -> float:
    return value[1] if isinstance(value, tuple) else value


def walked(path: syn.DerivedPath, population: Population, rows: list[Row]) -> list[Row]:
    """The rows at the end of a path, each once; a step backwards is written with its type."""
    steps = iter(path)
    for step in steps:
        if isinstance(step, syn.Closure):
            rows = repeated(step.path, population, rows)
        elif step.backwards:
            link = next(steps)
            owners = [Row(step.link, i) for i in range(population.tables[step.link].n_rows)]
            rows = [owner for owner in owners if set(targets_of(population, owner, link.link)) & set(rows)]
        else:
            rows = list(dict.fromkeys(far for row in rows for far in targets_of(population, row, step.link)))
    return rows


def repeated(path: syn.DerivedPath, population: Population, rows: list[Row]) -> list[Row]:
    found: list[Row] = []
    fresh = rows
    while fresh:
        fresh = [row for row in walked(path, population, fresh) if row not in found]
        found += fresh
    return found


def computed(expression: syn.Expression, population: Population, row: Row) -> Any:
    """The value of an expression of one row: a number, a date or time with its kind, or None."""
    match expression:
        case int() | float():
            return expression
        case syn.Operand(path, mine):
            at = row.asker if mine else row
            for link in path[:-1]:
                targets = targets_of(population, at, link)
                if not targets:
                    return None
                (at,) = targets
            kind = population.tables[at.type].columns[path[-1]].kind
            value = value_of(population, at, path[-1])
            return (kind, value) if kind in ("date", "time") and value is not None else value
        case syn.Negative(inner):
            value = computed(inner, population, row)
            return None if value is None else -value
        case syn.Absolute(inner):
            value = computed(inner, population, row)
            return None if value is None else abs(value)
        case syn.Arithmetic(left, op, right):
            return _arithmetic(computed(left, population, row), op, computed(right, population, row))


def _arithmetic(one: Any, op: str, other: Any) -> Any:
    if one is None or other is None or (op == "/" and other == 0):
        return None
    if isinstance(one, tuple) or isinstance(other, tuple):
        return _of_moments(one, op, other)
    result = {"+": one + other, "-": one - other, "*": one * other, "/": one / other if other else 0.0}[op]
    return None if math.isnan(result) else result


def _of_moments(one: Any, op: str, other: Any) -> Any:
    """Days between moments, or a moment some days away: all in seconds, except for dates among themselves."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        seconds = _seconds(one) - _seconds(other)
        return seconds / DAY
    moment, days = (one, other) if isinstance(one, tuple) else (other, one)
    days = -days if op == "-" else days
    if moment[0] == "date" and isinstance(days, int):
        return "date", moment[1] + days
    return "time", _seconds(moment) + days * DAY


def _seconds(moment: tuple[str, float]) -> float:
    return moment[1] * DAY if moment[0] == "date" else moment[1]


# ---- random declarations --------------------------------------------------------------------------------

NUMBERS = ("int", "real")
MOMENTS = ("date", "time")


@st.composite
def derived_links(draw, schema, name="derived"):
    """A derived link of any form; what it compares and computes may be missing."""
    start = draw(st.sampled_from(schema.names))
    path, far = draw(paths(schema, start))
    where = draw(st.one_of(st.just(syn.TOP), conditions(schema, far, start)))
    values = draw(st.lists(pair_values(schema, far, start), max_size=2))
    attributes = tuple(syn.Computed(f"value{i}", "", value) for i, value in enumerate(values))
    kind, order = "set", None
    by = [each.name for each in attributes] + [a.name for a in schema.type(far).attributes if a.kind in NUMBERS]
    if by and draw(st.booleans()):
        kind, order = "list", syn.SortedBy(draw(st.sampled_from(by)), draw(st.booleans()))
    return syn.DerivedLink(name, start, kind, far, path, where, attributes, order)


@st.composite
def paths(draw, schema, start):
    """A path of up to three steps, forwards, backwards and repeated, and the type that it leads to."""
    found, at = [], start
    for _ in range(draw(st.integers(1, 3))):
        ways = [((syn.LinkStep(link.name),), link.target) for link in schema.type(at).links]
        ways += [
            ((syn.LinkStep(record.name, backwards=True), syn.LinkStep(link.name)), record.name)
            for record in schema.types
            for link in record.links
            if link.target == at
        ]
        ways += [((syn.Closure(steps),), target) for steps, target in ways if target == at]
        if not ways:
            break
        steps, at = draw(st.sampled_from(ways))
        found += steps
    if not found:
        return draw(st.nothing())
    return tuple(found), at


@st.composite
def conditions(draw, schema, name, asker, depth=2):
    """A condition about rows of a type that may speak of the row that asks."""
    record = schema.type(name)
    forms = [some.predicates(schema, name, 1)]
    comparisons = [
        syn.CompareMine(one, op, mine)
        for one, kind in some.own_values(schema, record).items()
        for mine, other in some.own_values(schema, schema.type(asker)).items()
        for op in some.common_operators(kind, other)
    ]
    forms += [st.sampled_from(comparisons)] * 2 if comparisons else []
    forms += [st.just(syn.Me()), st.just(syn.Not(syn.Me()))] if name == asker else []
    if depth:
        smaller = conditions(schema, name, asker, depth - 1)
        several = st.lists(smaller, min_size=2, max_size=3).map(tuple)
        forms += [several.map(syn.And), several.map(syn.Or), smaller.map(syn.Not)]
        for link in record.links:
            inner = conditions(schema, link.target, asker, depth - 1)
            forms += _behind(link, inner)
        if schema.listed(name):
            forms.append(st.builds(syn.ListStep, st.sampled_from(["next", "previous", "later"]), smaller))
    return draw(st.one_of(forms))


def _behind(link, inner):
    name = st.just(link.name)
    if link.single:
        return [st.builds(syn.Follow, name, inner)]
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    forms = [st.builds(form, name, inner) for form in (syn.Exists, syn.All, syn.No)]
    forms.append(st.builds(syn.Count, name, inner, st.sampled_from([">=", "<="]), st.integers(0, 3)))
    return [*forms, st.builds(syn.Distinct, name, several)]


def pair_values(schema, far, asker=None):
    """An expression of numbers and moments of the far row, and of the row that asks if there is one."""

    def operands(kinds):
        own = [syn.Operand(p) for p, kind in some.own_values(schema, schema.type(far)).items() if kind in kinds]
        if asker is not None:
            mine = some.own_values(schema, schema.type(asker)).items()
            own += [syn.Operand(p, mine=True) for p, kind in mine if kind in kinds]
        return st.sampled_from(own) if own else st.nothing()

    moments = operands(MOMENTS)
    days = st.builds(syn.Arithmetic, moments, st.just("-"), moments)
    numbers = st.recursive(
        st.one_of(st.sampled_from([0, 2, -3, 0.5]), operands(NUMBERS), days),
        lambda inner: st.one_of(
            inner.filter(lambda value: not isinstance(value, int | float)).map(syn.Negative),
            inner.map(syn.Absolute),
            st.builds(syn.Arithmetic, inner, st.sampled_from("+-*/"), inner),
        ),
        max_leaves=4,
    )
    return st.one_of(numbers, st.builds(syn.Arithmetic, moments, st.sampled_from("+-"), st.sampled_from([1, 0.5])))
