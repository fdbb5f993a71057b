"""Mode `thread_local`: the capturing thread itself allocates on the other device."""

import torch

x = torch.ones(1 << 26, device="cuda:1")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="thread_local"):
    y = x * 2
graph.replay()
