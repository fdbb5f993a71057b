"""Thirty-two heads, and each one gets a stream of its own in the graph."""

import torch

heads = [torch.full((64, 64), float(i), device="cuda") for i in range(32)]
streams = [torch.cuda.Stream() for _ in heads]
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: CG506
    main = torch.cuda.current_stream()
    outputs = []
    for head, stream in zip(heads, streams, strict=True):
        stream.wait_stream(main)
        with torch.cuda.stream(stream):
            outputs.append(head.cos().add_(1))
    for stream in streams:
        main.wait_stream(stream)
graph.replay()
print(sum(output.sum().item() for output in outputs))
