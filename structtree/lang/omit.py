"""Removal of the rewrites that test attributes removed from the data, such as the target.

A grammar that was derived from the whole data, or written for several targets, then needs no editing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from structtree.data.schema import Schema
from structtree.lang import syntax as syn
from structtree.lang.background import Declared, declared_shape, members_used, step_names
from structtree.lang.declare import in_names_of
from structtree.lang.mistakes import error_at
from structtree.lang.walk import asked_members

__all__ = ["Omission", "omit_attributes"]


@dataclass(frozen=True, slots=True)
class Omission:
    """A grammar without the rewrites that test some attributes.

    Parameters
    ----------
    syntax : GrammarSyntax
    names : tuple of str
        The removed attributes that the grammar mentioned.
    n_rewrites : int
        The number of removed rewrites.
    computed : tuple of str
        The removed derived links and computed attributes.
    """

    syntax: syn.GrammarSyntax
    names: tuple[str, ...]
    n_rewrites: int
    computed: tuple[str, ...] = ()


def omit_attributes(syntax: syn.GrammarSyntax, reasons: Mapping[str, str], schema: Schema) -> Omission:
    """Return the grammar without the rewrites that test attributes removed from the individuals.

    Parameters
    ----------
    syntax : GrammarSyntax
    reasons : mapping from name to str
        Removed attributes, and why ("the target"); attributes that the data still has are kept.
    schema : Schema
        The schema of the data.

    Raises
    ------
    GrammarError
        If a definition uses a removed attribute, since only its author can change it.

    Examples
    --------
    >>> from structtree.data.schema import Attribute, RecordType
    >>> from structtree.lang.parse import parse_grammar
    >>> schema = Schema((RecordType("Row", (Attribute("size", "int"),)),), "Row")
    >>> found = omit_attributes(
    ...     parse_grammar("refine Row { top -> size >= *; top -> kind = * }"), {"kind": "the target"}, schema
    ... )
    >>> found.names, found.n_rewrites
    (('kind',), 1)
    """
    has = schema.type(schema.individual).members
    gone = {name: why for name, why in reasons.items() if name not in has}
    meant = in_names_of(syntax, schema)
    view = _View.of(meant, schema, frozenset(gone))
    for definition in meant.definitions:
        for name in view.removed_in(definition.body, definition.type):
            message = f"the definition {definition.name!r} uses {name!r}, which is {gone[name]}; remove it"
            raise error_at(definition.place, message)
    pairs = list(zip(syntax.blocks, meant.blocks, strict=True))
    lost = {
        id(r): [*view.removed_in(r.left, m.type), *view.removed_in(r.right, m.type)]
        for _, m in pairs
        for r in m.rewrites
    }
    names = {name for asked in lost.values() for name in asked} | {*view.lost.values()}
    kept = [_block(block, [r for r in block.rewrites if not lost[id(r)]]) for block, _ in pairs]
    types = tuple(
        replace(declared, attributes=tuple(a for a in declared.attributes if a.name not in gone))
        if named.name == schema.individual
        else declared
        for declared, named in zip(syntax.types, meant.types, strict=True)
    )
    computed = zip(syntax.computed, meant.computed, strict=True)
    cycles = zip(syntax.cycles, meant.cycles, strict=True)
    neighbourhoods = zip(syntax.neighbourhoods, meant.neighbourhoods, strict=True)
    equalities = zip(syntax.equalities, meant.equalities, strict=True)
    links = zip(syntax.links, meant.links, strict=True)
    rest = replace(
        syntax,
        types=types,
        computed=tuple(one for one, named in computed if (named.type, named.name) not in view.lost),
        cycles=tuple(one for one, named in cycles if (named.type, named.name) not in view.lost),
        neighbourhoods=tuple(one for one, named in neighbourhoods if (named.type, named.name) not in view.lost),
        equalities=tuple(one for one, named in equalities if (named.type, named.name) not in view.lost),
        links=tuple(one for one, named in links if (named.type, named.name) not in view.lost),
        blocks=tuple(filter(None, kept)),
    )
    asked_about = tuple(name for name in gone if name in names)
    return Omission(rest, asked_about, sum(map(bool, lost.values())), tuple(name for _, name in view.lost))


@dataclass(frozen=True, slots=True)
class _View:
    """The schema, the removed attributes, and the computed members that depend on removed attributes.

    `lost` is a dict from each of these members (with its type) to the removed attribute that it needs.
    """

    schema: Schema
    gone: frozenset[str]
    lost: dict[tuple[str, str], str] = field(default_factory=dict)

    @classmethod
    def of(cls, syntax: syn.GrammarSyntax, schema: Schema, gone: frozenset[str]) -> _View:
        view = cls(declared_shape(syntax, schema), gone)
        declared = (*syntax.all_computed, *syntax.links)
        n_lost = -1
        while gone and n_lost != (n_lost := len(view.lost)):
            for item in declared:
                for name in view._needed(item):
                    view.lost.setdefault((item.type, item.name), name)
        return view

    def _needed(self, item: Declared) -> Iterator[str]:
        """Yield the removed attributes that a declaration needs, directly or indirectly."""
        for type_name, member in members_used(item, self.schema):
            yield from self._matched(member, type_name)
        if not isinstance(item, syn.Computed):
            steps = set(step_names(item.path))
            yield from [name for (_, link), name in self.lost.items() if link in steps]

    def removed_in(self, predicate: syn.Predicate, type_name: str) -> Iterator[str]:
        """Yield the removed attributes that a predicate uses, directly or through computed members."""
        if type_name not in self.schema:
            return
        yield from (name for (_, link), name in self.lost.items() if link == type_name)  # the pairs of a lost link
        for at, member in asked_members(predicate, type_name, self.schema):
            yield from self._matched(member, at)

    def _matched(self, attribute: str, type_name: str) -> Iterator[str]:
        """Yield the removed attributes that a name refers to; none if it is a glob that also matches others."""
        for at in {type_name, self.schema.rows_of(type_name)}:
            if (at, attribute) in self.lost:
                yield self.lost[at, attribute]
        if self.schema.rows_of(type_name) != self.schema.individual:
            return
        if not isinstance(attribute, syn.Glob) and self.schema.type(type_name).attribute(attribute) is not None:
            return
        if not isinstance(attribute, syn.Glob):
            yield from {attribute} & self.gone
        elif not any(fnmatchcase(a.name, attribute) for a in self.schema.type(type_name).attributes):
            yield from (name for name in self.gone if fnmatchcase(name, attribute) and set(attribute) != {"*"})


def _block(block: syn.RefineBlock, rewrites: list) -> syn.RefineBlock | None:  # type: ignore[type-arg]
    if len(rewrites) == len(block.rewrites):
        return block
    return replace(block, rewrites=tuple(rewrites)) if rewrites else None
