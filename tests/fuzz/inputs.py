"""Laws of inputs: whatever files and words a command is given, it does its work or refuses in one sentence."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
import sqlite3
import tempfile
from copy import deepcopy
from functools import cache
from pathlib import Path

import typer
from hypothesis import assume
from hypothesis import strategies as st
from typer.testing import CliRunner

from structtree.cli import app
from tests.cli.test_odd_databases import SHOP
from tests.cli.test_odd_inputs import ARFF, CARBON, GRAMMAR, NODES, TABLE, model_text, sentence_in
from tests.fuzz.laws import Case, law

LONGEST = 1000
"""Number of characters of a sentence; what it quotes from a file is cut."""

RECORDS = "".join(
    json.dumps({"x": i, "day": f"2024-01-{i + 1:02}", "y": "ab"[i % 2], "cars": [{"w": i % 3, "long": i % 2 == 0}]})
    + "\n"
    for i in range(8)
)
MOLECULES = "smiles,y\nCCO,a\nc1ccccc1,b\nCC(=O)O,a\nCCN,b\n[Na+].[Cl-],a\n"
SMILES = "CCO ethanol\nc1ccccc1 benzene\nCC(=O)O acid\n"
DATED = "day,n,size,y\n2024-01-01,1,low,a\n2024-02-01,,high,b\n2024-03-05,3,low,a\n2024-03-06,1.5,NA,b\n"
FACTS = "".join(
    f"size(p{i}, {i}).\nlinked(p{i}, p{(i + 1) % 6}).\n{'good' if i % 2 else 'bad'}(p{i}).\n" for i in range(6)
)
NAMES = "a, b.\nx: continuous.\nz: p, q.\n"
C45 = "1,p,a\n2,q,b\n3,p,a\n?,q,b\n"
GRAPHML = (
    '<graphml><key id="k" for="node" attr.name="c" attr.type="string"/><graph edgedefault="undirected">'
    '<node id="a"><data key="k">red</data></node><node id="b"/><edge source="a" target="b"/></graph></graphml>'
)
TU = {
    "TU/TU_A.txt": "1, 2\n2, 1\n3, 4\n4, 3\n",
    "TU/TU_graph_indicator.txt": "1\n1\n2\n2\n",
    "TU/TU_graph_labels.txt": "1\n-1\n",
    "TU/TU_node_labels.txt": "0\n1\n1\n2\n",
}
RICH = """individual Individual
define early(d): Individual = day <= d
attribute twice: Individual = x * 2
link heavy: Individual -> set of Car = cars where w >= 1
refine Individual {
    top -> x >= *; top -> twice <= *; top -> exists cars (top); top -> early(*); top -> day.month = *
    top -> exists heavy (top); top -> count cars (top) >= 1..2; top -> max cars.w >= *; top -> top and top max 2
}
refine Car { top -> long; top -> w >= quantiles(3); top -> next (top) }
limits { nesting 2, literals 3 }
"""
SMALL = ["--max-depth", "2", "--time-limit", "20"]


# ---- the law --------------------------------------------------------------------------------------------


def check_command(case):
    """A command succeeds, or says in one sentence what is wrong; nothing else is an answer."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), offline(folder):
        for name, content in case["files"].items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_bytes(content_of(content))
        done = CliRunner().invoke(app, case["command"], input=b"")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code in (0, 1, 2), f"exit code {done.exit_code}: {done.output}"
    assert "Traceback" not in done.stderr, done.stderr
    if done.exit_code:
        sentence = sentence_in(done.stderr)
        assert 0 < len(sentence) <= LONGEST, sentence


@contextlib.contextmanager
def offline(folder):
    """Nothing is downloaded, and nothing is kept."""
    nowhere = "http://127.0.0.1:9"
    changed = {"http_proxy": nowhere, "https_proxy": nowhere, "STRUCTTREE_DATA": folder, "XDG_CACHE_HOME": folder}
    before = {name: os.environ.get(name) for name in changed}
    os.environ.update(changed)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def content_of(plain):
    match plain:
        case {"base64": text}:
            return base64.b64decode(text)
        case {"script": script}:
            return database_of(script)
        case _:
            return plain.encode()


def database_of(script):
    """The bytes of the database that a script makes; a script that makes none is passed over."""
    with contextlib.closing(sqlite3.connect(":memory:")) as database:
        try:
            database.executescript(content_of(script).decode())
            return database.serialize()  # which an empty database cannot be
        except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
            assume(not error)


