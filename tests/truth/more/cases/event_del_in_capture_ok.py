import torch
x = torch.ones(8, device="cuda")
e = torch.cuda.Event(); e.record()
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    y = x + 1
    del e
    z = y + 1
print("OK")
