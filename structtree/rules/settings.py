"""Options for finding subgroups and patterns, each declared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from structtree.errors import UsageError
from structtree.models.settings import require_support, support_of
from structtree.options import Span, check_options, documented, option
from structtree.search.effort import EffortLevel

__all__ = ["PatternOptions", "Redundancy", "SubgroupOptions"]

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

    With ``containing``, a row number, all subgroups contain this individual, as the clauses that AQ and Progol learn
    from a seed example: what is not true of it is not refined. It is never held out. By default, they are subgroups
    of its class.

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
    containing: int | None = option(
        None,
        "Only subgroups that contain this individual, by row number counted from 0; of its class by default.",
        Span(0),
        metavar="ROW",
    )
    random_state: int = option(0, "Random seed for the held-out individuals.", Span(0), flag="seed", panel="Options")

    def __post_init__(self) -> None:
        check_options(self)
        if self.covering is not None and self.redundancy != "coverage":
            raise UsageError("covering and redundancy='subset' are two ways to avoid overlaps; pass one of them")
        if self.covering is not None and self.containing is not None:
            raise UsageError("covering makes subgroups differ, but all those of containing overlap; pass one of them")
        if self.min_support is not None:
            require_support("min_support", self.min_support)

    def support(self, n: int) -> int:
        """Return the minimum number of individuals of a subgroup of n individuals.

        Examples
        --------
        >>> SubgroupOptions().support(1000), SubgroupOptions(min_support=0.25).support(10)
        (10, 3)
        """
        return max(5, n // 100) if self.min_support is None else support_of(self.min_support, n)


@documented
@dataclass(frozen=True, slots=True)
class PatternOptions:
    """Options for finding frequent patterns, association rules and contrasts.

    Notes
    -----
    A pattern is *closed* if no refinement of it by one rewrite has the same individuals, and *maximal* if no such
    refinement is frequent. These, the shortest patterns, rules and contrasts are known only when all patterns are;
    otherwise patterns are reported as they are found.

    A rule says that of the individuals that satisfy its body, many satisfy a literal as well.

    Examples
    --------
    >>> PatternOptions(closed=True, maximal=True)
    Traceback (most recent call last):
        ...
    structtree.errors.UsageError: closed and maximal are mutually exclusive
    """

    PANEL: ClassVar[str] = "Patterns"

    support: float = option(
        0.1, "Minimum number of individuals, or their fraction if less than 1.", Span(0, inside=True)
    )
    literals: int | None = option(
        None, "Maximum number of literals.", Span(1), shown_default="3, or the limits of a given grammar"
    )
    closed: bool = option(False, "Only patterns of which each refinement has fewer individuals.", flag="closed")
    maximal: bool = option(False, "Only patterns without a frequent refinement.", flag="maximal")
    shortest: bool = option(False, "Of patterns with the same individuals, only the shortest.", flag="shortest")
    rules: bool = option(False, "Association rules instead of patterns.", flag="rules")
    confidence: float | None = option(
        None,
        "For rules: minimum share of the individuals of the body that satisfy the head.",
        Span(0, 1),
        shown_default="0.8",
    )
    contrast: bool = option(False, "Support in each class of the target, the most different first.", flag="contrast")
    top: int | None = option(
        None, "Number of results: the patterns with the largest support, or the first rules or contrasts.", Span(1)
    )
    negated: bool = option(
        False,
        "Whether the default grammar includes tests that an attribute is false, or a number that is 0 or 1 is 0.",
        flag="negated",
    )
    time_limit: float | None = option(
        None,
        "Time limit in seconds; the patterns found so far are returned.",
        Span(0, inside=True),
        unit="seconds",
        usual=60.0,
        panel="Options",
    )

    def __post_init__(self) -> None:
        check_options(self)
        require_support("support", self.support)
        exclusive = [name for name in ("closed", "maximal", "shortest", "rules") if getattr(self, name)]
        if len(exclusive) > 1:
            raise UsageError(f"{exclusive[0]} and {exclusive[1]} are mutually exclusive")
        if self.rules and self.contrast:
            raise UsageError("rules and contrast are mutually exclusive")
        if self.confidence is not None and not self.rules:
            raise UsageError("confidence is for association rules; pass rules as well")

    @property
    def streams(self) -> bool:
        """True if each pattern is a result as soon as it is found."""
        later = (self.closed, self.maximal, self.shortest, self.rules, self.contrast, self.top is not None)
        return not any(later)

    def least(self, n: int) -> int:
        """Return the minimum number of n individuals.

        Examples
        --------
        >>> PatternOptions(support=0.3).least(188), PatternOptions(support=3).least(8)
        (57, 3)
        """
        return support_of(self.support, n)
