import torch
h = torch.ones(8, pin_memory=True); d = torch.empty(8, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    d.copy_(h, non_blocking=True)
g.replay(); torch.cuda.synchronize()
print(d.tolist())
