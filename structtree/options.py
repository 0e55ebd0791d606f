"""Options declared once, as dataclass fields or TypedDict keys with a type, a default, a range and a help text.

The declaration is used to validate values (`check_options`), to generate the reference documentation (`documented`),
and to define the parameters of the estimators and the options of the command line. This module imports nothing
expensive, so that the help of the command line is fast.

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
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

from structtree.errors import UsageError, did_you_mean

__all__ = [
    "Option",
    "Span",
    "build_options",
    "check_options",
    "documented",
    "keyword",
    "keywords_of",
    "listed",
    "merge_options",
    "option",
    "options_of",
    "reference",
    "refuse_unknown",
]

_T = TypeVar("_T")


class Span(NamedTuple):
    """Range of valid numbers, which may include or exclude its end points.

    Examples
    --------
    >>> str(Span(1)), str(Span(0, inside=True)), str(Span(0, 1, inside=True)), str(Span(0, 0.5))
    ('>= 1', '> 0', 'between 0 and 1', 'from 0 to 0.5')
    >>> str(Span(0, 1, above=True))
    '> 0 and at most 1'
    """

    low: float = -inf
    high: float = inf
    inside: bool = False
    above: bool = False

    def has(self, number: float) -> bool:
        """Return whether a number is in the range."""
        if self.inside:
            return self.low < number and (number < self.high or self.high == inf)
        if self.above:
            return self.low < number <= self.high
        return self.low <= number <= self.high

    def __str__(self) -> str:
        if self.high == inf:
            return f"{'>' if self.inside else '>='} {self.low:g}"
        if self.above:
            return f"> {self.low:g} and at most {self.high:g}"
        return f"between {self.low:g} and {self.high:g}" if self.inside else f"from {self.low:g} to {self.high:g}"


@dataclass(frozen=True, kw_only=True)
class Option:
    """Declaration of an option.

    Parameters
    ----------
    name : str
        Name of the field.
    kind : type
        Annotation of the field.
    default
    help : str
        One sentence for the reference and for the help of the command line.
    range : Span
        Range of a number.
    unit : str
        Unit of a number, such as seconds.
    accepts : str
        Type in the reference, if the annotation is neither a number nor a few words, or if the estimators accept
        more.
    annotation : str
        Annotation of the estimator parameter, if it differs from that of the field.
    parameter : str
        Name of the estimator parameter; the field name by default.
    usual
        Default of the estimators and the command line, if it differs.
    flag : str
        Command-line option, or a pair of them for yes and no; derived from the parameter name by default.
    panel : str
        Group in the help; options without one are not available on the command line.
    metavar, flag_help, shown_default : str
        Replacements for the generated texts in the help.
    many : bool
        Whether the command-line option can be repeated.
    needs : tuple, optional
        Name of another field, followed by the values that this option requires.
    for_classes, for_tables : bool
        Whether the option applies only to classification, or only to plain tables.
    for_search : bool
        Whether the option also applies to the search for a single split, as in ``structtree effort``.
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
        """Type of the allowed numbers, if any."""
        kinds = set(_parts(self.kind, types=True))
        return int if int in kinds else float if float in kinds else None

    @cached_property
    def is_free(self) -> bool:
        """True if the option accepts arbitrary objects, which are validated where they are used."""
        return not {int, float}.issuperset(_parts(self.kind, types=True))

    def allows(self, value: object) -> bool:
        """Return whether a value is valid."""
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
        """Raise `UsageError` if a value is invalid; `name` is the name of the option in the message."""
        if value is not self.default and not self.allows(value):
            raise UsageError(f"{name} must be {self.expected(self.words)}; got {value!r}")

    def expected(self, words: Iterable[Any]) -> str:
        """Describe the valid values: the range of numbers, if any, and the given words."""
        quoted = sorted(map(repr, words), key=lambda word: word != "None")
        if self.number is None:
            return listed(quoted)
        noun = "an int" if self.number is int else "a number" + f" of {self.unit}" * bool(self.unit)
        return listed([f"{noun} {self.range}", *reversed(quoted)])

    def reference_kind(self, called: Literal["name", "parameter"]) -> str:
        """Return the type in numpydoc format; estimator parameters may accept more."""
        words = [f'"{word}"' for word in self.words if isinstance(word, str)]
        number = [self.number.__name__] if self.number else []
        kind = listed([*number, *words]) if number else f"{{{', '.join(words)}}}" if words else "bool"
        if self.accepts and (self.is_free or called == "parameter"):
            kind = self.accepts
        return kind + ", optional" * (self.default is None)


