"""The embedded data sets say what their sources say, and the catalog finds them all."""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from structtree.data.datasets import catalog
from structtree.data.datasets.catalog import Dataset, dataset_catalog, dataset_names, load_dataset
from structtree.data.datasets.folders import shipped
from structtree.errors import MissingFileError, UnknownNameError, UsageError

EMBEDDED = (
    *("michalski10", "trains", "dolphins", "hammond", "hammond-bids", "animals", "lenses", "tennis", "golf"),
    "arches",
)
GENERATED = (
    *("monks-1", "monks-1-train", "monks-2", "monks-2-train", "monks-3", "monks-3-train"),
    *("leap-years", "krk", "planted-trains"),
    *("planted-molecules", "bags", "sequences", "rooted-trees"),
)
GRAMMARS = {"trains", "atoms-and-bonds", "multi-instance", "sequences", "rooted-trees", "flat", "krk", None}

Facts = dict[str, list[tuple[str, ...]]]


def records(data: Dataset, depth: int = 4) -> list[dict]:
    return [data.population.record(i, depth) for i in range(len(data.population))]


def rows(data: Dataset) -> list[dict]:
    """The records of a table, each with its target."""
    return [{**r, data.target_name: y} for r, y in zip(records(data), data.target.tolist(), strict=True)]


def read_facts(path: Path) -> Facts:
    facts: Facts = defaultdict(list)
    for name, arguments in re.findall(r"^(\w+)\(([^)]*)\)\.", path.read_text(), re.MULTILINE):
        facts[name].append(tuple(arguments.split(",")))
    return facts


# ---- the catalog ------------------------------------------------------------------------------------------


def test_the_catalog_has_every_promised_set_and_says_of_which_kind_it_is():
    kinds = {entry.name: entry.kind for entry in dataset_catalog()}
    assert dataset_names() == tuple(kinds)
    here = {name: kind for name, kind in kinds.items() if kind != "fetched"}
    assert here == {**dict.fromkeys(EMBEDDED, "embedded"), **dict.fromkeys(GENERATED, "generated")}


def test_the_catalog_is_told_without_reading_data(monkeypatch):
    def forbidden(*_: object) -> None:
        raise AssertionError("data was read")

    monkeypatch.setattr(catalog, "_population", forbidden)
    assert all(entry.summary and entry.source and entry.target for entry in dataset_catalog())


@pytest.mark.parametrize("name", EMBEDDED + GENERATED)
def test_every_set_loads_with_its_target_apart(name):
    entry = next(entry for entry in dataset_catalog() if entry.name == name)
    data = load_dataset(name)
    assert (data.name, data.target_name, data.task, data.source) == (
        name,
        entry.target,
        entry.task,
        entry.source,
    )
    assert data.target_name not in data.population.schema.type(data.population.schema.individual).members
    assert data.target.shape == (len(data.population),)
    assert data.description.startswith(entry.summary)
    assert data.grammar in GRAMMARS
    if data.task == "numbers":
        assert data.target.dtype == np.float64
    else:
        assert all(isinstance(label, str) for label in data.target)


def test_options_reach_the_generator():
    assert "seed" in next(entry for entry in dataset_catalog() if entry.name == "bags").options
    assert len(load_dataset("bags", n=6, instances=(1, 3), features=8).population) == 6


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(UnknownNameError, match=r"^unknown dataset 'trians' \(did you mean 'trains'\?\)$"):
        load_dataset("trians")


def test_an_unknown_option_is_answered_with_the_nearest():
    with pytest.raises(UsageError, match=r"^the dataset 'bags' has no option 'feature' \(did you mean 'features'"):
        load_dataset("bags", feature=3)


def test_a_set_that_is_written_out_takes_no_options():
    with pytest.raises(UsageError, match="'lenses' has no option 'seed'; only generated datasets have such options"):
        load_dataset("lenses", seed=1)


def test_the_problem_of_a_monk_is_in_its_name_and_not_an_option():
    with pytest.raises(UsageError, match="'monks-1' has no option 'problem'"):
        load_dataset("monks-1", problem=2)


def test_a_folder_that_was_not_shipped_is_told_in_one_sentence():
    with pytest.raises(MissingFileError, match="the folder 'nowhere' of structtree is neither at"):
        shipped("nowhere")


def test_the_index_of_the_folder_tells_about_every_file_and_every_name():
    folder = shipped("datasets")
    index = (folder / "README.md").read_text()
    files = {path.name for path in folder.iterdir()} - {"README.md", "catalog.toml"}
    assert {Path(name).stem for name in files} == set(EMBEDDED)
    assert all(f"`{name}`" in index for name in (*files, *EMBEDDED, *GENERATED))


# ---- trains -----------------------------------------------------------------------------------------------


def test_the_challenge_has_ten_trains_each_way_and_63_cars():
    data = load_dataset("trains")
    assert Counter(data.target.tolist()) == {"east": 10, "west": 10}
    assert data.population.table("Car").n_rows == 63
    assert data.population.schema.listed("Car")


