"""Models as SQL: the rows that a database selects are those of which the tests hold."""

from __future__ import annotations

import gzip
import sqlite3
import warnings
from contextlib import closing
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from structtree import Grammar, Growth, Population, export_sql, fit, load_model, open_data, save_model
from structtree.data.json_parts import JsonPart
from structtree.data.layouts import SourceLayout, layout_of
from structtree.data.provenance import provenance_of
from structtree.errors import UsageError
from structtree.export.sql import views
from structtree.export.sql.tests import SqlTests
from structtree.export.sql.values import NotInSqlError
from structtree.lang.background import Background
from structtree.lang.check import check_predicate
from structtree.lang.parse import parse_predicate
from structtree.lang.pretty import pretty
from structtree.space.background import with_background
from structtree.space.evaluate import holds
from tests.data.bank import write_large_bank
from tests.odd_shop import LINKS, duck_shop, shop
from tests.random_predicates import RandomPredicates

READINGS = [
    {"individual": "customer"},
    {"individual": "visit"},
    {"individual": "order", "types": {"kind": "Shop<web", "pieces": "nominal"}},
    {"individual": "customer", "types": {"customer.order": "list"}},
    {"individual": "order", "as_of": "day"},
    {"individual": "order", "as_of": "day", "frozen_at": "2020-03-01"},
    {"individual": "visit", "as_of": "customer.joined", "dates": ["order.paid_at"]},
    {"individual": "order", "as_of": "day", "lead": 200, "dates": ["customer.born"]},
    {"individual": "customer", "as_of": "joined", "dates": ["order"]},
    {"individual": "customer", "as_of": "joined", "dates": ["order.day"], "set_once": ["order.paid_at"]},
    {"individual": "visit", "as_of": "customer.joined", "set_once": ["order.paid_at", "customer.joined"]},
    {"individual": "order", "frozen_at": "2020-03-01"},
    {"individual": "customer", "frozen_at": "2020-03-01", "set_once": ["order.paid_at", "customer.joined"]},
]


def opened(seed, engine, reading):
    """A shop in a database, and the population that is read from it."""
    database = shop(seed)
    if engine == "duckdb":
        pytest.importorskip("duckdb")
        database, reading = duck_shop(database), {**reading, "links": LINKS}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return database, Population.from_database(database, **reading)


def selected(database, tests, predicate):
    """Whether each row satisfies a predicate according to the database, in the order of the table."""
    row = tests.individual()
    truth = f"CASE WHEN {tests.condition(predicate, row)} THEN 1 ELSE 0 END"
    query = f"{tests.beginning()}SELECT {truth} FROM {tests.source(row)} ORDER BY {row.alias}.rowid"
    return np.array([bool(found) for (found,) in database.execute(query).fetchall()])


@pytest.mark.parametrize("engine", ["sqlite", "duckdb"])
@pytest.mark.parametrize("reading", READINGS, ids=str)
def test_a_database_selects_the_rows_of_which_a_predicate_holds(engine, reading):
    n_said = 0
    for seed in range(3):
        database, population = opened(seed, engine, reading)
        layout = layout_of(provenance_of(population).relations, population.schema.individual)
        assert SourceLayout.from_json(JsonPart(layout.to_json())) == layout
        source = RandomPredicates(population, seed)
        for _ in range(25 if engine == "sqlite" else 8):
            predicate = source.predicate(population.schema.individual)
            tests = SqlTests(population.schema, layout, engine, Background(population.schema))
            try:
                found = selected(database, tests, predicate)
            except NotInSqlError:
                continue
            n_said += 1
            assert found.tolist() == holds(predicate, population).tolist(), pretty(predicate)
    assert n_said > (50 if engine == "sqlite" else 15)


BACKGROUND = """
link rival: customer -> set of customer = town.customer where vip and not me
link older: customer -> set of customer = town.customer where born <= my born with years = (my born - born) / 365
link past: order -> list of order = customer.order where day <= my day with gap = my day - day sorted by gap
link clubmate: customer -> set of customer = club.customer where not me
link same: order -> set of order = customer.~order.customer where kind = my kind
attribute each: order = total / pieces
refine order { top -> customer (top) }
"""


