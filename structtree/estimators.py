"""Trees over structured data as scikit-learn estimators: thin, they validate, call `structtree.learn.fit`, and store.

Individuals may come as a `Population`, as nested dicts, as networkx graphs, as a DataFrame (whose columns of text are
nominal), or as an array. New ones are read as the training data was: what an attribute was then, it is now.

In scikit-learn's tools too, but for one thing: its bagging and boosting turn what they are given into an array of two
dimensions before a tree sees it, and refuse a list of dicts or of graphs. `Population.from_records` or
`Population.from_graphs` of the list serves there, and so does an array with one column of dicts or graphs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import Parameter, Signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.utils import Bunch, check_random_state, compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_consistent_length, check_is_fitted, validate_data

from structtree.data.columns import Population
from structtree.data.frames import names_of
from structtree.data.schema import Attribute
from structtree.errors import DataError, UsageError, did_you_mean
from structtree.lang.declare import declared_individual, declared_kinds
from structtree.lang.grammar import Grammar, shipped_grammars
from structtree.learn.fit import fit
from structtree.learn.goals import goal_criterion
from structtree.learn.grow import Progress
from structtree.learn.growth import Decision, Growth, Objective, Pruning
from structtree.learn.importance import importances
from structtree.learn.model import Model
from structtree.learn.paths import decision_path
from structtree.learn.predict import predicted_classes, predicted_means, predicted_probabilities
from structtree.learn.prune import pruning_path
from structtree.learn.tree import Tree
from structtree.options import Option, build_options, option, options_of, reference
from structtree.search.criteria import criterion

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix  # type: ignore[import-untyped]  # scipy has no types

__all__ = ["StructuralTreeClassifier", "StructuralTreeRegressor"]

Form = Literal["population", "records", "graphs", "frame", "array"]

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class _Input:
    """Parameters that only the estimators have."""

    grammar: str | Path | Grammar | None = option(
        None,
        "The grammar of all possible tests: its name, its file, its text, or a Grammar; by default "
        "`structtree.default_grammar` of the data.",
        accepts="str, Path or Grammar",
    )
    categorical_features: Sequence[int | str | bool] | None = option(
        None,
        "For DataFrames and arrays: the columns of numbers that are nominal, by index, by name, or as a mask.",
        accepts="sequence of int, str or bool",
    )
    functions: Mapping[str, Callable[[Mapping[str, Any]], Any]] | None = option(
        None, "Functions for those that the grammar declares.", accepts="dict from name to function"
    )
    verbose: bool = option(False, "Print progress.")


PARAMETERS = options_of(_Input, Objective, Growth, Pruning, Decision)


def _with_parameters(*, classes: bool) -> Callable[[type[_T]], type[_T]]:
    """Give an estimator the declared parameters: its ``__init__``, their signature, and their reference.

    The grammar may be given by position, all others only by name.
    """
    declared = [each for each in PARAMETERS if classes or not each.for_classes]
    signature = Signature([Parameter("self", Parameter.POSITIONAL_ONLY), *map(_parameter, declared)])

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807  # it becomes the class's own
        given = signature.bind(self, *args, **kwargs)
        given.apply_defaults()
        vars(self).update((name, value) for name, value in given.arguments.items() if name != "self")

    def decorate(estimator: type[_T]) -> type[_T]:
        __init__.__signature__ = signature  # type: ignore[attr-defined]  # inspect looks there
        __init__.__qualname__ = f"{estimator.__qualname__}.__init__"
        estimator.__init__ = __init__  # type: ignore[method-assign]  # in place of the one that shows no parameters
        estimator.__doc__ = reference(estimator, declared, "parameter")
        return estimator

    return decorate


def _parameter(declared: Option) -> Parameter:
    kind = Parameter.POSITIONAL_OR_KEYWORD if declared.name == "grammar" else Parameter.KEYWORD_ONLY
    return Parameter(declared.parameter, kind, default=declared.usual, annotation=declared.kind)


class _StructuralTree(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Base of the classifier and the regressor."""

    _task: ClassVar[Literal["classes", "numbers"]]

    if TYPE_CHECKING:  # what it is comes from the declarations

        def __init__(self, grammar: str | Path | Grammar | None = None, **parameters: Any) -> None: ...

    def _fit(
        self,
        X: Any,
        y: Any,
        labels: NDArray[Any],
        sample_weight: ArrayLike | None,
        classes: list[Any] | None = None,
        class_weight: Mapping[Any, float] | None = None,
    ) -> Self:
        """Learn from the labels that were made of y."""
        check_consistent_length(X, labels)
        weights = None if sample_weight is None else _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        grammar, given = _grammar(self.grammar), vars(self)
        chosen = criterion(self.criterion) if self.criterion else goal_criterion(self.goal, self._task)
        if chosen.task != self._task:
            raise UsageError(f"criterion {chosen.name!r} is for {chosen.task}; this is a tree for {self._task}")
        self.model_ = fit(
            self._training_population(X, grammar),
            labels,
            grammar,
            build_options(Growth, given | {"random_state": _seed(self.random_state)}),
            build_options(Pruning, given),
            build_options(Decision, given),
            goal=self.goal,
            grow=self.grow,
            criterion=chosen,
            sample_weight=weights,
            class_weight=class_weight,
            classes=classes,
            priors=given.get("priors"),
            functions=self.functions,
            target_name=name if isinstance(name := getattr(y, "name", None), str) else None,
            progress=_print_progress if self.verbose else None,
        )
        return self

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
        return {doubt.node: doubt.gap for doubt in self.tree_.doubts}

    @property
    def stopped_by_(self) -> str | None:
        """The reason why growth ended early, ``"time"`` or ``"interrupt"``; None if it did not."""
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
        """Return the most tests on the way to a leaf."""
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        return len(self.tree_.leaves)

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the leaf that each individual ends up in, as an index of ``tree_.nodes``."""
        return self.tree_.apply(self._population(X))

    def decision_path(self, X: Any) -> csr_matrix:
        """Return the nodes that each individual passes, as a sparse matrix (individuals, nodes)."""
        from scipy.sparse import csr_matrix

        visits = decision_path(self.tree_, self._population(X))
        shape = (len(visits.offsets) - 1, len(self.tree_.nodes))
        return csr_matrix((np.ones(len(visits.nodes), dtype=np.int64), visits.nodes, visits.offsets), shape)

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Bunch:
        """Return the values of ``ccp_alpha`` at which the pruned tree changes, and the training risk there.

        Returns
        -------
        Bunch
            With ``ccp_alphas`` and ``impurities``; see `structtree.learn.prune.pruning_path`.
        """
        grown = clone(self).set_params(grow="full", post_prune=None, ccp_alpha=None).fit(X, y, sample_weight)
        path = pruning_path(grown.tree_, decision=grown.model_.decision)
        return Bunch(ccp_alphas=path.alphas, impurities=path.risks)

    # ---- individuals ------------------------------------------------------------------------------------

    def _training_population(self, X: Any, grammar: Grammar | None) -> Population:
        (form, given), declared = _individuals(X), _declared_by(grammar)
        if form not in ("frame", "array"):
            if self.categorical_features is not None:
                raise UsageError(f"categorical_features is for DataFrames and arrays; got individuals as {form}")
            for name in {"n_features_in_", "feature_names_in_"} & vars(self).keys():  # of an earlier fit
                delattr(self, name)
        match form:
            case "population":
                return given  # type: ignore[no-any-return]  # the form says so
            case "records":
                individual = declared.individual or "Individual"
                return Population.from_records(list(given), individual=individual, types=declared.types)
            case "graphs":
                return Population.from_graphs(given, types=declared.types)
            case "frame":
                validate_data(self, X, skip_check_array=True)
                _require_cells(X)
                types = declared.types | _nominal(self.categorical_features, names_of(X))
                return _finite(Population.from_frame(X, individual=declared.individual, types=types, copy=False))
            case "array":
                cells = _checked_array(self, X, reset=True)
                names = list(getattr(self, "feature_names_in_", [f"x{i}" for i in range(cells.shape[1])]))
                types, individual = _nominal(self.categorical_features, names), declared.individual or "Row"
                return Population.from_array(cells, names, individual=individual, types=types, copy=False)

    def _population(self, X: Any) -> Population:
        """New individuals, as the tests of the tree need them."""
        check_is_fitted(self)
        model: Model = self.model_
        form, given = _individuals(X)
        match form:
            case "population":
                return model.prepared(given, self.functions)
            case "records":
                return model.prepared(Population.from_records(list(given)), self.functions, absent="missing")
            case "graphs":
                return model.prepared(Population.from_graphs(given), self.functions, absent="missing")
            case "frame":
                validate_data(self, X, reset=False, skip_check_array=True)
                _require_cells(X)
                frame = _renamed(X, [column.name for column in self._columns])
                # What are words in all likelihood takes time to read; numbers are looked through for infinite ones.
                read = {column.name for column in self._columns if column.kind != "nominal"} | self._tested
                table = Population.from_frame(frame, columns=read, copy=False)
                return model.prepared(_finite(table), self.functions)
            case "array":
                cells, names = _checked_array(self, X, reset=False), [column.name for column in self._columns]
                table = Population.from_array(cells, names, columns=self._tested, copy=False)
                return model.prepared(table, self.functions)

    @property
    def _columns(self) -> list[Attribute]:
        """The columns of the training data, as they are called in the tests."""
        schema, computed = self.tree_.schema, {function.name for function in self.model_.functions}
        return [a for a in schema.type(schema.individual).attributes if a.name not in computed]

    @property
    def _tested(self) -> frozenset[str]:
        """The columns that the tests need; functions may need all of them."""
        if self.model_.functions:
            return frozenset(column.name for column in self._columns)
        tested: frozenset[str] = self.model_.needed[self.tree_.schema.individual]
        return tested

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags


@_with_parameters(classes=True)
class StructuralTreeClassifier(ClassifierMixin, _StructuralTree):  # type: ignore[misc]  # scikit-learn has no types
    """Decision tree whose tests of structured individuals are those that a grammar allows.

    See `structtree.Growth`, `structtree.Pruning` and `structtree.Decision` for more about the parameters.

    Attributes
    ----------
    classes_ : array
    model_ : Model
        For `structtree.save_model`.
    tree_ : Tree
    unproved_ : dict from node to float
        The nodes whose test is not proved best, and the leaves that might have been divided if there had been more
        time, each with the most by which the criterion's loss might be less.
    stopped_by_ : {"time", "interrupt"} or None
        The reason why growth ended early.
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

    _task = "classes"

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
        labels, factors = validate_data(self, y=y), None
        if self.class_weight is not None:
            factors = dict(zip(labels.tolist(), compute_sample_weight(self.class_weight, labels), strict=True))
        self.classes_ = np.unique(labels)
        return self._fit(X, y, labels, sample_weight, self.classes_.tolist(), factors)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predicted class of each individual."""
        classes = predicted_classes(self.tree_, self._population(X), self.model_.decision)
        return np.asarray(self.classes_[classes])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, in the order of ``classes_``, for each individual."""
        return predicted_probabilities(self.tree_, self._population(X), self.model_.decision)


