"""Make a side stream current around `capture_begin`."""

import torch

a = torch.randn(64, device="cuda")
graph = torch.cuda.CUDAGraph()
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())

with torch.cuda.stream(side):
    graph.capture_begin()
    try:
        b = a + 1
    finally:
        graph.capture_end()

torch.cuda.current_stream().wait_stream(side)
graph.replay()
