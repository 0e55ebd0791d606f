"""Options are declared once: estimators, checks, reference and command line say the same of each."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from dataclasses import dataclass, fields, make_dataclass

import pytest

from structtree import Decision, Growth, Pruning, StructuralTreeClassifier, StructuralTreeRegressor
from structtree.cli.common import with_options
from structtree.cli.cv import cv_command
from structtree.cli.effort import effort_command
from structtree.cli.fit import fit_command
from structtree.errors import UsageError
from structtree.estimators import PARAMETERS
from structtree.models.settings import Objective
from structtree.options import Span, build_options, option, options_of
from tests.cli.test_commands import succeed

LEARNING = options_of(Objective, Growth, Pruning, Decision)
ON_THE_COMMAND_LINE = [each for each in LEARNING if each.panel]
ESTIMATORS = {"classes": StructuralTreeClassifier, "numbers": StructuralTreeRegressor}


def named(options):
    return [each.parameter for each in options]


def flags(command):
    """What a command takes: for each flag its default and its help."""
    hints = {name: hint.annotation.__metadata__[0] for name, hint in inspect.signature(command).parameters.items()}
    defaults = {name: hint.default for name, hint in inspect.signature(command).parameters.items()}
    return {
        flag: (defaults[name], hint.help)
        for name, hint in hints.items()
        for flag in [hint.default, *(hint.param_decls or ())]
        if isinstance(flag, str)
    }


@pytest.mark.parametrize("task", ESTIMATORS)
def test_the_estimators_have_every_option_with_its_default_and_its_sentence(task):
    estimator = ESTIMATORS[task]
    signature = inspect.signature(estimator)
    declared = [each for each in PARAMETERS if task == "classes" or not each.for_classes]
    assert list(signature.parameters) == named(declared)
    assert [p.default for p in signature.parameters.values()] == [each.usual for each in declared]
    assert estimator().get_params() == {each.parameter: each.usual for each in declared}
    for each in declared:
        assert re.search(rf"^{each.parameter} : .*\n    {re.escape(each.help)}$", estimator.__doc__, re.MULTILINE)


@pytest.mark.parametrize("command", [fit_command, cv_command], ids=["fit", "cv"])
def test_the_commands_that_learn_have_every_option_with_its_default_and_its_sentence(command):
    found = flags(command)
    for each in ON_THE_COMMAND_LINE:
        default, sentence = found[each.flag]
        if each.flag != "--time-limit" or command is fit_command:  # that of cv is for all folds
            assert default == each.usual
            assert sentence.startswith(each.flag_help or each.help)


def test_the_search_for_one_split_has_the_options_that_apply_to_it():
    found = flags(effort_command)
    assert {each.flag for each in LEARNING if each.for_search} == {"--max-depth", "--min-samples-leaf"}
    for each in (each for each in LEARNING if each.for_search):
        assert found[each.flag] == (each.usual, each.help)
    others = {each.flag for each in ON_THE_COMMAND_LINE if not each.for_search}
    assert others & set(found) == {"--criterion", "--time-limit"}  # of its own


def test_only_bounds_are_no_option_of_the_command_line():
    assert named(set(LEARNING) - set(ON_THE_COMMAND_LINE)) == ["prune"]


@pytest.mark.parametrize("each", LEARNING, ids=lambda each: each.parameter)
def test_every_declaration_is_whole(each):
    assert each.help.endswith(".") and len(each.help) < 110
    assert not each.help.startswith(("Of ", "What ", "Whether ")) or each.name == "costs"
    assert each.allows(each.default) and each.allows(each.usual)
    assert each.is_free == bool(each.accepts) or each.name == "random_state"
    assert not each.many or (each.flag_help and each.metavar)


def home_of(each):
    return next(
        kind for kind in (Objective, Growth, Pruning, Decision) if each.name in {f.name for f in fields(kind)}
    )


@pytest.mark.parametrize("each", [each for each in LEARNING if not each.is_free], ids=lambda each: each.parameter)
@pytest.mark.parametrize("task", ESTIMATORS)
def test_every_option_refuses_what_it_does_not_allow_by_its_name_everywhere(each, task):
    home = home_of(each)
    with pytest.raises(UsageError, match=rf"^{each.name} must be .*; got 'nonsense'$"):
        home(**{each.name: "nonsense"})
    if each.name != "random_state" and (task == "classes" or not each.for_classes):  # scikit-learn checks that one
        tree = ESTIMATORS[task](**{each.parameter: "nonsense"})
        with pytest.raises(UsageError, match=rf"^{each.parameter} must be .*; got 'nonsense'$"):
            tree.fit([[1.0], [2.0]], [0, 1])


@pytest.mark.parametrize("each", [each for each in LEARNING if each.needs], ids=lambda each: each.parameter)
def test_an_option_that_has_no_meaning_is_refused_and_not_ignored(each):
    home, value = (
        home_of(each),
        next((w for w in each.words if w not in (None, each.default)), 1 if each.number is int else 0.1),
    )
    other, *allowed = each.needs
    (needed,) = [one for one in options_of(home) if one.name == other]
    for word in needed.words:
        if word in allowed:
            home(**{each.name: value, other: word})
        else:
            with pytest.raises(UsageError, match=f"^{each.name} is for {other}="):
                home(**{each.name: value, other: word})
            with pytest.raises(UsageError, match=f"^{each.parameter} is for {needed.parameter}="):
                build_options(home, {each.parameter: value, needed.parameter: word})


NEW = """
from dataclasses import dataclass
import structtree.models.settings as growth
from structtree.options import Span, documented, option

