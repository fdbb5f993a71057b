"""In mode `relaxed` the library may allocate and free while the capture runs."""

import torch

a = torch.randn(64, 64, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="relaxed"):
    b = a @ a
graph.replay()
