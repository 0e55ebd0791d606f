"""Subgroup discovery: the predicates whose individuals differ most from all individuals, by some measure.

Each concept (a class against all others, or a number that is high or low) is one search for the k best predicates of
the space, proved by the bounds of `structtree.tasks.measures`. With weighted covering it is a sequence of searches
for the best one, on individuals whose weights fall when a subgroup contains them.

The search chooses the best of very many predicates, so figures on the individuals that it has seen are too good.
Other individuals are therefore held out: the figures on them are unbiased, and their p-values are corrected for the
number of subgroups reported. The p-values on the searched individuals are corrected for the number of predicates
evaluated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from heapq import merge
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structtree.arrays import TOLERANCE, Floats, Ints, Mask
from structtree.data.population import Population
from structtree.data.readers.individuals import population_of
from structtree.errors import DataError, UsageError, did_you_mean, quoted
from structtree.interrupts import stoppable
from structtree.lang import syntax as syn
from structtree.lang.default import default_grammar
from structtree.lang.grammar import Grammar, grammar_from
from structtree.lang.pretty import pretty
from structtree.models.applying import Call
from structtree.options import build_options
from structtree.progress import report_status
from structtree.reprs import Viewed, number_text, short_repr
from structtree.rules.conjunctions import BestConjunctions
from structtree.rules.frequent import FrequentPredicates, Literals
from structtree.rules.settings import SubgroupOptions
from structtree.search.best_split import best_split
from structtree.search.clock import Clock
from structtree.search.kernels.masks import unpacked
from structtree.search.results import SearchStats, Split
from structtree.space.background import with_background
from structtree.space.evaluate import holds
from structtree.space.space import Space
from structtree.space.terms import n_literals
from structtree.tasks.criteria import Criterion
from structtree.tasks.evidence import class_p_value, excess_p_value, shift_p_value
from structtree.tasks.inference import infer_task, labels_for
from structtree.tasks.measures import Measure, WithExample, measure_class
from structtree.tasks.metrics import class_name
from structtree.tasks.registry import as_task
from structtree.tasks.target import Target, target_for, undivided
from structtree.tasks.task import Task

__all__ = ["Subgroup", "SubgroupScores", "Subgroups", "find_subgroups", "task_of_measure"]

MOST_LISTED = 1000
"""Maximum number of tests that are listed as bit masks, so that all conjunctions of two are counted in a second."""

MOST_TRIED = 64
"""Maximum number of predicates to find for each subgroup, if redundant ones are dropped."""


@dataclass(frozen=True, slots=True)
class SubgroupScores:
    """Figures of a subgroup among some individuals.

    Parameters
    ----------
    n, n_all : int
        Number of individuals in the subgroup, and of all individuals.
    mean, mean_all : float
        Share of the class in the subgroup and overall; for numbers, the means; NaN without a single concept.
    quality : float
        Value of the measure.
    p_value : float
        Of Fisher's exact test, Welch's t test or the χ² test, not corrected for multiple tests.
    """

    n: int
    n_all: int
    mean: float
    mean_all: float
    quality: float
    p_value: float

    @property
    def lift(self) -> float:
        """Share of the class in the subgroup divided by its share overall."""
        return self.mean / self.mean_all if self.mean_all else float("nan")


@dataclass(frozen=True, slots=True, eq=False)
class Subgroup:
    """Individuals that satisfy a predicate and differ from the others.

    Parameters
    ----------
    predicate : Predicate
    label
        The class that is more frequent, or ``"high"`` or ``"low"`` for a number; None if all classes are compared.
    searched : SubgroupScores
        Figures on the individuals of the search.
    held_out : SubgroupScores, optional
        Figures on held-out individuals; None without any, or if none of them is in the subgroup.
    p_value : float
        P-value on the individuals of the search, multiplied by the number of predicates evaluated; at most 1.
    held_out_p_value : float, optional
        P-value on held-out individuals, corrected by Holm's method for the number of subgroups.
    proved : bool
        Whether bounds prove that no other predicate should be listed before it.
    """

    predicate: syn.Predicate
    label: Any
    searched: SubgroupScores
    held_out: SubgroupScores | None
    p_value: float
    held_out_p_value: float | None
    proved: bool

    def __repr__(self) -> str:
        about = "" if self.label is None else f"{class_name(self.label)} in {self.searched.n:,} individuals"
        return short_repr(self, pretty(self.predicate), about, f"quality {self.searched.quality:.3g}")

    def __str__(self) -> str:
        return pretty(self.predicate)

    def to_dict(self) -> dict[str, Any]:
        """Return the subgroup as plain JSON values."""
        label = self.label if isinstance(self.label, str | bool | int | float | None) else str(self.label)
        figures = {"searched": _plain(self.searched), "held_out": self.held_out and _plain(self.held_out)}
        known = {"p_value": self.p_value, "held_out_p_value": self.held_out_p_value, "proved": self.proved}
        return {"predicate": pretty(self.predicate), "label": label, **figures, **known}


@dataclass(frozen=True, slots=True, eq=False)
class Subgroups(Viewed, Sequence[Subgroup]):
    """Subgroups, the best first, and how they were found.

    Parameters
    ----------
    found : tuple of Subgroup
    measure : Measure
    task : Task
    options : SubgroupOptions
    grammar : Grammar
    population : Population
        All individuals, with what the grammar computes.
    labels : array
    is_held_out : array of bool
        Which individuals took no part in the search.
    min_support : int
        Minimum number of individuals of a subgroup in the search.
    evaluated : int
        Number of predicates evaluated.
    gap : float
        Maximum amount by which a predicate that was not evaluated may be better than the last subgroup; 0 if proved.
    stopped_by : str
        Why the search ended; see `structtree.search.results.SearchStats`.
    target : str, optional
        Name of the target.
    """

    found: tuple[Subgroup, ...]
    measure: Measure
    task: Task
    options: SubgroupOptions
    grammar: Grammar = field(repr=False)
    population: Population = field(repr=False)
    labels: NDArray[Any] = field(repr=False)
    is_held_out: Mask = field(repr=False)
    min_support: int
    evaluated: int
    gap: float
    stopped_by: str
    target: str | None = None

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, place: Any) -> Any:
        return self.found[place]

    def __repr__(self) -> str:
        known = "proved best" if self.proved else "not proved best"
        return short_repr(self, number_text(self.found, "subgroup"), f"by {self.measure.name}", known)

    @property
    def proved(self) -> bool:
        """True if bounds prove that no predicate of the space is missing."""
        return all(each.proved for each in self.found) and not self.gap

    @property
    def n_within(self) -> int:
        """Number of subgroups whose individuals are all in one that is listed before them, with the same label."""
        inside = [holds(each.predicate, self.population) for each in self.found]
        return sum(
            any(one.label == other.label and (inside[i] <= inside[j]).all() for j, other in enumerate(self.found[:i]))
            for i, one in enumerate(self.found)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the subgroups as plain JSON values."""
        facts = {"target": self.target, "measure": self.measure.name, "min_support": self.min_support}
        effort = {"evaluated": self.evaluated, "proved": self.proved, "gap": self.gap, "stopped_by": self.stopped_by}
        return facts | effort | {"subgroups": [each.to_dict() for each in self.found]}


