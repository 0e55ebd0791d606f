"""The other side of ``patterns.py``: frequent subgraphs by gspan-mining, run by a Python that has it installed.

``python gspan_side.py GRAPHS SUPPORT VERTICES`` prints one JSON object: processor seconds, the number of patterns,
and those without cycles, each as the labels of its vertices, its edges (two vertices and a label), and its support.
The file of graphs is in the format of gSpan. Reading counts, as it does on our side.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from gspan_mining.gspan import gSpan


class Collecting(gSpan):  # type: ignore[misc]
    """Collects patterns; its own way to report them needs an old pandas."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.found: list[tuple[list[str], list[tuple[int, int, str]], int]] = []

    def _report_size1(self, g: Any, support: int) -> None:
        self.found.append(([vertex.vlb for vertex in g.vertices.values()], [], support))

    def _report(self, projected: Any) -> None:
        self._frequent_subgraphs.append(None)
        graph = self._DFScode.to_graph(gid=0, is_undirected=self._is_undirected)
        labels = [graph.vertices[v].vlb for v in sorted(graph.vertices)]
        edges = [(v, to, edge.elb) for v in graph.vertices for to, edge in graph.vertices[v].edges.items() if v < to]
        self.found.append((labels, edges, self._support))


def main() -> None:
    path, support, vertices = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    started = time.process_time()
    mining = Collecting(path, support, 1, vertices)
    mining.run()
    seconds = time.process_time() - started
    trees = [found for found in mining.found if len(found[1]) == len(found[0]) - 1]
    print(json.dumps({"seconds": seconds, "patterns": len(mining.found), "trees": trees}))


if __name__ == "__main__":
    main()
