"""A table was made in inference mode; the graph reads it and writes another tensor."""

import torch


@torch.inference_mode()
def make_table():
    return torch.arange(8.0, device="cuda")


table = make_table()
x = torch.ones(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * table

for value in (1.0, 2.0):
    x.copy_(torch.full((4, 8), value, device="cuda"))
    graph.replay()
    result = y.clone()
assert table.is_inference() and not y.is_inference()
torch.cuda.synchronize()
