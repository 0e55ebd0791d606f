"""Random database of a shop with awkward names, storage formats, keys and gaps."""

from __future__ import annotations

import sqlite3
from random import Random

from structtree.data.readers.databases.sqlite_files import sql_name

TABLES = """
CREATE TABLE town("town id" INTEGER PRIMARY KEY, "größe" REAL, "select" TEXT COLLATE NOCASE);
CREATE TABLE customer(
    id INTEGER PRIMARY KEY, born TEXT, joined TEXT, vip BOOLEAN, points TEXT, note TEXT,
    town INTEGER REFERENCES town("town id"), "friend""s" INTEGER REFERENCES customer(id));
CREATE TABLE "order"(
    customer INTEGER REFERENCES customer(id), day DATE, total REAL, pieces INTEGER, paid_at TEXT, kind TEXT,
    refunded TEXT, reason TEXT);
CREATE TABLE passport(number TEXT PRIMARY KEY, customer INTEGER UNIQUE REFERENCES customer(id), level TEXT);
CREATE TABLE club(code TEXT PRIMARY KEY, fee REAL);
CREATE TABLE member(customer INTEGER REFERENCES customer(id), club TEXT REFERENCES club(code));
CREATE TABLE season(year INTEGER, part TEXT, mild BOOLEAN, PRIMARY KEY(year, part));
CREATE TABLE visit(
    customer INTEGER REFERENCES customer(id), year INTEGER, part TEXT, minutes INTEGER,
    FOREIGN KEY(year, part) REFERENCES season(year, part));
"""


def fill(connection, random, n=14):
    """Create the tables and fill them at random."""
    connection.executescript(TABLES)

    def day(first=2018, last=2021):
        return f"{random.randint(first, last)}-{random.randint(1, 12):02}-{random.randint(1, 28):02}"

    def perhaps(value, chance=0.15):
        return None if random.random() < chance else value

    def insert(table, rows):
        for row in rows:
            connection.execute(f'INSERT INTO "{table}" VALUES ({",".join("?" * len(row))})', row)

    insert("town", [(i, perhaps(random.randint(1, 9) / 4), perhaps(random.choice("aAbB"))) for i in range(4)])
    for i in range(n):
        clock = f"{day()} {random.randint(0, 23):02}:{random.choice(['00', '30'])}:00"
        row = (
            *(perhaps(day(1950, 1972)), perhaps(clock), perhaps(random.randint(0, 1))),
            *(random.choice(["1", "2", "10", "NA", "-3.5"]), random.choice(["x", " y ", "", "it's"])),
            *(perhaps(random.choice([0, 1, 2, 3, 99])), perhaps(random.randrange(n), 0.4)),
        )
        insert("customer", [(i, *row)])
    for _ in range(3 * n):
        paid = random.choice(["2020-05-01T10:00:00", "2020-05-01 10:30", "2019-12-31", "2020-05-02 00:00:00.5"])
        row = (perhaps(random.randrange(n)), perhaps(day()), perhaps(random.randint(-8, 40) / 8))
        refund = (None, None) if random.random() < 0.6 else (f"2020-0{random.randint(1, 9)}-05", random.choice("ab"))
        rest = (random.randint(0, 3), perhaps(paid), perhaps(random.choice(["web", "Shop"])), *refund)
        insert("order", [(*row, *rest)])
    owners = random.sample(range(n), min(n, 6))
    insert("passport", [(f"P{i}", perhaps(owner), random.choice(["low", "high"])) for i, owner in enumerate(owners)])
    insert("club", [(code, random.randint(1, 8) / 2) for code in ("A", "B", "C")])
    insert("member", [(random.randrange(n), random.choice("ABCD")) for _ in range(n)])
    insert("season", [(year, part, random.randint(0, 1)) for year in (2019, 2020) for part in ("wet", "dry")])
    insert("season", [(2021, None, 1)])
    parts = ["wet", "dry", None]
    rows = (
        (random.randrange(n), random.choice([2019, 2020, 2021, None]), random.choice(parts)) for _ in range(2 * n)
    )
    insert("visit", [(*row, perhaps(random.randint(1, 90))) for row in rows])
    connection.commit()
    return connection


def shop(seed, n=14):
    """Return a connection to the database of a shop."""
    return fill(sqlite3.connect(":memory:"), Random(seed), n)


LINKS = [
    "customer.town=town.town id",
    'customer.friend"s=customer.id',
    "order.customer=customer.id",
    "passport.customer=customer.id",
    "member.customer=customer.id",
    "member.club=club.code",
    "visit.year,part=season.year,part",
    "visit.customer=customer.id",
]
"""Foreign keys of the shop, for databases that do not declare them."""


def duck_shop(connection):
    """Return a copy of a shop in DuckDB with typed columns and without declared keys."""
    import duckdb

    copy = duckdb.connect()
    for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        columns = connection.execute(f'PRAGMA table_info("{table}")').fetchall()
        kinds = {"TEXT": "VARCHAR", "REAL": "DOUBLE"}
        typed = {"joined": "TIMESTAMP", "paid_at": "TIMESTAMP", "born": "DATE", "fee": "DECIMAL(5,2)"}
        declared = [(row[1], typed.get(row[1], kinds.get(row[2], row[2]))) for row in columns]
        members = ", ".join(f"{sql_name(name)} {kind}" for name, kind in declared)
        copy.execute(f'CREATE TABLE "{table}"({members})')
        for row in connection.execute(f'SELECT * FROM "{table}"').fetchall():
            copy.execute(f'INSERT INTO "{table}" VALUES ({",".join("?" * len(row))})', row)
    return copy
