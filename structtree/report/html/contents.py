"""Contents of a report as plain JSON values: the tree, example individuals, scores, and how the tree was learned.

Individuals in the same leaf get the same prediction, so ROC curves, calibration and confusion at every threshold only
need the class counts of each prediction, which stay small for any dataset. A few individuals are kept for each leaf:
typical ones, ones near a threshold on their path, and misclassified ones.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # threadpoolctl has no types

from structtree.data.dates import text_of
from structtree.data.population import Column, Population, Value
from structtree.data.reachable import compact
from structtree.errors import DataError, UsageError, quoted
from structtree.evaluation.score import Predicted, class_name, constant_answers, score_answers
from structtree.lang import syntax as syn
from structtree.lang.grammar import Grammar
from structtree.lang.pretty import pretty
from structtree.models.conform import NeededMembers
from structtree.models.importance import importances, part_importances
from structtree.models.model import Fitted, Model
from structtree.models.rules import to_rules
from structtree.models.tree import Branch, Leaf, MultiwayBranch, Tree
from structtree.progress import report_status
from structtree.report.caveats import caveat_lines
from structtree.report.effort import Effort, compare_effort, node_spaces
from structtree.report.explain import Phrases, Reasoned, Shared, reasons_prepared
from structtree.report.html.costs import report_costs
from structtree.report.html.scores import ReportedIndividuals, report_scores
from structtree.report.html.sizes import size_curves
from structtree.report.info import describe_type
from structtree.report.pictures.drawing import Drawing
from structtree.report.pictures.highlights import Marks, marks_of
from structtree.report.pictures.individuals import drawn
from structtree.report.pictures.trees import class_colours
from structtree.report.text import NodeText, branch_labels, leaves_below, question
from structtree.report.words import in_words
from structtree.reprs import inert
from structtree.space.background import with_background
from structtree.space.evaluate import aggregate_column, count_behind, holds
from structtree.space.terms import conjuncts

__all__ = ["findings"]

MAX_EXAMPLES = 400
"""Maximum number of individuals over all leaves; at least one of each kind is kept for each leaf."""
MAX_CATEGORIES = 200
"""Maximum number of categories offered for an attribute."""
MAX_POINTS = 2000
"""Maximum number of individuals in the plot of actual against predicted values."""
MAX_DRAWN = 1_500_000
"""Maximum number of characters of all drawings together; further individuals are not drawn."""
_DRAWING_WIDTH = 380.0
MAX_PART_SHARES = 60
"""Maximum number of conditions in the list of importances."""
_BINS = 24

JsonValue = Any


def findings(
    known: Fitted, individuals: Any, target: Any, title: str = "", effort: float | None = None
) -> dict[str, JsonValue]:
    """Return the contents of a report on a model and a dataset.

    Parameters
    ----------
    known : Fitted
    individuals : individuals in any form
    target : array, or None
        True labels; without them there are no scores, and no individual is misclassified.
    title : str
    effort : float, optional
        Time limit in seconds of each search when criteria are compared; by default they are not compared.
    """
    model = known.model
    tree, texts = model.tree, NodeText.of(model.tree, model.decision)
    original = known.read(individuals)
    population = known.prepared(original)
    seen = _Seen.of(known, population, target)
    chosen = _chosen(tree, seen, population)
    pool = sorted({i for kinds in chosen.values() for places in kinds.values() for i in places})
    examples = _examples(known, population, original, seen, chosen, pool)
    what_if, parts = _what_if(tree, population)
    report_status("counting tests")
    spaces = node_spaces(known, original, population)
    report_status("simplifying rules")
    answers = _answers(parts, population.take(pool))
    return {
        "title": inert(title or f"{tree.task.title} tree for {model.target or 'the target'}"),
        "target": inert(model.target or "the target"),
        "individual": inert(tree.schema.individual),
        "task": tree.task.name,
        "n": len(population),
        "classes": [inert(class_name(label)) for label in tree.classes],
        "colours": list(class_colours(len(tree.classes))),
        "summary": _summary(tree),
        "nodes": [_node(tree, texts, node, seen, chosen.get(node, {}), spaces) for node in range(len(tree.nodes))],
        "range": seen.range,
        "has_structure": _has_structure(population),
        "examples": {
            i: example | {"parts": "".join(row)} for (i, example), row in zip(examples.items(), answers, strict=True)
        },
        "whatif": what_if,
        "rules": _rules(known),
        **_scores(known, population, seen),
        "predictions": _predictions(seen),
        "test_costs": report_costs(known, original),
        "costs": None if model.decision.costs is None else [list(map(_rounded, row)) for row in model.decision.costs],
        "targets": _targets(seen),
        "points": _points(seen),
        "sizes": _sizes(known, population, seen),
        "importances": [[inert(name), _rounded(share)] for name, share in importances(tree).items() if share > 0],
        "parts": _part_shares(tree),
        "grammar": [inert(line) for line in model.grammar.text.split("\n")],
        "parameters": [[inert(name), inert(value)] for name, value in _parameters(_recorded(model))],
        "caveats": [inert(line) for line in _caveats(tree)],
        "data": _data(original, model.needed),
        "criteria": [] if effort is None else _criteria(known, original, seen, effort),
        "version": inert(model.version),
    }


@dataclass(slots=True)
class _Allowance:
    """Number of characters that are left for drawings."""

    left: int


# ---- labels and predictions -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """Leaves, predictions, probabilities and true labels of the individuals."""

    leaves: NDArray[np.int64]
    said: NDArray[Any]
    chances: NDArray[np.float64] | None
    actual: NDArray[Any] | None
    target: Any

    @classmethod
    def of(cls, known: Fitted, population: Population, target: Any) -> _Seen:
        model, tree = known.model, known.model.tree
        leaves, said = tree.apply(population), model.predictor.predict(population)
        if target is not None and np.shape(target) != said.shape:
            got = f"an array of shape {np.shape(target)}" if np.ndim(target) else quoted(target)
            raise DataError(f"expected {len(said)} labels, one for each individual; got {got}")
        if not tree.classes:
            actual = None if target is None else np.asarray(target, dtype=np.float64)
            return cls(leaves, said, None, actual, target)
        truth = None
        if target is not None:
            codes = {class_name(label): code for code, label in enumerate(tree.classes)}
            truth = np.array([codes.get(class_name(label), -1) for label in np.asarray(target).tolist()])
        return cls(leaves, said, model.predictor.predict_proba(population), truth, target)

    @property
    def range(self) -> list[float] | None:
        """Minimum and maximum of the target, for histograms."""
        if self.chances is not None or self.actual is None or not np.isfinite(self.actual).any():
            return None
        return [float(np.nanmin(self.actual)), float(np.nanmax(self.actual))]

    @property
    def usable(self) -> NDArray[np.int64]:
        """Indices of the individuals whose label is present and known to the tree."""
        assert self.actual is not None
        return np.flatnonzero(self.actual >= 0 if self.chances is not None else np.isfinite(self.actual))

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Mask of the misclassified individuals."""
        if self.actual is None or self.chances is None:
            return np.zeros(len(self.leaves), dtype=np.bool_)
        return np.asarray((self.actual != self.said) & (self.actual >= 0))


