"""Whether the evaluators agree: random schemas, populations, derived links and predicates of all forms, counted.

Run as ``python benchmarks/agreement.py`` (10,000 cases, some minutes) or with another number of cases. The vectorised
evaluator and the one of explanations are compared with the definition of truth one row at a time
(``tests/space/truth.py``), and derived links with their definition (``tests/space/links.py``). The first case in
which they differ ends the run, shown in its shortest form.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis import strategies as st

# The tests are beside the package, not in it.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from structtree.lang.walk import parts_of
from structtree.space.evaluate import holds
from structtree.space.meaning import satisfies
from tests import strategies as some
from tests.space import links as plain
from tests.space.test_links import made
from tests.space.test_links import test_a_derived_link_leads_where_the_definition_says as links_agree
from tests.space.truth import is_true


def compare(n: int) -> Counter[str]:
    """Compare the evaluators on so many cases; return how often each form of predicate was among them."""
    forms: Counter[str] = Counter()

    @settings(
        max_examples=n,
        deadline=None,
        database=None,
        derandomize=True,
        verbosity=Verbosity.quiet,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def agree(data: st.DataObject) -> None:
        population = data.draw(some.populations())
        if data.draw(st.booleans()):
            population = made(population, data.draw(plain.derived_links(population.schema)))
            forms["(a derived link in the schema)"] += 1
        predicate = data.draw(some.predicates(population.schema))
        expected = [is_true(predicate, population, i) for i in range(len(population))]
        assert holds(predicate, population).tolist() == expected
        assert [satisfies(predicate, population, i) for i in range(len(population))] == expected
        forms["(predicates)"] += 1
        forms["(answers)"] += len(expected)
        forms.update({type(part).__name__ for part in parts_of(predicate)})

    agree()
    return forms


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=int, nargs="?", default=10_000)
    n = parser.parse_args().cases
    started = time.perf_counter()
    forms = compare(n)
    for name, times in sorted(forms.items(), key=lambda pair: -pair[1]):
        print(f"{times:>10,}  {name}")
    n_links = max(1, n // 4)
    settings(max_examples=n_links, deadline=None, database=None, suppress_health_check=list(HealthCheck))(
        links_agree
    )()
    print(f"{n_links:>10,}  derived links, row by row")
    print(f"all agree, {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
