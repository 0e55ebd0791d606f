"""A grammar for any schema, as text that a person would be happy to edit.

It asks about every attribute and follows every link, a few steps deep: enough to begin with, and each block says
how to change it. A table without links gets the questions of an ordinary decision tree, one test at a time. Where
there is data too, its profile says which attributes only identify rows and which numbers have too many thresholds.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from structtree.data.as_of import DAYS_BEFORE
from structtree.data.profile import Member, MemberPair, Profile
from structtree.data.schema import NUMERIC, Attribute, Kind, Link, RecordType, Schema
from structtree.lang import syntax as syn
from structtree.lang.pretty import pretty_grammar, pretty_name

__all__ = ["derive_grammar"]

MANY_CATEGORIES = 50
"""Without data, a nominal attribute that declares more values than this is taken for an identifier, and left out."""

N_QUANTILES = 100
"""At so many quantiles a number is asked that has too many values to ask every threshold."""

MANY_AGGREGATED = 6
"""More numbers than this behind one link are not added up or averaged; twice as many of an individual's history."""

MANY_DATES = 3
"""Of more dates of a type than this no weekdays and months are asked."""

MANY_ATTRIBUTES = 20
"""More attributes of one kind than this are asked about with a glob."""


def derive_grammar(schema: Schema, name: str | None = None, profile: Profile | None = None) -> str:
    """Return the text of a grammar that fits a schema.

    Parameters
    ----------
    schema : Schema
    name : str, optional
        The name of the grammar; without it the file begins with its docstring.
    profile : Profile, optional
        What data of that schema says about its attributes.

    Examples
    --------
    >>> car = RecordType("Car", (Attribute("long", "bool"), Attribute("wheels", "int")))
    >>> print(derive_grammar(Schema((RecordType("Train", (), (Link("cars", "list", "Car"),)), car), "Train")))
    "Derived from the data: the attributes and links of Train, Car."
    <BLANKLINE>
    individual Train
    ...
    refine Car {
        # Flags: true, or false.
        top -> long
        top -> not long
    ...
    """
    types = _reachable(schema, profile)
    names = ", ".join(record.name for record in types[:5]) + (" ..." if len(types) > 5 else "")
    doc = f"Derived from the data: the attributes and links of {names}."
    paragraphs = [
        pretty_grammar(syn.GrammarSyntax(name, doc, individual=schema.individual)).rstrip(),
        *(_block(record, schema, profile) for record in types),
        _LIMITS if any(record.links or schema.listed(record.name) for record in types) else "",
    ]
    return "\n\n".join(filter(None, paragraphs)) + "\n"


def _together(record: RecordType, schema: Schema, profile: Profile | None) -> tuple[str, ...]:
    """Say how many tests may stand together at a position of a type."""
    if _is_flat(schema):
        return _ALONE
    is_alone = profile is not None and profile.is_large and record not in _behind_sets(schema, profile)
    return _ALONE_OF_MANY if is_alone else _TOGETHER


def _behind_sets(schema: Schema, profile: Profile) -> list[RecordType]:
    """The types of which an individual may reach several rows: there tests of one row cannot be asked one by one."""
    types = _reachable(schema, profile)
    found = [schema.type(link.target) for record in types for link in _followed(record, profile) if not link.single]
    found += [record for record in types if schema.listed(record.name)]
    for record in found:  # grows while it is read
        targets = dict.fromkeys(link.target for link in _followed(record, profile))
        found += [schema.type(target) for target in targets if schema.type(target) not in found]
    return found


_TOGETHER = ("# How many of these may stand together at one position.", "top -> top and top max 2")
_ALONE = ("# One at a time, as in an ordinary decision tree; for two at once write: top -> top and top max 2",)
_ALONE_OF_MANY = (
    "# One at a time, since the individuals are very many; for two at once write: top -> top and top max 2",
)
_LIMITS = """\
# How many links deep a predicate may look, and how many tests and links it may have in all.
limits { nesting 4, literals 6 }"""


def _reachable(schema: Schema, profile: Profile | None) -> list[RecordType]:
    """The types that links lead to from the individual, nearest first."""
    found = [schema.type(schema.individual)]
    for record in found:  # grows while it is read
        targets = dict.fromkeys(link.target for link in _followed(record, profile))
        found += [schema.type(target) for target in targets if schema.type(target) not in found]
    return found


def _is_flat(schema: Schema) -> bool:
    """Tell whether there is nothing but the attributes of the individuals to ask about."""
    return not schema.type(schema.individual).links and not schema.listed(schema.individual)


