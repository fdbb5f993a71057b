import torch
x = torch.ones(8, device="cuda")
k = torch.cuda.CUDAGraph(keep_graph=True)
with torch.cuda.graph(k):
    y = x + 1
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    z = x + 2
    k.instantiate()
print("OK")
