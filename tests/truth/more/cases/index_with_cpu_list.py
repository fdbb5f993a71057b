import torch
x = torch.ones(8, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    y = x[[0, 2, 4]]
