"""Molecule files: the notation, line and attributes of each molecule.

A table has a column of SMILES, recognised by its name, and other columns that become attributes. A ``.smi`` file has
one SMILES per line, optionally followed by whitespace and a name; or a header. An SD file has blocks that end in
``$$$$``, each with the connection table of a molecule and its properties. The texts are parsed in
`structtree.data.readers.molecules.reading`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from structtree.data.kinds import keys_of, values_of
from structtree.data.readers.tables.delimited import CsvLayout, csv_sheet
from structtree.data.readers.tables.sheets import Coded, Sheet, Texts
from structtree.data.readers.text_files import MISSING_WORDS, extension_of, open_text_file, present
from structtree.errors import DataError, UnknownNameError, UsageError

__all__ = ["MoleculeSheet", "Notation", "block_sheet", "has_table_name", "line_sheet", "smiles_column", "table_sheet"]

Notation = Literal["smiles", "molblock"]


@dataclass(frozen=True, slots=True, eq=False)
class MoleculeSheet:
    """The molecules of a file, as text.

    Parameters
    ----------
    texts : sequence of str or None
        SMILES or connection table of each molecule; None if missing.
    rest : Sheet
        Other columns of the file.
    names : mapping
        Strings that identify the molecules, by kind: SMILES, titles, names.
    """

    texts: Sequence[str | None]
    rest: Sheet
    names: Mapping[str, Sequence[str | None]]


def has_table_name(path: str | os.PathLike[str]) -> bool:
    """Return whether a file name has the extension of a table.

    Examples
    --------
    >>> has_table_name("a.csv.gz"), has_table_name("a.smi")
    (True, False)
    """
    return extension_of(path) in (".csv", ".tsv")


def smiles_column(names: Sequence[str]) -> str | None:
    """Return the name of the column that contains SMILES, judged by its name, or None.

    Examples
    --------
    >>> smiles_column(["id", "SMILES"]), smiles_column(["canonical_smiles", "smiles"]), smiles_column(["smile"])
    ('SMILES', 'smiles', None)
    """
    exact = [name for name in names if name.lower() == "smiles"]
    near = [name for name in names if "smiles" in re.split(r"[\W_]+", name.lower())]
    return next(iter(exact + near), None)


def table_sheet(
    layout: CsvLayout,
    smiles: str | None = None,
    *,
    decimal: str = ".",
    missing_words: Sequence[str] = MISSING_WORDS,
    as_text: Collection[str] = (),
) -> MoleculeSheet:
    """Read a table with a SMILES column.

    Parameters
    ----------
    layout : CsvLayout
    smiles : str, optional
        SMILES column; recognised by its name by default.
    decimal, missing_words, as_text
        As in `structtree.data.readers.tables.delimited.csv_sheet`.
    """
    column = smiles_column(layout.names) if smiles is None else smiles
    if column is None:
        known = ", ".join(map(repr, layout.names[:6]))
        message = f"no column is named smiles (columns: {known}); set the column of SMILES with smiles=NAME"
        raise UsageError(f"{layout.source}: {message}")
    if column not in layout.names:
        raise UnknownNameError("column", column, layout.names)
    sheet = csv_sheet(layout, decimal=decimal, missing_words=missing_words, as_text={column, *as_text})
    texts = sheet.columns[column]
    assert isinstance(texts, Coded)  # it is read as text
    named = [*texts.values, None]
    rest = {name: raw for name, raw in sheet.columns.items() if name != column}
    smiles_of = [named[code] for code in texts.codes.tolist()]
    return MoleculeSheet(smiles_of, replace(sheet, columns=rest), {column: smiles_of})


def _sheet(
    texts: Sequence[str | None],
    records: Sequence[Mapping[str, str]],
    lines: Sequence[int],
    missing_words: Collection[str],
    source: str,
    names: Mapping[str, Sequence[str | None]],
) -> MoleculeSheet:
    cells = {name: present(values_of(records, name), missing_words) for name in keys_of(records)}
    columns = {name: Texts(texts_of) for name, texts_of in cells.items()}
    if "name" in cells and "name" not in names:
        names = {**names, "name": cells["name"]}
    return MoleculeSheet(texts, Sheet(columns, len(texts), source, lines), names)


# ---- one SMILES per line ---------------------------------------------------------------------------------


def line_sheet(path: str | os.PathLike[str], *, missing_words: Collection[str] = MISSING_WORDS) -> MoleculeSheet:
    """Read a file with one SMILES per line.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "two.smi"
    ...     _ = file.write_text("CCO ethanol\\nc1ccccc1 benzene\\n")
    ...     two = line_sheet(file)
    >>> two.texts, two.rest.columns["name"].cells, two.rest.line_of(1)
    (['CCO', 'c1ccccc1'], ['ethanol', 'benzene'], 2)
    """
    source = os.fspath(path)
    numbered = [(line, text) for line, text in _text_lines(path) if text.strip()]
    names = _header(numbered[0][1]) if numbered else None
    if names is not None:
        numbered.pop(0)
    split = [_smiles_and_name(text) if names is None else _fields(text) for _, text in numbered]
    for (line, _), fields in zip(numbered, split, strict=True):
        if names is not None and len(fields) != len(names):
            message = f"expected {len(names)} fields as in the header, got {len(fields)}"
            raise DataError(message, source=source, line=line)
    records = [dict(zip(names or ("smiles", "name"), fields, strict=False)) for fields in split]
    texts = [record.pop("smiles") for record in records]
    lines = [line for line, _ in numbered]
    return _sheet(texts, records, lines, missing_words, source, {"smiles": texts})


def _header(first: str) -> list[str] | None:
    """Return the field names if the first line is a header, with the name of the SMILES in lower case."""
    names = _fields(first)
    return ["smiles", *names[1:]] if names[0].lower() == "smiles" else None


def _smiles_and_name(text: str) -> list[str]:
    """Return the fields of a line; a name may contain spaces."""
    return [field.strip() for field in text.split(None, 1)]


def _fields(text: str) -> list[str]:
    return [field.strip() for field in text.strip().split("\t")] if "\t" in text.strip() else text.split()


def _text_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    with open_text_file(path) as file:
        for line, text in enumerate(file, 1):
            try:
                yield line, text.decode().rstrip("\r\n")
            except UnicodeDecodeError:
                raise DataError("the file is not UTF-8 text", source=str(path), line=line) from None


# ---- SD and MOL files ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Block:
    """A record of an SD file: its line, connection table and properties."""

    line: int
    table: str
    properties: dict[str, str]


def block_sheet(path: str | os.PathLike[str], *, missing_words: Collection[str] = MISSING_WORDS) -> MoleculeSheet:
    """Read an SD file or a MOL file."""
    blocks = list(_iter_blocks(path))
    tables, lines = [block.table for block in blocks], [block.line for block in blocks]
    titles = [block.table.split("\n", 1)[0].strip() or None for block in blocks]
    names = {"title": titles} if any(titles) else {}
    properties = [block.properties for block in blocks]
    return _sheet(tables, properties, lines, missing_words, os.fspath(path), names)


def _iter_blocks(path: str | os.PathLike[str]) -> Iterator[_Block]:
    pending: list[str] = []
    first = 1
    for line, text in _text_lines(path):
        if text.startswith("$$$$"):
            yield _block(pending, first)
            pending, first = [], line + 1
        else:
            pending.append(text)
    if any(text.strip() for text in pending):
        yield _block(pending, first)


def _block(lines: Sequence[str], first: int) -> _Block:
    """Parse a record: a table up to ``M  END``, then properties: ``> <name>`` and lines up to a blank line."""
    end = next((i for i, line in enumerate(lines) if line.startswith("M  END")), len(lines) - 1) + 1
    properties: dict[str, str] = {}
    name = None
    for line in lines[end:]:
        heading = re.match(r">[^<]*+<(.[^>]*+)>", line)
        if heading:
            name = heading[1]
        elif not line.strip():
            name = None
        elif name is not None:
            properties[name] = f"{properties[name]}\n{line}" if name in properties else line
    return _Block(first, "\n".join([*lines[:end], ""]), properties)
