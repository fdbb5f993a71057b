"""Graphs with pools of their own may run at the same time."""

import torch

inputs = [torch.ones(64 << 20, device="cuda") * value for value in (1, 2, 3)]
graphs = [torch.cuda.CUDAGraph() for _ in inputs]
outputs = []
for bias, (x, graph) in enumerate(zip(inputs, graphs, strict=True), start=1):
    x**2 + 2 * x + bias
    with torch.cuda.graph(graph):
        outputs.append(x**2 + 2 * x + bias)
streams = [torch.cuda.Stream() for _ in graphs]
torch.cuda.synchronize()
for _ in range(50):
    for stream, graph in zip(streams, graphs, strict=True):
        with torch.cuda.stream(stream):
            graph.replay()
torch.cuda.synchronize()
assert [y[0].item() for y in outputs] == [4, 10, 18], [y[0].item() for y in outputs]
