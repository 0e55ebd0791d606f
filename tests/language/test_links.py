"""Derived links and computed attributes as users have them: learned with, saved, explained, refused."""

from __future__ import annotations

import json
from datetime import date, timedelta
from itertools import combinations

import networkx as nx
import numpy as np
import pytest

from structtree import (
    Grammar,
    Population,
    Space,
    StructuralTreeClassifier,
    best_split,
    compare_effort,
    count_space,
    explain,
    fit,
    holds,
    load_model,
    pretty,
    save_model,
    why_not,
)
from structtree.data.population import Adjacency, column_of, linked_population, typed_table
from structtree.data.schema import Link
from structtree.errors import DataError, GrammarError
from structtree.models.files.models import model_from_json, model_to_json
from structtree.models.settings import Growth
from structtree.space.background import with_background

# ---- worked examples --------------------------------------------------------------------------------------


def trains(n, seed=0):
    rng = np.random.default_rng(seed)
    shapes = ["circle", "square", "triangle", "hexagon"]

    def car():
        return {"wheels": int(rng.integers(2, 4)), "load": {"shape": str(rng.choice(shapes))}}

    records = [{"cars": [car() for _ in range(rng.integers(1, 4))]} for _ in range(n)]
    return records, np.array([same_load(record) for record in records])


def same_load(record):
    return any(one["load"] == other["load"] for one, other in combinations(record["cars"], 2))


RIVALS = """
link rival: Car -> set of Car = ~cars.cars where load.shape = my load.shape and not me
refine Train { top -> exists cars (top) }
refine Car { top -> exists rival (top); top -> wheels >= *; top -> load.shape = *; top -> top and top max 2 }
limits { nesting 3, literals 4 }
"""


def test_two_cars_carry_the_same_load():
    records, labels = trains(60)
    population = Population.from_records(records, individual="Train")
    split = best_split(population, labels, Space.build(Grammar.parse(RIVALS), population))
    assert pretty(split.predicate) == "exists cars (exists rival (top))" and split.proved


def test_a_triangle_in_a_graph():
    rng = np.random.default_rng(3)
    graphs = [nx.gnm_random_graph(7, int(rng.integers(5, 9)), seed=int(seed)) for seed in rng.integers(0, 999, 40)]
    labels = np.array([sum(nx.triangles(graph).values()) > 0 for graph in graphs])
    assert 5 < labels.sum() < 35
    population = Population.from_graphs(graphs)
    grammar = Grammar.parse("""
        link corner: Node -> set of Node = edges.to.edges.to where exists edges (to.me) and not me
        refine Graph { top -> exists nodes (top); top -> count nodes (top) >= * }
        refine Node { top -> count edges (top) >= *; top -> count corner (top) >= 1..3; top -> top and top max 2 }
        limits { nesting 2, literals 4 }
    """)
    # A corner is met by way of a third node, so there is none without a triangle.
    asked = grammar.predicate("exists nodes (exists corner (exists edges (top)))", population.schema)
    assert (holds(asked, with_background(population, grammar, {})) == labels).all()
    split = best_split(population, labels, Space.build(grammar, population))
    assert pretty(split.predicate) == "exists nodes (count corner (top) >= 1)" and split.proved


def test_ancestors_by_closure():
    # Ann is a parent of Bob and of Cid; Bob of Dan, Dan of Eve. Gus has no parents here.
    parents = {"Ann": [], "Bob": ["Ann"], "Cid": ["Ann"], "Dan": ["Bob"], "Eve": ["Dan"], "Gus": []}
    records = [{"$id": name, "parents": [{"$ref": p} for p in own]} for name, own in parents.items()]
    family = Population.from_records(records, individual="Person", types={"parents": "set"})
    grammar = Grammar.parse(
        """
        link ancestors: Person -> set of Person = parents+
        link descendants: Person -> set of Person = (~parents)+
        link elders: Person -> set of Person = ancestors.~parents where not me
        refine Person { top -> count ancestors (top) >= * }
    """
    )
    made = with_background(family, grammar, {}).table("Person")
    names = list(parents)

    def met(link, name):
        return {names[row] for row in made.links[link].of(names.index(name))}

    assert met("ancestors", "Eve") == {"Dan", "Bob", "Ann"} and met("ancestors", "Gus") == set()
    assert met("descendants", "Ann") == {"Bob", "Cid", "Dan", "Eve"}
    assert met("elders", "Dan") == {"Bob", "Cid"}


