import torch
gen = torch.Generator(device="cuda")
g = torch.cuda.CUDAGraph()
def sample():
    return torch.randn(8, generator=gen, device="cuda")
sample()
with torch.cuda.graph(g):
    z = sample()
