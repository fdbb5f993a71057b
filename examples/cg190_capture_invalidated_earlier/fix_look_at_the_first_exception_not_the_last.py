"""The exception that ends the capture is the last of a chain; the first one names the cause."""

import torch

x = torch.randn(8, device="cuda")
graph = torch.cuda.CUDAGraph()
try:
    with torch.cuda.graph(graph):
        torch.cuda.synchronize()
except RuntimeError as error:
    last = first = error
    while first.__context__ is not None:
        first = first.__context__

assert "previous error during capture" in str(last)
assert "not permitted when stream is capturing" in str(first)
