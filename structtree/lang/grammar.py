"""The `Grammar` class: a parsed grammar and its text, checked against a schema on demand.

Reading a grammar never imports or runs code. `structtree.lang.default` chooses a grammar if none is given.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
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
from structtree.lang.combine import combine_tests, omit_negations
from structtree.lang.derive import N_QUANTILES, derive_grammar
from structtree.lang.mistakes import located
from structtree.lang.omit import omit_attributes
from structtree.lang.parse import parse_grammar, parse_predicate
from structtree.lang.pretty import pretty_grammar, pretty_name
from structtree.reprs import Viewed, names_text, number_text, short_repr

__all__ = ["Grammar", "grammar_from", "members_text", "shipped_grammars"]

MAX_BYTES = 5_000_000
"""Maximum size of a grammar file."""

MANY_NAMES = 12
"""Maximum number of attributes listed in a note; the others are counted."""


@dataclass(frozen=True, slots=True)
class Grammar(Viewed):
    """Rewrite grammar: the tests that trees may use on structured data.

    Comments and layout are ignored when grammars are compared.

    Parameters
    ----------
    syntax : GrammarSyntax
    text : str
        The text that it was parsed from, with its comments.
    source : str
        The file name, or another name of the text, for error messages.
    origin : str
        Where the grammar comes from, as text.
    notes : tuple of str
        Notes on tests that were skipped or simplified because of the data.

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
        """Parse a grammar.

        Parameters
        ----------
        text : str
        source : str
            The file name, or another name of the text, for error messages.
        """
        syntax = parse_grammar(text, source)
        if syntax == syn.GrammarSyntax():
            raise GrammarError("the grammar is empty; write at least 'refine TYPE { top -> ... }'", source)
        return cls(syntax, text, source)

    @classmethod
    def load(cls, name_or_path: str | Path) -> Grammar:
        """Load a shipped grammar by name, or a grammar from a file.

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
            raise MissingFileError(f"no such grammar file: {name!r}")
        raise UnknownNameError("grammar", name, shipped_grammars())

    @classmethod
    def from_schema(cls, schema: Schema) -> Grammar:
        """Derive a grammar that tests every attribute and follows every link of a schema.

        Its text is meant to be edited. With data, prefer `from_population`, which adapts the grammar to the data.
        """
        return _derived(schema, None)

    @classmethod
    def from_population(cls, population: Population, known: Profile | None = None) -> Grammar:
        """Derive a grammar from a schema and its data.

        Identifiers are skipped, and numbers with very many values are tested at quantiles instead of every threshold;
        see `structtree.data.profile`. The notes of the grammar list these decisions.

        Parameters
        ----------
        population : Population
        known : Profile, optional
            The profile of the population, if it is already known.

        Examples
        --------
        >>> people = Population.from_records([{"id": 7, "age": 31}, {"id": 8, "age": 40}])
        >>> grammar = Grammar.from_population(people)
        >>> "id >= *" in grammar.text, "age >= *" in grammar.text, grammar.notes
        (False, True, ('skipped: id (unique per row)',))
        """
        return _derived(population.schema, profile(population) if known is None else known)

    def check(self, schema: Schema | None = None) -> CheckedGrammar:
        """Check the grammar against the schema of the data, or against the declared types."""
        for known, checked in self._checked:
            if known == schema:
                return checked
        checked = check(self.syntax, schema, source=self.source, text=self.text)
        # Trees are often grown on data with the same schema, so the last result is kept.
        self._checked[:] = [(schema, checked)]
        return checked

    def omitting(self, reasons: Mapping[str, str], schema: Schema) -> Grammar:
        """Return the grammar without the rewrites that test attributes removed from the data.

        Parameters
        ----------
        reasons : mapping from name to str
            Removed attributes of the individuals, with the reason; attributes that the data still has are ignored.
        schema : Schema
            The schema of the data.

        Examples
        --------
        >>> data = Population.from_records([{"size": 3}])
        >>> whole = Grammar.parse("refine Individual { top -> size >= *; top -> class = * }")
        >>> whole.omitting({"class": "the target"}, data.schema).notes
        ('skipped: class (the target); removed 1 rewrite',)
        """
        with located(self.source, self.text):
            found = omit_attributes(self.syntax, reasons, schema)
        if found.syntax == self.syntax:
            return self
        names = ", ".join(f"{pretty_name(name)} ({reasons[name]})" for name in found.names)
        removed = [number_text(found.n_rewrites, "rewrite")] if found.n_rewrites else []
        removed += [f"the declaration of {', '.join(map(pretty_name, found.computed))}"] if found.computed else []
        notes = (f"skipped: {names}; removed {' and '.join(removed)}",) if removed else ()
        return replace(self, syntax=found.syntax, notes=(*self.notes, *notes))

    def combining(self, most: int | None, schema: Schema) -> Grammar:
        """Return the grammar with predicates of up to ``most`` literals, all of which may be about the individual.

        With None, up to three are about the individual, and the limit on literals is that of the grammar, if higher.

        Examples
        --------
        >>> data = Population.from_records([{"size": 3}])
        >>> print(Grammar.parse("refine Individual { top -> size >= * }").combining(2, data.schema), end="")
        refine Individual {
            top -> size >= *
            top -> top and top max 2
        }
        limits { literals 2 }
        """
        with located(self.source, self.text):
            syntax = combine_tests(self.syntax, schema, most)
        return self if syntax == self.syntax else replace(self, syntax=syntax, text=pretty_grammar(syntax))

    def without_negations(self, binary: Mapping[str, Collection[str]] | None = None) -> Grammar:
        """Return the grammar without tests that an attribute is false.

        Parameters
        ----------
        binary : mapping from type to names of attributes, optional
            Numbers that are 0 or 1; ``a <= 0`` is a negated test of them.

        Examples
        --------
        >>> print(Grammar.parse("refine Row { top -> a; top -> not a }").without_negations(), end="")
        refine Row {
            top -> a
        }
        """
        syntax = omit_negations(self.syntax, binary or {})
        return self if syntax == self.syntax else replace(self, syntax=syntax, text=pretty_grammar(syntax))

    def predicate(self, text: str, schema: Schema | None = None) -> syn.Predicate:
        """Parse a predicate on individuals, which may use the definitions and functions of the grammar."""
        checked = self.check(schema)
        return check_predicate(parse_predicate(text), checked.individual, checked, text=text)

    @property
    def name(self) -> str | None:
        """The name after the keyword ``grammar``."""
        return self.syntax.name

    @property
    def doc(self) -> str | None:
        """The docstring of the grammar."""
        return self.syntax.doc

    @property
    def facts(self) -> tuple[str, ...]:
        """The fact declarations, for the ``fact`` option of the readers.

        Examples
        --------
        >>> Grammar.parse("fact has_car(Train, Car key) refine Train { top -> exists has_car (top) }").facts
        ('has_car(Train, Car key)',)
        """
        return tuple(str(one.signature) for one in self.syntax.facts)

    def __str__(self) -> str:
        if not self._shown:  # kept, since every model stores the text of its grammar
            self._shown.append(pretty_grammar(self.syntax))
        return self._shown[0]


@lru_cache(maxsize=16)
def _derived(schema: Schema, known: Profile | None) -> Grammar:
    grammar = Grammar.parse(derive_grammar(schema, profile=known), "<derived>")
    if known is None:
        return replace(grammar, origin="derived from the schema")
    return replace(grammar, origin="derived from the data", notes=tuple(_notes(schema, known)))


def _notes(schema: Schema, known: Profile) -> Iterator[str]:
    for start, members, why in (
        ("skipped", known.identifiers, "unique per row"),
        (f"tested at {N_QUANTILES} quantiles instead of every threshold", known.many_valued, "too many values"),
        ("tested by elapsed time instead of date", known.absolute, "new individuals have later dates"),
        ("skipped link", known.crowded, "leads to too many rows"),
        ("skipped link", known.returning, "returns to the parent row"),
    ):
        if members:
            yield f"{start}: {members_text(schema, members)} ({why})"
    if known.is_large:
        yield "tests are not combined where a tree can ask them in sequence (many individuals)"


def members_text(schema: Schema, members: frozenset[Member]) -> str:
    """Return the names of members as text, in schema order and shortened if there are many.

    Members of the individual are listed without their type.
    """
    order = [Member(record.name, name) for record in schema.types for name in record.members]
    types = {member: "" if member.type == schema.individual else f"{pretty_name(member.type)}." for member in order}
    names = [f"{types[member]}{pretty_name(member.attribute)}" for member in order if member in members]
    more = [f"and {len(names) - MANY_NAMES} more"] if len(names) > MANY_NAMES + 1 else []
    return ", ".join([*names[:MANY_NAMES], *more] if more else names)


def grammar_from(given: str | Path | Grammar) -> Grammar:
    """Return a grammar from its name, its file, or its text (which contains a brace).

    Examples
    --------
    >>> grammar_from("trains").name, str(grammar_from("refine Car { top -> long }"))[:10]
    ('trains', 'refine Car')
    """
    require(given, str | Path | Grammar, "grammar", "a name, a file, grammar text or a Grammar")
    if isinstance(given, Grammar):
        return given
    if isinstance(given, str) and given not in shipped_grammars() and "{" in given:
        return Grammar.parse(given)
    return Grammar.load(given)


def shipped_grammars() -> tuple[str, ...]:
    """Return the names of the shipped grammars.

    Examples
    --------
    >>> "trains" in shipped_grammars()
    True
    """
    return tuple(sorted(path.stem for path in shipped("grammars").glob("*.grammar")))


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            size = MAX_BYTES // 1_000_000
            raise GrammarError(f"expected a grammar of at most {size} MB; is this a data file?", str(path))
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise GrammarError("the file is not UTF-8 text; is it a grammar?", str(path)) from None
    except OSError as error:
        raise MissingFileError(f"cannot read {path}: {error.strerror}") from None
