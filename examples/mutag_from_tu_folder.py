"""Which nitroaromatic compounds are mutagenic: a tree over graphs, from a folder in the TU format.

Run as ``python examples/mutag_from_tu_folder.py [FOLDER]``; without a folder MUTAG comes from your package index.
"""

import sys

from structtree import StructuralTreeClassifier, explain, export_text, load_dataset, open_data, to_rules
from structtree.evaluation.validate import cross_validate

# A TU folder brings its own target: one line of NAME_graph_labels.txt for each graph.
data = open_data(sys.argv[1]) if len(sys.argv) > 1 else load_dataset("mutag")
print(f"{len(data.population)} graphs, classes {sorted(set(data.target))}")


def make_estimator():
    """Few leaves make a tree that can be read; the grammar is the one that fits graphs."""
    return StructuralTreeClassifier(criterion="gini", max_leaf_nodes=8)


# How good such trees are on graphs that they have not seen.
found = cross_validate(make_estimator, data.population, data.target, folds=10, repeats=1)
print(f"10-fold accuracy {found.mean:.3f} ± {found.sd:.3f}, {found.leaves_mean:.1f} leaves\n")

# The tree of all graphs, as text and as rules.
model = make_estimator().fit(data.population, data.target)
print(export_text(model.tree_), end="\n\n")
for rule in to_rules(model.tree_):
    print(rule)

# Why the first graph got its class: the path, and the nodes that made each test true.
print()
print(explain(model.tree_, data.population, 0))
