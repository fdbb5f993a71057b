import torch
x = torch.randn(128, device="cuda")
s1 = torch.cuda.Stream()
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    y = x + 1
    s1.wait_stream(torch.cuda.current_stream())
print("OK")
