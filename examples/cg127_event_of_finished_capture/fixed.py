"""The event is recorded after the replay, on the stream that the graph was launched on."""

import torch

x = torch.ones(8, device="cuda")
done = torch.cuda.Event()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
graph.replay()
done.record()
done.synchronize()
