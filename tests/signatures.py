"""Write the stub in which editors and type checkers find the options of learning: python -m tests.signatures"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import structtree.learn
from structtree.estimators import _Input
from structtree.features import _Output
from structtree.forests import _Repeating
from structtree.models.settings import (
    IN_ENSEMBLES,
    IN_RULE_LISTS,
    IN_RULE_SETS,
    OF_FEATURES,
    Boosting,
    Decision,
    FeatureOptions,
    Forest,
    Growth,
    Objective,
    Pruning,
    Rules,
)
from structtree.options import options_of

STUB = Path(structtree.learn.__file__).with_name("parameters.pyi")

HEAD = '''\
"""The options of learning as type checkers see them: parameters of the estimators, and keywords of `fit` and `grow`.

Written by ``python -m tests.signatures`` from the declarations in `structtree.models.settings`; do not edit.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict

from numpy.random import RandomState
from numpy.typing import ArrayLike

from structtree.data.labels import Unlabelled
from structtree.lang.grammar import Grammar
from structtree.models.settings import Costs, Estimate, Goal, LossName, PruneBy, StopRule
from structtree.search.effort import EffortLevel
from structtree.tasks.criteria import Criterion
from structtree.tasks.task import Task

__all__ = [
    "BoostingClassifierParameters",
    "BoostingRegressorParameters",
    "ClassifierParameters",
    "FeaturesParameters",
    "FitOptions",
    "ForestClassifierParameters",
    "ForestRegressorParameters",
    "GrowthOptions",
    "RegressorParameters",
    "RuleListClassifierParameters",
    "RuleListRegressorParameters",
    "RuleSetClassifierParameters",
    "RuleSetRegressorParameters",
]
'''


def written(*declarations):
    """Each option with its annotation as it is written in the declaration; inherited ones only once."""
    seen = set()
    for home in declarations:
        for each, field in zip(options_of(home), fields(home), strict=True):
            if each.parameter not in seen:
                yield each, field.type.replace("'", '"')
            seen.add(each.parameter)


def keywords(name, base, function, *declarations):
    lines = [f"{each.parameter}: {kind}" for each, kind in written(*declarations)]
    return class_of(f"{name}({base}, total=False)", f"Options of `structtree.{function}` as keywords.", lines)


def of_trees():
    return written(_Input, Objective, Growth, Pruning, Decision)


def of_ensembles(kind_of_model, *declarations):
    yield from written(_Input, *declarations)
    yield from (
        (each, kind)
        for each, kind in written(Objective, Growth, Pruning, Decision)
        if each.name in IN_ENSEMBLES[kind_of_model]
    )


def of_features():
    yield from written(_Input, _Output, FeatureOptions)
    yield from ((each, kind) for each, kind in written(Forest, Growth) if each.name in OF_FEATURES)


def of_rule_lists():
    yield from written(_Input, Rules)
    yield from (
        (each, kind) for each, kind in written(Objective, Growth, Pruning, Decision) if each.name in IN_RULE_LISTS
    )


def of_rule_sets():
    yield from written(_Input)
    yield from ((each, kind) for each, kind in written(Rules) if each.name != "order")
    yield from (
        (each, kind) for each, kind in written(Objective, Growth, Pruning, Decision) if each.name in IN_RULE_SETS
    )


def parameters(name, options, *, classes):
    declared = [
        (each.parameter, each.annotation or kind, each.usual)
        for each, kind in options
        if classes or not each.for_classes
    ]
    attributes = [f"{parameter}: {kind}" for parameter, kind, _ in declared]
    first, *others = [f"    {parameter}: {kind} = {literal(usual)}," for parameter, kind, usual in declared]
    init = ["def __init__(", "    self,", first, "    *,", *others, ") -> None: ..."]
    own = name.removeprefix("Tree")
    estimator = name if name.startswith("Rule") else f"Structural{name}"
    return class_of(f"{own}Parameters", f"Parameters of `structtree.{estimator}`.", [*attributes, *init])


def literal(value):
    return f'"{value}"' if isinstance(value, str) else repr(value)


def class_of(head, summary, lines):
    return "\n".join([f"class {head}:", f'    """{summary}"""', "", *(f"    {line}" for line in lines), ""])


def stub():
    """The text of the stub."""
    return "\n".join(
        [
            HEAD,
            keywords("GrowthOptions", "TypedDict", "grow", Growth),
            keywords("FitOptions", "GrowthOptions", "fit", Pruning, Decision, Forest, Boosting, Rules),
            parameters("TreeClassifier", of_trees(), classes=True),
            parameters("TreeRegressor", of_trees(), classes=False),
            parameters("ForestClassifier", of_ensembles("forest", _Repeating, Forest), classes=True),
            parameters("ForestRegressor", of_ensembles("forest", _Repeating, Forest), classes=False),
            parameters("BoostingClassifier", of_ensembles("boosting", Boosting), classes=True),
            parameters("BoostingRegressor", of_ensembles("boosting", Boosting), classes=False),
            parameters("Features", of_features(), classes=True),
            parameters("RuleListClassifier", of_rule_lists(), classes=True),
            parameters("RuleListRegressor", of_rule_lists(), classes=False),
            parameters("RuleSetClassifier", of_rule_sets(), classes=True),
            parameters("RuleSetRegressor", of_rule_sets(), classes=False),
        ]
    )


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
