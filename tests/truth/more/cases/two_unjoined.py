import torch
x = torch.randn(128, device="cuda")
s1 = torch.cuda.Stream(); s2 = torch.cuda.Stream()
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    cur = torch.cuda.current_stream()
    for s in (s1, s2):
        s.wait_stream(cur)
        with torch.cuda.stream(s):
            b = x + 1
