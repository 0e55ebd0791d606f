"""Layout of facts: inference of the arguments that are records, with their types, and of those that are values.

A *place* is an argument position of a predicate. Places that share constants have one *sort*: two places of words are
joined if at least half of the constants of the smaller one occur in the other. Numbers are never joined, since 7 may
be a bond here and a charge there, unless they are the names of the individuals.

The constants of a sort are *records* if something describes them: the examples, a unary predicate that is true for
only some of them, or a predicate with at most one fact for each of them (a *key*) and no earlier key. A predicate
without records describes its first argument. All other sorts are values: chemical elements, kinds of bonds, quarters
of the year. If a record can have several words of a sort (genres, enzymes), they are records too, with only a name.

The result is a complete `Signature` for each predicate, so that the same signatures create the same types for other
facts. Declared signatures, and the sorts of `structtree.data.readers.facts.modes`, take precedence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from graphlib import CycleError, TopologicalSorter
from itertools import chain, combinations, count
from typing import Any, NamedTuple

from structtree.data.kinds import type_name_of
from structtree.data.readers.facts.modes import Modes
from structtree.data.readers.facts.prolog import flattened
from structtree.data.readers.facts.signatures import Argument, Direction, PrologPredicate, Signature

__all__ = ["Layout", "Rows", "TargetPlaces", "attribute_name", "free_name", "inferred_layout"]

Rows = Sequence[tuple[Any, ...]]
"""Arguments of the facts of one predicate."""

MANY_FACTS = 20
"""Average number of facts of a predicate per record above which the record gets no reverse link."""

NUMBER_SORTS = ("int", "integer", "float", "real", "number", "nat")
"""Names of sorts that are numbers in every predicate."""


class FactPlace(NamedTuple):
    """Argument position of a predicate, counted from 0."""

    predicate: PrologPredicate
    place: int


@dataclass(frozen=True, slots=True)
class TargetPlaces:
    """Predicate to predict, and its arguments that identify the individual.

    Parameters
    ----------
    predicate : PrologPredicate
    class_place : int, optional
        Argument that is the class or the number to predict.
    is_world : bool
        Whether each individual is an interpretation, without links to others.
    """

    predicate: PrologPredicate
    class_place: int | None = None
    is_world: bool = False

    @property
    def places(self) -> tuple[FactPlace, ...]:
        """Arguments that identify the individual."""
        own = range(self.predicate.arity)
        return tuple(FactPlace(self.predicate, place) for place in own if place != self.class_place)


@dataclass(frozen=True, slots=True)
class Layout:
    """Signature of each predicate, and notes about skipped predicates."""

    signatures: Mapping[PrologPredicate, Signature]
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Sort:
    """Group of argument positions that share constants."""

    places: list[FactPlace]
    constants: set[Any]
    name: str | None = None
    is_record: bool | None = None
    is_word: bool = False

    @property
    def is_number(self) -> bool:
        return _all_numbers(self.constants)


def inferred_layout(
    facts: Mapping[PrologPredicate, Rows],
    given: Mapping[PrologPredicate, Signature],
    modes: Modes = Modes(),  # noqa: B008  # it is frozen
    target: TargetPlaces | None = None,
    individual: str | None = None,
) -> Layout:
    """Infer the layout of facts: which arguments are records, and which are values.

    Parameters
    ----------
    facts : mapping
        Arguments of all facts of each predicate, including the examples.
    given : mapping
        Declared signatures.
    modes : Modes
        Declared sorts of arguments.
    target : TargetPlaces, optional
        Predicate to predict.
    individual : str, optional
        Name of the individuals' type.

    Examples
    --------
    >>> facts = {
    ...     PrologPredicate("atm", 4): [("m1", "a1", "c", 0.5), ("m1", "a2", "o", -0.5), ("m2", "a3", "c", 0.1)],
    ...     PrologPredicate("bond", 4): [("m1", "a1", "a2", 2), ("m1", "a2", "a1", 2)],
    ...     PrologPredicate("ames", 1): [("m1",)],
    ...     PrologPredicate("active", 1): [("m1",), ("m2",)],
    ... }
    >>> target = TargetPlaces(PrologPredicate("active", 1))
    >>> for signature in inferred_layout(facts, {}, target=target, individual="Molecule").signatures.values():
    ...     print(signature)
    atm(Molecule, Atm key, atm_3, atm_4) one way
    bond(Molecule, Atm -> from, Atm -> to, value) many
    ames(Molecule)
    active(Molecule)
    """
    sorts = _Sorts.of(facts, given, modes, target)
    sorts.join_numbers(target)
    sorts.find_records(target)
    sorts.find_shared_words(target)
    sorts.name_records(target, individual)
    settled = {
        predicate: _complete(given[predicate], rows, target)
        if predicate in given
        else _signature(predicate, rows, sorts, target)
        for predicate, rows in facts.items()
    }
    unused = {predicate: signature for predicate, signature in given.items() if predicate not in facts}
    return Layout({**settled, **unused}, tuple(sorts.notes))


# ---- sorts -----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Sorts:
    """Sort of every argument position."""

    facts: Mapping[PrologPredicate, Rows]
    modes: Modes
    of_place: dict[FactPlace, _Sort]
    given: Mapping[PrologPredicate, Signature]
    notes: list[str] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        facts: Mapping[PrologPredicate, Rows],
        given: Mapping[PrologPredicate, Signature],
        modes: Modes,
        target: TargetPlaces | None,
    ) -> _Sorts:
        constants = {
            FactPlace(predicate, place): _constants(rows, place)
            for predicate, rows in facts.items()
            for place in range(predicate.arity)
        }
        declared = _declared_sorts(constants, given, modes)
        class_place = (
            FactPlace(target.predicate, target.class_place) if target and target.class_place is not None else None
        )
        free = [place for place in constants if place not in declared and place != class_place]
        found = dict(_grouped(constants, declared, free, given, modes))
        if class_place is not None:
            found[class_place] = _Sort([class_place], constants[class_place], is_record=False)
        return cls(facts, modes, found, given)

    @property
    def all(self) -> list[_Sort]:
        """Distinct sorts, in order of their first argument position."""
        return list({id(sort): sort for sort in self.of_place.values()}.values())

    def inferred(self, target: TargetPlaces | None) -> Iterator[PrologPredicate]:
        """Yield the predicates that are neither declared nor the target."""
        own = target.predicate if target else None
        return (predicate for predicate in self.facts if predicate not in self.given and predicate != own)

    def join_numbers(self, target: TargetPlaces | None) -> None:
        """Join the sorts of numeric first arguments with the individuals, if all their values are individuals."""
        for own in target.places if target and len(target.places) == 1 else ():
            individuals = self.of_place[own]
            if not individuals.is_number:
                continue
            for place, sort in [*self.of_place.items()]:
                is_first = place.place == 0 and place.predicate != own.predicate and len(sort.places) == 1
                if is_first and sort.is_number and sort.constants and sort.constants <= individuals.constants:
                    individuals.places.append(place)
                    self.of_place[place] = individuals

    def find_records(self, target: TargetPlaces | None) -> None:
        """Decide which sorts are records."""
        for place in target.places if target else ():
            sort = self.of_place[place]
            if sort.is_record is None and (not sort.is_number or len(target.places) == 1):  # type: ignore[union-attr]
                sort.is_record = True
        for predicate in self.inferred(target):
            self._find_described(predicate, self.facts[predicate])
        for predicate in self.inferred(target):
            self._find_first(predicate)

    def _find_described(self, predicate: PrologPredicate, rows: Rows) -> None:
        """Mark a sort as records if it is the only argument, or the first unique argument, of a predicate."""
        if predicate.arity == 1:
            sort = self.of_place[FactPlace(predicate, 0)]
            if sort.is_record is None and not sort.is_number and len(_constants(rows, 0)) < len(sort.constants):
                sort.is_record = True
            return
        for place in range(predicate.arity):
            sort = self.of_place[FactPlace(predicate, place)]
            if sort.is_number or _is_list(rows, place):
                continue
            if len({row[place] for row in rows}) == len(rows):
                if sort.is_record is None and len(sort.places) > 1:
                    sort.is_record = True
                return

    def _find_first(self, predicate: PrologPredicate) -> None:
        """Mark the first sort that occurs elsewhere as records, unless the predicate already has records."""
        own = [self.of_place[FactPlace(predicate, place)] for place in range(predicate.arity)]
        if predicate.arity == 1 or any(sort.is_record for sort in own):
            return
        for sort in own:
            if sort.is_record is None and not sort.is_number and len(sort.places) > 1:
                sort.is_record = True
                return

    def find_shared_words(self, target: TargetPlaces | None) -> None:
        """Mark words as records if a record can be related to several words."""
        for predicate in self.inferred(target):
            if predicate.arity != 2:
                continue
            rows = self.facts[predicate]
            own = [self.of_place[FactPlace(predicate, place)] for place in (0, 1)]
            for place, (sort, other) in enumerate([own, own[::-1]]):
                is_word = not other.is_record and not other.is_number and not _is_list(rows, 1 - place)
                if sort.is_record and is_word and len({row[place] for row in rows}) < len(rows):
                    other.is_record = other.is_word = True

    def name_records(self, target: TargetPlaces | None, individual: str | None) -> None:
        """Give each sort of records a unique name."""
        taken = {argument.name for signature in self.given.values() for argument in signature.arguments}
        first = [self.of_place[place] for place in (target.places if target else ())]
        for sort in {id(sort): sort for sort in (*first, *self.all)}.values():
            if sort.is_record and not (sort.name and sort.name[:1].isupper()):
                is_individual = len(first) == 1 and sort is first[0]
                name = (is_individual and individual) or self._name(sort, target)
                sort.name = free_name(name, taken)
            taken.add(sort.name or "")

    def _name(self, sort: _Sort, target: TargetPlaces | None) -> str:
        """Return the name of a sort: as declared, or from a predicate true for all, a prefix, or any predicate."""
        if sort.name:
            return type_name_of(sort.name)
        own = target.predicate if target else None
        predicates = [place.predicate for place in sort.places if place.predicate != own]
        unary = [one.name for one in predicates if one.arity == 1 and self._is_true_for_all(one, sort)]
        if unary:
            return type_name_of(unary[0])
        prefix = _shared_word(sort.constants)
        if prefix:
            return type_name_of(prefix)
        if own is not None and any(place.predicate == own for place in sort.places):
            return "Individual" if len(target.places) == 1 else "Thing"  # type: ignore[union-attr]
        later = [place.predicate.name for place in sorted(sort.places, key=self._naming_rank) if place.place > 0]
        if own is None and len(sort.places) == max(len(one.places) for one in self.all if one.is_record):
            return "Individual"
        return type_name_of((later or [one.name for one in predicates] or ["thing"])[0])

    def _naming_rank(self, place: FactPlace) -> tuple[bool, int]:
        """Return the sort key of the predicates that may name a sort: keys first, then those with more facts."""
        rows = self.facts[place.predicate]
        return _is_list(rows, place.place) or len({row[place.place] for row in rows}) < len(rows), -len(rows)

    def _is_true_for_all(self, predicate: PrologPredicate, sort: _Sort) -> bool:
        return len(_constants(self.facts[predicate], 0)) == len(sort.constants)


def _declared_sorts(
    places: Iterable[FactPlace], given: Mapping[PrologPredicate, Signature], modes: Modes
) -> dict[FactPlace, str]:
    """Return the names of the declared sorts: type names, and attributes qualified by their predicate."""
    found: dict[FactPlace, str] = {}
    for place in places:
        signature = given.get(place.predicate)
        if signature is not None:
            argument = signature.arguments[place.place]
            found[place] = argument.name if argument.is_type else f"{place.predicate}.{place.place}"
        elif (place.predicate, place.place) in modes.sorts:
            found[place] = modes.sorts[place.predicate, place.place]
    return found


def _grouped(
    constants: Mapping[FactPlace, set[Any]],
    declared: Mapping[FactPlace, str],
    free: Sequence[FactPlace],
    given: Mapping[PrologPredicate, Signature],
    modes: Modes,
) -> Iterator[tuple[FactPlace, _Sort]]:
    """Yield argument positions with their sorts: one sort per declared name and per group with common constants."""
    by_name: dict[str, _Sort] = {}
    for place, name in declared.items():
        key = type_name_of(name) if place.predicate not in given else name
        is_type = place.predicate in given and given[place.predicate].arguments[place.place].is_type
        sort = by_name.setdefault(key, _Sort([], set(), name if place.predicate not in given or is_type else None))
        sort.places.append(place)
        sort.constants |= constants[place]
        if place.predicate in given:
            sort.is_record = is_type
        elif name in NUMBER_SORTS:
            sort.is_record = False
        elif name in modes.inputs and not _all_numbers(constants[place]):
            sort.is_record = True
    for sort in _joined([*by_name.values()], [_Sort([place], set(constants[place])) for place in free]):
        for place in sort.places:
            yield place, sort


def _joined(declared: list[_Sort], free: list[_Sort]) -> list[_Sort]:
    """Join sorts whose constants overlap, unless both are declared."""
    parent = list(range(len(declared) + len(free)))
    sorts = [*declared, *free]

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    words = [i for i, sort in enumerate(sorts) if sort.constants and not sort.is_number]
    for i, j in combinations(words, 2):
        a, b = root(i), root(j)
        both_declared = a < len(declared) and b < len(declared)
        if a != b and not both_declared and _overlap(sorts[i].constants, sorts[j].constants):
            parent[max(a, b)] = min(a, b)
    for i, sort in enumerate(sorts):
        if root(i) != i:
            into = sorts[root(i)]
            into.places += sort.places
            into.constants |= sort.constants
    return [sort for i, sort in enumerate(sorts) if root(i) == i]


def _overlap(some: set[Any], others: set[Any]) -> bool:
    return 2 * len(some & others) >= min(len(some), len(others))


def _constants(rows: Rows, place: int) -> set[Any]:
    if _is_list(rows, place):
        return {one for row in rows for one in flattened(row[place])}
    return {row[place] for row in rows}


def _is_list(rows: Rows, place: int) -> bool:
    return any(type(row[place]) is tuple for row in rows)


def _all_numbers(constants: Collection[Any]) -> bool:
    return bool(constants) and all(isinstance(one, int | float) for one in constants)


def _shared_word(constants: Iterable[Any]) -> str:
    """Return the common prefix of names if numbers follow it: ``car`` for car_1_2 and car_12.

    Examples
    --------
    >>> _shared_word(["car_1", "car_2"]), _shared_word(["east1", "west2"]), _shared_word(["v1", "v2"])
    ('car', '', '')
    """
    found = {match[1] if match else "" for match in (re.match(r"([^\W\d_]{3,})_?\d", str(one)) for one in constants)}
    return found.pop() if len(found) == 1 else ""


def free_name(name: str, taken: Collection[str], separator: str = "") -> str:
    """Return a name, with a number appended if it is taken."""
    numbered = (f"{name}{separator}{n}" for n in count(2))
    return next(one for one in chain([name], numbered) if one not in taken)


# ---- signatures ------------------------------------------------------------------------------------------


def _signature(predicate: PrologPredicate, rows: Rows, sorts: _Sorts, target: TargetPlaces | None) -> Signature:
    own = [sorts.of_place[FactPlace(predicate, place)] for place in range(predicate.arity)]
    lists = [_is_list(rows, place) for place in range(predicate.arity)]
    arguments = [
        Argument(str(sort.name), is_list=is_list) if sort.is_record else Argument("_", is_list=is_list)
        for sort, is_list in zip(own, lists, strict=True)
    ]
    found = Signature(predicate.name, tuple(arguments))
    if target is not None and predicate == target.predicate:
        return _of_target(found, own, target)
    if _is_trivial(found, rows, own):
        is_unary = len(arguments) == 1
        why = f"is true for every {arguments[0].name}" if is_unary else "relates each record to itself"
        sorts.notes.append(f"{predicate} {why}, so it is skipped")
        return replace(found, arguments=tuple(replace(one, name="_") for one in arguments))
    found = _with_keys(found, rows)
    found = replace(found, arguments=tuple(_named_values(found, own)))
    if found.key is None and len(found.arguments) > 2:
        found = replace(found, arguments=tuple(_with_roles(found.arguments)))
    return replace(found, direction=_direction(found, rows) or _individual_direction(found, own, sorts, target))


def _individual_direction(
    signature: Signature, own: Sequence[_Sort], sorts: _Sorts, target: TargetPlaces | None
) -> Direction:
    """Return ``one way`` if a relation needs no reverse link: to shared words, or in interpretations."""
    types = signature.types
    if target is None or len(target.places) != 1 or len(types) != 2 or len(signature.arguments) > 2:
        return ""
    first, second = own[types[0]], own[types[1]]
    is_individual = first is sorts.of_place[target.places[0]] and first is not second
    return "one way" if is_individual and (target.is_world or second.is_word) else ""


def _complete(signature: Signature, rows: Rows, target: TargetPlaces | None) -> Signature:
    """Complete a declared signature with keys and roles that are inferred from the facts."""
    if target is None or signature.predicate != target.predicate:
        return _with_keys(signature, rows)
    return replace(signature, arguments=tuple(_with_roles(signature.arguments)))


def _is_trivial(signature: Signature, rows: Rows, own: Sequence[_Sort]) -> bool:
    """Return whether a predicate is true for all records of its sort, or relates each record only to itself."""
    if len(signature.types) != len(signature.arguments):
        return False
    if len(signature.arguments) == 1:
        return len({row[0] for row in rows}) == len(own[0].constants)
    return len(signature.arguments) == 2 and own[0] is own[1] and all(a == b for a, b in rows)


def _of_target(signature: Signature, own: Sequence[_Sort], target: TargetPlaces) -> Signature:
    """Return the signature of the predicate to predict, with roles for its records and a name for its class."""
    arguments = tuple(_with_roles(_named_values(signature, own)))
    if target.class_place is None:
        return replace(signature, arguments=arguments)
    place, is_key = target.class_place, len(signature.types) == 1
    named = [replace(one, is_key=is_key) if one.is_type else one for one in arguments]
    named[place] = Argument(attribute_name(signature.name))
    return replace(signature, arguments=tuple(named))


def _with_keys(signature: Signature, rows: Rows) -> Signature:
    """Mark the first unique record argument as the key, or the signature as ``many`` if there is none."""
    if signature.key is not None or signature.is_many or len(signature.arguments) < 2 or not signature.types:
        return signature
    if len(signature.arguments) > 2 and _same_type_pair(signature) is not None:
        return replace(signature, is_many=True)  # in a relation, a key would be accidental
    for place in signature.types:
        if len({row[place] for row in rows}) == len(rows):
            arguments = list(signature.arguments)
            arguments[place] = replace(arguments[place], is_key=True)
            return replace(signature, arguments=tuple(arguments))
    return replace(signature, is_many=True)


def _named_values(signature: Signature, own: Sequence[_Sort]) -> list[Argument]:
    """Return the arguments, with a name for each value."""
    values = [place for place, one in enumerate(signature.arguments) if not one.is_type]
    n_named = Counter(own[place].name for place in values)
    has_others = len(signature.arguments) > 2
    found = list(signature.arguments)
    for place in values:
        sort = own[place].name
        if len(values) == 1 and not has_others:
            name = attribute_name(signature.name) if signature.key is not None else "value"
        elif sort is not None and n_named[sort] == 1 and sort not in NUMBER_SORTS:
            name = attribute_name(sort)
        else:
            is_one = len(values) == 1 and signature.key is None
            name = "value" if is_one else f"{attribute_name(signature.name)}_{place + 1}"
        found[place] = replace(found[place], name=name)
    return found


def attribute_name(name: str) -> str:
    """Return a name with a lowercase first letter, since a capital marks a type."""
    return name[:1].lower() + name[1:]


def _with_roles(arguments: Sequence[Argument]) -> list[Argument]:
    """Return the arguments, with roles if several are records of one type: from and to, or numbers."""
    places: dict[str, list[int]] = {}
    for place, one in enumerate(arguments):
        if one.is_type and one.role is None:
            places.setdefault(one.name, []).append(place)
    found = list(arguments)
    for name, own in places.items():
        words = ["from", "to"] if len(own) == 2 else [f"{attribute_name(name)}{n}" for n in range(1, len(own) + 1)]
        for place, word in zip(own if len(own) > 1 else (), words, strict=False):
            found[place] = replace(found[place], role=word)
    return found


def _direction(signature: Signature, rows: Rows) -> Direction:
    """Return the direction in which the facts of a predicate link records: both ways, one way, or the default.

    A relation of two records of one type that has cycles, but never both directions of a pair, is symmetric with each
    pair written once, as bonds are; orders and trees have no cycles. There is no reverse link if the relation has
    both directions of each pair, from a part to its owner, and from a record with very many facts.
    """
    types = signature.types
    if len(types) < 2:
        return ""
    pairs = _same_type_pair(signature)
    if pairs is not None and len(signature.arguments) > 2 and signature.key is None:
        return "both ways" if _is_written_once([(row[pairs[0]], row[pairs[1]]) for row in rows]) else ""
    if len(types) != 2 and signature.key is None:
        return ""
    if pairs is not None:
        found = {(row[pairs[0]], row[pairs[1]]) for row in rows}
        return "one way" if all((b, a) in found for a, b in found) else ""
    if signature.key is not None:
        return "one way" if signature.key != types[0] or _n_each(rows, types[1]) > MANY_FACTS else ""
    return "one way" if len(signature.arguments) == 2 and _n_each(rows, types[1]) > MANY_FACTS else ""


def _n_each(rows: Rows, place: int) -> float:
    return len(rows) / max(1, len({row[place] for row in rows}))


def _same_type_pair(signature: Signature) -> tuple[int, int] | None:
    """Return the positions of two arguments of one type, if exactly one type occurs twice."""
    by_name: dict[str, list[int]] = {}
    for place in signature.types:
        by_name.setdefault(signature.arguments[place].name, []).append(place)
    pairs = [(own[0], own[1]) for own in by_name.values() if len(own) == 2]
    return pairs[0] if len(pairs) == 1 else None


def _is_written_once(pairs: Sequence[tuple[Any, Any]]) -> bool:
    """Return whether a relation has cycles, but contains no pair in both directions.

    Examples
    --------
    >>> ring, path, both = [(1, 2), (2, 3), (3, 1)], [(1, 2), (2, 3), (1, 3)], [(1, 2), (2, 1)]
    >>> _is_written_once(ring), _is_written_once(path), _is_written_once(both)
    (True, False, False)
    """
    found = set(pairs)
    if any((b, a) in found for a, b in found):
        return False
    order: TopologicalSorter[Any] = TopologicalSorter()
    for a, b in found:
        order.add(a, b)
    try:
        order.prepare()
    except CycleError:
        return True
    return False
