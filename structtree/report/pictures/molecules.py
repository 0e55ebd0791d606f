"""Drawings of molecules, with 2D coordinates from RDKit; specified stereocentres have wedge bonds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import cos, dist, pi, sin
from typing import Any

from structtree.report.pictures.drawing import INK, MARK, PAPER, RIM, Drawing, Element, Painted
from structtree.report.pictures.records import Canvas
from structtree.report.pictures.scene import Box, Label, Stroke, line_width

__all__ = ["molecule_drawing"]

_SIZE, _BOND, _HALO = 11.0, 17.0, 8.5
"""Font size, points per ångström, and radius of a highlight."""
_TALLEST = 300.0
_COLOURS = {
    "N": "#3f6fd8", "O": "#d43d2f", "S": "#a07400", "P": "#c96a00", "F": "#1f8a5b", "Cl": "#1f8a5b", "Br": "#a1482a",
    "I": "#8a3fb0", "B": "#b0685a",
}  # fmt: skip
"""Colours of elements, legible in light and dark mode."""
_SMALL = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_RAISED = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")


def molecule_drawing(on: Canvas, smiles: str | None) -> Drawing | None:
    """Draw a molecule; return None if the individual does not match the SMILES.

    Parameters
    ----------
    on : Canvas
    smiles : str, optional
        SMILES of the individual in its source.

    Examples
    --------
    >>> from structtree.data.population import Population
    >>> molecule_drawing(Canvas(Population.from_smiles(["CCO"]), {}, 300), "CCO")
    <Drawing: 90 × 34, 7 elements>
    """
    schema, start = on.alone.schema, int(on.alone.individuals[0])
    link = schema.type(schema.individual).link("atoms")
    if smiles is None or link is None or "element" not in on.alone.tables[link.target].columns:
        return None
    rows = on.targets(schema.individual, start, "atoms")
    molecule = _laid_out(smiles, [on.text(link.target, row, "element") for row in rows])
    if molecule is None:
        return None
    places = molecule.GetConformer().GetPositions()[:, :2] * (1.0, -1.0)
    places -= places.min(axis=0)
    wide, high = (float(side) for side in places.max(axis=0))
    margin = 2 * _HALO + 6
    scale = min(_BOND, (on.width - 2 * margin) / max(wide, 0.1), (_TALLEST - 2 * margin) / max(high, 0.1))
    at = [(margin + float(x) * scale, _HALO + 2 + float(y) * scale) for x, y in places]
    pieces = [*_ring_marks(on, rows, at), *_bond_marks(on, link.target, rows, at)]
    pieces += _atom_marks(link.target, rows, at)
    for bond in molecule.GetBonds():
        pieces += _bond(bond, at)
    for atom, row in zip(molecule.GetAtoms(), rows, strict=True):
        pieces += _atom(atom, Element(link.target, row), at)
    pieces += _centres(on, molecule, link.target, rows, at)
    return Drawing(wide * scale + 2 * margin, high * scale + 2 * _HALO + 4, tuple(pieces))


def _laid_out(smiles: str, elements: Sequence[str]) -> Any:
    """Return the molecule with 2D coordinates if its atoms match the elements, with or without hydrogens."""
    try:
        from rdkit import Chem, rdBase
        from rdkit.Chem import rdDepictor
    except ImportError:
        return None
    with rdBase.BlockLogs():
        molecule = Chem.MolFromSmiles(smiles)
        if molecule is not None and molecule.GetNumAtoms() < len(elements):
            molecule = Chem.AddHs(molecule)
    if molecule is None or [atom.GetSymbol() for atom in molecule.GetAtoms()] != list(elements):
        return None
    rdDepictor.Compute2DCoords(molecule)
    Chem.Kekulize(molecule, clearAromaticFlags=True)
    Chem.WedgeMolBonds(molecule, molecule.GetConformer())
    return molecule


_Places = Sequence[tuple[float, float]]


def _atom_marks(type_name: str, rows: Sequence[int], at: _Places) -> Iterator[Painted]:
    for row, (x, y) in zip(rows, at, strict=True):
        halo = Box(x - _HALO, y - _HALO, 2 * _HALO, 2 * _HALO, MARK, RIM, 1.0, _HALO)
        yield Painted(halo, Element(type_name, row))


def _bond_marks(on: Canvas, type_name: str, rows: Sequence[int], at: _Places) -> Iterator[Painted]:
    """Yield the highlights of bonds; each bond has two rows, one per atom."""
    places = {row: place for place, row in enumerate(rows)}
    for link in on.links(type_name):
        back = next((each for each in on.links(link.target) if each.single and each.target == type_name), None)
        if link.single or back is None:
            continue
        for row in rows:
            for bond in on.targets(type_name, row, link.name):
                for end in on.targets(link.target, bond, back.name):
                    line = Stroke(*at[places[row]], *at[places[end]], 9.0, MARK)
                    yield Painted(line, Element(link.target, bond))


def _centres(on: Canvas, molecule: Any, type_name: str, rows: Sequence[int], at: _Places) -> Iterator[Painted]:
    """Yield the chirality of the atoms for which a test reads it, R or S, where no bond is near."""
    low = max(y for _, y in at) + _HALO
    for atom, row in zip(molecule.GetAtoms(), rows, strict=True):
        element = Element(type_name, row, "chirality")
        if element not in on.wanted or (text := on.text(*element)) not in ("R", "S"):
            continue
        x, y = at[atom.GetIdx()]
        bonds = [at[other.GetIdx()] for other in atom.GetNeighbors()]
        spots = [(x + 15 * cos(k * pi / 8), y + 15 * sin(k * pi / 8)) for k in range(16)]
        free = [spot for spot in spots if 7 <= spot[1] <= low - 5]
        spot_x, spot_y = max(free, key=lambda spot: min((dist(spot, end) for end in bonds), default=0.0))
        yield Painted(Label(spot_x, spot_y + 3, text, 8.5, INK, bold=True, anchor="middle"), element)


def _ring_marks(on: Canvas, rows: Sequence[int], at: _Places) -> Iterator[Painted]:
    """Yield the highlights of rings, along all their bonds."""
    schema, start = on.alone.schema, int(on.alone.individuals[0])
    rings, places = schema.type(schema.individual).link("rings"), {row: place for place, row in enumerate(rows)}
    if rings is None or schema.type(rings.target).link("atoms") is None:
        return
    for ring in on.targets(schema.individual, start, "rings"):
        atoms = [places[row] for row in on.targets(rings.target, ring, "atoms")]
        for one, other in pairwise([*atoms, *atoms[:1]]):
            yield Painted(Stroke(*at[one], *at[other], 9.0, MARK), Element(rings.target, ring))


def _bond(bond: Any, at: _Places) -> Iterator[Painted]:
    one, other = at[bond.GetBeginAtomIdx()], at[bond.GetEndAtomIdx()]
    match str(bond.GetBondDir()):
        case "BEGINWEDGE":
            lines = _fan(one, other)
        case "BEGINDASH":
            lines = _rungs(one, other)
        case _:
            n = max(1, int(bond.GetBondTypeAsDouble()))
            lines = (
                (_beside(one, other, 0.0, off), _beside(one, other, 1.0, off))
                for off in (3.2 * (k - (n - 1) / 2) for k in range(n))
            )
    yield from (Painted(Stroke(*start, *end, 1.4, INK)) for start, end in lines)


_Point = tuple[float, float]
_WEDGE = 3.2
"""Half of the width of a wedge at its wide end."""


def _fan(one: _Point, other: _Point) -> Iterator[tuple[_Point, _Point]]:
    """Yield the lines of a solid wedge, which points out of the plane."""
    yield from ((one, _beside(one, other, 1.0, off * _WEDGE)) for off in (-1.0, -0.6, -0.2, 0.2, 0.6, 1.0))


def _rungs(one: _Point, other: _Point) -> Iterator[tuple[_Point, _Point]]:
    """Yield the lines of a hashed wedge, which points into the plane."""
    for share in (0.1, 0.28, 0.46, 0.64, 0.82, 1.0):
        yield _beside(one, other, share, -share * _WEDGE), _beside(one, other, share, share * _WEDGE)


def _beside(one: _Point, other: _Point, share: float, off: float) -> _Point:
    """Return a point at a share of the way between two others, moved sideways."""
    (x, y), (to_x, to_y) = one, other
    length = max(((to_x - x) ** 2 + (to_y - y) ** 2) ** 0.5, 0.1)
    along_x, along_y = (to_x - x) / length, (to_y - y) / length
    return x + share * (to_x - x) - off * along_y, y + share * (to_y - y) + off * along_x


def _atom(atom: Any, element: Element, at: _Places) -> Iterator[Painted]:
    """Yield the symbol of an atom with its hydrogens and charge; bonded neutral carbons have no symbol."""
    symbol, charge, hydrogens = atom.GetSymbol(), atom.GetFormalCharge(), atom.GetTotalNumHs()
    if symbol == "C" and not charge and atom.GetDegree():
        return
    x, y = at[atom.GetIdx()]
    sign = f"{abs(charge) if abs(charge) > 1 else ''}{'+' if charge > 0 else '-'}" if charge else ""
    more = f"H{hydrogens if hydrogens > 1 else ''}".translate(_SMALL) if hydrogens else ""
    raised = sign.translate(_RAISED)
    neighbours = [at[other.GetIdx()][0] for other in atom.GetNeighbors()]
    is_left = bool(more) and bool(neighbours) and min(neighbours) > x - 1
    text = f"{more}{symbol}{raised}" if is_left else f"{symbol}{more}{raised}"
    width, own = line_width(text, _SIZE), line_width(symbol, _SIZE)
    left = x - own / 2 - (line_width(more, _SIZE) if is_left else 0.0)
    back = Box(left - 1, y - 7, width + 2, 14, PAPER, radius=5)
    yield Painted(back)
    yield Painted(Box(left - 1, y - 7, width + 2, 14, MARK, radius=5), element)
    yield Painted(Label(left, y + 4, text, _SIZE, _COLOURS.get(symbol, INK)))
    yield Painted(Label(left, y + 4, text, _SIZE, INK), element)  # colours are not legible on a highlight
