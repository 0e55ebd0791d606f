"""Schemas: record types with their attributes and links, without data.

A schema is a set of named record types. One of them is the *individual*, which gets a label. A type has *attributes*
(plain values) and *links* (to records of a type). Types may be recursive.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Literal, get_args

from structtree.errors import DataError, UnknownNameError
from structtree.reprs import names_text, short_repr

__all__ = [
    "FAR_ROW",
    "NUMERIC",
    "PARTS",
    "PART_RANGES",
    "WEEKDAYS",
    "Attribute",
    "Kind",
    "LearningTask",
    "Link",
    "LinkKind",
    "RecordType",
    "Schema",
]

Kind = Literal["bool", "int", "real", "date", "time", "ordered", "nominal"]
NUMERIC: tuple[Kind, ...] = ("int", "real", "date", "time", "ordered")
"""Kinds that are stored as numbers (also days, seconds and ranks) and therefore have thresholds."""
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
PARTS: dict[str, tuple[Kind, ...]] = {
    **dict.fromkeys(("weekday", "day", "month", "year"), ("date", "time")),
    "hour": ("time",),
}
"""Parts of dates and times that can be tested, and the kinds that have them."""
PART_RANGES = {"day": (1, 31), "month": (1, 12), "hour": (0, 23)}
"""Minimum and maximum of the parts of dates and times."""
LinkKind = Literal["set", "list", "one", "optional"]
FAR_ROW = "$row"
"""Reference from a pair of a derived link to the target row; grammars cannot name it."""
LearningTask = Literal["classes", "numbers"]
"""Type of target: classes or numbers."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """A named plain value of a record.

    Parameters
    ----------
    name : str
    kind : {"bool", "int", "real", "date", "time", "ordered", "nominal"}
    values : tuple of str
        Categories of a nominal attribute, if known; categories of an ordered attribute in ascending order; otherwise
        empty.
    derived : bool
        Whether a grammar computes the attribute.
    """

    name: str
    kind: Kind
    values: tuple[str, ...] = ()
    derived: bool = False

    def __repr__(self) -> str:
        return short_repr(self, self.name, self.kind, names_text(self.values))


@dataclass(frozen=True, slots=True)
class Link:
    """A named link from a record to records of a type.

    Parameters
    ----------
    name : str
    kind : {"set", "list", "one", "optional"}
        ``one`` is a reference, ``optional`` a reference that may be absent. The elements of a list belong only to
        that list, so that ``next`` and ``previous`` are unambiguous; sets and references may share rows.
    target : str
        Type of the target records.
    derived : bool
        Whether a grammar computes the link.
    """

    name: str
    kind: LinkKind
    target: str
    derived: bool = field(default=False, repr=False)

    @property
    def shown(self) -> str:
        """Target type in grammar syntax.

        Examples
        --------
        >>> Link("cars", "list", "Car").shown, Link("load", "optional", "Load").shown
        ('list of Car', 'Load?')
        """
        match self.kind:
            case "one":
                return self.target
            case "optional":
                return f"{self.target}?"
            case kind:
                return f"{kind} of {self.target}"

    @property
    def single(self) -> bool:
        """True if the link leads to at most one record."""
        return self.kind in ("one", "optional")


@dataclass(frozen=True, slots=True)
class RecordType:
    """A named record type with attributes and links, in order."""

    name: str
    attributes: tuple[Attribute, ...] = ()
    links: tuple[Link, ...] = ()
    _attributes: dict[str, Attribute] = field(init=False, repr=False, compare=False)
    _links: dict[str, Link] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_attributes", {a.name: a for a in self.attributes})
        object.__setattr__(self, "_links", {link.name: link for link in self.links})
        names = [a.name for a in self.attributes] + [link.name for link in self.links]
        if len(set(names)) != len(names):
            twice = next(n for n in names if names.count(n) > 1)
            raise DataError(f"type {self.name!r} has two members named {twice!r}")

    def __repr__(self) -> str:
        attributes = (f"{each.name} ({each.kind})" for each in self.attributes)
        links = (f"{each.name} ({each.kind} of {each.target})" for each in self.links)
        return short_repr(self, self.name, names_text(chain(attributes, links)))

    def attribute(self, name: str) -> Attribute | None:
        """Return the attribute with the given name, or None."""
        return self._attributes.get(name)

    def attribute_or_part(self, name: str) -> Attribute | None:
        """Return the attribute, or the part of a date or time (``born.month``), with the given name, or None.

        Examples
        --------
        >>> record = RecordType("Person", (Attribute("born", "date"),))
        >>> [record.attribute_or_part(name) for name in ("born", "born.month", "born.hour")]
        [<Attribute: born, date>, <Attribute: born.month, int>, None]
        """
        found = self.attribute(name)
        base, _, part = name.rpartition(".")
        of = self.attribute(base) if found is None and part in PARTS else None
        if of is None or of.kind not in PARTS[part]:
            return found
        return Attribute(name, "ordered", WEEKDAYS) if part == "weekday" else Attribute(name, "int")

    def given_name(self, name: str) -> str:
        """Return the name of the date for a part of a date (``born`` for ``born.month``), else the name itself."""
        is_part = name not in self.members and self.attribute_or_part(name) is not None
        return name.rpartition(".")[0] if is_part else name

    def link(self, name: str) -> Link | None:
        """Return the link with the given name, or None."""
        return self._links.get(name)

    @property
    def n_derived(self) -> int:
        """Number of members that a grammar computes."""
        return sum(a.derived for a in self.attributes) + sum(link.derived for link in self.links)

    @property
    def members(self) -> tuple[str, ...]:
        """Names of all attributes and links of the type."""
        return (*self._attributes, *self._links)


@dataclass(frozen=True, slots=True)
class Schema:
    """Record types, one of which is the individual.

    Examples
    --------
    >>> car = RecordType("Car", (Attribute("wheels", "int"),))
    >>> train = RecordType("Train", (), (Link("cars", "list", "Car"),))
    >>> schema = Schema((train, car), "Train")
    >>> schema.type("Train").link("cars").target
    'Car'
    >>> Schema.from_json(schema.to_json()) == schema
    True
    """

    types: tuple[RecordType, ...]
    individual: str
    _types: dict[str, RecordType] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_types", {t.name: t for t in self.types})
        if len(self._types) != len(self.types):
            raise DataError("two types have the same name")
        if self.individual not in self._types:
            raise UnknownNameError("type", self.individual, self._types)
        for record in self.types:
            for link in record.links:
                if link.target not in self._types:
                    raise UnknownNameError("type", link.target, self._types)

    def __repr__(self) -> str:
        others = names_text(name for name in self.names if name != self.individual)
        return short_repr(self, f"individual {self.individual}", others)

    def type(self, name: str) -> RecordType:
        """Return the record type with the given name."""
        try:
            return self._types[name]
        except KeyError:
            raise UnknownNameError("type", name, self._types) from None

    def __contains__(self, name: object) -> bool:
        return name in self._types

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all types."""
        return tuple(self._types)

    def listed(self, name: str) -> bool:
        """Return whether records of a type are elements of a list, so that they have previous and next elements."""
        return any(link.kind == "list" and link.target == name for t in self.types for link in t.links)

    def met_by(self, name: str) -> str | None:
        """Return the target type of the derived link whose pairs have the given type; None for all other types."""
        link = self.type(name).link(FAR_ROW)
        return None if link is None else link.target

    def rows_of(self, name: str) -> str:
        """Return the given type or, if its rows are pairs of a derived link, the target type of that link."""
        met = self.met_by(name)
        return name if met is None else self.rows_of(met)

    @property
    def given(self) -> Schema:
        """The schema without members that are computed by a grammar."""
        if not any(t.n_derived for t in self.types):
            return self
        types = (_given(record) for record in self.types if self.met_by(record.name) is None)
        return Schema(tuple(types), self.individual)

    def to_json(self) -> dict[str, Any]:
        """Return the schema as plain JSON values."""
        return {
            "individual": self.individual,
            "types": {t.name: {m: _member_text(t, m) for m in t.members} for t in self.types},
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Schema:
        """Create a schema from the output of `to_json`."""
        match value:
            case {"individual": str(individual), "types": Mapping() as types}:
                return cls(tuple(_type_from_json(name, members) for name, members in types.items()), individual)
            case _:
                raise DataError("a schema needs 'individual' and 'types'", path="$schema")


def _given(record: RecordType) -> RecordType:
    attributes = tuple(a for a in record.attributes if not a.derived)
    return RecordType(record.name, attributes, tuple(link for link in record.links if not link.derived))


def _member_text(record: RecordType, name: str) -> Any:
    link = record.link(name)
    if link is not None:
        derived = {"derived": True} if link.derived else {}
        return {"link": link.kind, "to": link.target, **derived}
    attribute = record._attributes[name]
    if attribute.derived:
        return {attribute.kind: list(attribute.values), "derived": True}
    return {attribute.kind: list(attribute.values)} if attribute.values else attribute.kind


def _type_from_json(name: str, members: Any) -> RecordType:
    if not isinstance(members, Mapping):
        raise DataError(f"type {name!r} must be a JSON object of attributes and links", path="$schema")
    attributes, links = [], []
    for member, value in members.items():
        derived = isinstance(value, Mapping) and value.get("derived") is True
        match value:
            case {"link": kind, "to": str(target)} if kind in get_args(LinkKind):
                links.append(Link(member, kind, target, derived))
            case {"nominal": list(values)} | {"ordered": [_, _, *_] as values}:
                categorical: Kind = "nominal" if "nominal" in value else "ordered"
                attributes.append(Attribute(member, categorical, tuple(map(str, values)), derived))
            case {"derived": True} if kinds := [kind for kind in value if kind in get_args(Kind)]:
                attributes.append(Attribute(member, kinds[0], (), derived))
            case str(kind) if kind in get_args(Kind) and kind != "ordered":
                attributes.append(Attribute(member, kind))  # type: ignore[arg-type]  # the guard has checked it
            case _:
                raise DataError(f"member {member!r} of type {name!r} is not an attribute or a link", path="$schema")
    return RecordType(name, tuple(attributes), tuple(links))
