"""Values of a JSON document with their paths, converted to the expected type.

Model files are read through `JsonPart`, so that every error contains the path of the value, such as
``$.predictor.nodes[3].test``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from math import inf, isfinite
from types import UnionType
from typing import Any, Literal, NoReturn, Union, get_args, get_origin, get_type_hints

from structtree.errors import DataError

__all__ = ["JsonPart", "json_number", "members_json"]


@dataclass(frozen=True, slots=True)
class JsonPart:
    """A value of a JSON document, with its path.

    Parameters
    ----------
    value : JSON value
    path : str

    Examples
    --------
    >>> JsonPart({"n": [1, -2]}).member("n").elements()[1].whole()
    Traceback (most recent call last):
    structtree.errors.DataError: expected a whole number >= 0, got -2 at $.n[1]
    """

    value: Any
    path: str = "$"

    def fail(self, message: str) -> NoReturn:
        """Raise `DataError` with a message about this value."""
        raise DataError(message, path=self.path)

    def expected(self, what: str) -> NoReturn:
        """Raise `DataError` with a description of the expected value and the actual value."""
        from structtree.data.kinds import quoted_value  # imports numpy, and the command line loads this module first

        self.fail(f"expected {what}, got {quoted_value(self.value)}")

    def members(self) -> Mapping[str, Any]:
        """Return the members of the value, which must be an object."""
        return self.value if isinstance(self.value, dict) else self.expected("an object")

    def member(self, key: str) -> JsonPart:
        """Return a required member of the object."""
        members = self.members()
        if key not in members:
            self.fail(f"expected an object with {key!r}")
        return JsonPart(members[key], f"{self.path}.{key}")

    def optional(self, key: str) -> JsonPart | None:
        """Return an optional member of the object; None if it is missing or null."""
        return None if self.members().get(key) is None else self.member(key)

    def parts(self) -> Iterator[tuple[str, JsonPart]]:
        """Yield the names and values of the members of the object."""
        for key in self.members():
            yield key, self.member(key)

    def elements(self) -> tuple[JsonPart, ...]:
        """Return the elements of the value, which must be a list."""
        if not isinstance(self.value, list):
            self.expected("a list")
        return tuple(JsonPart(value, f"{self.path}[{i}]") for i, value in enumerate(self.value))

    def text(self) -> str:
        """Return the value as a string."""
        return self.value if isinstance(self.value, str) else self.expected("a string")

    def texts(self) -> tuple[str, ...]:
        """Return the value as a list of strings."""
        return tuple(part.text() for part in self.elements())

    def flag(self) -> bool:
        """Return the value as a boolean."""
        return self.value if isinstance(self.value, bool) else self.expected("true or false")

    def whole(self) -> int:
        """Return the value as a non-negative integer."""
        is_whole = isinstance(self.value, int) and not isinstance(self.value, bool)
        if not is_whole or self.value < 0:
            self.expected("a whole number >= 0")
        return int(self.value) if self.value < 2**63 else self.expected("a whole number below 2**63")

    def number(self) -> float:
        """Return the value as a finite number."""
        is_number = isinstance(self.value, int | float) and not isinstance(self.value, bool)
        if not is_number:
            self.expected("a number")
        return float(self.value) if abs(self.value) <= sys.float_info.max else self.expected("a finite number")

    def number_or_infinity(self) -> float:
        """Return the value as a number, which may be infinite or NaN as written by `json_number`."""
        return float(self.value) if self.value in ("inf", "-inf", "nan") else self.number()

    def weight(self) -> float:
        """Return the value as a non-negative number."""
        return found if (found := self.number()) >= 0 else self.expected("a number >= 0")

    def weight_or_infinity(self) -> float:
        """Return the value as a non-negative number or infinity."""
        return inf if self.value == "inf" else self.weight()

    def one_of(self, words: tuple[str, ...], expected: str) -> Any:
        """Return the value, which must be one of the given strings."""
        return self.value if self.value in words else self.expected(expected)

    def label(self) -> str | int | float | bool:
        """Return the value as a class label: a string, a number or a boolean."""
        if isinstance(self.value, str | bool):
            return self.value
        if not isinstance(self.value, int | float):
            self.expected("a string, number or boolean")
        self.number()
        return self.value

    def as_type(self, kind: Any) -> Any:
        """Convert the value to a type: plain, literal, optional, tuple, mapping, or a dataclass of these.

        A class with its own ``from_json`` is created by that method.

        Examples
        --------
        >>> JsonPart({"a": ["x"]}).as_type(Mapping[str, tuple[str, ...]])
        {'a': ('x',)}
        """
        if kind in _PLAIN:
            return _PLAIN[kind](self)
        origin, arguments = get_origin(kind), get_args(kind)
        if origin is Literal:
            return self.one_of(arguments, " or ".join(map(repr, arguments)))
        if origin in (Union, UnionType):
            return None if self.value is None else self.as_type(arguments[0])
        if origin is tuple:
            return tuple(part.as_type(arguments[0]) for part in self.elements())
        if origin is Mapping:
            return {key: part.as_type(arguments[1]) for key, part in self.parts()}
        return kind.from_json(self) if hasattr(kind, "from_json") else self.as_dataclass(kind)

    def as_dataclass(self, kind: Any) -> Any:
        """Convert the members to a dataclass; unknown members are ignored."""
        hints, given = get_type_hints(kind), self.members()
        required = {each.name for each in fields(kind) if each.default is each.default_factory is MISSING}
        return kind(**{name: self.member(name).as_type(hints[name]) for name in hints if name in {*given, *required}})


_PLAIN: Mapping[Any, Callable[[JsonPart], Any]] = {
    str: JsonPart.text,
    bool: JsonPart.flag,
    int: JsonPart.whole,
    float: JsonPart.number,
}


def members_json(value: Any) -> dict[str, Any]:
    """Return the fields of a dataclass that differ from their defaults, as plain JSON values.

    Examples
    --------
    >>> members_json(JsonPart(1)), members_json(JsonPart((JsonPart(1),), "$.a"))
    ({'value': 1}, {'value': [{'value': 1}], 'path': '$.a'})
    """
    usual = {each.name: each.default_factory() for each in fields(value) if each.default_factory is not MISSING}
    usual |= {each.name: each.default for each in fields(value) if each.default is not MISSING}
    members = {each.name: getattr(value, each.name) for each in fields(value)}
    return {name: _plain_json(member) for name, member in members.items() if member != usual.get(name, MISSING)}


def _plain_json(value: Any) -> Any:
    if is_dataclass(value):
        return value.to_json() if hasattr(value, "to_json") else members_json(value)
    if isinstance(value, Mapping):
        return {key: _plain_json(member) for key, member in value.items()}
    return [_plain_json(each) for each in value] if isinstance(value, tuple) else value


def json_number(value: float) -> float | str:
    """Return a number for JSON, which has no infinity or NaN; these become strings."""
    return float(value) if isfinite(value) else str(float(value))
