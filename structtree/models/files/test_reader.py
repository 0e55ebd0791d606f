"""Tests in model files: text of the grammar language, parsed and checked against the schema again."""

from __future__ import annotations

from dataclasses import dataclass

from structtree.data.json_parts import JsonPart
from structtree.data.schema import Schema
from structtree.errors import GrammarError
from structtree.lang import syntax as syn
from structtree.lang.check import CheckedGrammar, check_predicate
from structtree.lang.parse import parse_predicate

__all__ = ["TestReader", "parsed_test"]


@dataclass(frozen=True, slots=True)
class TestReader:
    """Reader of the tests of a predictor.

    Parameters
    ----------
    schema : Schema
        Of the individuals in training.
    grammar : CheckedGrammar
        The definitions of the file and what it computes, with which tests are checked.
    """

    __test__ = False  # not a test of pytest

    schema: Schema
    grammar: CheckedGrammar

    def test(self, part: JsonPart) -> syn.Predicate:
        """Return a test about individuals, which is written as text."""
        return self.checked(parsed_test(part), part)

    def checked(self, test: syn.Predicate, part: JsonPart) -> syn.Predicate:
        """Return a test that the schema allows."""
        try:
            return check_predicate(test, self.grammar.individual, self.grammar)
        except GrammarError as error:
            part.fail(f"the test cannot be used: {error.message}")


def parsed_test(part: JsonPart) -> syn.Predicate:
    """Return a predicate that is written as text, not yet checked."""
    try:
        return parse_predicate(part.text())
    except GrammarError as error:
        part.fail(f"the test cannot be read: {error.message}")
