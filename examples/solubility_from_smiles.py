"""Predict the solubility of small molecules in water with a regression tree over SMILES.

Run as ``python examples/solubility_from_smiles.py [CSV TARGET]``. Without a file, it uses the molecules listed below,
with the logarithm of their solubility in mol/l from handbooks. Requires RDKit:
``pip install 'structtree[molecules]'``.
"""

import sys

from rdkit import Chem

from structtree import Population, StructuralTreeRegressor, export_text, open_data

MEASURED = {
    "CO": 1.6, "CCO": 1.1, "CCCO": 0.6, "CCCCO": 0.0, "CCCCCO": -0.6, "CCCCCCO": -1.2, "CCCCCCCCO": -2.4,
    "CC(C)=O": 1.1, "CCC(C)=O": 0.5, "CC(=O)O": 1.2, "CCC(=O)O": 1.1, "CCCCC": -3.2, "CCCCCC": -3.8,
    "CCCCCCC": -4.5, "CCCCCCCC": -5.2, "C1CCCCC1": -3.1, "c1ccccc1": -1.6, "Cc1ccccc1": -2.2,
    "CCc1ccccc1": -2.8, "c1ccc2ccccc2c1": -3.6, "c1ccc2cc3ccccc3cc2c1": -6.4, "Oc1ccccc1": 0.0,
    "Nc1ccccc1": -0.4, "O=[N+]([O-])c1ccccc1": -1.8, "Clc1ccccc1": -2.4, "Brc1ccccc1": -2.6, "ClC(Cl)Cl": -1.2,
    "ClC(Cl)(Cl)Cl": -2.3, "CCOCC": -0.1, "CCOC(C)=O": 0.0, "OCC(O)CO": 1.1, "NC(N)=O": 1.0,
}  # fmt: skip

if len(sys.argv) > 2:
    # A CSV file with a column of SMILES is read as molecules; rows that RDKit cannot read are skipped.
    opened = open_data(sys.argv[1], target=sys.argv[2], skip_bad=True)
    molecules, solubility = opened.population, opened.target
else:
    molecules = Population.from_molecules([Chem.MolFromSmiles(smiles) for smiles in MEASURED])
    solubility = list(MEASURED.values())

# Leaves with fewer than three molecules would not generalise.
model = StructuralTreeRegressor(max_leaf_nodes=6, min_samples_leaf=3).fit(molecules, solubility)
print(export_text(model.tree_), end="\n\n")
print(f"R² on the {len(molecules)} training molecules: {model.score(molecules, solubility):.2f}")

pentanone = Population.from_molecules([Chem.MolFromSmiles("CCCC(C)=O")])
if len(sys.argv) <= 2:
    print(f"prediction for 2-pentanone: {model.predict(pentanone)[0]:.1f}")
