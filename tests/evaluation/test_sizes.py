"""The menu of sizes: every size that it names is the size of the tree that ``leaves`` then gives."""

from __future__ import annotations

import json

import networkx as nx
import numpy as np
import pytest
from typer.testing import CliRunner

from structtree import fit
from structtree.cli import app
from structtree.evaluation.sizes import size_menu
from structtree.learn.fit import fit as fit_individuals


def flat():
    """A sum of three numbers, with noise."""
    rng = np.random.default_rng(7)
    rows = rng.normal(size=(200, 3))
    return rows, np.where(rows.sum(axis=1) + rng.normal(scale=0.5, size=200) > 0, "high", "low")


def numbers():
    """Two steps, with noise."""
    rng = np.random.default_rng(7)
    rows = rng.normal(size=(200, 2))
    return rows, 1e3 * (rows[:, 0] > 0) + 300 * (rows[:, 1] > 0) + rng.normal(scale=50, size=200)


def nested():
    """Boxes of items; the label depends on the weight of the box, or on one of its items."""
    rng = np.random.default_rng(7)
    boxes = [
        {
            "weight": int(rng.integers(100)),
            "items": [
                {"size": int(rng.integers(9)), "red": bool(rng.integers(2))} for _ in range(rng.integers(1, 4))
            ],
        }
        for _ in range(150)
    ]
    likely = [box["weight"] > 70 or any(item["red"] and item["size"] > 5 for item in box["items"]) for box in boxes]
    return boxes, np.where(np.array(likely) ^ (rng.random(150) < 0.05), "yes", "no")


def graphs():
    """Rings with a few chords, in three classes by their number."""
    rng = np.random.default_rng(7)
    found, chords = [], rng.integers(0, 6, 150)
    for n in chords:
        ring = nx.cycle_graph(10)
        ring.add_edges_from([(i, i + 5) for i in range(n)])
        found.append(ring)
    return found, np.array(["none", "few", "few", "few", "many", "many"])[chords]


KINDS = {make.__name__: make for make in (flat, numbers, nested, graphs)}


@pytest.fixture(scope="module", params=KINDS)
def fitted(request):
    """Individuals and labels of one kind, with their model."""
    individuals, labels = KINDS[request.param]()
    return individuals, labels, fit_individuals(individuals, labels, effort="quick")


def test_every_size_of_the_menu_is_the_size_of_the_tree_that_it_announces(fitted):
    individuals, labels, model = fitted
    menu = size_menu(model)
    assert len(menu) > 1
    for choice in menu:
        other = fit_individuals(individuals, labels, effort="quick", leaves=choice.leaves)
        assert len(other.tree.leaves) == choice.leaves
        if choice.leaves == len(model.tree.leaves):
            assert str(other.tree) == str(model.tree)


def test_a_menu_has_the_size_of_the_tree_and_other_sizes_only_if_they_improve(fitted):
    _, _, model = fitted
    menu, chosen = size_menu(model), len(model.tree.leaves)
    assert [choice.leaves for choice in menu] == sorted({choice.leaves for choice in menu})
    assert chosen in [choice.leaves for choice in menu]
    scores = [choice.score for choice in menu if choice.leaves != chosen]
    assert scores == sorted(scores)


def test_numbers_are_scored_by_the_share_of_their_variance():
    rows, y = numbers()
    model = fit_individuals(rows, y)
    losses = dict(zip(model.outcome.sizes.leaves, model.outcome.sizes.held_out, strict=True))
    for choice in size_menu(model):
        assert choice.measure == "R²" and 0 < choice.score < 1
        assert choice.score == pytest.approx(1 - losses[choice.leaves] / np.var(y), abs=1e-9)
        assert choice.text == f"{choice.score:.3f}"


def test_costs_are_shown_as_costs():
    rows, y = flat()
    model = fit_individuals(rows, y, costs=((0.0, 5.0), (1.0, 0.0)))
    losses = dict(zip(model.outcome.sizes.leaves, model.outcome.sizes.held_out, strict=True))
    assert all(choice == (choice.leaves, losses[choice.leaves], "cost") for choice in size_menu(model))


def test_there_is_no_menu_if_the_size_was_not_chosen():
    rows, y = flat()
    assert size_menu(fit_individuals(rows, y, max_depth=2)) == ()


def test_the_note_and_the_json_of_the_command_have_the_same_sizes(tmp_path):
    path = tmp_path / "boxes.jsonl"
    boxes, labels = nested()
    path.write_text("".join(json.dumps(box | {"label": str(y)}) + "\n" for box, y in zip(boxes, labels, strict=True)))
    model = fit(path, target="label", effort="quick")
    options = ["--target", "label", "--effort", "quick", "--json", "--no-estimate"]
    result = CliRunner().invoke(app, ["fit", str(path), *options])
    sizes = json.loads(result.stdout)["sizes"]
    assert sizes == [choice._asdict() for choice in size_menu(model)]
    menu, n = size_menu(model), len(model.tree.leaves)
    shown = ", ".join(f"{choice.leaves} leaves {choice.text}" for choice in menu)
    smaller = [choice.leaves for choice in menu if choice.leaves < n]
    other = max(smaller) if smaller else min(choice.leaves for choice in menu if choice.leaves > n)
    assert f"held-out accuracy by size: {shown}; choose another size with --leaves {other}\n" in result.stderr
