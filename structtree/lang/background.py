"""Resolution of derived links and computed attributes, and the schema with them added.

Declarations may use each other in any order, so they are resolved in rounds: each round adds the declarations that
are valid on the current schema, until none is left. Circular declarations are an error. `structtree.space.background`
computes the values, in the order of resolution.

A derived link with attributes or an order leads to *pairs*: rows of a new type, named after the link. A pair has
these attributes, a reference to the linked row (`FAR_ROW`), and copies of the members of that row that the grammar
uses.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import assert_never

from structtree.data.extensions import Alike, NotComparableError, compared_types
from structtree.data.readers.molecules.patterns import atom_types
from structtree.data.schema import FAR_ROW, Attribute, Kind, Link, RecordType, Schema
from structtree.errors import GrammarError, did_you_mean
from structtree.lang import syntax as syn
from structtree.lang.pretty import pretty_expression, pretty_name, pretty_path
from structtree.lang.resolve import Scope, link_of, refuse_smarts, resolve, value_attribute
from structtree.lang.walk import asked_members, expression_parts, parts_of, path_members

__all__ = [
    "MAX_PAIRS",
    "Background",
    "Computation",
    "ComputedAttribute",
    "ComputedCycles",
    "ComputedEquality",
    "ComputedLink",
    "ComputedNeighbourhood",
    "Declared",
    "Hop",
    "Needs",
    "Repeated",
    "Walk",
    "background_of",
    "declared_shape",
    "members_used",
    "needs_of",
    "step_names",
]

MAX_PAIRS = 50_000_000
"""Default maximum number of pairs of a derived link; ``limits { pairs ... }`` changes it."""

_Member = tuple[str, str]
"""A type and one of its members."""


@dataclass(frozen=True, slots=True)
class Hop:
    """A step along a link of a type, forwards or backwards."""

    owner: str
    link: str
    backwards: bool = False


@dataclass(frozen=True, slots=True)
class Repeated:
    """A path from a type back to itself, repeated once or more."""

    type: str
    walk: Walk


Walk = tuple[Hop | Repeated, ...]


@dataclass(frozen=True, slots=True)
class ComputedAttribute:
    """A resolved computed attribute and the type that it is added to."""

    type: str
    attribute: Attribute
    expression: syn.Expression
    declared: syn.Computed


@dataclass(frozen=True, slots=True)
class ComputedCycles:
    """A resolved number of cycles along a walk, and the type that it is added to."""

    type: str
    attribute: Attribute
    walk: Walk
    declared: syn.CycleCount


@dataclass(frozen=True, slots=True)
class ComputedNeighbourhood:
    """A resolved neighbourhood along a walk, and the type that it is added to."""

    type: str
    attribute: Attribute
    walk: Walk
    declared: syn.Neighbourhood


@dataclass(frozen=True, slots=True)
class ComputedEquality:
    """A resolved equality of two links, the type that it is added to, and the types and members compared."""

    type: str
    attribute: Attribute
    left: Link
    right: Link
    compared: tuple[Alike, ...]
    declared: syn.LinkEquality


@dataclass(frozen=True, slots=True)
class ComputedLink:
    """A resolved derived link.

    Parameters
    ----------
    type : str
        The type that owns the link.
    link : Link
        The link that is added; it leads to the pairs, if the link has pairs.
    far : str
        The type of the linked rows, at the end of the walk.
    walk : tuple of Hop and Repeated
    where : Predicate
        The condition on the linked row, which may mention the link's owner.
    attributes : tuple of ComputedAttribute
        The attributes of the pairs.
    order : SortedBy or None
    declared : DerivedLink
    members : tuple of str
        The members of the linked rows that are copied to the pairs.
    """

    type: str
    link: Link
    far: str
    walk: Walk
    where: syn.Predicate
    attributes: tuple[ComputedAttribute, ...]
    order: syn.SortedBy | None
    declared: syn.DerivedLink
    members: tuple[str, ...] = ()


Computation = ComputedAttribute | ComputedCycles | ComputedEquality | ComputedNeighbourhood | ComputedLink


@dataclass(frozen=True, slots=True)
class Background:
    """The computed attributes and derived links of a grammar, in order of computation.

    Parameters
    ----------
    schema : Schema
        The schema that includes them.
    steps : tuple of Computation
    max_pairs : int
        The maximum number of pairs of a derived link.
    """

    schema: Schema
    steps: tuple[Computation, ...] = ()
    max_pairs: int = MAX_PAIRS

    @property
    def declarations(self) -> syn.GrammarSyntax:
        """Grammar syntax that declares these attributes and links."""
        return syn.GrammarSyntax(
            computed=tuple(step.declared for step in self.steps if isinstance(step, ComputedAttribute)),
            cycles=tuple(step.declared for step in self.steps if isinstance(step, ComputedCycles)),
            neighbourhoods=tuple(step.declared for step in self.steps if isinstance(step, ComputedNeighbourhood)),
            equalities=tuple(step.declared for step in self.steps if isinstance(step, ComputedEquality)),
            links=tuple(step.declared for step in self.steps if isinstance(step, ComputedLink)),
            limits=syn.GrammarLimits(pairs=None if self.max_pairs == MAX_PAIRS else self.max_pairs),
        )


def background_of(
    syntax: syn.GrammarSyntax, schema: Schema, *, members: Mapping[str, Collection[str]] | None = None
) -> Background:
    """Resolve the derived links and computed attributes of a grammar.

    Parameters
    ----------
    syntax : GrammarSyntax
        A grammar with the type names of the schema.
    schema : Schema
        The schema of the data; members computed by an earlier grammar are ignored.
    members : mapping from pair type to names, optional
        The members of linked rows copied to pairs; by default, the members that the grammar mentions.

    Raises
    ------
    GrammarError
        At the first invalid declaration.

    Examples
    --------
    >>> from structtree.lang.parse import parse_grammar
    >>> text = "type Train = {cars: list of Car} type Car = {load: int} individual Train"
    >>> schema = Schema((RecordType("Train", (), (Link("cars", "list", "Car"),)), RecordType("Car")), "Train")
    >>> found = background_of(parse_grammar("link other: Car -> set of Car = ~cars.cars where not me"), schema)
    >>> found.schema.type("Car").link("other")
    Link(name='other', kind='set', target='Car')
    """
    most = MAX_PAIRS if syntax.limits.pairs is None else syntax.limits.pairs
    base = schema.given
    syntax = _with_patterns(syntax, base)
    if not syntax.all_computed and not syntax.links:
        return Background(base, (), most)
    draft = _Draft(syntax, base)
    draft.settle()
    kept = _copied(syntax, draft.schema) if members is None else members
    steps = tuple(_with_members(step, kept, draft.schema) for step in draft.steps)
    return Background(_trimmed(draft.schema, kept), steps, most)


def _with_patterns(syntax: syn.GrammarSyntax, schema: Schema) -> syn.GrammarSyntax:
    """Return the grammar with a computed attribute for each SMARTS pattern in its predicates."""
    types = atom_types(schema)
    if types is None:
        return syntax  # the checks of the predicates report it
    stated = [each.body for each in syntax.definitions] + [each.where for each in syntax.links]
    stated += [side for block in syntax.blocks for each in block.rewrites for side in (each.left, each.right)]
    found = {each.name: each for each in syntax.computed}
    for part in (part for predicate in stated for part in parts_of(predicate)):
        if isinstance(part, syn.Flag) and isinstance(name := part.attribute, syn.SmartsName):
            pattern = syn.Smarts(name.pattern, place=part.place)
            found.setdefault(str(name), syn.Computed(str(name), types.atom, pattern, place=part.place))
    return replace(syntax, computed=tuple(found.values()))


@dataclass(frozen=True, slots=True)
class Needs:
    """Requirements of some computed members: members of the data, by type, and computations."""

    given: Mapping[str, frozenset[str]]
    background: Background


def needs_of(members: Mapping[str, Collection[str]], background: Background) -> Needs:
    """Return the members of the data and the computations that are needed to compute the given members.

    Parameters
    ----------
    members : mapping from type to names
        May include derived members and members of pairs.
    background : Background

    Examples
    --------
    >>> from structtree.lang.parse import parse_grammar
    >>> box = RecordType("Box", (Attribute("a", "int"), Attribute("b", "int"), Attribute("c", "int")))
    >>> schema = Schema((box,), "Box")
    >>> found = background_of(parse_grammar("attribute sum: Box = a + b attribute twice: Box = 2 * sum"), schema)
    >>> needs = needs_of({"Box": {"sum"}}, found)
    >>> sorted(needs.given["Box"]), len(needs.background.steps)
    (['a', 'b'], 1)
    """
    schema = background.schema
    makers: dict[_Member, Computation] = {}
    for step in background.steps:
        makers[step.type, step.declared.name] = step
        if isinstance(step, ComputedLink) and step.declared.has_pairs:
            makers |= {
                (step.link.target, name): step for name in (FAR_ROW, *(a.attribute.name for a in step.attributes))
            }
    waiting: list[_Member] = [(name, member) for name, own in members.items() for member in own]
    seen: set[_Member] = set()
    while waiting:
        member = waiting.pop()
        if member in seen:
            continue
        seen.add(member)
        met = schema.met_by(member[0])
        if member in makers:
            waiting += _needed_by(makers[member], schema)
        elif met is not None and member[1] in schema.type(met).members:
            waiting.append((met, member[1]))
    used = {id(makers[member]) for member in seen if member in makers}
    copies = {name: frozenset(m for at, m in seen if at == name) for name in schema.names if schema.met_by(name)}
    steps = tuple(_with_members(step, copies, schema) for step in background.steps if id(step) in used)
    given: dict[str, set[str]] = {name: set() for name in members if schema.met_by(name) is None}
    for name, own in seen - makers.keys():
        if schema.met_by(name) is None:
            given.setdefault(name, set()).add(own)
    return Needs(
        {name: frozenset(own) for name, own in given.items()}, Background(schema, steps, background.max_pairs)
    )


def _needed_by(step: Computation, schema: Schema) -> Iterator[_Member]:
    if isinstance(step, ComputedAttribute):
        yield from _values_used(step.expression, step.type, None, schema)
        return
    if isinstance(step, ComputedCycles):
        yield from _hops_of(step.walk)
        return
    if isinstance(step, ComputedNeighbourhood):
        yield step.type, step.declared.attribute
        yield from _hops_of(step.walk)
        return
    if isinstance(step, ComputedEquality):
        yield from ((step.type, link.name) for link in (step.left, step.right))
        yield from ((name, member) for group in step.compared for name in group.types for member in group.members)
        return
    yield step.type, step.link.name
    yield from _hops_of(step.walk)
    yield from asked_members(step.where, step.far, schema, step.type, definitions=True)
    for attribute in step.attributes:
        yield from _values_used(attribute.expression, step.far, step.type, schema)
    if step.order is not None and step.order.attribute not in {each.attribute.name for each in step.attributes}:
        yield step.far, step.order.attribute


def _hops_of(walk: Walk) -> Iterator[_Member]:
    for hop in walk:
        if isinstance(hop, Repeated):
            yield from _hops_of(hop.walk)
        else:
            yield hop.owner, hop.link


# ---- resolution -----------------------------------------------------------------------------------------

Declared = syn.Computed | syn.CycleCount | syn.LinkEquality | syn.Neighbourhood | syn.DerivedLink
"""Declaration of a computed attribute or a derived link."""

_Item = Declared | syn.Definition


@dataclass(slots=True)
class _Draft:
    """Derived links and computed attributes resolved so far, and the schema with them added."""

    syntax: syn.GrammarSyntax
    schema: Schema
    steps: list[Computation] = field(default_factory=list)
    definitions: dict[str, syn.Definition] = field(default_factory=dict)
    waiting: list[_Item] = field(default_factory=list)

    def settle(self) -> None:
        self.waiting = [*self.syntax.all_computed, *self.syntax.links, *self.syntax.definitions]
        while any(not isinstance(item, syn.Definition) for item in self.waiting):
            errors: dict[int, GrammarError] = {}
            before = len(self.waiting)
            for item in tuple(self.waiting):
                try:
                    self._add(item)
                    self.waiting = [each for each in self.waiting if each is not item]
                except GrammarError as error:
                    errors[id(item)] = error
            if len(self.waiting) == before:
                raise self._stuck(errors)

    def _add(self, item: _Item) -> None:
        match item:
            case syn.Definition(name, type_name, body):
                here = replace(self._here(item.place), parameters=frozenset(item.parameters))
                (resolved,) = resolve(body, type_name, here)
                self.definitions[name] = replace(item, body=resolved)
            case syn.Computed():
                self._add_attribute(item)
            case syn.CycleCount():
                self._add_cycles(item)
            case syn.Neighbourhood():
                self._add_neighbourhood(item)
            case syn.LinkEquality():
                self._add_equality(item)
            case syn.DerivedLink():
                self._add_link(item)
            case _ as never:
                assert_never(never)

    def _here(self, place: syn.Location | None, owner: str | None = None) -> Scope:
        return Scope(self.schema, self.definitions, owner=owner, place=place)

    def _add_attribute(self, item: syn.Computed) -> None:
        here = self._here(item.place)
        self._refuse_second(item, here)
        kind = _kind(item.expression, item.type, here)
        attribute = Attribute(item.name, kind, derived=True)
        self.steps.append(ComputedAttribute(item.type, attribute, item.expression, item))
        self.schema = _with_member(self.schema, item.type, attribute)

    def _add_neighbourhood(self, item: syn.Neighbourhood) -> None:
        here = self._here(item.place)
        self._refuse_second(item, here)
        walk = self._way_back(item, here, "neighbourhood")
        own = self.schema.type(item.type).attribute(item.attribute)
        if own is None or own.kind != "nominal":
            known = "which is not an attribute" if own is None else f"which is {own.kind}"
            raise here.error(f"expected a nominal attribute of {item.type!r}, got {item.attribute!r}, {known}")
        attribute = Attribute(item.name, "nominal", derived=True)
        self.steps.append(ComputedNeighbourhood(item.type, attribute, walk, item))
        self.schema = _with_member(self.schema, item.type, attribute)

    def _way_back(self, item: syn.CycleCount | syn.Neighbourhood, here: Scope, what: str) -> Walk:
        """Return the walk of a path that leads from a type to itself."""
        walk, end = self._walk(item.path, item.type, here)
        if end != item.type:
            path = f"got {pretty_path(item.path)!r} from {item.type!r} to {end!r}"
            raise here.at(item.path[0].place).error(f"expected a path from a type to itself in {what!r}, {path}")
        return walk

    def _add_cycles(self, item: syn.CycleCount) -> None:
        here = self._here(item.place)
        self._refuse_second(item, here)
        walk = self._way_back(item, here, "cycles")
        attribute = Attribute(item.name, "int", derived=True)
        self.steps.append(ComputedCycles(item.type, attribute, walk, item))
        self.schema = _with_member(self.schema, item.type, attribute)

    def _add_equality(self, item: syn.LinkEquality) -> None:
        here = self._here(item.place)
        self._refuse_second(item, here)
        left, right = (link_of(name, item.type, here) for name in (item.left, item.right))
        given = self.schema.given
        forms = ["reference" if link.single else link.kind for link in (left, right)]
        if forms[0] != forms[1]:
            raise here.error(
                f"{left.name!r} is a {forms[0]} and {right.name!r} is a {forms[1]}, so they are never equal"
            )
        pairs = next((link for link in (left, right) if link.target not in given), None)
        if pairs is not None:
            raise here.error(f"{pairs.name!r} leads to pairs, which cannot be compared")
        try:
            compared = compared_types(given, left.target, right.target)
        except NotComparableError as reason:
            raise here.error(f"the elements of {left.name!r} and {right.name!r} are never equal: {reason}") from None
        attribute = Attribute(item.name, "bool", derived=True)
        self.steps.append(ComputedEquality(item.type, attribute, left, right, compared, item))
        self.schema = _with_member(self.schema, item.type, attribute)

    def _add_link(self, item: syn.DerivedLink) -> None:
        here = self._here(item.place, owner=item.type)
        self._refuse_second(item, here)
        _check_order(item, here)
        walk, far = self._walk(item.path, item.type, here)
        if far != item.target and here.type(item.target).name == self.schema.met_by(far):
            walk, far = (*walk, Hop(far, FAR_ROW)), item.target
        if far != item.target:
            message = f"the path {pretty_path(item.path)!r} leads to {far!r}, not to {item.target!r}"
            raise here.at(item.path[0].place).error(message)
        (where,) = resolve(item.where, far, here)
        target = self._pair_type(item) if item.has_pairs else far
        attributes = tuple(self._pair_attribute(each, item, far) for each in item.attributes)
        link = Link(item.name, item.kind, target, derived=True)
        self.steps.append(ComputedLink(item.type, link, far, walk, where, attributes, item.order, item))
        if item.has_pairs:
            self.schema = _with_pairs(self.schema, target, far, tuple(each.attribute for each in attributes))
            if item.order is not None:
                value_attribute((item.order.attribute,), target, self._here(item.order.place))
        self.schema = _with_member(self.schema, item.type, link)

    def _refuse_second(self, item: Declared, scope: Scope) -> None:
        """Raise an error if the type, or the type of its pairs, already has a member with this name."""
        _refuse_member(item.name, scope.type(item.type), scope)
        for record in self.schema.types:
            if _meets(self.schema, record.name, item.type):
                _refuse_member(item.name, record, scope)

    def _pair_type(self, item: syn.DerivedLink) -> str:
        if item.name in self.schema or any(item.name == each.name for each in self.syntax.types):
            raise self._here(item.place).error(
                f"the pairs of this link would be a type named {item.name!r}, which already exists; rename the link"
            )
        return item.name

    def _pair_attribute(self, item: syn.Computed, link: syn.DerivedLink, far: str) -> ComputedAttribute:
        here = self._here(item.place, owner=link.type)
        _refuse_member(item.name, here.type(far), here)
        kind = _kind(item.expression, far, here)
        if isinstance(item.expression, syn.Smarts):
            raise here.error(f"smarts(...) is a condition on an atom, not on a pair; define it for {far!r}")
        return ComputedAttribute(link.name, Attribute(item.name, kind, derived=True), item.expression, item)

    # ---- paths

    def _walk(self, path: syn.DerivedPath, type_name: str, scope: Scope) -> tuple[Walk, str]:
        """Return the hops along a path that starts at a type, and the type at its end."""
        walk: list[Hop | Repeated] = []
        steps = iter(range(len(path)))
        for i in steps:
            step, here = path[i], scope.at(path[i].place)
            if isinstance(step, syn.Closure):
                inner, end = self._walk(step.path, type_name, here)
                if end != type_name:
                    raise here.error(
                        f"expected a path from a type to itself before '+', got {pretty_path(step.path)!r} from "
                        f"{type_name!r} to {end!r}"
                    )
                walk.append(Repeated(type_name, inner))
                continue
            hops, type_name, n_used = self._hops(path[i:], type_name, here)
            walk += hops
            for _ in range(n_used - 1):
                next(steps)
        return tuple(walk), type_name

    def _hops(self, rest: syn.DerivedPath, type_name: str, scope: Scope) -> tuple[list[Hop], str, int]:
        """Resolve the next step of a path: its hops, the type that they lead to, and the number of names used."""
        step = rest[0]
        assert isinstance(step, syn.LinkStep)
        if not step.backwards:
            hops, type_name = self._to_far_row(type_name)
            link = link_of(step.link, type_name, scope)
            return [*hops, Hop(type_name, step.link)], link.target, 1
        owners, hops = self._owners(step.link, type_name), []
        if not owners:
            hops, type_name = self._to_far_row(type_name)
            owners = self._owners(step.link, type_name)
        following = rest[1] if len(rest) > 1 else None
        is_typed = isinstance(following, syn.LinkStep) and not following.backwards  # ~Type.link
        if not owners and step.link in self.schema and is_typed:
            assert isinstance(following, syn.LinkStep)
            link = link_of(following.link, step.link, scope.at(following.place))
            if link.target != type_name:
                raise scope.error(f"{step.link}.{link.name} leads to {link.target!r}, not to {type_name!r}")
            return [*hops, Hop(step.link, link.name, backwards=True)], step.link, 2
        if len(owners) == 1:
            return [*hops, Hop(owners[0], step.link, backwards=True)], owners[0], 1
        raise scope.error(self._about_owners(step.link, type_name, owners))

    def _to_far_row(self, type_name: str) -> tuple[list[Hop], str]:
        met = self.schema.met_by(type_name)
        return ([], type_name) if met is None else ([Hop(type_name, FAR_ROW)], met)

    def _owners(self, link_name: str, type_name: str) -> list[str]:
        """Return the types that have a link with this name to the given type; copied links are ignored."""
        types = [record for record in self.schema.types if self.schema.met_by(record.name) is None]
        found = [t.name for t in types if (link := t.link(link_name)) is not None and link.target == type_name]
        for item in self.waiting:  # an unresolved link may make the name ambiguous
            if isinstance(item, syn.DerivedLink) and item.name == link_name and item.type not in found:
                target = item.name if item.has_pairs else item.target
                found += [item.type] if target == type_name else []
        return found

    def _about_owners(self, link_name: str, type_name: str, owners: list[str]) -> str:
        if owners:
            ways = " or ".join(f"'~{pretty_name(owner)}.{pretty_name(link_name)}'" for owner in owners)
            return f"ambiguous: several types have a link {link_name!r} to {type_name!r}; write {ways}"
        known = [link.name for t in self.schema.types for link in t.links if link.target == type_name]
        hint = did_you_mean(link_name, [name for name in known if name != FAR_ROW])
        return f"cannot follow {link_name!r} backwards: it does not lead to {type_name!r}{hint}"

    # ---- errors when no declaration can be resolved

    def _stuck(self, errors: Mapping[int, GrammarError]) -> GrammarError:
        """Return the error for unresolved declarations: a duplicate name, a cycle, or the first cause."""
        for item in self.waiting:
            if (
                not isinstance(item, syn.Definition)
                and item.type in self.schema
                and item.name in self.schema.type(item.type).members
            ):
                return errors[id(item)]
        by_name: dict[str, list[_Item]] = {}
        for item in self.waiting:
            by_name.setdefault(item.name, []).append(item)
        needs = {id(item): [n for name in _names(item) for n in by_name.get(name, ())] for item in self.waiting}
        start = next(item for item in self.waiting if not isinstance(item, syn.Definition))
        trail: list[_Item] = [start]
        while following := needs[id(trail[-1])]:
            if (seen := next((i for i, item in enumerate(trail) if item is following[0]), None)) is not None:
                return self._cycle(trail[seen:])
            trail.append(following[0])
        return errors[id(trail[-1])]

    def _cycle(self, items: list[_Item]) -> GrammarError:
        names = " -> ".join(item.name for item in [*items, items[0]])
        link = next((item for item in items if isinstance(item, syn.DerivedLink)), None)
        fix = "" if link is None else "; to repeat a step, use its closure, as in 'parent+'"
        return self._here((link or items[0]).place).error(f"circular declarations: {names}{fix}")


def _refuse_member(name: str, record: RecordType, scope: Scope) -> None:
    if name in record.members:
        raise scope.error(f"type {record.name!r} already has a member {name!r}; choose another name")


def _check_order(item: syn.DerivedLink, scope: Scope) -> None:
    if item.kind == "list" and item.order is None:
        raise scope.error(f"a list needs an order; add 'sorted by ...', or write 'set of {pretty_name(item.target)}'")
    if item.order is not None and item.kind != "list":
        raise scope.at(item.order.place).error(
            f"only a list can be sorted; write '-> list of {pretty_name(item.target)}', or remove 'sorted by'"
        )


def _names(item: _Item) -> Iterator[str]:
    """Yield all names in a declaration."""
    match item:
        case syn.Definition():
            yield from _predicate_names(item.body)
        case syn.Computed():
            yield from (name for operand in _operands(item.expression) for name in operand.path)
        case syn.Neighbourhood():
            yield from step_names(item.path)
            yield item.attribute
        case syn.CycleCount() | syn.LinkEquality():
            yield from step_names(item.path)
        case syn.DerivedLink():
            yield from step_names(item.path)
            yield from _predicate_names(item.where)
            for attribute in item.attributes:
                yield from _names(attribute)
            yield from () if item.order is None else (item.order.attribute,)
        case _ as never:
            assert_never(never)


def step_names(path: syn.DerivedPath) -> Iterator[str]:
    """Yield the names of links and types in a path."""
    for step in path:
        if isinstance(step, syn.Closure):
            yield from step_names(step.path)
        else:
            yield step.link


def _operands(value: syn.Expression) -> Iterator[syn.Operand]:
    return (part for part in expression_parts(value) if isinstance(part, syn.Operand))


def _predicate_names(predicate: syn.Predicate) -> Iterator[str]:
    for part in parts_of(predicate):
        for name in ("attribute", "member", "link", "other", "mine", "name"):
            found = getattr(part, name, ())
            yield from (found,) if isinstance(found, str) else found or ()


# ---- expressions ----------------------------------------------------------------------------------------


def _kind(value: syn.Expression, type_name: str, scope: Scope) -> Kind:
    """Return the kind of an expression's value, or raise an error.

    The difference of two dates or times is a number of days. A date plus or minus an integer is a date; any other
    date or time plus or minus a number of days is a time.
    """
    match value:
        case int():
            return "int"
        case float():
            return "real"
        case syn.Operand():
            return _operand_kind(value, type_name, scope.at(value.place))
        case syn.Smarts():
            refuse_smarts(type_name, scope.at(value.place))
            return "bool"
        case syn.Negative(inner) | syn.Absolute(inner):
            kind = _kind(inner, type_name, scope)
            if kind not in ("int", "real"):
                raise scope.error(
                    f"expected a number in {pretty_expression(value)!r}, but {pretty_expression(inner)!r} is a {kind}"
                )
            return kind
        case syn.Arithmetic(left, op, right):
            kinds = _kind(left, type_name, scope), _kind(right, type_name, scope)
            found = arithmetic_kind(kinds[0], op, kinds[1])
            if found is None:
                raise scope.at(value.place).error(
                    f"{pretty_expression(value)!r} is undefined: {pretty_expression(left)!r} is {_a(kinds[0])} and "
                    f"{pretty_expression(right)!r} is {_a(kinds[1])}"
                )
            return found
        case _ as never:
            assert_never(never)


def _a(kind: Kind) -> str:
    return "a number" if kind in ("int", "real") else f"a {kind}"


def arithmetic_kind(left: Kind, op: str, right: Kind) -> Kind | None:
    """Return the kind of a sum, difference, product or quotient of two kinds; None if it is undefined.

    Examples
    --------
    >>> arithmetic_kind("date", "-", "date"), arithmetic_kind("time", "-", "date")
    ('int', 'real')
    >>> arithmetic_kind("date", "*", "int") is None
    True
    """
    numbers, moments = ("int", "real"), ("date", "time")
    if left in numbers and right in numbers:
        return "int" if op != "/" and left == right == "int" else "real"
    if op == "-" and left in moments and right in moments:
        return "int" if left == right == "date" else "real"
    if (left in moments and op in "+-" and right in numbers) or (left in numbers and op == "+" and right in moments):
        return "date" if {left, right} == {"date", "int"} else "time"
    return None


def _operand_kind(value: syn.Operand, type_name: str, scope: Scope) -> Kind:
    if value.mine and scope.owner is None:
        raise scope.error(
            f"{pretty_expression(value)!r} is a value of the link's owner, which only the pairs of a derived link "
            "have; remove 'my'"
        )
    at = scope.owner if value.mine else type_name
    assert at is not None
    attribute = value_attribute(value.path, at, scope)
    if attribute.kind not in ("int", "real", "date", "time"):
        raise scope.error(
            f"{'.'.join(value.path)!r} is {attribute.kind}; expected a number, a date or a time in an expression"
        )
    return attribute.kind


# ---- schemas --------------------------------------------------------------------------------------------


def _with_member(schema: Schema, type_name: str, member: Attribute | Link) -> Schema:
    """Return the schema with a member added to a type and to its pairs."""
    types = []
    for record in schema.types:
        if record.name == type_name:
            types.append(_wider(record, member))
        elif _meets(schema, record.name, type_name) and member.name not in record.members:
            types.append(_wider(record, _copy(member) if isinstance(member, Link) else member))
        else:
            types.append(record)
    return Schema(tuple(types), schema.individual)


def _meets(schema: Schema, pairs: str, type_name: str) -> bool:
    met = schema.met_by(pairs)
    return met is not None and (met == type_name or _meets(schema, met, type_name))


def _wider(record: RecordType, member: Attribute | Link) -> RecordType:
    if isinstance(member, Attribute):
        return RecordType(record.name, (*record.attributes, member), record.links)
    return RecordType(record.name, record.attributes, (*record.links, member))


def _copy(link: Link) -> Link:
    """Return the copy of a link for pairs; a list becomes a set, since an element can be in only one list."""
    return replace(link, kind="set" if link.kind == "list" else link.kind, derived=True)


def _with_pairs(schema: Schema, name: str, far: str, attributes: tuple[Attribute, ...]) -> Schema:
    record = schema.type(far)
    own = (*attributes, *(replace(a, derived=True) for a in record.attributes))
    links = (Link(FAR_ROW, "one", far, derived=True), *(_copy(each) for each in record.links if each.name != FAR_ROW))
    return Schema((*schema.types, RecordType(name, own, links)), schema.individual)


def declared_shape(syntax: syn.GrammarSyntax, schema: Schema) -> Schema:
    """Return the schema with the derived links and computed attributes that a grammar declares, without checks.

    With it, predicates behind derived links can be analysed before the declarations are checked.
    """
    found = schema.given
    for item in syntax.all_computed:
        if item.type in found and item.name not in found.type(item.type).members:
            found = _with_member(found, item.type, Attribute(item.name, "real", derived=True))
    for link in (*syntax.links, *syntax.links):  # twice, because a link may lead to the pairs of a later one
        target = link.name if link.has_pairs else link.target
        if link.type not in found or link.target not in found or link.name in found.type(link.type).members:
            continue
        if link.has_pairs and target not in found:
            own = {a.name: a for a in (Attribute(each.name, "real", derived=True) for each in link.attributes)}
            names = found.type(link.target).members
            found = _with_pairs(found, target, link.target, tuple(a for name, a in own.items() if name not in names))
        found = _with_member(found, link.type, Link(link.name, link.kind, target, derived=True))
    return found


# ---- members copied to pairs ----------------------------------------------------------------------------


def _copied(syntax: syn.GrammarSyntax, schema: Schema) -> dict[str, frozenset[str]]:
    """Return the members to copy from the linked rows to each type of pairs: those that the grammar mentions.

    A derived link of the linked rows is copied only if the grammar mentions it for the pairs themselves, because the
    copy may be much larger than either link.
    """
    asked = {(name, str(member)): member for name, member in _asked(syntax, schema)}
    found: dict[str, frozenset[str]] = {}
    for record in schema.types:
        if schema.met_by(record.name) is None:
            continue
        found[record.name] = frozenset(
            member
            for member in record.members
            for at in _chain(record.name, schema)
            if any(_matches(member, asked_for) for (name, _), asked_for in asked.items() if name == at)
            and (at == record.name or not _is_derived_link(member, record.name, schema))
        )
    return found


def _asked(syntax: syn.GrammarSyntax, schema: Schema) -> Iterator[_Member]:
    bodies = [(each.body, each.type) for each in syntax.definitions]
    sides = [(side, b.type) for b in syntax.blocks for r in b.rewrites for side in (r.left, r.right)]
    for predicate, type_name in (*bodies, *sides):
        if type_name in schema:
            yield from asked_members(predicate, type_name, schema)
    for declared in (syntax.computed, syntax.links):
        for item in declared:  # members of the linked rows themselves need no copy
            yield from (used for used in members_used(item, schema) if schema.met_by(used[0]) is not None)
    for link in syntax.links:
        if link.order is not None:
            yield link.name, link.order.attribute


def members_used(item: Declared, schema: Schema) -> Iterator[_Member]:
    """Yield the members that a declaration uses, each with its type; the links of its path are excluded."""
    if item.type not in schema:
        return
    if isinstance(item, syn.Computed):
        yield from _values_used(item.expression, item.type, None, schema)
    elif isinstance(item, syn.Neighbourhood):
        yield item.type, item.attribute
    elif isinstance(item, syn.DerivedLink) and item.target in schema:
        yield from asked_members(item.where, item.target, schema, item.type)
        for attribute in item.attributes:
            yield from _values_used(attribute.expression, item.target, item.type, schema)
        if item.order is not None:
            own = item.order.attribute in {each.name for each in item.attributes}
            yield (item.name if own else item.target), item.order.attribute


def _values_used(value: syn.Expression, type_name: str, owner: str | None, schema: Schema) -> Iterator[_Member]:
    if isinstance(value, syn.Smarts) and (types := atom_types(schema)) is not None:
        yield from types.members
    for operand in _operands(value):
        at = owner if operand.mine else type_name
        yield from path_members(operand.path, at, schema) if at is not None else ()


def _chain(name: str, schema: Schema) -> Iterator[str]:
    """Yield a type and, while it is a type of pairs, the type of the rows that the pairs link to."""
    at: str | None = name
    while at is not None:
        yield at
        at = schema.met_by(at)


def _matches(member: str, asked_for: str) -> bool:
    return fnmatchcase(member, str(asked_for)) if isinstance(asked_for, syn.Glob) else member == asked_for


def _is_derived_link(member: str, name: str, schema: Schema) -> bool:
    """Return whether a member copied to pairs is a derived link."""
    met = schema.met_by(name)
    link = None if met is None else schema.type(met).link(member)
    return link is not None and link.derived


def _trimmed(schema: Schema, kept: Mapping[str, Collection[str]]) -> Schema:
    """Return the schema with only the given copies of members in pairs."""
    return Schema(tuple(_trim(record, kept, schema) for record in schema.types), schema.individual)


def _trim(record: RecordType, kept: Mapping[str, Collection[str]], schema: Schema) -> RecordType:
    met = schema.met_by(record.name)
    if met is None:
        return record
    copies = {*schema.type(met).members} - {FAR_ROW}
    names = kept.get(record.name, ())
    attributes = tuple(a for a in record.attributes if a.name not in copies or a.name in names)
    links = tuple(each for each in record.links if each.name not in copies or each.name in names)
    return RecordType(record.name, attributes, links)


def _with_members(step: Computation, kept: Mapping[str, Collection[str]], schema: Schema) -> Computation:
    if not isinstance(step, ComputedLink) or not step.declared.has_pairs:
        return step
    names = kept.get(step.link.target, ())
    return replace(step, members=tuple(m for m in schema.type(step.far).members if m in names))
