"""One-line summary of the attributes of the individuals and the links that a grammar uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from structtree.data.schema import Schema
from structtree.lang.check import CheckedGrammar
from structtree.lang.rewrites import reachable_types
from structtree.models.conform import needed_members

__all__ = ["GrammarFeatures", "grammar_features"]

MOST_NAMES = 8
"""Longer lists of names are shortened."""

FIRST_NAMES = 5
"""Number of names in a shortened list."""


@dataclass(frozen=True, slots=True)
class GrammarFeatures:
    """Attributes and links that the tests of a grammar use.

    Links of the individuals are all included; of the other types, only links to several rows.

    Examples
    --------
    >>> str(GrammarFeatures("Molecule", ("logp", "weight"), ("atoms", "bonds")))
    '2 attributes of Molecule (logp, weight), atoms, bonds'
    >>> str(GrammarFeatures("Row", tuple(f"f{i}" for i in range(12)), ()))
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


def grammar_features(grammar: CheckedGrammar) -> GrammarFeatures:
    """Return the features that the rewrites of a grammar use.

    Examples
    --------
    >>> from structtree import Grammar, Population
    >>> boxes = Population.from_records([{"size": 1, "sender": {"age": 30}, "items": [{"kg": 2}]}])
    >>> str(grammar_features(Grammar.from_schema(boxes.schema).check(boxes.schema)))
    '1 attribute of Individual (size), sender, items'
    """
    schema, needed = grammar.schema, dict[str, set[str]]()
    for name in reachable_types(grammar.rewrites, schema):
        tests = [rewrite.right for rewrite in grammar.rewrites.get(name, ())]
        for type_name, members in needed_members(tests, Schema(schema.types, name)).items():
            needed.setdefault(type_name, set()).update(members)
    own = schema.type(schema.individual).attributes
    used = needed.get(schema.individual, set())
    links = (
        link.name
        for t in schema.types
        for link in t.links
        if link.name in needed.get(t.name, ()) and (t.name == schema.individual or not link.single)
    )
    attributes = tuple(a.name for a in own if a.name in used)
    return GrammarFeatures(schema.individual, attributes, tuple(dict.fromkeys(links)))


def _listed(names: Sequence[str]) -> str:
    if len(names) <= MOST_NAMES:
        return ", ".join(names)
    return f"{', '.join(names[:FIRST_NAMES])} and {len(names) - FIRST_NAMES:,} more"
