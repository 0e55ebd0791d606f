"""The shape of the package: which way imports point, and one door per outsider."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

import structtree
from tests.conftest import REPOSITORY

PACKAGE = REPOSITORY / "structtree"
MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))

# A part may import from itself and from the parts before it.
PARTS = ("errors", "files", "interrupts", "data", "lang", "space", "search", "learn", "estimators", "report", "cli")

# The modules of the command line that declare commands and options.
CLI = ("commands", "common", "cv", "data", "effort", "fit", "grammars", "learning", "models", "reading")

DOORS = {
    "lark": {"lang/parse.py", "lang/mistakes.py"},
    "networkx": {"data/graphs.py", "data/sources.py"},
    "pandas": {"data/tables.py", "data/frames.py", "data/csvfiles.py"},
    "pyarrow": {"data/tables.py"},
    "rdkit": {"data/molecules.py"},
    "orjson": {"data/records.py"},
    "matplotlib": {"report/draw.py"},
    "typer": {f"cli/{name}.py" for name in CLI},
    "rich": {"cli/common.py", "cli/progress.py"},
    "numba": {
        f"search/kernels/{name}.py"
        for name in (
            "losses",
            "chains",
            "compiling",
            "counting",
            "descending",
            "finding",
            "flat",
            "grouping",
            "masks",
        )
    },
    "sklearn": {"estimators.py", "learn/validate.py"},
}


def imported(path):
    for node in ast.walk(ast.parse((PACKAGE / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def part(name):
    return name.removeprefix("structtree.").split(".")[0]


@pytest.mark.parametrize("path", [m for m in MODULES if str(m) != "__init__.py"], ids=str)
def test_imports_point_one_way(path):
    own = PARTS.index(part(str(path).removesuffix(".py").replace("/", ".")))
    for name in imported(path):
        if name.startswith("structtree."):
            assert PARTS.index(part(name)) <= own, f"{path} imports {name}"


@pytest.mark.parametrize("outsider", DOORS)
def test_an_outsider_has_one_door(outsider):
    users = {m.as_posix() for m in MODULES if any(name.split(".")[0] == outsider for name in imported(m))}
    assert users <= DOORS[outsider]


def test_importing_the_package_loads_nothing_heavy():
    code = "import structtree, structtree.cli, sys; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "pandas", "networkx", "matplotlib", "lark", "numba", "sklearn", "rdkit"} & set(loaded)


def test_every_public_name_can_be_imported():
    for name in structtree.__all__:
        assert getattr(structtree, name) is not None


def test_the_three_lists_of_public_names_agree():
    assert set(structtree._HOMES) | {"__version__"} == set(structtree.__all__)
