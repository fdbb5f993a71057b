"""Mode `relaxed` does not let the default stream wait for a capture."""

import torch

weight = torch.ones(4, device="cuda", requires_grad=True)
hidden = weight * 2
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="relaxed"):
    hidden.square().sum().backward()
