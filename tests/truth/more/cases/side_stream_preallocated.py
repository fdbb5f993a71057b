import torch
x = torch.randn(128, device="cuda"); y = torch.empty_like(x)
s = torch.cuda.Stream()
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    with torch.cuda.stream(s):
        torch.mul(x, 2, out=y)
    torch.cuda.current_stream().wait_stream(s)
    z = x + y
