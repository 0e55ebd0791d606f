"""Command-line interface: parse the options, call the library, print the result.

`main` installs the Ctrl-C handler before anything else is imported; `structtree.cli.commands` has the commands.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from structtree.interrupts import exit_now, handle_interrupts

if TYPE_CHECKING:
    from structtree.cli.commands import app

__all__ = ["app", "main"]


def main() -> None:
    """Run the command line; exit with code 130 after Ctrl-C."""
    stop = handle_interrupts()
    code: object = 0
    try:
        from structtree.cli.commands import app

        app(prog_name="structtree")
    except SystemExit as ending:
        code = ending.code
    except OSError as error:  # for example, the help is printed to a full disk
        from structtree.cli.common import DEBUG, system_sentence

        if DEBUG.get():
            raise
        code = f"error: {system_sentence(error)}"
    except BaseException:
        # Work that Ctrl-C interrupts may end in any error.
        if not stop.pressed:
            raise
    if stop.pressed and not stop.handled:
        stop.handled = True
        code = "error: stopped"
    if isinstance(code, str):
        with suppress(OSError):
            print(code, file=sys.stderr)
        code = 1
    # Normal shutdown takes half a second, during which Python ignores signals.
    exit_now(stop, int(code or 0))  # type: ignore[call-overload]  # an int, or None


def __getattr__(name: str) -> Any:
    if name != "app":
        raise AttributeError(f"module 'structtree.cli' has no attribute {name!r}")
    from structtree.cli.commands import app

    return app
