import torch
a = torch.eye(16, device="cuda")
torch.linalg.inv_ex(a)
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    x, info = torch.linalg.inv_ex(a)
print("OK")
