"""Explanation of one prediction: each test on the path of the individual, and the rows that decided it.

An ensemble has no single path; the tests that contribute most to its prediction are explained in the same way.

A positive answer is explained by its witnesses (`structtree.space.meaning.witnesses`): the rows that made the test
true, with the values that it read. A negative answer is explained by the nearest miss: the conditions that fail, with
the actual values. Among several rows, the nearest one satisfies most conditions; ties go to the closest threshold.
If a value is missing and the tree has a rule for missing values, the rule is given. For an individual that is divided
among several leaves, the path with the largest fraction is explained.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from math import inf, isnan
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from structtree.data.dates import text_of
from structtree.data.population import Population, Value
from structtree.data.reachable import part_of
from structtree.data.schema import Schema
from structtree.errors import UsageError
from structtree.lang import syntax as syn
from structtree.lang.pretty import pretty, pretty_aggregate, pretty_name, pretty_scalar
from structtree.models.contributions import shared_by_feature
from structtree.models.model import Fitted, Model, fitted
from structtree.models.predictor import Evidence, Margin, PathStep
from structtree.models.settings import Decision
from structtree.report.english import name_words
from structtree.report.text import NodeText, short_number
from structtree.report.words import in_words
from structtree.reprs import Viewed, inert, number_text, short_repr
from structtree.space.evaluate import Known, aggregate_column, own_column, rows_where
from structtree.space.masks import MasksOfPart
from structtree.space.meaning import aggregated_places, given_paths, linked_row, witnesses
from structtree.space.terms import conjuncts

__all__ = [
    "Explained",
    "Explanation",
    "ExplanationSource",
    "Reason",
    "Reasoned",
    "SeenRow",
    "Shared",
    "expected_text",
    "explain",
    "explain_prepared",
    "features_text",
    "others_text",
    "reasons_prepared",
    "signed",
]

MAX_ROWS = 4
"""Maximum number of rows printed per answer; the explanation itself has all of them."""

MAX_FEATURES = 6
"""Maximum number of attributes and links that are printed."""


@dataclass(frozen=True, slots=True)
class SeenRow:
    """Row that a test examined.

    Parameters
    ----------
    path : str
        Path from the individual, such as ``cars[2].load``; empty for the individual itself.
    type : str
    values : tuple of pairs
        Names and values that the test read: attributes, counts and aggregates.
    fails : str
        Condition that the row does not satisfy; empty for a row that made the test true.
    met : str
        For a row behind a derived link: its path through links of the data, if there is one.
    in_words : bool
        Whether `fails` is in plain English; it then states what is true instead.
    number : int
        Number of the row among the rows of its type that the individual reaches.
    """

    path: str
    type: str
    values: tuple[tuple[str, Value], ...]
    fails: str = ""
    met: str = ""
    in_words: bool = field(default=False, compare=False, repr=False)
    number: int = field(default=-1, compare=False, repr=False)

    def __repr__(self) -> str:
        return short_repr(self, str(self))

    def __str__(self) -> str:
        where = f"{' = '.join(filter(None, (self.path, self.met)))} ({self.type})" if self.path else ""
        seen = ", ".join(f"{name} = {_plain(value)}" for name, value in self.values)
        missed = f"{'' if self.in_words else 'not '}{self.fails}" if self.fails else ""
        return ", but ".join(filter(None, (": ".join(filter(None, (where, seen))), missed)))

    def to_dict(self) -> dict[str, Any]:
        """Return the row as plain JSON values."""
        values = {name: _json_value(value) for name, value in self.values}
        met = {"met": self.met} if self.met else {}
        return {"path": self.path, **met, "type": self.type, "values": values, "fails": self.fails}


@dataclass(frozen=True, slots=True)
class Reason:
    """Test on the path, its answer, and the rows that decided it.

    Parameters
    ----------
    node : int or None
        Its node; None in an ensemble.
    test : str
        For a multiway split, its attribute.
    answer : bool or str
        For a multiway split, the value of the branch taken.
    rows : tuple of SeenRow
    note : str
        Reason for the answer if the value is unknown; otherwise empty.
    in_words : str
        The test in plain English, if requested; otherwise empty.
    denied : str
        The negated test in plain English, if requested; otherwise empty.
    contribution : float, optional
        In an ensemble, how much the test moves the prediction, together with all tests that differ in a number only.
    condition : Predicate, optional
        The test itself; None for a multiway split.
    """

    node: int | None
    test: str
    answer: bool | str
    rows: tuple[SeenRow, ...]
    note: str = ""
    in_words: str = ""
    denied: str = ""
    contribution: float | None = None
    condition: syn.Predicate | None = field(default=None, compare=False, repr=False)

    def __repr__(self) -> str:
        return short_repr(self, str(self), number_text(self.rows, "row"))

    def __str__(self) -> str:
        moves = "" if self.contribution is None else f"{signed(self.contribution)}  "
        return f"{moves}{self.in_words or self.test}: {self.said}"

    @property
    def said(self) -> str:
        """The answer as text."""
        said = self.answer if isinstance(self.answer, str) else "yes" if self.answer else "no"
        return f"{said} ({self.note})" if self.note else said

    @property
    def fails(self) -> str:
        """Condition that rows violate if the whole test fails."""
        return self.denied or self.test

    def words(self) -> Iterator[str]:
        """Yield the rows as text; the condition is omitted if it is the whole test."""
        for row in self.rows[:MAX_ROWS]:
            words = str(replace(row, fails="") if row.fails == self.fails and row.values else row)
            if words:
                yield words
        if len(self.rows) > MAX_ROWS:
            yield f"… and {len(self.rows) - MAX_ROWS} more"

    def to_dict(self) -> dict[str, Any]:
        """Return the reason as plain JSON values."""
        rows = [row.to_dict() for row in self.rows]
        place = {"node": self.node} if self.contribution is None else {"contribution": self.contribution}
        found = {**place, "test": self.test, "answer": self.answer, "rows": rows}
        more = {"note": self.note, "words": self.in_words}
        return found | {key: text for key, text in more.items() if text}


class ExplanationSource(NamedTuple):
    """Model and the individual of an explanation, as a population that contains only this individual."""

    model: Model
    alone: Population


@dataclass(frozen=True, slots=True)
class Explanation(Viewed):
    """Explanation of the prediction for one individual; notebooks display it as a picture.

    Parameters
    ----------
    individual : int
        Position of the individual, counted from 0.
    type : str
    reasons : tuple of Reason
        Tests on the path, from the root; in an ensemble, those that contribute most.
    leaf : int or None
        Leaf that the individual reaches; if several, the one with the largest fraction.
    prediction : class or float
    probability : float or None
        Probability of the predicted class; None for numbers.
    spread : float or None
        Standard deviation of the training targets in the leaf; None for classes.
    n : int
        Number of training individuals in the leaf.
    counts : tuple of pairs
        Training weight of each class in the leaf; empty for numbers.
    words : str
        The prediction as text, such as ``active 34/36``.
    names : tuple of pairs
        Names of the individual in its source, such as ``("smiles", "CCO")``; usually empty.
    margin : Margin, optional
        In an ensemble: what the contributions of the tests add up to.
    features : tuple of pairs
        In an ensemble: the sum of the contributions for each attribute or link, the largest first.
    source : ExplanationSource, optional
        The model and the individual, from which a notebook draws a picture.
    """

    individual: int
    type: str
    reasons: tuple[Reason, ...]
    leaf: int | None
    prediction: Any
    probability: float | None
    spread: float | None
    n: int
    counts: tuple[tuple[Any, float], ...]
    words: str
    names: tuple[tuple[str, str], ...] = ()
    margin: Margin | None = None
    features: tuple[tuple[str, float], ...] = ()
    source: ExplanationSource | None = field(default=None, compare=False, repr=False)

    def __repr__(self) -> str:
        return short_repr(self, f"{self.type} {self.individual} → {self.words}", number_text(self.reasons, "test"))

    def __str__(self) -> str:
        names = ", ".join(f"{what} {inert(name)}" for what, name in self.names)
        lines = [f"{self.type} {self.individual}" + (f" ({names})" if names else "")]
        lines += [] if self.margin is None else [f"expected {expected_text(self.margin)}"]
        for i, reason in enumerate(self.reasons, 1):
            lines.append(f"{i}. {reason}")
            lines += [f"     {words}" for words in reason.words()]
        lines += [] if self.margin is None or not self.margin.n_others else [f"   {others_text(self.margin)}"]
        lines += [f"by attribute and link: {features_text(self.features)}"] if self.features else []
        return "\n".join([*lines, f"→ {self.words}"])

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain JSON values."""
        plain = ("individual", "prediction", "probability", "spread", "n")
        names = {"names": dict(self.names)} if self.names else {}
        return {name: getattr(self, name) for name in plain} | {
            **names,
            **self._evidence([reason.to_dict() for reason in self.reasons]),
        }

    def _evidence(self, reasons: list[dict[str, Any]]) -> dict[str, Any]:
        if self.margin is not None:
            return {"margin": self.margin._asdict(), "contributions": reasons, "features": dict(self.features)}
        return {"counts": {str(label): weight for label, weight in self.counts}, "leaf": self.leaf, "path": reasons}


