"""Export of tests about molecules to SMARTS, as far as SMARTS can express them.

A test becomes patterns of one atom each, with the surroundings of the atom in recursive SMARTS, and the number of
atoms that must match. Tests joined by `and`, `or` and `not` become alternatives, each a list of patterns. Tests with
no exact equivalent are not exported: descriptors, partial charges, conjugation, R and S, E and Z, and whole rings,
since a cycle in a pattern need not be a smallest ring. Charges, hybridisation and ring sizes use RDKit's extensions
of SMARTS (``+{1-}``, ``^2``, ``k6``).

Law (``tests/export/test_smarts.py``): in RDKit, the patterns match exactly the molecules that satisfy the test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations_with_replacement, product
from math import ceil, floor, inf, prod
from typing import Any, Literal, TypeVar

from structtree.data.schema import Schema
from structtree.errors import UsageError
from structtree.lang import syntax as syn
from structtree.lang.pretty import pretty
from structtree.models.model import fitted
from structtree.models.rule_set import RuleSetPredictor
from structtree.models.tree import Branch
from structtree.reprs import inert
from structtree.space.terms import conjuncts

__all__ = ["SmartsPattern", "SmartsTest", "export_smarts", "to_smarts"]

_T = TypeVar("_T")

MOST_ALTERNATIVES = 24
"""Maximum number of alternatives; tests that need more are not exported."""

RDKIT_CALLS: Mapping[str, str] = {
    "logp": "Crippen.MolLogP(mol)",
    "tpsa": "Descriptors.TPSA(mol)",
    "weight": "Descriptors.MolWt(mol)",
    "refractivity": "Crippen.MolMR(mol)",
    "donors": "rdMolDescriptors.CalcNumHBD(mol)",
    "acceptors": "rdMolDescriptors.CalcNumHBA(mol)",
    "rotatable": "rdMolDescriptors.CalcNumRotatableBonds(mol)",
    "charge": "Chem.GetFormalCharge(mol)",
    "sp3": "rdMolDescriptors.CalcFractionCSP3(mol)",
}
"""Descriptors of molecules in RDKit, with the modules of ``rdkit.Chem``."""


@dataclass(frozen=True, slots=True)
class SmartsPattern:
    """SMARTS pattern, with the minimum or maximum number of its matches in a molecule."""

    smarts: str
    op: Literal[">=", "<="] = ">="
    n: int = 1

    @property
    def negated(self) -> SmartsPattern:
        """The negation: a pattern that matches exactly all other molecules."""
        if self.op == ">=":
            return SmartsPattern(self.smarts, "<=", self.n - 1)
        return SmartsPattern(self.smarts, ">=", self.n + 1)


@dataclass(frozen=True, slots=True)
class SmartsTest:
    """Test in SMARTS: true if all patterns of at least one alternative match.

    Parameters
    ----------
    alternatives : tuple of tuples of SmartsPattern
    problem : str
        Why SMARTS cannot express the test; otherwise empty.
    """

    alternatives: tuple[tuple[SmartsPattern, ...], ...]
    problem: str = ""


def to_smarts(test: syn.Predicate) -> SmartsTest:
    """Translate a test about molecules to SMARTS.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> to_smarts(parse_predicate("count atoms (element = N and exists bonds (order = double)) >= 2"))
    SmartsTest(alternatives=((SmartsPattern(smarts='[#7;$(*=*)]', op='>=', n=2),),), problem='')
    >>> to_smarts(parse_predicate("logp >= 2")).problem
    'logp describes the whole molecule, but SMARTS only atoms and bonds; in RDKit: Crippen.MolLogP(mol)'
    """
    try:
        return SmartsTest(_molecule(test))
    except _NotInSmartsError as problem:
        return SmartsTest((), str(problem))


def export_smarts(model: Any) -> str:
    """Translate the tests of a tree or a rule set about molecules to SMARTS, as tab-separated lines.

    Parameters
    ----------
    model : Model, fitted estimator or Tree
    """
    known = fitted(model).model
    if not _is_of_molecules(known.schema):
        raise UsageError(
            f"SMARTS needs molecules that RDKit has read; the individuals of this model are {known.schema.individual}"
        )
    lines = [
        "# A molecule satisfies a test if all patterns of one alternative have the given number of matches,",
        "# in RDKit: len(mol.GetSubstructMatches(Chem.MolFromSmarts(smarts))).",
        *_preparation(known.reading.options),
        "node\ttest\talternative\tmatches\tsmarts\tproblem",
    ]
    if isinstance(known.predictor, RuleSetPredictor):
        for place, test in enumerate(known.predictor.tests):
            lines += _lines(place, pretty(test), to_smarts(test))
        return "\n".join(lines) + "\n"
    tree = known.tree
    for node in tree.branches:
        branch = tree.nodes[node]
        if isinstance(branch, Branch):
            lines += _lines(node, pretty(branch.test), to_smarts(branch.test))
        else:
            lines += _lines(node, "", SmartsTest((), "the branches are values of an attribute of the whole molecule"))
    return "\n".join(lines) + "\n"


def _lines(node: int, test: str, found: SmartsTest) -> Iterable[str]:
    if found.problem:
        yield "\t".join([str(node), inert(test), "", "", "", inert(found.problem)])
    for number, patterns in enumerate(found.alternatives, 1):
        for pattern in patterns or (SmartsPattern("*", ">=", 0),):
            yield "\t".join([str(node), inert(test), str(number), f"{pattern.op} {pattern.n}", pattern.smarts, ""])


def _preparation(options: Mapping[str, Any]) -> Iterable[str]:
    """Yield the preprocessing steps that the reading options require."""
    if options.get("largest_fragment"):
        yield "# First keep only the largest fragment of each molecule (rdMolStandardize.LargestFragmentChooser)."
    if options.get("neutralise"):
        yield "# First neutralise each molecule (rdMolStandardize.Uncharger)."
    if options.get("hydrogens") == "explicit":
        yield "# First add the hydrogens of each molecule as atoms (Chem.AddHs)."


def _is_of_molecules(schema: Schema) -> bool:
    wanted = {"element", "charge", "aromatic", "degree", "hydrogens", "hybridisation", "in_ring", "bonds"}
    has_atoms = "Atom" in schema and wanted <= set(schema.type("Atom").members)
    return schema.individual == "Molecule" and has_atoms and "Ring" in schema


class _NotInSmartsError(Exception):
    """Raised for a test that cannot be expressed in SMARTS."""


# ---- expressions in brackets ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Expression:
    """Condition on one atom: a primitive, a conjunction or a disjunction.

    In SMARTS, ``&`` binds more tightly than ``,``, which binds more tightly than ``;``. Deeper nesting needs
    recursive SMARTS.
    """

    kind: Literal["primitive", "and", "or"]
    text: str = ""
    parts: tuple[_Expression, ...] = ()

    @property
    def inside(self) -> str:
        """The text of the expression, without brackets."""
        if self.kind == "and":
            return ";".join(part.inside for part in self.parts)
        return ",".join(map(_tight, self.parts)) if self.kind == "or" else self.text

    @property
    def atom(self) -> str:
        """The text of the expression as an atom of a pattern, in brackets."""
        if self == _ANY:
            return "*"
        text = self.inside
        return f"[*;{text}]" if text.startswith("H") else f"[{text}]"  # [H] would be a hydrogen atom


def _tight(part: _Expression) -> str:
    """Return an expression as an operand of a disjunction."""
    if part.kind == "and" and all(each.kind == "primitive" for each in part.parts):
        return "&".join(each.text for each in part.parts)
    return part.text if part.kind == "primitive" else f"$({part.atom})"


def _is(text: str) -> _Expression:
    return _Expression("primitive", text)


_ANY = _is("*")


def _joined(kind: Literal["and", "or"], parts: Iterable[_Expression]) -> _Expression:
    flat = [each for part in parts for each in (part.parts if part.kind == kind else (part,))]
    known = list(dict.fromkeys(flat))
    if kind == "and":
        known = [part for part in known if part != _ANY]
    elif _ANY in known:
        return _ANY
    if not known:
        return _ANY
    return known[0] if len(known) == 1 else _Expression(kind, parts=tuple(known))


def _not(part: _Expression) -> _Expression:
    if part.kind != "primitive":
        return _is(f"!$({part.atom})")
    return _is(part.text[1:] if part.text.startswith("!") else f"!{part.text}")


# ---- atoms ----------------------------------------------------------------------------------------------

_HYBRIDS = {"s": "^0", "sp": "^1", "sp2": "^2", "sp3": "^3", "sp3d": "^4", "sp3d2": "^5"}
_WHY_NOT = {
    "partial_charge": "partial charges are computed, so SMARTS has no notation for them",
    "chirality": "SMARTS describes the order of neighbours, not R and S",
    "conjugated": "SMARTS has no notation for conjugated bonds",
    "stereo": "SMARTS describes the directions of bonds, not E and Z",
}


def _unknown(name: str) -> _NotInSmartsError:
    return _NotInSmartsError(_WHY_NOT.get(name, f"SMARTS has no notation for {name}"))


def _atom(test: syn.Predicate) -> _Expression:
    """Translate a condition on an atom."""
    match test:
        case syn.Top():
            return _ANY
        case syn.Named(_, body) if body is not None:
            return _atom(body)
        case syn.And(parts):
            return _joined("and", map(_atom, parts))
        case syn.Or(parts):
            return _joined("or", map(_atom, parts))
        case syn.Not(inner):
            return _not(_atom(inner))
        case syn.Flag("aromatic" | "in_ring" as name, positive):
            primitive = _is("a" if name == "aromatic" else "R")
            return primitive if positive else _not(primitive)
        case syn.Flag(syn.SmartsName() as name, positive):
            primitive = _is(f"$({name.pattern})")
            return primitive if positive else _not(primitive)
        case syn.Compare("element", "=" | "!=" as op, str() as symbol):
            return _element(symbol) if op == "=" else _not(_element(symbol))
        case syn.Among("element", values, None):
            return _joined("or", (_element(str(value)) for value in values))
        case syn.Compare("hybridisation", "=", str() as name):
            return _hybrid(name)
        case syn.Among("hybridisation", values, None):
            return _joined("or", (_hybrid(str(value)) for value in values))
        case syn.Compare(name, op, int() | float()) if name in _COUNTED:
            found = _COUNTED[name](*_range(test))
            return _not(found) if op == "!=" else found
        case syn.Among(name, values, None) if name in _COUNTED:
            numbers = [value for value in values if not isinstance(value, str)]
            return _joined("or", (_COUNTED[name](number, number) for number in numbers))
        case syn.Within(name, source=None) if name in _COUNTED:
            return _COUNTED[name](*_range(test))
        case syn.Missing("element" | "aromatic" | "in_ring" | "degree" | "hydrogens" | "charge"):
            return _not(_ANY)
        case syn.Exists("bonds", inner):
            return _neighbours([_bond(inner)])
        case syn.Count("bonds", inner, op, int() as n):
            several = _neighbours([_bond(inner)] * (n if op == ">=" else n + 1))
            return several if op == ">=" else _not(several)
        case syn.No("bonds", inner):
            return _not(_neighbours([_bond(inner)]))
        case syn.All("bonds", inner):
            return _not(_neighbours([_bond(inner, positive=False)]))
        case syn.Distinct("bonds", inners):
            return _neighbours([_bond(inner) for inner in inners])
        case _:
            raise _unknown(_name_in(test))


def _name_in(test: syn.Predicate) -> str:
    """Return the name of the feature that a test refers to, for an error message."""
    for member in ("attribute", "link", "member"):
        if isinstance(name := getattr(test, member, None), str):
            return name
    return f"'{pretty(test)}'"


def _range(test: syn.Compare | syn.Within) -> tuple[float, float]:
    """Return the range of a numeric test; for ``!=``, the range that it excludes."""
    match test:
        case syn.Compare(_, op, int() | float() as number):
            return number if op != "<=" else -inf, number if op != ">=" else inf
        case syn.Within(_, low, high, closed):
            return low, high if closed or not float(high).is_integer() else high - 1
        case _:
            raise _unknown(_name_in(test))


def _element(symbol: str) -> _Expression:
    from rdkit.Chem import GetPeriodicTable

    try:
        return _is("#0" if symbol == "*" else f"#{GetPeriodicTable().GetAtomicNumber(symbol)}")
    except RuntimeError:
        raise _NotInSmartsError(f"{symbol} is not an element") from None


def _hybrid(name: str) -> _Expression:
    if name not in _HYBRIDS:
        raise _NotInSmartsError(f"SMARTS has no notation for the hybridisation {name}")
    return _is(_HYBRIDS[name])


def _counted(letter: str) -> Callable[[float, float], _Expression]:
    """Return a function that expresses a range of counts of neighbours or hydrogens."""

    def between(low: float, high: float) -> _Expression:
        least, most = max(0, ceil(low) if low > -inf else 0), floor(high) if high < inf else None
        if most is not None:
            numbers = range(least, most + 1)
            return _joined("or", (_is(f"{letter}{n}") for n in numbers)) if numbers else _not(_ANY)
        return _joined("and", (_is(f"!{letter}{n}") for n in range(least)))

    return between


def _charge(low: float, high: float) -> _Expression:
    """Return the primitive for a range of formal charges: ``+{2-}`` for at least 2, ``-{2-}`` for at most -2."""
    parts = []
    if low > -inf:
        least = ceil(low)
        parts.append(_is(f"+{{{least}-}}" if least >= 1 else f"!-{{{1 - least}-}}"))
    if high < inf:
        most = floor(high)
        parts.append(_is(f"-{{{-most}-}}" if most <= -1 else f"!+{{{most + 1}-}}"))
    return _joined("and", parts)


_COUNTED = {"degree": _counted("D"), "hydrogens": _counted("H"), "charge": _charge}


# ---- bonds ----------------------------------------------------------------------------------------------

_ORDERS = {"single": "-", "double": "=", "triple": "#", "aromatic": ":"}


@dataclass(frozen=True, slots=True)
class _Neighbour:
    """Bond (a conjunction of primitives) and the atom at its other end."""

    bond: tuple[str, ...]
    to: _Expression

    @property
    def text(self) -> str:
        return ("&".join(dict.fromkeys(self.bond)) or "~") + self.to.atom


def _bond(test: syn.Predicate, *, positive: bool = True) -> tuple[_Neighbour, ...]:
    """Translate a condition on a bond, or its negation, to alternatives."""
    return _alternatives(test, positive, _bond_literal, _both)


def _bond_literal(test: syn.Predicate, positive: bool) -> tuple[_Neighbour, ...]:
    match test:
        case syn.Flag("in_ring", true):
            return (_Neighbour(("@" if true == positive else "!@",), _ANY),)
        case syn.Compare("order", "=", str() as order):
            return (_Neighbour((f"{'' if positive else '!'}{_order(order)}",), _ANY),)
        case syn.Among("order", values, None):
            orders = [_order(str(value)) for value in values]
            if positive:
                return tuple(_Neighbour((order,), _ANY) for order in orders)
            return (_Neighbour(tuple(f"!{order}" for order in orders), _ANY),)
        case syn.Follow("to", inner):
            return (_Neighbour((), _atom(inner) if positive else _not(_atom(inner))),)
        case _:
            raise _unknown(_name_in(test))


def _order(name: str) -> str:
    if name not in _ORDERS:
        raise _NotInSmartsError(f"SMARTS has no symbol for a {name} bond")
    return _ORDERS[name]


def _both(neighbours: Sequence[_Neighbour]) -> _Neighbour:
    bonds = tuple(primitive for each in neighbours for primitive in each.bond)
    return _Neighbour(bonds, _joined("and", (each.to for each in neighbours)))


def _alternatives(
    test: syn.Predicate,
    positive: bool,
    literal: Callable[[syn.Predicate, bool], tuple[_T, ...]],
    join: Callable[[Sequence[_T]], _T],
) -> tuple[_T, ...]:
    """Translate a test, or its negation, to disjunctive normal form.

    Parameters
    ----------
    test : Predicate
    positive : bool
    literal : function
        Returns the alternatives of a literal or its negation.
    join : function
        Returns the conjunction of alternatives.
    """
    match test:
        case syn.Top():
            return (join(()),) if positive else ()
        case syn.Named(_, body) if body is not None:
            return _alternatives(body, positive, literal, join)
        case syn.Not(inner):
            return _alternatives(inner, not positive, literal, join)
        case syn.And(parts) | syn.Or(parts):
            each = [_alternatives(part, positive, literal, join) for part in parts]
            if isinstance(test, syn.And) != positive:
                return tuple(dict.fromkeys(one for alternatives in each for one in alternatives))
            return tuple(map(join, _few(each)))
        case _:
            return literal(test, positive)


def _few(each: Sequence[Sequence[_T]]) -> list[tuple[_T, ...]]:
    """Return the product of alternatives; raise an error if it is too large."""
    n = prod(map(len, each))
    if n > MOST_ALTERNATIVES:
        raise _NotInSmartsError(f"the pattern needs {n:,} alternatives")
    return list(product(*each))


def _neighbours(wanted: Sequence[tuple[_Neighbour, ...]]) -> _Expression:
    """Return the condition that an atom has a different neighbour for each of the given conditions."""
    if not wanted:
        return _ANY
    if len(set(wanted)) == 1 and len(wanted[0]) > 1:
        ways = list(combinations_with_replacement(wanted[0], len(wanted)))
        if len(ways) > MOST_ALTERNATIVES:
            raise _NotInSmartsError(f"the pattern needs {len(ways):,} alternatives")
    else:
        ways = _few(wanted)
    around = ["".join(f"({each.text})" for each in way[:-1]) + way[-1].text for way in ways]
    return _joined("or", (_is(f"$(*{text})") for text in around)) if around else _not(_ANY)


# ---- rings ----------------------------------------------------------------------------------------------


def _ring(test: syn.Predicate) -> _Expression:
    """Translate a condition on a ring, which may limit its size and require one atom."""
    low, high, atoms = -inf, inf, []
    for part in conjuncts(test):
        match part:
            case syn.Top():
                pass
            case syn.Compare("size", "=" | ">=" | "<=", int() | float()) | syn.Within("size", source=None):
                least, most = _range(part)
                low, high = max(low, least), min(high, most)
            case syn.Exists("atoms", inner):
                atoms.append(_atom(inner))
            case syn.Compare("hetero", ">=", 1):
                atoms.append(_not(_is("#6")))
            case _:
                raise _NotInSmartsError("SMARTS can express only the size of a ring and one of its atoms")
    if len(atoms) > 1:
        raise _NotInSmartsError("SMARTS cannot express that two atoms are in the same smallest ring")
    return _joined("and", [_ring_size(max(3, ceil(max(low, 0.0))), floor(high) if high < inf else None), *atoms])


def _ring_size(least: int, most: int | None) -> _Expression:
    """Return the condition that an atom is in a ring of a size; no ring has fewer than three atoms."""
    if most is not None and most < least:
        return _not(_ANY)
    if least == 3 and most is None:
        return _is("R")
    return _is(f"k{least}" if least == most else f"k{{{least}-{'' if most is None else most}}}")


# ---- molecules ------------------------------------------------------------------------------------------


def _molecule(test: syn.Predicate) -> tuple[tuple[SmartsPattern, ...], ...]:
    """Translate a condition on a molecule to alternatives."""
    return _alternatives(test, True, _molecule_literal, lambda found: tuple(chain.from_iterable(found)))


def _molecule_literal(test: syn.Predicate, positive: bool) -> tuple[tuple[SmartsPattern, ...], ...]:
    pattern = _pattern(test)
    return ((pattern if positive else pattern.negated,),)


def _pattern(test: syn.Predicate) -> SmartsPattern:
    match test:
        case syn.Exists("atoms", inner):
            return SmartsPattern(_atom(inner).atom)
        case syn.Count("atoms", inner, op, int() as n):
            return SmartsPattern(_atom(inner).atom, op, n)
        case syn.No("atoms", inner):
            return SmartsPattern(_atom(inner).atom, "<=", 0)
        case syn.All("atoms", inner):
            return SmartsPattern(_not(_atom(inner)).atom, "<=", 0)
        case syn.Distinct("atoms", inners):
            return SmartsPattern(".".join(_atom(inner).atom for inner in inners))
        case syn.Exists("rings", inner) | syn.Count("rings", inner, ">=", 1):
            return SmartsPattern(_ring(inner).atom)
        case syn.No("rings", inner) | syn.Count("rings", inner, "<=", 0):
            return SmartsPattern(_ring(inner).atom, "<=", 0)
        case syn.Count("rings") | syn.All("rings") | syn.Distinct("rings"):
            raise _NotInSmartsError("SMARTS can count atoms that match, but not rings")
        case _:
            name = _name_in(test)
            call = f"; in RDKit: {RDKIT_CALLS[name]}" if name in RDKIT_CALLS else ""
            raise _NotInSmartsError(f"{name} describes the whole molecule, but SMARTS only atoms and bonds{call}")
