"""Export of subgroups as Prolog clauses, one for each.

For individuals that were read from facts, the clauses use the predicates of these facts, and an example with several
arguments is a term: a subgroup of pairs is a clause about two variables and what connects them. For any other data,
the rows are written as facts too.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from structtree.data.provenance import provenance_of
from structtree.data.schema import Schema
from structtree.export.leaves import one_line
from structtree.export.prolog.clauses import Program, text_of_facts, text_of_rows
from structtree.export.prolog.goals import GoalWriter, RowVocabulary, clause_for, label_term, plain_atom
from structtree.lang.background import needs_of
from structtree.models.conform import needed_members
from structtree.rules.subgroups import Subgroups

__all__ = ["subgroups_prolog"]


def subgroups_prolog(found: Subgroups) -> str:
    """Return subgroups as Prolog clauses that define ``subgroup(Number, X)`` for a given X.

    For facts whose target is a predicate, the subgroups of the class ``true`` define this predicate as well.

    Parameters
    ----------
    found : Subgroups

    Raises
    ------
    UsageError
        If a predicate cannot be written in Prolog.

    Examples
    --------
    >>> from structtree import Population, subgroups
    >>> cars = Population.from_facts(
    ...     "wheels(c1, 2). wheels(c2, 3). wheels(c3, 4).", positives="fast(c2). fast(c3).", negatives="fast(c1).",
    ...     individual="Car")
    >>> given, labels = cars.split_target("fast")
    >>> found = subgroups(given, labels, target_name="fast", label=True, held_out=0, min_support=1, top=1)
    >>> print(subgroups_prolog(found).partition("\\n\\n")[2])
    subgroup(1, Car0) :-
        wheels(Car0, Wheels1), Wheels1 >= 3.0.  % wheels >= 3
    predicts(1, true).
    fast(X) :- subgroup(1, X).
    <BLANKLINE>
    """
    given = found.population
    background = found.grammar.check(given.schema.given).background
    tests = tuple(each.predicate for each in found)
    program = Program(
        f"Subgroups of {one_line(found.target or 'the target')} by {found.measure.name}: subgroup(Number, X).",
        "structtree_subgroups",
        ("subgroup/2", "predicts/2"),
        given.schema,
        found.target,
        tests,
        needs_of(needed_members(tests, given.schema), background),
        partial(_clauses, found),
    )
    reading = provenance_of(given).facts
    if reading is None or reading.is_of_models:
        return text_of_rows(program, given)
    return text_of_facts(program, reading)


def _clauses(found: Subgroups, schema: Schema, vocabulary: RowVocabulary) -> Iterator[str]:
    """Yield a clause for each subgroup, a fact for its class, and clauses for the target."""
    head = ""
    for place, each in enumerate(found, 1):
        vocabulary.restart()
        writer, row = GoalWriter(schema, vocabulary), vocabulary.new_row(schema.individual)
        head = row
        yield from clause_for(f"subgroup({place}, {row})", each.predicate, writer, row)
    labelled = [(place, each.label) for place, each in enumerate(found, 1) if each.label is not None]
    yield from (f"predicts({place}, {label_term(label)})." for place, label in labelled)
    yield from _definition(found, head)


def _definition(found: Subgroups, head: str) -> Iterator[str]:
    """Yield clauses that define the target of facts by the subgroups of the class ``true``."""
    reading = provenance_of(found.population).facts
    target = found.target if reading is None else reading.target or found.target
    if reading is None or reading.is_of_models or target is None:
        return
    for place, each in enumerate(found, 1):
        if each.label is True:
            clause = head if "(" in head else f"{plain_atom(target)}(X)"
            yield f"{clause} :- subgroup({place}, {head if '(' in head else 'X'})."