def expected_text(margin: Margin) -> str:
    """Return the expected value of a margin as text.

    Examples
    --------
    >>> expected_text(Margin("probability of east", 0.52501, 0.0, 0))
    'probability of east: 0.525'
    """
    return f"{inert(margin.name)}: {short_number(margin.expected)}"


def others_text(margin: Margin) -> str:
    """Return the sum of the contributions that are not listed as text.

    Examples
    --------
    >>> others_text(Margin("probability of east", 0.5, -0.0312, 12))
    '-0.0312  12 other tests'
    """
    return f"{signed(margin.others)}  {number_text(margin.n_others, 'other test')}"


def features_text(features: Sequence[tuple[str, float]]) -> str:
    """Return the largest contributions of attributes and links as text.

    Examples
    --------
    >>> features_text([("cars.long", -0.75), ("cars.wheels", 0.25)])
    'cars.long -0.75, cars.wheels +0.25'
    """
    shown = ", ".join(f"{inert(path or 'none')} {signed(number)}" for path, number in features[:MAX_FEATURES])
    return f"{shown}, …" if len(features) > MAX_FEATURES else shown


def signed(number: float) -> str:
    """Return a number with its sign.

    Examples
    --------
    >>> signed(0.5), signed(-2.0)
    ('+0.5', '-2')
    """
    return short_number(number) if number < 0 else f"+{short_number(number)}"


