"""Nothing that happens on or after an individual's date changes what is learned about it.

Histories are drawn at random: entities with dates, dates that are overwritten, dates that are set once together with
a reason and a status, events, and lookups that everybody shares. Each is written as two databases that agree on what
happened before the individuals' dates, and differ after that: rows are inserted, deleted, and updated in place.
"""

from __future__ import annotations

import sqlite3
import warnings
from dataclasses import dataclass, field
from datetime import date, timedelta
from random import Random

import pytest

from structtree import Growth, Population, fit, open_data

FIRST = date(2020, 1, 1)
LAST = 500
"""The last day on which anything happens."""

N = 40
"""How many entities of each kind there are: enough for shares to say something."""


def iso(day, clock=False):
    text = (FIRST + timedelta(days=int(day))).isoformat()
    return f"{text} {int(day * 24) % 24:02}:00:00" if clock else text


@dataclass(frozen=True)
class Shape:
    """A random schema: which columns entities and events have, and how tables refer to each other."""

    has_last: bool
    has_closed: bool
    has_status: bool
    clock: bool
    nested: bool
    shared: bool

    @classmethod
    def drawn(cls, random):
        return cls(*(random.random() < 0.6 for _ in range(6)))


@dataclass
class Entity:
    """Something that individuals are about, the day of its task, and what happened to it."""

    created: int
    task: int
    colour: str
    events: list = field(default_factory=list)
    closed: int | None = None


def history(random, shape):
    """Entities with what happened to them before their tasks."""
    found = []
    for _ in range(N):
        created = random.randrange(0, 150)
        entity = Entity(created, created + random.randrange(20, 200), random.choice("rgb"))
        entity.events = sorted(random.randrange(created, entity.task) for _ in range(random.randrange(0, 5)))
        if shape.has_closed and random.random() < 0.15:
            entity.closed = random.randrange(created, entity.task)
        found.append(entity)
    return found


def lived_on(entities, random, shape, starts):
    """The same entities with a future that starts for each on its own day."""
    for entity, start in zip(entities, starts, strict=True):
        past = [day for day in entity.events if day < start]
        future = sorted(random.randrange(start, LAST) for _ in range(random.randrange(0, 4)))
        closed = None if entity.closed is None or entity.closed >= start else entity.closed
        if shape.has_closed and closed is None and random.random() < 0.15:
            closed = random.randrange(start, LAST)
        yield Entity(entity.created, entity.task, entity.colour, [*past, *future], closed)


def starts_of(entities, shape, lead):
    """The days on which futures start: where entities meet in shops, each sees what the others did before its own."""
    own = [entity.task - lead for entity in entities]
    return [max(own)] * len(own) if shape.shared else own


def columns(shape):
    more = ["last_seen TEXT"] * shape.has_last + ["closed TEXT, reason TEXT"] * shape.has_closed
    return ", ".join([*more, *["status TEXT"] * (shape.has_status and shape.has_closed)])


def database(entities, shape, labels, random):
    """A database of some entities, perhaps with a shop that opens after everything else."""
    connection = sqlite3.connect(":memory:")
    own = columns(shape)
    connection.executescript(
        f"""
        CREATE TABLE region(id INTEGER PRIMARY KEY, size INTEGER);
        CREATE TABLE shop(id INTEGER PRIMARY KEY, opened TEXT, region_id INTEGER REFERENCES region(id));
        CREATE TABLE user(id INTEGER PRIMARY KEY, created TEXT, colour TEXT, region_id INTEGER REFERENCES region(id)
            {"," + own if own else ""});
        CREATE TABLE visit(id INTEGER PRIMARY KEY, user_id INTEGER REFERENCES user(id),
            shop_id INTEGER REFERENCES shop(id), at TEXT, pages INTEGER, kind TEXT);
        CREATE TABLE item(visit_id INTEGER REFERENCES visit(id), price INTEGER);
        CREATE TABLE task(id INTEGER PRIMARY KEY, user_id INTEGER REFERENCES user(id), day TEXT, active TEXT);
        """
    )
    connection.executemany("INSERT INTO region VALUES (?, ?)", [(i, i * 3 % 7) for i in range(4)])
    connection.executemany("INSERT INTO shop VALUES (?, ?, ?)", [(i, iso(i), i % 4) for i in range(5)])
    if random.random() < 0.5:
        connection.execute("INSERT INTO shop VALUES (5, ?, 1)", (iso(LAST + 9),))
    n_visits = 0
    for i, entity in enumerate(entities):
        row = [i, iso(entity.created), entity.colour, i % 4 if shape.shared else None]
        if shape.has_last:
            row.append(iso(max(entity.events, default=entity.created)))
        if shape.has_closed:
            row += [None, None] if entity.closed is None else [iso(entity.closed), "xy"[entity.closed % 2]]
            row += ["closed" if entity.closed is not None else "open"] * shape.has_status
        connection.execute(f"INSERT INTO user VALUES ({','.join('?' * len(row))})", row)
        for day in entity.events:
            place = (day * 7 + i) % 5 if shape.shared else None
            text = iso(day + (day * 5 % 24) / 24, True) if shape.clock else iso(day)
            visit = (n_visits, i, place, text, day * 11 % 9, "abc"[(day + i) % 3])
            connection.execute("INSERT INTO visit VALUES (?, ?, ?, ?, ?, ?)", visit)
            if shape.nested:
                connection.executemany(
                    "INSERT INTO item VALUES (?, ?)", [(n_visits, (day + k) % 13) for k in range(day % 3)]
                )
            n_visits += 1
        connection.execute("INSERT INTO task VALUES (?, ?, ?, ?)", (i, i, iso(entity.task), labels[i]))
    connection.commit()
    return connection


