import torch

x = torch.ones(64, device="cuda")
inner = torch.cuda.CUDAGraph(keep_graph=True)
with torch.cuda.graph(inner):
    y = x + 1
outer = torch.cuda.CUDAGraph()
with torch.cuda.graph(outer):
    z = x * 2
    inner.replay()
