import torch
a = torch.ones(4, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    b = a + 1
    raise ValueError("mine")
