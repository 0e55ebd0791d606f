"""Small random grammars whose rewrites overlap: the same literal from ``top``, from another literal, and grown.

No data is needed: every value is declared or listed, and of every rewrite of a literal syntax shows that it
specialises.
"""

from __future__ import annotations

from itertools import combinations
from random import Random

TYPES = ("T", "U")
STEPS = ("next", "previous", "later")


def random_grammar(seed, *, calls=False, bundles=False, aggregates=False):
    """The text of the grammar with this number, if wanted with calls, with conjunctions, or with open aggregates."""
    random = Random(seed)
    names = TYPES[: random.randint(1, 2)]
    schema = {name: random_type(name, names, random) for name in names}
    lines = [declaration(name, members) for name, members in schema.items()]
    lines += [f"define {call} = {body}" for name in names for call, body, _ in definitions(name, schema)] * calls
    blocks = [random_block(name, schema, random, calls, bundles, aggregates) for name in names]
    limits = f"limits {{ {random_limits(random)} }}"
    return "\n".join([*lines, f"individual {names[0]}", *blocks, limits])


BEHIND_REFERENCES = """
type A = { r: R, o: Q?, f: bool, s: set of S }
type R = { f: bool, h: x | y, n: int, m: int, s: set of S, q: Q?, t: list of Q }
type Q = { f: bool, h: x | y, n: int, m: int, s: set of S }
type S = { n: int, k: x | y }
individual A
"""
AGGREGATES = (
    "share s (top) >= {0.5, 1}",
    "share s (top) >= 0.5",
    "max s (top).n >= {1, 2}",
    "min s (top).n <= {1, 2}",
    "range s (top).n >= {1, 2}",
    "distinct s (top).k >= {1, 2}",
    "distinct s (top).n >= 2",
)
BESIDE = {
    "A": ("f", "missing o", "exists s (top)"),
    "R": (
        "f",
        "h = *",
        "h != *",
        "n >= {1, 2}",
        "missing h",
        "n = its m",
        "count s (top) >= {1, 2}",
        "max s.n <= {1, 2}",
    ),
    "Q": ("f", "h = *", "n <= {1, 2}", "missing h", "exists s (top)", "sum s.n >= {1, 2}", "max s.n <= {1, 2}"),
}
STEPS_FROM = {"A": ("r (top)", "o (top)"), "R": ("q (top)", "exists t (top)"), "Q": ()}


def random_aggregates(seed):
    """The text of a grammar with open aggregates behind references and links."""
    random = Random(seed)
    blocks = []
    for name, steps in STEPS_FROM.items():
        rights = [*some(steps, random, 1, 2), *some(AGGREGATES, random, 1, 2), *some(BESIDE[name], random, 0, 2)]
        blocks.append((name, [*rights, *(["top and top max 2"] if random.random() < 0.7 else [])]))
    inside = some(("n >= {1, 2}", "k = *"), random, 1, 2)
    blocks.append(("S", [*inside, *(["top and top max 2"] if random.random() < 0.3 else [])]))
    lines = [f"refine {name} {{ {'; '.join(f'top -> {right}' for right in rights)} }}" for name, rights in blocks]
    limits = random.choice(["nesting {}, literals {}", "nesting {}"]).format(
        random.randint(2, 4), random.randint(3, 6)
    )
    return "\n".join([BEHIND_REFERENCES, *lines, f"limits {{ {limits} }}"])


def declaration(name, members):
    return f"type {name} = {{ {', '.join(f'{member}: {kind}' for member, kind in members.items())} }}"


def random_limits(random):
    nesting, literals = f"nesting {random.randint(1, 3)}", f"literals {random.randint(2, 3)}"
    # Without a limit of literals a space is large two links deep.
    return random.choice([f"{nesting}, {literals}", f"{nesting}, {literals}", "nesting 1", "nesting 2", literals])


def random_type(name, names, random):
    attributes = random.sample(
        [("a", "bool"), ("b", "x | y | z"), ("n", "int"), ("m", "int")], k=random.randint(1, 2)
    )
    forms = ["set of {}", "list of {}", "{}", "{}?"]
    links = [(f"l{i}", random.choice(forms).format(random.choice(names))) for i in range(1 + (random.random() < 0.3))]
    return {f"{m}{name.lower()}": kind for m, kind in [*attributes, *links]}