@_with_parameters(classes=False)
class StructuralTreeRegressor(RegressorMixin, _StructuralTree):  # type: ignore[misc]  # scikit-learn has no types
    """Regression tree whose tests of structured individuals are those that a grammar allows.

    See `structtree.Growth` and `structtree.Pruning` for more about the parameters.

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

    _task = "numbers"

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
        return self._fit(X, y, validate_data(self, y=y, y_numeric=True).astype(np.float64), sample_weight)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the predicted number of each individual."""
        return predicted_means(self.tree_, self._population(X))


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


def _print_progress(progress: Progress) -> None:
    print(
        f"{progress.nodes} nodes, {progress.settled} of {progress.individuals} individuals in leaves, "
        f"{progress.evaluated} predicates evaluated"
    )


# ---- individuals ----------------------------------------------------------------------------------------


class _Declared(NamedTuple):
    """Declarations of a grammar about the data: the individual's type, and the kinds of members."""

    individual: str | None
    types: dict[str, str]


def _declared_by(grammar: Grammar | None) -> _Declared:
    if grammar is None:
        return _Declared(None, {})
    return _Declared(declared_individual(grammar.syntax), declared_kinds(grammar.syntax))


class _Individuals(NamedTuple):
    """Individuals, and what they are given as."""

    form: Form
    given: Any


