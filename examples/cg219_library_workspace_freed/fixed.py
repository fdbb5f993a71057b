"""cuBLAS's workspaces are cleared before the capture, so that the graph's lies in its own pool."""

import torch

stream = torch.cuda.Stream()
x = torch.ones(128, 1 << 15, device="cuda", dtype=torch.bfloat16)


def gram():
    return x @ x.T  # so few rows that cuBLAS splits the sum, and gathers it in its workspace


with torch.cuda.stream(stream):
    gram()
torch.cuda.synchronize()
torch._C._cuda_clearCublasWorkspaces()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=stream):
    y = gram()

with torch.cuda.stream(stream):
    cache = torch.zeros(8 << 20, device="cuda")
    graph.replay()
torch.cuda.synchronize()
replayed = [y[0, 0].item(), cache.count_nonzero().item()]
print("replay", replayed, "eager", [gram()[0, 0].item(), 0])
