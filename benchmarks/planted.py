"""Whether the default search finds a planted rule in nested data, in the time it has, beside greedy search.

Run as ``python benchmarks/planted.py`` (about 45 minutes), with ``--quick`` for a look in seconds, or for one setting
as ``--individuals 2000 --seconds 2 10 --rules 5`` (that many rules of each length). ``--against DIR`` runs another
checkout of structtree on the same data, in a process of its own, and prints both. Every rule has a random schema and
population of its own; see `planting.py`. README.md tells what is measured and what was seen.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
from greedy import add_greedily
from measuring import CutOff, timed_after_compiling
from numpy.typing import NDArray
from planting import MOST_LITERALS, Case, Problem, cases, default_grammar, problem_of

import structtree
from structtree import Branch, Growth, Space, fit, holds, pretty
from structtree.lang import syntax as syn

LENGTHS = range(1, MOST_LITERALS + 1)
LOOKAHEAD = 2
WARM_UP_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Stage:
    """A size of populations, the time limits to try on them, and how many rules of each length."""

    individuals: int
    limits: tuple[float, ...]
    n_each: int


STAGES = (Stage(400, (2.0,), 5), Stage(2000, (2.0, 10.0), 10), Stage(20_000, (60.0,), 3))
QUICK_STAGES = (Stage(400, (1.0,), 1),)


@dataclass(frozen=True, slots=True)
class Job:
    """A case, and the time limits to search it with."""

    case: Case
    limits: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one method made of one case.

    Parameters
    ----------
    method : str
    individuals, literals : int
        Of the case.
    limit : float
    rule, found : str
    planted, score : float
        The training accuracy of the planted rule, and of what was found.
    seconds : float
        After compiling.
    evaluated : int
        Predicates; 0 where nobody counts them.
    proved : bool
    gap : float or None
        How much better something unseen might be, as far as the search knows.
    """

    method: str
    individuals: int
    literals: int
    limit: float
    rule: str
    found: str
    planted: float
    score: float
    seconds: float
    evaluated: int = 0
    proved: bool = False
    gap: float | None = None

    @property
    def is_good(self) -> bool:
        """Whether it is at least as good as the planted rule."""
        return self.score >= self.planted - 1e-9

    @property
    def is_in_time(self) -> bool:
        """Whether the limit was kept, to 10 % or one second."""
        return self.seconds <= max(1.1 * self.limit, self.limit + 1.0)


def main() -> None:
    arguments = parsed()
    print(f"structtree of {Path(structtree.__file__).parent.parent}", flush=True)
    jobs = jobs_of_file(arguments.cases) if arguments.cases else jobs_of(stages_of(arguments), arguments.seed)
    outcomes = run(jobs, methods_of(arguments))
    if arguments.against:
        outcomes += run_against(arguments.against, jobs)
    if arguments.dump:
        arguments.dump.write_text(json.dumps([asdict(outcome) for outcome in outcomes]))
    if not arguments.cases:
        print_tables(outcomes)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--quick", action="store_true", help="one small rule of each length: whether it runs")
    parser.add_argument("--individuals", type=int, help="only populations of this size")
    parser.add_argument("--seconds", type=float, nargs="+", help="the time limits for them; default 2 and 10")
    parser.add_argument("--rules", type=int, help="how many rules of each length")
    parser.add_argument("--seed", type=int, default=0, help="another seed, other rules")
    parser.add_argument("--no-greedy", action="store_true", help="the default search alone")
    parser.add_argument("--against", type=Path, metavar="DIR", help="another checkout to run on the same data")
    parser.add_argument("--dump", type=Path, metavar="FILE", help="write all outcomes as JSON")
    parser.add_argument(
        "--cases", type=Path, metavar="FILE", help="take the rules from this file, print no tables; for --against"
    )
    return parser.parse_args()


