"""Mode `relaxed` does not let the default stream be captured."""

import torch

a = torch.ones(64, device="cuda")
graph = torch.cuda.CUDAGraph()
graph.capture_begin(capture_error_mode="relaxed")
b = a + 1
graph.capture_end()
