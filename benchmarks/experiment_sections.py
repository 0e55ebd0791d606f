"""The sections of ``docs/experiments.md``: what each result file shows, in words, as a table and as a picture.

Every figure in a text is computed from the results, so that a text is right about other results as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from experiment_plots import Panel, Picture, Series
from result_files import Cell, ResultTable

__all__ = ["SECTIONS", "Section", "records"]

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, the result files it is about, and functions of their tables.

    Parameters
    ----------
    heading : str
    names : tuple of str
    text, picture, tables
        What is written about the tables with these names, in this order.
    """

    heading: str
    names: tuple[str, ...]
    text: Callable[..., str]
    picture: Callable[..., Picture]
    tables: Callable[..., tuple[ResultTable, ...]]


def records(table: ResultTable) -> list[Record]:
    """Return each row by column."""
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


# ---- words and tables ------------------------------------------------------------------------------------


def listed(names: Sequence[str]) -> str:
    """Join names with commas and "and"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def share(part: int, whole: int) -> str:
    """Say how many of some."""
    return f"all {whole}" if part == whole else f"{part} of {whole}"


def number(value: float) -> str:
    """Write a number with three digits, or a large one with separators."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def whole(*tables: ResultTable) -> tuple[ResultTable, ...]:
    """Show the tables as they are."""
    return tables


def without(table: ResultTable, *columns: str) -> ResultTable:
    """Return a table without some columns."""
    kept = [i for i, column in enumerate(table.columns) if column not in columns]
    rows = tuple(tuple(row[i] for i in kept) for row in table.rows)
    return replace(table, columns=tuple(table.columns[i] for i in kept), rows=rows)


# ---- the paper -------------------------------------------------------------------------------------------


def search_text(table: ResultTable) -> str:
    rows = records(table)
    compared = [row for row in rows if row["published percent"] is not None]
    lower = [row for row in compared if row["percent"] <= row["published percent"]]
    higher = [f"{row['problem']} ({row['criterion']})" for row in compared if row not in lower]
    ratios = [row["published percent"] / row["percent"] for row in compared]
    text = (
        f"A complete search evaluates no larger share of its space than the paper reports in "
        f"{share(len(lower), len(compared))} rows with a published figure. The published share is "
        f"{number(min(ratios))} to {number(max(ratios))} times as large. "
    )
    if higher:
        text += f"It is larger here for {listed(higher)}. "
    proved = sum(row["proved"] for row in rows)
    others = [row["percent"] for row in rows if row["published percent"] is None]
    return text + (
        f"The result is proved best in {share(proved, len(rows))} searches, among them {len(others)} by criteria for "
        f"which the paper has no bound, where {number(min(others))} to {number(max(others))} % of the space is "
        f"evaluated."
    )


def search_picture(table: ResultTable) -> Picture:
    rows = records(table)
    names = [f"{row['problem']}, {row['criterion']}" for row in rows]
    published = [(row["published percent"], name) for row, name in zip(rows, names, strict=True)]
    known = [(percent, name) for percent, name in published if percent is not None]
    series = (
        Series("structtree", tuple(row["percent"] for row in rows), tuple(names)),
        Series("published", tuple(percent for percent, _ in known), tuple(name for _, name in known)),
    )
    panel = Panel("evaluated, % of the space", "", series, log_x=True)
    return Picture("paper-search", "Share of each space that is evaluated, here and in the paper", (panel,))


def accuracy_text(table: ResultTable) -> str:
    rows = records(table)
    agreeing = sum(row["agrees"] for row in rows)
    lower = [row for row in rows if not row["agrees"]]
    above = sum(row["accuracy"] >= row["published"] for row in rows)
    worst = min(rows, key=lambda row: row["accuracy"] - row["published"])
    pairs = {(row["problem"], row["pruned"]): row["p"] for row in rows}
    text = (
        f"In {share(agreeing, len(rows))} rows the cross-validated accuracy is at most two standard errors below the "
        f"published one; in {above} it is at least as high. "
    )
    if lower:
        text += f"The exceptions are {listed([_row_name(row) for row in lower])}. "
    if worst["accuracy"] < worst["published"]:
        text += (
            f"The one furthest below the paper is that of {_row_name(worst)}: {worst['accuracy']:.3f} here, "
            f"{worst['published']:.3f} published. "
        )
    differing = sum(p < 0.05 for p in pairs.values())
    return text + (
        f"A corrected paired test tells acc* and entropy apart (p < 0.05) in {differing} of {len(pairs)} "
        f"comparisons; the smallest p is {min(pairs.values())}."
    )


