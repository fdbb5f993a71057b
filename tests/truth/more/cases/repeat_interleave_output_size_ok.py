import torch
a = torch.arange(4, device="cuda")
r = torch.ones(4, dtype=torch.long, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    u = torch.repeat_interleave(a, r, output_size=4)
print("OK")
