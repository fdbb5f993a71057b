import torch
w = torch.randn(8, device="cuda", requires_grad=True)
def hook(grad):
    torch.cuda.current_stream().synchronize()
s = torch.cuda.Stream()
s.wait_stream(torch.cuda.current_stream())
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    h = w * 2
    h.register_hook(hook)
    h.sum().backward()
