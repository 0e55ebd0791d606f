"""Many molecules at once: other processes and the cache change nothing but the time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from structtree.data.population import Population
from structtree.data.readers import caches
from structtree.data.readers.caches import FileCache
from structtree.data.readers.molecules import batches
from structtree.data.readers.molecules.batches import read_numbers
from structtree.data.readers.molecules.descriptors import MoleculeNumbers, Recipe, describe_molecules, joined
from structtree.progress import status_listener
from tests.conftest import REPOSITORY

pytest.importorskip("rdkit", reason="RDKit is not installed: pip install 'structtree[molecules]'")

SOME = ["CCO", "c1ccccc1[N+](=O)[O-]", "C1CC", "C[C@H](N)C(=O)O", None, "F/C=C/F", "", "[Na+].[Cl-]", "C[Hg]"]
RECIPES = [Recipe(), Recipe(hydrogens="explicit"), Recipe(largest_fragment=True, neutralise=True)]


def same(one, other):
    left, right = one.arrays, other.arrays
    return left.keys() == right.keys() and all(
        left[name].dtype.kind == right[name].dtype.kind
        and np.array_equal(left[name], right[name], equal_nan=left[name].dtype.kind == "f")
        for name in left
    )


@pytest.fixture
def small(monkeypatch, tmp_path):
    """Batches and limits that small examples reach, and a cache of its own."""
    monkeypatch.setattr(batches, "BATCH", 4)
    monkeypatch.setattr(batches, "CACHED_FROM", 5)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "structtree" / "molecules"


@pytest.mark.parametrize("recipe", RECIPES, ids=str)
def test_several_processes_compute_what_one_does(small, recipe):
    texts = SOME * 3
    whole = describe_molecules(texts, recipe)
    assert same(read_numbers(texts, recipe, cache=False, processes=1), whole)
    assert same(read_numbers(texts, recipe, cache=False, processes=2), whole)


@pytest.mark.parametrize("recipe", RECIPES, ids=str)
def test_numbers_survive_being_written_and_joined(recipe):
    parts = [describe_molecules(part, recipe) for part in (SOME[:3], SOME[3:3], SOME[3:])]
    whole = describe_molecules(SOME, recipe)
    assert same(joined(parts), whole)
    assert same(MoleculeNumbers.from_bytes(whole.to_bytes()), whole)


@pytest.mark.parametrize("executable", ["", "/no/such/python", "/bin/false"])
def test_without_other_processes_everything_is_read_here(small, monkeypatch, executable):
    monkeypatch.setattr(sys, "executable", executable)
    assert same(read_numbers(SOME * 3, Recipe(), cache=False, processes=2), describe_molecules(SOME * 3, Recipe()))


def test_a_script_without_a_main_guard_runs_once(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from structtree.data.readers.molecules import batches\n"
        "from structtree.data.readers.molecules.descriptors import Recipe\n"
        "batches.BATCH = 2\n"
        "print(batches.read_numbers(['C'] * 9, Recipe(), cache=False, processes=2).n)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment, check=False)
    assert (done.stdout, done.stderr) == ("9\n", "")


def test_ctrl_c_ends_the_other_processes(small, monkeypatch):
    started = []
    start = batches._started
    monkeypatch.setattr(batches, "_started", lambda: started.append(start()) or started[-1])

    def stop(doing):
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt), status_listener(stop):
        read_numbers(SOME * 3, Recipe(), cache=False, processes=2)
    assert len(started) == 2 and all(worker.poll() is not None for worker in started)


def test_progress_goes_up_to_all(small):
    told = []
    with status_listener(lambda status: told.append((status.done, status.total))):
        read_numbers(SOME, Recipe(), processes=1)
    assert told == [(4, 9), (8, 9), (9, 9)]


# ---- the cache ------------------------------------------------------------------------------------------


@pytest.fixture
def counted(monkeypatch):
    """How often molecules were described."""
    calls = []
    monkeypatch.setattr(
        batches, "describe_molecules", lambda *given: calls.append(given) or describe_molecules(*given)
    )
    return calls


def test_what_was_read_once_is_not_read_again(small, counted):
    first = read_numbers(SOME, Recipe())
    n = len(counted)
    assert n == 3 and [path.suffix for path in small.iterdir()] == [".npz"]
    assert same(read_numbers(SOME, Recipe()), first) and len(counted) == n
    assert same(read_numbers(SOME, Recipe(), cache=False), first) and len(counted) == 2 * n


@pytest.mark.parametrize(
    "other", [(SOME[::-1], Recipe()), (SOME, Recipe(neutralise=True)), (SOME, Recipe(hydrogens="explicit"))]
)
def test_other_texts_and_options_are_something_else(small, counted, other):
    read_numbers(SOME, Recipe())
    n = len(counted)
    assert same(read_numbers(*other), describe_molecules(*other)) and len(counted) == 2 * n


def test_another_format_or_rdkit_is_something_else(small, monkeypatch):
    before = batches._key(SOME, Recipe())
    monkeypatch.setattr(batches, "NUMBERS_FORMAT", batches.NUMBERS_FORMAT + 1)
    other = batches._key(SOME, Recipe())
    monkeypatch.setattr("rdkit.__version__", "0")
    assert len({before, other, batches._key(SOME, Recipe())}) == 3


@pytest.mark.parametrize("damage", [lambda content: b"", lambda content: content[:-100], lambda content: b"x" * 999])
def test_a_damaged_file_is_written_again(small, damage):
    first = read_numbers(SOME, Recipe())
    (path,) = small.iterdir()
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    assert same(read_numbers(SOME, Recipe()), first)
    assert same(MoleculeNumbers.from_bytes(path.read_bytes()), first)


def test_numbers_of_something_else_are_no_numbers_of_molecules():
    numbers = describe_molecules(SOME, Recipe())
    for name in ("n_atoms", "sizes", "atom.charge", "molecule.logp"):
        flat = {**numbers.arrays, name: np.zeros(1, dtype=np.int32)}
        with pytest.raises(ValueError, match="not a file of molecular descriptors"):
            MoleculeNumbers.from_bytes(written(flat))
    pickled = {**numbers.arrays, "n_atoms": np.array([object()])}
    with pytest.raises(ValueError, match="not a file of molecular descriptors"):
        MoleculeNumbers.from_bytes(written(pickled))


def written(flat):
    import io

    file = io.BytesIO()
    np.savez(file, **flat)
    return file.getvalue()


def test_a_cache_that_cannot_be_written_costs_nothing(small, monkeypatch):
    small.parent.mkdir(parents=True)
    small.write_text("a file where the folder should be")
    assert read_numbers(SOME, Recipe()).n == len(SOME)

    def full(self, content):
        raise OSError(28, "No space left on device")

    small.unlink()
    monkeypatch.setattr("pathlib.Path.write_bytes", full)
    assert read_numbers(SOME, Recipe()).n == len(SOME)
    assert list(small.iterdir()) == []


def test_what_was_not_used_for_longest_makes_room(tmp_path):
    cache = FileCache(tmp_path, ".npz", 10)
    (tmp_path / "other.txt").write_text("of somebody else, and long")
    for age, key in enumerate("abc"):
        cache.keep(key, b"123")
        os.utime(tmp_path / f"{key}.npz", (age, age))
    assert cache.get("a") == b"123"  # used now, and so the last to go
    cache.keep("d", b"1234")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.npz", "c.npz", "d.npz", "other.txt"]
    cache.keep("e", b"more than there is room for")
    assert cache.get("e") is None and cache.get("d") == b"1234"


def test_the_cache_can_be_left_aside_in_python(small):
    Population.from_molecules(["CCO"] * 9, cache=False)
    assert not small.exists()
    Population.from_molecules(["CCO"] * 9)
    assert len(list(small.iterdir())) == 1
    assert caches.cache_folder("molecules") == small
