"""Features of structured individuals for any scikit-learn estimator, as a transformer.

Individuals are read as by the trees of `structtree.estimators`; `structtree.learn.feature_fit` selects the features.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from structtree.estimators import INPUT, ReadsIndividuals, seed_of, with_parameters
from structtree.export.sql.features import feature_sql
from structtree.interrupts import stoppable
from structtree.lang import syntax as syn
from structtree.lang.grammar import grammar_from
from structtree.learn.feature_fit import select_features
from structtree.learn.forest_fit import forest_criterion
from structtree.learn.learning_set import learning_set
from structtree.models.applying import AppliesTests
from structtree.models.features import FeatureSet, feature_values
from structtree.models.settings import OF_FEATURES, FeatureOptions, Forest, Growth
from structtree.models.tree import Tree
from structtree.options import build_options, option, options_of
from structtree.progress import StatusLine
from structtree.search.clock import Clock
from structtree.tasks.inference import infer_task, labels_for

if TYPE_CHECKING:
    from structtree.learn.parameters import FeaturesParameters
else:  # a stub shows type checkers the generated ``__init__``
    FeaturesParameters = object

__all__ = ["StructuralFeatures"]


@dataclass(frozen=True, slots=True)
class _Output:
    """Parameters of the output."""

    sparse_output: bool = option(False, "Whether `transform` returns a sparse matrix.")
    names: Literal["tests", "numbers"] = option(
        "tests", "Names of the columns: their tests, or short names for libraries that reject some characters."
    )


SELECTION = (*options_of(FeatureOptions), *(o for o in options_of(Forest, Growth) if o.name in OF_FEATURES))
FEATURE_PARAMETERS = (*INPUT, *options_of(_Output), *SELECTION)


@with_parameters(FEATURE_PARAMETERS, classes=True)
class StructuralFeatures(TransformerMixin, ReadsIndividuals, FeaturesParameters):  # type: ignore[misc]  # scikit-learn has no types
    """Relevant and little redundant tests, counts and aggregates of structured individuals as named columns.

    Attributes
    ----------
    selection_ : FeatureSet
        The features with what is needed to compute them on new data.
    n_features_in_, feature_names_in_
        As in scikit-learn, for arrays and DataFrames.

    Notes
    -----
    A column is a number (a count, an aggregate or an attribute), or 1 if a test holds and 0 otherwise. A number that
    is missing, such as the mean of no rows, is NaN; a test of something missing does not hold. Use scikit-learn's
    ``SimpleImputer`` for estimators that reject NaN. See `structtree.learn.feature_fit` for the selection.

    Without ``task``, it is inferred from the labels: real numbers mean regression, all other labels classification.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from structtree import load_dataset
    >>> trains = load_dataset("trains")
    >>> features = StructuralFeatures("trains", k=3).fit(trains.population, trains.target)
    >>> features.get_feature_names_out().tolist()[0]
    'exists cars (closed and not long)'
    >>> features.transform(trains.population).shape
    (20, 3)
    >>> learner = make_pipeline(StructuralFeatures("trains", k=3), LogisticRegression())
    >>> learner.fit(trains.population, trains.target).score(trains.population, trains.target)
    1.0
    """

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Select features.

        Parameters
        ----------
        X : Population, DataFrame, array, or sequence of dicts, graphs, SMILES or molecules
            The individuals; see `structtree.data.readers.individuals`.
        y : array
            Class or number of each individual.
        sample_weight : array, optional
            Weight of each individual; those with weight 0 are skipped.
        """
        options = build_options(FeatureOptions, _given(self, FeatureOptions))
        limits = build_options(Forest, _given(self, Forest))
        build_options(Growth, _given(self, Growth))  # which checks them
        known = self._known(X, y, self.unlabelled)
        labels = validate_data(self, y=known.labels)
        task = self.task or infer_task(labels)
        name = task if isinstance(task, str) else task.name
        grammar = None if self.grammar is None else grammar_from(self.grammar)
        population = self._training_population(X, grammar)
        with StatusLine() if self.verbose else nullcontext(), stoppable() as stop:
            clock = Clock(self.time_limit, stop)
            data = learning_set(
                population if known.kept is None else population.take(known.kept),
                labels_for(name, labels),
                grammar,
                usual=forest_criterion,
                for_forest=True,
                task=task,
                sample_weight=known.weights(sample_weight),
                functions=self.functions,
            )
            self.selection_ = select_features(data, options.k, limits, clock, seed_of(self.random_state))
        return self

    def transform(self, X: Any) -> Any:
        """Return the features of individuals.

        Parameters
        ----------
        X : individuals in any form that `fit` takes

        Returns
        -------
        array or sparse matrix of shape (individuals, features)
        """
        check_is_fitted(self)
        found = feature_values(self.selection_.features, self._population(X))
        if not self.sparse_output:
            return found
        from scipy.sparse import csr_matrix  # type: ignore[import-untyped]  # scipy has no types

        return csr_matrix(found)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the name of each column: its test, or what a number is.

        Parameters
        ----------
        input_features : ignored
        """
        check_is_fitted(self)
        if self.names == "numbers":
            return np.array([f"feature{place}" for place in range(len(self.selection_.features))], dtype=object)
        return np.array([each.name for each in self.selection_.features], dtype=object)

    def feature_predicate(self, place: int, threshold: float | None = None) -> syn.Predicate:
        """Return the predicate of a column.

        Parameters
        ----------
        place : int
            Place of the column, counted from 0.
        threshold : float, optional
            Number to compare with; by default the one that divides the training individuals best.
        """
        check_is_fitted(self)
        return self.selection_.features[place].at(threshold)

    def feature_tree(self, place: int) -> Tree:
        """Return the tree with the best test on a column as its only test, to explain, draw or report it.

        Parameters
        ----------
        place : int
            Place of the column, counted from 0.

        Examples
        --------
        >>> from structtree import load_dataset, plot_explanation
        >>> trains = load_dataset("trains")
        >>> features = StructuralFeatures("trains", k=3).fit(trains.population, trains.target)
        >>> plot_explanation(features.feature_tree(0), trains.population, 8)
        <ExplanationPicture: Train 8, ... × ...>
        """
        check_is_fitted(self)
        found: Tree = self.selection_.trees[place]
        return found

    def feature_sql(self, place: int, dialect: str | None = None) -> str:
        """Return a query for the values of a column, if the individuals come from a database.

        Parameters
        ----------
        place : int
            Place of the column, counted from 0.
        dialect : {"sqlite", "duckdb"}, optional
            By default that of the database.
        """
        check_is_fitted(self)
        return feature_sql(self.selection_, place, dialect)

    @property
    def _n_features_out(self) -> int:
        return len(self.selection_.features)

    @property
    def _fitted(self) -> AppliesTests:
        found: FeatureSet = self.selection_
        return found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _given(features: StructuralFeatures, declaration: type) -> dict[str, Any]:
    """Return the parameters that a declaration has; the seed may have another form."""
    names = {each.parameter for each in options_of(declaration)} - {"random_state"}
    return {name: value for name, value in vars(features).items() if name in names}
