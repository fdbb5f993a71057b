"""Since PyTorch 2.10 checkpointing may preserve the state: the recomputation drops what the forward dropped."""

import torch
from torch.utils.checkpoint import checkpoint

x = torch.ones(1024, device="cuda", requires_grad=True)


def step():
    x.grad = None
    y = checkpoint(torch.nn.functional.dropout, x, use_reentrant=False, preserve_rng_state=True)
    y.sum().backward()
    return y.detach()


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    step()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=side):
    y = step()
for _ in range(3):
    graph.replay()
    torch.testing.assert_close(x.grad, y)
