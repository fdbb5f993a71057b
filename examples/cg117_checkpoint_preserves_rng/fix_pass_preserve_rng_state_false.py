"""Checkpointing without the random state, for a segment that draws no random numbers."""

import torch
from torch.utils.checkpoint import checkpoint

block = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU()).cuda()
x = torch.randn(16, 64, device="cuda", requires_grad=True)


def step():
    x.grad = None
    checkpoint(block, x, use_reentrant=False, preserve_rng_state=False).sum().backward()


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    step()
torch.cuda.current_stream().wait_stream(side)

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=side):
    step()
graph.replay()
