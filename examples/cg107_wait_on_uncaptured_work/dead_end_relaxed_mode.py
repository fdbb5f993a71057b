"""Mode `relaxed` does not permit a wait for work from before the capture."""

import torch

x = torch.ones(1024, device="cuda")
side = torch.cuda.Stream()
with torch.cuda.stream(side):
    x.mul_(2)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="relaxed"):
    torch.cuda.current_stream().wait_stream(side)
