"""One line on what a grammar asks about: attributes of the individuals, and what links lead to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from structtree.data.schema import Schema
from structtree.lang.check import CheckedGrammar
from structtree.lang.rewrites import reachable_types
from structtree.models.conform import needed_members

__all__ = ["Asked", "asked_about"]

MOST_NAMES = 8
"""So many names are listed; of more than that, the first few."""

FIRST_NAMES = 5
"""That many."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Attributes of the individuals, their links, and the links to many of other types that a grammar asks about.

    Examples
    --------
    >>> str(Asked("Molecule", ("logp", "weight"), ("atoms", "bonds")))
    '2 attributes of Molecule (logp, weight), atoms, bonds'
    >>> str(Asked("Row", tuple(f"f{i}" for i in range(12)), ()))
    '12 columns: f0, f1, f2, f3, f4 and 7 more'
    """

    individual: str
    attributes: tuple[str, ...]
    links: tuple[str, ...]

    def __str__(self) -> str:
        n, names = len(self.attributes), _listed(self.attributes)
        if not self.links:
            return f"{n} {'column' if n == 1 else 'columns'}: {names}" if n else "nothing"
        own = f"{n} {'attribute' if n == 1 else 'attributes'} of {self.individual} ({names})"
        return ", ".join([*([own] if n else []), *self.links])


def asked_about(grammar: CheckedGrammar) -> Asked:
    """Return what the rewrites of a grammar ask about, from the individuals on.

    Examples
    --------
    >>> from structtree import Grammar, Population
    >>> boxes = Population.from_records([{"size": 1, "sender": {"age": 30}, "items": [{"kg": 2}]}])
    >>> str(asked_about(Grammar.from_schema(boxes.schema).check(boxes.schema)))
    '1 attribute of Individual (size), sender, items'
    """
    schema, needed = grammar.schema, dict[str, set[str]]()
    for name in reachable_types(grammar.rewrites, schema):
        tests = [rewrite.right for rewrite in grammar.rewrites.get(name, ())]
        for type_name, members in needed_members(tests, Schema(schema.types, name)).items():
            needed.setdefault(type_name, set()).update(members)
    own = schema.type(schema.individual).attributes
    asked = needed.get(schema.individual, set())
    links = (
        link.name
        for t in schema.types
        for link in t.links
        if link.name in needed.get(t.name, ()) and (t.name == schema.individual or not link.single)
    )
    return Asked(schema.individual, tuple(a.name for a in own if a.name in asked), tuple(dict.fromkeys(links)))


def _listed(names: Sequence[str]) -> str:
    if len(names) <= MOST_NAMES:
        return ", ".join(names)
    return f"{', '.join(names[:FIRST_NAMES])} and {len(names) - FIRST_NAMES:,} more"