def _row_name(row: Record) -> str:
    return f"{row['problem']} by {row['criterion']} {'with' if row['pruned'] else 'without'} pruning"


def accuracy_picture(table: ResultTable) -> Picture:
    panels = []
    for pruned in (False, True):
        rows = [row for row in records(table) if row["pruned"] is pruned]
        series = []
        for criterion in dict.fromkeys(row["criterion"] for row in rows):
            some = [row for row in rows if row["criterion"] == criterion]
            names = tuple(row["problem"] for row in some)
            series.append(Series(f"{criterion}, structtree", tuple(row["accuracy"] for row in some), names))
            series.append(Series(f"{criterion}, published", tuple(row["published"] for row in some), names))
        panels.append(Panel("accuracy", "", tuple(series), title="pruned" if pruned else "not pruned"))
    return Picture("paper-accuracy", "Accuracy on each problem, here and in the paper", tuple(panels))


# ---- bounds ----------------------------------------------------------------------------------------------


def musk_text(table: ResultTable) -> str:
    rows = records(table)
    least, most = min(rows, key=lambda row: row["percent"]), max(rows, key=lambda row: row["percent"])
    proved = sum(row["proved"] for row in rows)
    return (
        f"The best of {rows[0]['space']:,} predicates about Musk-1 is proved by {share(proved, len(rows))} criteria. "
        f"The search evaluates between {number(least['percent'])} % of them ({least['criterion']}) and "
        f"{number(most['percent'])} % ({most['criterion']}), and needs at most "
        f"{number(max(row['seconds'] for row in rows))} processor seconds. The criteria choose "
        f"{len({row['best'] for row in rows})} different predicates."
    )


def musk_picture(table: ResultTable) -> Picture:
    rows = records(table)
    series = Series("evaluated", tuple(row["percent"] for row in rows), tuple(row["criterion"] for row in rows))
    panel = Panel("evaluated, % of the space", "", (series,))
    return Picture("bounds-musk", "Share of the space of Musk-1 that each criterion evaluates", (panel,))


def musk_tables(table: ResultTable) -> tuple[ResultTable, ...]:
    return (without(table, "space", "best"),)


PLANTED = ("bounds_depth", "bounds_noise", "bounds_classes")


def _found(rows: Sequence[Record], first: Any, criterion: str, bound: str = "exact") -> Record:
    column = next(iter(rows[0]))
    wanted = (first, criterion, bound)
    return next(row for row in rows if (row[column], row["criterion"], row["bound"]) == wanted)


def planted_text(depth: ResultTable, noise: ResultTable, classes: ResultTable) -> str:
    deep, noisy, many = records(depth), records(noise), records(classes)
    low, high = (_found(deep, pick(row["depth"] for row in deep), "acc*") for pick in (min, max))
    clean, wrong = (_found(noisy, pick(row["noise"] for row in noisy), "acc*") for pick in (min, max))
    most = max(row["classes"] for row in many)
    exact, branch = _found(many, most, "entropy"), _found(many, most, "entropy", "no branch")
    ratio = _found(many, most, "gain-ratio")
    return (
        f"From depth {low['depth']} to {high['depth']} the space grows {number(high['space'] / low['space'])} times, "
        f"and the predicates that acc* evaluates grow {number(high['evaluated'] / low['evaluated'])} times, to "
        f"{number(high['percent'])} % of the space. With {number(100 * clean['noise'])} % of wrong labels acc* "
        f"evaluates {number(clean['percent'])} %, and with {number(100 * wrong['noise'])} % of wrong labels "
        f"{number(wrong['percent'])} %. With {most} classes, entropy evaluates {number(exact['percent'])} % with its "
        f"exact bound and {number(branch['percent'])} % with the impurity of the no branch alone; the gain ratio "
        f"evaluates {number(ratio['percent'])} %. The tables show the percentages with exact bounds; dashed lines "
        f"are those with the no branch alone."
    )


