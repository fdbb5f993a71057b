"""An exception leaves a capture open; a later call of the program meets it."""

import torch

x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
stream = torch.cuda.Stream()
stream.wait_stream(torch.cuda.current_stream())
try:
    with torch.cuda.stream(stream):
        graph.capture_begin()
        x.add_(1)
        raise KeyError("missing")
except KeyError:
    pass
torch.cuda.synchronize()
