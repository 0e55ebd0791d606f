"""Provenance of individuals: their numbers and names in the source, and the records that were skipped.

A reader adds a `Provenance` to its population if it skips records or knows names for them that are not attributes
(the SMILES of a molecule, the group of some rows, the file of a graph). Predictions and explanations then show the
numbers and names of the source.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from structtree.errors import UnknownNameError

if TYPE_CHECKING:
    from structtree.data.population import Column, Population, Value
    from structtree.data.readers.databases.linking import Relations

__all__ = ["FactReading", "Provenance", "provenance_of", "record_members", "record_values"]


@dataclass(frozen=True, slots=True)
class FactReading:
    """Record of how facts were read.

    Parameters
    ----------
    signatures : tuple of str
        Inferred signatures of the predicates, with which other facts can be read in the same way.
    target : str, optional
        Attribute of the individuals with the class of each example.
    notes : tuple of str
        Skipped predicates and directives that were not executed.
    hidden : tuple of pairs
        Members, as (type, name), that the modes exclude from tests.
    is_of_models : bool
        Whether the individuals are interpretations.
    given : tuple of str
        Signatures declared by the user.
    """

    signatures: tuple[str, ...]
    target: str | None = None
    notes: tuple[str, ...] = ()
    hidden: tuple[tuple[str, str], ...] = ()
    is_of_models: bool = False
    given: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Provenance:
    """Origin of the rows of the individual type.

    Parameters
    ----------
    rows : array of int
        Record number of each row in the source, starting at 0; -1 for none.
    n_records : int
        Number of records in the source.
    names : mapping
        Names of the records by their kind, such as ``smiles``: one string per record, None if it has none.
    columns : mapping, optional
        Attributes of all records, including skipped ones; by default those of the individuals.
    left_out : mapping
        Reason for each skipped record.
    relations : Relations, optional
        Links between the tables of a database.
    facts : FactReading, optional
        How facts were read.

    Examples
    --------
    >>> provenance = Provenance(np.array([0, 2]), 3, {"smiles": ["CC", "C1", "CO"]}, left_out={1: "cannot be read"})
    >>> provenance.names_of(1)
    {'smiles': 'CO'}
    """

    rows: NDArray[np.int64]
    n_records: int
    names: Mapping[str, Sequence[str | None]] = field(default_factory=dict)
    columns: Mapping[str, Column] | None = None
    left_out: Mapping[int, str] = field(default_factory=dict)
    relations: Relations | None = None
    facts: FactReading | None = None

    def names_of(self, row: int) -> dict[str, str]:
        """Return the names of the source record of an individual."""
        record = int(self.rows[row])
        found = {what: texts[record] for what, texts in self.names.items()} if record >= 0 else {}
        return {what: text for what, text in found.items() if text is not None}

    def take(self, rows: NDArray[np.integer[Any]]) -> Provenance:
        """Return the provenance of the given rows."""
        return replace(self, rows=self.rows[rows])


def provenance_of(population: Population) -> Provenance:
    """Return the provenance of a population; by default its individuals are the records in order.

    Examples
    --------
    >>> from structtree import Population
    >>> provenance_of(Population.from_records([{"x": 1}, {"x": 2}])).rows.tolist()
    [0, 1]
    """
    if population.provenance is not None:
        return population.provenance
    rows = np.full(population.tables[population.schema.individual].n_rows, -1, dtype=np.int64)
    rows[population.individuals] = np.arange(len(population))
    return Provenance(rows, len(population))


def record_members(population: Population) -> tuple[str, ...]:
    """Return what can be shown for each record of the source: its kinds of names, and its attributes.

    Examples
    --------
    >>> from structtree import Population
    >>> record_members(Population.from_records([{"x": 1, "parts": []}]))
    ('x',)
    """
    provenance, record = provenance_of(population), population.schema.type(population.schema.individual)
    own = [attribute.name for attribute in record.attributes] if provenance.columns is None else provenance.columns
    return tuple(dict.fromkeys([*provenance.names, *own]))


def record_values(population: Population, name: str) -> list[Value]:
    """Return one name or attribute of all records in the source, None where missing.

    Parameters
    ----------
    population : Population
    name : str
        One of `record_members`, or any attribute of the individuals.

    Examples
    --------
    >>> from structtree import Population
    >>> record_values(Population.from_records([{"x": 1}, {}]), "x")
    [1, None]
    """
    provenance = provenance_of(population)
    if name in provenance.names:
        return list(provenance.names[name])
    if provenance.columns is not None and name in provenance.columns:
        column = provenance.columns[name]
        return [column.value(record) for record in range(provenance.n_records)]
    known = population.tables[population.schema.individual].columns
    if name not in known:
        raise UnknownNameError("column", name, dict.fromkeys([*record_members(population), *known]))
    values: list[Value] = [None] * provenance.n_records
    for row in population.individuals.tolist():
        values[provenance.rows[row]] = known[name].value(row)
    return values
