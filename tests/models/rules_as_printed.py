"""Rules judged by their text alone: it is parsed, evaluated and counted, and compared with the figures beside it."""

from __future__ import annotations

import re

import numpy as np
import pytest

from structtree.lang import syntax as syn
from structtree.lang.parse import parse_predicate
from structtree.lang.resolve import Scope, resolve
from structtree.lang.walk import children
from structtree.space.evaluate import holds

SENTENCE = re.compile(
    r"if (?P<conditions>.+) then (?P<said>\S+) \(n=(?P<n>\d+)(?:, weight (?P<weight>\S+))?"
    r"(?:, confidence (?P<confidence>\S+))?(?:, ± (?P<spread>\S+))?\)"
)


def misquoted(rules, population, target, weights=None):
    """The rules whose figures are not those of the individuals for whom the text holds."""
    target, weights = np.asarray(target), np.ones(len(population)) if weights is None else np.asarray(weights)
    return [str(rule) for rule in rules if not is_true(rule, population, target, weights)]


def is_true(rule, population, target, weights):
    printed = SENTENCE.fullmatch(str(rule))
    conditions = read(printed["conditions"], rule.conditions, population.schema)
    which = np.flatnonzero(holds(conditions, population) & (weights > 0))
    weight, quoted = weights[which].sum(), float(printed["weight"] or printed["n"])
    figures = [int(printed["n"]) == len(which), quoted == pytest.approx(weight, rel=1e-3)]
    if printed["confidence"] is not None:
        right = weights[which] @ (target[which].astype(str) == printed["said"])
        figures.append(float(printed["confidence"]) == pytest.approx(right / weight, abs=0.00501))
    if printed["spread"] is not None:
        mean, off = moments(target[which], weights[which], rule.prediction)
        figures += [rule.prediction == pytest.approx(mean)]
        figures += [float(printed["spread"]) == pytest.approx(off, rel=6e-3, abs=1e-6)]
    return all(figures)


def moments(numbers, weights, prediction):
    return np.average(numbers, weights=weights), np.sqrt(np.average((numbers - prediction) ** 2, weights=weights))


def read(text, shown, schema):
    """The predicate of a text; what its names are defined to be is known from what it shows."""
    definitions = {
        name: syn.Definition(name, schema.individual, body) for name, body in definitions_in(shown).items()
    }
    (found,) = resolve(parse_predicate(text), schema.individual, Scope(schema, definitions))
    return found


def definitions_in(predicate):
    inside = {predicate.name: predicate.body} if isinstance(predicate, syn.Named) else {}
    for part in children(predicate):
        inside |= definitions_in(part)
    return inside
