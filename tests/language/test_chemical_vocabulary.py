"""The definitions of the grammars `molecules` and `molecules-deep` mean what chemists' SMARTS say, atom by atom."""

import re

import numpy as np
import pytest

from structtree import Grammar, Population
from structtree.space.background import with_background
from structtree.space.evaluate import rows_where

Chem = pytest.importorskip("rdkit.Chem", reason="needs RDKit: pip install 'structtree[molecules]'")

CHAIN = "[CH2;!R;!$(*=*);!$(*#*)]"

GROUPS = {
    # halogens and carbons
    "halogen": "[F,Cl,Br,I]",
    "aryl_halide": "[F,Cl,Br,I]~a",
    "alkyl_halide": "[F,Cl,Br,I]~[#6;!a;!$(*=*);!$(*#*)]",
    "trihalomethyl": "[#6](~[F,Cl,Br,I])(~[F,Cl,Br,I])~[F,Cl,Br,I]",
    "trifluoromethyl": "[#6](~F)(~F)~F",
    "methyl": "[#6H3]",
    "chain_carbon": "[#6;H2;!R;!$(*=*);!$(*#*)]",
    "branched_carbon": "[#6;!R](-[#6])(-[#6])-[#6]",
    "quaternary_carbon": "[#6](-[#6])(-[#6])(-[#6])-[#6]",
    "alkene": "[#6]=[#6]",
    "alkyne": "[#6]#[#6]",
    "benzylic": "[#6;!a;!$(*=*);!$(*#*)]~a",
    # oxygen
    "hydroxyl": "[#8;!H0]",
    "alcohol": "[OH1][#6;!a;!$(*=*);!$(*#*)]",
    "phenol": "[OH1]c",
    "ether": "[O](-[#6])-[#6]",
    "aryl_ether": "[$(O(-a)-[#6]),$(O(-[#6])~a)]",
    "methoxy": "O(-[#6])-[CH3]",
    "acetal": "[#6;!a;!$(*=*);!$(*#*)](-[#8])-[#8]",
    "peroxide": "[#8]-[#8]",
    "epoxide": "[#8]1[#6][#6]1",
    # carbonyl compounds
    "carbonyl": "[#6]=[#8]",
    "aldehyde": "[#6;!H0]=[#8]",
    "ketone": "[#6](=[#8])(~[#6])~[#6]",
    "enone": "[#6](=[#8])-[#6]=[#6]",
    "carboxyl": "[#6](=[#8])-[#8;!H0,-,-2]",
    "ester": "[#6](=[#8])-[O;$(*(-[#6])-[#6])]",
    "lactone": "[#6](=[#8])-@[O;$(*(-[#6])-[#6])]",
    "anhydride": "[#8](~[#6]=[#8])~[#6]=[#8]",
    "carbonate": "[#6](=[#8])(-[#8])-[#8]",
    "acyl_halide": "[#6](=[#8])~[F,Cl,Br,I]",
    "amide": "[#6](=[#8])-[#7]",
    "lactam": "[#6](=[#8])-@[#7]",
    "primary_amide": "[#6](=[#8])-[#7;!H0;!H1]",
    "imide": "[#7](~[#6]=[#8])~[#6]=[#8]",
    "urea": "[#6](=[#8])(-[#7])-[#7]",
    "carbamate": "[#6](=[#8])(-[#7])-[#8]",
    "hydroxamate": "[#6](=[#8])-[#7]~[#8]",
    "hydrazide": "[#6](=[#8])-[#7]~[#7]",
    "thiocarbonyl": "[#6]=[#16]",
    "thioamide": "[#6](=[#16])-[#7]",
    "isocyanate": "[#6](=[#8,#16])=[#7]",
    # nitrogen
    "amine": "[N;!$(*~[!#6;!#1]);!$(*=*);!$(*#*);!$(*~[#6]=[#8,#7])]",
    "primary_amine": "[N;!H0;!H1;!$(*~[!#6;!#1]);!$(*=*);!$(*#*);!$(*~[#6]=[#8,#7])]",
    "secondary_amine": "[N;!H0;!$(*~[!#6;!#1]);!$(*=*);!$(*#*);!$(*~[#6]=[#8,#7])](~[#6])~[#6]",
    "tertiary_amine": "[N;!$(*~[!#6;!#1]);!$(*=*);!$(*#*);!$(*~[#6]=[#8,#7])](~[#6])(~[#6])~[#6]",
    "aniline": "[N;!$(*~[!#6;!#1]);!$(*=*);!$(*#*);!$(*~[#6]=[#8,#7])]~a",
    "aliphatic_amine": "[N;!$(*~[!#6;!#1]);!$(*=*);!$(*#*);!$(*~[#6]=[#8,#7]);!$(*~a)]",
    "quaternary_ammonium": "[#7](-[#6])(-[#6])(-[#6])-[#6]",
    "imine": "[#6]=[#7]",
    "amidine": "[#6;!$(*(~[#7])(~[#7])~[#7])](=[#7])-[#7]",
    "guanidine": "[#6](=[#7])(~[#7])~[#7]",
    "oxime": "[#7](=[#6])-[#8]",
    "hydrazine": "[N]-[#7]",
    "hydrazone": "[#7](=[#6])-[#7]",
    "hydroxylamine": "[N;+0]-[#8]",
    "nitro": "[#7](~[#8;D1])~[#8;D1]",
    "nitroso": "[#7;+0;D1,D2]=[#8]",
    "n_oxide": "[#7;+1;!$(*=[#8])]-[#8;-,-2]",
    "nitrile": "[#6]#[#7]",
    "azo": "[#7]=[#7]",
    "azide": "[#7](=[#7])=[#7]",
    # sulfur, phosphorus and others
    "thiol": "[#16;!H0]",
    "sulfide": "[S;D2](-[#6])-[#6]",
    "disulfide": "[#16]-[#16]",
    "sulfoxide": "[#16;!$(*(=[#8])=[#8])]=[#8]",
    "sulfonyl": "[#16](=[#8])=[#8]",
    "sulfone": "[#16](=[#8])(=[#8])(~[#6])~[#6]",
    "sulfonamide": "[#16](=[#8])(=[#8])~[#7]",
    "sulfonate": "[#16](=[#8])(=[#8])-[#8]",
    "phosphoryl": "[#15]=[#8]",
    "phosphate": "[#15](=[#8])(~[#8])(~[#8])~[#8]",
    "thiophosphoryl": "[#15]=[#16]",
    "boronate": "[#5](~[#8])~[#8]",
    # rings
    "ring_fusion": "[*](@*)(@*)@*",
    "spiro": "[*](@*)(@*)(@*)@*",
    "fused_aromatic": "a(:*)(:*):*",
    "biaryl": "a-!@a",
    "substituted_aromatic": "a~!@[!#1]",
    "ortho": "a(~!@[!#1]):a~!@[!#1]",
    "ring_linker": "[*;!R](~[R])~[R]",
    "pyridine_nitrogen": "[n;D2;H0]",
    "pyrrole_nitrogen": "[n;+0;!H0,D3]",
    "furan_oxygen": "o",
    "thiophene_sulfur": "s",
    "saturated_ring_nitrogen": "[#7;R;!a;!$(*=*);!$(*#*)]",
    "saturated_ring_carbon": "[#6;R;!a;!$(*=*);!$(*#*)]",
    "ring_carbonyl": "[#6;R]=[#8]",
    # hydrogen bonds and charges
    "donor": "[#7,#8;!H0]",
    "acid": "[$([#6](=[#8])-[#8;!H0,-,-2]),$([#16](=[#8])(=[#8])~[#8;!H0,-,-2])]",
    "base": (
        "[$([N;!$(*~[!#6;!#1]);!$(*=*);!$(*#*);!$(*~[#6]=[#8,#7]);!$(*~a)]),$([#6](=[#7])(~[#7])~[#7]),"
        "$([#6;!$(*(~[#7])(~[#7])~[#7])](=[#7])-[#7])]"
    ),
    # polarity
    "heteroatom": "[!#6;!#1]",
    "polar": "[#7,#8]",
    "next_to_heteroatom": "[!#1]~[!#6;!#1]",
    "polar_carbon": "[#6](~[!#6;!#1])~[!#6;!#1]",
    "apolar_carbon": "[#6;!$(*~[!#6;!#1])]",
    "apolar_aromatic": "[c;!$(*~[!#6;!#1])]",
    "near_heteroatom": "[!#1]~[$([!#1]~[!#6;!#1])]",
    "saturated_carbon": "[#6;!a;!$(*=*);!$(*#*)]",
    "long_chain": f"{CHAIN}(~{CHAIN}~{CHAIN})~{CHAIN}~{CHAIN}",
}

