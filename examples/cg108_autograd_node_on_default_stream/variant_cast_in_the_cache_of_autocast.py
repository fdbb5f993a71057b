"""A warm-up leaves a cast weight in autocast's cache, with the node that the captured backward walks into."""

import torch

layer, x = torch.nn.Linear(16, 16, device="cuda"), torch.ones(16, 16, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.autocast("cuda", dtype=torch.bfloat16):
    layer(x).sum().backward()  # cgsan: label
    with torch.cuda.graph(graph):
        layer(x).sum().backward()  # cgsan: CG108
graph.replay()
