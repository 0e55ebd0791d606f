"""Conversion of facts in Prolog syntax to linked columns, without running Prolog.

A predicate with one argument becomes a boolean attribute. A predicate with at most one fact per record describes that
record: the other arguments are its attributes and references. Any other relation of two records becomes a set link.
The facts of all remaining predicates become records with references for their roles, and reverse set links. Records
are inferred (`structtree.data.readers.facts.layout`) or declared. The examples determine the individuals; if examples
have two arguments, the individual is the pair.

A boolean attribute is false where there is no fact. The link from the earlier argument to the later is named after
the predicate, the reverse link ``..._of``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np

from structtree.data.kinds import Overrides, type_name_of
from structtree.data.population import Population
from structtree.data.provenance import FactReading, Provenance
from structtree.data.readers.facts.base import MODEL, FactBase, FactTable, fact_base, ground_arguments
from structtree.data.readers.facts.files import fact_files
from structtree.data.readers.facts.layout import Layout, TargetPlaces, inferred_layout
from structtree.data.readers.facts.modes import Modes, check_known, read_modes
from structtree.data.readers.facts.prolog import Compound, Fact, PrologSource, read_clauses, term_text
from structtree.data.readers.facts.rules import refuse_rules_that_use, with_derived_facts
from structtree.data.readers.facts.signatures import PrologPredicate, Signature, signatures_of
from structtree.data.readers.facts.tables import ExampleRows, FactTypes, fact_population, fact_type_names
from structtree.data.readers.text_files import open_decoded
from structtree.errors import DataError, UnknownNameError, UsageError, option_text
from structtree.reprs import names_text, number_text

if TYPE_CHECKING:
    from structtree.data.readers.options import FactOptions

__all__ = ["from_facts", "read_facts"]


def read_facts(
    where: str | os.PathLike[str],
    *,
    target: str | None = None,
    individual: str | None = None,
    types: Mapping[str, str] | None = None,
    encoding: str = "utf-8",
    **options: Unpack[FactOptions],
) -> Population:
    """Return the population of a file or folder of facts.

    Parameters
    ----------
    where : path
        File or folder of facts; see `structtree.data.readers.facts.files` for the names of its files.
    target : str, optional
        Predicate to predict, if there are examples of several predicates or none.
    individual : str, optional
        Name of the individuals' type.
    types : mapping, optional
        Kinds of attributes, such as ``{"order": "nominal"}``.
    encoding : str
    positives, negatives : str, optional
        Files of examples; by default the files of the folder with such names.
    modes : str, optional
        File of mode declarations; see `structtree.data.readers.facts.modes`.
    part : sequence of str, optional
        Parts of a folder to read, such as ``fold1`` or ``test``.
    fact : sequence of str, optional
        Signatures of predicates; see `structtree.data.readers.facts.signatures`.
    sample_negatives : int, optional
        Number of negative examples to sample at random.
    sample_seed : int, optional
        Seed of the sample; 0 by default.
    """
    roles = (options.get("positives"), options.get("negatives"), options.get("modes"))
    files = fact_files(Path(where), *roles, options.get("part") or ())
    base = with_derived_facts(fact_base(read_clauses(_text(path, encoding), str(path)) for path in files.facts))
    modes = base.modes
    for path in files.modes:
        found = read_modes(_text(path, encoding), str(path))
        found = found.within_models(base.tables) if base.models else found
        check_known(found, base.tables, str(path))
        modes += found
    given = [(one, True) for one in files.positives] + [(one, False) for one in files.negatives]
    found_examples = (
        each for one, label in given for each in _examples(_text(one.path, encoding), str(one.path), label, one.part)
    )
    examples = _joined_examples(found_examples, target, has_negatives=bool(files.negatives))
    reader = _Reader(
        replace(base, modes=modes),
        examples,
        signatures_of(options.get("fact") or ()),
        target,
        individual,
        Overrides(types or {}),
        options.get("sample_negatives"),
        options.get("sample_seed") or 0,
    )
    return reader.population()


def from_facts(
    facts: str | Iterable[Sequence[Any]],
    *,
    positives: str | Iterable[Sequence[Any]] | None = None,
    negatives: str | Iterable[Sequence[Any]] | None = None,
    target: str | None = None,
    individual: str | None = None,
    types: Mapping[str, str] | None = None,
    fact: Sequence[str] = (),
    sample_negatives: int | None = None,
    sample_seed: int = 0,
) -> Population:
    """Return the population of facts: Prolog text, or tuples of a predicate and its arguments.

    The examples become an attribute of the individuals, named after their predicate. All other parameters are those
    of `read_facts`.

    Examples
    --------
    >>> friends = from_facts(
    ...     "friends(ann, bob). friends(bob, ann). smokes(bob).", positives="cancer(ann). cancer(bob).",
    ...     negatives=[("cancer", "cy")], individual="Person")
    >>> friends.record(0, depth=1)
    {'cancer': True, 'smokes': False, 'friends': {'cancer': True, 'smokes': True, 'friends': '...'}}
    """
    base = with_derived_facts(fact_base([read_clauses(_as_text(facts), "<facts>")]))
    given = (("<positives>", positives, True), ("<negatives>", negatives, False))
    found = (_examples(_as_text(some), name, label) for name, some, label in given if some is not None)
    examples = _joined_examples(chain.from_iterable(found), target, has_negatives=negatives is not None)
    reader = _Reader(
        base, examples, signatures_of(fact), target, individual, Overrides(types or {}), sample_negatives, sample_seed
    )
    return reader.population()


def _as_text(facts: str | Iterable[Sequence[Any]]) -> str:
    """Return facts as Prolog text, with the constants of tuples quoted as needed."""
    if isinstance(facts, str):
        return facts
    return "\n".join(f"{term_text(_term(fact))} ." for fact in facts)  # the blank keeps symbols and full stop apart


def _term(fact: Sequence[Any]) -> Any:
    name, *arguments = fact
    return Compound(str(name), tuple(map(_constant, arguments))) if arguments else str(name)


def _constant(value: Any) -> Any:
    """Convert a Python or NumPy value to a Prolog constant."""
    if isinstance(value, list | tuple):
        return tuple(map(_constant, value))
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, bool):
        return str(plain).lower()
    return plain if isinstance(plain, int | float) else str(plain)


def _text(path: Path, encoding: str) -> str:
    with open_decoded(path, encoding) as file:
        return file.read()


# ---- examples --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Examples:
    """Distinct facts of the predicate to predict, with their labels and parts."""

    predicate: PrologPredicate
    rows: Sequence[tuple[Any, ...]]
    labels: Sequence[bool]
    parts: Sequence[str]
    has_negatives: bool
    n_repeated: int


class _Example(NamedTuple):
    """Fact that is an example, with its label and part."""

    fact: Fact
    source: PrologSource
    label: bool
    part: str

    def error(self, message: str) -> DataError:
        return self.source.error(message, self.fact.at)


def _examples(text: str, name: str, label: bool, part: str = "") -> Iterator[_Example]:
    """Yield the examples in a Prolog text."""
    clauses = read_clauses(text, name)
    for rule in clauses.rules:
        raise clauses.source.error("a rule among the examples; expected facts", rule.at)
    for fact in clauses.facts:
        ground = fact._replace(arguments=ground_arguments(fact, clauses.source))
        yield _Example(ground, clauses.source, label, part)


def _joined_examples(found: Iterable[_Example], target: str | None, *, has_negatives: bool) -> _Examples | None:
    """Combine the examples of the predicate to predict; raise `DataError` if they contradict each other."""
    examples = list(found)
    names = list(dict.fromkeys(one.fact.name for one in examples))
    if not names:
        return None
    name = names[0] if len(names) == 1 else target
    if name not in names:
        raise UsageError(
            f"there are examples of {', '.join(names)}; choose the one to predict with {option_text('target')}"
        )
    examples = [one for one in examples if one.fact.name == name]
    predicate = PrologPredicate(name, len(examples[0].fact.arguments))
    distinct: dict[tuple[Any, ...], _Example] = {}
    for one in examples:
        row = one.fact.arguments
        if len(row) != predicate.arity:
            raise one.error(f"the example has {len(row)} arguments, but earlier ones have {predicate.arity}")
        if distinct.setdefault(row, one).label != one.label:
            raise one.error(f"{_fact_text(predicate, row)} is both a positive and a negative example")
    labels, parts = [one.label for one in distinct.values()], [one.part for one in distinct.values()]
    return _Examples(predicate, list(distinct), labels, parts, has_negatives, len(examples) - len(distinct))


def _fact_text(predicate: PrologPredicate, row: Sequence[Any]) -> str:
    return term_text(Compound(predicate.name, tuple(row)))


# ---- from facts and examples to a population -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Task:
    """Individuals and labels, as known before the layout is inferred.

    Parameters
    ----------
    places : TargetPlaces, optional
        Predicate whose facts are the individuals.
    rows : sequence of tuples
        Facts of that predicate.
    labels : sequence, optional
        Label of each fact.
    label : str
        Name of the labels; empty if there are none.
    """

    places: TargetPlaces | None = None
    rows: Sequence[tuple[Any, ...]] = ()
    labels: Sequence[Any] = ()
    label: str = ""
    parts: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class _Reader:
    """Converter of facts and examples to a population."""

    base: FactBase
    examples: _Examples | None
    given: Mapping[PrologPredicate, Signature]
    target: str | None
    individual: str | None
    overrides: Overrides
    sample_negatives: int | None
    seed: int

    def population(self) -> Population:
        """Convert the facts to a population, with its provenance."""
        if not self.base.tables and self.examples is None:
            raise DataError("there are no facts, such as bond(m1, a1, a2, 7).")
        tables, notes = dict(self.base.tables), list(self._about_declared())
        if self.base.modes.ignored:
            notes.append(f"directives are not executed: {names_text(self.base.modes.ignored)}")
        task = self._task(tables, notes)
        layout = self._layout(tables, task)
        if task.places is None and self.target is not None:
            task, layout = self._of_facts(tables, layout, task)
        task = self._with_negatives(task, layout)
        examples = None
        if task.places is not None:
            examples = ExampleRows(task.rows, layout.signatures[task.places.predicate], task.label, task.labels)
        individual = self._individual(layout, examples)
        found = fact_population(tables, layout, examples, individual, self.overrides)
        self.overrides.check(found.population.schema)
        skipped = [one for one in found.unlinked if not all(a.is_skipped for a in layout.signatures[one].arguments)]
        notes += [f"{one} is not linked to any individual, so it is skipped" for one in skipped]
        reading = FactReading(
            tuple(map(str, layout.signatures.values())),
            examples.label if examples and examples.label else None,
            (*layout.notes, *notes),
            tuple(_hidden(found, self.base.modes)),
            bool(self.base.models),
            tuple(map(str, self.given.values())),
        )
        provenance = _provenance(found.population, found.rows, task, examples, reading)
        return replace(found.population, provenance=provenance)

    def _about_declared(self) -> Iterator[str]:
        """Yield notes about declared predicates that may be misspelled; raise `DataError` for a wrong arity."""
        known = {*self.base.tables, *([self.examples.predicate] if self.examples else [])}
        for declared in (one for one in self.given if one not in known):
            others = [one for one in known if one.name == declared.name and one not in self.given]
            if others:
                message = f"the declaration {self.given[declared]} has {number_text(declared.arity, 'argument')}"
                raise DataError(f"{message}, but the facts of {declared.name} have {others[0].arity}")
            near = get_close_matches(declared.name, [one.name for one in known - self.given.keys()], n=1)
            if near:
                yield f"there are no facts of {declared} (did you mean {near[0]!r}?)"

    def _task(self, tables: dict[PrologPredicate, FactTable], notes: list[str]) -> _Task:
        """Return the task that the examples or interpretations define, and remove the facts of the target."""
        examples = self.examples
        if examples is None:
            return self._of_models(tables) if self.base.models else _Task()
        refuse_rules_that_use(examples.predicate, self.base.rules)
        if tables.pop(examples.predicate, None) is not None:
            notes.append(f"{examples.predicate} is the target, so its facts are skipped")
        if examples.n_repeated:
            notes.append(f"skipped {number_text(examples.n_repeated, 'duplicate example')}")
        rows, labels = examples.rows, examples.labels
        place = self._class_place(examples)
        if place is not None:
            places, classes = TargetPlaces(examples.predicate, place), [row[place] for row in rows]
            return _Task(places, rows, classes, examples.predicate.name, examples.parts)
        if not examples.has_negatives and not self.sample_negatives:
            notes.append(
                f"all examples of {examples.predicate} are positive; give negative ones with "
                f"{option_text('negatives')}, or sample some with {option_text('sample_negatives')}"
            )
            return _Task(TargetPlaces(examples.predicate), rows, parts=examples.parts)
        return _Task(TargetPlaces(examples.predicate), rows, labels, examples.predicate.name, examples.parts)

    def _class_place(self, examples: _Examples) -> int | None:
        """Return the position of the class argument, if any: as declared, or the second if the first is unique."""
        rows, arity = examples.rows, examples.predicate.arity
        declared = self.given.get(examples.predicate)
        if declared is not None and declared.key is not None:
            return next(i for i, one in enumerate(declared.arguments) if not one.is_type)
        if examples.has_negatives or self.sample_negatives or arity != 2:
            return None
        return 1 if len({row[0] for row in rows}) == len(rows) and len({row[1] for row in rows}) < len(rows) else None

    def _of_models(self, tables: dict[PrologPredicate, FactTable]) -> _Task:
        """Return the task for interpretations; predicates without arguments are classes if each has exactly one."""
        predicate = PrologPredicate(self.base.model_name.lower(), 1)
        rows = [(f"{MODEL}{model}",) for model in self.base.models]
        places = TargetPlaces(predicate, is_world=True)
        flags = [one for one in tables if one.arity == 1 and one in self.base.within]
        chosen = [one for one in flags if not self.base.modes.classes or one.name in self.base.modes.classes]
        holding = {row[0]: one.name for one in chosen for row in tables[one].rows}
        n_facts = sum(len(tables[one].rows) for one in chosen)
        is_class = len(chosen) > 1 and n_facts == len(holding) == len(rows)
        if not is_class or self.target in {one.name for one in chosen}:
            return _Task(places, rows)
        for one in chosen:
            del tables[one]
        return _Task(places, rows, [holding[row[0]] for row in rows], "class")

    def _layout(self, tables: Mapping[PrologPredicate, FactTable], task: _Task) -> Layout:
        facts = {predicate: table.rows for predicate, table in tables.items()}
        name = self.individual
        if task.places is not None:
            facts[task.places.predicate] = list(task.rows)
            name = name or (self.base.model_name if self.base.models else None)
        return inferred_layout(facts, self.given, self.base.modes, task.places, name)

    def _of_facts(
        self, tables: dict[PrologPredicate, FactTable], layout: Layout, task: _Task
    ) -> tuple[_Task, Layout]:
        """Return the task and layout for predicting a relation; both are unchanged for other targets."""
        found = [one for one in tables if one.name == self.target]
        signature = layout.signatures[found[0]] if len(found) == 1 else None
        if signature is None or len(signature.types) < 2:
            return task, layout
        if not self.sample_negatives:
            raise UsageError(
                f"{found[0]} relates pairs and has only positive examples; sample negative ones with "
                f"{option_text('sample_negatives')}, or pass files of both kinds with {option_text('positives')} and "
                f"{option_text('negatives')}"
            )
        table = tables.pop(found[0])
        chosen = _Task(TargetPlaces(found[0]), table.rows, [True] * len(table.rows), found[0].name)
        return chosen, self._layout(tables, chosen)

    def _with_negatives(self, task: _Task, layout: Layout) -> _Task:
        """Return the task after adding sampled negative examples."""
        if self.sample_negatives is None:
            return task
        if self.sample_negatives < 1:
            raise UsageError(f"{option_text('sample_negatives')} must be at least 1; got {self.sample_negatives}")
        if task.places is None or not task.label or task.places.class_place is not None:
            raise UsageError(
                f"{option_text('sample_negatives')} requires positive examples of a predicate, but there are none"
            )
        signature = layout.signatures[task.places.predicate]
        pools = [
            _constants(place, signature, layout, self.base, task.rows) for place in range(len(signature.arguments))
        ]
        drawn = _sampled(pools, set(task.rows), self.sample_negatives, self.seed)
        parts = [*task.parts, *([""] * len(drawn))] if task.parts else ()
        labels = [*task.labels, *([False] * len(drawn))]
        return replace(task, rows=[*task.rows, *drawn], labels=labels, parts=parts)

    def _individual(self, layout: Layout, examples: ExampleRows | None) -> str | None:
        """Return the name of the individuals' type: as given, or the type of the attribute to predict."""
        if examples is not None:
            return self.individual
        known = _type_names(layout)
        if not known:
            raise DataError(
                "no argument of the facts is a record; declare a type, as in "
                + option_text("fact", ["p(Thing, value)"])
            )
        if self.individual is not None:
            if self.individual not in known:
                raise UnknownNameError("type", self.individual, known)
            return self.individual
        for predicate, signature in layout.signatures.items():
            if predicate.name == self.target and signature.types:
                return signature.arguments[signature.types[0] if signature.key is None else signature.key].name
        return None


