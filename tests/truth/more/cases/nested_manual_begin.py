import torch
x = torch.ones(8, device="cuda")
g = torch.cuda.CUDAGraph(); h = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    y = x + 1
    h.capture_begin()
