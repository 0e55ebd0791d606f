"""Checks of the training data before a fit, which return remarks."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structtree.data.population import Column
from structtree.data.readers.databases.addresses import shown_url
from structtree.data.readers.opening import Opened
from structtree.data.selection import shortest_patterns
from structtree.evaluation.leakage import leaks, other_targets
from structtree.remarks import Remark, option_text, shell_command
from structtree.session.reading import Source

__all__ = ["about_columns", "about_database", "about_labels", "about_leaks"]

MIN_VALUES_PER_WORD = 4
"""A numeric column may contain words by mistake if at most one value in this many is a word."""

LISTED = 4
"""Maximum number of attributes listed in a remark."""


def about_labels(labels: NDArray[Any], name: str) -> Iterator[Remark]:
    """Yield remarks if all labels are identical, or if classes differ only in case or spaces."""
    if len(labels) and (labels == labels[0]).all():
        n = f"{len(labels):,}"
        yield Remark(f"all labels are identical: {name} is {labels[0]} for all {n} individuals")
    spellings = [found for found in _spellings(labels) if len(found) > 1]
    few = "; ".join(" and ".join(map(repr, found)) for found in spellings[:LISTED])
    if spellings:
        n = f"; and {len(spellings) - LISTED} more" if len(spellings) > LISTED else ""
        yield Remark(f"classes of {name} differ only in case or spaces: {few}{n}; if they are the same, rename them")


def _spellings(labels: NDArray[Any]) -> Iterable[list[str]]:
    """Return the distinct labels that are strings, grouped by their text without case and spaces."""
    found: dict[str, list[str]] = {}
    for label in sorted({label for label in labels.tolist() if isinstance(label, str)}):
        found.setdefault("".join(label.casefold().split()), []).append(label)
    return found.values()


def about_columns(data: Opened, declared: Container[str]) -> Iterator[Remark]:
    """Yield remarks on suspicious attributes of individuals: without values, or with a few words among numbers.

    Parameters
    ----------
    data : Opened
    declared : container of str
        Attributes whose kind was given.
    """
    population = data.population
    for attribute in population.schema.type(population.schema.individual).attributes:
        column = population.column(attribute.name)
        if column.missing.all():
            yield Remark(f"{attribute.name} has no values, so no test can use it")
        elif column.kind == "nominal" and not attribute.values and attribute.name not in declared:
            odd = _words_among_numbers(column)
            if 0 < len(odd) <= len(column.values) // MIN_VALUES_PER_WORD:
                word = column.categories[int(column.values[odd[0]])]
                yield Remark(
                    f"{attribute.name} is nominal because of non-numeric values such as {word!r} (individual "
                    f"{odd[0]}); if they mark missing values, use {option_text('missing_words', [word])}"
                )


def about_leaks(data: Opened, labels: NDArray[Any]) -> Iterator[Remark]:
    """Yield remarks on attributes that may leak the target, with the option that excludes them."""
    target, schema = str(data.target_name), data.population.schema
    names = [attribute.name for attribute in schema.type(schema.individual).attributes]
    alone = leaks(data.population, labels)
    for leak in alone:
        yield Remark(
            f"{leak.attribute} alone predicts {target} almost perfectly ({leak.measure} {leak.value:.3g}): if it is "
            f"known only after {target}, exclude it: {option_text('ignore', leak.attribute)}"
        )
    reported = {leak.attribute for leak in alone}
    others = [name for name in other_targets(data.population, labels, target) if name not in reported]
    if others:
        few, n = ", ".join(others[:LISTED]), len(others) - LISTED
        patterns = shortest_patterns(others, [name for name in names if name not in others])
        yield Remark(
            f"{few}{f' and {n} more' if n > 0 else ''} {'look' if len(others) > 1 else 'looks'} like "
            f"{'other targets' if len(others) > 1 else 'another target'}; exclude attributes that are known "
            f"only together with {target}: {option_text('ignore', patterns)}"
        )


def about_database(source: Source, data: Opened, labels: NDArray[Any]) -> Iterator[Remark]:
    """Yield the findings of a short audit if the data is a database, with the command for a full audit."""
    if data.provenance.relations is None:
        return
    from structtree.auditing.run import short_audit

    target = str(data.target_name)
    found = short_audit(data.population, labels, target)
    yield from (Remark(finding.text.removesuffix(".")) for finding in found)
    if found:
        options = {"individual": data.population.schema.individual, "target": target}
        options |= {"as_of": source.options["as_of"]} if source.options.get("as_of") else {}
        command = shell_command("audit", shown_url(str(source.where)), **options)
        yield Remark(f"for details and a full audit, run: {command}")


def _words_among_numbers(column: Column) -> NDArray[np.int64]:
    """Return the rows of a nominal column that contain words, if the other rows contain numbers."""
    words = [code for code, text in enumerate(column.categories) if not _looks_like_number(text)]
    if len(words) in (0, len(column.categories)):
        return np.zeros(0, dtype=np.int64)
    return np.flatnonzero(np.isin(column.values, words))


def _looks_like_number(text: str) -> bool:
    return text.lstrip("+-").replace(".", "", 1).isdigit()
