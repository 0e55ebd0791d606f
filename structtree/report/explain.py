"""Why a tree says what it says of one individual: each test on its way, and the rows that answered it.

A yes is explained by its witnesses (`structtree.space.meaning.witnesses`): the rows that made the test true, with
the values that it looked at. A no is explained by what comes nearest: the conditions that fail, with the values that
were found instead; of many rows the one that satisfies most, and of those the one that misses a number by least.
Where a value is missing and the tree has a rule for that, the rule is told. Of an individual that goes to several
leaves in parts, the way of its greatest part is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import inf
from typing import Any, NamedTuple

import numpy as np

from structtree.data.columns import Population, Value
from structtree.data.reach import compact
from structtree.data.schema import Schema
from structtree.errors import UsageError
from structtree.lang.pretty import pretty, pretty_name, pretty_scalar
from structtree.lang.syntax import (
    Aggregate,
    All,
    Among,
    And,
    Compare,
    Count,
    Distinct,
    Exists,
    Flag,
    Follow,
    ListStep,
    Missing,
    Named,
    No,
    Not,
    Or,
    Predicate,
    Top,
    Within,
)
from structtree.learn.growth import MAJORITY, Decision
from structtree.learn.predict import (
    predicted_classes,
    predicted_means,
    predicted_probabilities,
    predicted_spreads,
)
from structtree.learn.tree import Branch, ClassCounts, Leaf, Switch, Tree
from structtree.learn.unknown import possibly, surely
from structtree.report.text import Voice
from structtree.space.evaluate import Known, aggregate_values, rows_where
from structtree.space.meaning import witnesses
from structtree.space.terms import conjuncts

__all__ = ["Explanation", "Reason", "Sight", "explain"]

# Rows of one answer that are printed; the explanation itself has all of them.
SHOWN = 4


@dataclass(frozen=True, slots=True)
class Sight:
    """A row that a test looked at.

    Parameters
    ----------
    path : str
        How it is reached from the individual, such as ``cars[2].load``; empty for the individual itself.
    type : str
    values : tuple of pairs
        What the test looked at there, by name: attributes, and what was counted or aggregated.
    fails : str
        The condition that is not satisfied there, or because of it; empty for a row that made the test true.
    """

    path: str
    type: str
    values: tuple[tuple[str, Value], ...]
    fails: str = ""

    def __str__(self) -> str:
        where = f"{self.path} ({self.type})" if self.path else ""
        seen = ", ".join(f"{name} = {_plain(value)}" for name, value in self.values)
        missed = f"not {self.fails}" if self.fails else ""
        return ", but ".join(filter(None, (": ".join(filter(None, (where, seen))), missed)))

    def to_dict(self) -> dict[str, Any]:
        """The row as plain JSON values."""
        return {"path": self.path, "type": self.type, "values": dict(self.values), "fails": self.fails}


@dataclass(frozen=True, slots=True)
class Reason:
    """A test on the way, its answer, and the rows behind the answer.

    Parameters
    ----------
    node : int
    test : str
        For a switch, its attribute.
    answer : bool or str
        For a switch, the value whose side is taken.
    rows : tuple of Sight
    note : str
        Why that is the answer although the value is unknown; else empty.
    """

    node: int
    test: str
    answer: bool | str
    rows: tuple[Sight, ...]
    note: str = ""

    def __str__(self) -> str:
        said = self.answer if isinstance(self.answer, str) else "yes" if self.answer else "no"
        return f"{self.test}: {said}{f' ({self.note})' if self.note else ''}"

    def words(self) -> Iterator[str]:
        """The rows in words; that the test itself fails is clear from the answer."""
        for row in self.rows[:SHOWN]:
            words = str(replace(row, fails="") if row.fails == self.test and row.values else row)
            if words:
                yield words
        if len(self.rows) > SHOWN:
            yield f"… and {len(self.rows) - SHOWN} more"

    def to_dict(self) -> dict[str, Any]:
        """The reason as plain JSON values."""
        rows = [row.to_dict() for row in self.rows]
        told = {"node": self.node, "test": self.test, "answer": self.answer, "rows": rows}
        return told | ({"note": self.note} if self.note else {})


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a tree says what it says of one individual.

    Parameters
    ----------
    individual : int
        Which one, counted from 0.
    type : str
    reasons : tuple of Reason
        From the root on.
    leaf : int
        Where it ends up; if that is in several leaves, the one with the greatest part of it.
    prediction : class or float
    probability : float or None
        Of the predicted class; None for numbers.
    spread : float or None
        The standard deviation of the numbers that were seen there; None for classes.
    n : int
        How many were seen there in training.
    counts : tuple of pairs
        The weight of each class that was seen there; empty for numbers.
    words : str
        The answer in words, such as ``active 34/36``.
    """

    individual: int
    type: str
    reasons: tuple[Reason, ...]
    leaf: int
    prediction: Any
    probability: float | None
    spread: float | None
    n: int
    counts: tuple[tuple[Any, float], ...]
    words: str

    def __str__(self) -> str:
        lines = [f"{self.type} {self.individual}"]
        for i, reason in enumerate(self.reasons, 1):
            lines.append(f"{i}. {reason}")
            lines += [f"     {words}" for words in reason.words()]
        return "\n".join([*lines, f"→ {self.words}"])

    def to_dict(self) -> dict[str, Any]:
        """The explanation as plain JSON values."""
        return {
            "individual": self.individual,
            "prediction": self.prediction,
            "probability": self.probability,
            "spread": self.spread,
            "n": self.n,
            "counts": {str(label): weight for label, weight in self.counts},
            "leaf": self.leaf,
            "path": [reason.to_dict() for reason in self.reasons],
        }


