import torch
g = torch.cuda.CUDAGraph()
x = torch.ones(4, device="cuda")
with torch.cuda.graph(g):
    y = torch.full((4,), 2.5, device="cuda") * x
print("OK")
