"""Seeded loans with the payments before them: dates, times, ordered categories, and values that are missing."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np

from structtree import Population

LEVELS = "low<medium<high"
BEGIN = datetime(2023, 1, 1)


def loans(n, seed, payments=(0, 8), missing=0.0):
    """Loans, each with payments before it and some after it, in their order; a share of all values is missing."""
    rng = np.random.default_rng(seed)

    def some(value):
        return None if rng.random() < missing else value

    def moment(granted):
        return granted - timedelta(minutes=int(rng.integers(-50 * 24 * 60, 250 * 24 * 60)))

    def payment(when):
        return {
            "date": some(when.date()),
            "booked": some(when + timedelta(minutes=int(rng.integers(-800, 800)))),
            "amount": some(float(np.round(rng.exponential(80.0), 2))),
            "late": some(bool(rng.random() < 0.6)),
            "way": some(str(rng.choice(["cash", "card", "low"]))),
        }

    def loan():
        granted = BEGIN + timedelta(days=int(rng.integers(0, 365)))
        paid = sorted(moment(granted) for _ in range(rng.integers(payments[0], payments[1] + 1)))
        return {
            "date": some(granted.date()),
            "asked": some(moment(granted)),
            "amount": some(int(rng.integers(1, 40)) * 10),
            "risk": some(str(rng.choice(LEVELS.split("<")))),
            "wish": some(str(rng.choice(LEVELS.split("<")))),
            "kind": some(str(rng.choice(["high", "low", "house"]))),
            "payments": [payment(when) for when in paid],
        }

    return Population.from_records([loan() for _ in range(n)], types={"risk": LEVELS, "wish": LEVELS})
