"""Classify the nodes of one graph: the two factions of Zachary's karate club.

Run as ``python examples/node_classification.py``. The individuals are the members of the club; tests cover a member,
its friends, and friends of friends.
"""

import networkx as nx
import numpy as np

from structtree import Grammar, Population, StructuralTreeClassifier, explain, export_text

club = nx.karate_club_graph()
faction = np.array([club.nodes[member]["club"] for member in club])

# Features that do not reveal the faction: the friendships, and the two leaders.
plain = nx.Graph()
plain.add_nodes_from((member, {"leader": {0: "instructor", 33: "officer"}.get(member, "none")}) for member in club)
plain.add_edges_from(club.edges)
members = Population.from_graphs([plain], individual="Node")

GRAMMAR = Grammar.parse("""
refine Node {
    top -> leader = *
    top -> count edges (top) >= 1..6         # the number of friends who ...
}
refine Edge { top -> to (top) }
limits { nesting 4, literals 6 }
""")

model = StructuralTreeClassifier(GRAMMAR, max_leaf_nodes=4).fit(members, faction)
print(export_text(model.tree_), end="\n\n")
print(f"correct for {int((model.predict(members) == faction).sum())} of {len(faction)} members\n")
print(explain(model.tree_, members, 8))
