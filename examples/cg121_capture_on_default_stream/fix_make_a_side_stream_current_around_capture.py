"""A side stream is current where `capture_begin` is called by hand."""

import torch

a = torch.ones(64, device="cuda")
graph = torch.cuda.CUDAGraph()
torch.cuda.synchronize()
side = torch.cuda.Stream()
with torch.cuda.stream(side):
    graph.capture_begin()
    try:
        b = a + 1
    finally:
        graph.capture_end()

graph.replay()