def content_to_plain(content):
    """The content of a file as JSON: a text if it is one."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode()}


# ---- mutations ------------------------------------------------------------------------------------------

WORDS = [
    *(
        b"",
        b" ",
        b"\n",
        b"\n\n",
        b"\r",
        b"\t",
        b"\0",
        b'"',
        b"'",
        b"`",
        b",",
        b";",
        b":",
        b".",
        b"|",
        b"\\",
        b"%",
        b"#",
    ),
    *(b"{", b"}", b"[", b"]", b"(", b")", b"<", b">", b"=", b"@", b"$", b"$$$$", b"/*", b"--", b"//", b"&amp;", b"_"),
    *(b"0", b"-1", b"1.5", b"1e999", b"-1e-999", b"9" * 30, b"9007199254740993", b"NaN", b"inf", b"-inf", b"1_000"),
    *(b"null", b"true", b"None", b"NA", b"?", b"2024-02-30", b"1970-01-01", b"99999-01-01", b"2024-01-01T00:00:00Z"),
    *("é".encode(), "🦆".encode(), "\u202e".encode(), b"\xef\xbb\xbf", b"\xff\xfe", b"\xe9", b"x" * 400),
    *(
        b"top",
        b"->",
        b"*",
        b"and",
        b"or",
        b"not ",
        b"exists ",
        b"its ",
        b"in ",
        b"..",
        b">=",
        b"max 0",
        b"limits",
        b":-",
    ),
]
"""What is put in: signs of the formats, odd numbers and dates, and bytes that are no text."""


TOKEN = re.compile(rb"[A-Za-z_]+|[0-9][0-9.]*|[ \t]+|.", re.DOTALL)


@st.composite
def mutated(draw, content):
    """Some bytes after a few changes: mostly of whole words, so that what is read goes on to other errors."""
    for _ in range(draw(st.sampled_from([1, 1, 1, 2, 3]))):
        content = draw(with_other_words(content) if draw(st.integers(0, 3)) else with_other_bytes(content))
    return content


@st.composite
def with_other_words(draw, content):
    words = TOKEN.findall(content)
    if not words:
        return b"x"
    place, other = (draw(st.integers(0, len(words) - 1)) for _ in range(2))
    match draw(st.sampled_from(["odd", "odd", "other", "swap", "delete", "repeat"])):
        case "odd":
            words[place] = draw(st.sampled_from(WORDS))
        case "other":
            words[place] = words[other]
        case "swap":
            words[place], words[other] = words[other], words[place]
        case "delete":
            del words[place]
        case _:
            words.insert(place, words[place])
    return b"".join(words)


@st.composite
def with_other_bytes(draw, content):
    start = draw(st.integers(0, len(content)))
    end = min(len(content), start + draw(st.sampled_from([0, 1, 2, 5, 20, 100])))
    match draw(st.sampled_from(["replace", "repeat", "byte", "cut", "line", "line"])):
        case "replace":
            return content[:start] + draw(st.sampled_from(WORDS)) + content[end:]
        case "repeat":
            return content[:end] + content[start:end] * draw(st.integers(1, 5)) + content[end:]
        case "byte":
            return content[:start] + bytes([draw(st.integers(0, 255))]) + content[start + 1 :]
        case "cut":
            return content[:start]
        case _:
            lines = content.splitlines(keepends=True) or [b"x"]
            lines.insert(draw(st.integers(0, len(lines))), lines.pop(draw(st.integers(0, len(lines) - 1))))
            return b"".join(lines)


@st.composite
def commands_on(draw, files, commands) -> Case:
    """One of some commands, with one of its files changed."""
    name = draw(st.sampled_from(sorted(files)))
    contents = {each: text.encode() if isinstance(text, str) else text for each, text in files.items()}
    contents[name] = draw(mutated(contents[name]))
    plain = {each: content_to_plain(content) for each, content in contents.items()}
    return {"command": draw(st.sampled_from(commands)), "files": plain}


def reading(files, data, target="y", *more):
    """Commands that read a file, which is changed."""
    asked = ["--target", target] if target else []
    return commands_on(
        files,
        [
            ["data", "info", data, *more],
            ["fit", data, *asked, *SMALL, *more],
            ["data", "convert", data, "out.jsonl", *more],
            ["grammar", "derive", data, *more],
        ],
    )


TEXTS = st.one_of(
    reading({"a.csv": TABLE}, "a.csv"),
    reading({"a.csv": DATED}, "a.csv", "y", "--type", "size=low<high"),
    reading({"a.jsonl": RECORDS}, "a.jsonl"),
    reading({"a.json": "[" + RECORDS.strip().replace("\n", ",") + "]"}, "a.json"),
    reading({"a.arff": ARFF}, "a.arff"),
    reading({"a.names": NAMES, "a.data": C45}, "a.data", ""),
    reading(TU, "TU", ""),
    reading({"a.gml": NODES}, "a.gml", ""),
    reading({"a.graphml": GRAPHML}, "a.graphml", ""),
)
CHEMISTRY = st.one_of(
    reading({"a.csv": MOLECULES}, "a.csv"),
    reading({"a.csv": MOLECULES}, "a.csv", "y", "--skip-bad"),
    reading({"a.smi": SMILES}, "a.smi", ""),
    reading({"a.sdf": CARBON * 2}, "a.sdf", ""),
)
SHOP_SCRIPT = """CREATE TABLE customer(id INTEGER PRIMARY KEY, town TEXT, born DATE);
CREATE TABLE sale(id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer, price REAL, day TEXT, y TEXT);
INSERT INTO customer VALUES (1, 'p', '1990-01-02'), (2, 'q', NULL), (3, 'p', '1970-12-31');
INSERT INTO sale VALUES (1, 1, 2.5, '2024-01-02', 'a'), (2, 1, 3, '2024-01-03 10:00:00', 'b'),
 (3, 2, NULL, NULL, 'a'), (4, 3, 9.75, '2024-02-02', 'b'), (5, NULL, 0, '2023-01-02', 'a');
