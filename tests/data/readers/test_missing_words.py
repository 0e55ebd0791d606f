"""One list of words stands for missing values in every text format, and the user may give another."""

from __future__ import annotations

import pytest

from structtree.data.readers.opening import open_data
from structtree.data.readers.sources import read_data
from structtree.data.readers.text_files import MISSING_WORDS
from structtree.errors import UsageError

WATER = "water\n\n\n  1  0  0  0  0  0  0  0  0  0999 V2000\n    0.0000    0.0000    0.0000 O   0  0\nM  END\n"


def csv(folder, word):
    return written(folder, "a.csv", f"kind,size\nx,1\n{word},{word}\nx,2\n")


def tsv(folder, word):
    return written(folder, "a.tsv", f"kind\tsize\nx\t1\n{word}\t{word}\nx\t2\n")


def c45(folder, word):
    written(folder, "a.names", "yes, no.\nkind: discrete.\nsize: continuous.\n")
    return written(folder, "a.data", f"x, 1, yes.\n{word}, {word}, no.\nx, 2, yes.\n")


def smi(folder, word):
    return written(folder, "a.smi", f"smiles kind size\nCCO x 1\nCCC {word} {word}\nCC x 2\n")


def smiles_table(folder, word):
    return written(folder, "a.csv", f"smiles,kind,size\nCCO,x,1\nCCC,{word},{word}\nCC,x,2\n")


def sdf(folder, word):
    blocks = [f"{WATER}> <kind>\n{k}\n\n> <size>\n{s}\n\n$$$$\n" for k, s in (("x", 1), (word, word), ("x", 2))]
    return written(folder, "a.sdf", "".join(blocks))


def gml(folder, word):
    many = folder / "graphs"
    many.mkdir()
    for i, (kind, size) in enumerate((("x", "1"), (word, word), ("x", "2"))):
        node = f'node [ id 0 kind "{kind}" size {size if size.isdigit() else chr(34) + size + chr(34)} ]'
        written(many, f"{i}.gml", f"graph [ {node} ]")
    return many


def written(folder, name, text):
    path = folder / name
    path.write_text(text)
    return path


def kind_and_size(population):
    table = population.tables["Node" if "Node" in population.tables else population.schema.individual]
    return table.columns["kind"], table.columns["size"]


TEXTS = (csv, tsv, c45, smi, smiles_table, sdf, gml)


def molecules_need_rdkit(write):
    if write in (smi, smiles_table, sdf):
        pytest.importorskip("rdkit")


@pytest.mark.parametrize("word", MISSING_WORDS)
@pytest.mark.parametrize("write", TEXTS)
def test_a_word_for_missing_is_missing_in_every_text_format(tmp_path, write, word):
    molecules_need_rdkit(write)
    kind, size = kind_and_size(read_data(write(tmp_path, word)))
    assert [kind.value(row) for row in range(3)] == ["x", None, "x"]
    assert [size.value(row) for row in range(3)] == [1, None, 2]


@pytest.mark.parametrize("write", TEXTS)
def test_the_words_that_are_given_replace_the_list(tmp_path, write):
    molecules_need_rdkit(write)
    kind, size = kind_and_size(read_data(write(tmp_path, "-"), missing_words=["-"]))
    assert [kind.value(row) for row in range(3)] == ["x", None, "x"]
    assert [size.value(row) for row in range(3)] == [1, None, 2]


@pytest.mark.parametrize("write", (csv, tsv, c45, smi, smiles_table, sdf, gml))
def test_a_word_that_is_not_given_is_a_category(tmp_path, write):
    molecules_need_rdkit(write)
    path = write(tmp_path, "NA")
    kind, _ = kind_and_size(read_data(path, missing_words=["-"], types={"size": "nominal"}))
    assert [kind.value(row) for row in range(3)] == ["x", "NA", "x"]


def arff(folder, cells):
    header = "@relation a\n@attribute kind {x, null, -}\n@attribute size numeric\n@data\n"
    return written(folder, "a.arff", header + cells)


def test_arff_has_the_question_mark_of_its_standard_and_what_else_is_given(tmp_path):
    population = read_data(arff(tmp_path, "x, 1\nnull, ?\n-, -\n"), missing_words=["-"])
    kind, size = kind_and_size(population)
    assert [kind.value(row) for row in range(3)] == ["x", "null", None]
    assert [size.value(row) for row in range(3)] == [1.0, None, None]


def test_a_value_that_the_names_of_c45_declare_is_a_value(tmp_path):
    written(tmp_path, "a.names", "yes, no.\nkind: x, null.\n")
    population = read_data(written(tmp_path, "a.data", "null, yes.\n?, no.\n"))
    assert [population.column("kind").value(row) for row in range(2)] == ["null", None]


def test_attributes_of_a_tu_folder_may_be_missing(tmp_path):
    facts = {"A": "1, 2\n2, 1\n", "graph_indicator": "1\n1\n", "graph_labels": "1\n", "node_attributes": "1.5\n?\n"}
    for name, text in facts.items():
        written(tmp_path, f"T_{name}.txt", text)
    column = read_data(tmp_path).table("Node").columns["attribute"]
    assert [column.value(row) for row in range(2)] == [1.5, None]


def test_words_for_missing_are_refused_where_the_format_has_its_own(tmp_path):
    path = written(tmp_path, "a.jsonl", '{"x": 1}\n')
    with pytest.raises(UsageError, match=r"missing_words .--missing-word. does not apply to jsonl"):
        open_data(path, missing_words=["-"])
