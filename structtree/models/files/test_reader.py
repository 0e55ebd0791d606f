"""Tests in model files: text in the grammar language, parsed and checked against the schema."""

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
    """Parser and checker for the tests in a model file.

    Parameters
    ----------
    schema : Schema
        Schema of the individuals in training.
    grammar : CheckedGrammar
        The definitions and computed features of the file, which tests may use.
    """

    __test__ = False  # not a test of pytest

    schema: Schema
    grammar: CheckedGrammar

    def test(self, part: JsonPart) -> syn.Predicate:
        """Parse and check a test of individuals."""
        return self.checked(parsed_test(part), part)

    def checked(self, test: syn.Predicate, part: JsonPart) -> syn.Predicate:
        """Check a test against the schema."""
        try:
            return check_predicate(test, self.grammar.individual, self.grammar)
        except GrammarError as error:
            part.fail(f"the test cannot be used: {error.message}")


def parsed_test(part: JsonPart) -> syn.Predicate:
    """Parse a test without checking it."""
    try:
        return parse_predicate(part.text())
    except GrammarError as error:
        part.fail(f"the test cannot be read: {error.message}")
