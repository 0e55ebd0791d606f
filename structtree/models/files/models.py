"""Model files: a model is a single JSON file.

The file contains the predictor and its kind, the schema, the records of how the model was learned, and the
definitions that its tests use, in the grammar language. A file is only data: loading it imports and runs nothing, all
tests are checked against the schema again, and the caller supplies the functions of the grammar.

Law: saving and loading preserves every number and every prediction.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn, get_args

import numpy as np

from structtree import __version__
from structtree.data.json_parts import JsonPart
from structtree.data.kinds import quoted_value
from structtree.data.layouts import SourceLayout
from structtree.data.readers.text_files import open_text_file
from structtree.data.schema import Kind, Link, LinkKind, Schema
from structtree.errors import DataError, GrammarError, StructtreeError, UsageError
from structtree.files import replacing
from structtree.lang import syntax as syn
from structtree.lang.check import CheckedGrammar, check
from structtree.lang.parse import parse_grammar
from structtree.lang.pretty import pretty, pretty_grammar
from structtree.models import boosting, ensemble, rule_set  # noqa: F401  # register their kinds of predictors
from structtree.models.conform import NeededMembers, any_category
from structtree.models.files.records import Records, old_records, records_from_json
from structtree.models.files.test_reader import TestReader, parsed_test
from structtree.models.model import Model, fitted, used_definitions
from structtree.models.predictor import predictor_from_json, predictor_to_json
from structtree.models.seen import seen_from_json
from structtree.models.tree_predictor import TreePredictor
from structtree.options import listed

__all__ = ["load_model", "model_from_json", "model_to_json", "save_model"]

FORMAT = "structtree model"
FORMAT_VERSION = 3
"""Increases whenever older versions of structtree could not read the file, or would misread it.

