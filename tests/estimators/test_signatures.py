"""The parameters of the estimators are visible to editors, to `help`, and to type checkers."""

from __future__ import annotations

import inspect
import pydoc
import re
import subprocess
import sys
from pathlib import Path

import pytest
from sklearn.base import clone

from structtree import StructuralTreeClassifier, StructuralTreeRegressor
from tests.signatures import STUB, stub

REPOSITORY = Path(__file__).parents[2]

# Lines with an error say which one; mypy must find these and no others.
SNIPPET = """
from pathlib import Path

import numpy as np

from structtree import Criterion, Grammar, Growth, StructuralTreeClassifier, StructuralTreeRegressor, fit, grow


def by(mine: Criterion) -> None:
    StructuralTreeClassifier(criterion=mine, functions={"f": lambda row: row["x"] + 1})


tree = StructuralTreeClassifier(max_depth=3, criterion="gini")
StructuralTreeClassifier("trains", class_weight="balanced", costs=[[0, 1], [5, 0]], time_limit=None)
StructuralTreeClassifier(Path("my.grammar"), costs=np.eye(2), random_state=None, priors={"yes": 0.1, "no": 0.9})
StructuralTreeRegressor(random_state=np.random.RandomState(0), ccp_alpha="cv", categorical_features=["colour"])
depth: int | None = tree.max_depth
leaves: int = tree.fit([[1.0]], [0]).get_n_leaves()
fit([[1.0]], [0], None, Growth(max_depth=3), time_limit=20, ccp_alpha="cv", costs=[[0, 1], [5, 0]])
fit([[1.0]], [0], class_weight="balanced", leaf_estimate="laplace")

StructuralTreeClassifier(max_dpeth=3)  # Unexpected keyword argument "max_dpeth"
StructuralTreeClassifier(max_depth="3")  # Argument "max_depth"
StructuralTreeClassifier(stop="never")  # Argument "stop"
StructuralTreeClassifier("trains", None)  # Too many positional arguments
StructuralTreeRegressor(class_weight="balanced")  # Unexpected keyword argument "class_weight"
wrong: str = tree.max_depth  # Incompatible types in assignment
fit([[1.0]], [0], time_limt=20)  # Unexpected keyword argument "time_limt"
fit([[1.0]], [0], nominal="ternary")  # Argument "nominal"
grow([[1.0]], [0], Grammar.load("flat"), ccp_alpha=1.0)  # Unexpected keyword argument "ccp_alpha"
"""


def test_the_stub_says_what_is_declared():
    regenerate = "structtree/learn/parameters.pyi is not up to date; write it with: python -m tests.signatures"
    assert STUB.read_text(encoding="utf-8") == stub(), regenerate


def mypy_errors(path):
    """What mypy says, by line, with the settings of the package."""
    command = [sys.executable, "-m", "mypy", "--no-error-summary", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=REPOSITORY)
    assert done.returncode in (0, 1), done.stderr
    found = re.findall(r"^(.+?):(\d+): error: (.*)$", done.stdout, re.MULTILINE)
    assert {Path(where).name for where, _, _ in found} <= {path.name}, done.stdout
    return {int(line): error for _, line, error in found}


def test_a_type_checker_sees_the_parameters(tmp_path):
    path = tmp_path / "snippet.py"
    path.write_text(SNIPPET)
    expected = {
        number: line.partition("  # ")[2] for number, line in enumerate(SNIPPET.splitlines(), 1) if "  # " in line
    }
    errors = mypy_errors(path)
    assert errors.keys() == expected.keys(), errors
    for line, start in expected.items():
        assert errors[line].startswith(start)


@pytest.mark.parametrize("estimator", [StructuralTreeClassifier, StructuralTreeRegressor])
def test_python_shows_the_parameters(estimator):
    shown = inspect.signature(estimator)
    assert shown.parameters["max_depth"].annotation == int | None
    assert shown.parameters["time_limit"].default == 60.0
    assert list(shown.parameters) == list(inspect.signature(estimator.__init__).parameters)[1:]
    text = pydoc.plain(pydoc.render_doc(estimator))
    assert f"class {estimator.__name__}(" in text and "max_depth: int | None = None" in text
    assert "max_depth : int, optional" in text


@pytest.mark.parametrize("estimator", [StructuralTreeClassifier, StructuralTreeRegressor])
def test_parameters_survive_cloning(estimator):
    tree = estimator("trains", max_depth=3, time_limit=None)
    assert clone(tree).get_params() == tree.get_params()
    assert tree.set_params(max_depth=4).get_params()["max_depth"] == 4