def _hidden(found: FactTypes, modes: Modes) -> Iterator[tuple[str, str]]:
    """Yield the members to hide: those that the modes do not allow, and names that no mode allows as constants."""
    yield from (member for member, origin in found.origins.items() if not modes.allows(origin))
    if any(any(mode.signs) for mode in modes.modes):
        named = {type_name_of(sort) for sort in modes.named}
        schema = found.population.schema
        yield from ((one.name, "name") for one in schema.types if one.attribute("name") and one.name not in named)


def _type_names(layout: Layout) -> list[str]:
    own = fact_type_names(layout, None, None).values()
    records = (one.name for signature in layout.signatures.values() for one in signature.arguments if one.is_type)
    return list(dict.fromkeys([*records, *own]))


def _constants(
    place: int, signature: Signature, layout: Layout, base: FactBase, rows: Sequence[tuple[Any, ...]]
) -> list[Any]:
    """Return the possible values of an argument: all records of its type, or all values at its position."""
    argument = signature.arguments[place]
    found = dict.fromkeys(row[place] for row in rows)
    if argument.is_type:
        for predicate, other in layout.signatures.items():
            own = [i for i in other.types if other.arguments[i].name == argument.name]
            table = base.tables.get(predicate)
            found |= dict.fromkeys(row[i] for row in (table.rows if table else ()) for i in own)
    return list(found)


