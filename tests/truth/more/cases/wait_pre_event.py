import torch
x = torch.randn(128, device="cuda")
e = torch.cuda.Event()
s = torch.cuda.Stream()
with torch.cuda.stream(s):
    y = x + 1
    e.record()
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    torch.cuda.current_stream().wait_event(e)
    z = x + 1
