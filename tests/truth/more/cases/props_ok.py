import torch
x = torch.ones(8, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    y = x + 1
    torch.cuda.get_device_properties(0); torch.cuda.Stream(); torch.cuda.Event()
print("OK")