def find_subgroups(
    individuals: Any,
    target: ArrayLike,
    grammar: str | Path | Grammar | None = None,
    *,
    task: str | Task | None = None,
    functions: Mapping[str, Call] | None = None,
    target_name: str | None = None,
    clock: Clock | None = None,
    **options: Any,
) -> Subgroups:
    """Find the subgroups of individuals that differ most from all individuals.

    Parameters
    ----------
    individuals : Population, or individuals in another form (see `structtree.data.readers.individuals`)
    target : array
        A class or number for each individual.
    grammar : str, Path or Grammar, optional
        By default, `structtree.default_grammar`; in any case with up to ``literals`` literals.
    task : str or Task, optional
    functions : mapping from name to function, optional
        Implementation of each ``function`` of the grammar.
    target_name : str, optional
    clock : Clock, optional
        Replaces ``time_limit``.
    **options
        See `SubgroupOptions`.

    Examples
    --------
    >>> from structtree import load_dataset
    >>> trains = load_dataset("trains")
    >>> found = find_subgroups(trains.population, trains.target, "trains", top=1, label="east", held_out=0)
    >>> str(found[0]), found[0].searched.n, found[0].searched.mean, round(found[0].searched.quality, 3)
    ('exists cars (closed and not long)', 8, 1.0, 0.2)
    """
    chosen: SubgroupOptions = build_options(SubgroupOptions, options)
    named = set(options) - {each.name for each in fields(SubgroupOptions)}
    if named:
        raise UsageError(f"subgroups have no option {min(named)!r}")
    labels = np.asarray(target)
    given = population_of(individuals)
    if labels.shape != (len(given),):
        raise DataError(
            f"expected {len(given)} labels, one for each individual; got an array of shape {labels.shape}"
        )
    known = as_task(task or task_of_measure(chosen.measure) or infer_task(labels))
    labels = labels_for(known.name, labels) if known.predicts_classes else _numbers(labels)
    concepts = _concepts(labels, known, chosen)
    concepts = _of_example(concepts, labels, known, chosen)
    own = default_grammar(given) if grammar is None else grammar_from(grammar)
    own = own if target_name is None else own.omitting({target_name: "the target"}, given.schema)
    population = with_background(given, own, functions or {})
    own = own.combining(chosen.literals, population.schema)
    is_held_out = _held_out(labels, known, chosen)
    searched = np.flatnonzero(~is_held_out)
    least = chosen.support(len(searched))
    with stoppable() as stop:
        example = None if chosen.containing is None else int(np.searchsorted(searched, chosen.containing))
        time = clock or Clock(chosen.time_limit, stop)
        search = _Search(population.take(searched), own, chosen, least, time, example)
        ended = search.run([concept.take(searched) for concept in concepts])
    found = _assessed(ended, concepts, population, is_held_out)
    return Subgroups(
        found,
        concepts[0].measure,
        known,
        chosen,
        own,
        population,
        labels,
        is_held_out,
        least,
        ended.evaluated,
        ended.gap,
        ended.stopped_by,
        target_name,
    )