def explain(tree: Tree, population: Population, individual: int, decision: Decision = MAJORITY) -> Explanation:
    """Why a tree says what it says of one individual.

    Parameters
    ----------
    tree : Tree
    population : Population
    individual : int
        Which one, counted from 0.
    decision : Decision
        How leaves decide.

    Returns
    -------
    Explanation
        ``str`` of it is for the terminal, ``to_dict()`` for JSON.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> from structtree.learn.tree import Found
    >>> trains = Population.from_records(
    ...     [{"cars": [{"long": True, "wheels": 3}, {"long": False, "wheels": 2}]}], individual="Train"
    ... )
    >>> tests = [parse_predicate(t) for t in ("exists cars (long)", "exists cars (not long and wheels >= 3)")]
    >>> seen, found = ClassCounts(4, (2.0, 2.0)), Found("acc*", 1.0, 0.5, True, 0.0, 1, 0.0)
    >>> leaves = [Leaf(ClassCounts(2, counts)) for counts in ((0.0, 2.0), (2.0, 0.0), (0.0, 2.0))]
    >>> nodes = Branch(tests[0], 1, 4, seen, found), Branch(tests[1], 2, 3, seen, found), *leaves
    >>> print(explain(Tree(nodes, trains.schema, ("west", "east")), trains, 0))
    Train 0
    1. exists cars (long): yes
         cars[0] (Car): long = yes
    2. exists cars (not long and wheels >= 3): no
         count cars (not long) = 1, count cars (wheels >= 3) = 1
         cars[1] (Car): wheels = 2, but not wheels >= 3
    → west 2/2
    """
    if not 0 <= individual < len(population):
        raise UsageError(f"individual must be between 0 and {len(population) - 1}; got {individual}")
    alone = compact(population.take([individual]))
    scene, start = _Scene(alone), _Spot(alone.schema.individual, int(alone.individuals[0]), "")
    leaf = int(tree.apply(alone)[0])
    nodes = [*(step.branch for step in tree.path(leaf)), leaf]
    reasons = tuple(_reason(tree, *pair, scene, start) for pair in pairwise(nodes))
    return _concluded(tree, alone, leaf, decision, individual, reasons)


def _reason(tree: Tree, index: int, child: int, scene: _Scene, start: _Spot) -> Reason:
    """Why the way goes from a node to one of its children."""
    node = tree.nodes[index]
    assert not isinstance(node, Leaf)
    place = node.children.index(child)
    if isinstance(node, Switch):
        value = scene.value(node.attribute, start)
        seen = (start.see(((node.attribute, value),)),)
        note = "" if value in node.values else _about_unknown(tree, node.shares[place])
        return Reason(index, pretty_name(node.attribute), pretty_scalar(node.values[place]), seen, note)
    answer = place == 0
    if _is_unknown(tree, node, scene, start):
        looked_at = start.see(_looked_at(node.test, scene, start))
        return Reason(index, pretty(node.test), answer, (looked_at,), _about_unknown(tree, node.shares[place]))
    rows = _grounds(node.test, scene, start) if answer else _misses(node.test, scene, start)
    return Reason(index, pretty(node.test), answer, tuple(dict.fromkeys(rows)))


