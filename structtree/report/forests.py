"""A forest as text: its size, and the tests and attributes that matter most."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from structtree.lang.pretty import pretty
from structtree.models.ensemble import EnsemblePredictor
from structtree.models.importance import column_importances, importances
from structtree.models.model import Model
from structtree.report.words import in_words
from structtree.reprs import number_text

__all__ = ["forest_facts", "forest_lines"]

MOST_SHOWN = 8
"""Number of tests and of attributes that are shown."""

_K = TypeVar("_K")


def forest_lines(model: Model, *, words: bool = False) -> Iterator[str]:
    """Yield the description of a model with many trees, line by line.

    Parameters
    ----------
    model : Model
    words : bool
        Whether to write tests in plain English.

    Examples
    --------
    >>> from structtree import fit, load_dataset
    >>> trains = load_dataset("trains")
    >>> forest = fit(trains.population, trains.target, "trains", model="forest", n_estimators=20)
    >>> next(forest_lines(forest))
    '20 trees with 4.2 leaves on average; 59 different tests on 59 columns'
    """
    facts = forest_facts(model)
    leaves = f"{facts['leaves_per_tree']:.1f} leaves on average"
    tests = number_text(facts["tests"], "different test")
    yield f"{number_text(facts['trees'], 'tree')} with {leaves}; {tests} on {number_text(facts['columns'], 'column')}"
    schema = model.schema
    yield from _shares("Tests", column_importances(model), lambda t: in_words(t, schema) if words else pretty(t))
    yield from _shares("Attributes and links", importances(model), str)


def forest_facts(model: Model) -> dict[str, Any]:
    """Return the size of an ensemble."""
    forest = model.predictor
    assert isinstance(forest, EnsemblePredictor)
    n_trees = len(forest.trees)
    return {
        "trees": n_trees,
        "leaves_per_tree": len(forest.trees.figures) / n_trees,
        "tests": forest.n_tests,
        "columns": len(column_importances(model)),
    }


def _shares(title: str, shares: Mapping[_K, float], text: Callable[[_K], str]) -> Iterator[str]:
    """Yield the largest shares of the gain."""
    if not shares:
        return
    yield ""
    yield f"{title}, by share of the gain:"
    for key, share in list(shares.items())[:MOST_SHOWN]:
        yield f"  {share:6.1%}  {text(key)}"
    if len(shares) > MOST_SHOWN:
        yield f"          and {len(shares) - MOST_SHOWN:,} more"
