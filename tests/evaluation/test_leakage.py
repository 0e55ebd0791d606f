"""Attributes that alone predict the target almost perfectly, and columns that look like other targets."""

import numpy as np
import pytest

from structtree import Population, open_data
from structtree.data.readers.molecules.descriptors import DESCRIBED
from structtree.evaluation.leakage import leaks, other_targets
from tests.conftest import REPOSITORY

RANDOM = np.random.default_rng(3)
N = 400
NOISE = RANDOM.normal(size=N)
CLASSES = np.array(["a", "b", "c"])[np.digitize(NOISE, [-0.5, 0.5])]


def population(**columns):
    names = list(columns)
    rows = zip(*(np.asarray(columns[name], dtype=object).tolist() for name in names), strict=True)
    return Population.from_records([dict(zip(names, row, strict=True)) for row in rows])


def flipped(labels, share):
    wrong = RANDOM.random(N) < share
    return np.where(wrong, np.roll(labels, 7), labels)


@pytest.mark.parametrize(
    ("column", "labels", "found"),
    [
        (CLASSES, CLASSES, True),
        (NOISE, CLASSES, True),
        (flipped(CLASSES, 0.2), CLASSES, False),
        (RANDOM.normal(size=N), CLASSES, False),
        (np.arange(N), CLASSES, False),
        ([f"id{i}" for i in range(N)], CLASSES, False),
        ([None] * N, CLASSES, False),
        (3 * NOISE + 1, NOISE, True),
        (np.exp(NOISE), NOISE, True),
        (NOISE + RANDOM.normal(size=N), NOISE, False),
        (CLASSES, NOISE, False),
        (np.arange(N), np.arange(N) >= 2, False),
        (CLASSES[:40], CLASSES[:40], False),
    ],
)
def test_only_what_alone_predicts_almost_perfectly_is_told(column, labels, found):
    data = population(suspect=column, other=RANDOM.integers(0, 5, len(labels)))
    assert [leak.attribute for leak in leaks(data, np.asarray(labels))] == ["suspect"] * found


def test_the_order_of_individuals_hardly_matters_and_the_best_comes_first():
    near = np.where(np.arange(N) % 150 == 0, np.roll(CLASSES, 7), CLASSES)
    data = population(near=near, copy=CLASSES)
    values = [leak.value for leak in leaks(data, CLASSES)]
    assert values[0] == 1.0
    assert values == sorted(values, reverse=True)
    back = np.arange(N)[::-1]
    assert {leak.attribute for leak in leaks(data.take(back), CLASSES[back])} >= {"copy"}


@pytest.mark.parametrize(
    ("target", "names", "expected"),
    [
        ("y1", ["x", "y2", "Y3", "y_coord", "years"], ("y2", "Y3")),
        ("label_a", ["label_b", "labelled", "size"], ("label_b",)),
        ("class", ["classroom", "class_2"], ("class_2",)),
        ("NR-AR", ["NR-ER", "logp"], ()),
        (
            "measured log solubility per litre",
            ["predicted log solubility per litre", "log weight"],
            ("predicted log solubility per litre",),
        ),
        ("median_house_value", ["median_income", "total_rooms"], ()),
    ],
)
def test_columns_that_are_named_like_the_target(target, names, expected):
    data = population(**{name: RANDOM.normal(size=20) for name in names})
    assert other_targets(data, RANDOM.normal(size=20), target) == expected


MOLECULES = "smiles,NR-A,NR-B,dose,kind,y\nCCO,0,1,1.5,a,1\nCCN,,0,2.5,b,0\nCCC,1,,3.5,a,1\nC,0,1,0,b,0\n"


def test_other_columns_of_0_and_1_beside_smiles_look_like_targets(tmp_path):
    pytest.importorskip("rdkit")
    path = tmp_path / "m.csv"
    path.write_text(MOLECULES)
    opened = open_data(path, target="y")
    assert other_targets(opened.population, opened.target.astype(int), "y") == ("NR-A", "NR-B")
    assert other_targets(opened.population, opened.target.astype(float), "y") == ()
    plain = open_data(path, target="y", format="csv")
    assert other_targets(plain.population, plain.target.astype(int), "y") == ()


def test_the_names_of_what_rdkit_computes_are_known():
    pytest.importorskip("rdkit")
    from structtree.data.readers.molecules.descriptors import descriptors

    assert tuple(descriptors().molecule) == DESCRIBED


SHARED = REPOSITORY.parent / "shared" / "data"


@pytest.mark.parametrize(
    ("name", "target", "expected"),
    [
        ("uci/car.arff", None, ()),
        ("uci/kr-vs-kp.arff.gz", None, ()),
        ("uci/housing.arff", None, ()),
        ("uci/zoo.arff", None, ()),
        ("molnet/esol.csv", "logSolubility", ()),
        ("molnet/bbbp.csv", "p_np", ()),
        (
            "molnet/delaney-processed.csv",
            "measured log solubility in mols per litre",
            ("ESOL predicted log solubility in mols per litre",),
        ),
    ],
)
def test_there_are_few_false_alarms(name, target, expected):
    if not (SHARED / name).exists():
        pytest.skip(f"needs {name} in ../shared/data")
    opened = open_data(SHARED / name, target=target, unlabelled="leave out")
    labels = opened.target if opened.target.dtype.kind != "f" or target != "p_np" else opened.target.astype(int)
    assert leaks(opened.population, labels) == ()
    assert other_targets(opened.population, labels, opened.target_name) == expected
