"""Grammars for rules and patterns: longer conjunctions than the test of a node in a tree, and no negated tests."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from structtree.data.schema import Schema
from structtree.lang import syntax as syn
from structtree.lang.declare import in_names_of
from structtree.lang.walk import peel

__all__ = ["combine_tests", "omit_negations"]

_CONJUNCTION = syn.And((syn.TOP, syn.TOP))


USUAL_CONJUNCTS = 3
"""Number of conjuncts about the individual, if none is given."""


def combine_tests(syntax: syn.GrammarSyntax, schema: Schema, most: int | None) -> syn.GrammarSyntax:
    """Return the grammar with up to ``most`` conjuncts about the individual, and as many literals in all.

    A higher limit of the grammar itself is lowered as well. With None there are up to three conjuncts, and a grammar
    that allows more literals in a test, such as in one about records behind links, still does. A grammar without
    rewrites of the individual is returned unchanged.

    Examples
    --------
    >>> from structtree.data.schema import Attribute, RecordType
    >>> from structtree.lang.parse import parse_grammar
    >>> from structtree.lang.pretty import pretty_grammar
    >>> schema = Schema((RecordType("Row", (Attribute("a", "bool"),)),), "Row")
    >>> print(pretty_grammar(combine_tests(parse_grammar("refine Row { top -> a }"), schema, 3)), end="")
    refine Row {
        top -> a
        top -> top and top max 3
    }
    limits { literals 3 }
    """
    names = [block.type for block in in_names_of(syntax, schema).blocks]
    blocks = list(syntax.blocks)
    mine = [place for place, name in enumerate(names) if name == schema.individual]
    if not mine:
        return syntax
    for place in mine:
        kept = tuple(rewrite for rewrite in blocks[place].rewrites if rewrite.conjuncts is None)
        blocks[place] = replace(blocks[place], rewrites=kept)
    conjuncts = USUAL_CONJUNCTS if most is None else most
    if conjuncts > 1:
        conjunction = syn.Rewrite(syn.TOP, _CONJUNCTION, conjuncts=conjuncts)
        blocks[mine[-1]] = replace(blocks[mine[-1]], rewrites=(*blocks[mine[-1]].rewrites, conjunction))
    own = syntax.limits.literals
    literals = most if most is not None else None if own is None else max(own, conjuncts)
    return replace(syntax, blocks=tuple(blocks), limits=replace(syntax.limits, literals=literals))


def omit_negations(syntax: syn.GrammarSyntax, binary: Mapping[str, Collection[str]]) -> syn.GrammarSyntax:
    """Return the grammar without rewrites to a test that an attribute is false.

    Parameters
    ----------
    syntax : GrammarSyntax
    binary : mapping from type to names of attributes
        Numbers that are 0 or 1; ``a <= 0`` is a negated test of them.

    Examples
    --------
    >>> from structtree.lang.parse import parse_grammar
    >>> from structtree.lang.pretty import pretty_grammar
    >>> grammar = parse_grammar("refine Row { top -> a; top -> not a; top -> n >= *; top -> n <= * }")
    >>> print(pretty_grammar(omit_negations(grammar, {"Row": ["n"]})), end="")
    refine Row {
        top -> a
        top -> n >= *
    }
    """
    blocks = []
    for block in syntax.blocks:
        kept = [each for each in block.rewrites if not _is_negated(each.right, binary.get(block.type, ()))]
        blocks.append(replace(block, rewrites=tuple(kept)))
    return replace(syntax, blocks=tuple(blocks))


def _is_negated(predicate: syn.Predicate, binary: Collection[str]) -> bool:
    match predicate:
        case syn.Compare(attribute, "<="):
            return attribute in binary
        case _:
            end = peel(predicate)[1]
            return isinstance(end, syn.Flag) and not end.positive
