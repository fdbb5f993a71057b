"""Four graphs of eight branches each, on thirty-two streams in all."""

import torch

x = [torch.zeros(64, device="cuda") for _ in range(32)]
streams = [torch.cuda.Stream() for _ in x]
graphs = []
for first in range(0, 32, 8):
    graphs.append(torch.cuda.CUDAGraph())
    pool = graphs[0].pool() if first else None
    with torch.cuda.graph(graphs[-1], pool=pool):
        main = torch.cuda.current_stream()
        for tensor, stream in zip(x[first : first + 8], streams[first : first + 8], strict=True):
            stream.wait_stream(main)
            with torch.cuda.stream(stream):
                tensor.add_(1)
            main.wait_stream(stream)
for graph in graphs:
    graph.replay()
assert sum(tensor.sum().item() for tensor in x) == 32 * 64
