"""Trees over structured data as scikit-learn estimators: thin, they validate, call `structtree.learn.fit`, and store.

Individuals may come as a `Population`, as nested dicts, as networkx graphs, as a DataFrame (whose columns of text are
nominal), or as an array. New ones are read as the training data was: what an attribute was then, it is now.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.utils import Bunch, check_random_state, compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from structtree.data.columns import Population
from structtree.data.frames import names_of
from structtree.data.schema import Attribute
from structtree.errors import DataError, UsageError, did_you_mean
from structtree.lang.grammar import Grammar, shipped_grammars
from structtree.learn.fit import Pruning, fit
from structtree.learn.grow import Progress
from structtree.learn.growth import Growth
from structtree.learn.importance import importances
from structtree.learn.leaves import MAJORITY, Decision
from structtree.learn.model import Model
from structtree.learn.paths import decision_path
from structtree.learn.predict import predicted_classes, predicted_means, predicted_probabilities
from structtree.learn.prune import pruning_path
from structtree.learn.tree import Leaf, Tree
from structtree.search.criteria import Criterion, criterion

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix  # type: ignore[import-untyped]  # scipy has no types

__all__ = ["StructuralTreeClassifier", "StructuralTreeRegressor"]

Form = Literal["population", "records", "graphs", "frame", "array"]

SECONDS = 60.0
"""What a fit may take unless the user says otherwise."""


class _StructuralTree(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """What the classifier and the regressor share."""

    def _fit(
        self,
        X: Any,
        y: NDArray[Any],
        sample_weight: NDArray[np.float64] | None,
        name: Any,
        classes: list[Any] | None = None,
        class_weight: Mapping[Any, float] | None = None,
        priors: Mapping[Any, float] | None = None,
    ) -> Self:
        grammar, task = _grammar(self.grammar), "numbers" if classes is None else "classes"
        chosen = criterion(self.criterion or ("mse" if classes is None else "acc*"))
        if chosen.task != task:
            raise UsageError(f"criterion {chosen.name!r} is for {chosen.task}; this is a tree for {task}")
        self.model_ = fit(
            self._training_population(X, grammar),
            y,
            grammar,
            self._growth(),
            self._pruning(),
            self._decision(),
            criterion=chosen,
            sample_weight=sample_weight,
            class_weight=class_weight,
            classes=classes,
            priors=priors,
            functions=self.functions,
            target_name=name if isinstance(name, str) else None,
            progress=_tell if self.verbose else None,
        )
        return self

    def _growth(self) -> Growth:
        return Growth(
            max_depth=self.max_depth,
            min_samples_split=self.min_samples_split,
            min_samples_leaf=self.min_samples_leaf,
            min_impurity_decrease=self.min_impurity_decrease,
            max_leaf_nodes=self.max_leaf_nodes,
            stop=self.stop,
            significance=self.significance,
            share=self.share,
            prune=self.prune,
            strategy=self.strategy,
            max_evaluations=self.max_evaluations,
            time_limit=self.time_limit,
            random_state=_seed(self.random_state),
            nominal=self.nominal,
            missing=self.missing,
            average_gain_filter=getattr(self, "average_gain_filter", False),
        )

    def _pruning(self) -> Pruning:
        method: Any = self.post_prune
        alpha: Any = "cv" if self.ccp_alpha is None else self.ccp_alpha
        if self.ccp_alpha is not None and method not in (None, "cost-complexity"):
            raise UsageError(f"ccp_alpha is for post_prune='cost-complexity', not for {method!r}")
        if self.ccp_alpha is not None:
            method = "cost-complexity"
        confidence = getattr(self, "confidence", 0.25)
        return Pruning(method, alpha, self.validation_fraction, confidence, self.min_weight_fraction_leaf)

    def _decision(self) -> Decision:
        return MAJORITY

    # ---- the fitted tree --------------------------------------------------------------------------------

    @property
    def tree_(self) -> Tree:
        """The tree."""
        check_is_fitted(self)
        model: Model = self.model_
        return model.tree

    @property
    def unproved_(self) -> dict[int, float]:
        """The nodes at which a better test may have been missed, each with the most by which it may be better."""
        return {
            i: node.gap if isinstance(node, Leaf) else node.found.gap
            for i, node in enumerate(self.tree_.nodes)
            if (node.gap if isinstance(node, Leaf) else not node.found.proved)
        }

    @property
    def stopped_by_(self) -> str | None:
        """What ended the growth before it was done: the time, or the user; None when it was done."""
        check_is_fitted(self)
        stopped_by: str | None = self.model_.params["stopped_by"]
        return stopped_by

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The share of the gain that each column is owed; only when the individuals are rows of a table.

        For structured individuals see `structtree.learn.importance`.
        """
        record = self.tree_.schema.type(self.tree_.schema.individual)
        if record.links:
            raise AttributeError(
                "structured individuals have no columns; use structtree.learn.importance.importances"
            )
        owed = importances(self.tree_)
        return np.array([owed.get(attribute.name, 0.0) for attribute in record.attributes])

    def get_depth(self) -> int:
        """The most tests on the way to a leaf."""
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """How many leaves the tree has."""
        return len(self.tree_.leaves)

    def apply(self, X: Any) -> NDArray[np.int64]:
        """The leaf that each individual ends up in, as a place in ``tree_.nodes``."""
        return self.tree_.apply(self._population(X))

    def decision_path(self, X: Any) -> csr_matrix:
        """Which nodes each individual comes by, as a sparse matrix (individuals, nodes)."""
        from scipy.sparse import csr_matrix

        visits = decision_path(self.tree_, self._population(X))
        shape = (len(visits.offsets) - 1, len(self.tree_.nodes))
        return csr_matrix((np.ones(len(visits.nodes), dtype=np.int64), visits.nodes, visits.offsets), shape)

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Bunch:
        """The values of ``ccp_alpha`` at which the pruned tree changes, and the training risk there.

        Returns
        -------
        Bunch
            With ``ccp_alphas`` and ``impurities``; see `structtree.learn.prune.pruning_path`.
        """
        grown = clone(self).set_params(post_prune=None, ccp_alpha=None).fit(X, y, sample_weight)
        path = pruning_path(grown.tree_, decision=grown._decision())
        return Bunch(ccp_alphas=path.alphas, impurities=path.risks)

    # ---- individuals ------------------------------------------------------------------------------------

    def _training_population(self, X: Any, grammar: Grammar | None) -> Population:
        form, said = _form(X), _said_by(grammar)
        if form not in ("frame", "array"):
            for name in {"n_features_in_", "feature_names_in_"} & vars(self).keys():  # of an earlier fit
                delattr(self, name)
        match form:
            case "population":
                return X  # type: ignore[no-any-return]  # the form says so
            case "records":
                return Population.from_records(list(X), individual=said.individual or "Individual", types=said.types)
            case "graphs":
                return Population.from_graphs(X, types=said.types)
            case "frame":
                validate_data(self, X, skip_check_array=True)
                _require_cells(X)
                types = said.types | _nominal(self.categorical_features, names_of(X))
                return _finite(Population.from_frame(X, individual=said.individual, types=types, copy=False))
            case "array":
                cells = _checked_array(self, X, reset=True)
                names = list(getattr(self, "feature_names_in_", [f"x{i}" for i in range(cells.shape[1])]))
                types = _nominal(self.categorical_features, names)
                return Population.from_array(
                    cells, names, individual=said.individual or "Row", types=types, copy=False
                )

    def _population(self, X: Any) -> Population:
        """New individuals, as the tests of the tree need them."""
        check_is_fitted(self)
        model: Model = self.model_
        match _form(X):
            case "population":
                return model.prepared(X, self.functions)
            case "records":
                return model.prepared(Population.from_records(list(X)), self.functions, absent="missing")
            case "graphs":
                return model.prepared(Population.from_graphs(X), self.functions, absent="missing")
            case "frame":
                validate_data(self, X, reset=False, skip_check_array=True)
                _require_cells(X)
                frame = _renamed(X, [column.name for column in self._columns])
                # What are words in all likelihood takes time to read; numbers are looked through for infinite ones.
                read = {column.name for column in self._columns if column.kind != "nominal"} | self._asked
                table = Population.from_frame(frame, columns=read, copy=False)
                return model.prepared(_finite(table), self.functions)
            case "array":
                cells, names = _checked_array(self, X, reset=False), [column.name for column in self._columns]
                table = Population.from_array(cells, names, columns=self._asked, copy=False)
                return model.prepared(table, self.functions)

    @property
    def _columns(self) -> list[Attribute]:
        """The columns of the training data, as they are called in the tests."""
        schema, computed = self.tree_.schema, {function.name for function in self.model_.functions}
        return [a for a in schema.type(schema.individual).attributes if a.name not in computed]

    @property
    def _asked(self) -> frozenset[str]:
        """The columns that the tests ask about; functions may look at all of them."""
        if self.model_.functions:
            return frozenset(column.name for column in self._columns)
        asked: frozenset[str] = self.model_.asked[self.tree_.schema.individual]
        return asked

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags


class StructuralTreeClassifier(ClassifierMixin, _StructuralTree):  # type: ignore[misc]  # scikit-learn has no types
    """A decision tree whose tests are what a grammar allows to ask of structured individuals.

    Parameters
    ----------
    grammar : str, Path or Grammar, optional
        What may be asked: the name of a grammar that comes with the package, a file, the text of a grammar, or a
        Grammar. By default `structtree.default_grammar` decides it from the data, and ``model_.params`` says which
        it is (``grammar_origin``); a table gets an ordinary decision tree.
    criterion : str or Criterion, optional
        ``"acc*"`` by default: accuracy, ties by entropy; see `structtree.search.criteria`.
    max_depth, min_samples_split, min_samples_leaf, min_impurity_decrease, max_leaf_nodes, stop, significance
        When to stop growing; see `structtree.learn.grow.Growth`.
    min_weight_fraction_leaf : float
        A node whose best test leaves less than this share of the whole weight on a side is a leaf.
    post_prune : {"cost-complexity", "reduced-error", "pessimistic"}, optional
        How the grown tree is pruned; see `structtree.learn.prune`.
    ccp_alpha : float or "cv", optional
        What a leaf costs in cost-complexity pruning; by default what does best in a cross-validation. A value here
        is enough to ask for that pruning.
    validation_fraction : float
        The share that is held out for reduced-error pruning.
    confidence : float
        Of pessimistic pruning; less prunes more.
    leaf_estimate : {"frequency", "laplace", "m-estimate", "m-branch"}
        How leaves estimate probabilities, with ``m`` for the last two; see `structtree.learn.leaves.Decision`.
    m : float
    costs : matrix, optional
        ``costs[i][j]`` is the cost of saying class j of an individual of class i, in the order of ``classes_``.
    class_weight : dict or "balanced", optional
        Weights of classes, as of scikit-learn's trees.
    priors : dict from class to float, optional
        What shares the classes have where the tree will be used; the training data weighs as if it had them.
    categorical_features : sequence of int, str or bool, optional
        For DataFrames and arrays: the columns whose numbers are codes of something and so nominal, by their places,
        by their names, or as a mask. Columns of text are nominal anyway.
    nominal : {"binary", "subset", "multiway"}
        For plain tables: whether a nominal attribute tells one value from the others, some values from the others, or
        has a side for each value, as in ID3 and C4.5; see `structtree.learn.grow.Growth`.
    missing : {"false", "majority", "fractional"}
        For plain tables: what becomes of those who lack a value that is asked about, here and in ``predict``: no test
        holds of them, they go where most go, or they go to all sides in parts (C4.5). By the last two rules that is
        also so for a category that training has not seen.
    average_gain_filter : bool
        For plain tables and criterion ``"gain-ratio"``: only attributes with at least average gain compete (C4.5).
    share : {"path"}, optional
        With ``"path"`` the yes side of a branch may also refine its test.
    prune : bool
        Whether the search uses bounds; the tree is the same without, and takes longer.
    strategy : {"auto", "bottom-up", "best-first", "exhaustive", "beam"}
        Of the search; see `structtree.learn.grow.Growth`.
    max_evaluations : int, optional
        The most predicates to evaluate at one node: a budget that gives the same tree on every machine.
    time_limit : float, optional
        Seconds for the whole fit. When they are over the tree is as good as it could be made until then, and
        ``unproved_`` says where a better test may have been missed.
    functions : dict from name to function, optional
        For each ``function`` that the grammar declares.
    random_state : int, RandomState or None
        For what is held out, and the folds that choose ``ccp_alpha``; the growing itself leaves nothing to chance.
    verbose : bool
        Whether progress is printed.

    Attributes
    ----------
    classes_ : array
    model_ : Model
        What `structtree.save_model` saves.
    tree_ : Tree
    unproved_ : dict from node to float
        The nodes whose test is not proved best, and the leaves that might have been divided if there had been more
        time, each with the most by which the criterion's loss might be less.
    stopped_by_ : {"time", "interrupt"} or None
        What ended the growth before it was done.
    n_features_in_, feature_names_in_
        As scikit-learn has them, for arrays and DataFrames.

    Examples
    --------
    >>> from structtree import load_dataset
    >>> trains = load_dataset("trains")
    >>> tree = StructuralTreeClassifier("trains", max_depth=1).fit(trains.population, trains.target)
    >>> tree.score(trains.population, trains.target)
    0.9
    >>> flat = StructuralTreeClassifier().fit([[0, 1], [1, 1], [2, 0], [3, 0]], ["a", "a", "b", "b"])
    >>> flat.predict([[0.5, 7]]).tolist(), flat.get_n_leaves(), flat.unproved_
    (['a'], 2, {})
    """

    def __init__(
        self,
        grammar: str | Path | Grammar | None = None,
        *,
        criterion: str | Criterion | None = None,
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        max_leaf_nodes: int | None = None,
        stop: Literal["test", "mdl"] | None = None,
        significance: float = 0.05,
        post_prune: Literal["cost-complexity", "reduced-error", "pessimistic"] | None = None,
        ccp_alpha: float | Literal["cv"] | None = None,
        validation_fraction: float = 0.25,
        confidence: float = 0.25,
        leaf_estimate: Literal["frequency", "laplace", "m-estimate", "m-branch"] = "frequency",
        m: float = 2.0,
        costs: Any = None,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        priors: Mapping[Any, float] | None = None,
        categorical_features: Sequence[int | str | bool] | None = None,
        nominal: Literal["binary", "subset", "multiway"] = "binary",
        missing: Literal["false", "majority", "fractional"] = "false",
        average_gain_filter: bool = False,
        share: Literal["path"] | None = None,
        prune: bool = True,
        strategy: Literal["auto", "bottom-up", "best-first", "exhaustive", "beam"] = "auto",
        max_evaluations: int | None = None,
        time_limit: float | None = SECONDS,
        functions: Mapping[str, Callable[[Mapping[str, Any]], Any]] | None = None,
        random_state: int | np.random.RandomState | None = 0,
        verbose: bool = False,
    ) -> None:
        self.grammar = grammar
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.max_leaf_nodes = max_leaf_nodes
        self.stop = stop
        self.significance = significance
        self.post_prune = post_prune
        self.ccp_alpha = ccp_alpha
        self.validation_fraction = validation_fraction
        self.confidence = confidence
        self.leaf_estimate = leaf_estimate
        self.m = m
        self.costs = costs
        self.class_weight = class_weight
        self.priors = priors
        self.categorical_features = categorical_features
        self.nominal = nominal
        self.missing = missing
        self.average_gain_filter = average_gain_filter
        self.share = share
        self.prune = prune
        self.strategy = strategy
        self.max_evaluations = max_evaluations
        self.time_limit = time_limit
        self.functions = functions
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Grow a tree.

        Parameters
        ----------
        X : Population, sequence of dicts or of graphs, DataFrame, or array
            The individuals.
        y : array
            Their classes.
        sample_weight : array, optional
            Their weights; who has weight 0 is left out.
        """
        check_classification_targets(y)
        labels = validate_data(self, y=y)
        check_consistent_length(X, labels)
        weights = None if sample_weight is None else _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        factors = None
        if self.class_weight is not None:
            factors = dict(zip(labels.tolist(), compute_sample_weight(self.class_weight, labels), strict=True))
        self.classes_ = np.unique(labels)
        return self._fit(X, labels, weights, getattr(y, "name", None), self.classes_.tolist(), factors, self.priors)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each individual."""
        population = self._population(X)
        return np.asarray(self.classes_[predicted_classes(self.tree_, population, self.model_.decision)])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of each class, in the order of ``classes_``, for each individual."""
        population = self._population(X)
        return predicted_probabilities(self.tree_, population, self.model_.decision)

    def _decision(self) -> Decision:
        return Decision(self.leaf_estimate, self.m, self.costs)


class StructuralTreeRegressor(RegressorMixin, _StructuralTree):  # type: ignore[misc]  # scikit-learn has no types
    """A regression tree whose tests are what a grammar allows to ask of structured individuals.

    Parameters
    ----------
    grammar, max_depth, min_samples_split, min_samples_leaf, min_impurity_decrease, max_leaf_nodes, stop, significance
        As of `StructuralTreeClassifier`.
    min_weight_fraction_leaf : float
        As of `StructuralTreeClassifier`.
    criterion : str or Criterion, optional
        ``"mse"`` by default.
    post_prune : {"cost-complexity", "reduced-error"}, optional
        How the grown tree is pruned.
    ccp_alpha, validation_fraction, share, prune, strategy, max_evaluations, time_limit, functions
        As of `StructuralTreeClassifier`.
    categorical_features : sequence of int, str or bool, optional
        As of `StructuralTreeClassifier`.
    nominal : {"binary", "subset", "multiway"}
        As of `StructuralTreeClassifier`.
    missing : {"false", "majority", "fractional"}
        As of `StructuralTreeClassifier`.
    random_state, verbose
        As of `StructuralTreeClassifier`.

    Attributes
    ----------
    model_, tree_, unproved_, n_features_in_, feature_names_in_
        As of `StructuralTreeClassifier`.

    Examples
    --------
    >>> boxes = [{"items": [{"kg": 2}, {"kg": 5}]}, {"items": [{"kg": 1}]}, {"items": []}]
    >>> tree = StructuralTreeRegressor().fit(boxes, [9.0, 3.0, 3.0])
    >>> tree.predict([{"items": [{"kg": 7}, {"kg": 1}]}]).tolist()
    [9.0]
    """

    def __init__(
        self,
        grammar: str | Path | Grammar | None = None,
        *,
        criterion: str | Criterion | None = None,
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        max_leaf_nodes: int | None = None,
        stop: Literal["test", "mdl"] | None = None,
        significance: float = 0.05,
        post_prune: Literal["cost-complexity", "reduced-error"] | None = None,
        ccp_alpha: float | Literal["cv"] | None = None,
        validation_fraction: float = 0.25,
        categorical_features: Sequence[int | str | bool] | None = None,
        nominal: Literal["binary", "subset", "multiway"] = "binary",
        missing: Literal["false", "majority", "fractional"] = "false",
        share: Literal["path"] | None = None,
        prune: bool = True,
        strategy: Literal["auto", "bottom-up", "best-first", "exhaustive", "beam"] = "auto",
        max_evaluations: int | None = None,
        time_limit: float | None = SECONDS,
        functions: Mapping[str, Callable[[Mapping[str, Any]], Any]] | None = None,
        random_state: int | np.random.RandomState | None = 0,
        verbose: bool = False,
    ) -> None:
        self.grammar = grammar
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.max_leaf_nodes = max_leaf_nodes
        self.stop = stop
        self.significance = significance
        self.post_prune = post_prune
        self.ccp_alpha = ccp_alpha
        self.validation_fraction = validation_fraction
        self.categorical_features = categorical_features
        self.nominal = nominal
        self.missing = missing
        self.share = share
        self.prune = prune
        self.strategy = strategy
        self.max_evaluations = max_evaluations
        self.time_limit = time_limit
        self.functions = functions
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Grow a tree.

        Parameters
        ----------
        X : Population, sequence of dicts or of graphs, DataFrame, or array
            The individuals.
        y : array
            Their numbers.
        sample_weight : array, optional
            Their weights; who has weight 0 is left out.
        """
        numbers = validate_data(self, y=y, y_numeric=True).astype(np.float64)
        check_consistent_length(X, numbers)
        weights = None if sample_weight is None else _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        return self._fit(X, numbers, weights, getattr(y, "name", None))

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The number that the tree says of each individual."""
        population = self._population(X)
        return predicted_means(self.tree_, population)


# ---- what parameters stand for --------------------------------------------------------------------------


def _grammar(given: str | Path | Grammar | None) -> Grammar | None:
    """A grammar from its name, its file, or its text, which has a bracket in it."""
    if given is None or isinstance(given, Grammar):
        return given
    if isinstance(given, str) and given not in shipped_grammars() and "{" in given:
        return Grammar.parse(given)
    return Grammar.load(given)


def _seed(random_state: int | np.random.RandomState | None) -> int:
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def _tell(progress: Progress) -> None:
    print(
        f"{progress.nodes} nodes, {progress.settled} of {progress.individuals} individuals in leaves, "
        f"{progress.evaluated} predicates evaluated"
    )


# ---- individuals ----------------------------------------------------------------------------------------


class _Said(NamedTuple):
    """What a grammar says about the data: the name of the individual, and kinds to read members as."""

    individual: str | None
    types: dict[str, str]


def _said_by(grammar: Grammar | None) -> _Said:
    if grammar is None:
        return _Said(None, {})
    declared = grammar.syntax.types
    individual = grammar.syntax.individual or (declared[0].name if len(declared) == 1 else None)
    kinds = {f"{record.name}.{a.name}": str(a.kind) for record in declared for a in record.attributes}
    links = {f"{t.name}.{link.name}": str(link.kind) for t in declared for link in t.links if not link.single}
    return _Said(individual, {**kinds, **links})


def _form(X: Any) -> Form:
    """What the individuals are given as."""
    if isinstance(X, Population):
        return "population"
    if hasattr(X, "columns") and (hasattr(X, "iloc") or hasattr(X, "get_columns")):  # of pandas, of polars
        return "frame"
    first = next(iter(X), None) if _is_row_of_objects(X) else None
    if isinstance(first, Mapping):
        return "records"
    return "graphs" if hasattr(first, "adjacency") and hasattr(first, "is_directed") else "array"


def _is_row_of_objects(X: Any) -> bool:
    return isinstance(X, list | tuple) or (getattr(X, "ndim", 0) == 1 and X.dtype == object)


def _nominal(chosen: Sequence[int | str | bool] | None, names: Sequence[str]) -> dict[str, str]:
    """The kinds of the columns that were chosen by their places, by their names, or by a mask."""
    if chosen is None:
        return {}
    each = np.asarray(chosen).tolist()
    if any(isinstance(one, bool) for one in each):
        if len(each) != len(names):
            raise UsageError(f"categorical_features must say yes or no of {len(names)} columns; got {len(each)}")
        each = np.flatnonzero(each).tolist()
    for one in each:
        if one not in names and one not in range(len(names)):
            known = did_you_mean(str(one), names) if isinstance(one, str) else f" (there are {len(names)})"
            raise UsageError(f"categorical_features has {one!r}, which is no column{known}")
    return {one if isinstance(one, str) else names[one]: "nominal" for one in each}


def _renamed(frame: Any, names: list[str]) -> Any:
    """The frame with its columns called as in training; that there are as many has been checked."""
    if hasattr(frame, "set_axis"):
        return frame.set_axis(names, axis=1)
    return frame.rename(dict(zip(frame.columns, names, strict=True)))


def _require_cells(frame: Any) -> None:
    n_rows, n_columns = frame.shape
    if not n_rows or not n_columns:
        raise UsageError(f"expected a DataFrame with rows and columns; got {n_rows} by {n_columns}")


def _finite(table: Population) -> Population:
    """The same, if it has no infinite numbers."""
    (rows,) = table.tables.values()
    for name, column in rows.columns.items():
        if column.kind == "real" and _has_infinity(column.values):
            raise DataError("expected a finite number or a missing value, got infinity", path=f"column {name!r}")
    return table


def _has_infinity(numbers: NDArray[np.float64]) -> bool:
    """Whether some are infinite; a sum that is finite is the quickest way to know that none is."""
    with np.errstate(over="ignore", invalid="ignore"):
        return not np.isfinite(numbers.sum()) and bool(np.isinf(numbers).any())


def _checked_array(estimator: _StructuralTree, cells: Any, *, reset: bool) -> NDArray[Any]:
    """A dense array of numbers; of whatever there is when some of it is text."""
    if _has_text(cells):
        validate_data(estimator, cells, reset=reset, skip_check_array=True)
        return np.asarray(cells)
    known = validate_data(estimator, cells, reset=reset, accept_sparse=("csr", "csc"), ensure_all_finite="allow-nan")
    return np.asarray(known.toarray() if hasattr(known, "toarray") else known)


def _has_text(cells: Any) -> bool:
    """Whether an array of two dimensions has text in it, so that its columns are not all of numbers."""
    if getattr(cells, "ndim", 0) != 2 or not isinstance(cells, np.ndarray):
        return False
    return cells.dtype.kind == "U" or (cells.dtype == object and any(isinstance(cell, str) for cell in cells.flat))
