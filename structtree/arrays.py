"""Names that the whole search shares: kinds of arrays, and how near two losses may be and still be equal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["EXACT", "TOLERANCE", "Codes", "Floats", "Ints", "Mask"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
Mask = NDArray[np.bool_]

EXACT = 2.0**53
"""All whole numbers up to this one are floating-point numbers, and so they are added up without rounding."""

TOLERANCE = 1e-12
"""Two losses nearer than this count as equal.

Rounding moves a loss by about 1e-15, and the error shares of two different splits of fewer than 10^11 individuals are
further apart. Gain ratio and square-root Gini need more where sums of weights are rounded; see ``docs/bounds.md``.
"""
