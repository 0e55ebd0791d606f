"""Decision and regression trees over structured data: graphs, sets, lists, nested records, and tables."""

__version__ = "0.1.0"
