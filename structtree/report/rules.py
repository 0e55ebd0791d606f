"""Rules as text, one per line: those of a list in the order in which they are tried."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from structtree.lang import syntax as syn
from structtree.lang.pretty import pretty
from structtree.models.model import Model
from structtree.models.rule_set import RuleSetPredictor
from structtree.models.rules import Rule, list_rules
from structtree.report.text import caveat_notes
from structtree.report.words import in_words

__all__ = ["has_rules", "rule_facts", "rule_lines", "rules_of"]


def has_rules(model: Model) -> bool:
    """Return whether a model was learned as a rule list or a rule set."""
    return model.settings.rules is not None


def rules_of(model: Model) -> tuple[Rule, ...]:
    """Return the rules of a rule list or a rule set; the last one is the default."""
    return model.predictor.listed() if isinstance(model.predictor, RuleSetPredictor) else list_rules(model)


def rule_lines(model: Model, *, words: bool = False) -> Iterator[str]:
    """Yield the rules of a rule list or a rule set, line by line.

    Parameters
    ----------
    model : Model
    words : bool
        Whether to write tests in plain English.

    Examples
    --------
    >>> from structtree import fit, load_dataset
    >>> trains = load_dataset("trains")
    >>> model = fit(trains.population, trains.target, "trains", model="rule-list", max_rules=2)
    >>> print(*rule_lines(model), sep="\\n")
    if exists cars (closed and not long) then east (n=8, confidence 1.00)
    else if exists cars (next (load.shape = rectangle)) then west (n=6, confidence 1.00)
    else west (n=6, confidence 0.67)
    >>> model = fit(trains.population, trains.target, "trains", model="rule-set", max_rules=1)
    >>> print(*rule_lines(model), sep="\\n")
    if exists cars (closed and not long) then east (n=8, confidence 1.00)
    if exists cars (roof = "none" and next (load.number >= 2)) then west (n=4, confidence 1.00)
    if no rule holds then west (n=8, confidence 0.75)
    """
    *rules, default = rules_of(model)
    is_set = isinstance(model.predictor, RuleSetPredictor)
    for place, rule in enumerate(rules):
        text = in_words(rule.conditions, model.schema) if words else pretty(rule.conditions)
        yield ("else " if place and not is_set else "") + rule.saying(text)
    if not rules:
        yield "always " + default.saying("").removeprefix("if  then ")
    else:
        yield default.saying("no rule holds") if is_set else "else " + default.saying("").removeprefix("if  then ")
    if not is_set:
        yield from caveat_notes(model.tree)


def rule_facts(rules: Sequence[Rule], formatted: Callable[[syn.Predicate], str] = pretty) -> list[dict[str, Any]]:
    """Return rules as plain JSON values, with their conditions as text."""
    keys = ("prediction", "n", "support", "confidence", "spread")
    return [{"if": formatted(rule.conditions)} | {key: getattr(rule, key) for key in keys} for rule in rules]
