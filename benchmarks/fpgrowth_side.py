"""The other side of ``patterns.py``: frequent item sets by mlxtend, run by a Python that has it installed.

``python fpgrowth_side.py BASKETS.npy SUPPORT`` prints one JSON object: processor seconds of ``fpgrowth`` on a frame
of booleans, and each item set with its number of baskets. Imports and reading are not counted.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np
import pandas as pd
from mlxtend.frequent_patterns import fpgrowth


def main() -> None:
    path, support = sys.argv[1], float(sys.argv[2])
    baskets = np.load(path)
    frame = pd.DataFrame(baskets)
    started = time.process_time()
    found = fpgrowth(frame, min_support=support)
    seconds = time.process_time() - started
    counts = (found.support * len(frame)).round().astype(int)
    sets = [[sorted(map(int, items)), int(n)] for items, n in zip(found.itemsets, counts, strict=True)]
    print(json.dumps({"seconds": seconds, "sets": sets}))


if __name__ == "__main__":
    main()
