"""The flag changes before the replay, but no Python runs there to read it."""

import torch

x = torch.full((4,), 3.0, device="cuda")
even = True
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1 if even else x - 1

even = False
graph.replay()
assert y.tolist() == [2, 2, 2, 2], "the graph still holds the branch of its capture"
