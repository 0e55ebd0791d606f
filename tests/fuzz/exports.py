"""Laws of exports: SQLite, DuckDB and SWI-Prolog say by what is exported what the evaluator and the model say."""

from __future__ import annotations

import json
import sqlite3
import tempfile
import warnings
from pathlib import Path

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from structtree.data.layouts import layout_of
from structtree.data.population import Population
from structtree.data.provenance import provenance_of
from structtree.data.readers.databases.sqlite_files import sql_name
from structtree.data.schema import FAR_ROW
from structtree.errors import StructtreeError, UsageError
from structtree.export.sql.tests import SqlTests
from structtree.export.sql.values import NotInSqlError
from structtree.export.sql.views import export_sql
from structtree.lang.background import Background
from structtree.lang.check import check_predicate
from structtree.lang.grammar import Grammar
from structtree.lang.parse import parse_predicate
from structtree.lang.pretty import pretty, pretty_name
from structtree.learn.fit import fit
from structtree.space.background import with_background
from structtree.space.evaluate import holds
from tests.export.test_prolog import check as check_program
from tests.export.test_prolog import of_rows
from tests.export.test_sql import BACKGROUND, READINGS, selected
from tests.fuzz.laws import Case, law
from tests.fuzz.learning import growth_of, learned, model_of
from tests.fuzz.meaning import declarations, with_declarations
from tests.fuzz.plain import population_of, to_plain
from tests.odd_shop import LINKS, TABLES, duck_shop, fill
from tests.prolog import Question
from tests.random_predicates import RandomPredicates
from tests.space.test_prolog import agreement, random_questions
from tests.strategies import populations

# ---- SQL ------------------------------------------------------------------------------------------------


@st.composite
def shops(draw):
    """The rows of a shop, and how they are read."""
    connection = fill(sqlite3.connect(":memory:"), draw(st.randoms(use_true_random=False)), draw(st.integers(2, 8)))
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    rows = {name: connection.execute(f'SELECT * FROM "{name}"').fetchall() for name in names}
    reading, background = draw(st.sampled_from(READINGS)), ""
    if draw(st.booleans()):
        reading, background = {"individual": "order"}, BACKGROUND
    engine = draw(st.sampled_from(["sqlite", "sqlite", "duckdb"]))
    return json.loads(json.dumps({"rows": rows, "reading": reading, "background": background, "engine": engine}))


def opened(case):
    """The database of a case, what is read from it, and that with what the grammar computes."""
    database = sqlite3.connect(":memory:")
    database.executescript(TABLES)
    for name, rows in case["rows"].items():
        for row in rows:
            database.execute(f'INSERT INTO "{name}" VALUES ({",".join("?" * len(row))})', row)
    reading = case["reading"]
    if case["engine"] == "duckdb":
        database, reading = duck_shop(database), {**reading, "links": LINKS}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            population = Population.from_database(database, **reading)
        whole = (
            with_background(population, Grammar.parse(case["background"]), {}) if case["background"] else population
        )
    except StructtreeError as error:  # a shop without any customers, or without dates
        assume(not error)
    return database, population, whole


@st.composite
def shop_questions(draw) -> Case:
    case = draw(shops())
    _, _, whole = opened(case)
    source = RandomPredicates(whole, draw(st.integers(0, 10**6)))
    return {**case, "predicates": [pretty(source.predicate(whole.schema.individual)) for _ in range(8)]}


@law("sql-tests", shop_questions(), round=25, quick=5)
def sql_tests(case):
    """A database selects the rows of which a predicate holds."""
    database, population, whole = opened(case)
    schema = whole.schema
    layout = layout_of(provenance_of(population).relations, schema.individual)
    grammar = Grammar.parse(case["background"]).check(schema.given) if case["background"] else None
    background = Background(schema) if grammar is None else grammar.background
    for text in case["predicates"]:
        predicate = check_predicate(parse_predicate(text), schema.individual, grammar or schema)
        try:
            found = selected(database, SqlTests(schema, layout, case["engine"], background), predicate)
        except NotInSqlError:
            continue
        assert found.tolist() == holds(predicate, whole).tolist(), text


@st.composite
def shop_grammars(draw, schema):
    """The text of a grammar that asks a little about the rows of every table."""
    blocks = []
    for record in schema.types:
        asked = [right for attribute in record.attributes for right in asked_of(attribute)]
        asked += [right for link in record.links if link.name != FAR_ROW for right in asked_behind(schema, link)]
        chosen = draw(st.lists(st.sampled_from(asked), min_size=1, max_size=4, unique=True)) if asked else []
        if chosen:
            blocks.append(
                f"refine {pretty_name(record.name)} {{ {'; '.join(f'top -> {right}' for right in chosen)} }}"
            )
    return "\n".join([*blocks, "limits { nesting 2, literals 2 }"])


