"""Derive a grammar from a schema, as text that users can edit.

The grammar tests every attribute and follows every link, a few steps deep. Comments explain how to change each part.
A table without links gets the tests of an ordinary decision tree, one at a time. If there is data, its profile
decides which attributes are identifiers and which numbers have too many thresholds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile

from structtree.data.as_of import DAYS_BEFORE
from structtree.data.profile import Member, MemberPair, Profile
from structtree.data.schema import NUMERIC, Attribute, Kind, Link, RecordType, Schema
from structtree.lang import syntax as syn
from structtree.lang.pretty import pretty_grammar, pretty_name

__all__ = ["derive_grammar"]

MANY_CATEGORIES = 50
"""Without data, a nominal attribute with more declared values than this is skipped as an identifier."""

N_QUANTILES = 100
"""Number of quantiles to test for a number with too many values to test every threshold."""

MANY_AGGREGATED = 6
"""Maximum number of numeric attributes of linked rows that are aggregated; twice as many for histories."""

MANY_DATES = 3
"""Maximum number of dates of a type whose weekdays and months are tested."""

MANY_ATTRIBUTES = 20
"""If more attributes of a kind than this are tested, they are tested with a glob."""


def derive_grammar(schema: Schema, name: str | None = None, profile: Profile | None = None) -> str:
    """Return the text of a grammar for a schema.

    Parameters
    ----------
    schema : Schema
    name : str, optional
        The name of the grammar.
    profile : Profile, optional
        The profile of the data.

    Examples
    --------
    >>> car = RecordType("Car", (Attribute("long", "bool"), Attribute("wheels", "int")))
    >>> print(derive_grammar(Schema((RecordType("Train", (), (Link("cars", "list", "Car"),)), car), "Train")))
    "Derived from the data: the attributes and links of Train, Car."
    <BLANKLINE>
    individual Train
    ...
    refine Car {
        # Boolean attributes.
        top -> long
        top -> not long
    ...
    """
    if profile is None:
        deriver = _Deriver(schema, _declared_profile(schema), f"more than {MANY_CATEGORIES} values")
    else:
        deriver = _Deriver(schema, profile, "unique per row")
    types = deriver.reachable()
    names = ", ".join(record.name for record in types[:5]) + (" ..." if len(types) > 5 else "")
    doc = f"Derived from the data: the attributes and links of {names}."
    paragraphs = [
        pretty_grammar(syn.GrammarSyntax(name, doc, individual=schema.individual)).rstrip(),
        *map(deriver.block, types),
        _LIMITS if any(record.links or schema.listed(record.name) for record in types) else "",
    ]
    return "\n\n".join(filter(None, paragraphs)) + "\n"


_COMBINED = ("# Maximum number of tests at one position.", "top -> top and top max 2")
_ALONE = ("# One test at a time, as in an ordinary decision tree; to combine two, write: top -> top and top max 2",)
_ALONE_OF_MANY = (
    "# One test at a time, because there are very many individuals; to combine two, write: top -> top and top max 2",
)
_LIMITS = """\
# Maximum nesting of links, and maximum number of tests and links in a predicate.
limits { nesting 4, literals 6 }"""


def _declared_profile(schema: Schema) -> Profile:
    """Return the profile of a schema without data: attributes with many declared values count as identifiers."""
    identifiers: set[Member] = set()
    for record in schema.types:
        many = {Member(record.name, a.name) for a in record.attributes if len(a.values) > MANY_CATEGORIES}
        if record.links or schema.listed(record.name) or len(many) < len(record.attributes):
            identifiers |= many  # otherwise there would be nothing to test
    return Profile(frozenset(identifiers))


@dataclass(frozen=True, slots=True)
class _Deriver:
    """Derivation of the ``refine`` blocks of a schema.

    Parameters
    ----------
    schema : Schema
    profile : Profile
    identified : str
        Why identifiers are skipped.
    """

    schema: Schema
    profile: Profile
    identified: str

    def reachable(self) -> list[RecordType]:
        """Return the types that can be reached from the individual, nearest first."""
        return self._linked([self.schema.type(self.schema.individual)], self._followed)

    def block(self, record: RecordType) -> str:
        """Return the ``refine`` block of a type, or only comments if the type has no tests."""
        identifiers, absolute = self._own(record, self.profile.identifiers), self._own(record, self.profile.absolute)
        listed = self.schema.listed(record.name)
        parts = [
            _flags(_of_kind(record, "bool")),
            _categories(_of_kind(record, "nominal"), identifiers),
            _numbers(_of_kind(record, *NUMERIC), identifiers | absolute, self._own(record, self.profile.many_valued)),
            _date_parts(_of_kind(record, "date", "time"), identifiers),
            self._comparisons(record),
            _links(self._followed(record)),
            self._aggregates(record),
            ["# The next element of the list.", "top -> next (top)"] if listed else [],
        ]
        skipped = [
            *_skipped(record, self.profile.identifiers, "skipped", self.identified),
            *_skipped(record, self.profile.absolute, "skipped", "elapsed time generalises better to new individuals"),
            *_skipped(record, self.profile.crowded, "skipped link", "leads to too many rows"),
            *_skipped(record, self.profile.returning, "skipped link", "returns to the parent row"),
        ]
        if not any(parts):
            return "\n".join(skipped)
        lines = [line for part in [*parts, skipped, self._combined(record)] for line in part]
        return f"refine {pretty_name(record.name)} {{\n" + "".join(f"    {line}\n" for line in lines) + "}"

    def _linked(
        self, start: Iterable[RecordType], follow: Callable[[RecordType], Iterable[Link]]
    ) -> list[RecordType]:
        """Return the given types and all types that can be reached from them."""
        found = list(start)
        for record in found:  # grows while iterated
            targets = map(self.schema.type, dict.fromkeys(link.target for link in follow(record)))
            found += [target for target in targets if target not in found]
        return found

    def _followed(self, record: RecordType) -> tuple[Link, ...]:
        """Return the links of a type, except those that lead to too many rows or back to the parent row."""
        skipped = self.profile.crowded | self.profile.returning
        return tuple(link for link in record.links if Member(record.name, link.name) not in skipped)

    def _own(self, record: RecordType, members: frozenset[Member]) -> frozenset[str]:
        return frozenset(member.attribute for member in members if member.type == record.name)

    def _combined(self, record: RecordType) -> tuple[str, ...]:
        """Return the rewrite that allows several tests at a position, or a comment on how to allow them."""
        individual = self.schema.type(self.schema.individual)
        if not individual.links and not self.schema.listed(individual.name):
            return _ALONE
        return _ALONE_OF_MANY if self.profile.is_large and record not in self._behind_sets() else _COMBINED

    def _behind_sets(self) -> list[RecordType]:
        """Return the types that can have several rows per individual."""
        types = self.reachable()
        sets = [link.target for record in types for link in self._followed(record) if not link.single]
        lists = [record.name for record in types if self.schema.listed(record.name)]
        return self._linked(map(self.schema.type, [*sets, *lists]), self._followed)

    def _comparisons(self, record: RecordType) -> list[str]:
        """Return the rewrites that compare two attributes, one pair per line."""
        lines = ["; ".join(_pair(pair, record)) for pair in self.profile.comparable if pair.type == record.name]
        return _section("Comparisons of two attributes; for every pair write * = its * and * >= its *", lines)

    def _aggregates(self, record: RecordType) -> list[str]:
        """Return the aggregates of the links of a type, which has one row per individual."""
        single = self._linked(
            [self.schema.type(self.schema.individual)], lambda each: (link for link in each.links if link.single)
        )
        lines: list[str] = []
        for link in self._followed(record) if record in single else ():
            numbers, recent = self._numbers_behind(link), self._recent(link)
            if link.single or len(numbers) > MANY_AGGREGATED * (2 if recent else 1):
                continue
            functions = ["sum", "mean", *(["latest"] if self._has_order(link) else [])]
            coarse = self._own(self.schema.type(link.target), self.profile.many_valued)
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
        also = "min, max, range, deviation, trend, share and distinct"
        return _section(f"Aggregates of linked rows; also available: {also}.", lines)

    def _numbers_behind(self, link: Link) -> list[str]:
        target = self.schema.type(link.target)
        skipped = self._own(target, self.profile.identifiers | self.profile.absolute)
        numbers = [a.name for a in _of_kind(target, "int", "real") if a.name not in skipped]
        return [name for name in numbers if not name.startswith(DAYS_BEFORE)]  # `exists` tests how recent rows are

    def _recent(self, link: Link) -> str:
        """Return a condition that selects recent linked rows, or "" if the linked rows are not a history."""
        recent = ((m, days) for m, days in self.profile.recent if m.type == link.target)
        return next((f"{pretty_name(m.attribute)} <= {days}" for m, days in recent), "")

    def _has_order(self, link: Link) -> bool:
        """Return whether linked rows have an order: the order of a list, or their only date."""
        return link.kind == "list" or len(_of_kind(self.schema.type(link.target), "date", "time")) == 1


def _of_kind(record: RecordType, *kinds: Kind) -> list[Attribute]:
    return [attribute for attribute in record.attributes if attribute.kind in kinds]


def _skipped(record: RecordType, members: frozenset[Member], label: str, why: str) -> list[str]:
    names = ", ".join(pretty_name(name) for name in record.members if Member(record.name, name) in members)
    return [f"# {label}: {names} ({why})"] if names else []


def _flags(attributes: list[Attribute]) -> list[str]:
    lines = [line for name in _names(attributes) for line in (f"top -> {name}", f"top -> not {name}")]
    return _section("Boolean attributes.", lines)


def _categories(attributes: list[Attribute], identifiers: frozenset[str]) -> list[str]:
    lines = [f"top -> {name} = *" for name in _names(attributes, identifiers)]
    return _section("Categories, one at a time; for sets write in * instead of = *", lines)


def _numbers(attributes: list[Attribute], skipped: frozenset[str], many_valued: frozenset[str]) -> list[str]:
    fine = _names(attributes, skipped | many_valued)
    coarse = [pretty_name(a.name) for a in attributes if a.name in many_valued]
    every = [f"top -> {name} {op} *" for name in fine for op in (">=", "<=")]
    some = [f"top -> {name} {op} quantiles({N_QUANTILES})" for name in coarse for op in (">=", "<=")]
    what = _kinds_text(attributes)
    return [
        *_section(f"{what}, at every threshold; for fewer write quantiles(10) instead of *", every),
        *_section(f"{what} with very many values; for every threshold write * instead of quantiles", some),
    ]


def _date_parts(attributes: list[Attribute], identifiers: frozenset[str]) -> list[str]:
    """Return rewrites that test date parts (weekday, month, hour), one part per line."""
    dates = [a for a in attributes if a.name not in identifiers]
    lines = []
    for date in dates if len(dates) <= MANY_DATES else ():
        parts = ("weekday", "month", *(["hour"] if date.kind == "time" else []))
        names = [f"{pretty_name(date.name)}.{part}" for part in parts]
        lines += ["; ".join(f"top -> {name} {op} *" for op in ("=", ">=")) for name in names]
    return _section("Date parts; also available: day and year.", lines)


def _pair(pair: MemberPair, record: RecordType) -> Iterator[str]:
    attribute = record.attribute(pair.one)
    assert attribute is not None
    one, other = pretty_name(pair.one), pretty_name(pair.other)
    if attribute.kind in ("nominal", "int", "ordered"):
        yield f"top -> {one} = its {other}"
    if attribute.kind != "nominal":
        yield f"top -> {one} >= its {other}"
        yield f"top -> {other} >= its {one}"


def _kinds_text(attributes: list[Attribute]) -> str:
    """Return the kinds of attributes with thresholds as text, such as "Numbers and dates"."""
    names = {"int": "numbers", "real": "numbers", "date": "dates", "time": "times", "ordered": "ordered categories"}
    found = list(dict.fromkeys(word for kind, word in names.items() if any(a.kind == kind for a in attributes)))
    *first, last = found or ["numbers"]
    return (f"{', '.join(first)} and {last}" if first else last).capitalize()


def _links(links: tuple[Link, ...]) -> list[str]:
    lines: list[str] = []
    for link in links:
        name = pretty_name(link.name)
        if link.single:
            lines.append(f"top -> {name} (top)")
            lines += [f"top -> missing {name}"] if link.kind == "optional" else []
        else:
            lines += [f"top -> exists {name} (top)", f"top -> count {name} (top) >= 2..4"]
    return _section("Links; the block of the linked type refines 'top'.", lines)


def _section(comment: str, lines: list[str]) -> list[str]:
    """Return the lines with a comment above them, or nothing if there are no lines."""
    return [f"# {comment}", *lines] if lines else []


def _names(attributes: list[Attribute], skipped: frozenset[str] = frozenset()) -> list[str]:
    """Return attribute names as text; many names become a glob unless it would match a skipped attribute."""
    names = [attribute.name for attribute in attributes if attribute.name not in skipped]
    if len(names) > MANY_ATTRIBUTES:
        prefix = _shared_prefix(names)
        if not any(a.name.startswith(prefix) for a in attributes if a.name in skipped):
            return [f"{prefix}*"]
    return [pretty_name(name) for name in names]


def _shared_prefix(names: list[str]) -> str:
    """Return the letters that all names start with, such as ``f`` for ``f1``, ``f2``, ..., ``f166``."""
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(min(names), max(names), strict=False))
    return "".join(takewhile(lambda letter: letter == "_" or letter.isalpha(), (letter for letter, _ in pairs)))
