"""Options, each declared once: a field of a dataclass with its kind, default, range and a sentence of help.

From that declaration follow the check of values (`check_options`), the reference documentation (`documented`), the
parameters of the estimators, and the options of the command line. Nothing heavy is imported here, so that
``structtree --help`` answers at once.

>>> @documented
... @dataclass(frozen=True)
... class Size:
...     '''Size of a box.'''
...
...     width: int = option(3, "Width in centimetres.", Span(1))
...     lid: Literal["flat", "round"] | None = option(None, "Shape of the lid.")
...     def __post_init__(self) -> None:
...         check_options(self)
>>> Size(width=0)
Traceback (most recent call last):
    ...
structtree.errors.UsageError: width must be an int >= 1; got 0
>>> Size(lid="oval")
Traceback (most recent call last):
    ...
structtree.errors.UsageError: lid must be None, 'flat' or 'round'; got 'oval'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache, cached_property
from inspect import cleandoc, signature
from math import inf
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from structtree.errors import UsageError, did_you_mean

__all__ = [
    "Option",
    "Span",
    "build_options",
    "check_options",
    "documented",
    "listed",
    "merge_options",
    "option",
    "options_of",
    "reference",
    "refuse_unknown",
]

_T = TypeVar("_T")


class Span(NamedTuple):
    """Span of a number, with its ends or without.

    Examples
    --------
    >>> str(Span(1)), str(Span(0, inside=True)), str(Span(0, 1, inside=True)), str(Span(0, 0.5))
    ('>= 1', '> 0', 'between 0 and 1', 'from 0 to 0.5')
    """

    low: float = -inf
    high: float = inf
    inside: bool = False

    def has(self, number: float) -> bool:
        """Return whether a number is in the range."""
        if self.inside:
            return self.low < number and (number < self.high or self.high == inf)
        return self.low <= number <= self.high

    def __str__(self) -> str:
        if self.high == inf:
            return f"{'>' if self.inside else '>='} {self.low:g}"
        words = ("between", "and") if self.inside else ("from", "to")
        return f"{words[0]} {self.low:g} {words[1]} {self.high:g}"


@dataclass(frozen=True, kw_only=True)
class Option:
    """Declaration of an option.

    Parameters
    ----------
    name : str
        The field that declares it.
    kind : type
        The annotation of that field.
    default
    help : str
        One sentence, for the reference and for ``--help``.
    range : Span
        The range of a number.
    unit : str
        What a number counts, such as seconds.
    accepts : str
        The kind, for the reference: where it is neither a number nor one of a few words, or where a parameter of the
        estimators may be more than that.
    annotation : str
        The annotation of the parameter of the estimators, where that may be more than the field.
    parameter : str
        The name as a parameter of the estimators; that of the field by default.
    usual
        The default of the estimators and of the command line, if it is another one.
    flag : str
        The option of the command line, derived from the name of the parameter by default.
    panel : str
        The group of ``--help`` that it belongs to; without one it is no option of the command line.
    metavar, flag_help, shown_default : str
        What ``--help`` shows instead of what follows from the rest.
    many : bool
        Whether the option may be repeated on the command line, each time for another class.
    needs : tuple, optional
        Another field, and those of its values with which this one has a meaning.
    for_classes, for_tables : bool
        Whether it has a meaning only if the target is a class, or only for plain tables.
    for_search : bool
        Whether it also has a meaning for the search for one split, as in ``structtree effort``.
    """

    name: str
    kind: Any
    default: Any
    help: str
    range: Span
    unit: str = ""
    accepts: str = ""
    annotation: str = ""
    parameter: str = ""
    usual: Any = None
    flag: str = ""
    panel: str = ""
    metavar: str = ""
    flag_help: str = ""
    shown_default: str = ""
    many: bool = False
    needs: tuple[Any, ...] = ()
    for_classes: bool = False
    for_tables: bool = False
    for_search: bool = False

    @cached_property
    def words(self) -> list[Any]:
        """Allowed values that are not numbers."""
        return [part for part in _parts(self.kind) if not isinstance(part, type)]

    @cached_property
    def number(self) -> type[int] | type[float] | None:
        """The kind of number that is allowed, if any."""
        kinds = set(_parts(self.kind, types=True))
        return int if int in kinds else float if float in kinds else None

    @cached_property
    def is_free(self) -> bool:
        """True if values are neither numbers nor a few words, so that their user checks them."""
        return not {int, float}.issuperset(_parts(self.kind, types=True))

    def allows(self, value: object) -> bool:
        """Return whether this may be the value of the option."""
        if self.is_free:
            return True
        if value is None or isinstance(value, bool | str):
            return value in self.words
        if not isinstance(value, Integral if self.number is int else Real) or self.number is None:
            return False
        try:
            return self.range.has(float(value))
        except OverflowError:  # a whole number beyond all floats
            return False

    def check(self, value: object, name: str) -> None:
        """Refuse a value that the option may not have, by the name that the user knows the option by."""
        if value is not self.default and not self.allows(value):
            raise UsageError(f"{name} must be {self.expected(self.words)}; got {value!r}")

    def expected(self, words: Iterable[Any]) -> str:
        """Return a phrase that says what the values are, with these words among them."""
        said = sorted(map(repr, words), key=lambda word: word != "None")
        if self.number is None:
            return listed(said)
        noun = "an int" if self.number is int else "a number" + f" of {self.unit}" * bool(self.unit)
        return listed([f"{noun} {self.range}", *reversed(said)])

    def reference_kind(self, called: Literal["name", "parameter"]) -> str:
        """Return the kind as numpydoc writes it; parameters of estimators may accept more."""
        words = [f'"{word}"' for word in self.words if isinstance(word, str)]
        number = [self.number.__name__] if self.number else []
        kind = listed([*number, *words]) if number else f"{{{', '.join(words)}}}" if words else "bool"
        if self.accepts and (self.is_free or called == "parameter"):
            kind = self.accepts
        return kind + ", optional" * (self.default is None)


def option(default: Any, help: str, range: Span = Span(), **more: Any) -> Any:
    """Declare an option as the default of a dataclass's field; see `Option` for what more can be said of it."""
    return field(default=default, metadata={"help": help, "range": range, **more})