def explain(
    model: Any, individuals: Any, individual: int, decision: Decision | None = None, *, words: bool = False
) -> Explanation:
    """Explain the prediction for one individual.

    In a tree, the tests on the path of the individual are explained. In an ensemble, those that move the prediction
    most are, each with its contribution (see `structtree.contributions`); of tests that differ in a number only, the
    one that contributes most.

    Parameters
    ----------
    model : Tree, Model or fitted estimator
    individuals : Population, DataFrame, array, or sequence of dicts, graphs, SMILES or molecules
        In any form that the model accepts.
    individual : int
        Position of the individual, counted from 0.
    decision : Decision, optional
        Decision rule of the leaves; that of the model by default.
    words : bool
        Also give the tests in plain English; see `structtree.report.words.in_words`.

    Returns
    -------
    Explanation
        ``str(explanation)`` is for the terminal, ``to_dict()`` for JSON.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> from structtree.models.tree import Branch, ClassCounts, Found, Leaf, Tree
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
    known = fitted(model, decision)
    return explain_prepared(known, known.prepared(individuals), individual, words=words).explanation


@dataclass(frozen=True, slots=True)
class Phrases:
    """Tests as text, each formatted once for many explanations of one model."""

    known: dict[tuple[int, str, bool, bool], tuple[syn.Predicate, str]] = field(default_factory=dict)

    def of(self, test: syn.Predicate, schema: Schema, type_name: str, *, words: bool, denied: bool = False) -> str:
        """Return a test, or its negation, as text or in plain English."""
        key = (id(test), type_name, words, denied)
        if key not in self.known:  # the test is kept, so that its id stays its own
            text = in_words(syn.Not(test) if denied else test, schema, type_name) if words else pretty(test)
            self.known[key] = (test, text)
        return self.known[key][1]


@dataclass(frozen=True, slots=True)
class Shared:
    """Masks and phrases shared by the explanations of many individuals of one population.

    Masks are evaluated on the whole population, which should have few rows that none of these individuals reaches.
    """

    masks: Known = field(default_factory=dict)
    phrases: Phrases = field(default_factory=Phrases)


class Reasoned(NamedTuple):
    """Reasons for a prediction, a population that contains only its individual, and the masks of its rows."""

    reasons: tuple[Reason, ...]
    evidence: Evidence
    alone: Population
    masks: Known


class Explained(NamedTuple):
    """Explanation of a prediction, and a population that contains only its individual."""

    explanation: Explanation
    alone: Population


def explain_prepared(
    known: Fitted, population: Population, individual: int, *, words: bool = False, shared: Shared | None = None
) -> Explained:
    """Explain a prediction for a prepared population, and return the individual as a population."""
    reasons, evidence, alone, _ = reasons_prepared(known, population, individual, words=words, shared=shared)
    concluded = _concluded(known.model, alone, evidence, int(individual), reasons)
    provenance = population.provenance
    names = {} if provenance is None else provenance.names_of(int(population.individuals[individual]))
    source = ExplanationSource(known.model, alone)
    return Explained(replace(concluded, names=tuple(names.items()), source=source), alone)


def reasons_prepared(
    known: Fitted, population: Population, individual: int, *, words: bool = False, shared: Shared | None = None
) -> Reasoned:
    """Return the reasons for a prediction for a prepared population, without the prediction."""
    predictor = known.model.predictor
    if not isinstance(individual, Integral) or not 0 <= individual < len(population):
        raise UsageError(f"individual must be between 0 and {len(population) - 1}; got {individual!r}")
    part = part_of(population, [int(individual)])
    alone = part.population
    masks: Known = {} if shared is None else MasksOfPart(part, population, shared.masks)
    phrases = Phrases() if shared is None else shared.phrases
    own, given = alone.schema.individual, given_paths(alone, 0)
    start = _Row(own, int(alone.individuals[0]), "", alone, given, masks, words, phrases)
    evidence = predictor.explain(alone, masks)
    reasons = tuple(_reason(step, predictor.schema, start) for step in evidence.steps)
    return Reasoned(reasons, evidence, alone, masks)


def _reason(step: PathStep, schema: Schema, start: _Row) -> Reason:
    """Explain one test."""
    note = _unknown_note(step.share) if step.unknown else ""
    if isinstance(step.test, str):
        seen = (start.seen(((step.test, start.value(step.test)),)),)
        spoken = name_words(step.test) if start.words else ""
        return Reason(step.node, pretty_name(step.test), pretty_scalar(step.answer), seen, note, spoken)
    said = (start.in_words(step.test, schema), start.denies(step.test)) if start.words else ("", "")
    if step.unknown:
        rows: Iterable[SeenRow] = (start.seen(_looked_at(step.test, start)),)
    else:
        rows = (_grounds if step.answer else _misses)(step.test, start)
    test = start.phrases.of(step.test, schema, start.type, words=False)
    return Reason(step.node, test, step.answer, tuple(dict.fromkeys(rows)), note, *said, step.contribution, step.test)


def _unknown_note(share: float | None) -> str:
    return "unknown: follows the majority" if share is None else f"unknown: {share:.0%} of its weight goes here"


def _concluded(
    model: Model, alone: Population, evidence: Evidence, individual: int, reasons: tuple[Reason, ...]
) -> Explanation:
    predictor, name = model.predictor, alone.schema.individual
    found, leaf = predictor.predict(alone)[0], evidence.leaf
    words = (
        NodeText.of(model.tree, model.decision).answer(leaf) if leaf is not None and evidence.n_leaves == 1 else ""
    )
    leaves = f" (from {evidence.n_leaves} leaves)" if evidence.n_leaves else ""
    summed = partial(
        Explanation, margin=evidence.margin, features=(*shared_by_feature(evidence.contributions).items(),)
    )
    if not predictor.task.predicts_classes:
        mean, spreads = float(found), predictor.predict_spread(alone)
        spread = None if spreads is None else float(spreads[0])
        around = "" if spread is None else f" ± {short_number(spread)}"
        words = words or f"{short_number(mean)}{around}{leaves}"
        return summed(individual, name, reasons, leaf, mean, None, spread, evidence.n, (), words)
    label, sure = predictor.classes[int(found)], float(predictor.predict_proba(alone)[0, int(found)])
    words = words or f"{label}, p = {short_number(sure)}{leaves}"
    return summed(individual, name, reasons, leaf, label, sure, None, evidence.n, evidence.counts, words)


def _json_value(value: Value) -> bool | int | float | str | None:
    """Convert a value for JSON; dates become strings."""
    return text_of(value) if isinstance(value, date) else value


def _plain(value: Value) -> str:
    match value:
        case None:
            return "missing"
        case bool():
            return "yes" if value else "no"
        case date():
            return text_of(value)
        case _:
            return pretty_scalar(value)


# ---- rows -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Row:
    """Row that an individual reaches: its type, its number, and its path."""

    type: str
    number: int
    path: str
    population: Population = field(compare=False, repr=False)
    given: Mapping[tuple[str, int], str] = field(compare=False, repr=False)
    known: Known = field(default_factory=dict, compare=False, repr=False)
    words: bool = field(default=False, compare=False, repr=False)
    phrases: Phrases = field(default_factory=Phrases, compare=False, repr=False)

    def elsewhere(self, type_name: str, number: int, path: str) -> _Row:
        """Return another row that the same individual reaches."""
        return _Row(type_name, number, path, self.population, self.given, self.known, self.words, self.phrases)

    def in_words(self, test: syn.Predicate, schema: Schema) -> str:
        """Return a test of the tree in plain English."""
        return self.phrases.of(test, schema, schema.individual, words=True)

    def denies(self, predicate: syn.Predicate) -> str:
        """Format a predicate that fails: its text, or its negation in plain English."""
        return self.phrases.of(predicate, self.population.schema, self.type, words=self.words, denied=True)

    def seen(self, values: tuple[tuple[str, Value], ...], fails: str = "") -> SeenRow:
        """Return this row (for a pair, its linked row) with the values that were read."""
        type_name, number = linked_row(self.population, self.type, self.number)
        place = self.given.get((type_name, number), "") if self._is_behind_derived_link() else ""
        return SeenRow(self.path, type_name, values, fails, place, self.words, number)

    def _is_behind_derived_link(self) -> bool:
        derived = {link.name for t in self.population.schema.types for link in t.links if link.derived}
        return any(step.partition("[")[0] in derived for step in self.path.split("."))

    def satisfies(self, predicate: syn.Predicate) -> bool:
        """Return whether the row satisfies a predicate."""
        return bool(rows_where(predicate, self.population, self.type, self.known)[self.number])

    def value(self, name: str) -> Value:
        """Return the value of an attribute; an absent reference counts as missing."""
        column = self.population.tables[self.type].column(name)
        return None if column is None else column.value(self.number)

    def value_at(self, path: syn.ValuePath) -> Value:
        """Return the value at the end of a chain of references; missing if one of them is absent."""
        return own_column(path, self.population, self.type).value(self.number)

    def targets(self, link: str) -> list[_Row]:
        """Return the rows that a link refers to."""
        declared = self.population.schema.type(self.type).link(link)
        assert declared is not None
        stem = f"{self.path}.{link}" if self.path else link
        numbers = self.population.tables[self.type].links[link].of(self.number).tolist()
        paths = [stem if declared.single else f"{stem}[{i}]" for i in range(len(numbers))]
        return [self.elsewhere(declared.target, n, at) for n, at in zip(numbers, paths, strict=True)]

    def count(self, link: str, inner: syn.Predicate) -> tuple[str, Value]:
        """Count the rows behind a link that satisfy a predicate; return a name and the count."""
        schema, population = self.population.schema, self.population
        declared = schema.type(self.type).link(link)
        assert declared is not None
        rows = population.tables[self.type].links[link].of(self.number)
        n = int(np.count_nonzero(rows_where(inner, population, declared.target, self.known)[rows]))
        text = self.phrases.of(inner, schema, declared.target, words=False)
        return f"count {pretty_name(link)} ({text})", n


def _looked_at(predicate: syn.Predicate, row: _Row) -> tuple[tuple[str, Value], ...]:
    """Return the values in a row that a predicate depends on, with their names."""
    match predicate:
        case syn.Flag(name) | syn.Compare(name) | syn.Among(name) | syn.Within(name) | syn.Missing(name):
            return ((name, row.value(name)),)
        case syn.CompareOwn():
            return tuple((".".join(path), row.value_at(path)) for path in predicate.sides)
        case syn.Named(_, body) if body is not None:
            return ((pretty(predicate), row.satisfies(body)), *_looked_at(body, row))
        case syn.Count(link, inner) | syn.No(link, inner) | syn.Not(syn.Exists(link, inner) | syn.All(link, inner)):
            return (row.count(link, inner),)
        case syn.All(link) if not row.targets(link):
            return (row.count(link, syn.Top()),)
        case syn.Aggregate():
            column = aggregate_column(predicate, row.population, row.type, row.known)
            return ((pretty_aggregate(predicate), column.value(row.number)),)
        case syn.And(parts) | syn.Or(parts):
            return tuple(dict.fromkeys(seen for part in parts for seen in _looked_at(part, row)))
        case syn.Not(inner):
            return _looked_at(inner, row)
        case _:
            return ()


# ---- positive answers -----------------------------------------------------------------------------------


def _grounds(predicate: syn.Predicate, row: _Row) -> Iterator[SeenRow]:
    """Yield the distinct rows that made a predicate true, with the values that were read."""
    if isinstance(predicate, syn.Not):
        yield from (replace(seen, fails="") for seen in _misses(predicate.inner, row))
        return
    schema = Schema(row.population.schema.types, row.type)
    alone = replace(row.population, schema=schema, individuals=np.array([row.number]))
    values: dict[_Row, dict[str, Value]] = {}
    for witness in witnesses(predicate, alone, 0, row.known):
        path = ".".join(filter(None, (row.path, witness.path)))
        there = row.elsewhere(witness.type, witness.row, path)
        values.setdefault(there, {}).update(_looked_at(witness.predicate, there))
    passed = _passed(there.path for there in values)
    for there, found in values.items():
        if found or there.path not in passed:
            yield there.seen(tuple(found.items()))


def _passed(paths: Iterable[str]) -> set[str]:
    """Return the proper beginnings of paths.

    Examples
    --------
    >>> sorted(_passed(["cars[2].load", "cars[1]"]))
    ['', 'cars', 'cars[2]']
    """
    found = set[str]()
    for path in paths:
        while path:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
            if path in found:
                break
            found.add(path)
    return found


# ---- negative answers -----------------------------------------------------------------------------------


def _misses(predicate: syn.Predicate, row: _Row) -> Iterator[SeenRow]:
    """Yield the rows that make a predicate false, with the values that were read."""
    match predicate:
        case syn.And(parts) | syn.Or(parts):
            for part in parts:
                if not row.satisfies(part):
                    yield from _misses(part, row)
        case syn.Named(_, body) if body is not None:
            yield from _misses(body, row)
        case syn.Not(inner):
            yield from (replace(seen, fails=row.denies(predicate)) for seen in _grounds(inner, row))
        case syn.No(link, inner):
            yield from (replace(seen, fails=row.denies(predicate)) for seen in _grounds(syn.Exists(link, inner), row))
        case syn.All(link, inner):
            for target in row.targets(link):
                if not target.satisfies(inner):
                    yield from _misses(inner, target)
        case syn.Distinct(link, inners):
            counts = (row.count(link, inner) for inner in inners)
            yield row.seen(tuple(counts), row.denies(predicate))
        case syn.Exists(link, inner) | syn.Follow(link, inner) | syn.ListStep(_, inner, str() as link):
            yield from _nearest(predicate, row, link, inner)
        case syn.Aggregate(link=link):
            yield row.seen(_looked_at(predicate, row), row.denies(predicate))
            targets = row.targets(link)
            places = aggregated_places(predicate, row.population, row.type, row.number, row.known)
            yield from (targets[place].seen(_summed(predicate, targets[place])) for place in places)
        case _:
            yield row.seen(_looked_at(predicate, row), row.denies(predicate))


def _summed(test: syn.Aggregate, row: _Row) -> tuple[tuple[str, Value], ...]:
    """Return the values in one row that an aggregate was computed from."""
    own = () if test.inner is None else _looked_at(test.inner, row)
    names = (name for name in (test.attribute, test.order) if name is not None)
    return tuple(dict.fromkeys([*own, *((name, row.value(name)) for name in names)]))


def _nearest(predicate: syn.Predicate, row: _Row, link: str, inner: syn.Predicate) -> Iterator[SeenRow]:
    """Explain why no row behind a link matches: rows per condition, and what the nearest row lacks."""
    targets, parts = row.targets(link), conjuncts(inner)
    if isinstance(predicate, syn.ListStep):
        targets = targets[:1] if predicate.step == "first" else targets[-1:]
    if not targets:
        absent = row.count(link, syn.Top()) if isinstance(predicate, syn.Exists) else (link, None)
        yield row.seen((absent,), row.denies(predicate))
        return
    near = max(targets, key=lambda target: _nearness(parts, target))
    is_near = len(targets) == 1 or _nearness(parts, near) > (0, -inf)
    if len(targets) > 1 and (len(parts) > 1 or not is_near):
        yield row.seen(tuple(row.count(link, part) for part in parts), row.denies(predicate))
    if is_near:
        yield from _misses(inner, near)


def _nearness(parts: tuple[syn.Predicate, ...], row: _Row) -> tuple[int, float]:
    """Return how many conditions a row satisfies, and how closely it misses a threshold of the others."""
    failing = [part for part in parts if not row.satisfies(part)]
    return len(parts) - len(failing), -min((_gap(part, row) for part in failing), default=0.0)


def _gap(part: syn.Predicate, row: _Row) -> float:
    match part:
        case syn.Compare(name, ">=" | "<=", int() | float() as threshold):
            number = float(row.population.tables[row.type].value_column(name).values[row.number])
            return inf if isnan(number) else abs(number - threshold)
        case _:
            return inf
