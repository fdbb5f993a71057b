import torch
a = torch.eye(16, device="cuda")
torch.linalg.inv(a)
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    x = torch.linalg.inv(a)
print("OK")
