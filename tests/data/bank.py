"""A small bank as a database, for tests: districts, accounts, loans, cards, clients who share accounts."""

from __future__ import annotations

import sqlite3

TABLES = """
CREATE TABLE district(district_id INTEGER PRIMARY KEY, region TEXT, people INTEGER);
CREATE TABLE account(account_id INTEGER PRIMARY KEY, district_id INTEGER REFERENCES district, opened TEXT);
CREATE TABLE client(client_id INTEGER PRIMARY KEY, born DATE, introduced_by INTEGER REFERENCES client(client_id));
CREATE TABLE disposition(
    client_id INTEGER REFERENCES client(client_id), account_id INTEGER REFERENCES account(account_id));
CREATE TABLE loan(
    loan_id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES account(account_id),
    amount REAL, status TEXT, note TEXT);
CREATE TABLE card(card_id INTEGER PRIMARY KEY, loan_id INTEGER UNIQUE REFERENCES loan(loan_id), kind TEXT);
CREATE VIEW rich AS SELECT * FROM loan WHERE amount > 100;
"""

ROWS = {
    "district": [(1, "north", 1000), (2, "south", 500)],
    "account": [(10, 1, "1993-01-05"), (11, 2, "1995-07-01"), (12, None, "1996-02-29"), (13, 7, "1997-01-01")],
    "client": [(1, "1950-05-01", None), (2, "1960-06-02", 1), (3, "1970-07-03", 1)],
    "disposition": [(1, 10), (2, 10), (2, 11), (3, 12)],
    "loan": [(100, 10, 50.5, "A", "first"), (101, 10, 200.0, "B", "second"), (102, 11, 80.0, "A", "third")],
    "card": [(1, 101, "gold"), (2, None, "plain")],
}


def fill(connection):
    """Make the tables of the bank."""
    connection.executescript(TABLES)
    for name, rows in ROWS.items():
        connection.executemany(f"INSERT INTO {name} VALUES ({','.join('?' * len(rows[0]))})", rows)
    connection.commit()


def write_bank(path):
    """Write the bank as an SQLite file."""
    connection = sqlite3.connect(path)
    fill(connection)
    connection.close()
    return path


def write_large_bank(path, n=60):
    """Write a bank with a known rule: a loan is bad if its account has a payment of more than 900."""
    connection = sqlite3.connect(path)
    connection.executescript(
        """
        CREATE TABLE account(id INTEGER PRIMARY KEY, town TEXT);
        CREATE TABLE payment(account_id INTEGER REFERENCES account(id), paid INTEGER, day DATE);
        CREATE TABLE loan(
            id INTEGER PRIMARY KEY, account_id INTEGER REFERENCES account(id), years INTEGER, status TEXT);
        """
    )
    for i in range(n):
        large = i % 3 == 0
        connection.execute("INSERT INTO account VALUES (?, ?)", (i, ("Bern", "Rome")[i % 2]))
        paid = [100 * (1 + i % 3), 950 if large else 800, 450]
        rows = [(i, paid[(place + i // 3) % 3], f"2020-01-{place + 1:02}") for place in range(3)]
        connection.executemany("INSERT INTO payment VALUES (?, ?, ?)", rows)
        row = (1000 + i, i, 1 + i % 4, "bad" if large else "good")
        connection.execute("INSERT INTO loan VALUES (?, ?, ?, ?)", row)
    connection.commit()
    connection.close()
    return path
