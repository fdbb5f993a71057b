"""Tie the fork and its join together."""

import contextlib

import torch


@contextlib.contextmanager
def fork(stream):
    origin = torch.cuda.current_stream()
    stream.wait_stream(origin)
    try:
        with torch.cuda.stream(stream):
            yield stream
    finally:
        origin.wait_stream(stream)


side = torch.cuda.Stream()
x = torch.randn(128, device="cuda")
graph = torch.cuda.CUDAGraph()

with torch.cuda.graph(graph):
    with fork(side):
        y = x * 2
    z = x + y

graph.replay()
