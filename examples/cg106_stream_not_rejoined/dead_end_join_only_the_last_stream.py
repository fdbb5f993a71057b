"""Joining the first fork does not join the stream that was forked from it."""

import torch

x = torch.ones(1024, device="cuda")
outer, inner = torch.cuda.Stream(), torch.cuda.Stream()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    origin = torch.cuda.current_stream()
    outer.wait_stream(origin)
    with torch.cuda.stream(outer):
        y = x.cos()
        inner.wait_stream(outer)
        with torch.cuda.stream(inner):
            z = y.sin()
    origin.wait_stream(outer)