def _block(record: RecordType, schema: Schema, profile: Profile | None) -> str:
    """The refine block of a type; none when there is nothing to ask."""
    identifiers, absolute = _identifiers(record, schema, profile), _absolute(record, profile)
    parts = [
        _flags(_of_kind(record, "bool")),
        _categories(_of_kind(record, "nominal"), identifiers),
        _numbers(_of_kind(record, *NUMERIC), identifiers | absolute, _many_valued(record, profile)),
        _parts(_of_kind(record, "date", "time"), identifiers),
        _comparisons(record, profile),
        _links(_followed(record, profile)),
        _aggregates(record, schema, profile),
        ["# The element after this one, in its list.", "top -> next (top)"] if schema.listed(record.name) else [],
    ]
    why = f"more than {MANY_CATEGORIES} values" if profile is None else "differs from row to row"
    names = ", ".join(pretty_name(a.name) for a in record.attributes if a.name in identifiers)
    left_out = [f"# not asked: {names} ({why})"] if names else []
    dates = ", ".join(pretty_name(a.name) for a in record.attributes if a.name in absolute)
    left_out += [f"# not asked: {dates} (how long ago it was says more about new individuals)"] if dates else []
    if profile is not None:
        left_out += _left_out(record, profile.crowded, "individuals reach too many rows by it")
        left_out += _left_out(record, profile.returning, "it leads back to where one came from")
    if not any(parts):
        return "\n".join(left_out)
    lines = [line for part in [*parts, left_out, _together(record, schema, profile)] for line in part]
    return f"refine {pretty_name(record.name)} {{\n" + "".join(f"    {line}\n" for line in lines) + "}"


def _identifiers(record: RecordType, schema: Schema, profile: Profile | None) -> frozenset[str]:
    """The attributes that are not asked about; without data, those that declare very many values."""
    if profile is not None:
        return frozenset(a.name for a in record.attributes if Member(record.name, a.name) in profile.identifiers)
    many = frozenset(a.name for a in record.attributes if len(a.values) > MANY_CATEGORIES)
    is_all = not record.links and not schema.listed(record.name) and len(many) == len(record.attributes)
    return frozenset() if is_all else many  # better a question too many than none


def _absolute(record: RecordType, profile: Profile | None) -> frozenset[str]:
    """Return the dates and years of a type that are not asked for themselves."""
    members = frozenset() if profile is None else profile.absolute
    return frozenset(member.attribute for member in members if member.type == record.name)


def _many_valued(record: RecordType, profile: Profile | None) -> frozenset[str]:
    members = frozenset() if profile is None else profile.many_valued
    return frozenset(member.attribute for member in members if member.type == record.name)


def _of_kind(record: RecordType, *kinds: Kind) -> list[Attribute]:
    return [attribute for attribute in record.attributes if attribute.kind in kinds]


def _flags(attributes: list[Attribute]) -> list[str]:
    lines = [line for name in _names(attributes) for line in (f"top -> {name}", f"top -> not {name}")]
    return _section("Flags: true, or false.", lines)


def _categories(attributes: list[Attribute], identifiers: frozenset[str]) -> list[str]:
    lines = [f"top -> {name} = *" for name in _names(attributes, identifiers)]
    return _section("Categories, one at a time; for sets of them write in * instead of = *", lines)


def _numbers(attributes: list[Attribute], identifiers: frozenset[str], many_valued: frozenset[str]) -> list[str]:
    fine = _names(attributes, identifiers | many_valued)
    coarse = [pretty_name(a.name) for a in attributes if a.name in many_valued]
    every = [f"top -> {name} {op} *" for name in fine for op in (">=", "<=")]
    some = [f"top -> {name} {op} quantiles({N_QUANTILES})" for name in coarse for op in (">=", "<=")]
    what = _what(attributes)
    return [
        *_section(f"{what}, at every threshold; for fewer write quantiles(10) instead of *", every),
        *_section(f"{what} with very many values; for every threshold write * instead of quantiles", some),
    ]


def _parts(attributes: list[Attribute], identifiers: frozenset[str]) -> list[str]:
    """Return the rewrites about parts of dates, a date a line."""
    dates = [a for a in attributes if a.name not in identifiers]
    lines = []
    for date in dates if len(dates) <= MANY_DATES else ():
        parts = ("weekday", "month", *(["hour"] if date.kind == "time" else []))
        names = [f"{pretty_name(date.name)}.{part}" for part in parts]
        lines += ["; ".join(f"top -> {name} {op} *" for op in ("=", ">=")) for name in names]
    return _section("Parts of dates; there are also day and year.", lines)


def _comparisons(record: RecordType, profile: Profile | None) -> list[str]:
    """Return the rewrites that compare two attributes, a pair a line; without data nobody knows which to compare."""
    pairs = () if profile is None else profile.comparable
    lines = ["; ".join(_pair(pair, record)) for pair in pairs if pair.type == record.name]
    return _section("Two values of a row compared; for every pair write * = its * and * >= its *", lines)


def _pair(pair: MemberPair, record: RecordType) -> Iterator[str]:
    attribute = record.attribute(pair.one)
    assert attribute is not None
    one, other = pretty_name(pair.one), pretty_name(pair.other)
    if attribute.kind in ("nominal", "int", "ordered"):
        yield f"top -> {one} = its {other}"
    if attribute.kind != "nominal":
        yield f"top -> {one} >= its {other}"
        yield f"top -> {other} >= its {one}"


