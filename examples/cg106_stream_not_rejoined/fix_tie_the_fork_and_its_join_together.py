"""A context manager that forks and joins cannot forget the join, and can be nested."""

import contextlib

import torch


@contextlib.contextmanager
def fork(stream):
    parent = torch.cuda.current_stream()
    stream.wait_stream(parent)
    try:
        with torch.cuda.stream(stream):
            yield
    finally:
        parent.wait_stream(stream)


outer, inner = torch.cuda.Stream(), torch.cuda.Stream()
x = torch.zeros(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph), fork(outer), fork(inner):
    y = x.clone()

x.copy_(torch.full((4,), 3.0))
graph.replay()
assert y.tolist() == [3.0] * 4
