"""Provenance of individuals: their numbers and names in the source, and what of it was left out.

Readers that leave records out, or that know names for them which are no attributes (the SMILES of a molecule, the
group of some rows, the file of a graph), give their population an `Provenance`. Whoever shows individuals to people
(predictions, explanations) then uses the numbers and names of the source.
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
    """Account of how facts were read.

    Parameters
    ----------
    signatures : tuple of str
        What the arguments of each predicate were taken for; with these, other facts are read the same way.
    target : str, optional
        The attribute of the individuals that the examples are of.
    notes : tuple of str
        What was left out or not executed.
    hidden : tuple of pairs
        The members, by type and name, that modes do not let be asked.
    is_of_models : bool
        Whether the individuals are interpretations.
    given : tuple of str
        The signatures that were declared when they were read.
    """

    signatures: tuple[str, ...]
    target: str | None = None
    notes: tuple[str, ...] = ()
    hidden: tuple[tuple[str, str], ...] = ()
    is_of_models: bool = False
    given: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Provenance:
    """Places of the rows of the individuals' type in their source.

    Parameters
    ----------
    rows : array of int
        For each row of that type, its number among the records of the source, counted from 0; -1 for none.
    n_records : int
        How many records the source has.
    names : mapping
        What the source calls its records, by the name of what that is, such as ``smiles``: a text for each record,
        None where it has none.
    columns : mapping, optional
        The source's own attributes of its records, also of those left out; without it they are those of the
        individuals.
    left_out : mapping
        For each record that was left out, why.
    relations : Relations, optional
        Of the tables of a database, how they are linked.
    facts : FactReading, optional
        Of facts, how they were read.

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
        """Return what the source calls the record behind a row of the individuals' type."""
        record = int(self.rows[row])
        found = {what: texts[record] for what, texts in self.names.items()} if record >= 0 else {}
        return {what: text for what, text in found.items() if text is not None}

    def take(self, rows: NDArray[np.integer[Any]]) -> Provenance:
        """Return the provenance of a table with only some of the rows."""
        return replace(self, rows=self.rows[rows])


def provenance_of(population: Population) -> Provenance:
    """Return the provenance of a population; unless a reader gave it one, its individuals are records in their order.

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
    """Return what the source says of its records, by name: its names for them, and its own attributes.

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
    """Return a name or an attribute of each record of the source; None where it has none.

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
