import torch
a = torch.randn(16, 8, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    q, r = torch.linalg.qr(a)
print("OK")
