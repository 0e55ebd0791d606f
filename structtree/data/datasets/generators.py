"""Generators of datasets of any size, whose classes follow a known rule with an optional fraction of noise.

Each generator is a pure function that builds a population directly as columns; the class is an attribute of the
individual. `PLANTED_RULES` has the rule for the class, in the grammar language. Noise is applied last and changes the
class of an exact fraction of the individuals, so that a seed gives the same structures with and without it.
`structtree.data.datasets.catalog` names these datasets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from structtree.data.population import (
    Adjacency,
    Column,
    Population,
    bool_column,
    int_column,
    linked_population,
    named_column,
    typed_table,
)
from structtree.data.schema import Link
from structtree.errors import UsageError

__all__ = [
    "PLANTED_RULES",
    "bags",
    "king_rook_king",
    "leap_years",
    "monks",
    "planted_graphs",
    "planted_trains",
    "rooted_trees",
    "sequences",
]

PLANTED_RULES: Mapping[str, str] = MappingProxyType(
    {
        "leap-years": "by_4 and not by_100 or by_400",
        "planted-trains": "exists cars (load.shape = triangle and next (long))",
        "planted-molecules": "exists atoms (element = N and count bonds (to.element = O) >= 2)",
        "bags": "exists conformations (f3 in [0, 60) and f8 in [-120, -40))",
        "sequences": ("exists items (symbol = T and next (symbol = A and next (symbol = T and next (symbol = A))))"),
        "rooted-trees": ("root (exists children (label = b and exists children (label = c and next (label = d))))"),
    }
)
"""Predicate that defines the positive class of each dataset."""

_Flags = NDArray[np.bool_]
_Ints = NDArray[np.int64]
_Span = tuple[int, int]


# ---- tables: all cases -----------------------------------------------------------------------------------


_TRAINING_CASES: Mapping[int, str] = MappingProxyType(
    {
        1: (
            "0c0024300a40698d2110071c22225b1057a30cdb021909123804d5"
            "87200280884904e004c09010901410814100c400a2a10571870055"
        ),
        2: (
            "12ea22c00b50405edf220acf5c36190e45209810569221d509880e"
            "9798b1c48d6269a40d0257d49f20715c60ac9cb485ac040080aca1"
        ),
        3: (
            "7a91001113cc0838f609b0b0220688e10502c3c01610024005609d"
            "104c0208b4085209a1a801412005801208401440860601b2c01485"
        ),
    }
)
"""One bit for each case, in order: whether it is in the original training set of a monk's problem."""

_NOISY_CASES = (5, 61, 203, 213, 214, 391)
"""Numbers of the training cases of the third problem that have the wrong class."""


def monks(
    problem: Literal[1, 2, 3], noise: float = 0.0, seed: int = 0, cases: Literal["all", "train"] = "all"
) -> Population:
    """Return the 432 cases of one of the three monk's problems, or its original training set.

    Parameters
    ----------
    problem : {1, 2, 3}
        1: ``a1 = a2`` or ``a5 = 1``; 2: exactly two of the six attributes are 1; 3: ``a5 = 3`` and
        ``a4 = 1``, or ``a5 != 4`` and ``a2 != 3``.
    noise : float
        Fraction of cases whose class is changed.
    seed : int
        Seed for the choice of the changed cases.
    cases : {"all", "train"}
        All cases, which are the original test set, or the 124, 169 or 122 cases of the training set; six of the
        third problem have the wrong class.

    Examples
    --------
    >>> from collections import Counter
    >>> population = monks(2)
    >>> Counter(population.split_target("class")[1].tolist())["1"]
    142
    >>> [len(monks(problem, cases="train")) for problem in (1, 2, 3)]
    [124, 169, 122]
    """
    rng = _generator(seed)
    a1, a2, a3, a4, a5, a6 = attributes = np.indices((3, 3, 2, 3, 4, 2)).reshape(6, -1) + 1
    match problem:
        case 1:
            truth = (a1 == a2) | (a5 == 1)
        case 2:
            truth = np.count_nonzero([a == 1 for a in (a1, a2, a3, a4, a5, a6)], axis=0) == 2
        case 3:
            truth = ((a5 == 3) & (a4 == 1)) | ((a5 != 4) & (a2 != 3))
        case _:
            raise UsageError(f"problem must be 1, 2 or 3; got {problem!r}")
    if cases == "train":
        chosen = np.flatnonzero(np.unpackbits(np.frombuffer(bytes.fromhex(_TRAINING_CASES[problem]), np.uint8)))
        if problem == 3:
            truth[np.array(_NOISY_CASES) - 1] ^= True
        attributes, truth = attributes[:, chosen], truth[chosen]
    elif cases != "all":
        raise UsageError(f"cases must be 'all' or 'train'; got {cases!r}")
    columns = {f"a{i}": _nominal(values - 1, "1234") for i, values in enumerate(attributes, start=1)}
    columns["class"] = _classes(rng, truth, noise, "0", "1")
    return linked_population("Row", [typed_table("Row", truth.size, columns)])


