"""Code shared by the commands: error messages, groups of options, and printing.

A parameter of a command may be a dataclass whose fields are options (`with_options`). A group of options that many
commands share is thus declared once and passed as one value.
"""

from __future__ import annotations

import errno
import functools
import inspect
import json
import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, redirect_stdout, suppress
from contextvars import ContextVar
from dataclasses import is_dataclass
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, NoReturn, ParamSpec, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

from structtree.cli.flags import as_flag
from structtree.errors import StructtreeError, UsageError
from structtree.files import STANDARD_STREAM, check_writable, replacing
from structtree.interrupts import EXIT_CODE, Stop, stoppable
from structtree.remarks import Remark
from structtree.report.spans import Line, line_text
from structtree.reprs import inert, seconds_text

__all__ = [
    "DEBUG",
    "Command",
    "CommandGroup",
    "Json",
    "Plain",
    "check_output",
    "command",
    "end_stopped",
    "finite",
    "is_printed",
    "messages_to_stderr",
    "note",
    "print_exactly",
    "print_json",
    "print_remarks",
    "print_table",
    "print_tree",
    "reporting",
    "say",
    "seconds_text",
    "system_sentence",
    "with_options",
    "write_text",
]

DEBUG = ContextVar("debug", default=False)
"""Set by ``--debug``: errors show their traceback."""

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Plain = Annotated[bool, typer.Option("--plain", help="Print the tree without colours and bars, as in piped output.")]

P = ParamSpec("P")
R = TypeVar("R")


def reporting(command: Callable[P, R]) -> Callable[P, R]:
    """Print errors as one sentence and set the exit code; with --debug, raise them."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except StructtreeError as error:
            if DEBUG.get():
                raise
            _fail(error.sentence(as_flag), error.exit_code)
        except KeyboardInterrupt as interrupt:
            with stoppable() as stop:
                stop.handled = True
            _fail(": ".join(["stopped", *map(str, interrupt.args)]), EXIT_CODE)
        except MemoryError:
            _fail("out of memory", 1)
        except BrokenPipeError:  # the reader has closed the pipe, as head does; not an error
            raise typer.Exit(1) from None
        except OSError as error:
            if DEBUG.get():
                raise
            _fail(system_sentence(error), 1)

    return run


class _PlainFlags:
    """Mixin that removes the type ``<bool>`` that typer shows next to flags."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options and arguments, including ``--help``."""
        found: list[Any] = super().get_params(ctx)  # type: ignore[misc]  # typer's class is next in the MRO
        for parameter in found:
            if getattr(parameter, "is_flag", False):
                parameter.metavar = ""
        return found


class Command(_PlainFlags, TyperCommand):
    """Command that rejects repeated options, except those that accept several values."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]  # typer's own
        """Parse the command-line arguments."""
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        given = Counter(id(parameter) for parameter in order)
        for parameter in order:
            is_once = parameter.param_type_name == "option" and not getattr(parameter, "multiple", False)
            if is_once and given[id(parameter)] > 1:
                flag = max(parameter.opts, key=len)
                fix = "; a model has one target, so fit one model per target" if flag == "--target" else ""
                ctx.fail(f"{flag} was given {'twice' if given[id(parameter)] == 2 else 'several times'}{fix}")
        return super().parse_args(ctx, args)


_Misuse: Any = typer.BadParameter.__mro__[1]
"""Usage error of typer, which exports no public name for it."""

_WORDINGS = (
    (r"[.]? Did you mean (.*)\?$", r" (did you mean \1?)"),
    (r"\(Possible options: (.*)\)$", r"(did you mean \1?)"),
    (r"Input should be a valid integer.*", "expected an integer"),
    (r"Input should be a valid number.*", "expected a number"),
)
"""Patterns in messages of typer, and their replacements."""


@contextmanager
def _misuse_reported() -> Iterator[None]:
    """Print usage errors as one sentence, not in the box that typer draws."""
    try:
        yield
    except _Misuse as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # not an error: the help is shown
            raise
        sentence = " ".join(error.format_message().split()).rstrip(".")
        for pattern, better in _WORDINGS:
            sentence = re.sub(pattern, better, sentence)
        command = ["structtree", *(error.ctx.command_path.split()[1:] if error.ctx else [])]
        _fail(f"{sentence[:1].lower()}{sentence[1:]}; see: {' '.join(command)} --help", error.exit_code)


class _Group(_PlainFlags, TyperGroup):
    """Click group of commands that prints usage errors as one sentence."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        """Parse the arguments up to the name of a command."""
        with _misuse_reported():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        """Parse the remaining arguments and run the command."""
        with _misuse_reported():
            return super().invoke(ctx)


class CommandGroup(typer.Typer):
    """Typer application whose commands are of the class `Command`."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(cls=_Group, **settings)

    def command(  # type: ignore[override]  # the other settings of typer pass through
        self, name: str | None = None, **settings: Any
    ) -> Callable[[Callable[..., R]], Callable[..., R]]:
        """Register a function as a command."""
        return super().command(name, cls=Command, **settings)


