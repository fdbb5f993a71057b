import torch
x = torch.ones(1, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    y = x + 1
    msg = f"loss {y}"