def stages_of(arguments: argparse.Namespace) -> tuple[Stage, ...]:
    if arguments.individuals:
        limits = tuple(arguments.seconds or (2.0, 10.0))
        return (Stage(arguments.individuals, limits, arguments.rules or 5),)
    stages = QUICK_STAGES if arguments.quick else STAGES
    return tuple(Stage(s.individuals, s.limits, arguments.rules or s.n_each) for s in stages)


def jobs_of(stages: Iterable[Stage], seed: int) -> list[Job]:
    return [Job(case, s.limits) for s in stages for case in cases(s.individuals, LENGTHS, s.n_each, seed)]


def jobs_of_file(path: Path) -> list[Job]:
    jobs = json.loads(path.read_text())
    return [Job(Case(**{**job["case"], "seed": tuple(job["case"]["seed"])}), tuple(job["limits"])) for job in jobs]


def run_against(checkout: Path, jobs: Sequence[Job]) -> list[Outcome]:
    """The outcomes of another checkout, its methods called after it."""
    with tempfile.TemporaryDirectory() as folder:
        given, made = Path(folder) / "cases.json", Path(folder) / "outcomes.json"
        given.write_text(json.dumps([asdict(job) for job in jobs]))
        command = [sys.executable, __file__, "--cases", str(given), "--dump", str(made), "--no-greedy"]
        subprocess.run(command, env={**os.environ, "PYTHONPATH": str(checkout.resolve())}, check=True)
        return [Outcome(**{**one, "method": checkout.resolve().name}) for one in json.loads(made.read_text())]


# ---- running ---------------------------------------------------------------------------------------------

Method = Callable[[Problem, Case, float], Outcome]


def methods_of(arguments: argparse.Namespace) -> tuple[Method, ...]:
    return (searched,) if arguments.no_greedy else (searched, one_literal_at_a_time, one_test_at_a_time)


def run(jobs: Sequence[Job], methods: Sequence[Method]) -> list[Outcome]:
    warm_up()
    outcomes: list[Outcome] = []
    for job in jobs:
        problem = problem_of(job.case)
        for method in methods:
            for limit in job.limits:
                outcomes.append(method(problem, job.case, limit))
                print_line(outcomes[-1])
    return outcomes


def warm_up() -> None:
    """Have everything compiled that the searches need."""
    for case in cases(400, LENGTHS, 1, seed=1):
        searched(problem_of(case), case, WARM_UP_SECONDS)


def searched(problem: Problem, case: Case, limit: float) -> Outcome:
    """What the command `fit` does when nothing is said about how."""
    growth, longest = Growth(max_depth=1, time_limit=limit), most_seconds(limit)
    try:
        made = timed_after_compiling(lambda: fit(problem.population, problem.labels, growth=growth), longest)
    except CutOff:
        return outcome("search", problem, case, limit, None, longest)
    root = made.result.tree.nodes[0]
    if not isinstance(root, Branch):
        return outcome("search", problem, case, limit, None, made.seconds)
    found = root.found
    gap = found.gap if isfinite(found.gap) else None
    plain = outcome("search", problem, case, limit, root.test, made.seconds)
    return replace(plain, evaluated=found.evaluated, proved=found.proved, gap=gap)


def most_seconds(limit: float) -> float:
    """When a search that does not end is cut off, as having found nothing."""
    return 3.0 * limit + 5.0


def one_literal_at_a_time(problem: Problem, case: Case, limit: float) -> Outcome:
    return added("FOIL's way", problem, case, limit, lookahead=0)


def one_test_at_a_time(problem: Problem, case: Case, limit: float) -> Outcome:
    return added("with lookahead", problem, case, limit, lookahead=LOOKAHEAD)


def added(name: str, problem: Problem, case: Case, limit: float, lookahead: int) -> Outcome:
    started = time.perf_counter()
    space = Space.build(default_grammar(problem.population), problem.population)
    found = add_greedily(space, problem.population, problem.labels, limit, lookahead)
    return outcome(name, problem, case, limit, found, time.perf_counter() - started)


