"""Subgroups and patterns of a source of data, as the command line and `structtree.subgroups` find them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structtree.data.readers.opening import Opened
from structtree.data.readers.options import SelectionOptions, reading_options
from structtree.errors import DataError, UsageError, option_text
from structtree.interrupts import stoppable
from structtree.lang.grammar import Grammar
from structtree.models.applying import Call
from structtree.options import keywords_of, options_of
from structtree.remarks import Remark, StructtreeWarning
from structtree.rules.patterns import Pattern, Patterns, PatternSearch, prepare_patterns
from structtree.rules.settings import PatternOptions, SubgroupOptions
from structtree.rules.subgroups import Subgroups, find_subgroups, task_of_measure
from structtree.search.clock import Clock
from structtree.session.reading import Source, grammar_for, read_source
from structtree.session.time import reading_time, time_for_learning
from structtree.session.training import (
    TrainingData,
    read_training_data,
    require_individual,
    settle_training_data,
)
from structtree.tasks.task import Task

__all__ = ["PatternData", "pattern_search", "patterns", "read_pattern_data", "subgroups", "subgroups_of"]


def subgroups(
    individuals: Any,
    target: ArrayLike | str | None = None,
    grammar: str | Path | Grammar | None = None,
    *,
    task: str | Task | None = None,
    functions: Mapping[str, Call] | None = None,
    target_name: str | None = None,
    **options: Any,
) -> Subgroups:
    """Find subgroups of individuals that differ most from all individuals.

    Parameters
    ----------
    individuals : str, Path, Opened, Population, DataFrame, array, or sequence of dicts, graphs, SMILES or molecules
        A string or path is a source, as for `structtree.open_data`.
    target : str or array
        For a source, the name of an attribute; otherwise a class or number for each individual.
    grammar : str, Path or Grammar, optional
        By default `structtree.default_grammar`; in any case with up to ``literals`` literals.
    task : str or Task, optional
        By default it is inferred from the target.
    functions : mapping from name to function, optional
        Implementation of each ``function`` of the grammar.
    target_name : str, optional
        Name of the target; not for a source.
    **options
        Those of `structtree.rules.settings.SubgroupOptions`; for a source, also those of `structtree.open_data`.

    Examples
    --------
    >>> found = subgroups("trains", top=2, held_out=0, label="west")
    >>> [str(each) for each in found]
    ['exists cars (shape = u_shaped)', 'exists cars (long)']
    """
    finding, rest = _sorted_options(options, SubgroupOptions)
    if not isinstance(individuals, str | Path | Opened):
        _refuse("subgroups", rest, ())
        return find_subgroups(
            individuals,
            _labels(target),
            grammar,
            task=task,
            functions=functions,
            target_name=target_name,
            **finding,
        )
    source, opened = _source("subgroups", individuals, target, grammar, target_name, rest)
    known = task or task_of_measure(finding.get("measure"))
    with stoppable() as stop:
        clock = Clock(finding.get("time_limit"), stop)
        with reading_time(clock):
            training = (
                read_training_data(source, known) if opened is None else settle_training_data(source, opened, known)
            )
        _warn(training.remarks)
        return subgroups_of(training, finding, clock, functions)


def subgroups_of(
    training: TrainingData,
    options: Mapping[str, Any],
    clock: Clock,
    functions: Mapping[str, Call] | None = None,
) -> Subgroups:
    """Find subgroups of data that was read; see `subgroups`."""
    data = training.data
    row = options.get("containing")
    if row is not None:
        options = {**options, "containing": _position(data, row)}
    return find_subgroups(
        data.population,
        training.labels,
        grammar_for(data, training.source.grammar),
        task=training.task,
        functions=functions,
        target_name=data.target_name,
        clock=time_for_learning(clock).clock,
        **options,
    )


def _position(data: Opened, row: int) -> int:
    """Return the position of the individual with a row number in the source."""
    if row in data.provenance.left_out:
        raise DataError(f"row {row} was skipped: {data.provenance.left_out[row]}", source=data.source or None)
    found = np.flatnonzero(data.rows == row)
    if not len(found):
        n = data.provenance.n_records
        raise UsageError(f"{option_text('containing')} must be from 0 to {n - 1}, a row number; got {row}")
    return int(found[0])


# ---- patterns -------------------------------------------------------------------------------------------------


def patterns(
    individuals: Any,
    target: ArrayLike | str | None = None,
    grammar: str | Path | Grammar | None = None,
    *,
    functions: Mapping[str, Call] | None = None,
    target_name: str | None = None,
    report: Callable[[Pattern], None] | None = None,
    **options: Any,
) -> Patterns:
    """Find the predicates that enough individuals satisfy, association rules, or contrasts between classes.

    Parameters
    ----------
    individuals : str, Path, Opened, Population, DataFrame, array, or sequence of dicts, graphs, SMILES or molecules
        A string or path is a source, as for `structtree.open_data`.
    target : str or array, optional
        For a source, the name of an attribute, which patterns do not test; otherwise a class for each individual.
    grammar : str, Path or Grammar, optional
        By default `structtree.default_grammar` with up to three literals, without negated tests.
    functions : mapping from name to function, optional
        Implementation of each ``function`` of the grammar.
    target_name : str, optional
        Name of the target; not for a source.
    report : function, optional
        Called with each `Pattern` as soon as it is found, unless the options need all patterns first.
    **options
        Those of `structtree.rules.settings.PatternOptions`; for a source, also those of `structtree.open_data`.

    Examples
    --------
    >>> found = patterns("lenses", support=0.2, maximal=True)
    >>> [str(each) for each in found][-2:], found.n_frequent
    (['astigmatic = yes and tear_rate = normal', 'astigmatic = yes and tear_rate = reduced'], 21)
    """
    finding, rest = _sorted_options(options, PatternOptions)
    with stoppable() as stop:
        clock = Clock(finding.get("time_limit"), stop)
        if not isinstance(individuals, str | Path | Opened):
            _refuse("patterns", rest, ())
            if isinstance(target, str):
                raise UsageError("target must be an array with a class for each individual")
            named: dict[str, Any] = {"target": target, "functions": functions, "target_name": target_name}
            return prepare_patterns(individuals, grammar, clock=clock, **named, **finding).run(report)
        source, opened = _source("patterns", individuals, target, grammar, target_name, rest)
        with reading_time(clock):
            data = read_pattern_data(source, opened, contrast=finding.get("contrast", False))
        _warn(data.remarks)
        return pattern_search(data, finding, time_for_learning(clock).clock, functions).run(report)


@dataclass(frozen=True, slots=True, eq=False)
class PatternData:
    """Data to find patterns in: individuals, with labels only for contrasts, and remarks.

    Parameters
    ----------
    source : Source
    data : Opened
    labels : array, optional
    remarks : tuple of Remark
    """

    source: Source
    data: Opened
    labels: NDArray[Any] | None
    remarks: tuple[Remark, ...]


def read_pattern_data(source: Source, opened: Opened | None = None, *, contrast: bool = False) -> PatternData:
    """Read data to find patterns in; a target is needed only for contrasts."""
    if contrast:
        training = read_training_data(source) if opened is None else settle_training_data(source, opened)
        return PatternData(training.source, training.data, training.labels, training.remarks)
    source = source.with_declared_facts()
    data, remarks = (opened, ()) if opened is not None else read_source(source, unlabelled="leave out")
    require_individual(source, data)
    return PatternData(source, data, None, remarks)


def pattern_search(
    read: PatternData,
    options: Mapping[str, Any],
    clock: Clock,
    functions: Mapping[str, Call] | None = None,
) -> PatternSearch:
    """Return a search for patterns in data that was read; see `patterns`."""
    data = read.data
    return prepare_patterns(
        data.population,
        grammar_for(data, read.source.grammar),
        clock=clock,
        target=read.labels,
        functions=functions,
        target_name=data.target_name,
        own_limits=read.source.grammar is not None,
        **options,
    )


# ---- arguments ------------------------------------------------------------------------------------------------


def _sorted_options(options: Mapping[str, Any], kind: type) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options of one kind, and the others."""
    names = {each.name for each in options_of(kind)}
    mine = {name: value for name, value in options.items() if name in names}
    return mine, {name: value for name, value in options.items() if name not in names}


