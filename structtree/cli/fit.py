"""The command that learns a tree, prints it, and saves it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from structtree.cli.common import (
    Json,
    check_output,
    command,
    end_stopped,
    finite,
    is_printed,
    note,
    print_json,
    seconds_text,
    words_aside,
)
from structtree.cli.learning import (
    Learning,
    Source,
    class_weights,
    common_task,
    learning_parameters,
    start_clock,
    time_for_learning,
)
from structtree.cli.progress import growth_bar
from structtree.cli.reading import Reading, grammar_facts, print_grammar, to_remember
from structtree.errors import MissingFileError
from structtree.interrupts import cut_short, stoppable
from structtree.learn.growth import Decision, Growth, Pruning
from structtree.options import build_options

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from structtree.data.opening import Opened
    from structtree.lang.grammar import Grammar
    from structtree.learn.model import Model
    from structtree.learn.score import Score
    from structtree.learn.tree import Node
    from structtree.search.clock import Clock

__all__ = ["fit_command"]

MOST_LEAVES = 50
"""A tree with more leaves is printed in part only."""

SHOWN_DEPTH = 4
"""The depth to which it is printed then."""


@command
def fit_command(
    source: Source,
    learning: Learning,
    reading: Reading,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="MODEL.json", help="The file to save the model to, or -."),
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Say how the tests of the tree were found, and why so.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Learn a tree, print it, and save it.

    The time limit counts reading the data and learning. Ctrl-C ends the search and keeps the tree so far, also in the
    file; the exit code is then 130. A second Ctrl-C stops at once.

    Example: structtree fit trains -o trains.json

    Example: structtree fit houses.csv --target price --max-depth 4 -o houses.json

    Example: structtree fit compounds.csv --target active --post-prune cost-complexity --cost yes:no=5
    """
    check_output(out, as_json=as_json)
    learning.check()
    with stoppable() as stop:
        clock = start_clock(learning.time_limit, stop)
        try:
            data, labels = source.labelled(reading, common_task([learning.criterion]))
        except KeyboardInterrupt:
            raise KeyboardInterrupt("the data was still being read, so nothing is learned yet") from None
        learned = _learn(source, data, labels, learning, clock)
        if verbose and learned.model.params["route"]:
            note(f"how: {learned.model.params['route']}")
        params = {**learned.model.params, "reading": to_remember(source.where, reading)}
        saved, refusal = _saved(replace(learned.model, params=params), out)
        if as_json:
            print_json(learned.to_dict() | {"model": None if saved is None else str(saved)})
        else:
            with words_aside(out):
                _print_learned(learned, saved)
        if refusal is not None:
            raise refusal
        if stop.pressed and learned.stopped_by != "interrupt":
            note("Ctrl-C came when the tree was complete")
        end_stopped(stop)


def _saved(model: Model, out: Path | None) -> tuple[Path | None, MissingFileError | None]:
    """Save a model; return the file, or why it could not be written, which must not lose the tree itself."""
    from structtree.learn.model import save_model

    if out is None:
        return None, None
    try:
        save_model(model, out)
    except MissingFileError as refusal:
        return None, refusal
    return (None if is_printed(out) else out), None


def _learn(source: Source, data: Opened, labels: NDArray[Any], learning: Learning, clock: Clock) -> _Learned:
    """Learn; where Ctrl-C leaves no time for it, a tree of one leaf."""
    from structtree.lang.grammar import Grammar
    from structtree.learn.fit import fit
    from structtree.search.kernels.compiling import now

    given = learning_parameters(learning, labels)
    learn = partial(
        fit,
        data.population,
        labels,
        growth=build_options(Growth, given),
        pruning=build_options(Pruning, given),
        decision=build_options(Decision, given),
        criterion=learning.criterion,
        class_weight=class_weights(given.get("class_weight"), labels),
        priors=given.get("priors"),
        target_name=data.target_name,
    )
    grammar, model, time, started = None, None, clock, now()
    with cut_short(clock.stop):
        grammar = source.grammar_for(data, learning)
        time, started = time_for_learning(clock), now()
        with growth_bar() as progress:
            model = learn(grammar, clock=time, progress=progress)
    clock.stop.answered = True  # what is left to do is short, and has to be done
    grammar = grammar or Grammar.from_schema(data.population.schema)
    model = model or learn(grammar, clock=time)
    return _Learned(source, data, labels, learning, grammar, model, now() - started, started - clock.started)


