"""The capturing thread may not query any stream, also one that the capture never touches."""

import torch

x = torch.ones(1024, device="cuda")
unrelated = torch.cuda.Stream()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="thread_local"):
    y = x.cos()
    unrelated.query()