def loans(n, seed=1):
    """Loans with payments before and after them, and whether three late ones are in the 90 days before."""
    rng, day = np.random.default_rng(seed), date(2024, 6, 1)
    records, labels = [], []
    for _ in range(n):
        ages, late = rng.integers(-40, 200, rng.integers(1, 9)), rng.random(8) < 0.6
        payments = [
            {"date": (day - timedelta(days=int(age))).isoformat(), "late": bool(is_late)}
            for age, is_late in zip(ages, late, strict=False)
        ]
        records.append(
            {"date": day.isoformat(), "amount": int(rng.integers(1, 9)), "account": {"payments": payments}}
        )
        labels.append(sum(bool(is_late) and 0 <= age <= 90 for age, is_late in zip(ages, late, strict=False)) >= 3)
    return records, np.where(labels, "bad", "good")


LOANS = """
individual Loan
link before: Loan -> set of Payment = account.payments where date <= my date with days = my date - date
refine Loan { top -> count before (top) >= *; top -> amount >= * }
refine Payment { top -> late; top -> top and top max 2 }
refine before { top -> days <= {30, 60, 90, 120} }
"""


def test_three_late_payments_within_90_days_before_the_loan():
    records, labels = loans(150)
    model = fit(records, labels, LOANS, Growth(max_depth=3))
    assert [pretty(test) for test in model.tree.tests] == ["count before (days <= 90 and late) >= 3"]
    assert (model.predict(records) == labels).all()


def test_a_triangle_inside_a_circle_inside_a_square():
    rng = np.random.default_rng(5)
    shapes = ["triangle", "circle", "square"]

    def figure():
        return {"shape": str(rng.choice(shapes))}

    def picture():
        figures = [{"$id": f"{rng.integers(1 << 40)}", **figure()} for _ in range(5)]
        for i, one in enumerate(figures):
            if i and rng.random() < 0.8:
                one["within"] = {"$ref": figures[int(rng.integers(0, i))]["$id"]}
        return {"figures": figures}

    pictures = [picture() for _ in range(250)]

    def is_so(record):
        by_name = {one["$id"]: one for one in record["figures"]}

        def around(one):
            while "within" in one:
                one = by_name[one["within"]["$ref"]]
                yield one

        return any(
            one["shape"] == "triangle"
            and any(c["shape"] == "circle" and any(s["shape"] == "square" for s in around(c)) for c in around(one))
            for one in record["figures"]
        )

    labels = np.array([is_so(record) for record in pictures])
    assert 10 < labels.sum() < 240
    population = Population.from_records(pictures, individual="Picture")
    grammar = Grammar.parse("""
        link around: Figure -> set of Figure = within+
        refine Picture { top -> exists figures (top) }
        refine Figure { top -> shape = *; top -> exists around (top); top -> top and top max 2 }
        limits { nesting 3, literals 6 }
    """)
    split = best_split(population, labels, Space.build(grammar, population))
    rule = "exists figures (shape = triangle and exists around (shape = circle and exists around (shape = square)))"
    assert pretty(split.predicate) == rule and split.proved


# ---- every way to use them --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def learned():
    records, labels = loans(150)
    return fit(records, labels, LOANS, Growth(max_depth=3), target_name="payback"), records, labels


def test_a_model_with_derived_links_is_saved_and_predicts_the_same(learned, tmp_path):
    model, records, _ = learned
    save_model(model, tmp_path / "m.json")
    loaded = load_model(tmp_path / "m.json")
    assert (loaded.predict(records) == model.predict(records)).all()
    assert loaded.tree.schema == model.tree.schema
    assert model_to_json(loaded) == model_to_json(model)
    one_by_one = [loaded.predict([record])[0] for record in records[:20]]
    assert one_by_one == loaded.predict(records)[:20].tolist()


