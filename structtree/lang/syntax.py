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

from structtree.data.dates import moment_text
from structtree.data.readers.facts.signatures import Signature
from structtree.data.schema import Attribute, Kind, Link, RecordType
from structtree.errors import require

__all__ = [
    "QUANTIFIERS",
    "TOP",
    "Absolute",
    "Aggregate",
    "AggregateFunction",
    "All",
    "Among",
    "And",
    "Arithmetic",
    "AskerTest",
    "AttributeTest",
    "Bins",
    "Closure",
    "Compare",
    "CompareMine",
    "CompareOwn",
    "Computed",
    "Count",
    "DatePart",
    "Day",
    "Definition",
    "DerivedLink",
    "DerivedPath",
    "Distinct",
    "Exists",
    "Expression",
    "FactDeclaration",
    "Flag",
    "Follow",
    "Function",
    "Glob",
    "GrammarLimits",
    "GrammarSyntax",
    "Instant",
    "LinkForm",
    "LinkStep",
    "LinkedTo",
    "ListStep",
    "Listed",
    "Located",
    "Location",
    "Me",
    "Missing",
    "Named",
    "Negative",
    "No",
    "Not",
    "Operand",
    "Or",
    "OrderedCategory",
    "Parameter",
    "Predicate",
    "Quantiles",
    "Range",
    "RefineBlock",
    "Rewrite",
    "Scalar",
    "SortedBy",
    "Star",
    "Test",
    "Top",
    "TypeDeclaration",
    "ValuePath",
    "ValueSource",
    "ValueTest",
    "Within",
    "require_predicate",
    "sort_scalars",
    "written",
]

Scalar = str | int | float
"""A concrete value: a category, or a number; dates, times and ordered categories are numbers that know their text."""


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
        """Return the category of that rank."""
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
    """Return a number of a column as a value of its kind, which is written as people write it.

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
    """Place in a text: line and column, counted from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Located:
    """A node that knows where it stands in a text, which makes no difference to what it says."""

    place: Location | None = field(default=None, compare=False, repr=False, kw_only=True)


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


class DatePart(str):
    """The name of a part of a date, as in ``born.month``, which is written without backticks.

    Examples
    --------
    >>> DatePart("born.month") == "born.month"
    True
    """

    __slots__ = ()

    @property
    def names(self) -> tuple[str, str]:
        """The name of the date, and that of the part."""
        base, _, part = self.rpartition(".")
        return base, part


class Parameter(str):
    """The name of a parameter where a value stands, in the body of a definition.

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

    @property
    def values(self) -> range:
        """The numbers themselves."""
        return range(self.low, self.high + 1)


ValueSource = Star | Bins | Quantiles | Listed | Range


# ---- predicates on a row of some type -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Top:
    """``top``: true of every row; in a rewrite, an open position."""


@dataclass(frozen=True, slots=True)
class Flag(Located):
    """``aromatic`` or ``not aromatic``: a bool attribute is true, or is false."""

    attribute: str
    positive: bool = True


@dataclass(frozen=True, slots=True)
class Compare(Located):
    """``a = v``, ``a != v``, ``a >= t``, ``a <= t``; the value may be a source."""

    attribute: str
    op: Literal["=", "!=", ">=", "<="]
    value: Scalar | ValueSource


ValuePath = tuple[str, ...]
"""An attribute, after the references that lead to it."""


@dataclass(frozen=True, slots=True)
class CompareOwn(Located):
    """``a = its b``, ``price >= its cost``, ``ends.year <= its begins.year``: two values of one row are compared.

    Each side may stand behind references of the row, though not both behind the same one: such a pair is compared
    there (``load (shape = its lid)``).
    """

    attribute: ValuePath
    op: Literal["=", "!=", ">=", "<="]
    other: ValuePath

    @property
    def sides(self) -> tuple[ValuePath, ValuePath]:
        """The two values."""
        return self.attribute, self.other

    @property
    def in_order(self) -> CompareOwn:
        """The one way to write it: the greater one first; of equal or different ones the nearer, then by name.

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
    """``load.shape = my load.shape``: a value is compared with one of the row that asks; in derived links only."""

    attribute: ValuePath
    op: Literal["=", "!=", ">=", "<="]
    mine: ValuePath


@dataclass(frozen=True, slots=True)
class Me(Located):
    """``me``: this row is the row that asks; in derived links only."""


@dataclass(frozen=True, slots=True)
class Among(Located):
    """``a in {v, w}``: the value is one of these (sorted, without repeats); or, in a grammar, ``a in *``."""

    attribute: str
    values: tuple[Scalar, ...] = ()
    source: Star | None = None


