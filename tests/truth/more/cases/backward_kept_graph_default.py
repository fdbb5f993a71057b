import torch
w = torch.randn(8, device="cuda", requires_grad=True)
h = (w * 2).sum()
scale = torch.ones((), device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    loss = h * scale
    loss.backward()