def options_of(*declarations: type) -> tuple[Option, ...]:
    """Return the options that dataclasses declare, in order; ``PANEL`` of a dataclass is that of its options."""
    return tuple(each for declaration in declarations for each in _declared(declaration))


def check_options(values: Any) -> None:
    """Refuse values that their options may not have, and options that have no meaning because of another one."""
    declared = options_of(type(values))
    _check(declared, {each.name: getattr(values, each.name) for each in declared}, "name")


def build_options(declaration: type[_T], given: Mapping[str, Any]) -> _T:
    """Return options from the parameters of an estimator; those that are not given are default."""
    declared = options_of(declaration)
    values = {each.parameter: given.get(each.parameter, each.default) for each in declared}
    try:
        return declaration(**{each.name: values[each.parameter] for each in declared})
    except UsageError:
        _check(declared, values, "parameter")  # which says it by the names of the parameters
        raise


def merge_options(declaration: type[_T], given: _T | None, named: Mapping[str, Any]) -> _T:
    """Return options that are given as an object, by the names of the parameters, or some in each way.

    In the object, values other than the default count as given. Names of other options are ignored.

    Examples
    --------
    >>> from structtree import Growth
    >>> found = merge_options(Growth, Growth(max_depth=3), {"time_limit": 20})
    >>> found.max_depth, found.time_limit
    (3, 20)
    >>> merge_options(Growth, Growth(max_depth=3), {"max_depth": 4})
    Traceback (most recent call last):
        ...
    structtree.errors.UsageError: max_depth is given twice, as max_depth=4 and as Growth(max_depth=3); remove one
    """
    values = {}
    for each in options_of(declaration):
        value = each.default if given is None else getattr(given, each.name)
        if each.parameter in named and value != each.default:
            by_name, by_object = f"{each.parameter}={named[each.parameter]!r}", f"{each.name}={value!r}"
            twice = f"as {by_name} and as {declaration.__name__}({by_object})"
            raise UsageError(f"{each.parameter} is given twice, {twice}; remove one")
        values[each.parameter] = named.get(each.parameter, value)
    return build_options(declaration, values)