def random_block(name, schema, random, calls, bundles, aggregates):
    most = random.randint(0, 3)
    called = [right for _, _, asked in definitions(name, schema) for right in asked] * calls
    chosen = some([*rights(name, schema, random), *called, *called], random, 2, 5)
    chosen += some(open_aggregates(name, schema, random), random, 1, 2) if aggregates else []
    chosen += [f"{link} (top)" for link, kind, _ in links(name, schema) if aggregates and kind.rstrip("?") in schema]
    from_top = [f"top -> {right}" for right in dict.fromkeys(chosen)]
    chains = [f"{left} -> {right}" for left, right in some(specialisations(name, schema, random), random, most, most)]
    several = [f"top -> top and top max {random.randint(2, 3)}"] if random.random() < 0.6 else []
    together = random_bundles(name, schema, random) if bundles else []
    lines = [*from_top, *chains, *several, *together]
    random.shuffle(lines)
    return f"refine {name} {{ {'; '.join(lines)} }}"


def random_bundles(name, schema, random):
    """Rewrites to and from conjunctions: of ``top``, of one literal and of several."""
    found = []
    for _ in range(random.randint(1, 2)):
        right = some(rights(name, schema, random), random, 2, 3)
        right = right[:1] if random.random() < 0.1 else right
        is_open = len(right) == 1 or random.random() < 0.4
        found.append(f"top -> {' and '.join([*right, *(['top'] if is_open else [])])}")
    for _ in range(random.randint(0, 2)):
        left = some(ground_literals(name, schema), random, 1, 2)
        more = some(rights(name, schema, random), random, 1, 2)
        found.append(f"{' and '.join(left)} -> {' and '.join([*left, *more])}")
    for left, right in some(specialisations(name, schema, random), random, 0, 1):
        (beside,) = some(ground_literals(name, schema), random, 1, 1)
        kept = [beside] if random.random() < 0.5 else [beside, *some(rights(name, schema, random), random, 1, 1)]
        found.append(f"{left} and {beside} -> {' and '.join([right, *kept])}")
    return found


def ground_literals(name, schema):
    """Literals for left sides: tests, and links with nothing behind them."""
    return [*ground(name, schema), *(literal for literal in deeper(name, schema))]


def some(offered, random, least, most):
    offered = list(dict.fromkeys(offered))
    return random.sample(offered, k=min(len(offered), random.randint(least, most)))


def right_sides(name, schema):
    for member, kind in schema[name].items():
        if kind == "bool":
            yield from (member, f"not {member}", f"missing {member}")
        elif kind == "int":
            yield from (f"{member} >= 1..2", f"{member} >= 2", f"{member} <= {{0, 2}}", f"{member} in [0, 2)")
        elif "|" in kind:
            yield from (f"{member} = *", f"{member} != *", f"{member} in {{x, y}}", f"{member} = x", f"{member} in *")


def own_comparisons(name, schema):
    """Comparisons of two values of a row, of which globs make some again."""
    numbers = [member for member, kind in schema[name].items() if kind == "int"]
    for one, other in combinations(numbers, 2):
        yield from (f"{one} {op} its {other}" for op in ("=", "!=", ">=", "<="))
        yield from ("* >= its *", f"{other} = its *")


def definitions(name, schema):
    """Definitions with parameters, each with its head, its body and rewrites that call it."""
    for member, kind in schema[name].items():
        target = kind.removeprefix("set of ").removeprefix("list of ").removesuffix("?")
        if kind == "int":
            yield f"d_{member}(t): {name}", f"{member} >= t", [f"d_{member}(1..3)", f"d_{member}(2)"]
            yield f"e_{member}(s, t): {name}", f"{member} >= s and {member} <= t", [f"e_{member}({{1, 2}}, 2..3)"]
        elif "|" in kind:
            yield f"d_{member}(v): {name}", f"{member} = v", [f"d_{member}(*)", f"d_{member}(x)"]
            yield f"e_{member}(v): {name}", f"not ({member} in {{v, z}})", [f"e_{member}({{x, y}})"]
        elif target in schema:
            test = next(ground(target, schema))
            if kind.startswith(("set", "list")):
                yield f"d_{member}(n): {name}", f"count {member} ({test}) >= n", [f"d_{member}(1..2)"]


def ground(name, schema):
    """A test without a value source for each attribute of a type."""
    for member, kind in schema[name].items():
        if kind == "bool":
            yield member
        elif kind == "int":
            yield f"{member} >= 1"
        elif "|" in kind:
            yield f"{member} = x"


def links(name, schema):
    for member, kind in schema[name].items():
        target = kind.removeprefix("set of ").removeprefix("list of ").removesuffix("?")
        if target in schema:
            yield member, kind, target


def is_listed(name, schema):
    return any(kind == f"list of {name}" for members in schema.values() for kind in members.values())


