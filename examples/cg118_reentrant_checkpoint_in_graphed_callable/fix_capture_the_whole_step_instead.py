"""The whole step is captured, with a `backward()` that names no inputs."""

import torch
from torch.utils.checkpoint import checkpoint

body = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU()).cuda()
x = torch.randn(16, 64, device="cuda", requires_grad=True)


def step():
    x.grad = None
    checkpoint(body, x, use_reentrant=True, preserve_rng_state=False).sum().backward()


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    step()
torch.cuda.current_stream().wait_stream(side)

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=side):
    step()
graph.replay()
