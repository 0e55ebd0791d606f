"""The options of learning, declared once: how a tree is grown, how it is pruned, and how its leaves decide.

What is declared here are parameters of the estimators and options of the command line too; see `structtree.options`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from structtree.options import Span, check_options, documented, option
from structtree.tasks.decision import MAJORITY, Costs, Decision, Estimate

__all__ = [
    "MAJORITY",
    "Costs",
    "Decision",
    "Estimate",
    "Goal",
    "Growth",
    "Objective",
    "PruneBy",
    "Pruning",
    "StopRule",
]

Goal = Literal["accuracy", "ranking", "reading"]

StopRule = Literal["test", "mdl"]
PruneBy = Literal["cost-complexity", "reduced-error", "pessimistic"]

FRACTION = Span(0, 1, inside=True)
POSITIVE = Span(0, inside=True)

_GROWING = "How to grow the tree"
_PRUNING = "How to prune it"


@documented
@dataclass(frozen=True, slots=True)
class Growth:
    """Options of growing a tree: when to stop, and how to search.

    Notes
    -----
    ``min_impurity_decrease`` is compared with the weight of the node over that of all individuals, times how much
    less the criterion's loss is with the split than without. For accuracy and acc* the loss is the share of errors,
    so that anything above 0 makes acc* stop where accuracy does.

    With ``max_leaf_nodes`` the node is divided first where the impurity of the whole tree is lowered most; for acc*
    where most errors are saved, and among equals most entropy; of equals the one that came first.

    With ``stop="test"`` a split must be significant (χ² for classes, F for numbers); with ``"mdl"`` it must save more
    bits than its description takes. See `structtree.learn.stopping`.

    With ``strategy="bottom-up"`` every test is made once for the whole tree, from the inside out, one for each
    meaning; see `structtree.search.bottom_up`. The others search anew at each node; see
    `structtree.search.best_split`. ``"auto"`` goes bottom-up where the grammar suits and there are not too many
    tests, else best-first. Where tests are made once, bins, quantiles and the values of ``!= *`` are those of all
    training individuals; where each node is searched they are those of the node. Thresholds by ``>= *`` and values by
    ``= *`` and ``in *`` are those of the node either way.

    Of the ``time_limit`` a node and all below it get a share of what is left by their number of individuals among all
    that are in no leaf yet. Every level there gets an equal part of it, but the node itself at least a third: the
    first tests matter most. When the time is over the nodes still waiting become leaves. ``max_evaluations`` is a
    budget that gives the same tree on every machine.

    The tree does not depend on ``random_state``: it is for what is held out of the training data, and for the folds
    that choose what a leaf costs in pruning.

    With ``nominal="binary"`` ``a = *`` tells one value from the others; with ``"subset"`` some values from the
    others, as ``a in *`` does; with ``"multiway"`` it makes a `MultiwayBranch` with a side for each value at the
    node, two of which must then have ``min_samples_leaf``.

    By ``missing="majority"`` those who lack the value that a test needs go where most go, by ``"fractional"`` to all
    sides, in parts; in training and afterwards, and so does a category that training has not seen. What a test gains
    then counts in proportion to the weight of those who have a value.

    With ``average_gain_filter`` the split with the most information gain stands for each attribute, and only those
    with at least average gain are compared by gain ratio.

    Examples
    --------
    >>> Growth(max_depth=0)
    Traceback (most recent call last):
        ...
    structtree.errors.UsageError: max_depth must be an int >= 1 or None; got 0
    """

    PANEL: ClassVar[str] = _GROWING

    max_depth: int | None = option(None, "The most tests on the way to a leaf.", Span(1), for_search=True)
    min_samples_split: int = option(2, "A node with fewer individuals is a leaf.", Span(2))
    min_samples_leaf: int = option(1, "The fewest individuals on either side of a split.", Span(1), for_search=True)
    min_impurity_decrease: float = option(
        0.0, "The least decrease in the impurity of the whole tree for which a split is made.", Span(0)
    )
    max_leaf_nodes: int | None = option(None, "The most leaves; the best splits are made first.", Span(2))
    stop: StopRule | None = option(
        None, "Refuse splits that are not significant (χ² or F test), or that do not save bits (MDL)."
    )
    significance: float = option(
        0.05, "For the χ² or F test: the greatest p-value of a split.", FRACTION, needs=("stop", "test")
    )
    share: Literal["path"] | None = option(None, "On the yes side of branches, refine their tests as well.")
    # No option of the command line: there `structtree effort` compares the search with and without bounds.
    prune: bool = option(
        True, "Use bounds in the search; without them the tree is the same, but takes longer.", panel=""
    )
    strategy: Literal["auto", "bottom-up", "best-first", "exhaustive", "beam"] = option(
        "auto", "How to search for the best test."
    )
    max_evaluations: int | None = option(None, "The most predicates to evaluate at one node.", Span(1))
    time_limit: float | None = option(
        None,
        "The most seconds; then the best tree so far is returned.",
        POSITIVE,
        unit="seconds",
        usual=60.0,
        panel="Options",
    )
    random_state: int = option(
        0,
        "Seed for everything random.",
        Span(0),
        accepts="int, RandomState or None",
        annotation="int | RandomState | None",
        flag="--seed",
        panel="Options",
    )
    nominal: Literal["binary", "subset", "multiway"] = option(
        "binary",
        "For tables: one value, or a set of values, against the others; or a side for each value (ID3, C4.5).",
        for_tables=True,
    )
    # The flag is not --missing: that says which words of a file stand for no value.
    missing: Literal["false", "majority", "fractional"] = option(
        "false",
        "For tables: rows without a value fail the test, go where most go, or go to all sides in parts (C4.5).",
        flag="--if-missing",
        for_tables=True,
    )
    average_gain_filter: bool = option(
        False,
        "For tables, with gain-ratio: only attributes of at least average gain compete (C4.5).",
        for_tables=True,
        for_classes=True,
    )

    def __post_init__(self) -> None:
        check_options(self)


@documented
@dataclass(frozen=True, slots=True)
class Pruning:
    """Options of pruning a grown tree; by default it is not pruned.

    Notes
    -----
    The methods are in `structtree.learn.pruning`. An ``alpha`` is enough to ask for cost-complexity pruning. On what
    reduced-error pruning holds out the tree does not grow.

    Examples
    --------
    >>> Pruning("reduced-error", validation_fraction=2)
    Traceback (most recent call last):
        ...
    structtree.errors.UsageError: validation_fraction must be a number between 0 and 1; got 2
    """

    PANEL: ClassVar[str] = _PRUNING

    method: PruneBy | None = option(None, "How to prune the grown tree.", parameter="post_prune")
    alpha: float | Literal["cv"] | None = option(
        None,
        "For cost-complexity: what a leaf costs, or cv to choose it by cross-validation.",
        Span(0),
        parameter="ccp_alpha",
        flag="--alpha",
        metavar="NUMBER|cv",
        shown_default="cv",
        needs=("method", "cost-complexity", None),
    )
    standard_errors: float = option(
        0.0,
        "For an alpha chosen by cross-validation: the smallest tree within so many standard errors of the best.",
        Span(0),
        needs=("alpha", "cv"),
    )
    risk: Literal["error", "gini", "entropy"] | None = option(
        None,
        "For cost-complexity: what leaves are to lower, the errors or an impurity.",
        parameter="prune_risk",
        shown_default="error",
        needs=("method", "cost-complexity"),
        for_classes=True,
    )
    max_leaves: int | None = option(
        None,
        "For an alpha chosen by cross-validation: the most leaves that are left.",
        Span(1),
        parameter="prune_to",
        needs=("alpha", "cv"),
    )
    validation_fraction: float = option(
        0.25,
        "For reduced-error: the share of the individuals to hold out.",
        FRACTION,
        needs=("method", "reduced-error"),
    )
    confidence: float = option(
        0.25,
        "For pessimistic: the lower, the more is pruned.",
        FRACTION,
        needs=("method", "pessimistic"),
        for_classes=True,
    )
    min_weight_fraction: float = option(
        0.0,
        "A branch with less than this share of the whole weight on a side becomes a leaf.",
        Span(0, 0.5),
        parameter="min_weight_fraction_leaf",
    )

    def __post_init__(self) -> None:
        if self.method is None and self.alpha is not None:
            object.__setattr__(self, "method", "cost-complexity")
        elif self.method == "cost-complexity" and self.alpha is None:
            object.__setattr__(self, "alpha", "cv")
        check_options(self)


@documented
@dataclass(frozen=True, slots=True)
class Objective:
    """Options of what a tree should be good at; `structtree.fit` takes each by itself."""

    goal: Goal = option(
        "accuracy",
        "Purpose of the tree; it chooses the criterion, the size and the leaf estimate that are not given.",
        flag="--for",
        panel=_GROWING,
    )
    grow: Literal["pruned", "full"] = option(
        "pruned",
        "Choose the size by cross-validation where no limit and no pruning is given; or keep the full tree.",
        panel=_GROWING,
    )
    criterion: str | None = option(
        None,
        "acc*, accuracy, entropy, gini, sqrt-gini, gain-ratio or twoing for classes, mse for numbers.",
        accepts="str or Criterion",
        annotation="str | Criterion | None",
        metavar="NAME",
        shown_default="by the goal",
        panel=_GROWING,
    )
    class_weight: Mapping[Any, float] | Literal["balanced"] | None = option(
        None,
        'The weight of each class; with "balanced" all classes weigh the same.',
        accepts='dict from class to float or "balanced"',
        metavar="CLASS=WEIGHT",
        flag_help="The weight of a class, as in active=5, or balanced; may be repeated.",
        panel=Decision.PANEL,
        many=True,
        for_classes=True,
    )
    priors: Mapping[Any, float] | None = option(
        None,
        "The share of each class where the tree will be used; the training data weighs as if it had them.",
        accepts="dict from class to float",
        flag="--prior",
        metavar="CLASS=SHARE",
        flag_help="The share of a class where the tree will be used, as in active=0.01; one for each class.",
        panel=Decision.PANEL,
        many=True,
        for_classes=True,
    )

    def __post_init__(self) -> None:
        check_options(self)
