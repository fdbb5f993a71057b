import torch
n = torch.tensor(3, device="cuda"); x = torch.ones(8, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    y = x[:n]
