"""Export of models as Prolog clauses that compute their predictions.

A tree becomes a decision list, as in H. Blockeel and L. De Raedt, "Top-down induction of first-order logical decision
trees" (1998): one clause per leaf, yes branches first, each ending with a cut, so that the first clause whose tests
succeed determines the leaf. The predictions of the leaves are facts. A rule set becomes one clause per rule, and
clauses that add up the votes of those that hold (`structtree.export.prolog.rule_sets`). For a model learned from
facts, the tests use the predicates of these facts; for any other data, the rows are written as facts too.

The clauses form a module, so that their names cannot clash with the user's facts, which Prolog loads into ``user``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from structtree.data.population import Column, Population
from structtree.data.provenance import FactReading, provenance_of
from structtree.data.reachable import seen_by_individuals
from structtree.data.readers.facts.signatures import PrologPredicate, signatures_of
from structtree.data.readers.facts.tables import types_without_facts
from structtree.data.schema import Schema
from structtree.errors import UsageError, option_text
from structtree.export.leaves import leaf_answers, one_line, refuse_fractional, yes_first
from structtree.export.prolog.facts import FACT_HELPERS, FactVocabulary, check_expressible
from structtree.export.prolog.goals import (
    GoalWriter,
    RowVocabulary,
    label_term,
    member_atom,
    number_term,
    plain_atom,
)
from structtree.export.prolog.rule_sets import RULE_SET_PREDICATES, rule_set_clauses
from structtree.export.prolog.rules import background_clauses
from structtree.lang import syntax as syn
from structtree.lang.background import ComputedLink, Needs
from structtree.lang.pretty import pretty
from structtree.models.conform import needed_members
from structtree.models.model import Model, definitions_in, fitted
from structtree.models.rule_set import RuleSetPredictor
from structtree.models.tree import Edge, Leaf, Tree

__all__ = [
    "PROLOG_HELPERS",
    "PROLOG_IMPORTS",
    "Program",
    "export_prolog",
    "row_facts",
    "text_of_facts",
    "text_of_rows",
]

PROLOG_IMPORTS = """:- use_module(library(aggregate), [aggregate_all/3]).
:- use_module(library(lists), [flatten/2, last/2, list_to_set/2, max_list/2, member/2]).
:- use_module(library(lists), [min_list/2, nth0/3, sum_list/2]).
:- use_module(library(pairs), [pairs_values/2])."""

PROLOG_HELPERS = """structtree_part(Part, Moment, Number) :-
    Seconds is float(Moment), stamp_date_time(Seconds, date(Year, Month, Day, Hour, _, _, _, _, _), 'UTC'),
    day_of_the_week(date(Year, Month, Day), FromOne), Weekday is FromOne - 1,
    memberchk(Part-Whole, [weekday-Weekday, day-Day, month-Month, year-Year, hour-Hour]), Number is float(Whole).

% Aggregates of row(Place, Order, Value, _); units(Order, Value) are the numbers of units per day.
structtree_rows(All, Rows) :- list_to_set(All, Different), sort(1, @=<, Different, Rows).
structtree_share(Rows, All, Share) :- length(Rows, N), length(All, M), M > 0, Share is N / M.
structtree_values(Rows, Values) :- findall(Value, member(row(_, _, Value, _), Rows), Values).
structtree_distinct(Rows, _, N) :- structtree_values(Rows, Values), sort(Values, Different), length(Different, N).
structtree_sum(Rows, _, Sum) :- structtree_values(Rows, Values), sum_list(Values, Sum).
structtree_mean(Rows, Units, Mean) :-
    Rows = [_|_], structtree_sum(Rows, Units, Sum), length(Rows, N), Mean is Sum / N.
structtree_min(Rows, _, Least) :- structtree_values(Rows, Values), min_list(Values, Least).
structtree_max(Rows, _, Greatest) :- structtree_values(Rows, Values), max_list(Values, Greatest).
structtree_range(Rows, units(_, Unit), Range) :-
    structtree_min(Rows, _, Least), structtree_max(Rows, _, Greatest), Range is (Greatest - Least) / Unit.
structtree_deviation(Rows, Units, Deviation) :-
    length(Rows, N), N >= 2, structtree_mean(Rows, Units, Mean),
    aggregate_all(sum((Value - Mean)**2), member(row(_, _, Value, _), Rows), Squares),
    Deviation is sqrt(Squares / (N - 1)).
