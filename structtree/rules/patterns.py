"""Frequent patterns, association rules and contrasts: the predicates that enough individuals satisfy.

No target is needed. `structtree.rules.frequent` enumerates the frequent predicates; this module selects closed,
maximal and shortest ones, makes rules of them, and compares their support in the classes of a target.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from hashlib import blake2b
from heapq import heappush, heapreplace
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structtree.arrays import Words
from structtree.data.population import Column, Population
from structtree.data.readers.individuals import population_of
from structtree.errors import DataError, UsageError
from structtree.interrupts import stoppable
from structtree.lang import syntax as syn
from structtree.lang.default import default_grammar
from structtree.lang.grammar import Grammar, grammar_from
from structtree.lang.pretty import pretty
from structtree.models.applying import Call
from structtree.options import build_options
from structtree.progress import report_status
from structtree.reprs import Viewed, number_text, short_repr
from structtree.rules.frequent import Ending, Frequent, FrequentPredicates, Literals
from structtree.rules.settings import PatternOptions
from structtree.search.clock import Clock
from structtree.search.kernels.masks import packed, shared_counts
from structtree.space.background import with_background
from structtree.space.count import count_space
from structtree.space.space import Space
from structtree.space.terms import conjoin, n_literals
from structtree.tasks.evidence import excess_p_value
from structtree.tasks.inference import infer_task, labels_for
from structtree.tasks.metrics import class_name

__all__ = ["AssociationRule", "Contrast", "Pattern", "PatternSearch", "Patterns", "find_patterns", "prepare_patterns"]

USUAL_LITERALS = 3
"""Maximum number of literals without a given grammar."""

USUAL_CONFIDENCE = 0.8

MOST_COUNTED = 5_000
"""Maximum number of predicates to enumerate for the size of a space without a formula."""


@dataclass(frozen=True, slots=True, eq=False)
class Contrast:
    """Support of a pattern in the classes of a target.

    Parameters
    ----------
    label
        The class whose support exceeds that of the other classes most.
    counts : dict from class to int
        Number of individuals of each class that satisfy the pattern.
    sizes : dict from class to int
        Number of individuals of each class.
    p_value : float
        Of Fisher's exact test of this class against the others, multiplied by the number of classes and of patterns;
        at most 1.
    """

    label: Any
    counts: Mapping[Any, int]
    sizes: Mapping[Any, int]
    p_value: float

    @property
    def support(self) -> float:
        """Share of the class that satisfies the pattern."""
        return self.counts[self.label] / self.sizes[self.label]

    @property
    def support_of_others(self) -> float:
        """Share of all other classes that satisfies the pattern."""
        n = sum(self.sizes.values()) - self.sizes[self.label]
        return (sum(self.counts.values()) - self.counts[self.label]) / n

    @property
    def difference(self) -> float:
        """Support in the class minus that in the others."""
        return self.support - self.support_of_others

    @property
    def growth(self) -> float:
        """Support in the class divided by that in the others; infinite if the latter is 0."""
        return self.support / self.support_of_others if self.support_of_others else inf

    def to_dict(self) -> dict[str, Any]:
        """Return the contrast as plain JSON values."""
        counts = {class_name(label): n for label, n in self.counts.items()}
        growth = None if self.growth == inf else self.growth
        figures = {"difference": self.difference, "growth": growth, "p_value": self.p_value}
        return {"class": class_name(self.label), "counts": counts, **figures}


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """A predicate that enough individuals satisfy.

    Parameters
    ----------
    literals : tuple of Predicate
        The conjuncts of the predicate.
    n, n_all : int
        Number of individuals that satisfy it, and of all individuals.
    contrast : Contrast, optional
    """

    literals: tuple[syn.Predicate, ...]
    n: int
    n_all: int
    contrast: Contrast | None = None

    @property
    def predicate(self) -> syn.Predicate:
        """The canonical conjunction of the literals."""
        return conjoin(self.literals)

    @property
    def support(self) -> float:
        """Share of the individuals that satisfy the pattern."""
        return self.n / self.n_all

    def __str__(self) -> str:
        return pretty(self.predicate)

    def __repr__(self) -> str:
        return short_repr(self, str(self), f"{self.n:,} of {number_text(self.n_all, 'individual')}")

    def to_dict(self) -> dict[str, Any]:
        """Return the pattern as plain JSON values."""
        known = {} if self.contrast is None else self.contrast.to_dict()
        return {"pattern": str(self), "n": self.n, "support": self.support, **known}


@dataclass(frozen=True, slots=True, eq=False)
class AssociationRule:
    """The share of the individuals of a body that satisfy a head as well.

    Parameters
    ----------
    body, head : Predicate
        The body is ``top`` in a rule about all individuals.
    n_body, n_head, n, n_all : int
        Numbers of individuals that satisfy the body, the head and both, and of all individuals.
    """

    body: syn.Predicate
    head: syn.Predicate
    n_body: int
    n_head: int
    n: int
    n_all: int

    @property
    def support(self) -> float:
        """Share of the individuals that satisfy body and head."""
        return self.n / self.n_all

    @property
    def confidence(self) -> float:
        """Share of the individuals of the body that satisfy the head."""
        return self.n / self.n_body

    @property
    def lift(self) -> float:
        """Confidence divided by the share of all individuals that satisfy the head; 1 if they are independent."""
        return self.n * self.n_all / (self.n_body * self.n_head)

    @property
    def leverage(self) -> float:
        """Support minus the support that independent body and head would have."""
        return self.n / self.n_all - (self.n_body / self.n_all) * (self.n_head / self.n_all)

    @property
    def conviction(self) -> float:
        """Share of exceptions that independent body and head would have, divided by the actual share."""
        if self.n == self.n_body:
            return inf
        return (1 - self.n_head / self.n_all) / (1 - self.confidence)

    def __str__(self) -> str:
        return f"if {pretty(self.body)} then {pretty(self.head)}"

    def __repr__(self) -> str:
        return short_repr(self, str(self), f"confidence {self.n:,}/{self.n_body:,}", f"lift {self.lift:.3g}")

    def to_dict(self) -> dict[str, Any]:
        """Return the rule as plain JSON values."""
        numbers = {name: getattr(self, name) for name in ("n", "n_body", "n_head")}
        figures = {name: getattr(self, name) for name in ("support", "confidence", "lift", "leverage")}
        conviction = None if self.conviction == inf else self.conviction
        texts = {"body": pretty(self.body), "head": pretty(self.head)}
        return {**texts, **numbers, **figures, "conviction": conviction}


@dataclass(frozen=True, slots=True, eq=False)
class Patterns(Viewed, Sequence[Any]):
    """Frequent patterns, or rules made of them, and how they were found.

    Parameters
    ----------
    found : tuple of Pattern, or of AssociationRule
        In the order in which they were found, or the best first if the options ask for an order.
    options : PatternOptions
    grammar : Grammar
    population : Population
        All individuals, with what the grammar computes.
    least : int
        Minimum number of individuals of a pattern.
    n_frequent : int
        Number of frequent patterns, from which the others were selected.
    n_space : int, optional
        Number of predicates of the space; None if it cannot be counted.
    stopped_by : {"done", "time", "interrupt", "memory"}
        Why the search ended.
    target : str, optional
        Name of the target.
    """

    found: tuple[Pattern, ...] | tuple[AssociationRule, ...]
    options: PatternOptions
    grammar: Grammar = field(repr=False)
    population: Population = field(repr=False)
    least: int
    n_frequent: int
    n_space: int | None
    stopped_by: Ending
    target: str | None = None

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, place: Any) -> Any:
        return self.found[place]

    def __repr__(self) -> str:
        what = number_text(self.found, "rule" if self.options.rules else "pattern")
        return short_repr(self, what, f"of at least {number_text(self.least, 'individual')}", self.incompleteness)

    @property
    def complete(self) -> bool:
        """True if all frequent patterns were found."""
        return self.stopped_by == "done"

    @property
    def incompleteness(self) -> str:
        """The reason why patterns may be missing, in words; empty if none is."""
        reasons = {"time": "the time limit", "interrupt": "Ctrl-C", "memory": "the memory limit"}
        return "" if self.complete else f"incomplete: {reasons[self.stopped_by]} ended the search"

    def to_dict(self) -> dict[str, Any]:
        """Return the results as plain JSON values."""
        return {
            **self.facts(),
            "rules" if self.options.rules else "patterns": [each.to_dict() for each in self.found],
        }

    def facts(self) -> dict[str, Any]:
        """Return how the results were found, as plain JSON values."""
        sizes = {"n": len(self.found), "frequent": self.n_frequent, "least": self.least, "space": self.n_space}
        return {"target": self.target, **sizes, "stopped_by": self.stopped_by}


@dataclass(slots=True, eq=False)
class PatternSearch:
    """A search for patterns that is ready to run.

    Parameters
    ----------
    population : Population
    grammar : Grammar
    options : PatternOptions
    clock : Clock
    labels : array, optional
        The class of each individual, for contrasts.
    target : str, optional
        Name of the target.
    space : Space
    least : int
        Minimum number of individuals of a pattern.
    n_space : int, optional
        Number of predicates of the space other than ``top``; None if it cannot be counted.
    """

    population: Population
    grammar: Grammar
    options: PatternOptions
    clock: Clock
    labels: NDArray[Any] | None = None
    target: str | None = None
    space: Space = field(init=False)
    least: int = field(init=False)
    n_space: int | None = field(init=False)
    _classes: _Classes | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        checked = self.grammar.check(self.population.schema)
        self.space = Space.build(checked, self.population, limit=self.clock)
        self.least = self.options.least(len(self.population))
        self.n_space = _n_predicates(self.space)
        if self.labels is not None:
            self._classes = _Classes.of(self.labels)

    def run(self, report: Callable[[Pattern], None] | None = None) -> Patterns:
        """Search, and report each pattern as soon as it is found if the options allow that."""
        frequent = FrequentPredicates(self.space, self.least, self.clock)
        collected = _Collected(self, frequent)
        shown = report if self.options.streams else None
        for each in frequent:
            collected.add(each, shown)
        stopped_by = frequent.stopped_by
        if stopped_by == "done" and self.space.offers.n_skipped:
            stopped_by = "time"
        found = collected.result()
        return Patterns(
            found,
            self.options,
            self.grammar,
            self.population,
            self.least,
            collected.n,
            self.n_space,
            stopped_by,
            self.target,
        )


def _n_predicates(space: Space) -> int | None:
    """Return the number of predicates of a space other than ``top``; None if there is no formula for many."""
    try:
        return count_space(space, MOST_COUNTED).size - 1
    except UsageError:
        return None


def find_patterns(
    individuals: Any,
    grammar: str | Path | Grammar | None = None,
    *,
    target: ArrayLike | None = None,
    functions: Mapping[str, Call] | None = None,
    target_name: str | None = None,
    clock: Clock | None = None,
    report: Callable[[Pattern], None] | None = None,
    **options: Any,
) -> Patterns:
    """Find the predicates that enough individuals satisfy.

    Parameters
    ----------
    individuals : Population, or individuals in another form (see `structtree.data.readers.individuals`)
    grammar : str, Path or Grammar, optional
        By default, `structtree.default_grammar` with up to three literals.
    target : array, optional
        A class for each individual, for contrasts.
    functions : mapping from name to function, optional
        Implementation of each ``function`` of the grammar.
    target_name : str, optional
    clock : Clock, optional
        Replaces ``time_limit``.
    report : function, optional
        Called with each pattern as soon as it is found, unless the options need all patterns first.
    **options
        See `PatternOptions`.

    Examples
    --------
    >>> baskets = [{"items": {"beer", "crisps"}}, {"items": {"crisps"}}, {"items": {"beer", "crisps", "apples"}}]
    >>> found = find_patterns(baskets, support=2, literals=4)
    >>> [(str(each), each.n) for each in found if "count" not in str(each)][:3]
    [('exists items (top)', 3), ('exists items (value = beer)', 2), ('exists items (value = crisps)', 3)]
    """
    with stoppable() as stop:
        given = clock or Clock(options.get("time_limit"), stop)
        named: dict[str, Any] = {"target": target, "functions": functions, "target_name": target_name}
        return prepare_patterns(individuals, grammar, clock=given, **named, **options).run(report)


def prepare_patterns(
    individuals: Any,
    grammar: str | Path | Grammar | None = None,
    *,
    clock: Clock,
    target: ArrayLike | None = None,
    functions: Mapping[str, Call] | None = None,
    target_name: str | None = None,
    own_limits: bool | None = None,
    **options: Any,
) -> PatternSearch:
    """Return a search for patterns; see `find_patterns`.

    Parameters
    ----------
    own_limits : bool, optional
        Whether the grammar is used as it is, unless ``literals`` is given; by default if there is one.
    """
    unknown = set(options) - {each.name for each in fields(PatternOptions)}
    if unknown:
        raise UsageError(f"patterns have no option {min(unknown)!r}")
    chosen: PatternOptions = build_options(PatternOptions, options)
    given = population_of(individuals)
    is_own = grammar is not None if own_limits is None else own_limits
    if is_own and chosen.negated:
        raise UsageError("negated is for the default grammar; add rewrites such as 'top -> not a' to this grammar")
    own = default_grammar(given) if grammar is None else grammar_from(grammar)
    own = own if is_own or chosen.negated else own.without_negations(_binary(given))
    own = own if target_name is None else own.omitting({target_name: "the target"}, given.schema)
    population = with_background(given, own, functions or {})
    if chosen.literals is not None or not is_own:
        own = own.combining(chosen.literals or USUAL_LITERALS, population.schema)
    labels = _labels(target, len(given), chosen)
    return PatternSearch(population, own, chosen, clock, labels, target_name)


def _binary(population: Population) -> dict[str, frozenset[str]]:
    """Return the numbers of each type that are 0 or 1 in all rows, as in many tables of baskets."""
    return {
        name: frozenset(key for key, column in table.columns.items() if _is_binary(column))
        for name, table in population.tables.items()
    }


def _is_binary(column: Column) -> bool:
    if column.kind != "int":
        return False
    return bool(np.isin(column.values[~np.isnan(column.values)], (0.0, 1.0)).all())


def _labels(target: ArrayLike | None, n: int, options: PatternOptions) -> NDArray[Any] | None:
    """Return the classes to contrast; None without contrasts."""
    if not options.contrast:
        return None
    if target is None:
        raise UsageError("contrast compares classes; pass a target")
    labels = np.asarray(target)
    if labels.shape != (n,):
        raise DataError(f"expected {n} labels, one for each individual; got an array of shape {labels.shape}")
    if infer_task(labels) != "classes":
        raise UsageError("contrast compares classes, but the target is a number")
    labels = labels_for("classes", labels)
    if len(np.unique(labels)) < 2:
        raise DataError(f"all labels are identical: every individual has the class {labels[0]!r}")
    return labels


@dataclass(frozen=True, slots=True, eq=False)
class _Classes:
    """The classes of the individuals: names, numbers of individuals, and masks."""

    labels: tuple[Any, ...]
    sizes: tuple[int, ...]
    words: Words

    @classmethod
    def of(cls, labels: NDArray[Any]) -> _Classes:
        """Return the classes of some labels."""
        known = sorted(set(labels.tolist()))
        masks = np.array([labels == label for label in known])
        return cls(tuple(known), tuple(masks.sum(axis=1).tolist()), packed(masks))

    def counts(self, words: Words) -> tuple[int, ...]:
        """Return the number of individuals of each class that a mask selects."""
        return tuple(shared_counts(words, self.words, np.arange(len(self.labels))).tolist())

    def contrast(self, counts: tuple[int, ...], n_tested: int) -> Contrast:
        """Return the contrast of a pattern, one of several that are tested."""
        n, n_all = sum(counts), sum(self.sizes)
        above = [k / size - (n - k) / (n_all - size) for k, size in zip(counts, self.sizes, strict=True)]
        best = int(np.argmax(above))
        p = excess_p_value(counts[best], n, self.sizes[best], n_all)
        inside, everywhere = (dict(zip(self.labels, given, strict=True)) for given in (counts, self.sizes))
        return Contrast(self.labels[best], inside, everywhere, min(1.0, p * len(counts) * n_tested))


@dataclass(slots=True, eq=False)
class _Collected:
    """Frequent predicates as they are found, as far as the options need them."""

    search: PatternSearch
    frequent: FrequentPredicates
    n: int = 0
    keys: list[tuple[int, ...]] = field(default_factory=list)
    patterns: list[Pattern] = field(default_factory=list)
    class_counts: list[tuple[int, ...]] = field(default_factory=list)
    _best: list[tuple[int, int, Pattern]] = field(default_factory=list)
    _shortest: dict[bytes, tuple[int, int]] = field(default_factory=dict)

    @property
    def options(self) -> PatternOptions:
        return self.search.options

    @property
    def is_ranked(self) -> bool:
        """True if only the patterns with the largest support are wanted."""
        return self.options.top is not None and replace(self.options, top=None).streams

    def add(self, found: Frequent, report: Callable[[Pattern], None] | None) -> None:
        """Add a frequent predicate."""
        literals = self.frequent.literals
        pattern = Pattern(tuple(literals.predicates[k] for k in found.literals), found.n, len(self.search.population))
        self.n += 1
        report_status("searching patterns", 0, None, number_text(self.n, "pattern"))
        if report is not None:
            report(pattern)
        if self.is_ranked:
            self._rank(pattern)
            return
        self.keys.append(found.literals)
        self.patterns.append(pattern)
        if self.search._classes is not None:
            self.class_counts.append(self.search._classes.counts(found.words))
        if self.options.shortest:
            self._note_length(found)

    def result(self) -> tuple[Pattern, ...] | tuple[AssociationRule, ...]:
        """Return the patterns or rules that the options ask for."""
        if self.is_ranked:
            return tuple(pattern for _, _, pattern in sorted(self._best, key=lambda one: (-one[0], -one[1])))
        if self.options.rules:
            return tuple(self._rules()[: self.options.top])
        chosen = self._chosen()
        if self.search._classes is not None:
            found = [
                replace(self.patterns[k], contrast=self.search._classes.contrast(self.class_counts[k], self.n))
                for k in chosen
            ]
            found.sort(key=_by_contrast)
        else:
            found = [self.patterns[k] for k in chosen]
            if self.options.top is not None:
                found.sort(key=lambda pattern: -pattern.n)
        return tuple(found[: self.options.top])

    def _rank(self, pattern: Pattern) -> None:
        """Keep the patterns with the largest support, the first of equally frequent ones."""
        top = self.options.top
        assert top is not None
        entry = (pattern.n, -self.n, pattern)
        if len(self._best) < top:
            heappush(self._best, entry)
        elif entry > self._best[0]:
            heapreplace(self._best, entry)
        if len(self._best) == top:
            self.frequent.least = max(self.frequent.least, self._best[0][0] + 1)

    def _note_length(self, found: Frequent) -> None:
        """Note the first of the shortest patterns with each set of individuals."""
        key = blake2b(found.words.tobytes(), digest_size=16).digest()
        entry = sum(self.frequent.literals.sizes[k] for k in found.literals), len(self.keys) - 1
        self._shortest[key] = min(entry, self._shortest.get(key, entry))

    def _chosen(self) -> list[int]:
        """Return the numbers of the patterns that are closed, maximal or shortest, or of all."""
        if self.options.shortest:
            return sorted(place for _, place in self._shortest.values())
        if not (self.options.closed or self.options.maximal):
            return [*range(len(self.keys))]
        places, generality = (
            {key: k for k, key in enumerate(self.keys)},
            _Generality(self.search.space, self.frequent),
        )
        kept = np.ones(len(self.keys), dtype=np.bool_)
        for key, pattern in zip(self.keys, self.patterns, strict=True):
            for general, _ in generality.steps(key):
                place = places.get(general)
                if place is not None and (self.options.maximal or self.patterns[place].n == pattern.n):
                    kept[place] = False
        return [int(k) for k in np.flatnonzero(kept)]

    def _rules(self) -> list[AssociationRule]:
        """Return the rules that add one literal to a pattern, or refine one; the largest lift first."""
        literals, generality = self.frequent.literals, _Generality(self.search.space, self.frequent)
        n_all = len(self.search.population)
        counts = {(): n_all} | {key: each.n for key, each in zip(self.keys, self.patterns, strict=True)}
        least = USUAL_CONFIDENCE if self.options.confidence is None else self.options.confidence
        found = []
        for key, n in counts.items():
            for body, head in dict.fromkeys(generality.steps(key)):
                if body in counts and n >= least * counts[body] - 1e-9:
                    parts = tuple(literals.predicates[k] for k in body)
                    both = (counts[body], literals.counts[head], n, n_all)
                    found.append(AssociationRule(conjoin(parts), literals.predicates[head], *both))
        return sorted(found, key=lambda rule: (-rule.lift, -rule.confidence, -rule.n))


def _by_contrast(pattern: Pattern) -> tuple[float, float, int]:
    assert pattern.contrast is not None
    return pattern.contrast.p_value, -pattern.contrast.difference, n_literals(pattern.predicate)


@dataclass(slots=True, eq=False)
class _Generality:
    """The predicates from which a single rewrite produces a frequent predicate, as numbers of literals.

    Law: they are those of `Space.parents`, without literals that another one implies.
    """

    space: Space
    frequent: FrequentPredicates
    _places: dict[syn.Predicate, int] = field(init=False)
    _known: dict[int, tuple[int | None, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._places = {predicate: k for k, predicate in enumerate(self.literals.predicates)}

    @property
    def literals(self) -> Literals:
        return self.frequent.literals

    def steps(self, key: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], int]]:
        """Yield the numbers of the literals before the last rewrite, and the literal that it added or refined."""
        for k in key:
            rest = tuple(other for other in key if other != k)
            for general in self._of_literal(k):
                if general is None or not all(self.literals.are_compatible(general, other) for other in rest):
                    yield rest, k
                else:
                    yield tuple(sorted((*rest, general))), k

    def _of_literal(self, k: int) -> tuple[int | None, ...]:
        """Return the numbers of the literals that a rewrite turns into this one; None stands for ``top``."""
        if k not in self._known:
            parents = self.space.parents(self.literals.predicates[k])
            known = (None if isinstance(p, syn.Top) else self._places.get(p, -1) for p in parents)
            self._known[k] = tuple(place for place in known if place != -1)
        return self._known[k]
