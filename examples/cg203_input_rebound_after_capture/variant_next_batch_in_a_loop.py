"""The loop that replays takes each new batch under the name of the captured one, and keeps the first for later."""

import torch

batches = [torch.full((4,), float(value), device="cuda") for value in range(4)]


def run(source):
    batch = next(source)
    batch * 2
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = batch * 2  # cgsan: label
    while batch is not None:
        graph.replay()
        print("replay", y.tolist(), "eager", (batch * 2).tolist())
        batch = next(source, None)  # cgsan: CG203


run(iter(batches))
