"""The default grammar for any schema, as text that a person would be happy to edit.

It asks about every attribute and follows every link, a few steps deep: enough to begin with, and each block says
how to change it. A table without links gets the questions of an ordinary decision tree, one test at a time.
"""

from __future__ import annotations

from itertools import takewhile

from structtree.data.schema import Attribute, Kind, Link, RecordType, Schema
from structtree.lang.pretty import pretty_grammar, pretty_name
from structtree.lang.syntax import GrammarSyntax

__all__ = ["derive_grammar"]

MANY_CATEGORIES = 50
"""A nominal attribute with more known values than this identifies rather than describes; it is left out."""

MANY_ATTRIBUTES = 20
"""More attributes of one kind than this are asked about with a glob."""


def derive_grammar(schema: Schema, name: str | None = None) -> str:
    """The text of a grammar that fits a schema.

    Parameters
    ----------
    schema : Schema
    name : str, optional
        The name of the grammar; without it the file begins with its docstring.

    Examples
    --------
    >>> car = RecordType("Car", (Attribute("long", "bool"), Attribute("wheels", "int")))
    >>> print(derive_grammar(Schema((RecordType("Train", (), (Link("cars", "list", "Car"),)), car), "Train")))
    "Derived from the data: every attribute and every link of Train, Car."
    <BLANKLINE>
    individual Train
    ...
    refine Car {
        # Flags: true, or false.
        top -> long
        top -> not long
    ...
    """
    types = _reachable(schema)
    names = ", ".join(record.name for record in types[:5]) + (" ..." if len(types) > 5 else "")
    doc = f"Derived from the data: every attribute and every link of {names}."
    paragraphs = [
        pretty_grammar(GrammarSyntax(name, doc, individual=schema.individual)).rstrip(),
        *(_block(record, schema) for record in types),
        _LIMITS if any(record.links or schema.listed(record.name) for record in types) else "",
    ]
    return "\n\n".join(filter(None, paragraphs)) + "\n"


_TOGETHER = ("# How many of these may stand together at one position.", "top -> top and top max 2")
_ALONE = ("# One at a time, as in an ordinary decision tree; for two at once write: top -> top and top max 2",)
_LIMITS = """\
# How many links deep a predicate may look, and how many tests and links it may have in all.
limits { nesting 4, literals 6 }"""


def _reachable(schema: Schema) -> list[RecordType]:
    """The types that links lead to from the individual, nearest first."""
    found = [schema.type(schema.individual)]
    for record in found:  # grows while it is read
        targets = dict.fromkeys(link.target for link in record.links)
        found += [schema.type(target) for target in targets if schema.type(target) not in found]
    return found


def _is_flat(schema: Schema) -> bool:
    """Whether there is nothing but the attributes of the individuals to ask about."""
    return not schema.type(schema.individual).links and not schema.listed(schema.individual)


def _block(record: RecordType, schema: Schema) -> str:
    """The refine block of a type; empty when there is nothing to ask."""
    parts = [
        _flags(_of_kind(record, "bool")),
        _categories(_of_kind(record, "nominal"), alone=_only_categories(record) and not schema.listed(record.name)),
        _numbers(_of_kind(record, "int", "real")),
        _links(record.links),
        ["# The element after this one, in its list.", "top -> next (top)"] if schema.listed(record.name) else [],
    ]
    if not any(parts):
        return ""
    lines = [line for part in [*parts, _ALONE if _is_flat(schema) else _TOGETHER] for line in part]
    return f"refine {pretty_name(record.name)} {{\n" + "".join(f"    {line}\n" for line in lines) + "}"


def _of_kind(record: RecordType, *kinds: Kind) -> list[Attribute]:
    return [attribute for attribute in record.attributes if attribute.kind in kinds]


def _flags(attributes: list[Attribute]) -> list[str]:
    names = _names(attributes)
    lines = [line for name in names for line in (f"top -> {name}", f"top -> not {name}")]
    return ["# Flags: true, or false.", *lines] if lines else []


def _only_categories(record: RecordType) -> bool:
    return not record.links and all(attribute.kind == "nominal" for attribute in record.attributes)


def _categories(attributes: list[Attribute], *, alone: bool) -> list[str]:
    few = [attribute for attribute in attributes if len(attribute.values) <= MANY_CATEGORIES]
    many = [attribute for attribute in attributes if len(attribute.values) > MANY_CATEGORIES]
    if alone and not few:  # better a question too many than none
        few, many = many, []
    # A glob would bring back the attributes that are left out.
    names = [pretty_name(attribute.name) for attribute in few] if many else _names(few)
    lines = ["# Categories, one at a time; for sets of them write in * instead of = *"] if names else []
    lines += [f"top -> {name} = *" for name in names]
    for attribute in many:
        lines.append(f"# {pretty_name(attribute.name)} is left out: it has {len(attribute.values)} values.")
    return lines


def _numbers(attributes: list[Attribute]) -> list[str]:
    lines = [f"top -> {name} {op} *" for name in _names(attributes) for op in (">=", "<=")]
    return ["# Numbers, at every threshold; for fewer write quantiles(10) instead of *", *lines] if lines else []


def _links(links: tuple[Link, ...]) -> list[str]:
    lines: list[str] = []
    for link in links:
        name = pretty_name(link.name)
        if link.single:
            lines.append(f"top -> {name} (top)")
            lines += [f"top -> missing {name}"] if link.kind == "optional" else []
        else:
            lines += [f"top -> exists {name} (top)", f"top -> count {name} (top) >= 2..4"]
    return ["# Links; what must hold behind them is refined by the block of their type.", *lines] if lines else []


def _names(attributes: list[Attribute]) -> list[str]:
    """The names as they are written; one glob for all of them when there are many."""
    names = [attribute.name for attribute in attributes]
    if len(names) <= MANY_ATTRIBUTES:
        return [pretty_name(name) for name in names]
    return [f"{_shared_prefix(names)}*"]


def _shared_prefix(names: list[str]) -> str:
    """What all names begin with, as far as it is letters: ``f`` for f1, f2, ... f166."""
    first, last = min(names), max(names)
    n_shared = next((i for i, letter in enumerate(first) if not last.startswith(first[: i + 1])), len(first))
    return "".join(takewhile(lambda letter: letter == "_" or letter.isalpha(), first[:n_shared]))