def planted_picture(*tables: ResultTable) -> Picture:
    panels = []
    for table in tables:
        rows, name = records(table), table.columns[0]
        series = [
            Series(
                criterion if bound == "exact" else f"{criterion}, no branch",
                tuple(row[name] for row in rows if (row["criterion"], row["bound"]) == (criterion, bound)),
                tuple(row["percent"] for row in rows if (row["criterion"], row["bound"]) == (criterion, bound)),
                dashed=bound != "exact",
            )
            for criterion in ("acc*", "entropy", "gini", "mse")
            for bound in ("exact", "no branch")
        ]
        panels.append(Panel(name, "evaluated, % of the space", tuple(series), log_y=True))
    return Picture("bounds-planted", "Share of the space evaluated by depth, noise and classes", tuple(panels))


def planted_tables(*tables: ResultTable) -> tuple[ResultTable, ...]:
    return tuple(_by_criterion(table) for table in tables)


def _by_criterion(table: ResultTable) -> ResultTable:
    """One row for each value of the first column, one column for each criterion."""
    rows, name = records(table), table.columns[0]
    criteria = tuple(dict.fromkeys(row["criterion"] for row in rows))
    lines: list[tuple[Cell, ...]] = []
    for value in dict.fromkeys(row[name] for row in rows):
        found = [_found(rows, value, criterion) for criterion in criteria]
        lines.append((value, found[0]["space"], *(row["percent"] for row in found)))
    return replace(table, columns=(name, "space", *criteria), rows=tuple(lines))


def grammars_text(table: ResultTable) -> str:
    rows = records(table)
    least, most = min(rows, key=lambda row: row["percent"]), max(rows, key=lambda row: row["percent"])
    fewer = [row for row in rows if row["evaluated by fit"] < row["evaluated"]]
    saving = max(rows, key=lambda row: row["evaluated"] / row["evaluated by fit"])
    return (
        f"A proved search by acc* evaluates between {number(least['percent'])} % ({_grammar_name(least)}) and "
        f"{number(most['percent'])} % ({_grammar_name(most)}) of the space of a shipped grammar. `fit` takes another "
        f"route where tests can be listed or joined, and evaluates one of all tests with equal results: fewer than "
        f"the search in {share(len(fewer), len(rows))} rows, at best "
        f"{number(saving['evaluated'] / saving['evaluated by fit'])} times fewer ({_grammar_name(saving)})."
    )


def _grammar_name(row: Record) -> str:
    return f"{row['grammar']} on {row['data']}"


def grammars_picture(table: ResultTable) -> Picture:
    rows = records(table)
    names = tuple(_grammar_name(row) for row in rows)
    columns = {"space": "space", "evaluated": "search", "evaluated by fit": "fit"}
    series = tuple(Series(label, tuple(row[column] for row in rows), names) for column, label in columns.items())
    panel = Panel("predicates", "", series, log_x=True)
    return Picture("bounds-grammars", "Sizes of spaces, and predicates that a search and fit evaluate", (panel,))


# ---- peers -----------------------------------------------------------------------------------------------

OWN = "structtree"


