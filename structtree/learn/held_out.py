"""Random individuals that a model does not learn from, so that its size can be chosen on them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["held_out"]


def held_out(strata: NDArray[Any], share: float, seed: int) -> NDArray[np.bool_]:
    """Return a random sample with about that fraction of every stratum, as a mask.

    Examples
    --------
    >>> held_out(np.array([0, 0, 0, 0, 1, 1, 1, 1]), 0.25, 0).nonzero()[0].size
    2
    """
    n = len(strata)
    order = np.lexsort((np.random.default_rng(seed).permutation(n), strata))
    held = np.zeros(n, dtype=np.bool_)
    held[order] = np.diff(np.floor(np.arange(n + 1) * share + 0.5)) > 0
    return held