"""
SALES = ["--individual", "sale"]
TABLES = {"t/sale.csv": "id,customer_id,n,y\n1,1,3,a\n2,1,4,b\n3,2,4,b\n", "t/customer.csv": "id,town\n1,p\n2,q\n"}
SCHEMA = 'individual = "sale"\n[tables.sale]\nkey = "id"\n'


@st.composite
def scripts(draw) -> Case:
    """A command on a database that a changed script makes."""
    case = draw(reading({"shop.sqlite": SHOP_SCRIPT}, "shop.sqlite", "y", *SALES, *draw(ways_to_read)))
    return {**case, "files": {"shop.sqlite": {"script": case["files"]["shop.sqlite"]}}}


ways_to_read = st.sampled_from([[], ["--as-of", "day"], ["--where", "price > 1"], ["--frozen-at", "2024-01-03"]])
DATABASES = st.one_of(
    scripts(),
    scripts(),
    reading({"shop.sqlite": SHOP}, "shop.sqlite", "y", *SALES),
    reading(TABLES, "t", "y", *SALES),
    reading({**TABLES, "s.toml": SCHEMA}, "t", "y", "--schema", "s.toml"),
)
FACT_FILES = commands_on(
    {"a.pl": FACTS, "p.f": "good(p1).\ngood(p3).\n", "n.n": "good(p0).\ngood(p2).\n"},
    [
        ["data", "info", "a.pl"],
        ["fit", "a.pl", "--positives", "p.f", "--negatives", "n.n", *SMALL],
        ["fit", "a.pl", "--target", "good", *SMALL],
    ],
)
GRAMMARS = commands_on(
    {"g.grammar": RICH, "a.jsonl": RECORDS},
    [
        ["grammar", "check", "g.grammar", "--data", "a.jsonl"],
        ["grammar", "count", "g.grammar", "--data", "a.jsonl", "--target", "y"],
        ["grammar", "show", "g.grammar", "--data", "a.jsonl"],
        ["fit", "a.jsonl", "--target", "y", "--grammar", "g.grammar", *SMALL],
    ],
)

files_of_text = law("mutated-texts", TEXTS, round=60, quick=15)(check_command)
files_of_molecules = law("mutated-molecules", CHEMISTRY, round=40, quick=8)(check_command)
files_of_databases = law("mutated-databases", DATABASES, round=40, quick=8)(check_command)
files_of_facts = law("mutated-facts", FACT_FILES, round=60, quick=8)(check_command)
files_of_grammars = law("mutated-grammars", GRAMMARS, round=60, quick=15)(check_command)


# ---- models ---------------------------------------------------------------------------------------------


@cache
def rich_model_text():
    """The text of a model whose tests look behind links."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("a.jsonl").write_text(RECORDS)
        Path("g.grammar").write_text(RICH)
        done = CliRunner().invoke(app, ["fit", "a.jsonl", "--target", "y", "--grammar", "g.grammar", "-o", "m.json"])
        assert done.exit_code == 0, done.output
        return Path("m.json").read_text()


