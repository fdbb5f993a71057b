import torch
h = torch.ones(8, pin_memory=True); d = torch.empty(8, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    d.copy_(h)
