"""Subgroups of a source of data, as `structtree subgroups` and `structtree.subgroups` find them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from structtree.data.readers.opening import Opened
from structtree.data.readers.options import SelectionOptions, reading_options
from structtree.errors import UsageError
from structtree.interrupts import stoppable
from structtree.lang.grammar import Grammar
from structtree.models.applying import Call
from structtree.options import keywords_of, options_of
from structtree.remarks import StructtreeWarning
from structtree.rules.settings import SubgroupOptions
from structtree.rules.subgroups import Subgroups, find_subgroups, task_of_measure
from structtree.search.clock import Clock
from structtree.session.reading import Source, grammar_for
from structtree.session.time import reading_time, time_for_learning
from structtree.session.training import TrainingData, read_training_data, settle_training_data
from structtree.tasks.task import Task

__all__ = ["subgroups", "subgroups_of"]


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
    names = {each.name for each in options_of(SubgroupOptions)}
    finding = {name: value for name, value in options.items() if name in names}
    rest = {name: value for name, value in options.items() if name not in names}
    if not isinstance(individuals, str | Path | Opened):
        _refuse(rest, ())
        return find_subgroups(
            individuals,
            _labels(target),
            grammar,
            task=task,
            functions=functions,
            target_name=target_name,
            **finding,
        )
    _refuse(rest, (*reading_options(), *keywords_of(SelectionOptions)))
    if target_name is not None or not isinstance(target, str | None):
        raise UsageError("the target of a source is the name of an attribute; pass target='name'")
    opened = individuals if isinstance(individuals, Opened) else None
    where = individuals if not isinstance(individuals, Opened) else individuals.source or individuals.name
    source, known = Source(where, target, grammar, rest), task or task_of_measure(finding.get("measure"))
    with stoppable() as stop:
        clock = Clock(finding.get("time_limit"), stop)
        with reading_time(clock):
            training = (
                read_training_data(source, known) if opened is None else settle_training_data(source, opened, known)
            )
        for remark in training.remarks:
            if remark.kind == "warning":
                warnings.warn(StructtreeWarning(remark.text), stacklevel=2)
        return subgroups_of(training, finding, clock, functions)


def subgroups_of(
    training: TrainingData,
    options: Mapping[str, Any],
    clock: Clock,
    functions: Mapping[str, Call] | None = None,
) -> Subgroups:
    """Find subgroups of data that was read; see `subgroups`."""
    data = training.data
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


def _labels(target: ArrayLike | str | None) -> ArrayLike:
    if target is None or isinstance(target, str):
        raise UsageError("target must be an array with a class or a number for each individual")
    return target


def _refuse(options: Mapping[str, Any], known: tuple[str, ...]) -> None:
    unknown = [name for name in options if name not in known]
    if unknown:
        raise UsageError(f"subgroups has no option {unknown[0]!r}")