def _scores(known: Fitted, population: Population, seen: _Seen) -> dict[str, JsonValue]:
    if seen.actual is None or not len(places := seen.usable):
        return report_scores(known.model, None, population, None)
    answers = _answered(known.model, seen, places)
    found = score_answers(answers, constant_answers(answers))
    labelled = ReportedIndividuals(seen.leaves[places], seen.actual[places])
    return report_scores(known.model, found, population, labelled)


def _answered(model: Model, seen: _Seen, places: NDArray[np.int64]) -> Predicted:
    """Return the predictions for some individuals together with their labels."""
    target, said = np.asarray(seen.target)[places], model.task.labels(seen.said[places])
    if seen.chances is None:
        return Predicted.of_numbers(target, said, model.task)
    return Predicted.of_classes(target, said, model.classes, seen.chances[places])


def _predictions(seen: _Seen) -> JsonValue:
    """Return the distinct predictions with the number of individuals per true class."""
    if seen.chances is None or seen.actual is None:
        return None
    usable = seen.actual >= 0
    chances, actual, said = seen.chances[usable], seen.actual[usable], seen.said[usable]
    rows = np.column_stack([np.round(chances, 4), said])
    different, which = np.unique(rows, axis=0, return_inverse=True)
    counts = np.zeros((len(different), chances.shape[1]), dtype=np.int64)
    np.add.at(counts, (which.ravel(), actual.astype(np.int64)), 1)
    return [[different[i, :-1].tolist(), int(different[i, -1]), counts[i].tolist()] for i in range(len(different))]


