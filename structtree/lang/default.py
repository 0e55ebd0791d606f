"""The default grammar of commands and estimators.

A built-in dataset may have its own grammar. Data in a known form, such as molecules or labelled graphs, gets the
shipped grammar for that form. For other data, a grammar is derived.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from structtree.data.population import Population
from structtree.data.profile import Member, Profile, profile
from structtree.data.provenance import FactReading
from structtree.data.readers.graphs.reading import is_of_graphs
from structtree.data.readers.individuals import population_of
from structtree.data.readers.molecules.descriptors import DESCRIBED
from structtree.data.readers.molecules.patterns import atom_types
from structtree.data.schema import NUMERIC, Attribute, RecordType, Schema
from structtree.errors import GrammarError
from structtree.lang import syntax as syn
from structtree.lang.check import CheckedGrammar
from structtree.lang.grammar import Grammar, members_text
from structtree.lang.pretty import pretty_grammar, pretty_name, pretty_rewrite
from structtree.lang.rewrites import CheckedRewrite

__all__ = ["default_grammar", "grammar_of_facts"]

GENERAL = ("molecules", "atoms-and-bonds", "graphs")
"""The shipped grammars that fit any data in a certain form, the most specific first.

Except multi-instance, whose bins lose thresholds: its accuracy on Musk-1 (5 folds) is 0.69, with a derived grammar
0.76.
"""


def default_grammar(
    individuals: Any, own: str | None = None, known: Profile | None = None, *, for_forest: bool = False
) -> Grammar:
    """Return the default grammar for individuals.

    A shipped grammar fits if the data has all of its names, if it tests every type and every attribute except
    identifiers, and if the linked rows do not have too many thresholds. Tests of further attributes of the
    individuals, such as the columns of a file of molecules, are added to it. If no grammar fits, one is derived from
    the data; see `Grammar.from_population`.

    Parameters
    ----------
    individuals : Population, or individuals in another form (see `structtree.data.readers.individuals`)
        The training data, without its target.
    own : str, optional
        The shipped grammar of a built-in dataset.
    known : Profile, optional
        The profile of the population, if it is already known.
    for_forest : bool
        Whether to add tests of the neighbourhoods of the nodes of graphs, which are too many for a readable tree.

    Examples
    --------
    >>> import networkx as nx
    >>> graphs = Population.from_graphs([nx.path_graph(3), nx.cycle_graph(3)])
    >>> default_grammar(graphs).origin
    'graphs (shipped, fits this data)'
    >>> default_grammar(Population.from_records([{"x": 1}, {"x": 2}])).origin
    'derived from the data'
    """
    population = population_of(individuals)
    if own is not None:
        return _commented(Grammar.load(own), "is made for this data")
    known = known or profile(population)
    if for_forest:
        return _with_neighbourhoods(default_grammar(population, known=known), population, known)
    for name in GENERAL if len(population.schema.types) > 1 else ():
        fitted = _fitted(Grammar.load(name), population, known)
        if fitted is not None:
            return _commented(fitted, "fits this data")
    return Grammar.from_population(population, known)


AROUND = (1, 2)
"""Depths of the neighbourhoods that forests test."""


def _with_neighbourhoods(grammar: Grammar, population: Population, known: Profile) -> Grammar:
    """Return the grammar with tests of the neighbourhoods of nodes, for graphs with labelled nodes."""
    schema = population.schema
    node = schema.type("Node") if is_of_graphs(population) else None
    if node is None or "edges" not in node.members or "to" not in schema.type("Edge").members:
        return grammar
    columns = population.table("Node").columns
    labels = [
        a.name
        for a in node.attributes
        if a.kind == "nominal"
        and Member("Node", a.name) not in known.identifiers
        and 1 < len(columns[a.name].categories) <= MOST_LABELS
    ]
    if not labels:
        return grammar
    made = [(label, depth, pretty_name(f"{label}_around{depth}")) for label in labels for depth in AROUND]
    declared = [f"attribute {name}: Node = neighbourhood(edges.to, {pretty_name(a)}, {d})" for a, d, name in made]
    tests = [f"    top -> {name} = *" for _, _, name in made]
    lines = ["# The labels around each node, for forests.", *declared, "refine Node {", *tests, "}"]
    found = Grammar.parse("\n".join([grammar.text.rstrip(), "", *lines, ""]), grammar.source)
    return replace(found, origin=f"{grammar.origin}, with neighbourhoods", notes=grammar.notes)


MOST_LABELS = 1_000
"""Maximum number of labels whose neighbourhoods are tested."""


def grammar_of_facts(population: Population, facts: FactReading) -> Grammar:
    """Return a grammar that declares the signatures of facts and contains only tests that their modes allow.

    Examples
    --------
    >>> modes = ":- modeb(*, has_car(+train, -car)). :- modeb(1, long(+car))."
    >>> facts = " wheels(c1, 2). has_car(t1, c1). has_car(t2, c2). long(c1)."
    >>> trains = Population.from_facts(modes + facts, positives="east(t1).", negatives="east(t2).")
    >>> grammar = grammar_of_facts(trains, trains.provenance.facts)
    >>> grammar.facts[1], "wheels >= *" in grammar.text, "top -> long" in grammar.text
    ('has_car(Train key, Car)', False, True)
    """
    hidden = frozenset(facts.hidden)
    types = []
    for record in population.schema.types:
        attributes = tuple(a for a in record.attributes if (record.name, a.name) not in hidden)
        links = tuple(link for link in record.links if (record.name, link.name) not in hidden)
        types.append(RecordType(record.name, attributes, links))
    schema = Schema(tuple(types), population.schema.individual)
    derived = Grammar.from_population(population.restricted(schema))
    declared = "\n".join(f"fact {signature}" for signature in facts.signatures)
    head, _, rest = derived.text.partition("\n\n")
    return replace(Grammar.parse(f"{head}\n\n{declared}\n\n{rest}"), origin="derived from the modes of the facts")


def _commented(grammar: Grammar, why: str) -> Grammar:
    """Return a shipped grammar with a comment that explains why it was chosen."""
    text = f"# The grammar {grammar.name} is shipped with structtree and {why}.\n{grammar.text}"
    origin = f"{grammar.name} (shipped, {why.removeprefix('is ')})"
    return replace(Grammar.parse(text, grammar.source), origin=origin, notes=grammar.notes)


def _fitted(grammar: Grammar, population: Population, known: Profile) -> Grammar | None:
    """Return a shipped grammar adapted to the data, or None if the grammar does not fit the data."""
    schema = population.schema
    grammar = _without_absent(grammar, schema)
    try:
        checked = grammar.check(schema)
    except GrammarError:
        return None
    untested = {record.name: _untested(checked, record.name, population, known) for record in schema.types}
    parts = [name for name in schema.names if name != schema.individual]
    if checked.warnings or not all(checked.rewrites.get(name) for name in schema.names):
        return None
    if any(untested[name] for name in parts) or _compared_at(checked, parts, syn.Star) & known.many_valued:
        return None
    fitted = _with_attributes(_without(grammar, checked, known), untested[schema.individual])
    return replace(fitted, notes=(*grammar.notes, *_notes(checked, known)))


def _without_absent(grammar: Grammar, schema: Schema) -> Grammar:
    """Return the grammar without tests of descriptors that the data lacks, such as the target ``logp``."""
    if atom_types(schema) is None:
        return grammar
    less = grammar.omitting(dict.fromkeys(DESCRIBED, "not in the data"), schema)
    if less is grammar:
        return grammar
    return replace(less, text=pretty_grammar(less.syntax))


_LEFT_TO_DEEP: Mapping[str, frozenset[str]] = {
    "molecule": frozenset({"weight", "refractivity", "donors", "acceptors", "charge", "sp3"}),
    "atom": frozenset({"partial_charge", "chirality"}),
    "bond": frozenset({"conjugated", "stereo"}),
    "ring": frozenset({"aromatic"}),
}
"""Attributes that the grammar `molecules` leaves to `molecules-deep`.

