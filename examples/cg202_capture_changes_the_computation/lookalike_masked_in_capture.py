"""Eager code picks the rows by their indices, whose number the host needs; captured code masks all rows. The results are equal."""

import torch


def positive(x):
    if torch.cuda.is_current_stream_capturing():
        return x * (x > 0)
    out = torch.zeros_like(x)
    rows = (x > 0).nonzero()[:, 0]
    out[rows] = x[rows]
    return out


x = torch.tensor([1.0, -2.0, 3.0, -4.0], device="cuda")
positive(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = positive(x)

for value in (1.0, -2.0, 3.0):
    x.mul_(value)
    graph.replay()
    print("replay", y.tolist(), "eager", positive(x).tolist())
