"""Workspaces are cleared before the capture and after the last replay, and memory is given out anew each time."""

import torch

stream = torch.cuda.Stream()
x = torch.ones(128, 1 << 15, device="cuda", dtype=torch.bfloat16)


def gram():
    return x @ x.T  # so few rows that cuBLAS splits the sum, and gathers it in its workspace


def free_workspaces():
    torch.cuda.synchronize()
    torch._C._cuda_clearCublasWorkspaces()


with torch.cuda.stream(stream):
    gram()
    free_workspaces()
    before = torch.zeros(8 << 20, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=stream):
    y = gram()

with torch.cuda.stream(stream):
    for _ in range(3):
        graph.replay()
    free_workspaces()
    after = torch.zeros(8 << 20, device="cuda")
torch.cuda.synchronize()
replayed = [y[0, 0].item(), before.count_nonzero().item(), after.count_nonzero().item()]
print("replay", replayed, "eager", [gram()[0, 0].item(), 0, 0])
