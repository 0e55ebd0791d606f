"""Elements without field names: plain values, collections in collections, tuples and multisets.

They become records of one or two members. A plain value is the attribute ``value``, a collection is the link
``values``, a tuple has the members that its declaration names, and an element of a multiset also has the attribute
``times``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

import numpy as np

from structtree.data.collection_kinds import TIMES, VALUE, VALUES, Collection
from structtree.data.kinds import ValueMismatch, ValueType, quoted_value, value_type
from structtree.data.readers.records.source_paths import Origin, Trail

__all__ = [
    "ElementForm",
    "Unnamed",
    "check_form",
    "counted_elements",
    "form_of",
    "has_counters",
    "has_sets",
    "in_order",
    "unnamed_elements",
]

ElementForm = Literal["plain", "collection", "tuple", "record"]
"""ElementForm of the elements of a collection; all but records have no field names."""

_EXPECTED: Mapping[ElementForm, str] = {
    "plain": "a plain value",
    "collection": "a list",
    "tuple": "a tuple",
    "record": "a record",
}
_PLAIN: frozenset[ValueType] = frozenset({"missing", "boolean", "number", "string", "moment"})
_ALLOWED: Mapping[ElementForm, frozenset[ValueType]] = {
    "plain": _PLAIN,
    "collection": frozenset({"list"}),
    "tuple": frozenset({"list"}),
    "record": frozenset({"record"}),
}


@dataclass(frozen=True, slots=True, eq=False)
class Unnamed:
    """Values of the members of elements without field names, and the path from an element to each."""

    columns: Mapping[str, Sequence[Any]]
    paths: Mapping[str, str]


def form_of(elements: Sequence[Any], found: frozenset[ValueType], declared: Collection | None) -> ElementForm:
    """Return the form of some elements, judged by their declaration or by the first that is not missing.

    Examples
    --------
    >>> form_of(["a", ["b"]], frozenset({"string", "list"}), None)
    'plain'
    """
    if declared is not None and declared.kind == "tuple":
        return "record" if "record" in found else "tuple"
    if declared is not None:
        return "collection"
    if found <= _PLAIN:
        return "plain"
    match next(kind for element in elements if (kind := value_type(type(element))) != "missing"):
        case "list":
            return "collection"
        case "record" | "other":
            return "record"
        case _:
            return "plain"


def unnamed_elements(
    elements: Sequence[Any],
    form: ElementForm,
    declared: Collection | None,
    counts: Sequence[Any] | None,
    trail: Trail | Origin,
) -> Unnamed:
    """Return the members of elements that have no field names.

    Examples
    --------
    >>> found = unnamed_elements([["long", 2]], "tuple", Collection.parse("tuple(size, wheels)"), None, Origin())
    >>> found.columns["wheels"], found.paths["wheels"]
    ([2], '[1]')
    """
    columns: dict[str, Sequence[Any]]
    if form == "tuple":
        assert declared is not None
        names = declared.members
        _check_lengths(elements, names, trail)
        columns = {name: [element[i] for element in elements] for i, name in enumerate(names)}
        paths = {name: f"[{i}]" for i, name in enumerate(names)}
    else:
        name = VALUE if form == "plain" else VALUES
        columns, paths = {name: elements}, {name: ""}
    if counts is not None:
        columns[TIMES], paths[TIMES] = counts, ""
    return Unnamed(columns, paths)


def check_form(
    elements: Sequence[Any], found: frozenset[ValueType], form: ElementForm, trail: Trail | Origin
) -> None:
    """Raise `DataError` at the first element of another form."""
    if found <= _ALLOWED[form]:
        return
    index = next(i for i, element in enumerate(elements) if value_type(type(element)) not in _ALLOWED[form])
    raise trail.error(index, f"expected {_EXPECTED[form]}, got {quoted_value(elements[index])}")


def _check_lengths(elements: Sequence[Any], names: Sequence[str], trail: Trail | Origin) -> None:
    for index, element in enumerate(elements):
        if isinstance(element, set | frozenset):
            raise trail.error(index, "expected a tuple, got a set, which has no order")
        if len(element) != len(names):
            expected = f"expected {len(names)} value{'s' * (len(names) > 1)} ({', '.join(names)})"
            raise trail.error(index, f"{expected}, got {len(element)}")


# ---- sets and multisets ----------------------------------------------------------------------------------


def has_sets(types: Iterable[type]) -> bool:
    """Return whether there are Python sets among the types."""
    return any(issubclass(t, set | frozenset) for t in types)


def has_counters(types: Iterable[type]) -> bool:
    """Return whether there are Python counters among the types."""
    return any(issubclass(t, Counter) for t in types)


def in_order(values: Sequence[Any], kind: Literal["set", "list"] | None) -> list[Any]:
    """Sort the elements of sets, since Python's order differs between runs."""
    if kind == "list":
        index = next(i for i, value in enumerate(values) if isinstance(value, set | frozenset))
        raise ValueMismatch(index, "expected a list, got a set, which has no order")
    return [sorted(v, key=_text_key) if isinstance(v, set | frozenset) else v for v in values]


def counted_elements(values: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Return the elements of multisets, given as counts by element or as lists, and their counts, row by row.

    Examples
    --------
    >>> counted_elements([{"C": 6, "O": 1}, ["C", "C"]])
    ([['C', 'O'], ['C', 'C']], [6, 1, 1, 1])
    """
    counted = [_counts(index, value) for index, value in enumerate(values)]
    elements = [None if pairs is None else [element for element, _ in pairs] for pairs in counted]
    return elements, [count for _, count in chain.from_iterable(filter(None, counted))]


def _counts(index: int, value: Any) -> list[tuple[Any, int]] | None:
    if value is None:
        return None
    if not isinstance(value, Mapping):
        if value_type(type(value)) != "list":
            raise ValueMismatch(index, f"expected a list, or counts by element, got {quoted_value(value)}")
        return [(element, 1) for element in value]
    for element, count in value.items():
        if not isinstance(count, int | np.integer) or isinstance(count, bool) or count < 0:
            expected = f"expected a whole number of {quoted_value(element)}, at least 0"
            raise ValueMismatch(index, f"{expected}, got {quoted_value(count)}")
    pairs = [(element, int(count)) for element, count in value.items() if count > 0]
    return sorted(pairs, key=lambda pair: _text_key(pair[0])) if isinstance(value, Counter) else pairs


def _text_key(value: Any) -> str:
    """Return a string that identifies an element, independent of the order of its members."""
    match value:
        case Mapping():
            return repr(sorted((str(key), _text_key(inner)) for key, inner in value.items()))
        case set() | frozenset():
            return repr(sorted(map(_text_key, value)))
        case list() | tuple():
            return repr(list(map(_text_key, value)))
        case _:
            return repr(value)
