import torch
a = torch.ones(4, device="cuda"); b = torch.ones(3, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    c = a + b
