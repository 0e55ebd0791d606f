"""Nested records into linked columns, column by column and never value by value.

The records of one type are taken together: one list per member, one numpy conversion per list, and the
elements of all their lists chained into the next batch, breadth first, until no batch is left. The Python
objects of a batch can be dropped when it is done; what stays is arrays. Only when something is wrong is the
place of the bad value worked out (see `structtree.data.readers.records.source_paths`).

Three names are special: ``{"$id": 7, ...}`` names a record so that ``{"$ref": 7}`` can stand for it elsewhere
(earlier or later), and ``"$type"`` says the type of a record where the name of its member would not.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, compress
from operator import itemgetter
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from structtree.data.kinds import (
    EXPECTED,
    Overrides,
    Pieces,
    ValueMismatch,
    ValueSort,
    first_outside,
    keys_of,
    shown,
    sort_of,
    sorts_of_types,
    type_name_of,
    value_sorts,
    values_of,
)
from structtree.data.population import Adjacency, Population, Table, repeated_pairs
from structtree.data.readers.records.names import Names
from structtree.data.readers.records.source_paths import Origin, Trail
from structtree.data.schema import Link, LinkKind, RecordType, Schema
from structtree.errors import DataError, did_you_mean, option_text

__all__ = ["DEEPEST", "Shredder"]

DEEPEST = 1024
"""How deep records may nest; the JSON parser has the same limit."""

_SPECIAL = ("$id", "$ref", "$type")
_PLAIN: frozenset[ValueSort] = frozenset({"missing", "flag", "number", "string", "moment"})
_RECORDS: frozenset[ValueSort] = frozenset({"record"})

_Role = Literal["attribute", "record", "list"]


@dataclass(frozen=True, slots=True)
class _Slot:
    """A member that leads to records: what it belongs to, and its name; the top has neither."""

    type_name: str = ""
    member: str = ""

    def __str__(self) -> str:
        return f"{self.type_name}.{self.member}" if self.member else "the records on top"


@dataclass(frozen=True, slots=True, eq=False)
class _Arrivals:
    """The elements of one slot for all rows of a batch, one after another."""

    slot: _Slot
    elements: Sequence[Any]
    found: frozenset[ValueSort]
    lengths: NDArray[np.int64]
    trail: Trail | Origin
    above: _Batch | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Batch:
    """Records of one type that are shredded together; plain values count as records with one member."""

    type_name: str
    chunk: int
    rows: Sequence[Any]
    keys: Sequence[str]
    plain: bool
    trail: Trail | Origin
    above: _Batch | None
    depth: int

    def values(self, key: str) -> Sequence[Any]:
        return self.rows if self.plain else values_of(self.rows, key)


@dataclass(frozen=True, slots=True, eq=False)
class _Targets:
    """The rows that one slot leads to, for one batch; -1 for a record that is only named so far.

    It has a trail when it has names: only then can a row stand in two places.
    """

    lengths: NDArray[np.int64]
    rows: NDArray[np.int64]
    trail: Trail | Origin | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Pending:
    """Records that are named in a slot and not found yet: where in its targets, and under which names."""

    slot: _Slot
    targets: _Targets
    trail: Trail | Origin
    places: NDArray[np.int64]
    names: Sequence[Any]


@dataclass(slots=True, eq=False)
class _Gathered:
    """The rows of one type so far: columns, links, and names of records."""

    names: Names
    pieces: Pieces = field(default_factory=Pieces)
    roles: dict[str, _Role | None] = field(default_factory=dict)
    sets: set[str] = field(default_factory=set)
    links: dict[str, dict[int, _Targets]] = field(default_factory=dict)

    def adjacency(self, member: str) -> Adjacency:
        found, sizes = self.links.get(member, {}), self.pieces.sizes
        lengths = [found[chunk].lengths if chunk in found else _zeros(n) for chunk, n in enumerate(sizes)]
        return Adjacency.from_lengths(_chained(lengths), _chained([found[chunk].rows for chunk in sorted(found)]))


class Shredder:
    """Takes nested records, any number at a time, and gives the population at the end.

    Parameters
    ----------
    schema : Schema, optional
        What the records must be; inferred when it is not given.
    individual : str
        The name of the type on top, when it is inferred.
    overrides : Overrides, optional
        What the user says about members, when the schema is inferred.
    source : str, optional
        The name of the file.

    Examples
    --------
    >>> shredder = Shredder()
    >>> shredder.feed([{"cars": [{"wheels": 2}]}], Origin())
    >>> shredder.feed([{"cars": [{"wheels": 3}, {}]}], Origin(first=1))
    >>> shredder.finish().table("Car").columns["wheels"].values.tolist()
    [2.0, 3.0, nan]
    """

    def __init__(
        self,
        schema: Schema | None = None,
        individual: str = "Individual",
        overrides: Overrides | None = None,
        source: str | None = None,
    ) -> None:
        self._schema, self._individual, self._source = schema, individual, source
        self._overrides = overrides or Overrides()
        self._gathered: dict[str, _Gathered] = {}
        self._targets: dict[_Slot, str] = {}
        self._plain: dict[_Slot, bool] = {}
        self._individuals: list[_Targets] = []
        self._queue: deque[_Batch] = deque()
        self._pending: list[_Pending] = []
        self._unresolved: list[_Pending] = []
        if schema is not None:
            self._gathered = {record.name: _Gathered(Names(record.name)) for record in schema.types}
            self._targets = {_Slot(t.name, link.name): link.target for t in schema.types for link in t.links}
            self._targets[_Slot()] = schema.individual

    def feed(self, records: Sequence[Any], origin: Origin) -> None:
        """Take records in; their Python objects are not kept."""
        if not len(records):
            return
        found = value_sorts(records)
        if found != _RECORDS:
            index = first_outside(records, _RECORDS)
            raise origin.error(index, f"expected a record, got {shown(records[index])}")
        lengths = np.ones(len(records), dtype=np.int64)
        self._individuals.append(self._take_in(_Arrivals(_Slot(), records, found, lengths, origin)))
        while self._queue:
            self._shred(self._queue.popleft())
        self._unresolved += [pending for pending in self._pending if not self._resolved(pending)]
        self._pending.clear()
        for gathered in self._gathered.values():
            gathered.names.leave()

    def finish(self) -> Population:
        """The population of all that was taken in."""
        if self._schema is None and not self._individuals:
            raise DataError("there are no records to infer a schema from", source=self._source)
        for gathered in self._gathered.values():
            gathered.names.check()
            if self._unresolved:
                gathered.names.recall()
        for pending in self._unresolved:
            if not self._resolved(pending):
                raise self._dangling(pending)
        schema = self._schema or self._inferred_schema()
        self._overrides.check(schema)
        self._refuse_shared_elements(schema)
        tables = {record.name: self._table(record) for record in schema.types}
        return Population(schema, tables, _chained([targets.rows for targets in self._individuals]))

    # ---- records into batches

    def _take_in(self, arrivals: _Arrivals) -> _Targets:
        """Number the records of one slot, queue them, and say which rows they are."""
        elements, trail = arrivals.elements, arrivals.trail
        if not len(elements):
            return _Targets(arrivals.lengths, _zeros(0))
        if self._are_plain(arrivals):
            rows = self._enqueue(arrivals, elements, ("value",), trail, plain=True)
            return _Targets(arrivals.lengths, rows)
        keys = keys_of(elements)
        _check_keys(keys, arrivals)
        if "$type" in keys:
            self._note_type(arrivals)
        if "$ref" in keys:
            return self._take_in_named(arrivals, keys)
        return _Targets(arrivals.lengths, self._enqueue(arrivals, elements, keys, trail))

    def _take_in_named(self, arrivals: _Arrivals, keys: Sequence[str]) -> _Targets:
        """As `_take_in`, where some of the elements only name a record."""
        elements, trail = arrivals.elements, arrivals.trail
        is_named = ["$ref" in row for row in elements] if len(keys) > 1 or not all(elements) else None
        if is_named is None:
            named, written = elements, []
            places, kept = np.arange(len(elements)), _zeros(0)
        else:
            named, written = list(compress(elements, is_named)), [r for r in elements if "$ref" not in r]
            places, kept = np.flatnonzero(is_named), np.flatnonzero(np.logical_not(is_named))
        names = list(map(itemgetter("$ref"), named))
        _check_names(named, names, keys, replace(trail, kept=places))
        rows = np.full(len(elements), -1, dtype=np.int64)
        if written:
            rows[kept] = self._enqueue(arrivals, written, keys, replace(trail, kept=kept))
        targets = _Targets(arrivals.lengths, rows, trail)
        self._pending.append(_Pending(arrivals.slot, targets, trail, places, names))
        return targets

    def _are_plain(self, arrivals: _Arrivals) -> bool:
        """Return whether the elements are plain values, all of them, and as all before in this slot."""
        slot, elements = arrivals.slot, arrivals.elements
        plain = self._plain.setdefault(slot, arrivals.found <= _PLAIN)
        allowed = _PLAIN if plain else _RECORDS
        if not arrivals.found <= allowed:
            index = first_outside(elements, allowed)
            wrap = ' (wrap it in a record, as {"values": [...]})' if isinstance(elements[index], list) else ""
            what = "a plain value" if plain else "a record"
            raise arrivals.trail.error(index, f"expected {what}, got {shown(elements[index])}{wrap}")
        if plain and self._schema is not None:
            target = self._targets[slot]
            if self._schema.type(target).attribute("value") is None:
                message = f"expected a record of type {target!r}, got {shown(elements[0])}"
                raise arrivals.trail.error(0, message)
        return plain

    def _note_type(self, arrivals: _Arrivals) -> None:
        """Settle where a slot leads from the ``$type`` of its records, or see that they agree."""
        said = [element.get("$type") for element in arrivals.elements]
        if not value_sorts(said) <= {"string", "missing"}:
            index = first_outside(said, {"string", "missing"})
            raise arrivals.trail.error(index, f"expected the name of a type, got {shown(said[index])}", ".$type")
        names = [name for name in said if name]
        if not names:
            return
        settled = self._targets.setdefault(arrivals.slot, names[0])
        if set(names) != {settled}:
            index = next(i for i, name in enumerate(said) if name and name != settled)
            message = f"expected type {settled!r} as elsewhere in {arrivals.slot}, got {said[index]!r}"
            raise arrivals.trail.error(index, message, ".$type")

    def _enqueue(
        self,
        arrivals: _Arrivals,
        rows: Sequence[Any],
        keys: Sequence[str],
        trail: Trail | Origin,
        *,
        plain: bool = False,
    ) -> NDArray[np.int64]:
        """Give rows their numbers in the type that the slot leads to, and queue them."""
        slot, above = arrivals.slot, arrivals.above
        usual = type_name_of(slot.member) if slot.member else self._individual
        target = self._targets.setdefault(slot, usual)
        gathered = self._gathered.setdefault(target, _Gathered(Names(target)))
        start, chunk = gathered.pieces.n_rows, gathered.pieces.add_chunk(len(rows))
        if "$id" in keys:
            gathered.names.add(values_of(rows, "$id"), start, trail)
        depth = 0 if above is None else above.depth + 1
        members = tuple(key for key in keys if key not in _SPECIAL)
        batch = _Batch(target, chunk, rows, members, plain, trail, above, depth)
        _refuse_endless(batch)
        self._queue.append(batch)
        return np.arange(start, start + len(rows))

    # ---- batches into columns

    def _shred(self, batch: _Batch) -> None:
        add = self._add_found if self._schema is None else self._add_declared
        for key in batch.keys:
            try:
                add(batch, key, batch.values(key))
            except ValueMismatch as mismatch:
                fix = (
                    f"to read all of them as text: {option_text('types', {key: 'nominal'})}"
                    if mismatch.fix == "nominal"
                    else None
                )
                path = "" if batch.plain else f".{key}"
                raise batch.trail.error(mismatch.index, mismatch.message, path, fix) from None
        self._require_references(batch)

    def _add_found(self, batch: _Batch, key: str, values: Sequence[Any]) -> None:
        """Add a member that is what its values are."""
        gathered = self._gathered[batch.type_name]
        types = set(map(type, values))
        found = sorts_of_types(types)
        role = gathered.roles.setdefault(key, None)
        if role is None and not found <= _PLAIN:
            role = _role_of(values)
        if role in ("record", "list"):
            gathered.roles[key] = role
            if _has_sets(types):
                values = _in_order(values, self._overrides.link(batch.type_name, key))
                gathered.sets.add(key)
            self._add_link(batch, key, values, found, role)
            return
        declared = self._overrides.wanted(batch.type_name, key)
        gathered.pieces.add(batch.chunk, key, values, declared, types)
        if key in gathered.pieces.kinds:
            gathered.roles[key] = "attribute"

    def _add_declared(self, batch: _Batch, key: str, values: Sequence[Any]) -> None:
        """Add a member that must be what the schema says."""
        assert self._schema is not None
        record = self._schema.type(batch.type_name)
        attribute, link = record.attribute(key), record.link(key)
        if attribute is not None:
            wanted = self._overrides.wanted(record.name, key)
            self._gathered[record.name].pieces.add(batch.chunk, key, values, wanted or attribute)
        elif link is not None:
            if _has_sets(set(map(type, values))):
                values = _in_order(values, "list" if link.kind == "list" else "set")
            self._add_link(batch, key, values, value_sorts(values), "record" if link.single else "list")
        else:
            index = next(i for i, row in enumerate(batch.rows) if key in row)
            raise ValueMismatch(index, f"type {record.name!r} has no {key!r}{did_you_mean(key, record.members)}")

    def _add_link(
        self, batch: _Batch, key: str, values: Sequence[Any], found: frozenset[ValueSort], role: _Role
    ) -> None:
        if not found <= {role, "missing"}:
            index = first_outside(values, {role, "missing"})
            raise ValueMismatch(index, f"expected {EXPECTED[role]}, got {shown(values[index])}")
        many = role == "list"
        if many:
            lists = [() if v is None else v for v in values] if "missing" in found else values
            lengths = np.fromiter(map(len, lists), np.int64, len(values))
            elements: Sequence[Any] = list(chain.from_iterable(lists))
        elif "missing" in found:
            lengths = np.fromiter((value is not None for value in values), np.int64, len(values))
            elements = [value for value in values if value is not None]
        else:
            lengths, elements = np.ones(len(values), dtype=np.int64), values
        slot, trail = _Slot(batch.type_name, key), Trail(batch.trail, key, many, lengths)
        inside = value_sorts(elements) if many else _RECORDS
        targets = self._take_in(_Arrivals(slot, elements, inside, lengths, trail, batch))
        self._gathered[batch.type_name].links.setdefault(key, {})[batch.chunk] = targets

    def _require_references(self, batch: _Batch) -> None:
        """A reference that the schema does not call optional must be there."""
        links = self._schema.type(batch.type_name).links if self._schema is not None else ()
        for link in links:
            if link.kind == "one":
                piece = self._gathered[batch.type_name].links.get(link.name, {}).get(batch.chunk)
                if piece is None or not piece.lengths.all():
                    row = 0 if piece is None else int(np.argmin(piece.lengths))
                    fix = f"give it, or make it optional ({link.target}?) in the schema"
                    raise batch.trail.error(row, "expected a record, got null", f".{link.name}", fix)

    # ---- names into rows

    def _resolved(self, pending: _Pending) -> bool:
        """Fill in the rows that the names of a slot stand for, if all of them are known by now."""
        target = self._targets.get(pending.slot)
        if target is None:
            fitting = self._types_with(pending.names)
            if len(fitting) != 1:
                return False
            target = self._targets[pending.slot] = fitting[0]
        rows = self._gathered[target].names.rows(pending.names) if target in self._gathered else None
        if rows is None:
            return False
        pending.targets.rows[pending.places] = rows
        return True

    def _types_with(self, names: Sequence[Any]) -> list[str]:
        return [name for name, gathered in self._gathered.items() if gathered.names.rows(names) is not None]

    def _dangling(self, pending: _Pending) -> DataError:
        """Why the names of a slot cannot all be resolved."""
        target = self._targets.get(pending.slot)
        searched = [target] if target else list(self._gathered)
        known: set[Any] = set().union(
            *(self._gathered[name].names.recall() for name in searched if name in self._gathered)
        )
        for place, name in zip(pending.places.tolist(), pending.names, strict=True):
            if name not in known:
                of = f" of type {target!r}" if target else ""
                hint = did_you_mean(str(name), map(str, known))
                return pending.trail.error(place, f"there is no record{of} with $id {name!r}{hint}")
        return pending.trail.error(
            int(pending.places[0]),
            f"the names in {pending.slot} do not tell which of the types {', '.join(searched)} is meant",
            fix='put "$type" beside "$ref"',
        )

    # ---- all of it into a population

    def _table(self, record: RecordType) -> Table:
        gathered = self._gathered[record.name]
        columns = {attribute.name: gathered.pieces.column(attribute) for attribute in record.attributes}
        links = {link.name: gathered.adjacency(link.name) for link in record.links}
        return Table(gathered.pieces.n_rows, columns, links)

    def _inferred_schema(self) -> Schema:
        for name in list(self._gathered):
            for member, role in self._gathered[name].roles.items():
                if role == "list":  # it may have been empty every time, so that it led nowhere yet
                    target = self._targets.setdefault(_Slot(name, member), type_name_of(member))
                    self._gathered.setdefault(target, _Gathered(Names(target)))
        types = tuple(self._inferred_type(name) for name in self._gathered)
        return Schema(types, self._targets[_Slot()])

    def _inferred_type(self, name: str) -> RecordType:
        gathered = self._gathered[name]
        attributes, links = [], []
        for member, role in gathered.roles.items():
            if role in ("record", "list"):
                links.append(Link(member, self._link_kind(name, member), self._targets[_Slot(name, member)]))
            else:
                declared = self._overrides.declared(name, member)
                attributes.append(declared or gathered.pieces.attribute(member))
        return RecordType(name, tuple(attributes), tuple(links))

    def _link_kind(self, name: str, member: str) -> LinkKind:
        gathered = self._gathered[name]
        if gathered.roles[member] == "list":
            return self._overrides.link(name, member) or ("set" if member in gathered.sets else "list")
        present = sum(len(targets.rows) for targets in gathered.links[member].values())
        return "one" if present == gathered.pieces.n_rows else "optional"

    def _refuse_shared_elements(self, schema: Schema) -> None:
        """Say where a record is named that stands in another list, or in the same set, already."""
        in_lists: dict[str, list[_Targets]] = {}
        for record in schema.types:
            for link in record.links:
                pieces = self._gathered[record.name].links.get(link.name, {}).values()
                if link.kind == "list":
                    in_lists.setdefault(link.target, []).extend(pieces)
                elif link.kind == "set":
                    for piece in pieces:
                        _refuse_repeats(piece)
        for target, pieces_of_lists in in_lists.items():
            _refuse_two_lists(target, pieces_of_lists)


# ---- Python sets -----------------------------------------------------------------------------------------


def _has_sets(types: Iterable[type]) -> bool:
    return any(issubclass(t, set | frozenset) for t in types)


def _in_order(values: Sequence[Any], kind: Literal["set", "list"] | None) -> list[Any]:
    """Put the elements of sets in an order that is the same in every run, unlike that in which Python keeps them."""
    if kind == "list":
        index = next(i for i, value in enumerate(values) if isinstance(value, set | frozenset))
        raise ValueMismatch(index, "expected a list, got a set, which has no order")
    return [sorted(v, key=_text_key) if isinstance(v, set | frozenset) else v for v in values]


def _text_key(value: Any) -> str:
    """Return a text that tells an element from others, whatever the order inside it."""
    match value:
        case Mapping():
            return repr(sorted((str(key), _text_key(inner)) for key, inner in value.items()))
        case set() | frozenset():
            return repr(sorted(map(_text_key, value)))
        case list() | tuple():
            return repr(list(map(_text_key, value)))
        case _:
            return repr(value)


# ---- checks that need no state ---------------------------------------------------------------------------


def _role_of(values: Iterable[Any]) -> _Role:
    """The role of a member from the first value that is there."""
    match next(sort for value in values if (sort := sort_of(type(value))) != "missing"):
        case "record" | "list" as role:
            return role
        case _:
            return "attribute"


def _check_keys(keys: Sequence[str], arrivals: _Arrivals) -> None:
    for key in keys:
        if not isinstance(key, str) or not key:
            problem = f"expected the name of a member, got {shown(key)}"
        elif key.startswith("$") and key not in _SPECIAL:
            problem = f"unknown special member {key!r}{did_you_mean(key, _SPECIAL)}"
        else:
            continue
        raise arrivals.trail.error(next(i for i, row in enumerate(arrivals.elements) if key in row), problem)


def _check_names(
    named: Sequence[Mapping[str, Any]], names: Sequence[Any], keys: Sequence[str], trail: Trail | Origin
) -> None:
    """A ``$ref`` is a number or a string, and stands alone but for a ``$type``."""
    if not value_sorts(names) <= {"number", "string"}:
        index = first_outside(names, {"number", "string"})
        raise trail.error(index, f"expected the $id of a record, got {shown(names[index])}", ".$ref")
    if len(keys) > 1:
        for i, element in enumerate(named):
            extra = [key for key in element if key not in ("$ref", "$type")]
            if extra:
                raise trail.error(i, f"a $ref stands for a whole record, so it cannot have {extra[0]!r} too")


def _refuse_endless(batch: _Batch) -> None:
    """Python records may hold themselves; this is looked for at depths 4, 8, 16 and so on."""
    if batch.depth > DEEPEST:
        raise batch.trail.error(0, f"records nest deeper than {DEEPEST} levels")
    if batch.plain or batch.depth < 4 or batch.depth & (batch.depth - 1):
        return
    mine, index, below = _identities(batch), np.arange(len(batch.rows)), batch
    while below.above is not None and isinstance(below.trail, Trail):
        index, below = below.trail.owners[index], below.above
        same = _identities(below)[index] == mine
        if same.any():
            fix = 'name it with "$id" and point to it with "$ref"'
            raise batch.trail.error(int(np.argmax(same)), "a record holds itself", fix=fix)


def _identities(batch: _Batch) -> NDArray[np.int64]:
    return np.fromiter(map(id, batch.rows), np.int64, len(batch.rows))


def _refuse_repeats(piece: _Targets) -> None:
    if piece.trail is None:
        return
    again = repeated_pairs(np.repeat(np.arange(len(piece.lengths)), piece.lengths), piece.rows)
    if len(again):
        raise piece.trail.error(int(again.min()), "this record is already in the set; name it once")


def _refuse_two_lists(target: str, pieces: Sequence[_Targets]) -> None:
    if all(piece.trail is None for piece in pieces):
        return
    uses = np.bincount(_chained([piece.rows for piece in pieces]))
    for piece in pieces:
        if isinstance(piece.trail, Trail) and (uses[piece.rows] > 1).any():
            raise piece.trail.error(
                int(np.flatnonzero(uses[piece.rows] > 1)[-1]),
                f"this {target} stands in two lists, and an element belongs to one",
                fix=f"to read it as a set: {option_text('types', {piece.trail.member: 'set'})}",
            )


def _zeros(n: int) -> NDArray[np.int64]:
    return np.zeros(n, dtype=np.int64)


def _chained(arrays: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    return arrays[0] if len(arrays) == 1 else np.concatenate([_zeros(0), *arrays])