def leap_years(first: int = 1600, last: int = 2400) -> Population:
    """Return years, their divisibility by 4, 100 and 400, and whether they are leap years as the class.

    Parameters
    ----------
    first, last : int
        The first and last year, both included; at least 1.

    Examples
    --------
    >>> leap_years(1900, 1900).record(0)
    {'by_4': True, 'by_100': True, 'by_400': False, 'leap': 'no'}
    """
    _check_count("first", first)
    _check_count("last", last, least=first)
    years = np.arange(first, last + 1)
    by_4, by_100, by_400 = (years % k == 0 for k in (4, 100, 400))
    columns = {"by_4": bool_column(by_4), "by_100": bool_column(by_100), "by_400": bool_column(by_400)}
    columns["leap"] = _nominal((by_4 & ~by_100) | by_400, ("no", "yes"))
    return linked_population("Row", [typed_table("Row", years.size, columns)])


def king_rook_king(n: int = 2000, noise: float = 0.0, seed: int = 0) -> Population:
    """Return random chess endgame positions, king and rook against king with white to move; some are illegal.

    A position is illegal if two pieces stand on one square, if the kings are next to each other, or if the rook gives
    check: it stands on the file or the rank of the black king, and the white king is not between them.

    Parameters
    ----------
    n : int
        Number of positions; about a third of them are illegal.
    noise : float
        Fraction of positions whose class is changed.
    seed : int

    Examples
    --------
    >>> king_rook_king(1, seed=2).record(0)
    {'white_king_file': 6, ...}
    """
    _check_count("n", n)
    rng = _generator(seed)
    king, rook, other = places = rng.integers(0, 8, (3, 2, n))
    apart = np.abs(king - other).max(axis=0) >= 2
    together = (king == rook).all(axis=0)
    names = [f"{piece}_{axis}" for piece in ("white_king", "white_rook", "black_king") for axis in ("file", "rank")]
    columns = {name: int_column(values) for name, values in zip(names, places.reshape(6, n), strict=True)}
    illegal = ~apart | together | _gives_check(king, rook, other)
    columns["class"] = _classes(rng, illegal, noise, "legal", "illegal")
    return linked_population("Position", [typed_table("Position", n, columns)])


def _gives_check(king: _Ints, rook: _Ints, other: _Ints) -> _Flags:
    """Return a mask of the positions in which the rook attacks the black king."""
    same = rook == other
    between = (np.minimum(rook, other) < king) & (king < np.maximum(rook, other))
    in_the_way = (same & (king == rook)) & between[::-1]
    return np.asarray((same & ~in_the_way).any(axis=0))


# ---- trains ----------------------------------------------------------------------------------------------

