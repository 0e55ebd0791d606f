"""Conversion of a tree to rules, or to one formula per class, with exactly the same predictions.

Rules are clauses (`structtree.models.clauses`) with a prediction and counts. Every possible individual, seen or not,
satisfies at least one rule, and every rule it satisfies predicts what the tree predicts, so the order of the rules
does not matter. If the tree sends individuals with missing values to several leaves, this is guaranteed only for the
others.

The counts of a rule are exact for its conditions. A rule is therefore simplified only as long as it covers whole
leaves, whose counts are known; formulas have no counts, so their clauses may be shorter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from structtree.data.population import Population
from structtree.errors import UsageError
from structtree.lang import syntax as syn
from structtree.lang.pretty import pretty
from structtree.models.clauses import Clause, clauses, conjunction, short_clauses, whole_clauses
from structtree.models.model import fitted
from structtree.models.settings import Decision
from structtree.models.tree import Branch, Leaf, Stats, Tree
from structtree.reprs import inert, short_repr
from structtree.space.evaluate import holds
from structtree.tasks.target import Target, target_for

__all__ = ["Rule", "list_rules", "to_formula", "to_rules"]

_Count = Callable[[Clause], list[Stats] | None]


@dataclass(frozen=True, slots=True)
class Rule:
    """Prediction of a tree for all individuals that satisfy some conditions.

    Parameters
    ----------
    conditions : Predicate
        A conjunction, or a single condition; ``top`` if there are none.
    prediction : class or float
    n : int or None
        Number of individuals that satisfy the conditions; None if unknown, as for a tree that sends individuals to
        several leaves.
    support : float or None
        Their weight.
    confidence : float or None
        The fraction of that weight with the predicted class; None for regression, and without individuals.
    spread : float or None
        For regression: the root mean squared error.
    leaves : tuple of int
        The leaves of the tree that it covers.
    """

    conditions: syn.Predicate
    prediction: Any
    n: int | None
    support: float | None
    confidence: float | None
    spread: float | None
    leaves: tuple[int, ...]

    def __repr__(self) -> str:
        return short_repr(self, str(self))

    def __str__(self) -> str:
        return self.saying(pretty(self.conditions))

    def saying(self, conditions: str) -> str:
        """Return the rule as a sentence, using the given text for its conditions."""
        is_number = isinstance(self.prediction, float) and self.confidence is None
        prediction = f"{self.prediction:.4g}" if is_number else inert(str(self.prediction))
        facts = [f"n={self.n}"] if self.n is not None else []
        facts += [f"weight {self.support:.4g}"] if self.support is not None and self.support != self.n else []
        facts += [f"confidence {self.confidence:.2f}"] if self.confidence is not None else []
        facts += [f"± {self.spread:.3g}"] if self.spread is not None else []
        return f"if {conditions} then {prediction}" + (f" ({', '.join(facts)})" if facts else "")


def to_rules(
    model: Any,
    individuals: Any = None,
    target: ArrayLike | None = None,
    *,
    decision: Decision | None = None,
    sample_weight: ArrayLike | None = None,
    simplify: bool = True,
) -> tuple[Rule, ...]:
    """Return a tree as an unordered set of rules with the same predictions.

    Parameters
    ----------
    model : Tree, Model or fitted estimator
    individuals, target : individuals in any form and array, optional
        Data to count on; the training counts of the tree by default.
    decision : Decision, optional
        Decision options of the leaves; those of the model by default.
    sample_weight : array, optional
        Weights of the individuals.
    simplify : bool
        Whether to drop conditions that are not needed. If False, there is one rule for each leaf with every test on
        its path, and exactly one rule holds for each individual. If True, a rule covers all individuals of one leaf
        or of several with the same prediction, so rules may overlap where they agree, and a leaf that cannot be
        reached has none; at least one rule holds for each possible individual, and every rule that does agrees with
        the tree.

    Returns
    -------
    tuple of Rule
        Ordered by class, or by ascending number, then by descending support.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> from structtree.models.tree import Branch, ClassCounts, Found, Leaf
    >>> data = Population.from_records([{"a": True, "b": False}, {"a": False, "b": True}, {"a": False, "b": False}])
    >>> found = Found("acc*", 1.0, 0.5, True, 0.0, 1, 0.0)
    >>> yes, no, seen = ClassCounts(1, (0.0, 1.0)), ClassCounts(1, (1.0, 0.0)), ClassCounts(3, (1.0, 2.0))
    >>> tests = [Branch(parse_predicate("b"), 1, 2, seen, found), Branch(parse_predicate("a"), 3, 4, seen, found)]
    >>> tree = Tree((tests[0], Leaf(yes), tests[1], Leaf(yes), Leaf(no)), data.schema, ("no", "yes"))
    >>> for rule in to_rules(tree):
    ...     print(rule)
    if not (b) and not (a) then no (n=1, confidence 1.00)
    if b then yes (n=1, confidence 1.00)
    if not (b) and a then yes (n=1, confidence 1.00)
    """
    known = fitted(model, decision)
    tree = known.model.tree
    answers = _answers(tree, known.model.decision)
    chosen = whole_clauses(tree, answers) if simplify else clauses(tree)
    if individuals is None:
        count: _Count = partial(_on_leaves, tree) if _keeps_whole(tree) else _unknown
    else:
        population = known.prepared(individuals)
        count = partial(_on_cases, population, _checked(tree, population, target, sample_weight))
    rules = [_rule(tree, clause, answers[clause.leaves[0]], count(clause)) for clause in chosen]
    return tuple(sorted(rules, key=lambda rule: (answers[rule.leaves[0]], -(rule.support or 0), rule.leaves)))


def list_rules(model: Any, decision: Decision | None = None) -> tuple[Rule, ...]:
    """Return the rules of a rule list in order; the last one is the default.

    Each rule is about the individuals that no rule before it covers, and so are its figures.

    Parameters
    ----------
    model : Tree, Model or fitted estimator
        A tree whose yes branches are leaves.
    decision : Decision, optional
        Decision options of the leaves; those of the model by default.

    Examples
    --------
    >>> from structtree import fit, load_dataset
    >>> trains = load_dataset("trains")
    >>> for rule in list_rules(fit(trains.population, trains.target, "trains", model="rule-list", max_rules=1)):
    ...     print(rule)
    if exists cars (closed and not long) then east (n=8, confidence 1.00)
    if top then west (n=12, confidence 0.83)
    """
    known = fitted(model, decision).model
    tree, answers = known.tree, _answers(known.tree, known.decision)
    found, node = [], 0
    while isinstance(branch := tree.nodes[node], Branch):
        if not isinstance(tree.nodes[branch.yes], Leaf):
            raise UsageError("only a tree whose yes branches are leaves is a rule list; use to_rules for other trees")
        found.append((branch.test, branch.yes))
        node = branch.no
    if not isinstance(branch, Leaf):
        raise UsageError("a rule list has no multiway branches; use to_rules for other trees")
    figures = [*found, (syn.TOP, node)]
    return tuple(
        _rule(tree, Clause((test,), (leaf,)), answers[leaf], _on_leaves(tree, Clause((test,), (leaf,))))
        for test, leaf in figures
    )


def to_formula(model: Any, decision: Decision | None = None) -> dict[Any, syn.Predicate]:
    """Return a formula in disjunctive normal form for each class, true for exactly its predicted individuals.

    Parameters
    ----------
    model : Tree, Model or fitted estimator
        For classification.
    decision : Decision, optional
        Decision options of the leaves; those of the model by default.

    Returns
    -------
    dict from class to Predicate
        A disjunction of conjunctions of tests and negated tests; ``not (top)`` for a class that is never predicted.
        With ``missing="majority"`` a test may be ``a >= 3 or missing a``.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> from structtree.models.tree import Branch, ClassCounts, Found, Leaf
    >>> data = Population.from_records([{"size": 1}, {"size": 5}])
    >>> no, yes, both = ClassCounts(1, (1.0, 0.0)), ClassCounts(1, (0.0, 1.0)), ClassCounts(2, (1.0, 1.0))
    >>> branch = Branch(parse_predicate("size >= 3"), 1, 2, both, Found("acc*", 1.0, 0.5, True, 0.0, 1, 0.0))
    >>> formula = to_formula(Tree((branch, Leaf(yes), Leaf(no)), data.schema, ("no", "yes")))
    >>> pretty(formula["yes"]), pretty(formula["no"])
    ('size >= 3', 'not (size >= 3)')
    """
    known = fitted(model, decision).model
    tree = known.tree
    if not tree.classes:
        raise UsageError(
            f"formulas need a tree for classes; this tree predicts {tree.task.noun}, so use its rules instead"
        )
    answers = _answers(tree, known.decision)
    found = short_clauses(tree, answers)
    return {
        label: _disjunction(clause for clause in found if answers[clause.leaves[0]] == code)
        for code, label in enumerate(tree.classes)
    }


def _answers(tree: Tree, decision: Decision) -> list[Any]:
    """Return the prediction of each node: the index of a class, or a number."""
    return list(tree.task.answers(tree, decision).tolist())


def _disjunction(found: Iterable[Clause]) -> syn.Predicate:
    parts: list[syn.Predicate] = []
    for predicate in (conjunction(clause.conditions) for clause in found):
        parts += predicate.parts if isinstance(predicate, syn.Or) else (predicate,)
    if len(parts) > 1:
        return syn.Or(tuple(parts))
    return parts[0] if parts else syn.Not(syn.Top())


# ---- counting -------------------------------------------------------------------------------------------


def _keeps_whole(tree: Tree) -> bool:
    """Return whether every training individual is counted at exactly one leaf."""
    leaves = (tree.nodes[leaf] for leaf in tree.leaves)
    return tree.missing != "fractional" or sum(leaf.stats.n for leaf in leaves) == tree.nodes[0].stats.n


def _unknown(clause: Clause) -> None:
    """Return None, because fractional counts of leaves do not add up to numbers of individuals."""


def _on_leaves(tree: Tree, clause: Clause) -> list[Stats]:
    return [tree.nodes[leaf].stats for leaf in clause.leaves]


def _on_cases(population: Population, target: Target, clause: Clause) -> list[Stats]:
    which = np.flatnonzero(holds(conjunction(clause.conditions), population) & (target.weights > 0))
    return [target.stats(which)] if len(which) else []


def _checked(tree: Tree, population: Population, target: ArrayLike | None, weight: ArrayLike | None) -> Target:
    if target is None:
        raise UsageError("individuals are given without a target; pass target as well")
    classes = tree.classes or None
    return target_for(target, len(population), sample_weight=weight, classes=classes, task=tree.task)


def _rule(tree: Tree, clause: Clause, answer: Any, counted: list[Stats] | None) -> Rule:
    prediction = tree.classes[answer] if tree.classes else answer
    if counted is None:
        return Rule(conjunction(clause.conditions), prediction, None, None, None, None, clause.leaves)
    n, weight = sum(stats.n for stats in counted), float(sum(stats.weight for stats in counted))
    figures = tree.task.rule_figures(counted, answer)
    return Rule(conjunction(clause.conditions), prediction, n, weight, *figures, clause.leaves)
