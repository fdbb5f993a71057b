"""A copy that waits would be safe, but a capture refuses the wait."""

import torch

buffer = torch.zeros(4, pin_memory=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = buffer.to("cuda", non_blocking=False) * 2
graph.replay()