@pytest.mark.parametrize("engine", ["sqlite", "duckdb"])
def test_derived_links_and_computed_attributes_are_joined_along_their_paths(engine):
    for seed in range(3):
        database, population = opened(seed, engine, {"individual": "order"})
        grammar = Grammar.parse(BACKGROUND)
        whole = with_background(population, grammar, {})
        background = grammar.check(whole.schema).background
        layout = layout_of(provenance_of(population).relations, "order")
        source = RandomPredicates(whole, seed)
        for _ in range(25 if engine == "sqlite" else 8):
            predicate = source.predicate("order")
            found = selected(database, SqlTests(whole.schema, layout, engine, background), predicate)
            assert found.tolist() == holds(predicate, whole).tolist(), pretty(predicate)


@pytest.mark.parametrize("text", ["earliest past.gap = 0", "latest past.gap >= 300"])
def test_the_outermost_rows_of_a_derived_list_are_those_of_its_order(text):
    for seed in range(5):
        database, population = opened(seed, "sqlite", {"individual": "order"})
        grammar = Grammar.parse(BACKGROUND)
        whole = with_background(population, grammar, {})
        checked = grammar.check(whole.schema)
        layout = layout_of(provenance_of(population).relations, "order")
        predicate = check_predicate(parse_predicate(text), "order", checked)
        found = selected(database, SqlTests(whole.schema, layout, "sqlite", checked.background), predicate)
        assert found.tolist() == holds(predicate, whole).tolist()


GRAMMAR = """
refine loan { top -> years >= *; top -> account (top) }
refine account { top -> exists payment (top); top -> town = * }
refine payment { top -> paid >= *; top -> day <= * }
"""


@pytest.fixture
def bank(tmp_path):
    return write_large_bank(tmp_path / "bank.sqlite")


def test_the_views_give_what_the_tree_predicts(bank, tmp_path):
    data = open_data(bank, individual="loan", target="status", condition="id <> 1003")
    learned = fit(data.population, data.target, GRAMMAR, Growth(max_depth=2), target_name="status")
    save_model(learned, tmp_path / "model.json")
    model = load_model(tmp_path / "model.json")
    assert model.layout == learned.layout
    database = sqlite3.connect(bank)
    database.executescript(export_sql(model))
    rows = database.execute("SELECT id, leaf, prediction, p_bad, p_good FROM prediction ORDER BY id").fetchall()
    assert [row[0] for row in rows] == [id for id in range(1000, 1060) if id != 1003]
    assert [row[2] for row in rows] == model.predict(data.population).tolist()
    assert np.allclose([row[3:] for row in rows], model.predict_proba(data.population))
    for leaf in model.tree.leaves:
        ids = [row[0] for row in database.execute(f"SELECT id FROM leaf_{leaf} ORDER BY id").fetchall()]
        assert ids == [row[0] for row in rows if row[1] == leaf]


def deep_tree(engine, side, n=41):
    """A tree of depth 40 whose branches are all on one side, over rows of a table, and its database."""
    database = sqlite3.connect(":memory:")
    if engine == "duckdb":
        database = pytest.importorskip("duckdb").connect(":memory:")
    database.execute("CREATE TABLE part(id INTEGER PRIMARY KEY, x DOUBLE, y DOUBLE)")
    for row in range(n + 9):
        known = row if row < n else None
        database.execute("INSERT INTO part VALUES (?, ?, ?)", [row, known, known if row % 10 < 8 else None])
    parts = Population.from_database(database, individual="part", condition="id <> 7")
    model = fit(parts, np.arange(n + 8.0), "refine part { top -> x >= * }", Growth(max_depth=1))
    stump, leaf = model.tree.nodes[:2]
    ends = {"yes": [0] * (n - 1), "no": [1] * (n - 1), "both": [place % 2 for place in range(n - 1)]}[side]
    nodes = []
    for place, is_no in enumerate(ends):  # each branch has a leaf on one side and the next branch on the other
        own, following = 2 * place + 1, 2 * place + 2
        yes, no = (own, following) if is_no else (following, own)
        step = (place + 0.5) / (2 if side == "both" else 1)
        test = parse_predicate(f"{'x' if place % 7 else 'y'} >= {n - step if is_no else step}")
        branch = replace(stump, test=check_predicate(test, "part", parts.schema), yes=yes, no=no)
        nodes += [branch, replace(leaf, stats=replace(leaf.stats, mean=float(own)))]
    nodes.append(leaf)
    deep = replace(model.tree, nodes=tuple(nodes))
    return database, parts, replace(model, predictor=replace(model.predictor, tree=deep))


