"""Patterns, association rules and contrasts as text, as a table and as a page."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from math import inf
from typing import Any

from structtree.lang.pretty import pretty, pretty_name
from structtree.lang.syntax import Predicate
from structtree.report.html.page import HtmlReport, results_table, static_page
from structtree.report.subgroups import p_text
from structtree.report.words import in_words
from structtree.reprs import inert, number_text
from structtree.rules.patterns import AssociationRule, Pattern, Patterns, PatternSearch
from structtree.tasks.metrics import class_name

__all__ = ["pattern_facts", "pattern_heads", "pattern_line", "pattern_report", "pattern_row", "search_facts"]


def search_facts(search: PatternSearch) -> Iterator[str]:
    """Yield sentences about a search that is about to start."""
    n = len(search.population)
    yield f"{number_text(n, 'individual')}; patterns of at least {search.least:,} ({search.least / n:.3g})"
    if search.n_space is not None:
        yield f"the space has {number_text(search.n_space, 'predicate')}"


def pattern_line(pattern: Pattern, text: str) -> str:
    """Return a pattern as a line with its support and its number of individuals.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> pattern_line(Pattern((parse_predicate("crisps"),), 5, 8), "crisps")
    '0.625  5  crisps'
    """
    width = len(f"{pattern.n_all:,}")
    return f"{pattern.support:.3f}  {pattern.n:>{width},}  {text}"


def pattern_heads(found: Patterns) -> list[str]:
    """Return the column headings of a table of patterns or rules."""
    if found.options.rules:
        return ["", "if", "then", "n", "support", "confidence", "lift", "leverage", "conviction"]
    if found.options.contrast:
        return ["", "pattern", "n", "class", "support", "others", "difference", "growth", "p"]
    return ["", "pattern", "n", "support"]


def pattern_row(found: Patterns, place: int, *, words: bool = False) -> list[str]:
    """Return a pattern or a rule as cells that match `pattern_heads`."""
    each: Any = found.found[place]

    def text(predicate: Predicate) -> str:
        return in_words(predicate, found.population.schema) if words else pretty(predicate)

    if isinstance(each, AssociationRule):
        figures = [each.support, each.confidence, each.lift, each.leverage]
        cells = [text(each.body), text(each.head), f"{each.n:,}", *(f"{figure:.3g}" for figure in figures)]
        return [str(place + 1), *cells, _ratio_text(each.conviction)]
    cells = [str(place + 1), text(each.predicate), f"{each.n:,}"]
    known = each.contrast
    if known is None:
        return [*cells, f"{each.support:.3f}"]
    shares = [f"{share:.3g}" for share in (known.support, known.support_of_others, known.difference)]
    return [*cells, class_name(known.label), *shares, _ratio_text(known.growth), p_text(known.p_value)]


def pattern_facts(found: Patterns) -> Iterator[str]:
    """Yield sentences about how patterns or rules were found."""
    what = "rule" if found.options.rules else "pattern"
    kind = next((f"{name} " for name in ("closed", "maximal", "shortest") if getattr(found.options, name)), "")
    shown = number_text(found.found, f"{kind}{what}")
    n_frequent = number_text(found.n_frequent, "frequent pattern")
    yield shown if found.n_frequent == len(found) and what == "pattern" else f"{shown} of {n_frequent}"
    if found.options.contrast:
        tested = number_text(found.n_frequent, "pattern")
        yield f"{pretty_name(found.target or 'the target')}: p corrected for {tested} and the number of classes"
    if not found.complete:
        yield found.incompleteness


def pattern_report(found: Patterns, title: str = "") -> HtmlReport:
    """Return a page with patterns or rules in words and their figures; it needs no scripts.

    Examples
    --------
    >>> from structtree import patterns
    >>> pattern_report(patterns("lenses", support=0.3), "Contact lenses")
    <HtmlReport: Contact lenses, ... MB>
    """
    heading = "Association rules" if found.options.rules else "Patterns"
    title = title or heading
    facts = "".join(f"<p>{escape(inert(fact))}</p>" for fact in pattern_facts(found))
    body = f"<section>{facts}</section><h2>{heading}</h2>{_table(found, heading)}"
    return HtmlReport(static_page(title, body), title)


def _table(found: Patterns, label: str) -> str:
    n_texts = 2 if found.options.rules else 1
    rows = []
    for place in range(len(found)):
        number, *cells = pattern_row(found, place, words=True)
        codes = pattern_row(found, place)[1 : 1 + n_texts]
        texts = zip(cells[:n_texts], codes, strict=True)
        rows.append(([number], [*texts], cells[n_texts:]))
    return results_table(label, pattern_heads(found), rows)


def _ratio_text(ratio: float) -> str:
    return "∞" if ratio == inf else f"{ratio:.3g}"