@dataclass(frozen=True, slots=True)
class Within(Located):
    """``a in [lo, hi)``, ``a in [lo, hi]``, or, in a grammar, ``a in bins(k)`` / ``a in quantiles(k)``."""

    attribute: str
    low: float = 0.0
    high: float = 0.0
    closed: bool = False
    source: Bins | Quantiles | None = None


@dataclass(frozen=True, slots=True)
class Missing(Located):
    """``missing a``: an attribute has no value, or an optional reference leads nowhere."""

    member: str


@dataclass(frozen=True, slots=True)
class Named(Located):
    """A predicate that a ``define`` gave a name: ``nitro``, or ``near(O)`` where the definition has parameters.

    The checker fills in ``body``, with the arguments in their places, unless one of them stands for many values; the
    ``definition``, if it has parameters; and what the definition ``says``.
    """

    name: str
    body: Predicate | None = None
    arguments: tuple[Scalar | ValueSource, ...] = ()
    definition: Definition | None = field(default=None, compare=False, repr=False)
    says: str | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class LinkedTo(Located):
    """Common part of the forms that look behind one link: the link, and what must hold there."""

    link: str
    inner: Predicate


@dataclass(frozen=True, slots=True)
class Follow(LinkedTo):
    """``load (P)``: the reference leads to a row, and P holds there; ``load.shape = circle`` for short."""


@dataclass(frozen=True, slots=True)
class ListStep(Located):
    """``next|previous|later (P)`` on an element of a list; ``first|last cars (P)`` on its owner."""

    step: Literal["next", "previous", "later", "first", "last"]
    inner: Predicate
    link: str | None = None


@dataclass(frozen=True, slots=True)
class Exists(LinkedTo):
    """``exists link (P)``: P holds for some row that the link leads to."""


@dataclass(frozen=True, slots=True)
class All(LinkedTo):
    """``all link (P)``: P holds for every row that the link leads to (so also when there is none)."""


@dataclass(frozen=True, slots=True)
class No(LinkedTo):
    """``none link (P)``: P holds for no row that the link leads to. Closed: nothing is rewritten inside."""


@dataclass(frozen=True, slots=True)
class Count(LinkedTo):
    """``count link (P) >= n``; with ``<=`` it is closed: nothing is rewritten inside."""

    op: Literal[">=", "<="]
    n: int | ValueSource


AggregateFunction = Literal[
    "sum", "mean", "min", "max", "range", "deviation", "share", "distinct", "latest", "earliest", "trend"
]


