"""Tests about molecules as SMARTS, where SMARTS can say them.

A test becomes patterns of one atom each, with what is around the atom in recursive SMARTS, and how many atoms of the
molecule must match; `and`, `or` and `not` between such patterns are alternatives, each a list of patterns. What
cannot be said exactly is not said: descriptors, partial charges, conjugation, R and S, E and Z, and whole rings,
since a cycle of a pattern need not be one of the smallest rings. Charges, hybridisation and sizes of rings are
written as RDKit extends SMARTS (``+{1-}``, ``^2``, ``k6``).

The law (``tests/export/test_smarts.py``): patterns hold of the same molecules as the test, for RDKit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from math import ceil, floor, inf
from typing import Any, Literal

from structtree.data.schema import Schema
from structtree.errors import UsageError
from structtree.lang import syntax as syn
from structtree.lang.pretty import pretty
from structtree.models.model import fitted
from structtree.models.tree import Branch
from structtree.reprs import inert
from structtree.space.terms import conjuncts

__all__ = ["SmartsPattern", "SmartsTest", "export_smarts", "to_smarts"]

MOST_ALTERNATIVES = 24
"""A test with more alternatives is not written."""


@dataclass(frozen=True, slots=True)
class SmartsPattern:
    """A SMARTS, and how many matches of it a molecule must have, or may have."""

    smarts: str
    op: Literal[">=", "<="] = ">="
    n: int = 1

    @property
    def negated(self) -> SmartsPattern:
        """The pattern of all other molecules."""
        if self.op == ">=":
            return SmartsPattern(self.smarts, "<=", self.n - 1)
        return SmartsPattern(self.smarts, ">=", self.n + 1)


@dataclass(frozen=True, slots=True)
class SmartsTest:
    """A test as SMARTS: it holds where all patterns of one of the alternatives do; or why it cannot be said.

    Parameters
    ----------
    alternatives : tuple of tuples of SmartsPattern
    problem : str
        Why SMARTS cannot say it; else empty.
    """

    alternatives: tuple[tuple[SmartsPattern, ...], ...]
    problem: str = ""


def to_smarts(test: syn.Predicate) -> SmartsTest:
    """Return a test about molecules, as RDKit has read them, as SMARTS.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> to_smarts(parse_predicate("count atoms (element = N and exists bonds (order = double)) >= 2"))
    SmartsTest(alternatives=((SmartsPattern(smarts='[#7;$(*=*)]', op='>=', n=2),),), problem='')
    >>> to_smarts(parse_predicate("logp >= 2")).problem
    'logp is of the whole molecule, and SMARTS describes atoms and bonds'
    """
    try:
        return SmartsTest(_molecule(test))
    except _UnsayableError as why:
        return SmartsTest((), str(why))


def export_smarts(model: Any) -> str:
    """Return the tests of a tree about molecules as SMARTS, as lines of values with tabs between them.

    Parameters
    ----------
    model : Model, fitted estimator or Tree
    """
    known = fitted(model).model
    tree = known.tree
    if not _is_of_molecules(tree.schema):
        raise UsageError(
            f"SMARTS describe molecules that RDKit has read; this model is about {tree.schema.individual}"
        )
    lines = [
        "# A test holds of a molecule if all patterns of one of its alternatives have so many matches; RDKit counts",
        "# them: len(mol.GetSubstructMatches(Chem.MolFromSmarts(smarts))).",
        *_preparation(known.reading.options),
        "node\ttest\talternative\tmatches\tsmarts\tproblem",
    ]
    for node in tree.branches:
        branch = tree.nodes[node]
        if isinstance(branch, Branch):
            lines += _lines(node, pretty(branch.test), to_smarts(branch.test))
        else:
            lines += _lines(node, "", SmartsTest((), "the sides are values of an attribute of the whole molecule"))
    return "\n".join(lines) + "\n"


def _lines(node: int, test: str, said: SmartsTest) -> Iterable[str]:
    if said.problem:
        yield "\t".join([str(node), inert(test), "", "", "", inert(said.problem)])
    for number, patterns in enumerate(said.alternatives, 1):
        for pattern in patterns or (SmartsPattern("*", ">=", 0),):
            yield "\t".join([str(node), inert(test), str(number), f"{pattern.op} {pattern.n}", pattern.smarts, ""])


def _preparation(said: Mapping[str, Any]) -> Iterable[str]:
    """Yield what is to be done to a molecule first, if the data was read in a way of its own."""
    if said.get("largest_fragment"):
        yield "# Of each molecule, only the largest fragment (rdMolStandardize.LargestFragmentChooser)."
    if said.get("neutralise"):
        yield "# Of each molecule, the uncharged form (rdMolStandardize.Uncharger)."
    if said.get("hydrogens") == "explicit":
        yield "# Of each molecule, the form with its hydrogens as atoms (Chem.AddHs)."


def _is_of_molecules(schema: Schema) -> bool:
    wanted = {"element", "charge", "aromatic", "degree", "hydrogens", "hybridisation", "in_ring", "bonds"}
    has_atoms = "Atom" in schema and wanted <= set(schema.type("Atom").members)
    return schema.individual == "Molecule" and has_atoms and "Ring" in schema


class _UnsayableError(Exception):
    """Something that SMARTS cannot say; the message says why."""


# ---- expressions in brackets ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Expression:
    """Condition on one atom: a primitive, or others joined.

    In SMARTS ``&`` binds more tightly than ``,``, and that more than ``;``; what goes deeper is recursive SMARTS.
    """

    kind: Literal["primitive", "and", "or"]
    text: str = ""
    parts: tuple[_Expression, ...] = ()

    @property
    def inside(self) -> str:
        """The expression as it stands in brackets."""
        if self.kind == "and":
            return ";".join(part.inside for part in self.parts)
        return ",".join(map(_tight, self.parts)) if self.kind == "or" else self.text

    @property
    def atom(self) -> str:
        """The expression as an atom of a pattern."""
        if self == _ANY:
            return "*"
        text = self.inside
        return f"[*;{text}]" if text.startswith("H") else f"[{text}]"  # where [H] would be a hydrogen


def _tight(part: _Expression) -> str:
    """Return an alternative of an `or`."""
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
    "partial_charge": "partial charges are computed, and SMARTS has no word for them",
    "chirality": "SMARTS compares the order of neighbours and does not know R and S",
    "conjugated": "SMARTS has no word for conjugated bonds",
    "stereo": "SMARTS compares directions of bonds and does not know E and Z",
}


def _unknown(name: str) -> _UnsayableError:
    return _UnsayableError(_WHY_NOT.get(name, f"SMARTS has no word for {name}"))


def _atom(test: syn.Predicate) -> _Expression:
    """Return a condition on an atom."""
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
        case syn.Compare("element", "=" | "!=" as op, str() as symbol):
            return _element(symbol) if op == "=" else _not(_element(symbol))
        case syn.Among("element", values, None):
            return _joined("or", (_element(str(value)) for value in values))
        case syn.Compare("hybridisation", "=", str() as name):
            return _hybrid(name)
        case syn.Among("hybridisation", values, None):
            return _joined("or", (_hybrid(str(value)) for value in values))
        case syn.Compare(name, "!=", int() | float() as number) if name in _COUNTED:
            return _not(_COUNTED[name](number, number))
        case syn.Compare(name, op, int() | float() as number) if name in _COUNTED:
            return _COUNTED[name](number if op != "<=" else -inf, number if op != ">=" else inf)
        case syn.Among(name, values, None) if name in _COUNTED:
            numbers = [value for value in values if not isinstance(value, str)]
            return _joined("or", (_COUNTED[name](number, number) for number in numbers))
        case syn.Within(name, low, high, closed, None) if name in _COUNTED:
            return _COUNTED[name](low, high if closed or not float(high).is_integer() else high - 1)
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
    """Return what a test is about, as far as an error needs it."""
    for member in ("attribute", "link", "member"):
        if isinstance(name := getattr(test, member, None), str):
            return name
    return f"'{pretty(test)}'"


def _element(symbol: str) -> _Expression:
    from rdkit.Chem import GetPeriodicTable

    try:
        return _is("#0" if symbol == "*" else f"#{GetPeriodicTable().GetAtomicNumber(symbol)}")
    except RuntimeError:
        raise _UnsayableError(f"{symbol} is not an element") from None


def _hybrid(name: str) -> _Expression:
    if name not in _HYBRIDS:
        raise _UnsayableError(f"SMARTS has no word for the hybridisation {name}")
    return _is(_HYBRIDS[name])


def _counted(letter: str) -> Callable[[float, float], _Expression]:
    """Return how a number of neighbours or hydrogens in a range is written."""

    def between(low: float, high: float) -> _Expression:
        least, most = max(0, ceil(low) if low > -inf else 0), floor(high) if high < inf else None
        if most is not None:
            numbers = range(least, most + 1)
            return _joined("or", (_is(f"{letter}{n}") for n in numbers)) if numbers else _not(_ANY)
        return _joined("and", (_is(f"!{letter}{n}") for n in range(least)))

    return between


def _charge(low: float, high: float) -> _Expression:
    """Return a range of formal charges; RDKit writes at least 2 as ``+{2-}``, and at most -2 as ``-{2-}``."""
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
    """A bond, as primitives that are all true, and the atom at its other end."""

    bond: tuple[str, ...]
    to: _Expression

    @property
    def text(self) -> str:
        return ("&".join(dict.fromkeys(self.bond)) or "~") + self.to.atom


def _bond(test: syn.Predicate, *, positive: bool = True) -> tuple[_Neighbour, ...]:
    """Return a condition on a bond, or its opposite, as alternatives."""
    match test:
        case syn.Top():
            return (_Neighbour((), _ANY),) if positive else ()
        case syn.Named(_, body) if body is not None:
            return _bond(body, positive=positive)
        case syn.Not(inner):
            return _bond(inner, positive=not positive)
        case syn.And(parts) | syn.Or(parts):
            each = [_bond(part, positive=positive) for part in parts]
            if isinstance(test, syn.And) != positive:
                return tuple(dict.fromkeys(one for alternatives in each for one in alternatives))
            return tuple(map(_both, _few(each)))
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
        raise _UnsayableError(f"SMARTS has no symbol for a {name} bond")
    return _ORDERS[name]


def _both(neighbours: Sequence[_Neighbour]) -> _Neighbour:
    bonds = tuple(primitive for each in neighbours for primitive in each.bond)
    return _Neighbour(bonds, _joined("and", (each.to for each in neighbours)))


def _few(each: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
    """Return one of each in all ways, unless these are too many."""
    n = 1
    for alternatives in each:
        n *= len(alternatives)
    if n > MOST_ALTERNATIVES:
        raise _UnsayableError(f"it would take {n:,} alternatives")
    return list(product(*each))


def _neighbours(wanted: Sequence[tuple[_Neighbour, ...]]) -> _Expression:
    """Return that an atom has different neighbours, one for each of some conditions."""
    if not wanted:
        return _ANY
    if len(set(wanted)) == 1 and len(wanted[0]) > 1:
        ways: Iterable[tuple[_Neighbour, ...]] = combinations_with_replacement(wanted[0], len(wanted))
        ways = list(ways)
        if len(ways) > MOST_ALTERNATIVES:
            raise _UnsayableError(f"it would take {len(ways):,} alternatives")
    else:
        ways = _few(wanted)
    around = ["".join(f"({each.text})" for each in way[:-1]) + way[-1].text for way in ways]
    return _joined("or", (_is(f"$(*{text})") for text in around)) if around else _not(_ANY)


# ---- rings ----------------------------------------------------------------------------------------------


def _ring(test: syn.Predicate) -> _Expression:
    """Return the atoms of rings that satisfy a condition: its size, and one atom that is in it."""
    low, high, atoms = -inf, inf, []
    for part in conjuncts(test):
        match part:
            case syn.Top():
                pass
            case syn.Compare("size", op, int() | float() as size) if op != "!=":
                low, high = max(low, size if op != "<=" else -inf), min(high, size if op != ">=" else inf)
            case syn.Within("size", least, most, closed, None):
                low, high = max(low, least), min(high, most if closed or not float(most).is_integer() else most - 1)
            case syn.Exists("atoms", inner):
                atoms.append(_atom(inner))
            case syn.Compare("hetero", ">=", 1):
                atoms.append(_not(_is("#6")))
            case _:
                raise _UnsayableError(
                    "SMARTS can ask about atoms of rings by their sizes, not about the smallest rings"
                )
    if len(atoms) > 1:
        raise _UnsayableError("SMARTS cannot ask whether two atoms are in the same smallest ring")
    return _joined("and", [_ring_size(max(3, ceil(max(low, 0.0))), floor(high) if high < inf else None), *atoms])


def _ring_size(least: int, most: int | None) -> _Expression:
    """Return that an atom is in a ring of a size; no ring has fewer than three atoms."""
    if most is not None and most < least:
        return _not(_ANY)
    if least == 3 and most is None:
        return _is("R")
    return _is(f"k{least}" if least == most else f"k{{{least}-{'' if most is None else most}}}")


# ---- molecules ------------------------------------------------------------------------------------------

_Alternatives = tuple[tuple[SmartsPattern, ...], ...]


def _molecule(test: syn.Predicate, *, positive: bool = True) -> _Alternatives:
    """Return a condition on a molecule, or its opposite, as alternatives."""
    match test:
        case syn.Top():
            return ((),) if positive else ()
        case syn.Named(_, body) if body is not None:
            return _molecule(body, positive=positive)
        case syn.Not(inner):
            return _molecule(inner, positive=not positive)
        case syn.And(parts) | syn.Or(parts):
            each = [_molecule(part, positive=positive) for part in parts]
            if isinstance(test, syn.And) != positive:
                return tuple(dict.fromkeys(one for alternatives in each for one in alternatives))
            return tuple(tuple(pattern for patterns in way for pattern in patterns) for way in _few(each))
        case _:
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
            raise _UnsayableError("SMARTS can count matching atoms, but not rings")
        case _:
            name = _name_in(test)
            raise _UnsayableError(f"{name} is of the whole molecule, and SMARTS describes atoms and bonds")
