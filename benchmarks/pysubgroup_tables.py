"""Flat tables as text for ``subgroups.py``: numbers in five intervals, missing values as a value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pandas as pd

from structtree.data.readers.opening import open_data

__all__ = ["CLASSES", "NUMBERS", "text_tables"]

SHARED = Path(__file__).resolve().parent.parent.parent / "shared" / "data"

#: Files of classification tables, by name, with the columns to skip.
CLASSES: dict[str, tuple[str, tuple[str, ...]]] = {
    "mushroom": ("mushroom", ()),
    "vote": ("vote", ()),
    "kr-vs-kp": ("uci/kr-vs-kp.arff.gz", ()),
    "car": ("uci/car.arff", ()),
    "tic-tac-toe": ("uci/tic-tac-toe.arff", ()),
    "splice": ("uci/splice.arff.gz", ("instance_name", "Instance_name")),
    "adult": ("uci/adult-train.csv.gz", ()),
}
NUMBERS: dict[str, tuple[str, tuple[str, ...]]] = {
    "housing": ("uci/housing.arff", ()),
    "autompg": ("uci/autompg.arff", ()),
    "delaney": ("molnet/delaney-processed.csv", ("Compound ID", "smiles")),
}
ADULT = (1, 3, 5, 6, 7, 8, 9, 13)
MUSHROOM = "uci/agaricus-lepiota.data.gz"
DELANEY = "measured log solubility in mols per litre"


def text_tables(names: Iterable[str]) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the tables, with the target in the column ``class``."""
    for name in names:
        where, skipped = (CLASSES | NUMBERS)[name]
        table = _raw(name, where)
        features = table.drop(columns=["class", *(each for each in skipped if each in table)])
        yield name, features.apply(_as_text).assign(**{"class": table["class"]})


def _raw(name: str, where: str) -> pd.DataFrame:
    if name in ("adult", "mushroom"):
        path = SHARED / (where if name == "adult" else MUSHROOM)
        table = pd.read_csv(path, header=None, dtype=str, keep_default_na=False, skipinitialspace=True)
        target, attributes = (14, list(ADULT)) if name == "adult" else (0, list(range(1, 23)))
        return table[[target, *attributes]].set_axis(["class", *(f"a{i}" for i in attributes)], axis=1)
    if name == "delaney":
        return pd.read_csv(SHARED / where).rename(columns={DELANEY: "class"})
    data = open_data(where if name == "vote" else SHARED / where)
    own = data.population.tables[data.population.schema.individual].columns
    columns = {each: [column.value(i) for i in range(len(column))] for each, column in own.items()}
    return pd.DataFrame(columns).assign(**{"class": data.target})


def _as_text(column: pd.Series) -> pd.Series:
    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column) and column.nunique() > 8:
        column = pd.qcut(column, 5, duplicates="drop")
    return column.astype(object).map(lambda value: "unknown" if value is None or value != value else str(value))