def test_a_model_predicts_whose_tests_do_not_need_every_derived_link(tmp_path):
    records, labels = loans(60)
    history = "link history: Loan -> list of Payment = account.payments sorted by date "
    model = fit(records, labels, LOANS + history + "refine Loan { top -> first history (top) }", Growth(max_depth=1))
    save_model(model, tmp_path / "m.json")
    assert model.needs.background.declarations.links[0].name == "before"
    assert model.predict(records).tolist() == load_model(tmp_path / "m.json").predict(records).tolist()


@pytest.mark.parametrize("prune", [True, False])
def test_trees_combine_what_is_asked_behind_derived_links(prune):
    records, labels = loans(60)
    both = "refine Loan { top -> top and top max 2 } limits { literals 4 }"
    model = fit(records, labels, LOANS + both, Growth(max_depth=2, prune=prune), grow="full")
    assert model.predict(records).tolist() == labels.tolist()


def test_the_individual_is_named_by_the_grammar_whatever_the_data_calls_it():
    records, labels = loans(60)
    population = Population.from_records(records)
    assert "Loan" not in population.schema
    model = fit(population, labels, LOANS, Growth(max_depth=1))
    assert (model.predict(population) == model.predict(records)).all()


def test_new_data_may_have_members_of_the_names_that_a_model_computes(learned):
    model, records, _ = learned
    more = [{**record, "before": [{"days": 3}], "account": {**record["account"], "days": 1}} for record in records]
    assert model.predict(more).tolist() == model.predict(records).tolist()
    boxes = [{"kg": kg} for kg in (1, 2, 3, 4)]
    grammar = "individual Box attribute g: Box = 1000 * kg refine Box { top -> g >= * }"
    heavy = fit(boxes, ["no", "no", "yes", "yes"], grammar)
    assert heavy.predict([{"kg": 4, "g": "unknown"}, {"kg": 1, "g": "much"}]).tolist() == ["yes", "no"]


def test_a_model_needs_what_its_links_are_made_of(learned):
    model, records, _ = learned
    assert model.needed == {"Loan": {"account", "date"}, "Account": {"payments"}, "Payment": {"date", "late"}}
    lacking = [{key: value for key, value in record.items() if key != "date"} for record in records]
    with pytest.raises(DataError, match="the model needs the attribute 'date' of type 'Loan'"):
        model.predict(lacking)


def test_a_damaged_background_is_refused_with_its_place(learned):
    document = model_to_json(learned[0])
    for background, said in [
        ("link before: Loan -> set of Payment =", "cannot be read"),
        ("link before: Loan -> set of Payment = account.payment", "unknown link 'payment'"),
    ]:
        with pytest.raises(DataError, match=said) as caught:
            model_from_json({**document, "background": background})
        assert caught.value.path == "$.background"
    without = {key: value for key, value in document.items() if key != "background"}
    with pytest.raises(DataError, match="unknown link 'before'"):
        model_from_json(json.loads(json.dumps(without)))


def test_models_without_background_are_written_without_one():
    records, labels = loans(40)
    model = fit(records, labels, "refine Individual { top -> amount >= * }", Growth(max_depth=1))
    document = model_to_json(model)
    assert "background" not in document


def test_an_explanation_names_the_rows_that_were_met(learned):
    model, records, labels = learned
    bad = labels.tolist().index("bad")
    told = str(explain(model, records, bad))
    assert "before[" in told and "= account.payments[" in told and "(Payment): days = " in told
    (reason,) = explain(model, records, bad).reasons
    row = next(row for row in reason.rows if row.path)
    assert row.type == "Payment" and row.to_dict()["met"].startswith("account.payments[")


def test_an_estimator_learns_with_derived_links():
    records, labels = loans(150)
    tree = StructuralTreeClassifier(grammar=LOANS, max_depth=2).fit(records, labels)
    assert tree.score(records, labels) == 1.0


