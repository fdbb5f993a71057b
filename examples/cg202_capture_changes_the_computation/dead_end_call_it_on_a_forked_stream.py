"""A stream that is forked from the capture captures as well, so that the guard sees no difference."""

import torch

x = torch.zeros(4, device="cuda")
side = torch.cuda.Stream()
capturing = []
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    origin = torch.cuda.current_stream()
    side.wait_stream(origin)
    with torch.cuda.stream(side):
        capturing.append(torch.cuda.is_current_stream_capturing())
        y = x + 1
    origin.wait_stream(side)
graph.replay()
assert capturing == [False], "the guard sees the capture on a forked stream too"
