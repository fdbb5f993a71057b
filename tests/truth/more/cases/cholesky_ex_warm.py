import torch
a = torch.eye(16, device="cuda")
torch.linalg.cholesky_ex(a)
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    l, info = torch.linalg.cholesky_ex(a)
g.replay()
torch.cuda.synchronize()
print("OK")
