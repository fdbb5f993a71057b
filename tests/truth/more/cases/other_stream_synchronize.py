import torch
a = torch.ones(4, device="cuda")
s = torch.cuda.Stream()
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    b = a + 1
    s.synchronize()