def _is_unknown(tree: Tree, branch: Branch, scene: _Scene, start: _Spot) -> bool:
    record = tree.schema.type(tree.schema.individual)
    if tree.missing == "false":
        return False
    return scene.true(possibly(branch.test, record), start) and not scene.true(surely(branch.test, record), start)


def _about_unknown(tree: Tree, share: float) -> str:
    if tree.missing == "fractional":
        return f"unknown: {share:.0%} of it goes here"
    return "unknown: as most in training"


def _concluded(
    tree: Tree, alone: Population, leaf: int, decision: Decision, individual: int, reasons: tuple[Reason, ...]
) -> Explanation:
    stats, voice, name = tree.nodes[leaf].stats, Voice.of(tree, decision), alone.schema.individual
    n_leaves = len(tree.distribution(alone).leaves)
    words = voice.answer(leaf) if n_leaves == 1 else ""
    if not isinstance(stats, ClassCounts):
        mean, spread = float(predicted_means(tree, alone)[0]), float(predicted_spreads(tree, alone)[0])
        words = words or f"{voice.number(mean)} ± {voice.number(spread)} (from {n_leaves} leaves)"
        return Explanation(individual, name, reasons, leaf, mean, None, spread, stats.n, (), words)
    code = int(predicted_classes(tree, alone, decision)[0])
    sure = float(predicted_probabilities(tree, alone, decision)[0, code])
    counts = tuple(zip(tree.classes, stats.counts, strict=True))
    words = words or f"{tree.classes[code]}, p = {voice.number(sure)} (from {n_leaves} leaves)"
    return Explanation(individual, name, reasons, leaf, tree.classes[code], sure, None, stats.n, counts, words)


def _plain(value: Value) -> str:
    match value:
        case None:
            return "missing"
        case bool():
            return "yes" if value else "no"
        case _:
            return pretty_scalar(value)


# ---- rows -----------------------------------------------------------------------------------------------


class _Spot(NamedTuple):
    """A row of a type, and the path that led to it."""

    type: str
    row: int
    path: str

    def see(self, values: tuple[tuple[str, Value], ...], fails: str = "") -> Sight:
        """The row with what was looked at."""
        return Sight(self.path, self.type, values, fails)


@dataclass(frozen=True, slots=True, eq=False)
class _Scene:
    """An individual with all rows that it reaches, and what is known about them so far."""

    population: Population
    known: Known = field(default_factory=dict)

    def true(self, predicate: Predicate, spot: _Spot) -> bool:
        """Whether a predicate holds of a row."""
        return bool(rows_where(predicate, self.population, spot.type, self.known)[spot.row])

    def value(self, name: str, spot: _Spot) -> Value:
        """The value of an attribute of a row; an absent reference is a missing value, too."""
        columns = self.population.tables[spot.type].columns
        return columns[name].value(spot.row) if name in columns else None

    def targets(self, spot: _Spot, link: str) -> list[_Spot]:
        """The rows that a link leads to."""
        declared = self.population.schema.type(spot.type).link(link)
        assert declared is not None
        stem = f"{spot.path}.{link}" if spot.path else link
        rows = self.population.tables[spot.type].links[link].of(spot.row).tolist()
        return [
            _Spot(declared.target, row, stem if declared.single else f"{stem}[{i}]") for i, row in enumerate(rows)
        ]

    def count(self, spot: _Spot, link: str, inner: Predicate) -> tuple[str, Value]:
        """How many rows behind a link satisfy a predicate, with what that is called."""
        n = sum(self.true(inner, target) for target in self.targets(spot, link))
        return f"count {pretty_name(link)} ({pretty(inner)})", n


def _looked_at(predicate: Predicate, scene: _Scene, spot: _Spot) -> tuple[tuple[str, Value], ...]:
    """The values of the row itself that a predicate depends on, by name."""
    match predicate:
        case Flag(name) | Compare(name) | Among(name) | Within(name) | Missing(name):
            return ((name, scene.value(name, spot)),)
        case Named(name, body) if body is not None:
            return ((name, scene.true(body, spot)), *_looked_at(body, scene, spot))
        case Count(link, inner) | No(link, inner) | Not(Exists(link, inner) | All(link, inner)):
            return (scene.count(spot, link, inner),)
        case All(link) if not scene.targets(spot, link):
            return (scene.count(spot, link, Top()),)
        case Aggregate(function, link, attribute):
            value = float(aggregate_values(predicate, scene.population, spot.type)[spot.row])
            name = f"{function} {pretty_name(link)}.{pretty_name(attribute)}"
            return ((name, None if np.isnan(value) else value),)
        case And(parts) | Or(parts):
            return tuple(dict.fromkeys(seen for part in parts for seen in _looked_at(part, scene, spot)))
        case Not(inner):
            return _looked_at(inner, scene, spot)
        case _:
            return ()