def task_of_measure(measure: str | Measure | None) -> str | None:
    """Return the name of the task that a measure is for; None without a measure.

    Examples
    --------
    >>> task_of_measure("wracc"), task_of_measure("t"), task_of_measure(None)
    ('classes', 'numbers', None)
    """
    if isinstance(measure, str):
        return measure_class(measure).task
    return measure.task if isinstance(measure, Measure) else None


# ---- concepts -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Concept:
    """What a good subgroup has in excess: a class, high or low numbers, or another distribution of the classes.

    Parameters
    ----------
    label
        As in `Subgroup`.
    values : array
        Codes of classes (1 for the class of a label, 0 for the others), or numbers, negated for low ones.
    n_classes : int
        0 for numbers.
    measure : Measure
    """

    label: Any
    values: NDArray[Any]
    n_classes: int
    measure: Measure

    def take(self, which: Ints) -> _Concept:
        return replace(self, values=self.values[which])

    def marking(self, place: int) -> _Concept:
        """Return the concept for subgroups that contain an individual, which becomes a class of its own."""
        classes = np.unique(np.delete(self.values, place))
        own = self.values[place]
        code = int(np.searchsorted(classes, own))
        marked = np.searchsorted(classes, self.values)
        marked[place] = len(classes)
        return replace(
            self, values=marked, measure=WithExample(of_one=self.measure, code=code, is_alone=own not in classes)
        )

    def target(self, least: int, weights: Floats | None = None) -> Target:
        """Return the target of a search with the measure."""
        known = target_for(self.values, len(self.values), "gini" if self.n_classes else "mse", weights).counted()
        one = known.lightest
        return replace(known, criterion=replace(self.measure, support=least * one, one=one))

    def scores(self, inside: Mask) -> SubgroupScores:
        """Return the figures of the selected individuals."""
        n, n_all, quality = int(inside.sum()), len(inside), self.quality(inside)
        if not self.n_classes:
            sign = -1.0 if self.label == "low" else 1.0
            p = shift_p_value(self.values[inside], self.values[~inside])
            mean, mean_all = float(self.values[inside].mean()), float(self.values.mean())
            return SubgroupScores(n, n_all, sign * mean, sign * mean_all, quality, p)
        if self.label is None:
            p = class_p_value(self._sums(inside), self._sums(~inside))
            return SubgroupScores(n, n_all, float("nan"), float("nan"), quality, p)
        hits, n_class = int(self.values[inside].sum()), int(self.values.sum())
        return SubgroupScores(n, n_all, hits / n, n_class / n_all, quality, excess_p_value(hits, n, n_class, n_all))

    def quality(self, inside: Mask) -> float:
        """Return the quality of the selected individuals, each with a weight of 1."""
        return float(self.measure.quality(self._sums(inside)[None, :], self._sums(np.ones_like(inside)))[0])

    def _sums(self, which: Mask) -> Floats:
        """Return the statistics that the measure reads."""
        if self.n_classes:
            return np.bincount(self.values[which], minlength=self.n_classes).astype(np.float64)
        y = (self.values - self.values.mean())[which]
        return np.array([len(y), y.sum(), (y**2).sum()])