_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EBADF}
"""Errors of writing to standard output; `structtree.files` names the file in its errors."""


def system_sentence(error: OSError) -> str:
    """Format an operating system error as one line with the file name.

    Examples
    --------
    >>> system_sentence(PermissionError(13, "Permission denied", "a.csv"))
    'a.csv: Permission denied'
    """
    reason = error.strerror or str(error)
    if error.filename is not None:
        return f"{error.filename}: {reason}"
    return f"cannot write to standard output: {reason}" if error.errno in _FULL else reason


def command(function: Callable[..., R]) -> Callable[..., R]:
    """Decorate a function as a command: expand its option groups, and print errors."""
    return reporting(with_options(function))


def with_options(command: Callable[..., R]) -> Callable[..., R]:
    """Return a command in which each option-group parameter is replaced by its options.

    A group is a dataclass, or a class with a ``__signature__``. If groups share an option of the same name, the
    first one declares it and all of them receive its value.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Size:
    ...     width: int = 3
    ...     height: int = 4
    >>> @with_options
    ... def area(size: Size, unit: str) -> str:
    ...     return f"{size.width * size.height} {unit}"
    >>> inspect.signature(area), area(unit="cm", width=3, height=5)
    (<Signature (*, width: int = 3, height: int = 4, unit: str) -> str>, '15 cm')
    """
    signature = inspect.signature(command, eval_str=True)
    options: dict[str, inspect.Parameter] = {}
    for option in (each for parameter in signature.parameters.values() for each in _options(parameter)):
        options.setdefault(option.name, option.replace(kind=inspect.Parameter.KEYWORD_ONLY))

    @functools.wraps(command)
    def run(**given: Any) -> R:
        return command(**{name: _value(parameter, given) for name, parameter in signature.parameters.items()})

    run.__signature__ = signature.replace(parameters=list(options.values()))  # type: ignore[attr-defined]
    run.__annotations__ = {option.name: option.annotation for option in options.values()}
    return run


def _options(parameter: inspect.Parameter) -> list[inspect.Parameter]:
    """Return the options of a group, or the parameter itself if it is not a group."""
    group = parameter.annotation
    if not (is_dataclass(group) or hasattr(group, "__signature__")):
        return [parameter]
    return list(inspect.signature(group, eval_str=True).parameters.values())


def _value(parameter: inspect.Parameter, given: dict[str, Any]) -> Any:
    options = _options(parameter)
    if options == [parameter]:
        return given[parameter.name]
    return parameter.annotation(**{option.name: given[option.name] for option in options})


def check_output(out: Path | None, *, as_json: bool = False) -> None:
    """Reject a file that cannot be written, and two results on standard output, before any work is done."""
    if as_json and is_printed(out):
        raise UsageError("-o - and --json both write to standard output; pass one of them, or name a file")
    check_writable(out)


@contextmanager
def messages_to_stderr(out: Path | None) -> Iterator[None]:
    """Redirect messages to stderr if the result itself goes to standard output."""
    with redirect_stdout(sys.stderr) if is_printed(out) else nullcontext():
        yield


def is_printed(out: Path | None) -> bool:
    """Return whether a result goes to standard output (``-o -``).

    Examples
    --------
    >>> is_printed(Path("-")), is_printed(Path("a.json")), is_printed(None)
    (True, False, False)
    """
    return out is not None and str(out) == STANDARD_STREAM


