"""A capture fails, the program copes, and the next capture succeeds."""

import torch

x = torch.ones(4, device="cuda")
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
try:
    with torch.cuda.graph(graph):
        x.sum().item()
except RuntimeError as error:
    print(str(error).splitlines()[0])
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
graph.replay()
print("done")
