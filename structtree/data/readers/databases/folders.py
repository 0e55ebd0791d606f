"""Folders of tables: one CSV, Parquet or Feather file per table, with the name of the table."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from pathlib import Path
from typing import Any

from structtree.data.readers.databases.keys import Database, read_sheets
from structtree.data.readers.tables.delimited import csv_layout, csv_sheet
from structtree.data.readers.tables.reading import arrow_sheet
from structtree.data.readers.tables.sheets import Sheet
from structtree.data.readers.text_files import MISSING_WORDS, extension_of
from structtree.errors import DataError

__all__ = ["TABLE_FILES", "read_table_folder", "tables_in"]

_LAYOUT = ("delimiter", "header", "encoding")


def _delimited(path: Path, options: Mapping[str, Any]) -> Sheet:
    layout = csv_layout(path, **{name: value for name, value in options.items() if name in _LAYOUT})
    return csv_sheet(layout, **{name: value for name, value in options.items() if name not in _LAYOUT})


TABLE_FILES: Mapping[str, Callable[[Path, Mapping[str, Any]], Sheet]] = {
    ".csv": _delimited,
    ".tsv": _delimited,
    ".parquet": lambda path, options: arrow_sheet(path, "Parquet"),
    ".pq": lambda path, options: arrow_sheet(path, "Parquet"),
    ".feather": lambda path, options: arrow_sheet(path, "Feather"),
    ".arrow": lambda path, options: arrow_sheet(path, "Feather"),
}
"""Reader of the table files with each extension."""


def tables_in(folder: Path) -> dict[str, Path]:
    """Return the table files of a folder by table name, in alphabetical order."""
    found: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        if path.is_file() and extension_of(path) in TABLE_FILES and not path.name.startswith("."):
            name = path.name[: path.name.lower().index(extension_of(path), 1)]
            if name in found:
                raise DataError(
                    f"{found[name].name} and {path.name} both contain the table {name!r}", source=str(folder)
                )
            found[name] = path
    return found


def read_table_folder(folder: Path, exclude: Container[str] = (), **options: Any) -> Database:
    """Return the tables of a folder, without keys.

    Parameters
    ----------
    folder : path
    exclude : container of str
        Tables to skip.
    delimiter, header, encoding, decimal, missing_words
        For delimited text, as in `structtree.data.readers.tables.reading.read_csv`.
    """
    files = tables_in(folder)
    if not files:
        raise DataError(f"the folder has no files with tables ({', '.join(TABLE_FILES)})", source=str(folder))
    tables = read_sheets(files, exclude, lambda name: TABLE_FILES[extension_of(files[name])](files[name], options))
    return Database(str(folder), tables, missing_words=tuple(options.get("missing_words") or MISSING_WORDS))
