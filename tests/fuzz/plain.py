"""Populations as plain JSON values, for cases: the schema, and for each type its columns and links."""

from __future__ import annotations

from typing import Any

import numpy as np

from structtree.data.population import Adjacency, Column, Population, Table
from structtree.data.schema import Schema


def to_plain(population: Population) -> dict[str, Any]:
    """A population, of which every row of the individual type is an individual, as JSON values."""
    return {
        "schema": population.schema.to_json(),
        "tables": {name: _table_to_plain(population.tables[name]) for name in population.schema.names},
    }


def population_of(plain: dict[str, Any]) -> Population:
    """The population that `to_plain` was given."""
    schema = Schema.from_json(plain["schema"])
    return Population(schema, {t.name: _table_of(plain["tables"][t.name]) for t in schema.types})


def _table_to_plain(table: Table) -> dict[str, Any]:
    return {
        "rows": table.n_rows,
        "columns": {name: _column_to_plain(column) for name, column in table.columns.items()},
        "links": {
            name: [adjacency.of(row).tolist() for row in range(table.n_rows)]
            for name, adjacency in table.links.items()
        },
    }


def _column_to_plain(column: Column) -> dict[str, Any]:
    values = [None if value != value else value for value in column.values.tolist()]
    return {"kind": column.kind, "values": values, "categories": list(column.categories)}


def _table_of(plain: dict[str, Any]) -> Table:
    columns = {name: _column_of(column) for name, column in plain["columns"].items()}
    links = {name: _adjacency_of(rows) for name, rows in plain["links"].items()}
    return Table(plain["rows"], columns, links)


def _column_of(plain: dict[str, Any]) -> Column:
    dtype = {"nominal": np.int32, "bool": np.int8}.get(plain["kind"], np.float64)
    values = np.array([np.nan if value is None else value for value in plain["values"]], dtype=dtype)
    return Column(plain["kind"], values, tuple(plain["categories"]))


def _adjacency_of(rows: list[list[int]]) -> Adjacency:
    return Adjacency.from_lengths([len(row) for row in rows], np.array([t for row in rows for t in row], np.int32))
