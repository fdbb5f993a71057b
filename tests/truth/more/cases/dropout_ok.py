import torch
x = torch.ones(8, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    y = torch.nn.functional.dropout(x, 0.5)
g.replay(); torch.cuda.synchronize()
print("OK")
