import torch
m = torch.nn.Linear(8, 8).cuda()
x = torch.randn(4, 8, device="cuda")
norms = []
m(x).sum().backward()
m.weight.register_hook(lambda grad: norms.append(grad.norm().item()))
m.zero_grad()
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    m(x).sum().backward()
