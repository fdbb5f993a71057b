"""The stream that replays waits for the producer; the capture does not."""

import torch

side = torch.cuda.Stream()
x = torch.zeros(4, device="cuda")
y = torch.empty_like(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y.copy_(x)

side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    x.copy_(torch.full((4,), 3.0))
torch.cuda.current_stream().wait_stream(side)
graph.replay()
assert y.tolist() == [3.0] * 4
