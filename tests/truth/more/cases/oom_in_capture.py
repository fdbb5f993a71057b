import torch
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    y = torch.empty(200 << 30, dtype=torch.uint8, device="cuda")
