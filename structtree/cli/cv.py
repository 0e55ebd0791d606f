"""The command that estimates by cross-validation how good trees are on new individuals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from structtree.cli.common import Json, command, end_stopped, finite, note, print_json, say, seconds_text
from structtree.cli.learning import (
    Learning,
    Source,
    common_task,
    start_clock,
    time_for_learning,
    time_for_reading,
)
from structtree.cli.progress import compiled_note, fold_bar
from structtree.cli.reading import Reading, grammar_facts, print_grammar
from structtree.cli.scoring import Divided, FoldsOption, MetricOption, Metrics, estimator_maker, fold_facts, folds_for
from structtree.errors import UsageError
from structtree.interrupts import stoppable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from structtree.evaluation.score import Scores
    from structtree.evaluation.validate import CrossValidation, TTest
    from structtree.lang.grammar import Grammar

__all__ = ["cv_command"]


@dataclass(frozen=True, slots=True)
class Folding:
    """Options of dividing the data, and the time for all of it."""

    folds: FoldsOption = "10"
    repeats: Annotated[
        int | None,
        typer.Option(
            "--repeats",
            help="How often the data is divided into folds anew.",
            show_default="3; 1 unless folds are random",
        ),
    ] = None
    time_limit: Annotated[
        float,
        typer.Option(
            "--time-limit",
            help="The time limit in seconds for reading and all fits; each fit gets a share, at most 60 s.",
        ),
    ] = 600.0


@command
def cv_command(
    source: Source,
    folding: Folding,
    learning: Learning,
    reading: Reading,
    metric: MetricOption = None,
    compare: Annotated[
        str | None,
        typer.Option("--compare", metavar="NAMES", help="Criteria to compare on the same folds: acc*,entropy,gini"),
    ] = None,
    as_json: Json = False,
) -> None:
    """Estimate by cross-validation how good trees learned from such data are on new individuals.

    The p-value of a comparison is that of a paired t test with the first criterion, corrected for overlapping folds.
    Ctrl-C keeps the folds that are done; the exit code is then 130.

    Example: structtree cv trains --folds 10 --repeats 3

    Example: structtree cv houses.csv --target price --min-samples-leaf 5

    Example: structtree cv trains --compare "acc*,entropy,gini"

    Example: structtree cv compounds.csv --target active --folds scaffold --metric roc_auc,average_precision
    """
    criteria, metrics = _criteria(compare, learning.criterion), Metrics.parse(metric)
    learning.check()
    with stoppable() as stop, compiled_note():
        clock = start_clock(folding.time_limit, stop)
        with time_for_reading(clock):
            data, labels = source.labelled(reading, common_task(criteria))
        metrics.check("numbers" if labels.dtype.kind == "f" else "classes")
        divided = folds_for(data, folding.folds)
        grammar = source.grammar_for(divided.data, learning)
        seconds = time_for_learning(clock).seconds or folding.time_limit
        results = _validated(divided, labels, grammar, criteria, learning, folding.repeats, seconds)
        stop.handled = True
    found = [_Result(name, result, result.evaluate(metrics.names)) for name, result in results.items()]
    tests = _tests(found)
    done = found[0].validation
    if as_json:
        about = {
            "data": source.shown,
            "individuals": len(data.population),
            "target": data.target_name,
            "grammar": grammar_facts(grammar, divided.data),
            "measure": "R²" if labels.dtype.kind == "f" else "accuracy",
            **fold_facts(divided),
            "repeats": _n_repeats(divided, folding.repeats),
        }
        facts = [about | _facts(one, tests.get(one.name)) for one in found]
        print_json(facts if compare is not None else facts[0])
    else:
        times = _n_repeats(divided, folding.repeats)
        how = f"{divided.n_folds} folds" + (f" by {divided.by}" if divided.by else "")
        how += f", {times} times" if times > 1 else ""
        say(f"{data.target_name} of {len(data.population):,} individuals, {how}\n")
        for line in _result_lines(found, tests, metrics):
            say(line)
        if divided.remark is not None:
            say(f"Folds: {divided.remark}")
        print_grammar(grammar, divided.data)
    n_done, n = len(done.scores), divided.n_folds * _n_repeats(divided, folding.repeats)
    if n_done < n:
        why = "stopped by Ctrl-C" if stop.pressed else f"the time limit of {folding.time_limit:g} s was reached"
        note(f"{why}: these are the first {n_done} of {n} folds")
    end_stopped(stop)


@dataclass(frozen=True, slots=True, eq=False)
class _Result:
    """The cross-validation of a criterion, and its scores."""

    name: str
    validation: CrossValidation
    scores: Scores


def _n_repeats(divided: Divided, given: int | None) -> int:
    from structtree.evaluation.validate import USUAL_REPEATS

    if given is not None:
        return given
    return USUAL_REPEATS if divided.by is None else 1


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
    divided: Divided,
    labels: NDArray[Any],
    grammar: Grammar,
    criteria: list[str | None],
    learning: Learning,
    repeats: int | None,
    time_limit: float,
) -> Mapping[str, CrossValidation]:
    """The results by criterion."""
    from structtree.evaluation.validate import compare, cross_validate
    from structtree.learn.goals import goal_criterion

    usual = goal_criterion(learning.for_, "numbers" if labels.dtype.kind == "f" else "classes").name
    makers = {name or usual: estimator_maker(grammar, labels, learning, name) for name in criteria}
    with fold_bar() as progress:
        given: Any = {"folds": divided.folds, "repeats": repeats, "seed": learning.seed}
        given |= {"time_limit": time_limit, "progress": progress}
        if len(makers) == 1:
            ((name, maker),) = makers.items()
            return {name: cross_validate(maker, divided.data.population, labels, **given)}
        return compare(makers, divided.data.population, labels, **given).results


def _tests(found: list[_Result]) -> dict[str, TTest]:
    """Each criterion after the first against the first, by the first metric, on the folds where both have a value."""
    import numpy as np

    from structtree.evaluation.validate import corrected_t_test

    main = next(iter(found[0].scores.values), None)
    by_fold = {
        one.name: np.array([fold[main] for fold in one.validation.scores_by_fold([main])]) for one in found if main
    }
    tests = {}
    for one in found[1:] if main else []:
        pairs = np.stack([by_fold[one.name], by_fold[found[0].name]])
        pairs = pairs[:, np.isfinite(pairs).all(axis=0)]
        if pairs.shape[1] > 1:
            tests[one.name] = corrected_t_test(pairs[0], pairs[1], one.validation.test_ratio)
    return tests


def _facts(found: _Result, test: TTest | None) -> dict[str, Any]:
    keys = ("mean", "sd", "leaves_mean", "evaluated", "unproved", "seconds")
    facts: dict[str, Any] = {"criterion": found.name, **{key: getattr(found.validation, key) for key in keys}}
    facts |= {"scores": found.validation.scores.tolist()} | found.scores.to_dict()
    return facts if test is None else facts | {"difference": test.difference, "t": finite(test.t), "p": test.p}


def _result_lines(found: list[_Result], tests: Mapping[str, TTest], metrics: Metrics) -> Iterator[str]:
    """The scores and what they took, criterion by criterion, then confusions and caveats."""
    from structtree.report.caveats import caveat_lines
    from structtree.report.scores import confusion_lines, score_lines

    results = [one.validation for one in found]
    more = {
        "leaves": [f"{one.leaves_mean:.1f}" for one in results],
        "predicates": [f"{one.evaluated:,}" for one in results],
        "seconds": [seconds_text(one.seconds) for one in results],
    }
    if tests:
        shown = [tests.get(one.name) for one in found]
        more["difference"] = ["" if test is None else f"{test.difference:+.3f}" for test in shown]
        more["p"] = ["" if test is None else f"{test.p:.3f}" for test in shown]
    yield from score_lines({one.name: one.scores for one in found}, more)
    for one in found if metrics.with_confusion else []:
        if one.scores.confusion is not None:
            yield f"\nConfusion, all folds together{f' ({one.name})' if len(found) > 1 else ''}"
            yield from confusion_lines(one.scores.confusion)
    yield ""
    for one in found:
        n_tests = int(one.validation.leaves.sum()) - len(one.validation.leaves)
        yield from caveat_lines(one.validation.caveats, n_tests, one.name, "the trees are")
