"""Files of molecules as texts: which text stands for each molecule, on which line, and what else the file says of it.

A table has a column of SMILES, told by its name, and others that become attributes. A ``.smi`` file has a SMILES a
line, and after a blank what is called its name; or a header. An SD file has blocks that end in ``$$$$``, each with
the connection table of a molecule and its properties. What the texts mean is left to `structtree.data.molecules`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from structtree.data.columns import Column
from structtree.data.delimited import Layout, iter_rows, layout_of
from structtree.data.infer import Misfit, Overrides, encode, keys_of, missing_column, values_of
from structtree.data.schema import Kind
from structtree.data.tables import read_csv
from structtree.data.textfiles import open_text_file
from structtree.errors import DataError, UnknownNameError, UsageError

__all__ = ["Notation", "Written", "column_of_texts", "is_table", "read_written", "smiles_column", "table_layout"]

Notation = Literal["smiles", "molblock"]

_MISSING = ("", "?", "NA", "NaN")


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """Molecules as a file has them.

    Parameters
    ----------
    source : str
        The file.
    notation : {"smiles", "molblock"}
        How the texts are to be read.
    texts : sequence of str or None
        One for each molecule; None if there is no text.
    columns : mapping from name to Column
        What else the file says of each molecule.
    lines : callable
        The line on which each molecule stands; asked for only when something is wrong.
    """

    source: str
    notation: Notation
    texts: Sequence[str | None]
    columns: Mapping[str, Column]
    lines: Callable[[], Sequence[int]]


def read_written(
    path: str | os.PathLike[str],
    notation: Notation,
    *,
    smiles: str | None = None,
    types: Mapping[str, str] | None = None,
    table: Mapping[str, Any] | None = None,
) -> Written:
    """The molecules of a file, as texts.

    Parameters
    ----------
    path : path
    notation : {"smiles", "molblock"}
    smiles : str, optional
        The column that has the SMILES of a table, if its name does not tell.
    types : mapping, optional
        Kinds to read the other columns as.
    table : mapping, optional
        How a table is laid out: any of the options ``delimiter``, ``header``, ``names``, ``encoding``, ``decimal``
        and ``missing`` of `structtree.data.tables.read_csv`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "two.smi"
    ...     _ = file.write_text("CCO ethanol\\nc1ccccc1 benzene\\n")
    ...     two = read_written(file, "smiles")
    >>> two.texts, two.columns["name"].value(1), two.lines()
    (['CCO', 'c1ccccc1'], 'benzene', [1, 2])
    """
    overrides = Overrides(types or {})
    if notation == "molblock":
        return _blocks(path, overrides)
    if smiles is not None or is_table(path) or table:
        return _table(path, smiles, types or {}, table or {})
    return _lines(path, overrides)


def is_table(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a table by its name.

    Examples
    --------
    >>> is_table("a.csv.gz"), is_table("a.smi")
    (True, False)
    """
    return Path(path).name.lower().removesuffix(".gz").endswith((".csv", ".tsv"))


def table_layout(path: str | os.PathLike[str], options: Mapping[str, Any]) -> Layout:
    """The layout of a table, from those of the options of `structtree.data.tables.read_csv` that are about it."""
    known = {name: options[name] for name in ("delimiter", "names", "encoding") if name in options}
    header = options.get("header")
    return layout_of(path, header="names" not in options if header is None else header, **known)


def smiles_column(names: Sequence[str]) -> str | None:
    """The column that has the SMILES by its name, or None.

    Examples
    --------
    >>> smiles_column(["id", "SMILES"]), smiles_column(["canonical_smiles", "smiles"]), smiles_column(["smile"])
    ('SMILES', 'smiles', None)
    """
    exact = [name for name in names if name.lower() == "smiles"]
    near = [name for name in names if "smiles" in re.split(r"[\W_]+", name.lower())]
    return next(iter(exact + near), None)


def column_of_texts(values: Sequence[str | None], kind: Kind | None = None) -> Column:
    """A column from texts: of numbers if each is one, as in a table.

    Examples
    --------
    >>> column_of_texts(["1", None, "2.5"]).kind, column_of_texts(["1", "x", "?"]).categories
    ('real', ('1', 'x'))
    """
    texts = [None if value is None or value.strip() in _MISSING else value.strip() for value in values]
    if kind is None and not any(texts):
        return missing_column("nominal", len(texts))
    column = encode(texts, _kind_of_texts(texts) if kind is None else kind)
    assert column is not None  # because the kind is declared
    return column


