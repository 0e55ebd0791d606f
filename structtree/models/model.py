"""A model is a tree with what it takes to use it elsewhere, and one JSON file is all of a model.

The file has the schema, the classes, and node by node what was seen there and what is asked, as text of the grammar
language; definitions that a test uses travel with it. Reading it is reading data: nothing is imported or run, every
test is checked on the schema again, and the functions of a grammar are handed over anew by the caller.

Law: what is loaded is what was saved, number by number, and predicts the same.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from math import inf, isfinite
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, get_args

import numpy as np
from numpy.typing import NDArray

from structtree import __version__
from structtree.data.kinds import quoted_value
from structtree.data.layouts import SourceLayout
from structtree.data.population import Population
from structtree.data.readers.individuals import population_of, recognised
from structtree.data.readers.text_files import open_text_file
from structtree.data.schema import Attribute, Kind, Link, LinkKind, RecordType, Schema
from structtree.errors import DataError, GrammarError, StructtreeError, UnknownNameError, UsageError, require
from structtree.files import replacing
from structtree.lang import syntax as syn
from structtree.lang.background import Background, ComputedLink, Needs, needs_of
from structtree.lang.check import CheckedGrammar, check, check_predicate
from structtree.lang.declare import named_by
from structtree.lang.grammar import Grammar
from structtree.lang.parse import parse_grammar, parse_predicate
from structtree.lang.pretty import pretty, pretty_grammar
from structtree.lang.walk import subpredicates
from structtree.models.conform import NeededMembers, conform, needed_members
from structtree.models.predict import predicted_answers, predicted_probabilities
from structtree.models.settings import MAJORITY, Decision, Estimate
from structtree.models.tree import (
    Branch,
    Found,
    Leaf,
    MissingRule,
    MultiwayBranch,
    Node,
    Stats,
    Tree,
    Unproved,
)
from structtree.options import listed
from structtree.reprs import Viewed, short_repr
from structtree.search.results import TracePoint
from structtree.space.background import computed, with_background
from structtree.tasks.registry import as_task
from structtree.tasks.task import Task

__all__ = [
    "Fitted",
    "Model",
    "fitted",
    "load_model",
    "model_from_json",
    "model_to_json",
    "save_model",
    "used_definitions",
]

FORMAT = "structtree model"
FORMAT_VERSION = 2
"""Goes up when older versions of structtree could no longer read, or would misread, what is written.

