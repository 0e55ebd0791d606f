"""Reading options stored in a model, so that new data is read like the training data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from structtree.data.datasets.catalog import dataset_names
from structtree.data.readers.databases.addresses import is_url
from structtree.data.readers.opening import Opened
from structtree.data.readers.text_files import extension_of
from structtree.models.records import ReadingRecord
from structtree.remarks import Remark
from structtree.session.reading import Source

__all__ = ["LikeTrainingData", "like_training_data", "reading_record"]

LISTED_VALUES = 4
"""Maximum number of values of an option listed in a remark."""

_ABOUT_EXAMPLES = ("positives", "negatives", "modes", "part", "sample_negatives", "sample_seed")
_PERIOD = ("frozen_at", "exclude_after")
_NOT_REMEMBERED = ("features", "ignore", "skip_bad", "cache", "condition", "strict", *_PERIOD, *_ABOUT_EXAMPLES)
"""Options that concern one particular file, such as skipped rows, and do not carry over to others."""

_NOT_JSON = ("schema", "layout")


def reading_record(source: Source, data: Opened | None = None) -> ReadingRecord:
    """Return a record of how data was read: the given options, and the extension of the file.

    For facts, it includes the inferred types of their arguments.

    Examples
    --------
    >>> reading_record(Source("musk.csv.gz", options={"group": "molecule", "skip_bad": True}))
    ReadingRecord(ending='.csv', options={'group': 'molecule'}, interpretations=False)
    >>> reading_record(Source("musk.csv"))
    ReadingRecord(ending='', options={}, interpretations=False)
    """
    skipped = (*_NOT_REMEMBERED, *_NOT_JSON)
    given = {name: _plain(value) for name, value in source.options.items() if name not in skipped}
    given = {name: value for name, value in given.items() if value is not None}
    facts = None if data is None else data.provenance.facts
    if data is not None and facts is not None:
        given["fact"] = list(facts.signatures)
        given |= {"individual": data.population.schema.individual} if facts.target is None else {}
    is_of_models = facts is not None and facts.is_of_models
    return ReadingRecord(_ending(source.where), given, is_of_models) if given else ReadingRecord()


class LikeTrainingData(NamedTuple):
    """Source with the reading options of a model, and a remark about them."""

    source: Source
    remarks: tuple[Remark, ...] = ()


def like_training_data(source: Source, record: ReadingRecord) -> LikeTrainingData:
    """Add the reading options of a model to a source if the extensions match; given options take precedence.

    Examples
    --------
    >>> record = ReadingRecord(".csv", {"header": False})
    >>> found = like_training_data(Source("new.csv"), record)
    >>> dict(found.source.options), str(found.remarks[0])
    ({'header': False}, 'read like the training data: header False')
    >>> like_training_data(Source("new.csv", options={"header": True}), record).source.options
    {'header': True}
    """
    if not record.ending or record.ending != _ending(source.where):
        return LikeTrainingData(source)
    given = {name for name, value in source.options.items() if value is not None}
    skipped = {*_NOT_REMEMBERED, *given} | ({"link", "links"} if {"link", "links"} & given else set())
    known = {name: record.options[name] for name in sorted(record.options) if name not in skipped}
    if not known:
        return LikeTrainingData(source)
    words = ", ".join(f"{name} {_listed(value)}" for name, value in known.items())
    remark = Remark(f"read like the training data: {words}")
    return LikeTrainingData(replace(source, options={**known, **source.options}), (remark,))


def _listed(value: Any) -> str:
    if isinstance(value, Mapping):
        value = [f"{name}={kind}" for name, kind in value.items()]
    if not isinstance(value, Sequence) or isinstance(value, str):
        return str(value)
    more = f" and {len(value) - LISTED_VALUES} more" if len(value) > LISTED_VALUES else ""
    return ", ".join(map(str, value[:LISTED_VALUES])) + more


def _plain(value: Any) -> Any:
    """Convert the value of an option for JSON."""
    if isinstance(value, Mapping):
        return dict(value)
    return value if value is None or isinstance(value, str | bool | int) else list(value)


def _ending(where: str | Path) -> str:
    """Return the extension of a file, a slash for a folder, or the name of a built-in dataset after a colon."""
    if is_url(where):
        return "://"
    if str(where) in dataset_names() and not Path(where).exists():
        return f":{where}"
    return "/" if Path(where).is_dir() else extension_of(where)