def write_text(text: str, out: Path | None) -> bool:
    """Write text to a file, or print it verbatim; return whether a file was written."""
    if out is None or is_printed(out):
        print_exactly(text)
        return False
    with replacing(out) as draft:
        draft.write_text(text, encoding="utf-8")
    return True


def end_stopped(stop: Stop) -> None:
    """Exit with the exit code for interrupted commands if Ctrl-C was pressed."""
    if stop.pressed:
        raise typer.Exit(EXIT_CODE)


def say(text: str = "") -> None:
    """Print text, with control characters escaped."""
    typer.echo("\n".join(map(inert, text.split("\n"))))


def print_tree(model: Any, *, plain: bool = False, **options: Any) -> None:
    """Print a tree with bars and colours on a terminal, or as plain text in a pipe; COLUMNS sets the width.

    Rules are printed one per line.
    """
    from structtree.report.rules import has_rules, rule_lines
    from structtree.report.text import tree_lines

    if has_rules(model):
        say("\n".join(rule_lines(model, words=options.get("words", False))))
        return

    on_terminal = sys.stdout.isatty() and not plain
    width = shutil.get_terminal_size((100, 0)).columns if on_terminal else int(os.environ.get("COLUMNS") or 100)
    lines = tree_lines(model, bars=on_terminal, width=max(width, NARROWEST), **options)
    if not on_terminal:
        say("\n".join(map(line_text, lines)))
        return
    _print_coloured(lines, len(model.tree.classes))


NARROWEST = 24
"""Minimum width of a printed tree; narrower terminals wrap its lines."""

ROLES = {"edge": "dim", "yes": "bold green", "no": "bold", "answer": "bold", "caveat": "yellow", "figure": "dim"}
"""Terminal styles by role; spans about a class also have its colour."""


def _print_coloured(lines: Iterable[Line], n_classes: int) -> None:
    from rich.console import Console
    from rich.text import Text

    from structtree.report.pictures.trees import class_colours

    colours = class_colours(max(1, n_classes))
    console = Console(file=sys.stdout, highlight=False, markup=False, emoji=False, soft_wrap=True)
    for line in lines:
        text = Text()
        for span in line:
            colour = "" if span.code is None else colours[span.code]
            text.append(inert(span.text), " ".join(filter(None, (ROLES.get(span.role, ""), colour))))
        console.print(text)


def note(sentence: str) -> None:
    """Print a message on stderr; ignore errors in writing."""
    with suppress(OSError):
        typer.echo("\n".join(map(inert, sentence.split("\n"))), err=True)


def print_remarks(remarks: Iterable[Remark]) -> None:
    """Print remarks on stderr, with options as flags."""
    for remark in remarks:
        note(f"{remark.kind}: {remark.sentence(as_flag)}")


def print_exactly(text: str) -> None:
    """Print text verbatim; on a terminal, with control characters escaped."""
    if sys.stdout.isatty():
        say(text.removesuffix("\n"))
    else:
        typer.echo(text, nl=False, color=True)  # color=True keeps escape sequences in the data


def print_json(value: Any) -> None:
    """Print a value as indented JSON."""
    print_exactly(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def print_table(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table as wide as the terminal, or 110 characters wide in a pipe."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=None, header_style="bold", pad_edge=False)
    for i, head in enumerate(heads):
        table.add_column(head, overflow="fold", no_wrap=i == 0)
    for row in rows:
        table.add_row(*map(inert, row))
    width = None if sys.stdout.isatty() else 110
    Console(width=width, highlight=False, markup=False).print(table)


def finite(value: float) -> float | None:
    """Return a number, or None if JSON cannot represent it.

    Examples
    --------
    >>> finite(0.5), finite(float("inf"))
    (0.5, None)
    """
    return value if isfinite(value) else None


def _fail(sentence: str, code: int) -> NoReturn:
    note(f"error: {_readable(sentence)}")
    raise typer.Exit(code)


_LONG_WORD = 200
"""Length from which words are shortened, such as a whole file passed as a name by mistake."""


def _readable(sentence: str) -> str:
    """Return a sentence with control characters escaped and very long words shortened."""
    plain = "\n".join(map(inert, sentence.split("\n")))
    return re.sub(rf"\S{{{_LONG_WORD},}}", lambda found: f"{found[0][:40]}...{found[0][-20:]}", plain)
