"""Typing rules of aggregates: the kinds of attribute that each function accepts, and the kind of its result.

`structtree.space.aggregates` computes the values.
"""

from __future__ import annotations

from structtree.data.schema import NUMERIC, Attribute, Kind, Link, RecordType
from structtree.lang import syntax as syn

__all__ = ["ORDERED", "attribute_kinds", "computed_attribute", "default_order", "is_monotone", "order_kinds"]

ORDERED: tuple[syn.AggregateFunction, ...] = ("latest", "earliest", "trend")
"""The functions that depend on the order of the rows."""

_NUMBERS: tuple[Kind, ...] = ("int", "real")
_MOMENTS: tuple[Kind, ...] = ("date", "time")
_ALL: tuple[Kind, ...] = ("bool", "nominal", *NUMERIC)
_FLAG = ("false", "true")


def attribute_kinds(function: syn.AggregateFunction) -> tuple[Kind, ...]:
    """Return the kinds of attribute that an aggregate function accepts.

    Examples
    --------
    >>> attribute_kinds("mean"), attribute_kinds("max")
    (('int', 'real'), ('int', 'real', 'date', 'time'))
    """
    match function:
        case "min" | "max" | "range":
            return (*_NUMBERS, *_MOMENTS)
        case "distinct" | "latest" | "earliest":
            return _ALL
        case _:
            return _NUMBERS


def order_kinds(function: syn.AggregateFunction) -> tuple[Kind, ...]:
    """Return the kinds of attribute by which an aggregate function can order its rows."""
    return (*_NUMBERS, *_MOMENTS) if function == "trend" else NUMERIC


def is_monotone(test: syn.Aggregate) -> bool:
    """Return whether an aggregate test that is true stays true when the link leads to more rows.

    This is so if an additional row can only raise the value (with ``>=``) or lower it (with ``<=``). Sums are not
    monotone, because values may be negative; neither are means and latest values. The condition of a monotone test
    may be refined.

    Examples
    --------
    >>> [is_monotone(syn.Aggregate(function, "orders", "price", ">=", 3)) for function in ("max", "sum")]
    [True, False]
    """
    rising = test.function in ("max", "range", "distinct", "share") and test.op == ">="
    return rising or (test.function == "min" and test.op == "<=")


def default_order(link: Link, target: RecordType) -> str | None:
    """Return the attribute that orders linked rows by default: the only date or time of their type.

    Examples
    --------
    >>> payment = RecordType("Payment", (Attribute("amount", "real"), Attribute("paid", "date")))
    >>> default_order(Link("payments", "set", "Payment"), payment)
    'paid'
    """
    moments = [attribute.name for attribute in target.attributes if attribute.kind in _MOMENTS]
    return moments[0] if link.kind == "set" and len(moments) == 1 else None


def computed_attribute(test: syn.Aggregate, target: RecordType) -> Attribute:
    """Return an attribute that describes the values of an aggregate: their kind and categories.

    Parameters
    ----------
    test : Aggregate
        Its attribute must not be a glob.
    target : RecordType
        The type of the rows behind the link.

    Examples
    --------
    >>> payment = RecordType("Payment", (Attribute("late", "bool"), Attribute("paid", "date")))
    >>> computed_attribute(syn.Aggregate("range", "payments", "paid", ">=", 3), payment)
    <Attribute: paid, int>
    >>> late = computed_attribute(syn.Aggregate("latest", "payments", "late", "=", "true"), payment)
    >>> late.kind, late.values
    ('nominal', ('false', 'true'))
    """
    if test.attribute is None:
        return Attribute(test.function, "real")
    found = target.attribute_or_part(test.attribute)
    assert found is not None  # the test has been resolved
    match test.function, found.kind:
        case "latest" | "earliest", "bool":
            return Attribute(found.name, "nominal", _FLAG)
        case "latest" | "earliest", _:
            return found
        case "min" | "max", "date" | "time":
            return found
        case ("distinct", _) | ("range", "int" | "date"):
            return Attribute(found.name, "int")
        case _:
            return Attribute(found.name, "real")
