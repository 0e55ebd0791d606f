"""Reading of a data source, with remarks about the data."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

from structtree.data.layouts import SourceLayout
from structtree.data.readers.databases.addresses import is_url, shown_url
from structtree.data.readers.facts.signatures import signatures_of
from structtree.data.readers.opening import Opened, open_data
from structtree.data.readers.sources import is_database
from structtree.lang.default import default_grammar
from structtree.lang.grammar import Grammar, grammar_from
from structtree.remarks import Remark, StructtreeWarning

__all__ = ["ReadData", "Source", "grammar_for", "read_source"]


@dataclass(frozen=True, slots=True)
class Source:
    """Data source with options for reading it.

    Parameters
    ----------
    where : str or Path
        As for `structtree.open_data`.
    target : str, optional
    grammar : str, Path or Grammar, optional
    options : mapping
        Options for reading, by their names in `structtree.open_data`, including ``features`` and ``ignore``.
    """

    where: str | Path
    target: str | None = None
    grammar: str | Path | Grammar | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def shown(self) -> str:
        """The name of the data, without the password of a URL."""
        return shown_url(str(self.where))

    def with_declared_facts(self) -> Source:
        """Return the source with the facts that the grammar declares; explicit options take precedence."""
        facts = () if self.grammar is None else grammar_from(self.grammar).facts
        if not facts:
            return self
        given = list(self.options.get("fact") or ())
        own = signatures_of(given)
        others = [text for text in facts if not own.keys() & signatures_of([text]).keys()]
        return replace(self, options={**self.options, "fact": [*given, *others]})


class ReadData(NamedTuple):
    """Opened data, with remarks about reading it."""

    data: Opened
    remarks: tuple[Remark, ...]


def read_source(
    source: Source,
    *,
    unlabelled: Literal["refuse", "leave out"] = "refuse",
    id: str | None = None,
    layout: SourceLayout | None = None,
) -> ReadData:
    """Read data, and return it with remarks about warnings and the links of a database.

    Parameters
    ----------
    source : Source
    unlabelled, id
        As for `structtree.open_data`.
    layout : SourceLayout, optional
        The keys and links of the tables, if the data is a database.

    Examples
    --------
    >>> read_source(Source("lenses")).data.target_name
    'lenses'
    """
    where, options = source.where, dict(source.options)
    if layout is not None and _is_database(where, options.get("format")):
        options["layout"] = layout
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        data = open_data(where, target=source.target, unlabelled=unlabelled, id=id, **options)
    texts = dict.fromkeys(_template(each.message) for each in caught)
    return ReadData(data, (*(Remark(text, "warning") for text in texts), *_about_links(data)))


def grammar_for(
    data: Opened,
    grammar: str | Path | Grammar | None = None,
    *,
    one_at_a_time: bool = False,
    for_forest: bool = False,
) -> Grammar:
    """Return the given or default grammar, without tests on the target or ignored attributes.

    Built-in datasets may have their own default grammar, which is not used with ``one_at_a_time``. Grammars for
    forests have further tests; see `structtree.default_grammar`.
    """
    schema = data.population.schema
    reasons = dict.fromkeys(data.left_out, "ignored") | {str(data.target_name): "the target"}
    if grammar is not None:
        return grammar_from(grammar).omitting(reasons, schema)
    if data.grammar and one_at_a_time:
        return replace(default_grammar(data.population), origin="derived from the data, one test at a time")
    found = default_grammar(data.population, data.grammar, for_forest=for_forest).omitting(reasons, schema)
    is_derived = found.name is None
    return replace(found, origin=f"{found.origin} (structtree grammar derive DATA shows it)") if is_derived else found


def _is_database(where: str | Path, format: str | None) -> bool:
    return (is_url(where) or Path(where).exists()) and is_database(where, format)


def _template(message: Warning | str) -> str:
    return str(message.args[0]) if isinstance(message, StructtreeWarning) else str(message)


def _about_links(data: Opened) -> Iterator[Remark]:
    relations = data.provenance.relations
    yield from map(Remark, () if relations is None else relations.iter_notes())
