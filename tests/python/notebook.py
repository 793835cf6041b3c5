# SPDX-License-Identifier: MIT
"""Executes the notebook of the examples, cell by cell in one session; with nbclient in a kernel of Jupyter too.

    notebook.py plain|jupyter NOTEBOOK"""
import json
import os
import sys


def plain(path):
    """Its code is Python without magic, so nothing of Jupyter is needed."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    with open(path, encoding="utf-8") as f:
        book = json.load(f)
    session = {"__name__": "notebook"}
    for number, cell in enumerate(book["cells"]):
        if cell["cell_type"] == "code":
            assert not cell["outputs"], f"cell {number} is kept with its output: clear it"
            exec(compile("".join(cell["source"]), f"{path}, cell {number}", "exec"), session)
    assert session["outcome"] == "completed", (session["outcome"], session["test"].messages)
    assert len(session["seen"]) >= 2 and session["seen"][-1][0] > session["seen"][0][0], session["seen"]
    assert len(pyplot.get_fignums()) == 3, pyplot.get_fignums()
    with open(os.path.join(session["test"].folder, "events.log"), encoding="utf-8") as f:
        log = f.read()
    assert "order hold, from the terminal" in log and "order resume, from the terminal" in log, log
    assert session["error"] < 0.05, session["error"]  # a rig without a lag; late ticks are extrapolated


def jupyter(path):
    import nbclient
    import nbformat
    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    nbclient.NotebookClient(book, timeout=600, kernel_name="python3").execute()
    pictures = sum("image/png" in out.get("data", {}) for cell in book.cells for out in cell.get("outputs", []))
    assert pictures == 3, f"{pictures} figures"


if __name__ == "__main__":
    {"plain": plain, "jupyter": jupyter}[sys.argv[1]](sys.argv[2])
