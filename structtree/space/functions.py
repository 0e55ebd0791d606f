"""Functions that the caller hands over: a ``function`` of a grammar becomes a column, computed row by row.

A grammar file only says that a function exists and what it gives; the Python code always comes from the caller,
so that loading a grammar never runs any.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

import numpy as np

from structtree.data.columns import Column, Population, Value, column_of
from structtree.errors import DataError, UsageError, did_you_mean
from structtree.lang.declare import in_names_of, named_by
from structtree.lang.grammar import Grammar
from structtree.lang.syntax import Function

__all__ = ["with_functions"]


def with_functions(
    population: Population, grammar: Grammar, functions: Mapping[str, Callable[[Mapping[str, Any]], Any]]
) -> Population:
    """The population in the grammar's names of types, with one more column for each function that it declares.

    Parameters
    ----------
    population : Population
    grammar : Grammar
    functions : mapping from name to function
        Each takes a record as nested dicts (links followed four steps) and returns its value, or None.

    Examples
    --------
    >>> trains = Population.from_records([{"cars": [{"wheels": 2}, {"wheels": 3}]}, {"cars": []}])
    >>> grammar = Grammar.parse("function wheels_in_all: Individual -> int "
    ...                         "refine Individual { top -> wheels_in_all >= * }")
    >>> given = {"wheels_in_all": lambda train: sum(car["wheels"] for car in train["cars"])}
    >>> with_functions(trains, grammar, given).column("wheels_in_all").values.tolist()
    [5.0, 0.0]
    """
    meant = in_names_of(grammar.syntax, population.schema, grammar.source, grammar.text)
    declared = {function.name: function for function in meant.functions}
    for name in functions:
        if name not in declared:
            raise UsageError(f"the grammar declares no function {name!r}{did_you_mean(name, declared)}")
    for function in declared.values():
        if function.name not in functions:
            raise UsageError(
                f"the grammar needs the function {function.name!r} from {function.type} to {function.kind}; "
                f"pass it as functions={{{function.name!r}: ...}}"
            )
        column = _compute(population, function, functions[function.name])
        population = population.with_column(function.type, function.attribute, column)
    return named_by(population, grammar.syntax)


def _compute(population: Population, function: Function, call: Callable[[Mapping[str, Any]], Any]) -> Column:
    n_rows = population.table(function.type).n_rows
    values = [call(population.row(function.type, row)) for row in range(n_rows)]
    for row, value in enumerate(values):
        if not _fits(function, value):
            raise DataError(
                f"function {function.name!r} gave {value!r} for row {row} of {function.type}, not {function.kind}"
            )
    return column_of(function.kind, values)


def _fits(function: Function, value: Value) -> bool:
    if value is None:
        return True
    match function.kind:
        case "bool":
            return isinstance(value, bool | np.bool_)
        case "nominal" | "ordered":
            return isinstance(value, str)
        case "date" | "time":
            return isinstance(value, date | np.datetime64)
        case _:
            return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
