"""The delays of 336,776 flights, with weather, planes and airports, from a folder of tables: a tree of depth 4.

Run as ``python benchmarks/flights.py`` (some minutes). It needs nycflights13 in ``../shared/data`` beside the
repository. README.md tells what is measured and what was seen.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import pandas as pd
from databases import print_fitted, print_flattened

from structtree import Grammar
from structtree.data.readers.databases.reading import from_database

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data" / "nycflights13"
KNOWN_LATER = ("dep_delay", "dep_time", "arr_time", "air_time")
ALONE, TOGETHER = "# One test at a time", "top -> top and top max 2  # one test at a time"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--time-limit", type=float, default=20.0, help="where two tests may be combined")
    parser.add_argument("--quick", action="store_true", help="the derived grammar only")
    given = parser.parse_args()
    if not FOLDER.exists():
        print(f"skipped: {FOLDER} is not there")
        return
    options = ("--individual", "flights", "--target", "arr_delay", "--max-depth", "4", "--no-estimate")
    without = tuple(part for name in KNOWN_LATER for part in ("--exclude", f"flights.{name}"))
    print_fitted("what is known before the flight", FOLDER, *options, *without)
    if given.quick:
        return
    print_fitted("with the delay at departure", FOLDER, *options, *without[2:])
    with tempfile.TemporaryDirectory() as folder:
        grammar = Path(folder) / "two-at-once.grammar"
        grammar.write_text(two_at_once())
        limit = ("--time-limit", str(given.time_limit))
        print_fitted("two tests at once", FOLDER, *options, *without, "--grammar", str(grammar), *limit)
    print_flattened(*flattened(), max_depth=4)


def two_at_once() -> str:
    """Return the derived grammar with conjunctions of two tests in the place of one."""
    excluded = ["flights.arr_delay", *(f"flights.{name}" for name in KNOWN_LATER)]
    flights = from_database(FOLDER, individual="flights", exclude=excluded)
    return Grammar.from_population(flights).text.replace(ALONE, TOGETHER)


def flattened() -> tuple[pd.DataFrame, pd.Series[float]]:
    """Return the tables joined by hand, categories as one column for each value."""
    flights, weather, planes, airports = (
        pd.read_csv(FOLDER / f"{name}.csv.gz") for name in ("flights", "weather", "planes", "airports")
    )
    flights = flights.dropna(subset="arr_delay").drop(columns=list(KNOWN_LATER))
    key = ["origin", "time_hour"]
    joined = flights.merge(weather.drop(columns=["year", "month", "day", "hour"]), "left", on=key)
    joined = joined.merge(planes.add_prefix("plane_"), "left", left_on="tailnum", right_on="plane_tailnum")
    joined = joined.merge(airports.add_prefix("dest_"), "left", left_on="dest", right_on="dest_faa")
    joined["time"] = pd.to_datetime(joined["time_hour"], utc=True).astype("int64")
    words = ["carrier", "origin", "plane_engine", "plane_manufacturer", "plane_type", "dest_tzone", "dest_dst"]
    columns = pd.get_dummies(joined.drop(columns="arr_delay").select_dtypes("number").join(joined[words]))
    return columns.astype("float32"), joined["arr_delay"]


if __name__ == "__main__":
    main()
