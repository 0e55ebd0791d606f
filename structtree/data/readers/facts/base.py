"""Facts by predicate: checked, deduplicated, and qualified by their interpretation, if any.

A predicate is a name with an arity; if a name has two arities and one of them has very few facts, that is reported as
a mistake. For interpretations (``begin(model(1)). ... end(model(1)).``) the model becomes the first argument of each
fact in it. Constants that are objects of one model, such as the triangles of a drawing, belong to that model alone:
these constants are qualified instead, and an additional predicate ``objects`` links them to their model.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from structtree.data.kinds import type_name_of
from structtree.data.readers.facts.modes import Modes, is_declaration, modes_in
from structtree.data.readers.facts.prolog import (
    Clauses,
    Compound,
    Fact,
    PrologRule,
    PrologSource,
    Variable,
    term_text,
)
from structtree.data.readers.facts.signatures import PrologPredicate
from structtree.errors import DataError
from structtree.reprs import number_text

__all__ = ["MODEL", "FactBase", "FactTable", "SourcedRule", "fact_base", "ground_arguments"]

MODEL = "\0"
"""Prefix that distinguishes the names of interpretations from all other constants."""

RARE = 20
"""Ratio between the numbers of facts of two arities of a name above which the rarer one is a mistake."""


@dataclass(frozen=True, slots=True)
class FactTable:
    """Distinct facts of one predicate, and their positions in the source."""

    rows: list[tuple[Any, ...]] = field(default_factory=list)
    places: list[tuple[PrologSource, int]] = field(default_factory=list)

    def error(self, row: int, message: str) -> DataError:
        """Return an error that names the line of a fact."""
        source, at = self.places[row]
        return source.error(message, at)


class SourcedRule(NamedTuple):
    """Rule, with the source that contains it."""

    rule: PrologRule
    source: PrologSource


@dataclass(frozen=True, slots=True)
class FactBase:
    """Facts, rules and declarations from one or more sources.

    Parameters
    ----------
    tables : mapping
        Facts of each predicate.
    models : sequence of constants
        Interpretations in order; empty if there are none.
    model_name : str
        Name of the type of interpretations.
    within : frozenset of PrologPredicate
        Predicates whose first argument is the interpretation.
    modes : Modes
        Mode declarations.
    rules : sequence of SourcedRule
    """

    tables: Mapping[PrologPredicate, FactTable]
    models: Sequence[Any] = ()
    model_name: str = "Model"
    within: frozenset[PrologPredicate] = frozenset()
    modes: Modes = field(default_factory=Modes)
    rules: Sequence[SourcedRule] = ()


def fact_base(texts: Iterable[Clauses]) -> FactBase:
    r"""Collect the facts of several sources.

    Examples
    --------
    >>> from structtree.data.readers.facts.prolog import read_clauses
    >>> base = fact_base([read_clauses("begin(model(1)). ok. worn(gear). end(model(1)). replaceable(gear).")])
    >>> {str(predicate): table.rows for predicate, table in base.tables.items()}
    {'replaceable/1': [('gear',)], 'ok/1': [('\x001',)], 'worn/2': [('\x001', 'gear')]}
    """
    gathered, modes, rules = _Gathered(), Modes(), []
    for clauses in texts:
        modes += modes_in(clauses)
        rules += [SourcedRule(rule, clauses.source) for rule in clauses.rules]
        gathered.add_all(clauses)
    tables = _merged(gathered)
    _check_arities(tables)
    modes = modes.within_models(tables) if gathered.models else modes
    within = frozenset(gathered.in_models).intersection(tables)
    return FactBase(tables, list(gathered.models), gathered.model_name, within, modes, rules)


def ground_arguments(fact: Fact, source: PrologSource) -> tuple[Any, ...]:
    """Return the arguments of a fact; raise `DataError` unless all are constants or lists of constants."""
    if _PLAIN.issuperset(map(type, fact.arguments)):
        return fact.arguments
    return tuple(_constant(one, fact, source) for one in fact.arguments)


_Tables = dict[PrologPredicate, dict[tuple[Any, ...], tuple[PrologSource, int]]]
_PLAIN = frozenset([str, int, float])


def _add_facts(tables: _Tables, facts: Iterable[Fact], source: PrologSource, before: tuple[Any, ...] = ()) -> None:
    """Add facts to the tables of their predicates, after prepending arguments."""
    n = len(before)
    for fact in facts:
        arguments = ground_arguments(fact, source)
        predicate = PrologPredicate(fact.name, n + len(arguments))
        tables.setdefault(predicate, {}).setdefault(before + arguments, (source, fact.at))


def _as_tables(tables: _Tables) -> dict[PrologPredicate, FactTable]:
    return {predicate: FactTable(list(rows), list(rows.values())) for predicate, rows in tables.items()}


def _constant(argument: Any, fact: Fact, source: PrologSource) -> Any:
    """Return an argument that is a constant or a list of constants; raise `DataError` for any other.

    Some files have words such as ``_nmda``; since facts are ground, these are accepted as constants.
    """
    who = f"{fact.name}/{len(fact.arguments)}"
    match argument:
        case Variable(name) if name[:1] == "_" and name[1:2].islower():
            return name
        case Variable(name):
            raise source.error(f"{who}: {name} is a variable; expected a constant, since facts are ground", fact.at)
        case Compound():
            shown = term_text(argument)
            message = f"{who}: {shown} is a compound term; expected a constant or a list"
            raise source.error(message, fact.at)
        case tuple():
            return tuple(_constant(item, fact, source) for item in argument)
        case _:
            return argument


class _Gathered:
    """Facts collected so far, inside and outside of models."""

    def __init__(self) -> None:
        self.everywhere: _Tables = {}
        self.in_models: _Tables = {}
        self.models: dict[Any, None] = {}
        self.model_name = "Model"

    def add_all(self, clauses: Clauses) -> None:
        facts = [fact for fact in clauses.facts if not is_declaration(fact)]
        if not any(fact.name == "begin" and _model(fact) is not None for fact in facts):
            _add_facts(self.everywhere, facts, clauses.source)
            return
        open_model: Any = None
        since: list[Fact] = []
        begun: dict[Any, Fact] = {}
        for fact in facts:
            model = _model(fact) if fact.name in ("begin", "end") else None
            if model is None:
                since.append(fact)
                continue
            self._check(fact, open_model, model, clauses.source)
            if fact.name == "begin" and begun.setdefault(model[1], fact) is not fact:
                first = clauses.source.line(begun[model[1]].at)
                raise clauses.source.error(f"the interpretation {model[1]} already begins on line {first}", fact.at)
            self._add(since, open_model, clauses.source)
            since, open_model = [], model[1] if fact.name == "begin" else None
            self.model_name = type_name_of(model[0])
            self.models.setdefault(model[1])
        if open_model is not None:
            raise clauses.source.error(f"the interpretation {open_model} has no end", facts[-1].at)
        self._add(since, None, clauses.source)

    def _check(self, fact: Fact, open_model: Any, model: tuple[str, Any], source: PrologSource) -> None:
        expected = f"end({model[0]}({open_model}))"
        if fact.name == "begin" and open_model is not None:
            raise source.error(f"an interpretation begins before {expected}", fact.at)
        if fact.name == "end" and open_model != model[1]:
            what = f"expected {expected}" if open_model is not None else "no interpretation is open"
            raise source.error(f"{what}, got end({model[0]}({model[1]}))", fact.at)

    def _add(self, facts: list[Fact], model: Any, source: PrologSource) -> None:
        if model is None:
            _add_facts(self.everywhere, facts, source)
        else:
            _add_facts(self.in_models, facts, source, (f"{MODEL}{model}",))


def _model(fact: Fact) -> tuple[str, Any] | None:
    """Return the functor and name of the interpretation in the argument of ``begin`` or ``end``."""
    match fact.arguments:
        case (Compound(functor, (name,)),):
            return functor, name
    return None


def _merged(gathered: _Gathered) -> dict[PrologPredicate, FactTable]:
    """Return all facts; those in models get the model as first argument, or qualified names for its objects."""
    tables: _Tables = {predicate: dict(rows) for predicate, rows in gathered.everywhere.items()}
    objects = _objects(gathered)
    owners: dict[tuple[Any, ...], tuple[PrologSource, int]] = {}
    for predicate, rows in gathered.in_models.items():
        places = [place for place in range(1, predicate.arity) if PrologPredicate(predicate.name, place) in objects]
        into = tables.setdefault(PrologPredicate(predicate.name, predicate.arity - bool(places)), {})
        for row, at in rows.items():
            if not places:
                into.setdefault(row, at)
                continue
            qualified = tuple(_qualified(row[0], one) if i in places else one for i, one in enumerate(row))
            into.setdefault(qualified[1:], at)
            owners.update(dict.fromkeys(((row[0], qualified[i]) for i in places), at))
    if owners:
        tables[PrologPredicate("objects", 2)] = owners
    return _as_tables(tables)


def _qualified(model: str, constant: Any) -> str:
    return f"{constant} of {model.removeprefix(MODEL)}"


def _objects(gathered: _Gathered) -> frozenset[PrologPredicate]:
    """Return the argument positions whose constants are objects of one model.

    No fact outside of the models may mention these words, and at least half of them must occur in two positions
    within one model, as in ``triangle(o1). inside(o1, o2).``
    """
    outside = {one for rows in gathered.everywhere.values() for row in rows for one in row}
    words: dict[PrologPredicate, set[Any]] = {}
    stands: dict[tuple[Any, Any], set[PrologPredicate]] = {}
    for predicate, rows in gathered.in_models.items():
        for place in range(1, predicate.arity):
            found = {row[place] for row in rows}
            if all(isinstance(one, str) for one in found) and not found & outside:
                own = PrologPredicate(predicate.name, place)
                words[own] = found
                for row in rows:
                    stands.setdefault((row[0], row[place]), set()).add(own)
    objects = {word for (_, word), places in stands.items() if len(places) > 1}
    return frozenset(place for place, found in words.items() if 2 * len(found & objects) >= len(found) > 0)


def _check_arities(tables: Mapping[PrologPredicate, FactTable]) -> None:
    """Raise `DataError` if the arity of a fact differs from that of nearly all others with the same name."""
    by_name: dict[str, list[PrologPredicate]] = {}
    for predicate in tables:
        by_name.setdefault(predicate.name, []).append(predicate)
    for name, found in by_name.items():
        usual = max(found, key=lambda one: len(tables[one].rows))
        for predicate in found:
            n, n_usual = len(tables[predicate].rows), len(tables[usual].rows)
            if predicate != usual and (n == 1 or n * RARE < n_usual):
                here, others = number_text(predicate.arity, "argument"), number_text(n_usual, "fact")
                raise tables[predicate].error(0, f"{name} has {here} here but {usual.arity} in the other {others}")
