"""The task of a target is inferred by one rule, whoever asks."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import structtree
from structtree.cli import app
from structtree.tasks.inference import infer_task, labels_for

TARGETS = {
    "classes": {
        "zero and one": ["0", "1"],
        "one and two": ["1", "2"],
        "words": ["no", "yes"],
        "booleans": ["false", "true"],
    },
    "numbers": {
        "three integers": ["0", "1", "2"],
        "two fractions": ["0.5", "1"],
        "many integers": [str(i) for i in range(12)],
    },
}
CASES = [pytest.param(task, values, id=name) for task, some in TARGETS.items() for name, values in some.items()]


def table(folder, values):
    rows = [f"{i % 7},{values[i % 5 % len(values)]}" for i in range(40)]
    file = folder / "table.csv"
    file.write_text("\n".join(["x,y", *rows]) + "\n")
    return file


@pytest.mark.parametrize(("task", "values"), CASES)
def test_the_command_and_the_library_infer_the_same_task(task, values, tmp_path):
    file = table(tmp_path, values * 3)
    data = structtree.open_data(file, target="y")
    result = CliRunner().invoke(app, ["fit", str(file), "--target", "y", "--no-estimate", "--json"])
    assert infer_task(data.target) == task
    assert json.loads(result.stdout)["task"] == task
    model = structtree.fit(data.population, data.target)
    assert model.tree.task.name == task
    assert structtree.grow(data.population, data.target, model.grammar.text).task.name == task


def test_classes_of_integers_are_integers_however_they_were_read():
    data = structtree.Population.from_array(np.arange(6.0).reshape(-1, 1))
    model = structtree.fit(data, np.array([0.0, 0, 0, 1, 1, 1]))
    assert model.tree.classes == (0, 1)
    assert model.predict(data).dtype.kind == "i"
    assert structtree.evaluate(model, data, np.array([0.0, 0, 0, 1, 1, 1]))["accuracy"] == 1.0


def test_a_criterion_decides_before_the_rule():
    data = structtree.Population.from_array(np.arange(6.0).reshape(-1, 1))
    labels = np.array([0.0, 0, 0, 1, 1, 1])
    assert structtree.fit(data, labels, criterion="mse").tree.task.name == "numbers"
    assert structtree.fit(data, np.arange(6.0), criterion="gini").tree.classes == (0, 1, 2, 3, 4, 5)


@pytest.mark.parametrize("odd", [np.inf, -np.inf, np.nan, 2.0**60])
def test_numbers_that_no_integer_stands_for_exactly_stay_real(odd):
    assert infer_task(np.array([0.0, odd])) == "numbers"
    assert labels_for("classes", np.array([0.0, odd])).dtype.kind == "f"
