"""Base of all commands: errors as one sentence, options in groups, and printing.

A command is written for values, not for flags: one of its parameters may be a dataclass whose fields are options
(`with_options`). So a group of options that many commands take is written down once, and travels as one value.
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
from structtree.files import STANDARD_STREAM, check_writable
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
    "words_aside",
]

DEBUG = ContextVar("debug", default=False)
"""Set by ``--debug``: errors show their traceback."""

Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Plain = Annotated[
    bool, typer.Option("--plain", help="Print the tree on a terminal as in a pipe: no colours, no bars.")
]

P = ParamSpec("P")
R = TypeVar("R")


def reporting(command: Callable[P, R]) -> Callable[P, R]:
    """Print errors as one sentence and set the exit code; a traceback only with --debug."""

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
            _fail("this needs more memory than there is", 1)
        except BrokenPipeError:  # nobody reads what is printed any more, as after head; that is no mistake
            raise typer.Exit(1) from None
        except OSError as error:
            if DEBUG.get():
                raise
            _fail(system_sentence(error), 1)

    return run


class _PlainFlags:
    """Commands whose help shows no type beside a flag: it takes no value, and typer says ``<bool>``."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the options and arguments, that for help among them."""
        found: list[Any] = super().get_params(ctx)  # type: ignore[misc]  # of typer's class, which comes next
        for parameter in found:
            if getattr(parameter, "is_flag", False):
                parameter.metavar = ""
        return found


class Command(_PlainFlags, TyperCommand):
    """Command that refuses an option that is given twice, unless it may be repeated: the last one never wins."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]  # typer's own
        """Parse the words of the command line."""
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        given = Counter(id(parameter) for parameter in order)
        for parameter in order:
            is_once = parameter.param_type_name == "option" and not getattr(parameter, "multiple", False)
            if is_once and given[id(parameter)] > 1:
                flag = max(parameter.opts, key=len)
                fix = "; a model has one target, so learn one for each" if flag == "--target" else ""
                ctx.fail(f"{flag} was given {'twice' if given[id(parameter)] == 2 else 'several times'}{fix}")
        return super().parse_args(ctx, args)


_Misuse: Any = typer.BadParameter.__mro__[1]
"""The error of typer for wrong words on the command line, which it has no public name for."""

_WORDINGS = (
    (r"[.]? Did you mean (.*)\?$", r" (did you mean \1?)"),
    (r"\(Possible options: (.*)\)$", r"(did you mean \1?)"),
    (r"Input should be a valid integer.*", "expected an integer"),
    (r"Input should be a valid number.*", "expected a number"),
)
"""What typer says, and how this package says it."""


@contextmanager
def _misuse_reported() -> Iterator[None]:
    """Print what is wrong with the words of the command line as one sentence too, not as typer does in a box."""
    try:
        yield
    except _Misuse as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # no mistake: the help is shown
            raise
        sentence = " ".join(error.format_message().split()).rstrip(".")
        for pattern, better in _WORDINGS:
            sentence = re.sub(pattern, better, sentence)
        command = ["structtree", *(error.ctx.command_path.split()[1:] if error.ctx else [])]
        _fail(f"{sentence[:1].lower()}{sentence[1:]}; see: {' '.join(command)} --help", error.exit_code)


class _Group(_PlainFlags, TyperGroup):
    """Commands under one name, as typer runs them."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        """Parse the words up to the name of a command."""
        with _misuse_reported():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        """Parse the rest, and run the command."""
        with _misuse_reported():
            return super().invoke(ctx)


class CommandGroup(typer.Typer):
    """Commands under one name, each a `Command`."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(cls=_Group, **settings)

    def command(  # type: ignore[override]  # all other settings of typer pass through
        self, name: str | None = None, **settings: Any
    ) -> Callable[[Callable[..., R]], Callable[..., R]]:
        """Register a function as a command."""
        return super().command(name, cls=Command, **settings)


_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EBADF}
"""What goes wrong when something is printed; files are written by way of `structtree.files`, which names them."""