structtree_in_order(Rows, Sorted) :-
    findall(by(Order, Place, Value), member(row(Place, Order, Value, _), Rows), Keyed), sort(0, @=<, Keyed, Sorted).
structtree_latest(Rows, _, Value) :- structtree_in_order(Rows, Sorted), last(Sorted, by(_, _, Value)).
structtree_earliest(Rows, _, Value) :- structtree_in_order(Rows, [by(_, _, Value)|_]).
structtree_trend(Rows, units(Unit, _), Slope) :-
    length(Rows, N), memberchk(row(_, One, _, _), Rows), once((member(row(_, Other, _, _), Rows), Other =\\= One)),
    aggregate_all(sum(X), member(row(_, X, _, _), Rows), Xs),
    aggregate_all(sum(Y), member(row(_, _, Y, _), Rows), Ys),
    MeanX is Xs / N, MeanY is Ys / N,
    aggregate_all(sum((X - MeanX) * (Y - MeanY)), member(row(_, X, Y, _), Rows), Products),
    aggregate_all(sum((X - MeanX)**2), member(row(_, X, _, _), Rows), Squares),
    Slope is Products / Squares * Unit."""
"""Predicates that goals about dates and aggregates call."""


def export_prolog(model: Any, individuals: Any = None, *, facts: Population | None = None) -> str:
    """Return a model as Prolog clauses that define ``leaf(X, Leaf)`` and ``predicted(X, Prediction)``.

    Clauses of a rule set define ``rules(X, Rules)``, the numbers of the rules that hold, instead of ``leaf``.

    Parameters
    ----------
    model : Model, fitted estimator or Tree
    individuals : individuals in any form, optional
        Written as facts, with the rows that they reach; the clauses then refer to these rows. Without individuals,
        the model must have been learned from facts, and the clauses use the predicates of these facts.
    facts : Population, optional
        The training facts, for a model that does not record how they were read. Models from the command line do.

    Examples
    --------
    >>> from structtree import StructuralTreeClassifier
    >>> cars = Population.from_facts(
    ...     "wheels(c1, 2). wheels(c2, 3).", positives="fast(c2).", negatives="fast(c1).", individual="Car")
    >>> tree = StructuralTreeClassifier().fit(*cars.split_target("fast"))
    >>> print(export_prolog(tree, facts=cars).partition("\\n\\n")[2])
    leaf(Car0, Leaf) :-
        wheels(Car0, Wheels1), Wheels1 >= 3.0,  % wheels >= 3
        !, Leaf = 1.
    leaf(Car0, Leaf) :-
        !, Leaf = 2.
    predicts(1, true).
    predicts(2, false).
    predicted(X, Prediction) :- leaf(X, Leaf), predicts(Leaf, Prediction).
    <BLANKLINE>
    """
    known = fitted(model)
    program = _program(known.model)
    if individuals is not None:
        return text_of_rows(program, known.prepared(individuals))
    return text_of_facts(program, _reading_of(known.model, facts))


def _reading_of(model: Model, facts: Population | None) -> FactReading:
    """Return how the training facts were read; raise a UsageError if the model was not learned from facts."""
    if facts is not None:
        found = provenance_of(facts).facts
    else:
        texts = model.reading.options.get("fact")
        found = None if texts is None else FactReading(tuple(texts), is_of_models=model.reading.interpretations)
    if found is None:
        raise UsageError(
            "the model was not learned from facts, whose predicates its clauses could use; export it with "
            f"its data ({option_text('data')}), which is then written as facts"
        )
    if found.is_of_models:
        raise UsageError(
            "the individuals are interpretations, whose facts Prolog cannot distinguish; export the model with its "
            f"data ({option_text('data')}), which is then written as facts"
        )
    return found


# ---- programs --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """Tests as a Prolog module.

    Parameters
    ----------
    title : str
        First line, without the comment sign.
    name : str
        Name of the module.
    exported : tuple of str
        Predicates that the module exports, as in ``leaf/2``.
    schema : Schema
        Schema of the tests.
    target : str, optional
    tests : tuple of Predicate
    needs : Needs
        Requirements of the tests.
    clauses : function
        Yields the clauses, with a vocabulary for goals.
    of_rows, of_facts : str
        The last of these clauses if rows are facts, and if individuals are terms.
    """

    title: str
    name: str
    exported: tuple[str, ...]
    schema: Schema
    target: str | None
    tests: tuple[syn.Predicate, ...]
    needs: Needs
    clauses: Callable[[Schema, RowVocabulary], Iterable[str]]
    of_rows: str = ""
    of_facts: str = ""


def _program(model: Model) -> Program:
    clauses: Callable[[Schema, RowVocabulary], Iterable[str]]
    if isinstance(model.predictor, RuleSetPredictor):
        names, deciding = ("rules/2", "decision/2"), "rules(X, Rules), decision(Rules, Prediction)."
        clauses = partial(rule_set_clauses, model.predictor)
    else:
        refuse_fractional(model.tree, "Prolog clauses")
        names, deciding = ("leaf/2", "predicts/2"), "leaf(X, Leaf), predicts(Leaf, Prediction)."
        clauses = partial(_decision_list, model)
    return Program(
        f"Predictions of {one_line(model.target or 'the target')} by a structtree model: predicted(X, Prediction).",
        "structtree_model",
        ("predicted/2", *names),
        model.schema,
        model.target,
        tuple(model.predictor.tests),
        model.needs,
        clauses,
        f"predicted(X, Prediction) :- individual(X, _), {deciding}",
        f"predicted(X, Prediction) :- {deciding}",
    )


def text_of_rows(program: Program, prepared: Population) -> str:
    """Return a program that contains the rows of a population as facts."""
    steps = program.needs.background.steps
    given = seen_by_individuals(prepared.given)
    needed = program.needs.given if steps else needed_members(program.tests, given.schema)
    words = RowVocabulary()
    clauses = [
        *program.clauses(prepared.schema, words),
        *filter(None, [program.of_rows]),
        *background_clauses(prepared.schema, _definitions(program), steps, words),
    ]
    numbers = provenance_of(given).rows
    lines = [
        *_head(program, ["individual/2"]),
        "",
        *clauses,
        *_helpers(clauses),
        *(f"individual({row}, {numbers[row]})." for row in given.individuals.tolist()),
        *row_facts(given, needed),
    ]
    return "\n".join(lines) + "\n"


def text_of_facts(program: Program, reading: FactReading) -> str:
    """Return a program that uses the predicates of the training facts."""
    schema, steps = program.schema, program.needs.background.steps
    signatures = signatures_of(reading.signatures)
    types = types_without_facts(signatures, reading.target or program.target, schema.individual)
    words = FactVocabulary(types, signatures, schema.individual, _OWN_PREDICATES)
    check_expressible(words, schema, program.needs.given, steps, program.tests)
    clauses = [
        *program.clauses(schema, words),
        *filter(None, [program.of_facts]),
        *background_clauses(schema, _definitions(program), steps, words),
        *words.clauses(step.type for step in steps if isinstance(step, ComputedLink)),
    ]
    lines = [
        *_head(program, ()),
        "% Load this after the facts; if they have double-quoted strings: :- set_prolog_flag(double_quotes, atom).",
        _unknown_are_false(words.used),
        "",
        *clauses,
        *_helpers(clauses),
    ]
    return "\n".join(lines) + "\n"


def _definitions(program: Program) -> tuple[syn.Definition, ...]:
    return definitions_in(program.tests, program.schema, program.needs.background.steps)


_OWN_PREDICATES = frozenset(
    PrologPredicate(name, int(arity))
    for name, arity in re.findall(
        r"(\w+)/(\d)", f"{PROLOG_IMPORTS} leaf/2 predicted/2 predicts/2 subgroup/2 {RULE_SET_PREDICATES}"
    )
)


def _unknown_are_false(predicates: Iterable[PrologPredicate]) -> str:
    """Return the directive that makes predicates without facts fail."""
    named = ", ".join(f"{plain_atom(one.name)}/{one.arity}" for one in sorted(predicates))
    return (
        f":- forall(member(Name/Arity, [{named}]),\n"
        "       ( functor(Head, Name, Arity), predicate_property(user:Head, defined) -> true\n"
        "       ; dynamic(user:Name/Arity) ))."
    )


def _head(program: Program, exported: Iterable[str]) -> Iterator[str]:
    yield f"% {program.title}"
    yield ":- encoding(utf8)."
    yield f":- module({program.name}, [{', '.join([*program.exported, *exported])}])."
    yield ":- style_check(-singleton)."
    yield PROLOG_IMPORTS


def _helpers(clauses: Sequence[str]) -> Iterator[str]:
    """Yield the helper predicates that clauses call."""
    text = "\n".join(clauses)
    for helpers in (PROLOG_HELPERS, FACT_HELPERS):
        if any(f"{name}(" in text for name in re.findall(r"^(structtree_\w+)\(", helpers, re.MULTILINE)):
            yield helpers


def _decision_list(model: Model, schema: Schema, vocabulary: RowVocabulary) -> Iterator[str]:
    """Yield a clause for each leaf, then a fact for the prediction of each leaf."""
    tree = model.tree
    for leaf, edges in _leaves(tree):
        vocabulary.restart()
        writer, row = GoalWriter(schema, vocabulary), vocabulary.new_row(schema.individual)
        yield f"leaf({row}, Leaf) :-"
        for edge in edges:
            yield f"    {writer.goal(edge.test, schema.individual, row)},  % {one_line(pretty(edge.test))}"
        yield f"    !, Leaf = {leaf}."
    yield from (f"predicts({leaf}, {label_term(label)})." for leaf, label in leaf_answers(model).items())


def _leaves(tree: Tree) -> Iterator[tuple[int, tuple[Edge, ...]]]:
    """Yield the leaves with the tests on their paths; the last branch of a node needs no test."""
    stack: list[tuple[int, tuple[Edge, ...]]] = [(0, ())]
    while stack:
        node, above = stack.pop()
        if isinstance(tree.nodes[node], Leaf):
            yield node, above
            continue
        *first, last = yes_first(tree, node)
        stack += [(last.child, above), *((edge.child, (*above, edge)) for edge in reversed(first))]


# ---- facts -----------------------------------------------------------------------------------------------


def row_facts(population: Population, members: Mapping[str, Iterable[str]] | None = None) -> Iterator[str]:
    """Yield a population as ground facts: rows, values, and links with the positions of their rows.

    Parameters
    ----------
    population : Population
    members : mapping from type to names, optional
        Members to write, besides the lists that neighbour tests need; all by default.

    Examples
    --------
    >>> trains = Population.from_records([{"cars": [{"wheels": 2}]}], individual="Train")
    >>> print("\\n".join(fact for fact in row_facts(trains) if not fact.startswith(":-")))
    'Train'(0).
    'Train.cars'(0, 0, 0).
    'Car'(0).
    'Car.wheels'(0, 2.0).
    """
    for record in population.schema.types:
        table = population.tables[record.name]
        wanted = partial(_is_wanted, members, record.name)
        yield f":- dynamic {plain_atom(record.name)}/1."
        yield from (f"{plain_atom(record.name)}({row})." for row in range(table.n_rows))
        for attribute in record.attributes:
            if wanted(attribute.name):
                yield from _value_facts(member_atom(record.name, attribute.name), table.columns[attribute.name])
        for link in record.links:
            if not wanted(link.name) and not (
                link.kind == "list" and members and "$list" in members.get(link.target, ())
            ):
                continue
            name = member_atom(record.name, link.name)
            yield f":- dynamic {name}/3."
            for row in range(table.n_rows):
                targets = table.links[link.name].of(row).tolist()
                yield from (f"{name}({row}, {place}, {target})." for place, target in enumerate(targets))


def _is_wanted(members: Mapping[str, Iterable[str]] | None, type_name: str, name: str) -> bool:
    return members is None or name in members.get(type_name, ())


def _value_facts(name: str, column: Column) -> Iterator[str]:
    """Yield a fact for each value that is not missing; bool and nominal values are atoms, others numbers."""
    yield f":- dynamic {name}/2."
    for row in range(len(column)):
        value = column.value(row)
        if value is None:
            continue
        match column.kind:
            case "nominal":
                yield f"{name}({row}, {plain_atom(str(value))})."
            case "bool":
                yield f"{name}({row}, {'true' if value else 'false'})."
            case _:
                yield f"{name}({row}, {number_term(column.values[row])})."
