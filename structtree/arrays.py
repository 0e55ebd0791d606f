"""Array types and numeric tolerances shared by the whole search."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["EXACT", "TOLERANCE", "Codes", "Floats", "Ints", "Mask", "Words"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
Mask = NDArray[np.bool_]
Words = NDArray[np.uint64]

EXACT = 2.0**53
"""Integers up to this limit are exact as floats, so their sums are not rounded."""

TOLERANCE = 1e-12
"""Losses that differ by less than this are equal.

Rounding changes a loss by about 1e-15, and the error rates of two different splits of fewer than 10^11 individuals
differ by more. Gain ratio and square-root Gini need a larger tolerance with rounded weights; see ``docs/bounds.md``.
"""
