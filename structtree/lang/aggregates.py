"""Aggregates as the checker sees them: which attributes and orders each function takes, and the kind of its result.

How they are computed is in `structtree.space.aggregates`.
"""

from __future__ import annotations

from structtree.data.schema import NUMERIC, Attribute, Kind, Link, RecordType
from structtree.lang import syntax as syn

__all__ = ["ORDERED", "attribute_kinds", "computed_attribute", "default_order", "is_monotone", "order_kinds"]

ORDERED: tuple[syn.AggregateFunction, ...] = ("latest", "earliest", "trend")
"""The functions that look at rows in an order."""

_NUMBERS: tuple[Kind, ...] = ("int", "real")
_MOMENTS: tuple[Kind, ...] = ("date", "time")
_ALL: tuple[Kind, ...] = ("bool", "nominal", *NUMERIC)
_FLAG = ("false", "true")


def attribute_kinds(function: syn.AggregateFunction) -> tuple[Kind, ...]:
    """Return the kinds of attribute that a function is for.

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
    """Return the kinds of attribute that rows can be ordered by; for a slope there must be distances, too."""
    return (*_NUMBERS, *_MOMENTS) if function == "trend" else NUMERIC


def is_monotone(test: syn.Aggregate) -> bool:
    """Tell whether a test that holds of some rows behind a link holds of more of them as well.

    So it is where one more row can only raise what ``>=`` asks for, or lower what ``<=`` does; of a sum it is not,
    since values may be negative, nor of means and of the latest. Then more may be asked inside the condition.

    Examples
    --------
    >>> [is_monotone(syn.Aggregate(function, "orders", "price", ">=", 3)) for function in ("max", "sum")]
    [True, False]
    """
    rising = test.function in ("max", "range", "distinct", "share") and test.op == ">="
    return rising or (test.function == "min" and test.op == "<=")


def default_order(link: Link, target: RecordType) -> str | None:
    """Return the attribute that orders the rows behind a set where nobody says: its only date or time.

    Examples
    --------
    >>> payment = RecordType("Payment", (Attribute("amount", "real"), Attribute("paid", "date")))
    >>> default_order(Link("payments", "set", "Payment"), payment)
    'paid'
    """
    moments = [attribute.name for attribute in target.attributes if attribute.kind in _MOMENTS]
    return moments[0] if link.kind == "set" and len(moments) == 1 else None


def computed_attribute(test: syn.Aggregate, target: RecordType) -> Attribute:
    """Return what an aggregate computes as an attribute: the kind and the categories of its values.

    Parameters
    ----------
    test : Aggregate
        With the name of an attribute, not a glob.
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