def _kind_of_texts(texts: Sequence[str | None]) -> Kind:
    try:
        numbers = [float(text) for text in texts if text is not None]
    except ValueError:
        return "nominal"
    whole = all(number.is_integer() for number in numbers) and not any("." in text for text in texts if text)
    return "int" if whole else "real"


def _columns(records: Sequence[Mapping[str, str]], overrides: Overrides, source: str) -> dict[str, Column]:
    columns = {}
    for name in keys_of(records):
        try:
            columns[name] = column_of_texts(values_of(records, name), overrides.attribute("Molecule", name))
        except Misfit as misfit:
            raise DataError(misfit.message, source=source, path=name, individual=misfit.index) from None
    return columns


# ---- tables ----------------------------------------------------------------------------------------------


def _table(
    path: str | os.PathLike[str], smiles: str | None, types: Mapping[str, str], options: Mapping[str, Any]
) -> Written:
    layout = table_layout(path, options)
    column = smiles_column(layout.names) if smiles is None else smiles
    if column is None:
        shown = ", ".join(map(repr, layout.names[:6]))
        raise UsageError(f"{path}: no column is named smiles (there are {shown}); say which it is: smiles=NAME")
    if column not in layout.names:
        raise UnknownNameError("column", column, layout.names)
    population = read_csv(path, individual="Molecule", types={**types, column: "nominal"}, **options)
    table = population.table("Molecule")
    texts, columns = table.columns[column], {name: c for name, c in table.columns.items() if name != column}
    named: list[str | None] = [*texts.categories, None]
    return Written(
        str(path),
        "smiles",
        [named[code] for code in texts.values.tolist()],
        columns,
        lambda: [row.line for row in iter_rows(layout)],
    )


# ---- a SMILES a line -------------------------------------------------------------------------------------


def _lines(path: str | os.PathLike[str], overrides: Overrides) -> Written:
    numbered = [(line, text) for line, text in _text_lines(path) if text.strip()]
    names = _header(numbered[0][1]) if numbered else None
    if names is not None:
        numbered.pop(0)
    split = [_smiles_and_name(text) if names is None else _fields(text) for _, text in numbered]
    for (line, _), fields in zip(numbered, split, strict=True):
        if names is not None and len(fields) != len(names):
            message = f"expected {len(names)} fields as in the header, got {len(fields)}"
            raise DataError(message, source=str(path), line=line)
    records = [dict(zip(names or ("smiles", "name"), fields, strict=False)) for fields in split]
    texts = [record.pop("smiles") for record in records]
    return Written(
        str(path), "smiles", texts, _columns(records, overrides, str(path)), lambda: [line for line, _ in numbered]
    )


def _header(first: str) -> list[str] | None:
    """The names of the fields, that of the SMILES in small letters, if the first line has them."""
    names = _fields(first)
    return ["smiles", *names[1:]] if names[0].lower() == "smiles" else None


def _smiles_and_name(text: str) -> list[str]:
    """A name may have blanks in it."""
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
    """One record of an SD file: where it begins, its connection table, and its properties."""

    line: int
    table: str
    properties: dict[str, str]


def _blocks(path: str | os.PathLike[str], overrides: Overrides) -> Written:
    blocks = list(_iter_blocks(path))
    columns = _columns([block.properties for block in blocks], overrides, str(path))
    lines = [block.line for block in blocks]
    return Written(str(path), "molblock", [block.table for block in blocks], columns, lambda: lines)


def _iter_blocks(path: str | os.PathLike[str]) -> Iterator[_Block]:
    held: list[str] = []
    first = 1
    for line, text in _text_lines(path):
        if text.startswith("$$$$"):
            yield _block(held, first)
            held, first = [], line + 1
        else:
            held.append(text)
    if any(text.strip() for text in held):
        yield _block(held, first)


def _block(lines: Sequence[str], first: int) -> _Block:
    """The connection table goes as far as ``M  END``; a property is a line ``> <name>`` and those up to a blank."""
    end = next((i for i, line in enumerate(lines) if line.startswith("M  END")), len(lines) - 1) + 1
    properties: dict[str, str] = {}
    name = None
    for line in lines[end:]:
        heading = re.match(r">.*?<(.+?)>", line)
        if heading:
            name = heading[1]
        elif not line.strip():
            name = None
        elif name is not None:
            properties[name] = f"{properties[name]}\n{line}" if name in properties else line
    return _Block(first, "\n".join([*lines[:end], ""]), properties)
