import torch
h = torch.zeros(8, pin_memory=True); d = torch.tensor([1.0] * 8).cuda()
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    h.copy_(d, non_blocking=True)
g.replay(); torch.cuda.synchronize()
print(h.tolist())
