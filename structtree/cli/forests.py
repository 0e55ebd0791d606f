"""The output of `fit` for a forest or a boosted sum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from structtree.cli.common import say, seconds_text
from structtree.cli.flags import as_flag
from structtree.cli.reading import print_grammar
from structtree.cli.scoring import Metrics

if TYPE_CHECKING:
    from structtree.session.fitting import ScoreEstimate, SourceFit

__all__ = ["ensemble_json", "print_ensemble"]


def print_ensemble(fitted: SourceFit, estimated: ScoreEstimate, metrics: Metrics, out: Path | None) -> None:
    """Print a model with many trees after a fit: its description, scores and settings."""
    from structtree.evaluation.out_of_bag import OutOfBag
    from structtree.report.forests import forest_lines

    model, found = fitted.model, estimated.found
    for line in forest_lines(model):
        say(line)
    columns = {"training data": fitted.train_scores(metrics.names)}
    if found is not None:
        how = "new data (out of bag)" if isinstance(found, OutOfBag) else "new data (cross-validation)"
        columns[how] = found.evaluate(metrics.names)
    for line in ["", *metrics.lines(str(model.target), columns), ""]:
        say(line)
    if estimated.why_not is not None:
        say(f"New data: {estimated.why_not.sentence(as_flag)}")
    say(f"learned in {seconds_text(fitted.seconds)} s; {model.route.why}")
    say(f"Settings: {', '.join(_settings(fitted))}")
    print_grammar(fitted.grammar, fitted.training.data)
    if out is not None:
        say(f"saved {out}; use it with: structtree predict {quote(str(out))} DATA")


def ensemble_json(fitted: SourceFit) -> dict[str, Any]:
    """Return the figures of a model with many trees, for JSON."""
    from structtree.lang.pretty import pretty
    from structtree.models.importance import column_importances, importances
    from structtree.report.forests import forest_facts

    model, kind = fitted.model, fitted.model.predictor.kind
    return {
        "model_kind": kind,
        kind: asdict(getattr(model.settings, kind)),
        **forest_facts(model),
        "importances": importances(model),
        "column_importances": {pretty(test): share for test, share in column_importances(model).items()},
    }


def _settings(fitted: SourceFit) -> Iterator[str]:
    settings = fitted.model.settings
    growth, forest, boosting = settings.growth, settings.forest, settings.boosting
    if forest is not None:
        yield f"criterion {settings.criterion}"
        yield f"{forest.max_features} columns per node"
        share = f"{forest.max_samples or 1:.0%} of the individuals per tree"
        yield "bootstrap samples" if forest.bootstrap else share
        yield f"{forest.thresholds} thresholds"
    if boosting is not None:
        yield f"loss {settings.criterion}"
        yield f"learning rate {boosting.learning_rate:g}"
        yield f"at most {growth.max_leaf_nodes} leaves per tree"
        yield f"l2 {boosting.l2:g}"
    yield f"minimum samples per leaf {growth.min_samples_leaf}"
    if growth.max_depth is not None:
        yield f"maximum depth {growth.max_depth}"