_LOADS = {"triangle": 0.45, "circle": 0.2, "rectangle": 0.2, "hexagon": 0.1, "diamond": 0.05}
_SHORT_SHAPES = {"rectangle": 0.4, "bucket": 0.25, "u_shaped": 0.2, "hexagon": 0.1, "ellipse": 0.05}
_ROOFS = {"none": 0.5, "flat": 0.3, "peaked": 0.1, "jagged": 0.08, "arc": 0.02}


def planted_trains(n: int = 1000, noise: float = 0.0, seed: int = 0) -> Population:
    """Return random trains of two to six cars; a train goes east if a triangle is directly before a long car.

    The cars are like those of the East-West challenge: long cars are rectangles, only they may have three
    wheels, buckets have no roof, and so on. Loads and lengths are distributed so that about half go east.

    Parameters
    ----------
    n : int
        Number of trains.
    noise : float
        Fraction of trains whose direction is changed.
    seed : int

    Examples
    --------
    >>> population = planted_trains(100, seed=1)
    >>> len(population), sorted(set(population.split_target("direction")[1]))
    (100, ['east', 'west'])
    """
    _check_count("n", n)
    rng = _generator(seed)
    lengths = rng.integers(2, 7, n)
    n_cars = int(lengths.sum())
    long, loaded = rng.random(n_cars) < 0.5, rng.random(n_cars) < 0.95
    load = _draw(rng, _LOADS, n_cars)
    cars = _random_cars(rng, long)
    number = 1 + np.floor(rng.random(np.count_nonzero(loaded)) * np.where(long[loaded], 3, 2))
    cargo = {"shape": _nominal(load[loaded], list(_LOADS)), "number": int_column(number)}

    owner = np.repeat(np.arange(n), lengths)
    triangle = loaded & (load == list(_LOADS).index("triangle"))
    before_long = triangle[:-1] & long[1:] & (owner[:-1] == owner[1:])
    east = np.isin(np.arange(n), owner[:-1][before_long])
    train = {"direction": _classes(rng, east, noise, "west", "east")}
    tables = [
        typed_table("Train", n, train, {Link("cars", "list", "Car"): Adjacency.in_order(lengths)}),
        typed_table("Car", n_cars, cars, {Link("load", "optional", "Load"): Adjacency.in_order(loaded)}),
        typed_table("Load", int(loaded.sum()), cargo),
    ]
    return linked_population("Train", tables)


def _random_cars(rng: np.random.Generator, long: _Flags) -> dict[str, Column]:
    size = long.size
    shapes, roofs = list(_SHORT_SHAPES), list(_ROOFS)
    shape = np.where(long, shapes.index("rectangle"), _draw(rng, _SHORT_SHAPES, size))
    rectangle = shape == shapes.index("rectangle")
    double = rectangle & ~long & (rng.random(size) < 0.2)
    roof = np.where(rectangle & ~double, _draw(rng, _ROOFS, size), roofs.index("none"))
    roof[shape == shapes.index("hexagon")] = roofs.index("flat")
    roof[shape == shapes.index("ellipse")] = roofs.index("arc")
    return {
        "shape": _nominal(shape, shapes),
        "long": bool_column(long),
        "double": bool_column(double),
        "roof": _nominal(roof, roofs),
        "wheels": int_column(2 + (long & (rng.random(size) < 0.4))),
    }


# ---- molecule-like graphs --------------------------------------------------------------------------------

