"""The pages of the documentation: their commands print what they show, and they name what there is."""

from __future__ import annotations

import re

import pytest

from tests.conftest import REPOSITORY
from tests.pages import blocks, check_commands, page_text


def test_five_commands_lead_from_smiles_to_a_saved_explained_and_cross_validated_tree(tmp_path, monkeypatch, ticking):
    pytest.importorskip("rdkit", reason="needs RDKit: pip install 'structtree[molecules]'")
    monkeypatch.chdir(tmp_path)
    ticking(1e-6)
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
