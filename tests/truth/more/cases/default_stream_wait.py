import torch
x = torch.randn(128, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    y = x + 1
    torch.cuda.default_stream().wait_stream(torch.cuda.current_stream())
