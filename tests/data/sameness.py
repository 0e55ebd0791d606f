"""When two populations are the same: row by row in order, or up to the order of sets and of rows."""

from __future__ import annotations

from hashlib import blake2b


def same_population(a, b):
    """Whether the individuals are equal one by one, with a one-to-one match of all rows they lead to.

    The match is kept for the whole population, so a row that is shared in one must be shared in the other. Sets are
    compared in order too: readers and writers keep it.
    """
    if a.schema != b.schema or len(a) != len(b):
        return False
    there, back = {}, {}
    todo = [(a.schema.individual, int(i), int(j)) for i, j in zip(a.individuals, b.individuals, strict=True)]
    while todo:
        name, i, j = todo.pop()
        if (name, i) in there or (name, j) in back:
            if there.get((name, i)) != j or back.get((name, j)) != i:
                return False
            continue
        there[name, i], back[name, j] = j, i
        if values(a, name, i) != values(b, name, j):
            return False
        for link in a.schema.type(name).links:
            mine, yours = targets(a, name, link, i), targets(b, name, link, j)
            if len(mine) != len(yours):
                return False
            todo += [(link.target, x, y) for x, y in zip(mine, yours, strict=True)]
    return True


def values(population, name, row):
    return {key: column.value(row) for key, column in population.tables[name].columns.items()}


def targets(population, name, link, row):
    return population.tables[name].links[link.name].of(row).tolist()


def canonical(population, rounds=6):
    """A name for each individual that no renumbering of rows and no order of sets or members can change.

    Every row starts with its values, and then takes in, again and again, the names of the rows it leads to, those of
    a set sorted.
    """
    names = {
        t.name: [
            digest(sorted(values(population, t.name, row).items())) for row in range(population.tables[t.name].n_rows)
        ]
        for t in population.schema.types
    }
    for _ in range(rounds):
        names = {
            t.name: [digest(around(population, t, row, names)) for row in range(len(names[t.name]))]
            for t in population.schema.types
        }
    return [names[population.schema.individual][row] for row in population.individuals]


def around(population, record, row, names):
    found = [
        (link.name, [names[link.target][r] for r in targets(population, record.name, link, row)], link.kind)
        for link in record.links
    ]
    return names[record.name][row], sorted((key, sorted(n) if kind == "set" else n) for key, n, kind in found)


def digest(value):
    return blake2b(repr(value).encode(), digest_size=8).hexdigest()
