import torch
a = torch.arange(16, device="cuda")
m = a > 4
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    u = torch.masked_select(a, m)
