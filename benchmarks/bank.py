"""A generated bank of a million transactions: a tree of depth 4 with counts and sums, from a SQLite file.

Run as ``python benchmarks/bank.py`` (some minutes), or with ``--transactions 20000`` to see whether it runs.
README.md tells what is measured and what was seen.
"""

from __future__ import annotations

import argparse
import sqlite3
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from databases import print_fitted, print_flattened
from numpy.typing import NDArray

PER_ACCOUNT = 50
NOISE = 0.05
KINDS = ("credit", "withdrawal", "transfer", "interest", "penalty")
SHARES = (0.35, 0.35, 0.2, 0.07, 0.03)
RULE = "count transactions (kind = penalty) >= 3, or sum transactions.amount <= 20000 and district.unemployment >= 6"

ONE_AT_A_TIME = """
refine account {
    top -> frequency = *; top -> opened >= *
    top -> district (top); top -> exists clients (top); top -> exists transactions (top)
    top -> count transactions (top) >= 2..4; top -> count clients (top) >= 2
    top -> sum transactions.amount >= *; top -> sum transactions.amount <= *
    top -> mean transactions.amount >= *; top -> latest transactions.balance >= *
}
refine district { top -> region = *; top -> unemployment >= *; top -> salary >= * }
refine clients { top -> born >= *; top -> gender = * }
refine transactions { top -> kind = *; top -> amount >= quantiles(100); top -> balance <= quantiles(100) }
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--transactions", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--time-limit", type=float, default=50.0, help="for the derived grammar, which combines tests"
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path, planted = bank(Path(folder), given.transactions, given.seed)
        print(f"{given.transactions:,} transactions; planted: {RULE}: right on {planted:.3f}")
        grammar = Path(folder) / "counts-and-sums.grammar"
        grammar.write_text(ONE_AT_A_TIME)
        options = ("--individual", "account", "--target", "status", "--max-depth", "4", "--criterion", "entropy")
        print_fitted("counts and sums, one at a time", path, *options, "--grammar", str(grammar), "--no-estimate")
        limit = ("--time-limit", str(given.time_limit), "--no-estimate")
        print_fitted("the derived grammar, two at once", path, *options, *limit)
        print_flattened(*flattened(path), max_depth=4)


def bank(folder: Path, n: int, seed: int = 0) -> tuple[Path, float]:
    """Write a bank with about so many transactions, and return its file and how often the planted rule is right."""
    rng = np.random.default_rng(seed)
    n_accounts = max(20, n // PER_ACCOUNT)
    districts = pd.DataFrame(
        {
            "id": np.arange(1, 78),
            "region": rng.choice(["north", "south", "east", "west"], 77),
            "unemployment": rng.uniform(0.5, 10.0, 77).round(1),
            "salary": rng.normal(9000, 800, 77).round(),
        }
    )
    accounts = pd.DataFrame(
        {
            "id": np.arange(1, n_accounts + 1),
            "district_id": rng.integers(1, 78, n_accounts),
            "frequency": rng.choice(["monthly", "weekly", "after transaction"], n_accounts, p=[0.8, 0.15, 0.05]),
            "opened": days(rng.integers(0, 1500, n_accounts)),
        }
    )
    n_clients = n_accounts + n_accounts // 5
    clients = pd.DataFrame(
        {
            "id": np.arange(1, n_clients + 1),
            "account_id": np.append(accounts["id"], rng.integers(1, n_accounts + 1, n_clients - n_accounts)),
            "born": days(-rng.integers(7000, 30_000, n_clients)),
            "gender": rng.choice(["f", "m"], n_clients),
        }
    )
    transactions = transactions_of(rng, n, n_accounts)
    risky = planted_rule(accounts, districts, transactions)
    odd = rng.random(n_accounts) < NOISE
    accounts["status"] = np.where(risky != odd, "bad", "good")
    path = folder / "bank.sqlite"
    write(path, district=districts, account=accounts, clients=clients, transactions=transactions)
    return path, 1.0 - float(odd.mean())


def transactions_of(rng: np.random.Generator, n: int, n_accounts: int) -> pd.DataFrame:
    """Amounts of an account are about its own size, so that their sums differ."""
    owner = rng.integers(1, n_accounts + 1, n)
    size = rng.lognormal(6.0, 0.6, n_accounts + 1)
    amount = (size[owner] * rng.exponential(1.0, n)).round(2)
    return pd.DataFrame(
        {
            "id": np.arange(1, n + 1),
            "account_id": owner,
            "date": days(1500 + rng.integers(0, 1000, n)),
            "kind": rng.choice(KINDS, n, p=SHARES),
            "amount": amount,
            "balance": rng.normal(20_000, 8_000, n).round(2),
        }
    )


def planted_rule(accounts: pd.DataFrame, districts: pd.DataFrame, transactions: pd.DataFrame) -> NDArray[np.bool_]:
    """Return which accounts the planted rule holds of."""
    by_account = transactions.groupby("account_id")
    penalties = (transactions["kind"] == "penalty").groupby(transactions["account_id"]).sum()
    total = by_account["amount"].sum()
    unemployment = districts.set_index("id")["unemployment"].reindex(accounts["district_id"]).to_numpy()
    many = penalties.reindex(accounts["id"], fill_value=0).to_numpy() >= 3
    small = total.reindex(accounts["id"]).to_numpy() <= 20_000
    return np.asarray(many | (small & (unemployment >= 6)))


def days(numbers: NDArray[np.int64]) -> NDArray[np.str_]:
    """Days since 1990 as text."""
    return np.datetime_as_string(np.datetime64("1990-01-01") + numbers.astype("timedelta64[D]"), unit="D")


def write(path: Path, **tables: pd.DataFrame) -> None:
    """Write tables with declared keys."""
    references = {"district_id": "district", "account_id": "account"}
    with sqlite3.connect(path) as connection:
        for name, frame in tables.items():
            keys = [f"foreign key ({c}) references {t} (id)" for c, t in references.items() if c in frame.columns]
            columns = [f"{c} {'integer primary key' if c == 'id' else kind(frame[c])}" for c in frame.columns]
            connection.execute(f"create table {name} ({', '.join([*columns, *keys])})")
            frame.to_sql(name, connection, if_exists="append", index=False)
    connection.close()


def kind(values: pd.Series[float]) -> str:
    """The type of a column in SQL."""
    return {"i": "integer", "f": "real"}.get(values.dtype.kind, "text")


def flattened(path: Path) -> tuple[pd.DataFrame, pd.Series[str]]:
    """Return what a person would compute for scikit-learn: counts, sums and means by account, joined by hand."""
    with sqlite3.connect(path) as connection:
        accounts = pd.read_sql(
            "select a.*, region, unemployment, salary from account a join district d on a.district_id = d.id",
            connection,
        )
        transactions = pd.read_sql("select account_id, kind, amount, balance from transactions", connection)
    connection.close()
    grouped = transactions.groupby("account_id")
    made = grouped.agg(n=("amount", "size"), amount_sum=("amount", "sum"), amount_mean=("amount", "mean"))
    made = made.join(pd.crosstab(transactions["account_id"], transactions["kind"]))
    joined = accounts.join(made, on="id").fillna(0)
    numbers = pd.get_dummies(joined.drop(columns=["id", "district_id", "opened", "status"]))
    return numbers, joined["status"]


if __name__ == "__main__":
    main()