_ELEMENTS = ("C", "N", "O", "S", "F", "Cl", "Br")
_C, _N, _O = 0, 1, 2
_VALENCE = np.array([4, 3, 2, 2, 1, 1, 1])
_CHARGE = np.array([-0.05, -0.3, -0.4, 0.05, -0.2, -0.1, -0.05])
_ORDERS = ("single", "double", "triple", "aromatic")
_RING = 6
# Frequencies of elements by the number of neighbours of an atom, first outside and then inside an aromatic ring, so
# that no atom has more bonds than its valence allows.
_ELEMENT_SHARES = np.array(
    [
        [1.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00],
        [0.50, 0.10, 0.22, 0.02, 0.05, 0.08, 0.03],
        [0.72, 0.13, 0.12, 0.03, 0.00, 0.00, 0.00],
        [0.90, 0.10, 0.00, 0.00, 0.00, 0.00, 0.00],
        [1.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00],
        [1.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00],
        [1.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00],
        [0.90, 0.10, 0.00, 0.00, 0.00, 0.00, 0.00],
        [1.00, 0.00, 0.00, 0.00, 0.00, 0.00, 0.00],
    ]
)
_NITRO = (_N, _O, _O)
_NEAR_MISSES = np.array([(_C, _O, _O), (_N, _C, _O), (_N, _N, _O), (_C, _N, _O)])


@dataclass(frozen=True, slots=True, eq=False)
class _Skeleton:
    """Molecules before elements are chosen: atoms in rings and groups, and the two ends of every bond.

    In each molecule the atoms come in the order ring, rest, group; `place` counts them from 0.
    """

    sizes: _Ints
    owner: _Ints
    place: _Ints
    ring: _Flags
    one: _Ints
    other: _Ints

    @property
    def group(self) -> _Ints:
        """Position of each atom in its molecule's group: 0 for the centre, negative outside the group."""
        return self.place - self.sizes[self.owner] + 3

    def neighbours(self, wanted: _Flags) -> _Ints:
        """Return the number of neighbours of each atom, counting only the given atoms."""
        n = self.owner.size
        ends = np.concatenate([self.one[wanted[self.other]], self.other[wanted[self.one]]])
        return np.bincount(ends, minlength=n)


def planted_graphs(n: int = 500, nodes: _Span = (8, 25), noise: float = 0.0, seed: int = 0) -> Population:
    """Return random connected graphs like molecules; the active ones have an N with two O neighbours.

    A molecule starts as an aromatic six-ring or a single atom and grows at random places, with at most four bonds per
    atom. Every molecule ends in a group of three atoms, a nitro group in the active half and a near miss (a carboxyl
    group, an N with one O, ...) in the other half, so that size and shape are not informative.

    Parameters
    ----------
    n : int
        Number of molecules; half of them, rounded up, are active.
    nodes : (int, int)
        Minimum and maximum number of atoms of a molecule, at least 4.
    noise : float
        Fraction of molecules whose class is changed.
    seed : int

    Examples
    --------
    >>> population = planted_graphs(100, nodes=(8, 12), seed=1)
    >>> sizes = population.table("Molecule").links["atoms"].lengths
    >>> int(sizes.min()) >= 8 and int(sizes.max()) <= 12
    True
    """
    _check_count("n", n)
    _check_span("nodes", nodes, 4)
    rng = _generator(seed)
    active = _half(rng, n)
    skeleton = _random_skeleton(rng, rng.integers(nodes[0], nodes[1] + 1, n))
    element = _random_elements(rng, skeleton, active)
    order = _random_orders(rng, skeleton, element)
    atom = {
        "element": _nominal(element, _ELEMENTS),
        "charge": Column("real", np.round(rng.normal(_CHARGE[element], 0.1), 3)),
        "aromatic": bool_column(skeleton.ring),
    }
    molecule = {"class": _classes(rng, active, noise, "inactive", "active")}
    return _molecules(skeleton, molecule, atom, order)


