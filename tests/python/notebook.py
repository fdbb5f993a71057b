"""A notebook in a real kernel: cells that fail, in one that is not watched and in one that is."""

import nbformat
from nbclient import NotebookClient

FAILS = """\
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    x.sum().item()
"""
HIDES = """\
try:
    with torch.cuda.graph(torch.cuda.CUDAGraph()):
        x.sum().item()
except RuntimeError:
    pass
"""


def printed(*cells):
    """What each cell prints."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, timeout=240, allow_errors=True).execute()
    texts = []
    for cell in notebook.cells:
        streams = [it.text for it in cell.outputs if it.output_type == "stream"]
        texts.append("".join(streams))
    return texts


*_, fails, another, fine, unloaded = printed(
    "%load_ext cgsan",
    "import torch",
    'x = torch.ones(8, device="cuda")',
    FAILS,
    "{}['missing']",
    "x + 1",
    "%unload_ext cgsan\n" + FAILS,
)
assert "cgsan explain CG101" in fails, fails
assert "CG101 in line 3 of this cell: `.item()`" in fails, fails
assert another == fine == "", (another, fine)
assert "CG101" not in unloaded, unloaded

*_, hides, fine = printed(
    "%load_ext cgsan",
    "import cgsan; watch = cgsan.watch(virtual=True)",
    "import torch",
    'x = torch.ones(8, device="cuda")',
    HIDES,
    "x + 1",
)
assert "error[CG101]: a value is read from the GPU during a capture" in hides, hides
assert "--> In [5]:3:9" in hides and "x.sum().item()" in hides, hides
assert "ipykernel" not in hides, hides
assert fine == "", fine
