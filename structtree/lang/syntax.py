"""Syntax nodes of the grammar language, as frozen dataclasses; imported as ``syn``.

The same nodes serve twice. In a grammar, a predicate may contain ``top`` (an open position) and *value sources*
that stand for many values (``*``, ``bins(13)``, ``2..6``). In a *ground* predicate, the test of a tree node, every
value is concrete. `structtree.space.terms` defines the canonical form of ground predicates, and
`structtree.lang.pretty` prints every node.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from structtree.data.dates import moment_text
from structtree.data.readers.facts.signatures import Signature
from structtree.data.schema import Attribute, Kind, Link, RecordType
from structtree.errors import require

Scalar = str | int | float
"""A concrete value: a category or a number. Dates, times and ordered categories are numbers with a text form."""


class Day(float):
    """A date in a predicate: days since 1970, written as ``2024-12-31``.

    Examples
    --------
    >>> Day(19783.0), Day(19783.0) + 1
    (Day('2024-03-01'), 19784.0)
    """

    __slots__ = ()

    def __str__(self) -> str:
        return moment_text(float(self), "date")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"


class Instant(Day):
    """A date and a time in a predicate: seconds since 1970, UTC, written as ``2024-12-31 12:30``.

    Examples
    --------
    >>> Instant(90000.0)
    Instant('1970-01-02 01:00')
    """

    __slots__ = ()

    def __str__(self) -> str:
        return moment_text(float(self), "time")


class OrderedCategory(float):
    """An ordered category in a predicate: its rank, written as its name.

    Examples
    --------
    >>> OrderedCategory(1, "medium"), OrderedCategory(1, "medium") < OrderedCategory(2, "high")
    (OrderedCategory(1, 'medium'), True)
    """

    __slots__ = ("name",)
    name: str

    def __new__(cls, rank: float, name: str) -> OrderedCategory:
        """Create an ordered category from its rank and name."""
        made = super().__new__(cls, rank)
        made.name = name
        return made

    def __getnewargs__(self) -> tuple[float, str]:  # type: ignore[override]  # those of a float are fewer
        return float(self), self.name

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"OrderedCategory({int(self)}, {self.name!r})"


def written(number: float, kind: Kind | None, levels: tuple[str, ...] = ()) -> int | float:
    """Convert a number of a column to a scalar that prints as a value of the column's kind.

    Parameters
    ----------
    number : float
    kind : str, optional
    levels : tuple of str
        The categories of an ordered attribute, in order.

    Examples
    --------
    >>> written(3.0, "int"), written(3.0, "real"), written(3.0, "date"), written(1.0, "ordered", ("low", "high"))
    (3, 3.0, Day('1970-01-04'), OrderedCategory(1, 'high'))
    """
    match kind:
        case "int":
            return int(number) if float(number).is_integer() else float(number)
        case "date":
            return Day(number)
        case "time":
            return Instant(number)
        case "ordered":
            return OrderedCategory(number, levels[int(number)])
        case _:
            return float(number)


@dataclass(frozen=True, slots=True)
class Location:
    """Position in a text: line and column, counted from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Located:
    """A node with its location in the text, which is ignored in comparisons."""

    place: Location | None = field(default=None, compare=False, repr=False, kw_only=True)


def sort_scalars(values: Iterable[Scalar]) -> tuple[Scalar, ...]:
    """Return the sorted distinct values, numbers before strings.

    Examples
    --------
    >>> sort_scalars(["b", 2, "a", 1.5, "b"])
    (1.5, 2, 'a', 'b')
    """
    return tuple(sorted(dict.fromkeys(values), key=lambda value: (isinstance(value, str), value)))