def _random_skeleton(rng: np.random.Generator, sizes: _Ints) -> _Skeleton:
    """Return random molecules of the given sizes, grown in parallel, one atom per step."""
    n, most, centre = sizes.size, int(sizes.max()), sizes - 3
    ringed = (centre >= _RING) & (rng.random(n) < 0.7)
    free = np.where((np.arange(most) < _RING) & ringed[:, None], 1, 4)
    parent = np.full((n, most), -1)
    parent[np.ix_(ringed, np.arange(1, _RING))] = np.arange(_RING - 1)
    for k in range(1, most - 2):
        grown = np.flatnonzero((k <= centre) & ~(ringed & (k < _RING)))
        chosen = np.where(free[grown, :k] > 0, rng.random((grown.size, k)), -1.0).argmax(axis=1)
        parent[grown, k] = chosen
        free[grown, chosen] -= 1
        free[grown, k] -= 1
    for leaf in (centre + 1, centre + 2):
        parent[np.arange(n), leaf] = centre
    which, atom = np.nonzero(parent >= 0)
    owner, place = _positions(sizes)
    start = _starts(sizes)
    one = np.concatenate([start[which] + atom, start[ringed] + _RING - 1])
    other = np.concatenate([start[which] + parent[which, atom], start[ringed]])
    return _Skeleton(sizes, owner, place, ringed[owner] & (place < _RING), one, other)


def _random_elements(rng: np.random.Generator, skeleton: _Skeleton, active: _Flags) -> _Ints:
    """Return the element of each atom: fixed in planted groups, elsewhere random given its number of neighbours."""
    owner = skeleton.owner
    degree = skeleton.neighbours(np.ones(owner.size, dtype=np.bool_))
    steps = np.cumsum(_ELEMENT_SHARES, axis=1)[degree + 4 * skeleton.ring, :-1]
    element: _Ints = np.count_nonzero(rng.random(owner.size)[:, None] > steps, axis=1)
    misses = _NEAR_MISSES[rng.integers(0, len(_NEAR_MISSES), active.size)]
    element[skeleton.group >= 0] = np.where(active[:, None], _NITRO, misses).ravel()
    element[(element == _N) & (skeleton.neighbours(element == _O) >= 2) & ~active[owner]] = _C
    return element


def _random_orders(rng: np.random.Generator, skeleton: _Skeleton, element: _Ints) -> _Ints:
    """Return random bond orders: at most one double or triple bond per atom, between atoms with free valences."""
    one, other = skeleton.one, skeleton.other
    degree = skeleton.neighbours(np.ones(element.size, dtype=np.bool_))
    spare = np.where(skeleton.ring, 0, _VALENCE[element] - degree)
    # An N that carries O is drawn with four bonds, as the charged N of a nitro group is.
    spare[(skeleton.group == 0) & (element == _N)] += 1
    room = np.minimum(spare[one], spare[other])
    oxygen = (element[one] == _O) | (element[other] == _O)
    wanted = (room > 0) & (rng.random(one.size) < np.where(oxygen, 0.9, 0.3))
    wish = np.where(wanted, rng.random(one.size), -1.0)
    best = np.full(element.size, -1.0)
    np.maximum.at(best, one, wish)
    np.maximum.at(best, other, wish)
    raised = wanted & (wish == best[one]) & (wish == best[other])
    triple = raised & (room > 1) & (rng.random(one.size) < 0.3)
    aromatic = skeleton.ring[one] & skeleton.ring[other]
    return np.where(aromatic, _ORDERS.index("aromatic"), raised.astype(np.int64) + triple)


def _molecules(
    skeleton: _Skeleton, molecule: Mapping[str, Column], atom: Mapping[str, Column], order: _Ints
) -> Population:
    """Return the population, with each bond as two rows: one for each of its atoms, linked to the other."""
    n_atoms = skeleton.owner.size
    start = np.concatenate([skeleton.one, skeleton.other])
    end = np.concatenate([skeleton.other, skeleton.one])
    sorting = np.argsort(start, kind="stable")
    bond = {"order": _nominal(np.concatenate([order, order])[sorting], _ORDERS)}
    n_bonds = np.bincount(start, minlength=n_atoms)
    atoms = {Link("atoms", "set", "Atom"): Adjacency.in_order(skeleton.sizes)}
    tables = [
        typed_table("Molecule", skeleton.sizes.size, molecule, atoms),
        typed_table("Atom", n_atoms, atom, {Link("bonds", "set", "Bond"): Adjacency.in_order(n_bonds)}),
        typed_table("Bond", start.size, bond, {Link("to", "one", "Atom"): Adjacency.single(end[sorting])}),
    ]
    return linked_population("Molecule", tables)


