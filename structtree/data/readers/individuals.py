"""Conversion of Python objects to populations.

==================================================================  ===========================================
input                                                               individuals
==================================================================  ===========================================
a `Population`                                                      unchanged
a sequence of dicts                                                 records
a sequence of sets, or of lists that contain lists, sets or dicts   records with one link, ``values``
a sequence of networkx graphs                                       graphs
a sequence of SMILES or RDKit molecules                             molecules
a pandas or polars DataFrame or Arrow table with SMILES             molecules with the other columns
any other DataFrame or Arrow table                                  rows
an array, a sparse matrix, or a list of rows                        rows
==================================================================  ===========================================

A sequence is a list, a tuple, a Series, a one-dimensional array, or an array with one column of objects, as
scikit-learn converts lists. The estimators, `structtree.fit`, models and reports use this module; files are opened by
`structtree.open_data`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from structtree.data.kinds import quoted_value, value_type
from structtree.data.population import Population
from structtree.data.readers.graphs.reading import GraphIndividual
from structtree.data.readers.molecules.files import smiles_column
from structtree.data.readers.tables.sheets import names_of, unique_names
from structtree.errors import DataError, MissingPackageError, UnknownNameError, UsageError

__all__ = ["FORMS", "Form", "Given", "population_of", "recognised"]

Form = Literal["population", "records", "graphs", "molecules", "frame", "array"]
"""Form of the input."""

FORMS: Mapping[Form, str] = {
    "population": "a population",
    "records": "records",
    "graphs": "graphs",
    "molecules": "molecules",
    "frame": "a table",
    "array": "an array",
}
"""Descriptions of the forms."""

ACCEPTED = "a Population, a DataFrame, an array, or a list of dicts, graphs, SMILES or molecules"


class Given(NamedTuple):
    """Input with its form and, for a table of molecules, the SMILES column."""

    form: Form
    individuals: Any
    smiles: str | None = None


def recognised(individuals: Any, smiles: str | None = None) -> Given:
    """Return the form of the input; an array with one column of objects becomes a list.

    Parameters
    ----------
    individuals
        See the table above.
    smiles : str, optional
        SMILES column of a table, if it has another name.

    Examples
    --------
    >>> recognised([{"x": 1}]).form, recognised(["CCO", "CC"]).form, recognised([[1, 2], [3, 4]]).form
    ('records', 'molecules', 'array')
    >>> recognised("a.csv")
    Traceback (most recent call last):
    structtree.errors.UsageError: expected individuals, got the string 'a.csv'; read a file with structtree.open_data
    """
    _refuse_others(individuals)
    if _is_frame(individuals):
        return _table(individuals, smiles)
    if smiles is not None:
        raise UsageError(f"smiles={smiles!r} requires a table with that column; got {_described(individuals)}")
    if isinstance(individuals, Population):
        return Given("population", individuals)
    row = _row(individuals)
    first = next((one for one in row if one is not None), None)
    if isinstance(first, Population):
        return Given("population", _together(row))
    for form, is_one in _ELEMENTS.items():
        if first is not None and is_one(first):
            return Given(form, row)
    if hasattr(individuals, "to_frame"):
        fix = "use frame.iloc[[i]] for a row, series.to_frame() for a column"
        raise UsageError(f"expected a DataFrame, got a Series; {fix}")
    return Given("array", individuals)


def population_of(
    individuals: Any,
    *,
    individual: str | None = None,
    types: Mapping[str, str] | None = None,
    names: Sequence[str] | None = None,
    columns: Collection[str] | None = None,
    smiles: str | None = None,
    copy: bool = True,
) -> Population:
    """Convert individuals in any form to a population.

    Parameters
    ----------
    individuals
        See the table above.
    individual : str, optional
        Name of the individual type; for graphs ``Graph``, ``Node`` or ``Edge``.
    types : mapping, optional
        Declared kinds of members, such as ``{"zip": "nominal"}``.
    names : sequence of str, optional
        Column names of an array.
    columns : collection of str, optional
        Columns of a table or an array to read; all by default.
    smiles : str, optional
        SMILES column of a table, if it has another name. Use `Population.from_frame` to read a table with SMILES as
        plain rows.
    copy : bool
        Whether to copy the numbers of tables and arrays.

    Examples
    --------
    >>> population_of([{"x": 1}, {"x": 2}]).schema.names, population_of([[1, 2], [3, 4]]).record(1)
    (('Individual',), {'x0': 3, 'x1': 4})
    >>> import pandas as pd
    >>> doses = pd.DataFrame({"SMILES": ["CCO", "c1ccccc1"], "dose": [0.5, 2.0]})
    >>> molecules = population_of(doses)
    >>> molecules.schema.individual, molecules.column("dose").values.tolist(), molecules.table("Ring").n_rows
    ('Molecule', [0.5, 2.0], 1)
    """
    given = recognised(individuals, smiles)
    match given.form:
        case "population":
            return given.individuals  # type: ignore[no-any-return]  # `recognised` has checked it
        case "records":
            return Population.from_records(
                list(given.individuals), individual=individual or "Individual", types=types
            )
        case "graphs":
            labelled: Any = individual if individual in get_args(GraphIndividual) else "Graph"
            return Population.from_graphs(given.individuals, individual=labelled, types=types)
        case "molecules":
            return _molecules(given, types)
        case "frame":
            return Population.from_frame(
                given.individuals, individual=individual, types=types, columns=columns, copy=copy
            )
        case "array":
            return _of_array(given.individuals, individual, types, names, columns, copy)


# ---- recognising forms -----------------------------------------------------------------------------------


def _refuse_others(individuals: Any) -> None:
    """Raise `UsageError` for single individuals and unsupported types."""
    if isinstance(individuals, str | bytes) or hasattr(individuals, "__fspath__"):
        text = quoted_value(str(individuals), 60)
        raise UsageError(f"expected individuals, got the string {text}; read a file with structtree.open_data")
    if isinstance(individuals, Mapping) and not hasattr(individuals, "shape"):  # some sparse matrices are mappings
        raise UsageError("expected a list of dicts, got one dict; pass [record], or a DataFrame of columns")
    for noun, is_one in (("graph", _is_graph), ("molecule", _is_molecule)):
        if is_one(individuals):
            raise UsageError(f"expected a list of {noun}s, got one {noun}; pass [{noun}]")
    if hasattr(individuals, "collect"):
        raise UsageError("expected individuals, got a lazy table; collect() it first")
    if not any(hasattr(individuals, name) for name in ("__len__", "shape", "__array__")):
        fix = "; convert it to a list" if hasattr(individuals, "__iter__") else ""
        raise UsageError(f"expected {ACCEPTED}; got {_described(individuals)}{fix}")
    if isinstance(individuals, set | frozenset):
        raise UsageError("expected individuals in a fixed order, got a set; convert it to a list")


def _described(individuals: Any) -> str:
    name = type(individuals).__name__
    return "None" if individuals is None else f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def _is_frame(individuals: Any) -> bool:
    """Return whether the input is a pandas, polars or Arrow table."""
    if hasattr(individuals, "columns") and (hasattr(individuals, "iloc") or hasattr(individuals, "get_columns")):
        return True
    return hasattr(individuals, "column_names") and hasattr(individuals, "to_pandas")


def _table(frame: Any, smiles: str | None) -> Given:
    frame = frame.to_pandas() if hasattr(frame, "column_names") else frame
    names = unique_names(names_of(frame))
    if smiles is not None and smiles not in names:
        raise UnknownNameError("column", smiles, names)
    column = smiles_column(names) if smiles is None else smiles
    return Given("frame" if column is None else "molecules", frame, column)


def _row(individuals: Any) -> Sequence[Any]:
    """Return the elements of a one-dimensional sequence of objects; empty for numbers and matrices."""
    if isinstance(individuals, list | tuple):
        return individuals
    shape: tuple[int, ...] = getattr(individuals, "shape", ())
    if isinstance(individuals, np.ndarray) and len(shape) == 2 and shape[1] == 1 and individuals.dtype == object:
        # One column of strings is read as a table.
        column: list[Any] = individuals[:, 0].tolist()
        return () if any(isinstance(one, str) for one in column) else column
    if len(shape) != 1 or getattr(individuals.dtype, "names", None) is not None:
        return ()
    kind = getattr(individuals.dtype, "kind", "O")
    return [*individuals.tolist()] if kind in "OUT" or not isinstance(individuals, np.ndarray) else ()


def _is_graph(one: Any) -> bool:
    return hasattr(one, "adjacency") and hasattr(one, "is_directed")


def _is_molecule(one: Any) -> bool:
    return hasattr(one, "GetAtoms") and hasattr(one, "GetBonds")


def _is_record(one: Any) -> bool:
    """Return whether the input is a record, or a collection that cannot be a row of a table."""
    if isinstance(one, list | tuple):
        return any(value_type(type(element)) in ("list", "record") for element in one)
    return isinstance(one, Mapping | set | frozenset)


_ELEMENTS: Mapping[Form, Callable[[Any], bool]] = {
    "records": _is_record,
    "graphs": _is_graph,
    "molecules": lambda one: isinstance(one, str) or _is_molecule(one),
}


def _together(parts: Sequence[Any]) -> Population:
    """Join single-individual populations into one population."""
    first: Population = parts[0]
    if any(not isinstance(one, Population) or one.tables is not first.tables for one in parts):
        raise UsageError("expected individuals of one population; got several populations")
    return replace(first, individuals=np.concatenate([one.individuals for one in parts]), _compact=False)


# ---- populations -----------------------------------------------------------------------------------------


def _molecules(given: Given, types: Mapping[str, str] | None) -> Population:
    try:
        if given.smiles is None:
            return Population.from_molecules(given.individuals)
        names, frame = names_of(given.individuals), given.individuals
        cells = {name: _cells(frame, place) for place, name in enumerate(unique_names(names))}
        texts = cells.pop(given.smiles)
        kinds = {name: kind for name, kind in (types or {}).items() if name.removeprefix("Molecule.") in cells}
        return Population.from_smiles(texts, columns=cells, types=kinds)
    except MissingPackageError as error:
        if given.smiles is None:
            raise
        fix = ", or read the table without its molecules: Population.from_frame"
        raise MissingPackageError("reading molecules requires RDKit", error.extra, fix) from None
    except DataError as error:
        if error.fix is None or "skip_bad" not in error.fix:
            raise
        fix = "correct them, or remove them and their labels"
        raise DataError(error.message, individual=error.individual, fix=fix) from None


def _cells(frame: Any, place: int) -> list[Any]:
    column = frame.iloc[:, place] if hasattr(frame, "iloc") else frame.to_series(place)
    return column.tolist()  # type: ignore[no-any-return]  # frames have no types here


def _of_array(
    array: Any,
    individual: str | None,
    types: Mapping[str, str] | None,
    names: Sequence[str] | None,
    columns: Collection[str] | None,
    copy: bool,
) -> Population:
    try:
        cells = array.toarray() if hasattr(array, "toarray") else array
        cells = cells if isinstance(cells, np.ndarray) else np.asarray(cells)
    except ValueError:
        raise DataError("expected rows of the same length, got rows of different lengths") from None
    if cells.ndim != 2 and cells.dtype.names is None:
        raise DataError(f"expected {ACCEPTED}; got {_described(array)} of {quoted_value(array, 60)}")
    if names is not None and cells.dtype.names is None and cells.shape[1] != len(names):
        known = ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")
        raise DataError(f"expected an array with {len(names)} columns ({known}); got one with {cells.shape[1]}")
    used = None if cells.dtype.names is not None else names
    return Population.from_array(cells, used, individual=individual or "Row", types=types, columns=columns, copy=copy)
