"""Leaves out of a grammar what it asks about attributes that the data does not have on purpose.

The target is one, and so is what the user ignores. A grammar that was derived from the whole data, or written for
several targets, serves then without an edit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from structtree.data.schema import Schema
from structtree.lang import syntax as syn
from structtree.lang.background import declared_shape, members_used, step_names
from structtree.lang.declare import in_names_of
from structtree.lang.mistakes import error_at
from structtree.lang.walk import asked_members

__all__ = ["Omission", "omit_attributes"]


@dataclass(frozen=True, slots=True)
class Omission:
    """Grammar without what it asks about some attributes.

    Parameters
    ----------
    syntax : GrammarSyntax
    names : tuple of str
        The attributes that it asked about.
    n_rewrites : int
        The number of rewrites that are left out.
    computed : tuple of str
        The derived links and computed attributes that are left out, since they are about these attributes.
    """

    syntax: syn.GrammarSyntax
    names: tuple[str, ...]
    n_rewrites: int
    computed: tuple[str, ...] = ()


def omit_attributes(
    syntax: syn.GrammarSyntax,
    reasons: Mapping[str, str],
    schema: Schema,
    source: str = "<grammar>",
    text: str | None = None,
) -> Omission:
    """Return the grammar without rewrites about attributes of the individuals that the data does not have.

    Parameters
    ----------
    syntax : GrammarSyntax
    reasons : mapping from name to str
        The attributes, and what they are ("the target"); those that the data has all the same stay.
    schema : Schema
        Of the data.
    source, text : str
        Where the syntax came from, for messages.

    Raises
    ------
    GrammarError
        When a definition asks about one of them: it may be used anywhere, so that the user should decide.

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
    meant = in_names_of(syntax, schema, source, text)
    view = _View.of(meant, schema, frozenset(gone))
    for definition in meant.definitions:
        for name in view.asked(definition.body, definition.type):
            message = f"the definition {definition.name!r} asks about {name!r}, which is {gone[name]}: take it out"
            raise error_at(definition.place, message, source, text)
    pairs = list(zip(syntax.blocks, meant.blocks, strict=True))
    lost = {id(r): [*view.asked(r.left, m.type), *view.asked(r.right, m.type)] for _, m in pairs for r in m.rewrites}
    names = {name for asked in lost.values() for name in asked} | {*view.lost.values()}
    kept = [_block(block, [r for r in block.rewrites if not lost[id(r)]]) for block, _ in pairs]
    types = tuple(
        _undeclared(declared, gone) if named.name == schema.individual else declared
        for declared, named in zip(syntax.types, meant.types, strict=True)
    )
    computed = zip(syntax.computed, meant.computed, strict=True)
    links = zip(syntax.links, meant.links, strict=True)
    rest = replace(
        syntax,
        types=types,
        computed=tuple(one for one, named in computed if (named.type, named.name) not in view.lost),
        links=tuple(one for one, named in links if (named.type, named.name) not in view.lost),
        blocks=tuple(filter(None, kept)),
    )
    asked_about = tuple(name for name in gone if name in names)
    return Omission(rest, asked_about, sum(map(bool, lost.values())), tuple(name for _, name in view.lost))


@dataclass(frozen=True, slots=True)
class _View:
    """The data, the attributes of the individuals that it does not have, and what is computed from these.

    The latter has, for each member that is lost with its type, the attribute that it is about.
    """

    schema: Schema
    gone: frozenset[str]
    lost: dict[tuple[str, str], str] = field(default_factory=dict)

    @classmethod
    def of(cls, syntax: syn.GrammarSyntax, schema: Schema, gone: frozenset[str]) -> _View:
        view = cls(declared_shape(syntax, schema), gone)
        declared: list[syn.Computed | syn.DerivedLink] = [*syntax.computed, *syntax.links]
        n_lost = -1
        while gone and n_lost != (n_lost := len(view.lost)):
            for item in declared:
                for name in view._needed(item):
                    view.lost.setdefault((item.type, item.name), name)
        return view

    def _needed(self, item: syn.Computed | syn.DerivedLink) -> Iterator[str]:
        """The attributes that a declaration is about, directly or by what it uses."""
        for type_name, member in members_used(item, self.schema):
            yield from self._matched(member, type_name)
        if isinstance(item, syn.DerivedLink):
            steps = set(step_names(item.path))
            yield from [name for (_, link), name in self.lost.items() if link in steps]

    def asked(self, predicate: syn.Predicate, type_name: str) -> Iterator[str]:
        """Those of them that a predicate asks about."""
        if type_name not in self.schema:
            return
        yield from (name for (_, link), name in self.lost.items() if link == type_name)  # what is asked of its pairs
        for at, member in asked_members(predicate, type_name, self.schema):
            yield from self._matched(member, at)

    def _matched(self, attribute: str, type_name: str) -> Iterator[str]:
        """The attribute, if it is gone or lost; a glob stands for what is there, if there is anything."""
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


def _undeclared(declaration: syn.TypeDeclaration, gone: Mapping[str, str]) -> syn.TypeDeclaration:
    return replace(declaration, attributes=tuple(a for a in declaration.attributes if a.name not in gone))
