import torch
m = torch.nn.Linear(4, 4).cuda(); x = torch.randn(2, 4, device="cuda")
m(x)
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    f = torch.cuda.make_graphed_callables(m, (x,))
