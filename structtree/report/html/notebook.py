"""Notebook views of results: a tree as a picture, a population as a table of its members, a grammar as text.

The markup is small and self-contained, without scripts, and uses the colours of the notebook, light or dark. Strings
from the data are escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from structtree.data.population import Population
from structtree.errors import UsageError
from structtree.evaluation.held_out import baseline_warning, score_summary
from structtree.evaluation.score import class_name
from structtree.lang.grammar import Grammar
from structtree.lang.pretty import pretty
from structtree.models.ensemble import EnsemblePredictor
from structtree.models.model import Model
from structtree.models.tree import Tree
from structtree.models.tree_predictor import TreePredictor
from structtree.report.explain import Explanation
from structtree.report.forests import forest_lines
from structtree.report.html.page import HtmlReport
from structtree.report.info import describe_type
from structtree.report.patterns import pattern_facts, pattern_heads, pattern_row
from structtree.report.pictures.explanations import plot_explanation
from structtree.report.pictures.trees import plot_tree
from structtree.report.subgroups import subgroup_facts, subgroup_heads, subgroup_row
from structtree.report.words import in_words
from structtree.reprs import Viewed, inert, number_text
from structtree.rules.patterns import Patterns
from structtree.rules.subgroups import Subgroups
from structtree.search.results import Split

__all__ = ["html_view"]

REPORT_HEIGHT = 760
"""Height of a report in a notebook, in pixels."""

MOST_CHARACTERS = 8_000_000
"""Reports with more characters are not embedded, because notebooks would be slow."""

MOST_PATTERNS = 200
"""Maximum number of patterns or rules in a table."""

MOST_MEMBERS = 30
"""Maximum number of attributes and links listed per type."""


def html_view(value: Viewed) -> str:
    """Return a result as HTML for a notebook; called by subclasses of `Viewed`.

    Parameters
    ----------
    value : Tree, Model, Population, Grammar, Split, Subgroups, Patterns, Explanation or HtmlReport

    Examples
    --------
    >>> from structtree import Population
    >>> html_view(Population.from_records([{"size": 1}], individual="<b>"))[:30]
    '<div><p><b>1 &lt;b&gt;</b></p>'
    """
    match value:
        case Model(predictor=EnsemblePredictor()):
            return f"<div>{_head(repr(value)[1:-1])}{_pre(chr(10).join(forest_lines(value)))}</div>"
        case Model():
            return _tree_view(value, value.tree, value.target or "")
        case Tree():
            return _tree_view(value, value, "")
        case Population():
            return _population_view(value)
        case Grammar():
            return f"<div>{_head(repr(value)[1:-1])}{_pre(str(value))}</div>"
        case Split():
            return _split_view(value)
        case Subgroups():
            return _subgroups_view(value)
        case Patterns():
            return _patterns_view(value)
        case Explanation():
            return _explanation_view(value)
        case HtmlReport():
            return _report_view(value)
        case _:
            known = "Tree, Model, Population, Grammar, Split, Subgroups, Patterns, Explanation or HtmlReport"
            raise UsageError(f"expected a {known}; got {type(value).__name__}")


def _tree_view(model: Any, tree: Tree, title: str) -> str:
    picture = plot_tree(model, words=True, title=title)
    size = f"{number_text(len(tree.leaves), 'leaf', 'leaves')}, depth {tree.depth}"
    notes = [f"{size}; {picture.note} (all: plot_tree with max_depth={tree.depth})" if picture.note else size]
    warning = ""
    if isinstance(model, Model):
        notes = [each for each in (score_summary(model), *notes) if each]
        warning = baseline_warning(model)
    warned = f"<p><b>Warning:</b> {_text(warning)}</p>" if warning else ""
    return f"<div>{_scrolled(picture.svg)}<p><small>{_text('; '.join(notes))}</small></p>{warned}</div>"


def _explanation_view(explanation: Explanation) -> str:
    """Return the picture of an explanation, or its text if it consists of the prediction only."""
    source = explanation.source
    if source is None or not isinstance(source.model.predictor, TreePredictor | EnsemblePredictor):
        return f"<div>{_pre(str(explanation))}</div>"
    title = f"{explanation.type} {explanation.individual}"
    return f"<div>{_scrolled(plot_explanation(source.model, source.alone, 0, title=title).svg)}</div>"


def _report_view(report: HtmlReport) -> str:
    """Return a report in a frame, in which its scripts can reach nothing else."""
    if len(report.html) > MOST_CHARACTERS:
        advice = "too large for a notebook; write it to a file with .save(path)"
        return f"<div>{_head(repr(report)[1:-1])}<p>{advice}</p></div>"
    look = f"width:100%;height:{REPORT_HEIGHT}px;border:1px solid #8888"
    frame = f'sandbox="allow-scripts" title="{_text(report.title)}" style="{look}" srcdoc="{escape(report.html)}"'
    return f"<div><iframe {frame}></iframe></div>"


def _population_view(population: Population) -> str:
    parts = []
    schema = population.schema
    for name in dict.fromkeys((schema.individual, *schema.names)):
        known = describe_type(population, schema.type(name))
        members, n = known["members"], known["rows"]
        some = f" (of {n:,})" if name == schema.individual and len(population) != n else ""
        parts.append(_head(f"{len(population) if name == schema.individual else n:,} {name}{some}"))
        rows = [[each["name"], each["kind"], each["missing"], each["values"]] for each in members[:MOST_MEMBERS]]
        more = len(members) - len(rows)
        rows += [[f"and {more:,} more", "", "", ""]] if more else []
        parts.append(_table(["", "kind", "missing", "values"], rows))
    return f"<div>{''.join(parts)}</div>"


def _split_view(split: Split) -> str:
    population = split.problem.space.population
    words = "" if population is None else in_words(split.predicate, population.schema)
    known = "proved best" if split.proved else f"not proved best (gap at most {split.gap:.3g})"
    scorer = split.problem.scorer
    heads = [class_name(label) for label in scorer.classes] or ["weight", "mean", "variance"]
    rows = [[name, *(f"{number:.6g}" for number in side)] for name, side in (("yes", split.yes), ("no", split.no))]
    facts = f"{split.criterion} {split.score:.4g}, {known}, {split.stats.evaluated:,} predicates evaluated"
    head = f"{_head(words)}<p><code>{_text(pretty(split.predicate))}</code></p>"
    return f"<div>{head}{_table(['', *heads], rows)}<p><small>{_text(facts)}</small></p></div>"


def _subgroups_view(found: Subgroups) -> str:
    rows = [subgroup_row(found, place, words=True) for place in range(len(found))]
    facts = "".join(f"<p><small>{_text(fact)}</small></p>" for fact in subgroup_facts(found))
    return f"<div>{_table(subgroup_heads(found), rows)}{facts}</div>"


def _patterns_view(found: Patterns) -> str:
    n = min(len(found), MOST_PATTERNS)
    rows = [pattern_row(found, place, words=True) for place in range(n)]
    notes = [f"the first {n:,} of {len(found):,}"] if n < len(found) else []
    facts = "".join(f"<p><small>{_text(fact)}</small></p>" for fact in (*notes, *pattern_facts(found)))
    return f"<div>{_table(pattern_heads(found), rows)}{facts}</div>"


# ---- markup ---------------------------------------------------------------------------------------------


def _text(text: str) -> str:
    return escape(inert(text))


def _head(text: str) -> str:
    return f"<p><b>{_text(text)}</b></p>"


def _scrolled(markup: str) -> str:
    return f'<div style="overflow-x:auto">{markup}</div>'


def _pre(text: str) -> str:
    lines = "\n".join(map(_text, text.split("\n")))
    return f'<pre style="overflow-x:auto">{lines}</pre>'


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    left = ' style="text-align:left"'
    head = "".join(f'<th scope="col"{left}>{_text(text)}</th>' for text in heads)
    body = "".join(
        f'<tr><th scope="row"{left}>{_text(first)}</th>'
        + "".join(f"<td{left}>{_text(text)}</td>" for text in rest)
        + "</tr>"
        for first, *rest in rows
    )
    return _scrolled(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