@dataclass(frozen=True, slots=True, eq=False)
class _Learned:
    """Result of a fit, with the seconds of learning and of reading."""

    source: Source
    data: Opened
    labels: NDArray[Any]
    learning: Learning
    grammar: Grammar
    model: Model
    seconds: float
    reading: float

    @property
    def train_score(self) -> Score:
        """The score on the training data."""
        from structtree.learn.score import score

        return score(self.model.tree, self.model.predict(self.data.population), self.labels)

    @property
    def stopped_by(self) -> str | None:
        """The reason why growth ended early."""
        return self.model.params["stopped_by"]  # type: ignore[no-any-return]  # params are JSON

    @property
    def unproved(self) -> list[dict[str, Any]]:
        """The nodes at which a better test may have been missed; at a leaf any test."""
        nodes = self.model.tree.nodes
        return [
            {"node": d.node, "test": _question(nodes[d.node]), "gap": finite(d.gap), "stopped_by": d.reason}
            for d in self.model.tree.doubts
        ]

    @property
    def evaluated(self) -> int:
        """The number of predicates that were evaluated for the tests of the tree."""
        from structtree.learn.tree import Leaf

        return sum(node.found.evaluated for node in self.model.tree.nodes if not isinstance(node, Leaf))

    def to_dict(self) -> dict[str, Any]:
        """Return the figures, for JSON."""
        tree, score = self.model.tree, self.train_score
        return {
            "data": self.source.where,
            "individuals": len(self.data.population),
            "target": self.model.target,
            "task": tree.task,
            "criterion": self.model.params["criterion"],
            "grammar": grammar_facts(self.grammar),
            "leaves": len(tree.leaves),
            "depth": tree.depth,
            "train_score": score.value,
            "measure": score.measure,
            "evaluated": self.evaluated,
            "unproved": self.unproved,
            "stopped_by": self.stopped_by,
            "seconds": self.seconds,
            "reading_seconds": self.reading,
        }


def _question(node: Node) -> str | None:
    from structtree.lang.pretty import pretty
    from structtree.learn.tree import Branch, Leaf

    match node:
        case Leaf():
            return None
        case Branch(test):
            return pretty(test)
        case _:
            return node.attribute


def _print_learned(learned: _Learned, out: Path | None) -> None:
    from structtree.report.text import export_text

    model, tree = learned.model, learned.model.tree
    is_large = len(tree.leaves) > MOST_LEAVES
    typer.echo(export_text(tree, model.decision, max_depth=SHOWN_DEPTH if is_large else None))
    typer.echo(f"\n{model.target}, training data: {learned.train_score}")
    size = f"{_leaves(len(tree.leaves))}, depth {tree.depth}"
    effort = f"{learned.evaluated:,} predicates evaluated in {seconds_text(learned.seconds)} s"
    typer.echo(f"{size}; {effort} by {model.params['criterion']}; {_proof(learned)}")
    for sentence in _about_proof(learned):
        typer.echo(sentence)
    print_grammar(learned.grammar)
    if out is not None:
        typer.echo(f"saved {out}; use it with: structtree predict {quote(str(out))} DATA")
    if is_large:
        whole = f"structtree show {quote(str(out))}" if out else "save it with -o MODEL.json and use structtree show"
        note(f"printed to depth {SHOWN_DEPTH}; all of it: {whole}")
        note(
            "a smaller tree is easier to read, and often better on new data: --max-leaf-nodes 12, or "
            "--post-prune cost-complexity; structtree cv compares"
        )
    match learned.stopped_by:
        case "interrupt":
            note("stopped by Ctrl-C: this is the tree so far")
        case "time":
            limit = f"{learned.learning.time_limit:g} s"
            note(f"the time limit of {limit} was reached: nodes that were still waiting are leaves")


def _leaves(n: int) -> str:
    return "1 leaf" if n == 1 else f"{n:,} leaves"


def _proof(learned: _Learned) -> str:
    tree, unproved = learned.model.tree, learned.model.tree.doubts
    n = len(tree.branches)
    if not unproved:
        return "every test is proved best" if n else "there is nothing to ask"
    n_tests = sum(bool(tree.nodes[doubt.node].children) for doubt in unproved)
    are = "is" if n_tests == 1 else "are"
    words = [f"{n_tests} of {n} {'test' if n == 1 else 'tests'} {are} not proved best"] if n_tests else []
    words += [f"{_leaves(len(unproved) - n_tests)} may miss a test"] if n_tests < len(unproved) else []
    gap = max(doubt.gap for doubt in unproved)
    return " and ".join(words) + (f" (gap at most {gap:.3g})" if isfinite(gap) else "")


def _about_proof(learned: _Learned) -> Iterator[str]:
    """Why something is not proved, what the gap means, and what to do."""
    from structtree.report.doubts import because

    doubts, criterion = learned.model.tree.doubts, learned.model.params["criterion"]
    if not doubts:
        return
    why = because(doubts)
    gap = max(doubt.gap for doubt in doubts)
    if not isfinite(gap):
        means = "how much better another test might be is not known"
    elif gap > 0:
        means = f"no other test can be better by more than {gap:.3g} ({criterion}, at its node)"
    else:
        means = f"no other test can be better by {criterion}, but one may be as good and win the tie"
    yield f"Not proved because {why}: {means}" if why else means[0].upper() + means[1:]
    reasons = {doubt.reason for doubt in doubts}
    advice = [words for which, words in _ADVICE if reasons & which]
    if advice:
        yield f"To prove more: {', or '.join(advice)}"


_ADVICE: tuple[tuple[frozenset[str | None], str], ...] = (
    (frozenset({"time", "interrupt"}), "a longer --time-limit"),
    (frozenset({"evaluations"}), "a greater --max-evaluations"),
    (frozenset({"beam"}), "--strategy best-first"),
    (frozenset({"sets"}), "--nominal binary"),
    (
        frozenset({"time", "interrupt", "evaluations", "listing"}),
        "a smaller grammar (shorten what structtree grammar derive writes, as by quantiles(10) in place of *)",
    ),
)
"""Reasons why something is not proved, and what helps."""
