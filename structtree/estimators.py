"""Trees over structured data as scikit-learn estimators: thin wrappers around `structtree.learn.fit`.

Individuals may have any form that `structtree.data.readers.individuals` supports: a `Population`, nested dicts,
networkx graphs, SMILES, RDKit molecules, a DataFrame (whose text columns are nominal), or an array. New individuals
are read like the training data: every attribute keeps its kind.

The same forms work in scikit-learn's tools, with one exception: bagging and boosting convert their input to a
two-dimensional array, and reject lists of dicts or graphs. Pass `Population.from_records(...)` or
`Population.from_graphs(...)`, or an array with one column of dicts or graphs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from inspect import Parameter, Signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.utils import Bunch, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from structtree.data.kinds import quoted_value
from structtree.data.labels import KnownLabels, Unlabelled, drop_unlabelled, label_array
from structtree.data.population import Population
from structtree.data.readers.individuals import FORMS, population_of, recognised
from structtree.data.readers.tables.sheets import names_of
from structtree.errors import DataError, UsageError, did_you_mean
from structtree.lang.declare import declared_individual, declared_kinds
from structtree.lang.grammar import Grammar, grammar_from
from structtree.learn.fit import fit
from structtree.learn.pruning import pruning_path
from structtree.models.applying import AppliesTests
from structtree.models.importance import importances
from structtree.models.model import Model
from structtree.models.routing.paths import decision_path
from structtree.models.settings import Decision, Growth, ModelKind, Objective, Pruning
from structtree.models.tree import Tree
from structtree.options import Option, option, options_of, reference
from structtree.progress import StatusLine
from structtree.tasks.classification import Classification
from structtree.tasks.registry import as_task
from structtree.tasks.regression import REGRESSION
from structtree.tasks.task import Task

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix  # type: ignore[import-untyped]  # scipy has no types

    from structtree.learn.parameters import ClassifierParameters, RegressorParameters
else:  # a stub shows type checkers the generated ``__init__``
    ClassifierParameters = RegressorParameters = object

__all__ = [
    "INPUT",
    "Classifies",
    "PredictsNumbers",
    "ReadsIndividuals",
    "StructuralEstimator",
    "StructuralTree",
    "StructuralTreeClassifier",
    "StructuralTreeRegressor",
    "seed_of",
    "with_parameters",
]

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class _Input:
    """Parameters of the estimators that other functions do not have."""

    grammar: str | Path | Grammar | None = option(
        None,
        "Grammar of the possible tests: a name, a file, text or a Grammar; by default, "
        "`structtree.default_grammar` of the data.",
        accepts="str, Path or Grammar",
    )
    categorical_features: Sequence[int | str | bool] | None = option(
        None,
        "For DataFrames and arrays: numeric columns to treat as nominal, by index, by name, or as a mask.",
        accepts="sequence of int, str or bool",
    )
    smiles: str | None = option(
        None, "SMILES column of a DataFrame of molecules, if it is not recognised by its name.", accepts="str"
    )
    unlabelled: Unlabelled = option(
        "leave out",
        "Whether individuals with a missing label (None, NaN and similar) are skipped with a warning or rejected "
        "with an error.",
    )
    functions: Mapping[str, Callable[[Mapping[str, Any]], Any]] | None = option(
        None, "Implementations of the functions that the grammar declares.", accepts="dict from name to function"
    )
    task: str | Task | None = option(
        None, "Task, or name of a task, other than plain classification and regression.", accepts="str or Task"
    )
    verbose: bool = option(False, "Print progress.")


INPUT = options_of(_Input)
LEARNING = options_of(Objective, Growth, Pruning, Decision)
PARAMETERS = (*INPUT, *LEARNING)


def with_parameters(options: Sequence[Option], *, classes: bool) -> Callable[[type[_T]], type[_T]]:
    """Add declared parameters to an estimator: its ``__init__``, signature, and docstring.

    The grammar may be passed by position, all others only by keyword.
    """
    declared = [each for each in options if classes or not each.for_classes]
    signature = Signature([Parameter("self", Parameter.POSITIONAL_ONLY), *map(_parameter, declared)])

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807  # becomes a method of the class
        given = signature.bind(self, *args, **kwargs)
        given.apply_defaults()
        vars(self).update((name, value) for name, value in given.arguments.items() if name != "self")

    def decorate(estimator: type[_T]) -> type[_T]:
        __init__.__signature__ = signature  # type: ignore[attr-defined]  # inspect looks there
        __init__.__qualname__ = f"{estimator.__qualname__}.__init__"
        estimator.__init__ = __init__  # type: ignore[method-assign]  # replaces the inherited one
        estimator.__doc__ = reference(estimator, declared, "parameter")
        return estimator

    return decorate


def _parameter(declared: Option) -> Parameter:
    kind = Parameter.POSITIONAL_OR_KEYWORD if declared.name == "grammar" else Parameter.KEYWORD_ONLY
    return Parameter(declared.parameter, kind, default=declared.usual, annotation=declared.kind)


class ReadsIndividuals(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Base class of estimators and transformers: reads individuals in training, and new ones like them."""

    @property
    def _fitted(self) -> AppliesTests:
        """Tests of the fitted estimator."""
        raise NotImplementedError

    def _known(self, X: Any, y: Any, unlabelled: Unlabelled, *, stacklevel: int = 3) -> KnownLabels:
        """Return the labels that are not missing; `y` itself if no label is missing."""
        labels = label_array(y)
        if labels.ndim != 1 or y is None:  # scikit-learn rejects it with its own message
            return KnownLabels(y, None, 0)
        recognised(X, self.smiles)
        check_consistent_length(X, labels)
        known = drop_unlabelled(labels, unlabelled, _name_of(y), stacklevel=stacklevel)
        return known._replace(labels=y) if known.kept is None else known

    def _training_population(self, X: Any, grammar: Grammar | None) -> Population:
        given, syntax = recognised(X, self.smiles), None if grammar is None else grammar.syntax
        individual = None if syntax is None else declared_individual(syntax)
        types = {} if syntax is None else declared_kinds(syntax)
        if given.form not in ("frame", "array"):
            if self.categorical_features is not None:
                got = FORMS[given.form]
                raise UsageError(f"categorical_features is for DataFrames and arrays; got individuals as {got}")
            for name in {"n_features_in_", "feature_names_in_"} & vars(self).keys():  # from an earlier fit
                delattr(self, name)
            return population_of(X, individual=individual, types=types, smiles=self.smiles)
        if given.form == "frame":
            frame = given.individuals
            validate_data(self, frame, skip_check_array=True)
            _require_cells(frame)
            types = types | _nominal(self.categorical_features, names_of(frame))
            return _finite(population_of(frame, individual=individual, types=types, copy=False))
        cells = _checked_array(self, X, reset=True)
        names = list(getattr(self, "feature_names_in_", [f"x{i}" for i in range(cells.shape[1])]))
        types = _nominal(self.categorical_features, names)
        return Population.from_array(cells, names, individual=individual or "Row", types=types, copy=False)

    def _population(self, X: Any) -> Population:
        """Convert new individuals to a population that the tree can be applied to."""
        check_is_fitted(self)
        model = self._fitted
        if isinstance(X, Population):
            return model.prepared(X, self.functions)
        form, individuals, _ = recognised(X, self._smiles_of(X))
        names = [column.name for column in model.columns]
        is_table = hasattr(self, "n_features_in_")
        match form:
            case "frame" if is_table:
                validate_data(self, individuals, reset=False, skip_check_array=True)
                _require_cells(individuals)
                # Reading nominal columns is slow, so only tested ones are read; all numbers are checked for infinity.
                read = {column.name for column in model.columns if column.kind != "nominal"} | self._tested
                table = Population.from_frame(_renamed(individuals, names), columns=read, copy=False)
                return model.prepared(_finite(table), self.functions)
            case "array" if is_table:
                cells = _checked_array(self, X, reset=False)
                table = Population.from_array(cells, names, columns=self._tested, copy=False)
                return model.prepared(table, self.functions)
        return model.prepared(X, self.functions, smiles=self._smiles_of(X))

    def _smiles_of(self, X: Any) -> str | None:
        """Return the name of the SMILES column if the individuals are a table."""
        return self.smiles if hasattr(X, "columns") or hasattr(X, "column_names") else None

    @property
    def _tested(self) -> frozenset[str]:
        """The columns that the tests use; all columns if the grammar has Python functions."""
        model = self._fitted
        if model.functions:
            return frozenset(column.name for column in model.columns)
        return model.needed[model.schema.individual]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags


