"""The hot loops, compiled by numba; nothing else in the package imports it.

Each has a plain-Python twin in the tests that it must equal: counting in ``tests/search/twins.py``, assessing in
``structtree.search.criteria``, and dividing tables in the general search itself.
"""

from structtree.search.kernels.assessing import (
    ACCURACY,
    ACCURACY_STAR,
    ENTROPY,
    GAIN_RATIO,
    GINI,
    SQRT_GINI,
    TWOING,
    assess_accuracy,
    assess_impurity,
    assess_numbers,
    class_losses,
)
from structtree.search.kernels.counting import coded_counts, ranked_counts

__all__ = [
    "ACCURACY",
    "ACCURACY_STAR",
    "ENTROPY",
    "GAIN_RATIO",
    "GINI",
    "SQRT_GINI",
    "TWOING",
    "assess_accuracy",
    "assess_impurity",
    "assess_numbers",
    "class_losses",
    "coded_counts",
    "ranked_counts",
]
