import torch
x = torch.ones(8, device="cuda")
old = torch.cuda.CUDAGraph()
with torch.cuda.graph(old):
    y = x + 1
old.replay(); torch.cuda.synchronize()
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    z = x + 2
    del old
    w = z + 1
print("OK")
