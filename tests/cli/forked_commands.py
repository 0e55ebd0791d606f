"""Commands run one by one in forks of this program, under conditions that pytest itself could not stand.

Reads lines from standard input, each a JSON list of cases, and writes for each a line with what became of them: the
exit code, and what was printed. Its argument is a JSON list of commands to warm up with: what they import and compile
is there in every fork.
"""

from __future__ import annotations

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

CLOSED = "closed pipe"
"""In place of a file for standard output: a pipe that nobody reads."""


def _become(case: dict[str, Any], out: int, err: int) -> None:
    import resource

    os.dup2(out, 1)
    os.dup2(err, 2)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  # for the rest of the process
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if case.get("nobody"):
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    if case.get("most_bytes"):
        resource.setrlimit(resource.RLIMIT_FSIZE, (case["most_bytes"], case["most_bytes"]))


def _stdout(case: dict[str, Any], default: int) -> int:
    where = case.get("stdout")
    if where == CLOSED:
        read, write = os.pipe()
        os.close(read)
        return write
    return default if where is None else os.open(where, os.O_WRONLY)


def run(case: dict[str, Any]) -> dict[str, Any]:
    """Return what became of a command; what it prints goes to pipes, since limits for files do not count there."""
    from structtree.cli import main

    (from_out, out), (from_err, err) = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        _become(case, _stdout(case, out), err)
        sys.argv = ["structtree", *case["args"]]
        try:
            main()
        finally:
            sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
            os._exit(70)
    os.close(out)
    os.close(err)
    with ThreadPoolExecutor(2) as threads:
        printed, told = threads.map(_all_of, (from_out, from_err))
    return {"code": os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), "out": printed, "err": told}


def _all_of(pipe: int) -> str:
    with open(pipe, encoding="utf-8", errors="replace") as file:
        return file.read()


def warm_up(command: list[str]) -> None:
    """Have everything imported that a command needs: nobody may not even be allowed to read the interpreter."""
    import contextlib
    import io

    from structtree.cli.commands import app

    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())), contextlib.redirect_stderr(io.StringIO()):
        app(command, standalone_mode=False)


if __name__ == "__main__":
    for command in json.loads(sys.argv[1]):
        warm_up(command)
    for line in sys.stdin:
        print(json.dumps([run(case) for case in json.loads(line)]), flush=True)
