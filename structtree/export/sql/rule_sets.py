"""Export of rule sets as one SQL view over the tables of the training database.

As for ensembles, each test is evaluated once per individual, as a column that is 1 where the rule holds, and 0
elsewhere; so the votes of all rules that hold are sums of these columns times numbers.

Law: SQLite and DuckDB predict what the rule set predicts (`tests/export/test_rules.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from structtree.data.readers.databases.storage import Engine
from structtree.export.sql.ensembles import SingleView, sum_of
from structtree.export.sql.values import number_literal
from structtree.models.model import Model
from structtree.models.rule_set import RuleSetPredictor, votes_of

__all__ = ["rule_set_view"]


def rule_set_view(model: Model, engine: Engine) -> str:
    """Return the view ``prediction`` of a rule set that was learned from tables.

    Parameters
    ----------
    model : Model
    engine : {"sqlite", "duckdb"}
    """
    rules = model.predictor
    assert isinstance(rules, RuleSetPredictor)
    return _RuleSetView(model, engine, [(test,) for test in rules.tests], rules.classes, rules.decision).text()


class _RuleSetView(SingleView):
    """Writer of the SQL view of a rule set."""

    def margins(self, conditions: Sequence[Sequence[str]]) -> Iterator[str]:
        """Yield the votes of the rules that hold, or of the default, divided by their sum."""
        rules = self.model.predictor
        assert isinstance(rules, RuleSetPredictor)
        votes = votes_of(rules.figures, rules.task)
        wholes = votes.sum(axis=1) if self.classes else votes[:, 0]
        shares = votes[:, : max(1, len(self.classes) - 1)] if self.classes else votes[:, 1:]
        whole, holds = _weighted(wholes[:-1].tolist()), _weighted([1.0] * len(rules.rules))
        for own in shares.T:
            default = number_literal(float(own[-1] / wholes[-1]))
            added = _weighted(own[:-1].tolist())
            yield f"CASE WHEN {holds} > 0 THEN 1e0 * {added} / {whole} ELSE {default} END"  # no integer division


def _weighted(numbers: Iterable[float]) -> str:
    """Return the sum of numbers over the rules that hold, in parentheses.

    Examples
    --------
    >>> _weighted([2.0, 0.0, 1.0]), _weighted([3.5]), _weighted([])
    ('(t0 * 2 + t2)', '(t0 * 3.5e0)', '(0)')
    """
    terms = [
        f"t{place}" if number == 1 else f"t{place} * {number_literal(number)}"
        for place, number in enumerate(numbers)
        if number
    ]
    return sum_of(terms) if len(terms) > 1 else f"({''.join(terms) or '0'})"
