"""The options of learning as type checkers see them: parameters of the estimators, and keywords of `fit` and `grow`.

Written by ``python -m tests.signatures`` from the declarations in `structtree.models.settings`; do not edit.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict

from numpy.random import RandomState
from numpy.typing import ArrayLike

from structtree.data.labels import Unlabelled
from structtree.lang.grammar import Grammar
from structtree.models.settings import Costs, Estimate, Goal, LossName, PruneBy, StopRule
from structtree.search.effort import EffortLevel
from structtree.tasks.criteria import Criterion
from structtree.tasks.task import Task

__all__ = [
    "BoostingClassifierParameters",
    "BoostingRegressorParameters",
    "ClassifierParameters",
    "FeaturesParameters",
    "FitOptions",
    "ForestClassifierParameters",
    "ForestRegressorParameters",
    "GrowthOptions",
    "RegressorParameters",
    "RuleListClassifierParameters",
    "RuleListRegressorParameters",
    "RuleSetClassifierParameters",
    "RuleSetRegressorParameters",
]

class GrowthOptions(TypedDict, total=False):
    """Options of `structtree.grow` as keywords."""

    max_depth: int | None
    min_samples_split: int
    min_samples_leaf: int
    min_impurity_decrease: float
    max_leaf_nodes: int | None
    stop: StopRule | None
    significance: float
    share: Literal["path"] | None
    prune: bool
    strategy: Literal["auto", "bottom-up", "best-first", "exhaustive", "beam"]
    effort: EffortLevel
    max_evaluations: int | None
    time_limit: float | None
    random_state: int
    cost_tolerance: float | None
    nominal: Literal["binary", "subset", "multiway"]
    missing: Literal["false", "majority", "fractional"]
    average_gain_filter: bool

class FitOptions(GrowthOptions, total=False):
    """Options of `structtree.fit` as keywords."""

    post_prune: PruneBy | None
    ccp_alpha: float | Literal["cv"] | None
    standard_errors: float
    prune_risk: Literal["error", "gini", "entropy"] | None
    prune_to: int | None
    leaves: int | None
    validation_fraction: float
    confidence: float
    min_weight_fraction_leaf: float
    leaf_estimate: Estimate | None
    m: float | None
    costs: Costs | None
    max_bins: int
    max_memory: float
    n_jobs: int | None
    n_estimators: int
    max_features: float | Literal["sqrt", "log2", "all"]
    max_families: float
    bootstrap: bool
    max_samples: float | None
    thresholds: Literal["best", "random"]
    max_iter: int
    learning_rate: float
    loss: LossName | None
    quantile: float
    l2: float
    min_hessian: float
    subsample: float
    columns_per_tree: float
    early_stopping: bool
    stopping_fraction: float
    stopping_rounds: int
    monotone: Mapping[str, int] | None
    category_sets: bool
    measure: str | None
    order: Literal["any", "class"]
    literals: int | None
    min_support: float | None
    max_rules: int | None

class ClassifierParameters:
    """Parameters of `structtree.StructuralTreeClassifier`."""

    grammar: str | Path | Grammar | None
    categorical_features: Sequence[int | str | bool] | None
    smiles: str | None
    unlabelled: Unlabelled
    functions: Mapping[str, Callable[[Mapping[str, Any]], Any]] | None
    task: str | Task | None
    verbose: bool
    goal: Goal
    grow: Literal["pruned", "full"]
    criterion: str | Criterion | None
    class_weight: Mapping[Any, float] | Literal["balanced"] | None
    priors: Mapping[Any, float] | None
    max_depth: int | None
    min_samples_split: int
    min_samples_leaf: int
    min_impurity_decrease: float
    max_leaf_nodes: int | None
    stop: StopRule | None
    significance: float
    share: Literal["path"] | None
    prune: bool
    strategy: Literal["auto", "bottom-up", "best-first", "exhaustive", "beam"]
    effort: EffortLevel
    max_evaluations: int | None
    time_limit: float | None
    random_state: int | RandomState | None
    cost_tolerance: float | None
    nominal: Literal["binary", "subset", "multiway"]
    missing: Literal["false", "majority", "fractional"]
    average_gain_filter: bool
    post_prune: PruneBy | None
    ccp_alpha: float | Literal["cv"] | None
    standard_errors: float
    prune_risk: Literal["error", "gini", "entropy"] | None
    prune_to: int | None
    leaves: int | None
    validation_fraction: float
    confidence: float
    min_weight_fraction_leaf: float
    leaf_estimate: Estimate | None
    m: float | None
    costs: ArrayLike | None
    def __init__(
        self,
        grammar: str | Path | Grammar | None = None,
        *,
        categorical_features: Sequence[int | str | bool] | None = None,
        smiles: str | None = None,
        unlabelled: Unlabelled = "leave out",
        functions: Mapping[str, Callable[[Mapping[str, Any]], Any]] | None = None,
        task: str | Task | None = None,
        verbose: bool = False,
        goal: Goal = "accuracy",
        grow: Literal["pruned", "full"] = "pruned",
        criterion: str | Criterion | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        priors: Mapping[Any, float] | None = None,
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_impurity_decrease: float = 0.0,
        max_leaf_nodes: int | None = None,
        stop: StopRule | None = None,
        significance: float = 0.05,
        share: Literal["path"] | None = None,
        prune: bool = True,
        strategy: Literal["auto", "bottom-up", "best-first", "exhaustive", "beam"] = "auto",
        effort: EffortLevel = "normal",
        max_evaluations: int | None = None,
        time_limit: float | None = 60.0,
        random_state: int | RandomState | None = 0,
        cost_tolerance: float | None = None,
        nominal: Literal["binary", "subset", "multiway"] = "binary",
        missing: Literal["false", "majority", "fractional"] = "false",
        average_gain_filter: bool = False,
        post_prune: PruneBy | None = None,
        ccp_alpha: float | Literal["cv"] | None = None,
        standard_errors: float = 0.0,
        prune_risk: Literal["error", "gini", "entropy"] | None = None,
        prune_to: int | None = None,
        leaves: int | None = None,
        validation_fraction: float = 0.25,
        confidence: float = 0.25,
        min_weight_fraction_leaf: float = 0.0,
        leaf_estimate: Estimate | None = None,
        m: float | None = None,
        costs: ArrayLike | None = None,
    ) -> None: ...

class RegressorParameters:
    """Parameters of `structtree.StructuralTreeRegressor`."""

    grammar: str | Path | Grammar | None
    categorical_features: Sequence[int | str | bool] | None
    smiles: str | None
    unlabelled: Unlabelled
    functions: Mapping[str, Callable[[Mapping[str, Any]], Any]] | None
    task: str | Task | None
    verbose: bool
    goal: Goal
    grow: Literal["pruned", "full"]
    criterion: str | Criterion | None
    max_depth: int | None
    min_samples_split: int
    min_samples_leaf: int
    min_impurity_decrease: float
    max_leaf_nodes: int | None
    stop: StopRule | None
    significance: float
    share: Literal["path"] | None
    prune: bool
    strategy: Literal["auto", "bottom-up", "best-first", "exhaustive", "beam"]
    effort: EffortLevel
    max_evaluations: int | None
    time_limit: float | None
    random_state: int | RandomState | None
    cost_tolerance: float | None
    nominal: Literal["binary", "subset", "multiway"]
    missing: Literal["false", "majority", "fractional"]
    post_prune: PruneBy | None
    ccp_alpha: float | Literal["cv"] | None
    standard_errors: float
    prune_to: int | None
    leaves: int | None
    validation_fraction: float
    min_weight_fraction_leaf: float
    def __init__(
        self,
        grammar: str | Path | Grammar | None = None,
        *,
        categorical_features: Sequence[int | str | bool] | None = None,
        smiles: str | None = None,
        unlabelled: Unlabelled = "leave out",
        functions: Mapping[str, Callable[[Mapping[str, Any]], Any]] | None = None,
        task: str | Task | None = None,
        verbose: bool = False,
        goal: Goal = "accuracy",
        grow: Literal["pruned", "full"] = "pruned",
        criterion: str | Criterion | None = None,
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_impurity_decrease: float = 0.0,
        max_leaf_nodes: int | None = None,
        stop: StopRule | None = None,
        significance: float = 0.05,
        share: Literal["path"] | None = None,
        prune: bool = True,
        strategy: Literal["auto", "bottom-up", "best-first", "exhaustive", "beam"] = "auto",
        effort: EffortLevel = "normal",
        max_evaluations: int | None = None,
        time_limit: float | None = 60.0,
        random_state: int | RandomState | None = 0,
        cost_tolerance: float | None = None,
        nominal: Literal["binary", "subset", "multiway"] = "binary",
        missing: Literal["false", "majority", "fractional"] = "false",
        post_prune: PruneBy | None = None,
        ccp_alpha: float | Literal["cv"] | None = None,
        standard_errors: float = 0.0,
        prune_to: int | None = None,
        leaves: int | None = None,
        validation_fraction: float = 0.25,
        min_weight_fraction_leaf: float = 0.0,
    ) -> None: ...

class ForestClassifierParameters:
    """Parameters of `structtree.StructuralForestClassifier`."""

    grammar: str | Path | Grammar | None
    categorical_features: Sequence[int | str | bool] | None
    smiles: str | None
    unlabelled: Unlabelled
    functions: Mapping[str, Callable[[Mapping[str, Any]], Any]] | None
    task: str | Task | None
    verbose: bool
    warm_start: bool
    max_bins: int
    max_memory: float
    n_jobs: int | None
    n_estimators: int
    max_features: float | Literal["sqrt", "log2", "all"]
    max_families: float
    bootstrap: bool
    max_samples: float | None
    thresholds: Literal["best", "random"]
    criterion: str | Criterion | None
    class_weight: Mapping[Any, float] | Literal["balanced"] | None
    priors: Mapping[Any, float] | None
    max_depth: int | None
    min_samples_split: int
    min_samples_leaf: int
    min_impurity_decrease: float
    time_limit: float | None
    random_state: int | RandomState | None
    min_weight_fraction_leaf: float
    costs: ArrayLike | None
    def __init__(
        self,
        grammar: str | Path | Grammar | None = None,
        *,
        categorical_features: Sequence[int | str | bool] | None = None,
        smiles: str | None = None,
        unlabelled: Unlabelled = "leave out",
        functions: Mapping[str, Callable[[Mapping[str, Any]], Any]] | None = None,
        task: str | Task | None = None,
        verbose: bool = False,
        warm_start: bool = False,
        max_bins: int = 127,
        max_memory: float = 1000.0,
        n_jobs: int | None = None,
        n_estimators: int = 300,
        max_features: float | Literal["sqrt", "log2", "all"] = "sqrt",
        max_families: float = 1.0,
        bootstrap: bool = True,
        max_samples: float | None = None,
        thresholds: Literal["best", "random"] = "best",
        criterion: str | Criterion | None = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        priors: Mapping[Any, float] | None = None,
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_impurity_decrease: float = 0.0,
        time_limit: float | None = 60.0,
        random_state: int | RandomState | None = 0,
        min_weight_fraction_leaf: float = 0.0,
        costs: ArrayLike | None = None,
    ) -> None: ...

class ForestRegressorParameters:
    """Parameters of `structtree.StructuralForestRegressor`."""

    grammar: str | Path | Grammar | None
    categorical_features: Sequence[int | str | bool] | None
    smiles: str | None
    unlabelled: Unlabelled
    functions: Mapping[str, Callable[[Mapping[str, Any]], Any]] | None
    task: str | Task | None
    verbose: bool
    warm_start: bool
    max_bins: int
    max_memory: float
    n_jobs: int | None
    n_estimators: int
    max_features: float | Literal["sqrt", "log2", "all"]
    max_families: float
    bootstrap: bool
    max_samples: float | None
    thresholds: Literal["best", "random"]
    criterion: str | Criterion | None
    max_depth: int | None
    min_samples_split: int
    min_samples_leaf: int
    min_impurity_decrease: float
    time_limit: float | None
    random_state: int | RandomState | None
    min_weight_fraction_leaf: float
    def __init__(
        self,
        grammar: str | Path | Grammar | None = None,
        *,
        categorical_features: Sequence[int | str | bool] | None = None,
        smiles: str | None = None,
        unlabelled: Unlabelled = "leave out",
        functions: Mapping[str, Callable[[Mapping[str, Any]], Any]] | None = None,
        task: str | Task | None = None,
        verbose: bool = False,
        warm_start: bool = False,
        max_bins: int = 127,
        max_memory: float = 1000.0,
        n_jobs: int | None = None,
        n_estimators: int = 300,
        max_features: float | Literal["sqrt", "log2", "all"] = "sqrt",
        max_families: float = 1.0,
        bootstrap: bool = True,
        max_samples: float | None = None,
        thresholds: Literal["best", "random"] = "best",
        criterion: str | Criterion | None = None,
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_impurity_decrease: float = 0.0,
        time_limit: float | None = 60.0,
        random_state: int | RandomState | None = 0,
        min_weight_fraction_leaf: float = 0.0,
    ) -> None: ...

class BoostingClassifierParameters:
    """Parameters of `structtree.StructuralBoostingClassifier`."""

    grammar: str | Path | Grammar | None
    categorical_features: Sequence[int | str | bool] | None
    smiles: str | None
    unlabelled: Unlabelled
    functions: Mapping[str, Callable[[Mapping[str, Any]], Any]] | None
    task: str | Task | None
    verbose: bool
    max_bins: int
    max_memory: float
    n_jobs: int | None
    max_iter: int
    learning_rate: float
    loss: LossName | None
    quantile: float
    l2: float
    min_hessian: float
    subsample: float
    columns_per_tree: float
    early_stopping: bool
    stopping_fraction: float
    stopping_rounds: int
    monotone: Mapping[str, int] | None
    category_sets: bool
    class_weight: Mapping[Any, float] | Literal["balanced"] | None
    priors: Mapping[Any, float] | None
    max_depth: int | None
    min_samples_split: int
    min_samples_leaf: int
    max_leaf_nodes: int | None
    time_limit: float | None
    random_state: int | RandomState | None
    costs: ArrayLike | None
    def __init__(
        self,
        grammar: str | Path | Grammar | None = None,
        *,
        categorical_features: Sequence[int | str | bool] | None = None,
        smiles: str | None = None,
        unlabelled: Unlabelled = "leave out",
        functions: Mapping[str, Callable[[Mapping[str, Any]], Any]] | None = None,
        task: str | Task | None = None,
        verbose: bool = False,
        max_bins: int = 127,
        max_memory: float = 1000.0,
        n_jobs: int | None = None,
        max_iter: int = 500,
        learning_rate: float = 0.1,
        loss: LossName | None = None,
        quantile: float = 0.5,
        l2: float = 1.0,
        min_hessian: float = 1.0,
        subsample: float = 1.0,
        columns_per_tree: float = 1.0,
        early_stopping: bool = True,
        stopping_fraction: float = 0.1,
        stopping_rounds: int = 20,
        monotone: Mapping[str, int] | None = None,
        category_sets: bool = True,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        priors: Mapping[Any, float] | None = None,
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        max_leaf_nodes: int | None = None,
        time_limit: float | None = 60.0,
        random_state: int | RandomState | None = 0,
        costs: ArrayLike | None = None,
    ) -> None: ...

class BoostingRegressorParameters:
    """Parameters of `structtree.StructuralBoostingRegressor`."""

    grammar: str | Path | Grammar | None
    categorical_features: Sequence[int | str | bool] | None
    smiles: str | None
    unlabelled: Unlabelled
    functions: Mapping[str, Callable[[Mapping[str, Any]], Any]] | None
    task: str | Task | None
    verbose: bool
    max_bins: int
    max_memory: float
    n_jobs: int | None
    max_iter: int
    learning_rate: float
    loss: LossName | None
    quantile: float
    l2: float
    min_hessian: float
    subsample: float
    columns_per_tree: float
    early_stopping: bool
    stopping_fraction: float
    stopping_rounds: int
    monotone: Mapping[str, int] | None
    category_sets: bool
    max_depth: int | None
    min_samples_split: int
    min_samples_leaf: int
    max_leaf_nodes: int | None
    time_limit: float | None
    random_state: int | RandomState | None
    def __init__(
        self,
        grammar: str | Path | Grammar | None = None,
        *,
        categorical_features: Sequence[int | str | bool] | None = None,
        smiles: str | None = None,
        unlabelled: Unlabelled = "leave out",
        functions: Mapping[str, Callable[[Mapping[str, Any]], Any]] | None = None,
        task: str | Task | None = None,
        verbose: bool = False,
        max_bins: int = 127,
        max_memory: float = 1000.0,
        n_jobs: int | None = None,
        max_iter: int = 500,
        learning_rate: float = 0.1,
        loss: LossName | None = None,
        quantile: float = 0.5,
        l2: float = 1.0,
        min_hessian: float = 1.0,
        subsample: float = 1.0,
        columns_per_tree: float = 1.0,
        early_stopping: bool = True,
        stopping_fraction: float = 0.1,
        stopping_rounds: int = 20,
        monotone: Mapping[str, int] | None = None,
        category_sets: bool = True,
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        max_leaf_nodes: int | None = None,
        time_limit: float | None = 60.0,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class FeaturesParameters:
    """Parameters of `structtree.StructuralFeatures`."""

    grammar: str | Path | Grammar | None
    categorical_features: Sequence[int | str | bool] | None
    smiles: str | None
    unlabelled: Unlabelled
    functions: Mapping[str, Callable[[Mapping[str, Any]], Any]] | None
    task: str | Task | None
    verbose: bool
    sparse_output: bool
    names: Literal["tests", "numbers"]
    k: int
    max_bins: int
    max_memory: float
    time_limit: float | None
    random_state: int | RandomState | None
    def __init__(
        self,
        grammar: str | Path | Grammar | None = None,
        *,
        categorical_features: Sequence[int | str | bool] | None = None,
        smiles: str | None = None,
        unlabelled: Unlabelled = "leave out",
        functions: Mapping[str, Callable[[Mapping[str, Any]], Any]] | None = None,
        task: str | Task | None = None,
        verbose: bool = False,
        sparse_output: bool = False,
        names: Literal["tests", "numbers"] = "tests",
        k: int = 200,
        max_bins: int = 127,
        max_memory: float = 1000.0,
        time_limit: float | None = 60.0,
        random_state: int | RandomState | None = 0,
    ) -> None: ...

class RuleListClassifierParameters:
    """Parameters of `structtree.RuleListClassifier`."""

    grammar: str | Path | Grammar | None
    categorical_features: Sequence[int | str | bool] | None
    smiles: str | None
    unlabelled: Unlabelled
    functions: Mapping[str, Callable[[Mapping[str, Any]], Any]] | None
    task: str | Task | None
    verbose: bool
    measure: str | Criterion | None
    order: Literal["any", "class"]
    literals: int | None
    min_support: float | None
    max_rules: int | None
    goal: Goal
    grow: Literal["pruned", "full"]
    class_weight: Mapping[Any, float] | Literal["balanced"] | None
    priors: Mapping[Any, float] | None
    stop: StopRule | None
    significance: float
    prune: bool
    effort: EffortLevel
    max_evaluations: int | None
    time_limit: float | None
    random_state: int | RandomState | None
    post_prune: PruneBy | None
    ccp_alpha: float | Literal["cv"] | None
    standard_errors: float
    prune_risk: Literal["error", "gini", "entropy"] | None
    prune_to: int | None
    leaves: int | None
    validation_fraction: float
    confidence: float
    leaf_estimate: Estimate | None
    m: float | None
    costs: ArrayLike | None
    def __init__(
        self,
        grammar: str | Path | Grammar | None = None,
        *,
        categorical_features: Sequence[int | str | bool] | None = None,
        smiles: str | None = None,
        unlabelled: Unlabelled = "leave out",
        functions: Mapping[str, Callable[[Mapping[str, Any]], Any]] | None = None,
        task: str | Task | None = None,
        verbose: bool = False,
        measure: str | Criterion | None = None,
        order: Literal["any", "class"] = "any",
        literals: int | None = None,
        min_support: float | None = None,
        max_rules: int | None = None,
        goal: Goal = "accuracy",
        grow: Literal["pruned", "full"] = "pruned",
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        priors: Mapping[Any, float] | None = None,
        stop: StopRule | None = None,
        significance: float = 0.05,
        prune: bool = True,
        effort: EffortLevel = "normal",
        max_evaluations: int | None = None,
        time_limit: float | None = 60.0,
        random_state: int | RandomState | None = 0,
        post_prune: PruneBy | None = None,
        ccp_alpha: float | Literal["cv"] | None = None,
        standard_errors: float = 0.0,
        prune_risk: Literal["error", "gini", "entropy"] | None = None,
        prune_to: int | None = None,
        leaves: int | None = None,
        validation_fraction: float = 0.25,
        confidence: float = 0.25,
        leaf_estimate: Estimate | None = None,
        m: float | None = None,
        costs: ArrayLike | None = None,
    ) -> None: ...

class RuleListRegressorParameters:
    """Parameters of `structtree.RuleListRegressor`."""

    grammar: str | Path | Grammar | None
    categorical_features: Sequence[int | str | bool] | None
    smiles: str | None
    unlabelled: Unlabelled
    functions: Mapping[str, Callable[[Mapping[str, Any]], Any]] | None
    task: str | Task | None
    verbose: bool
    measure: str | Criterion | None
    order: Literal["any", "class"]
    literals: int | None
    min_support: float | None
    max_rules: int | None
    goal: Goal
    grow: Literal["pruned", "full"]
    stop: StopRule | None
    significance: float
    prune: bool
    effort: EffortLevel
    max_evaluations: int | None
    time_limit: float | None
    random_state: int | RandomState | None
    post_prune: PruneBy | None
    ccp_alpha: float | Literal["cv"] | None
    standard_errors: float
    prune_to: int | None
    leaves: int | None
    validation_fraction: float
    def __init__(
        self,
        grammar: str | Path | Grammar | None = None,
        *,
        categorical_features: Sequence[int | str | bool] | None = None,
        smiles: str | None = None,
        unlabelled: Unlabelled = "leave out",
        functions: Mapping[str, Callable[[Mapping[str, Any]], Any]] | None = None,
        task: str | Task | None = None,
        verbose: bool = False,
        measure: str | Criterion | None = None,
        order: Literal["any", "class"] = "any",
        literals: int | None = None,
        min_support: float | None = None,
        max_rules: int | None = None,
        goal: Goal = "accuracy",
        grow: Literal["pruned", "full"] = "pruned",
        stop: StopRule | None = None,
        significance: float = 0.05,
        prune: bool = True,
        effort: EffortLevel = "normal",
        max_evaluations: int | None = None,
        time_limit: float | None = 60.0,
        random_state: int | RandomState | None = 0,
        post_prune: PruneBy | None = None,
        ccp_alpha: float | Literal["cv"] | None = None,
        standard_errors: float = 0.0,
        prune_to: int | None = None,
        leaves: int | None = None,
        validation_fraction: float = 0.25,
    ) -> None: ...

class RuleSetClassifierParameters:
    """Parameters of `structtree.RuleSetClassifier`."""

    grammar: str | Path | Grammar | None
    categorical_features: Sequence[int | str | bool] | None
    smiles: str | None
    unlabelled: Unlabelled
    functions: Mapping[str, Callable[[Mapping[str, Any]], Any]] | None
    task: str | Task | None
    verbose: bool
    measure: str | Criterion | None
    literals: int | None
    min_support: float | None
    max_rules: int | None
    grow: Literal["pruned", "full"]
    class_weight: Mapping[Any, float] | Literal["balanced"] | None
    priors: Mapping[Any, float] | None
    prune: bool
    effort: EffortLevel
    max_evaluations: int | None
    time_limit: float | None
    random_state: int | RandomState | None
    costs: ArrayLike | None
    def __init__(
        self,
        grammar: str | Path | Grammar | None = None,
        *,
        categorical_features: Sequence[int | str | bool] | None = None,
        smiles: str | None = None,
        unlabelled: Unlabelled = "leave out",
        functions: Mapping[str, Callable[[Mapping[str, Any]], Any]] | None = None,
        task: str | Task | None = None,
        verbose: bool = False,
        measure: str | Criterion | None = None,
        literals: int | None = None,
        min_support: float | None = None,
        max_rules: int | None = None,
        grow: Literal["pruned", "full"] = "pruned",
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        priors: Mapping[Any, float] | None = None,
        prune: bool = True,
        effort: EffortLevel = "normal",
        max_evaluations: int | None = None,
        time_limit: float | None = 60.0,
        random_state: int | RandomState | None = 0,
        costs: ArrayLike | None = None,
    ) -> None: ...

class RuleSetRegressorParameters:
    """Parameters of `structtree.RuleSetRegressor`."""

    grammar: str | Path | Grammar | None
    categorical_features: Sequence[int | str | bool] | None
    smiles: str | None
    unlabelled: Unlabelled
    functions: Mapping[str, Callable[[Mapping[str, Any]], Any]] | None
    task: str | Task | None
    verbose: bool
    measure: str | Criterion | None
    literals: int | None
    min_support: float | None
    max_rules: int | None
    grow: Literal["pruned", "full"]
    prune: bool
    effort: EffortLevel
    max_evaluations: int | None
    time_limit: float | None
    random_state: int | RandomState | None
    def __init__(
        self,
        grammar: str | Path | Grammar | None = None,
        *,
        categorical_features: Sequence[int | str | bool] | None = None,
        smiles: str | None = None,
        unlabelled: Unlabelled = "leave out",
        functions: Mapping[str, Callable[[Mapping[str, Any]], Any]] | None = None,
        task: str | Task | None = None,
        verbose: bool = False,
        measure: str | Criterion | None = None,
        literals: int | None = None,
        min_support: float | None = None,
        max_rules: int | None = None,
        grow: Literal["pruned", "full"] = "pruned",
        prune: bool = True,
        effort: EffortLevel = "normal",
        max_evaluations: int | None = None,
        time_limit: float | None = 60.0,
        random_state: int | RandomState | None = 0,
    ) -> None: ...
