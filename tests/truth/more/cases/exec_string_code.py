import torch

x = torch.ones(4, device="cuda")
source = "def total(t):\n    return t.sum().item()\n"
names = {}
exec(source, names)
names["total"](x)
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    names["total"](x)
