"""Reentrant checkpointing in the capture of a whole step, whose backward lists no inputs."""

import torch
from torch.utils.checkpoint import checkpoint


def block(x):
    return x.cos().sin()


x = torch.ones(1024, device="cuda", requires_grad=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = checkpoint(block, x, use_reentrant=True, preserve_rng_state=False)
    y.sum().backward()
graph.replay()
