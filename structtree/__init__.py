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
    from structtree.boosting import StructuralBoostingClassifier, StructuralBoostingRegressor
    from structtree.data.datasets.catalog import Dataset, dataset_names, load_dataset
    from structtree.data.population import Population
    from structtree.data.readers.opening import open_data
    from structtree.data.readers.records.reading import read_jsonl, write_jsonl
    from structtree.data.readers.tables.reading import read_csv
    from structtree.data.schema import Attribute, Link, RecordType, Schema
    from structtree.errors import DataError, GrammarError, StructtreeError
    from structtree.estimators import StructuralTreeClassifier, StructuralTreeRegressor
    from structtree.evaluation.curves import (
        calibration_curve,
        coverage_curve,
        lift_curve,
        precision_recall_curve,
        roc_curve,
    )
    from structtree.evaluation.performance import Performance, performance
    from structtree.evaluation.permutation import permutation_importances
    from structtree.evaluation.score import Scores, evaluate
    from structtree.evaluation.validate import compare, cross_validate, mcnemar_test
    from structtree.export.prolog.clauses import export_prolog
    from structtree.export.smarts import export_smarts
    from structtree.export.sql.views import export_sql
    from structtree.features import StructuralFeatures
    from structtree.forests import StructuralForestClassifier, StructuralForestRegressor
    from structtree.lang.default import default_grammar
    from structtree.lang.grammar import Grammar, shipped_grammars
    from structtree.lang.parse import parse_predicate
    from structtree.lang.pretty import pretty
    from structtree.learn.distilling import distil
    from structtree.learn.growing import grow
    from structtree.learn.plan import plan_for
    from structtree.models.boosting import BoostingPredictor
    from structtree.models.contributions import contributions
    from structtree.models.ensemble import ForestPredictor
    from structtree.models.files.models import load_model, save_model
    from structtree.models.importance import column_importances, importances
    from structtree.models.model import Model
    from structtree.models.predictor import Predictor, register_predictor
    from structtree.models.rule_set import RuleSetPredictor
    from structtree.models.rules import Rule, to_formula, to_rules
    from structtree.models.settings import Boosting, Decision, Forest, Growth, Pruning, Rules
    from structtree.models.tree import Branch, Leaf, MultiwayBranch, Tree
    from structtree.models.tree_predictor import TreePredictor
    from structtree.progress import StatusLine
    from structtree.report.effort import compare_effort
    from structtree.report.explain import explain
    from structtree.report.html.notebook import html_view
    from structtree.report.html.page import html_report
    from structtree.report.pictures.explanations import plot_explanation
    from structtree.report.pictures.trees import plot_tree
    from structtree.report.text import export_text
    from structtree.report.words import in_words
    from structtree.rule_models import RuleListClassifier, RuleListRegressor, RuleSetClassifier, RuleSetRegressor
    from structtree.rules.patterns import AssociationRule, Pattern, Patterns
    from structtree.rules.subgroups import Subgroup, Subgroups
    from structtree.search.best_split import best_split
    from structtree.search.results import SearchStats, Split
    from structtree.search.why_not import WhyNot, why_not
    from structtree.session.discovery import patterns, subgroups
    from structtree.session.fitting import fit
    from structtree.space.count import count_space
    from structtree.space.evaluate import holds
    from structtree.space.meaning import Witness, satisfies, witnesses
    from structtree.space.space import Space
    from structtree.space.terms import canonical
    from structtree.tasks.criteria import Criterion
    from structtree.tasks.registry import register_task
    from structtree.tasks.task import Task

