"""Thirty-two streams, of which each waits for the one before: one chain of work."""

import torch

x = torch.zeros(64, device="cuda")
streams = [torch.cuda.Stream() for _ in range(32)]
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    last = main = torch.cuda.current_stream()
    for stream in streams:
        stream.wait_stream(last)
        with torch.cuda.stream(stream):
            x.add_(1)
        last = stream
    main.wait_stream(last)
graph.replay()
assert x.tolist() == [32.0] * 64
