"""A linear system is solved in a capture; the solver's status is looked at on the host."""

import torch

a = torch.eye(8, device="cuda")
b = torch.ones(8, 1, device="cuda")
torch.linalg.solve_ex(a, b)
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    x = torch.linalg.solve_ex(a, b, check_errors=True)