@pytest.mark.parametrize("engine", ["sqlite", "duckdb"])
@pytest.mark.parametrize("side", ["yes", "no", "both"])
def test_a_tree_deeper_than_the_parser_of_sqlite_allows_is_descended_in_stages(engine, side):
    database, parts, model = deep_tree(engine, side)
    assert model.tree.depth == 40
    sql = export_sql(model)
    assert ("reached_0" in sql) == (side != "no")
    getattr(database, "executescript", database.execute)(sql)
    rows = database.execute("SELECT * FROM prediction ORDER BY id").fetchall()
    predicted = model.predict(parts)
    assert len(set(predicted.tolist())) > 10
    assert [row[2] for row in rows] == predicted.tolist()
    for leaf in model.tree.leaves:
        ids = [row[0] for row in database.execute(f"SELECT id FROM leaf_{leaf} ORDER BY id").fetchall()]
        assert ids == [row[0] for row in rows if row[1] == leaf]


@pytest.mark.parametrize("engine", ["sqlite", "duckdb"])
@pytest.mark.parametrize("individual", ["customer", "order"])
def test_stages_of_linked_tables_predict_what_the_tree_predicts(engine, individual, monkeypatch):
    monkeypatch.setattr(views, "MOST_NESTED", 1)
    database, population = opened(0, engine, {"individual": individual})
    values = np.random.default_rng(0).normal(size=len(population))
    model = fit(population, values, growth=Growth(max_depth=4, max_evaluations=2_000))
    sql = export_sql(model)
    assert "reached_0" in sql
    getattr(database, "executescript", database.execute)(sql)
    found = [row[2] for row in database.execute("SELECT * FROM prediction ORDER BY 1").fetchall()]
    assert found == model.predict(population).tolist()


def test_a_model_of_other_data_is_refused():
    model = fit([{"x": 1}, {"x": 2}], ["a", "b"])
    with pytest.raises(UsageError, match="does not record the tables it was learned from; fit it again"):
        export_sql(model)


def test_what_sql_cannot_say_is_refused_by_the_test_that_asks_it(bank):
    loans = Population.from_database(bank, individual="loan")
    grammar = "function lucky: loan -> int  refine loan { top -> lucky >= 1 }"
    labels = ["yes" if i % 2 else "no" for i in range(len(loans))]
    model = fit(loans, labels, grammar, functions={"lucky": lambda loan: loan["years"] % 2})
    with pytest.raises(
        UsageError, match="the test 'lucky >= 1' cannot be written as SQL: 'lucky' is not a column of"
    ):
        export_sql(model)
    shared = fit(loans, labels, "refine loan { top -> years >= * }", Growth(max_depth=1, missing="fractional"))
    with pytest.raises(UsageError, match="divides individuals with missing values among several leaves"):
        export_sql(shared)


def test_dates_that_are_digits_are_asked_as_they_are_stored():
    database = sqlite3.connect(":memory:")
    database.executescript(
        """
        CREATE TABLE loan(id INTEGER PRIMARY KEY, day INTEGER);
        CREATE TABLE payment(loan INTEGER REFERENCES loan(id), paid_on TEXT, amount REAL);
        INSERT INTO loan VALUES (1, 930705), (2, 10101), (3, NULL);
        INSERT INTO payment VALUES (1, '19930701', 2.5), (1, '19930801', 4.0), (2, '19990101', 1.0);
        """
    )
    kinds = {"day": "date(%y%m%d)", "paid_on": "date(%Y%m%d)"}
    loans = Population.from_database(database, individual="loan", types=kinds, as_of="day")
    layout = layout_of(provenance_of(loans).relations, "loan")
    for text in ("day >= 1993-07-05", "day.year = 2001", "count payment (top) >= 1", "sum payment.amount >= 2.5"):
        predicate = check_predicate(parse_predicate(text), "loan", loans.schema)
        tests = SqlTests(loans.schema, layout, "sqlite", Background(loans.schema))
        assert selected(database, tests, predicate).tolist() == holds(predicate, loans).tolist(), text


