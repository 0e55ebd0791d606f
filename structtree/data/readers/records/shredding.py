"""Conversion of nested records to linked columns, one column at a time.

The records of a type are processed in batches: one list per member, one numpy conversion per list, and the elements
of all their lists chained into the next batch, breadth first. The Python objects of a batch can be released when it
is done; only arrays remain. The location of a bad value is computed only when an error occurs (see
`structtree.data.readers.records.source_paths`).

Elements without field names become records with one or two members; see `structtree.data.readers.records.unnamed`.

Three names are special: ``{"$id": 7, ...}`` names a record, so that ``{"$ref": 7}`` can refer to it elsewhere
(earlier or later), and ``"$type"`` gives the type of a record if it does not follow from the name of its member.
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

from structtree.data.collection_kinds import TIMES, VALUE, VALUES, Collection, is_multiset, is_unnamed
from structtree.data.extensions import distinct_elements
from structtree.data.kinds import (
    EXPECTED,
    Overrides,
    Pieces,
    ValueMismatch,
    ValueType,
    first_unexpected,
    keys_of,
    quoted_value,
    to_value_types,
    type_name_of,
    value_type,
    value_types,
    values_of,
)
from structtree.data.population import Adjacency, Population, Table, repeated_pairs
from structtree.data.readers.records.names import Names
from structtree.data.readers.records.source_paths import Origin, Trail
from structtree.data.readers.records.unnamed import (
    ElementForm,
    Unnamed,
    check_form,
    counted_elements,
    form_of,
    has_counters,
    has_sets,
    in_order,
    unnamed_elements,
)
from structtree.data.schema import Link, LinkKind, RecordType, Schema
from structtree.errors import DataError, did_you_mean, option_text

__all__ = ["DEEPEST", "Shredder"]

DEEPEST = 1024
"""Maximum nesting depth of records; the JSON parser has the same limit."""

_SPECIAL = ("$id", "$ref", "$type")
_PLAIN: frozenset[ValueType] = frozenset({"missing", "boolean", "number", "string", "moment"})
_RECORDS: frozenset[ValueType] = frozenset({"record"})

_Role = Literal["attribute", "record", "list"]


@dataclass(frozen=True, slots=True)
class _Slot:
    """A member that leads to records, with its type and name; both are empty for top-level records."""

    type_name: str = ""
    member: str = ""

    def __str__(self) -> str:
        return f"{self.type_name}.{self.member}" if self.member else "the top-level records"


@dataclass(frozen=True, slots=True, eq=False)
class _Arrivals:
    """Elements of a slot for all rows of a batch, concatenated."""

    slot: _Slot
    elements: Sequence[Any]
    found: frozenset[ValueType]
    lengths: NDArray[np.int64]
    trail: Trail | Origin
    above: _Batch | None = None
    declared: Collection | None = None
    counts: Sequence[Any] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Batch:
    """Records of a type that are processed together, or elements without field names."""

    type_name: str
    chunk: int
    rows: Sequence[Any]
    keys: Sequence[str]
    form: ElementForm
    trail: Trail | Origin
    above: _Batch | None
    depth: int
    unnamed: Unnamed | None = None

    def values(self, key: str) -> Sequence[Any]:
        return values_of(self.rows, key) if self.unnamed is None else self.unnamed.columns[key]

    def path(self, key: str) -> str:
        return f".{key}" if self.unnamed is None else self.unnamed.paths[key]


@dataclass(frozen=True, slots=True, eq=False)
class _Targets:
    """Target rows of a slot for one batch; -1 for references that are not resolved yet.

    The trail is set only if there are references, since only then can a row occur twice.
    """

    lengths: NDArray[np.int64]
    rows: NDArray[np.int64]
    trail: Trail | Origin | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Pending:
    """Unresolved references of a slot: their positions among the targets, and their names."""

    slot: _Slot
    targets: _Targets
    trail: Trail | Origin
    places: NDArray[np.int64]
    names: Sequence[Any]


@dataclass(slots=True, eq=False)
class _Gathered:
    """Rows of a type collected so far: columns, links, and names of records."""

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
    """Incremental conversion of nested records to a population.

    Parameters
    ----------
    schema : Schema, optional
        Required schema; inferred by default.
    individual : str
        Name of the individual type, if the schema is inferred.
    overrides : Overrides, optional
        Declared kinds of members, if the schema is inferred.
    source : str, optional
        Name of the file.

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
        self._forms: dict[_Slot, ElementForm] = {}
        self._counted: set[_Slot] = set()
        self._nested: set[str] = set()
        self._inner: dict[str, Collection] = {}
        self._individuals: list[_Targets] = []
        self._queue: deque[_Batch] = deque()
        self._pending: list[_Pending] = []
        self._unresolved: list[_Pending] = []
        if schema is not None:
            self._gathered = {record.name: _Gathered(Names(record.name)) for record in schema.types}
            self._targets = {_Slot(t.name, link.name): link.target for t in schema.types for link in t.links}
            self._targets[_Slot()] = schema.individual

    def feed(self, records: Sequence[Any], origin: Origin) -> None:
        """Add records, without keeping their Python objects."""
        if not len(records):
            return
        found = value_types(records)
        if not found <= {"record", "list"}:
            index = first_unexpected(records, ("record", "list"))
            raise origin.error(index, f"expected a record, got {quoted_value(records[index])}")
        lengths = np.ones(len(records), dtype=np.int64)
        self._individuals.append(self._take_in(_Arrivals(_Slot(), records, found, lengths, origin)))
        while self._queue:
            self._shred(self._queue.popleft())
        self._unresolved += [pending for pending in self._pending if not self._resolved(pending)]
        self._pending.clear()
        for gathered in self._gathered.values():
            gathered.names.forget_recent()

    def finish(self) -> Population:
        """Return the population of all records."""
        if self._schema is None and not self._individuals:
            raise DataError("no records to infer a schema from", source=self._source)
        for gathered in self._gathered.values():
            gathered.names.check()
            if self._unresolved:
                gathered.names.load_all()
        for pending in self._unresolved:
            if not self._resolved(pending):
                raise self._dangling(pending)
        schema = self._schema or self._inferred_schema()
        self._overrides.check(schema)
        self._refuse_shared_elements(schema)
        tables = {record.name: self._table(record) for record in schema.types}
        population = Population(schema, tables, _chained([targets.rows for targets in self._individuals]))
        for slot in reversed(self._extensions(schema)):
            counted = TIMES if slot in self._counted else None
            population = distinct_elements(population, slot.type_name, slot.member, counted)
        return population

    # ---- records into batches

    def _take_in(self, arrivals: _Arrivals) -> _Targets:
        """Queue the records of a slot and return their rows."""
        elements, trail = arrivals.elements, arrivals.trail
        if not len(elements):
            return _Targets(arrivals.lengths, _zeros(0))
        form, declared = self._form(arrivals), arrivals.declared
        if form != "record":
            members = unnamed_elements(elements, form, declared, arrivals.counts, trail)
            if arrivals.counts is not None:
                self._counted.add(arrivals.slot)
            rows = self._enqueue(arrivals, elements, tuple(members.columns), trail, members)
            if form == "collection" and arrivals.above is not None:
                self._nested.add(self._targets[arrivals.slot])
            if form == "collection" and declared is not None:
                self._inner.setdefault(self._targets[arrivals.slot], declared)
            return _Targets(arrivals.lengths, rows)
        keys = keys_of(elements)
        _check_keys(keys, arrivals)
        if "$type" in keys:
            self._note_type(arrivals)
        if "$ref" in keys:
            return self._take_in_named(arrivals, keys)
        return _Targets(arrivals.lengths, self._enqueue(arrivals, elements, keys, trail))

    def _take_in_named(self, arrivals: _Arrivals, keys: Sequence[str]) -> _Targets:
        """Queue the records of a slot that also contains references, and return the rows of both."""
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

    def _form(self, arrivals: _Arrivals) -> ElementForm:
        """Return the form of the elements of a slot; raise an error if it has elements of several forms."""
        slot, elements = arrivals.slot, arrivals.elements
        form = self._forms.setdefault(slot, form_of(elements, arrivals.found, arrivals.declared))
        check_form(elements, arrivals.found, form, arrivals.trail)
        if form != "record" and self._schema is not None:
            record = self._schema.type(self._targets[slot])
            members = {"plain": (VALUE,), "collection": (VALUES,)}.get(form, ())
            if not set(members) <= set(record.members):
                message = f"expected a record of type {record.name!r}, got {quoted_value(elements[0])}"
                raise arrivals.trail.error(0, message)
        return form

    def _note_type(self, arrivals: _Arrivals) -> None:
        """Set the target type of a slot from the ``$type`` of its records, or check that it agrees with them."""
        given = [element.get("$type") for element in arrivals.elements]
        if not value_types(given) <= {"string", "missing"}:
            index = first_unexpected(given, {"string", "missing"})
            raise arrivals.trail.error(
                index, f"expected the name of a type, got {quoted_value(given[index])}", ".$type"
            )
        first = next(filter(None, given), None)
        target = self._targets.setdefault(arrivals.slot, first) if first else None
        index = next((i for i, name in enumerate(given) if name and name != target), -1)
        if index >= 0:
            message = f"expected type {target!r} as elsewhere in {arrivals.slot}, got {given[index]!r}"
            raise arrivals.trail.error(index, message, ".$type")

    def _enqueue(
        self,
        arrivals: _Arrivals,
        rows: Sequence[Any],
        keys: Sequence[str],
        trail: Trail | Origin,
        unnamed: Unnamed | None = None,
    ) -> NDArray[np.int64]:
        """Queue records and return their row numbers in the target type."""
        slot, above = arrivals.slot, arrivals.above
        usual = self._usual_type(slot) if slot.member else self._individual
        target = self._targets.setdefault(slot, usual)
        gathered = self._gathered.setdefault(target, _Gathered(Names(target)))
        start, chunk = gathered.pieces.n_rows, gathered.pieces.add_chunk(len(rows))
        if "$id" in keys:
            gathered.names.add(values_of(rows, "$id"), start, trail)
        depth = 0 if above is None else above.depth + 1
        members = tuple(key for key in keys if key not in _SPECIAL)
        batch = _Batch(target, chunk, rows, members, self._forms[slot], trail, above, depth, unnamed)
        _refuse_endless(batch)
        self._queue.append(batch)
        return np.arange(start, start + len(rows))

    def _usual_type(self, slot: _Slot) -> str:
        """Return the type of the records of a slot, named after their member, or their owner if it has no name."""
        prefix = slot.type_name if slot.type_name in self._nested and slot.member == VALUES else ""
        return prefix + type_name_of(slot.member)

    # ---- batches into columns

    def _shred(self, batch: _Batch) -> None:
        add = self._add_found if self._schema is None else self._add_declared
        for key in batch.keys:
            try:
                add(batch, key, batch.values(key))
            except ValueMismatch as mismatch:
                fix = mismatch.text_fix(key)
                raise batch.trail.error(mismatch.index, mismatch.message, batch.path(key), fix) from None
        self._require_references(batch)

    def _add_found(self, batch: _Batch, key: str, values: Sequence[Any]) -> None:
        """Add a member whose kind follows from its values."""
        gathered = self._gathered[batch.type_name]
        types = set(map(type, values))
        found = to_value_types(types)
        role = gathered.roles.setdefault(key, None)
        if role is None and not found <= _PLAIN:
            role = _role_of(values)
        if role in ("record", "list"):
            given = self._declared(batch.type_name, key)
            if given is not None and role in ("record", "list"):
                role = "record" if given.kind == "tuple" else "list"
            elif has_counters(types):
                given, role = Collection("multiset"), "list"
            gathered.roles[key] = role
            if has_sets(types) or (given is not None and given.link == "set"):
                gathered.sets.add(key)
            if has_sets(types):
                values = in_order(values, None if given is None else given.link)
            self._add_link(batch, key, values, found, role, given)
            return
        declared = self._overrides.declared_kind(batch.type_name, key)
        gathered.pieces.add(batch.chunk, key, values, declared, types)
        if key in gathered.pieces.kinds:
            gathered.roles[key] = "attribute"

    def _add_declared(self, batch: _Batch, key: str, values: Sequence[Any]) -> None:
        """Add a member as declared in the schema."""
        assert self._schema is not None
        record = self._schema.type(batch.type_name)
        attribute, link = record.attribute(key), record.link(key)
        if attribute is not None:
            declared = self._overrides.declared_kind(record.name, key)
            self._gathered[record.name].pieces.add(batch.chunk, key, values, declared or attribute)
        elif link is not None:
            types = set(map(type, values))
            if has_sets(types):
                values = in_order(values, "list" if link.kind == "list" else "set")
            given = self._declared(record.name, key)
            if given is None and not link.single and is_multiset(self._schema.type(link.target)):
                given = Collection("multiset")
            self._add_link(batch, key, values, to_value_types(types), "record" if link.single else "list", given)
        else:
            index = next(i for i, row in enumerate(batch.rows) if key in row)
            raise ValueMismatch(index, f"type {record.name!r} has no {key!r}{did_you_mean(key, record.members)}")

    def _declared(self, type_name: str, key: str) -> Collection | None:
        """Return the declared kind of a collection, which may be part of the declaration of an outer one."""
        found = self._overrides.collection(type_name, key)
        return self._inner.get(type_name) if found is None and key == VALUES else found

    def _add_link(
        self,
        batch: _Batch,
        key: str,
        values: Sequence[Any],
        found: frozenset[ValueType],
        role: _Role,
        given: Collection | None = None,
    ) -> None:
        counts = None
        if given is not None and given.kind == "multiset":
            values, counts = counted_elements(values)
            found = value_types(values)
        is_tuple = given is not None and given.kind == "tuple"
        own: set[ValueType] = {"record", "list"} if is_tuple else {"record" if role == "record" else "list"}
        expected = own | {"missing"}
        if not found <= expected:
            index = first_unexpected(values, expected)
            raise ValueMismatch(index, f"expected {EXPECTED[role]}, got {quoted_value(values[index])}")
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
        slot = _Slot(batch.type_name, key)
        trail = Trail(batch.trail, key, many, lengths, step=batch.path(key))
        inside = value_types(elements) if many or is_tuple else _RECORDS
        declared = given if given is None or is_tuple else given.inner
        targets = self._take_in(_Arrivals(slot, elements, inside, lengths, trail, batch, declared, counts))
        self._gathered[batch.type_name].links.setdefault(key, {})[batch.chunk] = targets

    def _require_references(self, batch: _Batch) -> None:
        """Raise `DataError` if a reference that is not optional is absent."""
        links = self._schema.type(batch.type_name).links if self._schema is not None else ()
        for link in links:
            if link.kind == "one":
                piece = self._gathered[batch.type_name].links.get(link.name, {}).get(batch.chunk)
                if piece is None or not piece.lengths.all():
                    row = 0 if piece is None else int(np.argmin(piece.lengths))
                    fix = f"add it, or make it optional ({link.target}?) in the schema"
                    raise batch.trail.error(row, "expected a record, got null", f".{link.name}", fix)

    # ---- names into rows

    def _resolved(self, pending: _Pending) -> bool:
        """Resolve the references of a slot; return False if some are not known yet."""
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
        """Return the error for references that cannot be resolved."""
        target = self._targets.get(pending.slot)
        searched = [target] if target else list(self._gathered)
        known: set[Any] = set().union(
            *(self._gathered[name].names.load_all() for name in searched if name in self._gathered)
        )
        for place, name in zip(pending.places.tolist(), pending.names, strict=True):
            if name not in known:
                of = f" of type {target!r}" if target else ""
                hint = did_you_mean(str(name), map(str, known))
                return pending.trail.error(place, f"no record{of} has $id {name!r}{hint}")
        message = f"the references in {pending.slot} are ambiguous: {', '.join(searched)}"
        return pending.trail.error(int(pending.places[0]), message, fix='add "$type" next to "$ref"')

    # ---- schema and tables

    def _table(self, record: RecordType) -> Table:
        gathered = self._gathered[record.name]
        columns = {attribute.name: gathered.pieces.column(attribute) for attribute in record.attributes}
        links = {link.name: gathered.adjacency(link.name) for link in record.links}
        return Table(gathered.pieces.n_rows, columns, links)

    def _inferred_schema(self) -> Schema:
        for name in list(self._gathered):
            for member, role in self._gathered[name].roles.items():
                slot = _Slot(name, member)
                if role == "list":  # it may always have been empty, and so have no target type yet
                    target = self._targets.setdefault(slot, self._usual_type(slot))
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
            return "set" if member in gathered.sets else self._overrides.link(name, member) or "list"
        present = sum(len(targets.rows) for targets in gathered.links[member].values())
        return "one" if present == gathered.pieces.n_rows else "optional"

    def _extensions(self, schema: Schema) -> list[_Slot]:
        """Return the sets whose elements have no field names, which contain each element once; outer sets first."""
        found = [slot for slot in self._targets if slot.member]
        return [
            slot
            for slot in found
            if (link := schema.type(slot.type_name).link(slot.member)) is not None
            and link.kind == "set"
            and (
                self._forms.get(slot, "record") != "record"
                or (self._schema is None and is_unnamed(schema.type(link.target)))
            )
        ]

    def _refuse_shared_elements(self, schema: Schema) -> None:
        """Raise `DataError` for a reference to a record that is already in another list or in the same set."""
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


