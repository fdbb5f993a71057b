import torch
x = torch.randn(1000, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    v, i = x.sort(); t = x.topk(5); c = x.cumsum(0); n = torch.argmax(x)
g.replay(); torch.cuda.synchronize()
print("OK")
