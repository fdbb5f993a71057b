import torch
a = torch.arange(16, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    u = torch.unique(a)