def _concepts(labels: NDArray[Any], task: Task, options: SubgroupOptions) -> list[_Concept]:
    """Return the concepts to search for; raise `UsageError` if the measure or the label does not suit the target."""
    kind = "classes" if task.predicts_classes else "numbers"
    measure = _measure(options.measure, kind)
    if kind == "numbers":
        if options.label not in (None, "high", "low"):
            raise UsageError(f"for a number, label must be 'high' or 'low'; got {options.label!r}")
        sign = -1.0 if options.label == "low" else 1.0
        return [_Concept(options.label or "high", sign * labels, 0, measure)]
    classes = sorted(set(labels.tolist()))
    if len(classes) < 2:
        raise DataError(f"all labels are identical: every individual has the class {classes[0]!r}")
    if measure.name == "chi-squared":
        if options.label is not None:
            raise UsageError("chi-squared compares all classes together; drop the label, or choose another measure")
        return [_Concept(None, np.searchsorted(classes, labels), len(classes), measure)]
    by_name = {class_name(label): label for label in classes}
    name = None if options.label is None else class_name(options.label)
    if name is not None and name not in by_name:
        raise UsageError(f"unknown class {name!r}{did_you_mean(name, by_name)}")
    chosen = classes if name is None else [by_name[name]]
    return [_Concept(label, (labels == label).astype(np.int64), 2, measure) for label in chosen]


def _of_example(
    concepts: list[_Concept], labels: NDArray[Any], task: Task, options: SubgroupOptions
) -> list[_Concept]:
    """Return the concepts for subgroups that contain an individual: by default only that of its class."""
    row = options.containing
    if row is None:
        return concepts
    if not task.predicts_classes:
        raise UsageError("containing is for subgroups of classes, but the target is a number; drop it")
    if row >= len(labels):
        raise UsageError(f"containing must be from 0 to {len(labels) - 1}, a row number of an individual; got {row}")
    if options.label is not None:
        return concepts
    return [concept for concept in concepts if concept.label is None or concept.label == labels[row]]


def _numbers(labels: NDArray[Any]) -> Floats:
    try:
        return labels.astype(np.float64)
    except ValueError:
        raise DataError(f"the measure is for numbers, but the target contains {labels[0]!r}") from None


def _measure(given: str | Measure | None, kind: str) -> Measure:
    if isinstance(given, Criterion) and not isinstance(given, Measure):
        raise UsageError(f"{given.name!r} measures splits; expected a measure of subgroups, such as 'wracc'")
    if not isinstance(given, str | Measure | None):
        raise UsageError(f"measure must be a name or a Measure; got {quoted(given)}")
    usual = "wracc" if kind == "classes" else "mean-shift"
    found = given if isinstance(given, Measure) else measure_class(given or usual)()
    if found.task != kind:
        raise UsageError(f"the measure {found.name!r} is for {found.task}, but the target has {kind}; try {usual!r}")
    return found


def _held_out(labels: NDArray[Any], task: Task, options: SubgroupOptions) -> Mask:
    """Choose held-out individuals at random, from each class in proportion."""
    found = np.zeros(len(labels), dtype=np.bool_)
    if not options.held_out:
        return found
    rng = np.random.default_rng(options.random_state)
    groups = [labels == label for label in np.unique(labels)] if task.predicts_classes else [~found]
    for group in groups:
        members = rng.permutation(np.flatnonzero(group))
        found[members[: round(options.held_out * len(members))]] = True
    if options.containing is not None:
        found[options.containing] = False
    return found


