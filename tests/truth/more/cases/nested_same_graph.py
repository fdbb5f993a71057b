import torch
x = torch.ones(8, device="cuda")
g = torch.cuda.CUDAGraph()
h = torch.cuda.CUDAGraph()
def inner():
    with torch.cuda.graph(h, capture_error_mode="thread_local"):
        return x * 2
with torch.cuda.graph(g, capture_error_mode="thread_local"):
    y = inner()
