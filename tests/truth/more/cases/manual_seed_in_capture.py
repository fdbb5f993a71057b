import torch
x = torch.ones(8, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    torch.cuda.manual_seed(7)
    y = torch.rand(8, device="cuda")
print("OK")