PETS = "refine person { top -> exists pet (top) } refine pet { top -> kind = * }"


def test_new_data_has_the_links_that_the_training_data_had():
    database = sqlite3.connect(":memory:")
    database.executescript("CREATE TABLE person(person_id INTEGER, age INTEGER); CREATE TABLE pet(person_id, kind)")
    for i in range(40):
        database.execute("INSERT INTO person VALUES (?, ?)", (i, 20 + i))
        database.executemany("INSERT INTO pet VALUES (?, ?)", [(i, ("cat", "dog")[i % 2]), (i, "fish")])
    people = Population.from_database(database, individual="person")
    layout = fit(people, ["a", "b"] * 20, PETS).layout
    assert [link.back for link in layout.links] == ["pet"]
    database.executescript("UPDATE pet SET person_id = person_id + 100")
    assert "pet" not in Population.from_database(database, individual="person").schema.type("person").members
    again = Population.from_database(database, individual="person", layout=layout)
    assert again.schema.type("person").link("pet").kind == "set"


REAL = [
    ("sqlite_samples/chinook.sqlite.gz", "Customer", "Country"),
    ("sqlite_samples/chinook.sqlite.gz", "Invoice", "Total"),
    ("sqlite_samples/northwind.sqlite.gz", "Orders", "Freight"),
    ("sqlite_samples/northwind.sqlite.gz", "Products", "Discontinued"),
    ("sqlite_zoo/concert_singer.sqlite.gz", "sänger", "ist_männlich"),
    ("sqlite_zoo/allergy_1.sqlite.gz", "schüler", "geschlecht"),
]


@pytest.mark.parametrize(("name", "individual", "target"), REAL)
def test_views_of_real_databases_predict_what_the_tree_predicts(shared_data, tmp_path, name, individual, target):
    path = tmp_path / "real.sqlite"
    path.write_bytes(gzip.decompress(shared_data(name).read_bytes()))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = open_data(path, individual=individual, target=target)
        growth = Growth(max_depth=2, max_evaluations=20_000)
        model = fit(data.population, data.target, growth=growth, target_name=target)
    with closing(sqlite3.connect(path)) as database:
        database.executescript(export_sql(model))
        found = database.execute("SELECT * FROM prediction")
        names = [column[0] for column in found.description]
        leaf = names.index("leaf")
        keys = ", ".join(f'"{key}"' for key in names[:leaf])
        order = database.execute(f'SELECT {keys} FROM "{individual}" ORDER BY rowid').fetchall()
        said = {row[:leaf]: row[leaf + 1] for row in found.fetchall()}
    ours = model.predict(data.population).tolist()
    assert len(set(ours)) > 1
    assert [said[order[row]] for row in data.rows] == ours
    assert len(said) == len(ours)


# ---- integers beyond 2**53 -------------------------------------------------------------------------------

WIDE = "id INTEGER PRIMARY KEY, a BIGINT, b BIGINT"
NEAR = [0, 2**53, -(2**53), 2**54, 2**60, -(2**62), 2**63 - 1024]


def wide_integers(rng, n, *, near):
    """Integers of 64 bits: any, or such as only a few bits keep apart."""
    if not near:
        return [int(value) for value in rng.integers(-(2**63), 2**63 - 1, n)]
    steps = rng.integers(-3, 4, n) * rng.choice([1, 1, 128], n)
    return [int(rng.choice(NEAR[1:3], 1)[0] if near == 1 else rng.choice(NEAR)) + int(step) for step in steps]