Chemists name and count groups instead, and SMARTS has no notation for these. ``benchmarks/molecules.py`` measures the
accuracy without them.
"""


def _left_to_deep(schema: Schema, name: str) -> frozenset[str]:
    """Return the attributes of a type that the grammar `molecules` does not test; none if RDKit has not read it."""
    types = atom_types(schema)
    if types is None:
        return frozenset()
    rings = schema.type(types.molecule).link("rings")
    roles = types._asdict() | {"ring": None if rings is None else rings.target}
    return frozenset().union(*(_LEFT_TO_DEEP[role] for role, own in roles.items() if own == name))


def _untested(checked: CheckedGrammar, name: str, population: Population, known: Profile) -> tuple[Attribute, ...]:
    """Return the informative attributes of a type that a grammar does not test."""
    tested = {getattr(rewrite.right, "attribute", None) for rewrite in checked.rewrites.get(name, ())}
    tested |= _left_to_deep(population.schema, name)
    columns = population.table(name).columns
    return tuple(
        attribute
        for attribute in population.schema.type(name).attributes
        if attribute.name not in tested
        and Member(name, attribute.name) not in known.identifiers
        and (attribute.kind != "nominal" or len(columns[attribute.name].categories) > 1)
    )


def _compared_at(
    checked: CheckedGrammar, types: list[str], source: type[syn.Star | syn.Quantiles]
) -> frozenset[Member]:
    """Return the attributes that a grammar compares with thresholds from a value source."""
    return frozenset(
        Member(name, right.attribute)
        for name in types
        for right in (rewrite.right for rewrite in checked.rewrites.get(name, ()))
        if isinstance(right, syn.Compare) and right.op in (">=", "<=") and isinstance(right.value, source)
    )


def _notes(checked: CheckedGrammar, known: Profile) -> Iterator[str]:
    if known.identifiers:
        yield f"skipped: {members_text(checked.schema, known.identifiers)} (unique per row)"
    names = list(checked.rewrites)
    coarse = _compared_at(checked, names, syn.Quantiles) - _compared_at(checked, names, syn.Star)
    if coarse:
        yield f"tested at quantiles instead of every threshold: {members_text(checked.schema, coarse)}"


def _without(grammar: Grammar, checked: CheckedGrammar, known: Profile) -> Grammar:
    """Return the grammar with each glob that matches identifiers replaced by the other attributes that it matches."""
    by_place: dict[syn.Location, list[CheckedRewrite]] = {}
    for rewrite in (rewrite for rewrites in checked.rewrites.values() for rewrite in rewrites):
        if rewrite.place is not None:
            by_place.setdefault(rewrite.place, []).append(rewrite)
    kept = {
        place: [r for r in rewrites if Member(r.type, getattr(r.right, "attribute", "")) not in known.identifiers]
        for place, rewrites in by_place.items()
    }
    changed = {place: rewrites for place, rewrites in kept.items() if len(rewrites) < len(by_place[place])}
    return Grammar.parse(_with_rewrites(grammar.text, changed), grammar.source) if changed else grammar


def _with_rewrites(text: str, changed: Mapping[syn.Location, list[CheckedRewrite]]) -> str:
    """Return the text with the rewrites at some locations replaced."""
    lines = text.splitlines()
    # Last location first, so that the earlier ones stay valid.
    for place in sorted(changed, key=lambda place: (place.line, place.column), reverse=True):
        lines[place.line - 1] = _with_others(lines[place.line - 1], place.column - 1, changed[place])
    return "\n".join(lines) + "\n"


def _with_others(line: str, arrow: int, rewrites: list[CheckedRewrite]) -> str:
    """Return a line of a grammar with one rewrite replaced by others, one per line."""
    indent = " " * (len(line) - len(line.lstrip()))
    before = line[: line.rfind(";", 0, arrow) + 1]
    after = re.sub(r"^[^;#]*", "", line[arrow:])
    others = f"\n{indent}".join(
        pretty_rewrite(syn.Rewrite(rewrite.left, rewrite.right, cost=rewrite.cost)) for rewrite in rewrites
    )
    return f"{f'{before} ' if before else indent}{others}{'  ' if after.startswith('#') else ''}{after}"


def _with_attributes(grammar: Grammar, attributes: tuple[Attribute, ...]) -> Grammar:
    """Return the grammar with additional tests of attributes of the individuals."""
    if not attributes:
        return grammar
    tests = {"nominal": " = *", "bool": "", **dict.fromkeys(NUMERIC, " >= *")}
    lines = "".join(f"    top -> {pretty_name(a.name)}{tests[a.kind]}\n" for a in attributes)
    text = f"{grammar.text.rstrip()}\n\n# Further attributes of this data.\nrefine Individual {{\n{lines}}}\n"
    return Grammar.parse(text, grammar.source)
