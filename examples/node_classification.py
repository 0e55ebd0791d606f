"""Who sides with whom: a label for each node of one graph, Zachary's karate club.

Run as ``python examples/node_classification.py``. The individuals are the members of the club; a test may ask about a
member, about friends, and about friends of friends.
"""

import networkx as nx
import numpy as np

from structtree import Grammar, Population, StructuralTreeClassifier, explain, export_text

club = nx.karate_club_graph()
side = np.array([club.nodes[member]["club"] for member in club])

# Only what is known of a member without asking for the side: how many friends, and who the two leaders are.
plain = nx.Graph()
plain.add_nodes_from((member, {"leader": {0: "instructor", 33: "officer"}.get(member, "none")}) for member in club)
plain.add_edges_from(club.edges)
members = Population.from_graphs([plain], individual="Node")

GRAMMAR = Grammar.parse("""
refine Node {
    top -> leader = *
    top -> count edges (top) >= 1..6         # so many friends who ...
}
refine Edge { top -> to (top) }
limits { nesting 4, literals 6 }
""")

model = StructuralTreeClassifier(GRAMMAR, max_leaf_nodes=4).fit(members, side)
print(export_text(model.tree_), end="\n\n")
print(f"right about {int((model.predict(members) == side).sum())} of {len(side)} members\n")
print(explain(model.tree_, members, 8))
