"""Two forked streams come back one through the other, and one event is enough for both."""

import torch

x = torch.ones(1024, device="cuda")
first = torch.cuda.Stream()
second = torch.cuda.Stream()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    origin = torch.cuda.current_stream()
    first.wait_stream(origin)
    second.wait_stream(origin)
    with torch.cuda.stream(first):
        left = x.cos()
    second.wait_stream(first)
    with torch.cuda.stream(second):
        right = x.sin()
        done = torch.cuda.Event()
        done.record()
    origin.wait_event(done)
graph.replay()
