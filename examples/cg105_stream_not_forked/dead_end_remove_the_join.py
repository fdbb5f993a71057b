"""Without the join the capture succeeds, and the side stream's work is not in the graph."""

import torch

x = torch.ones(4, device="cuda")
y = torch.empty_like(x)
z = torch.empty_like(x)
side = torch.cuda.Stream()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    with torch.cuda.stream(side):
        y.copy_(x)
    z.copy_(x)

x.copy_(torch.full((4,), 3.0))
graph.replay()
assert z.tolist() == [3.0] * 4
assert y.tolist() == [3.0] * 4, f"the replay left {y.tolist()}"