@dataclass(frozen=True, slots=True)
class Aggregate(Located):
    """``sum transactions (kind = withdrawal).amount >= t``: one value computed from rows behind a link is compared.

    Rows whose attribute is missing are passed over. The sum of no values is 0, and 0 are their distinct values; any
    other function of no values is missing, so that the test is false. `structtree.space.aggregates` computes them.

    Parameters
    ----------
    function : str
    link : str
    attribute : str or None
        None for ``share``, which asks how many of the rows satisfy the condition.
    op : str
        ``=`` and ``!=`` are for ``latest`` and ``earliest``.
    value : Scalar or ValueSource
    inner : Predicate or None
        What the rows must satisfy; None for all of them.
    order : str or None
        The attribute by which ``latest``, ``earliest`` and ``trend`` order the rows; None for the order of a list.
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
    """``distinct link (P, Q, ...)``: different rows that the link leads to satisfy P, Q, ..."""

    link: str
    inners: tuple[Predicate, ...]


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


AttributeTest = Flag | Compare | Among | Within
ValueTest = AttributeTest | CompareOwn | Missing | Aggregate
"""A test of values of the row: of an attribute, of two, or of what is computed from the rows behind a link."""
AskerTest = CompareMine | Me
"""A test about the row that asks, which only the condition of a derived link has."""
Test = ValueTest | AskerTest | Named
LinkForm = Follow | ListStep | Exists | All | No | Count | Distinct
Predicate = Top | Test | LinkForm | And | Or | Not


def require_predicate(given: object) -> None:
    """Refuse what is not a predicate, such as the text of one."""
    require(given, Predicate, "predicate", "a Predicate; read text with parse_predicate")


QUANTIFIERS: dict[str, type[Exists | All | No]] = {"exists": Exists, "all": All, "none": No}
TOP = Top()
"""The one value of its form."""


# ---- declarations ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rewrite(Located):
    """``left -> right``, or ``top -> top and top max k`` (then `conjuncts` is k, or 0 for no maximum)."""

    left: Predicate
    right: Predicate
    conjuncts: int | None = None


@dataclass(frozen=True, slots=True)
class RefineBlock(Located):
    """``refine Type { ... }``."""

    type: str
    rewrites: tuple[Rewrite, ...]


@dataclass(frozen=True, slots=True)
class Definition(Located):
    """``define name: Type = P`` or ``define name(a, b): Type = P``, with an optional phrase and docstring after it.

    The phrase (``says "a nitro group"``) is for tests in words; ``{a}`` in it stands for the value of a parameter.
    """

    name: str
    type: str
    body: Predicate
    doc: str | None = None
    parameters: tuple[str, ...] = ()
    says: str | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Function(Located):
    """``function name: Type -> kind``: an attribute that the caller computes, in Python; or a link to new rows.

    Parameters
    ----------
    name, type : str
    kind : str or None
        The kind of the values that it gives; None if it gives rows.
    doc : str or None
    link : Link or None
        The link that it amounts to if it gives rows, of a type that the grammar declares: ``set of Point``,
        ``list of Point``, ``Ring``, ``Ring?``.
    """

    name: str
    type: str
    kind: Kind | None
    doc: str | None = None
    link: Link | None = None

    @property
    def attribute(self) -> Attribute:
        """The function as the attribute that it amounts to, if it gives values."""
        assert self.kind is not None
        return Attribute(self.name, self.kind)

    @property
    def gives(self) -> str:
        """The kind of the values, or the rows, that it gives, in words."""
        return str(self.kind) if self.link is None else self.link.shown


@dataclass(frozen=True, slots=True)
class FactDeclaration(Located):
    """``fact bond(Molecule, Atom, Atom -> to, order)``: what the arguments of a Prolog fact are."""

    signature: Signature


@dataclass(frozen=True, slots=True)
class Operand(Located):
    """``price``, ``load.weight``, ``my date``: a value of the row, or of the row that asks, in an expression."""

    path: ValuePath
    mine: bool = False


@dataclass(frozen=True, slots=True)
class Negative:
    """``-E``."""

    inner: Expression


@dataclass(frozen=True, slots=True)
class Absolute:
    """``abs(E)``."""

    inner: Expression


@dataclass(frozen=True, slots=True)
class Arithmetic(Located):
    """``E + F``, ``E - F``, ``E * F``, ``E / F``."""

    left: Expression
    op: Literal["+", "-", "*", "/"]
    right: Expression


Expression = int | float | Operand | Negative | Absolute | Arithmetic
"""What computes a value of a row, or of a pair; missing where a part is, and where something is divided by 0."""


@dataclass(frozen=True, slots=True)
class Computed(Located):
    """``attribute name: Type = E``, or ``name = E`` after ``with``: a value that is computed.

    For an attribute of a pair the type is empty: it is that of the derived link.
    """

    name: str
    type: str
    expression: Expression
    doc: str | None = None


@dataclass(frozen=True, slots=True)
class LinkStep(Located):
    """``cars``: along a link or reference; ``~cars``: backwards along a link that leads here.

    In ``~Train.cars`` the type stands for a step of its own, until it is checked.
    """

    link: str
    backwards: bool = False


@dataclass(frozen=True, slots=True)
class Closure(Located):
    """``parent+``, ``(edges.to)+``: one round of the path, or several."""

    path: DerivedPath


DerivedPath = tuple[LinkStep | Closure, ...]


@dataclass(frozen=True, slots=True)
class SortedBy(Located):
    """``sorted by date descending``: the order of the rows that a derived link leads to."""

    attribute: str
    descending: bool = False


@dataclass(frozen=True, slots=True)
class DerivedLink(Located):
    """``link name: Type -> set of Target = PATH where P with a = E sorted by a``: a link that is computed."""

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
        """True if it leads to rows of its own, one for each pair, and not to those of its target."""
        return bool(self.attributes) or self.order is not None


@dataclass(frozen=True, slots=True)
class GrammarLimits:
    """``limits { nesting 4, literals 6, pairs 1000000 }``.

    How deep links may nest, how many tests a predicate may have, and how many pairs a derived link.
    """

    nesting: int | None = None
    literals: int | None = None
    pairs: int | None = None


@dataclass(frozen=True, slots=True)
class TypeDeclaration(Located):
    """``type T = { ... }`` as written; targets may be unknown until checked."""

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
    """A whole grammar file, parsed and not yet checked."""

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
    individual_place: Location | None = field(default=None, compare=False, repr=False)
