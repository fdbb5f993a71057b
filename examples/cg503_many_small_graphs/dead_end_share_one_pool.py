"""Graphs that share a pool share memory; each of them is launched all the same."""

import torch

launches = []


class CountedGraph(torch.cuda.CUDAGraph):
    def replay(self):
        launches.append(self)
        super().replay()


x = torch.randn(32, 64, device="cuda")
graphs = [CountedGraph() for _ in range(8)]
pool = torch.cuda.graph_pool_handle()
for graph in graphs:
    with torch.cuda.graph(graph, pool=pool):
        x.mul_(0.5)
for graph in graphs:
    graph.replay()
assert len(launches) == 1, f"{len(launches)} graph launches in one step"
