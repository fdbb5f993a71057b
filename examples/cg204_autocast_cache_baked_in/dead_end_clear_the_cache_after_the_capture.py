"""The cast copy is dropped from the cache, but the graph still reads its address and casts nothing."""

import torch

weight = torch.ones(16, 16, device="cuda", requires_grad=True)
x = torch.ones(16, 16, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.autocast("cuda", dtype=torch.bfloat16):
    x @ weight
    with torch.cuda.graph(graph):
        y = x @ weight
    torch.clear_autocast_cache()

with torch.no_grad():
    weight.fill_(2)
graph.replay()
assert y[0, 0].item() == 32, "the graph reads the cast of the old weight"
