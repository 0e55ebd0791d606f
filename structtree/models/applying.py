"""Application of tests to new data: what a model needs, and the data in the form that its tests need.

`structtree.models.conform` converts populations to the schema of the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from structtree.data.population import Population
from structtree.data.readers.individuals import population_of, recognised
from structtree.data.schema import Attribute, RecordType, Schema
from structtree.errors import DataError
from structtree.lang import syntax as syn
from structtree.lang.background import Background, Needs, needs_of
from structtree.lang.declare import named_by
from structtree.lang.grammar import Grammar
from structtree.models.conform import NeededMembers, any_category, conform
from structtree.space.background import computed, with_background

__all__ = ["AppliesTests", "Call"]

_NO_BACKGROUND = Background(Schema((RecordType(""),), ""))
"""Background of tests that need only the data itself."""

Call = Callable[[Mapping[str, Any]], Any]


class AppliesTests:
    """Base class of models and other objects that apply tests to new data.

    Attributes
    ----------
    schema : Schema
        Schema of the individuals in training.
    mentioned : mapping from type to members
        Attributes and links that the tests mention.
    functions : tuple of Function
        The functions of the grammar that the tests may need.
    optional : mapping from type to members
        Members that rows of other types than the individual may lack.
    background : Background, optional
        The derived links and computed attributes of the grammar that the tests may need.
    """

    functions: tuple[syn.Function, ...]
    optional: NeededMembers
    background: Background | None

    @property
    def schema(self) -> Schema:
        """Schema of the individuals in training."""
        raise NotImplementedError

    @property
    def mentioned(self) -> NeededMembers:
        """Attributes and links, by type, that the tests mention."""
        raise NotImplementedError

    @property
    def needed(self) -> NeededMembers:
        """Attributes and links, by type, that the tests use directly or through computed features."""
        return self.needs.given

    @cached_property
    def needs(self) -> Needs:
        """Requirements of the tests: members of the data, and features computed from them."""
        mentioned, background = self.mentioned, self.background
        return Needs(mentioned, _NO_BACKGROUND) if background is None else needs_of(mentioned, background)

    def prepared(
        self, individuals: Any, functions: Mapping[str, Call] | None = None, *, smiles: str | None = None
    ) -> Population:
        """Return the individuals in the form that the tests need; see `structtree.models.conform.conform`."""
        needed, computes = self.needed, self.needs.background
        schema = self.schema.given if computes.steps else self.schema
        population = self.read(individuals, smiles)
        types = _declarations(schema, self.functions)
        if computes.steps:
            population = population.given
        if self.functions or computes.steps:
            population = named_by(population, types)
        wanted = tuple(f for f in self.functions if f.name in needed.get(f.type, ()) and _lacks(population, f))
        if wanted:
            given = {f.name: functions[f.name] for f in wanted if functions and f.name in functions}
            population = with_background(population, Grammar(replace(types, functions=wanted), ""), given)
        return computed(conform(population, schema, needed, self.optional), computes)

    @property
    def columns(self) -> tuple[Attribute, ...]:
        """Attributes of the training individuals, except those computed by functions."""
        schema, functions = self.schema.given, {function.name for function in self.functions}
        return tuple(a for a in schema.type(schema.individual).attributes if a.name not in functions)

    def read(self, individuals: Any, smiles: str | None = None) -> Population:
        """Return the individuals as a population, with all their attributes."""
        if isinstance(individuals, Population):
            return individuals
        schema = self.schema
        functions = {function.name for function in self.functions}
        links = [link for link in schema.given.type(schema.individual).links if link.name not in functions]
        if recognised(individuals, smiles).form == "array" and links:
            known = ", ".join(link.name for link in links)
            raise DataError(f"the model is for individuals with {known}, which the rows of an array do not have")
        names = [column.name for column in self.columns]
        return population_of(individuals, individual=schema.individual, names=names, smiles=smiles)


def _declarations(schema: Schema, functions: tuple[syn.Function, ...]) -> syn.GrammarSyntax:
    """Return the types and links of the training data as grammar declarations."""
    computed = {(function.type, function.name) for function in functions}
    types = tuple(
        syn.TypeDeclaration(
            record.name,
            tuple(a for a in record.attributes if (record.name, a.name) not in computed),
            tuple(link for link in record.links if (record.name, link.name) not in computed),
        )
        for record in any_category(schema.given).types
    )
    return syn.GrammarSyntax(types=types, individual=schema.individual)


def _lacks(population: Population, function: syn.Function) -> bool:
    schema = population.schema
    return function.type not in schema or function.name not in schema.type(function.type).members