class Glob(str):
    """An attribute name with wildcards, as in ``f* in bins(13)``; the checker expands it.

    A glob never equals a plain string, so that an attribute named ``f*`` is not taken for a glob.

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


class DatePart(str):
    """The name of a date part, such as ``born.month``, which prints without backticks.

    Examples
    --------
    >>> DatePart("born.month") == "born.month"
    True
    """

    __slots__ = ()

    @property
    def names(self) -> tuple[str, str]:
        """The attribute name and the part name."""
        base, _, part = self.rpartition(".")
        return base, part


class SmartsName(str):
    """The name of the attribute that a SMARTS pattern computes, written as the pattern is: ``smarts("[CX4]N")``.

    Examples
    --------
    >>> SmartsName.of("[CX4]N"), SmartsName.of("[CX4]N").pattern
    ('smarts("[CX4]N")', '[CX4]N')
    """

    __slots__ = ()

    @classmethod
    def of(cls, pattern: str) -> SmartsName:
        """Return the name for a pattern."""
        return cls(f"smarts({json.dumps(pattern)})")

    @property
    def pattern(self) -> str:
        """The SMARTS pattern."""
        return str(json.loads(self.removeprefix("smarts(")[:-1]))


class Parameter(str):
    """A parameter in the body of a definition, in place of a value.

    Examples
    --------
    >>> Parameter("e"), Parameter("e") == "e"
    (Parameter('e'), True)
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Parameter({str(self)!r})"

    def __str__(self) -> str:
        return "".join(self)


# ---- value sources ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Star:
    """``*``: every value, or every threshold, found in the training data."""


@dataclass(frozen=True, slots=True)
class Bins:
    """``bins(k)``: k intervals of equal width between the minimum and the maximum, the last one closed."""

    k: int


@dataclass(frozen=True, slots=True)
class Quantiles:
    """``quantiles(k)``: k intervals with about the same number of rows each."""

    k: int


@dataclass(frozen=True, slots=True)
class Listed:
    """``{1, 2, 5}``: the listed values."""

    values: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Range:
    """``2..6``: the integers from 2 to 6, both included."""

    low: int
    high: int

    @property
    def values(self) -> range:
        """The integers in the range."""
        return range(self.low, self.high + 1)


ValueSource = Star | Bins | Quantiles | Listed | Range


# ---- predicates on a row --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Top:
    """``top``: true for every row; in a rewrite, an open position."""


@dataclass(frozen=True, slots=True)
class Flag(Located):
    """``aromatic`` or ``not aromatic``: a test of a bool attribute."""

    attribute: str
    positive: bool = True


@dataclass(frozen=True, slots=True)
class Compare(Located):
    """``a = v``, ``a != v``, ``a >= t``, ``a <= t``: a comparison with a value or a value source."""

    attribute: str
    op: Literal["=", "!=", ">=", "<="]
    value: Scalar | ValueSource


ValuePath = tuple[str, ...]
"""The references that lead to an attribute, then the attribute."""


@dataclass(frozen=True, slots=True)
class CompareOwn(Located):
    """``a = its b``, ``price >= its cost``, ``ends.year <= its begins.year``: a comparison of two values of one row.

    Either value may be reached through references. Two values behind the same reference are compared there
    (``load (shape = its lid)``).
    """

    attribute: ValuePath
    op: Literal["=", "!=", ">=", "<="]
    other: ValuePath

    @property
    def sides(self) -> tuple[ValuePath, ValuePath]:
        """The two compared paths."""
        return self.attribute, self.other

    @property
    def in_order(self) -> CompareOwn:
        """The canonical form: with ``>=`` instead of ``<=``; for ``=`` and ``!=``, the shorter path first.

        Examples
        --------
        >>> CompareOwn(("b",), "=", ("a",)).in_order
        CompareOwn(attribute=('a',), op='=', other=('b',))
        >>> CompareOwn(("a",), "<=", ("b",)).in_order
        CompareOwn(attribute=('b',), op='>=', other=('a',))
        """
        one, other = ((len(path), path) for path in self.sides)
        if self.op == "<=" or (self.op != ">=" and one > other):
            op: Literal["=", "!=", ">="] = ">=" if self.op == "<=" else self.op
            return CompareOwn(self.other, op, self.attribute, place=self.place)
        return self


@dataclass(frozen=True, slots=True)
class CompareMine(Located):
    """``load.shape = my load.shape``: a comparison with a value of the link's owner; only in derived links."""

    attribute: ValuePath
    op: Literal["=", "!=", ">=", "<="]
    mine: ValuePath


@dataclass(frozen=True, slots=True)
class Me(Located):
    """``me``: true if the row is the link's owner; only in derived links."""


@dataclass(frozen=True, slots=True)
class Among(Located):
    """``a in {v, w}``: a test for a set of values; in a grammar also ``a in *``."""

    attribute: str
    values: tuple[Scalar, ...] = ()
    source: Star | None = None


