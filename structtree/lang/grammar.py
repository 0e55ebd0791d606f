"""Grammars as users hold them: a text that has been parsed, to be checked on data when there is some.

Reading a grammar is reading data: nothing is imported or run. Which grammar data gets when none is given is decided
in `structtree.lang.default`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from structtree.data.datasets.folders import shipped
from structtree.data.population import Population
from structtree.data.profile import Member, Profile, profile
from structtree.data.schema import Schema
from structtree.errors import GrammarError, MissingFileError, UnknownNameError, require
from structtree.lang import syntax as syn
from structtree.lang.check import CheckedGrammar, check, check_predicate
from structtree.lang.derive import N_QUANTILES, derive_grammar
from structtree.lang.omit import omit_attributes
from structtree.lang.parse import parse_grammar, parse_predicate
from structtree.lang.pretty import pretty_grammar, pretty_name
from structtree.reprs import Viewed, names_text, number_text, short_repr

__all__ = ["Grammar", "grammar_from", "members_text", "shipped_grammars"]

MAX_BYTES = 5_000_000
"""How large a grammar file may be."""

MANY_NAMES = 12
"""So many attributes are named in a note at most, and one more."""


@dataclass(frozen=True, slots=True)
class Grammar(Viewed):
    """Rewrite grammar: what may be asked of structured data.

    Two grammars are equal when they say the same, whatever their comments and layout.

    Parameters
    ----------
    syntax : GrammarSyntax
    text : str
        The text it was parsed from, with its comments.
    source : str
        The file or other name of the text, for messages.
    origin : str
        Where the grammar comes from, in words.
    notes : tuple of str
        What it does not ask, or not in full, where that was decided from the data.

    Examples
    --------
    >>> grammar = Grammar.parse("type Car = { wheels: int } refine Car { top -> wheels >= 2..4 }")
    >>> print(grammar, end="")
    type Car = { wheels: int }
    <BLANKLINE>
    refine Car {
        top -> wheels >= 2..4
    }
    >>> grammar.predicate("wheels >= 3")
    Compare(attribute='wheels', op='>=', value=3)
    """

    syntax: syn.GrammarSyntax
    text: str = field(compare=False, repr=False)
    source: str = field(default="<grammar>", compare=False)
    origin: str = field(default="given as text", compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False, repr=False)
    _checked: list[tuple[Schema | None, CheckedGrammar]] = field(
        default_factory=list, init=False, compare=False, repr=False
    )
    _shown: list[str] = field(default_factory=list, init=False, compare=False, repr=False)

    def __repr__(self) -> str:
        blocks = self.syntax.blocks
        rewrites = number_text(sum(len(block.rewrites) for block in blocks), "rewrite")
        types = names_text(block.type for block in blocks)
        return short_repr(self, self.name or "unnamed", f"{rewrites} for {types}", self.origin)

    @classmethod
    def parse(cls, text: str, source: str = "<grammar>") -> Grammar:
        """A grammar from its text.

        Parameters
        ----------
        text : str
        source : str
            The file or other name of the text, for messages.
        """
        syntax = parse_grammar(text, source)
        if syntax == syn.GrammarSyntax():
            raise GrammarError("this grammar is empty; write at least 'refine TYPE { top -> ... }'", source)
        return cls(syntax, text, source)

    @classmethod
    def load(cls, name_or_path: str | Path) -> Grammar:
        """A grammar that comes with the package, by name, or from a file.

        Examples
        --------
        >>> Grammar.load("trains").name
        'trains'
        """
        name = str(name_or_path)
        folder = shipped("grammars")
        if name in shipped_grammars():
            path = folder / f"{name}.grammar"
            return replace(cls.parse(_read(path), path.name), origin=f"{name} (shipped)")
        path = Path(name_or_path)
        if path.is_file():
            return replace(cls.parse(_read(path), name), origin=name)
        if path.suffix or len(path.parts) > 1 or path.exists():
            raise MissingFileError(f"there is no grammar file {name!r}")
        raise UnknownNameError("grammar", name, shipped_grammars())

    @classmethod
    def from_schema(cls, schema: Schema) -> Grammar:
        """Return a grammar that asks about every attribute and every link of a schema.

        Its text is meant to be edited. Where there is data, `from_population` fits it better.
        """
        return _derived(schema, None)

    @classmethod
    def from_population(cls, population: Population, known: Profile | None = None) -> Grammar:
        """Return the grammar of the schema, fitted to the data.

        Identifiers are left out, and numbers with too many values to ask every threshold are asked at quantiles; see
        `structtree.data.profile`. The notes of the grammar say so.

        Parameters
        ----------
        population : Population
        known : Profile, optional
            The profile of the population, where it is known already.

        Examples
        --------
        >>> people = Population.from_records([{"id": 7, "age": 31}, {"id": 8, "age": 40}])
        >>> grammar = Grammar.from_population(people)
        >>> "id >= *" in grammar.text, "age >= *" in grammar.text, grammar.notes
        (False, True, ('not asked: id (differs from row to row)',))
        """
        return _derived(population.schema, profile(population) if known is None else known)

    def check(self, schema: Schema | None = None) -> CheckedGrammar:
        """Resolve all names and check that everything makes sense, on the schema of the data if it is given."""
        for known, checked in self._checked:
            if known == schema:
                return checked
        checked = check(self.syntax, schema, source=self.source, text=self.text)
        # Trees are grown again and again on data of one schema: the last answer is worth keeping.
        self._checked[:] = [(schema, checked)]
        return checked

    def omitting(self, reasons: Mapping[str, str], schema: Schema) -> Grammar:
        """Return the grammar without rewrites about attributes that the data leaves out on purpose.

        Parameters
        ----------
        reasons : mapping from name to str
            The attributes of the individuals, and what they are; those that the data has all the same stay.
        schema : Schema
            Of the data.

        Examples
        --------
        >>> data = Population.from_records([{"size": 3}])
        >>> whole = Grammar.parse("refine Individual { top -> size >= *; top -> class = * }")
        >>> whole.omitting({"class": "the target"}, data.schema).notes
        ('not asked: class (the target); 1 rewrite is left out',)
        """
        found = omit_attributes(self.syntax, reasons, schema, self.source, self.text)
        if found.syntax == self.syntax:
            return self
        names = ", ".join(f"{pretty_name(name)} ({reasons[name]})" for name in found.names)
        left = [f"{found.n_rewrites} rewrite{'s' * (found.n_rewrites > 1)}"] if found.n_rewrites else []
        left += [f"what computes {pretty_name(name)}" for name in found.computed]
        are = "is" if len(left) == 1 and found.n_rewrites <= 1 else "are"
        notes = (f"not asked: {names}; {' and '.join(left)} {are} left out",) if left else ()
        return replace(self, syntax=found.syntax, notes=(*self.notes, *notes))

    def predicate(self, text: str, schema: Schema | None = None) -> syn.Predicate:
        """A predicate on individuals from its text; it may use the definitions and functions of the grammar."""
        checked = self.check(schema)
        return check_predicate(parse_predicate(text), checked.individual, checked, text=text)

    @property
    def name(self) -> str | None:
        """The name after the word ``grammar``."""
        return self.syntax.name

    @property
    def doc(self) -> str | None:
        """The docstring."""
        return self.syntax.doc

    @property
    def facts(self) -> tuple[str, ...]:
        """The declarations of facts, as the readers of facts take them.

        Examples
        --------
        >>> Grammar.parse("fact has_car(Train, Car key) refine Train { top -> exists has_car (top) }").facts
        ('has_car(Train, Car key)',)
        """
        return tuple(str(one.signature) for one in self.syntax.facts)

    def __str__(self) -> str:
        if not self._shown:  # every model keeps the text of its grammar
            self._shown.append(pretty_grammar(self.syntax))
        return self._shown[0]


@lru_cache(maxsize=16)
def _derived(schema: Schema, known: Profile | None) -> Grammar:
    grammar = Grammar.parse(derive_grammar(schema, profile=known), "<derived>")
    if known is None:
        return replace(grammar, origin="derived from the schema")
    return replace(grammar, origin="derived from the data", notes=tuple(_notes(schema, known)))


def _notes(schema: Schema, known: Profile) -> Iterator[str]:
    if known.identifiers:
        yield f"not asked: {members_text(schema, known.identifiers)} (differs from row to row)"
    if known.many_valued:
        names = members_text(schema, known.many_valued)
        yield f"asked at {N_QUANTILES} quantiles, not at every threshold: {names} (too many values)"
    if known.absolute:
        names = members_text(schema, known.absolute)
        yield f"asked how long ago, not when: {names} (what comes later has other dates)"
    if known.crowded:
        yield f"not followed: {members_text(schema, known.crowded)} (individuals reach too many rows by it)"
    if known.returning:
        yield f"not followed: {members_text(schema, known.returning)} (leads back to where one came from)"
    if known.is_large:
        yield "one test at a time where a tree can ask one after the other: there are many individuals"


def members_text(schema: Schema, members: frozenset[Member]) -> str:
    """Return the first names of members, in the order of the schema; those of the individuals without their type."""
    order = [Member(record.name, name) for record in schema.types for name in record.members]
    types = {member: "" if member.type == schema.individual else f"{pretty_name(member.type)}." for member in order}
    names = [f"{types[member]}{pretty_name(member.attribute)}" for member in order if member in members]
    more = [f"and {len(names) - MANY_NAMES} more"] if len(names) > MANY_NAMES + 1 else []
    return ", ".join([*names[:MANY_NAMES], *more] if more else names)


def grammar_from(given: str | Path | Grammar) -> Grammar:
    """Return a grammar from its name, its file, or its text, which has a bracket in it.

    Examples
    --------
    >>> grammar_from("trains").name, str(grammar_from("refine Car { top -> long }"))[:10]
    ('trains', 'refine Car')
    """
    require(given, str | Path | Grammar, "grammar", "a name, a file, a text or a Grammar")
    if isinstance(given, Grammar):
        return given
    if isinstance(given, str) and given not in shipped_grammars() and "{" in given:
        return Grammar.parse(given)
    return Grammar.load(given)


def shipped_grammars() -> tuple[str, ...]:
    """The names of the grammars that come with the package.

    Examples
    --------
    >>> "trains" in shipped_grammars()
    True
    """
    return tuple(sorted(path.stem for path in shipped("grammars").glob("*.grammar")))


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise GrammarError(f"a grammar has at most {MAX_BYTES // 1_000_000} MB; is this a data file?", str(path))
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise GrammarError("this is not UTF-8 text; is it a grammar?", str(path)) from None
    except OSError as error:
        raise MissingFileError(f"cannot read {path}: {error.strerror}") from None
