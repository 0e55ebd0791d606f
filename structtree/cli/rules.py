"""Command that learns rules."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Annotated, ClassVar

import typer

from structtree.cli.common import command
from structtree.cli.fit import LearnedOutput, learn_and_print
from structtree.cli.flags import signature_of
from structtree.cli.learning import OPTIONS, PANELS, Learning, SourceOptions
from structtree.cli.reading import Reading
from structtree.errors import UsageError
from structtree.models.settings import IN_RULE_LISTS, Rules
from structtree.options import options_of

__all__ = ["rules_command"]

RULE_FORMS = ("list", "set")
"""Forms of rules that can be learned."""

OWN = {each.parameter for each in options_of(Rules)}
RULE_OPTIONS = [option for option in OPTIONS if option.parameter in OWN or option.name in IN_RULE_LISTS]


class RuleLearning(SimpleNamespace):
    """Options for learning rules, by parameter name."""

    __signature__: ClassVar = signature_of(sorted(RULE_OPTIONS, key=lambda option: PANELS.index(option.panel)))

    def of_kind(self, form: str) -> Learning:
        """Return all options for learning, with the defaults of those that do not apply to rules."""
        usual = {option.parameter: option.usual for option in OPTIONS}
        return Learning(**(usual | vars(self) | {"model": f"rule-{form}"}))


@command
def rules_command(
    source: SourceOptions,
    learning: RuleLearning,
    reading: Reading,
    output: LearnedOutput,
    form: Annotated[
        str,
        typer.Option(
            "--form",
            metavar="list|set",
            help="A list, whose first rule that holds predicts, or a set, whose rules vote.",
        ),
    ] = "list",
) -> None:
    """Learn rules, print them, and save them.

    Each rule of a list is the best conjunction for the individuals that no rule before it covers. Each rule of a set
    is the best for one class against all others, and all rules that hold vote. The number of rules is chosen by
    cross-validation, and so are the scores on new data estimated. The model is used like that of structtree fit.

    Example: structtree rules trains -o rules.json

    Example: structtree rules bank.csv --target default --literals 2 --max-rules 5

    Example: structtree rules mushrooms.csv --target edible --order class --measure m-estimate

    Example: structtree rules compounds.csv --target active --form set
    """
    if form not in RULE_FORMS:
        raise UsageError(f"--form must be {' or '.join(RULE_FORMS)}; got {form!r}")
    learn_and_print(source.source(reading), learning.of_kind(form), output)
