"""Trees as JSON: the statistics of each node, and its test in the grammar language.

Tests are checked against the schema when a tree is loaded.
"""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any, get_args

from structtree.data.json_parts import JsonPart, json_number
from structtree.errors import DataError, StructtreeError, UnknownNameError
from structtree.lang import syntax as syn
from structtree.lang.pretty import pretty
from structtree.models.files.test_reader import TestReader
from structtree.models.settings import Decision, Estimate
from structtree.models.tree import (
    Branch,
    Dearer,
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
from structtree.search.results import TracePoint
from structtree.tasks.registry import as_task
from structtree.tasks.task import Task

__all__ = ["decision_from_json", "task_from_json", "tree_from_json", "tree_to_json"]


def tree_to_json(tree: Tree) -> dict[str, Any]:
    """Return a tree as plain JSON values, without its schema."""
    return {
        "task": tree.task.name,
        "classes": [],
        **tree.task.to_json(),
        "missing": tree.missing,
        **({"lightest": tree.lightest} if tree.lightest != 1.0 else {}),
        "nodes": [_node_to_json(node, tree.task) for node in tree.nodes],
    }


def tree_from_json(part: JsonPart, reader: TestReader) -> Tree:
    """Restore a tree from the output of `tree_to_json`."""
    task = task_from_json(part)
    missing = part.member("missing").one_of(get_args(MissingRule), "false, majority or fractional")
    nodes = tuple(_node(node, reader, task, missing) for node in part.member("nodes").elements())
    _require_reading_order(nodes, part.member("nodes"))
    return Tree(nodes, reader.schema, task.classes, missing, _lightest(part), task)


def _lightest(tree: JsonPart) -> float:
    """Return the smallest positive training weight; 1 for unweighted data and older files."""
    part = tree.optional("lightest")
    return 1.0 if part is None else part.weight() or part.expected("a number > 0")


def task_from_json(part: JsonPart) -> Task:
    """Read the task of a predictor."""
    name = part.member("task")
    try:
        return as_task(name.text()).from_json(part)
    except UnknownNameError as error:
        name.fail(f"{error}; register the task with structtree.register_task before the model is loaded")


def _node_to_json(node: Node, task: Task) -> dict[str, Any]:
    seen = task.summary_to_json(node.stats)
    if isinstance(node, Leaf):
        reason = {"stopped_by": node.stopped_by} if node.stopped_by else {}
        return {**seen, "gap": json_number(node.gap), **reason} if node.gap else seen
    names = (each.name for each in fields(node.found) if each.name not in ("trace", "dearer"))
    items = ((name, getattr(node.found, name)) for name in names)
    found = {
        key: json_number(value) if isinstance(value, float) else value for key, value in items if value is not None
    }
    if node.found.trace:
        found["trace"] = [[point.evaluated, *map(json_number, point[1:])] for point in node.found.trace]
    if node.found.dearer is not None:
        found["dearer"] = asdict(node.found.dearer)
    shares = {"shares": [float(share) for share in node.shares]} if node.shares else {}
    match node:
        case Branch(test, yes, no):
            tests: dict[str, Any] = {"test": pretty(test), "yes": yes, "no": no}
        case MultiwayBranch(attribute, values, children):
            tests = {"switch": attribute, "values": list(values), "children": list(children)}
    return {**tests, **shares, **seen, "found": found}


def decision_from_json(part: JsonPart, n_classes: int) -> Decision:
    """Read the decision options of the leaves."""
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
        costs.fail(f"expected {n_classes} rows, one per class, got {len(rows)}")
    return decision


def _node(part: JsonPart, reader: TestReader, task: Task, missing: MissingRule) -> Node:
    stats, members = task.summary_from_json(part), part.members()
    if "switch" in members:
        return _multiway_branch(part, reader, stats)
    if "test" not in members:
        return Leaf(stats, part.member("gap").number_or_infinity() if "gap" in members else 0.0, _reason(part))
    yes, no = part.member("yes").whole(), part.member("no").whole()
    shares = () if missing == "false" else _shares(part.member("shares"), 2)
    test = reader.test(part.member("test"))
    return Branch(test, yes, no, stats, _found(part.member("found")), shares)


def _multiway_branch(part: JsonPart, reader: TestReader, stats: Stats) -> MultiwayBranch:
    values = tuple(value.text() for value in part.member("values").elements())
    children = tuple(child.whole() for child in part.member("children").elements())
    if len(set(values)) < len(values) or len(values) < 2:
        part.member("values").expected("two or more different values")
    if len(children) != len(values):
        part.member("children").fail(f"expected {len(values)} nodes, one per value, got {len(children)}")
    attribute, shares = part.member("switch"), _shares(part.member("shares"), len(values))
    reader.checked(syn.Compare(attribute.text(), "=", values[0]), attribute)
    return MultiwayBranch(attribute.text(), values, children, stats, _found(part.member("found")), shares)


def _shares(part: JsonPart, n: int) -> tuple[float, ...]:
    shares = tuple(share.weight() for share in part.elements())
    if len(shares) != n:
        part.fail(f"expected {n} numbers, one per branch, got {len(shares)}")
    return shares


def _found(part: JsonPart) -> Found:
    return Found(
        part.member("criterion").text(),
        part.member("score").number_or_infinity(),
        part.member("gain").number_or_infinity(),
        part.member("proved").flag(),
        part.member("gap").number_or_infinity(),
        part.member("evaluated").whole(),
        part.member("seconds").weight(),
        _reason(part),
        None if (pruned := part.optional("pruned")) is None else pruned.whole(),
        () if (trace := part.optional("trace")) is None else tuple(map(_trace_point, trace.elements())),
        None if (dearer := part.optional("dearer")) is None else _dearer(dearer),
    )


def _dearer(part: JsonPart) -> Dearer:
    """Read the better test that lost because of its cost."""
    costs = part.member("cost").whole(), part.member("chosen_cost").whole()
    return Dearer(part.member("test").text(), part.member("given_up").number(), *costs)


def _trace_point(part: JsonPart) -> TracePoint:
    """Read one point of a search trace: evaluated tests, seconds, score and bound."""
    parts = part.elements()
    if len(parts) != len(TracePoint._fields):
        part.expected(f"the {len(TracePoint._fields)} numbers {', '.join(TracePoint._fields)}")
    evaluated, seconds, *figures = parts
    return TracePoint(evaluated.whole(), seconds.weight(), *(figure.number_or_infinity() for figure in figures))


def _reason(part: JsonPart) -> Unproved | None:
    """Read the reason why a search ended early; None for older files."""
    known, reason = get_args(Unproved), part.optional("stopped_by")
    return None if reason is None else reason.one_of(known, f"one of {', '.join(known)}")


def _require_reading_order(nodes: tuple[Node, ...], part: JsonPart) -> None:
    """Check that every node occurs once, after its parent, and that children are in order."""
    expected = [0]
    for index, node in enumerate(nodes):
        if not expected or expected.pop() != index:
            raise DataError(
                "this node is out of order: each node must follow its parent, in reading order",
                path=f"{part.path}[{index}]",
            )
        expected += reversed(node.children)
    if expected:
        part.fail(f"node {expected[-1]} is missing")
