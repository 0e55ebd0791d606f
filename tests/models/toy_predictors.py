"""Predictors that nothing in the package knows: a constant number, and the mean of some predictors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from structtree import Predictor, register_predictor
from structtree.models.predictor import predictor_from_json, predictor_to_json


@register_predictor
@dataclass(frozen=True)
class Constant(Predictor):
    """The same number for everybody."""

    kind: ClassVar = "constant"
    classes: ClassVar = ()

    schema: object
    number: float

    def predict(self, population):
        return np.full(len(population), self.number)

    def to_json(self):
        return {"number": self.number}

    @classmethod
    def from_json(cls, part, reader):
        return cls(reader.schema, part.member("number").number())


@register_predictor
@dataclass(frozen=True)
class Mean(Predictor):
    """The mean of the probabilities of some predictors of classes."""

    kind: ClassVar = "mean"

    members: tuple

    @property
    def schema(self):
        return self.members[0].schema

    @property
    def classes(self):
        return self.members[0].classes

    @property
    def tests(self):
        return tuple(test for member in self.members for test in member.tests)

    def predict(self, population):
        return self.predict_proba(population).argmax(axis=1)

    def predict_proba(self, population):
        return np.mean([member.predict_proba(population) for member in self.members], axis=0)

    def to_json(self):
        return {"members": [predictor_to_json(member) for member in self.members]}

    @classmethod
    def from_json(cls, part, reader):
        return cls(tuple(predictor_from_json(each, reader) for each in part.member("members").elements()))
