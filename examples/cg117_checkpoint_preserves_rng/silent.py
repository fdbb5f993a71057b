"""Checkpointing keeps the random state inside a capture: refused before PyTorch 2.10."""

import torch
from torch.utils.checkpoint import checkpoint


def block(x):
    return x.cos().sin()


x = torch.ones(1024, device="cuda", requires_grad=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = checkpoint(block, x, use_reentrant=False, preserve_rng_state=True)
    y.sum().backward()
graph.replay()
