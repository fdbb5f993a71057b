"""Wait for an external event."""

import torch

ready = torch.cuda.Event(external=True)
producer = torch.cuda.Stream()
x = torch.zeros(128, device="cuda")
graph = torch.cuda.CUDAGraph()

with torch.cuda.graph(graph):
    torch.cuda.current_stream().wait_event(ready)
    y = x + 1

with torch.cuda.stream(producer):
    x.fill_(2)
    ready.record()
graph.replay()
