"""The block of the warm-up has ended, and with it autocast's cache: the capture casts the weight itself."""

import torch

layer, x = torch.nn.Linear(16, 16, device="cuda"), torch.ones(16, 16, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.autocast("cuda", dtype=torch.bfloat16):
    layer(x).sum().backward()
with torch.autocast("cuda", dtype=torch.bfloat16), torch.cuda.graph(graph):
    layer(x).sum().backward()
graph.replay()
