"""Values of a JSON document with their locations, converted to the expected type or rejected with one sentence.

Everything in a model file is read through a `JsonPart`, so that an error names the place, such as
``$.predictor.nodes[3].test``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any, NoReturn

from structtree.data.kinds import quoted_value
from structtree.errors import DataError

__all__ = ["JsonPart", "json_number"]


@dataclass(frozen=True, slots=True)
class JsonPart:
    """A value of a JSON document, with its place.

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
        """Refuse the value."""
        raise DataError(message, path=self.path)

    def expected(self, what: str) -> NoReturn:
        """Refuse the value, since something else was expected."""
        self.fail(f"expected {what}, got {quoted_value(self.value)}")

    def members(self) -> Mapping[str, Any]:
        """Return the members of an object."""
        return self.value if isinstance(self.value, dict) else self.expected("an object")

    def member(self, key: str) -> JsonPart:
        """Return a member that an object must have."""
        members = self.members()
        if key not in members:
            self.fail(f"expected an object with {key!r}")
        return JsonPart(members[key], f"{self.path}.{key}")

    def optional(self, key: str) -> JsonPart | None:
        """Return a member that an object may have; None if it is missing or null."""
        return None if self.members().get(key) is None else self.member(key)

    def parts(self) -> Iterator[tuple[str, JsonPart]]:
        """Yield the members of an object, by name."""
        for key in self.members():
            yield key, self.member(key)

    def elements(self) -> tuple[JsonPart, ...]:
        """Return the elements of a list."""
        if not isinstance(self.value, list):
            self.expected("a list")
        return tuple(JsonPart(value, f"{self.path}[{i}]") for i, value in enumerate(self.value))

    def text(self) -> str:
        """Return a string."""
        return self.value if isinstance(self.value, str) else self.expected("a text")

    def texts(self) -> tuple[str, ...]:
        """Return the strings of a list."""
        return tuple(part.text() for part in self.elements())

    def flag(self) -> bool:
        """Return a boolean."""
        return self.value if isinstance(self.value, bool) else self.expected("true or false")

    def whole(self) -> int:
        """Return a non-negative integer."""
        is_whole = isinstance(self.value, int) and not isinstance(self.value, bool)
        if not is_whole or self.value < 0:
            self.expected("a whole number >= 0")
        return int(self.value) if self.value < 2**63 else self.expected("a whole number below 2**63")

    def number(self) -> float:
        """Return a finite number."""
        is_number = isinstance(self.value, int | float) and not isinstance(self.value, bool)
        if not is_number:
            self.expected("a number")
        return float(self.value) if abs(self.value) <= sys.float_info.max else self.expected("a finite number")

    def number_or_infinity(self) -> float:
        """Return any number, as `json_number` writes it."""
        return float(self.value) if self.value in ("inf", "-inf", "nan") else self.number()

    def weight(self) -> float:
        """Return a number that is not negative."""
        return found if (found := self.number()) >= 0 else self.expected("a number >= 0")

    def weight_or_infinity(self) -> float:
        """Return a number that is not negative, or infinity."""
        return inf if self.value == "inf" else self.weight()

    def one_of(self, words: tuple[str, ...], expected: str) -> Any:
        """Return one of some words."""
        return self.value if self.value in words else self.expected(expected)

    def label(self) -> str | int | float | bool:
        """Return the label of a class."""
        if isinstance(self.value, str | bool):
            return self.value
        if not isinstance(self.value, int | float):
            self.expected("a string, number or boolean")
        self.number()
        return self.value


def json_number(value: float) -> float | str:
    """Return a number as JSON has it: infinity, which the gap of a search or a variance may be, is a word there."""
    return float(value) if isfinite(value) else str(float(value))
