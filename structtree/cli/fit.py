"""The command that learns a tree, prints it, and saves it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from structtree.cli.common import (
    Json,
    check_writable,
    finite,
    note,
    print_json,
    reporting,
    seconds_text,
    with_options,
)
from structtree.cli.learning import (
    SECONDS,
    Learning,
    Seed,
    class_weight_of,
    decision_of,
    growth_of,
    priors_of,
    pruning_of,
    task_of,
)
from structtree.cli.progress import growing
from structtree.cli.reading import (
    GrammarOption,
    Reading,
    Target,
    Where,
    grammar_facts,
    grammar_for,
    labelled,
    print_grammar,
    to_remember,
)

if TYPE_CHECKING:
    from structtree.data.opening import Opened
    from structtree.lang.grammar import Grammar
    from structtree.learn.model import Model
    from structtree.learn.score import Score
    from structtree.learn.tree import Node

__all__ = ["fit"]

MOST_LEAVES = 50
"""A tree with more leaves is printed in part only."""

SHOWN_DEPTH = 4
"""How deep it is printed then."""


@reporting
@with_options
def fit(
    where: Where,
    learning: Learning,
    reading: Reading,
    target: Target = None,
    grammar: GrammarOption = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="MODEL.json", help="The file to save the model to.")
    ] = None,
    time_limit: Annotated[
        float, typer.Option("--time-limit", help="The most seconds; then the tree is as good as it could be made.")
    ] = SECONDS,
    seed: Seed = 0,
    as_json: Json = False,
) -> None:
    """Learn a tree, print it, and save it.

    Ctrl-C ends the search and keeps the tree so far.

    Example: structtree fit trains -o trains.json

    Example: structtree fit houses.csv --target price --max-depth 4 -o houses.json

    Example: structtree fit compounds.csv --target active --post-prune cost-complexity --cost yes:no=5
    """
    from structtree.learn.fit import fit as learn
    from structtree.learn.model import save_model
    from structtree.learn.score import score
    from structtree.search.kernels.compiling import now

    check_writable(out)
    growth, pruning = growth_of(learning, seed, time_limit), pruning_of(learning)
    data, labels = labelled(where, reading, target, task_of([learning.criterion]))
    asks = grammar_for(data, grammar, one_at_a_time=learning.is_for_tables)
    started = now()
    with growing() as progress:
        model = learn(
            data.population,
            labels,
            asks,
            growth,
            pruning,
            decision_of(learning, labels),
            criterion=learning.criterion,
            class_weight=class_weight_of(learning, labels),
            priors=priors_of(learning, labels),
            target_name=data.target_name,
            progress=progress,
        )
    seconds = now() - started
    if out is not None:
        save_model(replace(model, params={**model.params, "reading": to_remember(where, reading)}), out)
    right = score(model.tree, model.predict(data.population), labels)
    learned = _Learned(where, data, asks, model, right, seconds, out)
    if as_json:
        print_json(learned.to_dict())
    else:
        _print_learned(learned, time_limit)


@dataclass(frozen=True, slots=True, eq=False)
class _Learned:
    """What came of a fit."""

    where: str
    data: Opened
    grammar: Grammar
    model: Model
    right: Score
    seconds: float
    out: Path | None

    @property
    def stopped_by(self) -> str | None:
        """What ended the growth before it was done."""
        return self.model.params["stopped_by"]  # type: ignore[no-any-return]  # params are JSON

    @property
    def unproved(self) -> list[dict[str, Any]]:
        """The nodes at which a better test may have been missed; at a leaf any test."""
        gaps = ((i, node, _gap(node)) for i, node in enumerate(self.model.tree.nodes))
        return [{"node": i, "test": _question(node), "gap": finite(gap)} for i, node, gap in gaps if gap is not None]

    @property
    def evaluated(self) -> int:
        """How many predicates were evaluated for the tests of the tree."""
        from structtree.learn.tree import Leaf

        return sum(node.found.evaluated for node in self.model.tree.nodes if not isinstance(node, Leaf))

    def to_dict(self) -> dict[str, Any]:
        """The numbers, for JSON."""
        tree = self.model.tree
        return {
            "data": self.where,
            "individuals": len(self.data.population),
            "target": self.model.target,
            "task": tree.task,
            "criterion": self.model.params["criterion"],
            "grammar": grammar_facts(self.grammar),
            "leaves": len(tree.leaves),
            "depth": tree.depth,
            "train_score": self.right.value,
            "measure": self.right.measure,
            "evaluated": self.evaluated,
            "unproved": self.unproved,
            "stopped_by": self.stopped_by,
            "seconds": self.seconds,
            "model": None if self.out is None else str(self.out),
        }


def _gap(node: Node) -> float | None:
    """By how much something might be better there; None where it is known that nothing is."""
    from structtree.learn.tree import Leaf

    if isinstance(node, Leaf):
        return node.gap or None
    return None if node.found.proved else node.found.gap


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


def _print_learned(learned: _Learned, time_limit: float) -> None:
    from structtree.report.text import export_text

    model, tree = learned.model, learned.model.tree
    is_large = len(tree.leaves) > MOST_LEAVES
    typer.echo(export_text(tree, model.decision, max_depth=SHOWN_DEPTH if is_large else None))
    typer.echo(f"\n{model.target}, training data: {learned.right}")
    size = f"{_leaves(len(tree.leaves))}, depth {tree.depth}"
    effort = f"{learned.evaluated:,} predicates evaluated in {seconds_text(learned.seconds)} s"
    typer.echo(f"{size}; {effort} by {model.params['criterion']}; {_proof(learned)}")
    print_grammar(learned.grammar)
    if learned.out is not None:
        typer.echo(f"saved {learned.out}; use it with: structtree predict {learned.out} DATA")
    if is_large:
        whole = (
            f"structtree show {learned.out}" if learned.out else "save it with -o MODEL.json and use structtree show"
        )
        note(f"printed to depth {SHOWN_DEPTH}; all of it: {whole}")
        note(
            "a smaller tree is easier to read, and often better on new data: --max-leaf-nodes 12, or "
            "--post-prune cost-complexity; structtree cv compares"
        )
    match learned.stopped_by:
        case "interrupt":
            note("stopped by Ctrl-C: this is the tree so far")
        case "time":
            note(f"the time limit of {time_limit:g} s was reached: nodes that were still waiting are leaves")


def _leaves(n: int) -> str:
    return "1 leaf" if n == 1 else f"{n:,} leaves"


def _proof(learned: _Learned) -> str:
    unproved, n = learned.unproved, len(learned.model.tree.branches)
    if not unproved:
        return "every test is proved best" if n else "there is nothing to ask"
    n_tests = sum(node["test"] is not None for node in unproved)
    words = [f"{n_tests} of {n} tests are not proved best"] if n_tests else []
    words += [f"{_leaves(len(unproved) - n_tests)} may miss a test"] if n_tests < len(unproved) else []
    gaps = [node["gap"] for node in unproved if node["gap"] is not None]
    return " and ".join(words) + (f" (gap at most {max(gaps):.3g})" if len(gaps) == len(unproved) else "")