def option(default: Any, help: str, range: Span = Span(), **more: Any) -> Any:
    """Declare an option as the default of a dataclass field; see `Option` for the other keywords."""
    return field(default=default, metadata={"help": help, "range": range, **more})


def options_of(*declarations: type) -> tuple[Option, ...]:
    """Return the options declared by dataclasses, in order; ``PANEL`` of a dataclass is the default panel.

    An option that several declarations inherit from the same one is returned once.
    """
    return tuple({e.parameter: e for declaration in declarations for e in _declared(declaration)}.values())


def keyword(help: str, panel: str, metavar: str = "", flag: str = "", *, many: bool = False) -> Mapping[str, Any]:
    """Declare an optional keyword argument, in the annotation of a TypedDict key; see `Option`.

    Examples
    --------
    >>> from typing import TypedDict
    >>> class Wrapping(TypedDict, total=False):
    ...     paper: Annotated[str | None, keyword("Colour of the paper.", "Gifts")]
    >>> keywords_of(Wrapping)["paper"].help
    'Colour of the paper.'
    """
    declared = {"help": help, "panel": panel, "metavar": metavar, "flag": flag, "many": many}
    return {name: value for name, value in declared.items() if value}


def keywords_of(declaration: type) -> Mapping[str, Option]:
    """Return the keyword arguments that a TypedDict declares, by name; those without a panel exist only in Python."""
    found = {}
    for name, hint in get_type_hints(declaration, include_extras=True).items():
        kind, *declared = get_args(hint) if get_origin(hint) is Annotated else (hint,)
        found[name] = _option(name, kind, None, declared[0] if declared else {"help": ""})
    return found


def check_options(values: Any) -> None:
    """Raise `UsageError` for invalid values, and for options that do not apply because of another option."""
    declared = options_of(type(values))
    _check(declared, {each.name: getattr(values, each.name) for each in declared}, "name")


def build_options(declaration: type[_T], given: Mapping[str, Any]) -> _T:
    """Return an options object built from estimator parameters; missing ones have their defaults."""
    declared = options_of(declaration)
    values = {each.parameter: given.get(each.parameter, each.default) for each in declared}
    try:
        return declaration(**{each.name: values[each.parameter] for each in declared})
    except UsageError:
        _check(declared, values, "parameter")  # with the names of the parameters in the message
        raise


def merge_options(declaration: type[_T], given: _T | None, named: Mapping[str, Any]) -> _T:
    """Merge options from an object and from keyword parameters.

    Values of the object count as given if they differ from the default. Unknown keywords are ignored.

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
    """Raise `UsageError` for keywords that are not options, and suggest the closest option or parameter.

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
    """Insert a Parameters section into the docstring of an options dataclass, after the first paragraph."""
    declaration.__doc__ = reference(declaration, options_of(declaration), "name")
    return declaration


def reference(described: type, options: Iterable[Option], called: Literal["name", "parameter"]) -> str:
    """Return the docstring of a class with a Parameters section after the first paragraph."""
    summary, _, rest = cleandoc(described.__doc__ or "").partition("\n\n")
    entries = [f"{getattr(each, called)} : {each.reference_kind(called)}\n    {each.help}" for each in options]
    return "\n".join([summary, "", "Parameters", "----------", *entries, "", rest]).rstrip() + "\n"


def listed(phrases: Iterable[str]) -> str:
    """Join phrases with commas and "or".

    Examples
    --------
    >>> listed(["one"]), listed(["one", "two", "three"])
    ('one', 'one, two or three')
    """
    *first, last = phrases
    return f"{', '.join(first)} or {last}" if first else last


@cache
def _declared(declaration: Any) -> tuple[Option, ...]:
    kinds, panel = get_type_hints(declaration), getattr(declaration, "PANEL", "")
    return tuple(
        _option(each.name, kinds[each.name], each.default, {"panel": panel} | dict(each.metadata))
        for each in fields(declaration)
    )


def _option(name: str, kind: Any, default: Any, declared: Mapping[str, Any]) -> Option:
    """Return an `Option` from a declaration, with inferred fields filled in."""
    parameter = declared.get("parameter", name)
    words = declared.get("flag", parameter.replace("_", "-")).split("/")
    flag = "/".join(word if word.startswith("-") else f"--{word}" for word in words)
    given = {"usual": default, "range": Span(), **declared, "parameter": parameter, "flag": flag}
    return Option(name=name, kind=kind, default=default, **given)


def _check(declared: Iterable[Option], values: Mapping[str, Any], called: Literal["name", "parameter"]) -> None:
    """Raise `UsageError` for invalid values; messages use the field names or the parameter names."""
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
    """Yield the literal values and types in an annotation, or only the types."""
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