# Where each public name lives; it is imported when it is first asked for, so that `import structtree` is quick.
_HOMES = {
    "AssociationRule": "rules.patterns",
    "Attribute": "data.schema",
    "Audit": "auditing.findings",
    "Boosting": "models.settings",
    "BoostingPredictor": "models.boosting",
    "Branch": "models.tree",
    "Criterion": "tasks.criteria",
    "DataError": "errors",
    "Dataset": "data.datasets.catalog",
    "Decision": "models.settings",
    "Finding": "auditing.findings",
    "Forest": "models.settings",
    "ForestPredictor": "models.ensemble",
    "Grammar": "lang.grammar",
    "GrammarError": "errors",
    "Growth": "models.settings",
    "Leaf": "models.tree",
    "Link": "data.schema",
    "Model": "models.model",
    "Performance": "evaluation.performance",
    "Population": "data.population",
    "Predictor": "models.predictor",
    "Pruning": "models.settings",
    "RecordType": "data.schema",
    "Rule": "models.rules",
    "RuleListClassifier": "rule_models",
    "RuleListRegressor": "rule_models",
    "RuleSetClassifier": "rule_models",
    "RuleSetPredictor": "models.rule_set",
    "RuleSetRegressor": "rule_models",
    "Rules": "models.settings",
    "Schema": "data.schema",
    "Scores": "evaluation.score",
    "SearchStats": "search.results",
    "Space": "space.space",
    "Split": "search.results",
    "Subgroup": "rules.subgroups",
    "Subgroups": "rules.subgroups",
    "StructtreeError": "errors",
    "StatusLine": "progress",
    "StructuralBoostingClassifier": "boosting",
    "StructuralBoostingRegressor": "boosting",
    "StructuralFeatures": "features",
    "StructuralForestClassifier": "forests",
    "StructuralForestRegressor": "forests",
    "StructuralTreeClassifier": "estimators",
    "StructuralTreeRegressor": "estimators",
    "MultiwayBranch": "models.tree",
    "Task": "tasks.task",
    "Tree": "models.tree",
    "TreePredictor": "models.tree_predictor",
    "WhyNot": "search.why_not",
    "Witness": "space.meaning",
    "audit": "auditing.run",
    "best_split": "search.best_split",
    "calibration_curve": "evaluation.curves",
    "canonical": "space.terms",
    "column_importances": "models.importance",
    "contributions": "models.contributions",
    "compare": "evaluation.validate",
    "compare_effort": "report.effort",
    "count_space": "space.count",
    "coverage_curve": "evaluation.curves",
    "cross_validate": "evaluation.validate",
    "dataset_names": "data.datasets.catalog",
    "default_grammar": "lang.default",
    "distil": "learn.distilling",
    "evaluate": "evaluation.score",
    "explain": "report.explain",
    "export_prolog": "export.prolog.clauses",
    "export_smarts": "export.smarts",
    "export_sql": "export.sql.views",
    "export_text": "report.text",
    "fit": "session.fitting",
    "grow": "learn.growing",
    "holds": "space.evaluate",
    "html_report": "report.html.page",
    "html_view": "report.html.notebook",
    "importances": "models.importance",
    "in_words": "report.words",
    "lift_curve": "evaluation.curves",
    "load_dataset": "data.datasets.catalog",
    "load_model": "models.files.models",
    "mcnemar_test": "evaluation.validate",
    "open_data": "data.readers.opening",
    "parse_predicate": "lang.parse",
    "Pattern": "rules.patterns",
    "Patterns": "rules.patterns",
    "patterns": "session.discovery",
    "performance": "evaluation.performance",
    "permutation_importances": "evaluation.permutation",
    "plan_for": "learn.plan",
    "plot_explanation": "report.pictures.explanations",
    "plot_tree": "report.pictures.trees",
    "precision_recall_curve": "evaluation.curves",
    "pretty": "lang.pretty",
    "read_csv": "data.readers.tables.reading",
    "read_jsonl": "data.readers.records.reading",
    "register_predictor": "models.predictor",
    "register_task": "tasks.registry",
    "roc_curve": "evaluation.curves",
    "satisfies": "space.meaning",
    "save_model": "models.files.models",
    "shipped_grammars": "lang.grammar",
    "subgroups": "session.discovery",
    "to_formula": "models.rules",
    "to_rules": "models.rules",
    "why_not": "search.why_not",
    "witnesses": "space.meaning",
    "write_jsonl": "data.readers.records.reading",
}

__all__ = [
    "AssociationRule",
    "Attribute",
    "Audit",
    "Boosting",
    "BoostingPredictor",
    "Branch",
    "Criterion",
    "DataError",
    "Dataset",
    "Decision",
    "Finding",
    "Forest",
    "ForestPredictor",
    "Grammar",
    "GrammarError",
    "Growth",
    "Leaf",
    "Link",
    "Model",
    "MultiwayBranch",
    "Pattern",
    "Patterns",
    "Performance",
    "Population",
    "Predictor",
    "Pruning",
    "RecordType",
    "Rule",
    "RuleListClassifier",
    "RuleListRegressor",
    "RuleSetClassifier",
    "RuleSetPredictor",
    "RuleSetRegressor",
    "Rules",
    "Schema",
    "Scores",
    "SearchStats",
    "Space",
    "Split",
    "StatusLine",
    "StructtreeError",
    "StructuralBoostingClassifier",
    "StructuralBoostingRegressor",
    "StructuralFeatures",
    "StructuralForestClassifier",
    "StructuralForestRegressor",
    "StructuralTreeClassifier",
    "StructuralTreeRegressor",
    "Subgroup",
    "Subgroups",
    "Task",
    "Tree",
    "TreePredictor",
    "WhyNot",
    "Witness",
    "__version__",
    "audit",
    "best_split",
    "calibration_curve",
    "canonical",
    "column_importances",
    "compare",
    "compare_effort",
    "contributions",
    "count_space",
    "coverage_curve",
    "cross_validate",
    "dataset_names",
    "default_grammar",
    "distil",
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
    "lift_curve",
    "load_dataset",
    "load_model",
    "mcnemar_test",
    "open_data",
    "parse_predicate",
    "patterns",
    "performance",
    "permutation_importances",
    "plan_for",
    "plot_explanation",
    "plot_tree",
    "precision_recall_curve",
    "pretty",
    "read_csv",
    "read_jsonl",
    "register_predictor",
    "register_task",
    "roc_curve",
    "satisfies",
    "save_model",
    "shipped_grammars",
    "subgroups",
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
