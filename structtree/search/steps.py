"""Links, references and list steps as adjacencies, and the number of linked rows that must satisfy a test."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from structtree.data.population import Adjacency, Population
from structtree.lang import syntax as syn
from structtree.space.families import LinkFamily, LinkPredicate
from structtree.space.list_steps import runs_of

__all__ = ["Steps", "enough_of", "link_name", "need_of", "rows_needed"]


@dataclass(frozen=True, slots=True)
class Steps:
    """The links and list steps of a population as adjacencies, computed on first use."""

    population: Population
    _known: dict[tuple[Any, ...], Adjacency] = field(default_factory=dict, init=False, repr=False)

    def of(self, family: LinkFamily) -> Adjacency:
        """Return the adjacency of the link of a family."""
        return self.along(family.type, family.template)

    def along(self, name: str, template: LinkPredicate) -> Adjacency:
        """Return the adjacency of a link, reference or list step from a type."""
        key = (name, getattr(template, "step", None), template.link)
        if key not in self._known:
            if isinstance(template, syn.ListStep):
                self._known[key] = runs_of(template, self.population, name).adjacency
            else:
                self._known[key] = self.population.tables[name].links[template.link]
        return self._known[key]

    def target(self, name: str, template: LinkPredicate) -> str:
        """Return the type of the rows that the link of a family leads to."""
        if template.link is None:
            return name
        link = self.population.schema.type(name).link(template.link)
        assert link is not None
        return link.target


def rows_needed(family: LinkFamily, choice: int) -> int | Literal["all"] | None:
    """Return the number of linked rows that must satisfy a test; None for forms that need more than a count."""
    match family.template:
        case syn.Exists() | syn.Follow() | syn.ListStep():
            return 1
        case syn.Count():
            return max(0, int(family.numbers[choice]))
        case syn.All():
            return "all"
        case _:
            return None


def need_of(family: LinkFamily, choice: int) -> int | None:
    """Return the positive number of linked rows that must satisfy a test; None for other forms."""
    needed = rows_needed(family, choice)
    return needed if isinstance(needed, int) and needed >= 1 else None


def enough_of(family: LinkFamily, choice: int) -> int:
    """Return the number of linked rows that must satisfy a test, for a link that requires at least one."""
    need = need_of(family, choice)
    assert need is not None
    return need


def link_name(family: LinkFamily) -> str:
    """Return the name of the link or step of a family."""
    template = family.template
    step = [template.step] if isinstance(template, syn.ListStep) else []
    return " ".join([*step, *([template.link] if template.link is not None else [])])
