import torch
x = torch.randn(128, device="cuda")
s1 = torch.cuda.Stream(); s2 = torch.cuda.Stream()
g = torch.cuda.CUDAGraph()
def inner():
    s2.wait_stream(s1)
    with torch.cuda.stream(s2):
        return x + 1
with torch.cuda.graph(g):
    cur = torch.cuda.current_stream()
    s1.wait_stream(cur)
    with torch.cuda.stream(s1):
        b = x + 1
        c = inner()
    cur.wait_stream(s1)
    d = b + 1