Models without derived links and computed attributes are written in format 1.
"""

_NO_BACKGROUND = Background(Schema((RecordType(""),), ""))
"""The background of models whose tests need nothing but what the data has."""

Call = Callable[[Mapping[str, Any]], Any]


@dataclass(frozen=True, eq=False)
class Model(Viewed):
    """A tree that is ready for use on new data.

    Parameters
    ----------
    tree : Tree
    decision : Decision
        How its leaves say a class.
    target : str, optional
        What the target is called.
    params : mapping
        How the tree was made, for people to read: plain JSON values.
    version : str
        The version of structtree that made it.
    functions : tuple of Function
        The functions of the grammar that its tests may need.
    optional : mapping from type to members
        What parts of individuals may lack, since some lacked it in training; see `structtree.models.conform`.
    background : Background, optional
        The derived links and computed attributes of the grammar that its tests may need.
    layout : SourceLayout, optional
        The tables that it was learned from, if it was learned from some that are linked.

    Examples
    --------
    >>> from structtree.data.schema import RecordType
    >>> leaf = Leaf(ClassCounts(4, (1.0, 3.0)))
    >>> model = Model(Tree((leaf,), Schema((RecordType("Car"),), "Car"), ("no", "yes")))
    >>> model.predict(Population.from_records([{"wheels": 2}])).tolist()
    ['yes']
    """

    tree: Tree
    decision: Decision = MAJORITY
    target: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    version: str = __version__
    functions: tuple[syn.Function, ...] = ()
    optional: NeededMembers = field(default_factory=dict)
    background: Background | None = None
    layout: SourceLayout | None = None

    def __repr__(self) -> str:
        return short_repr(self, f"predicts {self.target or 'a target without a name'} by {self.tree!r}")

    @property
    def needed(self) -> NeededMembers:
        """Attributes and links of the data, by type, that its tests mention, or that what they mention needs."""
        return self.needs.given

    @cached_property
    def needs(self) -> Needs:
        """All that its tests need: members of the data, and what is computed from them."""
        mentioned = self._mentioned()
        return Needs(mentioned, _NO_BACKGROUND) if self.background is None else needs_of(mentioned, self.background)

    def _mentioned(self) -> NeededMembers:
        """Return what the tests mention; of plain tests without a look at the nodes, which are made lazily."""
        tree = self.tree
        if tree.descent is None:
            return needed_members(tree.tests, tree.schema)
        record = tree.schema.type(tree.schema.individual)
        return {record.name: frozenset(map(record.given_name, tree.descent.attributes))}

    def predict(
        self, individuals: Any, functions: Mapping[str, Call] | None = None, *, smiles: str | None = None
    ) -> NDArray[Any]:
        """The class, or the number, that the tree says of each individual.

        Parameters
        ----------
        individuals : Population, DataFrame, array, or sequence of dicts, graphs, SMILES or molecules
            They may have more attributes and other categories than the training data. The columns of an array are
            those of the training data, in their order.
        functions : mapping from name to function, optional
            The functions of the grammar; see `structtree.space.background.with_background`.
        smiles : str, optional
            For a DataFrame of molecules: the column with the SMILES, if it is not named so.
        """
        prepared = self.prepared(individuals, functions, smiles=smiles)
        return self.tree.task.labels(predicted_answers(self.tree, prepared, self.decision))

    def predict_proba(
        self, individuals: Any, functions: Mapping[str, Call] | None = None, *, smiles: str | None = None
    ) -> NDArray[np.float64]:
        """The probability of each class, in the order of the tree's classes, for each individual."""
        if not self.tree.classes:
            raise UsageError(f"the model predicts {self.tree.task.noun}, which have no probabilities; use predict")
        return predicted_probabilities(self.tree, self.prepared(individuals, functions, smiles=smiles), self.decision)

    def prepared(
        self, individuals: Any, functions: Mapping[str, Call] | None = None, *, smiles: str | None = None
    ) -> Population:
        """The individuals as the tests need them; see `structtree.models.conform.conform`."""
        needed, computes = self.needed, self.needs.background
        schema = self.tree.schema.given if computes.steps else self.tree.schema
        population = self.read(individuals, smiles)
        types = _declarations(schema, self.functions)
        if computes.steps:
            population = population.given
        if self.functions or computes.steps:
            population = named_by(population, types)
        wanted = tuple(f for f in self.functions if f.name in needed.get(f.type, ()) and _lacks(population, f))
        if wanted:
            given = {f.name: functions[f.name] for f in wanted if functions and f.name in functions}
            population = with_background(population, Grammar(replace(types, functions=wanted), ""), given)
        return computed(conform(population, schema, needed, self.optional), computes)

    @property
    def columns(self) -> tuple[Attribute, ...]:
        """The attributes of the individuals in training, without those that functions computed."""
        schema, functions = self.tree.schema.given, {function.name for function in self.functions}
        return tuple(a for a in schema.type(schema.individual).attributes if a.name not in functions)

    def read(self, individuals: Any, smiles: str | None = None) -> Population:
        """The individuals as a population, with all that is known of them."""
        if isinstance(individuals, Population):
            return individuals
        schema = self.tree.schema
        functions = {function.name for function in self.functions}
        links = [link for link in schema.given.type(schema.individual).links if link.name not in functions]
        if recognised(individuals, smiles).form == "array" and links:
            known = ", ".join(link.name for link in links)
            raise DataError(f"the model is for individuals with {known}, which the rows of an array do not have")
        names = [column.name for column in self.columns]
        return population_of(individuals, individual=schema.individual, names=names, smiles=smiles)


class Fitted(NamedTuple):
    """A model, and what the estimator that has it knows about reading individuals."""

    model: Model
    functions: Mapping[str, Call] | None = None
    smiles: str | None = None

    def read(self, individuals: Any) -> Population:
        """Return individuals as they are, with all that is known of them."""
        return self.model.read(individuals, self.smiles)

    def prepared(self, individuals: Any) -> Population:
        """Return individuals as the tests of the model need them."""
        return self.model.prepared(individuals, self.functions, smiles=self.smiles)


