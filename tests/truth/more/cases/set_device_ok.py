import torch
x = torch.ones(8, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    torch.cuda.set_device(0)
    with torch.cuda.device(0):
        y = x + 1
print("OK")
