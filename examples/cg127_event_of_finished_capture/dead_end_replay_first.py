"""A replay does not record the event either: it only marked a place in the graph."""

import torch

a = torch.randn(64, device="cuda")
done = torch.cuda.Event()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    b = a + 1
    done.record()

graph.replay()
torch.cuda.synchronize()
done.query()
