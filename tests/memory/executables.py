"""Prints by how much less memory of the GPU is free after executable graphs were made and launched first, in bytes; needs a GPU.

    cgsan run --gpu --memory --json --output report.json -- python tests/memory/executables.py

`memory[0].graphs[…].executable` of the report is what is printed, if no other process uses the GPU.
"""

import json

import torch

MOST = 20_000


def free():
    torch.cuda.synchronize()
    return torch.cuda.mem_get_info()[0]


x = torch.zeros(256, device="cuda")
graphs = []
for nodes in (10, 1_000, MOST):
    graph = torch.cuda.CUDAGraph(keep_graph=True)
    with torch.cuda.graph(graph):
        for _ in range(nodes):
            x.add_(1)
    before = free()
    graph.instantiate()
    instantiated = free()
    graph.replay()
    launched = free()
    graphs.append(graph)
    taken = {"instantiated": before - instantiated, "launched": instantiated - launched}
    print(json.dumps({"nodes": nodes, **taken}))
