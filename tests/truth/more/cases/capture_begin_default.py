import torch
x = torch.ones(8, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g, stream=torch.cuda.default_stream()):
    y = x + 1
