"""Graphs that die with what the program lets go of: nothing keeps the variables around them."""

import gc
import linecache
import sys
import types
import weakref

import torch

REGIONS = """
import torch

layer = torch.nn.Linear(4, 4).cuda()
x = torch.ones(2, 4, device="cuda")


def step():
    return layer(x) * 2


def capture():
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        static = step()
    return graph, static


step()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    out = step()
second, second_out = capture()
for _ in range(5):
    graph.replay()
    second.replay()
"""


def run(name, namespace):
    """Runs the regions in a namespace. Returns weak references to their graphs."""
    file = f"{name}.py"
    linecache.cache[file] = (len(REGIONS), None, REGIONS.splitlines(keepends=True), file)
    exec(compile(REGIONS, file, "exec"), namespace)
    return [weakref.ref(namespace[graph]) for graph in ("graph", "second")]


def of_a_module():
    module = types.ModuleType("regions")
    sys.modules["regions"] = module
    graphs = run("regions", vars(module))
    del sys.modules["regions"]
    return graphs


def of_exec():
    return run("executed", {"__name__": "executed"})


def of_a_function(x):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = x * 2
    for _ in range(5):
        graph.replay()
    del out
    return [weakref.ref(graph)]


# The collector does not come here: what is released is gone at once.
gc.disable()
print("at once", [graph() for graph in of_a_function(torch.ones(4, device="cuda"))])
gc.enable()

for form in (of_a_module, of_exec):
    graphs = form()
    gc.collect()
    torch.cuda.synchronize()
    print(form.__name__, [graph() for graph in graphs])