@dataclass(frozen=True, slots=True)
class Within(Located):
    """``a in [lo, hi)`` or ``a in [lo, hi]``: an interval; in a grammar also ``bins(k)`` and ``quantiles(k)``."""

    attribute: str
    low: float = 0.0
    high: float = 0.0
    closed: bool = False
    source: Bins | Quantiles | None = None


@dataclass(frozen=True, slots=True)
class Missing(Located):
    """``missing a``: an attribute has no value, or an optional reference has no target."""

    member: str


@dataclass(frozen=True, slots=True)
class Named(Located):
    """A use of a definition: ``nitro``, or ``near(O)`` if the definition has parameters.

    The checker fills in the ``body`` with the arguments substituted, unless an argument is a value source; the
    ``definition``, if it has parameters; and the phrase that the definition ``says``.
    """

    name: str
    body: Predicate | None = None
    arguments: tuple[Scalar | ValueSource, ...] = ()
    definition: Definition | None = field(default=None, compare=False, repr=False)
    says: str | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class LinkedTo(Located):
    """Base class of predicates about the rows that a link leads to."""

    link: str
    inner: Predicate


@dataclass(frozen=True, slots=True)
class Follow(LinkedTo):
    """``load (P)``: the reference has a target, and P holds for it; ``load.shape = circle`` for short."""


@dataclass(frozen=True, slots=True)
class ListStep(Located):
    """``next|previous|later (P)`` on an element of a list; ``first|last cars (P)`` on the owner of a list."""

    step: Literal["next", "previous", "later", "first", "last"]
    inner: Predicate
    link: str | None = None


@dataclass(frozen=True, slots=True)
class Exists(LinkedTo):
    """``exists link (P)``: P holds for some linked row."""


@dataclass(frozen=True, slots=True)
class All(LinkedTo):
    """``all link (P)``: P holds for every linked row (also if there is none)."""


@dataclass(frozen=True, slots=True)
class No(LinkedTo):
    """``none link (P)``: P holds for no linked row. Closed: nothing is rewritten inside."""


@dataclass(frozen=True, slots=True)
class Count(LinkedTo):
    """``count link (P) >= n``: P holds for at least n linked rows. With ``<=``, nothing is rewritten inside."""

    op: Literal[">=", "<="]
    n: int | ValueSource


AggregateFunction = Literal[
    "sum", "mean", "min", "max", "range", "deviation", "share", "distinct", "latest", "earliest", "trend"
]


@dataclass(frozen=True, slots=True)
class Aggregate(Located):
    """``sum transactions (kind = withdrawal).amount >= t``: a test of an aggregate of linked rows.

    Rows with a missing attribute are ignored. With no rows, ``sum`` and ``distinct`` are 0; any other function is
    missing, so that the test is false. `structtree.space.aggregates` computes the values.

    Parameters
    ----------
    function : str
    link : str
    attribute : str or None
        None for ``share``, the fraction of rows that satisfy the condition.
    op : str
        ``=`` and ``!=`` only for ``latest`` and ``earliest``.
    value : Scalar or ValueSource
    inner : Predicate or None
        The condition on the rows; None for all rows.
    order : str or None
        The attribute that orders the rows for ``latest``, ``earliest`` and ``trend``; None for the list order.
    """

    function: AggregateFunction
    link: str
    attribute: str | None
    op: Literal["=", "!=", ">=", "<="]
    value: Scalar | ValueSource
    inner: Predicate | None = None
    order: str | None = None


@dataclass(frozen=True, slots=True)
class Distinct(Located):
    """``distinct link (P, Q, ...)``: P, Q, ... hold for different linked rows."""

    link: str
    inners: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class And:
    """``P and Q and ...``: a conjunction of at least two parts."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """``P or Q or ...``: a disjunction of at least two parts. Closed: nothing is rewritten inside."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """``not (P)``: a negation, true for missing values (unlike ``not flag``). Closed: nothing is rewritten inside."""

    inner: Predicate


AttributeTest = Flag | Compare | Among | Within
ValueTest = AttributeTest | CompareOwn | Missing | Aggregate
"""A test of one attribute, of two attributes, or of an aggregate."""
OwnerTest = CompareMine | Me
"""A test that mentions the link's owner; only in the condition of a derived link."""
Test = ValueTest | OwnerTest | Named
Atomic = Top | Test
"""A predicate without subpredicates (except the condition of an aggregate)."""
LinkForm = Follow | ListStep | Exists | All | No | Count | Distinct
Predicate = Top | Test | LinkForm | And | Or | Not


