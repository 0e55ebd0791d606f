"""Result files of benchmarks: what is read is what was written, and the committed files have the documented form."""

from __future__ import annotations

import importlib
import json
import sys
from dataclasses import replace

import numpy as np
import pytest

from structtree.report.paper import paper_rows
from structtree.report.paper_data import PaperData, problems_named
from structtree.search.best_split import best_split
from structtree.tasks.criteria import cannot_beat
from tests.conftest import REPOSITORY

BENCHMARKS = REPOSITORY / "benchmarks"
COMMITTED = sorted((BENCHMARKS / "results").glob("*.json"))


@pytest.fixture
def script(monkeypatch):
    """Return a function that imports a benchmark as its script does."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    before = set(sys.modules)
    yield importlib.import_module
    for name in set(sys.modules) - before:
        if "." not in name and (BENCHMARKS / f"{name}.py").exists():
            del sys.modules[name]


def test_a_table_is_read_as_it_was_written(script, tmp_path):
    files = script("result_files")
    rows = ((1, "acc*", 0.5, True, None), (20_000, "ä | b", 2.0, False, "x"))
    table = files.ResultTable("some", "Some figures", "python benchmarks/some.py", ("n", "name", "a", "b", "c"), rows)
    files.write_results(table, tmp_path)
    assert files.read_results("some", tmp_path) == table
    assert [path.name for path in tmp_path.iterdir()] == ["some.json"]


def test_a_row_with_a_missing_cell_is_refused(script):
    with pytest.raises(ValueError, match="expected 2 cells"):
        script("result_files").ResultTable("some", "", "", ("a", "b"), ((1,),))


def test_a_table_in_markdown_aligns_numbers_to_the_right(script):
    table = script("result_files").ResultTable(
        "some", "", "", ("n", "name", "ok"), ((20_000, "a", True), (3, "b", False))
    )
    assert table.markdown().splitlines() == [
        "| n | name | ok |",
        "| ---: | --- | --- |",
        "| 20,000 | a | yes |",
        "| 3 | b | no |",
    ]


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.stem)
def test_a_committed_file_names_its_command_and_has_complete_rows(script, path):
    table = script("result_files").read_results(path.stem, path.parent)
    assert table.name == path.stem
    python, file, *_ = table.command.split()
    assert python == "python" and (REPOSITORY / file).is_file()
    assert table.rows and len(set(table.columns)) == len(table.columns)
    assert set(json.loads(path.read_text())) == {"name", "title", "command", "version", "columns", "rows"}


# ---- benchmarks/experiments.py -----------------------------------------------------------------------------

WRITE = "run `python benchmarks/experiments.py` after changing a result file"


def test_the_page_about_experiments_is_what_the_result_files_generate(script):
    experiments = script("experiments")
    assert experiments.PAGE.read_text(encoding="utf-8") == experiments.page(), WRITE


def test_the_pictures_on_the_page_show_the_points_of_the_result_files(script):
    experiments, plots = script("experiments"), script("experiment_plots")
    pictures = [experiments.picture_of(section) for section in experiments.SECTIONS]
    for picture in pictures:
        assert plots.drawn_points(experiments.picture_path(picture)) == plots.points_of(picture), WRITE
    drawn = {path.name for path in (REPOSITORY / "docs" / "pictures").glob("experiments-*")}
    assert drawn == {experiments.picture_path(picture).name for picture in pictures}


def test_every_result_file_has_a_section_and_is_written_by_one_command(script):
    experiments = script("experiments")
    assert sorted(name for section in experiments.SECTIONS for name in section.names) == [
        path.stem for path in COMMITTED
    ]
    files = script("result_files")
    for path in COMMITTED:
        python, name, *_ = files.read_results(path.stem).command.split()
        assert f"{python} {name}" in experiments.COMMANDS


def test_the_figures_in_a_text_are_those_of_its_table(script):
    files, sections = script("result_files"), script("experiment_sections")
    columns = ("problem", "criterion", "published percent", "percent", "proved")
    rows = (("A", "acc*", 20.0, 5.0, True), ("B", "acc*", 10.0, 40.0, False), ("B", "gini", None, 7.5, True))
    text = sections.search_text(files.ResultTable("paper_search", "", "", columns, rows))
    assert "in 1 of 2 rows" in text and "0.25 to 4 times" in text and "larger here for B (acc*)" in text
    assert "in 2 of 3 searches" in text and "7.5 to 7.5 %" in text


def test_other_learners_are_compared_with_the_default_tree_on_each_set(script):
    files, sections = script("result_files"), script("experiment_sections")
    columns = ("set", "learner", "accuracy", "size", "remark")
    rows = (
        ("one", "structtree", 0.9, 3.0, ""),
        ("one", "X", 0.9, 9.0, ""),
        ("two", "structtree", 0.7, 5.5, ""),
        ("two", "structtree, modes", 0.99, 5.5, ""),
        ("two", "X", 0.8, 9.0, ""),
        ("two", "Y", None, None, "too slow"),
    )
    text = sections.peers_text(files.ResultTable("peers", "", "", columns, rows))
    assert "on 1 of 2 sets (one)" in text
    assert "two (X: 0.800, structtree: 0.700)" in text and "one (" not in text.replace("(one)", "")
    assert "on two (structtree, modes: 0.990)" in text
    assert "3 to 5.5 leaves" in text and "Y (two)" in text


def test_a_picture_can_be_drawn_and_read_again(script, tmp_path):
    plots = script("experiment_plots")
    lines = plots.Panel("n", "seconds", (plots.Series("a & b", (1.0, 10.0), (2.0, 3.0)),), log_x=True, log_y=True)
    dots = plots.Panel("share", "", (plots.Series("c", (0.5, 0.7), ("first <", "second")),))
    picture = plots.Picture("some", "Lines and dots", (lines, dots))
    plots.draw(picture, tmp_path / "some.svg")
    assert plots.drawn_points(tmp_path / "some.svg") == plots.points_of(picture)
    assert "first &lt;" in (tmp_path / "some.svg").read_text(encoding="utf-8")


# ---- benchmarks/bounds.py ----------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("name", ["acc*", "entropy", "gini", "gain-ratio"])
def test_the_weaker_bounds_are_bounds_and_never_above_the_exact_one(script, name, classes):
    bounds, rng = script("bounds"), np.random.default_rng(classes)
    total = rng.integers(1, 12, size=classes).astype(float)
    yes = rng.integers(0, total + 1, size=(40, classes)).astype(float)
    inside = np.floor(yes * rng.random((30, *yes.shape))).reshape(-1, classes)
    (_, base), *weaker = bounds.bounds_of(name)
    exact, losses = base.bound(yes, total), base.loss(inside, total).reshape(30, 40, 2)
    for _, criterion in weaker:
        bound = criterion.bound(yes, total)
        assert not cannot_beat(bound, losses).any()
        assert not cannot_beat(bound, exact).any()
    assert bool(weaker) is (name != "gain-ratio")


def test_planted_problems_are_drawn_from_their_seed_and_searched_with_every_bound(script):
    bounds = script("bounds")
    problem = bounds.Planted(depth=1, noise=0.0)
    (one, first), (_, again), (_, other) = problem.draw(1), problem.draw(1), problem.draw(2)
    assert (first == again).all() and (first != other).any()
    rows = list(bounds.searched(problem, ["acc*", "mse"]))
    assert [row[:2] for row in rows] == [
        ("acc*", "exact"),
        ("acc*", "accuracy"),
        ("acc*", "no branch"),
        ("mse", "exact"),
        ("mse", "no branch"),
    ]
    assert {row[2] for row in rows} == {problem.space(one).size()}
    assert all(0 < row[3] <= row[2] for row in rows)


def test_without_noise_the_planted_rule_is_found(script):
    bounds = script("bounds")
    population, classes = bounds.Planted(noise=0.0, depth=3).draw(0)
    split = best_split(population, classes, bounds.Planted(depth=3).space(population), criterion="acc*")
    assert (split.score, split.proved) == (1.0, True)


# ---- benchmarks/scaling.py ---------------------------------------------------------------------------------


def test_a_slope_is_the_exponent_of_a_power(script):
    sections = script("experiment_sections")
    rows = [{"value": n, "seconds": 3 * n**1.5, "megabytes": 7.0} for n in (10, 20, 40, 80)]
    assert sections.slope(rows, "seconds") == pytest.approx(1.5)
    assert sections.slope(rows, "megabytes") == pytest.approx(0.0)


def test_points_of_a_curve_differ_in_one_property(script):
    scaling = script("scaling")
    for curve, problems in scaling.CURVES.items():
        values = [getattr(problem, curve) for problem in problems]
        assert len(values) >= 4 and values == sorted(set(values))
        assert len({replace(problem, **{curve: values[0]}) for problem in problems}) == 1


def test_a_point_says_what_was_fitted(script):
    scaling = script("scaling")
    problem = scaling.Planted(individuals=30, rows=2, attributes=3, depth=2)
    space, seconds, megabytes, leaves = scaling.measured("depth", problem, 0)
    population, _ = problem.draw(0)
    assert space == problem.space(population).size()
    assert seconds > 0 and megabytes >= 0 and leaves >= 1


def test_a_rule_is_recovered_from_many_labels_without_noise_and_not_from_random_ones(script, monkeypatch):
    scaling = script("scaling")
    monkeypatch.setattr(scaling, "NEW", 200)
    assert scaling.recovered(100, 0.0, 0) >= scaling.RECOVERED
    assert scaling.recovered(100, 0.5, 0) < scaling.RECOVERED


def test_the_text_about_recovery_names_the_first_size_at_which_half_are_recovered(script):
    files, sections = script("result_files"), script("experiment_sections")
    columns = ("noise", "individuals", "rules", "recovered", "accuracy")
    rows = ((0.0, 50, 5, 0.4, 0.9), (0.0, 100, 5, 0.6, 0.95), (0.2, 50, 5, 0.0, 0.6), (0.2, 100, 5, 0.2, 0.7))
    text = sections.recovery_text(files.ResultTable("recovery", "", "", columns, rows))
    assert "With 0 % of wrong labels at least half of the rules are recovered from 100 individuals on" in text
    assert "with 20 % of wrong labels fewer than half of the rules are recovered at any size" in text


# ---- benchmarks/paper.py -----------------------------------------------------------------------------------


def test_rows_of_the_paper_have_a_cell_for_each_column(script):
    paper = script("paper")
    problems, data = problems_named(["east-west", "monks-1"]), PaperData()
    (mse,) = (row for row in paper_rows(4, problems, data) if row.problem.key == "east-west")
    cells = dict(zip(paper.SEARCH, paper.search_cells(mse), strict=True))
    assert (cells["published space"], cells["space"], cells["agrees"]) == (2073, 1905, True)
    (_, monks) = paper_rows(2, problems, data, repeats=1)
    rows = [dict(zip(paper.ACCURACY, cells, strict=True)) for cells in paper.accuracy_cells(monks)]
    assert [row["criterion"] for row in rows] == ["acc*", "entropy"]
    assert all(row["accuracy"] == round(monks.accuracy[row["criterion"]], 3) for row in rows)
    assert all(0 < row["test"] <= 1 and row["agrees"] for row in rows)
