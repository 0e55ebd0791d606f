"""Populations from files of Prolog facts, built without inference."""

from __future__ import annotations

import re
from collections import defaultdict

from structtree import Attribute, Link, Population, RecordType, Schema
from structtree.data.population import Adjacency, Table, column_of


def read_facts(path):
    """Return the arguments of all facts by predicate, as strings; nested lists are flattened."""
    found = defaultdict(list)
    for name, arguments in re.findall(r"^(\w+)\((.*)\)\.$", path.read_text(), re.MULTILINE):
        plain, _, listed = arguments.partition(",[")
        found[name].append([*plain.split(","), *([re.findall(r"\w+", listed)] if listed else [])])
    return dict(found)


def table(columns, links):
    """Return a table with columns of plain values of given kinds, and lists of link targets."""
    n_rows = len(next(iter([*columns.values(), *links.values()]))[-1])
    made = {name: column_of(kind, values) for name, (kind, values) in columns.items()}
    return Table(n_rows, made, {name: _adjacency(targets) for name, (_, _, targets) in links.items()})


def population(tables, individual):
    """Return a population of columns and links; a link has a kind, a target type, and its targets."""
    types = tuple(
        RecordType(
            name,
            tuple(Attribute(a, kind) for a, (kind, _) in columns.items()),
            tuple(Link(link, kind, target) for link, (kind, target, _) in links.items()),
        )
        for name, (columns, links) in tables.items()
    )
    return Population(Schema(types, individual), {name: table(*parts) for name, parts in tables.items()})


def _adjacency(targets):
    return Adjacency.from_lengths([len(row) for row in targets], [t for row in targets for t in row])


# ---- the data sets --------------------------------------------------------------------------------------


def family(path):
    """Return Hinton's two families: persons linked to their father, son, aunt, ..., and both parents."""
    facts = read_facts(path)
    facts["parent"] = [*facts["father"], *facts["mother"]]
    names = sorted({person for pairs in facts.values() for pair in pairs for person in pair})
    row = {name: i for i, name in enumerate(names)}
    links = {}
    for relation, pairs in sorted(facts.items()):
        whom = [[] for _ in names]
        for one, other in pairs:  # father(christopher, arthur): christopher is the father of arthur
            whom[row[other]].append(row[one])
        kind = "optional" if relation in ("father", "mother", "husband", "wife") else "set"
        links[relation] = (kind, "Person", whom)
    return population({"Person": ({"name": ("nominal", names)}, links)}, "Person")


def mutagenesis(folder, molecules):
    """Return molecules with atoms, bonds (in both directions) and groups, and missing values for unknown ones."""

    def chosen(path, name):
        return [arguments for arguments in read_facts(folder / path).get(name, ()) if arguments[0] in number]

    number = {molecule: i for i, molecule in enumerate(molecules)}
    atoms, bonds = chosen("atom_bond.pl", "atm"), chosen("atom_bond.pl", "bond")
    row = {name: i for i, (_, name, *_) in enumerate(atoms)}
    arcs = [(row[a], row[b], order) for _, one, two, order in bonds for a, b in ((one, two), (two, one))]
    groups = [
        (number[molecule], kind, sorted({row[atom] for atom in members}))
        for kind in read_facts(folder / "ring_struc.pl")
        for molecule, members in chosen("ring_struc.pl", kind)
    ]
    known = {name: dict(chosen(f"{name}.pl", name)) for name in ("logp", "lumo", "ind1", "inda")}
    columns = {
        "Molecule": {
            name: ("real", [float(found[m]) if m in found else None for m in molecules])
            for name, found in known.items()
        },
        "Atom": {
            "element": ("nominal", [element for _, _, element, _, _ in atoms]),
            "type": ("int", [int(kind) for _, _, _, kind, _ in atoms]),
            "charge": ("real", [float(charge) for *_, charge in atoms]),
        },
        "Bond": {"order": ("nominal", [order for _, _, order in arcs])},
        "Group": {"kind": ("nominal", [kind for _, kind, _ in groups])},
    }
    links = {
        "Molecule": {
            "atoms": ("set", "Atom", _grouped([number[m] for m, *_ in atoms], len(number))),
            "groups": ("set", "Group", _grouped([m for m, _, _ in groups], len(number))),
        },
        "Atom": {"bonds": ("set", "Bond", _grouped([one for one, _, _ in arcs], len(atoms)))},
        "Bond": {"to": ("one", "Atom", [[other] for _, other, _ in arcs])},
        "Group": {"members": ("set", "Atom", [members for _, _, members in groups])},
    }
    return population({name: (columns[name], links[name]) for name in columns}, "Molecule")


def _grouped(owners, n_owners):
    """Return the rows of each owner."""
    found = [[] for _ in range(n_owners)]
    for row, owner in enumerate(owners):
        found[owner].append(row)
    return found
