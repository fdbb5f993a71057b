"""An event recorded behind the replay says when all of it is done."""

import torch

x = torch.ones(4, device="cuda")
y = torch.empty_like(x)
done = torch.cuda.Event()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y.copy_(x)

graph.replay()
done.record()
while not done.query():
    pass
assert y.tolist() == x.tolist()
