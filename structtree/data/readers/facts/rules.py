"""Rules of background knowledge, evaluated with clingo rather than Prolog.

A rule is evaluated if its meaning does not depend on Prolog's search strategy: a definite clause without function
symbols, whose body has facts, heads of rules, negation (``\\+``), equality and comparisons of numbers. Negation must
be stratified: no predicate may depend on its own negation. Any other rule is an error.

Numbers are passed as ranks, since clingo has only integers and comparisons need only the order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from structtree.data.readers.facts.base import FactBase, FactTable, SourcedRule
from structtree.data.readers.facts.prolog import Compound, Variable, term_text
from structtree.data.readers.facts.signatures import PrologPredicate
from structtree.errors import DataError, MissingPackageError, did_you_mean

__all__ = ["refuse_rules_that_use", "with_derived_facts"]

_COMPARISONS = {"<": "<", ">": ">", "=<": "<=", ">=": ">=", "=:=": "=", "=\\=": "!="}
_EQUALITIES = {"=": "=", "==": "=", "\\=": "!=", "\\==": "!="}


class _Literal(NamedTuple):
    """Literal in a rule: an atom, possibly negated, or a comparison."""

    name: str
    arguments: tuple[Any, ...]
    is_negative: bool = False

    @property
    def predicate(self) -> PrologPredicate:
        return PrologPredicate(self.name, len(self.arguments))

    @property
    def is_comparison(self) -> bool:
        return len(self.arguments) == 2 and (self.name in _COMPARISONS or self.name in _EQUALITIES)


class _Clause(NamedTuple):
    """Rule whose body is a conjunction."""

    head: _Literal
    body: tuple[_Literal, ...]
    source: SourcedRule

    def error(self, message: str) -> DataError:
        """Return an error that names the clause."""
        rule, source = self.source
        return source.error(f"{message} (in the rule for {self.head.predicate})", rule.at)


def with_derived_facts(base: FactBase) -> FactBase:
    """Return the facts together with those derived from the rules.

    Examples
    --------
    >>> from structtree.data.readers.facts.base import fact_base
    >>> from structtree.data.readers.facts.prolog import read_clauses
    >>> rules = "grand(X, Z) :- parent(X, Y), parent(Y, Z). parent(ann, bob). parent(bob, cy)."
    >>> with_derived_facts(fact_base([read_clauses(rules)])).tables[PrologPredicate("grand", 2)].rows
    [('ann', 'cy')]
    """
    if not base.rules:
        return base
    clauses = [clause for rule in base.rules for clause in _clauses(rule)]
    if base.models:
        clauses = _within_models(clauses, base)
    heads = {clause.head.predicate for clause in clauses}
    for clause in clauses:
        _check_clause(clause, {*base.tables, *heads})
    _check_strata(clauses)
    derived = _solved(_Program(base.tables, clauses))
    tables = dict(base.tables)
    for clause in clauses:
        predicate = clause.head.predicate
        own = tables.get(predicate, FactTable())
        known = set(own.rows)
        new = [row for row in derived.pop(predicate, []) if row not in known]
        place = (clause.source.source, clause.source.rule.at)
        tables[predicate] = FactTable([*own.rows, *new], [*own.places, *([place] * len(new))])
    return replace(base, tables=tables)


def refuse_rules_that_use(target: PrologPredicate, rules: Sequence[SourcedRule]) -> None:
    """Raise a `DataError` if a rule depends on the target, whose examples are not facts.

    Examples
    --------
    >>> from structtree.data.readers.facts.base import fact_base
    >>> from structtree.data.readers.facts.prolog import read_clauses
    >>> base = fact_base([read_clauses("next(a, b). fast(X) :- next(X, Y), fast(Y).", "bk.pl")])
    >>> refuse_rules_that_use(PrologPredicate("fast", 1), base.rules)
    Traceback (most recent call last):
        ...
    structtree.errors.DataError: bk.pl:1: a rule cannot use fast/1, which is the target: \
