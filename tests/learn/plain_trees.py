"""Random trees over a plain table, with switches and a rule for missing values, and the plainest way down them.

Individuals have a color (one of them, purple, is a category that training has not seen), a shape, a size and a flag;
any of them may be missing.
"""

from __future__ import annotations

from hypothesis import strategies as st

from structtree.data.population import Population
from structtree.data.schema import Attribute, RecordType, Schema
from structtree.lang import syntax as syn
from structtree.lang.parse import parse_predicate
from structtree.models.tree import Branch, ClassCounts, Found, Leaf, MultiwayBranch, Tree
from tests.learn.asking_trees import CLASSES, class_leaves, number_leaves, together

FOUND = Found("gini", 0.5, 0.1, True, 0.0, 1, 0.0)
CATEGORIES = {"color": ("blue", "green", "red"), "shape": ("red", "round", "square")}
DATA = Schema(
    (
        RecordType(
            "Thing",
            (
                Attribute("color", "nominal"),
                Attribute("shape", "nominal"),
                Attribute("size", "int"),
                Attribute("old", "bool"),
            ),
        ),
    ),
    "Thing",
)
SEEN = Schema(
    (
        RecordType(
            "Thing",
            tuple(Attribute(a.name, a.kind, CATEGORIES.get(a.name, ())) for a in DATA.type("Thing").attributes),
        ),
    ),
    "Thing",
)
TESTS = [
    *("size >= 2", "size <= 1", "size in [1, 3)", "old", "not old", "missing size", "missing color"),
    *("color = red", "color != red", "color in {blue, red}", "shape = round", "not (color = blue)"),
    *("color = its shape", "shape != its color", "not (color = its shape) and old"),
    *("size >= 1 and old", "color = red or size >= 3", "not (old or color != green)"),
]
SHARES = [(0.5, 0.5), (0.25, 0.75), (0.875, 0.125)]

records = st.fixed_dictionaries(
    {
        "color": st.sampled_from(["blue", "green", "red", "purple", None]),
        "shape": st.sampled_from(["red", "round", "square", None]),
        "size": st.sampled_from([0, 1, 2, 3, None]),
        "old": st.sampled_from([True, False, None]),
    }
)
complete_records = st.fixed_dictionaries(
    {
        "color": st.sampled_from(["blue", "green", "red"]),
        "shape": st.sampled_from(["red", "round", "square"]),
        "size": st.sampled_from([0, 1, 2, 3]),
        "old": st.booleans(),
    }
)
rules = st.sampled_from(["false", "majority", "fractional"])


def things(rows):
    return Population.from_records(rows, DATA)


@st.composite
def asked(draw):
    place = draw(st.integers(0, len(TESTS) - 1))
    test = parse_predicate(TESTS[place])
    return syn.Named(f"defined{place}", test) if draw(st.integers(0, 9)) == 0 else test


@st.composite
def forks(draw, inner):
    """A branch as (test, shares, yes, no), or a switch as (attribute, values, shares, side, side...)."""
    if draw(st.booleans()):
        return (draw(asked()), draw(st.sampled_from(SHARES)), draw(inner), draw(inner))
    attribute = draw(st.sampled_from(sorted(CATEGORIES)))
    values = draw(st.lists(st.sampled_from(CATEGORIES[attribute]), min_size=2, unique=True))
    weights = draw(st.lists(st.integers(1, 4), min_size=len(values), max_size=len(values)))
    shares = tuple(weight / sum(weights) for weight in weights)
    return (attribute, tuple(sorted(values)), shares, *(draw(inner) for _ in values))


@st.composite
def plain_trees(draw, rule=rules, leaves=class_leaves, max_leaves=8):
    """A tree over such things."""
    missing = draw(rule) if isinstance(rule, st.SearchStrategy) else rule
    sketch = draw(st.recursive(leaves, forks, max_leaves=max_leaves))
    nodes = tuple(nodes_of(sketch, 0, missing))
    return Tree(nodes, SEEN, CLASSES if isinstance(nodes[0].stats, ClassCounts) else (), missing)


any_trees = st.one_of(plain_trees(), plain_trees(leaves=number_leaves))


def nodes_of(sketch, place, missing="false"):
    if not isinstance(sketch, tuple):
        return [Leaf(sketch)]
    is_switch = isinstance(sketch[0], str)
    below, children = [], []
    for side in sketch[3 if is_switch else 2 :]:
        children.append(place + 1 + len(below))
        below += nodes_of(side, children[-1], missing)
    stats = below[0].stats
    for child in children[1:]:
        stats = together(stats, below[child - place - 1].stats)
    if is_switch:
        return [MultiwayBranch(sketch[0], sketch[1], tuple(children), stats, FOUND, sketch[2]), *below]
    return [Branch(sketch[0], *children, stats, FOUND, () if missing == "false" else sketch[1]), *below]


# ---- the plainest way down --------------------------------------------------------------------------------


def answer(test, record):
    """Whether a test holds of a record: True, False, or None when that depends on what nobody knows."""
    match test:
        case syn.Top():
            return True
        case syn.Missing(name):
            return record[name] is None
        case syn.Not(inner):
            known = answer(inner, record)
            return None if known is None else not known
        case syn.And(parts):
            known = [answer(part, record) for part in parts]
            return False if False in known else None if None in known else True
        case syn.Or(parts):
            known = [answer(part, record) for part in parts]
            return True if True in known else None if None in known else False
        case syn.Named(_, body):
            return answer(body, record)
        case syn.CompareOwn((name,), op, (other,)):
            pair = record[name], record[other]
            return None if None in pair else (pair[0] == pair[1]) == (op == "=")
    value = record[test.attribute]
    if value is None or (test.attribute in CATEGORIES and value not in CATEGORIES[test.attribute]):
        return None
    match test:
        case syn.Flag(_, positive):
            return value == positive
        case syn.Compare(_, "=", other):
            return value == other
        case syn.Compare(_, "!=", other):
            return value != other
        case syn.Compare(_, ">=", other):
            return value >= other
        case syn.Compare(_, "<=", other):
            return value <= other
        case syn.Among(_, values):
            return value in values
        case syn.Within(_, low, high, closed):
            return low <= value < high or (closed and value == high)


def falsely(test, record):
    """Whether a test holds of a record when no test of a missing value does."""
    match test:
        case syn.Not(inner):
            return not falsely(inner, record)
        case syn.And(parts):
            return all(falsely(part, record) for part in parts)
        case syn.Or(parts):
            return any(falsely(part, record) for part in parts)
        case syn.Named(_, body):
            return falsely(body, record)
        case syn.Compare(name, "!=", value):
            return record[name] is not None and record[name] != value
        case _:
            return answer(test, record) is True


def ways_down(tree, record, node=0, weight=1.0):
    """The leaves of a record, and how much of it is in each, by plain recursion."""
    here = tree.nodes[node]
    match here:
        case Leaf():
            return {node: weight}
        case Branch(test, yes, no):
            known = falsely(test, record) if tree.missing == "false" else answer(test, record)
            side = {True: yes, False: no, None: None}[known]
        case MultiwayBranch(attribute, values, children):
            side = dict(zip(values, children, strict=True)).get(record[attribute])
    if side is not None:
        return ways_down(tree, record, side, weight)
    if tree.missing == "fractional":
        found = {}
        for child, share in zip(here.children, here.shares, strict=True):
            found |= ways_down(tree, record, child, weight * share)
        return found
    most = max(range(len(here.shares)), key=lambda place: (here.shares[place], -place))
    return ways_down(tree, record, here.children[most], weight)