def asked_of(attribute):
    name = pretty_name(attribute.name)
    if attribute.kind == "bool":
        return [name, f"not {name}", f"missing {name}"]
    parts = [f"{name}.month >= *", f"{name}.weekday = *"] if attribute.kind in ("date", "time") else []
    return [f"{name} = *", f"missing {name}", *([] if attribute.kind == "nominal" else [f"{name} >= *"]), *parts]


def asked_behind(schema, link):
    name, far = pretty_name(link.name), schema.type(link.target)
    if link.single:
        return [f"{name} (top)"]
    numbers = [pretty_name(a.name) for a in far.attributes if a.kind in ("int", "real")]
    functions = ("sum", "mean", "min", "max", "range", "distinct")
    forms = [f"{function} {name}.{number} >= *" for number in numbers for function in functions]
    return [f"exists {name} (top)", f"all {name} (top)", f"count {name} (top) >= 1..3", *forms]


@st.composite
def shop_models(draw) -> Case:
    case = draw(shops())
    _, _, whole = opened(case)
    asked = draw(shop_grammars(whole.schema))
    labels = st.sampled_from(["a", "it's"]) if draw(st.booleans()) else st.integers(-3, 3).map(float)
    growth = {
        "max_depth": draw(st.integers(1, 3)),
        "nominal": draw(st.sampled_from(["binary", "binary", "binary", "subset", "multiway"])),
        "missing": draw(st.sampled_from(["false", "false", "false", "majority"])),
    }
    several = draw(st.lists(labels, min_size=7, max_size=7).filter(lambda found: len(set(found)) > 1))
    return {**case, "grammar": f"{case['background']}\n{asked}", "labels": several, "growth": growth}


@law("sql-models", shop_models(), round=15, quick=5)
def sql_models(case):
    """The views of a model give what the model predicts."""
    database, population, _ = opened(case)
    labels = np.resize(np.array(case["labels"]), len(population))
    assume(len(set(labels.tolist())) > 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = fit(population, labels, case["grammar"], growth_of(case["growth"], 1000), grow="full")
        text = export_sql(model)
    except StructtreeError as error:  # mutually exclusive options, or no way to say it
        assume(not error)
    if case["engine"] == "sqlite":
        database.executescript(text)
    else:
        database.execute(text)
    said, expected = predictions_in(database, population), model.predict(population).tolist()
    assert len(said) == len(expected)
    if not model.tree.classes:
        np.testing.assert_allclose(said, expected, rtol=1e-9, atol=1e-12)
    else:
        assert said == expected


def predictions_in(database, population):
    """What the view says of each individual, found by its key, or by the number of its row."""
    found = database.execute("SELECT * FROM prediction")
    names = [column[0] for column in found.description]
    leaf = names.index("leaf")
    said = {row[:leaf]: row[leaf + 1] for row in found.fetchall()}
    keys = ", ".join("rowid" if name == "row_id" else sql_name(name) for name in names[:leaf])
    table = sql_name(population.schema.individual)
    order = [tuple(row) for row in database.execute(f"SELECT {keys} FROM {table} ORDER BY rowid").fetchall()]
    rows = provenance_of(population).rows[population.individuals]
    assert len(said) == len(rows)
    return [said[order[row]] for row in rows]


# ---- Prolog ---------------------------------------------------------------------------------------------


@st.composite
def prolog_questions(draw) -> Case:
    population = draw(populations())
    text = draw(declarations(population.schema))
    whole = with_declarations(population, text)
    assume(whole is not None)
    grammar = Grammar.parse(text) if text else Grammar.from_schema(population.schema)
    checked = grammar.check(population.schema)
    questions = random_questions(whole, checked, 25, draw(st.integers(0, 10**6)), depth=2)
    asked = [[question.type, pretty(question.predicate)] for question in questions]
    return {"data": to_plain(population), "declarations": text, "questions": asked}


@law("prolog-tests", prolog_questions(), round=15, quick=3, needs="swipl")
def prolog_tests(case):
    """Prolog finds the rows of which a predicate holds."""
    population, text = population_of(case["data"]), case["declarations"]
    whole = with_declarations(population, text)
    grammar = Grammar.parse(text) if text else Grammar.from_schema(population.schema)
    checked = grammar.check(population.schema)
    questions = [Question(name, check_predicate(parse_predicate(q), name, checked)) for name, q in case["questions"]]
    given = whole.given if text else population
    with tempfile.TemporaryDirectory() as folder:
        agreement(given, whole, questions, checked, Path(folder))


@law("prolog-models", learned(), round=15, quick=3, needs="swipl")
def prolog_models(case):
    """Prolog says by the clauses of a model what the model predicts."""
    population = population_of(case["data"])
    model = model_of(case, population)
    try:
        exported = of_rows(model, population)
    except UsageError as error:
        assume(not error)
    with tempfile.TemporaryDirectory() as folder:
        check_program([exported], Path(folder))
