"""Autocast begins and ends inside the capture, so that the cast is a node of the graph."""

import torch

weight = torch.ones(16, 16, device="cuda", requires_grad=True)
x = torch.ones(16, 16, device="cuda")


def step():
    with torch.autocast("cuda", dtype=torch.bfloat16):
        return x @ weight


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    step()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step()

with torch.no_grad():
    weight.fill_(2)
graph.replay()
assert y[0, 0].item() == 32
