"""Interactive report: a self-contained HTML file with its style sheet, scripts and data.

The data is embedded as a JSON block in which every character that could end the block is escaped, and the script
inserts all strings as text nodes, so a label named ``<script>`` is just text. A content security policy keeps the
page from loading anything.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from structtree.errors import UsageError
from structtree.files import check_writable, replacing
from structtree.models.ensemble import EnsemblePredictor
from structtree.models.model import fitted
from structtree.models.settings import Decision
from structtree.report.html.contents import findings
from structtree.report.html.ensembles import ensemble_body
from structtree.reprs import Viewed, inert, short_repr

__all__ = ["HtmlReport", "html_report", "results_table", "static_page"]

_PAGE = Path(__file__).parent / "assets"
_SCRIPTS = ("charts.js", "quality.js", "learning.js", "report.js")
"""The last one starts the page."""
_ESCAPED = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


@dataclass(frozen=True, slots=True)
class HtmlReport(Viewed):
    """Interactive report of a tree, as HTML text; notebooks display it."""

    html: str = field(repr=False)
    title: str

    def __repr__(self) -> str:
        return short_repr(self, self.title, f"{len(self.html.encode()) / 1e6:.2f} MB")

    def save(self, path: str | Path) -> None:
        """Write the report to a file."""
        check_writable(path)
        with replacing(path) as draft:
            draft.write_text(self.html, encoding="utf-8")


def html_report(
    model: Any,
    individuals: Any,
    target: Any = None,
    path: str | Path | None = None,
    *,
    decision: Decision | None = None,
    title: str = "",
    effort: float | None = None,
) -> HtmlReport:
    """Return an interactive report of a tree, or a page about an ensemble, and optionally write it to a file.

    Parameters
    ----------
    model : Tree, Model or fitted estimator
    individuals : individuals in any form that the model accepts
        Source of the examples, and the data that the scores are computed on.
    target : array, optional
        True labels; without them there are no scores.
    path : path, optional
        The HTML file to write.
    decision : Decision, optional
        Decision rule of the leaves; that of the model by default.
    title : str
    effort : float, optional
        Time limit in seconds for repeating the search for the first test with each criterion, with and without
        pruning. Needs the target and the training individuals. By default, searches are not repeated.

    Examples
    --------
    >>> from structtree import StructuralTreeClassifier
    >>> sizes, labels = [[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"]
    >>> html_report(StructuralTreeClassifier().fit(sizes, labels), sizes, labels, title="Sizes")
    <HtmlReport: Sizes, ... MB>
    """
    if path is not None:
        check_writable(path)
    if effort is not None and not effort > 0:
        raise UsageError(f"effort must be a number of seconds > 0; got {effort}")
    known = fitted(model, decision)
    if isinstance(known.model.predictor, EnsemblePredictor):
        if effort is not None:
            raise UsageError(f"effort is measured for trees; this model predicts with a {known.model.predictor.kind}")
        name = inert(title or f"{known.model.predictor.kind.capitalize()} for {known.model.target or 'the target'}")
        whole = HtmlReport(static_page(name, ensemble_body(known, individuals, target)), name)
    else:
        found = findings(known, individuals, target, title, effort)
        whole = HtmlReport(_page(found), found["title"])
    if path is not None:
        whole.save(path)
    return whole


def _page(found: dict[str, Any]) -> str:
    parts = {
        "css": (_PAGE / "report.css").read_text(encoding="utf-8"),
        "script": "\n".join((_PAGE / name).read_text(encoding="utf-8") for name in _SCRIPTS),
        "data": _embedded(found),
    }
    page = (_PAGE / "report.html").read_text(encoding="utf-8")
    first, *others = page.split("{{")
    return first + "".join(parts[name] + rest for name, _, rest in (part.partition("}}") for part in others))


def static_page(title: str, body: str) -> str:
    """Return a page in the style of the report, without scripts, around trusted markup."""
    style = (_PAGE / "report.css").read_text(encoding="utf-8")
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f"<title>{escape(title)}</title>\n<style>\n{style}\n</style></head>\n"
        f'<body><header><h1>{escape(title)}</h1></header>\n<main class="page">{body}</main></body></html>\n'
    )


def results_table(
    label: str, heads: Iterable[str], rows: Iterable[tuple[Sequence[str], Sequence[tuple[str, str]], Sequence[str]]]
) -> str:
    """Return a table of results for `static_page`.

    Parameters
    ----------
    label : str
        What the table shows, for screen readers.
    heads : iterable of str
    rows : iterable of (labels, texts, figures)
        The texts are pairs: in words, and as a predicate.

    Examples
    --------
    >>> results_table("Rules", ["", "if"], [(["1"], [("a is b", "a = b")], [])])[-90:]
    '<tr><td>1</td><th scope="row">a is b<br><code>a = b</code></th></tr></tbody></table></div>'
    """
    head = "".join(f'<th scope="col">{escape(head)}</th>' for head in heads)
    lines = []
    for labels, texts, figures in rows:
        cells = [f"<td>{escape(inert(text))}</td>" for text in labels]
        cells += [
            f'<th scope="row">{escape(inert(words))}<br><code>{escape(inert(text))}</code></th>'
            for words, text in texts
        ]
        cells += [f'<td class="number">{escape(inert(figure))}</td>' for figure in figures]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(label)}">{table}</div>'


def _embedded(found: dict[str, Any]) -> str:
    """Return JSON that is safe to embed in a script block of a page.

    Examples
    --------
    >>> _embedded({"a": "</script>"})
    '{"a":"\\\\u003c/script\\\\u003e"}'
    """
    text = json.dumps(found, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_ESCAPED)
