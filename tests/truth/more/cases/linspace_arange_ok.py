import torch
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    y = torch.arange(8, device="cuda") + torch.linspace(0, 1, 8, device="cuda")
print("OK")
