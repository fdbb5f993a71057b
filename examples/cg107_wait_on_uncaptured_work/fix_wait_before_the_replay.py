"""Wait before the replay, not inside the capture."""

import torch

side = torch.cuda.Stream()
x = torch.randn(128, device="cuda")
torch.cuda.synchronize()
with torch.cuda.stream(side):
    x.mul_(2)

graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x.norm()

torch.cuda.current_stream().wait_stream(side)
graph.replay()