# ---- why yes --------------------------------------------------------------------------------------------


def _grounds(predicate: Predicate, scene: _Scene, spot: _Spot) -> Iterator[Sight]:
    """The rows that made a predicate true of a row, each once, with everything that was looked at there."""
    if isinstance(predicate, Not):
        yield from (replace(sight, fails="") for sight in _misses(predicate.inner, scene, spot))
        return
    schema = Schema(scene.population.schema.types, spot.type)
    here = replace(scene.population, schema=schema, individuals=np.array([spot.row]))
    seen: dict[_Spot, dict[str, Value]] = {}
    for witness in witnesses(predicate, here, 0):
        path = ".".join(filter(None, (spot.path, witness.path)))
        at = _Spot(witness.type, witness.row, path)
        seen.setdefault(at, {}).update(_looked_at(witness.predicate, scene, at))
    for at, values in seen.items():
        if values or not any(_leads_to(at.path, other.path) for other in seen):
            yield at.see(tuple(values.items()))


def _leads_to(path: str, other: str) -> bool:
    """Whether a row lies behind another, which then needs no mention if nothing was looked at there."""
    return path != other and (not path or other.startswith((f"{path}.", f"{path}[")))


# ---- why no ---------------------------------------------------------------------------------------------


def _misses(predicate: Predicate, scene: _Scene, spot: _Spot) -> Iterator[Sight]:
    """What keeps a predicate from being true of a row, and what was found instead."""
    match predicate:
        case And(parts) | Or(parts):
            for part in parts:
                if not scene.true(part, spot):
                    yield from _misses(part, scene, spot)
        case Named(_, body) if body is not None:
            yield from _misses(body, scene, spot)
        case Not(inner):
            yield from (replace(s, fails=pretty(predicate)) for s in _grounds(inner, scene, spot))
        case No(link, inner):
            there = _grounds(Exists(link, inner), scene, spot)
            yield from (replace(sight, fails=pretty(predicate)) for sight in there)
        case All(link, inner):
            for target in scene.targets(spot, link):
                if not scene.true(inner, target):
                    yield from _misses(inner, scene, target)
        case Distinct(link, inners):
            counts = (scene.count(spot, link, inner) for inner in inners)
            yield spot.see(tuple(counts), pretty(predicate))
        case Exists(link, inner) | Follow(link, inner) | ListStep(_, inner, str() as link):
            yield from _nearest(predicate, scene, spot, link, inner)
        case _:
            yield spot.see(_looked_at(predicate, scene, spot), pretty(predicate))


def _nearest(predicate: Predicate, scene: _Scene, spot: _Spot, link: str, inner: Predicate) -> Iterator[Sight]:
    """Where nothing behind a link will do: how many rows each condition has, and what the nearest row lacks."""
    targets, parts = scene.targets(spot, link), conjuncts(inner)
    if isinstance(predicate, ListStep):
        targets = targets[:1] if predicate.step == "first" else targets[-1:]
    if not targets:
        nothing = scene.count(spot, link, Top()) if isinstance(predicate, Exists) else (link, None)
        yield spot.see((nothing,), pretty(predicate))
        return
    near = max(targets, key=lambda target: _nearness(parts, scene, target))
    telling = len(targets) == 1 or _nearness(parts, scene, near) > (0, -inf)
    if len(targets) > 1 and (len(parts) > 1 or not telling):
        yield spot.see(tuple(scene.count(spot, link, part) for part in parts), pretty(predicate))
    if telling:
        yield from _misses(inner, scene, near)


def _nearness(parts: tuple[Predicate, ...], scene: _Scene, spot: _Spot) -> tuple[int, float]:
    """How many conditions a row satisfies, and how little it misses the thresholds of the others by."""
    failing = [part for part in parts if not scene.true(part, spot)]
    return len(parts) - len(failing), -min((_gap(part, scene, spot) for part in failing), default=0.0)


def _gap(part: Predicate, scene: _Scene, spot: _Spot) -> float:
    match part:
        case Compare(name, ">=" | "<=", int() | float() as threshold):
            value = scene.value(name, spot)
            return abs(value - threshold) if isinstance(value, int | float) else inf
        case _:
            return inf
