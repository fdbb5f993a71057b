"""The host asks for an event that was recorded inside a capture, and so belongs to the graph."""

import torch

x = torch.ones(8, device="cuda")
done = torch.cuda.Event()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
    done.record()
graph.replay()
done.synchronize()  # cgsan: CG127
