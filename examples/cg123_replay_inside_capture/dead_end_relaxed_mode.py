"""Mode `relaxed` does not let a graph be replayed inside a capture."""

import torch

x = torch.ones(8, device="cuda")
layer = torch.cuda.CUDAGraph()
with torch.cuda.graph(layer):
    y = x + 1
step = torch.cuda.CUDAGraph()
with torch.cuda.graph(step, capture_error_mode="relaxed"):
    layer.replay()
    z = y * 2
step.replay()