def require_predicate(given: object) -> None:
    """Raise a UsageError unless the argument is a parsed predicate (and not its text)."""
    require(given, Predicate, "predicate", "a Predicate; read text with parse_predicate")


QUANTIFIERS: dict[str, type[Exists | All | No]] = {"exists": Exists, "all": All, "none": No}
TOP = Top()
"""The only `Top`."""


# ---- declarations ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rewrite(Located):
    """``left -> right``: a rewrite.

    `conjuncts` is k in ``top -> top and top max k``, and 0 without a maximum. `cost` is what the literals of the
    right side cost together, and None for 1 each.
    """

    left: Predicate
    right: Predicate
    conjuncts: int | None = None
    cost: int | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class RefineBlock(Located):
    """``refine Type { ... }``: the rewrites of a type."""

    type: str
    rewrites: tuple[Rewrite, ...]


@dataclass(frozen=True, slots=True)
class Definition(Located):
    """``define name: Type = P`` or ``define name(a, b): Type = P``, with an optional phrase and docstring.

    The phrase (``says "a nitro group"``) is used for tests in plain English; ``{a}`` is replaced by an argument.
    """

    name: str
    type: str
    body: Predicate
    doc: str | None = None
    parameters: tuple[str, ...] = ()
    says: str | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Function(Located):
    """``function name: Type -> kind``: an attribute, or a link to new rows, that a Python function computes.

    Parameters
    ----------
    name, type : str
    kind : str or None
        The kind of the returned values; None if it returns rows.
    doc : str or None
    link : Link or None
        The link to the returned rows, whose type the grammar declares: ``set of Point``, ``list of Point``,
        ``Ring``, ``Ring?``.
    """

    name: str
    type: str
    kind: Kind | None
    doc: str | None = None
    link: Link | None = None

    @property
    def attribute(self) -> Attribute:
        """The attribute that holds the returned values."""
        assert self.kind is not None
        return Attribute(self.name, self.kind)

    @property
    def gives(self) -> str:
        """The return type as text."""
        return str(self.kind) if self.link is None else self.link.shown


@dataclass(frozen=True, slots=True)
class FactDeclaration(Located):
    """``fact bond(Molecule, Atom, Atom -> to, order)``: the signature of a Prolog fact."""

    signature: Signature


@dataclass(frozen=True, slots=True)
class Operand(Located):
    """``price``, ``load.weight``, ``my date``: a value of the row, or of the link's owner, in an expression."""

    path: ValuePath
    mine: bool = False


@dataclass(frozen=True, slots=True)
class Negative:
    """``-E``: the negative of an expression."""

    inner: Expression


@dataclass(frozen=True, slots=True)
class Absolute:
    """``abs(E)``: the absolute value of an expression."""

    inner: Expression


@dataclass(frozen=True, slots=True)
class Arithmetic(Located):
    """``E + F``, ``E - F``, ``E * F``, ``E / F``: an arithmetic operation on two expressions."""

    left: Expression
    op: Literal["+", "-", "*", "/"]
    right: Expression


@dataclass(frozen=True, slots=True)
class Smarts(Located):
    """``smarts("[CX4]N")``: true for an atom that matches the first atom of a SMARTS pattern, evaluated by RDKit."""

    pattern: str


Expression = int | float | Operand | Negative | Absolute | Arithmetic | Smarts
"""An arithmetic expression; its value is missing if an operand is missing, or if it divides by 0. Or a pattern."""


@dataclass(frozen=True, slots=True)
class Computed(Located):
    """``attribute name: Type = E``, or ``name = E`` after ``with``: a computed attribute.

    The type of a pair attribute is empty: it belongs to the pairs of the derived link.
    """

    name: str
    type: str
    expression: Expression
    doc: str | None = None