def _source(
    what: str,
    individuals: str | Path | Opened,
    target: ArrayLike | str | None,
    grammar: str | Path | Grammar | None,
    target_name: str | None,
    options: Mapping[str, Any],
) -> tuple[Source, Opened | None]:
    """Return a source of data, and the data if it is open already."""
    _refuse(what, options, (*reading_options(), *keywords_of(SelectionOptions)))
    if target_name is not None or not isinstance(target, str | None):
        raise UsageError("the target of a source is the name of an attribute; pass target='name'")
    if isinstance(individuals, Opened):
        return Source(individuals.source or individuals.name, target, grammar, options), individuals
    return Source(individuals, target, grammar, options), None


def _warn(remarks: Iterable[Remark]) -> None:
    for remark in remarks:
        if remark.kind == "warning":
            warnings.warn(StructtreeWarning(remark.text), stacklevel=3)


def _refuse(what: str, options: Mapping[str, Any], known: tuple[str, ...]) -> None:
    unknown = [name for name in options if name not in known]
    if unknown:
        raise UsageError(f"{what} has no option {unknown[0]!r}")


def _labels(target: ArrayLike | str | None) -> ArrayLike:
    if target is None or isinstance(target, str):
        raise UsageError("target must be an array with a class or a number for each individual")
    return target
