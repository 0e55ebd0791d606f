"""Decision and regression trees over structured data: graphs, sets, lists, nested records, and tables.

Begin with `load_dataset`, `Grammar` and `Space`:

>>> from structtree import Grammar, Space, holds, load_dataset
>>> trains = load_dataset("trains")
>>> space = Space.build(Grammar.load("trains"), trains.population)
>>> short_and_closed = space.parse("exists cars (not long and roof != none)")
>>> int(holds(short_and_closed, trains.population).sum())
8
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from structtree.auditing.findings import Audit, Finding
    from structtree.auditing.run import audit
    from structtree.data.catalog import Dataset, dataset_names, load_dataset
    from structtree.data.columns import Population
    from structtree.data.opening import open_data
    from structtree.data.records import read_jsonl, write_jsonl
    from structtree.data.schema import Attribute, Link, RecordType, Schema
    from structtree.data.tables import read_csv
    from structtree.errors import DataError, GrammarError, StructtreeError
    from structtree.estimators import StructuralTreeClassifier, StructuralTreeRegressor
    from structtree.lang.default import default_grammar
    from structtree.lang.grammar import Grammar, shipped_grammars
    from structtree.lang.parse import parse_predicate
    from structtree.lang.pretty import pretty
    from structtree.learn.fit import fit
    from structtree.learn.grow import grow
    from structtree.learn.growth import Decision, Growth, Pruning
    from structtree.learn.importance import importances
    from structtree.learn.model import Model, load_model, save_model
    from structtree.learn.plan import plan_for
    from structtree.learn.rules import to_formula, to_rules
    from structtree.learn.score import Scores, evaluate
    from structtree.learn.tree import Branch, Leaf, Switch, Tree
    from structtree.learn.validate import compare, cross_validate
    from structtree.report.effort import compare_effort
    from structtree.report.explain import explain
    from structtree.report.explanation_picture import plot_explanation
    from structtree.report.html import html_report
    from structtree.report.notebook import html_view
    from structtree.report.picture import plot_tree
    from structtree.report.prolog import export_prolog
    from structtree.report.smarts import export_smarts
    from structtree.report.sql import export_sql
    from structtree.report.text import export_text
    from structtree.report.words import in_words
    from structtree.search.best_split import best_split
    from structtree.search.criteria import Criterion
    from structtree.search.results import SearchStats, Split
    from structtree.search.why_not import WhyNot, why_not
    from structtree.space.count import count_space
    from structtree.space.evaluate import holds
    from structtree.space.meaning import Witness, satisfies, witnesses
    from structtree.space.space import Space
    from structtree.space.terms import canonical
    from structtree.telling import StatusLine

# Where each public name lives; it is imported when it is first asked for, so that `import structtree` is quick.
_HOMES = {
    "Attribute": "data.schema",
    "Audit": "auditing.findings",
    "Branch": "learn.tree",
    "Criterion": "search.criteria",
    "DataError": "errors",
    "Dataset": "data.catalog",
    "Decision": "learn.growth",
    "Finding": "auditing.findings",
    "Grammar": "lang.grammar",
    "GrammarError": "errors",
    "Growth": "learn.growth",
    "Leaf": "learn.tree",
    "Link": "data.schema",
    "Model": "learn.model",
    "Population": "data.columns",
    "Pruning": "learn.growth",
    "RecordType": "data.schema",
    "Schema": "data.schema",
    "Scores": "learn.score",
    "SearchStats": "search.results",
    "Space": "space.space",
    "Split": "search.results",
    "StructtreeError": "errors",
    "StatusLine": "telling",
    "StructuralTreeClassifier": "estimators",
    "StructuralTreeRegressor": "estimators",
    "Switch": "learn.tree",
    "Tree": "learn.tree",
    "WhyNot": "search.why_not",
    "Witness": "space.meaning",
    "audit": "auditing.run",
    "best_split": "search.best_split",
    "canonical": "space.terms",
    "compare": "learn.validate",
    "compare_effort": "report.effort",
    "count_space": "space.count",
    "cross_validate": "learn.validate",
    "dataset_names": "data.catalog",
    "default_grammar": "lang.default",
    "evaluate": "learn.score",
    "explain": "report.explain",
    "export_prolog": "report.prolog",
    "export_smarts": "report.smarts",
    "export_sql": "report.sql",
    "export_text": "report.text",
    "fit": "learn.fit",
    "grow": "learn.grow",
    "holds": "space.evaluate",
    "html_report": "report.html",
    "html_view": "report.notebook",
    "importances": "learn.importance",
    "in_words": "report.words",
    "load_dataset": "data.catalog",
    "load_model": "learn.model",
    "open_data": "data.opening",
    "parse_predicate": "lang.parse",
    "plan_for": "learn.plan",
    "plot_explanation": "report.explanation_picture",
    "plot_tree": "report.picture",
    "pretty": "lang.pretty",
    "read_csv": "data.tables",
    "read_jsonl": "data.records",
    "satisfies": "space.meaning",
    "save_model": "learn.model",
    "shipped_grammars": "lang.grammar",
    "to_formula": "learn.rules",
    "to_rules": "learn.rules",
    "why_not": "search.why_not",
    "witnesses": "space.meaning",
    "write_jsonl": "data.records",
}

__all__ = [
    "Attribute",
    "Audit",
    "Branch",
    "Criterion",
    "DataError",
    "Dataset",
    "Decision",
    "Finding",
    "Grammar",
    "GrammarError",
    "Growth",
    "Leaf",
    "Link",
    "Model",
    "Population",
    "Pruning",
    "RecordType",
    "Schema",
    "Scores",
    "SearchStats",
    "Space",
    "Split",
    "StatusLine",
    "StructtreeError",
    "StructuralTreeClassifier",
    "StructuralTreeRegressor",
    "Switch",
    "Tree",
    "WhyNot",
    "Witness",
    "__version__",
    "audit",
    "best_split",
    "canonical",
    "compare",
    "compare_effort",
    "count_space",
    "cross_validate",
    "dataset_names",
    "default_grammar",
    "evaluate",
    "explain",
    "export_prolog",
    "export_smarts",
    "export_sql",
    "export_text",
    "fit",
    "grow",
    "holds",
    "html_report",
    "html_view",
    "importances",
    "in_words",
    "load_dataset",
    "load_model",
    "open_data",
    "parse_predicate",
    "plan_for",
    "plot_explanation",
    "plot_tree",
    "pretty",
    "read_csv",
    "read_jsonl",
    "satisfies",
    "save_model",
    "shipped_grammars",
    "to_formula",
    "to_rules",
    "why_not",
    "witnesses",
    "write_jsonl",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'structtree' has no attribute {name!r}")
    value = getattr(import_module(f"structtree.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
