"""Steps that a program marks: some eager work, a replay, and a value that the host reads."""

import time

import torch

weight = torch.randn(64, 64, device="cuda")
x = torch.randn(8, 64, device="cuda")
static = torch.empty_like(x)
graph = torch.cuda.CUDAGraph()
static.copy_(x)
torch.mm(static, weight)
torch.cuda.synchronize()
with torch.cuda.graph(graph):
    out = torch.mm(static, weight).relu()

end = time.monotonic() + 5
while time.monotonic() < end:
    torch.cuda.nvtx.mark("step")
    static.copy_(x)
    graph.replay()
    x.mul_(0.5).add_(out, alpha=0.0)
    x.sum().item()
print("done")