recursive clauses about it are neither evaluated nor learned (in the rule for fast/1)
    """
    for clause in (clause for rule in rules for clause in _clauses(rule)):
        if any(literal.predicate == target for literal in clause.body):
            raise clause.error(
                f"a rule cannot use {target}, which is the target: recursive clauses about it are neither evaluated "
                "nor learned"
            )


# ---- from terms to clauses -------------------------------------------------------------------------------


def _clauses(rule: SourcedRule) -> Iterator[_Clause]:
    """Yield a clause for each alternative of the body of a rule."""
    head = _atom(rule.rule.head)
    if head is None:
        raise rule.source.error(f"the head of a rule must be an atom, got {term_text(rule.rule.head)}", rule.rule.at)
    for body in _alternatives(rule.rule.body, rule):
        yield _Clause(head, tuple(body), rule)


def _alternatives(body: Any, rule: SourcedRule) -> Iterator[list[_Literal]]:
    match body:
        case Compound(",", (left, right)):
            rights = list(_alternatives(right, rule))
            for first in _alternatives(left, rule):
                yield from ([*first, *second] for second in rights)
        case Compound(";", (left, right)):
            yield from _alternatives(left, rule)
            yield from _alternatives(right, rule)
        case Compound("\\+" | "not", (inner,)):
            atom = _atom(inner)
            if atom is None:
                raise rule.source.error(f"negation takes one atom, got {term_text(inner)}", rule.rule.at)
            yield [atom._replace(is_negative=True)]
        case "true":
            yield []
        case _:
            atom = _atom(body)
            if atom is None or atom.name in ("!", "->"):
                raise rule.source.error(f"{term_text(body)} is not supported in a rule", rule.rule.at)
            yield [atom]


def _atom(term: Any) -> _Literal | None:
    match term:
        case Compound(name, arguments) if name not in (",", ";", "->", "\\+"):
            return _Literal(name, arguments)
        case str():
            return _Literal(term, ())
        case _:
            return None


_MODEL = Variable("_Model")


def _within_models(clauses: Sequence[_Clause], base: FactBase) -> list[_Clause]:
    """Add the interpretation as the first argument of all predicates that belong to an interpretation."""
    if PrologPredicate("objects", 2) in base.tables:
        raise clauses[0].error("rules about objects of interpretations are not supported")
    inside = {PrologPredicate(one.name, one.arity - 1) for one in base.within}
    n_known = -1
    while len(inside) != n_known:  # a head belongs to an interpretation if any literal of its body does
        n_known = len(inside)
        inside |= {one.head.predicate for one in clauses if any(part.predicate in inside for part in one.body)}
    return [
        clause._replace(head=_inside(clause.head, inside), body=tuple(_inside(one, inside) for one in clause.body))
        for clause in clauses
    ]


def _inside(literal: _Literal, inside: set[PrologPredicate]) -> _Literal:
    is_inside = not literal.is_comparison and literal.predicate in inside
    return literal._replace(arguments=(_MODEL, *literal.arguments)) if is_inside else literal


def _check_clause(clause: _Clause, known: set[PrologPredicate]) -> None:
    """Raise `DataError` for function symbols, unknown predicates and unbound variables."""
    for literal in (clause.head, *clause.body):
        for argument in literal.arguments:
            if isinstance(argument, Compound):
                raise clause.error(f"{term_text(argument)} is a compound term, which rules may not contain")
        if not literal.is_comparison and literal.predicate not in known:
            near = did_you_mean(str(literal.predicate), map(str, known))
            raise clause.error(f"there is neither a fact nor a rule for {literal.predicate}{near}")
    bound = {
        one for literal in clause.body if _binds(literal) for one in literal.arguments if isinstance(one, Variable)
    }
    for literal in (clause.head, *(one for one in clause.body if not _binds(one))):
        for one in literal.arguments:
            is_free = isinstance(one, Variable) and one not in bound
            if is_free and not (one.name == "_" and literal.is_negative):
                raise clause.error(f"{one.name} is not bound in the body")


def _binds(literal: _Literal) -> bool:
    return not literal.is_negative and not literal.is_comparison


def _check_strata(clauses: Sequence[_Clause]) -> None:
    """Raise `DataError` for a predicate that depends on its own negation."""
    uses: dict[PrologPredicate, set[PrologPredicate]] = {}
    for clause in clauses:
        uses.setdefault(clause.head.predicate, set()).update(one.predicate for one in clause.body)
    for clause in clauses:
        for literal in clause.body:
            if literal.is_negative and clause.head.predicate in _reached(literal.predicate, uses):
                raise clause.error(
                    f"{clause.head.predicate} depends on its own negation, through {literal.predicate}"
                )


def _reached(start: PrologPredicate, uses: Mapping[PrologPredicate, set[PrologPredicate]]) -> set[PrologPredicate]:
    found, waiting = {start}, [start]
    while waiting:
        new = uses.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


# ---- clingo ----------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Program:
    """Facts and clauses as a clingo program, with numbers for constants and predicates."""

    tables: Mapping[PrologPredicate, FactTable]
    clauses: Sequence[_Clause]
    constants: dict[Any, int] = field(default_factory=dict)
    numbers: list[Any] = field(default_factory=list)
    ranks: dict[Any, int] = field(default_factory=dict)
    names: dict[PrologPredicate, str] = field(default_factory=dict)

    def text(self) -> str:
        """Return the program as text."""
        used = {one.predicate for clause in self.clauses for one in (clause.head, *clause.body)}
        tables = {predicate: table for predicate, table in self.tables.items() if predicate in used}
        values = [one for table in tables.values() for row in table.rows for one in row]
        values += [one for clause in self.clauses for each in (clause.head, *clause.body) for one in each.arguments]
        self.numbers = sorted({one for one in values if isinstance(one, int | float)})
        self.ranks = {number: rank for rank, number in enumerate(self.numbers)}
        lines = [f"is_number(0..{len(self.numbers) - 1})."] if self.numbers else ["#defined is_number/1."]
        lines += [f"{self.atom(predicate, row)}." for predicate, table in tables.items() for row in table.rows]
        return "\n".join([*lines, *map(self.rule, self.clauses)])

    def rule(self, clause: _Clause) -> str:
        parts = [part for literal in clause.body for part in self.literal(literal)]
        return f"{self.atom(clause.head.predicate, clause.head.arguments)} :- {', '.join(parts) or '#true'}."

    def literal(self, literal: _Literal) -> Iterator[str]:
        """Yield the text of a literal; the terms of an order comparison must first be numbers."""
        if not literal.is_comparison:
            yield f"{'not ' if literal.is_negative else ''}{self.atom(literal.predicate, literal.arguments)}"
            return
        left, right = map(self.term, literal.arguments)
        if literal.name in _COMPARISONS:
            yield from (f"is_number({side})" for side in (left, right))
        sign = _COMPARISONS.get(literal.name) or _EQUALITIES[literal.name]
        yield f"{'not ' if literal.is_negative else ''}{left} {sign} {right}"

    def atom(self, predicate: PrologPredicate, arguments: Sequence[Any]) -> str:
        name = self.names.setdefault(predicate, f"p{len(self.names)}")
        return f"{name}({','.join(map(self.term, arguments))})" if arguments else name

    def term(self, term: Any) -> str:
        match term:
            case Variable("_"):
                return "_"
            case Variable(name):
                return f"V{name}"
            case int() | float():
                return str(self.ranks[term])
            case _:
                return f"c({self.constants.setdefault(term, len(self.constants))})"


def _solved(program: _Program) -> dict[PrologPredicate, list[tuple[Any, ...]]]:
    """Return the facts derived for the heads of the rules: the unique model of a stratified program."""
    try:
        import clingo
    except ImportError:
        raise MissingPackageError("evaluating rules needs clingo", "rules") from None
    control = clingo.Control(["--warn=none"])
    control.add("base", [], program.text())
    control.ground([("base", [])])
    heads = {program.names[clause.head.predicate]: clause.head.predicate for clause in program.clauses}
    constants = list(program.constants)
    found: dict[PrologPredicate, list[tuple[Any, ...]]] = {}
    with control.solve(yield_=True) as answers:
        for answer in answers:
            for symbol in answer.symbols(atoms=True):
                if symbol.name in heads:
                    row = tuple(_value(one, program.numbers, constants) for one in symbol.arguments)
                    found.setdefault(heads[symbol.name], []).append(row)
    return {predicate: sorted(rows, key=lambda row: tuple(map(str, row))) for predicate, rows in found.items()}


def _value(symbol: Any, numbers: Sequence[Any], constants: Sequence[Any]) -> Any:
    """Return the constant of a clingo symbol."""
    return numbers[symbol.number] if symbol.type.name == "Number" else constants[symbol.arguments[0].number]
