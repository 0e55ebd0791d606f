"""The other side of ``rules.py``: RIPPER of wittgenstein on given folds, run by a Python that has it installed.

``python rules_side.py TABLE FOLDS`` prints one JSON object for each fold. The table is a CSV file of text; its column
``class`` is the target with the classes ``yes`` and ``no``. The folds are a JSON list with the fold of each row. Only
learning is timed.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import wittgenstein


def main() -> None:
    path, folds = sys.argv[1:]
    warnings.simplefilter("ignore")
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    fold_of = np.array(json.loads(Path(folds).read_text()))
    for fold in range(fold_of.max() + 1):
        train, test = table[fold_of != fold], table[fold_of == fold]
        learner = wittgenstein.RIPPER(random_state=0)
        started = time.process_time()
        learner.fit(train, class_feat="class", pos_class="yes")
        seconds = time.process_time() - started
        said = np.asarray(learner.predict(test.drop(columns="class")))
        found = {
            "accuracy": float((said == (test["class"] == "yes")).mean()),
            "literals": sum(len(rule.conds) for rule in learner.ruleset_.rules),
            "seconds": seconds,
        }
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
