"""The mode of a capture says which calls are refused; the stream captures in each of them."""

import torch

x = torch.zeros(4, device="cuda")
capturing = []
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="relaxed"):
    capturing.append(torch.cuda.is_current_stream_capturing())
    y = x + 1
graph.replay()
assert capturing == [False], "the guard sees a capture in mode relaxed too"
