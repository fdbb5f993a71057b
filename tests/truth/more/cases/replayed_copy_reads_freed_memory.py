import torch

src = torch.ones(1 << 22, device="cuda")
dst = torch.zeros(1 << 22, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    dst.copy_(src)
del src
torch.cuda.empty_cache()
g.replay()
print("launched")
torch.cuda.synchronize()
print("OK")
