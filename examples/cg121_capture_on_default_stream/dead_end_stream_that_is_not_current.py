"""A side stream that exists but is not current does not help: the capture begins on the current one."""

import torch

a = torch.ones(64, device="cuda")
graph = torch.cuda.CUDAGraph()
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
graph.capture_begin()
b = a + 1
graph.capture_end()