@dataclass(frozen=True, slots=True)
class CycleCount(Located):
    """``attribute name: Type = cycles(PATH, 6)``: the number of cycles of a length through each row of a type.

    Two rows are neighbours on a cycle if the path leads from one to the other.
    """

    name: str
    type: str
    path: DerivedPath
    length: int
    doc: str | None = None


@dataclass(frozen=True, slots=True)
class Neighbourhood(Located):
    """``attribute name: Type = neighbourhood(PATH, label, 2)``: the values around each row of a type, as text.

    ``C(C(C,O),N(C))`` is a row with the value C whose neighbours along the path have the values C and N, and so on.
    """

    name: str
    type: str
    path: DerivedPath
    attribute: str
    depth: int
    doc: str | None = None


@dataclass(frozen=True, slots=True)
class LinkEquality(Located):
    """``attribute name: Type = equal(x, y)``: whether two links of a row lead to equal collections."""

    name: str
    type: str
    left: str
    right: str
    doc: str | None = None

    @property
    def path(self) -> DerivedPath:
        """The two links as steps."""
        return (LinkStep(self.left), LinkStep(self.right))


@dataclass(frozen=True, slots=True)
class LinkStep(Located):
    """``cars``: a step along a link; ``~cars``: a step backwards, to the rows whose link leads to this row.

    In ``~Train.cars``, the type is parsed as a separate step; the checker merges the two.
    """

    link: str
    backwards: bool = False


@dataclass(frozen=True, slots=True)
class Closure(Located):
    """``parent+``, ``(edges.to)+``: the path, repeated once or more."""

    path: DerivedPath


DerivedPath = tuple[LinkStep | Closure, ...]


@dataclass(frozen=True, slots=True)
class SortedBy(Located):
    """``sorted by date descending``: the order of the rows that a derived link leads to."""

    attribute: str
    descending: bool = False


@dataclass(frozen=True, slots=True)
class DerivedLink(Located):
    """``link name: Type -> set of Target = PATH where P with a = E sorted by a``: a derived link."""

    name: str
    type: str
    kind: Literal["set", "list", "optional"]
    target: str
    path: DerivedPath
    where: Predicate = TOP
    attributes: tuple[Computed, ...] = ()
    order: SortedBy | None = None
    doc: str | None = None

    @property
    def has_pairs(self) -> bool:
        """True if the link leads to a new row for each pair, and not to rows of the data."""
        return bool(self.attributes) or self.order is not None


@dataclass(frozen=True, slots=True)
class GrammarLimits:
    """``limits { nesting 4, literals 6, pairs 1000000 }``: the limits of a grammar.

    The maximum nesting of links, number of literals in a predicate, and number of pairs of a derived link.
    """

    nesting: int | None = None
    literals: int | None = None
    pairs: int | None = None


@dataclass(frozen=True, slots=True)
class TypeDeclaration(Located):
    """``type T = { ... }``: a declared record type; link targets are not checked yet."""

    name: str
    attributes: tuple[Attribute, ...]
    links: tuple[Link, ...]
    member_places: dict[str, Location] = field(default_factory=dict, compare=False, repr=False)

    @property
    def record(self) -> RecordType:
        """The declaration as a record type."""
        return RecordType(self.name, self.attributes, self.links)


@dataclass(frozen=True, slots=True)
class GrammarSyntax:
    """A parsed grammar, not yet checked."""

    name: str | None = None
    doc: str | None = None
    types: tuple[TypeDeclaration, ...] = ()
    individual: str | None = None
    definitions: tuple[Definition, ...] = ()
    functions: tuple[Function, ...] = ()
    computed: tuple[Computed, ...] = ()
    links: tuple[DerivedLink, ...] = ()
    blocks: tuple[RefineBlock, ...] = ()
    limits: GrammarLimits = GrammarLimits()
    facts: tuple[FactDeclaration, ...] = ()
    cycles: tuple[CycleCount, ...] = ()
    equalities: tuple[LinkEquality, ...] = ()
    neighbourhoods: tuple[Neighbourhood, ...] = ()
    individual_place: Location | None = field(default=None, compare=False, repr=False)

    @property
    def all_computed(self) -> tuple[Computed | CycleCount | LinkEquality | Neighbourhood, ...]:
        """The declarations of computed attributes, of every form."""
        return (*self.computed, *self.cycles, *self.equalities, *self.neighbourhoods)