class StructuralEstimator(ReadsIndividuals):
    """Base class of estimators of all kinds of models: reads individuals, fits a model and predicts."""

    _task: ClassVar[Task]
    kind: ClassVar[ModelKind] = "tree"
    learning: ClassVar[Sequence[Option]]

    def _fit(
        self,
        X: Any,
        known: KnownLabels,
        labels: NDArray[Any],
        sample_weight: ArrayLike | None,
        target_name: str | None,
        classes: list[Any] | None = None,
    ) -> Self:
        """Fit the model to the individuals that have a label."""
        grammar = self.grammar and grammar_from(self.grammar)
        task = as_task(self.task or self._task)
        if task.predicts_classes != self._task.predicts_classes:
            raise UsageError(f"the task {task.name!r} is for {task.noun}; this is a tree for {self._task.noun}")
        given = {e.parameter: vars(self)[e.parameter] for e in self.learning if e.parameter in vars(self)}
        population = self._training_population(X, grammar)
        with StatusLine() if self.verbose else nullcontext():
            self.model_ = fit(
                population if known.kept is None else population.take(known.kept),
                labels,
                grammar,
                sample_weight=known.weights(sample_weight),
                classes=classes,
                task=task,
                functions=self.functions,
                target_name=target_name,
                model=self.kind,
                **self._further(),
                **given | {"random_state": seed_of(self.random_state)},
            )
        return self

    @property
    def _fitted(self) -> AppliesTests:
        model: Model = self.model_
        return model

    def _further(self) -> dict[str, Any]:
        """Return further arguments of `structtree.learn.fit.fit`."""
        return {}

    def _scored(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> tuple[Any, Any, ArrayLike | None]:
        """Return the individuals that have a label, their labels, and their weights."""
        known = self._known(X, y, "leave out", stacklevel=4)
        inside = X if known.kept is None else self._population(X)[known.kept]
        return inside, known.labels, known.weights(sample_weight)

    def _learned(self) -> Model:
        """Return the fitted model; raise an error if there is none."""
        check_is_fitted(self)
        model: Model = self.model_
        return model

    @property
    def stopped_by_(self) -> str | None:
        """The reason why growth stopped early (``"time"`` or ``"interrupt"``), or None if the model is complete."""
        return self._learned().outcome.stopped_by

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The fraction of the total gain due to each column; only available for tabular data.

        For structured individuals, see `structtree.models.importance`.
        """
        check_is_fitted(self)
        record = self.model_.schema.type(self.model_.schema.individual)
        if record.links:
            raise AttributeError(
                "structured individuals have no columns; use structtree.models.importance.importances"
            )
        found = importances(self.model_)
        return np.array([found.get(attribute.name, 0.0) for attribute in record.attributes])

    def report(self, X: Any, y: ArrayLike | None = None, path: str | Path | None = None, *, title: str = "") -> Any:
        """Return an interactive report of the tree and individuals, and optionally write it to a file.

        Parameters
        ----------
        X : individuals in any form that `predict` takes
        y : array, optional
            True labels; without them the report has no scores.
        path : path, optional
            HTML file to write.
        title : str

        Returns
        -------
        structtree.report.html.page.HtmlReport
        """
        check_is_fitted(self)
        import structtree  # the top-level package imports the report lazily

        is_table = hasattr(self, "n_features_in_")
        return structtree.html_report(self, self._population(X) if is_table else X, y, path, title=title)

    def _repr_html_inner(self) -> str:
        return str(super()._repr_html_inner()) + self._view()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """Return scikit-learn's display of the estimator, followed by the tree."""
        output: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        return output | {"text/html": output["text/html"] + self._view()} if "text/html" in output else output

    def _view(self) -> str:
        return self.model_._repr_html_() if hasattr(self, "model_") else ""


class Classifies(ClassifierMixin, StructuralEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Estimators that predict classes."""

    _task = Classification()

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : Population, DataFrame, array, or sequence of dicts, graphs, SMILES or molecules
            The individuals; see `structtree.data.readers.individuals`.
        y : array
            Class of each individual.
        sample_weight : array, optional
            Weight of each individual; those with weight 0 are skipped.
        """
        known = self._known(X, y, self.unlabelled)
        check_classification_targets(known.labels)
        labels = validate_data(self, y=known.labels)
        self.classes_ = np.unique(labels)
        return self._fit(X, known, labels, sample_weight, _name_of(y), self.classes_.tolist())

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Return the accuracy on the individuals that have a label."""
        return float(super().score(*self._scored(X, y, sample_weight)))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the predicted class of each individual."""
        population = self._population(X)
        return np.asarray(self.classes_[self.model_.predictor.predict(population)])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the class probabilities of each individual, in the order of ``classes_``."""
        population = self._population(X)
        return self.model_.predictor.predict_proba(population)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithms of the class probabilities, minus infinity for 0."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


class PredictsNumbers(RegressorMixin, StructuralEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Estimators that predict numbers."""

    _task = REGRESSION

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : Population, DataFrame, array, or sequence of dicts, graphs, SMILES or molecules
            The individuals; see `structtree.data.readers.individuals`.
        y : array
            Target value of each individual.
        sample_weight : array, optional
            Weight of each individual; those with weight 0 are skipped.
        """
        known = self._known(X, y, self.unlabelled)
        _refuse_words(known.labels)
        labels = validate_data(self, y=known.labels, y_numeric=True).astype(np.float64)
        return self._fit(X, known, labels, sample_weight, _name_of(y))

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Return R² on the individuals that have a label."""
        return float(super().score(*self._scored(X, y, sample_weight)))

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the predicted value of each individual."""
        population = self._population(X)
        return self.model_.predictor.predict(population)


class StructuralTree(StructuralEstimator):
    """Base class of estimators whose model is one tree."""

    learning = LEARNING

    @property
    def tree_(self) -> Tree:
        """The fitted tree."""
        return self._learned().tree

    @property
    def unproved_(self) -> dict[int, float]:
        """The nodes where a better test may have been missed, with the maximum possible improvement."""
        return {caveat.node: caveat.gap for caveat in self.tree_.caveats}

    def get_depth(self) -> int:
        """Return the depth of the tree."""
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves."""
        return len(self.tree_.leaves)

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the leaf of each individual, as an index into ``tree_.nodes``."""
        return self.tree_.apply(self._population(X))

    def decision_path(self, X: Any) -> csr_matrix:
        """Return the nodes on the path of each individual, as a sparse matrix (individuals, nodes)."""
        from scipy.sparse import csr_matrix

        visits = decision_path(self.tree_, self._population(X))
        shape = (len(visits.offsets) - 1, len(self.tree_.nodes))
        return csr_matrix((np.ones(len(visits.nodes), dtype=np.int64), visits.nodes, visits.offsets), shape)

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Bunch:
        """Return the values of ``ccp_alpha`` at which the pruned tree changes, and the training risks.

        Returns
        -------
        Bunch
            With ``ccp_alphas`` and ``impurities``; see `structtree.learn.pruning.pruning_path`.
        """
        grown = clone(self).set_params(grow="full", post_prune=None, ccp_alpha=None).fit(X, y, sample_weight)
        path = pruning_path(grown.tree_, decision=grown.model_.decision)
        return Bunch(ccp_alphas=path.alphas, impurities=path.risks)


@with_parameters(PARAMETERS, classes=True)
class StructuralTreeClassifier(Classifies, StructuralTree, ClassifierParameters):
    """Decision tree for structured individuals, with tests from a grammar.

    See `structtree.Growth`, `structtree.Pruning` and `structtree.Decision` for details of the parameters.

    Attributes
    ----------
    classes_ : array
    model_ : Model
        Fitted model, for `structtree.save_model`.
    tree_ : Tree
    unproved_ : dict from node to float
        Nodes whose test is not proved best, and leaves that more time might have split, each with the maximum
        possible decrease of the criterion's loss.
    stopped_by_ : {"time", "interrupt"} or None
        Reason why growth ended early.
    n_features_in_, feature_names_in_
        As in scikit-learn, for arrays and DataFrames.

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

    Molecules can be SMILES, RDKit molecules, or a DataFrame with a column of SMILES:

    >>> alcohol = StructuralTreeClassifier(max_depth=1).fit(["CCO", "CC", "CCCO", "CCC"], ["yes", "no", "yes", "no"])
    >>> alcohol.predict(["CC(C)O", "c1ccccc1"]).tolist()
    ['yes', 'no']
    """


@with_parameters(PARAMETERS, classes=False)
class StructuralTreeRegressor(PredictsNumbers, StructuralTree, RegressorParameters):
    """Regression tree for structured individuals, with tests from a grammar.

    See `structtree.Growth` and `structtree.Pruning` for details of the parameters.

    Attributes
    ----------
    model_, tree_, unproved_, n_features_in_, feature_names_in_
        As in `StructuralTreeClassifier`.

    Examples
    --------
    >>> boxes = [{"items": [{"kg": 2}, {"kg": 5}]}, {"items": [{"kg": 1}]}, {"items": []}]
    >>> tree = StructuralTreeRegressor().fit(boxes, [9.0, 3.0, 3.0])
    >>> tree.predict([{"items": [{"kg": 7}, {"kg": 1}]}]).tolist()
    [9.0]
    """


# ---- parameters -----------------------------------------------------------------------------------------


def _refuse_words(labels: Any) -> None:
    """Reject non-numeric labels for regression."""
    known = label_array(labels)
    for one in known.ravel().tolist() if known.dtype.kind in "OUT" else ():
        try:
            float(one) if isinstance(one, str) else None
        except ValueError:
            fix = "for classes, use StructuralTreeClassifier"
            raise UsageError(f"expected numbers as labels, got {quoted_value(one)}; {fix}") from None


def seed_of(random_state: int | np.random.RandomState | None) -> int:
    """Return a seed from a parameter ``random_state``."""
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def _name_of(y: Any) -> str | None:
    return name if isinstance(name := getattr(y, "name", None), str) and name else None


# ---- individuals ----------------------------------------------------------------------------------------


def _nominal(chosen: Sequence[int | str | bool] | None, names: Sequence[str]) -> dict[str, str]:
    """Return the kinds of the columns selected by index, by name, or by a mask."""
    if chosen is None:
        return {}
    each = np.asarray(chosen).tolist()
    if any(isinstance(one, bool) for one in each):
        if len(each) != len(names):
            raise UsageError(
                f"a mask for categorical_features must have {len(names)} values, one for each column; got {len(each)}"
            )
        each = np.flatnonzero(each).tolist()
    for one in each:
        if one not in names and one not in range(len(names)):
            known = did_you_mean(str(one), names) if isinstance(one, str) else f" (there are {len(names)})"
            raise UsageError(f"categorical_features contains {one!r}, which is not a column{known}")
    return {one if isinstance(one, str) else names[one]: "nominal" for one in each}


def _renamed(frame: Any, names: list[str]) -> Any:
    """Rename the columns of a frame to those of the training data."""
    if hasattr(frame, "set_axis"):
        return frame.set_axis(names, axis=1)
    return frame.rename(dict(zip(frame.columns, names, strict=True)))


def _require_cells(frame: Any) -> None:
    n_rows, n_columns = frame.shape
    if not n_rows or not n_columns:
        raise UsageError(f"expected a DataFrame with rows and columns; got {n_rows} by {n_columns}")


def _finite(table: Population) -> Population:
    """Return the table after checking that all numbers are finite."""
    (rows,) = table.tables.values()
    for name, column in rows.columns.items():
        if column.kind == "real" and _has_infinity(column.values):
            raise DataError("expected a finite number or a missing value, got infinity", path=f"column {name!r}")
    return table


def _has_infinity(numbers: NDArray[np.float64]) -> bool:
    """Return whether any number is infinite."""
    with np.errstate(over="ignore", invalid="ignore"):
        return not np.isfinite(numbers.sum()) and bool(np.isinf(numbers).any())


def _checked_array(estimator: StructuralEstimator, cells: Any, *, reset: bool) -> NDArray[Any]:
    """Return a validated dense array, of objects if some cells are text."""
    if _has_text(cells):
        validate_data(estimator, cells, reset=reset, skip_check_array=True)
        return np.asarray(cells)
    known = validate_data(estimator, cells, reset=reset, accept_sparse=("csr", "csc"), ensure_all_finite="allow-nan")
    return np.asarray(known.toarray() if hasattr(known, "toarray") else known)


def _has_text(cells: Any) -> bool:
    """Return whether a two-dimensional array contains text."""
    if getattr(cells, "ndim", 0) != 2 or not isinstance(cells, np.ndarray):
        return False
    return cells.dtype.kind == "U" or (cells.dtype == object and any(isinstance(cell, str) for cell in cells.flat))
