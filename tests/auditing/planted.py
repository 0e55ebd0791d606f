"""Random databases with and without a planted leak: four shapes of schema, eight kinds of leak."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field
from datetime import date, timedelta

import numpy as np

FIRST = date(2018, 1, 1)
DAYS = 1400


@dataclass(frozen=True)
class Shape:
    """Names of the tables and columns, and formats of keys, dates and labels."""

    region: str
    parent: str
    child: str
    task: str
    day: str
    amount: str
    kind: str
    label: str
    labels: tuple = ("no", "yes")
    has_clock: bool = False
    text_keys: bool = False


SHAPES = (
    Shape("town", "member", "visit", "renewal", "day", "cost", "sort", "renewed"),
    Shape("district", "account", "payment", "loan", "paid_on", "sum", "channel", "bad", (0, 1)),
    Shape("ward", "patient", "measurement", "admission", "taken", "level", "device", "back", has_clock=True),
    Shape("country", "customer", "purchase", "offer", "bought", "price", "shop", "taken", text_keys=True),
)


@dataclass
class World:
    """Rows of all tables, the options of an audit, and the finding it should have."""

    shape: Shape
    rng: np.random.Generator
    parents: list = field(default_factory=list)
    children: list = field(default_factory=list)
    tasks: list = field(default_factory=list)
    parent_columns: list = field(default_factory=list)
    task_columns: list = field(default_factory=list)
    extra: list = field(default_factory=list)
    as_of: bool = True
    expected: tuple = ()


def key(shape, prefix, number):
    return f"{prefix}{number:05}" if shape.text_keys else number


def moment(shape, day):
    text = (FIRST + timedelta(days=int(day))).isoformat()
    return f"{text} {int(day * 7919) % 24:02}:{int(day * 104729) % 60:02}:00" if shape.has_clock else text


def world(seed, shape, n_parents=150, n_each=3):
    """Create parents with events over four years, and tasks on random days with labels that depend on the past."""
    made = World(shape, np.random.default_rng(seed))
    rng = made.rng
    rates = rng.gamma(2.0, 0.006, n_parents)
    for i in range(n_parents):
        made.parents.append(
            {"id": i, "region": int(rng.integers(0, 12)), "size": round(float(rng.normal(50, 12)), 1)}
        )
        for day in np.sort(rng.integers(0, DAYS, rng.poisson(rates[i] * DAYS))):
            made.children.append(
                {
                    "parent": i,
                    "day": int(day),
                    "amount": round(float(rng.gamma(2, 20)), 2),
                    "kind": str(rng.choice(["web", "desk", "phone"])),
                }
            )
    for number in range(n_parents * n_each):
        parent = number % n_parents
        made.tasks.append(
            {"parent": parent, "day": int(rng.integers(200, DAYS - 100)), "asked": int(rng.integers(1, 400))}
        )
    order = rng.permutation(len(made.tasks))
    made.tasks = [made.tasks[i] for i in order]
    label_by(made, lambda task: 0.9 * (recent(made, task, 120) - 1.2) + (task["asked"] - 200) / 150)
    return made


def events_of(made, task):
    """Return the events of the parent of a task."""
    return [event for event in made.children if event["parent"] == task["parent"]]


def recent(made, task, days):
    return sum(task["day"] - days <= c["day"] < task["day"] for c in events_of(made, task))


def label_by(made, score):
    """Draw a label for each task with a probability that its score determines."""
    for task in made.tasks:
        task["label"] = int(made.rng.random() < 1 / (1 + np.exp(-score(task))))


def write(made, path):
    """Write a world as an SQLite file; return the options of its audit."""
    shape = made.shape
    number = "TEXT" if shape.text_keys else "INTEGER"
    parent_more = "".join(f", {name} {kind}" for name, kind in made.parent_columns)
    task_more = "".join(f", {name} {kind}" for name, kind in made.task_columns)
    database = sqlite3.connect(path)
    database.executescript(
        f"""
        CREATE TABLE {shape.region}({shape.region}_id {number} PRIMARY KEY, wealth REAL);
        CREATE TABLE {shape.parent}({shape.parent}_id {number} PRIMARY KEY,
            {shape.region}_id {number} REFERENCES {shape.region}({shape.region}_id), size REAL{parent_more});
        CREATE TABLE {shape.child}({shape.parent}_id {number} REFERENCES {shape.parent}({shape.parent}_id),
            {shape.day} TEXT, {shape.amount} REAL, {shape.kind} TEXT);
        CREATE TABLE {shape.task}({shape.task}_id {number} PRIMARY KEY,
            {shape.parent}_id {number} REFERENCES {shape.parent}({shape.parent}_id), day TEXT, asked INTEGER,
            {shape.label} {"INTEGER" if shape.labels == (0, 1) else "TEXT"}{task_more});
        """
    )
    rng = np.random.default_rng(5)
    database.executemany(
        f"INSERT INTO {shape.region} VALUES (?, ?)",
        [(key(shape, "r", i), round(float(rng.normal(9, 2)), 2)) for i in range(12)],
    )
    for row in made.parents:
        more = [row[name] for name, _ in made.parent_columns]
        values = [key(shape, "p", row["id"]), key(shape, "r", row["region"]), row["size"], *more]
        database.execute(f"INSERT INTO {shape.parent} VALUES ({', '.join('?' * len(values))})", values)
    for row in made.children:
        values = [key(shape, "p", row["parent"]), moment(shape, row["day"]), row["amount"], row["kind"]]
        database.execute(f"INSERT INTO {shape.child} VALUES (?, ?, ?, ?)", values)
    for place, row in enumerate(made.tasks):
        more = [row[name] for name, _ in made.task_columns]
        values = [
            key(shape, "t", row.get("id", place)),
            key(shape, "p", row["parent"]),
            moment(shape, row["day"]),
            row["asked"],
            shape.labels[row["label"]],
            *more,
        ]
        database.execute(f"INSERT INTO {shape.task} VALUES ({', '.join('?' * len(values))})", values)
    for create, insert, rows in made.extra:
        database.execute(create)
        database.executemany(insert, rows)
    database.commit()
    database.close()
    options = {"individual": shape.task}
    return options | ({"as_of": "day"} if made.as_of else {})


# ---- leaks: each changes a clean world, and says where it is to be found ---------------------------------


def future_rows(made):
    """Labels depend on the events of the next two months, and the audit has no ``--as-of``."""
    label_by(
        made, lambda task: 3.0 * sum(task["day"] <= c["day"] < task["day"] + 60 for c in events_of(made, task)) - 2.0
    )
    made.as_of, made.expected = False, ("future", made.shape.task, "day")


def future_amounts(made):
    """Labels depend on the amounts of all later events."""
    label_by(made, lambda task: sum(c["amount"] for c in events_of(made, task) if c["day"] >= task["day"]) / 60 - 4.0)
    made.as_of, made.expected = False, ("future", made.shape.task, "day")


def future_event(made):
    """Each yes adds an event of a special kind some days later."""
    for task in made.tasks:
        if task["label"]:
            made.children.append({"parent": task["parent"], "day": task["day"] + 5, "amount": 900.0, "kind": "desk"})
    made.as_of, made.expected = False, ("future", made.shape.task, "day")


def hidden_reference(made, rate=0.95):
    """Every task has a ticket; if the label is yes, it is opened afterwards."""
    _tickets(made, lambda task: bool(task["label"]) == (made.rng.random() < rate))


def hidden_negative(made):
    """Every task has a ticket; if the label is no, it is opened afterwards."""
    _tickets(made, lambda task: bool(task["label"]) != (made.rng.random() < 0.85))


def _tickets(made, is_later):
    shape = made.shape
    made.task_columns.append(("ticket_id", "INTEGER REFERENCES ticket(ticket_id)"))
    rows = []
    for place, task in enumerate(made.tasks):
        task["ticket_id"] = place
        day = task["day"] + 20 if is_later(task) else task["day"] - 20
        rows.append((place, moment(shape, day), int(made.rng.integers(1, 9))))
    made.extra.append(
        (
            "CREATE TABLE ticket(ticket_id INTEGER PRIMARY KEY, opened TEXT, queue INTEGER)",
            "INSERT INTO ticket VALUES (?, ?, ?)",
            rows,
        )
    )
    made.expected = ("hidden", "ticket", "")


def hidden_behind(made):
    """Each task has a contract with a signature; if the label is yes, it is signed afterwards."""
    shape = made.shape
    made.task_columns.append(("contract_id", "INTEGER REFERENCES contract(contract_id)"))
    contracts, signatures = [], []
    for place, task in enumerate(made.tasks):
        task["contract_id"] = place
        is_later = bool(task["label"]) == (made.rng.random() < 0.9)
        contracts.append((place, place, moment(shape, task["day"] - 30)))
        signatures.append((place, moment(shape, task["day"] + (9 if is_later else -9)), int(made.rng.integers(1, 5))))
    made.extra.append(
        (
            "CREATE TABLE signature(signature_id INTEGER PRIMARY KEY, signed TEXT, pages INTEGER)",
            "INSERT INTO signature VALUES (?, ?, ?)",
            signatures,
        )
    )
    made.extra.append(
        (
            "CREATE TABLE contract(contract_id INTEGER PRIMARY KEY, "
            "signature_id INTEGER REFERENCES signature(signature_id), drawn TEXT)",
            "INSERT INTO contract VALUES (?, ?, ?)",
            contracts,
        )
    )
    made.expected = ("hidden", "signature", "")


def alone_own(made):
    """A numeric column of the task is measured afterwards."""
    made.task_columns.append(("effort", "REAL"))
    for task in made.tasks:
        task["effort"] = round(float(made.rng.normal(100 if task["label"] else 40, 8)), 3)
    made.expected = ("alone", made.shape.task, "effort")


def alone_one_to_one(made):
    """A score with many values in another table determines the label."""
    rows = [
        (place, key(made.shape, "t", place), round(float(made.rng.normal(5 if task["label"] else 1, 0.5)), 3))
        for place, task in enumerate(made.tasks)
    ]
    _beside(made, "survey", "points REAL", rows)
    made.expected = ("alone", "survey", "points")


def alone_sum(made):
    """Fees without a date are high only for a yes."""
    rows = []
    for place, task in enumerate(made.tasks):
        for _ in range(int(made.rng.integers(1, 4))):
            rows.append(
                (
                    len(rows),
                    key(made.shape, "t", place),
                    round(float(made.rng.uniform(50, 90) if task["label"] else made.rng.uniform(1, 9)), 2),
                )
            )
    _beside(made, "fee", "charged REAL", rows)
    made.expected = ("alone", "fee", "charged")


def alone_exists(made):
    """A follow-up exists only after a yes."""
    rows = [
        (place, key(made.shape, "t", place), int(made.rng.integers(1, 50)))
        for place, task in enumerate(made.tasks)
        if task["label"]
    ]
    _beside(made, "follow_up", "room INTEGER", rows)
    made.expected = ("alone", "follow_up", None)


def alone_kind(made):
    """Log entries have no date, and one kind exists only after a yes."""
    rows = []
    for place, task in enumerate(made.tasks):
        kinds = [str(made.rng.choice(["open", "call", "mail"])) for _ in range(3)] + (
            ["closed"] if task["label"] else ["mail"]
        )
        rows += [(len(rows) + i, key(made.shape, "t", place), kind) for i, kind in enumerate(kinds)]
    _beside(made, "log", "entry TEXT", rows)
    made.expected = ("alone", "log", "entry")


def _beside(made, name, column, rows, unique=""):
    task = made.shape.task
    kind = "TEXT" if made.shape.text_keys else "INTEGER"
    reference = f"{task}_id {kind} {unique} REFERENCES {task}({task}_id)"
    create = f"CREATE TABLE {name}({name}_id INTEGER PRIMARY KEY, {reference}, {column})"
    made.extra.append((create, f"INSERT INTO {name} VALUES (?, ?, ?)", rows))


def snapshot(name, value):
    """A numeric column of the parent is from the day of the dump."""

    def plant(made):
        made.parent_columns.append((name, "REAL"))
        for row in made.parents:
            row[name] = value(made, [c for c in made.children if c["parent"] == row["id"]])
        made.expected = ("snapshot", made.shape.parent, name)

    plant.__name__ = f"snapshot_{name}"
    return plant


def copy_text(made):
    """Another table with one row per task has the label in other words."""
    rows = [
        (place, key(made.shape, "t", place), ("kept", "lost")[task["label"]]) for place, task in enumerate(made.tasks)
    ]
    _beside(made, "outcome", "result TEXT", rows, "UNIQUE")
    made.expected = ("copy", "outcome", "result")


def copy_codes(made):
    """A table that refers to tasks has the label as numbers."""
    rows = [(place, key(made.shape, "t", place), (17, 4)[task["label"]]) for place, task in enumerate(made.tasks)]
    _beside(made, "archive", "code INTEGER", rows)
    made.expected = ("copy", "archive", "code")


def copy_rows(made):
    """Another table repeats the label in several rows per task."""
    rows = []
    for place, task in enumerate(made.tasks):
        rows += [
            (len(rows) + i, key(made.shape, "t", place), ("grey", "blue")[task["label"]])
            for i in range(int(made.rng.integers(1, 4)))
        ]
    _beside(made, "label_log", "state TEXT", rows)
    made.expected = ("copy", "label_log", "state")


def copy_reference(made):
    """Each task refers to a file that has the label."""
    made.task_columns.append(("file_id", "INTEGER REFERENCES file(file_id)"))
    rows = []
    for place, task in enumerate(made.tasks):
        task["file_id"] = 7000 + place
        rows.append((7000 + place, int(made.rng.integers(1, 9)), ("A", "Z")[task["label"]]))
    made.extra.append(
        (
            "CREATE TABLE file(file_id INTEGER PRIMARY KEY, pages INTEGER, mark TEXT)",
            "INSERT INTO file VALUES (?, ?, ?)",
            rows,
        )
    )
    made.expected = ("copy", "file", "mark")


def copy_same_day(made):
    """Another task for the same parent on the same day has the same label."""
    shape = made.shape
    kind = "TEXT" if shape.text_keys else "INTEGER"
    rows = [
        (i, key(shape, "p", t["parent"]), moment(shape, t["day"]), ("n", "y")[t["label"]])
        for i, t in enumerate(made.tasks)
    ]
    reference = f"{shape.parent}_id {kind} REFERENCES {shape.parent}({shape.parent}_id)"
    create = f"CREATE TABLE twin_task(twin_id INTEGER PRIMARY KEY, {reference}, day TEXT, verdict TEXT)"
    made.extra.append((create, "INSERT INTO twin_task VALUES (?, ?, ?, ?)", rows))
    made.as_of, made.expected = False, ("copy", "twin_task", "verdict")


def twins_plain(made, share=0.06):
    """Some tasks occur twice."""
    chosen = made.rng.permutation(len(made.tasks))[: int(share * len(made.tasks))]
    made.tasks += [dict(made.tasks[i]) for i in chosen]
    made.tasks = [made.tasks[i] for i in made.rng.permutation(len(made.tasks))]
    made.expected = ("duplicates", made.shape.task, "")


def twins_split(made):
    """Tasks in the test set also occur in the training set."""
    made.task_columns.append(("split", "TEXT"))
    for task in made.tasks:
        task["split"] = "train" if made.rng.random() < 0.8 else "test"
    train = [t for t in made.tasks if t["split"] == "train"]
    made.tasks += [dict(train[i]) | {"split": "test"} for i in made.rng.permutation(len(train))[:25]]
    made.expected = ("duplicates", made.shape.task, "")


def same_entity(made):
    """The label belongs to the parent rather than the task."""
    verdicts = made.rng.integers(0, 2, len(made.parents))
    for task in made.tasks:
        task["label"] = int(verdicts[task["parent"]])
    made.expected = ("duplicates", made.shape.task, f"{made.shape.parent}_id")


def keys_by_label(made):
    """Rows were numbered after sorting them by label."""
    made.tasks.sort(key=lambda task: task["label"] + 0.3 * made.rng.random())
    made.expected = ("identifier", made.shape.task, f"{made.shape.task}_id")


def keys_in_blocks(made):
    """Rows came in batches with one label each."""
    groups = [[t for t in made.tasks if t["label"] == label] for label in (0, 1)]
    batches = [group[i : i + 15] for group in groups for i in range(0, len(group), 15)]
    made.tasks = [task for i in made.rng.permutation(len(batches)) for task in batches[i]]
    made.expected = ("identifier", made.shape.task, f"{made.shape.task}_id")


def keys_in_time(made):
    """Rows are numbered by date, and the label changes over time."""
    label_by(made, lambda task: (task["day"] - 750) / 200)
    made.tasks.sort(key=lambda task: task["day"])
    made.expected = ("identifier", made.shape.task, f"{made.shape.task}_id")


def drift_step(made):
    """After a change of policy, more labels are yes and amounts are higher."""
    for task in made.tasks:
        task["asked"] += 250 if task["day"] > 750 else 0
    label_by(made, lambda task: 1.2 if task["day"] > 750 else -1.2)
    made.expected = ("drift", made.shape.task, "day")


def drift_slow(made):
    """Labels and amounts change slowly."""
    for task in made.tasks:
        task["asked"] = int(task["asked"] * 0.5 + task["day"] / 3)
    label_by(made, lambda task: (750 - task["day"]) / 220)
    made.expected = ("drift", made.shape.task, "day")


def _count(made, events):
    return len(events)


def _total(made, events):
    return round(sum(c["amount"] for c in events), 2)


def _noisy(made, events):
    return round(10 * len(events) + float(made.rng.normal(0, 20)), 1)


LEAKS = (
    *((leak, shape) for leak in (future_rows, future_amounts) for shape in range(4)),
    (future_event, 0),
    (future_event, 1),
    *((hidden_reference, shape) for shape in range(4)),
    (hidden_negative, 1),
    (hidden_behind, 0),
    (hidden_behind, 3),
    (alone_own, 0),
    (alone_own, 2),
    (alone_one_to_one, 1),
    (alone_sum, 3),
    (alone_exists, 0),
    (alone_kind, 1),
    (alone_kind, 2),
    *((snapshot("n_events", _count), shape) for shape in range(3)),
    (snapshot("activity", _count), 3),
    (snapshot("total_paid", _total), 1),
    (snapshot("reputation", _noisy), 0),
    (snapshot("views", _noisy), 2),
    (copy_text, 0),
    (copy_text, 3),
    (copy_codes, 1),
    (copy_rows, 2),
    (copy_reference, 1),
    (copy_same_day, 0),
    (copy_same_day, 2),
    (twins_plain, 0),
    (twins_plain, 2),
    (twins_split, 1),
    (twins_split, 3),
    (same_entity, 0),
    (same_entity, 3),
    (keys_by_label, 0),
    (keys_by_label, 3),
    (keys_in_blocks, 1),
    (keys_in_time, 2),
    (drift_step, 0),
    (drift_step, 1),
    (drift_slow, 2),
    (drift_slow, 3),
)
"""Leaks with their shapes; the index of a pair is its seed."""


def leaky(place):
    """Return the world with the leak at an index."""
    leak, shape = LEAKS[place]
    made = world(1000 + place, SHAPES[shape])
    leak(made)
    return made


def clean(seed):
    """Return a world without a leak."""
    return world(seed, SHAPES[seed % len(SHAPES)])


def is_found(audit, made):
    """Return whether an audit has a finding with the kind and location of the leak."""
    kind, table, column = made.expected
    return any(f.kind == kind and f.table == table and column in (f.column, None) for f in audit.findings)


def returned(finding, database):
    """Return whether the query of a finding returns its figures."""
    if not finding.demonstration.startswith("WITH"):
        return False
    row = database.execute(finding.demonstration).fetchone()
    pairs = zip(row, finding.figures.values(), strict=True)
    return all(got is not None and abs(got - said) <= 1e-6 * max(1.0, abs(said)) for got, said in pairs)