def fitted(given: Any, decision: Decision | None = None) -> Fitted:
    """Return the model of a tree, of a model, or of a fitted estimator.

    Parameters
    ----------
    given : Tree, Model or estimator
    decision : Decision, optional
        In place of the model's own.

    Raises
    ------
    UsageError
        When it is neither, or not fitted.

    Examples
    --------
    >>> from structtree.data.schema import RecordType
    >>> tree = Tree((Leaf(ClassCounts(4, (1.0, 3.0))),), Schema((RecordType("Car"),), "Car"), ("no", "yes"))
    >>> fitted(tree).model.tree is tree
    True
    >>> fitted("model.json")
    Traceback (most recent call last):
    structtree.errors.UsageError: expected a tree, a model or a fitted estimator, got 'model.json'
    """
    require(decision, Decision | None, "decision", "a Decision or None")
    if isinstance(given, Tree):
        return Fitted(Model(given, decision or MAJORITY))
    own = given if isinstance(given, Model) else getattr(given, "model_", None)
    if not isinstance(own, Model):
        is_estimator = hasattr(given, "fit") and not isinstance(given, type)
        got = f"a {type(given).__name__} that is not fitted" if is_estimator else quoted_value(given)
        raise UsageError(f"expected a tree, a model or a fitted estimator, got {got}")
    model = own if decision is None else replace(own, decision=decision)
    return Fitted(model) if own is given else Fitted(model, given.functions, given.smiles)