def test_cross_validation_computes_links_from_the_training_individuals_alone():
    # Both persons know one club; a derived link from one to the other must not see who is held out.
    records = [{"size": i, "club": {"$id": "c"} if i == 0 else {"$ref": "c"}} for i in range(4)]
    people = Population.from_records(records, individual="Person")
    grammar = Grammar.parse(
        "link mates: Person -> set of Person = club.~club where not me refine Person { top -> size >= * }"
    )
    whole = with_background(people, grammar, {})
    assert whole.table("Person").links["mates"].lengths.tolist() == [3, 3, 3, 3]
    part = with_background(people.take([0, 2]), grammar, {})
    assert part.table("Person").links["mates"].lengths[part.individuals].tolist() == [1, 1]


def test_rows_that_only_links_backwards_lead_to_are_met_on_every_route():
    car = typed_table("Car", 6, {"wheels": column_of("int", [1, 2, 3, 4, 5, 6])})
    cars = Adjacency.in_order([3, 3])
    train = typed_table("Train", 2, {"fast": column_of("bool", [True, False])}, {Link("cars", "set", "Car"): cars})
    population, labels = linked_population("Car", [car, train]), np.array([0, 0, 0, 1, 1, 1])
    grammar = Grammar.parse("link train: Car -> Train? = ~cars refine Car { top -> train.fast; top -> wheels = * }")
    assert pretty(best_split(population, labels, grammar).predicate) == "train.fast"
    assert pretty(best_split(population, labels, grammar.check(population.schema)).predicate) == "train.fast"
    assert pretty(best_split(population, labels, Space.build(grammar, population)).predicate) == "train.fast"
    assert compare_effort(population, labels, grammar, ["entropy"])[0].predicate == "train.fast"
    model = fit(population, labels, grammar, Growth(max_depth=1))
    loaded = model_from_json(json.loads(json.dumps(model_to_json(model))))
    assert loaded.needed == {"Car": set(), "Train": {"cars", "fast"}}
    assert loaded.predict(population.take([0, 5])).tolist() == [0, 1]
    sentence = "the model needs rows of type 'Train', but the data has no such type"
    with pytest.raises(DataError, match=sentence):
        loaded.predict([{"wheels": 3}])


def test_spaces_with_derived_links_are_counted_listed_and_asked():
    records, labels = trains(12)
    population = Population.from_records(records, individual="Train")
    space = Space.build(Grammar.parse(RIVALS), population)
    assert count_space(space).size == len(list(space.enumerate()))
    assert "exists cars (exists rival (wheels >= 3))" in space
    split = best_split(population, labels, space)
    told = why_not(split, "exists cars (exists rival (exists rival (exists rival (top))))")
    assert "nesting" in str(told)


def test_pairs_hold_what_their_rows_hold_and_their_own_block_adds():
    checked = Grammar.parse(LOANS).check(Population.from_records(loans(3)[0], individual="Loan").schema)
    assert [pretty(rewrite.right) for rewrite in checked.rewrites["before"]] == ["days <= {30, 60, 90, 120}", "late"]
    assert checked.conjuncts["before"] == 2
    other = Grammar.parse(LOANS.replace("refine before {", "refine before { top -> top and top max 3;"))
    assert other.check(checked.schema).conjuncts["before"] == 3


def test_what_is_not_asked_of_pairs_is_named_with_the_way_to_ask_it():
    records, _ = loans(10)
    space = Space.build(Grammar.parse(LOANS), Population.from_records(records, individual="Loan"))
    with pytest.raises(
        GrammarError,
        match=r"unknown attribute 'date' of type 'before'; to copy it to the pairs, use it in 'refine before",
    ):
        space.parse("exists before (date >= 2024-01-01)")
    with pytest.raises(GrammarError, match=r"unknown link 'dates' of type 'before'$"):
        space.parse("exists before (exists dates (top))")


