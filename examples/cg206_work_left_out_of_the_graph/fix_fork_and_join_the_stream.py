"""The library's own stream is forked from the caller's and joined to it, so that it captures too."""

import torch

own = torch.cuda.Stream()


def library(x):
    caller = torch.cuda.current_stream()
    own.wait_stream(caller)
    with torch.cuda.stream(own):
        y = x * 2
    caller.wait_stream(own)
    return y


x = torch.zeros(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = library(x + 1)

x.fill_(3)
graph.replay()
assert y.tolist() == [8, 8, 8, 8]