def wide_tables(engine, seed, near):
    """A table of integers with many digits, and rows of another that refer to it."""
    rng = np.random.default_rng(seed)
    database = sqlite3.connect(":memory:")
    if engine == "duckdb":
        database = pytest.importorskip("duckdb").connect()
    database.execute(f"CREATE TABLE owner ({WIDE})")
    database.execute(f"CREATE TABLE part ({WIDE}, owner_id INTEGER REFERENCES owner (id))")
    a, b = (wide_integers(rng, 30, near=near) for _ in range(2))
    b = [x if same else y for x, y, same in zip(a, b, rng.random(30) < 0.3, strict=True)]
    database.executemany("INSERT INTO owner VALUES (?, ?, ?)", list(zip(range(30), a, b, strict=True)))
    a, b = (wide_integers(rng, 60, near=near) for _ in range(2))
    owners = rng.integers(0, 30, 60).tolist()
    database.executemany("INSERT INTO part VALUES (?, ?, ?, ?)", list(zip(range(60), a, b, owners, strict=True)))
    return database


def wide_population(engine, database):
    """The same as a population, in which such integers are rounded, as a warning says."""
    more = {"links": ["part.owner_id=owner.id"]} if engine == "duckdb" else {}
    with pytest.warns(UserWarning, match="integers beyond 2"):
        return Population.from_database(database, individual="owner", **more)


@cache
def wide_example(engine, seed, near):
    """Such tables and their population, made once for all tests that only read them."""
    database = wide_tables(engine, seed, near)
    return database, wide_population(engine, database)


@pytest.mark.parametrize("near", [0, 1, 2])
@pytest.mark.parametrize("engine", ["sqlite", "duckdb"])
def test_integers_beyond_two_to_the_53_compare_as_the_numbers_that_are_read(engine, near):
    n_said = 0
    for seed in range(4):
        database = wide_tables(engine, seed, near)
        population = wide_population(engine, database)
        layout = layout_of(provenance_of(population).relations, "owner")
        source = RandomPredicates(population, seed)
        for _ in range(60):
            predicate = source.predicate("owner")
            tests = SqlTests(population.schema, layout, engine, Background(population.schema))
            try:
                found = selected(database, tests, predicate)
            except NotInSqlError:
                continue
            n_said += 1
            assert found.tolist() == holds(predicate, population).tolist(), pretty(predicate)
    assert n_said > 150


TESTS = """
a >= {0}; a <= {0}; a = {0}; a != {0}; a in {{{0}, {1}}}; a >= its b; a = its b; b <= its a
sum part.a >= {0}; sum part.a <= {0}; mean part.a >= {0}; max part.a >= {0}; max part.a <= {0}; min part.b <= {0}
range part.a >= {0}; range part.a <= {0}; distinct part.a >= 2; distinct part.a <= 1; latest part.a by b = {0}
latest part.a by b >= {0}; exists part (a = {0}); count part (a >= {0}) >= 2; exists part (a = its b)
"""


@pytest.mark.parametrize("near", [0, 1, 2])
@pytest.mark.parametrize("engine", ["sqlite", "duckdb"])
@pytest.mark.parametrize("test", [test.strip() for test in TESTS.replace("\n", ";").split(";") if test.strip()])
def test_each_test_of_such_integers_selects_who_is_predicted(engine, near, test):
    for seed in range(2):
        database, population = wide_example(engine, seed, near)
        layout = layout_of(provenance_of(population).relations, "owner")
        limits = [row[0] for row in database.execute("SELECT a FROM part ORDER BY id LIMIT 12").fetchall()]
        for one, other in pairwise(limits):
            predicate = check_predicate(parse_predicate(test.format(one, other)), "owner", population.schema)
            tests = SqlTests(population.schema, layout, engine, Background(population.schema))
            if test.startswith(("sum", "mean")) and abs(one) >= 2**53:
                with pytest.raises(NotInSqlError, match="of integers is compared with a number beyond 2"):
                    tests.condition(predicate, tests.individual())
                continue
            found = selected(database, tests, predicate)
            assert found.tolist() == holds(predicate, population).tolist(), pretty(predicate)
