import torch
w = torch.randn(8, device="cuda", requires_grad=True)
s = torch.cuda.Stream()
s.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(s):
    (w * w).sum().backward()
torch.cuda.current_stream().wait_stream(s)
w.grad = None
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    l = (w * w).sum(); l.backward()
g.replay(); torch.cuda.synchronize()
print("OK")