# As one more line in the declaration of Growth would.
@documented
@dataclass(frozen=True, slots=True)
class Growth(growth.Growth):
    '''Options of growing a tree.'''
    patience: int = option(7, "How patient the search is.", Span(1), for_search=True)

growth.Growth = Growth
"""


@pytest.mark.parametrize("command", ["fit", "cv", "effort"])
def test_one_more_declaration_is_an_option_of_every_command(command):
    code = f"{NEW}\nfrom structtree.cli.commands import app\napp([{command!r}, '--help'])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "--patience" in shown
    assert "How patient the search is." in " ".join(re.sub("[│]", " ", shown).split())


def test_one_more_declaration_is_a_parameter_of_both_estimators():
    code = f"""{NEW}
from structtree import StructuralTreeClassifier, StructuralTreeRegressor
for made in (StructuralTreeClassifier, StructuralTreeRegressor):
    assert made(patience=3).get_params()["patience"] == 3 and made().patience == 7
    assert "patience : int\\n    How patient the search is." in made.__doc__
    try:
        made(patience=0).fit([[1.0], [2.0]], [0, 1])
    except ValueError as error:
        print(error)
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told == "patience must be an int >= 1; got 0\n" * 2


def test_help_needs_nothing_heavy():
    code = "import sys\nfrom structtree.cli.commands import app\ntry:\n    app(['fit', '--help'])\nfinally:\n"
    code += "    print(*sorted({'numpy', 'numba', 'sklearn', 'pandas', 'lark'} & set(sys.modules)), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == ""


def test_the_groups_of_the_help_come_in_order():
    shown = succeed("fit", "--help")
    panels = ["Options", Growth.PANEL, Pruning.PANEL, Decision.PANEL, "How to read the data"]
    places = [shown.index(f"─ {panel} ─") for panel in panels]
    assert places == sorted(places)


def test_an_estimator_refuses_a_parameter_that_it_does_not_have():
    with pytest.raises(TypeError, match="unexpected keyword argument 'max_dept'"):
        StructuralTreeClassifier(max_dept=3)
    with pytest.raises(TypeError, match="too many positional arguments"):
        StructuralTreeClassifier("trains", 3)


@pytest.mark.parametrize(
    ("kind", "given", "right", "wrong"),
    [
        (int, Span(1), [1, 7], [0, 1.5, True, "1", None]),
        (float, Span(0, 1, inside=True), [0.5], [0, 1, float("nan"), True, None]),
        (float, Span(0, 0.5), [0, 0.5], [0.6, -0.1]),
        (float | None, Span(0, inside=True), [None, float("inf"), 1], [0, "a"]),
        (bool, Span(), [True, False], [0, 1, None, "True"]),
    ],
    ids=str,
)
def test_kinds_and_ranges_say_what_is_allowed(kind, given, right, wrong):
    (declared,) = options_of(make_dataclass("Some", [("x", kind, option(right[0], "Something.", given))]))
    assert [declared.allows(value) for value in right] == [True] * len(right)
    assert [declared.allows(value) for value in wrong] == [False] * len(wrong)


@dataclass
class Size:
    width: int = 3


@with_options
def area(first: Size, second: Size) -> int:
    return first.width * second.width


def test_an_option_of_two_groups_has_one_value():
    assert list(inspect.signature(area).parameters) == ["width"]
    assert area(width=5) == 25