# ---- checks ----------------------------------------------------------------------------------------------


def _role_of(values: Iterable[Any]) -> _Role:
    """Return the role of a member (attribute, record or list), judged by its first non-missing value."""
    match next(found for value in values if (found := value_type(type(value))) != "missing"):
        case "record" | "list" as role:
            return role
        case _:
            return "attribute"


def _check_keys(keys: Sequence[str], arrivals: _Arrivals) -> None:
    for key in keys:
        if not isinstance(key, str) or not key:
            problem = f"expected the name of a member, got {quoted_value(key)}"
        elif key.startswith("$") and key not in _SPECIAL:
            problem = f"unknown special member {key!r}{did_you_mean(key, _SPECIAL)}"
        else:
            continue
        raise arrivals.trail.error(next(i for i, row in enumerate(arrivals.elements) if key in row), problem)


def _check_names(
    named: Sequence[Mapping[str, Any]], names: Sequence[Any], keys: Sequence[str], trail: Trail | Origin
) -> None:
    """Check that each ``$ref`` is a number or a string, without other members except ``$type``."""
    if not value_types(names) <= {"number", "string"}:
        index = first_unexpected(names, {"number", "string"})
        raise trail.error(index, f"expected the $id of a record, got {quoted_value(names[index])}", ".$ref")
    if len(keys) > 1:
        for i, element in enumerate(named):
            extra = [key for key in element if key not in ("$ref", "$type")]
            if extra:
                raise trail.error(i, f"a $ref refers to a whole record and cannot have {extra[0]!r} as well")


def _refuse_endless(batch: _Batch) -> None:
    """Raise `DataError` for Python records that contain themselves, checked at depths 4, 8, 16 and so on."""
    if batch.depth > DEEPEST:
        raise batch.trail.error(0, f"records are nested deeper than {DEEPEST} levels")
    if batch.form == "plain" or batch.depth < 4 or batch.depth & (batch.depth - 1):
        return
    mine, index, below = _identities(batch), np.arange(len(batch.rows)), batch
    while below.above is not None and isinstance(below.trail, Trail):
        index, below = below.trail.owners[index], below.above
        same = _identities(below)[index] == mine
        if same.any():
            fix = 'name it with "$id" and refer to it with "$ref"' if batch.form == "record" else None
            what = "record" if batch.form == "record" else "list"
            raise batch.trail.error(int(np.argmax(same)), f"a {what} contains itself", fix=fix)


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
                f"this {target} is in two lists, but an element can belong to only one",
                fix=f"to read it as a set: {option_text('types', {piece.trail.member: 'set'})}",
            )


def _zeros(n: int) -> NDArray[np.int64]:
    return np.zeros(n, dtype=np.int64)


def _chained(arrays: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    return arrays[0] if len(arrays) == 1 else np.concatenate([_zeros(0), *arrays])
