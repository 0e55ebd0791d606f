"""Random syntax trees of the kind the parser makes: odd names, odd values, every node."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from hypothesis import strategies as st

from structtree.data.dates import moment_of
from structtree.data.readers.facts.signatures import Argument, Signature
from structtree.data.schema import Attribute, Link
from structtree.lang import syntax as syn
from structtree.lang.calls import as_calls
from structtree.lang.pretty import RESERVED

plain_names = st.from_regex(r"[a-zé_][a-z0-9_]{0,4}", fullmatch=True)
odd_names = st.sampled_from([*sorted(RESERVED), "date", "time"])
names = st.one_of(plain_names, odd_names, st.text(max_size=5))
globs = st.from_regex(r"([a-z0-9_]{1,2}[*?]|\*|\?[a-z*])[a-z0-9_*?]{0,2}", fullmatch=True).map(syn.Glob)
attributes = st.one_of(names, names, globs)
numbers = st.one_of(st.integers(), st.floats(allow_nan=False))
moments = st.one_of(
    st.dates().map(lambda day: syn.Day(day.toordinal() - date(1970, 1, 1).toordinal())),
    st.datetimes().map(lambda moment: syn.Instant(moment_of(moment))),
)
words = st.one_of(names, st.characters(exclude_categories=[]).map(lambda sign: f"a{sign}"))
scalars = st.one_of(words, numbers, moments)
ends = st.one_of(st.floats(allow_nan=False), moments)
listed = st.lists(scalars, min_size=1, max_size=4).map(tuple)
small = st.integers(1, 100_000)
ranges = st.tuples(st.integers(-50, 50), st.integers(0, 50)).map(lambda pair: syn.Range(pair[0], pair[0] + pair[1]))
sources = st.one_of(
    st.just(syn.Star()),
    st.builds(syn.Bins, small),
    st.builds(syn.Quantiles, small),
    st.builds(syn.Listed, listed),
    ranges,
)
bounds = st.sampled_from([">=", "<="])

value_paths = st.tuples(st.lists(names, max_size=2), attributes).map(lambda parts: (*parts[0], parts[1]))


def is_parsed_so(test):
    """Whether the two values do not stand behind the same reference: there they are compared behind it."""
    one, other = test.sides
    return not (len(one) > 1 and len(other) > 1 and one[0] == other[0])


tests = st.one_of(
    st.just(syn.Me()),
    st.builds(syn.CompareMine, value_paths, st.sampled_from(["=", "!=", ">=", "<="]), value_paths),
    st.builds(syn.Flag, attributes, st.booleans()),
    st.builds(syn.Compare, attributes, st.sampled_from(["=", "!=", ">=", "<="]), st.one_of(scalars, sources)),
    st.builds(syn.Among, attributes, listed.map(syn.sort_scalars)),
    st.builds(syn.Among, attributes, source=st.just(syn.Star())),
    st.builds(syn.Within, attributes, ends, ends, st.booleans()),
    st.builds(syn.Within, attributes, source=st.one_of(st.builds(syn.Bins, small), st.builds(syn.Quantiles, small))),
    st.builds(syn.Missing, attributes),
    st.builds(syn.CompareOwn, value_paths, st.sampled_from(["=", "!=", ">=", "<="]), value_paths).filter(
        is_parsed_so
    ),
)


def aggregates(inner):
    """Aggregates of every function; a condition is a predicate or none."""
    condition = st.one_of(st.none(), inner)
    ordered = st.one_of(st.none(), names)
    plain, share = ["sum", "mean", "min", "max", "range", "deviation", "distinct"], st.just("share")
    values = st.one_of(numbers, moments, names, sources)
    equal = st.sampled_from(["=", "!=", ">=", "<="])
    return st.one_of(
        st.builds(syn.Aggregate, st.sampled_from(plain), names, attributes, bounds, values, condition),
        st.builds(syn.Aggregate, st.just("trend"), names, attributes, bounds, values, condition, ordered),
        st.builds(
            syn.Aggregate,
            st.sampled_from(["latest", "earliest"]),
            names,
            attributes,
            equal,
            st.one_of(words, values),
            condition,
            ordered,
        ),
        st.builds(syn.Aggregate, share, names, st.none(), bounds, values, inner),
    )


# One word in brackets is parsed as what stands behind a reference; see `grammars`.
lone_arguments = st.one_of(numbers, moments, sources.filter(lambda source: source != syn.Star()))
several_arguments = st.lists(st.one_of(scalars, sources), min_size=2, max_size=3)
calls = st.builds(
    lambda name, arguments: syn.Named(name, arguments=tuple(arguments)),
    names,
    st.one_of(st.tuples(lone_arguments), several_arguments),
)


def _flat(inner, kind):
    """Conjunctions or disjunctions as the parser makes them: not directly inside their like."""

    def build(parts):
        return kind(tuple(p for part in parts for p in (part.parts if isinstance(part, kind) else (part,))))

    return st.lists(inner, min_size=2, max_size=3).map(build)


def _larger(inner):
    return st.one_of(
        st.builds(syn.Follow, names, inner),
        st.builds(syn.ListStep, st.sampled_from(["next", "previous", "later"]), inner),
        st.builds(syn.ListStep, st.sampled_from(["first", "last"]), inner, names),
        st.builds(syn.Exists, names, inner),
        st.builds(syn.All, names, inner),
        st.builds(syn.No, names, inner),
        st.builds(syn.Count, names, inner, bounds, st.one_of(st.integers(), names, sources)),
        st.builds(syn.Distinct, names, st.lists(inner, min_size=1, max_size=3).map(tuple)),
        _flat(inner, syn.And),
        _flat(inner, syn.Or),
        st.builds(syn.Not, inner),
        aggregates(inner),
    )


predicates = st.recursive(st.one_of(st.just(syn.Top()), tests, aggregates(tests), calls), _larger, max_leaves=8)

# ---- derived links and computed attributes

plain_paths = st.lists(names, min_size=1, max_size=3).map(tuple)
expressions = st.recursive(
    st.one_of(st.integers(), st.floats(allow_nan=False), st.builds(syn.Operand, plain_paths, st.booleans())),
    lambda inner: st.one_of(
        inner.filter(lambda value: not isinstance(value, int | float)).map(syn.Negative),
        st.builds(syn.Absolute, inner),
        st.builds(syn.Arithmetic, inner, st.sampled_from("+-*/"), inner),
    ),
    max_leaves=6,
)
steps = st.builds(syn.LinkStep, names, st.booleans())
closures = st.lists(steps, min_size=1, max_size=2).map(lambda path: syn.Closure(tuple(path)))
link_paths = st.lists(st.one_of(steps, closures), min_size=1, max_size=3).map(tuple)

lengths = st.integers(3, 8)
"""Lengths of cycles."""

BOTH = syn.And((syn.Top(), syn.Top()))


def _rewrite(left, right, cost):
    is_plain = (left, right) != (syn.Top(), BOTH)
    return syn.Rewrite(left, right, None if is_plain else 0, cost=cost if is_plain else None)


costs = st.one_of(st.none(), st.none(), small)
conjunctions = st.integers(0, 100_000).map(lambda most: syn.Rewrite(syn.Top(), BOTH, most))
rewrites = st.one_of(conjunctions, st.builds(_rewrite, predicates, predicates, costs))
docs = st.one_of(st.none(), st.text(max_size=10))
kinds = st.sampled_from(["bool", "int", "real", "date", "time", "nominal"])


@st.composite
def type_declarations(draw, name):
    members = draw(st.lists(names, max_size=4, unique=True))
    found = [draw(_member(member)) for member in members]
    return syn.TypeDeclaration(
        name,
        tuple(member for member in found if isinstance(member, Attribute)),
        tuple(member for member in found if isinstance(member, Link)),
    )


def _member(name):
    categories = st.lists(words, min_size=1, max_size=3, unique=True).map(tuple)
    return st.one_of(
        st.builds(Attribute, st.just(name), kinds),
        st.builds(Attribute, st.just(name), st.just("nominal"), categories),
        st.builds(Attribute, st.just(name), st.just("ordered"), categories.filter(lambda found: len(found) > 1)),
        st.builds(Link, st.just(name), st.sampled_from(["set", "list", "one", "optional"]), names),
    )


def _functions(name):
    """A function that gives values, or rows."""
    link = st.builds(Link, st.just(name), st.sampled_from(["set", "list", "one", "optional"]), names)
    return st.one_of(
        st.builds(syn.Function, st.just(name), names, kinds, docs),
        st.builds(syn.Function, st.just(name), names, st.none(), docs, link),
    )


def derived_links(name):
    own = st.lists(st.tuples(names, expressions), max_size=2, unique_by=lambda pair: pair[0])
    return st.builds(
        syn.DerivedLink,
        st.just(name),
        names,
        st.sampled_from(["set", "list", "optional"]),
        names,
        link_paths,
        predicates,
        own.map(lambda pairs: tuple(syn.Computed(attribute, "", value) for attribute, value in pairs)),
        st.one_of(st.none(), st.builds(syn.SortedBy, names, st.booleans())),
        docs,
    )


def _with_calls(block, called):
    rewrites = (replace(r, left=as_calls(r.left, called), right=as_calls(r.right, called)) for r in block.rewrites)
    return replace(block, rewrites=tuple(rewrites))


arguments = st.one_of(
    st.builds(Argument, st.sampled_from(["_", "a", "order"]), is_list=st.booleans()),
    st.builds(Argument, st.sampled_from(["T", "Car", "Odd name"]), role=st.one_of(st.none(), st.just("to"))),
)


def signatures(name):
    """Signatures of facts; some have a key, some are read both ways."""
    some = st.lists(arguments, max_size=3).map(tuple)
    plain = st.builds(Signature, st.just(name), some, st.booleans(), st.sampled_from(["", "one way"]))
    both = st.just(Signature(name, (Argument("Car", is_key=True), Argument("Car", role="to")), direction="both ways"))
    return st.one_of(plain, both)


@st.composite
def grammars(draw):
    def several(make):
        return tuple(draw(make(name)) for name in draw(st.lists(names, max_size=2, unique=True)))

    parameters = st.lists(names, max_size=2, unique=True).map(tuple)
    definitions = several(lambda name: st.builds(syn.Definition, st.just(name), names, predicates, docs, parameters))
    blocks = draw(st.lists(st.builds(syn.RefineBlock, names, st.lists(rewrites, max_size=4).map(tuple)), max_size=2))
    called = {definition.name for definition in definitions if definition.parameters}
    return syn.GrammarSyntax(
        name=draw(st.one_of(st.none(), names, st.just("multi-instance"))),
        doc=draw(docs),
        types=several(type_declarations),
        individual=draw(st.one_of(st.none(), names)),
        definitions=tuple(replace(one, body=as_calls(one.body, called)) for one in definitions),
        functions=several(_functions),
        computed=several(lambda name: st.builds(syn.Computed, st.just(name), names, expressions, docs)),
        links=tuple(replace(one, where=as_calls(one.where, called)) for one in several(derived_links)),
        blocks=tuple(_with_calls(block, called) for block in blocks),
        limits=draw(st.builds(syn.GrammarLimits, *[st.one_of(st.none(), small)] * 3)),
        cycles=several(lambda name: st.builds(syn.CycleCount, st.just(name), names, link_paths, lengths, docs)),
        equalities=several(lambda name: st.builds(syn.LinkEquality, st.just(name), names, names, names, docs)),
        facts=several(lambda name: signatures(name).map(syn.FactDeclaration)),
    )
