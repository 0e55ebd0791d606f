"""`structtree subgroups`, as a stranger uses it."""

from __future__ import annotations

import json

import pytest

from tests.cli.test_commands import fail, succeed


@pytest.fixture
def shops(tmp_path):
    """Nested data with a planted rule: orders from the app with an expensive item are returned."""
    path = tmp_path / "orders.jsonl"
    lines = []
    for i in range(200):
        items = [{"price": (i * 7 + j * 13) % 50, "gift": (i + j) % 3 == 0} for j in range(1 + i % 3)]
        source = "app" if i % 2 else "web"
        returned = source == "app" and any(item["price"] >= 40 for item in items)
        lines.append(json.dumps({"source": source, "items": items, "returned": returned}))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_help_has_examples():
    assert "structtree subgroups trains --top 5" in " ".join(succeed("subgroups", "--help").split())


def test_a_planted_subgroup_comes_first(shops):
    text = succeed("subgroups", shops, "--target", "returned", "--class", "true", "--top", 3, "--effort", "prove")
    first = text[: text.index("source = app and exists", text.index("source = app") + 1)]
    assert "items (price >= 40)" in " ".join(first.split())
    assert "proved: no predicate of up to 3 literals is missing" in text
    assert "60 held-out individuals" in text


def test_json_has_the_figures_of_the_table(shops):
    given = ["--target", "returned", "--class", "true", "--json", "--top", 2, "--effort", "prove"]
    found = json.loads(succeed("subgroups", shops, *given))
    first = found["subgroups"][0]
    assert first["predicate"] == "source = app and exists items (price >= 40)"
    assert first["searched"]["mean"] == first["held_out"]["mean"] == 1.0
    assert first["held_out_p_value"] < 0.01
    assert found["min_support"] == 5
    assert found["proved"]


def test_files_are_written(shops, tmp_path):
    plot, page = tmp_path / "coverage.svg", tmp_path / "page.html"
    succeed("subgroups", shops, "--target", "returned", "--plot", plot, "--report", page, "--top", 2)
    assert plot.read_text(encoding="utf-8").count("<svg") == 1
    text = page.read_text(encoding="utf-8")
    assert "Coverage" in text
    assert "<script" not in text


def test_a_number_has_high_and_low_subgroups():
    given = ["hammond", "--min-support", 2, "--held-out", 0, "--top", 1, "--json"]
    high, low = (
        json.loads(succeed("subgroups", *given, "--class", word))["subgroups"][0] for word in ("high", "low")
    )
    assert high["searched"]["mean"] > high["searched"]["mean_all"] > low["searched"]["mean"]


@pytest.mark.parametrize(
    ("flags", "sentence", "code"),
    [
        (["--class", "north"], "unknown class 'north'", 2),
        (["--measure", "lifts"], "unknown measure 'lifts' (did you mean 'lift'?)", 1),
        (["--top", 0], "--top must be an int >= 1; got 0", 2),
        (["--held-out", 1], "--held-out must be a number from 0 to 0.9; got 1", 2),
        (["--sql", "views.sql"], "SQL views need individuals from the tables of a database", 2),
        (["--plot", "plot.doc"], "the name must end in .svg, .png, .pdf", 2),
    ],
)
def test_wrong_flags_are_refused_in_one_sentence(flags, sentence, code):
    assert sentence in fail("subgroups", "trains", *flags, code=code)


def test_clauses_are_written_for_facts_and_for_other_data(shops, tmp_path):
    folder, clauses = tmp_path / "facts", tmp_path / "clauses.pl"
    folder.mkdir()
    facts = "".join(f"wheels(c{i}, {i}). " for i in range(1, 9))
    (folder / "bk.pl").write_text(facts, encoding="utf-8")
    (folder / "pos.pl").write_text("fast(c5). fast(c6). fast(c7). fast(c8).", encoding="utf-8")
    (folder / "neg.pl").write_text("fast(c1). fast(c2). fast(c3). fast(c4).", encoding="utf-8")
    given = ["--class", "true", "--top", 1, "--held-out", 0, "--min-support", 1]
    succeed("subgroups", folder, *given, "--prolog", clauses)
    text = clauses.read_text(encoding="utf-8")
    assert "Wheels1 >= 5.0.  % wheels >= 5" in text and "fast(X) :- subgroup(1, X)." in text
    succeed("subgroups", shops, "--target", "returned", "--top", 1, "--prolog", clauses)
    assert "individual(0, 0)." in clauses.read_text(encoding="utf-8")


def test_functors_and_rules_about_the_target_are_refused_in_a_sentence(tmp_path):
    (tmp_path / "pos.pl").write_text("fast(c1).", encoding="utf-8")
    (tmp_path / "neg.pl").write_text("fast(c2).", encoding="utf-8")
    (tmp_path / "bk.pl").write_text("age(c1, s(s(0))). age(c2, 0).", encoding="utf-8")
    assert "s(s(0)) is a compound term; expected a constant or a list" in fail("subgroups", tmp_path)
    (tmp_path / "bk.pl").write_text("next(c1, c2). fast(X) :- next(X, Y), fast(Y).", encoding="utf-8")
    assert "fast/1" in fail("subgroups", tmp_path)
