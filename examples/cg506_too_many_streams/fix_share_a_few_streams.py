"""Sixteen independent chains of work on four streams: the graph has four branches, and the results are right."""

import torch

inputs = [torch.full((1024,), float(i), device="cuda") for i in range(16)]
streams = [torch.cuda.Stream() for _ in range(4)]
outputs = []
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    origin = torch.cuda.current_stream()
    for stream in streams:
        stream.wait_stream(origin)
    for i, x in enumerate(inputs):
        with torch.cuda.stream(streams[i % len(streams)]):
            outputs.append(x * x + 1)
    for stream in streams:
        origin.wait_stream(stream)
graph.replay()
torch.cuda.synchronize()
assert [y[0].item() for y in outputs] == [i * i + 1 for i in range(16)]
