import torch
x = torch.ones(8, device="cuda")
old = torch.cuda.CUDAGraph()
with torch.cuda.graph(old):
    y = x + 1
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    z = x + 2
    old.reset()
print("OK")
