"""Grammars as users hold them: a text that has been parsed, to be checked on data when there is some.

Reading a grammar is reading data: nothing is imported or run.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from structtree.data.columns import Column, Population
from structtree.data.schema import Attribute, Schema
from structtree.data.shipped import shipped
from structtree.errors import GrammarError, MissingFileError, UnknownNameError
from structtree.lang.check import CheckedGrammar, check, check_predicate
from structtree.lang.derive import MANY_CATEGORIES, derive_grammar
from structtree.lang.parse import parse_grammar, parse_predicate
from structtree.lang.pretty import pretty_grammar, pretty_name
from structtree.lang.syntax import GrammarSyntax, Predicate

__all__ = ["Grammar", "default_grammar", "shipped_grammars"]

GENERAL = ("molecules", "atoms-and-bonds", "graphs", "multi-instance")
"""The shipped grammars that are for all data of a form, the most special first."""

MAX_BYTES = 5_000_000
"""How large a grammar file may be."""


@dataclass(frozen=True, slots=True)
class Grammar:
    """What may be asked of structured data, as a rewrite grammar.

    Two grammars are equal when they say the same, whatever their comments and layout.

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

    syntax: GrammarSyntax
    text: str = field(compare=False, repr=False)
    source: str = field(default="<grammar>", compare=False)
    _checked: list[tuple[Schema | None, CheckedGrammar]] = field(
        default_factory=list, init=False, compare=False, repr=False
    )
    _shown: list[str] = field(default_factory=list, init=False, compare=False, repr=False)

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
        if syntax == GrammarSyntax():
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
            return cls.parse(_read(path), path.name)
        path = Path(name_or_path)
        if path.is_file():
            return cls.parse(_read(path), name)
        if path.suffix or len(path.parts) > 1 or path.exists():
            raise MissingFileError(f"there is no grammar file {name!r}")
        raise UnknownNameError("grammar", name, shipped_grammars())

    @classmethod
    def from_schema(cls, schema: Schema) -> Grammar:
        """The default grammar for data of a schema; its text is meant to be edited."""
        return _derived(schema)

    def check(self, schema: Schema | None = None) -> CheckedGrammar:
        """Resolve all names and check that everything makes sense, on the schema of the data if it is given."""
        for known, checked in self._checked:
            if known == schema:
                return checked
        checked = check(self.syntax, schema, source=self.source, text=self.text)
        # Trees are grown again and again on data of one schema: the last answer is worth keeping.
        self._checked[:] = [(schema, checked)]
        return checked

    def predicate(self, text: str, schema: Schema | None = None) -> Predicate:
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

    def __str__(self) -> str:
        if not self._shown:  # every model keeps the text of its grammar
            self._shown.append(pretty_grammar(self.syntax))
        return self._shown[0]


@lru_cache(maxsize=16)
def _derived(schema: Schema) -> Grammar:
    return Grammar.parse(derive_grammar(schema), "<derived>")


def shipped_grammars() -> tuple[str, ...]:
    """The names of the grammars that come with the package.

    Examples
    --------
    >>> "trains" in shipped_grammars()
    True
    """
    return tuple(sorted(path.stem for path in shipped("grammars").glob("*.grammar")))


def default_grammar(population: Population) -> Grammar:
    """The grammar to begin with: a shipped one if it is for data of this form, or else one derived from the schema.

    A shipped grammar fits if its names are in the data and if it asks about every type and every attribute; further
    attributes of the individuals, such as the columns of a file of molecules, are added to it.

    Examples
    --------
    >>> import networkx as nx
    >>> graphs = Population.from_graphs([nx.path_graph(3), nx.cycle_graph(3)])
    >>> default_grammar(graphs).name
    'graphs'
    >>> default_grammar(Population.from_records([{"x": 1}, {"x": 2}])).source
    '<derived>'
    """
    if len(population.schema.types) > 1:
        for name in GENERAL:
            grammar = Grammar.load(name)
            more = _not_asked(grammar, population)
            if more is not None:
                return _asking(grammar, more)
    return Grammar.from_schema(population.schema)


def _not_asked(grammar: Grammar, population: Population) -> tuple[Attribute, ...] | None:
    """The attributes of the individuals that a grammar does not ask about; None if it does not fit."""
    try:
        checked = grammar.check(population.schema)
    except GrammarError:
        return None
    found: dict[str, tuple[Attribute, ...]] = {}
    for record in population.schema.types:
        rewrites = checked.rewrites.get(record.name, ())
        asked = {getattr(rewrite.right, "attribute", None) for rewrite in rewrites}
        columns = population.table(record.name).columns
        left = tuple(a for a in record.attributes if a.name not in asked and _describes(columns[a.name]))
        if not rewrites or (left and record.name != population.schema.individual):
            return None
        found[record.name] = left
    return None if checked.warnings else found[population.schema.individual]


def _describes(column: Column) -> bool:
    """Whether an attribute says something of rows, and does not just name them."""
    return column.kind != "nominal" or 1 < len(column.categories) <= MANY_CATEGORIES


def _asking(grammar: Grammar, attributes: tuple[Attribute, ...]) -> Grammar:
    """A grammar that asks about some more attributes of the individuals."""
    if not attributes:
        return grammar
    tests = {"nominal": " = *", "int": " >= *", "real": " >= *", "bool": ""}
    lines = "".join(f"    top -> {pretty_name(a.name)}{tests[a.kind]}\n" for a in attributes)
    text = f"{grammar.text.rstrip()}\n\n# Further attributes of this data.\nrefine Individual {{\n{lines}}}\n"
    return Grammar.parse(text, grammar.source)


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise GrammarError(f"a grammar has at most {MAX_BYTES // 1_000_000} MB; is this a data file?", str(path))
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise GrammarError("this is not UTF-8 text; is it a grammar?", str(path)) from None
    except OSError as error:
        raise MissingFileError(f"cannot read {path}: {error.strerror}") from None
