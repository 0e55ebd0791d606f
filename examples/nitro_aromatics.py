"""Write a custom grammar: the relative positions of nitro groups on aromatic rings.

The grammar restricts the tree to tests that are meaningful to a chemist. The molecules are listed below. Run as
``python examples/nitro_aromatics.py``. Requires RDKit: ``pip install 'structtree[molecules]'``.
"""

from rdkit import Chem

from structtree import Grammar, Population, Space, best_split, export_text, pretty, why_not
from structtree.estimators import StructuralTreeClassifier

GRAMMAR = Grammar.parse("""
grammar nitro-aromatics
"Nitro groups, their rings, and other substituents."

define nitro: Atom = element = N and count bonds (to (element = O and degree <= 1)) >= 2
define nitro_carbon: Atom = aromatic and exists bonds (to.nitro)        # carries a nitro group
define halogen: Atom = element in {F, Cl, Br, I}

refine Molecule {
    top -> count atoms (top) >= 1..3
    top -> count rings (aromatic) >= 2..3
}
refine Atom {
    top -> nitro_carbon
    top -> halogen
    top -> element = N; top -> element = O
    top -> exists bonds (top)                   # ... with a neighbour
    top -> top and top        max 2
}
refine Bond { top -> to (top) }
limits { nesting 5, literals 6 }
""")

# Two nitro groups on adjacent ring carbons (ortho), and other arrangements.
ORTHO = ["O=[N+]([O-])c1ccccc1[N+](=O)[O-]", "Cc1ccc([N+](=O)[O-])c([N+](=O)[O-])c1",
         "O=[N+]([O-])c1cc(Cl)ccc1[N+](=O)[O-]", "Nc1ccc([N+](=O)[O-])c([N+](=O)[O-])c1",
         "O=[N+]([O-])c1ccc(O)cc1[N+](=O)[O-]" ]  # fmt: skip
OTHERS = ["O=[N+]([O-])c1cccc([N+](=O)[O-])c1", "O=[N+]([O-])c1ccc([N+](=O)[O-])cc1",
          "Cc1cc([N+](=O)[O-])cc([N+](=O)[O-])c1", "O=[N+]([O-])c1cc(Cl)cc([N+](=O)[O-])c1",
          "Nc1cc([N+](=O)[O-])cc([N+](=O)[O-])c1", "O=[N+]([O-])c1ccc(Cl)cc1", ]  # fmt: skip
molecules = Population.from_molecules([Chem.MolFromSmiles(smiles) for smiles in ORTHO + OTHERS])
classes = ["ortho"] * len(ORTHO) + ["other"] * len(OTHERS)

space = Space.build(GRAMMAR, molecules)
print(f"the grammar generates {space.size():,} predicates")

model = StructuralTreeClassifier(GRAMMAR).fit(molecules, classes)
print(export_text(model.tree_), end="\n\n")

# Why was another test not chosen? It was outscored, or the grammar does not generate it.
found = best_split(molecules, classes, GRAMMAR)
print("best:", pretty(found.predicate))
for other in ("count atoms (halogen) >= 1", "count atoms (exists bonds (to.nitro)) >= 2"):
    print(f"why not {other!r}?", why_not(found, space.parse(other)))

unseen = Population.from_molecules([Chem.MolFromSmiles("O=[N+]([O-])c1cccc2c1cccc2")])
print("prediction for a single nitro group:", model.predict(unseen)[0])
