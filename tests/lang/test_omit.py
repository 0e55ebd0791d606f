"""A grammar without what it asks about attributes that the data leaves out on purpose."""

import numpy as np
import pytest

from structtree import Grammar, Population
from structtree.errors import GrammarError
from structtree.learn.fit import fit

DATA = Population.from_records([{"size": 1, "friends": [{"age": 3}]}, {"size": 2, "friends": []}])
TARGET = {"class": "the target", "extra": "ignored"}


def omitted(text):
    return Grammar.parse(text).omitting(TARGET, DATA.schema)


@pytest.mark.parametrize(
    ("rewrites", "left", "note"),
    [
        ("top -> size >= *", "top -> size >= *", None),
        ("top -> size >= *; top -> class = *", "top -> size >= *", "class (the target); removed 1 rewrite"),
        ("top -> size >= *; class = a -> class = b", "top -> size >= *", "class (the target); removed 1 rewrite"),
        ("top -> size >= *; top -> missing extra", "top -> size >= *", "extra (ignored); removed 1 rewrite"),
        (
            "top -> size >= *; top -> not class; top -> extra >= *",
            "top -> size >= *",
            "class (the target), extra (ignored); removed 2 rewrites",
        ),
        ("top -> size >= *; top -> cla* = *", "top -> size >= *", "class (the target); removed 1 rewrite"),
        ("top -> s* >= *; top -> * = *", "top -> s* >= *; top -> * = *", None),
    ],
)
@pytest.mark.parametrize("name", ["Individual", "Person"])
def test_rewrites_about_what_is_left_out_go(rewrites, left, note, name):
    types = "" if name == "Individual" else "type Person = { size: int, class: nominal } individual Person "
    found = omitted(f"{types}refine {name} {{ {rewrites} }}")
    assert found.syntax.blocks == Grammar.parse(f"refine {name} {{ {left} }}").syntax.blocks
    assert found.notes == (() if note is None else (f"skipped: {note}",))
    found.check(DATA.schema)


def test_attributes_of_that_name_behind_links_stay():
    asked = "refine Friend { top -> class = * }"
    grammar = Grammar.parse(f"refine Individual {{ top -> exists friends (top) }} {asked}")
    with pytest.raises(GrammarError, match="unknown attribute 'class' of type 'Friend'"):
        grammar.omitting(TARGET, DATA.schema).check(DATA.schema)


def test_what_the_data_has_stays():
    grammar = Grammar.parse("refine Individual { top -> size >= * }")
    assert grammar.omitting({"size": "the target"}, DATA.schema) is grammar


def test_a_definition_about_the_target_is_refused_by_name():
    with pytest.raises(GrammarError, match="the definition 'good' uses 'class', which is the target; remove it"):
        omitted("define good: Individual = class = a refine Individual { top -> good }")


def test_fit_leaves_the_target_out_where_its_name_is_known():
    grammar = Grammar.parse("refine Individual { top -> size >= *; top -> class = * }")
    model = fit(DATA, np.array(["a", "b"]), grammar, target_name="class")
    assert model.grammar.notes == ("skipped: class (the target); removed 1 rewrite",)
    assert model.predict(DATA).tolist() == ["a", "b"]
