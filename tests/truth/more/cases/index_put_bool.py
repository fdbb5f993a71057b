import torch
x = torch.ones(8, device="cuda"); m = x > 0
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    x[m] = 0.0
print("OK")