def test_michalski_has_five_trains_each_way_and_30_cars():
    data = load_dataset("michalski10")
    assert Counter(data.target.tolist()) == {"east": 5, "west": 5}
    assert data.population.table("Car").n_rows == 30


def test_both_sets_of_trains_have_one_schema():
    assert load_dataset("trains").population.schema == load_dataset("michalski10").population.schema


def test_a_short_closed_car_tells_michalskis_trains_apart():
    data = load_dataset("michalski10")
    short_closed = [any(not c["long"] and c["roof"] != "none" for c in r["cars"]) for r in records(data)]
    assert short_closed == (data.target == "east").tolist()


def cargo(car: dict) -> tuple[str, int] | None:
    return (car["load"]["shape"], car["load"]["number"]) if "load" in car else None


def assert_cars_follow(car: dict, name: str, facts: Facts, load: dict[str, tuple[str, int] | None]) -> None:
    shape = dict(pair for pair in facts["shape"] if len(pair) == 2)
    assert car["shape"] == shape[name].replace("elipse", "ellipse")
    assert car["long"] == ((name,) in facts["long"]) == ((name,) not in facts["short"])
    assert car["double"] == ((name,) in facts["double"])
    assert car["wheels"] == int(dict(facts["wheels"])[name])
    assert (car["roof"] == "none") == ((name,) in facts["open_car"])
    assert cargo(car) == load[name]


def test_every_car_of_the_challenge_is_as_in_the_facts(shared_data):
    facts = read_facts(shared_data("trains/eastwest20_facts.pl"))
    positive = {t for (t,) in read_facts(shared_data("trains/eastwest20_pos.pl"))["eastbound"]}
    load = {car: (shape, int(n)) if int(n) else None for car, shape, n in facts["load"]}
    place = {car: int(i) for car, i in facts["car_position"]}
    trains = list(dict.fromkeys(train for train, _ in facts["has_car"]))
    data = load_dataset("trains")
    assert [t in positive for t in trains] == (data.target == "east").tolist()
    for train, record in zip(trains, records(data), strict=True):
        names = sorted((car for t, car in facts["has_car"] if t == train), key=place.__getitem__)
        for name, car in zip(names, record["cars"], strict=True):
            assert_cars_follow(car, name, facts, load)
            assert car["roof"] == dict(facts["roof"])[name]
        assert set(pairwise(names)) <= set(facts["infront"])


def test_every_car_of_michalski_is_as_in_the_facts_but_for_one_load(shared_data):
    facts = read_facts(shared_data("trains/michalski10_facts.pl"))
    positive = {t for (t,) in read_facts(shared_data("trains/michalski10_pos.pl"))["eastbound"]}
    assert [car for car, n in Counter(car for car, _, _ in facts["load"]).items() if n > 1] == ["car_93"]
    load = {car: (shape, int(n)) if int(n) else None for car, shape, n in reversed(facts["load"])}
    load["car_94"] = ("circle", 1)
    data = load_dataset("michalski10")
    trains = list(dict.fromkeys(train for train, _ in facts["has_car"]))
    assert [t in positive for t in trains] == (data.target == "east").tolist()
    for train, record in zip(trains, records(data), strict=True):
        names = [car for t, car in facts["has_car"] if t == train]
        for name, car in zip(names, record["cars"], strict=True):
            assert_cars_follow(car, name, facts, load)
            assert (car["roof"] == "jagged") == ((name,) in facts["jagged"])
            assert (car["roof"] == "closed") == ((name,) in facts["closed"])


def test_the_repaired_load_and_all_others_are_as_in_the_attribute_form(shared_data):
    lines = shared_data("trains/uci_trains.arff").read_text().split("@data")[1].split()
    for line, record in zip(lines, records(load_dataset("michalski10")), strict=True):
        n_cars, _, *fields = line.split(",")
        cars = [fields[5 * i : 5 * i + 5] for i in range(int(n_cars) - 1)]  # there the engine counts as a car
        expected = [(int(wheels), shape[:4] if n != "0" else None, int(n)) for wheels, _, _, n, shape in cars]
        loads = [cargo(car) or (None, 0) for car in record["cars"]]
        found = [(c["wheels"], shape and shape[:4], n) for c, (shape, n) in zip(record["cars"], loads, strict=True)]
        assert found == expected


# ---- Flach ------------------------------------------------------------------------------------------------


def test_the_nine_literals_of_the_dolphins_cover_what_figure_6_2_says():
    counts: Counter[tuple] = Counter()
    for row in rows(load_dataset("dolphins")):
        counts.update((name, row[name], row["dolphin"]) for name in ("length", "gills", "beak", "teeth"))
    covered = {key[:2]: (counts[*key[:2], "yes"], counts[*key[:2], "no"]) for key in counts}
    assert covered == {
        ("length", 3): (2, 0),
        ("length", 4): (1, 3),
        ("length", 5): (2, 2),
        ("gills", "yes"): (0, 4),
        ("gills", "no"): (5, 1),
        ("beak", "yes"): (5, 3),
        ("beak", "no"): (0, 2),
        ("teeth", "many"): (3, 4),
        ("teeth", "few"): (2, 1),
    }


