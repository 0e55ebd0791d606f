"""Property tests draw the same examples on every run, whatever ran before."""

from __future__ import annotations

from importlib import import_module

from hypothesis import given, settings
from hypothesis import strategies as st


def drawn():
    """The examples of a test that draws numbers and texts."""
    found = []

    @settings(max_examples=300)
    @given(st.integers(), st.text())
    def test(number, text):
        found.append((number, text))

    test()
    return found


def test_the_examples_are_the_same_every_time():
    assert drawn() == drawn()


def test_the_examples_do_not_depend_on_what_is_imported(tmp_path, monkeypatch):
    before = drawn()
    (tmp_path / "full_of_constants.py").write_text(f"NUMBERS = {[7**i for i in range(2, 200)]}\nWORD = 'zyx'\n")
    monkeypatch.syspath_prepend(tmp_path)
    import_module("full_of_constants")
    assert drawn() == before