def refuse_unknown(named: Iterable[str], function: Callable[..., Any], *declarations: type) -> None:
    """Refuse keywords that are not options, and suggest the nearest option or other parameter of the function.

    Examples
    --------
    >>> from structtree import Growth, Pruning, fit
    >>> refuse_unknown(["time_limt"], fit, Growth, Pruning)
    Traceback (most recent call last):
        ...
    structtree.errors.UsageError: fit has no option 'time_limt' (did you mean 'time_limit'?)
    >>> refuse_unknown(["method"], fit, Growth, Pruning)
    Traceback (most recent call last):
        ...
    structtree.errors.UsageError: fit has no option 'method' (did you mean 'post_prune'?)
    """
    parameters = {each.name: each.parameter for each in options_of(*declarations)}
    for name in named:
        if name in parameters.values():
            continue
        others = [each.name for each in signature(function).parameters.values() if each.kind is not each.VAR_KEYWORD]
        known = did_you_mean(name, [*parameters.values(), *others])
        near = f" (did you mean {parameters[name]!r}?)" if name in parameters else known
        raise UsageError(f"{function.__name__} has no option {name!r}{near}")


def documented(declaration: type[_T]) -> type[_T]:
    """Insert the parameters of a dataclass of options into its docstring, after the first paragraph."""
    declaration.__doc__ = reference(declaration, options_of(declaration), "name")
    return declaration


def reference(described: type, options: Iterable[Option], called: Literal["name", "parameter"]) -> str:
    """Return the docstring of a class with a section on its parameters after the first paragraph."""
    summary, _, rest = cleandoc(described.__doc__ or "").partition("\n\n")
    entries = [f"{getattr(each, called)} : {each.reference_kind(called)}\n    {each.help}" for each in options]
    return "\n".join([summary, "", "Parameters", "----------", *entries, "", rest]).rstrip() + "\n"


def listed(phrases: Iterable[str]) -> str:
    """Return phrases as a list in words.

    Examples
    --------
    >>> listed(["one"]), listed(["one", "two", "three"])
    ('one', 'one, two or three')
    """
    *first, last = phrases
    return f"{', '.join(first)} or {last}" if first else last


@cache
def _declared(declaration: Any) -> tuple[Option, ...]:
    kinds, panel, found = get_type_hints(declaration), getattr(declaration, "PANEL", ""), []
    for each in fields(declaration):
        parameter = each.metadata.get("parameter", each.name)
        inferred = {"parameter": parameter, "flag": f"--{parameter.replace('_', '-')}"}
        said: dict[str, Any] = {"usual": each.default, "panel": panel} | inferred | dict(each.metadata)
        found.append(Option(name=each.name, kind=kinds[each.name], default=each.default, **said))
    return tuple(found)


def _check(declared: Iterable[Option], values: Mapping[str, Any], called: Literal["name", "parameter"]) -> None:
    """Refuse values by what their options are called."""
    names = {each.name: getattr(each, called) for each in declared}
    for each in declared:
        each.check(values[names[each.name]], names[each.name])
    for each in declared:
        if each.needs and values[names[each.name]] != each.default:
            other, *allowed = names[each.needs[0]], *each.needs[1:]
            if values[other] not in allowed:
                needed = listed([f"{other}={value!r}" for value in allowed if value is not None])
                raise UsageError(f"{names[each.name]} is for {needed}, not for {other}={values[other]!r}")


def _parts(kind: Any, *, types: bool = False) -> Iterator[Any]:
    """The values and types that an annotation is made of; only the types if so asked."""
    origin = get_origin(kind)
    if origin is Literal:
        parts: Iterable[Any] = get_args(kind)
    elif origin in (Union, UnionType):
        parts = (part for each in get_args(kind) for part in _parts(each))
    elif kind is bool:
        parts = (True, False)
    else:
        parts = (None,) if kind is NoneType else (origin or (kind if isinstance(kind, type) else object),)
    yield from (part for part in parts if not types or isinstance(part, type))
