import torch
a = torch.ones(4, device="cuda")
g = torch.cuda.CUDAGraph()
e = torch.cuda.Event()
with torch.cuda.graph(g):
    b = a + 1
    e.record()
e.synchronize()
print("OK")
