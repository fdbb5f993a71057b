import torch
x = torch.ones(4, device="cuda"); t = torch.empty(1 << 22, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    y = x + 1
    del t
    torch.cuda.empty_cache()
g.replay(); torch.cuda.synchronize()
print("OK")
