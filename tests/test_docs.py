"""The pages of the documentation: their commands print what they show, and they name what there is."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from structtree.data.readers.options import FACTS, MOLECULES, reading_options
from structtree.data.readers.sources import FILE_FORMATS
from structtree.data.readers.text_files import MISSING_WORDS
from structtree.data.schema import Kind
from tests.conftest import REPOSITORY
from tests.pages import blocks, check_commands, page_text


def test_five_commands_lead_from_smiles_to_a_saved_explained_and_cross_validated_tree(tmp_path, monkeypatch, ticking):
    pytest.importorskip("rdkit", reason="needs RDKit: pip install 'structtree[molecules]'")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("structtree.search.kernels.compiling.now", ticking(1e-6))  # however slow the machine is
    script = next(block for block in blocks("docs/tutorial.md", "python") if not block.startswith(">>>"))
    exec(compile(script, "docs/tutorial.md", "exec"), {})
    assert len((tmp_path / "molecules.csv").read_text().splitlines()) > 60
    (tmp_path / "new.csv").write_text(blocks("docs/tutorial.md", "csv")[0])
    assert check_commands("docs/tutorial.md") == 5
    assert (tmp_path / "mutagenic.json").is_file()


def test_every_page_is_linked_from_the_readme():
    pages = {f"docs/{path.name}" for path in (REPOSITORY / "docs").glob("*.md")}
    assert pages <= set(re.findall(r"\]\(([^)#]+)", page_text("README.md")))


def test_the_readme_is_a_tour_of_60_to_100_lines():
    assert 60 <= len(page_text("README.md").splitlines()) <= 100


def test_links_between_pages_lead_somewhere():
    for path in [REPOSITORY / "README.md", *(REPOSITORY / "docs").glob("*.md")]:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.name}: {target}"


def test_the_commands_about_seeing_print_what_the_page_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert check_commands("docs/seeing.md") == 5


def test_the_commands_about_ensembles_print_what_the_page_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert check_commands("docs/ensembles.md") == 4


def test_the_command_about_rules_prints_what_the_page_says():
    assert check_commands("docs/rules.md") == 1


def test_the_command_about_subgroups_prints_what_the_page_says():
    assert check_commands("docs/subgroups.md") == 1


def test_the_commands_about_evaluation_print_what_the_page_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert check_commands("docs/evaluation.md") == 2


def test_the_commands_about_patterns_print_what_the_page_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "baskets.csv").write_text(blocks("docs/patterns.md", "csv")[0])
    assert check_commands("docs/patterns.md") == 3


FORMATS = "docs/formats.md"


def test_the_commands_about_formats_print_what_the_page_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "visits.csv").write_text(blocks(FORMATS, "csv")[0])
    assert check_commands(FORMATS) == 4


def test_the_page_lists_every_format_with_its_extensions():
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|", page_text(FORMATS).split("## Kinds")[0], flags=re.MULTILINE))
    assert list(rows) == list(FILE_FORMATS)
    for name, known in FILE_FORMATS.items():
        assert re.findall(r"`(\.\w+)`", rows[name]) == list(known.extensions)


def test_the_page_names_every_kind_every_missing_word_and_every_option_of_text():
    page = page_text(FORMATS)
    kinds = re.findall(r"^\| (`.*?) \|", page.split("## Kinds")[1].split("## Missing")[0], flags=re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", " ".join(kinds))) == set(get_args(Kind))
    assert all(f"`{word}`" in page for word in MISSING_WORDS)
    apart = (MOLECULES, FACTS)
    options = [option for option in reading_options().values() if option.panel and option.panel not in apart]
    assert len(options) >= 10
    for option in options:
        assert any(flag in page for flag in option.flag.split("/")), option.name


DATABASES = "docs/databases.md"


def test_the_commands_about_databases_print_what_the_page_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for made in blocks(DATABASES, "python")[:2]:
        exec(compile(made, DATABASES, "exec"), {})
    assert check_commands(DATABASES) == 11
    written = (tmp_path / "schema.toml").read_text()
    assert blocks(DATABASES, "toml")[0] in written + "\n"


def test_the_trees_on_the_page_about_drivers_are_those_of_the_predictions():
    results = REPOSITORY / "benchmarks" / "results"
    names = ("driver-top3", "driver-dnf", "driver-position")
    trees = [(results / f"rel_f1_{name}.txt").read_text(encoding="utf-8") for name in names]
    assert [block.rstrip() for block in blocks("docs/rel_f1.md", "text")] == [tree.rstrip() for tree in trees]
    assert blocks("docs/rel_f1.md", "sql")[0].strip() in (results / "rel_f1_driver-top3.sql").read_text(
        encoding="utf-8"
    )


FACTS_PAGE = "docs/facts.md"


def test_the_page_about_facts_prints_what_it_says(tmp_path, monkeypatch):
    pytest.importorskip("clingo", reason="needs clingo: pip install 'structtree[rules]'")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trains").mkdir()
    names = ["trains/bk.pl", "trains/pos.pl", "trains/neg.pl", "modes.pl"]
    for name, text in zip(names, blocks(FACTS_PAGE, "prolog"), strict=True):
        (tmp_path / name).write_text(text)
    assert check_commands(FACTS_PAGE) == 5


def test_the_page_about_facts_names_every_option_of_reading_them():
    options = [option for option in reading_options().values() if option.panel == FACTS]
    assert [option.flag for option in options if option.flag not in page_text(FACTS_PAGE)] == []