@pytest.mark.parametrize(
    ("attribute", "means", "squares"),
    [
        ("model", {"A100": 1574, "B3": 4513, "E112": 77, "M102": 870, "T202": 331}, 3.21e6),
        ("condition", {"excellent": 3142, "good": 1023, "fair": 267}, 2.68e6),
        ("leslie", {"yes": 1132, "no": 1297}, 1.55e6),
    ],
)
def test_the_mean_prices_of_the_organs_are_those_of_example_5_4(attribute, means, squares):
    groups = defaultdict(list)
    for row in rows(load_dataset("hammond")):
        groups[row[attribute]].append(row["price"])
    assert {name: np.mean(prices) for name, prices in groups.items()} == pytest.approx(means, abs=0.7)
    weighted = sum(len(prices) * np.mean(prices) ** 2 for prices in groups.values()) / 9
    assert weighted == pytest.approx(squares, abs=0.006e6)


def numbers(organs: list[dict]) -> np.ndarray:
    return np.array([[row["price"], row["reserve"], row["bids"]] for row in organs])


def test_the_clusters_of_organs_are_those_of_example_5_6():
    organs = rows(load_dataset("hammond-bids"))
    a100, t202 = (numbers([row for row in organs if row["model"] == model]) for model in ("A100", "T202"))
    assert a100.mean(axis=0) == pytest.approx([16, 14, 9.7], abs=0.05)
    assert a100.var(axis=0) == pytest.approx([12.7, 20.7, 38.2], abs=0.05)
    assert t202.mean(axis=0) == pytest.approx([3.3, 0, 4.3], abs=0.05)
    assert t202.var(axis=0) == pytest.approx([4.2, 0, 11.6], abs=0.05)


def test_the_overall_means_of_example_5_6_are_those_of_the_table_with_8_as_the_last_price():
    table = numbers(rows(load_dataset("hammond-bids")))
    assert table[-1, 0] == 1
    table[-1, 0] = 8
    assert table.mean(axis=0) == pytest.approx([13.3, 8.6, 7.9], abs=0.05)
    assert table.var(axis=0) == pytest.approx([158, 101.8, 48.8], abs=0.05)


def test_both_tables_of_organs_list_the_same_nine():
    plain, bids = (rows(load_dataset(name)) for name in ("hammond", "hammond-bids"))
    keys = ("model", "condition", "leslie")
    assert [[row[k] for k in keys] for row in plain] == [[row[k] for k in keys] for row in bids]
    assert all(abs(a["price"] / 100 - b["price"]) < 1 for a, b in zip(plain, bids, strict=True))


# ---- animals, lenses, arches ------------------------------------------------------------------------------


def test_feathers_tell_of_flight_for_all_animals_but_two():
    animals = rows(load_dataset("animals"))
    exceptions = [r["species"] for r in animals if (r["covering"] == "feathers") != (r["movement"] == "flies")]
    assert exceptions == ["penguin", "elephant"]


def test_the_name_of_an_animal_is_not_offered_to_a_tree():
    assert "name" not in load_dataset("animals").population.schema.type("Row").members


def test_the_lenses_are_all_24_cases_with_15_5_and_4_of_each_class():
    data = load_dataset("lenses")
    assert len({tuple(record.values()) for record in records(data)}) == 24
    assert Counter(data.target.tolist()) == {"none": 15, "soft": 5, "hard": 4}


def test_the_lenses_are_those_of_the_repository(shared_data):
    with shared_data("uci/lenses.csv").open(newline="") as file:
        assert rows(load_dataset("lenses")) == list(csv.DictReader(file))


def is_an_arch(structure: dict) -> bool:
    return any(sum(not below["touches"] for below in block["on"]) >= 2 for block in structure["blocks"])


def test_an_arch_is_what_has_a_block_on_two_that_touch_no_other():
    data = load_dataset("arches")
    assert [is_an_arch(r) for r in records(data)] == (data.target == "arch").tolist()
    assert Counter(data.target.tolist()) == {"arch": 5, "other": 7}


def test_the_first_two_structures_are_those_of_the_book():
    first, second = records(load_dataset("arches"), depth=2)[:2]
    assert [(b["shape"], b.get("pointing"), len(b["on"])) for b in first["blocks"]] == [
        ("triangle", "up", 2),
        ("rectangle", None, 0),
        ("rectangle", None, 0),
    ]
    assert [(b["shape"], len(b["on"])) for b in second["blocks"]] == [("rectangle", 1), ("rectangle", 0)]


def test_blocks_touch_each_other_both_ways_and_stay_in_their_structure():
    population = load_dataset("arches").population
    structures = population.table("Structure").links["blocks"]
    home = np.full(population.table("Block").n_rows, -1)
    home[structures.targets] = structures.owners
    touches, on = (population.table("Block").links[name] for name in ("touches", "on"))
    pairs = set(zip(touches.owners.tolist(), touches.targets.tolist(), strict=True))
    assert pairs == {(b, a) for a, b in pairs}
    assert (home[touches.owners] == home[touches.targets]).all()
    assert (home[on.owners] == home[on.targets]).all()
    assert (home >= 0).all()
