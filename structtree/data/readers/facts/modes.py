"""Mode declarations of other systems: the sort of each argument, and whether it is an input or an output.

Supported, but never executed, are Aleph's ``:- modeh(1, active(+drug))``, ``:- modeb(*, bond(+drug, -atom, -atom,
#bondtype))`` and ``:- determination(active/1, bond/4)``, the ``rmode``, ``type``, ``predict`` and ``classes`` of ACE
and Tilde, and bare lines such as ``bond(drug, atom, atom, bondtype)``, optionally preceded by ``mode:``. All other
directives are reported.

A sort that is an input (``+``) anywhere consists of records; one that is always a constant (``#``), of values.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from structtree.data.readers.facts.prolog import Clauses, Compound, Directive, Fact, read_clauses, term_text
from structtree.data.readers.facts.signatures import MemberOrigin, PrologPredicate
from structtree.errors import DataError

__all__ = ["DECLARATIONS", "Mode", "Modes", "check_known", "is_declaration", "modes_in", "read_modes"]


@dataclass(frozen=True, slots=True)
class Mode:
    """Mode declaration of a predicate.

    Parameters
    ----------
    predicate : PrologPredicate
    sorts : tuple of str or None
        Sort of each argument, if declared.
    signs : tuple of str
        Direction of each argument: ``+`` for input, ``-`` for output, ``#`` for a constant, empty if not declared.
    """

    predicate: PrologPredicate
    sorts: tuple[str | None, ...]
    signs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Modes:
    """All declarations of a source: modes, the predicate to learn, and its classes."""

    modes: tuple[Mode, ...] = ()
    target: Mode | None = None
    classes: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    determined: frozenset[PrologPredicate] = field(default_factory=frozenset)

    @property
    def sorts(self) -> Mapping[tuple[PrologPredicate, int], str]:
        """Declared sorts, by predicate and argument."""
        return {
            (mode.predicate, place): sort
            for mode in self._lines
            for place, sort in enumerate(mode.sorts)
            if sort is not None
        }

    @property
    def inputs(self) -> frozenset[str]:
        """Sorts that are an input in some mode."""
        return frozenset(sort for mode in self._lines for sort in _signed(mode, "+"))

    @property
    def named(self) -> frozenset[str]:
        """Sorts whose constants may be mentioned in tests."""
        return frozenset(sort for mode in self._lines for sort in _signed(mode, "#"))

    @property
    def _lines(self) -> tuple[Mode, ...]:
        return (*self.modes, *((self.target,) if self.target else ()))

    def __add__(self, other: Modes) -> Modes:
        return Modes(
            self.modes + other.modes,
            other.target or self.target,
            other.classes or self.classes,
            self.ignored + other.ignored,
            self.determined | other.determined,
        )

    def allows(self, origin: MemberOrigin) -> bool:
        """Return whether the modes allow tests of a member; modes without signs allow all directions."""
        if self.determined and origin.predicate not in self.determined:
            return False
        own = [mode for mode in self.modes if mode.predicate == origin.predicate]
        signed = [mode for mode in own if any(mode.signs)]
        if not own:
            return not any(any(mode.signs) for mode in self.modes)
        return not signed or any(
            (origin.start is None or "+" in mode.signs[origin.start])
            and (origin.end is None or mode.signs[origin.end] != "")
            for mode in signed
        )

    def within_models(self, known: Collection[PrologPredicate]) -> Modes:
        """Return the modes with an additional first argument for the interpretation."""
        return replace(
            self,
            modes=tuple(_longer(mode, known) for mode in self.modes),
            determined=frozenset(_longer_predicate(one, known) for one in self.determined),
        )


def _longer_predicate(predicate: PrologPredicate, known: Collection[PrologPredicate]) -> PrologPredicate:
    longer = PrologPredicate(predicate.name, predicate.arity + 1)
    return longer if predicate not in known and longer in known else predicate


def _longer(mode: Mode, known: Collection[PrologPredicate]) -> Mode:
    longer = _longer_predicate(mode.predicate, known)
    if longer == mode.predicate:
        return mode
    return Mode(longer, (None, *mode.sorts), ("+" if any(mode.signs) else "", *mode.signs))


def _signed(mode: Mode, sign: str) -> Iterator[str]:
    return (sort for sort, own in zip(mode.sorts, mode.signs, strict=True) if sort is not None and sign in own)


DECLARATIONS = ("modeh", "modeb", "mode", "rmode", "type", "typed_language", "predict", "determination", "classes")
"""Names of declarations, with or without ``:-``."""


def modes_in(clauses: Clauses) -> Modes:
    """Return the declarations among clauses: directives, and declarations without ``:-``.

    Examples
    --------
    >>> text = ":- modeh(1, active(+drug)). :- modeb(*, atm(+drug, -atom, #element)). :- foo."
    >>> found = modes_in(read_clauses(text))
    >>> found.sorts[PrologPredicate("atm", 3), 2], sorted(found.inputs), sorted(found.named), found.ignored
    ('element', ['drug'], ['element'], ('foo',))
    """
    found = Modes()
    declarations = (Directive(_goal(fact), fact.at) for fact in clauses.facts if is_declaration(fact))
    for directive in (*clauses.directives, *declarations):
        for goal in _conjuncts(directive.goal):
            found += _declared(goal, clauses, directive)
    return found


def is_declaration(fact: Fact) -> bool:
    """Return whether a fact is a declaration: those of ACE and Tilde omit ``:-``."""
    is_word = fact.name in DECLARATIONS and 0 < len(fact.arguments) <= 2
    has_template = any(isinstance(term, Compound) for term in fact.arguments)
    return is_word and (fact.name in ("typed_language", "classes") or has_template)


def _goal(fact: Fact) -> Any:
    return Compound(fact.name, fact.arguments)


def _conjuncts(goal: Any) -> Iterator[Any]:
    match goal:
        case Compound("," | ";", (left, right)):
            yield from _conjuncts(left)
            yield from _conjuncts(right)
        case _:
            yield goal


def _declared(goal: Any, clauses: Clauses, directive: Directive) -> Modes:
    match goal:
        case Compound("modeh", (_, template)) | Compound("predict", (Compound() as template,)):
            return Modes(target=_mode(template))
        case Compound("modeb" | "mode", (_, template)):
            return Modes((_mode(template),))
        case Compound("rmode", (Compound(":", (_, template)),)) | Compound("rmode", (template,)):
            return Modes(tuple(_mode(each) for each in _conjuncts(template)))
        case Compound("type", (Compound(name, arguments),)):
            sorts = tuple(sort if isinstance(sort, str) else None for sort in arguments)
            return Modes((Mode(PrologPredicate(name, len(sorts)), sorts, ("",) * len(sorts)),))
        case Compound("classes", (tuple() as names,)):
            return Modes(classes=tuple(map(str, names)))
        case Compound("determination", (_, Compound("/", (str(name), int(arity))))):
            return Modes(determined=frozenset([PrologPredicate(name, arity)]))
        case Compound("typed_language", _):
            return Modes()
        case Compound("modeh" | "modeb" | "mode" | "rmode" | "determination"):
            raise clauses.source.error(f"{term_text(goal)} is not a valid Aleph or ACE declaration", directive.at)
        case _:
            return Modes(ignored=(term_text(goal),))


def _mode(template: Any) -> Mode:
    name, arguments = (template.name, template.arguments) if isinstance(template, Compound) else (str(template), ())
    pairs = [_signed_sort(argument) for argument in arguments]
    sorts, signs = tuple(sort for sort, _ in pairs), tuple(sign for _, sign in pairs)
    return Mode(PrologPredicate(name, len(arguments)), sorts, signs)


def _signed_sort(argument: Any) -> tuple[str | None, str]:
    """Return the sort and the sign of an argument in a mode; variables of ACE have no sort."""
    match argument:
        case Compound("+" | "-" | "#" | "+-" | "-+" | "\\" | "++" | "--" as sign, (inner,)):
            return (inner if isinstance(inner, str) else None), sign
        case "#" | "+" | "-" | "+-" | "-+":
            return None, argument
        case str():
            return argument, ""
    return None, ""


_BARE_LINE = re.compile(r"(?:mode:)?\s*([a-z]\w*\s*\([^()]*\))\s*\.?")


def read_modes(text: str, name: str) -> Modes:
    """Parse a file of Aleph or ACE declarations, or of bare lines that list the sorts of each predicate.

    Examples
    --------
    >>> sorted(read_modes("friends(person,person)\\nmode: smokes(+person).", "schema.txt").sorts.values())
    ['person', 'person', 'person']
    """
    lines = [line.strip() for line in text.splitlines()]
    bare = [_BARE_LINE.fullmatch(line) for line in lines if line and not line.startswith(("%", "//"))]
    if not all(match is not None and not match[1].startswith(DECLARATIONS) for match in bare):
        return modes_in(read_clauses(text, name))
    templates = " ".join(f"{match[1]} ." for match in bare if match is not None)
    return Modes(tuple(_mode(_goal(fact)) for fact in read_clauses(templates, "<sorts>").facts))


def check_known(modes: Modes, known: Iterable[PrologPredicate], source: str) -> None:
    """Raise `DataError` for a declared predicate if none of its facts has the declared arity."""
    arities: dict[str, set[int]] = {}
    for predicate in known:
        arities.setdefault(predicate.name, set()).add(predicate.arity)
    for mode in modes.modes:
        found = arities.get(mode.predicate.name)
        if found and mode.predicate.arity not in found:
            has = " and ".join(f"{mode.predicate.name}/{arity}" for arity in sorted(found))
            raise DataError(f"{mode.predicate} is declared, but the facts have {has}", source=source)
