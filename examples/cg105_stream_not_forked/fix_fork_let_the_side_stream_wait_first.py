"""The side stream waits for the capture before its first use, and the origin for it afterwards."""

import torch

side = torch.cuda.Stream()
x = torch.zeros(4, device="cuda")


def step():
    current = torch.cuda.current_stream()
    side.wait_stream(current)
    with torch.cuda.stream(side):
        y = x.clone()
    current.wait_stream(side)
    return y


graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step()

x.copy_(torch.full((4,), 3.0))
graph.replay()
assert y.tolist() == [3.0] * 4