MOLECULES = [
    "CCCCCCCO", "c1ccccc1Cl", "CC(C)(C)Br", "FC(F)(F)c1ccccc1", "ClC(Cl)(Cl)C", "CCCCCC", "CC(C)CC", "C=CC#C",
    "Cc1ccccc1", "CCO", "OCC(O)CO", "c1ccccc1O", "CC(=O)O", "COc1ccccc1", "CCOCC", "COC", "C1OCCO1", "COC(C)OC",
    "CC(C)(C)OO", "C1CO1", "CC1CO1", "CC=O", "CC(=O)C", "C=CC(=O)C", "O=C1C=CC(=O)C=C1", "CC(=O)[O-]", "CC(=O)OC",
    "O=C1CCCO1", "CC(=O)OC(C)=O", "COC(=O)OC", "CC(=O)Cl", "CC(N)=O", "O=C1CCCN1", "O=C1CCC(=O)N1", "NC(N)=O",
    "CNC(=O)NC", "COC(=O)N", "CC(=O)NO", "CC(=O)NN", "CC(=S)C", "CC(=S)N", "CN=C=O", "CN=C=S", "CCN", "CCNC",
    "CN(C)C", "Nc1ccccc1", "CNc1ccccc1", "C[N+](C)(C)C", "CC=NC", "CC(=N)N", "NC(=N)N", "CNC(=N)N", "CC=NO", "CNNC",
    "CC=NN", "CNO", "C[N+](=O)[O-]", "O=[N+]([O-])c1ccccc1", "CN=O", "C[N+](C)(C)[O-]", "[O-][n+]1ccccc1", "CC#N",
    "CN=NC", "CN=[N+]=[N-]", "c1ccccc1N=Nc1ccccc1", "CCS", "CSC", "CSSC", "CS(C)=O", "CS(C)(=O)=O", "CS(N)(=O)=O",
    "CS(=O)(=O)O", "COS(C)(=O)=O", "COP(=O)(OC)OC", "CP(C)(C)=O", "COP(=S)(OC)OC", "OB(O)c1ccccc1",
    "C1CCC2CCCCC2C1", "C1CCC2(CC1)CCCC2", "c1ccc2ccccc2c1", "c1ccccc1-c1ccccc1", "Cc1ccccc1C", "c1ccccc1Cc1ccccc1",
    "c1ccncc1", "c1cc[nH]c1", "Cn1cccc1", "c1ccoc1", "c1ccsc1", "C1CCNCC1", "C1CNCCN1", "C1COCCN1", "O=C1CCCCC1",
    "O=C1CCCc2ccccc21", "C1CC1", "C1CCC1", "c1cnc[nH]1", "c1ncncn1", "NCCc1ccccc1", "NCCCc1ccccc1", "NCc1ccccc1",
    "NCCN", "NCCO", "OCCCO", "Oc1ccccc1C=O", "NC(Cc1ccccc1)C(=O)O", "CC(=O)Oc1ccccc1C(=O)O",
    "CN1C=NC2=C1C(=O)N(C(=O)N2C)C", "[Na+].[Cl-]", "[Fe]", "*C", "[H][H]", "CN(C)CCCN1c2ccccc2CCc2ccccc21",
    "CC1(C)SC2C(NC(=O)Cc3ccccc3)C(=O)N2C1C(=O)O", "c1ccc2c(c1)ccc1ccccc12", "C12C3C4C1C5C2C3C45", "O=c1cc[nH]cc1",
    "[O-]S(=O)(=O)c1ccccc1", "C[S+](C)[O-]", "OO", "C[N+]#[C-]", "NNC(=O)c1ccncc1", "c1ccc(cc1)S(=O)(=O)NC(=O)N",
    "F[P-](F)(F)(F)(F)F",
]  # fmt: skip