def _sampled(pools: Sequence[Sequence[Any]], known: set[tuple[Any, ...]], n: int, seed: int) -> list[tuple[Any, ...]]:
    """Return n distinct random tuples that are not among the known ones, or all if there are fewer."""
    sizes = [len(pool) for pool in pools]
    total = int(np.prod(sizes, dtype=np.float64)) if sizes else 0
    chance = np.random.default_rng(seed)
    found: dict[tuple[Any, ...], None] = {}
    if total <= 4 * (n + len(known)):
        order = chance.permutation(total)
        numbers = zip(*np.unravel_index(order, sizes), strict=True)
        everything = (tuple(pool[int(i)] for pool, i in zip(pools, each, strict=True)) for each in numbers)
        return [one for one in everything if one not in known][:n]
    while len(found) < n:
        one = tuple(pool[int(chance.integers(len(pool)))] for pool in pools)
        if one not in known:
            found.setdefault(one)
    return list(found)


def _provenance(
    population: Population,
    rows: Mapping[str, Mapping[Any, int]],
    task: _Task,
    examples: ExampleRows | None,
    reading: FactReading,
) -> Provenance:
    """Return the names of the individuals (constants, or facts for pairs) and their parts."""
    who = population.schema.individual
    n_rows = population.table(who).n_rows
    numbers = np.full(n_rows, -1, dtype=np.int64)
    numbers[population.individuals] = np.arange(len(population))
    if examples is None:
        texts = {"name": [_shown(one) for one in rows[who]]}
    elif examples.record_place is None:
        texts = {"fact": [_fact_text(examples.signature.predicate, row) for row in examples.rows]}
    else:
        texts = {"name": [_shown(row[examples.record_place]) for row in examples.rows]}
    if len(set(task.parts)) > 1:
        texts["fold" if all(part.lower().startswith("fold") for part in task.parts) else "part"] = list(task.parts)
    return Provenance(numbers, len(population), texts, facts=reading)


def _shown(constant: Any) -> str:
    return constant.removeprefix(MODEL) if isinstance(constant, str) else term_text(constant)
