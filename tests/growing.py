"""Trees by a given way, where `grow` would choose one."""

from __future__ import annotations

from structtree.learn.growing import grow
from structtree.learn.plan import plan_for
from structtree.models.settings import Growth


def grow_on(route, population, target, grammar, growth=None, **options):
    """Grow a tree by one route; searches run until their proof unless the options say otherwise."""
    growth = growth or Growth(effort="prove")
    plan = plan_for(population, grammar.check(population.schema), growth, route=route)
    return grow(population, target, grammar, growth, plan=plan, **options)
