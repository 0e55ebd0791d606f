"""The options of growing a tree: when to stop, and how to search."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal

from structtree.errors import UsageError
from structtree.learn.tree import MissingRule
from structtree.search.best_split import Strategy

__all__ = ["Growth", "Stop"]

Stop = Literal["test", "mdl"]


@dataclass(frozen=True, slots=True)
class Growth:
    """How a tree is grown: when to stop, and how to search.

    Parameters
    ----------
    max_depth : int, optional
        The most tests on the way to a leaf.
    min_samples_split : int
        A node of fewer individuals is a leaf.
    min_samples_leaf : int
        The fewest individuals on either side of a split.
    min_impurity_decrease : float
        The least by which a split must lower the impurity of the whole tree: the weight of the node over that of all
        individuals, times how much less the criterion's loss is with the split than without. For accuracy and acc*
        the loss is the share of errors, so that anything above 0 makes acc* stop where accuracy does.
    max_leaf_nodes : int, optional
        Grow this many leaves at most, dividing first where the impurity of the whole tree is lowered most; for acc*
        where most errors are saved, and among equals most entropy; of equals the one that came first.
    stop : {"test", "mdl"}, optional
        ``"test"``: a split must be significant (χ² for classes, F for numbers); ``"mdl"``: it must save more bits
        than its description takes. See `structtree.learn.stop`.
    significance : float
        The level for ``stop="test"``: the greatest p-value of a split that is taken.
    share : {"path"}, optional
        ``"path"``: on the yes side of a branch the refinements of its test are searched as well.
    prune : bool
        Whether the search uses bounds; the tree is the same without, and takes longer.
    strategy : {"auto", "bottom-up", "best-first", "exhaustive", "beam"}
        ``"bottom-up"``: every test is made once for the whole tree, from the inside out, one for each meaning; see
        `structtree.search.bottom_up`. The others search anew at each node; see `structtree.search.best_split`.
        ``"auto"`` goes bottom-up where the grammar suits and there are not too many tests, else best-first. Where
        tests are made once, bins, quantiles and the values of ``!= *`` are those of all training individuals; where
        each node is searched they are those of the node. Thresholds by ``>= *`` and values by ``= *`` and ``in *``
        are those of the node either way.
    max_evaluations : int, optional
        The most predicates to evaluate at one node.
    time_limit : float, optional
        Seconds for the whole tree. A node and all below it get a share of what is left by their number of individuals
        among all that are in no leaf yet. Every level there gets an equal part of it, but the node itself at least a
        third: the first tests matter most. When the time is over the nodes still waiting become leaves.
    random_state : int
        Seeds the search; the tree does not depend on it.
    nominal : {"binary", "subset", "multiway"}
        For plain tables: whether ``a = *`` tells one value from the others; or some values from the others, as
        ``a in *`` does; or makes a `Switch` with a side for each value that occurs at the node, as in ID3 and C4.5.
        Two of the sides must then have ``min_samples_leaf``.
    missing : {"false", "majority", "fractional"}
        For plain tables: what becomes of those who lack the value that is asked about, in training and afterwards.
        No test holds of them; they go where most go; or they go to all sides, in parts (C4.5). By the last two, what
        a test gains counts in proportion to the weight of those who have a value.
    average_gain_filter : bool
        For plain tables, with ``"gain-ratio"``: of each attribute the split with the most information gain stands for
        it, and only those with at least average gain are compared by gain ratio (C4.5).

    Examples
    --------
    >>> Growth(max_depth=0)
    Traceback (most recent call last):
        ...
    structtree.errors.UsageError: max_depth must be an int >= 1 or None; got 0
    """

    max_depth: int | None = None
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_impurity_decrease: float = 0.0
    max_leaf_nodes: int | None = None
    stop: Stop | None = None
    significance: float = 0.05
    share: Literal["path"] | None = None
    prune: bool = True
    strategy: Strategy | Literal["auto", "bottom-up"] = "auto"
    max_evaluations: int | None = None
    time_limit: float | None = None
    random_state: int = 0
    nominal: Literal["binary", "subset", "multiway"] = "binary"
    missing: MissingRule = "false"
    average_gain_filter: bool = False

    def __post_init__(self) -> None:
        for name, (is_right, expected) in _EXPECTED.items():
            value = getattr(self, name)
            if not is_right(value):
                raise UsageError(f"{name} must be {expected}; got {value!r}")


# ---- what the options may be ----------------------------------------------------------------------------


def _is_int(value: object, least: int) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _one_of(*allowed: object) -> Callable[[Any], bool]:
    return lambda value: any(value is one or (isinstance(value, str) and value == one) for one in allowed)


_EXPECTED: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "max_depth": (lambda v: v is None or _is_int(v, 1), "an int >= 1 or None"),
    "min_samples_split": (lambda v: _is_int(v, 2), "an int >= 2"),
    "min_samples_leaf": (lambda v: _is_int(v, 1), "an int >= 1"),
    "min_impurity_decrease": (lambda v: _is_number(v) and v >= 0, "a number >= 0"),
    "max_leaf_nodes": (lambda v: v is None or _is_int(v, 2), "an int >= 2 or None"),
    "stop": (_one_of(None, "test", "mdl"), "None, 'test' or 'mdl'"),
    "significance": (lambda v: _is_number(v) and 0 < v < 1, "a number between 0 and 1"),
    "share": (_one_of(None, "path"), "None or 'path'"),
    "prune": (_one_of(True, False), "True or False"),
    "strategy": (
        _one_of("auto", "bottom-up", "best-first", "exhaustive", "beam"),
        "'auto', 'bottom-up', 'best-first', 'exhaustive' or 'beam'",
    ),
    "max_evaluations": (lambda v: v is None or _is_int(v, 1), "an int >= 1 or None"),
    "time_limit": (lambda v: v is None or (_is_number(v) and v > 0), "a number of seconds > 0 or None"),
    "random_state": (lambda v: _is_int(v, 0), "an int >= 0"),
    "nominal": (_one_of("binary", "subset", "multiway"), "'binary', 'subset' or 'multiway'"),
    "missing": (_one_of("false", "majority", "fractional"), "'false', 'majority' or 'fractional'"),
    "average_gain_filter": (_one_of(True, False), "True or False"),
}