def peers_text(table: ResultTable) -> str:
    rows = records(table)
    measured = [row for row in rows if row["accuracy"] is not None]
    own = {row["set"]: row for row in measured if row["learner"] == OWN}
    others = [row for row in measured if not row["learner"].startswith(OWN)]
    best = {name: max((row for row in others if row["set"] == name), key=_accuracy) for name in own}
    won = [name for name in own if _accuracy(own[name]) >= _accuracy(best[name])]
    lost_names = [name for name in own if name not in won]
    lost = [
        f"{name} ({best[name]['learner']}: {_accuracy(best[name]):.3f}, structtree: {_accuracy(own[name]):.3f})"
        for name in lost_names
    ]
    sizes = [row["size"] for row in own.values()]
    text = (
        f"The default tree of structtree is the most accurate learner, or as good, on {len(won)} of {len(own)} sets"
    )
    text += f" ({listed(won)}). " if won else ". "
    if lost:
        text += f"The most accurate learner is another one on {'; '.join(lost)}. "
    at_best = {
        name: max((row for row in measured if row["set"] == name and row["learner"].startswith(OWN)), key=_accuracy)
        for name in own
    }
    ahead = [name for name in lost_names if _accuracy(at_best[name]) >= _accuracy(best[name])]
    if ahead:
        models = [f"{name} ({at_best[name]['learner']}: {_accuracy(at_best[name]):.3f})" for name in ahead]
        text += f"Another model of structtree is at least as good as all other learners on {listed(models)}. "
    text += f"The trees of structtree have {number(min(sizes))} to {number(max(sizes))} leaves on average. "
    missing: dict[str, list[str]] = {}
    for row in rows:
        if row["accuracy"] is None:
            missing.setdefault(row["learner"], []).append(row["set"])
    absent = "; ".join(f"{learner} ({listed(sets)})" for learner, sets in missing.items())
    return text + (f"Without a result, for the reason in the last column: {absent}." if absent else "")


def _accuracy(row: Record) -> float:
    return float(row["accuracy"])


def peers_picture(table: ResultTable) -> Picture:
    rows = [row for row in records(table) if row["accuracy"] is not None]
    series = []
    for learner in dict.fromkeys(row["learner"] for row in rows):
        some = [row for row in rows if row["learner"] == learner]
        sets = tuple(row["set"] for row in some)
        series.append(Series(learner, tuple(row["accuracy"] for row in some), sets))
    panel = Panel("accuracy", "", tuple(series))
    return Picture("peers", "Accuracy of each learner on each set", (panel,))


# ---- forests ---------------------------------------------------------------------------------------------


def _differences(table: ResultTable) -> dict[str, list[tuple[str, float]]]:
    """Return for each candidate the data and how much its score differs from that of the default options."""
    rows = records(table)
    return {
        who: [(row["data"], row[who] - row["default"]) for row in rows if row[who] is not None]
        for who in table.columns[3:]
    }


def forests_text(table: ResultTable) -> str:
    means = {who: float(np.mean([by for _, by in found])) for who, found in _differences(table).items()}
    best = max(means, key=lambda who: means[who])
    better = [who for who, mean in means.items() if mean > 0.005]
    text = (
        "How the score of a forest out of bag changes with its options, on the training part of a fold of each set. "
        f"The largest mean difference from the default options is {means[best]:+.3f} ({best}). "
    )
    text += (
        f"Better by more than half a point on average: {listed(better)}."
        if better
        else "No candidate is better by more than half a point on average, so the defaults stay as they are."
    )
    return text


def forests_picture(table: ResultTable) -> Picture:
    series = [
        Series(who, tuple(by for _, by in found), tuple(data for data, _ in found))
        for who, found in _differences(table).items()
    ]
    panel = Panel("score minus that of the default options", "", tuple(series))
    return Picture("forests", "Scores out of bag with other options than the default ones", (panel,))


# ---- scaling and recovery --------------------------------------------------------------------------------


def slope(rows: Sequence[Record], column: str) -> float:
    """Return the slope of a line through the logarithms of a column and of the value."""
    values, found = ([row[name] for row in rows] for name in ("value", column))
    return float(np.polyfit(np.log(values), np.log(found), 1)[0])


def _curves(table: ResultTable) -> dict[str, list[Record]]:
    rows = records(table)
    return {
        name: [row for row in rows if row["curve"] == name] for name in dict.fromkeys(row["curve"] for row in rows)
    }