def system_sentence(error: OSError) -> str:
    """Return what the operating system refused, with the file.

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
    """Return a function as a command: its groups of options spread out, its errors as one sentence."""
    return reporting(with_options(function))


def with_options(command: Callable[..., R]) -> Callable[..., R]:
    """Return a command whose parameters of a group's type stand for the options of that group.

    A group is a dataclass, or a class with a ``__signature__``. If several groups have an option of one name, the
    first declares it, and all of them get its value.

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
    """The options that a parameter stands for: itself, or those of its group."""
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
    """Refuse a file that cannot be written, and two results on standard output, before the work and not after."""
    if as_json and is_printed(out):
        raise UsageError("-o - and --json both print on standard output; leave out one, or name a file")
    check_writable(out)


@contextmanager
def words_aside(out: Path | None) -> Iterator[None]:
    """Have words printed on stderr while the result itself goes to standard output."""
    with redirect_stdout(sys.stderr) if is_printed(out) else nullcontext():
        yield


def is_printed(out: Path | None) -> bool:
    """Return whether a result is meant for standard output (``-o -``).

    Examples
    --------
    >>> is_printed(Path("-")), is_printed(Path("a.json")), is_printed(None)
    (True, False, False)
    """
    return out is not None and str(out) == STANDARD_STREAM


def end_stopped(stop: Stop) -> None:
    """Set the exit code of a command that Ctrl-C has stopped, at its end."""
    if stop.pressed:
        raise typer.Exit(EXIT_CODE)


def say(text: str = "") -> None:
    """Print lines for people; what data has in them that would control a terminal is spelled out."""
    typer.echo("\n".join(map(inert, text.split("\n"))))


def print_tree(model: Any, *, plain: bool = False, **options: Any) -> None:
    """Print a tree: with bars and colours on a terminal, and plain in a pipe; as wide as COLUMNS says, if it does."""
    from structtree.report.text import tree_lines

    on_terminal = sys.stdout.isatty() and not plain
    width = shutil.get_terminal_size((100, 0)).columns if on_terminal else int(os.environ.get("COLUMNS") or 100)
    lines = tree_lines(model, bars=on_terminal, width=max(width, NARROWEST), **options)
    if not on_terminal:
        say("\n".join(map(line_text, lines)))
        return
    _print_coloured(lines, len(model.tree.classes))


NARROWEST = 24
"""A terminal that is narrower breaks the lines of a tree itself."""

ROLES = {"edge": "dim", "yes": "bold green", "no": "bold", "answer": "bold", "caveat": "yellow", "figure": "dim"}
"""How parts of lines look on a terminal; those about a class have its colour."""


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
    """Tell people something that is not part of the result, if there is anywhere to tell it."""
    with suppress(OSError):
        typer.echo("\n".join(map(inert, sentence.split("\n"))), err=True)


def print_remarks(remarks: Iterable[Remark]) -> None:
    """Print remarks on stderr, with options as flags."""
    for remark in remarks:
        note(f"{remark.kind}: {remark.sentence(as_flag)}")


def print_exactly(text: str) -> None:
    """Print what machines read, sign by sign; only on a terminal what would control it is spelled out."""
    if sys.stdout.isatty():
        say(text.removesuffix("\n"))
    else:
        typer.echo(text, nl=False, color=True)  # which leaves escape sequences in the data as they are


def print_json(value: Any) -> None:
    """Print a value as JSON, in a form that people can read too."""
    print_exactly(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def print_table(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table; as wide as the terminal, or 110 characters in a pipe."""
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
    """Return the number, or None where JSON has no way to write it.

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
"""Words of so many characters, such as a name that is a whole file by mistake, are cut."""


def _readable(sentence: str) -> str:
    """Return a sentence without signs that control a terminal, and with the middle of very long words left out."""
    plain = "\n".join(map(inert, sentence.split("\n")))
    return re.sub(rf"\S{{{_LONG_WORD},}}", lambda found: f"{found[0][:40]}...{found[0][-20:]}", plain)