# ---- search ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    """A predicate found for a concept, with its quality on the searched individuals."""

    predicate: syn.Predicate
    concept: _Concept
    inside: Mask
    quality: float
    proved: bool

    @property
    def rank(self) -> tuple[float, int]:
        return -self.quality, n_literals(self.predicate)


@dataclass(frozen=True, slots=True)
class _Ended:
    """Result of all searches."""

    candidates: tuple[_Candidate, ...]
    evaluated: int
    gap: float
    stopped_by: str


@dataclass(slots=True, eq=False)
class _Search:
    """Searches of one space for several concepts, with one clock."""

    population: Population
    grammar: Grammar
    options: SubgroupOptions
    least: int
    clock: Clock
    example: int | None = None
    evaluated: int = 0
    gap: float = 0.0
    stopped_by: str = "done"
    _space: Space = field(init=False)
    _literals: Literals | None = field(init=False)
    """All tests, if they are few and only about attributes of the individuals."""

    def __post_init__(self) -> None:
        self._space = Space.build(self.grammar.check(self.population.schema), self.population, limit=self.clock)
        self._literals = FrequentPredicates(self._space, self.least, self.clock).plain_literals(MOST_LISTED)

    def run(self, concepts: Sequence[_Concept]) -> _Ended:
        """Return the best candidates of all concepts together."""
        # What all individuals share in this sample is no subgroup of it.
        varied = [concept for concept in concepts if concept.values.min() < concept.values.max()]
        factor = self.options.covering
        chosen = self._top(varied) if factor is None else self._covering(varied, factor)
        return _Ended(tuple(chosen), self.evaluated, self.gap, self.stopped_by)

    def _top(self, concepts: Sequence[_Concept]) -> list[_Candidate]:
        found = []
        for place, concept in enumerate(concepts):
            found.append(self._best(concept, self.clock.part(self.clock.left() / (len(concepts) - place))))
        # The order within a concept decides which of two equally good ones is redundant, so it is kept.
        return [*islice(merge(*found, key=lambda each: each.rank), self.options.top)]

    def _best(self, concept: _Concept, clock: Clock) -> list[_Candidate]:
        """Return the best candidates of a concept, and search for more if redundant ones are dropped."""
        k = self.options.top
        while True:
            found = self._searched(concept, k, clock)
            kept = found if self.options.redundancy == "coverage" else _without_subsets(found)
            is_over = len(found) < k or clock.over() is not None or k >= MOST_TRIED * self.options.top
            if len(kept) >= self.options.top or is_over:
                return kept[: self.options.top]
            k *= 2

    def _covering(self, concepts: Sequence[_Concept], factor: float) -> list[_Candidate]:
        """Return one subgroup after the other, of the concept with the best one by its current weights."""
        weights = [np.ones(len(concept.values)) for concept in concepts]
        waiting: dict[int, _Candidate] = {}
        chosen: list[_Candidate] = []
        for _ in range(self.options.top):
            for place, concept in enumerate(concepts):
                if place not in waiting and self.clock.over() is None:
                    mine = [each for each in chosen if each.concept is concept]
                    found = self._searched(concept, len(mine) + 1, self.clock, weights[place])
                    new = [each for each in found if not any(np.array_equal(each.inside, c.inside) for c in mine)]
                    waiting |= {place: new[0]} if new else {}
            if not waiting:
                break
            place = min(waiting, key=lambda one: waiting[one].rank)
            best = waiting.pop(place)
            chosen.append(best)
            good = best.inside & (concepts[place].values == 1) if concepts[place].n_classes == 2 else best.inside
            weights[place][good] *= factor
        return chosen

    def _searched(self, concept: _Concept, k: int, clock: Clock, weights: Floats | None = None) -> list[_Candidate]:
        """Return up to k candidates of a concept, the best first."""
        if weights is not None and not weights.any():
            return []
        known = concept if self.example is None else concept.marking(self.example)
        if weights is None and concept.n_classes and self._literals is not None:
            return [replace(each, concept=concept) for each in self._listed(self._literals, known, k, clock)]
        target = known.target(self.least, weights)

        def report(stats: SearchStats, best: Split | None) -> None:
            shown = "" if best is None else f"best {pretty(best.predicate)} {best.score:.4g}"
            name = "subgroups" if concept.label is None else f"subgroups of {concept.label}"
            report_status(f"searching {name}", 0, None, f"{self.evaluated + stats.evaluated:,} predicates", shown)

        found = best_split(
            self.population,
            target,
            self._space,
            k=k,
            min_samples_leaf=self.least,
            effort=self.options.effort,
            clock=clock,
            progress=report,
        )
        self.evaluated += found.stats.evaluated
        if found.stats.stopped_by != "done":
            self.stopped_by = found.stats.stopped_by
        self.gap = max(self.gap, (found, *found.next_best)[-1].gap)
        nothing = undivided(target.criterion, target.stats(np.arange(len(target.values))))
        splits = [split for split in (found, *found.next_best) if split.loss[0] < nothing - TOLERANCE]
        return [
            _Candidate(split.predicate, concept, holds(split.predicate, self.population), split.score, split.proved)
            for split in splits
        ]

    def _listed(self, literals: Literals, concept: _Concept, k: int, clock: Clock) -> list[_Candidate]:
        """Return up to k candidates of a concept from listed tests, the best first."""
        measure = replace(concept.measure, support=float(self.least), one=1.0)
        most, room = self._space.most_conjuncts(self._space.root().slot), self._space.room().literals
        search = BestConjunctions(literals, concept.values, measure, k, most, room, clock)
        found = search.find()
        self.evaluated += search.evaluated
        self.gap = max(self.gap, search.gap)
        if search.stopped_by != "done":
            self.stopped_by = search.stopped_by
        n = len(concept.values)
        return [
            _Candidate(each.predicate, concept, unpacked(each.inside[None, :], n)[0], each.quality, each.proved)
            for each in found
        ]


