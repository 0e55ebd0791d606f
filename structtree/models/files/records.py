"""Model records as JSON, including a converter for files of version 0.1.

Those files (formats 1 and 2) store everything under ``params``, which is first converted to the current form.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any, NamedTuple, TypeVar, get_args

from structtree.data.json_parts import JsonPart
from structtree.data.readers.options import check_option, reading_options
from structtree.errors import StructtreeError, UsageError
from structtree.models.records import (
    GrammarRecord,
    ReadingRecord,
    RouteRecord,
    ScoreRecord,
    SearchOutcome,
    Settings,
    Size,
    SizeCurve,
    SizeSource,
    StoredScores,
)
from structtree.models.settings import Boosting, Forest, Goal, Growth, Pruning, Rules
from structtree.options import listed

__all__ = ["Records", "old_records", "records_from_json"]


class Records(NamedTuple):
    """All records of a model, in the order of the fields of `Model`."""

    settings: Settings
    grammar: GrammarRecord
    route: RouteRecord
    reading: ReadingRecord
    outcome: SearchOutcome
    scores: ScoreRecord

    def to_json(self) -> dict[str, Any]:
        """Return the records as plain JSON values, by name."""
        return {name: asdict(record, dict_factory=_listing) for name, record in self._asdict().items()}


def _listing(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a dictionary of these members, with tuples converted to lists."""
    return {name: _listed(value) for name, value in members}


def _listed(value: Any) -> Any:
    return [_listed(each) for each in value] if isinstance(value, tuple) else value


def records_from_json(whole: JsonPart) -> Records:
    """Read the records of a model file."""
    grammar, route = whole.member("grammar"), whole.member("route")
    return Records(
        _settings(whole.member("settings")),
        GrammarRecord(
            grammar.member("text").text(), grammar.member("origin").text(), grammar.member("notes").texts()
        ),
        RouteRecord(route.member("name").text(), route.member("why").text()),
        _reading(whole.member("reading")),
        _outcome(whole.member("outcome")),
        _scores(whole.optional("scores")),
    )


def _settings(part: JsonPart) -> Settings:
    goal, size = part.optional("goal"), part.member("size")
    forest, boosting = part.optional("forest"), part.optional("boosting")
    rules = part.optional("rules")
    sources = get_args(SizeSource)
    return Settings(
        None if goal is None else goal.one_of(get_args(Goal), listed(get_args(Goal))),
        part.member("criterion").text(),
        _options(part.member("growth"), Growth),
        _options(part.member("pruning"), Pruning),
        Size(size.member("by").one_of(sources, listed(sources)), size.member("detail").text()),
        None if forest is None else _options(forest, Forest),
        None if boosting is None else _options(boosting, Boosting),
        None if rules is None else _options(rules, Rules),
    )


_Options = TypeVar("_Options", Growth, Pruning, Forest, Boosting, Rules)


def _options(part: JsonPart, kind: type[_Options]) -> _Options:
    """Read options, ignoring those that this version does not know."""
    known = {each.name for each in fields(kind)}
    try:
        return kind(**{name: value for name, value in part.members().items() if name in known})
    except StructtreeError as error:
        part.fail(str(error))


def _reading(part: JsonPart) -> ReadingRecord:
    known = {name: value for name, value in part.member("options").members().items() if name in reading_options()}
    for name, value in known.items():
        try:
            check_option(name, value)
        except UsageError:
            part.fail(f"invalid reading option: {name} is {value!r}")
    return ReadingRecord(part.member("ending").text(), known, part.member("interpretations").flag())


def _outcome(part: JsonPart) -> SearchOutcome:
    stopped_by, sizes = part.optional("stopped_by"), part.optional("sizes")
    return SearchOutcome(
        None if stopped_by is None else stopped_by.one_of(("time", "interrupt"), "time or interrupt"),
        part.member("skipped").texts(),
        None if sizes is None else _curve(sizes),
    )