# ---- sets of vectors -------------------------------------------------------------------------------------

_INTERVALS = {2: (0, 60), 7: (-120, -40)}  # by position, counted from 0: f3 and f8


def bags(
    n: int = 92, instances: _Span = (2, 40), features: int = 166, noise: float = 0.0, seed: int = 0
) -> Population:
    """Return multi-instance data like Musk-1; positive molecules have a conformation in a planted box.

    Parameters
    ----------
    n : int
        Number of molecules; half of them, rounded up, are positive.
    instances : (int, int)
        Minimum and maximum number of conformations of a molecule.
    features : int
        Number of features ``f1``, ``f2``, ... of a conformation; at least 8, because the box is in f3 and f8.
    noise : float
        Fraction of molecules whose class is changed.
    seed : int

    Examples
    --------
    >>> population = bags(10, instances=(2, 5), features=8)
    >>> population.schema.type("Conformation").members
    ('f1', 'f2', 'f3', 'f4', 'f5', 'f6', 'f7', 'f8')
    """
    _check_count("n", n)
    _check_count("features", features, least=8)
    _check_span("instances", instances, 1)
    rng = _generator(seed)
    sizes = rng.integers(instances[0], instances[1] + 1, n)
    positive = _half(rng, n)
    owner, _ = _positions(sizes)
    values = np.rint(rng.normal(0.0, 120.0, (features, owner.size)))
    inside = np.all([(low <= values[f]) & (values[f] < high) for f, (low, high) in _INTERVALS.items()], axis=0)
    first, (low, high) = next(iter(_INTERVALS.items()))
    values[first, inside & ~positive[owner]] -= high - low
    chosen = (_starts(sizes) + np.floor(rng.random(n) * sizes).astype(np.int64))[positive]
    for f, (low, high) in _INTERVALS.items():
        values[f, chosen] = rng.integers(low, high, chosen.size)

    molecule = {"class": _classes(rng, positive, noise)}
    conformation = {f"f{i}": Column("int", v) for i, v in enumerate(values, start=1)}
    conformations = {Link("conformations", "set", "Conformation"): Adjacency.in_order(sizes)}
    tables = [
        typed_table("Molecule", n, molecule, conformations),
        typed_table("Conformation", owner.size, conformation),
    ]
    return linked_population("Molecule", tables)


# ---- sequences -------------------------------------------------------------------------------------------

_SYMBOLS = "ACGT"
_MOTIF = np.array([_SYMBOLS.index(symbol) for symbol in "TATA"])


