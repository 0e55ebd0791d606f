"""Canonical text of predicates and grammars.

Law: the text of parsed syntax parses to the same syntax. A checked `Named` is printed as its name, which parses as a
flag, or with one argument as a reference, until it is checked again. Comments are lost.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import asdict
from typing import assert_never

from structtree.data.readers.facts.signatures import Argument, Signature
from structtree.data.schema import Attribute, Link
from structtree.lang import syntax as syn
from structtree.lang.walk import peel

__all__ = [
    "pretty",
    "pretty_aggregate",
    "pretty_expression",
    "pretty_grammar",
    "pretty_link",
    "pretty_name",
    "pretty_path",
    "pretty_rewrite",
    "pretty_scalar",
]

_WORDS = """
    grammar type individual define function attribute link where with sorted by descending refine limits fact nesting
    literals pairs my me
    bool int real nominal set list of top and or in its not missing
    next previous later exists all none first last count distinct sum mean min max bins quantiles inf
    range deviation share latest earliest trend smarts
"""
RESERVED = frozenset(_WORDS.split())
"""Keywords; as names they are written in backticks, as values in quotes."""

_KINDS_TOO = ("date", "time")
"""Kinds that are quoted only where a kind is allowed."""

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_GRAMMAR_NAME = re.compile(r"[^\W\d]\w*(-\w+)*")
_WIDTH = 100
_QUANTIFIERS = {form: word for word, form in syn.QUANTIFIERS.items()}


def pretty(predicate: syn.Predicate) -> str:
    """Return the text of a predicate.

    Examples
    --------
    >>> from structtree.lang.parse import parse_predicate
    >>> pretty(parse_predicate("exists cars(load(shape=circle)and(not(long)or wheels>=3))"))
    'exists cars (load.shape = circle and (not (long) or wheels >= 3))'
    """
    match predicate:
        case syn.Top():
            return "top"
        case syn.Flag() | syn.Compare() | syn.Among() | syn.Within() | syn.Missing() | syn.Named():
            return _test(predicate, "")
        case syn.CompareOwn(attribute, op, other):
            return f"{_value_path(attribute)} {op} its {_value_path(other)}"
        case syn.CompareMine(attribute, op, mine):
            return f"{_value_path(attribute)} {op} my {_value_path(mine)}"
        case syn.Me():
            return "me"
        case syn.Follow(link, inner):
            return _dotted(predicate) or f"{pretty_name(link)} ({pretty(inner)})"
        case syn.ListStep(step, inner, link):
            return f"{step} {f'{pretty_name(link)} ' if link is not None else ''}({pretty(inner)})"
        case syn.Exists(link, inner) | syn.All(link, inner) | syn.No(link, inner):
            return f"{_QUANTIFIERS[type(predicate)]} {pretty_name(link)} ({pretty(inner)})"
        case syn.Count(link, inner, op, n):
            return f"count {pretty_name(link)} ({pretty(inner)}) {op} {_value(n)}"
        case syn.Aggregate(op=op, value=value):
            return f"{pretty_aggregate(predicate)} {op} {_value(value)}"
        case syn.Distinct(link, inners):
            return f"distinct {pretty_name(link)} ({', '.join(map(pretty, inners))})"
        case syn.And(parts):
            return " and ".join([f"({pretty(p)})" if isinstance(p, syn.Or) else pretty(p) for p in parts])
        case syn.Or(parts):
            return " or ".join(map(pretty, parts))
        case syn.Not(syn.Me()):
            return "not me"
        case syn.Not(inner):
            return f"not ({pretty(inner)})"
        case _ as never:
            syn.require_predicate(never)
            assert_never(never)


def pretty_aggregate(test: syn.Aggregate) -> str:
    """Return the text of an aggregate without its comparison.

    Examples
    --------
    >>> pretty_aggregate(syn.Aggregate("latest", "payments", "amount", ">=", 3.0, syn.Flag("late"), "date"))
    'latest payments (late).amount by date'
    """
    rows = pretty_name(test.link) + ("" if test.inner is None else f" ({pretty(test.inner)})")
    attribute = "" if test.attribute is None else f".{pretty_name(test.attribute)}"
    order = "" if test.order is None else f" by {pretty_name(test.order)}"
    return f"{test.function} {rows}{attribute}{order}"


def pretty_grammar(syntax: syn.GrammarSyntax) -> str:
    """Return the text of a whole grammar, ending in a newline unless it is empty.

    Examples
    --------
    >>> from structtree.lang.parse import parse_grammar
    >>> print(pretty_grammar(parse_grammar("grammar tiny refine Car{top->long;top->wheels>=2..4}")), end="")
    grammar tiny
    <BLANKLINE>
    refine Car {
        top -> long
        top -> wheels >= 2..4
    }
    """
    paragraphs = [
        _header(syntax),
        "\n".join(map(_type, syntax.types)),
        "\n".join(f"fact {_signature(fact.signature)}" for fact in syntax.facts),
        "" if syntax.individual is None else f"individual {pretty_name(syntax.individual)}",
        "\n".join([*map(_definition, syntax.definitions), *map(_function, syntax.functions)]),
        "\n".join([*map(_computed, syntax.all_computed), *map(pretty_link, syntax.links)]),
        *map(_block, syntax.blocks),
        _limits(syntax.limits),
    ]
    return "\n\n".join(filter(None, paragraphs)) + "\n" if any(paragraphs) else ""


def pretty_rewrite(rewrite: syn.Rewrite) -> str:
    """Return the text of one rewrite.

    Examples
    --------
    >>> pretty_rewrite(syn.Rewrite(syn.Top(), syn.And((syn.Top(), syn.Top())), conjuncts=3))
    'top -> top and top max 3'
    """
    most = f" max {rewrite.conjuncts}" if rewrite.conjuncts else ""
    cost = f" cost {rewrite.cost}" if rewrite.cost is not None else ""
    return f"{pretty(rewrite.left)} -> {pretty(rewrite.right)}{most}{cost}"


def pretty_expression(value: syn.Expression) -> str:
    """Return the text of an expression with the fewest possible brackets.

    Examples
    --------
    >>> date = syn.Operand(("date",))
    >>> pretty_expression(syn.Arithmetic(2, "*", syn.Arithmetic(syn.Operand(("date",), mine=True), "-", date)))
    '2 * (my date - date)'
    """
    match value:
        case syn.Operand(path, mine):
            return f"{'my ' if mine else ''}{_value_path(path)}"
        case syn.Negative(inner):
            return f"-{_factor(inner, ())}"
        case syn.Absolute(inner):
            return f"abs({pretty_expression(inner)})"
        case syn.Smarts(pattern):
            return syn.SmartsName.of(pattern)
        case syn.Arithmetic(left, op, right):
            one = _factor(left) if op in "*/" else pretty_expression(left)
            other = _factor(right) if op in "+-" else _factor(right, ())
            return f"{one} {op} {other}"
        case int() | float():
            return pretty_scalar(value)
        case _ as never:
            assert_never(never)


def _factor(value: syn.Expression, loose: tuple[str, ...] = ("*", "/")) -> str:
    """Return the text of an operand, in brackets if it is an arithmetic operation other than those in `loose`."""
    text = pretty_expression(value)
    return f"({text})" if isinstance(value, syn.Arithmetic) and value.op not in loose else text


def pretty_path(path: syn.DerivedPath) -> str:
    """Return the text of a derived link's path.

    Examples
    --------
    >>> pretty_path((syn.LinkStep("cars", backwards=True), syn.Closure((syn.LinkStep("edges"), syn.LinkStep("to")))))
    '~cars.(edges.to)+'
    """
    return ".".join(map(_step, path))


def _step(step: syn.LinkStep | syn.Closure) -> str:
    match step:
        case syn.LinkStep(link, backwards):
            return f"{'~' if backwards else ''}{pretty_name(link)}"
        case syn.Closure((syn.LinkStep() as single,)):
            return f"{_step(single)}+"
        case syn.Closure(path):
            return f"({pretty_path(path)})+"
        case _ as never:
            assert_never(never)


def pretty_name(name: str) -> str:
    """Return the text of a name, in backticks if needed.

    Examples
    --------
    >>> pretty_name("wheels"), pretty_name("capital-gain"), pretty_name("count")
    ('wheels', '`capital-gain`', '`count`')
    """
    if isinstance(name, syn.DatePart):
        return ".".join(map(pretty_name, name.names))
    if isinstance(name, syn.SmartsName):
        return str(name)
    if isinstance(name, syn.Glob) or (_IDENTIFIER.fullmatch(name) and name not in RESERVED):
        return str(name)
    inside = re.sub(r"\\.|`", lambda found: {'\\"': '"', "`": "\\`"}.get(found[0], found[0]), _json(name)[1:-1])
    return f"`{inside}`"


def pretty_scalar(value: syn.Scalar) -> str:
    """Return the text of a value, in quotes if needed.

    Examples
    --------
    >>> pretty_scalar("N"), pretty_scalar("22"), pretty_scalar(22), pretty_scalar(3.0)
    ('N', '"22"', '22', '3.0')
    """
    if isinstance(value, syn.OrderedCategory):
        return pretty_scalar(value.name)
    if isinstance(value, syn.Day):
        return str(value)
    if isinstance(value, str):
        return value if _IDENTIFIER.fullmatch(value) and value not in RESERVED else _json(value)
    return repr(float(value)) if isinstance(value, float) else str(int(value))


def _json(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate: escape it, so that the result can be written to a file
        return json.dumps(text)
    return json.dumps(text, ensure_ascii=False)


# ---- tests ----------------------------------------------------------------------------------------------


def _test(test: syn.Flag | syn.Compare | syn.Among | syn.Within | syn.Missing | syn.Named, path: str) -> str:
    """Return the text of a test, with a path of references (``load.``) before its attribute."""
    match test:
        case syn.Flag(attribute, positive):
            return f"{'' if positive else 'not '}{path}{pretty_name(attribute)}"
        case syn.Compare(attribute, op, value):
            return f"{path}{pretty_name(attribute)} {op} {_value(value)}"
        case syn.Among(attribute, values, source):
            return f"{path}{pretty_name(attribute)} in {_braces(values) if source is None else _value(source)}"
        case syn.Within(attribute, source=syn.Bins() | syn.Quantiles() as source):
            return f"{path}{pretty_name(attribute)} in {_value(source)}"
        case syn.Within(attribute, low, high, closed):
            return f"{path}{pretty_name(attribute)} in [{_end(low)}, {_end(high)}{']' if closed else ')'}"
        case syn.Missing(member):
            return f"missing {path}{pretty_name(member)}"
        case syn.Named(name, arguments=arguments):
            called = f"({', '.join(map(_value, arguments))})" if arguments else ""
            return f"{path}{pretty_name(name)}{called}"
        case _ as never:
            assert_never(never)


def _dotted(predicate: syn.Follow) -> str | None:
    """Return the dotted text of a test that follows references, such as ``load.shape = circle``, else None."""
    path, end = peel(predicate)
    if not all(isinstance(step, syn.Follow) for step in path) or not isinstance(
        end, syn.AttributeTest | syn.Missing | syn.Named | syn.Me
    ):
        return None
    if isinstance(end, syn.Named) and end.arguments:
        return None
    before = "".join(f"{pretty_name(step.link or '')}." for step in path)
    return f"{before}me" if isinstance(end, syn.Me) else _test(end, before)


def _value_path(path: syn.ValuePath) -> str:
    return ".".join(map(pretty_name, path))


def _value(value: syn.Scalar | syn.ValueSource) -> str:
    match value:
        case syn.Star():
            return "*"
        case syn.Bins(k):
            return f"bins({k})"
        case syn.Quantiles(k):
            return f"quantiles({k})"
        case syn.Listed(values):
            return _braces(values)
        case syn.Range(low, high):
            return f"{low}..{high}"
        case _:
            return pretty_scalar(value)


def _braces(values: Iterable[syn.Scalar]) -> str:
    return f"{{{', '.join(map(pretty_scalar, values))}}}"


def _end(number: float) -> str:
    """Return the text of an interval end, without decimals for integral numbers."""
    if isinstance(number, syn.Day):
        return str(number)
    return str(int(number)) if abs(number) < 1e15 and float(number).is_integer() else repr(float(number))


# ---- declarations ---------------------------------------------------------------------------------------


def _header(syntax: syn.GrammarSyntax) -> str:
    lines = []
    if syntax.name is not None:
        plain = _GRAMMAR_NAME.fullmatch(syntax.name)
        lines.append(f"grammar {syntax.name if plain else pretty_name(syntax.name)}")
    if syntax.doc is not None:
        lines.append(_json(syntax.doc))
    return "\n".join(lines)


def _type(declaration: syn.TypeDeclaration) -> str:
    members = [f"{pretty_name(a.name)}: {_kind(a)}" for a in declaration.attributes]
    members += [f"{pretty_name(link.name)}: {_target(link)}" for link in declaration.links]
    head = f"type {pretty_name(declaration.name)} = "
    line = f"{head}{{ {', '.join(members)} }}" if members else f"{head}{{ }}"
    if len(line) <= _WIDTH:
        return line
    return head + "{\n" + "".join(f"    {member},\n" for member in members) + "}"


def _kind(attribute: Attribute) -> str:
    match attribute.values:
        case ():
            return attribute.kind
        case (only,):
            return _json(only)  # a single bare word would be a type name
        case values:
            words = [_json(value) if value in _KINDS_TOO else pretty_scalar(value) for value in values]
            return (" < " if attribute.kind == "ordered" else " | ").join(words)


def _target(link: Link | syn.DerivedLink) -> str:
    match link.kind:
        case "set" | "list":
            return f"{link.kind} of {pretty_name(link.target)}"
        case "one" | "optional":
            name = f"`{link.target}`" if link.target in _KINDS_TOO else pretty_name(link.target)
            return f"{name}?" if link.kind == "optional" else name
        case _ as never:
            assert_never(never)


def _definition(definition: syn.Definition) -> str:
    parameters = f"({', '.join(map(pretty_name, definition.parameters))})" if definition.parameters else ""
    head = f"define {pretty_name(definition.name)}{parameters}: {pretty_name(definition.type)} = "
    says = "" if definition.says is None else f" says {_json(definition.says)}"
    return f"{head}{pretty(definition.body)}{says}{_doc(definition.doc)}"


def _signature(signature: Signature) -> str:
    words = [" many" if signature.is_many else "", f" {signature.direction}" if signature.direction else ""]
    return f"{pretty_name(signature.name)}({', '.join(map(_argument, signature.arguments))}){''.join(words)}"


def _argument(argument: Argument) -> str:
    name = pretty_name(argument.name)
    key, role = " key" if argument.is_key else "", f" -> {pretty_name(argument.role)}" if argument.role else ""
    return f"{f'[{name}]' if argument.is_list else name}{key}{role}"


def _function(function: syn.Function) -> str:
    gives = str(function.kind) if function.link is None else _target(function.link)
    head = f"function {pretty_name(function.name)}: {pretty_name(function.type)} -> {gives}"
    return f"{head}{_doc(function.doc)}"


def _computed(computed: syn.Computed | syn.CycleCount | syn.LinkEquality | syn.Neighbourhood) -> str:
    head = f"attribute {pretty_name(computed.name)}: {pretty_name(computed.type)} = "
    match computed:
        case syn.Computed(expression=expression):
            value = pretty_expression(expression)
        case syn.CycleCount(path=path, length=length):
            value = f"cycles({pretty_path(path)}, {length})"
        case syn.Neighbourhood(path=path, attribute=attribute, depth=depth):
            value = f"neighbourhood({pretty_path(path)}, {pretty_name(attribute)}, {depth})"
        case syn.LinkEquality(left=left, right=right):
            value = f"equal({pretty_name(left)}, {pretty_name(right)})"
        case _ as never:
            assert_never(never)
    return f"{head}{value}{_doc(computed.doc)}"


def pretty_link(link: syn.DerivedLink) -> str:
    """Return the text of a derived link, on several lines if it is long.

    Examples
    --------
    >>> from structtree.lang.parse import parse_grammar
    >>> pretty_link(parse_grammar("link rival:Car->set of Car=~cars.cars where not me").links[0])
    'link rival: Car -> set of Car = ~cars.cars where not me'
    """
    head = f"link {pretty_name(link.name)}: {pretty_name(link.type)} -> {_target(link)}"
    parts = [f"{head} = {pretty_path(link.path)}"]
    if link.where != syn.TOP:
        parts.append(f"where {pretty(link.where)}")
    if link.attributes:
        pairs = [f"{pretty_name(one.name)} = {pretty_expression(one.expression)}" for one in link.attributes]
        parts.append(f"with {', '.join(pairs)}")
    if link.order is not None:
        parts.append(f"sorted by {pretty_name(link.order.attribute)}{' descending' if link.order.descending else ''}")
    line = " ".join(parts)
    return (line if len(line) <= _WIDTH else "\n    ".join(parts)) + _doc(link.doc)


def _doc(doc: str | None) -> str:
    return "" if doc is None else f"\n    {_json(doc)}"


def _block(block: syn.RefineBlock) -> str:
    lines: list[str] = []
    for rewrite in block.rewrites:
        text = pretty_rewrite(rewrite)
        if lines and text.startswith("("):
            lines[-1] += ";"  # otherwise the bracket would attach to the name before it
        lines.append(text)
    return f"refine {pretty_name(block.type)} {{\n" + "".join(f"    {line}\n" for line in lines) + "}"


def _limits(limits: syn.GrammarLimits) -> str:
    present = [f"{name} {number}" for name, number in asdict(limits).items() if number is not None]
    return f"limits {{ {', '.join(present)} }}" if present else ""
