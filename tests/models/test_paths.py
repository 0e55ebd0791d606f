from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from structtree.data.population import Population
from structtree.models.routing.paths import decision_path
from structtree.space.meaning import satisfies
from tests.learn.asking_trees import ask, counts, trees
from tests.strategies import populations, schemas


@st.composite
def cases(draw):
    schema = draw(schemas())
    return draw(trees(schema)), draw(populations(schema))


def walked(tree, population, individual):
    """The path of one individual, one question after the other."""
    nodes = [0]
    while tree.nodes[nodes[-1]].children:
        branch = tree.nodes[nodes[-1]]
        nodes.append(branch.yes if satisfies(branch.test, population, individual) else branch.no)
    return nodes


@given(cases())
def test_the_path_is_what_asking_one_question_after_the_other_gives(case):
    tree, population = case
    visits = decision_path(tree, population)
    assert len(visits.offsets) == len(population) + 1
    assert [visits.of(i).tolist() for i in range(len(population))] == [
        walked(tree, population, i) for i in range(len(population))
    ]


@given(cases())
def test_the_path_ends_where_the_tree_sends_the_individual(case):
    tree, population = case
    visits = decision_path(tree, population)
    assert (visits.nodes[visits.offsets[1:] - 1] == tree.apply(population)).all()


def test_nobody_has_no_path():
    things = Population.from_records([{"a": 1}]).take([])
    visits = decision_path(ask(things.schema, ("a >= 3", counts(1, 0), counts(0, 1))), things)
    assert (visits.offsets.tolist(), visits.nodes.tolist()) == ([0], [])
