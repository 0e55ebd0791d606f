"""Messages of the library name options as in Python; only the command line writes flags."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import structtree

PACKAGE = Path(structtree.__file__).parent
FLAG = re.compile(r"(?<![\w-])--[a-z]+(-[a-z]+)*(?![\w=])")
NOT_OURS = {"data/datasets/fetch.py"}
"""Modules with the flags of another program: pip."""


def strings_of(path):
    """The strings of a module, except docstrings and those that are statements."""
    tree = ast.parse(path.read_text())
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    found = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return [node.value for node in found if id(node) not in docs]


def test_no_message_outside_the_command_line_mentions_a_flag():
    modules = [path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0] != "cli"]
    assert len(modules) > 200
    found = {
        str(path.relative_to(PACKAGE)): flags
        for path in modules
        if (flags := [text for text in strings_of(path) if FLAG.search(text)])
    }
    assert {name: flags for name, flags in found.items() if name not in NOT_OURS} == {}
