"""Random structured data with a planted rule: schemas, populations, and rules from the space of the default grammar.

A case is a pure function of its seed, its number of individuals and its rule, so that another version of the package
can be given the same case: the rule is text, the rest is drawn again. Nothing here knows how anything is searched.

A schema is a chain of two to four types, each row owning the rows of the next (a set or a list), with up to four
additions: a second kind of rows that is owned, a table that many rows refer to, a set of shared rows, and a link from
a type to itself. Values are drawn independently of each other: the rule is all there is to find.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from structtree import Attribute, Link, Population, RecordType, Schema, Space, canonical, holds, pretty
from structtree.data.population import Adjacency, Column, Table
from structtree.lang import syntax as syn
from structtree.space.evaluate import Known, rows_where
from structtree.space.families import LinkFamily, TestFamily
from structtree.space.terms import conjoin, n_literals

try:
    from structtree import default_grammar
except ImportError:  # as it was called before, for comparing with an older checkout
    from structtree.lang.grammar import default_grammar

__all__ = ["MOST_LITERALS", "NOISE", "Case", "Problem", "cases", "problem_of", "random_population"]

MOST_LITERALS = 6
"""The longest rules: what the default grammar allows."""

NOISE = 0.05
"""The share of the labels that are turned round."""

SHARES = (0.15, 0.85)
"""Of what share of the individuals a rule must hold, at least and at most."""

NEEDED = 0.05
"""The share of the individuals that must be answered differently without any one literal of a rule."""

ROWS_PER_INDIVIDUAL = (3.0, 20.0)
"""How many rows there are for each individual, at least and at most."""

TRIES = 1500
"""So many rules are drawn for one population before another population is."""

CHAIN = ("Case", "Part", "Piece", "Grain")
KINDS = ("bool", "int", "real", "nominal")

Way = Literal["owned", "shared", "sibling"]
Ints = NDArray[np.int64]
Labels = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Case:
    """A planted rule on a population that can be drawn again.

    Parameters
    ----------
    seed : tuple of int
        Of the population and the noise.
    individuals : int
    rule : str
    literals : int
        How many the rule has.
    """

    seed: tuple[int, ...]
    individuals: int
    rule: str
    literals: int


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """A population with labels, and the rule that they follow but for the noise."""

    population: Population
    labels: Labels
    rule: syn.Predicate


def cases(individuals: int, literals: range, n_each: int, seed: int) -> Iterator[Case]:
    """So many cases for each number of literals, the numbers taking turns; each has a population of its own."""
    for i in range(n_each):
        for n in literals:
            yield _case(individuals, n, (seed, individuals, n, i))


def problem_of(case: Case) -> Problem:
    """The data of a case."""
    population = random_population(case.individuals, np.random.default_rng(case.seed))
    rule = canonical(default_grammar(population).predicate(case.rule, population.schema))
    return Problem(population, _with_noise(holds(rule, population), np.random.default_rng((*case.seed, 1))), rule)


def _with_noise(answers: Labels, rng: np.random.Generator) -> Labels:
    turned = rng.permutation(len(answers))[: round(NOISE * len(answers))]
    labels = answers.copy()
    labels[turned] = ~labels[turned]
    return labels


def _case(individuals: int, literals: int, seed: tuple[int, ...]) -> Case:
    """The first population, of an endless row of them, on which a rule of that length can be planted."""
    attempt = 0
    while True:
        tried = (*seed, attempt)
        population = random_population(individuals, np.random.default_rng(tried))
        rule = _planted(population, literals, np.random.default_rng((*tried, 2)))
        if rule is not None:
            return Case(tried, individuals, pretty(rule), literals)
        attempt += 1


# ---- schemas ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Arrow:
    """A link of a schema, and how its rows are drawn.

    Parameters
    ----------
    source : str
    link : Link
    way : {"owned", "shared", "sibling"}
        Rows of their own; any rows of a table that all share; or rows with the same owner.
    mean : float
        How many rows it leads to.
    """

    source: str
    link: Link
    way: Way
    mean: float


@dataclass(frozen=True, slots=True)
class _Plan:
    """A schema with what it takes to draw a population for it; types come after those that own them."""

    schema: Schema
    arrows: tuple[_Arrow, ...]

    def rows_per_individual(self) -> float:
        """How many rows to expect."""
        rows = {self.schema.individual: 1.0}
        for arrow in self.arrows:
            if arrow.way == "owned":
                rows[arrow.link.target] = rows[arrow.source] * arrow.mean
        return sum(rows.values())


def _random_plan(rng: np.random.Generator) -> _Plan:
    """A plan with as many rows as there should be; how deep it is is settled first, or it would seldom be deep."""
    low, high = ROWS_PER_INDIVIDUAL
    chain = CHAIN[: rng.integers(2, len(CHAIN) + 1)]
    while True:
        arrows = _random_arrows(chain, rng)
        names = dict.fromkeys([CHAIN[0], *(arrow.link.target for arrow in arrows)])
        types = tuple(
            RecordType(name, _random_attributes(rng), tuple(a.link for a in arrows if a.source == name))
            for name in names
        )
        kinds = {attribute.kind for record in types for attribute in record.attributes}
        plan = _Plan(Schema(types, CHAIN[0]), arrows)
        if len(kinds) == len(KINDS) and low * 1.1 <= plan.rows_per_individual() <= high * 0.9:
            return plan


def _random_arrows(chain: tuple[str, ...], rng: np.random.Generator) -> tuple[_Arrow, ...]:
    arrows = [_owned(source, f"{target.lower()}s", target, rng) for source, target in pairwise(chain)]
    if rng.random() < 0.4:
        arrows.append(_owned(_any(chain[:-1], rng), "notes", "Note", rng))
    if rng.random() < 0.6:
        arrows.append(_reference(_any(chain, rng), "maker", "Maker", rng))
        if rng.random() < 0.4:
            arrows.append(_reference("Maker", "country", "Country", rng))
    if rng.random() < 0.3:
        mean = float(rng.uniform(1.0, 3.0))
        arrows.append(_Arrow(_any(chain, rng), Link("tags", "set", "Tag"), "shared", mean))
    if rng.random() < 0.5:
        arrows.append(_recursive(_any(chain, rng), rng))
    return tuple(arrows)


def _any(names: tuple[str, ...], rng: np.random.Generator) -> str:
    return names[rng.integers(len(names))]


def _owned(source: str, name: str, target: str, rng: np.random.Generator) -> _Arrow:
    kind: Literal["list", "set"] = "list" if rng.random() < 0.4 else "set"
    return _Arrow(source, Link(name, kind, target), "owned", float(rng.uniform(1.0, 6.0)))


def _reference(source: str, name: str, target: str, rng: np.random.Generator) -> _Arrow:
    kind: Literal["optional", "one"] = "optional" if rng.random() < 0.5 else "one"
    return _Arrow(source, Link(name, kind, target), "shared", 0.8 if kind == "optional" else 1.0)


def _recursive(name: str, rng: np.random.Generator) -> _Arrow:
    if name == CHAIN[0]:
        return _Arrow(name, Link("parent", "optional", name), "shared", 0.8)
    if rng.random() < 0.5:
        return _Arrow(name, Link("before", "optional", name), "sibling", 0.8)
    return _Arrow(name, Link("near", "set", name), "sibling", 0.5)


def _random_attributes(rng: np.random.Generator) -> tuple[Attribute, ...]:
    kinds = rng.choice(KINDS, size=rng.integers(2, 6))
    return tuple(Attribute(f"{kind}{i}", str(kind)) for i, kind in enumerate(kinds))  # type: ignore[arg-type]


# ---- populations -----------------------------------------------------------------------------------------


def random_population(individuals: int, rng: np.random.Generator) -> Population:
    """Draw a schema, and data for it."""
    plan = _random_plan(rng)
    owners: dict[str, Ints] = {CHAIN[0]: np.arange(individuals)}
    links: dict[str, dict[str, Adjacency]] = {record.name: {} for record in plan.schema.types}
    shared = {arrow.link.target for arrow in plan.arrows if arrow.way == "shared"} - {CHAIN[0]}
    owners |= {name: np.arange(max(10, individuals // 20)) for name in shared}
    for arrow in plan.arrows:
        made = _draw_links(arrow, owners, rng)
        links[arrow.source][arrow.link.name] = made
        if arrow.way == "owned":
            owners[arrow.link.target] = made.owners
    tables = {r.name: _table(r, len(owners[r.name]), links[r.name], rng) for r in plan.schema.types}
    return Population(plan.schema, tables)


def _draw_links(arrow: _Arrow, owners: dict[str, Ints], rng: np.random.Generator) -> Adjacency:
    n_rows = len(owners[arrow.source])
    match arrow.way:
        case "owned":
            lengths = rng.poisson(arrow.mean, n_rows)
            return Adjacency.from_lengths(lengths, np.arange(lengths.sum()))
        case "shared":
            return _draw_shared(arrow, n_rows, len(owners[arrow.link.target]), rng)
        case "sibling":
            return _draw_siblings(arrow, owners[arrow.source], rng)


def _draw_shared(arrow: _Arrow, n_rows: int, n_targets: int, rng: np.random.Generator) -> Adjacency:
    lengths = rng.random(n_rows) < arrow.mean if arrow.link.single else rng.poisson(arrow.mean, n_rows)
    sources = np.repeat(np.arange(n_rows), lengths)
    pairs = np.unique(np.stack([sources, rng.integers(0, n_targets, len(sources))], axis=1), axis=0)
    return Adjacency.from_lengths(np.bincount(pairs[:, 0], minlength=n_rows), pairs[:, 1])


def _draw_siblings(arrow: _Arrow, owners: Ints, rng: np.random.Generator) -> Adjacency:
    """Links to neighbours among the rows of one owner: the one before, or some of the nearest four."""
    rows = np.arange(len(owners))
    columns = [rows + step for step in ((-1,) if arrow.link.single else (-2, -1, 1, 2))]
    targets = np.stack(columns, axis=1)
    inside = (targets >= 0) & (targets < len(rows))
    inside &= owners[np.clip(targets, 0, max(len(rows) - 1, 0))] == owners[:, None]
    inside &= rng.random(targets.shape) < arrow.mean
    return Adjacency.from_lengths(inside.sum(axis=1), targets[inside])


def _table(record: RecordType, n: int, links: dict[str, Adjacency], rng: np.random.Generator) -> Table:
    return Table(n, {a.name: _random_column(a, n, rng) for a in record.attributes}, links)


def _random_column(attribute: Attribute, n: int, rng: np.random.Generator) -> Column:
    """Values of a kind; in a quarter of the columns one in twenty is missing."""
    missing = rng.random(n) < (0.05 if rng.random() < 0.25 else 0.0)
    match attribute.kind:
        case "bool":
            flags = (rng.random(n) < rng.uniform(0.2, 0.8)).astype(np.int8)
            return Column("bool", np.where(missing, np.int8(-1), flags))
        case "nominal":
            categories = tuple("abcdefgh"[: rng.integers(2, 9)])
            shares = rng.dirichlet(np.full(len(categories), 3.0))
            codes = rng.choice(len(categories), size=n, p=shares).astype(np.int32)
            return Column("nominal", np.where(missing, np.int32(-1), codes), categories)
        case kind:
            return Column(kind, np.where(missing, np.nan, _random_numbers(kind, n, rng)))


def _random_numbers(kind: str, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
    if kind == "int":
        return rng.integers(0, rng.integers(5, 100), n).astype(np.float64)
    spread = float(rng.choice([1.0, 10.0, 100.0]))
    drawn = rng.normal(0.0, spread, n) if rng.random() < 0.5 else rng.exponential(spread, n)
    return np.round(drawn, 2)


# ---- rules -----------------------------------------------------------------------------------------------


def _planted(population: Population, literals: int, rng: np.random.Generator) -> syn.Predicate | None:
    """A rule of the space that divides the individuals and needs all its literals; None if none was drawn."""
    space = Space.build(default_grammar(population), population)
    known: Known = {}
    for _ in range(TRIES):
        drawn = _draw(space, population.schema.individual, literals, rng)
        if drawn is None:
            continue
        rule = canonical(drawn)
        if n_literals(rule) == literals and _is_useful(rule, space, population, known):
            return rule
        if len(known) > 500:
            known.clear()
    return None


def _draw(space: Space, type_name: str, literals: int, rng: np.random.Generator) -> syn.Predicate | None:
    """A conjunction of so many literals at a position; None when a draw has led nowhere."""
    most = space.grammar.conjuncts.get(type_name, 1)
    n_parts = 1 if literals == 1 else int(rng.integers(1, min(most or literals, literals) + 1))
    cuts = np.sort(rng.choice(np.arange(1, literals), size=n_parts - 1, replace=False)) if n_parts > 1 else []
    sizes = np.diff([0, *cuts, literals])
    parts = [_draw_literal(space, type_name, int(size), rng) for size in sizes]
    found = tuple(part for part in parts if part is not None)
    return conjoin(found) if len(found) == len(parts) else None


def _draw_literal(space: Space, type_name: str, size: int, rng: np.random.Generator) -> syn.Predicate | None:
    families = space.offers.from_top[type_name]
    tests = [f for f in families if isinstance(f, TestFamily) and f.size == size]
    links = [f for f in families if isinstance(f, LinkFamily) and len(f.slots) == 1 and f.slots[0].plain]
    if not tests and not links:
        return None
    # A test where one will do: a link with nothing behind it seldom says much.
    if tests and (not links or rng.random() < 0.85):
        test = tests[rng.integers(len(tests))]
        return test.literal(int(rng.integers(len(test))))
    family = links[rng.integers(len(links))]
    inner = syn.Top() if size == 1 else _draw(space, family.slots[0].type, size - 1, rng)
    return None if inner is None else family.build(int(rng.choice(family.numbers)), [inner])


def _is_useful(rule: syn.Predicate, space: Space, population: Population, known: Known) -> bool:
    answers = _answers(rule, population, known)
    if not SHARES[0] <= answers.mean() <= SHARES[1] or rule not in space:
        return False
    shorter = [*space.parents(rule), *_with_a_count_less(rule)]
    return all((_answers(general, population, known) != answers).mean() >= NEEDED for general in shorter)


def _answers(predicate: syn.Predicate, population: Population, known: Known) -> Labels:
    return rows_where(predicate, population, population.schema.individual, known)[population.individuals]


def _with_a_count_less(predicate: syn.Predicate) -> Iterator[syn.Predicate]:
    """The predicate with one count weakened to ``exists``."""
    match predicate:
        case syn.And(parts):
            for i, part in enumerate(parts):
                for weaker in _with_a_count_less(part):
                    yield conjoin((*parts[:i], weaker, *parts[i + 1 :]))
        case syn.Count(link, inner):
            yield syn.Exists(link, inner)
            yield from (replace(predicate, inner=weaker) for weaker in _with_a_count_less(inner))
        case _ if hasattr(predicate, "inner"):
            weakened: Any = predicate
            yield from (replace(weakened, inner=weaker) for weaker in _with_a_count_less(weakened.inner))
