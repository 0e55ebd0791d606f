"""Parser of the grammar language: the only module that imports lark.

The grammar is in `dsl.lark`. Nodes are built bottom up while parsing, without an intermediate lark tree. Brackets are
matched in a scan before parsing, which rejects excessive nesting and locates an unbalanced bracket better than a
parser could. `structtree.lang.mistakes` writes the error messages; `structtree.lang.check` checks names and kinds.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from itertools import chain, takewhile
from typing import Any, Literal, TypeVar

from lark import Lark, Token, Transformer, UnexpectedInput, v_args

from structtree.data.dates import DAY, UtcSeconds, moment_of
from structtree.data.readers.facts.signatures import Argument, Signature, check_signature
from structtree.data.schema import Attribute, Link
from structtree.errors import GrammarError, UsageError
from structtree.lang import syntax as syn
from structtree.lang.calls import as_calls
from structtree.lang.mistakes import Word, check_brackets, error_at, located, place_at, sentence
from structtree.lang.walk import expression_parts, peel, wrap

__all__ = ["parse_grammar", "parse_predicate"]

MAX_PATH = 20
"""Maximum number of names in a dotted path; deeper syntax could exhaust the stack."""

MAX_PARTS = 200
"""Maximum number of operands and operators in an expression."""

CYCLE_LENGTHS = range(3, 9)
"""Lengths of the cycles that can be counted."""

DEPTHS = range(1, 4)
"""Depths of neighbourhoods."""

MAX_VALUES = 100_000
"""Maximum number of values in a range, and of bins."""


def parse_grammar(text: str, source: str = "<grammar>") -> syn.GrammarSyntax:
    """Parse a grammar.

    Parameters
    ----------
    text : str
    source : str
        The file name, or another name of the text, for error messages.

    Returns
    -------
    GrammarSyntax
        Names are not resolved yet; see `structtree.lang.check.check`.

    Raises
    ------
    GrammarError
        If the text is not a grammar. The message has the location and what was expected there.

    Examples
    --------
    >>> grammar = parse_grammar("grammar tiny refine Car { top -> wheels >= * }")
    >>> grammar.name, grammar.blocks[0].rewrites[0].right
    ('tiny', Compare(attribute='wheels', op='>=', value=Star()))
    """
    parsed: syn.GrammarSyntax = _parse(text, source, "grammar")
    return parsed


def parse_predicate(text: str, source: str = "<predicate>") -> syn.Predicate:
    """Parse a single predicate.

    Examples
    --------
    >>> parse_predicate("load.shape = circle")
    Follow(link='load', inner=Compare(attribute='shape', op='=', value='circle'))
    """
    parsed: syn.Predicate = _parse(text, source, "predicate")
    return parsed


def _parse(text: str, source: str, start: Literal["grammar", "predicate"]) -> Any:
    with located(source, text):
        try:
            check_brackets(text)
            return _parser().parse(text, start=start)
        except UnexpectedInput as error:
            raise error_at(_where(error, text), _explain(error, text, start)) from None


@cache
def _parser() -> Lark:
    """Return the parser, built on first use (about 70 ms)."""
    rules = resources.files("structtree.lang").joinpath("dsl.lark").read_text(encoding="utf-8")
    return Lark(rules, parser="lalr", start=["grammar", "predicate"], transformer=_Build())


def _where(error: UnexpectedInput, text: str) -> syn.Location:
    if isinstance(getattr(error, "token", None), Token) and error.token.type == "$END":  # type: ignore[attr-defined]
        return place_at(text, len(text.rstrip()))
    return syn.Location(error.line, error.column)


def _explain(error: UnexpectedInput, text: str, start: str) -> str:
    """Return the message of a syntax error, with the expected tokens found by parsing again up to the error."""
    tokens = _tokens_before_error(text, start)
    # A second parser, because the failing token has already changed the state of the first one.
    parser = _parser().parse_interactive("", start)
    for token in tokens:
        parser.feed_token(token)
    before = [Word(token.type, str(token)) for token in tokens]
    found = getattr(error, "token", None)
    word = Word("", text[error.pos_in_stream or 0]) if found is None else Word(found.type, str(found))
    return sentence(parser.accepts(), before, word)  # type: ignore[no-untyped-call]


def _tokens_before_error(text: str, start: str) -> list[Token]:
    parser = _parser().parse_interactive(text, start)
    tokens: list[Token] = []
    with suppress(UnexpectedInput):  # the error being explained
        for token in parser.lexer_thread.lex(parser.parser_state):  # type: ignore[no-untyped-call]
            parser.feed_token(token)
            tokens.append(token)
    return tokens


@dataclass(frozen=True, slots=True)
class _Setting(syn.Located):
    """A setting that a grammar can have only once: the limits, or the type of the individuals."""

    what: Literal["individual", "limits"]
    value: Any


_IN_BACKTICKS = {'"': '\\"', "\\`": "`"}
_T = TypeVar("_T", bound=syn.Located)


@v_args(inline=True)
class _Build(Transformer[Token, Any]):
    """Builder of syntax nodes, with one method for each rule of `dsl.lark`."""

    # ---- declarations

    def grammar(self, header: tuple[str | None, str | None], *statements: Any) -> syn.GrammarSyntax:
        stated = {one.what: one for one in _unique(_Setting, statements, lambda one: one.what)}
        individual, limits = stated.get("individual"), stated.get("limits")
        definitions = _unique(syn.Definition, statements, lambda one: f"define {one.name}")
        links = _unique(syn.DerivedLink, statements, lambda one: f"link {one.name}: {one.type}")
        with_parameters = frozenset(one.name for one in definitions if one.parameters)
        return syn.GrammarSyntax(
            *header,
            types=_unique(syn.TypeDeclaration, statements, lambda one: f"type {one.name}"),
            individual=individual.value if individual else None,
            definitions=tuple(replace(one, body=as_calls(one.body, with_parameters)) for one in definitions),
            functions=_unique(syn.Function, statements, lambda one: f"function {one.name}"),
            equalities=_unique(syn.LinkEquality, statements, lambda one: f"attribute {one.name}: {one.type}"),
            neighbourhoods=_unique(syn.Neighbourhood, statements, lambda one: f"attribute {one.name}: {one.type}"),
            cycles=_unique(syn.CycleCount, statements, lambda one: f"attribute {one.name}: {one.type}"),
            computed=_unique(syn.Computed, statements, lambda one: f"attribute {one.name}: {one.type}"),
            links=tuple(replace(one, where=as_calls(one.where, with_parameters)) for one in links),
            blocks=tuple(_with_calls(s, with_parameters) for s in statements if isinstance(s, syn.RefineBlock)),
            limits=limits.value if limits else syn.GrammarLimits(),
            facts=_unique(syn.FactDeclaration, statements, lambda one: f"fact {one.signature.predicate}"),
            individual_place=individual.place if individual else None,
        )

    def header(self, *tokens: Token) -> tuple[str | None, str | None]:
        found = {token.type == "STRING": _text(token) for token in tokens}
        return found.get(False), found.get(True)

    def type(self, name: Token, *members: tuple[Token, Attribute | Link] | None) -> syn.TypeDeclaration:
        present = [member for member in members if member is not None]
        places: dict[str, syn.Location] = {}
        for token, member in present:
            if member.name in places:
                raise _error(f"type {_text(name)!r} has two members named {member.name!r}", token)
            places[member.name] = _place(token)
        attributes = tuple(member for _, member in present if isinstance(member, Attribute))
        links = tuple(member for _, member in present if isinstance(member, Link))
        return syn.TypeDeclaration(_text(name), attributes, links, places, place=_place(name))

    def member(self, name: Token, kind: Callable[[str], Attribute | Link]) -> tuple[Token, Attribute | Link]:
        return name, kind(_text(name))

    def plain(self, kind: Token) -> Callable[[str], Attribute]:
        return lambda name: Attribute(name, _word(kind))

    def many(self, collection: Token, target: Token) -> Callable[[str], Link]:
        return lambda name: Link(name, _word(collection), _text(target))

    def one(self, target: Token, question: Token | None) -> Callable[[str], Link]:
        return lambda name: Link(name, "optional" if question else "one", _text(target))

    def categories(self, *values: Token) -> Callable[[str], Attribute]:
        texts = tuple(str(_scalar(value)) for value in values)
        if len(set(texts)) != len(texts):
            twice = next(value for value, text in zip(values, texts, strict=True) if texts.count(text) > 1)
            raise _error(f"the value {str(_scalar(twice))!r} is listed twice", twice)
        return lambda name: Attribute(name, "nominal", texts)

    def levels(self, *values: Token) -> Callable[[str], Attribute]:
        return lambda name: replace(self.categories(*values)(name), kind="ordered")

    def individual(self, name: Token) -> _Setting:
        return _Setting("individual", _text(name), place=_place(name))

    def define(
        self,
        name: Token,
        parameters: tuple[str, ...] | None,
        type_name: Token,
        body: syn.Predicate,
        says: str | None,
        doc: Token | None,
    ) -> syn.Definition:
        names, words = (_text(name), _text(type_name)), doc and _text(doc)
        return syn.Definition(*names, body, words, parameters or (), says=says, place=_place(name))

    def says(self, phrase: Token) -> str:
        text = _text(phrase)
        if not text.strip() or not text.isprintable():
            raise _error('expected a phrase after \'says\', such as "a nitro group" or "is closed"', phrase)
        return text.strip()

    def parameters(self, *names: Token) -> tuple[str, ...]:
        found = tuple(map(_text, names))
        for place, name in enumerate(found):
            if name in found[:place]:
                raise _error(f"duplicate parameter {name!r}", names[place])
        return found

    def function(
        self, name: Token, type_name: Token, result: Callable[[str], Attribute | Link], doc: Token | None = None
    ) -> syn.Function:
        made, words = result(_text(name)), doc and _text(doc)
        kind, link = (None, made) if isinstance(made, Link) else (made.kind, None)
        return syn.Function(_text(name), _text(type_name), kind, words, link, place=_place(name))

    # ---- derived links and computed attributes

    def computed(
        self, name: Token, type_name: Token, value: syn.Expression, doc: Token | None = None
    ) -> syn.Computed:
        _refuse_long(value, name)
        return syn.Computed(_text(name), _text(type_name), value, doc and _text(doc), place=_place(name))

    def cycles(
        self, name: Token, type_name: Token, path: syn.DerivedPath, length: Token, doc: Token | None = None
    ) -> syn.CycleCount:
        number = _scalar(length)
        if number not in CYCLE_LENGTHS or not isinstance(number, int):
            allowed = f"a length from {CYCLE_LENGTHS[0]} to {CYCLE_LENGTHS[-1]}"
            raise _error(f"expected {allowed} for cycles, got {str(length)!r}", length)
        words = doc and _text(doc)
        return syn.CycleCount(_text(name), _text(type_name), path, number, words, place=_place(name))

    def neighbourhood(
        self,
        name: Token,
        type_name: Token,
        path: syn.DerivedPath,
        attribute: Token,
        depth: Token,
        doc: Token | None = None,
    ) -> syn.Neighbourhood:
        number = _scalar(depth)
        if number not in DEPTHS or not isinstance(number, int):
            allowed = f"a depth from {DEPTHS[0]} to {DEPTHS[-1]}"
            raise _error(f"expected {allowed} for a neighbourhood, got {str(depth)!r}", depth)
        words, place = doc and _text(doc), _place(name)
        return syn.Neighbourhood(_text(name), _text(type_name), path, _text(attribute), number, words, place=place)

    def equality(
        self, name: Token, type_name: Token, left: Token, right: Token, doc: Token | None = None
    ) -> syn.LinkEquality:
        words = doc and _text(doc)
        return syn.LinkEquality(_text(name), _text(type_name), _text(left), _text(right), words, place=_place(name))

    def link(
        self,
        name: Token,
        type_name: Token,
        leads_to: Callable[[str], Link],
        path: syn.DerivedPath,
        where: syn.Predicate | None,
        attributes: tuple[syn.Computed, ...] | None,
        order: syn.SortedBy | None,
        doc: Token | None = None,
    ) -> syn.DerivedLink:
        target: Any = leads_to(_text(name))
        return syn.DerivedLink(
            _text(name),
            _text(type_name),
            target.kind,
            target.target,
            path,
            where or syn.TOP,
            attributes or (),
            order,
            doc and _text(doc),
            place=_place(name),
        )

    def link_path(self, *steps: syn.DerivedPath) -> syn.DerivedPath:
        path = tuple(chain.from_iterable(steps))
        if len(path) > MAX_PATH:
            raise error_at(path[0].place, f"expected at most {MAX_PATH} steps in a path, got {len(path)}")
        return path

    def forwards(self, name: Token) -> syn.DerivedPath:
        return (syn.LinkStep(_text(name), place=_place(name)),)

    def backwards(self, name: Token) -> syn.DerivedPath:
        return (syn.LinkStep(_text(name), backwards=True, place=_place(name)),)

    def closure(self, path: syn.DerivedPath, sign: Token) -> syn.DerivedPath:
        is_closed = len(path) == 1 and isinstance(path[0], syn.Closure)
        return path if is_closed else (syn.Closure(path, place=_place(sign)),)

    def with_(self, *attributes: syn.Computed) -> tuple[syn.Computed, ...]:
        return _unique(syn.Computed, attributes, lambda one: one.name)

    def pair_attribute(self, name: Token, value: syn.Expression) -> syn.Computed:
        _refuse_long(value, name)
        return syn.Computed(_text(name), "", value, place=_place(name))

    def sorted(self, name: Token, descending: Token | None) -> syn.SortedBy:
        return syn.SortedBy(_text(name), descending is not None, place=_place(name))

    def operand(self, path: list[Token]) -> syn.Operand:
        return syn.Operand(_value_path(path), place=_place(path[0]))

    def my_operand(self, path: list[Token]) -> syn.Operand:
        return syn.Operand(_value_path(path), mine=True, place=_place(path[0]))

    absolute = syn.Absolute

    def smarts(self, pattern: Token) -> syn.Smarts:
        return syn.Smarts(_pattern(pattern), place=_place(pattern))

    def negative(self, _: Token, inner: syn.Expression) -> syn.Expression:
        return -inner if isinstance(inner, int | float) else syn.Negative(inner)

    def arithmetic(self, left: syn.Expression, sign: Token, right: syn.Expression) -> syn.Arithmetic:
        return syn.Arithmetic(left, _word(sign), right, place=_place(sign))

    def refine(self, name: Token, *rewrites: syn.Rewrite) -> syn.RefineBlock:
        return syn.RefineBlock(_text(name), rewrites, place=_place(name))

    def rewrite(
        self,
        left: syn.Predicate,
        arrow: Token,
        right: syn.Predicate,
        most: Token | None,
        cost: Token | None,
    ) -> syn.Rewrite:
        place = _place(arrow)
        if left == syn.Top() and right == syn.And((syn.Top(), syn.Top())):
            if cost is not None:
                raise _error("'top -> top and top' adds no test, so it cannot have a cost", cost)
            return syn.Rewrite(left, right, _whole(most, 1) if most else 0, place=place)
        if most is not None:
            raise _error("'max' is only allowed after 'top -> top and top'", most)
        return syn.Rewrite(left, right, cost=_whole(cost, 1) if cost else None, place=place)

    def limits(self, word: Token, *limits: tuple[Token, int] | None) -> _Setting:
        found: dict[str, int] = {}
        for name, number in filter(None, limits):
            if str(name) in found:
                raise _error(f"duplicate limit {str(name)!r}", name)
            found[str(name)] = number
        return _Setting("limits", syn.GrammarLimits(**found), place=_place(word))

    def limit(self, name: Token, number: Token) -> tuple[Token, int]:
        return name, _whole(number, 0)

    def fact(self, name: Token, *rest: Any) -> syn.FactDeclaration:
        *arguments, many, way = rest
        words: Any = " ".join(str(way).split()) if way else ""
        given = tuple(one for one in arguments if one is not None)
        signature = Signature(_text(name), given, many is not None, words)
        try:
            check_signature(signature)
        except UsageError as error:
            raise _error(str(error), name) from None
        return syn.FactDeclaration(signature, place=_place(name))

    def fact_argument(self, name: Token | list[Token], key: Token | None, role: Token | None) -> Argument:
        is_list = isinstance(name, list)
        text = _text(name[0] if isinstance(name, list) else name)
        return Argument(text, key is not None, role and _text(role), is_list)

    def listed_name(self, name: Token) -> list[Token]:
        return [name]

    # ---- predicates

    top = syn.Top
    not_ = syn.Not

    def or_(self, *parts: syn.Predicate) -> syn.Or:
        return syn.Or(tuple(_flat(parts, syn.Or)))

    def and_(self, *parts: syn.Predicate) -> syn.And:
        return syn.And(tuple(_flat(parts, syn.And)))

    def not_test(self, test: syn.Predicate) -> syn.Predicate:
        path, end = peel(test)
        if isinstance(end, syn.Me):
            return wrap(path, syn.Not(end))
        if not isinstance(end, syn.Flag):
            place = getattr(end, "place", None) or syn.Location(1, 1)
            raise error_at(place, "expected a flag after 'not', or a test in brackets: not (...)")
        return wrap(path, replace(end, positive=False))

    def flag(self, path: list[Token]) -> syn.Predicate:
        if path[-1].type == "NAME" and path[-1] == "me":
            return _behind(path[:-1], syn.Me(place=_place(path[-1])))
        return _test(path, syn.Flag)

    def compare(self, path: list[Token], op: Token, value: syn.Scalar | syn.ValueSource) -> syn.Predicate:
        return _test(path, syn.Compare, _word(op), value)

    def compare_own(self, path: list[Token], op: Token, other: list[Token]) -> syn.Predicate:
        shared = _n_shared(path[:-1], other[:-1])
        sides = (_value_path(side[shared:]) for side in (path, other))
        return _behind(path[:shared], syn.CompareOwn(next(sides), _word(op), next(sides), place=_place(path[-1])))

    def compare_mine(self, path: list[Token], op: Token, mine: list[Token]) -> syn.CompareMine:
        return syn.CompareMine(_value_path(path), _word(op), _value_path(mine), place=_place(path[-1]))

    def among(self, path: list[Token], *values: Token) -> syn.Predicate:
        return _test(path, syn.Among, syn.sort_scalars(map(_scalar, values)))

    def among_source(self, path: list[Token]) -> syn.Predicate:
        return _test(path, syn.Among, source=syn.Star())

    def within(self, path: list[Token], low: Token, high: Token, end: Token) -> syn.Predicate:
        return _test(path, syn.Within, _bound(low), _bound(high), end == "]")

    def within_source(self, path: list[Token], source: syn.Bins | syn.Quantiles) -> syn.Predicate:
        return _test(path, syn.Within, source=source)

    def missing(self, path: list[Token]) -> syn.Predicate:
        return _test(path, syn.Missing)

    def follow(self, link: Token, inner: syn.Predicate) -> syn.Follow:
        return syn.Follow(_text(link), inner, place=_place(link))

    def call(self, name: Token, *arguments: syn.Scalar | syn.ValueSource) -> syn.Named:
        return syn.Named(_text(name), arguments=arguments, place=_place(name))

    def step(self, step: Token, inner: syn.Predicate) -> syn.ListStep:
        return syn.ListStep(_word(step), inner, place=_place(step))

    def quantified(self, word: Token, link: Token, inner: syn.Predicate) -> syn.Predicate:
        name, place = _text(link), _place(link)
        form = syn.QUANTIFIERS.get(str(word))
        return syn.ListStep(_word(word), inner, name, place=place) if form is None else form(name, inner, place=place)

    def count(
        self, _: Token, link: Token, inner: syn.Predicate, op: Token, n: syn.Scalar | syn.ValueSource
    ) -> syn.Count:
        number: Any = n  # a string may be a parameter of a definition
        if isinstance(n, float):
            raise _error(f"expected a whole number after {str(op)!r}, got {str(n)!r}", op)
        return syn.Count(_text(link), inner, _word(op), number, place=_place(link))

    def distinct(self, _: Token, link: Token, *inners: syn.Predicate) -> syn.Distinct:
        return syn.Distinct(_text(link), inners, place=_place(link))

    def rows(self, link: Token, inner: syn.Predicate | None = None) -> tuple[Token, syn.Predicate | None]:
        return link, inner

    def date_part(self, name: Token, part: Token) -> syn.DatePart:
        return syn.DatePart(f"{_text(name)}.{_text(part)}")

    def aggregate(
        self,
        function: Token,
        rows: tuple[Token, syn.Predicate | None],
        attribute: Token | syn.DatePart,
        *order_op_value: Any,
    ) -> syn.Aggregate:
        *order, op, value = order_op_value
        by = next((_attribute(name) for name in order if name is not None), None)
        (link, inner), name = rows, _attribute(attribute)
        return syn.Aggregate(_word(function), _text(link), name, _word(op), value, inner, by, place=_place(link))

    def share(
        self, word: Token, link: Token, inner: syn.Predicate, op: Token, value: syn.Scalar | syn.ValueSource
    ) -> syn.Aggregate:
        return syn.Aggregate(_word(word), _text(link), None, _word(op), value, inner, place=_place(link))

    def path(self, *names: Token) -> list[Token]:
        if len(names) > MAX_PATH:
            raise _error(f"expected at most {MAX_PATH} names in a path, got {len(names)}", names[0])
        return list(names)

    # ---- values

    star = syn.Star

    def scalar(self, token: Token) -> Any:
        return _scalar(token)

    def star_argument(self, glob: Token) -> syn.Star:
        if glob != "*":
            raise _error(f"expected a value or '*', got '{glob}'", glob)
        return syn.Star()

    def bins(self, k: Token) -> syn.Bins:
        return syn.Bins(_whole(k, 1))

    def quantiles(self, k: Token) -> syn.Quantiles:
        return syn.Quantiles(_whole(k, 1))

    def listed(self, *values: Token) -> syn.Listed:
        return syn.Listed(tuple(map(_scalar, values)))

    def range(self, low: Token, high: Token) -> syn.Range:
        first, last = _whole(low), _whole(high)
        if first > last:
            raise _error(f"expected an increasing range; write {last}..{first}", low)
        if last - first >= MAX_VALUES:
            raise _error(f"expected at most {MAX_VALUES} values in a range", low)
        return syn.Range(first, last)


# ---- helpers --------------------------------------------------------------------------------------------


def _test(path: list[Token], form: Callable[..., syn.Test], *values: Any, **options: Any) -> syn.Predicate:
    """Return a test of the attribute at the end of a dotted path: ``load.shape = circle``."""
    *before, last = path
    return _behind(before, form(_attribute(last), *values, place=_place(last), **options))


def _behind(references: list[Token], predicate: syn.Predicate) -> syn.Predicate:
    return wrap(tuple(syn.Follow(_text(name), syn.TOP, place=_place(name)) for name in references), predicate)


def _value_path(names: list[Token]) -> tuple[str, ...]:
    *before, last = names
    return (*map(_text, before), _attribute(last))


def _n_shared(one: list[Token], other: list[Token]) -> int:
    """Return the number of leading references that two paths share."""
    pairs = zip(map(_text, one), map(_text, other), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _refuse_long(value: syn.Expression, name: Token) -> None:
    """Raise an error for an expression that is so large that recursion over it could exhaust the stack."""
    if sum(1 for _ in expression_parts(value)) > MAX_PARTS:
        raise _error(f"expected at most {MAX_PARTS} parts in an expression; name some of them with 'attribute'", name)


def _with_calls(block: syn.RefineBlock, names: frozenset[str]) -> syn.RefineBlock:
    """Return a block with references replaced by calls if their names are definitions."""
    if not names:
        return block
    rewrites = (replace(r, left=as_calls(r.left, names), right=as_calls(r.right, names)) for r in block.rewrites)
    return replace(block, rewrites=tuple(rewrites))


def _flat(parts: Iterable[syn.Predicate], kind: type[syn.And] | type[syn.Or]) -> Iterable[syn.Predicate]:
    return chain.from_iterable(part.parts if isinstance(part, kind) else (part,) for part in parts)


def _unique(kind: type[_T], statements: Iterable[Any], label: Callable[[_T], str]) -> tuple[_T, ...]:
    """Return the statements of one class; raise an error if two of them have the same label."""
    first: dict[str, _T] = {}
    for statement in (s for s in statements if isinstance(s, kind)):
        earlier = first.setdefault(label(statement), statement)
        if earlier is not statement:
            assert earlier.place is not None
            message = f"duplicate '{label(statement)}'; the first is on line {earlier.place.line}"
            raise error_at(statement.place, message)
    return tuple(first.values())


# ---- tokens ---------------------------------------------------------------------------------------------


def _place(token: Token) -> syn.Location:
    return syn.Location(token.line or 1, token.column or 1)


def _error(message: str, token: Token) -> GrammarError:
    return GrammarError(message, "", token.line, token.column)


def _text(token: Token) -> str:
    """Return the name or string that a token denotes."""
    match token.type:
        case "STRING":
            quoted = str(token)
        case "BACKTICKS":
            # Between backticks, a backtick has to be escaped, but not a double quote.
            inside = re.sub(r'\\.|"', lambda found: _IN_BACKTICKS.get(found[0], found[0]), token[1:-1])
            quoted = f'"{inside}"'
        case _:
            return str(token)
    try:
        return str(json.loads(quoted, strict=False))
    except json.JSONDecodeError:
        raise _error(f"unknown escape in {token!s}; write '\\\\' for a backslash", token) from None


def _attribute(token: Token | syn.DatePart) -> str:
    if isinstance(token, syn.DatePart):
        return token
    if token.type == "SMARTS":
        return syn.SmartsName.of(_pattern(token))
    return syn.Glob(token) if token.type == "GLOB" else _text(token)


def _pattern(token: Token) -> str:
    """Return the pattern in ``smarts("...")``."""
    start, stop = token.index('"'), token.rindex('"') + 1
    return _text(Token("STRING", token[start:stop], line=token.line, column=token.column))


def _bound(token: Token) -> float:
    """Return the value of an interval end: a date, or a number as a float."""
    value: int | float = _scalar(token)
    return value if isinstance(value, syn.Day) else float(value)


def _date(token: Token) -> syn.Day:
    try:
        seconds = moment_of(str(token))
    except ValueError:
        seconds = UtcSeconds(math.nan)
    if math.isnan(seconds):
        raise _error(f"invalid date {str(token)!r}", token)
    return syn.Instant(seconds) if ":" in token else syn.Day(seconds / DAY)


def _scalar(token: Token) -> Any:
    if token.type == "DATE":
        return _date(token)
    if token.type != "NUMBER":
        return _text(token)
    if len(token) > 300:
        raise _error(f"expected at most 300 digits in a number, got {len(token)}", token)
    return int(token) if re.fullmatch(r"[-+]?\d+", token) else float(token)


def _whole(token: Token, least: int | None = None) -> int:
    number = _scalar(token)
    if not isinstance(number, int) or (least is not None and not least <= number <= MAX_VALUES):
        span = "" if least is None else f" from {least} to {MAX_VALUES}"
        raise _error(f"expected a whole number{span}, got {str(token)!r}", token)
    return number


def _word(token: Token) -> Any:
    """Return the text of a keyword or operator."""
    return str(token)
