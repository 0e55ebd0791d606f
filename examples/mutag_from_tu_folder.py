"""Classify mutagenic compounds with a tree over graphs, read from a folder in the TU format.

Run as ``python examples/mutag_from_tu_folder.py [FOLDER]``. Without a folder, MUTAG is downloaded from the
package index.
"""

import sys

from structtree import StructuralTreeClassifier, explain, export_text, load_dataset, open_data, to_rules
from structtree.evaluation.validate import cross_validate

# A TU folder contains the target: NAME_graph_labels.txt has one line per graph.
data = open_data(sys.argv[1]) if len(sys.argv) > 1 else load_dataset("mutag")
print(f"{len(data.population)} graphs, classes {sorted(set(data.target))}")


def make_estimator():
    """Return a classifier for a small, readable tree; the default grammar for graphs is used."""
    return StructuralTreeClassifier(criterion="gini", max_leaf_nodes=8)


# Estimate the accuracy on unseen graphs.
found = cross_validate(make_estimator, data.population, data.target, folds=10, repeats=1)
print(f"10-fold accuracy {found.mean:.3f} ± {found.sd:.3f}, {found.leaves_mean:.1f} leaves\n")

# Fit a tree on all graphs and print it as text and as rules.
model = make_estimator().fit(data.population, data.target)
print(export_text(model.tree_), end="\n\n")
for rule in to_rules(model.tree_):
    print(rule)

# Explain the prediction for the first graph: its path, and the nodes that satisfied each test.
print()
print(explain(model.tree_, data.population, 0))
