"""The command line: flags in, one library call, words out.

`main` listens to Ctrl-C before anything else is imported; the commands are in `structtree.cli.commands`.
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
    """Run the command line; after Ctrl-C the exit code is 130, whatever became of the command."""
    stop = handle_interrupts()
    code: object = 0
    try:
        from structtree.cli.commands import app

        app(prog_name="structtree")
    except SystemExit as ending:
        code = ending.code
    except OSError as error:  # such as a full disk that the help is printed to
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
    # Python takes half a second to tidy up, in which it no longer listens.
    exit_now(stop, int(code or 0))  # type: ignore[call-overload]  # an int, or None


def __getattr__(name: str) -> Any:
    if name != "app":
        raise AttributeError(f"module 'structtree.cli' has no attribute {name!r}")
    from structtree.cli.commands import app

    return app
