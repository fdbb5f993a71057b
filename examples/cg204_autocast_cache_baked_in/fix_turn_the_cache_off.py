"""Without the cache every use of a weight casts it, and the graph casts it at each replay."""

import torch

weight = torch.ones(16, 16, device="cuda", requires_grad=True)
x = torch.ones(16, 16, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.autocast("cuda", dtype=torch.bfloat16, cache_enabled=False):
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        x @ weight
    torch.cuda.current_stream().wait_stream(side)
    with torch.cuda.graph(graph):
        y = x @ weight

with torch.no_grad():
    weight.fill_(2)
graph.replay()
assert y[0, 0].item() == 32
