import torch
a = torch.eye(16, device="cuda"); b = torch.randn(16, 2, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    x = torch.linalg.solve(a, b)
print("OK")
