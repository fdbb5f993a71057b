"""A graph of 102,300 nodes on four streams, to be looked at with `--html`."""

import torch

x = [torch.zeros(10, device="cuda") for _ in range(4)]
sides = [torch.cuda.Stream() for _ in range(3)]
graph = torch.cuda.CUDAGraph()

with torch.cuda.graph(graph):
    origin = torch.cuda.current_stream()
    for _ in range(3300):
        for tensor, side in zip(x, sides, strict=False):
            side.wait_stream(origin)
            with torch.cuda.stream(side):
                for _ in range(10):
                    tensor.add_(1)
        for side in sides:
            origin.wait_stream(side)
        x[3].mul_(2)

for _ in range(3):
    graph.replay()
