"""cuBLAS's workspaces are cleared to save memory, and a graph still writes to the one of its capture."""

import torch

stream = torch.cuda.Stream()
x = torch.ones(128, 1 << 15, device="cuda", dtype=torch.bfloat16)


def gram():
    # So few rows that cuBLAS splits the sum, and gathers it in its workspace.
    return x @ x.T  # cgsan: label


with torch.cuda.stream(stream):
    gram()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=stream):
    y = gram()

torch._C._cuda_clearCublasWorkspaces()
with torch.cuda.stream(stream):
    cache = torch.zeros(8 << 20, device="cuda")
    graph.replay()  # cgsan: CG219
torch.cuda.synchronize()
replayed = [y[0, 0].item(), cache.count_nonzero().item()]
print("replay", replayed, "eager", [gram()[0, 0].item(), 0])
