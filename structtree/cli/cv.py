"""Command that estimates scores on new individuals by cross-validation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from structtree.cli.common import (
    Json,
    command,
    end_stopped,
    finite,
    note,
    print_json,
    print_remarks,
    say,
    seconds_text,
)
from structtree.cli.learning import Learning, SourceOptions, common_task, learning_parameters, start_clock
from structtree.cli.progress import compiled_note, live_status
from structtree.cli.reading import Reading, grammar_facts, print_grammar, read_to_learn
from structtree.cli.scoring import Divided, FoldsOption, MetricOption, Metrics, fold_facts, folds_for
from structtree.errors import UsageError
from structtree.interrupts import stoppable
from structtree.models.settings import IN_ENSEMBLES

if TYPE_CHECKING:
    from structtree.evaluation.score import Scores
    from structtree.evaluation.validate import CrossValidation, McNemarTest, TTest
    from structtree.lang.grammar import Grammar
    from structtree.session.training import TrainingData

__all__ = ["cv_command"]


@dataclass(frozen=True, slots=True)
class Folding:
    """Options for the folds and the total time limit."""

    folds: FoldsOption = "10"
    repeats: Annotated[
        int | None,
        typer.Option(
            "--repeats",
            help="Number of times to repeat cross-validation with new folds.",
            show_default="3 for random folds, otherwise 1",
        ),
    ] = None
    time_limit: Annotated[
        float,
        typer.Option(
            "--time-limit",
            help="Time limit in seconds for reading and all fits; each fit gets a share of at most 60 s.",
        ),
    ] = 600.0


@command
def cv_command(
    source: SourceOptions,
    folding: Folding,
    learning: Learning,
    reading: Reading,
    metric: MetricOption = None,
    compare: Annotated[
        str | None,
        typer.Option("--compare", metavar="NAMES", help="Criteria to compare on the same folds: acc*,entropy,gini."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Estimate the scores on new individuals by cross-validation.

    With --compare, each criterion is compared with the first one by a paired t test, corrected for overlapping folds,
    and classifiers also by McNemar's test of the first held-out prediction of each individual.
    Ctrl-C keeps the completed folds; the exit code is then 130.

    Example: structtree cv trains --folds 10 --repeats 3

    Example: structtree cv houses.csv --target price --min-samples-leaf 5

    Example: structtree cv trains --compare "acc*,entropy,gini"

    Example: structtree cv compounds.csv --target active --folds scaffold --metric roc_auc,average_precision
    """
    from structtree.evaluation.score import main_metric
    from structtree.session.fitting import is_for_tables
    from structtree.session.reading import grammar_for
    from structtree.session.time import reading_time, time_for_learning

    criteria, metrics = _criteria(compare, learning.criterion), Metrics.parse(metric)
    learning.check()
    with stoppable() as stop, compiled_note():
        clock = start_clock(folding.time_limit, stop)
        with reading_time(clock):
            training = read_to_learn(source.source(reading), common_task(criteria, learning.loss))
        data = training.data
        metrics.check(training.task)
        divided = folds_for(data, folding.folds)
        options = learning_parameters(learning, training)
        kinds = {"one_at_a_time": is_for_tables(options), "for_forest": options["model"] in IN_ENSEMBLES}
        grammar = grammar_for(divided.data, training.source.grammar, **kinds)
        tree_grammar = grammar_for(divided.data, training.source.grammar) if options["distil"] else None
        time, remarks = time_for_learning(clock)
        print_remarks(remarks)
        seconds = time.seconds or folding.time_limit
        results = _validated(divided, training, (grammar, tree_grammar), criteria, options, folding.repeats, seconds)
        stop.handled = True
    found = [_Result(name, result, result.evaluate(metrics.names)) for name, result in results.items()]
    tests, hits = _tests(found), _hits(found)
    done = found[0].validation
    if as_json:
        about = {
            "data": training.source.shown,
            "individuals": len(data.population),
            "target": data.target_name,
            "grammar": grammar_facts(grammar, divided.data),
            "measure": training.task.metrics[main_metric(training.task)].label,
            **fold_facts(divided),
            "repeats": _n_repeats(divided, folding.repeats),
        }
        facts = [about | _facts(one, tests.get(one.name), hits.get(one.name)) for one in found]
        print_json(facts if compare is not None else facts[0])
    else:
        times = _n_repeats(divided, folding.repeats)
        how = f"{divided.n_folds} folds" + (f" by {divided.by}" if divided.by else "")
        how += f", {times} times" if times > 1 else ""
        say(f"{data.target_name} of {len(data.population):,} individuals, {how}\n")
        for line in _result_lines(found, tests, hits, metrics):
            say(line)
        if divided.remark is not None:
            say(f"Folds: {divided.remark}")
        print_grammar(grammar, divided.data)
    n_done, n = len(done.scores), divided.n_folds * _n_repeats(divided, folding.repeats)
    if n_done < n:
        why = "interrupted" if stop.pressed else f"the time limit of {folding.time_limit:g} s was reached"
        note(f"{why}: completed {n_done} of {n} folds")
    end_stopped(stop)


