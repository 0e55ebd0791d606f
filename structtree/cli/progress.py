"""Progress of long commands: a line or a bar on stderr, if that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import TYPE_CHECKING

from structtree.cli.common import note

if TYPE_CHECKING:
    from structtree.learn.grow import Progress
    from structtree.learn.validate import FoldDone
    from structtree.search.best_split import SearchStats

__all__ = ["compiling_note", "fold_bar", "growth_bar", "reading_bar", "search_bar"]

Show = Callable[[int, int | None, str], None]
"""Shows how many of how many are done, if that is known, with some words."""


@contextmanager
def compiling_note() -> Iterator[None]:
    """Say why nothing happens, if it is because kernels are compiled; once is enough."""
    from structtree.search.kernels.compiling import when_compiling

    with when_compiling(_tell_of_compiling):
        yield


@cache
def _tell_of_compiling() -> None:
    note("note: compiling, which takes some seconds and is needed only once")


@contextmanager
def reading_bar() -> Iterator[None]:
    """A bar that fills while many molecules are read; there is none until that begins."""
    from structtree.data.molecule_reading import telling_of_molecules

    shown: list[Show] = []
    with ExitStack() as stack:

        def tell(done: int, total: int) -> None:
            if not shown and sys.stderr.isatty():
                shown.append(stack.enter_context(_bar("reading")))
            for show in shown:
                show(done, total, f"{done:,} of {total:,} molecules")

        with telling_of_molecules(tell):
            yield


@contextmanager
def search_bar() -> Iterator[Callable[[str, str, SearchStats], None]]:
    """A bar that moves while a search is running, with what it has evaluated."""
    with _bar("searching") as show:

        def tell(criterion: str, doing: str, stats: SearchStats) -> None:
            show(0, None, f"{criterion} {doing}: {stats.evaluated:,} predicates in {stats.seconds:.0f} s")

        yield tell


@contextmanager
def growth_bar() -> Iterator[Callable[[Progress], None]]:
    """A bar that fills as individuals arrive in leaves."""
    with _bar("growing") as show:

        def tell(progress: Progress) -> None:
            words = f"{progress.nodes} nodes, {progress.evaluated:,} predicates"
            show(progress.settled, progress.individuals, words)

        yield tell


@contextmanager
def fold_bar() -> Iterator[Callable[[FoldDone], None]]:
    """A bar that fills as folds are done, with the mean score so far of each estimator."""
    scores: dict[str, list[float]] = {}
    with _bar("cross-validation") as show:

        def tell(fold: FoldDone) -> None:
            scores.setdefault(fold.name or "mean", []).append(fold.score)
            means = (f"{name} {sum(found) / len(found):.3f}" for name, found in scores.items())
            show(fold.done, fold.total, ", ".join(means))

        yield tell


@contextmanager
def _bar(doing: str) -> Iterator[Show]:
    if not sys.stderr.isatty():
        with compiling_note():
            yield lambda done, total, words: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn(doing), BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with (
        Progress(*columns, console=Console(stderr=True, highlight=False), transient=True) as bar,
        compiling_note(),
    ):
        task = bar.add_task("", total=None)
        yield lambda done, total, words: bar.update(task, completed=done, total=total, description=words)
