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
    from structtree.data.catalog import Dataset, dataset_names, load_dataset
    from structtree.data.columns import Population
    from structtree.data.opening import open_data
    from structtree.data.records import read_jsonl, write_jsonl
    from structtree.data.schema import Attribute, Link, RecordType, Schema
    from structtree.data.tables import read_csv
    from structtree.errors import DataError, GrammarError, StructtreeError
    from structtree.lang.grammar import Grammar, shipped_grammars
    from structtree.lang.parse import parse_predicate
    from structtree.lang.pretty import pretty
    from structtree.report.effort import compare_effort
    from structtree.search.best_split import best_split
    from structtree.search.results import SearchStats, Split
    from structtree.search.why_not import WhyNot, why_not
    from structtree.space.count import count_space
    from structtree.space.evaluate import holds
    from structtree.space.meaning import Witness, satisfies, witnesses
    from structtree.space.space import Space
    from structtree.space.terms import canonical

# Where each public name lives; it is imported when it is first asked for, so that `import structtree` is quick.
_HOMES = {
    "Attribute": "data.schema",
    "DataError": "errors",
    "Dataset": "data.catalog",
    "Grammar": "lang.grammar",
    "GrammarError": "errors",
    "Link": "data.schema",
    "Population": "data.columns",
    "RecordType": "data.schema",
    "Schema": "data.schema",
    "SearchStats": "search.results",
    "Space": "space.space",
    "Split": "search.results",
    "StructtreeError": "errors",
    "WhyNot": "search.why_not",
    "Witness": "space.meaning",
    "best_split": "search.best_split",
    "canonical": "space.terms",
    "count_space": "space.count",
    "compare_effort": "report.effort",
    "dataset_names": "data.catalog",
    "holds": "space.evaluate",
    "load_dataset": "data.catalog",
    "open_data": "data.opening",
    "parse_predicate": "lang.parse",
    "pretty": "lang.pretty",
    "read_csv": "data.tables",
    "read_jsonl": "data.records",
    "satisfies": "space.meaning",
    "shipped_grammars": "lang.grammar",
    "why_not": "search.why_not",
    "witnesses": "space.meaning",
    "write_jsonl": "data.records",
}

__all__ = [
    "Attribute",
    "DataError",
    "Dataset",
    "Grammar",
    "GrammarError",
    "Link",
    "Population",
    "RecordType",
    "Schema",
    "SearchStats",
    "Space",
    "Split",
    "StructtreeError",
    "WhyNot",
    "Witness",
    "__version__",
    "best_split",
    "canonical",
    "compare_effort",
    "count_space",
    "dataset_names",
    "holds",
    "load_dataset",
    "open_data",
    "parse_predicate",
    "pretty",
    "read_csv",
    "read_jsonl",
    "satisfies",
    "shipped_grammars",
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
    return sorted([*globals(), *_HOMES])
