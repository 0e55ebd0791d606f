"""The nodes of the grammar language, as frozen plain data.

The same nodes serve twice. In a grammar a predicate may contain ``top`` (an open position) and *value
sources* that stand for many values (``*``, ``bins(13)``, ``2..6``); in a *ground* predicate, which is what a
tree asks of an individual, every value is concrete. `structtree.space.terms` has the canonical form of ground
predicates, `structtree.lang.pretty` the text of every node.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from structtree.data.schema import Attribute, Kind, Link, RecordType

__all__ = [
    "Aggregate",
    "All",
    "Among",
    "And",
    "Bins",
    "Compare",
    "Count",
    "Definition",
    "Distinct",
    "Exists",
    "Flag",
    "Follow",
    "Function",
    "Glob",
    "GrammarSyntax",
    "Limits",
    "Listed",
    "Missing",
    "Named",
    "No",
    "Not",
    "Or",
    "Place",
    "Predicate",
    "Quantiles",
    "Range",
    "RefineBlock",
    "Rewrite",
    "Scalar",
    "Source",
    "Star",
    "Step",
    "Top",
    "TypeDeclaration",
    "Within",
    "sort_scalars",
]

Scalar = str | int | float
"""A concrete value: a category, or a number."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in a text, counted from 1."""

    line: int
    column: int


def sort_scalars(values: Iterable[Scalar]) -> tuple[Scalar, ...]:
    """The values in order without repeats, numbers before words.

    Examples
    --------
    >>> sort_scalars(["b", 2, "a", 1.5, "b"])
    (1.5, 2, 'a', 'b')
    """
    return tuple(sorted(dict.fromkeys(values), key=lambda value: (isinstance(value, str), value)))


