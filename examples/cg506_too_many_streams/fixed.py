"""Thirty-two heads share four streams in the graph."""

import torch

heads = [torch.full((64, 64), float(i), device="cuda") for i in range(32)]
streams = [torch.cuda.Stream() for _ in range(4)]
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    main = torch.cuda.current_stream()
    for stream in streams:
        stream.wait_stream(main)
    outputs = []
    for place, head in enumerate(heads):
        with torch.cuda.stream(streams[place % len(streams)]):
            outputs.append(head.cos().add_(1))
    for stream in streams:
        main.wait_stream(stream)
graph.replay()
print(sum(output.sum().item() for output in outputs))