def _what(attributes: list[Attribute]) -> str:
    """Return what attributes with thresholds are: numbers, dates, ordered categories."""
    names = {"int": "numbers", "real": "numbers", "date": "dates", "time": "times", "ordered": "ordered categories"}
    found = list(dict.fromkeys(word for kind, word in names.items() if any(a.kind == kind for a in attributes)))
    *first, last = found or ["numbers"]
    return (f"{', '.join(first)} and {last}" if first else last).capitalize()


def _followed(record: RecordType, profile: Profile | None) -> tuple[Link, ...]:
    """The links that are asked about: all but those that lead to too many rows, and those that lead back."""
    without = frozenset() if profile is None else profile.crowded | profile.returning
    return tuple(link for link in record.links if Member(record.name, link.name) not in without)


def _left_out(record: RecordType, links: frozenset[Member], why: str) -> list[str]:
    names = ", ".join(pretty_name(link.name) for link in record.links if Member(record.name, link.name) in links)
    return [f"# not followed: {names} ({why})"] if names else []


def _links(links: tuple[Link, ...]) -> list[str]:
    lines: list[str] = []
    for link in links:
        name = pretty_name(link.name)
        if link.single:
            lines.append(f"top -> {name} (top)")
            lines += [f"top -> missing {name}"] if link.kind == "optional" else []
        else:
            lines += [f"top -> exists {name} (top)", f"top -> count {name} (top) >= 2..4"]
    return _section("Links; what must hold behind them is refined by the block of their type.", lines)


def _aggregates(record: RecordType, schema: Schema, profile: Profile | None) -> list[str]:
    """Return the sums and means of what is behind the links of a type of which an individual has one row."""
    lines: list[str] = []
    for link in _followed(record, profile) if record in _single(schema) else ():
        numbers, recent = _numbers_behind(link, schema, profile), _recent(link, profile)
        if link.single or len(numbers) > MANY_AGGREGATED * (2 if recent else 1):
            continue
        functions = ["sum", "mean", *(["latest"] if _has_order(link, schema) else [])]
        coarse = _many_valued(schema.type(link.target), profile)
        for function in functions:
            for name in numbers:
                source = f"quantiles({N_QUANTILES})" if name in coarse else "*"
                value = f"{function} {pretty_name(link.name)}.{pretty_name(name)}"
                lines.append(f"top -> {value} >= {source}; top -> {value} <= {source}")
        for name in numbers if recent else ():
            value = f"mean {pretty_name(link.name)} ({recent}).{pretty_name(name)}"
            lines.append(f"top -> {value} >= *; top -> {value} <= *")
        if recent:
            lines.append(f"top -> count {pretty_name(link.name)} ({recent}) >= *")
    what = "What rows behind links come to; there are also min, max, range, deviation, trend, share and distinct."
    return _section(what, lines)


def _single(schema: Schema) -> list[RecordType]:
    """Return the types of which each individual has one row: its own, and those that references lead to."""
    found = [schema.type(schema.individual)]
    for record in found:  # grows while it is read
        targets = dict.fromkeys(link.target for link in record.links if link.single)
        found += [schema.type(target) for target in targets if schema.type(target) not in found]
    return found


def _numbers_behind(link: Link, schema: Schema, profile: Profile | None) -> list[str]:
    target = schema.type(link.target)
    others = _identifiers(target, schema, profile) | _absolute(target, profile)
    numbers = [a.name for a in _of_kind(target, "int", "real") if a.name not in others]
    return [name for name in numbers if not name.startswith(DAYS_BEFORE)]  # `exists` asks how recent they are


def _recent(link: Link, profile: Profile | None) -> str:
    """Return the condition that rows behind a link are recent; nothing where they are no history of individuals."""
    known = () if profile is None else profile.recent
    return next((f"{pretty_name(m.attribute)} <= {days}" for m, days in known if m.type == link.target), "")


def _has_order(link: Link, schema: Schema) -> bool:
    """Tell whether the rows behind a link have a last one: those of a list, and those with one date."""
    return link.kind == "list" or len(_of_kind(schema.type(link.target), "date", "time")) == 1


def _section(comment: str, lines: list[str]) -> list[str]:
    """Return lines below a comment; nothing when there are none."""
    return [f"# {comment}", *lines] if lines else []


def _names(attributes: list[Attribute], without: frozenset[str] = frozenset()) -> list[str]:
    """The names of all attributes but some, as they are written; one glob when there are many.

    A glob that would bring back one of the others is not used.
    """
    names = [attribute.name for attribute in attributes if attribute.name not in without]
    if len(names) > MANY_ATTRIBUTES:
        prefix = _shared_prefix(names)
        if not any(a.name.startswith(prefix) for a in attributes if a.name in without):
            return [f"{prefix}*"]
    return [pretty_name(name) for name in names]


def _shared_prefix(names: list[str]) -> str:
    """Return what all names begin with, as far as it is letters: ``f`` for f1, f2, ... f166."""
    first, last = min(names), max(names)
    n_shared = next((i for i, letter in enumerate(first) if not last.startswith(first[: i + 1])), len(first))
    return "".join(takewhile(lambda letter: letter == "_" or letter.isalpha(), first[:n_shared]))