def test_definitions_of_the_rows_hold_of_pairs():
    records, labels = loans(150)
    grammar = LOANS.replace("top -> late;", "top -> bad;").replace(
        "refine Loan", "define bad: Payment = late and date >= 2000-01-01\nrefine Loan", 1
    )
    model = fit(records, labels, grammar, Growth(max_depth=1))
    assert [pretty(test) for test in model.tree.tests] == ["count before (bad and days <= 90) >= 3"]
    loaded = model_from_json(json.loads(json.dumps(model_to_json(model))))
    assert (loaded.predict(records) == labels).all()


def test_a_computed_attribute_is_one_like_any_other():
    rng = np.random.default_rng(2)
    squares = rng.integers(1, 9, (300, 4))
    records = [dict(zip(["wkf", "wkr", "bkf", "bkr"], map(int, row), strict=True)) for row in squares]
    near = np.abs(squares[:, :2] - squares[:, 2:]).max(axis=1) <= 1
    grammar = """
        attribute files: Individual = abs(wkf - bkf)
        attribute ranks: Individual = abs(wkr - bkr)
        refine Individual { top -> files <= *; top -> ranks <= *; top -> top and top max 2 }
    """
    model = fit(records, near, grammar, Growth(max_depth=1))
    assert [pretty(test) for test in model.tree.tests] == ["files <= 1 and ranks <= 1"]
    loaded = model_from_json(json.loads(json.dumps(model_to_json(model))))
    assert (loaded.predict(records) == near).all()
    assert loaded.needed == {"Individual": {"wkf", "wkr", "bkf", "bkr"}}


# ---- the target -------------------------------------------------------------------------------------------


def test_what_is_computed_from_the_target_is_left_out():
    records = [
        {"size": i % 5, "class": "ab"[i % 2], "friend": {"$ref": f"{(i + 1) % 6}"}, "$id": f"{i}"} for i in range(6)
    ]
    people = Population.from_records(records, individual="Person")
    rest, labels = people.split_target("class")
    grammar = Grammar.parse("""
        link alike: Person -> set of Person = friend where class = my class
        link twice: Person -> set of Person = alike.friend
        attribute double: Person = size * 2
        refine Person { top -> exists alike (top); top -> exists twice (top); top -> double >= *; top -> class = * }
        limits { nesting 2, literals 2 }
    """)
    left = grammar.omitting({"class": "the target"}, rest.schema)
    assert left.notes == ("skipped: class (the target); removed 3 rewrites and the declaration of alike, twice",)
    assert [pretty(r.right) for r in left.check(rest.schema).rewrites["Person"]] == ["double >= *"]
    assert fit(rest, labels, grammar, Growth(max_depth=1), target_name="class").tree


# ---- refusals ---------------------------------------------------------------------------------------------


def test_too_many_pairs_are_refused_before_they_are_made():
    records, _ = trains(20)
    population = Population.from_records(records, individual="Train")
    grammar = Grammar.parse(RIVALS.replace("literals 4", "literals 4, pairs 10"))
    n_pairs = sum(len(record["cars"]) ** 2 for record in records)
    with pytest.raises(
        DataError, match=f"leads to {n_pairs} pairs of rows on this data, expected at most 10"
    ) as caught:
        with_background(population, grammar, {})
    assert f"pairs {n_pairs}" in str(caught.value)


def test_a_reference_that_is_derived_leads_to_one_row_at_most():
    records, _ = trains(20)
    population = Population.from_records(records, individual="Train")
    first = "link mate: Car -> Car? = ~cars.cars where not me refine Train { top -> exists cars (missing mate) }"
    with pytest.raises(DataError, match=r"leads from row \d+ of 'Car' to 2 rows, but 'Car\?' allows only one"):
        with_background(population, Grammar.parse(first), {})