class Glob(str):
    """An attribute name with wildcards, as in ``f* in bins(13)``; in a grammar only, until it is checked.

    It is a string that equals no plain string: an attribute that is really called ``f*`` is another thing.

    Examples
    --------
    >>> Glob("f*") == "f*", Glob("f*") == Glob("f*")
    (False, True)
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Glob) and str(self) == str(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((Glob, str(self)))

    def __repr__(self) -> str:
        return f"Glob({str(self)!r})"

    def __str__(self) -> str:
        return "".join(self)


# ---- value sources: many values in one word --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Star:
    """``*``: every value, or every threshold, that the training data offers."""


@dataclass(frozen=True, slots=True)
class Bins:
    """``bins(k)``: k intervals of equal width between the least and the greatest value, the last closed."""

    k: int


@dataclass(frozen=True, slots=True)
class Quantiles:
    """``quantiles(k)``: k intervals of about equally many rows."""

    k: int


@dataclass(frozen=True, slots=True)
class Listed:
    """``{1, 2, 5}``: these values."""

    values: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Range:
    """``2..6``: these whole numbers, both ends included."""

    low: int
    high: int


Source = Star | Bins | Quantiles | Listed | Range


# ---- predicates on a row of some type -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Top:
    """``top``: true of every row; in a rewrite, an open position."""


@dataclass(frozen=True, slots=True)
class Flag:
    """``aromatic`` or ``not aromatic``: a bool attribute is true, or is false."""

    attribute: str
    positive: bool = True
    place: Place | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Compare:
    """``a = v``, ``a != v``, ``a >= t``, ``a <= t``; the value may be a source."""

    attribute: str
    op: Literal["=", "!=", ">=", "<="]
    value: Scalar | Source
    place: Place | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Among:
    """``a in {v, w}``: the value is one of these (sorted, without repeats); or, in a grammar, ``a in *``."""

    attribute: str
    values: tuple[Scalar, ...] = ()
    source: Star | None = None
    place: Place | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Within:
    """``a in [lo, hi)``, ``a in [lo, hi]``, or, in a grammar, ``a in bins(k)`` / ``a in quantiles(k)``."""

    attribute: str
    low: float = 0.0
    high: float = 0.0
    closed: bool = False
    source: Bins | Quantiles | None = None
    place: Place | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Missing:
    """``missing a``: an attribute has no value, or an optional reference leads nowhere."""

    member: str
    place: Place | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Named:
    """A predicate that a ``define`` gave a name; ``body`` is filled in by the checker."""

    name: str
    body: Predicate | None = None
    place: Place | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Follow:
    """``load (P)``: the reference leads to a row, and P holds there; ``load.shape = circle`` for short."""

    link: str
    inner: Predicate
    place: Place | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Step:
    """``next|previous|later (P)`` on an element of a list; ``first|last cars (P)`` on its owner."""

    step: Literal["next", "previous", "later", "first", "last"]
    inner: Predicate
    link: str | None = None
    place: Place | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Exists:
    """``exists link (P)``: P holds for some row that the link leads to."""

    link: str
    inner: Predicate
    place: Place | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class All:
    """``all link (P)``: P holds for every row that the link leads to (so also when there is none)."""

    link: str
    inner: Predicate
    place: Place | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class No:
    """``none link (P)``: P holds for no row that the link leads to. Closed: nothing is rewritten inside."""

    link: str
    inner: Predicate
    place: Place | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Count:
    """``count link (P) >= n``; with ``<=`` it is closed: nothing is rewritten inside."""

    link: str
    inner: Predicate
    op: Literal[">=", "<="]
    n: int | Source
    place: Place | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """``sum|mean|min|max link.a >= t`` (or ``<=``), over the values that are not missing.

    The sum of no values is 0; the mean, least and greatest of no values are missing, so the test is false.
    """

    function: Literal["sum", "mean", "min", "max"]
    link: str
    attribute: str
    op: Literal[">=", "<="]
    value: float | Source
    place: Place | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Distinct:
    """``distinct link (P, Q, ...)``: different rows that the link leads to satisfy P, Q, ..."""

    link: str
    inners: tuple[Predicate, ...]
    place: Place | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class And:
    """``P and Q and ...``: at least two parts."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """``P or Q or ...``: at least two parts. Closed: nothing is rewritten inside."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """``not (P)``. Closed: nothing is rewritten inside. Unlike ``not flag`` it is true of missing values."""

    inner: Predicate


Predicate = (
    Top
    | Flag
    | Compare
    | Among
    | Within
    | Missing
    | Named
    | Follow
    | Step
    | Exists
    | All
    | No
    | Count
    | Aggregate
    | Distinct
    | And
    | Or
    | Not
)


# ---- declarations ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rewrite:
    """``left -> right``, or ``top -> top and top max k`` (then `conjuncts` is k, or 0 for no maximum)."""

    left: Predicate
    right: Predicate
    conjuncts: int | None = None
    place: Place | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class RefineBlock:
    """``refine Type { ... }``."""

    type: str
    rewrites: tuple[Rewrite, ...]
    place: Place | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Definition:
    """``define name: Type = P``, with an optional docstring after it."""

    name: str
    type: str
    body: Predicate
    doc: str | None = None
    place: Place | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Function:
    """``function name: Type -> kind``: an attribute that the caller computes, in Python."""

    name: str
    type: str
    kind: Kind
    doc: str | None = None
    place: Place | None = field(default=None, compare=False, repr=False)

    @property
    def attribute(self) -> Attribute:
        """The function as the attribute it amounts to."""
        return Attribute(self.name, self.kind)


@dataclass(frozen=True, slots=True)
class Limits:
    """``limits { nesting 4, literals 6 }``: how deep links may nest, how many tests a predicate may have."""

    nesting: int | None = None
    literals: int | None = None


@dataclass(frozen=True, slots=True)
class TypeDeclaration:
    """``type T = { ... }`` as written; targets may be unknown until checked."""

    name: str
    attributes: tuple[Attribute, ...]
    links: tuple[Link, ...]
    place: Place | None = field(default=None, compare=False, repr=False)
    member_places: dict[str, Place] = field(default_factory=dict, compare=False, repr=False)

    @property
    def record(self) -> RecordType:
        """The declaration as a record type."""
        return RecordType(self.name, self.attributes, self.links)


@dataclass(frozen=True, slots=True)
class GrammarSyntax:
    """A whole grammar file, parsed and not yet checked."""

    name: str | None = None
    doc: str | None = None
    types: tuple[TypeDeclaration, ...] = ()
    individual: str | None = None
    definitions: tuple[Definition, ...] = ()
    functions: tuple[Function, ...] = ()
    blocks: tuple[RefineBlock, ...] = ()
    limits: Limits = Limits()
    individual_place: Place | None = field(default=None, compare=False, repr=False)
