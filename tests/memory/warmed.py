"""Prints the most that captures and the eager runs before them hold at once, by PyTorch's own statistics: see
`crates/cgsan/tests/memory.rs`.
"""

import json

import torch

MIB = 1 << 20
kept = []


def step(x, keep):
    a = x * 2
    if keep:
        kept.append(a)
    b = a + 1
    del a
    return b + 1


def never_warmed(x):
    return (x * 3)[: 4 * MIB] + 1


def most_held(run):
    """The most that PyTorch held in a run, beside what it held before."""
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    result = run()
    return result, torch.cuda.max_memory_allocated() - before


def captured(function, *arguments):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result, most = most_held(lambda: function(*arguments))
    graph.replay()
    return (graph, result), most


x = torch.ones(32 * MIB, dtype=torch.uint8, device="cuda")
small = torch.ones(8 * MIB, dtype=torch.uint8, device="cuda")
eager = []
for tensor in (small, x, x):
    _, most = most_held(lambda tensor=tensor: step(tensor, keep=False))
    eager.append(most)
graphs = [captured(step, x, True), captured(step, small, False), captured(never_warmed, x)]
torch.cuda.synchronize()
print(json.dumps({"eager": [eager[2], eager[0], None], "captured": [it[1] for it in graphs]}))