def rights(name, schema, random):
    """Right sides of rewrites of ``top``."""
    found = [*right_sides(name, schema), *own_comparisons(name, schema)]
    for link, kind, target in links(name, schema):
        test, more = random.choice(list(ground(target, schema))), random.choice(list(right_sides(target, schema)))
        if kind.rstrip("?") in schema:
            found += [f"{link} (top)", f"{link} ({test} and top)", f"{link}.{test}", f"{link} ({more})"]
            found += [f"missing {link}"] if kind.endswith("?") else []
            found += [f"{link} ({inner})" for inner in deeper(target, schema)]
            continue
        found += [f"exists {link} (top)", f"exists {link} ({test})", f"exists {link} ({more} and top)"]
        found += [f"all {link} (top)", f"count {link} (top) >= 2", f"count {link} (top) >= {{1, 2}}"]
        found += [f"count {link} ({test}) >= 2", f"count {link} ({test}) <= {{0, 1}}", f"count {link} (top) <= 2"]
        found += [f"distinct {link} (top, top)", f"distinct {link} ({test}, top)", f"none {link} ({test})"]
        found += [f"distinct {link} ({test} and top, top)", f"distinct {link} ({test}, {test})"]
        found += [f"share {link} (top) >= {{0.5, 1}}", f"share {link} ({test} and top) >= 0.5"]
        found += [f"exists {link} ({inner})" for inner in deeper(target, schema)]
        if kind.startswith("list"):
            found += [f"first {link} (top)", f"last {link} ({test} and top)", f"first {link} ({test})"]
    if is_listed(name, schema):
        found += [f"{step} (top)" for step in STEPS]
        found += [f"{step} ({other} (top))" for step in STEPS for other in STEPS]
        found += [f"{step} ({test})" for step in STEPS for test in ground(name, schema)]
    return found


def open_aggregates(name, schema, random):
    """Aggregates in which something is refined."""
    for link, kind, target in links(name, schema):
        if kind.rstrip("?") in schema:
            continue
        values = random.choice(["{1, 2}", "2"])
        yield f"share {link} (top) >= {{0.5, 1}}"
        yield f"share {link} ({random.choice(list(ground(target, schema)))} and top) >= 0.5"
        for member, of in schema[target].items():
            if of == "int":
                yield from (
                    f"{function} {link} (top).{member} >= {values}" for function in ("max", "distinct", "range")
                )
                yield f"min {link} (top).{member} <= {values}"
            elif "|" in of:
                yield f"distinct {link} (top).{member} >= {values}"


def deeper(name, schema):
    """What looks one link further, open inside."""
    for link, kind, _ in links(name, schema):
        yield f"{link} (top)" if kind.rstrip("?") in schema else f"exists {link} (top)"
    if is_listed(name, schema):
        yield from (f"{step} (top)" for step in STEPS)


def specialisations(name, schema, random):
    """Rewrites of literals."""
    found = []
    for member, kind in schema[name].items():
        if kind == "int":
            found += [(f"{member} >= 1", f"{member} >= 2..3"), (f"{member} >= 2", f"{member} >= 3")]
        elif "|" in kind:
            found += [(f"{member} in {{x, y}}", f"{member} = *"), (f"{member} != z", f"{member} in {{x, y}}")]
            found += [(f"{member} in {{x, y}}", f"{member} in *")]
    numbers = sorted(member for member, kind in schema[name].items() if kind == "int")
    for one, other in combinations(numbers, 2):
        found += [(f"{one} {op} its {other}", f"{one} = its {other}") for op in (">=", "<=")]
    for link, kind, target in links(name, schema):
        test = random.choice(list(ground(target, schema)))
        if kind.rstrip("?") in schema:
            found += [(f"{link} (top)", f"{link} ({test} and top)"), (f"{link} (top)", f"{link} ({test})")]
            continue
        found += [(f"count {link} (top) >= 1", f"exists {link} (top)")]
        found += [(f"count {link} (top) >= 1", f"count {link} (top) >= 1..2")]
        some_of, two, those = f"exists {link} (top)", f"count {link} (top) >= 2", f"exists {link} ({test})"
        found += [
            (some_of, f"count {link} (top) >= 2..3"),
            (some_of, f"exists {link} ({test} and top)"),
            (some_of, those),
        ]
        found += [(some_of, f"count {link} (top) >= 1"), (those, f"count {link} ({test} and top) >= 1..2")]
        found += [(some_of, f"distinct {link} (top, top)"), (two, f"count {link} (top) >= 3")]
        found += [(two, f"distinct {link} (top, top)"), (two, f"distinct {link} ({test}, top)")]
        found += [(those, f"count {link} ({test}) >= 2"), (those, f"distinct {link} ({test}, top)")]
        found += [(those, f"count {link} ({test} and top) >= 2"), (two, f"count {link} ({test}) >= 2")]
        found += [(f"distinct {link} (top, top)", f"distinct {link} ({test}, top)")]
        if kind.startswith("list"):
            found += [(some_of, f"first {link} (top)"), (f"first {link} (top)", f"first {link} ({test})")]
    if is_listed(name, schema):
        found += [("later (top)", "next (top)"), ("later (top)", "later (later (top))")]
    return found