def save_model(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a model as a JSON file (packed if the name ends in ``.gz``), all of it or nothing.

    Parameters
    ----------
    model : Model, fitted estimator or Tree
    path : path

    Examples
    --------
    >>> import tempfile
    >>> from structtree.data.schema import RecordType
    >>> leaf = Leaf(ClassCounts(4, (1.0, 3.0)))
    >>> model = Model(Tree((leaf,), Schema((RecordType("Car"),), "Car"), ("no", "yes")), target="fast")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(model, f"{folder}/fast.json")
    ...     load_model(f"{folder}/fast.json").tree.nodes
    (<Leaf: n=4, counts 1, 3>,)
    """
    content, target = _document_text(model_to_json(fitted(model).model)).encode(), Path(path)
    with replacing(target) as draft:
        # No time inside, so that equal models are equal files.
        draft.write_bytes(gzip.compress(content, mtime=0) if target.suffix.lower() == ".gz" else content)


def load_model(path: str | os.PathLike[str]) -> Model:
    """Read a model that `save_model` wrote.

    Raises
    ------
    MissingFileError
        When there is no such file.
    DataError
        When it is not a model, is damaged, or was written in a newer format; with the file and the place in it.
    """
    source = os.fspath(path)
    try:
        return model_from_json(_document(path))
    except DataError as error:
        raise DataError(
            error.message, source=source, line=error.line, path=error.path, individual=None, fix=error.fix
        ) from None


def model_to_json(model: Model) -> dict[str, Any]:
    """The model as plain JSON values, as they are written to a file."""
    tree = model.tree
    computes = model.needs.background
    definitions = used_definitions(model)
    optional = {name: sorted(members) for name, members in model.optional.items()}
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION if computes.steps else 1,
        "structtree": model.version,
        "target": model.target,
        "task": tree.task.name,
        "classes": [],
        **tree.task.to_json(),
        "missing": tree.missing,
        **({"lightest": tree.lightest} if tree.lightest != 1.0 else {}),
        "decision": asdict(model.decision),
        "params": dict(model.params),
        "schema": tree.schema.to_json(),
        "definitions": {d.name: _definition_to_json(d) for d in definitions},
        "functions": {f.name: _function_to_json(f) for f in model.functions},
        **({"background": pretty_grammar(computes.declarations)} if computes.steps else {}),
        **({"optional": optional} if optional else {}),
        **({"layout": model.layout.to_json()} if model.layout is not None else {}),
        "nodes": [_node_to_json(node, tree.task) for node in tree.nodes],
    }


def model_from_json(value: Any) -> Model:
    """A model from what `model_to_json` gave.

    Raises
    ------
    DataError
        With the place of what is wrong, such as ``$.nodes[3].test``.
    """
    whole = _Part(value)
    _require_format(whole)
    schema = _schema(whole.member("schema"))
    task = _task(whole)
    grammar = _checked_definitions(whole, schema)
    missing = whole.member("missing").one_of(get_args(MissingRule), "false, majority or fractional")
    nodes = tuple(_node(part, grammar, task, missing) for part in whole.member("nodes").elements())
    _require_reading_order(nodes, whole.member("nodes"))
    target = whole.member("target")
    return Model(
        Tree(nodes, schema, task.classes, missing, _lightest(whole), task),
        _decision(whole.member("decision"), len(task.classes)),
        None if target.value is None else target.text(),
        dict(whole.member("params").members()),
        whole.member("structtree").text(),
        tuple(_function(name, part) for name, part in whole.member("functions").parts()),
        _optional(whole),
        grammar.background if grammar.background.steps else None,
        _layout(whole),
    )


def _task(whole: _Part) -> Task:
    name = whole.member("task")
    try:
        return as_task(name.text()).from_json(whole)
    except UnknownNameError as error:
        name.fail(f"{error}; register the task with structtree.register_task before the model is loaded")


def _lightest(whole: _Part) -> float:
    """The least weight of a training individual; models of data without weights, and older ones, do not say it."""
    if "lightest" not in whole.members():
        return 1.0
    part = whole.member("lightest")
    return part.weight() or part.expected("a number > 0")


def _layout(whole: _Part) -> SourceLayout | None:
    """The tables that the model was learned from; models of other data, and older ones, have none."""
    if "layout" not in whole.members():
        return None
    part = whole.member("layout")
    try:
        return SourceLayout.from_json(part.value)
    except DataError as error:
        part.fail(error.message)


def _declarations(schema: Schema, functions: tuple[syn.Function, ...]) -> syn.GrammarSyntax:
    """The types of the training data and their links, as a grammar declares them, and the types of given rows."""
    computed = {(function.type, function.name) for function in functions}
    types = tuple(
        syn.TypeDeclaration(
            record.name,
            tuple(_with_any_category(a) for a in record.attributes if (record.name, a.name) not in computed),
            tuple(link for link in record.links if (record.name, link.name) not in computed),
        )
        for record in schema.given.types
    )
    return syn.GrammarSyntax(types=types, individual=schema.individual)


def _lacks(population: Population, function: syn.Function) -> bool:
    schema = population.schema
    return function.type not in schema or function.name not in schema.type(function.type).members


# ---- writing --------------------------------------------------------------------------------------------


def _document_text(document: Mapping[str, Any]) -> str:
    """The text of the file: a member a line, and a node a line."""
    lines = [f"{_json(key)}: {_json(value)}" for key, value in document.items() if key != "nodes"]
    nodes = ",\n".join(_json(node) for node in document["nodes"])
    return "{\n" + ",\n".join([*lines, f'"nodes": [\n{nodes}\n]']) + "\n}\n"


def _json(value: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate, which only an escape can write
        return json.dumps(value, allow_nan=False, default=_plain)
    except (TypeError, ValueError) as error:
        raise UsageError(f"a model cannot be written with {quoted_value(value)}: {error}") from None
    return text


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} is not a plain value")


def _number(value: float) -> float | str:
    """JSON has no infinity; the gap of a search that proved nothing may be one, and so may a variance."""
    return float(value) if isfinite(value) else str(float(value))


def _node_to_json(node: Node, task: Task) -> dict[str, Any]:
    seen = task.summary_to_json(node.stats)
    if isinstance(node, Leaf):
        reason = {"stopped_by": node.stopped_by} if node.stopped_by else {}
        return {**seen, "gap": _number(node.gap), **reason} if node.gap else seen
    told = ((one.name, getattr(node.found, one.name)) for one in fields(node.found) if one.name != "trace")
    found = {key: _number(value) if isinstance(value, float) else value for key, value in told if value is not None}
    if node.found.trace:
        found["trace"] = [[point.evaluated, *map(_number, point[1:])] for point in node.found.trace]
    shares = {"shares": [float(share) for share in node.shares]} if node.shares else {}
    match node:
        case Branch(test, yes, no):
            asks: dict[str, Any] = {"test": pretty(test), "yes": yes, "no": no}
        case MultiwayBranch(attribute, values, children):
            asks = {"switch": attribute, "values": list(values), "children": list(children)}
    return {**asks, **shares, **seen, "found": found}


def used_definitions(model: Model) -> tuple[syn.Definition, ...]:
    """The definitions that tests and derived links use, and those that these use."""
    schema, found = model.tree.schema, dict[str, syn.Definition]()
    stack = [(test, schema.individual) for test in model.tree.tests]
    stack += [(step.where, step.far) for step in model.needs.background.steps if isinstance(step, ComputedLink)]
    while stack:
        for part, name in subpredicates(*stack.pop(), schema):
            if not isinstance(part, syn.Named) or part.body is None:
                continue
            used = part.definition or syn.Definition(part.name, name, part.body, says=part.says)
            known = found.get(part.name)
            if known is not None and (known.parameters, known.body) != (used.parameters, used.body):
                raise UsageError(f"the model uses two definitions that are both called {part.name!r}")
            if known is None:
                found[part.name] = used
                stack.append((used.body, used.type))
    return tuple(found.values())


def _function_to_json(function: syn.Function) -> dict[str, Any]:
    link = function.link
    gives = {"kind": function.kind} if link is None else {"link": link.kind, "to": link.target}
    return {"type": function.type, **gives}


def _definition_to_json(definition: syn.Definition) -> dict[str, Any]:
    parameters = {"parameters": list(definition.parameters)} if definition.parameters else {}
    said = {} if definition.says is None else {"says": definition.says}
    return {"type": definition.type, **parameters, "body": pretty(definition.body), **said}


# ---- reading --------------------------------------------------------------------------------------------


def _document(path: str | os.PathLike[str]) -> Any:
    with open_text_file(path) as file:
        content = file.read()
    try:
        return json.loads(content, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        what = f"broken JSON: {error.msg} in column {error.colno}"
        raise DataError(what, line=error.lineno, fix="is this a complete model file?") from None
    except UnicodeDecodeError:
        raise DataError("the file is not UTF-8 text") from None
    except RecursionError:
        raise DataError("this is not a structtree model: its brackets nest too deep") from None
    except ValueError as error:
        raise DataError(f"broken JSON: {error}") from None


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a JSON number")


@dataclass(frozen=True, slots=True)
class _Part:
    """A value of the file with its place, and what it must be."""

    value: Any
    path: str = "$"

    def fail(self, message: str) -> NoReturn:
        raise DataError(message, path=self.path)

    def expected(self, what: str) -> NoReturn:
        self.fail(f"expected {what}, got {quoted_value(self.value)}")

    def members(self) -> Mapping[str, Any]:
        return self.value if isinstance(self.value, dict) else self.expected("an object")

    def member(self, key: str) -> _Part:
        members = self.members()
        if key not in members:
            self.fail(f"expected an object with {key!r}")
        return _Part(members[key], f"{self.path}.{key}")

    def parts(self) -> Iterator[tuple[str, _Part]]:
        for key in self.members():
            yield key, self.member(key)

    def elements(self) -> tuple[_Part, ...]:
        if not isinstance(self.value, list):
            self.expected("a list")
        return tuple(_Part(value, f"{self.path}[{i}]") for i, value in enumerate(self.value))

    def text(self) -> str:
        return self.value if isinstance(self.value, str) else self.expected("a text")

    def flag(self) -> bool:
        return self.value if isinstance(self.value, bool) else self.expected("true or false")

    def whole(self) -> int:
        is_whole = isinstance(self.value, int) and not isinstance(self.value, bool)
        if not is_whole or self.value < 0:
            self.expected("a whole number >= 0")
        return int(self.value) if self.value < 2**63 else self.expected("a whole number below 2**63")

    def number(self) -> float:
        is_number = isinstance(self.value, int | float) and not isinstance(self.value, bool)
        if not is_number:
            self.expected("a number")
        return float(self.value) if abs(self.value) <= sys.float_info.max else self.expected("a finite number")

    def number_or_infinity(self) -> float:
        return float(self.value) if self.value in ("inf", "-inf", "nan") else self.number()

    def weight(self) -> float:
        return found if (found := self.number()) >= 0 else self.expected("a number >= 0")

    def weight_or_infinity(self) -> float:
        return inf if self.value == "inf" else self.weight()

    def one_of(self, words: tuple[str, ...], expected: str) -> Any:
        return self.value if self.value in words else self.expected(expected)

    def label(self) -> str | int | float | bool:
        if isinstance(self.value, str | bool):
            return self.value
        if not isinstance(self.value, int | float):
            self.expected("a text, number or flag")
        self.number()
        return self.value


def _require_format(whole: _Part) -> None:
    if not isinstance(whole.value, dict) or whole.value.get("format") != FORMAT:
        raise DataError(f"this is not a structtree model: expected a JSON object with format {FORMAT!r}")
    version = whole.member("format_version").whole()
    if version > FORMAT_VERSION:
        by = whole.value.get("structtree", "a newer version")
        raise DataError(
            f"the model was written by structtree {by} in format {version}, and structtree {__version__} reads "
            f"formats up to {FORMAT_VERSION}; install a newer structtree"
        )


def _schema(part: _Part) -> Schema:
    try:
        return Schema.from_json(part.members())
    except StructtreeError as error:
        part.fail(f"the schema cannot be used: {getattr(error, 'message', error)}")


def _decision(part: _Part, n_classes: int) -> Decision:
    written = part.member("estimate")
    known = get_args(Estimate)
    estimate: Any = None if written.value is None else written.one_of(known, listed(known))
    costs = part.member("costs")
    rows = None
    if costs.value is not None:
        rows = tuple(tuple(cost.number() for cost in row.elements()) for row in costs.elements())
    m = part.member("m")
    try:
        decision = Decision(estimate, m.number() if estimate in ("m-estimate", "m-branch") else None, rows)
    except StructtreeError as error:
        part.fail(str(error))
    if rows is not None and n_classes and len(rows) != n_classes:
        costs.fail(f"expected {n_classes} rows, one for each class, got {len(rows)}")
    return decision


def _function(name: str, part: _Part) -> syn.Function:
    if "link" in part.members():
        link = part.member("link").one_of(get_args(LinkKind), listed(get_args(LinkKind)))
        target = part.member("to").text()
        return syn.Function(name, part.member("type").text(), None, link=Link(name, link, target))
    kind = part.member("kind").one_of(get_args(Kind), "bool, int, real or nominal")
    return syn.Function(name, part.member("type").text(), kind)


def _optional(whole: _Part) -> NeededMembers:
    """What parts of individuals may lack; a file does not say it if there is nothing, or if it is an older one."""
    if "optional" not in whole.members():
        return {}
    parts = whole.member("optional").parts()
    return {name: frozenset(member.text() for member in part.elements()) for name, part in parts}


def _checked_definitions(whole: _Part, schema: Schema) -> CheckedGrammar:
    """The definitions of the file, and what it computes, as a grammar, which is what tests are checked with."""
    part = whole.member("definitions")
    definitions = tuple(_definition(name, written) for name, written in part.parts())
    if "background" not in whole.members():
        return _checked(syn.GrammarSyntax(definitions=definitions), schema, part, "a definition")
    written = whole.member("background")
    try:
        declared = parse_grammar(written.text())
    except GrammarError as error:
        written.fail(f"the background cannot be read: {error.message}")
    only = syn.GrammarSyntax(definitions=definitions, computed=declared.computed, links=declared.links)
    return _checked(replace(only, limits=declared.limits), schema, written, "the background")


def _checked(syntax: syn.GrammarSyntax, schema: Schema, part: _Part, what: str) -> CheckedGrammar:
    copies = {name: schema.type(name).members for name in schema.names if schema.met_by(name) is not None}
    try:
        return check(syntax, _any_category(schema), copies=copies)
    except GrammarError as error:
        part.fail(f"{what} cannot be used: {error.message}")


def _definition(name: str, part: _Part) -> syn.Definition:
    parameters = part.member("parameters").elements() if "parameters" in part.members() else ()
    names = tuple(parameter.text() for parameter in parameters)
    says = part.member("says").text() if "says" in part.members() else None
    return syn.Definition(name, part.member("type").text(), _parsed(part.member("body")), None, names, says=says)


def _any_category(schema: Schema) -> Schema:
    """The schema without its lists of nominal categories: a grammar may declare others than the data had."""
    types = (replace(t, attributes=tuple(map(_with_any_category, t.attributes))) for t in schema.types)
    return Schema(tuple(types), schema.individual)


def _with_any_category(attribute: Attribute) -> Attribute:
    return replace(attribute, values=()) if attribute.kind == "nominal" else attribute


def _parsed(part: _Part) -> syn.Predicate:
    try:
        return parse_predicate(part.text())
    except GrammarError as error:
        part.fail(f"the test cannot be read: {error.message}")


def _usable(test: syn.Predicate, part: _Part, grammar: CheckedGrammar) -> syn.Predicate:
    try:
        return check_predicate(test, grammar.individual, grammar)
    except GrammarError as error:
        part.fail(f"the test cannot be used: {error.message}")


def _node(part: _Part, grammar: CheckedGrammar, task: Task, missing: MissingRule) -> Node:
    stats, members = task.summary_from_json(part), part.members()
    if "switch" in members:
        return _switch(part, grammar, stats)
    if "test" not in members:
        return Leaf(stats, part.member("gap").number_or_infinity() if "gap" in members else 0.0, _reason(part))
    yes, no = part.member("yes").whole(), part.member("no").whole()
    shares = () if missing == "false" else _shares(part.member("shares"), 2)
    test = _usable(_parsed(part.member("test")), part.member("test"), grammar)
    return Branch(test, yes, no, stats, _found(part.member("found")), shares)


def _switch(part: _Part, grammar: CheckedGrammar, stats: Stats) -> MultiwayBranch:
    values = tuple(value.text() for value in part.member("values").elements())
    children = tuple(child.whole() for child in part.member("children").elements())
    if len(set(values)) < len(values) or len(values) < 2:
        part.member("values").expected("two or more different values")
    if len(children) != len(values):
        part.member("children").fail(f"expected {len(values)} nodes, one for each value, got {len(children)}")
    attribute, shares = part.member("switch"), _shares(part.member("shares"), len(values))
    _usable(syn.Compare(attribute.text(), "=", values[0]), attribute, grammar)
    return MultiwayBranch(attribute.text(), values, children, stats, _found(part.member("found")), shares)


def _shares(part: _Part, n: int) -> tuple[float, ...]:
    shares = tuple(share.weight() for share in part.elements())
    if len(shares) != n:
        part.fail(f"expected {n} numbers, one for each side, got {len(shares)}")
    return shares


def _found(part: _Part) -> Found:
    return Found(
        part.member("criterion").text(),
        part.member("score").number_or_infinity(),
        part.member("gain").number_or_infinity(),
        part.member("proved").flag(),
        part.member("gap").number_or_infinity(),
        part.member("evaluated").whole(),
        part.member("seconds").weight(),
        _reason(part),
        part.member("pruned").whole() if "pruned" in part.members() else None,
        tuple(map(_trace_point, part.member("trace").elements())) if "trace" in part.members() else (),
    )


def _trace_point(part: _Part) -> TracePoint:
    """Return a point of a trace: evaluated, seconds, score, bound."""
    parts = part.elements()
    if len(parts) != len(TracePoint._fields):
        part.expected(f"the {len(TracePoint._fields)} numbers {', '.join(TracePoint._fields)}")
    evaluated, seconds, *figures = parts
    return TracePoint(evaluated.whole(), seconds.weight(), *(figure.number_or_infinity() for figure in figures))


def _reason(part: _Part) -> Unproved | None:
    """Return what stopped a search; files that were written before that was kept do not say it."""
    if "stopped_by" not in part.members():
        return None
    known, reason = get_args(Unproved), part.member("stopped_by")
    return reason.one_of(known, f"one of {', '.join(known)}")  # type: ignore[no-any-return]


def _require_reading_order(nodes: tuple[Node, ...], part: _Part) -> None:
    """Every node once, each after the branch it belongs to, and the sides in their order."""
    expected = [0]
    for index, node in enumerate(nodes):
        if not expected or expected.pop() != index:
            raise DataError("this node does not follow from those before it", path=f"{part.path}[{index}]")
        expected += reversed(node.children)
    if expected:
        part.fail(f"node {expected[-1]} is missing")
