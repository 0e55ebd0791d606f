"""Definitions, computed attributes and derived links as clauses of Prolog, made from their declarations.

The pairs of a derived link are terms ``pair(Asker, Row)``. Walks are tabled, so that closures end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, assert_never

from structtree.data.schema import FAR_ROW, Kind, RecordType, Schema
from structtree.export.prolog.goals import (
    GoalWriter,
    RowVocabulary,
    TermFound,
    conjunction_of,
    definition_call,
    member_atom,
    number_term,
    plain_atom,
)
from structtree.lang import syntax as syn
from structtree.lang.background import ComputedAttribute, ComputedLink, Repeated, Walk

__all__ = ["background_clauses"]


def background_clauses(
    schema: Schema,
    definitions: Iterable[syn.Definition],
    steps: Iterable[ComputedAttribute | ComputedLink],
    vocabulary: RowVocabulary,
) -> Iterator[str]:
    """Yield clauses for all that a grammar defines and computes, and for the parts of dates and times.

    Parameters
    ----------
    schema : Schema
        With all that is computed.
    definitions : iterable of Definition
    steps : iterable of ComputedAttribute and ComputedLink
    vocabulary : RowVocabulary

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> from structtree.data.schema import Attribute
    >>> schema = Schema((RecordType("Car", (Attribute("wheels", "int"),)),), "Car")
    >>> big = syn.Definition("big", "Car", parse_predicate("wheels >= 3"))
    >>> print(*background_clauses(schema, [big], [], RowVocabulary()))
    'define big'(X) :- 'Car.wheels'(X, Wheels0), Wheels0 >= 3.0.
    """
    writer = GoalWriter(schema, vocabulary)
    for definition in definitions:
        vocabulary.restart()
        head = definition_call(definition.name, "X", map(syn.Parameter, definition.parameters))
        yield f"{head} :- {writer.goal(definition.body, definition.type, 'X')}."
    for record in schema.types:
        yield from _part_clauses(record)
    for step in steps:
        vocabulary.restart()
        if isinstance(step, ComputedAttribute):
            yield _attribute_clause(step, writer, step.type, "X", "X")
        else:
            yield from _link_clauses(step, schema, vocabulary)


def _part_clauses(record: RecordType) -> Iterator[str]:
    """Yield the parts of all dates and times of a type, by Prolog's own calendar; weekdays are ranks from Monday."""
    for attribute in record.attributes:
        if attribute.kind in ("date", "time"):
            moment = "D * 86400" if attribute.kind == "date" else "D"
            for part in ("weekday", "day", "month", "year", *(["hour"] if attribute.kind == "time" else [])):
                name = member_atom(record.name, f"{attribute.name}.{part}")
                date = f"{member_atom(record.name, attribute.name)}(X, D)"
                yield f"{name}(X, V) :- {date}, structtree_part({part}, {moment}, V)."


def _attribute_clause(step: ComputedAttribute, writer: GoalWriter, type_name: str, row: str, head: str) -> str:
    """Return a value that is there if all that it is computed from is."""
    value = _Computation(writer, type_name, row)
    text = value.of(step.expression)
    member = member_atom(step.type, step.attribute.name)
    return f"{member}({head}, V) :- {conjunction_of([*value.goals, f'V is float({text.text})'])}."


def _link_clauses(step: ComputedLink, schema: Schema, vocabulary: RowVocabulary) -> Iterator[str]:
    """Yield the rows that a walk leads to, each once, if the condition holds; or one pair for each of them."""
    link, name = member_atom(step.type, step.link.name), plain_atom(f"walk {step.type}.{step.link.name}")
    writer = GoalWriter(schema, vocabulary, asker=(step.type, "X"))
    is_asker = vocabulary.is_row(step.type, "X")
    where = f"once(({writer.goal(step.where, step.far, 'Y')}))"  # of several reasons one is enough
    found = conjunction_of([is_asker, f"{name}(X, Y)", where])
    yield from _walk_clauses(name, step.walk, vocabulary)
    yield f":- table {link}/3."
    if not step.declared.has_pairs:
        yield f"{link}(X, Y, Y) :- {found}."  # in the order of the rows, so that a row is its place
        return
    yield from _pair_clauses(step, schema, vocabulary)
    if step.order is None:
        yield f"{link}(X, Y, pair(X, Y)) :- {found}."
        return
    key = _order_of(step, step.order, vocabulary)
    sign = "-" if step.order.descending else ""
    by = f"({key.goal} -> S is {sign}{key.term}, Key = key(0, S, Y) ; Key = key(1, 0, Y))"
    listed = plain_atom(f"sorted {step.type}.{step.link.name}")
    yield f":- table {listed}/2."
    found = f"findall(Key-Y, ({found}, {by}), Keyed)"
    yield f"{listed}(X, Rows) :- {found}, keysort(Keyed, Sorted), pairs_values(Sorted, Rows)."
    yield f"{link}(X, Place, pair(X, Y)) :- {is_asker}, {listed}(X, Rows), nth0(Place, Rows, Y)."


