"""Links, references and steps along lists, all as adjacencies, and how many of the rows behind them must pass."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from structtree.data.columns import Adjacency, Population
from structtree.lang.syntax import All, Count, Exists, Follow, Step
from structtree.space.families import LinkFamily, LinkPredicate

__all__ = ["Steps", "enough_of", "link_name", "need_of", "rows_needed"]


@dataclass(frozen=True, slots=True)
class Steps:
    """The links and the steps along lists of a population, all as adjacencies, made when first asked for."""

    population: Population
    _known: dict[tuple[Any, ...], Adjacency] = field(default_factory=dict, init=False, repr=False)

    def of(self, family: LinkFamily) -> Adjacency:
        """Return where the link of a family leads from each row of its type."""
        return self.along(family.type, family.template)

    def along(self, name: str, template: LinkPredicate) -> Adjacency:
        """Return where a link, a reference or a step leads from each row of a type."""
        key = (name, getattr(template, "step", None), template.link)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = _adjacency(name, template, self.population)
        return found

    def target(self, name: str, template: LinkPredicate) -> str:
        """Return the type of the rows that it leads to."""
        if template.link is None:
            return name
        link = self.population.schema.type(name).link(template.link)
        assert link is not None
        return link.target


def _adjacency(name: str, template: LinkPredicate, population: Population) -> Adjacency:
    table = population.tables[name]
    match template:
        case Step("first" | "last" as end, _, str(link)):
            return _end_of(table.links[link], end)
        case Step(step):
            return _along_lists(step, name, population)
        case other:
            assert other.link is not None
            return table.links[other.link]


def _end_of(adjacency: Adjacency, end: str) -> Adjacency:
    some = adjacency.lengths > 0
    places = adjacency.offsets[:-1] if end == "first" else adjacency.offsets[1:] - 1
    return Adjacency.from_lengths(some, adjacency.targets[places[some]])


def _along_lists(step: str, name: str, population: Population) -> Adjacency:
    """From each element of the lists of a type to the next, the previous, or all later ones."""
    n_rows = population.tables[name].n_rows
    lengths, runs = np.zeros(n_rows, dtype=np.int64), []
    for record in population.schema.types:
        for link in record.links:
            if link.kind == "list" and link.target == name:
                adjacency = population.tables[record.name].links[link.name]
                here = np.arange(len(adjacency.targets))
                first = np.repeat(adjacency.offsets[:-1], adjacency.lengths)
                end = np.repeat(adjacency.offsets[1:], adjacency.lengths)
                start = here - 1 if step == "previous" else here + 1
                n = (here > first).astype(np.int64) if step == "previous" else end - start
                n = n if step != "next" else np.minimum(n, 1)
                lengths[adjacency.targets] = n
                within = np.arange(n.sum()) - np.repeat(np.cumsum(n) - n, n)
                runs.append((np.repeat(adjacency.targets, n), adjacency.targets[np.repeat(start, n) + within]))
    owners = np.concatenate([np.zeros(0, dtype=np.int64), *(run[0] for run in runs)])
    targets = np.concatenate([np.zeros(0, dtype=np.int64), *(run[1] for run in runs)])
    return Adjacency.from_lengths(lengths, targets[np.argsort(owners, kind="stable")])


def rows_needed(family: LinkFamily, choice: int) -> int | Literal["all"] | None:
    """Return how many rows behind a link must pass; None where that is not all that is asked of them."""
    match family.template:
        case Exists() | Follow() | Step():
            return 1
        case Count():
            return max(0, family.numbers[choice])
        case All():
            return "all"
        case _:
            return None


def need_of(family: LinkFamily, choice: int) -> int | None:
    """Return how many rows behind a link are enough; None for links that do not ask for some rows."""
    needed = rows_needed(family, choice)
    return needed if isinstance(needed, int) and needed >= 1 else None


def enough_of(family: LinkFamily, choice: int) -> int:
    """Return how many rows behind a link are enough, for a link that asks for some rows."""
    need = need_of(family, choice)
    assert need is not None
    return need


def link_name(family: LinkFamily) -> str:
    """The link or step of a family in a word."""
    template = family.template
    step = [template.step] if isinstance(template, Step) else []
    return " ".join([*step, *([template.link] if template.link is not None else [])])
