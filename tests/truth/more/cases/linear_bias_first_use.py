import torch
m = torch.nn.Linear(64, 64).cuda()
x = torch.randn(8, 64, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    y = m(x)
print("OK")
