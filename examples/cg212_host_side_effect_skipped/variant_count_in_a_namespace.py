"""A step counts its calls in a namespace; a class that the step may count in as well has an attribute of the same name."""

import types

import torch


class Totals:
    calls = 0


def make(batch, counts_all):
    run = types.SimpleNamespace(calls=0)

    def step():
        run.calls += 1  # cgsan: CG212
        if counts_all:
            Totals.calls += 1
        return batch * 2

    return step, run


batch = torch.ones(3, device="cuda")
step, run = make(batch, counts_all=False)
step()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    doubled = step()
for _ in range(4):
    graph.replay()
print("counted", run.calls, "made", 6, "all", Totals.calls)