def _individuals(X: Any) -> _Individuals:
    """The individuals; scikit-learn's ensembles turn them into one column of objects, which is undone."""
    if isinstance(X, Population):
        return _Individuals("population", X)
    if hasattr(X, "columns") and (hasattr(X, "iloc") or hasattr(X, "get_columns")):  # of pandas, of polars
        return _Individuals("frame", X)
    is_column = isinstance(X, np.ndarray) and X.dtype == object and X.ndim == 2 and X.shape[1] == 1
    row = X[:, 0] if is_column else X
    first = next(iter(row), None) if _is_row_of_objects(row) else None
    if isinstance(first, Population):
        if any(one.tables is not first.tables for one in row):
            raise UsageError("expected individuals of one population; got some of several")
        rows = np.concatenate([one.individuals for one in row])
        return _Individuals("population", replace(first, individuals=rows))
    if isinstance(first, Mapping):
        return _Individuals("records", row)
    is_graph = hasattr(first, "adjacency") and hasattr(first, "is_directed")
    return _Individuals("graphs", row) if is_graph else _Individuals("array", X)


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
    """Return whether some are infinite; a finite sum is the quickest way to know that none is."""
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
    """Return whether an array of two dimensions has text in it, so that not all columns are numbers."""
    if getattr(cells, "ndim", 0) != 2 or not isinstance(cells, np.ndarray):
        return False
    return cells.dtype.kind == "U" or (cells.dtype == object and any(isinstance(cell, str) for cell in cells.flat))
