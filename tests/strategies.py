"""Random schemas, populations, predicates and grammars for the property tests; small, but with everything in them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, lru_cache, partial
from typing import get_args

import numpy as np
from hypothesis import strategies as st

from structtree.data.population import Adjacency, Column, Population, Table
from structtree.data.schema import NUMERIC, PARTS, WEEKDAYS, Attribute, Kind, Link, RecordType, Schema
from structtree.lang import syntax as syn
from structtree.lang.aggregates import ORDERED, attribute_kinds, computed_attribute
from structtree.lang.pretty import pretty

CATEGORIES = ("p", "q", "r")
NUMBERS = (0.0, 1.0, 2.0, 3.0)
TYPES = ("A", "B", "C")
FUNCTIONS = get_args(syn.AggregateFunction)


# ---- schemas and populations ----------------------------------------------------------------------------


@st.composite
def schemas(draw, max_types=3):
    """Up to three types with attributes of every kind and links of every kind, also to themselves."""
    names = TYPES[: draw(st.integers(1, max_types))]
    return Schema(tuple(draw(record_types(name, names)) for name in names), names[0])


@st.composite
def record_types(draw, name, names):
    kinds = draw(st.lists(st.sampled_from(get_args(Kind)), min_size=1, max_size=3))
    attributes = tuple(_attribute(f"{name.lower()}{i}", kind) for i, kind in enumerate(kinds))
    targets = draw(
        st.lists(st.tuples(st.sampled_from(["set", "list", "one", "optional"]), st.sampled_from(names)), max_size=2)
    )
    links = tuple(Link(f"{name.lower()}_to_{i}", kind, target) for i, (kind, target) in enumerate(targets))
    return RecordType(name, attributes, links)


def _attribute(name, kind):
    return Attribute(name, kind, CATEGORIES if kind == "ordered" else ())


@st.composite
def populations(draw, schema=None, least=1, most=4):
    """A population of a schema, with shared rows, missing values, empty sets and absent references."""
    schema = schema or draw(schemas())
    n_rows = {name: draw(st.integers(least, most)) for name in schema.names}
    in_lists = {name: set() for name in schema.names}
    tables = {}
    for record in schema.types:
        n = n_rows[record.name]
        columns = {a.name: draw(columns_of(a.kind, n)) for a in record.attributes}
        links = {ln.name: draw(adjacencies(ln, n, n_rows[ln.target], in_lists[ln.target])) for ln in record.links}
        tables[record.name] = Table(n, columns, links)
    return Population(schema, tables)


@st.composite
def columns_of(draw, kind, n):
    if kind == "nominal":
        codes = draw(st.lists(st.integers(-1, len(CATEGORIES) - 1), min_size=n, max_size=n))
        return Column(kind, np.array(codes, dtype=np.int32), draw(st.sampled_from([CATEGORIES, CATEGORIES[::-1]])))
    if kind == "bool":
        return Column(kind, np.array(draw(st.lists(st.integers(-1, 1), min_size=n, max_size=n)), dtype=np.int8))
    values = [*_numbers(kind), np.nan] if kind in ("int", "date", "ordered") else [*NUMBERS, 0.5, 1.25, np.nan]
    found = np.array(draw(st.lists(st.sampled_from(values), min_size=n, max_size=n)), dtype=np.float64)
    return Column(kind, found, CATEGORIES if kind == "ordered" else ())


def _numbers(kind):
    return NUMBERS[:3] if kind == "ordered" else NUMBERS


@st.composite
def adjacencies(draw, link, n, n_targets, in_lists):
    """Links of n rows; elements of lists are used up, since each belongs to one list."""
    rows = []
    for _ in range(n):
        free = [t for t in range(n_targets) if link.kind != "list" or t not in in_lists]
        match link.kind:
            case "one":
                rows.append([draw(st.integers(0, n_targets - 1))])
            case "optional":
                rows.append(draw(st.lists(st.integers(0, n_targets - 1), max_size=1)))
            case _:
                chosen = draw(st.lists(st.sampled_from(free), max_size=3, unique=True)) if free else []
                rows.append(chosen)
                if link.kind == "list":
                    in_lists.update(chosen)
    flat = [t for row in rows for t in row]
    return Adjacency.from_lengths([len(row) for row in rows], np.array(flat, dtype=np.int32))


# ---- ground predicates ----------------------------------------------------------------------------------


def predicates(schema, name=None, depth=3):
    """A ground predicate on rows of a type, of any form."""
    return _predicates(schema, name or schema.individual, depth)


@lru_cache(1000)
@st.composite
def _predicates(draw, schema, name, depth):
    """Only the form that is chosen is made: making strategies takes far longer than drawing from them."""
    record = schema.type(name)
    forms = [syn.Top, *(partial(draw, form) for a in record.attributes for form in literals_of(a))]
    if comparisons := own_comparisons(schema, record):
        forms.append(lambda: _pick(draw, comparisons))
    if depth > 0:
        smaller = partial(draw, _predicates(schema, name, depth - 1))
        forms += [
            lambda: syn.And(_some(draw, smaller, 2, 3)),
            lambda: syn.Or(_some(draw, smaller, 2, 3)),
            lambda: syn.Not(smaller()),
        ]
        if schema.listed(name):
            forms.append(lambda: syn.ListStep(_pick(draw, ("next", "previous", "later")), smaller()))
        forms += [form for link in record.links for form in _linked(draw, schema, link, depth - 1)] * 3
    return _pick(draw, forms)()


@cache
def _below(n):
    return st.integers(0, n - 1)


def _pick(draw, values):
    return values[draw(_below(len(values)))]


def _some(draw, one, least, most):
    """A tuple of several things that a function draws."""
    return tuple(one() for _ in range(least + draw(_below(most - least + 1))))


def own_comparisons(schema, record):
    """All comparisons of two values of a row, also behind one reference."""
    values = own_values(schema, record)
    return [
        syn.CompareOwn(one, op, other)
        for one, kind in values.items()
        for other, other_kind in values.items()
        for op in common_operators(kind, other_kind)
        if one != other and not (len(one) == len(other) == 2 and one[0] == other[0])
    ]


def own_values(schema, record):
    """The attributes of a row and of the rows that its references lead to, each with its kind, by path."""
    own = {(a.name,): a.kind for a in record.attributes}
    behind = {
        (link.name, a.name): a.kind
        for link in record.links
        if link.single
        for a in schema.type(link.target).attributes
    }
    return own | behind


def common_operators(kind, other):
    """The comparisons that are for two kinds."""
    equal = ["=", "!="]
    for kinds, operators in [
        ({"bool"}, equal),
        ({"ordered"}, [*equal, ">=", "<="]),
        ({"nominal", "ordered"}, equal),
        ({"int", "real"}, [*equal, ">=", "<="]),
        ({"date", "time"}, [*equal, ">=", "<="]),
    ]:
        if {kind, other} <= kinds:
            return operators
    return []


@cache
def literals_of(attribute):
    """Strategies for the literals about an attribute, one for each form."""
    name = attribute.name
    missing = st.just(syn.Missing(name))
    match attribute.kind:
        case "bool":
            return (st.builds(syn.Flag, st.just(name), st.booleans()), missing)
        case "nominal":
            value = st.sampled_from((*CATEGORIES, "unseen"))
            several = st.lists(value, min_size=1, max_size=3, unique=True)
            return (
                st.builds(syn.Compare, st.just(name), st.sampled_from(["=", "!="]), value),
                several.map(lambda values: syn.Among(name, tuple(sorted(values)))),
                missing,
            )
        case _:
            kind = attribute.kind
            numbers = [
                number if kind == "int" else syn.written(number, kind, CATEGORIES) for number in _numbers(kind)
            ]
            value = st.sampled_from(numbers)
            within = st.tuples(value, value, st.booleans()).map(
                lambda t: syn.Within(name, min(t[:2]), max(t[:2]), t[2])
            )
            return (
                st.builds(syn.Compare, st.just(name), st.sampled_from(["=", "!=", ">=", "<="]), value),
                st.lists(value, min_size=1, max_size=3, unique=True).map(lambda v: syn.Among(name, tuple(sorted(v)))),
                missing if kind == "ordered" else within,
                missing,
                *(part_literals(name, kind) if kind in ("date", "time") else ()),
            )


def part_literals(name, kind):
    """Tests of the parts of a date or time of the first days of 1970."""
    weekdays = st.integers(2, 6).map(lambda day: syn.written(float(day), "ordered", WEEKDAYS))
    others = st.sampled_from([part for part, kinds in PARTS.items() if part != "weekday" and kind in kinds])
    operators = st.sampled_from(["=", "!=", ">=", "<="])
    return (
        st.builds(syn.Compare, st.just(syn.DatePart(f"{name}.weekday")), operators, weekdays),
        st.builds(
            syn.Compare,
            others.map(lambda part: syn.DatePart(f"{name}.{part}")),
            operators,
            st.integers(0, 4),
        ),
    )


def _linked(draw, schema, link, depth):
    """Functions that draw a predicate about the rows behind a link, one for each form."""
    inner = partial(draw, _predicates(schema, link.target, depth))
    name = link.name

    def perhaps():
        return inner() if draw(st.booleans()) else None

    if link.single:
        forms = [lambda: syn.Follow(name, inner())]
        return [*forms, lambda: syn.Missing(name)] if link.kind == "optional" else forms
    forms = [
        lambda: syn.Exists(name, inner()),
        lambda: syn.All(name, inner()),
        lambda: syn.No(name, inner()),
        lambda: syn.Count(name, inner(), _pick(draw, (">=", "<=")), draw(_below(4))),
        lambda: syn.Distinct(name, _some(draw, inner, 1, 3)),
    ]
    for function in _fitting(schema, link, FUNCTIONS):
        forms.append(partial(_aggregate, draw, schema, link, inner if function == "share" else perhaps, function))
    if link.kind == "list":
        forms.append(lambda: syn.ListStep(_pick(draw, ("first", "last")), inner(), name))
    return forms


def aggregates_of(schema, link, inner, functions=FUNCTIONS):
    """Aggregates of every function that fits the rows behind a link, with any condition and any order."""
    return [_aggregates(schema, link, inner, function) for function in _fitting(schema, link, functions)]


@st.composite
def _aggregates(draw, schema, link, inner, function):
    return _aggregate(
        draw, schema, link, partial(draw, inner.filter(bool) if function == "share" else inner), function
    )


def _fitting(schema, link, functions):
    """The functions for which the rows behind a link have an attribute, and an order if there must be one."""
    attributes = schema.type(link.target).attributes
    return [
        function
        for function in functions
        if function == "share"
        or (
            any(a.kind in attribute_kinds(function) for a in attributes)
            and (function not in ORDERED or _orders(attributes, link, function))
        )
    ]


def _orders(attributes, link, function):
    """What rows may be sorted by; a trend needs numbers, of which one can take differences."""
    kinds = set(NUMERIC) - {"ordered"} if function == "trend" else NUMERIC
    return [a.name for a in attributes if a.kind in kinds] + [None] * (link.kind == "list")


def _aggregate(draw, schema, link, inner, function):
    """An aggregate of rows that a function draws the condition of."""
    target, bound = schema.type(link.target), _pick(draw, (">=", "<="))
    if function == "share":
        return syn.Aggregate("share", link.name, None, bound, _pick(draw, (0.0, 0.5, 1.0)), inner())
    taken = [a.name for a in target.attributes if a.kind in attribute_kinds(function)]
    order = _pick(draw, _orders(target.attributes, link, function)) if function in ORDERED else None
    test = syn.Aggregate(function, link.name, _pick(draw, taken), bound, 0.0, inner(), order)
    made = computed_attribute(test, target)
    if made.kind == "nominal":
        words = made.values or (*CATEGORIES, "unseen")
        return replace(test, op=_pick(draw, ("=", "!=")), value=_pick(draw, words))
    operators = ("=", "!=", ">=", "<=") if function in ("latest", "earliest") else (">=", "<=")
    number = _pick(draw, _numbers(made.kind))
    value = int(number) if made.kind == "int" else syn.written(number, made.kind, CATEGORIES)
    return replace(test, op=_pick(draw, operators), value=value)


# ---- grammars -------------------------------------------------------------------------------------------


@st.composite
def grammars(draw, schema, *, closed_forms=True, one_at_a_time=False):
    """The text of a grammar for a schema: some rewrites for every type, conjunctions, small limits.

    If one at a time, there is nothing but rewrites from ``top`` to one literal, which stands alone.
    """
    defined = [f"define {call} = {body}" for record in schema.types for call, body, _ in definitions(schema, record)]
    blocks = [draw(blocks_of(schema, record, closed_forms, one_at_a_time)) for record in schema.types]
    limits = f"limits {{ nesting {draw(st.integers(1, 2))}, literals {draw(st.integers(2, 4))} }}"
    return "\n".join([*defined, *blocks, limits])


@st.composite
def blocks_of(draw, schema, record, closed_forms, one_at_a_time):
    offered = [r for a in record.attributes for r in attribute_rewrites(a)]
    offered += own_rewrites(schema, record)
    offered += [r for link in record.links for r in link_rewrites(schema, link, closed_forms)]
    if schema.listed(record.name):
        offered += ["next (top)", "previous (top)", "later (top)"]
    offered += [r for _, _, asked in definitions(schema, record) for r in asked]
    chosen = draw(st.lists(st.sampled_from(offered), min_size=1, max_size=4, unique=True))
    lines = [f"top -> {right}" for right in without_overlap(chosen)]
    if one_at_a_time:
        return f"refine {record.name} {{ {'; '.join(lines)} }}"
    conjuncts = draw(st.integers(1, 3))
    if conjuncts > 1:
        lines.append(f"top -> top and top max {conjuncts}")
    nominal = next((a.name for a in record.attributes if a.kind == "nominal"), None)
    if nominal and draw(st.booleans()):
        source = draw(st.sampled_from(["= *", "in *"]))
        lines += [f"top -> {nominal} in {{p, q}}", f"{nominal} in {{p, q}} -> {nominal} {source}"]
    if draw(st.sampled_from([False, False, True])):
        lines += draw(bundles_of(record, offered))
    return f"refine {record.name} {{ {'; '.join(lines)} }}"


@st.composite
def bundles_of(draw, record, offered):
    """Rewrites with conjunctions: on the right side, and on both sides."""
    pairs = st.lists(st.sampled_from(offered), min_size=2, max_size=2, unique=True)
    lines = [f"top -> {' and '.join(draw(pairs))}{draw(st.sampled_from(['', ' and top']))}"]
    lefts = [ground_test(attribute) for attribute in record.attributes]
    left = draw(st.lists(st.sampled_from(lefts), min_size=1, max_size=2, unique=True))
    more = draw(st.sampled_from(offered))
    if more not in left and draw(st.booleans()):
        lines.append(f"{' and '.join(left)} -> {' and '.join([*left, more])}")
    return lines


def ground_test(attribute):
    one = {"date": "1970-01-02", "time": "1970-01-01 00:00:01", "ordered": "q"}.get(attribute.kind, "1")
    ground = {"bool": attribute.name, "nominal": f"{attribute.name} = p"}
    return ground.get(attribute.kind, f"{attribute.name} >= {one}")


def definitions(schema, record):
    """Definitions with parameters: their heads, their bodies, and right sides that call them."""
    for attribute in record.attributes:
        name, own = attribute.name, own_name(record, attribute.name)
        if attribute.kind == "nominal":
            yield f"is_{own}(v): {record.name}", f"{name} in {{p, v}}", [f"is_{own}(*)", f"is_{own}({{q, r}})"]
            yield f"no_{own}(v): {record.name}", f"not ({name} = v)", [f"no_{own}(*)"]
        elif attribute.kind != "bool":
            yield f"from_{own}(t): {record.name}", f"{name} >= t or missing {name}", [f"from_{own}(*)"]
    for link in record.links:
        inner, name, own = schema.type(link.target).attributes[0], link.name, own_name(record, link.name)
        if inner.kind == "nominal" and not link.single:
            body = f"count {name} ({inner.name} = v) >= n"
            yield f"some_{own}(v, n): {record.name}", body, [f"some_{own}(*, 1..2)", f"some_{own}(p, *)"]
        elif inner.kind == "nominal":
            yield f"at_{own}(v): {record.name}", f"{name}.{inner.name} = v", [f"at_{own}(*)"]


def own_name(record, member):
    """A name that no member of another type has: pairs of derived links have copies of members of others."""
    return member if member.startswith(record.name.lower()) else f"{record.name}_{member}"


def attribute_rewrites(attribute):
    name = attribute.name
    match attribute.kind:
        case "bool":
            return [name, f"not {name}", f"missing {name}"]
        case "nominal":
            return [f"{name} = *", f"{name} != *", f"{name} in {{p, r}}", f"{name} in *", f"missing {name}"]
        case "int":
            return [
                f"{name} >= *",
                f"{name} <= *",
                f"{name} = {{1, 2}}",
                f"{name} >= 1..2",
                f"{name} in bins(2)",
            ]
        case "ordered":
            return [f"{name} >= *", f"{name} <= *", f"{name} = *", f"{name} >= {{q}}", f"{name} >= quantiles(2)"]
        case "date" | "time":
            several = [f"{name} >= {{1970-01-02, 1970-01-03}}", f"{name} = *"]
            several += [f"{name}.weekday >= *", f"{name}.weekday = *", f"{name}.day >= *", f"{name}.month = *"]
            return [f"{name} >= *", f"{name} <= *", f"{name} in bins(3)", f"{name} >= quantiles(3)", *several]
        case _:
            return [f"{name} >= *", f"{name} <= *", f"{name} in bins(3)", f"{name} >= quantiles(3)"]


def own_rewrites(schema, record):
    """Comparisons of two values, one by one and by globs; at most as many as there are other rewrites."""
    every = [pretty(test) for test in own_comparisons(schema, record)]
    globs = ["* = its *", "* >= its *", "* != its *", f"{record.attributes[0].name} <= its *"]
    return [*every[:: 1 + len(every) // 8], *globs] if every else []


def open_aggregates(schema, link, fixed="top"):
    """Aggregates that are refined inside; with another condition each is the same but for that."""
    name, inner = link.name, schema.type(link.target).attributes[0]
    forms = [f"distinct {name} (top).{inner.name} >= *", f"share {name} (top) >= *"]
    if inner.kind in ("int", "real", "date", "time"):
        forms += [f"max {name} (top).{inner.name} >= *", f"min {name} ({fixed} and top).{inner.name} <= *"]
        forms += [f"range {name} (top).{inner.name} >= *"]
    return forms


def without_overlap(rights):
    """The right sides of rewrites without aggregates of which others refine the condition: those are refused."""
    about = [tuple(word.partition(".")[0] for word in right.split()[:2]) for right in rights]
    opened = {pair for pair, right in zip(about, rights, strict=True) if " top)" in right or "(top)" in right}
    opened = {pair for pair in opened if pair[0] in FUNCTIONS}
    is_plain = [" top)" not in right and "(top" not in right for right in rights]
    return [r for r, pair, plain in zip(rights, about, is_plain, strict=True) if pair not in opened or not plain]


def aggregate_rewrites(schema, link, fixed):
    """A rewrite or two for each function that fits, with a condition or without."""
    target = schema.type(link.target)
    rows = [link.name, f"{link.name} ({fixed})"]
    forms = [f"share {rows[1]} >= *", f"share {rows[1]} <= {{0.5}}"]
    for attribute in target.attributes:
        for i, function in enumerate(FUNCTIONS):
            if function == "share" or attribute.kind not in attribute_kinds(function):
                continue
            orders = [a.name for a in target.attributes if a.kind in ("int", "real", "date", "time")]
            if function not in ORDERED:
                by = ""
            elif orders:
                by = f" by {orders[0]}"
            elif link.kind == "list":
                by = ""
            else:
                continue
            made = computed_attribute(syn.Aggregate(function, link.name, attribute.name, ">=", 0.0), target)
            source = "= *" if made.kind == "nominal" else (">= *", "<= *", ">= quantiles(2)")[i % 3]
            forms.append(f"{function} {rows[i % 2]}.{attribute.name}{by} {source}")
    return forms


def link_rewrites(schema, link, closed_forms):
    name = link.name
    inner = schema.type(link.target).attributes[0]
    value = {"bool": inner.name, "nominal": f"{inner.name} = *"}.get(inner.kind, f"{inner.name} >= *")
    fixed = ground_test(inner)
    if link.single:
        forms = [f"{name} (top)", f"{name}.{value}", f"{name} ({fixed} and top)"]
        return [*forms, f"missing {name}"] if link.kind == "optional" else forms
    forms = [
        f"exists {name} (top)",
        f"all {name} (top)",
        f"count {name} (top) >= 2..3",
        f"count {name} (top) >= {{-1, 0, 2}}",
        f"distinct {name} (top, top)",
        f"exists {name} ({value} and top)",
        f"exists {name} ({fixed})",
    ]
    forms += open_aggregates(schema, link, fixed)
    if closed_forms:
        forms += [f"none {name} ({fixed})", f"count {name} ({fixed}) <= {{0, 1}}"]
        forms += aggregate_rewrites(schema, link, fixed)
    if inner.kind in ("int", "real", "date", "time"):
        forms.append(f"max {name}.{inner.name} >= *")
    if link.kind == "list":
        forms += [f"first {name} (top)", f"last {name} ({fixed})"]
    return forms
