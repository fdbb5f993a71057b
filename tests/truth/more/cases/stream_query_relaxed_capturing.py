import torch

side = torch.cuda.Stream()
x = torch.ones(4, device="cuda")
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g, capture_error_mode="relaxed"):
    y = x + 1
    idle = side.query()
    busy = torch.cuda.current_stream().query()
