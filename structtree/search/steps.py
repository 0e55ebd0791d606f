"""Links, references and steps along lists, all as adjacencies, and how many of the rows behind them must pass."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from structtree.data.columns import Adjacency, Population
from structtree.lang.syntax import Count, Exists, Follow, ListStep
from structtree.space.families import LinkFamily
from structtree.space.list_steps import runs_of

__all__ = ["Steps", "link_name", "need_of"]


@dataclass(frozen=True, slots=True)
class Steps:
    """The links and the steps along lists of a population, all as adjacencies, made when first asked for."""

    population: Population
    _known: dict[tuple[Any, ...], Adjacency] = field(default_factory=dict, init=False, repr=False)

    def of(self, family: LinkFamily) -> Adjacency:
        """Where the link of a family leads from each row of its type."""
        key = (family.type, *family.head)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = _adjacency(family, self.population)
        return found


def _adjacency(family: LinkFamily, population: Population) -> Adjacency:
    match family.template:
        case ListStep() as step:
            return runs_of(step, population, family.type).adjacency
        case other:
            return population.tables[family.type].links[other.link]


def need_of(family: LinkFamily, choice: int) -> int | None:
    """How many rows behind a link must pass, for links of which some rows, so many, are enough; None for others."""
    match family.template:
        case Exists() | Follow() | ListStep():
            return 1
        case Count():
            return family.numbers[choice] if family.numbers[choice] >= 1 else None
        case _:
            return None


def link_name(family: LinkFamily) -> str:
    """The link or step of a family in a word."""
    template = family.template
    step = [template.step] if isinstance(template, ListStep) else []
    return " ".join([*step, *([template.link] if template.link is not None else [])])
