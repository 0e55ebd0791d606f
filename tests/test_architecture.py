"""The shape of the package: which way imports point, doors for outsiders, a map that is true, one name a thing."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import defaultdict
from fnmatch import fnmatch
from functools import cache

import pytest

import structtree
from tests.conftest import REPOSITORY

PACKAGE = REPOSITORY / "structtree"
MODULES = sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))
TESTS = sorted((REPOSITORY / "tests").rglob("test_*.py"))

# A part may import from itself and from the parts before it.
PARTS = (
    "remarks",
    "errors",
    "arrays",
    "reprs",
    "options",
    "files",
    "interrupts",
    "progress",
    "data",
    "lang",
    "space",
    "tasks",
    "search",
    "models",
    "splitters",
    "learn",
    "evaluation",
    "rules",
    "export",
    "auditing",
    "estimators",
    "features",
    "forests",
    "boosting",
    "rule_models",
    "session",
    "report",
    "cli",
)

MAP = (REPOSITORY / "docs" / "architecture.md").read_text(encoding="utf-8")
DOORS = {
    outsider: re.findall(r"`([^`]+)`", modules)
    for outsider, modules in re.findall(
        r"^\| (\w+) \| (.+) \|$", MAP.split("## Third-party")[1].split("\n## ")[0], re.M
    )
    if outsider != "library"
}


def name_of(path):
    return path.with_suffix("").as_posix()


@cache
def tree_of(path):
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imported(path):
    found = []
    for node in ast.walk(tree_of(PACKAGE / path)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.append(node.module)
    return found


def part(name):
    return name.removeprefix("structtree.").split(".")[0]


@pytest.mark.parametrize("path", [m for m in MODULES if str(m) != "__init__.py"], ids=str)
def test_imports_point_one_way(path):
    own = PARTS.index(part(str(path).removesuffix(".py").replace("/", ".")))
    for name in imported(path):
        if name.startswith("structtree."):
            assert PARTS.index(part(name)) <= own, f"{path} imports {name}"


@pytest.mark.parametrize("outsider", DOORS)
def test_an_outsider_comes_in_by_the_doors_on_the_map(outsider):
    users = {name_of(m) for m in MODULES if any(name.split(".")[0] == outsider for name in imported(m))}
    doors = DOORS[outsider]
    assert users
    assert {user for user in users if not any(fnmatch(user, door) for door in doors)} == set()
    assert [door for door in doors if not any(fnmatch(user, door) for user in users)] == []


def test_every_outsider_is_on_the_map():
    own = {*sys.stdlib_module_names, "structtree", "numpy"}
    assert {name.split(".")[0] for path in MODULES for name in imported(path)} - own == set(DOORS)


def test_every_module_is_on_the_map_once():
    listed = re.findall(r"^\| `([\w/]+)` \|", MAP, re.M)
    assert sorted(listed) == sorted(name_of(m) for m in MODULES if m.name != "__init__.py" or len(m.parts) == 1)


def test_importing_the_package_loads_nothing_heavy():
    code = "import structtree, structtree.cli, sys; print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "pandas", "networkx", "matplotlib", "lark", "numba", "sklearn", "rdkit"} & set(loaded)


def test_every_public_name_can_be_imported():
    for name in structtree.__all__:
        assert getattr(structtree, name) is not None
    assert [dir(structtree).count(name) for name in structtree.__all__] == [1] * len(structtree.__all__)


def test_no_folder_hides_a_public_name():
    # Importing the folder would replace the name in the package.
    assert {m.parts[0].removesuffix(".py") for m in MODULES} & set(structtree.__all__) == set()


def test_the_three_lists_of_public_names_agree():
    assert set(structtree._HOMES) | {"__version__"} == set(structtree.__all__)


# ---- names ----------------------------------------------------------------------------------------------


def public_names(path):
    """The classes, functions, constants and type aliases that a module defines."""
    for node in tree_of(PACKAGE / path).body:
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                yield name
            case ast.Assign(targets=targets):
                yield from (target.id for target in targets if isinstance(target, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name


def test_a_public_name_stands_for_one_thing():
    homes = defaultdict(set)
    for path in MODULES:
        for name in public_names(path):
            if not name.startswith("_"):
                homes[name].add(name_of(path))
    # Commands are called what the user types, as are the functions of the library that they call.
    same = {"fit", "explain"}
    twice = {name: sorted(where) for name, where in homes.items() if len(where) > 1 and name not in same}
    assert twice == {}


# ---- options ---------------------------------------------------------------------------------------------

OF_OTHER_PROGRAMS = ("data/datasets/fetch", "data/readers/facts/rules")
"""Modules with flags of pip and of clingo."""


@pytest.mark.parametrize("path", [m for m in MODULES if m.parts[0] != "cli"], ids=str)
def test_only_the_command_line_knows_flags(path):
    """Elsewhere a sentence mentions an option by `structtree.remarks.option_text`."""
    allowed = (
        r"--(python-version|implementation|abi|platform|quiet|no-input|disable-pip|progress-bar|retries|no-deps)"
    )
    allowed += r"|--(only-binary|dest|warn)"
    known = allowed if name_of(path) in OF_OTHER_PROGRAMS else "(?!)"
    lines = (PACKAGE / path).read_text(encoding="utf-8").splitlines()
    found = [line for line in lines if re.search(r"(?<![-\w])--[a-z]", re.sub(known, "", line))]
    # The module that explains the idea, and its example of a command, show how a flag looks.
    assert found == [] or name_of(path) == "remarks"


# ---- tests ----------------------------------------------------------------------------------------------

CLOCKS = {"perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "process_time", "time_ns"}


def looks_at_a_clock(node):
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
            return name in CLOCKS
        case ast.Call(func=ast.Attribute(value=ast.Name(id="time"), attr="time")):
            return True
    return False


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.relative_to(REPOSITORY / "tests").as_posix())
def test_no_test_looks_at_the_clock(path):
    assert [node.lineno for node in ast.walk(tree_of(path)) if looks_at_a_clock(node)] == []


def asserts(function, functions, seen=()):
    """Return whether a function asserts something, itself or in a function of its module that it calls."""
    for node in ast.walk(function):
        match node:
            case ast.Assert():
                return True
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                if name in ("raises", "warns", "fail") or name.startswith(("assert_", "check_estimator")):
                    return True
                below = functions.get(name)
                if below is not None and name not in seen and asserts(below, functions, (*seen, name)):
                    return True
    return False


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.relative_to(REPOSITORY / "tests").as_posix())
def test_every_test_asserts_something(path):
    functions = {node.name: node for node in ast.walk(tree_of(path)) if isinstance(node, ast.FunctionDef)}
    tests = (one for name, one in functions.items() if name.startswith("test_"))
    assert [test.name for test in tests if not asserts(test, functions)] == []


QUESTION_WORDS = ("What", "Whether", "How", "Which", "Where", "Who", "Whom", "When", "Why")


def public_docstrings(path):
    """Yield the name and the first line of the docstring of a module and of what is public in it."""

    waiting = [(name_of(path), tree_of(PACKAGE / path))]
    while waiting:
        name, node = waiting.pop()
        yield name, (ast.get_docstring(node) or "").partition("\n")[0]
        if not isinstance(node, ast.FunctionDef):
            inner = (each for each in node.body if isinstance(each, ast.FunctionDef | ast.ClassDef))
            waiting += [(f"{name}.{each.name}", each) for each in inner if not each.name.startswith("_")]


def test_a_public_docstring_begins_with_a_verb_or_a_noun_phrase():
    begun = [(name, line) for path in MODULES for name, line in public_docstrings(path)]
    assert [each for each in begun if each[1].split(" ")[0].rstrip(",:") in QUESTION_WORDS] == []
