"""Subgroups as a table and as a page."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from io import StringIO

from structtree.lang.pretty import pretty, pretty_name
from structtree.report.html.page import HtmlReport, results_table, static_page
from structtree.report.pictures.coverage import coverage_figure
from structtree.report.words import in_words
from structtree.reprs import inert, number_text
from structtree.rules.subgroups import Subgroup, Subgroups
from structtree.tasks.metrics import class_name

__all__ = ["p_text", "subgroup_facts", "subgroup_heads", "subgroup_report", "subgroup_row"]

LEAST_P = 1e-9
"""Smaller p-values are shown as a bound."""


def subgroup_heads(found: Subgroups) -> list[str]:
    """Return the column headings of a table of subgroups."""
    of_all = found.found[0].label is None if found.found else False
    mean = "share" if found.task.predicts_classes else "mean"
    class_heads = ["class"] if found.task.predicts_classes and not of_all else []
    figures = ["size", *([] if of_all else [mean]), "quality", "p"]
    later = [f"new {head}" for head in figures] if found.is_held_out.any() else []
    return ["", "subgroup", *class_heads, *figures, *later]


def subgroup_row(found: Subgroups, place: int, *, words: bool = False) -> list[str]:
    """Return a subgroup as cells that match `subgroup_heads`; ``*`` marks one that is not proved."""
    each: Subgroup = found.found[place]
    text = in_words(each.predicate, found.population.schema) if words else pretty(each.predicate)
    mark = "" if each.proved else " *"
    classes = [class_name(each.label)] if found.task.predicts_classes and each.label is not None else []
    rows = [(each.searched, each.p_value)]
    if found.is_held_out.any():
        rows.append((each.held_out, each.held_out_p_value))  # type: ignore[arg-type]  # shown as blank cells
    cells = [str(place + 1), text + mark, *classes]
    n_cells = 3 if each.label is None else 4
    for scores, p in rows:
        if scores is None:
            cells += ["0", *[""] * (n_cells - 1)]
            continue
        mean = [] if each.label is None else [f"{scores.mean:.3g}"]
        cells += [f"{scores.n:,}", *mean, f"{scores.quality:.3g}", p_text(p)]
    return cells


def subgroup_facts(found: Subgroups) -> Iterator[str]:
    """Yield sentences about how subgroups were found and what their figures mean."""
    n_held_out = int(found.is_held_out.sum())
    n = len(found.labels) - n_held_out
    target = pretty_name(found.target or "the target")
    size = f"subgroups of at least {found.min_support:,} by {found.measure.name}"
    yield f"{target}: searched {n:,} individuals for {size}, {number_text(found.evaluated, 'predicate')} evaluated"
    if found.options.containing is not None:
        yield "only subgroups that contain the given individual"
    if found.proved:
        yield f"proved: no predicate of up to {number_text(found.options.literals, 'literal')} is missing"
    else:
        ended = {"time": "the time limit", "interrupt": "Ctrl-C", "effort": "the effort"}.get(found.stopped_by, "")
        why = f"{ended} ended the search; " if ended else ""
        yield f"not proved (*): {why}another predicate may be better than the last one by {found.gap:.3g}"
    for scores in [each.searched for each in found.found[:1] if each.label is not None]:
        if not found.task.predicts_classes:
            yield f"the mean of all searched individuals is {scores.mean_all:.4g}"
    is_plain = found.options.redundancy == "coverage" and found.options.covering is None
    if is_plain and (n_within := found.n_within):
        yield f"{n_within} of them lie within a better one of the list; the redundancy 'subset' drops those"
    yield f"p: corrected for {number_text(found.evaluated, 'predicate')}" + (
        f"; new: the same on {n_held_out:,} held-out individuals, with p corrected for "
        f"{number_text(found.found, 'subgroup')}"
        if n_held_out
        else "; no individuals were held out, so quality on new individuals is lower than shown"
    )


def subgroup_report(found: Subgroups, title: str = "") -> HtmlReport:
    """Return a page with the subgroups in words, their figures, and a coverage plot; it needs no scripts.

    Examples
    --------
    >>> from structtree import subgroups
    >>> subgroup_report(subgroups("lenses", top=3, held_out=0), "Contact lenses")
    <HtmlReport: Contact lenses, ... MB>
    """
    title = title or f"Subgroups: {found.target or 'target'}"
    facts = "".join(f"<p>{escape(inert(fact))}</p>" for fact in subgroup_facts(found))
    plot = StringIO()
    coverage_figure(found).savefig(plot, format="svg", metadata={"Date": None})
    picture = plot.getvalue()
    picture = picture[picture.index("<svg") :]
    alternative = f"Coverage of {number_text(found.found, 'subgroup')}; the table has the figures"
    figure = f'<h2>Coverage</h2><div class="plate" role="img" aria-label="{escape(alternative)}">{picture}</div>'
    body = f"<section>{facts}</section><h2>Subgroups</h2>{_table(found)}{figure if found.found else ''}"
    return HtmlReport(static_page(title, body), title)


def _table(found: Subgroups) -> str:
    rows = []
    for place, each in enumerate(found):
        number, text, *figures = subgroup_row(found, place, words=True)
        rows.append(([number], [(text, pretty(each.predicate))], figures))
    return results_table("Subgroups", subgroup_heads(found), rows)


def p_text(p: float | None) -> str:
    """Return a p-value as text.

    Examples
    --------
    >>> p_text(0.01234), p_text(1e-30), p_text(1.0)
    ('0.012', '<1e-09', '1')
    """
    if p is None:
        return ""
    return f"<{LEAST_P:g}" if p < LEAST_P else f"{p:.2g}"
