import torch
a = torch.arange(4, device="cuda")
g = torch.cuda.CUDAGraph()
def step():
    b = a * 2
    return b.tolist()
with torch.cuda.graph(g):
    step()
