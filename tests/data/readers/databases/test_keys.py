"""Foreign keys match a comparison of all pairs of rows, and links in both directions are inverse."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structtree.data.readers.databases.keys import Database, ForeignKey, KeyColumns, SourceTable
from structtree.data.readers.databases.linking import link_tables
from structtree.data.readers.tables.sheets import Coded, PythonValues, Sheet

LARGE = 2**62
TEXTS = ["0", "1", " 2", "a", "b ", str(LARGE + 1), "1.5"]


@st.composite
def columns(draw, n_rows):
    """Columns of numbers, text, or both, possibly coded."""
    numbers = st.one_of(st.none(), st.integers(0, 4), st.integers(LARGE, LARGE + 2))
    texts = st.one_of(st.none(), st.sampled_from(TEXTS))
    cells = draw(st.lists(draw(st.sampled_from([numbers, texts])), min_size=n_rows, max_size=n_rows))
    if not draw(st.booleans()):
        return cells, PythonValues(cells)
    known = list(dict.fromkeys(cell for cell in cells if cell is not None))
    return cells, Coded(np.array([-1 if cell is None else known.index(cell) for cell in cells], dtype=int), known)


@st.composite
def two_tables(draw):
    """Two tables with a foreign key of one or two columns."""
    n_parents, n_children, n_columns = draw(st.integers(0, 5)), draw(st.integers(0, 6)), draw(st.integers(1, 2))
    parents = [draw(columns(n_parents)) for _ in range(n_columns)]
    children = [draw(columns(n_children)) for _ in range(n_columns)]
    names = tuple(f"k{i}" for i in range(n_columns))
    parent = SourceTable("parent", Sheet({n: raw for n, (_, raw) in zip(names, parents, strict=True)}, n_parents))
    child = SourceTable("child", Sheet({n: raw for n, (_, raw) in zip(names, children, strict=True)}, n_children))
    key = ForeignKey("child", names, "parent", names)
    cells = [[cells for cells, _ in side] for side in (children, parents)]
    return {"parent": parent, "child": child}, key, cells


def number(value):
    """Convert a value to a number, exactly if it is an integer; None if it is not numeric."""
    for kind in (int, float):
        try:
            return kind(value)
        except (TypeError, ValueError):
            continue
    return None


def plain(value):
    return value.strip() if isinstance(value, str) else value


def equal(one, other, one_column, other_column):
    """Compare two values as a person would: as numbers even if one is text."""
    mixed = any(isinstance(v, str) for v in one_column) != any(isinstance(v, str) for v in other_column)
    if one is None or other is None:
        return one is None and other is None
    if mixed:
        return number(one) is not None and number(one) == number(other)
    return plain(one) == plain(other)


def slow_match(children, parents, row):
    """Find the parent rows that a child row refers to by comparing it with each."""
    mine = [column[row] for column in children]
    if all(value is None for value in mine):
        return []
    return [
        other
        for other in range(len(parents[0]))
        if all(
            equal(value, theirs[other], column, theirs)
            for value, column, theirs in zip(mine, children, parents, strict=True)
        )
    ]


@given(two_tables())
def test_a_foreign_key_matches_the_rows_that_a_full_comparison_matches(case):
    tables, key, (children, parents) = case
    match = KeyColumns(tables).match(key)
    expected = [slow_match(children, parents, row) for row in range(len(children[0]))]
    assert [sorted(match.rows.of(row).tolist()) for row in range(len(match.rows))] == expected
    nowhere = [row for row, found in enumerate(expected) if not found]
    some_missing = [row for row in nowhere if any(column[row] is None for column in children)]
    assert (match.n_missing, match.n_dangling) == (len(some_missing), len(nowhere) - len(some_missing))


@pytest.mark.filterwarnings("ignore:.* beyond 2")
@given(two_tables())
def test_links_in_both_directions_are_inverse_and_agree_with_their_kinds(case):
    tables, key, _ = case
    tables["child"] = replace(tables["child"], sheet=replace(tables["child"].sheet))
    population = link_tables(Database("test", tables, (key,)), "child" if tables["child"].sheet.n_rows else None)
    forth = next(link for link in population.schema.type("child").links if link.target == "parent")
    back = next(link for link in population.schema.type("parent").links if link.target == "child")
    there, here = population.table("child").links[forth.name], population.table("parent").links[back.name]
    pairs = set(zip(there.owners.tolist(), there.targets.tolist(), strict=True))
    assert pairs == set(zip(here.targets.tolist(), here.owners.tolist(), strict=True))
    if forth.kind == "one":
        assert (there.lengths == 1).all()


@given(st.lists(st.sampled_from(["a", "b", None]), max_size=6), st.lists(st.integers(0, 2), max_size=6))
def test_columns_are_unique_if_no_two_rows_are_equal(texts, numbers):
    n = min(len(texts), len(numbers))
    rows = list(zip(texts[:n], numbers[:n], strict=True))
    sheet = Sheet({"t": PythonValues(texts[:n]), "n": PythonValues(numbers[:n])}, n)
    keys = KeyColumns({"x": SourceTable("x", sheet)})
    assert keys.is_unique("x", ["t", "n"]) == (0 < n == len(set(rows)))
    assert keys.is_unique("x", ["n"]) == (0 < n == len(set(numbers[:n])))
