import torch
a = torch.ones(4, device="cuda")
g = torch.cuda.CUDAGraph()
s = torch.cuda.Stream(); t = torch.cuda.Stream()
with torch.cuda.stream(s):
    g.capture_begin()
    b = a + 1
with torch.cuda.stream(t):
    g.capture_end()
