"""Waiting before the first replay and after the last leaves those between unordered."""

import torch

inputs = [torch.ones(64 << 20, device="cuda") * value for value in (1, 2, 3)]
graphs = [torch.cuda.CUDAGraph() for _ in inputs]
outputs = []
pool = torch.cuda.graph_pool_handle()
for bias, (x, graph) in enumerate(zip(inputs, graphs, strict=True), start=1):
    x**2 + 2 * x + bias
    with torch.cuda.graph(graph, pool=pool):
        outputs.append(x**2 + 2 * x + bias)
streams = [torch.cuda.Stream() for _ in graphs]
torch.cuda.synchronize()
current = torch.cuda.current_stream()
for stream in streams:
    stream.wait_stream(current)
for _ in range(50):
    for stream, graph in zip(streams, graphs, strict=True):
        with torch.cuda.stream(stream):
            graph.replay()
for stream in streams:
    current.wait_stream(stream)
torch.cuda.synchronize()
assert [y[0].item() for y in outputs] == [4, 10, 18], [y[0].item() for y in outputs]
