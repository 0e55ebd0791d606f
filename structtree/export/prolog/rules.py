"""Export of definitions, computed attributes and derived links as Prolog clauses.

A pair of a derived link is a term ``pair(Owner, Row)``. Paths are tabled, so that closures terminate.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from structtree.data.schema import FAR_ROW, RecordType, Schema
from structtree.errors import UsageError
from structtree.export.arithmetic import InfixNotation, TypedText
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
from structtree.lang.background import (
    Computation,
    ComputedAttribute,
    ComputedCycles,
    ComputedEquality,
    ComputedLink,
    ComputedNeighbourhood,
    Repeated,
    Walk,
)

__all__ = ["background_clauses"]


def background_clauses(
    schema: Schema,
    definitions: Iterable[syn.Definition],
    steps: Iterable[Computation],
    vocabulary: RowVocabulary,
) -> Iterator[str]:
    """Yield clauses for definitions, computed members, and parts of dates and times.

    Parameters
    ----------
    schema : Schema
        Schema with all computed members.
    definitions : iterable of Definition
    steps : iterable of Computation
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
        elif isinstance(step, ComputedCycles):
            raise UsageError(f"{step.type}.{step.attribute.name} is a number of cycles, which Prolog cannot compute")
        elif isinstance(step, ComputedNeighbourhood):
            raise UsageError(f"{step.type}.{step.attribute.name} is a neighbourhood, which Prolog cannot compute")
        elif isinstance(step, ComputedEquality):
            what = "an equality of collections, which Prolog cannot compute"
            raise UsageError(f"{step.type}.{step.attribute.name} is {what}")
        else:
            yield from _link_clauses(step, schema, vocabulary)


def _part_clauses(record: RecordType) -> Iterator[str]:
    """Yield clauses for the parts of dates and times, computed by Prolog; weekdays count from Monday, 0."""
    for attribute in record.attributes:
        if attribute.kind in ("date", "time"):
            moment = "D * 86400" if attribute.kind == "date" else "D"
            for part in ("weekday", "day", "month", "year", *(["hour"] if attribute.kind == "time" else [])):
                name = member_atom(record.name, f"{attribute.name}.{part}")
                date = f"{member_atom(record.name, attribute.name)}(X, D)"
                yield f"{name}(X, V) :- {date}, structtree_part({part}, {moment}, V)."


def _attribute_clause(step: ComputedAttribute, writer: GoalWriter, type_name: str, row: str, head: str) -> str:
    """Return the clause for a computed attribute, which fails if an operand is missing."""
    goals, text = _computation(step.expression, writer, type_name, row)
    member = member_atom(step.type, step.attribute.name)
    return f"{member}({head}, V) :- {conjunction_of([*goals, f'V is float({text})'])}."


def _link_clauses(step: ComputedLink, schema: Schema, vocabulary: RowVocabulary) -> Iterator[str]:
    """Yield clauses for the distinct rows behind a derived link, or for one pair per row."""
    link, name = member_atom(step.type, step.link.name), plain_atom(f"walk {step.type}.{step.link.name}")
    writer = GoalWriter(schema, vocabulary, owner=(step.type, "X"))
    is_owner = vocabulary.is_row(step.type, "X")
    where = f"once(({writer.goal(step.where, step.far, 'Y')}))"  # one solution is enough
    found = conjunction_of([is_owner, f"{name}(X, Y)", where])
    yield from _walk_clauses(name, step.walk, vocabulary)
    yield f":- table {link}/3."
    if not step.declared.has_pairs:
        yield f"{link}(X, Y, Y) :- {found}."  # in row order, so the row itself serves as its place
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
    yield f"{link}(X, Place, pair(X, Y)) :- {is_owner}, {listed}(X, Rows), nth0(Place, Rows, Y)."


def _order_of(step: ComputedLink, order: syn.SortedBy, vocabulary: RowVocabulary) -> TermFound:
    """Return the sort key of pairs: an attribute of the pair or of its linked row."""
    if any(each.attribute.name == order.attribute for each in step.attributes):
        return TermFound(f"{member_atom(step.link.target, order.attribute)}(pair(X, Y), K)", "K")
    return vocabulary.value(step.far, order.attribute, "Y")


def _pair_clauses(step: ComputedLink, schema: Schema, vocabulary: RowVocabulary) -> Iterator[str]:
    """Yield clauses for the members of pairs: their own attributes, and all members of their linked rows."""
    pairs, writer = schema.type(step.link.target), GoalWriter(schema, vocabulary, owner=(step.type, "X"))
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
    """Yield a tabled predicate that relates the ends of a path, and one for each repeated path inside."""
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


def _computation(expression: syn.Expression, writer: GoalWriter, type_name: str, row: str) -> tuple[list[str], str]:
    """Return an expression as an arithmetic term, and the goals that bind its operands."""
    goals: list[str] = []

    def operand(value: syn.Operand) -> TypedText:
        at = writer.owner if value.mine and writer.owner is not None else (type_name, row)
        found = writer.value_at(value.path, *at)
        number = writer.vocabulary.rounded(found.term, found.attribute)
        goals.extend((*found.goals, number.goal))
        return TypedText(number.term, found.attribute.kind)

    def quotient(one: str, other: str) -> str:
        goals.append(f"{other} =\\= 0")
        return f"({one} / {other})"

    text = InfixNotation(operand, number_term, quotient).translated(expression).text
    return goals, text