def outcome(
    method: str, problem: Problem, case: Case, limit: float, test: syn.Predicate | None, seconds: float
) -> Outcome:
    planted = accuracy(holds(problem.rule, problem.population), problem.labels)
    nobody = np.zeros(len(problem.labels), dtype=np.bool_)
    score = accuracy(nobody if test is None else holds(test, problem.population), problem.labels)
    text = "nothing" if test is None else pretty(test)
    return Outcome(method, case.individuals, case.literals, limit, case.rule, text, planted, score, seconds)


def accuracy(answers: NDArray[np.bool_], labels: NDArray[np.bool_]) -> float:
    """The share that is right when each side of a split says its most frequent class."""
    sides = (labels[answers], labels[~answers])
    return float(sum(max(side.sum(), (~side).sum()) for side in sides) / len(labels))


# ---- tables ----------------------------------------------------------------------------------------------


def print_line(made: Outcome) -> None:
    good = "found" if made.is_good else "missed"
    effort = f"{made.evaluated:>13,}" if made.evaluated else f"{'':>13}"
    print(
        f"{made.individuals:>6} {made.limit:>4g} s  {made.method:<14} {made.literals} lit.  {good:<6} "
        f"{made.score:.3f} of {made.planted:.3f} {made.seconds:7.2f} s {effort}  {made.rule}  |  {made.found}",
        flush=True,
    )


def print_tables(outcomes: Sequence[Outcome]) -> None:
    for individuals, limit in dict.fromkeys((o.individuals, o.limit) for o in outcomes):
        chosen = [o for o in outcomes if (o.individuals, o.limit) == (individuals, limit)]
        print(f"\n== {individuals:,} individuals, {limit:g} s\n")
        print_shares(chosen)
        print_effort(chosen)


def print_shares(outcomes: Sequence[Outcome]) -> None:
    """By number of literals, how many rules are found in time; found but late is in brackets."""
    groups = [(str(n), range(n, n + 1)) for n in LENGTHS] + [("1 to 5", range(1, 6)), ("all", LENGTHS)]
    methods = list(dict.fromkeys(o.method for o in outcomes))
    print(f"{'literals':<9}" + "".join(f"{method:>18}" for method in methods))
    for name, lengths in groups:
        cells = [share([o for o in outcomes if o.method == method and o.literals in lengths]) for method in methods]
        print(f"{name:<9}" + "".join(f"{cell:>18}" for cell in cells))


def share(outcomes: Sequence[Outcome]) -> str:
    good = [o for o in outcomes if o.is_good]
    in_time = sum(o.is_in_time for o in good)
    late = f" (+{len(good) - in_time} late)" if len(good) > in_time else ""
    return f"{in_time}/{len(outcomes)}{late}"


def print_effort(outcomes: Sequence[Outcome]) -> None:
    print(
        f"\n{'method':<16} {'kept':>8} {'median s':>9} {'longest':>8} {'predicates/s':>13} {'proved':>7} {'gap':>7}"
    )
    for method in dict.fromkeys(o.method for o in outcomes):
        print(effort_line(method, [o for o in outcomes if o.method == method]))


def effort_line(method: str, outcomes: Sequence[Outcome]) -> str:
    seconds = [o.seconds for o in outcomes]
    kept = f"{sum(o.is_in_time for o in outcomes)}/{len(outcomes)}"
    line = f"{method:<16} {kept:>8} {np.median(seconds):9.2f} {max(seconds):8.2f}"
    speeds = [o.evaluated / o.seconds for o in outcomes if o.evaluated]
    if not speeds:
        return line
    speed = np.median(speeds)
    return f"{line} {speed:>13,.0f} {sum(o.proved for o in outcomes):>7} {mean_gap(outcomes):>7}"


def mean_gap(outcomes: Sequence[Outcome]) -> str:
    gaps: list[Any] = [o.gap for o in outcomes if o.gap is not None]
    return f"{np.mean(gaps):.3f}" if gaps else ""


if __name__ == "__main__":
    main()
