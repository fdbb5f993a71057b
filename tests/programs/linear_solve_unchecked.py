"""A linear system is solved in a capture after a warm-up; its status stays on the device."""

import torch

a = torch.eye(8, device="cuda")
b = torch.ones(8, 1, device="cuda")
torch.linalg.solve_ex(a, b)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    x, info = torch.linalg.solve_ex(a, b)
graph.replay()
