"""Learning options, declared once: growing, pruning, and the purpose of a tree.

Each option is also a parameter of the estimators and an option of the command line; see `structtree.options`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, ClassVar, Literal

from structtree.errors import UsageError
from structtree.options import Option, Span, check_options, documented, option, options_of
from structtree.remarks import option_text
from structtree.search.effort import EFFORTS, EffortLevel, Patience
from structtree.tasks.decision import MAJORITY, Costs, Decision, Estimate

__all__ = [
    "IN_ENSEMBLES",
    "MAJORITY",
    "OF_FEATURES",
    "Boosting",
    "ColumnOptions",
    "Costs",
    "Decision",
    "EffortLevel",
    "Estimate",
    "FeatureOptions",
    "Forest",
    "Goal",
    "Growth",
    "LossName",
    "ModelChoice",
    "ModelKind",
    "Objective",
    "PruneBy",
    "Pruning",
    "Rules",
    "StopRule",
    "check_kind",
    "require_support",
    "support_of",
    "task_of_loss",
    "tree_options",
]

Goal = Literal["accuracy", "ranking", "reading"]

StopRule = Literal["test", "mdl"]
PruneBy = Literal["cost-complexity", "reduced-error", "pessimistic"]

FRACTION = Span(0, 1, inside=True)
POSITIVE = Span(0, inside=True)
SHARE = Span(0, 1, above=True)

_GROWING = "Tree growth"
_PRUNING = "Pruning"
_ENSEMBLES = "Columns of forests and boosting"

LossName = Literal["log-loss", "squared", "absolute", "quantile", "poisson"]
"""Losses of boosting, which `structtree.tasks.gradients` defines."""

ModelKind = Literal["tree", "forest", "boosting", "rule-list", "rule-set"]
"""Kinds of models that `structtree.fit` learns."""


@documented
@dataclass(frozen=True, slots=True)
class Growth:
    """Options for growing a tree: when to stop, and how to search.

    Notes
    -----
    ``min_impurity_decrease`` is a threshold on the weighted impurity decrease: the weight of the node divided by the
    total weight, times the decrease of the criterion's loss. For accuracy and acc* the loss is the error rate, so
    any value above 0 makes acc* stop where accuracy does.

    With ``max_leaf_nodes`` the tree is grown best-first: the split with the largest impurity decrease is made first
    (for acc* the largest decrease in errors, then in entropy), and ties go to the node that was reached first.

    With ``stop="test"`` a split must be significant (χ² test for classification, F test for regression); with
    ``"mdl"`` it must save more bits than its description needs. See `structtree.learn.stopping`.

    ``strategy="bottom-up"`` generates every test once for the whole tree, from the innermost link outwards, and keeps
    one test per meaning; see `structtree.search.bottom_up`. The other strategies search at each node; see
    `structtree.search.best_split`. ``"auto"`` selects bottom-up if the grammar allows it and the number of tests is
    manageable, and best-first otherwise. With bottom-up, bins, quantiles and the values of ``!= *`` are computed from
    all training individuals; the other strategies compute them at each node. The thresholds of ``>= *`` and the
    values of ``= *`` and ``in *`` are always those of the node.

    ``effort`` limits the search of structured individuals by its work, which is counted in evaluations and rows: the
    same data, options and seed give the same tree on every machine. A node gets a share of the work that depends on
    its share of the loss; see `structtree.search.effort`. ``time_limit`` is a last resort: when the time is up, the
    remaining nodes become leaves. With ``effort="prove"`` only a proof or the time limit ends a search; then the time
    is divided among open subtrees in proportion to their number of individuals, and within a subtree among its
    levels, with at least a third for its root. ``max_evaluations`` limits each node.

    With a ``cost_tolerance`` of t, the cheapest of all tests that gain at least 1 - t of what the best test gains is
    chosen, and of equally cheap ones the best. A test costs 1 per literal, unless the grammar gives it another cost.

    ``random_state`` does not change how a tree is grown: it controls which individuals are held out, and the folds
    that choose the complexity parameter of pruning.

    With ``nominal="binary"``, ``a = *`` compares one value with all others; with ``"subset"`` it compares a set of
    values with the others, as ``a in *`` does; with ``"multiway"`` it makes a `MultiwayBranch` with one branch per
    value at the node, at least two of which must have ``min_samples_leaf`` individuals.

    With ``missing="majority"`` individuals without the value that a test needs follow the heavier branch; with
    ``"fractional"`` they follow all branches with fractional weights. Categories that did not occur in training are
    treated the same way. The gain of a test is then multiplied by the fraction of the weight that has a value.

    With ``average_gain_filter`` each attribute is represented by its split with the highest information gain, and
    only attributes with at least average gain are compared by gain ratio.

    Examples
    --------
    >>> Growth(max_depth=0)
    Traceback (most recent call last):
        ...
    structtree.errors.UsageError: max_depth must be an int >= 1 or None; got 0
    """

    PANEL: ClassVar[str] = _GROWING

    max_depth: int | None = option(None, "Maximum depth of the tree.", Span(1), for_search=True)
    min_samples_split: int = option(2, "Minimum samples needed to split a node.", Span(2))
    min_samples_leaf: int = option(1, "Minimum samples per leaf.", Span(1), for_search=True)
    min_impurity_decrease: float = option(0.0, "Minimum weighted impurity decrease of a split.", Span(0))
    max_leaf_nodes: int | None = option(None, "Maximum number of leaves; the best splits are made first.", Span(2))
    stop: StopRule | None = option(
        None, "Reject splits that are not significant (χ² or F test) or do not save bits (MDL)."
    )
    significance: float = option(
        0.05, "For the χ² or F test: maximum p-value of a split.", FRACTION, needs=("stop", "test")
    )
    share: Literal["path"] | None = option(
        None, "Also refine the tests of the ancestors whose yes branch leads to the node."
    )
    # Not an option of the command line, where `structtree effort` compares the search with and without bounds.
    prune: bool = option(True, "Prune the search with bounds; False gives the same tree, but is slower.", panel="")
    strategy: Literal["auto", "bottom-up", "best-first", "exhaustive", "beam"] = option(
        "auto", "How to search for the best test."
    )
    effort: EffortLevel = option(
        "normal", "How long to search for each test; prove continues until it is proved best."
    )
    max_evaluations: int | None = option(None, "Maximum number of predicates to evaluate per node.", Span(1))
    time_limit: float | None = option(
        None,
        "Time limit in seconds; the best tree found so far is returned.",
        POSITIVE,
        unit="seconds",
        usual=60.0,
        panel="Options",
    )
    random_state: int = option(
        0,
        "Random seed.",
        Span(0),
        accepts="int, RandomState or None",
        annotation="int | RandomState | None",
        flag="seed",
        panel="Options",
    )
    cost_tolerance: float | None = option(
        None,
        "Fraction of the best gain that may be given up for a cheaper or shorter test; see costs in grammars.",
        Span(0, 0.9),
        shown_default="depends on the goal",
    )
    nominal: Literal["binary", "subset", "multiway"] = option(
        "binary",
        "For tables: test one value or a set of values against the others, or make one branch per value (ID3, C4.5).",
        for_tables=True,
    )
    # Not called "missing" on the command line, where that lists the words for missing values in a file.
    missing: Literal["false", "majority", "fractional"] = option(
        "false",
        "For tables: rows without a value fail the test, follow the majority, or follow all branches (C4.5).",
        flag="if-missing",
        for_tables=True,
    )
    average_gain_filter: bool = option(
        False,
        "For tables, with gain-ratio: compare only attributes with at least average gain (C4.5).",
        for_tables=True,
        for_classes=True,
    )

    def __post_init__(self) -> None:
        check_options(self)

    @property
    def tolerance(self) -> float:
        """Fraction of the best gain that may be given up; 0 unless it is set by the user or the goal."""
        return self.cost_tolerance or 0.0

    @property
    def patience(self) -> Patience | None:
        """Work after which the search of a node stops without a proof; None for no such limit."""
        is_heuristic = self.prune and self.strategy not in ("exhaustive", "beam")
        return EFFORTS[self.effort] if is_heuristic else None


@documented
@dataclass(frozen=True, slots=True)
class Pruning:
    """Options for pruning a grown tree; by default it is not pruned.

    Notes
    -----
    The methods are in `structtree.learn.pruning`. Setting ``alpha`` or ``leaves`` selects cost-complexity pruning.
    With reduced-error pruning, the tree is not grown on the individuals that are held out.

    Examples
    --------
    >>> Pruning("reduced-error", validation_fraction=2)
    Traceback (most recent call last):
        ...
    structtree.errors.UsageError: validation_fraction must be a number between 0 and 1; got 2
    """

    PANEL: ClassVar[str] = _PRUNING

    method: PruneBy | None = option(None, "Pruning method.", parameter="post_prune")
    alpha: float | Literal["cv"] | None = option(
        None,
        "For cost-complexity: complexity parameter, the penalty per leaf; cv chooses it by cross-validation.",
        Span(0),
        parameter="ccp_alpha",
        flag="alpha",
        metavar="NUMBER|cv",
        shown_default="cv",
        needs=("method", "cost-complexity", None),
    )
    standard_errors: float = option(
        0.0,
        "With alpha cv: choose the smallest tree within this many standard errors of the best.",
        Span(0),
        needs=("alpha", "cv"),
    )
    risk: Literal["error", "gini", "entropy"] | None = option(
        None,
        "For cost-complexity: risk to minimise, the errors or an impurity.",
        parameter="prune_risk",
        shown_default="error",
        needs=("method", "cost-complexity"),
        for_classes=True,
    )
    max_leaves: int | None = option(
        None,
        "With alpha cv: maximum number of leaves after pruning.",
        Span(1),
        parameter="prune_to",
        needs=("alpha", "cv"),
    )
    leaves: int | None = option(
        None,
        "Prune to at most this number of leaves, without cross-validation.",
        Span(1),
        needs=("method", "cost-complexity", None),
    )
    validation_fraction: float = option(
        0.25,
        "For reduced-error: fraction of the individuals to hold out.",
        FRACTION,
        needs=("method", "reduced-error"),
    )
    confidence: float = option(
        0.25,
        "For pessimistic: confidence level; lower values prune more.",
        FRACTION,
        needs=("method", "pessimistic"),
        for_classes=True,
    )
    min_weight_fraction: float = option(
        0.0,
        "Minimum fraction of the total weight per leaf; splits with less are pruned.",
        Span(0, 0.5),
        parameter="min_weight_fraction_leaf",
    )

    def __post_init__(self) -> None:
        if self.method is None and (self.alpha is not None or self.leaves is not None):
            object.__setattr__(self, "method", "cost-complexity")
        elif self.method == "cost-complexity" and self.alpha is None and self.leaves is None:
            object.__setattr__(self, "alpha", "cv")
        check_options(self)
        if self.alpha is not None and self.leaves is not None:
            raise UsageError("alpha and leaves both determine the size of the tree; pass only one of them")


@documented
@dataclass(frozen=True, slots=True)
class Objective:
    """Purpose of a tree; `structtree.fit` takes each option as a separate argument."""

    goal: Goal = option(
        "accuracy",
        "Purpose of the tree; sets the default criterion, size and leaf estimate.",
        flag="for",
        panel=_GROWING,
    )
    grow: Literal["pruned", "full"] = option(
        "pruned",
        "Choose the size by cross-validation unless a limit or pruning is set, or keep the full tree.",
        panel=_GROWING,
    )
    criterion: str | None = option(
        None,
        "acc*, acc+, accuracy, entropy, gini, sqrt-gini, gain-ratio or twoing for classes, mse for numbers.",
        accepts="str or Criterion",
        annotation="str | Criterion | None",
        metavar="NAME",
        shown_default="depends on the goal",
        panel=_GROWING,
    )
    class_weight: Mapping[Any, float] | Literal["balanced"] | None = option(
        None,
        'Weight of each class; "balanced" gives all classes the same total weight.',
        accepts='dict from class to float or "balanced"',
        metavar="CLASS=WEIGHT",
        flag_help="Class weight, such as active=5, or balanced; can be repeated.",
        panel=Decision.PANEL,
        many=True,
        for_classes=True,
    )
    priors: Mapping[Any, float] | None = option(
        None,
        "Prior probability of each class; the training data is reweighted to match.",
        accepts="dict from class to float",
        flag="prior",
        metavar="CLASS=SHARE",
        flag_help="Prior probability of a class, such as active=0.01; one for each class.",
        panel=Decision.PANEL,
        many=True,
        for_classes=True,
    )

    def __post_init__(self) -> None:
        check_options(self)


@documented
@dataclass(frozen=True, slots=True)
class ModelChoice:
    """Kind of model to learn."""

    PANEL: ClassVar[str] = "Options"

    model: ModelKind = option(
        "tree", "Model to learn: one readable tree, a forest of many trees, a boosted sum of small trees, or rules."
    )
    distil: int | None = option(
        None,
        "With a forest or boosting: learn one tree of at most this number of leaves that imitates it.",
        Span(2),
    )

    def __post_init__(self) -> None:
        check_options(self)
        if self.distil is not None and self.model not in ("forest", "boosting"):
            fix = option_text("model", "forest")
            raise UsageError(f"{option_text('distil', self.distil)} imitates a forest; add {fix}")


@documented
@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnOptions:
    """Options of the columns that the trees of an ensemble share."""

    PANEL: ClassVar[str] = _ENSEMBLES

    max_bins: int = option(
        127, "Maximum number of bins of the values of a column.", Span(2, 30_000), panel=_ENSEMBLES
    )
    max_memory: float = option(
        1_000.0,
        "Maximum memory for the columns in megabytes; fewer columns are used if needed.",
        POSITIVE,
        unit="MB",
        panel=_ENSEMBLES,
    )
    n_jobs: int | None = option(
        None, "Number of threads; by default one for each processor, at most 8.", Span(1), panel=_ENSEMBLES
    )

    def __post_init__(self) -> None:
        check_options(self)


@documented
@dataclass(frozen=True, slots=True)
class Forest(ColumnOptions):
    """Options for the trees of a forest and their randomness.

    Notes
    -----
    A *column* is a test with all its thresholds or values, such as ``count atoms (element = N) >= *``. All columns
    are listed once, before the first tree. Those that mention the same attributes and links are a *family*.

    ``max_features`` is the number of columns that a node tries: ``"sqrt"`` and ``"log2"`` of the columns of the tree,
    a fraction of them below 1, a number from 1 on, or all of them. Columns that cannot divide the node do not count.

    With ``bootstrap`` a tree sees a random sample of the individuals with replacement, and without it a sample
    without replacement if ``max_samples`` is given, else all individuals. Individuals that a tree did not see are
    *out of bag*; the predictions of these trees estimate the scores on new individuals.

    The seed determines the forest; ``n_jobs`` does not change it.

    Examples
    --------
    >>> Forest(max_samples=0)
    Traceback (most recent call last):
        ...
    structtree.errors.UsageError: max_samples must be a number > 0 and at most 1 or None; got 0
    """

    PANEL: ClassVar[str] = "Forest"

    n_estimators: int = option(300, "Number of trees.", Span(1), flag="trees")
    max_features: float | Literal["sqrt", "log2", "all"] = option(
        "sqrt",
        "Number of columns that a node tries, or a fraction of them.",
        POSITIVE,
        metavar="NUMBER|sqrt|log2|all",
    )
    max_families: float = option(1.0, "Fraction of the families of columns that a tree uses.", SHARE)
    bootstrap: bool = option(
        True, "Grow each tree on a random sample with replacement.", flag="bootstrap/no-bootstrap"
    )
    max_samples: float | None = option(None, "Size of the sample of a tree, as a fraction of the individuals.", SHARE)
    thresholds: Literal["best", "random"] = option(
        "best", "Whether a node tries all thresholds of a column, or a random one (extra-trees)."
    )


@documented
@dataclass(frozen=True, slots=True)
class Boosting(ColumnOptions):
    """Options of boosting: a sum of small trees, each of which corrects the sum of those before it.

    Notes
    -----
    Each round adds one tree to the margins, or one for each of three classes or more. The tree is grown on the
    gradients and Hessians of the loss (`structtree.tasks.gradients`), the best split of any leaf first. Its values
    are multiplied by ``learning_rate``. A tree has at most 15 leaves unless ``max_leaf_nodes`` is given.

    The loss is the log loss for classes. For numbers it is the squared error by default; ``"absolute"`` predicts
    medians, ``"quantile"`` other quantiles, and ``"poisson"`` the means of counts, whose logarithm is the sum of the
    trees.

    With ``early_stopping``, a random fraction of the individuals, stratified by class, is held out; the number of
    rounds is the one with the smallest loss for them, and boosting stops after ``stopping_rounds`` rounds without a
    smaller one. If fewer than 200 individuals would be held out, five folds are held out in turn instead, and the
    result is learned from all individuals with the number of rounds that is best on average.

    ``monotone`` maps numeric attributes of the individual to 1 or -1: if only this attribute increases, the
    prediction (for classes the probability of the second one) never decreases, or never increases. Individuals
    without the value are not compared. Other tests that mention the attribute are not used.

    With ``category_sets``, a nominal attribute of the individual is compared with sets of values, which are sorted
    by their gradients, instead of with one value at a time.

    The seed determines the result; ``n_jobs`` does not change it. A sample weight counts as a number of
    individuals in ``min_hessian`` and ``l2``.

    Examples
    --------
    >>> Boosting(learning_rate=0)
    Traceback (most recent call last):
        ...
    structtree.errors.UsageError: learning_rate must be a number > 0 and at most 1; got 0
    """

    PANEL: ClassVar[str] = "Boosting"

    max_iter: int = option(500, "Maximum number of rounds.", Span(1), flag="rounds")
    learning_rate: float = option(0.1, "Factor of the values of each tree.", SHARE)
    loss: LossName | None = option(
        None,
        "Loss to minimise: the log loss for classes, one of the others for numbers.",
        shown_default="log-loss or squared",
    )
    quantile: float = option(0.5, "Quantile to predict.", FRACTION, needs=("loss", "quantile"))
    l2: float = option(1.0, "Penalty on the squared values of the leaves.", Span(0))
    min_hessian: float = option(1.0, "Minimum sum of Hessians per leaf.", Span(0))
    subsample: float = option(1.0, "Fraction of the individuals that a tree is grown on.", SHARE)
    columns_per_tree: float = option(1.0, "Fraction of the columns that a tree uses.", SHARE)
    early_stopping: bool = option(
        True,
        "Choose the number of rounds by the loss of held-out individuals.",
        flag="early-stopping/no-early-stopping",
    )
    stopping_fraction: float = option(
        0.1, "Fraction of the individuals to hold out.", FRACTION, needs=("early_stopping", True)
    )
    stopping_rounds: int = option(
        20, "Number of rounds without improvement after which to stop.", Span(1), needs=("early_stopping", True)
    )
    monotone: Mapping[str, int] | None = option(
        None,
        "Numeric attributes with which predictions must not decrease (1) or not increase (-1).",
        accepts="dict from str to 1 or -1",
        metavar="ATTRIBUTE=1|-1",
        flag_help="Attribute with which predictions must not decrease, such as dose=1, or increase (-1); repeatable.",
        many=True,
    )
    category_sets: bool = option(
        True,
        "Compare nominal attributes with sets of values instead of single values.",
        flag="category-sets/no-category-sets",
    )

    def __post_init__(self) -> None:
        check_options(self)
        if self.monotone is not None and not all(value in (1, -1) for value in self.monotone.values()):
            raise UsageError(f"monotone must map attributes to 1 or -1; got {dict(self.monotone)!r}")


@documented
@dataclass(frozen=True, slots=True)
class FeatureOptions:
    """Options for selecting features; those named in `OF_FEATURES` apply as well."""

    PANEL: ClassVar[str] = "Features"

    k: int = option(200, "Maximum number of features.", Span(1), flag="-k")

    def __post_init__(self) -> None:
        check_options(self)


OF_FEATURES = frozenset({"max_bins", "max_memory", "time_limit", "random_state"})
"""Options of forests and trees that also apply to the selection of features, by name."""


@documented
@dataclass(frozen=True, slots=True)
class Rules:
    """Options for the rules of a rule list or a rule set.

    Notes
    -----
    A rule list is learned by sequential covering: the best rule for the individuals that no rule covers yet, until no
    further rule is better than the default. It is a tree whose tests are conjunctions and whose yes branches are
    leaves.

    ``measure`` is a criterion of splits, such as ``"acc*"``, or a measure of the individuals that a rule covers, such
    as ``"laplace"``; see `structtree.tasks.measures`. By default one list is learned with ``"acc*"`` and one with
    ``"laplace"``, and the one with the lower held-out loss is kept; a list whose size is not chosen on held-out
    individuals uses ``"laplace"``.

    A rule set is learned class by class, with rules that are the best against all other classes; every rule that
    holds votes. Its measure is ``"laplace"`` by default, or ``"t"`` for numbers, and criteria of splits do not apply.

    With ``order="class"``, the rules of the rarest class come first, then those of the next one, as in RIPPER; the
    most frequent class is the default and has no rules. A rule is then right for at least half of its individuals.

    Examples
    --------
    >>> Rules(literals=0)
    Traceback (most recent call last):
        ...
    structtree.errors.UsageError: literals must be an int >= 1 or None; got 0
    """

    PANEL: ClassVar[str] = "Rules"

    measure: str | None = option(
        None,
        "acc* or another criterion of splits; laplace, m-estimate, precision, wracc or average-recall.",
        accepts="str, Criterion or Measure",
        annotation="str | Criterion | None",
        metavar="NAME",
        shown_default="acc* or laplace, by held-out loss; laplace for sets; mse, or t for sets, for numbers",
    )
    order: Literal["any", "class"] = option(
        "any",
        "For lists: each rule is for any class, or one class comes after the other, the rarest first.",
    )
    literals: int | None = option(
        None,
        "Maximum number of literals of a rule.",
        Span(1),
        shown_default="3 conditions on an individual, within the limits of the grammar",
    )
    min_support: float | None = option(
        None,
        "Minimum number of individuals of a rule, or their fraction if less than 1.",
        POSITIVE,
        shown_default="0.1 %, from 2 to 10",
    )
    max_rules: int | None = option(
        None, "Maximum number of rules besides the default rule; for sets, of each class.", Span(1)
    )

    def __post_init__(self) -> None:
        check_options(self)
        if self.min_support is not None:
            require_support("min_support", self.min_support)


def require_support(name: str, support: float) -> None:
    """Raise a UsageError if a support is neither a whole number nor a fraction less than 1."""
    if support > 1 and support % 1:
        raise UsageError(f"{name} must be a whole number or a fraction less than 1; got {support}")


def support_of(min_support: float, n: int) -> int:
    """Return a minimum support as a number of individuals.

    Examples
    --------
    >>> support_of(0.25, 10), support_of(7, 10)
    (3, 7)
    """
    # A product such as 0.07 * 100 may be rounded up, and must not ask for one individual more.
    return int(min_support) if min_support >= 1 else max(1, ceil(min_support * n - 1e-9))


_IN_BOTH = frozenset(
    {
        *("max_depth", "min_samples_split", "min_samples_leaf", "time_limit", "random_state"),
        *("class_weight", "priors", "costs"),
    }
)

IN_ENSEMBLES: Mapping[ModelKind, frozenset[str]] = {
    "forest": _IN_BOTH | {"min_impurity_decrease", "criterion", "min_weight_fraction"},
    "boosting": _IN_BOTH | {"max_leaf_nodes"},
}
"""Options of trees that also apply to the trees of ensembles, by kind of model and name."""


IN_RULE_LISTS = frozenset(
    {
        *("goal", "grow", "class_weight", "priors"),
        *("stop", "significance", "prune", "effort", "max_evaluations", "time_limit", "random_state"),
        *("method", "alpha", "standard_errors", "risk", "max_leaves", "leaves", "validation_fraction", "confidence"),
        *("estimate", "m", "costs"),
    }
)
"""Options of trees that also apply to rule lists, by name."""

IN_RULE_SETS = frozenset(
    {
        *("grow", "class_weight", "priors", "costs"),
        *("prune", "effort", "max_evaluations", "time_limit", "random_state"),
    }
)
"""Options of trees that also apply to rule sets, by name."""


def task_of_loss(loss: LossName | None) -> Literal["classes", "numbers"] | None:
    """Return the task that a loss of boosting is for; None without a loss.

    Examples
    --------
    >>> task_of_loss("poisson"), task_of_loss("log-loss")
    ('numbers', 'classes')
    """
    return None if loss is None else "classes" if loss == "log-loss" else "numbers"


def tree_options(model: ModelKind) -> tuple[Option, ...]:
    """Return the options of trees that also apply to another kind of model."""
    of_trees = options_of(Objective, Growth, Pruning, Decision)
    return tuple(each for each in of_trees if each.name in _SHARED[model])


_OWN_KINDS: Mapping[type, Sequence[ModelKind]] = {
    Forest: ("forest",),
    Boosting: ("boosting",),
    Rules: ("rule-list", "rule-set"),
}
_SHARED: Mapping[ModelKind, frozenset[str]] = {
    **IN_ENSEMBLES,
    "rule-list": IN_RULE_LISTS,
    "rule-set": IN_RULE_SETS,
}


def check_kind(
    model: ModelKind, *options: Objective | Growth | Pruning | Decision | Forest | Boosting | Rules
) -> None:
    """Reject options that do not apply to a kind of model.

    Examples
    --------
    >>> check_kind("forest", Growth(max_leaf_nodes=8))
    Traceback (most recent call last):
    structtree.errors.UsageError: max_leaf_nodes=8 does not apply to a forest
    """
    for given in options:
        own = _OWN_KINDS.get(type(given), ())
        for each in options_of(type(given)):
            value = getattr(given, each.name)
            if value != each.default and not _applies(each.name, own, model):
                fix = f"; add {option_text('model', own[0])}" if own else ""
                article = "" if model == "boosting" else "a "
                raise UsageError(f"{option_text(each.parameter, value)} does not apply to {article}{model}{fix}")


def _applies(name: str, own: Sequence[ModelKind], model: ModelKind) -> bool:
    """Return whether an option applies to a kind of model, given the kinds that it is declared for."""
    if not own:
        return model == "tree" or name in _SHARED[model]
    is_shared = name in {each.name for each in options_of(ColumnOptions)}
    return model in own or (is_shared and model in IN_ENSEMBLES)