def places(value, path=()):
    """The paths to all parts of a JSON value."""
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, (*path, key))


ODD_VALUES = [
    None,
    True,
    0,
    -1,
    1.5,
    10**30,
    1e308,
    "",
    "x",
    "top",
    "x >= 1",
    "exists cars (w >= 1)",
    "inf",
    [],
    {},
    [[]],
    {"a": 1},
]


def values_like(document, value):
    """Values of the same kind: from elsewhere in the document, and odd ones."""
    found = {}
    for path in places(document):
        part = document
        for key in path:
            part = part[key]
        if type(part) is type(value):
            found[json.dumps(part)] = part
    return [*found.values(), *(odd for odd in ODD_VALUES if type(odd) is type(value))]


@st.composite
def changed(draw, value):
    """A JSON value in which some parts are others, are missing, or are there twice."""
    value = json.loads(value)
    for _ in range(draw(st.sampled_from([1, 1, 2]))):
        *above, last = draw(st.sampled_from(sorted((p for p in places(value) if p), key=str)))
        part = value
        for key in above:
            part = part[key]
        match draw(st.sampled_from(["alike", "alike", "odd", "delete", "copy"])):
            case "alike":
                part[last] = deepcopy(draw(st.sampled_from(values_like(value, part[last]))))
            case "odd":
                part[last] = deepcopy(draw(st.sampled_from(ODD_VALUES)))
            case "delete":
                del part[last]
            case _ if isinstance(part, list):
                part.insert(last, deepcopy(part[last]))
            case _:
                part[f"{last}x"] = deepcopy(part[last])
        if not value:
            break
    return json.dumps(value)


@st.composite
def broken_models(draw) -> Case:
    is_rich = draw(st.booleans())
    text, data, content = (rich_model_text(), "a.jsonl", RECORDS) if is_rich else (model_text(), "a.csv", TABLE)
    model = draw(st.one_of(changed(text), changed(text), changed(text), mutated(text.encode()).map(content_to_plain)))
    commands = [
        *(["show", "m.json", "--format", kind] for kind in ("text", "rules", "formula", "json", "svg", "dot")),
        ["show", "m.json", "--words"],
        *(["predict", "m.json", data],) * 3,
        ["explain", "m.json", data, "--row", "1"],
        *(["export", "m.json", "--format", kind] for kind in ("sql", "prolog")),
        ["export", "m.json", "--format", "prolog", "--data", data],
    ]
    return {"command": draw(st.sampled_from(commands)), "files": {"m.json": model, data: content}}


files_of_models = law("mutated-models", broken_models(), round=80, quick=15)(check_command)


# ---- words ----------------------------------------------------------------------------------------------

NEVER = {"datasets get", "demo"}
"""Commands that download something, or that always do the same."""
POOL = {
    "DATA": [
        "a.csv",
        "b.jsonl",
        "shop.sqlite",
        "mol.csv",
        "a.pl",
        "trains",
        "tennis",
        "nowhere",
        "",
        "-",
        ".",
        "m.json",
    ],
    "MODEL": ["m.json", "rich.json", "a.csv", "nowhere.json", "-"],
    "GRAMMAR": ["g.grammar", "rich.grammar", "trains", "flat", "a.csv", "refine Row { top -> x >= * }", ""],
    "ATTRIBUTE": ["y", "x", "z", "good", "status", "", "*"],
    "NAME=KIND": ["x=int", "y=nominal", "x=date", "day=date(%Y)", "x=low<high", "x", "=", "z=int"],
    "TYPE": ["Row", "sale", "customer", "Individual", "Car", "x", ""],
    "COLUMN": ["x", "y", "id", "z"],
    "T.COLUMN": ["sale.id", "sale.day", "customer.id", "x", "a.b.c", "."],
    "SQL": ["id > 3", "1", "", "x; DROP TABLE sale", "SELECT", "nope = 1"],
    "YYYY-MM-DD": ["2024-01-05", "2024-13-01", "x", ""],
    "FILE.toml": ["s.toml", "a.csv", "nowhere.toml"],
    "FILE": ["a.pl", "p.f", "out.svg", "out.png", "nowhere", "no/such/out.svg"],
    "OUT": ["out.jsonl", "out.csv", "out.json", "out.svg", "out.html", "no/such/out.json", ".", "-", "out"],
    "NAMES": ["x", "x,y", "*", "accuracy", "c45", "", ",", "gini,entropy"],
    "PREDICATE": ["x >= 3", "top", "exists cars (long)", "z = 1", "x >=", ""],
}
PLAIN = [
    "x",
    "y",
    "",
    "0",
    "1",
    "-1",
    "a=1",
    "a:b=2",
    "1,2",
    "csv",
    "é",
    "entropy",
    "gini",
    "acc*",
    "best-first",
    "utf-8",
]
COMMON = {
    "a.csv": TABLE,
    "b.jsonl": RECORDS,
    "shop.sqlite": content_to_plain(SHOP),
    "mol.csv": MOLECULES,
    "a.pl": FACTS,
    "p.f": "good(p1).\ngood(p3).\n",
    "g.grammar": GRAMMAR,
    "rich.grammar": RICH,
    "s.toml": SCHEMA,
}