def _targets(seen: _Seen) -> list[list[JsonValue]]:
    """Return the number of individuals per class; for numbers, summary statistics."""
    if seen.actual is None:
        return []
    if seen.chances is not None:
        codes, counts = np.unique(seen.actual, return_counts=True)
        return [[int(code), int(n)] for n, code in sorted(zip(counts, codes, strict=True), reverse=True)]
    values = seen.actual[np.isfinite(seen.actual)]
    if not len(values):
        return []
    quartiles = zip(
        ("minimum", "first quartile", "median", "third quartile", "maximum"), range(0, 101, 25), strict=True
    )
    figures = {name: np.percentile(values, share) for name, share in quartiles}
    figures |= {"mean": values.mean(), "standard deviation": values.std()}
    return [[name, _rounded(value)] for name, value in figures.items()]


def _sizes(known: Fitted, population: Population, seen: _Seen) -> JsonValue:
    if seen.actual is None:
        return size_curves(known.model, population, None)
    return size_curves(known.model, population.take(seen.usable), np.asarray(seen.target)[seen.usable])


def _points(seen: _Seen) -> JsonValue:
    """Return at most `MAX_POINTS` pairs of predicted and actual values."""
    if seen.chances is not None or seen.actual is None:
        return None
    places = np.flatnonzero(np.isfinite(seen.actual))
    places = places[:: max(1, -(-len(places) // MAX_POINTS))]
    return [[_rounded(seen.said[i]), _rounded(seen.actual[i])] for i in places]


# ---- nodes ----------------------------------------------------------------------------------------------


def _node(
    tree: Tree, texts: NodeText, index: int, seen: _Seen, examples: Mapping[str, list[int]], spaces: Mapping[int, int]
) -> dict[str, JsonValue]:
    node = tree.nodes[index]
    stats = node.stats
    shown: dict[str, JsonValue] = {"n": stats.n, "says": inert(texts.says(index)), "share": inert(texts.share(index))}
    for name, figure in tree.task.chart_json(stats).items():
        shown[name] = list(map(_rounded, figure)) if isinstance(figure, list) else _rounded(figure)
    if seen.range is not None:
        shown["bins"] = _bins(tree, index, seen)
    if isinstance(node, Leaf):
        return shown | {"examples": {kind: [str(i) for i in places] for kind, places in examples.items() if places}}
    found = node.found
    shown |= {
        "test": inert(question(tree, index)),
        "words": inert(question(tree, index, words=True)),
        "kids": list(node.children),
        "ways": [inert(name) for name in branch_labels(node, tree.missing == "fractional")],
        "found": [
            found.criterion, _finite(found.score), _finite(found.gain), found.proved, _finite(found.gap),
            found.evaluated, _rounded(found.seconds), found.stopped_by, found.pruned, spaces.get(index),
        ],
    }  # fmt: skip
    if found.trace:  # points of evaluated, seconds, score, bound
        shown["trace"] = [[point.evaluated, *map(_rounded, point[1:])] for point in found.trace]
    return shown


def _bins(tree: Tree, index: int, seen: _Seen) -> list[int]:
    """Return a histogram of the targets of the individuals below a node."""
    assert seen.actual is not None and seen.range is not None
    low, high = seen.range
    values = seen.actual[np.isin(seen.leaves, leaves_below(tree, index))]
    counts, _ = np.histogram(values[np.isfinite(values)], _BINS, (low, high if high > low else low + 1))
    found: list[int] = counts.tolist()
    return found


# ---- examples -------------------------------------------------------------------------------------------


def _chosen(tree: Tree, seen: _Seen, population: Population) -> dict[int, dict[str, list[int]]]:
    """Return the example individuals of each leaf: typical, borderline and misclassified ones.

    Each leaf has at least one; beyond that, large leaves take precedence if there are too many.
    """
    leaves = tree.leaves
    most = max(1, min(5, MAX_EXAMPLES // (3 * max(1, len(leaves)))))
    order = np.argsort(seen.leaves, kind="stable")
    bounds = np.searchsorted(seen.leaves[order], [*leaves, leaves[-1] + 1])
    margins = _margins(tree, population)
    chosen, sizes = {}, {}
    for leaf, start, stop in zip(leaves, bounds[:-1], bounds[1:], strict=True):
        here = order[start:stop]
        here = here[seen.leaves[here] == leaf]
        chosen[leaf], sizes[leaf] = _of_leaf(here, seen, margins, most), len(here)
    left = MAX_EXAMPLES - sum(map(bool, map(_firsts, chosen.values())))
    for leaf in sorted(leaves, key=lambda leaf: -sizes[leaf]):
        first, found = _firsts(chosen[leaf]), {i for places in chosen[leaf].values() for i in places}
        left -= len(found - set(first))
        if left < 0:
            chosen[leaf] = {kind: [i for i in places if i in first] for kind, places in chosen[leaf].items()}
    return chosen


def _firsts(kinds: Mapping[str, list[int]]) -> list[int]:
    """Return the first example of a leaf, which represents it, as a list of at most one."""
    return [i for places in kinds.values() for i in places][:1]


def _of_leaf(here: NDArray[np.int64], seen: _Seen, margins: NDArray[np.float64], most: int) -> dict[str, list[int]]:
    if seen.chances is None and seen.actual is not None:
        off = np.abs(seen.actual[here] - seen.said[here])
        by_error = here[np.argsort(off, kind="stable")]
        typical, wrong = by_error[:most], by_error[::-1][:most]
        wrong = wrong[~np.isin(wrong, typical)]
    else:
        wrong = here[seen.wrong[here]]
        right = here[~seen.wrong[here]]
        typical = right[np.argsort(-np.nan_to_num(margins[right], posinf=0.0), kind="stable")][:most]
        wrong = wrong[:most]
    near = here[np.isfinite(margins[here])]
    near = near[np.argsort(margins[near], kind="stable")][:most]
    groups = {"typical": typical, "borderline": near, "wrong": wrong}
    return {kind: [int(i) for i in places] for kind, places in groups.items()}


def _margins(tree: Tree, population: Population) -> NDArray[np.float64]:
    """Return the distance of each individual to the nearest threshold on its path, in standard deviations."""
    margins = np.full(len(population), np.inf)
    for node, which in tree.arrivals(population):
        branch = tree.nodes[node]
        for values, threshold in _compared(branch.test, population) if isinstance(branch, Branch) else ():
            spread = float(np.nanstd(values)) or 1.0
            margins[which] = np.fmin(margins[which], np.abs(values[which] - threshold) / spread)
    return margins


def _compared(test: syn.Predicate, population: Population) -> Iterator[tuple[NDArray[np.float64], float]]:
    """Yield the attributes, counts and aggregates that a test compares with a threshold."""
    name, rows = population.schema.individual, population.individuals
    table = population.tables[name]
    match test:
        case syn.And(parts):
            for part in parts:
                yield from _compared(part, population)
        case syn.Compare(attribute, ">=" | "<=", int() | float() as threshold) if attribute in table.columns:
            yield np.asarray(table.columns[attribute].values, dtype=np.float64)[rows], float(threshold)
        case syn.Aggregate(op=">=" | "<=", value=int() | float() as threshold):
            yield (
                np.asarray(aggregate_column(test, population, name).values, dtype=np.float64)[rows],
                float(threshold),
            )
        case syn.Count(op=op, n=int() as n):
            yield count_behind(test, population, name)[rows].astype(np.float64), n - 0.5 if op == ">=" else n + 0.5
        case _:
            return


def _examples(
    known: Fitted,
    population: Population,
    original: Population,
    seen: _Seen,
    chosen: Mapping[int, Mapping[str, list[int]]],
    pool: Sequence[int],
) -> dict[str, dict[str, JsonValue]]:
    """Return the example individuals by number; those that represent their leaf are drawn first."""
    drawings, shared = _Allowance(MAX_DRAWN), Shared()
    explained, places = compact(population.take(pool)), {i: place for place, i in enumerate(pool)}
    found = {}
    order = dict.fromkeys([*(i for kinds in chosen.values() for i in _firsts(kinds)), *pool])
    with threadpool_limits(1, user_api="blas"):  # on small matrices, more threads only wait for each other
        for done, i in enumerate(order):
            report_status("explaining examples", done, len(order))
            reasoned = reasons_prepared(known, explained, places[i], words=True, shared=shared)
            found[i] = _example(known, reasoned, original, i, seen, drawings)
    return {str(i): found[i] for i in pool}


def _example(
    known: Fitted,
    reasoned: Reasoned,
    original: Population,
    i: int,
    seen: _Seen,
    drawings: _Allowance,
) -> dict[str, JsonValue]:
    """Return an individual with its values, its drawing, and the rows that decided the tests on its path."""
    tree = known.model.tree
    reasons, alone = reasoned.reasons, reasoned.alone
    names = original.provenance.names_of(int(original.individuals[i])) if original.provenance else {}
    entry: dict[str, JsonValue] = {
        "row": i,
        "names": [[inert(name), inert(value)] for name, value in names.items()],
        "leaf": int(seen.leaves[i]),
        "said": inert(_answer(tree, seen.said[i])),
        "why": [_reason(reason) for reason in reasons],
        "values": _own_values(original, i),
    }
    if seen.actual is not None:
        entry["actual"] = inert(_answer(tree, seen.actual[i]))
        entry["wrong"] = bool(seen.wrong[i])
    if original.schema.type(original.schema.individual).links and drawings.left > 0:
        marks = {str(reason.node): marks_of(reason, alone, reasoned.masks) for reason in reasons}
        whole = drawn(_without_target(alone, known.model.target), marks.values(), width=_DRAWING_WIDTH)
        drawing = whole.only([element for mark in marks.values() for element in mark.elements])
        entry["drawing"] = drawing.to_json()
        entry["marks"] = {node: each for node, mark in marks.items() if (each := _numbers(drawing, mark))}
        drawings.left -= len(json.dumps(entry["drawing"], ensure_ascii=False))
    return entry


def _has_structure(population: Population) -> bool:
    """Return whether individuals are graphs, such as molecules, which can be recognised in a small picture."""
    schema, provenance = population.schema, population.provenance
    if provenance is not None and provenance.relations is not None:  # the rows of a database
        return False
    return any(
        target == record.name or any(back.target == record.name for back in schema.type(target).links)
        for record in schema.types
        for target in (link.target for link in record.links if not link.single)
    )


def _without_target(alone: Population, target: str | None) -> Population:
    own = alone.tables[alone.schema.individual].columns
    return alone.without(target) if target is not None and target in own else alone


def _numbers(drawing: Drawing, marks: Marks) -> JsonValue:
    """Return the numbers of the counted, supporting and near elements of a drawing, and a remark."""
    places = {element: place for place, element in enumerate(drawing.ordered_elements)}
    roles = (marks.counted, marks.supporting, marks.near)
    found = [[places[element] for element in role if element in places] for role in roles]
    return [*found, drawing.missing_text(marks.counted)] if any(found) else None


def _answer(tree: Tree, value: Any) -> str:
    return tree.task.answer_text(value)


def _reason(reason: Any) -> list[JsonValue]:
    answer = reason.answer if isinstance(reason.answer, str) else "yes" if reason.answer else "no"
    return [reason.node, inert(answer), [inert(line) for line in reason.words()]]


def _own_values(original: Population, i: int) -> dict[str, JsonValue]:
    table, row = original.tables[original.schema.individual], int(original.individuals[i])
    return {inert(name): _shown(column, row, exact=True) for name, column in table.columns.items()}


def _shown(column: Column, row: int, *, exact: bool = False) -> JsonValue:
    """Convert a value for JSON; with `exact`, without rounding, so that the page predicts what the tree does."""
    value: Value = column.value(row)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return _finite(value) if exact else _rounded(value)
    return inert(value if isinstance(value, str) else text_of(value))


# ---- what if --------------------------------------------------------------------------------------------


def _what_if(tree: Tree, population: Population) -> tuple[JsonValue, tuple[syn.Predicate, ...]]:
    """Return the tests in a form that the page can evaluate, and the conditions that are fixed.

    Attributes of the individual can be edited on the page. Conditions behind links are fixed: each has a number, and
    the examples contain their truth values. A tree that divides individuals among branches has no such form.
    """
    if tree.missing == "fractional":
        return None, ()
    conditions = _Conditions(population)
    forms = [_node_form(tree, node, conditions) for node in range(len(tree.nodes))]
    return {"tests": forms, "attributes": conditions.attributes}, tuple(conditions.parts)


def _answers(parts: Sequence[syn.Predicate], examples: Population) -> Iterator[list[str]]:
    """Yield the truth values of the fixed conditions for each example, as 0 and 1."""
    columns = [holds(part, examples) for part in parts]
    return ([str(int(column[i])) for column in columns] for i in range(len(examples)))


@dataclass(slots=True, eq=False)
class _Conditions:
    """Numbered attributes that can be edited on the page, and numbered conditions that are fixed."""

    population: Population
    names: dict[str, int] = field(default_factory=dict)
    parts: dict[syn.Predicate, int] = field(default_factory=dict)

    def has(self, *names: str) -> bool:
        """Return whether the individual type has all given attributes."""
        return all(name in self.population.tables[self.population.schema.individual].columns for name in names)

    def attribute(self, name: str) -> int:
        """Return the number of an editable attribute."""
        return self.names.setdefault(name, len(self.names))

    def part(self, test: syn.Predicate) -> JsonValue:
        """Return the entry for a fixed condition."""
        return ["part", self.parts.setdefault(test, len(self.parts))]

    @property
    def attributes(self) -> list[JsonValue]:
        """Name, kind and values of each editable attribute."""
        individual = self.population.schema.individual
        record, columns = self.population.schema.type(individual), self.population.tables[individual].columns
        found = []
        for name in self.names:
            known = record.attribute(name)
            values = (known.values if known is not None else ()) or columns[name].categories
            found.append([inert(name), columns[name].kind, [inert(value) for value in values[:MAX_CATEGORIES]]])
        return found


def _node_form(tree: Tree, index: int, conditions: _Conditions) -> JsonValue:
    match tree.nodes[index]:
        case MultiwayBranch(attribute, values) as split:
            return ["switch", conditions.attribute(attribute), [inert(value) for value in values], split.usual]
        case Branch():
            return _form(tree.edges(index)[0].test, conditions)
        case Leaf():
            return None


def _form(test: syn.Predicate, conditions: _Conditions) -> JsonValue:
    """Return a test as nested lists, in which attributes are numbers."""
    match test:
        case syn.Top():
            return ["top"]
        case syn.Flag(name, positive) if conditions.has(name):
            return ["flag", conditions.attribute(name), positive]
        case syn.Compare(name, op, str() | int() | float() as value) if conditions.has(name):
            return ["compare", conditions.attribute(name), op, _constant(value)]
        case syn.Among(name, values, None) if conditions.has(name):
            return ["among", conditions.attribute(name), [_constant(value) for value in values]]
        case syn.Within(name, low, high, closed, None) if conditions.has(name):
            return ["within", conditions.attribute(name), _finite(low), _finite(high), closed]
        case syn.Missing(name) if conditions.has(name):
            return ["missing", conditions.attribute(name)]
        case syn.CompareOwn((name,), op, (other,)) if conditions.has(name, other):
            return ["own", conditions.attribute(name), op, conditions.attribute(other)]
        case syn.Named(_, body) if body is not None:
            return _form(body, conditions)
        case syn.Not(inner):
            return ["not", _form(inner, conditions)]
        case syn.And(parts) | syn.Or(parts):
            return ["and" if isinstance(test, syn.And) else "or", [_form(part, conditions) for part in parts]]
        case _:
            return conditions.part(test)


def _constant(value: syn.Scalar) -> str | float:
    return inert(value) if isinstance(value, str) else float(value)


# ---- the rest -------------------------------------------------------------------------------------------


def _rules(known: Fitted) -> list[list[JsonValue]]:
    """Return the rules with their conditions in words and as text, predictions and figures."""
    model, phrases = known.model, Phrases()
    return [
        [
            *_conditions(rule.conditions, model.tree, phrases),
            inert(class_name(rule.prediction) if model.tree.classes else f"{rule.prediction:.4g}"),
            rule.n,
            _rounded(rule.confidence if model.tree.classes else rule.spread),
            list(rule.leaves),
            None if rule.support == rule.n else _rounded(rule.support),
        ]
        for rule in to_rules(model.tree, decision=model.decision)
    ]


def _conditions(conditions: syn.Predicate, tree: Tree, phrases: Phrases) -> Iterator[list[str]]:
    """Yield the parts of the conditions in words, and as text."""
    for words in (True, False):
        said = (phrases.of(part, tree.schema, tree.schema.individual, words=words) for part in conjuncts(conditions))
        yield list(map(inert, said))


def _part_shares(tree: Tree) -> list[JsonValue]:
    """Return single conditions of tests, in words and as text, each with its share of the gain."""
    shares = [(part, share) for part, share in part_importances(tree).items() if share > 0][:MAX_PART_SHARES]
    return [[inert(in_words(part, tree.schema)), inert(pretty(part)), _rounded(share)] for part, share in shares]


def _criteria(known: Fitted, population: Population, seen: _Seen, seconds: float) -> list[dict[str, JsonValue]]:
    """Return the cost of finding the first test for each criterion, with and without pruning."""
    text = known.model.grammar.text
    if seen.target is None or not text:
        lacks = "the data has no target" if seen.target is None else "the model has no grammar"
        raise UsageError(f"effort cannot be measured: {lacks}; omit effort")
    usable, grammar = seen.usable, Grammar.parse(text)
    whole = with_background(population.take(usable), grammar, known.functions or {})
    labels = np.asarray(seen.target)[usable]
    efforts = compare_effort(whole, labels, grammar, time_limit=seconds, exhaustive_limit=seconds)
    return [_effort_figures(each) for each in efforts]


def _effort_figures(effort: Effort) -> dict[str, JsonValue]:
    keys = ("evaluated", "evaluated_exhaustive", "seconds", "seconds_exhaustive", "exhaustive_estimated", "proved")
    return {
        "criterion": inert(effort.criterion),
        "test": inert(effort.predicate),
        "trace": [[point.evaluated, *map(_rounded, point[1:])] for point in effort.trace],
        **{key: getattr(effort, key) for key in keys},
    }


def _summary(tree: Tree) -> list[str]:
    leaves = "1 leaf" if len(tree.leaves) == 1 else f"{len(tree.leaves):,} leaves"
    return [f"{leaves}, depth {tree.depth}", f"trained on {tree.nodes[0].stats.n:,} individuals"]


def _caveats(tree: Tree) -> list[str]:
    criteria = [node.found.criterion for node in tree.nodes if not isinstance(node, Leaf)]
    return list(caveat_lines(tree.caveats, len(tree.branches), next(iter(criteria), "the criterion")))


def _recorded(model: Model) -> dict[str, Any]:
    """Return the settings and the outcome of training by display name."""
    settings, outcome = model.settings, model.outcome
    if not settings.criterion:
        return {}
    return {
        "goal": settings.goal,
        "criterion": settings.criterion,
        "growth": asdict(settings.growth),
        "pruning": asdict(settings.pruning),
        "size": settings.size,
        "route": model.route.why or None,
        "stopped_by": outcome.stopped_by,
        **({"skipped": list(outcome.skipped)} if outcome.skipped else {}),
        "grammar_origin": model.grammar.origin,
        "grammar_notes": list(model.grammar.notes),
        "reading": {"ending": model.reading.ending, **model.reading.options} if model.reading else {},
    }


def _parameters(params: Mapping[str, Any], stem: str = "") -> Iterator[tuple[str, str]]:
    for name, value in params.items():
        if isinstance(value, Mapping):
            yield from _parameters(value, f"{stem}{name}.")
        else:
            yield f"{stem}{name}", "none" if value is None else str(value)


def _data(population: Population, needed: NeededMembers) -> list[dict[str, JsonValue]]:
    """Return the types with descriptions of their members, and whether the tests use each member."""
    types = []
    for record in population.schema.types:
        about, used = describe_type(population, record), needed.get(record.name, ())
        members = [
            [*(inert(str(text)) for text in member.values()), member["name"] in used] for member in about["members"]
        ]
        types.append({"type": inert(record.name), "n": population.tables[record.name].n_rows, "members": members})
    return types


def _rounded(value: Any) -> float | int | None:
    if value is None or not isfinite(value):
        return None
    number = float(f"{float(value):.6g}")
    return int(number) if number.is_integer() and abs(number) < 1e15 else number


def _finite(value: Any) -> float | None:
    return None if value is None or not isfinite(value) else float(value)
