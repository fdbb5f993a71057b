import torch
a = torch.ones(4, device="cuda")
g = torch.cuda.CUDAGraph()
e = torch.cuda.Event(external=True)
with torch.cuda.graph(g):
    b = a + 1
    e.record()
g.replay()
e.synchronize()
print("OK")
