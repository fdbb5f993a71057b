import torch
p = torch.ones(8, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    i = torch.multinomial(p, 2)
print("OK")
