"""Options for finding subgroups, each declared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from structtree.errors import UsageError
from structtree.options import Span, check_options, documented, option
from structtree.search.effort import EffortLevel

__all__ = ["Redundancy", "SubgroupOptions"]

Redundancy = Literal["coverage", "subset"]


@documented
@dataclass(frozen=True, slots=True)
class SubgroupOptions:
    """Options for finding subgroups.

    Notes
    -----
    The measures are those of `structtree.tasks.measures`; ``docs/bounds.md`` defines them.

    Of subgroups that consist of the same individuals, the shortest is kept. With ``redundancy="subset"``, a subgroup
    is also dropped if a better one contains all of its individuals: its additional literals gain nothing.

    With ``covering``, the weight of the individuals that make a subgroup good (those of the class, or all of it
    if the target is a number) is multiplied by this factor before the next subgroup is searched for, so that the
    subgroups describe different individuals. Without it, they are the best of the space, however much they overlap.

    Held-out individuals are chosen at random and take no part in the search. With ``held_out=0``, all individuals are
    searched, and nothing is known about other individuals.

    Examples
    --------
    >>> SubgroupOptions(covering=1)
    Traceback (most recent call last):
        ...
    structtree.errors.UsageError: covering must be a number from 0 to 0.99 or None; got 1
    """

    PANEL: ClassVar[str] = "Subgroups"

    measure: str | None = option(
        None,
        "wracc, average-recall, precision, laplace, m-estimate, lift or chi-squared for classes, mean-shift or t for "
        "numbers.",
        accepts="str or Measure",
        annotation="str | Measure | None",
        metavar="NAME",
        shown_default="wracc, or mean-shift",
    )
    top: int = option(20, "Number of subgroups.", Span(1))
    label: Any = option(
        None,
        "Class that the subgroups should have in excess, or high or low for a number.",
        accepts="a class, 'high' or 'low'",
        flag="class",
        metavar="CLASS|high|low",
        shown_default="all classes, or high",
    )
    literals: int = option(3, "Maximum number of literals.", Span(1))
    min_support: float | None = option(
        None,
        "Minimum number of individuals, or their fraction if less than 1.",
        Span(0, inside=True),
        shown_default="1 %, at least 5",
    )
    redundancy: Redundancy = option(
        "coverage", "Drop subgroups of the same individuals, or of a subset of those of a better one."
    )
    covering: float | None = option(
        None, "Factor for the weights of individuals in earlier subgroups, for different subgroups.", Span(0, 0.99)
    )
    held_out: float = option(0.3, "Fraction of the individuals to hold out, for an unbiased estimate.", Span(0, 0.9))
    effort: EffortLevel = option("normal", "How long to search; prove continues until the subgroups are proved best.")
    time_limit: float | None = option(
        None,
        "Time limit in seconds; the best subgroups found so far are returned.",
        Span(0, inside=True),
        unit="seconds",
        usual=60.0,
        panel="Options",
    )
    random_state: int = option(0, "Random seed for the held-out individuals.", Span(0), flag="seed", panel="Options")

    def __post_init__(self) -> None:
        check_options(self)
        if self.covering is not None and self.redundancy != "coverage":
            raise UsageError("covering and redundancy='subset' are two ways to avoid overlaps; pass one of them")
        if self.min_support is not None and self.min_support > 1 and self.min_support % 1:
            raise UsageError(f"min_support must be a whole number or a fraction less than 1; got {self.min_support}")

    def support(self, n: int) -> int:
        """Return the minimum number of individuals of a subgroup of n individuals.

        Examples
        --------
        >>> SubgroupOptions().support(1000), SubgroupOptions(min_support=0.25).support(10)
        (10, 3)
        """
        if self.min_support is None:
            return max(5, n // 100)
        return int(self.min_support) if self.min_support >= 1 else max(1, int(-(-self.min_support * n // 1)))