@pytest.fixture(scope="module", params=["molecules", "molecules-deep"])
def grammar(request):
    return Grammar.load(request.param)


@pytest.fixture(scope="module")
def molecules():
    return [Chem.MolFromSmiles(text) for text in MOLECULES]


def atoms_of(pattern, molecules):
    """A mask of the atoms of all molecules that match the first atom of a pattern."""
    query, found = Chem.MolFromSmarts(pattern), []
    for molecule in molecules:
        first = {match[0] for match in molecule.GetSubstructMatches(query, uniquify=False, maxMatches=100_000)}
        found += [atom in first for atom in range(molecule.GetNumAtoms())]
    return np.array(found)


def test_each_definition_matches_the_atoms_of_its_smarts(grammar, molecules):
    population = with_background(Population.from_smiles(MOLECULES), grammar, {})
    definitions = grammar.check(population.schema.given).definitions
    assert len(definitions) >= 60
    for name, definition in definitions.items():
        pattern = GROUPS.get(name) or definition.body.attribute.pattern
        mask = rows_where(definition.body, population, "Atom", {})
        assert (mask == atoms_of(pattern, molecules)).all(), name
        assert 0 < mask.sum() < len(mask), name


def test_each_definition_has_a_phrase(grammar):
    assert all(definition.says for definition in grammar.syntax.definitions)


def test_both_grammars_have_the_same_definitions():
    one, other = (Grammar.load(name).syntax.definitions for name in ("molecules", "molecules-deep"))
    assert one == other


def test_the_groups_that_chemists_name_are_defined(grammar):
    wanted = "amidine guanidine urea carbamate sulfonamide biaryl spiro lactam donor acceptor"
    assert {*wanted.split()} <= {definition.name for definition in grammar.syntax.definitions}


def test_each_definition_is_tested(grammar):
    tests = re.sub(r"(?s)^.*?refine Molecule", "", str(grammar))
    unused = [d.name for d in grammar.syntax.definitions if not re.search(rf"\b{d.name}\b", tests)]
    assert unused == []
