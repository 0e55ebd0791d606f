"""One learner on one set, for ``peers.py``: all folds, by a Python that has the learner installed.

``python peer_sides.py PEER FOLDER`` reads what ``peer_problems.write_forms`` wrote to the folder and prints one JSON
object: for each fold the scores of its test individuals, whether they are said to be positive, the size of the model
and the processor seconds of learning, and the most memory of the process in megabytes. Only learning is timed, not
the imports, not the reading and not the prediction.

This file imports only what its learner needs, since most learners have an environment without structtree.
"""

from __future__ import annotations

import json
import re
import resource
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Fold = tuple[np.ndarray, np.ndarray]
"""The rows that are learned from, and those that are tested."""

Learned = tuple[Any, Any, float]
"""Scores and decisions for the test rows, and the size of the model."""


def main() -> None:
    warnings.simplefilter("ignore")
    name, folder = sys.argv[1], Path(sys.argv[2])
    about = json.loads((folder / "about.json").read_text())
    labels, folds = np.array(about["labels"], dtype=bool), np.array(about["folds"])
    learn = SIDES[name](folder, labels, about)
    found = []
    for number in sorted(set(folds.tolist())):
        fold = np.flatnonzero(folds != number), np.flatnonzero(folds == number)
        before = processor_seconds()
        predict = learn(fold)
        seconds = processor_seconds() - before
        scores, said, size = predict()
        found.append({"scores": to_list(scores), "said": to_list(said), "size": float(size), "seconds": seconds})
    print(json.dumps({"folds": found, "megabytes": peak_megabytes()}))


def processor_seconds() -> float:
    """Processor seconds of this process and of those that it started and that are done."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def peak_megabytes() -> float | None:
    """The most memory of this program, or of the programs that it started, if these do the work.

    What is known of a started program begins with the memory of this one, so it is unknown if it needed less.
    """
    found = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
    own = int(found[1]) if found else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    if children.ru_utime < 0.5:
        return own / 1024
    return children.ru_maxrss / 1024 if children.ru_maxrss > 1.05 * own else None


def to_list(values: Any) -> list[Any]:
    listed: list[Any] = np.asarray(values).tolist()
    return listed


# ---- ours ------------------------------------------------------------------------------------------------


def structtree_side(*, is_given: bool) -> Callable[..., Callable[[Fold], Callable[[], Learned]]]:
    """Our trees, with the default grammar or with the one that asks what the modes of Aleph let it ask."""

    def side(folder: Path, labels: Any, about: Any) -> Callable[[Fold], Callable[[], Learned]]:
        from structtree import Grammar, StructuralTreeClassifier, read_jsonl

        population = read_jsonl(folder / "population.jsonl")
        grammar = Grammar.parse(about["grammar"]) if is_given else None

        def learn(fold: Fold) -> Callable[[], Learned]:
            training, test = fold
            tree = StructuralTreeClassifier(grammar).fit(population[training], labels[training])
            new = population[test]
            return lambda: (tree.predict_proba(new)[:, 1], tree.predict(new), tree.get_n_leaves())

        learn((np.arange(len(labels)), np.arange(1)))  # compiles the kernels
        return learn

    return side


def model_side(estimator: str, size: str, **options: Any) -> Callable[..., Callable[[Fold], Callable[[], Learned]]]:
    """Another of our models with its defaults, and the name of what counts as its size."""

    def side(folder: Path, labels: Any, about: Any) -> Callable[[Fold], Callable[[], Learned]]:
        import structtree

        population = structtree.read_jsonl(folder / "population.jsonl")

        def learn(fold: Fold) -> Callable[[], Learned]:
            training, test = fold
            model = getattr(structtree, estimator)(**options).fit(population[training], labels[training])
            new, found = population[test], getattr(model, size)
            n = found if isinstance(found, int) else len(found)
            return lambda: (model.predict_proba(new)[:, 1], model.predict(new), n)

        learn((np.arange(len(labels)), np.arange(1)))  # compiles the kernels
        return learn

    return side


# ---- tables and fingerprints -----------------------------------------------------------------------------


def sklearn_side(folder: Path, labels: Any, about: Any) -> Callable[[Fold], Callable[[], Learned]]:
    """A tree whose pruning is chosen by five inner folds, as ours is."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.tree import DecisionTreeClassifier

    table = np.load(folder / "table.npy")

    def learn(fold: Fold) -> Callable[[], Learned]:
        training, test = fold
        alphas = {"ccp_alpha": [0.0, 0.002, 0.005, 0.01, 0.02, 0.05]}
        search = GridSearchCV(DecisionTreeClassifier(random_state=0), alphas, cv=5)
        search.fit(table[training], labels[training])
        best = search.best_estimator_
        return lambda: (best.predict_proba(table[test])[:, 1], best.predict(table[test]), best.get_n_leaves())

    return learn