@cache
def all_commands():
    """The parameters of each command, by its words."""

    def below(command, words):
        if hasattr(command, "commands"):
            for name, each in command.commands.items():
                yield from below(each, (*words, name))
        else:
            yield " ".join(words), command.params

    return {name: params for name, params in below(typer.main.get_command(app), ()) if name not in NEVER}


def words_for(parameter):
    """Values of an option or an argument, right ones and wrong ones."""
    kind, metavar = parameter.type_descriptor.annotation, (parameter.metavar or "").strip("[]")
    if parameter.name == "out" or metavar in ("MODEL.json", "FILE.html", "OUT.jsonl", "OUT.csv"):
        return st.sampled_from(POOL["OUT"])
    if metavar in POOL:
        return st.sampled_from(POOL[metavar])
    if "|" in metavar:
        return st.sampled_from([*metavar.split("|"), "x"])
    if "int" in str(kind):
        return st.sampled_from(["0", "1", "2", "3", "-1", "x", ""])
    if "float" in str(kind):
        return st.sampled_from(["0", "0.5", "1", "3", "-1", "nan", "inf", "x"])
    return st.sampled_from(PLAIN)


SENSIBLE = [
    {"DATA": "a.csv", "--target": "y", "MODEL": "m.json", "GRAMMAR": "g.grammar"},
    {"DATA": "b.jsonl", "--target": "y", "MODEL": "rich.json", "GRAMMAR": "rich.grammar"},
    {"DATA": "shop.sqlite", "--target": "y", "--individual": "sale", "MODEL": "m.json"},
    {"DATA": "mol.csv", "--target": "y"},
    {"DATA": "a.pl", "--target": "good"},
    {"DATA": "trains", "GRAMMAR": "trains"},
]
"""Words that fit together: for arguments by what they stand for, and options."""


@st.composite
def command_lines(draw) -> Case:
    """A command with arguments that mostly fit together, and a few options of it."""
    name = draw(st.sampled_from(sorted(all_commands())))
    params, sensible, words = all_commands()[name], draw(st.sampled_from(SENSIBLE)), name.split()
    is_odd = draw(st.integers(0, 4)) == 0

    def word_for(parameter, key):
        metavar = (parameter.metavar or "").strip("[]")
        usual = sensible.get(key, sensible.get(metavar))
        return draw(words_for(parameter)) if usual is None or is_odd else usual

    for parameter in params:
        if parameter.param_type_name == "argument":
            words.append(word_for(parameter, parameter.name))
    by_flag = {max(p.opts, key=len): p for p in params if p.param_type_name == "option"}
    chosen = [flag for flag in ("--target", "--individual") if flag in by_flag and flag in sensible]
    chosen += ["--data"] if name.startswith("grammar") and "--data" in by_flag and "DATA" not in words else []
    chosen += draw(st.lists(st.sampled_from(sorted(by_flag)), max_size=3)) if by_flag else []
    for flag in chosen if is_odd else dict.fromkeys(chosen):
        words += [flag] if by_flag[flag].is_flag else [flag, word_for(by_flag[flag], flag)]
    if "--time-limit" in by_flag and "--time-limit" not in words:
        words += ["--time-limit", "5"]
    return {"command": words}


@law("command-lines", command_lines(), round=40, quick=15)
def random_commands(case):
    """Any command, with any words, in a folder with files of every kind."""
    check_command({**case, "files": {**COMMON, "m.json": model_text(), "rich.json": rich_model_text()}})
