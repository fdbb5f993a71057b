"""New work is captured into a new `CUDAGraph`; its executable is made anew and nothing is updated."""

import torch

x = torch.tensor([1.0, 2.0], device="cuda")
pool = torch.cuda.graph_pool_handle()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, pool=pool):
    y = x.clone()
graph.replay()
assert y.tolist() == [1.0, 2.0]

longer = torch.tensor([3.0, 4.0, 5.0], device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    z = longer.clone()
graph.replay()
assert z.tolist() == [3.0, 4.0, 5.0]
