"""Rule lists and rule sets over structured data as scikit-learn estimators.

Individuals are read as by the trees of `structtree.estimators`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from structtree.estimators import (
    INPUT,
    Classifies,
    PredictsNumbers,
    StructuralEstimator,
    StructuralTree,
    with_parameters,
)
from structtree.models.rule_set import RuleSetPredictor
from structtree.models.rules import Rule, list_rules
from structtree.models.settings import IN_RULE_LISTS, IN_RULE_SETS, Decision, Growth, Objective, Pruning, Rules
from structtree.options import options_of

if TYPE_CHECKING:
    from structtree.learn.parameters import (
        RuleListClassifierParameters,
        RuleListRegressorParameters,
        RuleSetClassifierParameters,
        RuleSetRegressorParameters,
    )
else:  # a stub shows type checkers the generated ``__init__``
    RuleListClassifierParameters = RuleListRegressorParameters = object
    RuleSetClassifierParameters = RuleSetRegressorParameters = object

__all__ = ["RuleListClassifier", "RuleListRegressor", "RuleSetClassifier", "RuleSetRegressor"]

LIST_LEARNING = (
    *options_of(Rules),
    *(each for each in options_of(Objective, Growth, Pruning, Decision) if each.name in IN_RULE_LISTS),
)
LIST_PARAMETERS = (*INPUT, *LIST_LEARNING)

SET_LEARNING = (
    *(each for each in options_of(Rules) if each.name != "order"),
    *(each for each in options_of(Objective, Growth, Pruning, Decision) if each.name in IN_RULE_SETS),
)
SET_PARAMETERS = (*INPUT, *SET_LEARNING)


class _RuleList(StructuralTree):
    """Base class of the classifier and the regressor."""

    kind = "rule-list"
    learning = LIST_LEARNING

    @property
    def rules_(self) -> tuple[Rule, ...]:
        """The rules in order; the last one is the default."""
        return list_rules(self._learned())


class _RuleSet(StructuralEstimator):
    """Base class of the classifier and the regressor."""

    kind = "rule-set"
    learning = SET_LEARNING

    @property
    def rules_(self) -> tuple[Rule, ...]:
        """The rules; the last one is the default."""
        predictor: Any = self._learned().predictor
        found: RuleSetPredictor = predictor
        return found.listed()


@with_parameters(LIST_PARAMETERS, classes=True)
class RuleListClassifier(Classifies, _RuleList, RuleListClassifierParameters):
    """Ordered list of rules for structured individuals: the first rule that holds predicts the class.

    See `structtree.Rules`, `structtree.Growth`, `structtree.Pruning` and `structtree.Decision` for details of the
    parameters.

    Attributes
    ----------
    classes_ : array
    model_ : Model
    rules_ : tuple of Rule
        The rules in order; the last one is the default.
    tree_ : Tree
        The list as a tree, whose yes branches are leaves.
    unproved_, stopped_by_, n_features_in_, feature_names_in_
        As in `structtree.StructuralTreeClassifier`.

    Examples
    --------
    >>> from structtree import load_dataset
    >>> trains = load_dataset("trains")
    >>> rules = RuleListClassifier("trains", max_rules=2).fit(trains.population, trains.target)
    >>> print(*rules.rules_, sep="\\n")
    if exists cars (closed and not long) then east (n=8, confidence 1.00)
    if exists cars (next (load.shape = rectangle)) then west (n=6, confidence 1.00)
    if top then west (n=6, confidence 0.67)
    >>> rules.score(trains.population, trains.target)
    0.9
    """


@with_parameters(LIST_PARAMETERS, classes=False)
class RuleListRegressor(PredictsNumbers, _RuleList, RuleListRegressorParameters):
    """Ordered list of rules for structured individuals: the first rule that holds predicts a number.

    See `structtree.Rules`, `structtree.Growth` and `structtree.Pruning` for details of the parameters.

    Attributes
    ----------
    model_, rules_, tree_, unproved_, stopped_by_, n_features_in_, feature_names_in_
        As in `RuleListClassifier`.

    Examples
    --------
    >>> boxes = [{"items": [{"kg": 2}, {"kg": 5}]}, {"items": [{"kg": 1}]}, {"items": [{"kg": 9}]}, {"items": []}]
    >>> rules = RuleListRegressor(min_support=1).fit(boxes, [9.0, 3.0, 9.0, 3.0])
    >>> rules.predict([{"items": [{"kg": 7}, {"kg": 1}]}]).tolist()
    [9.0]
    """


@with_parameters(SET_PARAMETERS, classes=True)
class RuleSetClassifier(Classifies, _RuleSet, RuleSetClassifierParameters):
    """Rules without an order for structured individuals: the class counts of all rules that hold are added up.

    See `structtree.Rules`, `structtree.Growth` and `structtree.Decision` for details of the parameters.

    Attributes
    ----------
    classes_ : array
    model_ : Model
    rules_ : tuple of Rule
        The rules of the rarest class first; the last one is the default, for individuals that no rule covers.
    stopped_by_, n_features_in_, feature_names_in_
        As in `structtree.StructuralTreeClassifier`.

    Examples
    --------
    >>> from structtree import load_dataset
    >>> trains = load_dataset("trains")
    >>> rules = RuleSetClassifier("trains", max_rules=1).fit(trains.population, trains.target)
    >>> print(*rules.rules_, sep="\\n")
    if exists cars (closed and not long) then east (n=8, confidence 1.00)
    if exists cars (roof = "none" and next (load.number >= 2)) then west (n=4, confidence 1.00)
    if top then west (n=8, confidence 0.75)
    """


@with_parameters(SET_PARAMETERS, classes=False)
class RuleSetRegressor(PredictsNumbers, _RuleSet, RuleSetRegressorParameters):
    """Rules without an order for structured individuals: the means of all rules that hold are averaged.

    See `structtree.Rules` and `structtree.Growth` for details of the parameters.

    Attributes
    ----------
    model_, rules_, stopped_by_, n_features_in_, feature_names_in_
        As in `RuleSetClassifier`.

    Examples
    --------
    >>> boxes = [{"items": [{"kg": 2}, {"kg": 5}]}, {"items": [{"kg": 1}]}, {"items": [{"kg": 9}]}, {"items": []}]
    >>> rules = RuleSetRegressor(min_support=1).fit(boxes, [9.0, 3.0, 9.0, 3.0])
    >>> rules.predict([{"items": [{"kg": 7}, {"kg": 1}]}]).tolist()
    [9.0]
    """
