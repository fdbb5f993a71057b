import torch
n = torch.tensor(3, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    for i in range(n):
        pass
