"""Single tests that a grammar offers on the individuals' own attributes, for sweeps and multiway splits.

Here are those of an individual's own attributes. Those behind links are in `structtree.splitters.link_tests`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from structtree.data.population import Column, Population
from structtree.data.schema import Attribute, Kind
from structtree.lang import syntax as syn
from structtree.lang.check import CheckedGrammar
from structtree.lang.walk import peel, wrap
from structtree.models.routing.subsets import own_attributes
from structtree.models.routing.unknown import one_of
from structtree.search.kernels import tables as kernel
from structtree.space.families import LinkFamily
from structtree.space.space import Space

__all__ = ["FlatTest", "ListedTests", "flat_test", "flat_tests", "listed_tests", "with_sets"]


@dataclass(frozen=True, slots=True, eq=False)
class FlatTest:
    """Tests that a rewrite of ``top`` offers: thresholds, values, sets of values, nested tests, or a single test.

    Parameters
    ----------
    right : Predicate
        The right side of the rewrite, or the single test, or the first of the steps.
    form : int
        See `structtree.search.kernels.tables`.
    attribute, kind : str, optional
        The attribute that thresholds and values refer to.
    levels : tuple of str
        The categories of an ordered attribute, in order.
    steps : sequence of Predicate
        Tests from the laxest to the strictest; of the form ``AT_MOST`` from the strictest to the laxest; of the form
        ``EQUAL`` tests that are mutually exclusive.
    column : Column, optional
        What each individual has, where that is no attribute of its own: values, or places among the steps. At least k
        steps are passed where it is k; of the form ``AT_MOST`` all but k; of the form ``EQUAL`` the k-th.
    key : optional
        Tests of values with the same key have the same column.
    cost : int
        The cost of each of the tests; it only matters with a cost tolerance.
    """

    right: syn.Predicate
    form: int
    attribute: str | None = None
    kind: Kind | None = None
    levels: tuple[str, ...] = ()
    steps: Sequence[syn.Predicate] = ()
    column: Column | None = None
    key: Hashable | None = None
    cost: int = 1

    @property
    def subject(self) -> Hashable | None:
        """Column that the tests compare; None for a single test."""
        if self.column is None:
            return self.attribute
        return self if self.key is None else self.key

    @property
    def op(self) -> str:
        """Comparison operator of a family of thresholds."""
        end = peel(self.right)[1]
        assert isinstance(end, syn.Compare | syn.Aggregate)
        return end.op

    def at(self, threshold: float) -> syn.Predicate:
        """Return the test with this threshold."""
        return self.of(syn.written(threshold, self.kind, self.levels))

    def of(self, value: Any) -> syn.Predicate:
        """Return the test that compares with a value."""
        path, end = peel(self.right)
        assert isinstance(end, syn.Compare | syn.Aggregate)
        return wrap(path, replace(end, value=value))

    def among(self, values: Sequence[str]) -> syn.Predicate:
        """Return the test for membership in a set of values."""
        path, end = peel(self.right)
        assert isinstance(end, syn.Among)
        return wrap(path, one_of(end.attribute, values))


class ListedTests(NamedTuple):
    """All single tests that a grammar offers for individuals, and whether the list is complete.

    `n_skipped` families of tests out of `n_families` were skipped for lack of time.
    """

    tests: tuple[FlatTest, ...]
    complete: bool = True
    n_skipped: int = 0
    n_families: int = 0


def flat_tests(grammar: CheckedGrammar) -> ListedTests | None:
    """List the tests of a grammar that has only single tests of the individual's own attributes.

    Examples
    --------
    >>> from structtree.lang.grammar import Grammar
    >>> data = Population.from_records([{"size": 1, "kind": "a"}, {"size": 2, "kind": "b"}])
    >>> grammar = Grammar.parse("refine Individual { top -> * = *; top -> * >= * }").check(data.schema)
    >>> len(flat_tests(grammar).tests)
    2
    """
    if grammar.conjuncts.get(grammar.individual, 1) != 1 or grammar.limits.literals == 0:
        return None
    tests = []
    for rewrite in grammar.rewrites.get(grammar.individual, ()):
        test = flat_test(rewrite.right, grammar) if isinstance(rewrite.left, syn.Top) else None
        if test is None:
            return None
        tests.append(test if rewrite.cost is None else replace(test, cost=rewrite.cost))
    return ListedTests(tuple(tests)) if tests else None


def listed_tests(grammar: CheckedGrammar, population: Population) -> ListedTests | None:
    """List the tests of `flat_tests`, with bins, quantiles and lists of values expanded into one test each.

    Examples
    --------
    >>> from structtree.lang.grammar import Grammar
    >>> from structtree.lang.pretty import pretty
    >>> data = Population.from_records([{"size": 1}, {"size": 2}, {"size": 5}])
    >>> grammar = Grammar.parse("refine Individual { top -> size in bins(2); top -> size >= * }").check(data.schema)
    >>> [pretty(test.right) for test in listed_tests(grammar, data).tests]
    ['size in [1, 3)', 'size in [3, 5]', 'size >= *']
    """
    rewrites = grammar.rewrites.get(grammar.individual, ())
    if grammar.conjuncts.get(grammar.individual, 1) != 1 or not all(isinstance(r.left, syn.Top) for r in rewrites):
        return None
    space, tests = Space.build(grammar, population), []
    if space.bundled:
        return None
    for family in space.first_families():
        if isinstance(family, LinkFamily) or family.path or own_attributes(family.literal(0)) is None:
            return None
        flat = flat_test(family.template, grammar)
        some = [flat] if flat else [FlatTest(family.literal(v), kernel.EQUAL) for v in family.choices()]
        tests += [replace(test, cost=family.size + family.surcharge) for test in some]
    return ListedTests(tuple(tests))


def flat_test(right: syn.Predicate, grammar: CheckedGrammar) -> FlatTest | None:
    """Return the tests of own attributes that the right side of a rewrite stands for; None if it has no column."""
    match right:
        case syn.Compare(attribute, ">=" | "<=" as op, syn.Star()):
            found, form = _attribute(attribute, grammar), kernel.AT_LEAST if op == ">=" else kernel.AT_MOST
            levels = found.values if found.kind == "ordered" else ()
            return FlatTest(right, form, attribute, found.kind, levels=levels)
        case syn.Compare(attribute, "=", syn.Star()) if _attribute(attribute, grammar).kind == "nominal":
            return FlatTest(right, kernel.EQUAL, attribute, "nominal")
        case syn.Among(attribute, source=syn.Star()):
            return FlatTest(right, kernel.SUBSET, attribute, "nominal")
        case (
            syn.Compare(_, _, str() | int() | float())
            | syn.Flag()
            | syn.Among()
            | syn.Missing()
            | syn.Within(source=None)
            | syn.Named()
        ):
            return FlatTest(right, kernel.EQUAL) if own_attributes(right) is not None else None
        case syn.CompareOwn() if own_attributes(right) is not None:
            return FlatTest(right.in_order, kernel.EQUAL)
        case _:
            return None


def with_sets(grammar: CheckedGrammar) -> CheckedGrammar:
    """Return the grammar with tests for sets of values in place of tests for single values.

    Examples
    --------
    >>> from structtree.lang.grammar import Grammar
    >>> from structtree.lang.pretty import pretty
    >>> data = Population.from_records([{"kind": "a"}, {"kind": "b"}])
    >>> grammar = with_sets(Grammar.from_schema(data.schema).check(data.schema))
    >>> [pretty(test.right) for test in flat_tests(grammar).tests]
    ['kind in *']
    """
    name = grammar.individual
    rewrites = tuple(_with_sets(rewrite, grammar) for rewrite in grammar.rewrites.get(name, ()))
    return replace(grammar, rewrites={**grammar.rewrites, name: rewrites})


def _with_sets(rewrite: Any, grammar: CheckedGrammar) -> Any:
    match rewrite.right:
        case syn.Compare(attribute, "=", syn.Star()) if _attribute(attribute, grammar).kind == "nominal":
            return replace(rewrite, right=syn.Among(attribute, source=syn.Star()))
        case _:
            return rewrite


def _attribute(name: str, grammar: CheckedGrammar) -> Attribute:
    found = grammar.schema.type(grammar.individual).attribute_or_part(name)
    assert found is not None
    return found