def scaling_text(table: ResultTable) -> str:
    parts = []
    for name, rows in _curves(table).items():
        first, last = rows[0], rows[-1]
        parts.append(
            f"{name}, {number(first['value'])} to {number(last['value'])}: {number(first['seconds'])} to "
            f"{number(last['seconds'])} s (slope {slope(rows, 'seconds'):.2f}), {number(first['megabytes'])} to "
            f"{number(last['megabytes'])} MB (slope {slope(rows, 'megabytes'):.2f})"
        )
    return (
        f"A default fit, one property changed at a time. Slopes are those of lines fitted to the logarithms: 1 means "
        f"proportional, below 1 less; where points bend, a line fits badly. By "
        f"{'; '.join(parts)}. Each point is the mean of three generated populations. A search "
        f"without a proof stops after a fixed amount of work, so a slope says what a default fit costs, not "
        f"what a proof would. Memory is that of data and fit, without what the process had before."
    )


def scaling_picture(table: ResultTable) -> Picture:
    panels = []
    for column, unit in (("seconds", "processor seconds"), ("megabytes", "megabytes")):
        series = tuple(
            Series(name, tuple(row["value"] for row in rows), tuple(row[column] for row in rows))
            for name, rows in _curves(table).items()
        )
        panels.append(Panel("value", unit, series, log_x=True, log_y=True))
    return Picture("scaling", "Time and memory of a default fit, on logarithmic axes", tuple(panels))


def recovery_text(table: ResultTable) -> str:
    rows = records(table)
    parts = []
    for noise in dict.fromkeys(row["noise"] for row in rows):
        some = [row for row in rows if row["noise"] == noise]
        enough = _recovered_from(some)
        last = some[-1]
        parts.append(
            f"with {number(100 * noise)} % of wrong labels "
            + (
                f"at least half of the rules are recovered from {enough} individuals on"
                if enough
                else "fewer than half of the rules are recovered at any size"
            )
            + f", and {100 * last['accuracy']:.1f} % of new individuals are predicted right after "
            + f"{last['individuals']}"
        )
    return (
        f"Each cell is the mean over {rows[0]['rules']} rules. A rule counts as recovered if nearly all new "
        f"individuals are predicted right. {parts[0][0].upper()}{'; '.join(parts)[1:]}."
    )


def _recovered_from(rows: Sequence[Record]) -> int | None:
    """Return the smallest sample from which on at least half of the rules are recovered."""
    enough = None
    for row in reversed(rows):
        if row["recovered"] < 0.5:
            break
        enough = row["individuals"]
    return enough


def recovery_picture(table: ResultTable) -> Picture:
    rows, panels = records(table), []
    for column, label in (("recovered", "share of rules recovered"), ("accuracy", "accuracy on new individuals")):
        series = []
        for noise in dict.fromkeys(row["noise"] for row in rows):
            some = [row for row in rows if row["noise"] == noise]
            points = tuple(row["individuals"] for row in some), tuple(row[column] for row in some)
            series.append(Series(f"{number(100 * noise)} % wrong labels", *points))
        panels.append(Panel("individuals", label, tuple(series)))
    return Picture("recovery", "Planted rules recovered by sample size and noise", tuple(panels))


SECTIONS = (
    Section("Search effort beside the paper", ("paper_search",), search_text, search_picture, whole),
    Section("Accuracy beside the paper", ("paper_accuracy",), accuracy_text, accuracy_picture, whole),
    Section("Proved splits of Musk-1", ("bounds_musk",), musk_text, musk_picture, musk_tables),
    Section("What the bounds save", PLANTED, planted_text, planted_picture, planted_tables),
    Section("Shipped grammars", ("bounds_grammars",), grammars_text, grammars_picture, whole),
    Section("Scaling", ("scaling",), scaling_text, scaling_picture, whole),
    Section("Recovery of planted rules", ("recovery",), recovery_text, recovery_picture, whole),
    Section("Options of forests", ("forest_defaults",), forests_text, forests_picture, whole),
    Section("Other learners", ("peers",), peers_text, peers_picture, whole),
)