def _curve(part: JsonPart) -> SizeCurve:
    leaves = tuple(each.whole() for each in part.member("leaves").elements())
    names = ("training", "held_out", "standard_error")
    losses = [tuple(each.number() for each in part.member(name).elements()) for name in names]
    if any(len(each) != len(leaves) for each in losses):
        part.fail(f"expected as many losses as leaves, {len(leaves)}")
    return SizeCurve(leaves, *losses)


def _scores(part: JsonPart | None) -> ScoreRecord:
    """Read the scores, which older files do not have."""
    if part is None:
        return ScoreRecord()
    found: ScoreRecord = part.as_dataclass(ScoreRecord)
    for name in ("held_out", "training"):
        scores: StoredScores | None = getattr(found, name)
        if scores is not None and not scores.is_complete:
            part.member(name).fail("expected one value for each metric, and a square confusion matrix")
    return found


# ---- version 0.1 -----------------------------------------------------------------------------------------

_OLD_SIZES: Mapping[SizeSource, str] = {
    "cross-validation": "chosen by cross-validation",
    "limits": "limited by (.*)",
    "pruning": "pruned by (.*)",
    "too few": "full, since (.*) individuals are too few to choose it by",
    "ranking": "as ranks best, with depth at most (.*)",
    "time": "not chosen, since the time limit was reached first",
    "interrupt": "not chosen, since Ctrl-C came first",
    "full": ".*",
}


def old_records(part: JsonPart) -> Records:
    """Convert the ``params`` of a version 0.1 model file to records.

    Examples
    --------
    >>> records = old_records(JsonPart({"criterion": "gini", "size": "limited by max_depth", "route": None}))
    >>> records.settings.criterion, records.settings.size
    ('gini', Size(by='limits', detail='max_depth'))
    """
    params = {name: value for name, value in part.members().items() if value is not None}
    present = {
        "settings": {
            "goal": params.get("goal"),
            "criterion": params.get("criterion", ""),
            "growth": params.get("growth", {}),
            "pruning": params.get("pruning", {}),
            "size": _old_size(str(params.get("size", ""))),
        },
        "grammar": {
            "text": params.get("grammar", ""),
            "origin": params.get("grammar_origin", ""),
            "notes": params.get("grammar_notes", []),
        },
        "route": {"name": "", "why": params.get("route", "")},
        "reading": _old_reading(params.get("reading", {})),
        "outcome": {
            "stopped_by": params.get("stopped_by"),
            "skipped": params.get("skipped", []),
            "sizes": params.get("sizes"),
        },
    }
    return records_from_json(JsonPart(present, part.path))


def _old_size(phrase: str) -> dict[str, str]:
    for by, pattern in _OLD_SIZES.items():
        found = re.fullmatch(pattern, phrase)
        if found is not None:
            return {"by": by, "detail": "".join(found.groups())}
    return {"by": "full", "detail": ""}


def _old_reading(remembered: Any) -> dict[str, Any]:
    """Convert reading options of the command line to those of `structtree.open_data`."""
    options = dict(remembered) if isinstance(remembered, Mapping) else {}
    ending, interpretations = options.pop("ending", ""), options.pop("models", False)
    if "missing" in options:
        options["missing_words"] = options.pop("missing")
    if isinstance(options.get("names"), str):
        options["names"] = [name.strip() for name in options["names"].split(",")]
    if isinstance(options.get("types"), list):
        options["types"] = dict(map(_old_kind, options["types"]))
    if isinstance(options.get("link"), list):
        texts = options.pop("link")
        options["links"] = [text for text in texts if "=" in text]
        options["link"] = next((text for text in texts if "=" not in text), [])
    given = {name: value for name, value in options.items() if value != []}
    return {"ending": ending, "options": given, "interpretations": interpretations}


def _old_kind(pair: str) -> tuple[str, str]:
    """Split ``name=kind``; the name may contain ``=``, and so may the values of an ordered kind."""
    name, _, kind = pair.partition("=") if "<" in pair else pair.rpartition("=")
    return name, kind