MISTAKES = [
    (
        "link a: Car -> set of Car = b link b: Car -> set of Car = a",
        r"circular declarations: a -> b -> a; .*'parent\+'",
    ),
    (
        "link a: Car -> set of Car = ~carz.cars",
        r"cannot follow 'carz' backwards: it does not lead to 'Car'.*did you mean 'cars'",
    ),
    (
        "link a: Car -> set of Load = ~cars.cars",
        r"the path '~cars.cars' leads to 'Car', not to 'Load'",
    ),
    (
        "link a: Car -> set of Load = load+",
        r"expected a path from a type to itself before '\+', got 'load' from 'Car' to 'Load'",
    ),
    (
        "link a: Car -> set of Car = ~cars.cars where lung",
        r"'lung' is neither .*did you mean 'long'",
    ),
    (
        "link a: Car -> set of Car = ~cars.cars where load.me",
        r"'me' has type 'Car', but the row here has type 'Load'",
    ),
    (
        "link a: Car -> list of Car = ~cars.cars",
        r"a list needs an order; add 'sorted by ...'",
    ),
    (
        "link a: Car -> set of Car = ~cars.cars sorted by wheels",
        r"only a list can be sorted; write '-> list of Car'",
    ),
    (
        "link a: Car -> set of Car = ~cars.cars with long = 3",
        r"type 'Car' already has a member 'long'",
    ),
    (
        "link Load: Car -> set of Car = ~cars.cars with k = 3",
        r"would be a type named 'Load', which already exists; rename the link",
    ),
    (
        "link long: Car -> set of Car = ~cars.cars",
        r"type 'Car' already has a member 'long'",
    ),
    (
        "link load: Car -> set of Load = load",
        r"type 'Car' already has a member 'load'; choose another name",
    ),
    (
        "attribute wheels: Car = 2 * wheels",
        r"type 'Car' already has a member 'wheels'; choose another name",
    ),
    (
        "link a: Car -> set of Load = ~cars.cars.load where wheels >= 3",
        r"unknown attribute 'wheels' of type 'Load'; for the attribute of the link's owner write 'my wheels'",
    ),
    (
        "link a: Depot -> set of Car = load.~Car.load where wheels >= tracks",
        r"expected a number, got 'tracks'; for the value of the link's owner write 'wheels >= my tracks'",
    ),
    (
        "link a: Load -> list of Depot = ~Depot.load sorted by tracks refine Depot { top -> next (top) }",
        r"'next' needs an element of a list, but no list has rows of 'Depot'; write it in 'refine a \{ ... \}'",
    ),
    (
        "link a: Cat -> set of Car = ~cars.cars",
        r"unknown type 'Cat' \(did you mean 'Car'",
    ),
    (
        "link a: Load -> set of Car = ~load",
        r"several types have a link 'load' to 'Load'; write '~Car.load' or '~Depot.load'",
    ),
    (
        "attribute x: Car = my wheels",
        r"'my wheels' is a value of the link's owner",
    ),
    (
        "attribute x: Car = shape + 1",
        r"'shape' is nominal; expected a number, a date or a time in an expression",
    ),
    (
        "attribute x: Car = built + built",
        r"'built \+ built' is undefined: 'built' is a date and 'built' is a date",
    ),
    (
        "attribute x: Car = abs(built)",
        r"expected a number in 'abs\(built\)', but 'built' is a date",
    ),
    (
        "attribute x: Car = y attribute y: Car = x",
        r"circular declarations: x -> y -> x",
    ),
    (
        "attribute x: Car = wheelz * 2",
        r"unknown attribute 'wheelz' of type 'Car' \(did you mean 'wheels'",
    ),
    (
        "refine Load { top -> me }",
        r"'me' is only allowed in the condition of a derived link.*in backticks: `me`",
    ),
    (
        "refine Load { top -> shape = my shape }",
        r"'my shape' is only allowed in the condition of a derived link.*use 'its'",
    ),
    (
        "define d: Car = exists a (long) link a: Car -> set of Car = ~cars.cars where d",
        r"circular declarations: a -> d -> a",
    ),
]


@pytest.mark.parametrize(("text", "said"), MISTAKES)
def test_a_mistake_in_a_declaration_is_explained(text, said):
    types = """
        type Train = { cars: list of Car, depots: set of Depot }
        type Car = { load: Load, long: bool, wheels: int, shape: a | b, built: date }
        type Depot = { load: Load, tracks: int }
        type Load = { shape: circle | square }
        individual Train
    """
    with pytest.raises(GrammarError, match=said) as caught:
        Grammar.parse(types + text).check()
    assert caught.value.line is not None