READINGS = {
    "as of": {"as_of": "day"},
    "lead": {"as_of": "day", "lead": 30},
    "declared": {"as_of": "day", "dates": ["user.created", "visit.at"]},
    "undated users": {"as_of": "day", "dates": ["user"]},
}


def twins(seed, lead=0, frozen=None):
    """Two databases that agree on all that happened before the tasks, or before a day."""
    random = Random(seed)
    shape = Shape.drawn(random)
    entities = history(random, shape)
    # Something to be learned, so that trees have tests.
    labels = ["yes" if len(e.events) >= 2 and random.random() < 0.9 else random.choice("yn") for e in entities]
    starts = starts_of(entities, shape, lead) if frozen is None else [max(frozen, e.created) for e in entities]
    futures = (list(lived_on(entities, Random(2 * seed + k), shape, starts)) for k in range(2))
    return tuple(database(each, shape, labels, Random(k)) for k, each in enumerate(futures))


def read(connection, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Population.from_database(connection, individual="task", **options)


def seen(population):
    """All that individuals see, to some distance."""
    types = {
        record.name: (record.attributes, [(link.name, link.kind, link.target) for link in record.links])
        for record in population.schema.types
    }
    return types, [population.record(i, depth=3) for i in range(len(population))]


@pytest.mark.parametrize("reading", READINGS.values(), ids=READINGS)
@pytest.mark.parametrize("seed", range(12))
def test_individuals_see_the_same_whatever_happens_later(seed, reading):
    one, other = (seen(read(each, **reading)) for each in twins(seed, reading.get("lead", 0)))
    assert one[0] == other[0]
    assert one[1] == other[1]


@pytest.mark.parametrize("own", [{}, {"as_of": "day"}], ids=["frozen alone", "as of too"])
@pytest.mark.parametrize("option", ["frozen_at", "exclude_after"])
@pytest.mark.parametrize("seed", range(6))
def test_nothing_after_the_day_at_which_everything_is_frozen_is_seen(seed, option, own):
    one, other = (seen(read(each, **{option: iso(149)}, **own)) for each in twins(seed, frozen=150))
    assert one == other


@pytest.mark.parametrize("seed", range(4))
def test_trees_and_predictions_are_the_same_whatever_happens_later(seed, tmp_path):
    trees = []
    for k, connection in enumerate(twins(seed)):
        path = tmp_path / f"{k}.sqlite"
        with sqlite3.connect(path) as file:
            connection.backup(file)
        file.close()
        opened = open_data(path, individual="task", target="active", as_of="day")
        growth = Growth(max_depth=2, max_evaluations=20_000)
        model = fit(opened.population, opened.target, growth=growth)
        trees.append((str(model.tree), model.predict(opened.population).tolist()))
    assert trees[0] == trees[1]


def differs(reading, seeds=range(12)):
    return [seed for seed in seeds if len({repr(seen(read(each, **reading))) for each in twins(seed)}) > 1]


@pytest.mark.parametrize(
    "leak",
    [
        pytest.param({"as_of": "day", "set_once": ["user.last_seen"]}, id="a date that is overwritten"),
        pytest.param({"as_of": "day", "dates": ["visit"]}, id="events that nothing dates"),
        pytest.param({"as_of": "day", "dates": ["user.last_seen"]}, id="rows dated by their last update"),
        pytest.param({}, id="no date at all"),
    ],
)
def test_a_planted_leak_is_caught(leak):
    """The positive control: what the laws above compare does differ when the future is let in."""
    seeds = [seed for seed in range(12) if Shape.drawn(Random(seed)).has_last]
    assert differs(leak, seeds)