def lightgbm_side(file: str) -> Callable[..., Callable[[Fold], Callable[[], Learned]]]:
    def side(folder: Path, labels: Any, about: Any) -> Callable[[Fold], Callable[[], Learned]]:
        import lightgbm

        table = np.load(folder / file)

        def learn(fold: Fold) -> Callable[[], Learned]:
            training, test = fold
            model = lightgbm.LGBMClassifier(random_state=0, n_jobs=1, verbose=-1)
            model.fit(table[training], labels[training])
            leaves = sum(tree["num_leaves"] for tree in model.booster_.dump_model()["tree_info"])
            return lambda: (model.predict_proba(table[test])[:, 1], model.predict(table[test]), leaves)

        return learn

    return side


def pysubgroup_side(folder: Path, labels: Any, about: Any) -> Callable[[Fold], Callable[[], Learned]]:
    """The conjunction of at most three conditions with the best WRAcc for either class, as a rule with one else."""
    import pandas as pd
    import pysubgroup as ps

    frame = pd.read_csv(folder / "nominal.csv", dtype=str, keep_default_na=False)

    def best(part: Any, target: bool) -> Any:
        task = ps.SubgroupDiscoveryTask(
            part, ps.BinaryTarget("class", target), ps.create_nominal_selectors(part, ignore=["class"]),
            result_set_size=1, depth=3, qf=ps.WRAccQF(),
        )  # fmt: skip
        return max(ps.Apriori(use_numba=False).execute(task).results, key=lambda found: found[0])

    def learn(fold: Fold) -> Callable[[], Learned]:
        training, test = fold
        part = frame.iloc[training].assign(**{"class": labels[training]}).reset_index(drop=True)
        found = {target: best(part, target) for target in (True, False)}
        target = max(found, key=lambda each: found[each][0])
        rule = found[target][1]

        def predict() -> Learned:
            covers = np.asarray(rule.covers(frame.iloc[test].reset_index(drop=True)), dtype=bool)
            inside, rates = np.asarray(rule.covers(part), dtype=bool), labels[training]
            scores = np.where(covers, rates[inside].mean(), rates[~inside].mean())
            return scores, scores >= 0.5, float(len(rule))

        return predict

    return learn


# ---- graphs ----------------------------------------------------------------------------------------------


def grakel_side(folder: Path, labels: Any, about: Any) -> Callable[[Fold], Callable[[], Learned]]:
    """Weisfeiler-Lehman subtree kernel with a support vector machine; inner folds choose C."""
    from grakel import Graph
    from grakel.kernels import VertexHistogram, WeisfeilerLehman
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import SVC

    graphs = []
    for each in json.loads((folder / "graphs.json").read_text()):
        edges = dict.fromkeys(map(tuple, each["edges"]), 1.0)
        graphs.append(Graph(edges or {0: []}, node_labels=dict(enumerate(each["labels"]))))

    def learn(fold: Fold) -> Callable[[], Learned]:
        training, test = fold
        kernel = WeisfeilerLehman(n_iter=4, base_graph_kernel=VertexHistogram, normalize=True)
        matrix = kernel.fit_transform([graphs[i] for i in training])
        machine = GridSearchCV(SVC(kernel="precomputed"), {"C": [0.01, 0.1, 1, 10, 100, 1000]}, cv=5)
        machine.fit(matrix, labels[training])
        best = machine.best_estimator_

        def predict() -> Learned:
            rows = kernel.transform([graphs[i] for i in test])
            return best.decision_function(rows), best.predict(rows), float(best.n_support_.sum())

        return predict

    return learn


