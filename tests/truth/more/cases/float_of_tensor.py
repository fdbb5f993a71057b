import torch
loss = torch.zeros((), device="cuda")
g = torch.cuda.CUDAGraph()
def log(v):
    return float(v)
with torch.cuda.graph(g):
    loss += 1
    log(loss)
