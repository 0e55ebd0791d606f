"""Paths of a tree as clauses, simplified without changing a prediction.

Each leaf gives one clause: the tests on its path, or their negations. C4.5rules simplifies clauses as far as the
training data allows; here a condition is removed only if *syntax* proves that no prediction changes:

- a condition implied by the others is removed, as is an implied conjunct of a negated conjunction;
- a condition is removed if all individuals that satisfy the others get the same prediction, in whatever leaf;
- a clause is removed if another clause with the same prediction covers it;
- a clause that contradicts itself is removed, because no individual can reach its leaf.

Law: every possible individual satisfies at least one clause, and every clause it satisfies predicts what the tree
predicts.

A short clause may cover only some individuals of a leaf, so the counts of the leaves do not apply to it. A *whole*
clause is simplified only if it still covers exactly the individuals of some leaves, so that its counts are the sums
of theirs.

Conditions are numbered, and implications are looked up once per condition, among the conditions that share a feature;
everything else is operations on sets of numbers.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from structtree.lang import syntax as syn
from structtree.lang.logic import excludes, implies
from structtree.lang.walk import children, is_closed, with_children
from structtree.models.tree import Edge, Tree, answers_below
from structtree.space.terms import conjuncts

__all__ = ["Clause", "clauses", "conjunction", "negation", "short_clauses", "whole_clauses"]

Numbers = frozenset[int]
Edges = Sequence[tuple[Edge, ...]]
#: The edges of each node: child, number of the test, and answer.
NumberedEdges = Sequence[tuple[tuple[int, int, bool], ...]]


class Clause(NamedTuple):
    """Conjunction of conditions, and the leaves that it represents; a whole clause covers exactly these leaves."""

    conditions: tuple[syn.Predicate, ...]
    leaves: tuple[int, ...]


def clauses(tree: Tree) -> tuple[Clause, ...]:
    """Return one clause per leaf: every test on its path, or its negation.

    Examples
    --------
    >>> from structtree import Grammar
    >>> from structtree.learn.growing import grow
    >>> tree = grow([{"a": True}, {"a": False}], ["yes", "no"], Grammar.parse("refine Individual { top -> a }"))
    >>> [clause.leaves for clause in clauses(tree)]
    [(1,), (2,)]
    """
    return tuple(Clause(_conditions(tree, leaf), (leaf,)) for leaf in tree.leaves)


def _conditions(tree: Tree, leaf: int) -> tuple[syn.Predicate, ...]:
    steps = tree.path(leaf)
    found = [part for s in steps for part in (conjuncts(s.test) if s.answer else (negation(s.test),))]
    return tuple(dict.fromkeys(found))


def short_clauses(tree: Tree, answers: Sequence[Hashable]) -> tuple[Clause, ...]:
    """Return clauses with the same predictions as the tree, without the conditions that syntax proves redundant.

    Parameters
    ----------
    tree : Tree
    answers : sequence
        Prediction of each node of the tree.

    Returns
    -------
    tuple of Clause
        All leaves of a clause have the same prediction.

    Examples
    --------
    >>> from structtree import Grammar, pretty
    >>> from structtree.learn.growing import grow
    >>> grammar = Grammar.parse("refine Individual { top -> a >= * }")
    >>> tree = grow([{"a": 1}, {"a": 3}, {"a": 5}], ["no", "yes", "no"], grammar)
    >>> for clause in short_clauses(tree, [0, 1, 0, 1, 0]):
    ...     print([pretty(condition) for condition in clause.conditions], clause.leaves)
    ['a >= 5'] (2,)
    ['a in [3, 5)'] (3,)
    ['not (a >= 3)'] (4,)
    """
    walk = _Walk.through(tree, answers)
    shorter = [walk.generalised(clause) for clause in walk.possible]
    return tuple(map(_readable, _absorbed(shorter, answers, walk.facts)))


def whole_clauses(tree: Tree, answers: Sequence[Hashable]) -> tuple[Clause, ...]:
    """Return simplified clauses, each of which covers exactly the individuals of its leaves.

    Parameters
    ----------
    tree, answers
        As in `short_clauses`.

    Returns
    -------
    tuple of Clause
        All leaves of a clause have the same prediction. Clauses may share leaves.

    Examples
    --------
    >>> from structtree import Grammar, pretty
    >>> from structtree.learn.growing import grow
    >>> rows = [{"a": a, "b": b} for a in (False, True) for b in (False, True)]
    >>> tree = grow(rows, ["no", "yes", "yes", "yes"], Grammar.parse("refine Individual { top -> a; top -> b }"))
    >>> for find in (short_clauses, whole_clauses):
    ...     print([" and ".join(map(pretty, clause.conditions)) for clause in find(tree, [0, 1, 0, 1, 0])])
    ['a', 'b', 'not (a) and not (b)']
    ['a', 'not (a) and b', 'not (a) and not (b)']
    """
    walk = _Walk.through(tree, answers)
    shorter = [walk.joined(clause) for clause in walk.possible]
    return tuple(map(_readable, _absorbed(shorter, answers, walk.facts)))


def _conditions_of(found: Iterable[Clause]) -> Iterator[syn.Predicate]:
    return (condition for clause in found for condition in clause.conditions)


def negation(predicate: syn.Predicate) -> syn.Predicate:
    """Return the negation of a predicate, without ``not`` where the grammar language allows it.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate as parse
    >>> from structtree.lang.pretty import pretty
    >>> [pretty(negation(parse(text))) for text in ("exists cars (long)", "count cars (top) >= 3", "size >= 2")]
    ['none cars (long)', 'count cars (top) <= 2', 'not (size >= 2)']
    """
    match predicate:
        case syn.Not(inner):
            return inner
        case syn.Exists(link, inner):
            return syn.No(link, inner)
        case syn.No(link, inner):
            return syn.Exists(link, inner)
        case syn.Count(link, inner, ">=", int() as n) if n > 0:
            return syn.Count(link, inner, "<=", n - 1)
        case syn.Count(link, inner, "<=", int() as n):
            return syn.Count(link, inner, ">=", n + 1)
        case _:
            return syn.Not(predicate)


def _is_negative(predicate: syn.Predicate) -> bool:
    return is_closed(predicate) and not isinstance(predicate, syn.Or | syn.Aggregate)


# ---- implications ----------------------------------------------------------------------------------------


def _names(predicate: syn.Predicate) -> Iterator[str]:
    """Yield the attributes and links of the row itself that a predicate mentions."""
    stack = [predicate]
    while stack:
        match stack.pop():
            case (
                syn.Flag(name)
                | syn.Compare(name)
                | syn.Among(name)
                | syn.Within(name)
                | syn.Missing(name)
                | syn.Aggregate(link=name)
            ):
                yield name
            case syn.CompareOwn(path, _, other):
                yield path[0]
                yield other[0]
            case syn.Named(_, body) if body is not None:
                stack.append(body)
            case syn.And() | syn.Or() | syn.Not() as form:
                stack.extend(children(form))
            case syn.ListStep(link=None) | syn.Named() | syn.Top() | syn.CompareMine() | syn.Me():
                yield ""
            case form:
                yield str(form.link)


def _shape(condition: syn.Predicate) -> tuple[syn.Predicate, float] | None:
    """Split a condition into its shape, with the threshold set to 0, and its threshold; None if it has other numbers.

    Whether one such condition implies another depends only on the order of their thresholds. A condition without a
    threshold has threshold 0.
    """
    thresholds: list[float] = []
    others: list[syn.Predicate] = []

    def emptied(part: syn.Predicate) -> syn.Predicate:
        match part:
            case syn.Compare(_, ">=" | "<=", int() | float() as threshold):
                thresholds.append(float(threshold))
                return replace(part, value=0.0)
            case syn.Compare(value=str()) | syn.Flag() | syn.Missing():
                return part
            case syn.Not() | syn.And() | syn.Or() | syn.LinkedTo():
                return with_children(part, tuple(map(emptied, children(part))))
            case _:
                others.append(part)
                return part

    shape = emptied(condition)
    return (shape, sum(thresholds)) if len(thresholds) <= 1 and not others else None


Judgement = Callable[[syn.Predicate, syn.Predicate], bool | None]


class _Alike(NamedTuple):
    """Conditions of one shape, in ascending order of their thresholds."""

    thresholds: list[float]
    conditions: list[int]

    def parts(self, threshold: float) -> tuple[list[int], list[int], list[int]]:
        """Split the conditions into those with a smaller, an equal and a larger threshold."""
        first, last = bisect_left(self.thresholds, threshold), bisect_right(self.thresholds, threshold)
        return self.conditions[:first], self.conditions[first:last], self.conditions[last:]


class _Direction(NamedTuple):
    """Whether a condition asks for rows (1), denies them (-1) or has another form (0), and all names in it."""

    sign: int
    names: frozenset[str]

    def may_imply(self, other: _Direction) -> bool:
        """Return whether this condition can imply another one, as far as their names tell.

        Rows that were asked for have all properties of the rows that they imply; for denied rows it is the reverse.
        """
        if not self.sign or not other.sign:
            return True
        fewer, more = (other.names, self.names) if self.sign > 0 else (self.names, other.names)
        return self.sign == other.sign and fewer <= more

    def may_exclude(self, other: _Direction) -> bool:
        """Return whether this condition can exclude another one: whether one can imply the opposite of the other."""
        if not self.sign or not other.sign:
            return True
        denied, asked = (self, other) if self.sign < 0 else (other, self)
        return self.sign != other.sign and denied.names <= asked.names


def _direction(condition: syn.Predicate) -> _Direction:
    match condition:
        case syn.Exists() | syn.Count(op=">=") if (names := _asked_names(condition)) is not None:
            return _Direction(1, names)
        case syn.Not(syn.Exists() | syn.Count(op=">=") as inner) if (names := _asked_names(inner)) is not None:
            return _Direction(-1, names)
        case syn.No(link, inner) | syn.Count(link, inner, "<=") if (names := _asked_names(inner)) is not None:
            return _Direction(-1, names | {link})
        case _:
            return _Direction(0, frozenset())


def _asked_names(condition: syn.Predicate) -> frozenset[str] | None:
    """Return all names in a condition that only asks for rows and values; None for one of another form."""
    names: set[str] = set()
    stack = [condition]
    while stack:
        match stack.pop():
            case syn.Flag(name) | syn.Compare(name) | syn.Among(name) | syn.Within(name):
                names.add(name)
            case syn.Exists(link, inner) | syn.Follow(link, inner):
                names.add(link)
                stack.append(inner)
            case syn.Count(link, inner, ">=", int() as n) if n >= 1:
                names.add(link)
                stack.append(inner)
            case syn.And(parts):
                stack.extend(parts)
            case syn.Top():
                pass
            case _:
                return None
    return frozenset(names)


class _Facts:
    """Numbered conditions, with a cache of the implications between them."""

    def __init__(self, conditions: Iterable[syn.Predicate]) -> None:
        self.conditions = list(dict.fromkeys(conditions))
        self.number = {condition: i for i, condition in enumerate(self.conditions)}
        self._entailers: dict[int, Numbers] = {}
        self._refuters: dict[int, Numbers] = {}
        self._parts: dict[int, tuple[Numbers, ...]] = {}
        self._judged: dict[tuple[Judgement, int, int, int], bool] = {}
        found = list(map(_shape, self.conditions))
        shapes = {shape: i for i, shape in enumerate(dict.fromkeys(one[0] for one in found if one is not None))}
        self._shapes = [None if one is None else (shapes[one[0]], one[1]) for one in found]
        self._alike = [_Alike([], []) for _ in shapes]
        for threshold, i, shape in sorted((s[1], i, s[0]) for i, s in enumerate(self._shapes) if s is not None):
            self._alike[shape].thresholds.append(threshold)
            self._alike[shape].conditions.append(i)
        self._directions = list(map(_direction, self.conditions))
        self._by_name = _index((i, condition) for i, condition in enumerate(self.conditions))
        self._shapeless_by_name = _index((i, self.conditions[i]) for i, one in enumerate(found) if one is None)
        self._shapes_by_name = _index((i, shape) for shape, i in shapes.items())

    def including(self, more: Iterable[syn.Predicate]) -> _Facts:
        """Return facts that include more conditions; the cache is kept if none of them is new."""
        new = [condition for condition in more if condition not in self.number]
        return _Facts((*self.conditions, *new)) if new else self

    def numbers(self, conditions: Iterable[syn.Predicate]) -> Numbers:
        """Return the numbers assigned to conditions."""
        return frozenset(self.number[condition] for condition in conditions)

    def entailers(self, condition: int) -> Numbers:
        """Return the conditions that imply a condition, including itself."""
        if condition not in self._entailers:
            self._entailers[condition] = frozenset((*self._judged_by(implies, condition), condition))
        return self._entailers[condition]

    def refuters(self, condition: int) -> Numbers:
        """Return the conditions that exclude a condition."""
        if condition not in self._refuters:
            self._refuters[condition] = frozenset(self._judged_by(excludes, condition))
        return self._refuters[condition]

    def entailed(self, conditions: Numbers) -> dict[int, set[int]]:
        """Map each condition to the given conditions that it implies, including itself."""
        found: dict[int, set[int]] = {condition: set() for condition in conditions}
        for condition in conditions:
            for entailer in self.entailers(condition) & conditions:
                found[entailer].add(condition)
        return found

    def _judged_by(self, judge: Judgement, condition: int) -> set[int]:
        """Return the conditions that imply, or exclude, a condition; those of one shape are compared by threshold."""
        mine, shape = self.conditions[condition], self._shapes[condition]
        one_by_one = self._related(mine) if shape is None else _about(self._shapeless_by_name, mine)
        may_be = _Direction.may_imply if judge is implies else _Direction.may_exclude
        known, own = self._directions, self._directions[condition]
        found = {i for i in one_by_one if may_be(known[i], own) and judge(self.conditions[i], mine)}
        if shape is None:
            return found
        for other in _about(self._shapes_by_name, mine):
            if not may_be(known[self._alike[other].conditions[0]], own):  # one shape has one direction
                continue
            for order, part in enumerate(self._alike[other].parts(shape[1])):
                if part and self._is_judged(judge, other, shape[0], order, part[0], condition):
                    found.update(part)
        return found

    def _is_judged(self, judge: Judgement, one: int, other: int, order: int, first: int, second: int) -> bool:
        """Return whether one shape implies, or excludes, another for an order of their thresholds; cached."""
        key = (judge, one, other, order)
        if key not in self._judged:
            self._judged[key] = bool(judge(self.conditions[first], self.conditions[second]))
        return self._judged[key]

    def settles(self, given: Numbers, test: int) -> bool | None:
        """Return the answer to a test if the given conditions determine it, and None otherwise."""
        if not given.isdisjoint(self.refuters(test)):
            return False
        return None if any(map(given.isdisjoint, self._entailers_of_parts(test))) else True

    def _entailers_of_parts(self, test: int) -> tuple[Numbers, ...]:
        if test not in self._parts:
            parts = conjuncts(self.conditions[test])
            self._parts[test] = tuple(self.entailers(self.number[part]) for part in parts)
        return self._parts[test]

    def _related(self, condition: syn.Predicate) -> set[int]:
        return _about(self._by_name, condition)


def _index(numbered: Iterable[tuple[int, syn.Predicate]]) -> dict[str, set[int]]:
    """Map each name to the numbers of the predicates that mention it."""
    by_name: dict[str, set[int]] = {}
    for i, predicate in numbered:
        for name in _names(predicate):
            by_name.setdefault(name, set()).add(i)
    return by_name


def _about(by_name: dict[str, set[int]], predicate: syn.Predicate) -> set[int]:
    """Return the numbers of the predicates that share a name with a predicate."""
    return set().union(*(by_name.get(name, ()) for name in _names(predicate)))


def _tests(edges: Edges) -> Iterator[syn.Predicate]:
    for of_node in edges:
        for edge in of_node:
            yield edge.test
            yield from conjuncts(edge.test)


# ---- simplifying one clause --------------------------------------------------------------------------------


def _without_implied(conditions: tuple[syn.Predicate, ...], facts: _Facts) -> tuple[syn.Predicate, ...] | None:
    """Return the conditions without those implied by others; None if they contradict each other.

    Conditions nearer the root are tried first, because tests further down are usually more specific.
    """
    kept = set(facts.numbers(conditions))
    if any(not kept.isdisjoint(facts.refuters(condition)) for condition in kept):
        return None
    for condition in [facts.number[c] for c in conditions]:
        if not facts.entailers(condition).isdisjoint(kept - {condition}):
            kept.discard(condition)
    left = [facts.conditions[i] for i in map(facts.number.__getitem__, conditions) if i in kept]
    return _without_known_parts(left)


def _without_known_parts(conditions: list[syn.Predicate]) -> tuple[syn.Predicate, ...] | None:
    """Remove every P of ``not (P and Q)`` that the other conditions imply; return None if they imply all of it."""
    shorter: list[syn.Predicate] = []
    for condition in conditions:
        match condition:
            case syn.Not(syn.And(parts)):
                others = [other for other in conditions if other is not condition]
                unknown = tuple(p for p in parts if not any(implies(other, p) for other in others))
                if not unknown:
                    return None
                shorter.append(negation(conjunction(unknown)))
            case _:
                shorter.append(condition)
    return tuple(dict.fromkeys(shorter))


def conjunction(parts: tuple[syn.Predicate, ...]) -> syn.Predicate:
    """Return the conjunction of conditions, in their order."""
    if len(parts) > 1:
        return syn.And(parts)
    return parts[0] if parts else syn.Top()


# ---- simplifying clauses with the tree, and by comparison ----------------------------------------------------


class _Walk(NamedTuple):
    """Tree prepared for finding the leaves that individuals with given conditions can reach.

    Parameters
    ----------
    edges : sequence
        The edges of each node.
    below : list of set
        The predictions of the leaves below each node.
    known : mapping from int to Numbers
        The conditions that all individuals at a leaf satisfy, for each leaf that can be reached.
    possible : list of Clause
        One for each of these leaves, without implied conditions.
    facts : _Facts
    """

    edges: NumberedEdges
    below: list[set[Hashable]]
    known: Mapping[int, Numbers]
    possible: list[Clause]
    facts: _Facts

    @classmethod
    def through(cls, tree: Tree, answers: Sequence[Hashable]) -> _Walk:
        plain, edges = clauses(tree), [tree.edges(node) for node in range(len(tree.nodes))]
        facts = _Facts((*_conditions_of(plain), *_tests(edges)))
        shorter = [(clause, _without_implied(clause.conditions, facts)) for clause in plain]
        possible = [Clause(conditions, clause.leaves) for clause, conditions in shorter if conditions is not None]
        facts = facts.including(_conditions_of(possible))
        numbered = [tuple((edge.child, facts.number[edge.test], edge.answer) for edge in each) for each in edges]
        known = {
            clause.leaves[0]: facts.numbers((*clause.conditions, *conditions))
            for clause, conditions in shorter
            if conditions is not None
        }
        return cls(numbered, answers_below(tree, answers), known, possible, facts)

    def generalised(self, clause: Clause) -> Clause:
        """Return the clause without the conditions that do not affect the prediction.

        Negative conditions are tried first, because a rule reads better without them.
        """
        kept, answer = self.facts.numbers(clause.conditions), self.below[clause.leaves[0]]
        for condition in sorted(clause.conditions, key=_is_negative, reverse=True):
            rest = kept - {self.facts.number[condition]}
            if self._all_predict(answer, rest):
                kept = rest
        return clause._replace(conditions=tuple(c for c in clause.conditions if self.facts.number[c] in kept))

    def joined(self, clause: Clause) -> Clause:
        """Remove conditions as long as the clause covers whole leaves, and return it with the leaves it then covers.

        The last conditions are tried first, because leaves with the same prediction are usually close together.
        """
        kept, leaves = self.facts.numbers(clause.conditions), clause.leaves
        for condition in reversed(clause.conditions):
            rest = kept - {self.facts.number[condition]}
            if (more := self._whole_leaves(self.below[leaves[0]], rest)) is not None:
                kept, leaves = rest, more
        return Clause(tuple(c for c in clause.conditions if self.facts.number[c] in kept), leaves)

    def _all_predict(self, answer: set[Hashable], given: Numbers) -> bool:
        """Return whether all leaves that are reachable under these conditions have this prediction."""
        stack = [0]
        while stack:
            node = stack.pop()
            if self.below[node] == answer:
                continue
            if not self.edges[node] or answer.isdisjoint(self.below[node]):
                return False
            stack += self._open_to(given, node)
        return True

    def _whole_leaves(self, answer: set[Hashable], given: Numbers) -> tuple[int, ...] | None:
        """Return the leaves that the conditions cover exactly; None if one of them has another prediction."""
        found, stack = [], [0]
        while stack:
            node = stack.pop()
            if answer.isdisjoint(self.below[node]):
                return None
            stack += self._open_to(given, node)
            if node in self.known:
                if any(self.known[node].isdisjoint(self.facts.entailers(condition)) for condition in given):
                    return None
                found.append(node)
        return tuple(sorted(found))

    def _open_to(self, given: Numbers, node: int) -> list[int]:
        """Return the children of a node that are reachable under these conditions."""
        return [child for child, test, yes in self.edges[node] if self.facts.settles(given, test) in (None, yes)]


def _absorbed(found: list[Clause], answers: Sequence[Hashable], facts: _Facts) -> list[Clause]:
    """Merge each clause into another clause that covers it and has the same prediction."""
    numbers = [facts.numbers(clause.conditions) for clause in found]
    home = list(range(len(found)))
    alike: dict[Hashable, list[int]] = {}
    for i, clause in enumerate(found):
        alike.setdefault(answers[clause.leaves[0]], []).append(i)
    entailed = facts.entailed(frozenset().union(*numbers))
    for i, mine in enumerate(found):
        known = frozenset().union(*(entailed[c] for c in numbers[i]))
        for j in alike[answers[mine.leaves[0]]]:
            if home[j] == j != i and numbers[j] <= known:
                home[i] = j
                break
    return _gathered(found, home)


def _gathered(found: list[Clause], home: list[int]) -> list[Clause]:
    leaves: dict[int, set[int]] = {}
    for i, clause in enumerate(found):
        last = i
        while home[last] != last:
            last = home[last]
        leaves.setdefault(last, set()).update(clause.leaves)
    return [Clause(found[i].conditions, tuple(sorted(leaves[i]))) for i in sorted(leaves)]


def _readable(clause: Clause) -> Clause:
    """Write a lower and an upper bound as one interval: ``a >= 3 and a <= 5`` as ``a in [3, 5]``."""
    conditions = list(clause.conditions)
    for low in clause.conditions:
        for high in clause.conditions:
            interval = _interval(low, high)
            if interval is not None and low in conditions and high in conditions:
                conditions[conditions.index(low)] = interval
                conditions.remove(high)
    return clause._replace(conditions=tuple(conditions))


def _interval(low: syn.Predicate, high: syn.Predicate) -> syn.Within | None:
    match low, high:
        case syn.Compare(value=syn.OrderedCategory()), _:  # the language has no intervals of categories
            return None
        case syn.Compare(name, ">=", int() | float() as least), syn.Not(
            syn.Compare(other, ">=", int() | float() as beyond)
        ):
            return syn.Within(name, _end(least), _end(beyond)) if name == other and least < beyond else None
        case syn.Compare(name, ">=", int() | float() as least), syn.Compare(other, "<=", int() | float() as most):
            return syn.Within(name, _end(least), _end(most), closed=True) if name == other and least <= most else None
        case _:
            return None


def _end(value: float) -> float:
    """Convert the end of an interval to a float, except dates and times, which are written differently."""
    return value if isinstance(value, syn.Day) else float(value)
