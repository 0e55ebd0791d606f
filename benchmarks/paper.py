"""The tables of Ng and Lloyd's paper beside the published figures, as result files.

    python benchmarks/paper.py           # half a minute of processor time
    python benchmarks/paper.py --dry     # print the tables, write nothing

The rows are those of ``structtree paper``. Original files are read from ``../shared/data`` beside the repository if
it exists; other data is built in or downloaded. Problems without data are left out.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from result_files import Cell, ResultTable, write_results

from structtree.report.paper import AccuracyRow, Row, SearchRow, paper_rows
from structtree.report.paper_data import PaperData, problems_named

SHARED = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
COMMAND = "python benchmarks/paper.py"
SEARCH = ("problem", "criterion", "published space", "published searched", "published percent")
SEARCH = (*SEARCH, "space", "searched", "percent", "proved", "agrees")
ACCURACY = (
    "problem",
    "pruned",
    "criterion",
    "published",
    "standard error",
    "accuracy",
    "leaves",
    "p",
    "agrees",
    "test",
)


def search_cells(row: SearchRow) -> tuple[Cell, ...]:
    published = (row.problem.space, row.problem.searched.get(row.criterion), _rounded(row.published, 2))
    found = (row.space, row.split.stats.evaluated, round(row.percent, 2), row.split.proved, row.agrees)
    return row.problem.name, row.criterion, *published, *found


def accuracy_cells(row: AccuracyRow) -> Iterator[tuple[Cell, ...]]:
    for name, accuracy in row.accuracy.items():
        leaves = round(row.comparison.results[name].leaves_mean, 1)
        published = (row.published[name], round(row.error(name), 3))
        found = (round(accuracy, 3), leaves, round(row.p, 2), name not in row.below)
        test = _rounded(row.test.get(name), 3)
        yield row.problem.name, row.size == "pruned", name, *published, *found, test


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--dry", action="store_true", help="print the tables, write nothing")
    arguments = parser.parse_args()
    data, problems = PaperData(folder=SHARED if SHARED.exists() else None), problems_named([])
    rows: list[Row] = [row for table in (1, 4, 2, 3) for row in paper_rows(table, problems, data)]
    searches = tuple(search_cells(row) for row in rows if isinstance(row, SearchRow) and not row.substituted)
    accuracies = tuple(cells for row in rows if isinstance(row, AccuracyRow) for cells in accuracy_cells(row))
    for table in (
        ResultTable("paper_search", "Search effort beside Ng and Lloyd (2005)", COMMAND, SEARCH, searches),
        ResultTable("paper_accuracy", "Accuracy beside Ng and Lloyd (2005)", COMMAND, ACCURACY, accuracies),
    ):
        print(f"{table.title}\n\n{table.markdown()}\n")
        if not arguments.dry:
            write_results(table)


if __name__ == "__main__":
    main()