def _order_of(step: ComputedLink, order: syn.SortedBy, vocabulary: RowVocabulary) -> TermFound:
    """Return how the value that pairs are sorted by is found: one of their own, or one of the row that was met."""
    if any(each.attribute.name == order.attribute for each in step.attributes):
        return TermFound(f"{member_atom(step.link.target, order.attribute)}(pair(X, Y), K)", "K")
    return vocabulary.value(step.far, order.attribute, "Y")


def _pair_clauses(step: ComputedLink, schema: Schema, vocabulary: RowVocabulary) -> Iterator[str]:
    """Yield what is said of pairs: their own attributes, and all that is said of the rows that they have met."""
    pairs, writer = schema.type(step.link.target), GoalWriter(schema, vocabulary, asker=(step.type, "X"))
    yield f"{plain_atom(pairs.name)}(Pair) :- {member_atom(step.type, step.link.name)}(_, _, Pair)."
    own = {each.attribute.name for each in step.attributes}
    yield from (_attribute_clause(each, writer, step.far, "Y", "pair(X, Y)") for each in step.attributes)
    for attribute in pairs.attributes:
        if attribute.name not in own:
            found = vocabulary.value(step.far, attribute.name, "Y")
            yield f"{member_atom(pairs.name, attribute.name)}(pair(_, Y), {found.term}) :- {found.goal}."
    for link in pairs.links:
        far = "Place = 0, Y = Z" if link.name == FAR_ROW else vocabulary.link(step.far, link.name, "Y", "Place", "Z")
        yield f"{member_atom(pairs.name, link.name)}(pair(_, Y), Place, Z) :- {far}."


def _walk_clauses(name: str, walk: Walk, vocabulary: RowVocabulary) -> Iterator[str]:
    """Yield a tabled predicate of two rows for a walk, and one for each walk that is repeated in it."""
    goals = []
    for i, hop in enumerate(walk):
        here, there = f"Row_{i}", f"Row_{i + 1}"
        if isinstance(hop, Repeated):
            inner, several = (plain_atom(f"{word} {i} in {name}") for word in ("once", "several"))
            yield from _walk_clauses(inner, hop.walk, vocabulary)
            yield f":- table {several}/2."
            yield f"{several}(X, Y) :- {inner}(X, Y)."
            yield f"{several}(X, Y) :- {several}(X, Z), {inner}(Z, Y)."
            goals.append(f"{several}({here}, {there})")
        else:
            one, other = (there, here) if hop.backwards else (here, there)
            goals.append(vocabulary.link(hop.owner, hop.link, one, "_", other))
    yield f":- table {name}/2."
    yield f"{name}(Row_0, Row_{len(walk)}) :- {', '.join(goals)}."


class _ArithmeticTerm(NamedTuple):
    """An arithmetic term, and the kind of its value: a date is a number of days, a time one of seconds."""

    text: str
    kind: Kind


@dataclass(slots=True)
class _Computation:
    """An expression about a row as an arithmetic term, with the goals that must succeed before it is computed."""

    writer: GoalWriter
    type: str
    row: str
    goals: list[str] = field(default_factory=list)

    def of(self, expression: syn.Expression) -> _ArithmeticTerm:
        """Return the term of a part of the expression."""
        match expression:
            case int() | float():
                return _ArithmeticTerm(number_term(expression), "int" if isinstance(expression, int) else "real")
            case syn.Operand(path, mine):
                asker = self.writer.asker
                type_name, row = asker if mine and asker is not None else (self.type, self.row)
                found = self.writer.value_at(path, type_name, row)
                number = self.writer.vocabulary.rounded(found.term, found.attribute)
                self.goals += [*found.goals, number.goal]
                return _ArithmeticTerm(number.term, found.attribute.kind)
            case syn.Negative(inner):
                text, kind = self.of(inner)
                return _ArithmeticTerm(f"(-{text})", kind)
            case syn.Absolute(inner):
                text, kind = self.of(inner)
                return _ArithmeticTerm(f"abs({text})", kind)
            case syn.Arithmetic(left, op, right):
                return self._combined(self.of(left), op, self.of(right))
            case _ as never:
                assert_never(never)

    def _combined(self, one: _ArithmeticTerm, op: str, other: _ArithmeticTerm) -> _ArithmeticTerm:
        """Return a sum, difference, product or quotient; moments differ by days, and there is no quotient by 0."""
        plain, kinds = f"({one.text} {op} {other.text})", {one.kind, other.kind}
        if not kinds & {"date", "time"}:
            if op == "/":
                self.goals.append(f"{other.text} =\\= 0")
            return _ArithmeticTerm(plain, "int" if kinds == {"int"} and op != "/" else "real")
        if kinds == {"date"}:
            return _ArithmeticTerm(plain, "int")
        if kinds == {"date", "int"}:
            return _ArithmeticTerm(plain, "date")
        in_seconds = (term.text if term.kind == "time" else f"({term.text} * 86400.0)" for term in (one, other))
        seconds = f"({f' {op} '.join(in_seconds)})"
        is_difference = kinds <= {"date", "time"}
        return (
            _ArithmeticTerm(f"({seconds} / 86400.0)", "real") if is_difference else _ArithmeticTerm(seconds, "time")
        )
