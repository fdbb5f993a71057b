import torch
x = torch.rand(8, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    torch.cuda.initial_seed()
    y = torch.rand(8, device="cuda")
print("OK")
