"""An event that was recorded inside the capture is a node of the graph; the host cannot wait for it."""

import torch

buffer = torch.zeros(4, pin_memory=True)
copied = torch.cuda.Event()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    static = buffer.to("cuda", non_blocking=True)
    copied.record()
    y = static * 2

graph.replay()
copied.synchronize()
buffer.fill_(1)
