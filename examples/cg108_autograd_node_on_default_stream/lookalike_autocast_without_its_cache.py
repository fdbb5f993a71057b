"""The same block around warm-up and capture with the cache off: the capture casts the weight itself."""

import torch

layer, x = torch.nn.Linear(16, 16, device="cuda"), torch.ones(16, 16, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.autocast("cuda", dtype=torch.bfloat16, cache_enabled=False):
    layer(x).sum().backward()
    with torch.cuda.graph(graph):
        layer(x).sum().backward()
graph.replay()