Formats 1 and 2, of version 0.1, had only trees as predictors, and no records.
"""

LARGE = 4_000_000
"""Size in bytes above which a file is compressed."""


def save_model(model: Any, path: str | os.PathLike[str]) -> None:
    """Save a model as a JSON file; the file is written atomically.

    It is compressed if its name ends in ``.gz``, or if it is large, as that of a forest may be.

    Parameters
    ----------
    model : Model, fitted estimator or Tree
    path : path

    Examples
    --------
    >>> import tempfile
    >>> from structtree.data.schema import RecordType
    >>> from structtree.models.tree import ClassCounts, Leaf, Tree
    >>> tree = Tree((Leaf(ClassCounts(4, (1.0, 3.0))),), Schema((RecordType("Car"),), "Car"), ("no", "yes"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(tree, f"{folder}/fast.json")
    ...     load_model(f"{folder}/fast.json").tree.nodes
    (<Leaf: n=4, counts 1, 3>,)
    """
    content, target = _document_text(model_to_json(fitted(model).model)).encode(), Path(path)
    with replacing(target) as draft:
        # No time stamp, so that equal models give equal files.
        is_packed = target.suffix.lower() == ".gz" or len(content) > LARGE
        draft.write_bytes(gzip.compress(content, compresslevel=6, mtime=0) if is_packed else content)


def load_model(path: str | os.PathLike[str]) -> Model:
    """Load a model from a file written by `save_model`.

    Raises
    ------
    MissingFileError
        If the file does not exist.
    DataError
        If it is not a model, is damaged, or has a newer format; with the file and the position in it.
    """
    source = os.fspath(path)
    try:
        return model_from_json(_document(path))
    except DataError as error:
        raise DataError(
            error.message, source=source, line=error.line, path=error.path, individual=None, fix=error.fix
        ) from None


def model_to_json(model: Model) -> dict[str, Any]:
    """Return a model as plain JSON values, as stored in a model file."""
    computes = model.needs.background
    optional = {name: sorted(members) for name, members in model.optional.items()}
    seen = {name: {member: list(each) for member, each in members.items()} for name, members in model.seen.items()}
    records = Records(model.settings, model.grammar, model.route, model.reading, model.outcome, model.scores)
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "structtree": model.version,
        "target": model.target,
        **records.to_json(),
        "schema": model.schema.to_json(),
        "definitions": {d.name: _definition_to_json(d) for d in used_definitions(model)},
        "functions": {f.name: _function_to_json(f) for f in model.functions},
        **({"background": pretty_grammar(computes.declarations)} if computes.steps else {}),
        **({"optional": optional} if optional else {}),
        **({"seen": seen} if seen else {}),
        **({"layout": model.layout.to_json()} if model.layout is not None else {}),
        "predictor": predictor_to_json(model.predictor),
    }


def model_from_json(value: Any) -> Model:
    """Restore a model from the output of `model_to_json`, of this version or an older one.

    Raises
    ------
    DataError
        With the path of the invalid value, such as ``$.predictor.nodes[3].test``.
    """
    whole = JsonPart(value)
    is_old = _format_version(whole) < 3
    schema = _schema(whole.member("schema"))
    grammar = _checked_definitions(whole, schema)
    reader, target = TestReader(schema, grammar), whole.member("target")
    return Model(
        TreePredictor.from_json(whole, reader) if is_old else predictor_from_json(whole.member("predictor"), reader),
        None if target.value is None else target.text(),
        *(old_records(whole.member("params")) if is_old else records_from_json(whole)),
        whole.member("structtree").text(),
        tuple(_function(name, part) for name, part in whole.member("functions").parts()),
        _optional(whole),
        grammar.background if grammar.background.steps else None,
        _layout(whole),
        seen_from_json(seen) if (seen := whole.optional("seen")) is not None else {},
    )


def _layout(whole: JsonPart) -> SourceLayout | None:
    """Return the table layout of the training data; None for other formats and for older files."""
    part = whole.optional("layout")
    return None if part is None else SourceLayout.from_json(part)


# ---- writing --------------------------------------------------------------------------------------------


def _document_text(document: Mapping[str, Any]) -> str:
    """Return the text of a model file, with a line break after each member and each node."""
    lines = [f"{_json(key)}: {_json(value)}" for key, value in document.items() if key != "predictor"]
    predictor = ",\n".join(f"{_json(key)}: {_listed(value)}" for key, value in document["predictor"].items())
    return "{\n" + ",\n".join([*lines, f'"predictor": {{\n{predictor}\n}}']) + "\n}\n"


def _listed(value: Any) -> str:
    """Return a value as JSON, with one line per object in a list of objects."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(map(_json, value)) + "\n]"
    return _json(value)


def _json(value: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate needs an escape
        return json.dumps(value, allow_nan=False, default=_plain)
    except (TypeError, ValueError) as error:
        raise UsageError(f"a model cannot be saved with {quoted_value(value)}: {error}") from None
    return text


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} is not a JSON value")


def _function_to_json(function: syn.Function) -> dict[str, Any]:
    link = function.link
    gives = {"kind": function.kind} if link is None else {"link": link.kind, "to": link.target}
    return {"type": function.type, **gives}


def _definition_to_json(definition: syn.Definition) -> dict[str, Any]:
    parameters = {"parameters": list(definition.parameters)} if definition.parameters else {}
    says = {} if definition.says is None else {"says": definition.says}
    return {"type": definition.type, **parameters, "body": pretty(definition.body), **says}


# ---- reading --------------------------------------------------------------------------------------------


def _document(path: str | os.PathLike[str]) -> Any:
    with open_text_file(path) as file:
        content = file.read()
    try:
        return json.loads(content, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        what = f"invalid JSON: {error.msg} in column {error.colno}"
        raise DataError(what, line=error.lineno, fix="is this a complete model file?") from None
    except UnicodeDecodeError:
        raise DataError("the file is not UTF-8 text") from None
    except RecursionError:
        raise DataError("this is not a structtree model: its brackets are nested too deeply") from None
    except ValueError as error:
        raise DataError(f"invalid JSON: {error}") from None


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a JSON number")


def _format_version(whole: JsonPart) -> int:
    if not isinstance(whole.value, dict) or whole.value.get("format") != FORMAT:
        raise DataError(f"this is not a structtree model: expected a JSON object with format {FORMAT!r}")
    version = whole.member("format_version").whole()
    if version > FORMAT_VERSION:
        by = whole.value.get("structtree", "a newer version")
        raise DataError(
            f"the model was written by structtree {by} in format {version}, but structtree {__version__} reads "
            f"formats up to {FORMAT_VERSION}; install a newer structtree"
        )
    return version


def _schema(part: JsonPart) -> Schema:
    try:
        return Schema.from_json(part.members())
    except StructtreeError as error:
        part.fail(f"the schema cannot be used: {getattr(error, 'message', error)}")


def _function(name: str, part: JsonPart) -> syn.Function:
    if "link" in part.members():
        link = part.member("link").one_of(get_args(LinkKind), listed(get_args(LinkKind)))
        target = part.member("to").text()
        return syn.Function(name, part.member("type").text(), None, link=Link(name, link, target))
    kind = part.member("kind").one_of(get_args(Kind), "bool, int, real or nominal")
    return syn.Function(name, part.member("type").text(), kind)


def _optional(whole: JsonPart) -> NeededMembers:
    """Return the members that may be missing in linked rows; empty for older files."""
    part = whole.optional("optional")
    return {} if part is None else {name: frozenset(members.texts()) for name, members in part.parts()}


def _checked_definitions(whole: JsonPart, schema: Schema) -> CheckedGrammar:
    """Return the definitions and derived features of a model file as a grammar, used to check the tests."""
    part = whole.member("definitions")
    definitions = tuple(_definition(name, written) for name, written in part.parts())
    if "background" not in whole.members():
        return _checked(syn.GrammarSyntax(definitions=definitions), schema, part, "a definition")
    written = whole.member("background")
    try:
        declared = parse_grammar(written.text())
    except GrammarError as error:
        written.fail(f"the background cannot be read: {error.message}")
    only = replace(declared, types=(), functions=(), definitions=definitions, blocks=(), facts=(), individual=None)
    return _checked(only, schema, written, "the background")


def _checked(syntax: syn.GrammarSyntax, schema: Schema, part: JsonPart, what: str) -> CheckedGrammar:
    copies = {name: schema.type(name).members for name in schema.names if schema.met_by(name) is not None}
    try:
        return check(syntax, any_category(schema), copies=copies)
    except GrammarError as error:
        part.fail(f"{what} cannot be used: {error.message}")


def _definition(name: str, part: JsonPart) -> syn.Definition:
    parameters, says = part.optional("parameters"), part.optional("says")
    return syn.Definition(
        name,
        part.member("type").text(),
        parsed_test(part.member("body")),
        None,
        () if parameters is None else parameters.texts(),
        says=None if says is None else says.text(),
    )
