"""Pages of the documentation as tests read them: their blocks, and what the commands on them print."""

from __future__ import annotations

import doctest
import re
import shlex

from tests.conftest import REPOSITORY
from tests.test_cli import run


def page_text(page):
    """Return the text of a page such as ``docs/tutorial.md``."""
    return (REPOSITORY / page).read_text(encoding="utf-8")


def blocks(page, language):
    """Return the blocks of a language, in order."""
    return re.findall(rf"```{language}\n(.*?)```", page_text(page), flags=re.DOTALL)


def check_commands(page):
    """Run each command of a page in the current folder, compare what it prints, and return how many there are.

    As in doctests ``...`` stands for anything. Blanks at the end of a line, which tables have, are not compared.
    """
    for block in blocks(page, "console"):
        line, expected = block.split("\n", 1)
        command, _, source = line.removeprefix("$ structtree ").partition(" < ")
        found = run(*shlex.split(command), input=_input(source))
        assert found.exit_code == 0, found.stderr
        printed = "".join(f"{each.rstrip()}\n" for each in found.stdout.splitlines())
        assert doctest.OutputChecker().check_output(expected, printed, doctest.ELLIPSIS), f"{line}\n{printed}"
    return len(blocks(page, "console"))


def _input(source):
    """Return what a file has that a command gets as its standard input, if it gets one."""
    if not source:
        return None
    with open(source, encoding="utf-8") as file:
        return file.read()