# ---- facts -----------------------------------------------------------------------------------------------


def aleph_side(*, is_tree: bool) -> Callable[..., Callable[[Fold], Callable[[], Learned]]]:
    def side(folder: Path, labels: Any, about: Any) -> Callable[[Fold], Callable[[], Learned]]:
        from dataclasses import replace

        from aleph import PROBLEMS, aleph_source, by_aleph

        source, problem = aleph_source(), PROBLEMS[about["facts"]]()
        if source is None:
            raise SystemExit("Aleph or SWI-Prolog is missing")

        def learn(fold: Fold) -> Callable[[], Learned]:
            numbers = np.zeros(len(labels), dtype=np.int64)
            numbers[fold[1]] = 1
            run = by_aleph(replace(problem, folds=numbers), 1, is_tree, source, about["limit"])
            if run is None:
                raise SystemExit(f"a fold took more than {about['limit']} processor seconds")
            return lambda: (run.said.astype(float), run.said, run.size)

        return learn

    return side


def srlearn_side(folder: Path, labels: Any, about: Any) -> Callable[[Fold], Callable[[], Learned]]:
    """Boosted relational dependency networks with ten trees."""
    from srlearn import Background, Database
    from srlearn.rdn import BoostedRDNClassifier

    given = json.loads((folder / "facts.json").read_text())

    def database(rows: Any) -> Any:
        made = Database()
        made.pos = [given["examples"][i] for i in rows if labels[i]]
        made.neg = [given["examples"][i] for i in rows if not labels[i]]
        made.facts = given["facts"]
        return made

    def learn(fold: Fold) -> Callable[[], Learned]:
        training, test = fold
        background = Background(modes=given["modes"])
        model = BoostedRDNClassifier(background=background, target=given["target"], n_estimators=10)
        model.fit(database(training))

        def predict() -> Learned:
            # Its own reading of its results fails with numpy 1.23 and later (a delimiter of two characters).
            model._run_inference(database(test))
            text = (model.file_system.files.TEST_DIR / f"results_{given['target']}.db").read_text()
            found = re.findall(r"^(!?)(.*\)) (\S+)$", text, re.MULTILINE)
            chances = {example: 1 - float(chance) if no else float(chance) for no, example, chance in found}
            names = [given["examples"][i].rstrip(".") for i in test]
            scores = np.array([chances[name] for name in names])
            return scores, scores >= 0.5, 10.0

        return predict

    return learn


SIDES: dict[str, Callable[..., Callable[[Fold], Callable[[], Learned]]]] = {
    "structtree": structtree_side(is_given=False),
    "structtree-grammar": structtree_side(is_given=True),
    "structtree-forest": model_side("StructuralForestClassifier", "n_trees_", n_jobs=1),
    "structtree-boosting": model_side("StructuralBoostingClassifier", "n_iter_", n_jobs=1),
    "sklearn": sklearn_side,
    "lightgbm-table": lightgbm_side("table.npy"),
    "lightgbm-bits": lightgbm_side("bits.npy"),
    "pysubgroup": pysubgroup_side,
    "grakel": grakel_side,
    "aleph": aleph_side(is_tree=False),
    "aleph-tree": aleph_side(is_tree=True),
    "srlearn": srlearn_side,
}


if __name__ == "__main__":
    main()