def _without_subsets(found: Sequence[_Candidate]) -> list[_Candidate]:
    """Drop candidates whose individuals are all in a better one."""
    kept: list[_Candidate] = []
    for each in found:
        if not any((each.inside <= better.inside).all() for better in kept):
            kept.append(each)
    return kept


# ---- figures --------------------------------------------------------------------------------------------------


def _assessed(
    ended: _Ended, concepts: Sequence[_Concept], population: Population, is_held_out: Mask
) -> tuple[Subgroup, ...]:
    """Return the candidates as subgroups, with figures on searched and on held-out individuals."""
    by_label = {concept.label: concept for concept in concepts}
    others = np.flatnonzero(is_held_out)
    rest = population.take(others) if len(others) else None
    subgroups = []
    for each in ended.candidates:
        scores = each.concept.scores(each.inside)
        held_out = None
        if rest is not None:
            inside = holds(each.predicate, rest)
            held_out = by_label[each.concept.label].take(others).scores(inside) if inside.any() else None
        p = min(1.0, scores.p_value * max(1, ended.evaluated))
        subgroups.append(Subgroup(each.predicate, each.concept.label, scores, held_out, p, None, each.proved))
    corrected = _holm([1.0 if each.held_out is None else each.held_out.p_value for each in subgroups])
    if rest is None:
        return tuple(subgroups)
    return tuple(replace(each, held_out_p_value=p) for each, p in zip(subgroups, corrected, strict=True))


def _holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected by Holm's method.

    Examples
    --------
    >>> [round(p, 3) for p in _holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    corrected, greatest = [1.0] * len(p_values), 0.0
    for n_before, place in enumerate(np.argsort(p_values, kind="stable").tolist()):
        greatest = max(greatest, min(1.0, (len(p_values) - n_before) * p_values[place]))
        corrected[place] = greatest
    return corrected


def _plain(scores: SubgroupScores) -> dict[str, Any]:
    values = {each.name: getattr(scores, each.name) for each in fields(SubgroupScores)}
    return {name: None if isinstance(x, float) and not np.isfinite(x) else x for name, x in values.items()}
