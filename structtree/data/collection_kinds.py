"""Declared kinds of collections: sets, lists, multisets and tuples, and what their elements are.

A collection without field names, such as ``[["a", "b"]]``, does not say what it means. ``set`` and ``multiset`` read
it without an order, ``tuple(shape, wheels)`` names its positions, and ``of`` declares its elements:
``set of tuple(shape, wheels)``. See `structtree.data.readers.records.unnamed` for the records that they become.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, get_args

from structtree.data.schema import RecordType

__all__ = ["TIMES", "VALUE", "VALUES", "Collection", "is_multiset", "is_unnamed"]

VALUE, VALUES, TIMES = "value", "values", "times"
"""Members of elements without field names: a plain value, a collection, and the number of times it occurs."""

_Kind = Literal["set", "list", "multiset", "tuple"]
_FORM = re.compile(r"(?P<kind>set|list|multiset)(\s+of\s+(?P<inner>\S.*))?|tuple\s*\((?P<members>[^()]*)\)")


@dataclass(frozen=True, slots=True)
class Collection:
    """Declared kind of a collection.

    Parameters
    ----------
    kind : {"set", "list", "multiset", "tuple"}
    members : tuple of str
        Names of the positions of a tuple.
    inner : Collection, optional
        Declared kind of the elements, if these are collections too.

    Examples
    --------
    >>> Collection.parse("set of tuple(shape, wheels)").inner.members
    ('shape', 'wheels')
    >>> Collection.parse("multiset").link, Collection.parse("tuple(x)").link, Collection.parse("tuple()")
    ('set', None, None)
    """

    kind: _Kind
    members: tuple[str, ...] = ()
    inner: Collection | None = None

    @classmethod
    def parse(cls, text: str) -> Collection | None:
        """Parse a declaration; return None if it is not one of a collection."""
        found = _FORM.fullmatch(text.strip())
        if found is None:
            return None
        if found["members"] is not None:
            names = tuple(name.strip() for name in found["members"].split(","))
            is_valid = all(names) and len(set(names)) == len(names)
            return cls("tuple", names) if is_valid else None
        kind = next(kind for kind in get_args(_Kind) if kind == found["kind"])
        if found["inner"] is None:
            return cls(kind)
        inner = cls.parse(found["inner"])
        return None if inner is None else cls(kind, inner=inner)

    @property
    def link(self) -> Literal["set", "list"] | None:
        """Kind of the link to the elements; None for a tuple, which is one record."""
        if self.kind == "tuple":
            return None
        return "list" if self.kind == "list" else "set"


def is_unnamed(record: RecordType) -> bool:
    """Return whether the records of a type stand for elements without field names.

    Examples
    --------
    >>> from structtree.data.schema import Attribute
    >>> is_unnamed(RecordType("Item", (Attribute("value", "int"),))), is_unnamed(RecordType("Item"))
    (True, False)
    """
    return set(record.members) in ({VALUE}, {VALUES})


def is_multiset(record: RecordType) -> bool:
    """Return whether the records of a type stand for the elements of a multiset."""
    return set(record.members) in ({VALUE, TIMES}, {VALUES, TIMES})
