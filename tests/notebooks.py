"""Notebooks of the documentation, executed as Jupyter does: what a cell prints, and what its last line shows.

``python -m tests.notebooks`` writes the outputs of all of them anew; a test compares them with a rerun.
"""

from __future__ import annotations

import ast
import io
import json
from contextlib import redirect_stdout

from tests.conftest import REPOSITORY

NOTEBOOKS = sorted((REPOSITORY / "docs").glob("*.ipynb"))


def executed(notebook):
    """Return a notebook with the outputs of its cells."""
    names, cells = {"__name__": "__main__"}, []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            number = sum(one["cell_type"] == "code" for one in cells) + 1
            outputs = list(_outputs("".join(cell["source"]), names, number))
            cell = cell | {"execution_count": number, "outputs": outputs}
        cells.append(cell)
    return notebook | {"cells": cells}


def _outputs(source, names, number):
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    if printed.getvalue():
        yield {"name": "stdout", "output_type": "stream", "text": printed.getvalue().splitlines(keepends=True)}
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        for kind, method in (("text/html", "_repr_html_"), ("image/svg+xml", "_repr_svg_")):
            if hasattr(value, method):
                data[kind] = getattr(value, method)().splitlines(keepends=True)
        yield {"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"}


def text_of(notebook):
    """Return a notebook as the text of its file."""
    return json.dumps(notebook, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    for path in NOTEBOOKS:
        path.write_text(text_of(executed(json.loads(path.read_text(encoding="utf-8")))), encoding="utf-8")
        print(f"wrote {path.name}")
