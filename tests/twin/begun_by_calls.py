"""A capture that is begun and ended by calls, with no block of code between them."""

import torch

x = torch.ones(4, device="cuda")
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.stream(torch.cuda.Stream()):
    graph.capture_begin()
    y = x * 2.0
    graph.capture_end()
graph.replay()
graph.replay()