def sequences(n: int = 500, length: _Span = (20, 60), noise: float = 0.0, seed: int = 0) -> Population:
    """Return random sequences of the symbols A, C, G, T; the positive half contain TATA.

    Parameters
    ----------
    n : int
        Number of sequences.
    length : (int, int)
        Minimum and maximum length, at least 4.
    noise : float
        Fraction of sequences whose class is changed.
    seed : int

    Examples
    --------
    >>> population = sequences(20, length=(8, 12), seed=3)
    >>> words = ["".join(item["symbol"] for item in population.record(i)["items"]) for i in range(20)]
    >>> sum("TATA" in word for word in words)
    10
    """
    _check_count("n", n)
    _check_span("length", length, _MOTIF.size)
    rng = _generator(seed)
    sizes = rng.integers(length[0], length[1] + 1, n)
    positive = _half(rng, n)
    owner, local = _positions(sizes)
    symbol = rng.integers(0, len(_SYMBOLS), owner.size)
    fits = np.all([np.roll(symbol, -k) == s for k, s in enumerate(_MOTIF)], axis=0)
    found = np.flatnonzero(fits & (local <= sizes[owner] - _MOTIF.size) & ~positive[owner])
    # C and G are not in the motif, so removing one occurrence cannot create another.
    symbol[found + 2] = rng.choice([_SYMBOLS.index("C"), _SYMBOLS.index("G")], found.size)
    place = np.floor(rng.random(n) * (sizes - _MOTIF.size + 1)).astype(np.int64)
    start = (_starts(sizes) + place)[positive]
    symbol[start[:, None] + np.arange(_MOTIF.size)] = _MOTIF

    items = {Link("items", "list", "Item"): Adjacency.in_order(sizes)}
    tables = [
        typed_table("Sequence", n, {"class": _classes(rng, positive, noise)}, items),
        typed_table("Item", owner.size, {"symbol": _nominal(symbol, _SYMBOLS)}),
    ]
    return linked_population("Sequence", tables)


# ---- rooted trees ----------------------------------------------------------------------------------------

_LABELS = "abcde"
_PATTERN = np.array([_LABELS.index(label) for label in "bcd"])


@dataclass(frozen=True, slots=True, eq=False)
class _Branching:
    """Ordered trees without labels.

    `root` has the row of each tree's root; `parent` and `child` are sorted by parent, then by sibling order.
    """

    root: _Ints
    parent: _Ints
    child: _Ints


def rooted_trees(n: int = 500, nodes: _Span = (5, 30), noise: float = 0.0, seed: int = 0) -> Population:
    """Return random ordered trees with labels a to e; the positive half have a planted pattern at the top.

    The pattern is a b directly below the root that has, among its children, a c directly before a d. Each
    negative tree has a near miss: the same three nodes, one of them with another label.

    Parameters
    ----------
    n : int
        Number of trees; half of them, rounded up, are positive.
    nodes : (int, int)
        Minimum and maximum number of nodes of a tree, at least 4.
    noise : float
        Fraction of trees whose class is changed.
    seed : int

    Examples
    --------
    >>> population = rooted_trees(10, nodes=(4, 6), seed=2)
    >>> len(population), population.table("Tree").links["root"].lengths.tolist()
    (10, [1, 1, 1, 1, 1, 1, 1, 1, 1, 1])
    """
    _check_count("n", n)
    _check_span("nodes", nodes, 4)
    rng = _generator(seed)
    positive = _half(rng, n)
    trees = _random_branching(rng, rng.integers(nodes[0], nodes[1] + 1, n))
    n_nodes = n + trees.child.size
    label = rng.integers(0, len(_LABELS), n_nodes)
    label[trees.root[:, None] + [1, 2, 3]] = _patterns(rng, positive)
    label = _without_chance_patterns(rng, label, trees, positive)
    children = Adjacency.from_lengths(np.bincount(trees.parent, minlength=n_nodes), trees.child)
    root = {Link("root", "one", "Node"): Adjacency.single(trees.root)}
    below = {Link("children", "list", "Node"): children}
    tables = [
        typed_table("Tree", n, {"class": _classes(rng, positive, noise)}, root),
        typed_table("Node", n_nodes, {"label": _nominal(label, _LABELS)}, below),
    ]
    return linked_population("Tree", tables)


def _random_branching(rng: np.random.Generator, sizes: _Ints) -> _Branching:
    """Return random trees in which node 1 is a child of the root, and 2 and 3 are adjacent children of node 1."""
    owner, place = _positions(sizes)
    root = _starts(sizes)
    anywhere = np.floor(rng.random(owner.size) * place).astype(np.int64)
    parent = root[owner] + np.where(place > 3, anywhere, place > 1)
    rank = rng.random(owner.size)
    rank[root + 3] = np.nextafter(rank[root + 2], 1.0)
    child = np.lexsort((rank, parent))
    child = child[place[child] > 0]
    return _Branching(root, parent[child], child)


