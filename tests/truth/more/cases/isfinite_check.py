import torch
x = torch.ones(8, device="cuda")
g = torch.cuda.CUDAGraph()
def check(t):
    if not torch.isfinite(t).all():
        raise FloatingPointError("bad")
with torch.cuda.graph(g):
    y = x * 2
    check(y)