@dataclass(frozen=True, slots=True, eq=False)
class _Result:
    """Cross-validation result of one criterion, with its scores."""

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
        raise UsageError("--criterion and --compare are mutually exclusive")
    names = list(dict.fromkeys(name.strip() for name in compare.split(",") if name.strip()))
    if len(names) < 2:
        raise UsageError(f"--compare takes two or more criteria, as in acc*,entropy,gini; got {compare!r}")
    return list(names)


def _validated(
    divided: Divided,
    training: TrainingData,
    grammars: tuple[Grammar, Grammar | None],
    criteria: list[str | None],
    options: Mapping[str, Any],
    repeats: int | None,
    time_limit: float,
) -> Mapping[str, CrossValidation]:
    """Cross-validate each criterion and return the results by criterion.

    The second grammar is that of a tree which imitates a forest.
    """
    from structtree.evaluation.validate import compare, cross_validate
    from structtree.learn.forest_fit import forest_criterion
    from structtree.learn.goals import goal_criterion
    from structtree.session.fitting import estimator_maker
    from structtree.tasks.gradients import margin_loss

    match options["model"]:
        case "boosting":
            usual = margin_loss(options["loss"], options["quantile"], training.task).name
        case "forest":
            usual = forest_criterion(training.task).name
        case _:
            usual = goal_criterion(options["goal"], training.task).name
    by_criterion = {name: options if name is None else {**options, "criterion": name} for name in criteria}
    grammar, tree_grammar = grammars
    makers = {
        name or usual: estimator_maker(grammar, training.task, own, tree_grammar=tree_grammar)
        for name, own in by_criterion.items()
    }
    with live_status("cross-validation"):
        given: Any = {"folds": divided.folds, "repeats": repeats, "seed": options["random_state"]}
        given |= {"time_limit": time_limit}
        if len(makers) == 1:
            ((name, maker),) = makers.items()
            return {name: cross_validate(maker, divided.data.population, training.labels, **given)}
        return compare(makers, divided.data.population, training.labels, **given).results


def _tests(found: list[_Result]) -> dict[str, TTest]:
    """Test each criterion against the first with a corrected t-test of the first metric."""
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


def _hits(found: list[_Result]) -> dict[str, McNemarTest]:
    """Test each criterion against the first by McNemar's test; empty for numbers."""
    from structtree.evaluation.validate import compare_hits

    base = found[0].validation
    if not base.held_out[0].answers.classes:
        return {}
    return {one.name: compare_hits(one.validation, base) for one in found[1:]}


def _facts(found: _Result, test: TTest | None, hits: McNemarTest | None) -> dict[str, Any]:
    keys = ("mean", "sd", "leaves_mean", "evaluated", "unproved", "seconds")
    facts: dict[str, Any] = {"criterion": found.name, **{key: getattr(found.validation, key) for key in keys}}
    facts |= {"scores": found.validation.scores.tolist()} | found.scores.to_dict()
    if test is not None:
        facts |= {"difference": test.difference, "t": finite(test.t), "p": test.p}
    return facts if hits is None else facts | {"mcnemar": hits._asdict()}


def _result_lines(
    found: list[_Result], tests: Mapping[str, TTest], hits: Mapping[str, McNemarTest], metrics: Metrics
) -> Iterator[str]:
    """Yield the scores and costs by criterion, then the confusion matrices and caveats."""
    from structtree.report.caveats import caveat_lines
    from structtree.report.scores import confusion_lines, score_lines

    results = [one.validation for one in found]
    more = {
        "leaves": [f"{one.leaves_mean:.1f}" for one in results],
        "predicates": [f"{one.evaluated:,}" for one in results],
        "seconds": [seconds_text(one.seconds) for one in results],
    }
    if not any(one.evaluated for one in results):  # forests do not count them
        del more["predicates"]
    if tests:
        shown = [tests.get(one.name) for one in found]
        more["difference"] = ["" if test is None else f"{test.difference:+.3f}" for test in shown]
        more["p"] = ["" if test is None else f"{test.p:.3f}" for test in shown]
    if hits:
        counted = [hits.get(one.name) for one in found]
        more["only one right"] = ["" if test is None else f"{test.only:,} : {test.only_other:,}" for test in counted]
        more["p (McNemar)"] = ["" if test is None else f"{test.p:.3f}" for test in counted]
    yield from score_lines({one.name: one.scores for one in found}, more)
    for one in found if metrics.with_confusion else []:
        if one.scores.confusion is not None:
            yield f"\nConfusion, all folds together{f' ({one.name})' if len(found) > 1 else ''}"
            yield from confusion_lines(one.scores.confusion)
    yield ""
    for one in found:
        n_tests = int(one.validation.leaves.sum()) - len(one.validation.leaves)
        if one.validation.evaluated:
            yield from caveat_lines(one.validation.caveats, n_tests, one.name, "the trees are")
