"""Export of rule sets as Prolog clauses: one for each rule, and those that add up the votes of all rules that hold.

Law: SWI-Prolog predicts what the rule set predicts (`tests/export/test_rules.py`).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from structtree.arrays import TOLERANCE
from structtree.data.schema import Schema
from structtree.export.prolog.goals import GoalWriter, RowVocabulary, clause_for, label_term, number_term
from structtree.models.rule_set import RuleSetPredictor, votes_of

__all__ = ["RULE_SET_PREDICATES", "rule_set_clauses"]

RULE_SET_PREDICATES = "rules/2 decision/2 rule/2 votes/3 class/1 cost/3 expected_cost/3"
"""Predicates that these clauses define."""

CLASS_OF_LEAST_COST = f"""decision(Rules, Prediction) :-
    findall(Cost-Class, (class(Class), expected_cost(Rules, Class, Cost)), Costs),
    findall(Cost, member(Cost-_, Costs), All), min_list(All, Least),
    aggregate_all(sum(N), (member(Rule, Rules), votes(Rule, _, N)), Sum),
    member(Lowest-Prediction, Costs), Lowest =< Least + {TOLERANCE} * Sum, !.
expected_cost(Rules, Class, Cost) :-
    aggregate_all(sum(N * Each), (member(Rule, Rules), votes(Rule, True, N), cost(Class, True, Each)), Cost)."""

MEAN = """decision(Rules, Prediction) :-
    aggregate_all(sum(N), (member(Rule, Rules), votes(Rule, N, _)), Weight),
    aggregate_all(sum(S), (member(Rule, Rules), votes(Rule, _, S)), Sum),
    Prediction is Sum / Weight."""


def rule_set_clauses(rules: RuleSetPredictor, schema: Schema, vocabulary: RowVocabulary) -> Iterator[str]:
    """Yield clauses that define ``rules(X, Rules)`` and ``decision(Rules, Prediction)``.

    Parameters
    ----------
    rules : RuleSetPredictor
    schema : Schema
        Schema of the individuals.
    vocabulary : RowVocabulary
    """
    for place, test in enumerate(rules.tests, 1):
        vocabulary.restart()
        writer, row = GoalWriter(schema, vocabulary), vocabulary.new_row(schema.individual)
        yield from clause_for(f"rule({place}, {row})", test, writer, row)
    n = len(rules.rules)
    yield (
        f"rules(X, Rules) :-\n    findall(Rule, (between(1, {n}, Rule), once(rule(Rule, X))), Found),\n"
        "    ( Found = [] -> Rules = [default] ; Rules = Found )."
    )
    names = [*map(str, range(1, n + 1)), "default"]
    yield from (_class_votes if rules.classes else _sums)(rules, names)


def _class_votes(rules: RuleSetPredictor, names: list[str]) -> Iterator[str]:
    """Yield the class counts of each rule, the costs of each prediction, and the decision."""
    labels = list(map(label_term, rules.classes))
    for name, votes in zip(names, votes_of(rules.figures, rules.task).tolist(), strict=True):
        yield " ".join(f"votes({name}, {label}, {number_term(n)})." for label, n in zip(labels, votes, strict=True))
    costs = 1.0 - np.eye(len(labels)) if rules.decision.costs is None else np.array(rules.decision.costs)
    yield " ".join(f"class({label})." for label in labels)
    for said, own in zip(labels, costs.T.tolist(), strict=True):
        yield " ".join(f"cost({said}, {true}, {number_term(n)})." for true, n in zip(labels, own, strict=True))
    yield CLASS_OF_LEAST_COST


def _sums(rules: RuleSetPredictor, names: list[str]) -> Iterator[str]:
    """Yield the weight and the weighted sum of each rule, and the decision."""
    for name, votes in zip(names, votes_of(rules.figures, rules.task).tolist(), strict=True):
        yield f"votes({name}, {', '.join(map(number_term, votes))})."
    yield MEAN
