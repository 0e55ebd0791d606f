"""The command that estimates how good such trees are on new individuals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from structtree.cli.common import Json, command, end_stopped, finite, note, print_json, print_table, seconds_text
from structtree.cli.learning import Learning, Source, common_task, learning_parameters, start_clock, time_for_learning
from structtree.cli.progress import fold_bar
from structtree.cli.reading import Reading, grammar_facts, print_grammar
from structtree.errors import UsageError
from structtree.interrupts import stoppable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from structtree.data.opening import Opened
    from structtree.lang.grammar import Grammar
    from structtree.learn.validate import CrossValidation, TTest

__all__ = ["cv_command"]


@dataclass(frozen=True, slots=True)
class Folding:
    """Options of dividing the data, and the time for all of it."""

    folds: Annotated[int, typer.Option("--folds", help="The number of parts that the data is divided into.")] = 10
    repeats: Annotated[int, typer.Option("--repeats", help="How often it is divided, each time anew.")] = 3
    time_limit: Annotated[
        float,
        typer.Option(
            "--time-limit", help="The most seconds, for reading and all fits; each fit gets its share, at most 60."
        ),
    ] = 600.0


@command
def cv_command(
    source: Source,
    folding: Folding,
    learning: Learning,
    reading: Reading,
    compare: Annotated[
        str | None,
        typer.Option("--compare", metavar="NAMES", help="Criteria to compare on the same folds: acc*,entropy,gini"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Estimate by cross-validation how good trees learned from such data are on new individuals.

    The p of a comparison is that of a paired t test against the first criterion, corrected for overlapping folds.
    Ctrl-C keeps the folds that are done; the exit code is then 130.

    Example: structtree cv trains --folds 10 --repeats 3

    Example: structtree cv houses.csv --target price --min-samples-leaf 5

    Example: structtree cv trains --compare "acc*,entropy,gini"
    """
    criteria = _criteria(compare, learning.criterion)
    learning.check()
    with stoppable() as stop:
        clock = start_clock(folding.time_limit, stop)
        data, labels = source.labelled(reading, common_task(criteria))
        grammar = source.grammar_for(data, learning)
        given = replace(folding, time_limit=time_for_learning(clock).seconds or folding.time_limit)
        results, tests = _validated(data, labels, grammar, criteria, learning, given)
        stop.answered = True
    about = {
        "data": source.where,
        "individuals": len(data.population),
        "target": data.target_name,
        "grammar": grammar_facts(grammar),
        "measure": "R²" if labels.dtype.kind == "f" else "accuracy",
        "folds": folding.folds,
        "repeats": folding.repeats,
    }
    if as_json:
        found = [about | _facts(name, result, tests.get(name)) for name, result in results.items()]
        print_json(found if compare is not None else found[0])
    else:
        _print_results(about, results, tests)
        print_grammar(grammar)
    n_done, n = len(next(iter(results.values())).scores), folding.folds * folding.repeats
    if n_done < n:
        note(f"stopped by Ctrl-C: these are the first {n_done} of {n} folds")
    end_stopped(stop)


def _criteria(compare: str | None, criterion: str | None) -> list[str | None]:
    if compare is None:
        return [criterion]
    if criterion is not None:
        raise UsageError("name one criterion with --criterion, or several with --compare, not both")
    names = list(dict.fromkeys(name.strip() for name in compare.split(",") if name.strip()))
    if len(names) < 2:
        raise UsageError(f"--compare takes two criteria or more, as in acc*,entropy,gini; got {compare!r}")
    return list(names)


def _validated(
    data: Opened,
    labels: NDArray[Any],
    grammar: Grammar,
    criteria: list[str | None],
    learning: Learning,
    options: Folding,
) -> tuple[Mapping[str, CrossValidation], Mapping[str, TTest]]:
    """The results by criterion, and for all but the first its test against the first."""
    from structtree.estimators import StructuralTreeClassifier, StructuralTreeRegressor
    from structtree.learn.goals import goal_criterion
    from structtree.learn.validate import compare, cross_validate

    is_number = labels.dtype.kind == "f"
    kind: Any = StructuralTreeRegressor if is_number else StructuralTreeClassifier
    # The time limit is that of all folds; each fit has what is usual, or its share.
    params = learning_parameters(learning, labels)
    params = {name: value for name, value in params.items() if name not in ("criterion", "time_limit")}
    usual = goal_criterion(params["goal"], "numbers" if is_number else "classes").name
    names = [name or usual for name in criteria]
    makers = {name: lambda name=name: kind(grammar, criterion=name, **params) for name in names}
    with fold_bar() as progress:
        given: Any = {"folds": options.folds, "repeats": options.repeats, "seed": learning.seed}
        given |= {"time_limit": options.time_limit, "progress": progress}
        if len(names) == 1:
            return {names[0]: cross_validate(makers[names[0]], data.population, labels, **given)}, {}
        found = compare(makers, data.population, labels, **given)
        return found.results, found.tests


def _facts(name: str, found: CrossValidation, test: TTest | None) -> dict[str, Any]:
    keys = ("mean", "sd", "leaves_mean", "evaluated", "unproved", "seconds")
    facts: dict[str, Any] = {"criterion": name, **{key: getattr(found, key) for key in keys}}
    facts["scores"] = found.scores.tolist()
    return facts if test is None else facts | {"difference": test.difference, "t": finite(test.t), "p": test.p}


def _print_results(
    about: Mapping[str, Any], results: Mapping[str, CrossValidation], tests: Mapping[str, TTest]
) -> None:
    times = f", {about['repeats']} times" if about["repeats"] > 1 else ""
    typer.echo(f"{about['target']} of {about['individuals']:,} individuals, {about['folds']} folds{times}\n")
    heads = ["criterion", about["measure"], "sd", "leaves", "predicates", "seconds"]
    heads += ["difference", "p"] if tests else []
    print_table("", heads, [_row(name, found, tests) for name, found in results.items()])
    unproved = {name: found.unproved for name, found in results.items() if found.unproved}
    if unproved:
        counts = ", ".join(f"{name} {n:,}" for name, n in unproved.items())
        typer.echo(f"\ntests of all trees that are not proved best: {counts}")


def _row(name: str, found: CrossValidation, tests: Mapping[str, TTest]) -> list[str]:
    row = [name, f"{found.mean:.3f}", f"{found.sd:.3f}", f"{found.leaves_mean:.1f}", f"{found.evaluated:,}"]
    row.append(seconds_text(found.seconds))
    if not tests:
        return row
    test = tests.get(name)
    return [*row, "", ""] if test is None else [*row, f"{test.difference:+.3f}", f"{test.p:.3f}"]