def _patterns(rng: np.random.Generator, positive: _Flags) -> _Ints:
    """Return the labels of nodes 1 to 3 of each tree: the pattern in positive trees, else with one label changed."""
    labels = np.tile(_PATTERN, (positive.size, 1))
    trees = np.flatnonzero(~positive)
    changed = rng.integers(0, _PATTERN.size, trees.size)
    # Adding 1 to 4, modulo 5, gives any other label.
    labels[trees, changed] += rng.integers(1, len(_LABELS), trees.size)
    return labels % len(_LABELS)


def _without_chance_patterns(rng: np.random.Generator, label: _Ints, trees: _Branching, positive: _Flags) -> _Ints:
    """Remove patterns that occur by chance in negative trees, and return the labels."""
    b, c, d = _PATTERN
    tree = np.full(label.size, -1)  # of the nodes directly below a root
    top = np.isin(trees.parent, trees.root)
    tree[trees.child[top]] = np.searchsorted(trees.root, trees.parent[top])
    parent, left, right = trees.parent[:-1], trees.child[:-1], trees.child[1:]
    siblings = parent == trees.parent[1:]
    found = siblings & (label[parent] == b) & (label[left] == c) & (label[right] == d)
    found &= (tree[parent] >= 0) & ~positive[tree[parent]]
    # a and e are not in the pattern, so removing one occurrence cannot create another.
    cleaned = label.copy()
    cleaned[left[found]] = rng.choice([_LABELS.index("a"), _LABELS.index("e")], np.count_nonzero(found))
    return cleaned


# ---- helpers --------------------------------------------------------------------------------------------


def _generator(seed: int) -> np.random.Generator:
    _check_count("seed", seed, least=0)
    return np.random.default_rng(int(seed))


def _check_count(name: str, value: int, least: int = 1) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise UsageError(f"{name} must be an int >= {least}; got {value!r}")


def _check_span(name: str, span: _Span, least: int) -> None:
    match span:
        case (int(low), int(high)) if least <= low <= high:
            return
    raise UsageError(f"{name} must be a pair of ints (minimum, maximum), at least {least}; got {span!r}")


def _half(rng: np.random.Generator, n: int) -> _Flags:
    """Return a random mask of length n in which half of the values, rounded up, are True."""
    return rng.permutation(np.arange(n) < (n + 1) // 2)


def _starts(sizes: _Ints) -> _Ints:
    """Return the start position of each run, given the sizes of consecutive runs."""
    return np.cumsum(sizes) - sizes


def _positions(sizes: _Ints) -> tuple[_Ints, _Ints]:
    """Return the run and the position in that run of each element, given the sizes of consecutive runs."""
    owner = np.repeat(np.arange(sizes.size), sizes)
    return owner, np.arange(owner.size) - _starts(sizes)[owner]


def _draw(rng: np.random.Generator, shares: Mapping[str, float], size: int) -> _Ints:
    return rng.choice(len(shares), size, p=list(shares.values()))


def _classes(
    rng: np.random.Generator, truth: _Flags, noise: float, no: str = "negative", yes: str = "positive"
) -> Column:
    """Return the class of each individual, after changing an exact fraction of them at random."""
    if not isinstance(noise, int | float) or not 0 <= noise <= 1:
        raise UsageError(f"noise must be a fraction between 0 and 1; got {noise!r}")
    changed = rng.permutation(truth.size)[: round(noise * truth.size)]
    label = truth.copy()
    label[changed] = ~label[changed]
    return _nominal(label, (no, yes))


def _nominal(codes: NDArray[Any], names: Sequence[str]) -> Column:
    """Return a nominal column from indices into a list of names; its categories are the sorted names that occur."""
    return named_column(codes, dict(enumerate(names)))
