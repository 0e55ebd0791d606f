"""Pages of the documentation as tests read them: their blocks, and what the commands on them print."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

from tests.cli.test_commands import run
from tests.conftest import REPOSITORY


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
    commands = [one for block in blocks(page, "console") for one in block.split("$ structtree ")[1:]]
    for line, expected in (one.split("\n", 1) for one in commands):
        words, _, source = line.partition(" < ")
        found = run(*shlex.split(words), input=Path(source).read_text(encoding="utf-8") if source else None)
        assert found.exit_code == 0, found.stderr
        printed = "".join(f"{each.rstrip()}\n" for each in found.stdout.splitlines())
        assert doctest.OutputChecker().check_output(expected, printed, doctest.ELLIPSIS), f"{line}\n{printed}"
    return len(commands)
